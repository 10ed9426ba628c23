"""--check-ranges counts the values that are outside of the range of --auto-cast's type, and the values that --auto-cast rounds to zero. The
counts are compared with known counts and with NumPy's."""
import json

import ml_dtypes
import numpy as np
import pytest

PRODUCT = """
func.func @main(%x: tensor<ROWSxCOLSxf32>, %w: tensor<COLSx4xf32>) -> tensor<ROWSx4xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<ROWSxCOLSxf32>, tensor<COLSx4xf32>) -> tensor<ROWSx4xf32> loc("model.py":12:3)
  return %0 : tensor<ROWSx4xf32>
}
"""
# x grows tenfold with each iteration, so the multiplied values are 1, 10 and 100 times the argument.
LOOP = """
func.func @main(%x: tensor<2x2xf32>, %w: tensor<2x2xf32>, %go: tensor<i1>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %ten = stablehlo.constant dense<10.0> : tensor<2x2xf32>
  %0:3 = stablehlo.while(%i = %zero, %a = %x, %s = %x) : tensor<i32>, tensor<2x2xf32>, tensor<2x2xf32>
    cond { %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %c : tensor<i1> }
    do { %p = func.call @layer(%a, %w) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
         %b = stablehlo.multiply %a, %ten : tensor<2x2xf32>
         %j = stablehlo.add %i, %one : tensor<i32>
         stablehlo.return %j, %b, %p : tensor<i32>, tensor<2x2xf32>, tensor<2x2xf32> }
  %1 = "stablehlo.if"(%go) ({
    %p = func.call @layer(%w, %w) : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
    stablehlo.return %p : tensor<2x2xf32>
  }, {
    stablehlo.return %w : tensor<2x2xf32>
  }) : (tensor<i1>) -> tensor<2x2xf32>
  return %0#2, %1 : tensor<2x2xf32>, tensor<2x2xf32>
}
func.func private @layer(%x: tensor<2x2xf32>, %w: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
"""
NARROW = {"bf16": ml_dtypes.bfloat16, "fp16": np.float16, "fp8_e4m3": ml_dtypes.float8_e4m3fn}


@pytest.fixture
def ranges(call, tmp_path):
    """Fixture ranges(program, arrays, type, mode): returns the `ranges` of `drumlin check --json`."""
    def run(program, arrays, type="fp8_e4m3", mode="matmult"):
        (tmp_path / "program.mlir").write_text(program)
        np.savez(tmp_path / "inputs.npz", **{f"in{i}": array for i, array in enumerate(arrays)})
        done = call("check", "program.mlir", "--input", "inputs.npz", "--auto-cast", mode, "--auto-cast-type", type, "--check-ranges", "--json")
        assert done.stdout.startswith("{"), done.stderr
        return json.loads(done.stdout)["ranges"]
    return run


def product(rows, columns):
    return PRODUCT.replace("ROWS", str(rows)).replace("COLS", str(columns))


def counts(row):
    return row["elements"], row["outside"], row["became_infinity"], row["became_zero"]


def test_numbers_at_the_edges_of_fp8(ranges):
    # 2^-10 is half of fp8's smallest positive number, so it is a tie, which rounds to the even neighbour, zero.
    x = np.array([[447, 448, 449, -449, 1e-9, 0, -0.0, 1, np.inf, -np.inf, np.nan, 2**-9, 2**-10, 1.5 * 2**-10, 464, 1e30]], np.float32)
    lhs, rhs = ranges(product(1, 16), [x, np.ones((16, 4), np.float32)])["operands"]
    assert lhs["operation"] == "stablehlo.dot_general" and "model.py:12:3" in lhs["source"]
    assert (lhs["operand"], *counts(lhs)) == ("lhs", 16, 6, 0, 2) and lhs["largest"] == "inf"
    assert (rhs["operand"], *counts(rhs)) == ("rhs", 64, 0, 0, 0) and rhs["largest"] == 1


def test_numbers_at_the_edges_of_fp16(ranges):
    # Numbers from 65520 on round to the next power of two, which overflows to infinity.
    x = np.array([[65504, 65505, 65520, -1e9, np.inf, np.nan, 2**-24, 2**-25, 1e-9, 0]], np.float32)
    lhs = ranges(product(1, 10), [x, np.ones((10, 4), np.float32)], "fp16")["operands"][0]
    assert counts(lhs) == (10, 4, 2, 2)


@pytest.mark.parametrize("type,largest", [("bf16", float(ml_dtypes.finfo(ml_dtypes.bfloat16).max)), ("tf32", (2 - 2.0**-10) * 2.0**127)])
def test_types_of_the_same_exponent_have_nearly_the_same_range(ranges, type, largest):
    x = np.array([[np.finfo(np.float32).max, largest, 1e30, 1e-30]], np.float32)
    report = ranges(product(1, 4), [x, np.full((4, 4), 1e-30, np.float32)], type)
    assert report["limit"] == largest and counts(report["operands"][0]) == (4, 1, 1, 0)


