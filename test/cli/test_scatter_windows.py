"""Scatter windows that are partly outside of the operand: StableHLO skips the outside elements, HLO the whole window."""
import re

import numpy as np
import pytest

INDICES = np.array([[[6, 1]], [[9, 0]], [[-1, 2]], [[3, 3]], [[8, 2]]], np.int32)
HLO = """HloModule m
add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT sum = f32[] add(a, b)
}
ENTRY main {
  x = f32[10,4]{1,0} parameter(0)
  i = s32[5,1,2]{2,1,0} parameter(1)
  u = f32[5,1,2,2]{3,2,1,0} parameter(2)
  ROOT r = f32[10,4]{1,0} scatter(x, i, u), update_window_dims={2,3}, inserted_window_dims={}, scatter_dims_to_operand_dims={0,1}, index_vector_dim=2, to_apply=add
}
"""
STABLEHLO = """func.func @main(%x: tensor<10x4xf32>, %i: tensor<5x1x2xi32>, %u: tensor<5x1x2x2xf32>) -> tensor<10x4xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2, 3],
      scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<10x4xf32>, tensor<5x1x2xi32>, tensor<5x1x2x2xf32>) -> tensor<10x4xf32>
  return %r : tensor<10x4xf32>
}
"""


def expected_result(updates, whole):
    expected = np.zeros((10, 4), np.float32)
    for [[row, column]], window in zip(INDICES, updates):
        places = [(row + i, column + j, window[0, i, j]) for i in range(2) for j in range(2)]
        inside = [0 <= r < 10 and 0 <= c < 4 for r, c, _ in places]
        for (r, c, value), is_inside in zip(places, inside):
            if is_inside and (all(inside) or not whole):
                expected[r, c] += value
    return expected


@pytest.fixture
def check(call, tmp_path):
    def check(name, whole, way):
        updates = np.arange(1, 21, dtype=np.float32).reshape(5, 1, 2, 2)
        expected = expected_result(updates, whole)
        np.savez(tmp_path / "inputs.npz", in0=np.zeros_like(expected), in1=INDICES, in2=updates)
        done = call("run", name, "--input", "inputs.npz", "--output", "out.npz", *way)
        assert done.returncode == 0, done.stderr
        with np.load(tmp_path / "out.npz") as arrays:
            assert np.array_equal(arrays["out0"], expected)

    return check


@pytest.mark.parametrize("way", [[], ["--interpret"]], ids=["compiled", "interpreted"])
@pytest.mark.parametrize("name, text, whole", [("m.hlo", HLO, True), ("m.mlir", STABLEHLO, False)])
def test_windows_partly_outside(check, tmp_path, name, text, whole, way):
    (tmp_path / name).write_text(text)
    check(name, whole, way)


@pytest.mark.parametrize("name, text, whole, pads", [("m.hlo", HLO, True, 0), ("m.mlir", STABLEHLO, False, 1)])
def test_written_as_the_other(call, check, tmp_path, name, text, whole, pads):
    """Converted programs keep their meaning. Programs that were read from HLO aren't padded, however often they are converted."""
    (tmp_path / name).write_text(text)
    for source, target in ((name, "a.hlo"), ("a.hlo", "b.mlir"), ("b.mlir", "c.hlo")):
        done = call("convert", source, "--emit", "hlo" if target.endswith("hlo") else "text", "-o", target)
        assert done.returncode == 0, done.stderr
        check(target, whole, ["--interpret"])
        assert len(re.findall(r"\bpad\(|stablehlo\.pad\b", (tmp_path / target).read_text())) == pads, target
