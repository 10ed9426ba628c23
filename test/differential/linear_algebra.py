"""JAX functions of linear algebra, for programs that are compared with JAX's own results.

The functions return unique results. Libraries may choose lengths and signs of eigenvectors differently, so functions return the products
that define eigenvectors instead. The functions of a group share a program and its inputs: `a` and `b` are batches [2, 3, N, N] and
[2, 3, N, 4], `tall` and `wide` aren't square, `spd` is positive definite, and `hermitian` is Hermitian.
"""
import os
import types

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import jax.scipy.linalg as jsl
import numpy as np
from jax import lax
from jax.experimental import sparse

N = 6
TYPES = {"f32": np.float32, "f64": np.float64, "c64": np.complex64, "c128": np.complex128}


def adjoint(x):
    return jnp.conj(jnp.swapaxes(x, -1, -2))


def inputs(dtype):
    rng = np.random.default_rng(3)

    def draw(*shape):
        made = rng.normal(size=shape)
        return (made + 1j * rng.normal(size=shape) if np.issubdtype(dtype, np.complexfloating) else made).astype(dtype)

    a = draw(2, 3, N, N) + 3 * np.eye(N, dtype=dtype)
    hermitian = a + np.conj(np.swapaxes(a, -1, -2))
    spd = (a @ np.conj(np.swapaxes(a, -1, -2)) + np.eye(N, dtype=dtype)).astype(dtype)
    return {"a": a, "b": draw(2, 3, N, 4), "tall": draw(2, 8, 3), "wide": draw(3, 7), "spd": spd, "hermitian": hermitian,
            "diagonals": draw(3, 2, N) + np.array([0, 6, 0]).reshape(3, 1, 1).astype(dtype)}


def indefinite(x):
    """The matrix [0, 1] of the batch isn't positive definite: JAX gives NaN for this matrix, and numbers for the other matrices."""
    return x.spd.at[0, 1].multiply(-1)


def triangular(x, **options):
    return jsl.solve_triangular(x.a[0, 0], x.b[0, 0], **options)


def eigh(a, **options):
    values, vectors = jnp.linalg.eigh(a, **options)
    return values, (vectors * values[..., None, :].astype(a.dtype)) @ adjoint(vectors), adjoint(vectors) @ vectors


def svd(a, full_matrices, **options):
    u, s, v = lax.linalg.svd(a, full_matrices=full_matrices, **options)
    k = s.shape[-1]
    return s, (u[..., :k] * s[..., None, :].astype(a.dtype)) @ v[..., :k, :], adjoint(u) @ u, v @ adjoint(v)


def eig(a, left):
    values, *vectors = lax.linalg.eig(a, compute_left_eigenvectors=left, compute_right_eigenvectors=True)
    wide, right = a.astype(values.dtype), vectors[-1]
    # Sums of powers don't depend on the order of eigenvalues.
    made = [values.sum(-1), (values**2).sum(-1), (values**3).sum(-1), wide @ right - right * values[..., None, :], jnp.linalg.norm(right, axis=-2)]
    if left:
        made += [adjoint(vectors[0]) @ wide - values[..., :, None] * adjoint(vectors[0]), jnp.linalg.norm(vectors[0], axis=-2)]
    return made


def schur(a):
    t, z = lax.linalg.schur(a)
    below = 1 if jnp.iscomplexobj(a) else 2
    return z @ t @ adjoint(z), adjoint(z) @ z, jnp.tril(t, -below), jnp.diagonal(t, axis1=-2, axis2=-1).sum(-1)


def hessenberg(a):
    h, q = jsl.hessenberg(a, calc_q=True)
    return q @ h @ adjoint(q), adjoint(q) @ q, jnp.tril(h, -2)


def tridiagonal(a, lower):
    _, d, e, taus = lax.linalg.tridiagonal(a, lower=lower)
    return d, jnp.abs(e), jnp.abs(taus)


