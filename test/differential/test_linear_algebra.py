"""Programs of linear algebra, which call LAPACK natively and in the interpreter: compared with JAX's own results."""
import os
import re
import subprocess

import linear_algebra
import numpy as np
import pytest

jax = linear_algebra.jax

# The largest allowed distance from JAX's results, in units of their largest magnitude times the type's rounding error. Both algorithms are
# backward stable, and matrices that are inverted have condition numbers of up to several hundred.
UNITS = 1000


def flat(results):
    return [(f"{name}[{i}]", np.asarray(array)) for name in sorted(results) for i, array in enumerate(results[name])]


def of_jax(function, values):
    """Returns JAX's results once two runs agree: for complex<f64>, about one run in eighty of jaxlib 0.10.2 gives another factor R."""
    before = flat(function(values))
    for _ in range(10):
        again = flat(function(values))
        if all(np.array_equal(one, other, equal_nan=one.dtype.kind in "fc") for (_, one), (_, other) in zip(before, again)):
            return again
        before = again
    raise AssertionError("JAX gives other results each time")


def run(build_folder, folder, path, values, way, lapack=None):
    inputs, output = folder / "inputs.npz", folder / f"{way[2:]}.npz"
    np.savez(inputs, **{f"in{i}": values[name] for i, name in enumerate(sorted(values))})
    environment = {**os.environ, **({"DRUMLIN_LAPACK": lapack} if lapack else {})}
    done = subprocess.run([build_folder / "bin" / "drumlin", "run", path, way, "--input", inputs, "--output", output], capture_output=True,
                          text=True, env=environment, timeout=300)
    return done, output


def compare(found, expected):
    beyond = []
    for name, value, exact in ((name, found[f"out{i}"], exact) for i, (name, exact) in enumerate(expected)):
        assert value.dtype == exact.dtype and value.shape == exact.shape, name
        if not np.issubdtype(exact.dtype, np.inexact):
            assert (value == exact).all(), name
            continue
        finite = np.isfinite(exact)
        assert (np.isfinite(value) == finite).all(), name
        scale = np.abs(exact[finite]).max(initial=1) * np.finfo(exact.dtype).eps
        units = np.abs(value[finite] - exact[finite]).max(initial=0) / scale
        if units > UNITS:
            beyond.append((name, units))
    assert not beyond


@pytest.mark.slow
@pytest.mark.parametrize("dtype", linear_algebra.TYPES)
@pytest.mark.parametrize("group", linear_algebra.GROUPS)
def test_against_jax(build_folder, tmp_path, group, dtype):
    path = tmp_path / "program.mlir"
    with jax.enable_x64(True):
        values = linear_algebra.inputs(linear_algebra.TYPES[dtype])
        function = linear_algebra.functions(group)
        path.write_text(function.lower(values).as_text())
        expected = of_jax(function, values)
    for way in ("--no-cache", "--interpret"):
        done, output = run(build_folder, tmp_path, path, values, way)
        assert done.returncode == 0, done.stdout + done.stderr
        compare(np.load(output), expected)


def test_every_target_is_called():
    """The programs call every LAPACK and sparse handler that jaxlib registers."""
    from jaxlib.cpu import _lapack, _sparse
    targets = set()
    with jax.enable_x64(True):
        for group in linear_algebra.GROUPS:
            for dtype in linear_algebra.TYPES.values():
                text = linear_algebra.functions(group).lower(linear_algebra.inputs(dtype)).as_text()
                targets.update(re.findall(r"custom_call @([\w.]+)", text))
    assert targets == {*_lapack.registrations(), *_sparse.registrations()}


# QR as JAX lowers it if there is no LAPACK.
HOUSEHOLDER = """func.func @main(%a: tensor<2x5x3xTYPE>) -> (tensor<2x5x3xTYPE>, tensor<2x5x3xTYPE>) {
  %factored:2 = stablehlo.custom_call @Qr(%a) {api_version = 1 : i32} : (tensor<2x5x3xTYPE>) -> (tensor<2x5x3xTYPE>, tensor<2x3xTYPE>)
  %q = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%factored#0, %factored#1) {api_version = 1 : i32}
    : (tensor<2x5x3xTYPE>, tensor<2x3xTYPE>) -> tensor<2x5x3xTYPE>
  return %q, %factored#0 : tensor<2x5x3xTYPE>, tensor<2x5x3xTYPE>
}
"""


@pytest.mark.parametrize("way", ["--no-cache", "--interpret"])
@pytest.mark.parametrize("type, dtype", [("f32", np.float32), ("f64", np.float64), ("complex<f32>", np.complex64), ("complex<f64>", np.complex128)])
def test_householder_targets(build_folder, tmp_path, type, dtype, way):
    path = tmp_path / "qr.mlir"
    path.write_text(HOUSEHOLDER.replace("TYPE", type))
    a = np.random.default_rng(1).normal(size=(2, 5, 3)).astype(dtype)
    done, output = run(build_folder, tmp_path, path, {"a": a}, way)
    assert done.returncode == 0, done.stdout + done.stderr
    results = np.load(output)
    q, r = results["out0"], np.triu(results["out1"][:, :3])
    bound = 50 * np.finfo(dtype).eps
    assert np.abs(q @ r - a).max() < bound * np.abs(a).max()
    assert np.abs(np.conj(np.swapaxes(q, 1, 2)) @ q - np.eye(3)).max() < bound


@pytest.mark.parametrize("way", ["--no-cache", "--interpret"])
def test_missing_library(build_folder, tmp_path, way):
    path = tmp_path / "qr.mlir"
    path.write_text(HOUSEHOLDER.replace("TYPE", "f32"))
    done, _ = run(build_folder, tmp_path, path, {"a": np.ones((2, 5, 3), np.float32)}, way, "/nowhere/liblapack.so")
    assert done.returncode == 1
    assert "D6012" in done.stderr and "/nowhere/liblapack.so" in done.stderr and "`libopenblas0-pthread`" in done.stderr
