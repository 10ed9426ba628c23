"""Linear algebra with the LAPACK library that the runtime finds. test_lapack.py runs this file with some of the libraries hidden."""
import os

import jax
import jax.numpy as jnp
import numpy as np
import pytest

if "WITHOUT_HANDLERS" in os.environ:  # doesn't register jaxlib's handlers, so that the runtime's own code is called
    import jax_plugins.drumlin

    jax_plugins.drumlin._Registry.add = lambda *_: None

TYPES = pytest.mark.parametrize("dtype", [np.float32, np.complex64], ids=lambda dtype: dtype.__name__)


def matrices(dtype, *shape):
    generator = np.random.default_rng(0)
    made = generator.normal(size=shape) + (1j * generator.normal(size=shape) if np.issubdtype(dtype, np.complexfloating) else 0)
    return made.astype(dtype)


def near(a, b):
    np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4)


def adjoint(a):
    return jnp.conj(jnp.swapaxes(a, -1, -2))


@TYPES
def test_solve(dtype):
    a, b = matrices(dtype, 3, 6, 6), matrices(dtype, 3, 6, 2)
    near(a @ jax.jit(jnp.linalg.solve)(a, b), b)


@TYPES
def test_qr(dtype):
    a = matrices(dtype, 3, 7, 4)
    q, r = jax.jit(jnp.linalg.qr)(a)
    near(q @ r, a)
    near(adjoint(q) @ q, np.broadcast_to(np.eye(4), (3, 4, 4)))


@TYPES
def test_svd(dtype):
    a = matrices(dtype, 3, 4, 6)
    u, s, v = jax.jit(lambda a: jnp.linalg.svd(a, full_matrices=False))(a)
    near((u * s[..., None, :]) @ v, a)
    near(s, np.linalg.svd(a, compute_uv=False))


@TYPES
def test_eigh(dtype):
    a = matrices(dtype, 3, 6, 6)
    a = a + np.conj(np.swapaxes(a, -1, -2))
    w, v = jax.jit(jnp.linalg.eigh)(a)
    near(a @ v, v * w[..., None, :])
    near(w, np.linalg.eigvalsh(a))


@TYPES
def test_cholesky(dtype):
    a = matrices(dtype, 3, 6, 6)
    a = a @ np.conj(np.swapaxes(a, -1, -2)) + 6 * np.eye(6, dtype=dtype)
    factor = jax.jit(jnp.linalg.cholesky)(a)
    near(factor @ adjoint(factor), a)


@TYPES
def test_schur(dtype):
    a = matrices(dtype, 6, 6)
    t, z = jax.jit(lambda a: jax.scipy.linalg.schur(a, output="complex" if np.issubdtype(dtype, np.complexfloating) else "real"))(a)
    near(z @ t @ adjoint(z), a)


@TYPES
def test_eig(dtype):
    a = matrices(dtype, 6, 6)
    w, v = jax.jit(jnp.linalg.eig)(a)
    near(a @ v, v * w)


@TYPES
def test_other_factorizations(dtype):
    a = matrices(dtype, 6, 6)
    h, q = jax.jit(lambda a: jax.scipy.linalg.hessenberg(a, calc_q=True))(a)
    near(q @ h @ adjoint(q), a)
    d, e = np.ones(6, dtype) * 4, np.ones(6, dtype)
    x = jax.jit(jax.lax.linalg.tridiagonal_solve)(e, d, e, a)
    near((np.diag(d) + np.diag(e[1:], -1) + np.diag(e[:-1], 1)) @ x, a)