def tridiagonal_solve(x, **options):
    below, middle, above = x.diagonals
    zero = jnp.zeros_like(below[..., :1])
    return lax.linalg.tridiagonal_solve(jnp.concatenate([zero, below[..., 1:]], -1), middle, jnp.concatenate([above[..., :-1], zero], -1),
                                        x.b[0, :2], **options)


def singular_system(x):
    """Solves a system with a singular matrix, the matrix of the second derivative. The solution is as large as the reciprocal of the
    rounding error, so only its direction is returned."""
    ones = jnp.ones(N, x.a.dtype)
    middle = (2 * ones).at[jnp.array([0, N - 1])].set(1)
    solution = lax.linalg.tridiagonal_solve((-ones).at[0].set(0), middle, (-ones).at[-1].set(0), jnp.abs(x.b[0, 0]).astype(x.b.dtype),
                                            perturb_singular=True)
    return solution / jnp.abs(solution).max()


def householder(x, left, transpose):
    factored, taus = jnp.linalg.qr(x.tall, mode="raw")
    factored = jnp.swapaxes(factored, -1, -2)
    c = x.b[0, :2].reshape(2, 8, 3) if left else x.b[0, :2].reshape(2, 3, 8)
    return lax.linalg.ormqr(factored, taus, c, left=left, transpose=transpose)


def sparse_product(x):
    matrix = sparse.BCSR((x.a[0, 0, 0, :4], jnp.array([0, 2, 1, 2]), jnp.array([0, 2, 2, 3, 4])), shape=(4, 3))
    dense = x.tall[0, :3]
    return matrix @ dense, matrix @ dense[:, 0]


