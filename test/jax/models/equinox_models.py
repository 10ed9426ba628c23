"""Equinox: a diffusion model's U-Net, a selective state-space model like Mamba, and a mixture of experts with ragged dots."""
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax

from compare import Model, initial


class Residual(eqx.Module):
    norm1: eqx.nn.GroupNorm
    norm2: eqx.nn.GroupNorm
    conv1: eqx.nn.Conv2d
    conv2: eqx.nn.Conv2d
    time: eqx.nn.Linear
    skip: eqx.nn.Conv2d

    def __init__(self, inside, outside, key):
        keys = jax.random.split(key, 4)
        self.norm1, self.norm2 = eqx.nn.GroupNorm(4, inside), eqx.nn.GroupNorm(4, outside)
        self.conv1 = eqx.nn.Conv2d(inside, outside, 3, padding=1, key=keys[0])
        self.conv2 = eqx.nn.Conv2d(outside, outside, 3, padding=1, key=keys[1])
        self.time = eqx.nn.Linear(32, outside, key=keys[2])
        self.skip = eqx.nn.Conv2d(inside, outside, 1, key=keys[3])

    def __call__(self, x, time):
        y = self.conv1(jax.nn.silu(self.norm1(x))) + self.time(time)[:, None, None]
        return self.skip(x) + self.conv2(jax.nn.silu(self.norm2(y)))


class UNet(eqx.Module):
    first: eqx.nn.Conv2d
    down: list
    shrink: eqx.nn.Conv2d
    attention: eqx.nn.MultiheadAttention
    grow: eqx.nn.ConvTranspose2d
    up: Residual
    last: eqx.nn.Conv2d
    time: eqx.nn.MLP

    def __init__(self, key):
        keys = jax.random.split(key, 8)
        self.first = eqx.nn.Conv2d(1, 8, 3, padding=1, key=keys[0])
        self.down = [Residual(8, 8, keys[1]), Residual(16, 16, keys[2])]
        self.shrink = eqx.nn.Conv2d(8, 16, 3, 2, padding=1, key=keys[3])
        self.attention = eqx.nn.MultiheadAttention(2, 16, key=keys[4])
        self.grow = eqx.nn.ConvTranspose2d(16, 8, 4, 2, padding=1, key=keys[5])
        self.up = Residual(16, 8, keys[6])
        self.last = eqx.nn.Conv2d(8, 1, 3, padding=1, key=keys[7])
        self.time = eqx.nn.MLP(16, 32, 32, 1, jax.nn.silu, key=keys[7])

    def __call__(self, x, time):
        """Predicts the noise in an image of [1, rows, columns] at a time from 0 to 1."""
        angles = time * jnp.exp2(jnp.arange(8, dtype=x.dtype))
        time = self.time(jnp.concatenate([jnp.sin(angles), jnp.cos(angles)]))
        kept = self.down[0](self.first(x), time)
        y = self.down[1](self.shrink(kept), time)
        tokens = y.reshape(16, -1).T
        y += self.attention(tokens, tokens, tokens).T.reshape(y.shape)
        return self.last(self.up(jnp.concatenate([kept, self.grow(y)]), time))


def stripes(generator):
    """Returns images of waves, and times."""
    direction = generator.normal(size=(8, 2, 1, 1))
    grid = np.mgrid[:16, :16] / 8
    return np.sin(3 * (direction * grid).sum(axis=1, keepdims=True)).astype(np.float32), generator.uniform(size=8).astype(np.float32)


def split(make):
    """Returns the arrays of the module that `make` returns, and a function that rebuilds the module with other arrays."""
    _, rest = eqx.partition(eqx.filter_eval_shape(make), lambda leaf: isinstance(leaf, jax.ShapeDtypeStruct))
    return initial(lambda: eqx.filter(make(), eqx.is_array)), lambda arrays: eqx.combine(arrays, rest)


def diffusion():
    weights, join = split(lambda: UNet(jax.random.key(0)))

    def loss(weights, state, batch, key):
        images, time = batch
        noise = jax.random.normal(key, images.shape)
        signal = jnp.cos(time * jnp.pi / 2)[:, None, None, None]
        seen = signal * images + jnp.sqrt(1 - signal**2) * noise
        return jnp.mean((jax.vmap(join(weights))(seen, time) - noise) ** 2), state

    return Model(weights, lambda weights, state, x, time: jax.vmap(join(weights))(x, time), loss, stripes, optax.adam(2e-3, eps=1e-5), inputs=2)


WIDTH, INNER, STATES, VOCABULARY = 16, 32, 8, 24