def test_loops_branches_and_functions(ranges):
    x, w = np.array([[100, 2], [1e-4, 5]], np.float32), np.array([[1, 2], [3, 1000]], np.float32)
    rows = ranges(LOOP, [x, w, np.array(True)])["operands"]
    assert [(row["operand"], row["evaluations"]) for row in rows] == [("lhs", 3), ("rhs", 3), ("lhs", 1), ("rhs", 1)]
    # Three values are outside of fp8's range: 1000 and 10000, which 100 grows to, and 500, which 5 grows to. Of 1e-4, 1e-3 and 1e-2, only 1e-4
    # is rounded to zero.
    assert counts(rows[0]) == (12, 3, 0, 1) and rows[0]["largest"] == 10000
    assert counts(rows[1]) == (12, 3, 0, 0) and counts(rows[2]) == (4, 1, 0, 0)
    skipped = ranges(LOOP, [x, w, np.array(False)])["operands"]
    assert [row["evaluations"] for row in skipped] == [3, 3, 0, 0]


@pytest.mark.parametrize("type", NARROW)
def test_random_numbers_beside_numpy(ranges, type):
    random = np.random.default_rng(3)
    arrays = [(random.standard_normal(shape) * np.exp2(random.uniform(-30, 18, shape))).astype(np.float32) for shape in ((64, 32), (32, 4))]
    report = ranges(product(64, 32), arrays, type)
    largest = float(ml_dtypes.finfo(NARROW[type]).max)
    for row, x in zip(report["operands"], arrays):
        with np.errstate(over="ignore"):
            rounded = (np.clip(x, -largest, largest) if type == "fp8_e4m3" else x).astype(NARROW[type]).astype(np.float32)
        zeros = np.sum((rounded == 0) & (x != 0))
        assert counts(row) == (x.size, np.sum(np.abs(x) > largest), np.sum(np.isinf(rounded)), zeros)
        assert row["largest"] == np.abs(x).max()
    assert report["outside"] == sum(row["outside"] for row in report["operands"])
    assert type == "bf16" or report["outside"] and report["became_zero"]


def test_results_that_are_computed_in_the_type(ranges):
    program = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.add %x, %x : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
    rows = ranges(program, [np.array([40000, 1, np.inf, 70000], np.float32)], "fp16", "all")["operands"]
    assert [row["operand"] for row in rows] == ["operand 0", "operand 1", "result"]
    assert counts(rows[0]) == (4, 2, 1, 0) and counts(rows[2]) == (4, 1, 1, 0)


def test_a_run_prints_them(call, tmp_path):
    (tmp_path / "program.mlir").write_text(product(1, 4))
    np.savez(tmp_path / "inputs.npz", in0=np.array([[449, 1, 1e-9, 2]], np.float32), in1=np.ones((4, 4), np.float32))
    run = ("run", "program.mlir", "--input", "inputs.npz", "--auto-cast", "matmult", "--auto-cast-type", "fp8_e4m3")
    done = call(*run, "--check-ranges")
    assert done.returncode == 0, done.stderr
    first, lhs, rhs, last = done.stdout.splitlines()
    assert first == "ranges: fp8_e4m3 holds up to 448"
    assert lhs.endswith("stablehlo.dot_general: lhs: 1 of 4 elements outside, 1 became zero, largest magnitude 449") and "model.py:12:3" in lhs
    assert rhs.endswith("rhs: 0 of 16 elements outside, 0 became zero, largest magnitude 1")
    assert last == "ranges: in all, 1 of 20 elements outside, 1 became zero"
    assert call(*run).stdout == ""


def test_weights_are_looked_at(call, tmp_path):
    (tmp_path / "program.mlir").write_text(product(1, 4))
    np.savez(tmp_path / "weights.npz", in1=np.full((4, 4), 500, np.float32))
    done = call("run", "program.mlir", "--input", "zeros", "--weights", "weights.npz", "--auto-cast", "matmult", "--auto-cast-type",
                "fp8_e4m3", "--check-ranges")
    assert "rhs: 16 of 16 elements outside" in done.stdout, done.stderr


def test_without_roundings_it_is_wrong_usage(call, add):
    inputs = ("--input", "zeros", "--input", "zeros")
    done = call("run", add, *inputs, "--check-ranges")
    assert done.returncode == 2 and "`--check-ranges` has no effect without `--auto-cast`" in done.stderr
    nothing = call("run", add, *inputs, "--auto-cast", "matmult", "--check-ranges")
    assert nothing.returncode == 0 and "in all, 0 of 0 elements outside" in nothing.stdout
