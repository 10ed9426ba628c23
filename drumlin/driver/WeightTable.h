// Makes the table of an image's weights: first the bound weights, then the program's constants.
// Bound weights get offsets in a file. Constants are in the image: small ones in its description,
// large ones after its shared object (AppendedConstants.h).
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/driver/Phases.h"
#include "drumlin/ir/stablehlo/HeldElements.h"
#include "drumlin/runtime/executable/ImageDescription.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace drumlin {

// Returns a weight's elements in the order of its layout.
Tensor storedElements(const Tensor &elements, const ValueDescription &value);

// Fills in the description's weights and the facts about their file. `constants` receives the
// appended constants, in order; unless a constant owns its elements (HeldConstant::memory), the
// context owns them. Fails with WeightMissing, InputTooLarge, WeightNotInPlace or FileNotReadable.
Status describeWeights(mlir::func::FuncOp main, const CompileOptions &options, PhaseResult &phases,
                       ImageDescription &description, std::vector<HeldConstant> &constants);

} // namespace drumlin
