"""Data movement along dynamic sizes: gathers, updates, slices, padding, reshapes."""
import jax
import jax.numpy as jnp
import pytest
from jax import lax
from symbolic import check


def frames(x):
    """Returns windows of three elements, gathered with an index for each element."""
    return x[jnp.arange(x.shape[0] - 2)[:, None] + jnp.arange(3)[None]]


def shifted(x):
    return jnp.pad(x, ((0, 0), (1, 0)))[:, :-1]


def scan(x):
    return lax.scan(lambda c, y: (c * 0.5 + y, c), jnp.zeros(x.shape[1:]), x)


def cross_entropy(x, k):
    return -jnp.take_along_axis(jax.nn.log_softmax(x), k[:, None], 1).mean()


SIZES = (1, 2, 17, 130)

# Functions with their arguments' shapes, and allowed sizes if restricted.
PROGRAMS = {
    "padded_by_a_size": (lambda x, y: jnp.pad(y, ((x.shape[0], 0), (0, x.shape[1]))), ("b, s", "3, 4")),
    "rows_at": (lambda x, k: x[k], ("b, 3", "int 4")),
    "rows_at_as_many": (lambda x, k: x[k], ("b, 3", "int b")),
    "rows_of_a_table": (lambda x, k: x[k], ("10, 8", "int b, s")),
    "columns_at": (lambda x, k: x[:, k], ("3, b", "int 5")),
    "pairs_at": (lambda x, k: x[k, k], ("b, s", "int b")),
    "first_and_last": (lambda x: (x[0], x[-1], x[:, 0], x[:, -1]), ("b, s",)),
    "reversed": (lambda x: (x[::-1] * 2, x[:, ::-1]), ("b, s",)),
    "every_second": (lambda x: (x[::2], x[:, ::2], x[:, 1::2] + 1), ("b, b",), (2, 3, 17, 96)),
    "rolled": (lambda x: (jnp.roll(x, 1, -1), jnp.roll(x, -1, 0), jnp.roll(x, 3, 0)), ("b, s",)),
    "taken": (lambda x, k: (jnp.take(x, k, axis=0), jnp.take(x, k, axis=1, mode="clip")), ("b, s", "int 4")),
    "taken_along": (lambda x, y, k: (jnp.take_along_axis(x, k, axis=1), jnp.take_along_axis(y, k, axis=0)), ("3, b", "b, b", "int 3, b")),
    "cross_entropy": (cross_entropy, ("b, 10", "int b")),
    "picked_of_each": (lambda x, k: jax.vmap(lambda row, i: lax.dynamic_slice(row, (i,), (1,)))(x, k), ("b, s", "int b")),
    "last_of_each": (lambda x, k: jnp.take_along_axis(x, k[:, None, None], 1), ("b, s, 4", "int b")),
    "windows": (frames, ("b",), (3, 4, 17, 130)),
    "diagonal": (lambda x: (jnp.diag(x), jnp.trace(x)), ("b, b",)),
    "updated": (lambda x, u, k: (lax.dynamic_update_slice(x, u, (k, 0)), lax.dynamic_update_slice(x, u, (7, 0)) + x), ("b, s", "1, s", "int")),
    "updated_inside": (lambda x, u, k: lax.dynamic_update_slice(x * 2, u, (0, k, 0)), ("3, b, 5", "3, 1, 2", "int")),
    "padded_inside": (lambda x: (lax.pad(x, 9.0, ((0, 0, 2), (1, 3, 1))), lax.pad(x, 9.0, ((2, -1, 3), (-1, 2, 0)))), ("b, s",)),
    "padded_by_the_edge": (lambda x: jnp.pad(x, ((1, 2), (1, 1)), mode="edge"), ("b, s",)),
    "tiled": (lambda x: (jnp.tile(x, (2, 3)), jnp.repeat(x, 3, axis=1)), ("b, s",)),
    "joined_sums": (lambda x: (x.reshape(-1, 8).sum(0), x.reshape(-1).sum(), x.reshape(x.shape[0], -1) - 1), ("b, s, 8",)),
    "shifted": (shifted, ("b, s",)),
    "with_a_first_token": (lambda x, c: jnp.concatenate([jnp.broadcast_to(c, (x.shape[0], 1, 4)), x], 1), ("b, s, 4", "1, 1, 4")),
    "scanned": (scan, ("b, 3",)),
    "scanned_along": (lambda x: scan(x.transpose(1, 0)), ("3, b",)),
    "enlarged": (lambda x: jax.image.resize(x, (x.shape[0], 2 * x.shape[1], 3), "nearest"), ("b, s, 3",)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_moves_elements(build_folder, tmp_path, name):
    function, shapes, *sizes = PROGRAMS[name]
    check(build_folder, tmp_path, function, shapes, *(sizes or [SIZES]))


# A blocked traversal has one block at the nominal sizes, and several blocks at larger sizes.
def test_transposes_by_more_blocks_than_nominally(build_folder, tmp_path):
    check(build_folder, tmp_path, lambda x, y: (x.transpose(1, 0), y.transpose(1, 2, 0) * 2), ("s, b", "s, 3, b"), SIZES,
          alike=("--size", "b=4", "--size", "s=61"))
