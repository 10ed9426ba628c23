cat > model.mlir <<'END'
func.func @main(%x: tensor<1x512xbf16>, %w: tensor<512x512xbf16>) -> tensor<1x512xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<1x512xbf16>, tensor<512x512xbf16>) -> tensor<1x512xbf16>
  return %0 : tensor<1x512xbf16>
}
END
