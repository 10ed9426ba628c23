// drumlin-opt: reads MLIR text of Drumlin's dialects, runs passes, and prints the result. For tests
// of dialects and passes.
#include "TestDialects.h"
#include "drumlin/import/Import.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/transforms/buffers/Passes.h"
#include "drumlin/transforms/entry/Passes.h"
#include "drumlin/transforms/fusion/Passes.h"
#include "drumlin/transforms/layout/Passes.h"
#include "drumlin/transforms/rewrite/Passes.h"
#include "drumlin/transforms/schedule/Passes.h"
#include "drumlin/transforms/select/Passes.h"
#include "drumlin/transforms/simplify/Passes.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  drumlin::registerDialects(registry);
  drumlin::registerTestDialects(registry);
  registry.insert<drumlin::plan::PlanDialect>();
  drumlin::registerDrumlin_entry_Passes();
  drumlin::registerDrumlin_simplify_Passes();
  drumlin::registerDrumlin_rewrite_Passes();
  drumlin::registerDrumlin_fusion_Passes();
  drumlin::registerDrumlin_layout_Passes();
  drumlin::registerDrumlin_select_Passes();
  drumlin::registerDrumlin_schedule_Passes();
  drumlin::registerDrumlin_buffers_Passes();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Drumlin's pass driver\n", registry));
}
