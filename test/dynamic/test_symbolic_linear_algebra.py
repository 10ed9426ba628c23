"""Linear algebra of matrices and batches whose sizes only the run tells: code that programs call, and kernels."""
import jax
import jax.numpy as jnp
import jax.scipy.linalg
import pytest
from jax import lax
from symbolic import check

SIZES = (1, 2, 17, 96, 130)
FEW = (1, 2, 17)


def positive(x):
    return x @ jnp.conj(jnp.swapaxes(x, -1, -2)) + x.shape[-1] * jnp.eye(x.shape[-1])


FUNCTIONS = {
    "cholesky": lambda x: jnp.linalg.cholesky(positive(x)),
    "solve": lambda x: jnp.linalg.solve(positive(x), x),
    "inv": lambda x: jnp.linalg.inv(positive(x)),
    "det": lambda x: jnp.linalg.det(positive(x) / (4 * x.shape[-1])),
    "slogdet": lambda x: jnp.linalg.slogdet(positive(x)),
    # Vectors up to their sign.
    "eigh": lambda x: (jnp.linalg.eigvalsh(positive(x)), jnp.abs(jnp.linalg.eigh(positive(x))[1])),
    "qr": lambda x: jnp.linalg.qr(positive(x)),
    "svd": lambda x: (jnp.linalg.svd(x, compute_uv=False), [jnp.abs(each) for each in jnp.linalg.svd(x, full_matrices=False)]),
    "cho_solve": lambda x: jax.scipy.linalg.cho_solve(jax.scipy.linalg.cho_factor(positive(x)), x),
    "lu_factor": lambda x: jax.scipy.linalg.lu_factor(positive(x)),
    "solve_triangular": lambda x: jax.scipy.linalg.solve_triangular(positive(x), x, lower=True),
}
SHAPES = {"batch": "b, 5, 5", "matrix": "b, b", "both": "s, b, b"}


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


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(build_folder, tmp_path, name):
    function, shapes = PROGRAMS[name]
    check(build_folder, tmp_path, function, shapes, FEW)
