cp "$ROOT/test/models/dot_canonical_f32/program.mlir" model.mlir
cp "$ROOT"/test/models/dot_canonical_f32/{inputs,expected}.npz .
