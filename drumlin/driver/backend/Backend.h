// The parts of the compiler that depend on the kind of target: passes for this kind only, and the
// way in which an image is made from a plan. Code outside backends calls the backend and never
// casts a target to its kind (the lint rule `target-casts`).
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/Target.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <string_view>

namespace drumlin {

class CpuTarget;
struct Compilation;
class PipelineBuilder;

class Backend {
public:
  virtual ~Backend() = default;
  Backend(const Backend &) = delete;
  Backend &operator=(const Backend &) = delete;

  // Each function adds passes to one phase:
  // addRewrites() to `rewrite`, before kernels are formed;
  // addSplits() to `rewrite`, after products have absorbed their neighbours;
  // addLayouts() to `layout`, after layouts are assigned;
  // addSelection() to `select`;
  // addEfforts() to `schedule`, before the phase `buffers`;
  // addGroups() to `buffers`, after values have memory.
  virtual void addRewrites(PipelineBuilder &, Ledger &) const {}
  virtual void addSplits(PipelineBuilder &, Ledger &) const {}
  virtual void addLayouts(PipelineBuilder &, Ledger &) const {}
  virtual void addSelection(PipelineBuilder &, Ledger &) const {}
  virtual void addEfforts(PipelineBuilder &, Ledger &) const {}
  virtual void addGroups(PipelineBuilder &, Ledger &) const {}

  // Returns the CPU that Drumlin's own kernels run on; null if the target has none.
  virtual const CpuTarget *cpu() const { return nullptr; }

  // Returns the phase after which kernels are final, so that user requirements can be checked.
  virtual std::string_view phaseOfKernels() const { return "layout"; }
  // Returns whether the backend's passes split kernels. Such passes call
  // PipelineBuilder::keepsRequirements.
  virtual bool cutsKernels() const { return false; }

  // Returns the last phase that runs if no image is made from the plan; empty: all phases run.
  virtual std::string_view lastPhase() const { return ""; }
  // Returns whether the backend makes plans itself, without the phases.
  virtual bool plansItself() const { return false; }

  // Records, for a plan that was read from a file, each schedule that differs from this backend's
  // own choice.
  virtual void recordEdits(mlir::ModuleOp, const CompileOptions &, Ledger &) const {}
  // Fails if a plan has operations that the machine lacks.
  virtual Status checkOperations(mlir::ModuleOp) const { return Done{}; }

  // makesCode() returns whether the backend can make images. makeImage() makes an image from a plan
  // and fills in `made`, except its phases. `program` is the program's name. makeImage() fails with
  // EngineWithoutCode if no code can be generated for the machine.
  virtual bool makesCode() const { return false; }
  virtual Status makeImage(mlir::ModuleOp plan, const std::string &program,
                           const CompileOptions &options, Compilation &made) const;

protected:
  explicit Backend(const Target &target) : machine(target) {}
  const Target &machine;
};

// Returns the diagnostic EngineWithoutCode, which says what the compiler offers for the target
// instead of code.
Diagnostic withoutCode(const Target &target);

} // namespace drumlin
