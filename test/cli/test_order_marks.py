"""Asynchronous operations that are ordered by JAX's control dependences, which carry no data."""
import numpy as np
import pytest

PROGRAM = """module @m attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
    %0 = "stablehlo.async_start"(%x) ({
    ^bb0(%a: tensor<2x2xf32>):
      %g = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<0> : tensor<1x1xi64>}> : (tensor<2x2xf32>) -> tensor<2x2xf32>
      stablehlo.return %g : tensor<2x2xf32>
    }) : (tensor<2x2xf32>) -> !stablehlo.future<tensor<2x2xf32>>
    %1 = stablehlo.sine %x : tensor<2x2xf32>
    stablehlo.custom_call @control_dep(%0, %1) {has_side_effect = true} : (!stablehlo.future<tensor<2x2xf32>>, tensor<2x2xf32>) -> ()
    %2 = "stablehlo.async_done"(%0) : (!stablehlo.future<tensor<2x2xf32>>) -> tensor<2x2xf32>
    stablehlo.custom_call @control_dep(%2, %1) {has_side_effect = true} : (tensor<2x2xf32>, tensor<2x2xf32>) -> ()
    %3 = stablehlo.add %1, %2 : tensor<2x2xf32>
    return %3 : tensor<2x2xf32>
  }
}
"""


@pytest.mark.parametrize("way", [[], ["--interpret"]], ids=["compiled", "interpreted"])
def test_order_marks(call, tmp_path, way):
    (tmp_path / "m.mlir").write_text(PROGRAM)
    x = np.arange(4, dtype=np.float32).reshape(2, 2)
    np.savez(tmp_path / "inputs.npz", in0=x)
    done = call("run", "m.mlir", "--input", "inputs.npz", "--output", "out.npz", *way)
    assert done.returncode == 0, done.stderr
    with np.load(tmp_path / "out.npz") as arrays:
        assert np.allclose(arrays["out0"], np.sin(x) + x, rtol=1e-6)
