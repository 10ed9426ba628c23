"""Scatters with dynamic sizes, to which JAX lowers updates of elements, sums by index, and gradients of gathers."""
import jax
import jax.numpy as jnp
import pytest
from jax import lax
from symbolic import check

SIZES = (1, 2, 17, 130)


def loss(w, x, k):
    return -jnp.take_along_axis(jax.nn.log_softmax(x @ w), k[:, None], 1).mean()


PROGRAMS = {
    "rows_set": (lambda x, k: (x.at[0].set(1.0), x.at[k].set(2.0), x.at[-1].multiply(3.0)), ("b, s", "int")),
    "columns_set": (lambda x: (x.at[:, 0].set(1.0), x.at[:, :2].set(1.0)), ("b, 3",)),
    "added_at": (lambda x, k: (x.at[k].set(1.0), x.at[k].add(1.0), x.at[k].max(0.0)), ("b, 3", "int 4")),
    "added_to_a_table": (lambda x, k, u: x.at[k].add(u), ("10, 3", "int b", "b, 3")),
    "added_as_many": (lambda x, k, u: x.at[k].add(u), ("b, s", "int b", "b, s")),
    "added_inside": (lambda x, k, u: x.at[:, k].add(u), ("b, s, 4", "int 2", "b, 2, 4")),
    "integers": (lambda x, k: x.at[k].add(k), ("int b", "int s")),
    # The interpreter rounds a sum of updates once, jaxlib rounds after each update, so results are compared with bf16's tolerance.
    "half_floats": (lambda x, k: x.astype(jnp.bfloat16).at[k].add(1), ("b, 3", "int s")),
    "sums_of_segments": (lambda u, k: (jax.ops.segment_sum(u, k, num_segments=8), jax.ops.segment_max(u, k, num_segments=5)), ("b, s", "int b")),
    "counts": (lambda k, x: (jnp.bincount(k, length=5), jnp.histogram(x, bins=4, range=(-2.0, 2.0))[0]), ("int b", "b")),
    "updated_each": (lambda x, u, k: jax.vmap(lambda r, v, j: lax.dynamic_update_slice(r, v, (j,)))(x, u, k), ("b, 7", "b, 2", "int b")),
    "gradient_of_a_loss": (jax.grad(loss), ("8, 12", "b, 8", "int b")),
    "gradient_of_a_table": (jax.grad(lambda w, k: (w[k] ** 2).sum()), ("10, 8", "int b, s")),
    "gradient_of_a_slice": (jax.grad(lambda x: (x[1:] * x[:-1]).sum()), ("b, s",)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_scatters(build_folder, tmp_path, name):
    function, shapes, *sizes = PROGRAMS[name]
    check(build_folder, tmp_path, function, shapes, *(sizes or [SIZES]))
