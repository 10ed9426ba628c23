"""Trains a tiny transformer on a text for some seconds and lets it continue the text, letter by letter:   python generate_text.py [FILE]"""
import pathlib
import sys

import jax
import jax.numpy as jnp
import numpy as np

LENGTH, WIDTH, HEADS, LAYERS, STEPS = 32, 64, 4, 2, 800
text = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2] / "README.md").read_text()
letters, generator = sorted(set(text)), np.random.default_rng(0)
corpus = np.array([letters.index(letter) for letter in text], np.int32)


def forward(weights, tokens):
    """Returns the logits of the letter after each letter of tokens[row, LENGTH]."""
    embedding, positions, layers = weights
    x = embedding[tokens] + positions
    for mix, out, up, down in layers:
        query, key, value = jnp.split((jax.nn.standardize(x) @ mix).reshape(*tokens.shape, 3 * HEADS, WIDTH // HEADS), 3, axis=2)
        x += jax.nn.dot_product_attention(query, key, value, is_causal=True).reshape(x.shape) @ out
        x += jax.nn.gelu(jax.nn.standardize(x) @ up) @ down
    return jax.nn.standardize(x) @ embedding.T


def loss(weights, rows):
    logits = jax.nn.log_softmax(forward(weights, rows[:, :-1]))
    return -jnp.mean(jnp.take_along_axis(logits, rows[:, 1:, None], axis=-1))


@jax.jit
def step(weights, momentum, rows):
    """Makes a step of Lion (Chen et al. 2023): each weight moves by a fixed amount; its momentum and gradient give the direction."""
    value, gradients = jax.value_and_grad(loss)(weights, rows)
    weights = jax.tree.map(lambda w, m, g: w - 1e-3 * jnp.sign(0.9 * m + 0.1 * g), weights, momentum, gradients)
    return weights, jax.tree.map(lambda m, g: 0.98 * m + 0.02 * g, momentum, gradients), value


@jax.jit
def write(weights, key, begin):
    """Returns letters that follow begin[LENGTH], each drawn from the model's distribution."""
    def one(seen, key):
        last = jax.random.categorical(key, forward(weights, seen[None])[0, -1] / 0.7).astype(seen.dtype)
        return jnp.append(seen[1:], last), last

    return jax.lax.scan(one, begin, jax.random.split(key, 200))[1]


print("device:", jax.devices()[0].device_kind)
shapes = [(len(letters), WIDTH), (LENGTH, WIDTH), [[(WIDTH, 3 * WIDTH), (WIDTH, WIDTH), (WIDTH, 4 * WIDTH), (4 * WIDTH, WIDTH)]] * LAYERS]
draw = lambda shape: generator.normal(0, shape[0] ** -0.5, shape).astype(np.float32)
weights = jax.tree.map(draw, shapes, is_leaf=lambda shape: isinstance(shape, tuple))
momentum = jax.tree.map(jnp.zeros_like, weights)
for number in range(1, STEPS + 1):
    rows = corpus[generator.integers(0, len(corpus) - LENGTH, (16, 1)) + np.arange(LENGTH + 1)]
    weights, momentum, value = step(weights, momentum, rows)
    if number % 100 == 0:
        print(f"step {number}  loss {float(value):.3f} nats a letter")
print("".join(letters[token] for token in write(weights, jax.random.key(1), corpus[:LENGTH])))
