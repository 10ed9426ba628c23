// Describes what a kind of target adds to the compiler: passes of its own, and what is made of the
// plan. The rest of drumlin/ asks the backend; it casts no target to its kind (the lint rule
// `target-casts`).
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

  // Passes of the phases rewrite (before kernels are formed), layout (after layouts are assigned),
  // select and schedule (before buffers).
  virtual void addRewrites(PipelineBuilder &, Ledger &) const {}
  virtual void addLayouts(PipelineBuilder &, Ledger &) const {}
  virtual void addSelection(PipelineBuilder &, Ledger &) const {}
  virtual void addEfforts(PipelineBuilder &, Ledger &) const {}

  // That kernels of our own run on; null where nobody has written any.
  virtual const CpuTarget *cpu() const { return nullptr; }

  // The phase after which kernels are what they stay, so that what users require of them can be
  // checked.
  virtual std::string_view phaseOfKernels() const { return "layout"; }
  // Whether passes cut kernels, which then ask PipelineBuilder::keepsRequirements.
  virtual bool cutsKernels() const { return false; }

  // The phase with which a plan is complete where no image is made; empty: the last of all.
  virtual std::string_view lastPhase() const { return ""; }
  // Whether its plans are made otherwise than by the phases.
  virtual bool plansItself() const { return false; }

  // Notes what a plan that was read says of schedules otherwise than they would be chosen.
  virtual void recordEdits(mlir::ModuleOp, const CompileOptions &, Ledger &) const {}
  // Fails for operations of a plan that the machine doesn't have.
  virtual Status checkOperations(mlir::ModuleOp) const { return Done{}; }

  // Makes the image of a plan: fills in everything of the compilation but its phases. `program` is
  // its name. Fails with EngineWithoutCode where no code is made for the machine.
  virtual bool makesCode() const { return false; }
  virtual Status makeImage(mlir::ModuleOp plan, const std::string &program,
                           const CompileOptions &options, Compilation &made) const;

protected:
  explicit Backend(const Target &target) : machine(target) {}
  const Target &machine;
};

// EngineWithoutCode, which says what is made for the target instead.
Diagnostic withoutCode(const Target &target);

} // namespace drumlin
