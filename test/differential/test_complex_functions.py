"""Complex functions: distances of compiled results from the interpreter's results. Other tests compare the interpreter with MPC, to within a
unit in the last place."""
import subprocess

import numpy as np
import pytest

# For complex<f64>, the largest allowed distance in units of |result| times 2^-53: longer formulas round more often. complex<f32> is computed in
# f64, so its real and imaginary parts must be within one unit in the last place.
FUNCTIONS = {
    "stablehlo.sqrt": 4, "stablehlo.rsqrt": 8, "stablehlo.exponential": 4, "stablehlo.exponential_minus_one": 6, "stablehlo.log": 4,
    "stablehlo.log_plus_one": 6, "stablehlo.logistic": 16, "stablehlo.sine": 4, "stablehlo.cosine": 4, "stablehlo.tan": 8, "stablehlo.tanh": 8,
    "stablehlo.cbrt": 6, "stablehlo.sign": 4, "chlo.sinh": 4, "chlo.cosh": 4, "chlo.asin": 8, "chlo.acos": 8, "chlo.atan": 8, "chlo.asinh": 8,
    "chlo.acosh": 8, "chlo.atanh": 8, "chlo._asin_acos_kernel": 8, "chlo.square": 4, "stablehlo.multiply": 4, "stablehlo.divide": 8,
}


def points(dtype):
    """Returns points of all magnitudes, near the unit circle, near the axes and near 1 and i, where formulas cancel."""
    rng = np.random.default_rng(7)
    n = 3000
    radius = np.concatenate([10.0 ** rng.uniform(-6, 1.5, n), 1 + rng.normal(size=n) * 10.0 ** rng.uniform(-12, -1, n)])
    angle = rng.uniform(-np.pi, np.pi, 2 * n)
    z = radius * np.exp(1j * angle)
    near = np.tile([1, -1, 1j, -1j, 0, 2], n // 6) + 10.0 ** rng.uniform(-8, 0, n // 6 * 6) * np.exp(1j * rng.uniform(-np.pi, np.pi, n // 6 * 6))
    thin = rng.uniform(-3, 3, n) + 1j * rng.normal(size=n) * 10.0 ** rng.uniform(-12, -3, n)
    return np.concatenate([z, near, thin, 1j * thin]).astype(dtype)


def program(type, count):
    tensor = f"tensor<{count}x{type}>"
    body, names = [], []
    for i, name in enumerate(FUNCTIONS):
        operands = "%z, %w" if name in ("stablehlo.multiply", "stablehlo.divide") else "%z"
        arrow = f" -> {tensor}" if name.startswith("chlo.") else ""
        body.append(f"  %r{i} = {name} {operands} : {tensor}{arrow}")
        names.append(f"%r{i}")
    results = ", ".join([tensor] * len(names))
    return (f"func.func @main(%z: {tensor}, %w: {tensor}) -> ({results}) {{\n" + "\n".join(body)
            + f"\n  return {', '.join(names)} : {results}\n}}\n")


def both(build_folder, folder, type, z, w):
    """Returns the results of compiled code and of the interpreter, function by function."""
    path, inputs = folder / "functions.mlir", folder / "inputs.npz"
    path.write_text(program(type, len(z)))
    np.savez(inputs, in0=z, in1=w)
    made = []
    for way in ("--no-cache", "--interpret"):
        output = folder / f"{way[2:]}.npz"
        subprocess.run([build_folder / "bin" / "drumlin", "run", path, way, "--input", inputs, "--output", output], check=True, capture_output=True)
        made.append(np.load(output))
    return {name: [results[f"out{i}"] for results in made] for i, name in enumerate(FUNCTIONS)}


TYPES = pytest.mark.parametrize("type, dtype", [("complex<f32>", np.complex64), ("complex<f64>", np.complex128)])


@TYPES
def test_distance(build_folder, tmp_path, type, dtype):
    z = points(dtype)
    w = z[np.random.default_rng(1).permutation(len(z))]
    found = {}
    for name, (native, exact) in both(build_folder, tmp_path, type, z, w).items():
        with np.errstate(all="ignore"):
            finite = np.isfinite(exact)
            assert (np.isfinite(native) == finite).all(), name
            native, exact = native[finite], exact[finite]
            if dtype == np.complex64:
                found[name] = max((np.abs(part(native) - part(exact)) / np.spacing(np.abs(part(exact)))).max() for part in (np.real, np.imag))
            else:
                found[name] = (np.abs(native - exact) / (np.abs(exact) * 2.0**-53)).max()
    beyond = {name: distance for name, distance in found.items() if distance > (1 if dtype == np.complex64 else FUNCTIONS[name])}
    assert not beyond, found


@TYPES
def test_infinities_and_nan(build_folder, tmp_path, type, dtype):
    """Results are infinite or NaN where the interpreter's results are, as Annex G of the C standard defines. Finite results aren't compared."""
    parts = [0.0, -0.0, 1, -1, 0.5, -2, np.inf, -np.inf, np.nan, 1e30, -1e-30]
    z = np.empty(len(parts) ** 2, dtype)
    z.real, z.imag = (grid.ravel() for grid in np.meshgrid(parts, parts))
    w = np.roll(z, 17)
    for name, (native, exact) in both(build_folder, tmp_path, type, z, w).items():
        for part in (np.real, np.imag):
            got, expected = part(native), part(exact)
            assert (np.isnan(got) == np.isnan(expected)).all(), (name, z[np.isnan(got) != np.isnan(expected)])
            endless = np.isinf(expected)
            assert (np.isinf(got) == endless).all() and (got[endless] == expected[endless]).all(), name
