// The compiler: a verified module in, an image out.
#pragma once

#include "drumlin/driver/KernelCompiler.h"
#include "drumlin/driver/Options.h"
#include "drumlin/driver/Phases.h"
#include "drumlin/ir/costs/CostText.h"
#include "drumlin/ir/stablehlo/HeldElements.h"
#include "drumlin/runtime/executable/Executable.h"
#include "drumlin/runtime/executable/ImageDescription.h"
#include "mlir/IR/BuiltinOps.h"

namespace drumlin {

struct Compilation {
  // The elements of the weight of this number, bound or an appended constant, as the image has
  // them: in the order of their layout. Shared with the file that they come from where that is
  // row-major; those of a constant with the program, whose context they must not outlive.
  Tensor storedWeight(size_t number) const;
  // The same of all that aren't in the image, which is what its loader is given with it; constants
  // that the context owns are copied.
  std::vector<Tensor> storedWeights() const;
  // Loads the image with these weights, in place of the options'. `name` stands for it in
  // diagnostics.
  Result<std::unique_ptr<Executable>> load(const std::string &name, LoadOptions options = {}) const;

  std::string image;                   // the bytes of the file without the appended constants
  std::vector<HeldConstant> constants; // that are appended, in the table's order
  ImageDescription description;
  PhaseResult phases;
  std::vector<CompiledKernel> kernels; // without their objects
  PlanCost costs;                      // of the placed program, which the module is
  std::string planText;                // with its costs
};

// Fills in the costs and the text of a plan.
void price(mlir::ModuleOp plan, Compilation &made);

// Changes the module into its plan. `name` is the program's name in the image.
Result<Compilation> compile(mlir::ModuleOp module, const std::string &name,
                            const CompileOptions &options);

} // namespace drumlin