GROUPS = {
    "factors": {
        "cholesky": lambda x: jnp.linalg.cholesky(x.spd),
        "cholesky_upper": lambda x: jnp.linalg.cholesky(x.spd, upper=True),
        "cholesky_indefinite": lambda x: jnp.linalg.cholesky(indefinite(x)),
        "lu": lambda x: jsl.lu(x.a[0, 0]),
        "lu_tall": lambda x: lax.linalg.lu(x.tall),
        "lu_wide": lambda x: lax.linalg.lu(x.wide),
        "lu_singular": lambda x: lax.linalg.lu(x.a.at[0, 0, :, 2].set(0)),
        "qr": lambda x: jnp.linalg.qr(x.tall),
        "qr_complete": lambda x: jnp.linalg.qr(x.tall[0], mode="complete")[1],
        "qr_wide": lambda x: jnp.linalg.qr(x.wide),
        "qr_r": lambda x: jnp.linalg.qr(x.a, mode="r"),
        "qr_raw": lambda x: jnp.linalg.qr(x.tall, mode="raw"),
        "qr_pivoting": lambda x: jsl.qr(x.a[0, 1], pivoting=True),
        **{f"ormqr_{left}_{transpose}": lambda x, left=left, transpose=transpose: householder(x, left, transpose)
           for left in (False, True) for transpose in (False, True)},
    },
    "systems": {
        "solve": lambda x: jnp.linalg.solve(x.a, x.b),
        "solve_singular": lambda x: jnp.isfinite(jnp.linalg.solve(jnp.zeros_like(x.a[0, 0]), x.b[0, 0])),
        "det": lambda x: jnp.linalg.det(x.a),
        "slogdet": lambda x: jnp.linalg.slogdet(x.a),
        "inv": lambda x: jnp.linalg.inv(x.a),
        "cho_solve": lambda x: jsl.cho_solve(jsl.cho_factor(x.spd[0, 0]), x.b[0, 0]),
        "triangular": lambda x: triangular(x),
        "triangular_lower": lambda x: triangular(x, lower=True),
        "triangular_transposed": lambda x: triangular(x, trans="T"),
        "triangular_adjoint": lambda x: triangular(x, trans="C", lower=True, unit_diagonal=True),
        "triangular_right": lambda x: lax.linalg.triangular_solve(x.a, jnp.swapaxes(x.b, -1, -2), lower=True, conjugate_a=True),
        "tridiagonal_solve": tridiagonal_solve,
        "tridiagonal_solve_perturbed": lambda x: tridiagonal_solve(x, perturb_singular=True),
        "tridiagonal_solve_singular": singular_system,
        "lstsq": lambda x: jnp.linalg.lstsq(x.tall[0], x.tall[1]),
        "tensorsolve": lambda x: jnp.linalg.tensorsolve(x.a[0, 0].reshape(2, 3, 6), x.b[0, 0, :, 0].reshape(2, 3)),
        "sparse": sparse_product,
    },
    "spectra": {
        "eigh": lambda x: eigh(x.hermitian),
        "eigh_upper": lambda x: eigh(x.hermitian, UPLO="U", symmetrize_input=False),
        "eigvalsh": lambda x: jnp.linalg.eigvalsh(x.hermitian),
        "eig": lambda x: eig(x.a, left=False),
        "eig_left": lambda x: eig(x.a, left=True),
        "eigvals": lambda x: jnp.sort(jnp.abs(jnp.linalg.eigvals(x.a)), -1),
        "eigvals_nan": lambda x: jnp.isnan(jnp.linalg.eigvals(x.a.at[0, 1, 2, 3].set(jnp.nan))),
        "eigh_nan": lambda x: jnp.isnan(jnp.linalg.eigvalsh(x.hermitian.at[0, 1, 2, 2].set(jnp.nan))).any(-1),
        "schur": lambda x: schur(x.a[0, 0]),
        "schur_nan": lambda x: jnp.isnan(lax.linalg.schur(x.a.at[0, 1, 2, 3].set(jnp.nan))[0]).any((-1, -2)),
        "hessenberg": lambda x: hessenberg(x.a),
        "tridiagonal": lambda x: tridiagonal(x.hermitian, lower=True),
        "tridiagonal_upper": lambda x: tridiagonal(x.hermitian, lower=False),
    },
    "singular values": {
        "svd": lambda x: svd(x.tall, full_matrices=False),
        "svd_full": lambda x: svd(x.tall, full_matrices=True),
        "svd_wide": lambda x: svd(x.wide, full_matrices=False),
        "svd_wide_full": lambda x: svd(x.wide, full_matrices=True),
        "svd_qr": lambda x: svd(x.tall, full_matrices=False, algorithm=lax.linalg.SvdAlgorithm.QR),
        "svd_qr_full": lambda x: svd(x.wide, full_matrices=True, algorithm=lax.linalg.SvdAlgorithm.QR),
        "svdvals": lambda x: jnp.linalg.svdvals(x.a),
        "svd_nan": lambda x: jnp.isnan(jnp.linalg.svdvals(x.a.at[1, 1, 0, 0].set(jnp.nan))),
        "pinv": lambda x: jnp.linalg.pinv(x.tall),
        "matrix_rank": lambda x: jnp.linalg.matrix_rank(x.tall.at[1, :, 1].set(0)),
        "norm_2": lambda x: jnp.linalg.norm(x.wide, 2),
        "norm_nuclear": lambda x: jnp.linalg.norm(x.wide, "nuc"),
        "cond": lambda x: jnp.linalg.cond(x.a),
        "polar": lambda x: jsl.polar(x.a[0, 0], method="svd"),
    },
    "functions": {
        "expm": lambda x: jsl.expm(x.a[0, 0] / 4),
        "matrix_power": lambda x: jnp.linalg.matrix_power(x.a[0, 0] / 4, -3),
        "sqrtm": lambda x: jsl.sqrtm(x.spd[0, 0]),
        "funm": lambda x: jsl.funm(x.spd[0, 0], jnp.log, disp=False)[0],
        "gradient": lambda x: jax.grad(lambda a: jnp.abs(jnp.linalg.slogdet(a)[1]).sum())(x.spd),
    },
}


def functions(group):
    """Returns one function that runs all functions of the group on the inputs and returns a dictionary of lists of arrays."""
    def run(values):
        x = types.SimpleNamespace(**values)
        return {name: jax.tree.leaves(function(x)) for name, function in GROUPS[group].items()}
    return jax.jit(run, keep_unused=True)
