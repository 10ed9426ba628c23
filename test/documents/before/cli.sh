ln -s "$ROOT/tools" tools
cat > decode.mlir <<'END'
func.func @main(%x: tensor<1x64xf32>, %w: tensor<64x64xf32> loc("w")) -> tensor<1x64xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}
END
python - <<'END'
import json
import numpy as np

header = json.dumps({"w": {"dtype": "F32", "shape": [64, 64], "data_offsets": [0, 64 * 64 * 4]}}).encode()
header += b" " * (-len(header) % 8)
with open("model.safetensors", "wb") as file:
    file.write(len(header).to_bytes(8, "little") + header + np.eye(64, dtype=np.float32).tobytes())
np.savez("inputs.npz", in0=np.ones((1, 64), np.float32))
END
