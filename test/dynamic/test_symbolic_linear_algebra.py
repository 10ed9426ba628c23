"""Linear algebra of matrices and batches of dynamic sizes: code that programs call, and kernels."""
import jax
import jax.numpy as jnp
import jax.scipy.linalg
import numpy
import pytest
from jax import lax
from symbolic import check, drumlin

SIZES = (1, 2, 17, 96, 130)
FEW = (1, 2, 17)


def positive(x):
    return x @ jnp.conj(jnp.swapaxes(x, -1, -2)) + x.shape[-1] * jnp.eye(x.shape[-1])


def recomposed(values, vectors):
    """Returns the matrix that has these eigenvalues and eigenvectors. The vectors themselves can't be compared: rounding changes those of
    close eigenvalues by far more than the matrix."""
    return (vectors * values[..., None, :]) @ jnp.swapaxes(vectors, -1, -2)


FUNCTIONS = {
    "cholesky": lambda x: jnp.linalg.cholesky(positive(x)),
    "solve": lambda x: jnp.linalg.solve(positive(x), x),
    "inv": lambda x: jnp.linalg.inv(positive(x)),
    "det": lambda x: jnp.linalg.det(positive(x) / (4 * x.shape[-1])),
    "slogdet": lambda x: jnp.linalg.slogdet(positive(x)),
    "eigh": lambda x: (jnp.linalg.eigvalsh(positive(x)), recomposed(*jnp.linalg.eigh(positive(x)))),
    "qr": lambda x: jnp.linalg.qr(positive(x)),
    "svd": lambda x: (jnp.linalg.svd(x, compute_uv=False), [jnp.abs(each) for each in jnp.linalg.svd(x, full_matrices=False)]),
    "cho_solve": lambda x: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(positive(x)), x),
    "lu_factor": lambda x: jax.scipy.linalg.lu_factor(positive(x)),
    "solve_triangular": lambda x: jax.scipy.linalg.solve_triangular(positive(x), x, lower=True),
}
SHAPES = {"batch": "b, 5, 5", "matrix": "b, b", "both": "s, b, b"}


@pytest.mark.slow
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(build_folder, tmp_path, name, shape):
    check(build_folder, tmp_path, FUNCTIONS[name], (SHAPES[shape],), SIZES if shape == "batch" else FEW)


PROGRAMS = {
    "lu": (lambda x: jax.scipy.linalg.lu(positive(x)), ("b, b",)),
    "complex_cholesky": (lambda x: jnp.linalg.cholesky(positive(x)), ("complex s, b, b",)),
    "complex_solve": (lambda x: jnp.linalg.solve(positive(x), x), ("complex b, b",)),
    "complex_eigh": (lambda x: jnp.linalg.eigvalsh(positive(x)), ("complex s, b, b",)),
    "eigenvalues": (lambda x: jnp.sort(jnp.abs(jnp.linalg.eigvals(positive(x)))), ("b, b",)),
    "right_sides": (lambda x, y: lax.linalg.triangular_solve(positive(x), y, left_side=True, lower=True), ("b, b", "b, s")),
    "from_the_right": (lambda x, y: lax.linalg.triangular_solve(positive(x), y, left_side=False, lower=False, transpose_a=True), ("s, b, b", "s, 7, b")),
    "tridiagonal": (lambda x, y: lax.linalg.tridiagonal_solve(x * 0.1, x + 9, x * 0.1, y), ("b", "b, 3")),
    "exponential": (lambda x: jax.scipy.linalg.expm(x * 0.1), ("b, b",)),
    "of_each": (jax.vmap(lambda x, y: jnp.linalg.solve(positive(x), y)), ("s, b, b", "s, b")),
    "gradients": (lambda x: (jax.grad(lambda x: jnp.linalg.slogdet(positive(x))[1])(x), jax.grad(lambda x: jnp.linalg.cholesky(positive(x)).sum())(x)),
                  ("b, b",)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(build_folder, tmp_path, name):
    function, shapes = PROGRAMS[name]
    check(build_folder, tmp_path, function, shapes, FEW)


# StableHLO's own operations, which JAX replaces by LAPACK calls on CPUs.
TYPES = {"f32": numpy.float32, "f64": numpy.float64, "complex<f32>": numpy.complex64, "complex<f64>": numpy.complex128}
TRIANGULAR = """func.func @main(%a: tensor<{a}x{type}>, %b: tensor<{b}x{type}>) -> (tensor<{a}x{type}>, tensor<{b}x{type}>) {{
  %0 = stablehlo.cholesky %a, lower = {lower} : tensor<{a}x{type}>
  %1 = "stablehlo.triangular_solve"(%a, %b) {{left_side = {left}, lower = {lower}, unit_diagonal = {unit}, transpose_a = #stablehlo<transpose {transpose}>}}
    : (tensor<{a}x{type}>, tensor<{b}x{type}>) -> tensor<{b}x{type}>
  return %0, %1 : tensor<{a}x{type}>, tensor<{b}x{type}>
}}
"""


def positive_matrices(generator, shape, kind):
    x = generator.standard_normal(shape) + (1j * generator.standard_normal(shape) if numpy.iscomplexobj(kind(0)) else 0)
    return (x @ numpy.conj(numpy.swapaxes(x, -1, -2)) + 2 * shape[-1] * numpy.eye(shape[-1])).astype(kind)


@pytest.mark.slow
@pytest.mark.parametrize("left,lower,unit,transpose", (("true", "true", "false", "NO_TRANSPOSE"), ("true", "false", "true", "TRANSPOSE"),
                                                       ("false", "false", "false", "ADJOINT"), ("false", "true", "false", "TRANSPOSE")))
@pytest.mark.parametrize("element", ("f32", "f64", "complex<f32>", "complex<f64>"))
def test_triangular_operations(build_folder, tmp_path, element, left, lower, unit, transpose):
    kind, program, image = TYPES[element], tmp_path / "program.mlir", tmp_path / "program.so"
    for batch, sizes in ("?", ((0, 3, 3), (2, 0, 4), (3, 5, 0), (1, 1, 1), (9, 16, 33), (2, 130, 70))), ("2", ((2, 1, 5), (2, 45, 40))):
        program.write_text(TRIANGULAR.format(a=f"{batch}x?x?", b=f"{batch}x?x?", type=element, left=left, lower=lower, unit=unit, transpose=transpose))
        done = drumlin(build_folder, "compile", program, "-o", image)
        assert done.returncode == 0, done.stderr
        for matrices, n, m in sizes:
            generator = numpy.random.default_rng(matrices + n + m)
            a = positive_matrices(generator, (matrices, n, n), kind)
            b = generator.standard_normal((matrices, n, m) if left == "true" else (matrices, m, n)).astype(kind)
            # With unit_diagonal, the diagonal counts as ones, so the other elements are made small to keep the matrix well-conditioned.
            a = a / (4 * n + 1) if unit == "true" else a
            numpy.savez(tmp_path / "in.npz", in0=a.astype(kind), in1=b)
            done = drumlin(build_folder, "run", program, "--interpret", "--input", tmp_path / "in.npz", "--output", tmp_path / "out.npz")
            assert done.returncode == 0, done.stderr
            done = drumlin(build_folder, "run", image, "--input", tmp_path / "in.npz", "--expect", tmp_path / "out.npz", "--rtol", "2e-5")
            assert done.returncode == 0, (batch, matrices, n, m, done.stderr)
