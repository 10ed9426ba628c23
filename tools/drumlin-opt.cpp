// drumlin-opt: reads MLIR text of Drumlin's dialects, runs passes, prints. For tests of dialects
// and passes.
#include "drumlin/import/Import.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  drumlin::registerDialects(registry);
  // Dialects and passes of the compiler's later steps are registered here.
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "Drumlin's pass driver\n", registry));
}
