// One backend for each kind of machine. Only this folder distinguishes the kinds; other code uses
// backendOf().
#pragma once

#include "drumlin/driver/backend/Backend.h"

#include "drumlin/target/CpuTarget.h"
#include "drumlin/target/LibraryCall.h"

namespace drumlin {

// Generates a kernel for each operation group of a plan, and native code for it.
class CpuBackend : public Backend {
public:
  explicit CpuBackend(const CpuTarget &target) : Backend(target), target(target) {}

  void addRewrites(PipelineBuilder &pipeline, Ledger &ledger) const override;
  void addSplits(PipelineBuilder &pipeline, Ledger &ledger) const override;
  void addLayouts(PipelineBuilder &pipeline, Ledger &ledger) const override;
  void addSelection(PipelineBuilder &pipeline, Ledger &ledger) const override;
  void addEfforts(PipelineBuilder &pipeline, Ledger &ledger) const override;
  void addGroups(PipelineBuilder &pipeline, Ledger &ledger) const override;
  const CpuTarget *cpu() const override { return &target; }
  void recordEdits(mlir::ModuleOp module, const CompileOptions &options,
                   Ledger &ledger) const override;
  Status checkOperations(mlir::ModuleOp module) const override;
  bool makesCode() const override { return true; }
  Status makeImage(mlir::ModuleOp plan, const std::string &program, const CompileOptions &options,
                   Compilation &made) const override;

private:
  const CpuTarget &target;
};

// Plans calls of a vendor's library, and kernels of Drumlin's own between the calls.
class GpuBackend : public Backend {
public:
  explicit GpuBackend(const GpuTarget &target) : Backend(target), target(target) {}

  void addSelection(PipelineBuilder &pipeline, Ledger &ledger) const override;
  std::string_view phaseOfKernels() const override { return "select"; }
  bool cutsKernels() const override { return true; }
  std::string_view lastPhase() const override { return phaseOfKernels(); }

private:
  const GpuTarget &target;
};

// Makes plans for tensor engines (drumlin/transforms/engines). Of the phases' passes, only the
// machine-independent ones run.
class EngineBackend : public Backend {
public:
  explicit EngineBackend(const Target &target) : Backend(target) {}

  bool plansItself() const override { return true; }
};

} // namespace drumlin
