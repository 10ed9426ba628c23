"""Writes programs that XLA has partitioned for four devices, with the arguments and results of each: `partitioned.py FOLDER`.

The number of devices must be set before JAX is imported, so this runs in a separate process."""
import os
import pathlib
import sys

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
import numpy as np  # noqa: E402
from jax import lax  # noqa: E402
from jax.sharding import NamedSharding, PartitionSpec as P  # noqa: E402

MESH = jax.sharding.Mesh(np.array(jax.devices()).reshape(2, 2), ("a", "b"))
random = np.random.default_rng(5)


def normal(*shape):
    return jnp.asarray(random.standard_normal(shape), jnp.float32)


def by_device(function, inputs, outputs):
    """Returns a function partitioned by shard_map: `function` is what each device computes."""
    return jax.jit(jax.shard_map(function, mesh=MESH, in_specs=inputs, out_specs=outputs, check_vma=False))


def whole(function, inputs):
    """Returns a function partitioned by jit: `function` is the whole computation, and XLA divides it among the devices."""
    return jax.jit(function, in_shardings=tuple(NamedSharding(MESH, spec) for spec in inputs))


def collectives(x, w):
    y = lax.all_gather(lax.psum(x @ w, "b"), "a", axis=1, tiled=True)
    z = lax.ppermute(lax.psum_scatter(y, "b", scatter_dimension=1, tiled=True), "b", [(0, 1), (1, 0)])
    return z + lax.axis_index("a").astype(z.dtype)


def exchanges(x):
    y = lax.all_to_all(x, "b", split_axis=1, concat_axis=0, tiled=True)
    return jnp.exp(y - lax.pmax(y, ("a", "b"))) / lax.pmean(jnp.abs(y), "a")


def rounds(x):
    """Passes a value around a ring of devices, in a loop."""
    def step(carried, _):
        here, total = carried
        here = lax.ppermute(here, "b", [(0, 1), (1, 0)])
        return (here, total + here * here), lax.psum(here, "a")
    (_, total), each = lax.scan(step, (x, jnp.zeros_like(x)), None, length=5)
    return total, each


def layer(x, w1, w2):
    return x + jax.nn.gelu(x @ w1) @ w2


def train(w, x, y):
    loss, gradient = jax.value_and_grad(lambda w: jnp.mean((jnp.tanh(x @ w) - y) ** 2))(w)
    return loss, w - 0.1 * gradient


PROGRAMS = {
    "collectives": (by_device(collectives, (P("a", "b"), P("b", None)), P("a", "b")), normal(4, 8), normal(8, 4)),
    "exchanges": (by_device(exchanges, P("a", "b"), P("a", "b")), normal(6, 8)),
    "rounds": (by_device(rounds, P("a", "b"), (P("a", "b"), P(None, None, "b"))), normal(4, 6)),
    "layer": (whole(layer, (P("a", None), P(None, "b"), P("b", None))), normal(6, 16), normal(16, 32), normal(32, 16)),
    "train": (whole(train, (P(), P(("a", "b"), None), P(("a", "b"), None))), normal(12, 5), normal(16, 12), normal(16, 5)),
}


def pieces(arrays, shardings=None):
    """Returns the arrays' pieces on each device, in the order of the devices' numbers."""
    placed = [jax.device_put(a, s) for a, s in zip(arrays, shardings)] if shardings else jax.tree.leaves(arrays)
    numbered = [{shard.device.id: np.asarray(shard.data) for shard in array.addressable_shards} for array in placed]
    return [[each[device.id] for each in numbered] for device in jax.devices()]


folder = pathlib.Path(sys.argv[1])
for name, (function, *arguments) in PROGRAMS.items():
    compiled = function.lower(*arguments).compile()
    (folder / f"partitioned_{name}.hlo").write_text(compiled.as_text())
    values = {f"arg_{device}_{i}": value for device, each in enumerate(pieces(arguments, jax.tree.leaves(compiled.input_shardings[0])))
              for i, value in enumerate(each)}
    values |= {f"result_{device}_{i}": value for device, each in enumerate(pieces(function(*arguments))) for i, value in enumerate(each)}
    np.savez(folder / f"partitioned_{name}.npz", **values)
