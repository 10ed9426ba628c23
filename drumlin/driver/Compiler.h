// The compiler: turns a verified module into an image.
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
  // Returns the elements of weight `number` (a bound weight or an appended constant) in the order
  // of its layout. A row-major bound weight shares the memory of its file. A constant shares the
  // program's memory, so the result must not outlive the program's context.
  Tensor storedWeight(size_t number) const;
  // Returns the elements of all weights that aren't in the image, in the form that the image's
  // loader needs. Constants owned by the context are copied.
  std::vector<Tensor> storedWeights() const;
  // Loads the image with the elements from storedWeights(), which replace the weights in `options`.
  // `name` stands for the image in diagnostics.
  Result<std::unique_ptr<Executable>> load(const std::string &name, LoadOptions options = {}) const;

  std::string image; // the bytes of the image's file, without the appended constants
  std::vector<HeldConstant> constants; // the appended constants, in the order of the weight table
  ImageDescription description;
  PhaseResult phases;
  std::vector<CompiledKernel> kernels; // facts about the kernels; `object` is empty
  PlanCost costs;                      // the costs of the placed program
  std::string planText;                // the plan as text, with its costs
};

// Fills in `costs` and `planText` of the compilation.
void price(mlir::ModuleOp plan, Compilation &made);

// Changes the module into its plan. `name` is the program's name in the image.
Result<Compilation> compile(mlir::ModuleOp module, const std::string &name,
                            const CompileOptions &options);

} // namespace drumlin
