"""Powers of complex numbers in which single factors overflow or underflow, but their product does not."""
import itertools

import numpy as np
import pytest

LENGTHS = 10.0 ** np.arange(-30, 31, 4)
ANGLES = np.linspace(-3.1, 3.1, 15)
REALS = [-400, -100, -11, -3.5, 0, 0.5, 2, 12, 45, 300]
IMAGINARIES = [-300, -250, -30, -1, 0, 1, 7, 90, 240, 260, 300]


@pytest.mark.parametrize("type,part,element", [("f32", np.float32, np.complex64), ("f64", np.float64, np.complex128)])
def test_over_magnitudes_and_angles(call, tmp_path, type, part, element):
    base = np.array([length * np.exp(1j * angle) for length, angle in itertools.product(LENGTHS, ANGLES)])
    exponent = np.array([complex(re, im) for re, im in itertools.product(REALS, IMAGINARIES)])
    a, b = (each.ravel().astype(element) for each in np.meshgrid(base, exponent))
    (tmp_path / "power.mlir").write_text(f"""func.func @main(%a: tensor<{a.size}xcomplex<{type}>>, %b: tensor<{a.size}xcomplex<{type}>>) -> tensor<{a.size}xcomplex<{type}>> {{
  %0 = stablehlo.power %a, %b : tensor<{a.size}xcomplex<{type}>>
  return %0 : tensor<{a.size}xcomplex<{type}>>
}}
""")
    np.savez(tmp_path / "in.npz", in0=a, in1=b)
    results = []
    for way in ((), ("--interpret",)):
        done = call("run", "power.mlir", "--input", "in.npz", "--output", "out.npz", *way)
        assert done.returncode == 0, done.stderr
        results.append(np.load(tmp_path / "out.npz")["out0"])
    got, expected = results
    # The tolerance allows for the rounding of b log(a) and of the result. Results that overflow or are subnormal aren't compared.
    with np.errstate(all="ignore"):
        exact_a, exact_b = a.astype(np.complex128), b.astype(np.complex128)
        logarithm = np.log(exact_a)
        rounding = np.finfo(part).eps + 32 * np.finfo(np.float64).eps * (1 + abs(exact_b) * (abs(logarithm.real) + abs(logarithm.imag)))
        size = (exact_b * logarithm).real
    limits = np.log(np.finfo(part).tiny) + 3, np.log(np.finfo(part).max) - 3
    chosen = (size > limits[0]) & (size < limits[1])
    inner = chosen & ((abs(exact_b.real * logarithm.real) > 710) | (abs(exact_b.imag * logarithm.imag) > 710))
    assert inner.sum() > (20 if part is np.float32 else 100), "no factor overflows"
    assert np.isfinite(expected[chosen]).all() and np.isfinite(got[chosen]).all()
    error = abs(got[chosen].astype(np.complex128) - expected[chosen].astype(np.complex128)) / abs(expected[chosen])
    worst = np.argmax(error / rounding[chosen])
    assert error[worst] <= rounding[chosen][worst], (a[chosen][worst], b[chosen][worst], got[chosen][worst], expected[chosen][worst])
