"""Sorts of dynamic shapes, and along dynamic sizes."""
import jax
import jax.numpy as jnp
import numpy
import pytest
from jax import lax
from symbolic import check, drumlin, exported

SIZES = (1, 2, 17, 130, 1000)


def by_two_keys(x, k):
    return lax.sort((k, x, x * 2), num_keys=2)


def of_type(type):
    return lambda x: jnp.sort((x * 100).astype(type), -1).astype(jnp.float32)


PROGRAMS = {
    "rows": (lambda x: jnp.sort(x, -1), ("3, b",)),
    "columns": (lambda x: (jnp.sort(x, 0), jnp.sort(-x, 0, descending=True)), ("b, s",)),
    "batches": (lambda x: jnp.sort(x, -1), ("b, 30",)),
    "both": (lambda x: jnp.sort(x, 1), ("s, b, 3",)),
    "vector": (lambda x: (jnp.sort(x), jnp.argsort(x), jnp.argsort(x * 2, descending=True)), ("b",)),
    "of_what_is_computed": (lambda x, y: jnp.argsort(x * y + 1, -1), ("b, s", "b, s")),
    "halves": (of_type(jnp.bfloat16), ("b, s",)),
    "bytes": (of_type(jnp.int8), ("s, b",)),
    "truths": (of_type(jnp.bool_), ("3, b",)),
    "by_two_keys": (by_two_keys, ("s, b", "int s, b")),
    "largest_of_each": (lambda x: lax.top_k(x, 2), ("b, 30",)),
    "largest_of_long_rows": (lambda x: lax.top_k(x, 3), ("b, 3000",), (1, 2, 17)),
    "largest_along": (lambda x: lax.top_k(x, 4), ("3, b",), (4, 17, 130, 1000)),
    "largest_of_many": (lambda x: lax.top_k(x, 5), ("b",), (5, 100, 5000)),
    "median": (lambda x: (jnp.median(x, -1), jnp.quantile(x, 0.3, axis=0)), ("b, s",)),
    "unique": (lambda k: jnp.unique(k, size=5, fill_value=-1), ("int b",)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_sorts(build_folder, tmp_path, name):
    function, shapes, *sizes = PROGRAMS[name]
    check(build_folder, tmp_path, function, shapes, *(sizes or [SIZES]))


SORT = """
func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}"""


# jax.export wraps `top_k` in a composite. It is compiled as one operation, not as the composite's decomposition. Rows with fewer than k elements
# are refused.
def test_composites_are_operations(build_folder, tmp_path):
    program, image = tmp_path / "program.mlir", tmp_path / "program.so"
    program.write_text(exported(lambda x: lax.top_k(x, 4), ("s, b",), 4))
    done = drumlin(build_folder, "compile", program, "-o", image)
    assert done.returncode == 0, done.stderr
    plan = drumlin(build_folder, "plan", image).stdout
    assert "chlo.top_k" in plan and "stablehlo.sort" not in plan
    program.write_text("""
func.func @main(%x: tensor<3x?xf32>) -> (tensor<3x4xf32>, tensor<3x4xi32>) {
  %0:2 = chlo.top_k(%x, k = 4) : tensor<3x?xf32> -> (tensor<3x4xf32>, tensor<3x4xi32>)
  return %0#0, %0#1 : tensor<3x4xf32>, tensor<3x4xi32>
}""")
    assert drumlin(build_folder, "compile", program, "-o", image).returncode == 0
    numpy.savez(tmp_path / "in.npz", in0=numpy.ones((3, 3), numpy.float32))
    done = drumlin(build_folder, "run", image, "--input", tmp_path / "in.npz")
    assert done.returncode != 0 and "4 at least" in done.stderr, done.stderr


def test_sorts_nothing(build_folder, tmp_path):
    (tmp_path / "program.mlir").write_text(SORT)
    assert drumlin(build_folder, "compile", tmp_path / "program.mlir", "-o", tmp_path / "program.so").returncode == 0
    for shape in (0, 3), (3, 0), (0, 0), (1, 1), (40, 5):
        x = numpy.random.default_rng(1).standard_normal(shape, dtype=numpy.float32)
        numpy.save(tmp_path / "in.npy", x)
        done = drumlin(build_folder, "run", tmp_path / "program.so", "--input", tmp_path / "in.npy", "--output", tmp_path / "out.npz")
        assert done.returncode == 0, done.stderr
        numpy.testing.assert_array_equal(numpy.load(tmp_path / "out.npz")["out0"], numpy.sort(x, 0))