class Selective(eqx.Module):
    norm: eqx.nn.RMSNorm
    inside: eqx.nn.Linear
    conv: eqx.nn.Conv1d
    choose: eqx.nn.Linear
    rate: eqx.nn.Linear
    decay: jax.Array
    direct: jax.Array
    outside: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 5)
        self.norm = eqx.nn.RMSNorm(WIDTH)
        self.inside = eqx.nn.Linear(WIDTH, 2 * INNER, use_bias=False, key=keys[0])
        self.conv = eqx.nn.Conv1d(INNER, INNER, 4, padding=((3, 0),), groups=INNER, key=keys[1])
        self.choose = eqx.nn.Linear(INNER, 2 + 2 * STATES, use_bias=False, key=keys[2])
        self.rate = eqx.nn.Linear(2, INNER, key=keys[3])
        self.decay = jnp.log(jnp.tile(jnp.arange(1.0, STATES + 1), (INNER, 1)))
        self.direct = jnp.ones(INNER)
        self.outside = eqx.nn.Linear(INNER, WIDTH, use_bias=False, key=keys[4])

    def __call__(self, x):
        """Applies the state-space layer to x[time, width]: a linear recurrence over time whose coefficients depend on x, computed by an
        associative scan."""
        y, gate = jnp.split(jax.vmap(self.inside)(jax.vmap(self.norm)(x)), 2, axis=-1)
        y = jax.nn.silu(self.conv(y.T).T)
        low, write, read = jnp.split(jax.vmap(self.choose)(y), [2, 2 + STATES], axis=-1)
        rate = jax.nn.softplus(jax.vmap(self.rate)(low))
        factor = jnp.exp(-rate[..., None] * jnp.exp(self.decay))
        term = (rate * y)[..., None] * write[:, None, :]
        _, states = jax.lax.associative_scan(lambda a, b: (a[0] * b[0], b[0] * a[1] + b[1]), (factor, term))
        y = jnp.einsum("tis,ts->ti", states, read) + self.direct * y
        return x + jax.vmap(self.outside)(y * jax.nn.silu(gate))


class StateSpace(eqx.Module):
    embedding: eqx.nn.Embedding
    layers: list
    norm: eqx.nn.RMSNorm

    def __init__(self, key):
        keys = jax.random.split(key, 3)
        self.embedding = eqx.nn.Embedding(VOCABULARY, WIDTH, key=keys[0])
        self.layers = [Selective(key) for key in keys[1:]]
        self.norm = eqx.nn.RMSNorm(WIDTH)

    def __call__(self, tokens):
        x = jax.vmap(self.embedding)(tokens)
        for layer in self.layers:
            x = layer(x)
        return jax.vmap(self.norm)(x) @ self.embedding.weight.T


def echoes(generator):
    """Returns rows that repeat their first eight tokens."""
    return np.tile(generator.integers(0, VOCABULARY, (8, 8)), (1, 4)).astype(np.int32),


def state_space():
    weights, join = split(lambda: StateSpace(jax.random.key(0)))

    def loss(weights, state, batch, key):
        logits = jax.vmap(join(weights))(batch[0])
        return optax.softmax_cross_entropy_with_integer_labels(logits[:, :-1], batch[0][:, 1:]).mean(), state

    return Model(weights, lambda weights, state, tokens: jax.vmap(join(weights))(tokens), loss, echoes, optax.adamw(3e-3, eps=1e-5))


EXPERTS = 4


class Ragged(eqx.Module):
    first: eqx.nn.Linear
    gate: eqx.nn.Linear
    up: jax.Array
    down: jax.Array
    last: eqx.nn.Linear

    def __init__(self, key):
        keys = jax.random.split(key, 5)
        self.first, self.last = eqx.nn.Linear(8, 32, key=keys[0]), eqx.nn.Linear(32, 4, key=keys[1])
        self.gate = eqx.nn.Linear(32, EXPERTS, use_bias=False, key=keys[2])
        self.up = jax.random.normal(keys[3], (EXPERTS, 32, 64)) / 32**0.5
        self.down = jax.random.normal(keys[4], (EXPERTS, 64, 32)) / 64**0.5

    def __call__(self, x):
        """x[token, width]: each token passes through two experts; an expert's tokens are contiguous, and none is dropped."""
        x = jax.vmap(self.first)(x)
        weight, chosen = jax.lax.top_k(jax.nn.softmax(jax.vmap(self.gate)(x)), 2)
        order = jnp.argsort(chosen.reshape(-1), stable=True)
        sizes = jnp.bincount(chosen.reshape(-1), length=EXPERTS)
        y = jax.lax.ragged_dot(x[order // 2], self.up, sizes)
        y = jax.lax.ragged_dot(jax.nn.silu(y), self.down, sizes)
        y *= weight.reshape(-1)[order][:, None]
        return jax.vmap(self.last)(x.at[order // 2].add(y))


def points(generator):
    """Returns points, and values computed by a different formula in each quadrant."""
    x = generator.normal(size=(32, 8)).astype(np.float32)
    quadrant = (x[:, :1] > 0) * 2 + (x[:, 1:2] > 0)
    return x, (np.sin(x[:, 2:6] * (1 + quadrant)) + quadrant).astype(np.float32)


def ragged_experts():
    weights, join = split(lambda: Ragged(jax.random.key(0)))

    def loss(weights, state, batch, key):
        return jnp.mean((join(weights)(batch[0]) - batch[1]) ** 2), state

    return Model(weights, lambda weights, state, x: join(weights)(x), loss, points, optax.adamw(3e-3, eps=1e-5))


MODELS = {"diffusion": diffusion, "state_space": state_space, "ragged_experts": ragged_experts}
