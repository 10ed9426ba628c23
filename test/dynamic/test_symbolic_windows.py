"""Windows and running values along dynamic sizes, random numbers of dynamic shapes, and loops over rows of dynamic sizes."""
import jax
import jax.numpy as jnp
import pytest
from jax import lax
from symbolic import check

SIZES = (1, 2, 17, 130)


def pooled(kind, window, strides, padding):
    initial = -jnp.inf if kind is lax.max else 0.0
    return lambda x: lax.reduce_window(x, initial, kind, window, strides, padding)


def key(seed):
    return jax.random.wrap_key_data(jnp.stack([seed, seed]).astype(jnp.uint32))


def recurrent(x, w):
    return lax.scan(lambda c, y: (jnp.tanh(c @ w * 0.1 + y), c.sum()), jnp.zeros(x.shape[1:]), x)


PROGRAMS = {
    "sums": (lambda x: (jnp.cumsum(x, 0), jnp.cumsum(x, 1), jnp.cumsum(x * 2)), ("b, s",)),
    "products": (lambda x: jnp.cumprod(x * 0.9, 1), ("3, b",)),
    "largest": (lambda x: (lax.cummax(x, 1), lax.cummin(x, 0, reverse=True)), ("b, s",)),
    "from_the_last": (lambda x: lax.cumsum(x, 1, reverse=True), ("3, b",)),
    "of_what_is_moved": (lambda x, k: (lax.cummin(lax.pad(x, 1.0, [(2, 3, 0)])), lax.cummax(jnp.roll(k, 1)), jnp.cumsum(jnp.concatenate([x, x]))), ("b", "int b")),
    "in_a_loop": (lambda x: lax.fori_loop(0, 3, lambda _, y: y + y[::-1], lax.reduce_window(x, 0.0, lax.add, (2,), (2,), "SAME")), ("b",)),
    "by_a_function": (lambda x: lax.cumlogsumexp(x, 1), ("3, b",), (1, 2, 17)),
    "pooled": (pooled(lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID"), ("2, b, b, 3",), (2, 3, 17)),
    "pooled_at_the_edges": (pooled(lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "SAME"), ("2, b, b, 3",), (1, 2, 17)),
    "averaged": (pooled(lax.add, (1, 3), (1, 1), "SAME"), ("b, s",)),
    "non_zero": (lambda k: jnp.nonzero(k, size=3), ("int b",)),
    "dropped_out": (lambda x, seed: jnp.where(jax.random.bernoulli(key(seed), 0.5, x.shape), x, 0), ("b, 8", "int")),
    "recurrent": (recurrent, ("s, b, 8", "8, 8")),
    # Gradients of max pooling (select_and_scatter) and Fourier transforms, with a dynamic batch size.
    "gradient_of_pooling": (jax.grad(lambda x: (pooled(lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")(x) ** 2).sum()), ("b, 4, 4, 3",)),
    "gradient_of_overlaps": (jax.grad(lambda x: (pooled(lax.max, (1, 1, 3), (1, 1, 2), "VALID")(x) ** 2).sum()), ("b, s, 9",)),
    "spectra": (lambda x: (jnp.abs(jnp.fft.rfft(x)), jnp.fft.fft(x, axis=1).real), ("b, 16",)),
    "spectra_of_each": (lambda x: jnp.abs(jnp.fft.fft(x, axis=-1)), ("b, s, 16",), (1, 2, 17)),
    "spectra_of_planes": (lambda x: (jnp.abs(jnp.fft.rfft2(x)), jnp.fft.irfft(jnp.fft.rfft(x) * 2)), ("b, s, 16, 6",), (1, 2, 17)),
    "spectra_of_long_lines": (lambda x: (jnp.abs(jnp.fft.rfft(x)), jnp.abs(jnp.fft.fft(x[:, :9409]))), ("b, 40000",), (1, 3)),
    "complex": (lambda x, y: (x * y + jnp.conj(x), jnp.fft.ifft(x), (x * y).sum(0), jnp.concatenate([x, y], 0)), ("complex b, 6",) * 2),
    "complex_along": (lambda x: (jnp.exp(x), x.T, jnp.cumsum(x, 1)), ("complex b, s",), (1, 2, 17)),
    "spectra_across": (lambda x: jnp.abs(jnp.fft.fft(x, axis=1)), ("b, 20, s",), (1, 2, 17)),
    # Sizes are quotients of b, which are rounded down as Python's `//` does.
    "halves": (lambda x: (x[: x.shape[0] // 2], x[-(-x.shape[0] // 2):], x[-((x.shape[0] + 3) // 4):]), ("b, 4",)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_windows(build_folder, tmp_path, name):
    function, shapes, *sizes = PROGRAMS[name]
    check(build_folder, tmp_path, function, shapes, *(sizes or [SIZES]))
