// The table of an image's weights: first those that are bound, which get places in a file, then the
// program's constants, which lie in the image: small ones in its description, large ones behind its
// shared object (AppendedConstants.h).
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/driver/Phases.h"
#include "drumlin/ir/stablehlo/HeldElements.h"
#include "drumlin/runtime/executable/ImageDescription.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace drumlin {

// A weight's elements as they lie in its layout.
Tensor storedElements(const Tensor &elements, const ValueDescription &value);

// Fills in the description's weights and what it says of their file. `constants` gets those that
// are appended, in order; those that aren't owned are the context's. Fails with WeightMissing,
// InputTooLarge, WeightNotInPlace or FileNotReadable.
Status describeWeights(mlir::func::FuncOp main, const CompileOptions &options, PhaseResult &phases,
                       ImageDescription &description, std::vector<HeldConstant> &constants);

} // namespace drumlin
