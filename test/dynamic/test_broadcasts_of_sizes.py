"""CHLO's broadcasting operations and ragged dots of dynamic sizes: compiled programs agree with the interpreter."""
import numpy
import pytest
from symbolic import drumlin


def run(build_folder, folder, words, given):
    numpy.savez(folder / "in.npz", **{f"in{i}": array for i, array in enumerate(given)})
    done = drumlin(build_folder, "run", *words, "--input", folder / "in.npz", "--output", folder / "out.npz")
    return done, numpy.load(folder / "out.npz")["out0"] if done.returncode == 0 else None


def compile(build_folder, folder, text):
    program, image = folder / "program.mlir", folder / "program.so"
    program.write_text(text)
    done = drumlin(build_folder, "compile", program, "-o", image)
    assert done.returncode == 0, done.stderr
    return program, image


def both(build_folder, folder, program, image, given, relative=0.0):
    done, expected = run(build_folder, folder, [program, "--interpret"], given)
    assert done.returncode == 0, done.stderr
    done, made = run(build_folder, folder, [image], given)
    assert done.returncode == 0, done.stderr
    assert made.shape == expected.shape and made.dtype == expected.dtype
    numpy.testing.assert_allclose(made, expected, rtol=relative, atol=relative)
    return made


def noise(*shape, seed=0):
    return numpy.random.default_rng(seed + sum(shape)).standard_normal(shape, numpy.float32)


MIXED = """
func.func @main(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = chlo.broadcast_add %a, %b : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = chlo.broadcast_multiply %0, %c : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}
"""


@pytest.mark.parametrize("a, b, c", (((3, 4), (3, 4), 4), ((3, 4), (1, 4), 1), ((1, 4), (3, 1), 4), ((1, 1), (50, 33), 33), ((50, 33), (1, 1), 1),
                                     ((1, 1), (1, 1), 7), ((0, 4), (1, 4), 4), ((0, 1), (0, 5), 1), ((1, 1), (1, 1), 1), ((7, 0), (1, 1), 1)))
def test_either_side_broadcasts(build_folder, tmp_path, a, b, c):
    program, image = compile(build_folder, tmp_path, MIXED)
    given = [noise(*a), noise(*b, seed=1), noise(c, seed=2)]
    made = both(build_folder, tmp_path, program, image, given)
    numpy.testing.assert_array_equal(made, (given[0] + given[1]) * given[2])


# The sizes of a call are checked: sizes that differ and aren't 1 are refused.
@pytest.mark.parametrize("a, b, c", (((3, 4), (2, 4), 4), ((3, 4), (3, 4), 5), ((0, 4), (5, 4), 4), ((3, 0), (3, 2), 1)))
def test_refuses_other_sizes(build_folder, tmp_path, a, b, c):
    program, image = compile(build_folder, tmp_path, MIXED)
    given = [noise(*a), noise(*b), noise(c)]
    done, _ = run(build_folder, tmp_path, [image], given)
    assert done.returncode != 0 and "D6007" in done.stderr, done.stderr
    done, _ = run(build_folder, tmp_path, [program, "--interpret"], given)
    assert done.returncode != 0 and "D7007" in done.stderr, done.stderr


FIXED = """
func.func @main(%p: tensor<?xi1>, %x: tensor<?x6xf32>, %y: tensor<6xf32>, %z: tensor<?x1x?xf32>) -> tensor<?x?x6xf32> {
  %0 = chlo.broadcast_select %p, %x, %y : (tensor<?xi1>, tensor<?x6xf32>, tensor<6xf32>) -> tensor<?x6xf32>
  %1 = chlo.broadcast_maximum %0, %z {broadcast_dimensions = array<i64: 1, 2>} : (tensor<?x6xf32>, tensor<?x1x?xf32>) -> tensor<?x?x6xf32>
  %2 = chlo.broadcast_compare %1, %y {comparison_direction = #chlo<comparison_direction LT>} : (tensor<?x?x6xf32>, tensor<6xf32>) -> tensor<?x?x6xi1>
  %3 = stablehlo.convert %2 : (tensor<?x?x6xi1>) -> tensor<?x?x6xf32>
  %4 = chlo.broadcast_subtract %1, %3 : (tensor<?x?x6xf32>, tensor<?x?x6xf32>) -> tensor<?x?x6xf32>
  return %4 : tensor<?x?x6xf32>
}
"""


@pytest.mark.parametrize("p", (1, 6))
@pytest.mark.parametrize("rows", (1, 5))
@pytest.mark.parametrize("last", (1, 6))
def test_known_sizes_beside(build_folder, tmp_path, p, rows, last):
    program, image = compile(build_folder, tmp_path, FIXED)
    pred, x, y, z = noise(p) > 0, noise(rows, 6), noise(6, seed=1), noise(4, 1, last)
    made = both(build_folder, tmp_path, program, image, [pred, x, y, z])
    most = numpy.maximum(numpy.where(pred, x, y)[None], z)
    numpy.testing.assert_array_equal(made, most - (most < y))


def ragged(lhs, rhs, sizes, result, **numbers):
    fields = ", ".join(f"{name} = {value}" for name, value in numbers.items())
    return f"""
func.func @main(%a: {lhs}, %b: {rhs}, %g: {sizes}) -> {result} {{
  %0 = "chlo.ragged_dot"(%a, %b, %g) <{{ragged_dot_dimension_numbers = #chlo.ragged_dot<{fields}>}}> : ({lhs}, {rhs}, {sizes}) -> {result}
  return %0 : {result}
}}
"""


ROWS = ragged("tensor<?x?xf32>", "tensor<?x?x?xf32>", "tensor<?xi32>", "tensor<?x?xf32>", lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[1],
              lhs_ragged_dimensions=[0], rhs_group_dimensions=[0])
CONTRACTED = ragged("tensor<?x?xf32>", "tensor<?x8xf32>", "tensor<?xi32>", "tensor<?x?x8xf32>", lhs_contracting_dimensions=[0],
                    rhs_contracting_dimensions=[0], lhs_ragged_dimensions=[0])
BATCHES = ragged("tensor<?x3x?xf32>", "tensor<?x?x4xf32>", "tensor<?xi32>", "tensor<?x3x4xf32>", lhs_batching_dimensions=[0], rhs_batching_dimensions=[0],
                 lhs_contracting_dimensions=[2], rhs_contracting_dimensions=[1], lhs_ragged_dimensions=[0])


@pytest.mark.parametrize("m, k, n, sizes", ((1, 3, 2, [1]), (40, 8, 5, [10, 0, 25]), (300, 16, 33, [100, 100, 100, 0]), (9, 4, 4, [2, 3]), (0, 4, 4, [0, 0]),
                                            (5, 4, 4, [-1, 9])))
def test_ragged_products(build_folder, tmp_path, m, k, n, sizes):
    groups = numpy.array(sizes, numpy.int32)
    program, image = compile(build_folder, tmp_path, ROWS)
    both(build_folder, tmp_path, program, image, [noise(m, k), noise(len(sizes), k, n, seed=1), groups], 1e-4)
    program, image = compile(build_folder, tmp_path, CONTRACTED)
    both(build_folder, tmp_path, program, image, [noise(m, k), noise(m, 8, seed=1), groups], 1e-3)
    program, image = compile(build_folder, tmp_path, BATCHES)
    both(build_folder, tmp_path, program, image, [noise(m, 3, k), noise(m, k, 4, seed=1), groups], 1e-4)
