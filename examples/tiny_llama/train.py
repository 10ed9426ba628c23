"""Trains the model on one core in about twelve minutes: python train.py [STEPS]. Writes vocabulary.txt and model.safetensors."""
import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")
import sys
import time

import jax
import jax.numpy as jnp
import numpy as np

import model
import text
import weights as files

BATCH, LENGTH = 8, 256
PEAK_RATE, WARM_UP, DECAY = 4e-3, 100, 0.05


def initial_weights(generator):
    weights = {}
    for name, shape in model.weight_shapes().items():
        if name.endswith("norm"):
            weights[name] = np.ones(shape, np.float32)
            continue
        scale = 0.02 if name in ("embedding", "logits") else shape[0] ** -0.5
        if name.endswith((".output", ".down")):  # with this scale, the variance of the residual doesn't grow with the number of layers
            scale *= (2 * model.LAYERS) ** -0.5
        weights[name] = (generator.standard_normal(shape) * scale).astype(np.float32)
    return weights


def loss(weights, tokens):
    """Returns the mean cross-entropy, in nats per token, of tokens[batch, LENGTH + 1]."""
    logits = jax.vmap(lambda row: model.forward(weights, row))(tokens[:, :-1])
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), tokens[:, 1:, None], axis=-1))


@jax.jit
def step(weights, first, second, number, rate, tokens):
    """Makes one AdamW step (Loshchilov and Hutter 2019) with gradients clipped to norm 1."""
    value, gradients = jax.value_and_grad(loss)(weights, tokens)
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in gradients.values()))
    gradients = {n: g * jnp.minimum(1.0, 1.0 / norm) for n, g in gradients.items()}
    first = {n: 0.9 * first[n] + 0.1 * g for n, g in gradients.items()}
    second = {n: 0.99 * second[n] + 0.01 * g * g for n, g in gradients.items()}
    scale = jnp.sqrt(1 - 0.99**number) / (1 - 0.9**number)
    updated = {}
    for name, weight in weights.items():
        decayed = weight if weight.ndim == 1 else weight * (1 - rate * DECAY)
        updated[name] = decayed - rate * scale * first[name] / (jnp.sqrt(second[name]) + 1e-8)
    return updated, first, second, value


def main():
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 2200
    generator = np.random.default_rng(1)
    corpus = text.read_text()
    vocabulary = text.make_vocabulary(corpus, model.VOCABULARY)
    text.save_vocabulary(vocabulary)
    tokens = np.asarray(text.encode(corpus, vocabulary), np.int32)
    held_out = tokens[-len(tokens) // 50 :]
    tokens = tokens[: -len(held_out)]
    print(f"{len(corpus)} characters, {len(tokens)} tokens", flush=True)

    weights = initial_weights(generator)
    print(f"{sum(w.size for w in weights.values())} weights", flush=True)
    first = {n: np.zeros_like(w) for n, w in weights.items()}
    second = {n: np.zeros_like(w) for n, w in weights.items()}
    begin, mean = time.time(), 0.0
    for number in range(1, steps + 1):
        progress = max(0.0, (number - WARM_UP) / (steps - WARM_UP))
        rate = PEAK_RATE * min(1.0, number / WARM_UP) * (0.02 + 0.98 * 0.5 * (1 + np.cos(np.pi * progress)))
        starts = generator.integers(0, len(tokens) - LENGTH - 1, BATCH)
        batch = np.stack([tokens[s : s + LENGTH + 1] for s in starts])
        weights, first, second, value = step(weights, first, second, float(number), rate, batch)
        mean = float(value) if number == 1 else 0.95 * mean + 0.05 * float(value)
        if number % 50 == 0:
            print(f"step {number}/{steps}  loss {mean:.3f}  {time.time() - begin:.0f} s", flush=True)
        if number % 500 == 0 or number == steps:
            files.save(text.HERE / "model.safetensors", {n: np.asarray(weights[n]) for n in model.weight_shapes()})
    rows = len(held_out) // (LENGTH + 1)
    batch = held_out[: rows * (LENGTH + 1)].reshape(rows, LENGTH + 1)
    print(f"held-out loss {float(loss(weights, batch)):.3f} nats a token")


main()
