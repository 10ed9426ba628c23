"""Slices of a dynamic number of first rows of a value with static sizes. What the compiler knows about the value's indices (their bounds and
divisors) isn't true of the slice's."""
import numpy
import pytest
from symbolic import drumlin

SIZES = (3, 99, 200)  # the nominal size is 97

HEAD = """func.func @main(%x: tensor<3x8xf32>, %y: tensor<197x8xf32>, %z: tensor<?x8xf32>, %w: tensor<8x8xf32>) -> RESULT {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %i = stablehlo.constant dense<2> : tensor<i32>
  %o = stablehlo.constant dense<0> : tensor<i32>
  %n = stablehlo.get_dimension_size %z, dim = 0 : (tensor<?x8xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c8 = stablehlo.constant dense<8> : tensor<1xi32>
  %from = stablehlo.constant dense<0> : tensor<2xi32>
  %to = stablehlo.concatenate %n1, %c8, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %e = stablehlo.exponential %y : tensor<197x8xf32>
  %k = stablehlo.concatenate %x, %e, dim = 0 : (tensor<3x8xf32>, tensor<197x8xf32>) -> tensor<200x8xf32>
"""
TAKE = """  %s = stablehlo.real_dynamic_slice %m, %from, %to, %ones : (tensor<200x8xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x8xf32>
"""

# Operations that compute %m, the value of 200 rows that is sliced.
MOVES = {
    "concatenated": "%m = stablehlo.concatenate %e, %x, dim = 0 : (tensor<197x8xf32>, tensor<3x8xf32>) -> tensor<200x8xf32>",
    "padded": "%m = stablehlo.pad %e, %zero, low = [2, 0], high = [1, 0], interior = [0, 0] : (tensor<197x8xf32>, tensor<f32>) -> tensor<200x8xf32>",
    "padded between": """%q = stablehlo.slice %e [0:100, 0:8] : (tensor<197x8xf32>) -> tensor<100x8xf32>
  %m = stablehlo.pad %q, %zero, low = [0, 0], high = [1, 0], interior = [1, 0] : (tensor<100x8xf32>, tensor<f32>) -> tensor<200x8xf32>""",
    "updated": "%m = stablehlo.dynamic_update_slice %k, %e, %i, %o : (tensor<200x8xf32>, tensor<197x8xf32>, tensor<i32>, tensor<i32>) -> tensor<200x8xf32>",
    "reversed": "%m = stablehlo.reverse %k, dims = [0] : tensor<200x8xf32>",
    "reshaped": """%q = stablehlo.reshape %k : (tensor<200x8xf32>) -> tensor<20x10x8xf32>
  %t = stablehlo.transpose %q, dims = [1, 0, 2] : (tensor<20x10x8xf32>) -> tensor<10x20x8xf32>
  %m = stablehlo.reshape %t : (tensor<10x20x8xf32>) -> tensor<200x8xf32>""",
    "sliced": """%q = stablehlo.concatenate %e, %k, dim = 0 : (tensor<197x8xf32>, tensor<200x8xf32>) -> tensor<397x8xf32>
  %m = stablehlo.dynamic_slice %q, %i, %o, sizes = [200, 8] : (tensor<397x8xf32>, tensor<i32>, tensor<i32>) -> tensor<200x8xf32>""",
}
# Operations that use the slice %s: program text that computes %r, and the type of %r.
USES = {
    "added": ("%r = stablehlo.add %s, %z : tensor<?x8xf32>", "tensor<?x8xf32>"),
    "multiplied": ("%r = stablehlo.dot_general %s, %w, contracting_dims = [1] x [0] : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>", "tensor<?x8xf32>"),
    "contracted": ("%r = stablehlo.dot_general %s, %z, contracting_dims = [0] x [0] : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<8x8xf32>", "tensor<8x8xf32>"),
    "epilogue": ("""%d = stablehlo.dot_general %z, %w, contracting_dims = [1] x [0] : (tensor<?x8xf32>, tensor<8x8xf32>) -> tensor<?x8xf32>
  %r = stablehlo.add %d, %s : tensor<?x8xf32>""", "tensor<?x8xf32>"),
    "reduced": ("%r = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<?x8xf32>, tensor<f32>) -> tensor<8xf32>", "tensor<8xf32>"),
    "transposed": ("%r = stablehlo.transpose %s, dims = [1, 0] : (tensor<?x8xf32>) -> tensor<8x?xf32>", "tensor<8x?xf32>"),
    "joined": ("%r = stablehlo.concatenate %s, %z, dim = 1 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>", "tensor<?x16xf32>"),
}


@pytest.mark.parametrize("move", MOVES)
def test_first_rows(build_folder, tmp_path, move):
    generator = numpy.random.default_rng(7)
    known = [generator.standard_normal(shape, dtype=numpy.float32) for shape in ((3, 8), (197, 8), (8, 8))]
    for size in SIZES:
        rows = generator.standard_normal((size, 8), dtype=numpy.float32)
        numpy.savez(tmp_path / f"{size}.npz", in0=known[0], in1=known[1], in2=rows, in3=known[2])
    for use, (line, result) in USES.items():
        program = tmp_path / "program.mlir"
        program.write_text(f"{HEAD.replace('RESULT', result)}  {MOVES[move]}\n{TAKE}  {line}\n  return %r : {result}\n}}\n")
        for size in SIZES:
            checked = drumlin(build_folder, "check", program, "--input", tmp_path / f"{size}.npz")
            assert checked.returncode == 0, (use, size, checked.stdout + checked.stderr)
