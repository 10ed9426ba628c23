"""Trains a small network on Drumlin to tell which arm of a spiral a point is on:   python train_mlp.py"""
import jax
import jax.numpy as jnp
import numpy as np

ARMS, WIDTHS, STEPS = 3, (2, 64, 64, 3), 500


def spiral(generator, points):
    """Returns points of all arms, and the arm of each."""
    arm, distance = generator.integers(0, ARMS, points), generator.uniform(0.1, 1, points)
    angle = 2 * np.pi * arm / ARMS + 4 * distance + generator.normal(size=points) * 0.1
    return np.stack([distance * np.cos(angle), distance * np.sin(angle)], axis=1).astype(np.float32), arm


def initial(key):
    return [(jax.random.normal(key, (inputs, outputs)) * (2 / inputs) ** 0.5, jnp.zeros(outputs))
            for key, inputs, outputs in zip(jax.random.split(key, len(WIDTHS) - 1), WIDTHS, WIDTHS[1:])]


def forward(layers, x):
    for weight, bias in layers[:-1]:
        x = jax.nn.relu(x @ weight + bias)
    weight, bias = layers[-1]
    return x @ weight + bias


def loss(layers, x, arm):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(forward(layers, x)), arm[:, None], axis=1))


@jax.jit
def step(layers, momentum, x, arm):
    value, gradients = jax.value_and_grad(loss)(layers, x, arm)
    momentum = jax.tree.map(lambda m, g: 0.9 * m + g, momentum, gradients)
    return jax.tree.map(lambda w, m: w - 0.1 * m, layers, momentum), momentum, value


def main():
    print("device:", jax.devices()[0].device_kind)
    generator = np.random.default_rng(0)
    layers = jax.jit(initial)(jax.random.key(0))
    momentum = jax.tree.map(jnp.zeros_like, layers)
    for number in range(1, STEPS + 1):
        layers, momentum, value = step(layers, momentum, *spiral(generator, 256))
        if number % 100 == 0:
            print(f"step {number}  loss {float(value):.3f}")
    x, arm = spiral(generator, 1000)
    right = np.mean(np.argmax(jax.jit(forward)(layers, x), axis=1) == arm)
    print(f"right: {right:.1%} of points that it hasn't seen")


main()
