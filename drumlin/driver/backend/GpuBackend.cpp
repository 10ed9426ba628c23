#include "drumlin/driver/Pipelines.h"
#include "drumlin/driver/backend/Backends.h"
#include "drumlin/transforms/select/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace drumlin {

void GpuBackend::addSelection(PipelineBuilder &pipeline, Ledger &ledger) const {
  pipeline.add<mlir::func::FuncOp>(
      createSelectLibraryCallsPass(ledger, target, pipeline.keepsRequirements));
}

} // namespace drumlin
