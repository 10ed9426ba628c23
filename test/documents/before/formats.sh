cp "$ROOT/tools/test/Inputs/step.mlir" model.mlir
