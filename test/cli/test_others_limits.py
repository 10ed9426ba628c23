"""Programs that other ahead-of-time compilers don't support, by their release notes. Each test compares the results of native code with
numpy's. The test of random bits runs the interpreter, not native code."""
import itertools
import subprocess

import numpy as np
import pytest


@pytest.fixture
def run(build_folder, tmp_path):
    def run(text, inputs, results=1, *options):
        (tmp_path / "program.mlir").write_text(text)
        np.savez(tmp_path / "inputs.npz", **{f"in{i}": np.asarray(each) for i, each in enumerate(inputs)})
        done = subprocess.run([build_folder / "bin" / "drumlin", "run", "program.mlir", "--input", "inputs.npz", "--output", "out.npz", *options],
                              cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        with np.load(tmp_path / "out.npz") as arrays:
            return [arrays[f"out{i}"] for i in range(results)]
    return run


@pytest.fixture
def random():
    return np.random.default_rng(11)


def test_powers_of_exponents_that_are_arguments(run, random):
    text = """func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>, %n: tensor<64xi32>, %k: tensor<64xi32>) -> (tensor<64xf32>, tensor<64xi32>) {
  %0 = stablehlo.power %x, %y : tensor<64xf32>
  %1 = stablehlo.power %n, %k : tensor<64xi32>
  return %0, %1 : tensor<64xf32>, tensor<64xi32>
}"""
    x, y = (random.uniform(0.1, 4, 64).astype(np.float32), random.uniform(-3, 3, 64).astype(np.float32))
    x[:8], y[:8] = -x[:8], np.arange(8) - 4  # the exponents of negative bases are integers
    n, k = random.integers(-5, 5, 64).astype(np.int32), random.integers(0, 9, 64).astype(np.int32)
    floats, integers = run(text, [x, y, n, k], 2)
    np.testing.assert_allclose(floats, np.power(x.astype(np.float64), y), rtol=1e-6)
    np.testing.assert_array_equal(integers, n**k)


def test_integers_keep_all_64_bits(run, random):
    text = """func.func @main(%a: tensor<100xi64>, %b: tensor<100xi64>, %at: tensor<i64>) -> (tensor<100xi64>, tensor<100xi64>, tensor<100xi1>, tensor<1xi64>) {
  %0 = stablehlo.add %a, %b : tensor<100xi64>
  %1 = stablehlo.multiply %a, %b : tensor<100xi64>
  %2 = stablehlo.compare LT, %a, %b : (tensor<100xi64>, tensor<100xi64>) -> tensor<100xi1>
  %3 = stablehlo.dynamic_slice %a, %at, sizes = [1] : (tensor<100xi64>, tensor<i64>) -> tensor<1xi64>
  return %0, %1, %2, %3 : tensor<100xi64>, tensor<100xi64>, tensor<100xi1>, tensor<1xi64>
}"""
    a, b = (random.integers(-2**62, 2**62, 100) for _ in range(2))
    # An index above 2^32 is clamped to the last element; its low 32 bits alone would be index 3.
    total, product, less, last = run(text, [a, b, np.int64(2**32 + 3)], 4)
    np.testing.assert_array_equal(total, a + b)
    np.testing.assert_array_equal(product, a * b)
    np.testing.assert_array_equal(less, a < b)
    assert last == a[99:]


def test_updates_of_slices_at_places_that_are_arguments(run, random):
    text = """func.func @main(%a: tensor<9x7xf32>, %u: tensor<3x2xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<9x7xf32> {
  %0 = stablehlo.dynamic_update_slice %a, %u, %i, %j : (tensor<9x7xf32>, tensor<3x2xf32>, tensor<i32>, tensor<i32>) -> tensor<9x7xf32>
  return %0 : tensor<9x7xf32>
}"""
    a, u = random.standard_normal((9, 7)).astype(np.float32), random.standard_normal((3, 2)).astype(np.float32)
    for i, j in itertools.product((-4, 0, 2, 6, 40), (-1, 3, 5, 9)):
        expected, row, column = a.copy(), min(max(i, 0), 6), min(max(j, 0), 5)
        expected[row:row + 3, column:column + 2] = u
        got, = run(text, [a, u, np.int32(i), np.int32(j)])
        np.testing.assert_array_equal(got, expected)


def test_gathers_of_windows_in_any_order(run, random):
    """Two indexed dimensions in reverse order, overlapping windows, a collapsed dimension between the indexed dimensions, and a batch dimension
    between the offset dimensions."""
    text = """func.func @main(%a: tensor<6x5x7xf32>, %at: tensor<2x4xi32>) -> tensor<2x4x3xf32> {
  %0 = "stablehlo.gather"(%a, %at) <{dimension_numbers = #stablehlo.gather<offset_dims = [0, 2], collapsed_slice_dims = [1],
    start_index_map = [2, 0], index_vector_dim = 0>, slice_sizes = array<i64: 2, 1, 3>}> : (tensor<6x5x7xf32>, tensor<2x4xi32>) -> tensor<2x4x3xf32>
  return %0 : tensor<2x4x3xf32>
}"""
    a, at = random.standard_normal((6, 5, 7)).astype(np.float32), random.integers(-2, 9, (2, 4)).astype(np.int32)
    expected = np.empty((2, 4, 3), np.float32)
    for place in range(4):
        last, first = np.clip(at[0, place], 0, 4), np.clip(at[1, place], 0, 4)
        expected[:, place, :] = a[first:first + 2, 0, last:last + 3]
    got, = run(text, [a, at])
    np.testing.assert_array_equal(got, expected)


def reduction(body, init="%init"):
    return f"""func.func @main(%a: tensor<6x50xf32>, %init: tensor<f32>) -> tensor<6xf32> {{
  %0 = stablehlo.reduce(%a init: {init}) across dimensions = [1] : (tensor<6x50xf32>, tensor<f32>) -> tensor<6xf32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {{
    {body}
    stablehlo.return %r : tensor<f32>
  }}
  return %0 : tensor<6xf32>
}}"""


BODIES = {
    "product of what is one more": ("%p = stablehlo.multiply %x, %y : tensor<f32>\n    %s = stablehlo.add %x, %y : tensor<f32>\n"
                                    "    %r = stablehlo.add %p, %s : tensor<f32>", lambda a, init: (1 + init) * np.prod(1 + a, 1) - 1),
    "logarithm of a sum": ("%m = stablehlo.maximum %x, %y : tensor<f32>\n    %d = stablehlo.subtract %x, %y : tensor<f32>\n"
                           "    %b = stablehlo.abs %d : tensor<f32>\n    %n = stablehlo.negate %b : tensor<f32>\n"
                           "    %e = stablehlo.exponential %n : tensor<f32>\n    %l = stablehlo.log_plus_one %e : tensor<f32>\n"
                           "    %r = stablehlo.add %m, %l : tensor<f32>", lambda a, init: np.log(np.exp(init) + np.exp(a).sum(1))),
    "what is further from zero": ("%i = stablehlo.abs %x : tensor<f32>\n    %j = stablehlo.abs %y : tensor<f32>\n"
                                  "    %c = stablehlo.compare GE, %i, %j : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                                  "    %r = stablehlo.select %c, %x, %y : tensor<i1>, tensor<f32>",
                                  lambda a, init: np.take_along_axis(a, np.abs(a).argmax(1)[:, None], 1)[:, 0]),
}


@pytest.mark.parametrize("name", BODIES)
def test_reductions_by_any_function_from_any_first_value(run, random, name):
    body, function = BODIES[name]
    a, init = random.uniform(-0.2, 0.3, (6, 50)).astype(np.float32), np.float32(0.125) if "zero" not in name else np.float32(0)
    got, = run(reduction(body), [a, init])
    np.testing.assert_allclose(got, function(a.astype(np.float64), np.float64(init)), rtol=2e-5)


@pytest.mark.parametrize("algorithm", ["THREE_FRY", "PHILOX", "DEFAULT"])
def test_seeds_count(run, algorithm):
    text = f"""func.func @main(%seed: tensor<2xui64>) -> (tensor<2xui64>, tensor<1000xui32>) {{
  %0, %1 = stablehlo.rng_bit_generator %seed, algorithm = {algorithm} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<1000xui32>)
  return %0, %1 : tensor<2xui64>, tensor<1000xui32>
}}"""
    draw = lambda seed: run(text, [np.array(seed, np.uint64)], 2, "--interpret")
    (after, first), (_, same), (_, other) = draw([1, 2]), draw([1, 2]), draw([2, 2])
    np.testing.assert_array_equal(first, same)
    assert (first != other).mean() > 0.99
    assert (draw(after)[1] != first).mean() > 0.99
