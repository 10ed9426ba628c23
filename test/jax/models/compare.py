"""Runs a model on two backends of one process: Drumlin's backend, and jaxlib's CPU backend, which gives the expected numbers."""
import dataclasses
import typing

import jax
import jax.numpy as jnp
import numpy as np
import optax

STEPS = 50
BATCHES = 4  # training repeats these batches


@dataclasses.dataclass
class Model:
    weights: typing.Any
    forward: typing.Callable  # (weights, state, *inputs): the outputs of inference
    loss: typing.Callable     # (weights, state, batch, key): the loss, and the next state
    batch: typing.Callable    # (generator): the arrays of a batch
    optimizer: optax.GradientTransformation
    state: typing.Any = ()    # values that training carries along and no gradient changes
    inputs: int = 1           # number of a batch's arrays that are inputs of inference
    tolerance: float = 2e-5   # relative tolerance of losses (see test_training)


def initial(make):
    """Returns the result of `make`, computed on jaxlib's backend as one program."""
    with jax.default_device(jax.devices("cpu")[0]):
        return jax.tree.map(np.array, jax.jit(make)())


def put(platform, tree):
    return jax.device_put(tree, jax.devices(platform)[0])


def get(tree):
    return [np.asarray(leaf).astype(np.float64) for leaf in jax.tree.leaves(tree)]


def cast(tree, dtype):
    return jax.tree.map(lambda leaf: jnp.asarray(leaf, dtype) if jnp.issubdtype(leaf.dtype, jnp.floating) else leaf, tree)


def infer(platform, model, dtype=jnp.float32):
    inputs = model.batch(np.random.default_rng(7))[:model.inputs]
    arguments = put(platform, cast((model.weights, model.state, *inputs), dtype))
    outputs = jax.jit(model.forward)(*arguments)
    assert all(leaf.devices() == {jax.devices(platform)[0]} for leaf in jax.tree.leaves(outputs))
    return get(outputs)


def distance(some, others):
    """Returns the norm of `some - others`, divided by the norm of `others`."""
    difference = sum(np.sum((a - b) ** 2) for a, b in zip(some, others, strict=True))
    return float(np.sqrt(difference / sum(np.sum(b**2) for b in others)))


def make_step(model):
    def step(weights, state, optimizer, batch, key):
        (loss, state), gradients = jax.value_and_grad(model.loss, has_aux=True)(weights, state, batch, key)
        updates, optimizer = model.optimizer.update(gradients, optimizer, weights)
        return optax.apply_updates(weights, updates), state, optimizer, loss

    return jax.jit(step, donate_argnums=(0, 1, 2))


def start(platform, model, weights):
    """Returns copies of a training step's arguments, since the step donates its arguments."""
    batches = [put(platform, model.batch(np.random.default_rng(seed))) for seed in range(BATCHES)]
    keys = put(platform, list(jax.random.split(jax.random.key(5), STEPS)))
    optimizer = initial(lambda: model.optimizer.init(weights))
    return [put(platform, jax.tree.map(np.array, tree)) for tree in (weights, model.state, optimizer)], batches, keys


def train(platform, model, step, weights):
    """Returns the losses of all steps, and the final weights and state."""
    carried, batches, keys = start(platform, model, weights)
    first = jax.tree.leaves(carried[0])
    losses = []
    for number in range(STEPS):
        *carried, loss = step(*carried, batches[number % BATCHES], keys[number])
        losses.append(loss)
    assert all(leaf.is_deleted() for leaf in first)
    return np.array([float(loss) for loss in losses]), get(carried[:2])


def nudged(weights):
    """Returns each weight changed by about half a unit in its last place, up or down."""
    generator = np.random.default_rng(3)
    return jax.tree.map(lambda leaf: np.asarray(leaf * (1 + generator.choice([-1, 1], leaf.shape) * 2.0**-23), leaf.dtype), weights)
