"""Flax: a residual network with batch statistics and a vision transformer (linen); a GPT that decodes with caches (nnx)."""
import jax
import jax.numpy as jnp
import numpy as np
import optax
from flax import linen as nn
from flax import nnx

from compare import Model, initial


def images(generator):
    """Returns sixteen images; the class determines which pixels are brighter."""
    labels = generator.integers(0, 10, 16)
    pixels = generator.normal(size=(16, 16, 16, 3)).astype(np.float32)
    pixels[np.arange(16), labels, :, 0] += 2
    return pixels, labels.astype(np.int32)


def cross_entropy(logits, labels):
    return optax.softmax_cross_entropy_with_integer_labels(logits, labels).mean()


class Block(nn.Module):
    features: int
    strides: int

    @nn.compact
    def __call__(self, x, train):
        def norm(**named):
            return nn.BatchNorm(use_running_average=not train, momentum=0.9, **named)

        y = nn.Conv(self.features, (3, 3), (self.strides, self.strides), use_bias=False)(x)
        y = nn.relu(norm()(y))
        y = nn.Conv(self.features, (3, 3), use_bias=False)(y)
        y = norm(scale_init=nn.initializers.constant(0.5))(y)
        if x.shape != y.shape:
            x = norm()(nn.Conv(self.features, (1, 1), (self.strides, self.strides), use_bias=False)(x))
        return nn.relu(x + y)


class ResNet(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.Conv(16, (3, 3), use_bias=False)(x)
        x = nn.relu(nn.BatchNorm(use_running_average=not train, momentum=0.9)(x))
        x = nn.max_pool(x, (3, 3), (2, 2), "SAME")
        for features, strides in (16, 1), (32, 2):
            x = Block(features, strides)(x, train)
        return nn.Dense(10)(x.mean(axis=(1, 2)))


def resnet():
    module = ResNet()
    variables = initial(lambda: module.init(jax.random.key(0), jnp.zeros((1, 16, 16, 3)), True))

    def loss(weights, state, batch, key):
        logits, changed = module.apply({"params": weights, "batch_stats": state}, batch[0], True, mutable=["batch_stats"])
        return cross_entropy(logits, batch[1]), changed["batch_stats"]

    return Model(variables["params"], lambda weights, state, x: module.apply({"params": weights, "batch_stats": state}, x, False), loss, images,
                 optax.sgd(optax.cosine_decay_schedule(0.03, 50), momentum=0.9, nesterov=True), variables["batch_stats"])


class Encoder(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x += nn.MultiHeadDotProductAttention(4, dropout_rate=0.1, deterministic=not train)(nn.LayerNorm()(x))
        y = nn.gelu(nn.Dense(64)(nn.LayerNorm()(x)))
        return x + nn.Dropout(0.1, deterministic=not train)(nn.Dense(x.shape[-1])(y))


class VisionTransformer(nn.Module):
    @nn.compact
    def __call__(self, x, train):
        x = nn.Conv(32, (4, 4), (4, 4), padding="VALID")(x)
        x = x.reshape(x.shape[0], -1, 32)
        token = self.param("token", nn.initializers.zeros, (1, 1, 32))
        x = jnp.concatenate([jnp.tile(token, (x.shape[0], 1, 1)), x], axis=1)
        x += self.param("position", nn.initializers.normal(0.02), (1, x.shape[1], 32))
        for _ in range(2):
            x = Encoder()(x, train)
        return nn.Dense(10)(nn.LayerNorm()(x)[:, 0])


def vision_transformer():
    module = VisionTransformer()
    variables = initial(lambda: module.init(jax.random.key(0), jnp.zeros((1, 16, 16, 3)), False))

    def loss(weights, state, batch, key):
        return cross_entropy(module.apply({"params": weights}, batch[0], True, rngs={"dropout": key}), batch[1]), state

    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adamw(2e-3, eps=1e-5))
    return Model(variables["params"], lambda weights, state, x: module.apply({"params": weights}, x, False), loss, images, optimizer)


VOCABULARY, LENGTH = 32, 24


class Layer(nnx.Module):
    def __init__(self, width, rngs):
        self.norm1, self.norm2 = nnx.LayerNorm(width, rngs=rngs), nnx.LayerNorm(width, rngs=rngs)
        self.attention = nnx.MultiHeadAttention(4, width, decode=False, rngs=rngs)
        self.up, self.down = nnx.Linear(width, 4 * width, rngs=rngs), nnx.Linear(4 * width, width, rngs=rngs)

    def __call__(self, x, mask, decode):
        x = x + self.attention(self.norm1(x), mask=mask, decode=decode)
        return x + self.down(nnx.gelu(self.up(self.norm2(x))))


class Gpt(nnx.Module):
    def __init__(self, width, rngs):
        self.tokens, self.positions = nnx.Embed(VOCABULARY, width, rngs=rngs), nnx.Embed(LENGTH, width, rngs=rngs)
        self.layers = nnx.List([Layer(width, rngs) for _ in range(2)])
        self.norm = nnx.LayerNorm(width, rngs=rngs)

    def __call__(self, tokens, position=None):
        """Returns the logits of whole rows or, if `position` is given, of one token per row, using the caches of earlier tokens."""
        decode = position is not None
        x = self.tokens(tokens) + self.positions(position if decode else jnp.arange(tokens.shape[1]))
        for layer in self.layers:
            x = layer(x, None if decode else nnx.make_causal_mask(tokens), decode)
        return self.tokens.attend(self.norm(x))


def sentences(generator):
    """Returns rows of tokens. Each token is computed from the previous one by one of two formulas, chosen at random."""
    tokens = np.empty((8, LENGTH), np.int32)
    tokens[:, 0] = generator.integers(0, VOCABULARY, 8)
    for i in range(1, LENGTH):
        tokens[:, i] = (tokens[:, i - 1] * 5 + generator.choice([1, 3], 8, p=[0.9, 0.1])) % VOCABULARY
    return tokens,


def gpt():
    definition, _ = nnx.split(nnx.eval_shape(lambda: Gpt(32, nnx.Rngs(0))), nnx.Param)
    weights = initial(lambda: nnx.state(Gpt(32, nnx.Rngs(0)), nnx.Param))

    def loss(weights, state, batch, key):
        logits = nnx.merge(definition, weights)(batch[0])
        return cross_entropy(logits[:, :-1], batch[0][:, 1:]), state

    return Model(weights, lambda weights, state, tokens: nnx.merge(definition, weights)(tokens), loss, sentences, optax.adamw(3e-3, eps=1e-5))


def generate(weights, prompt):
    """Returns a GPT's continuation of each row of the prompt: always the likeliest token, with caches of keys and values."""
    model = nnx.eval_shape(lambda: Gpt(32, nnx.Rngs(0)))
    for layer in model.layers:
        layer.attention.init_cache((prompt.shape[0], LENGTH, 32))
    definition, _, caches, rest = nnx.split(model, nnx.Param, nnx.Cache, ...)

    def step(carried):
        position, tokens, caches = carried
        model = nnx.merge(definition, weights, caches, rest)
        logits = model(jax.lax.dynamic_slice_in_dim(tokens, position, 1, axis=1), position[None])
        best = jnp.argmax(logits[:, 0], axis=-1).astype(tokens.dtype)
        given = tokens[:, position + 1]
        chosen = jnp.where(position + 1 < prompt.shape[1], given, best)
        return position + 1, tokens.at[:, position + 1].set(chosen), nnx.state(model, nnx.Cache)

    tokens = jnp.zeros((prompt.shape[0], LENGTH), prompt.dtype).at[:, :prompt.shape[1]].set(prompt)
    return jax.lax.while_loop(lambda carried: carried[0] < LENGTH - 1, step, (jnp.int32(0), tokens, caches))[1]


MODELS = {"resnet": resnet, "vision_transformer": vision_transformer, "gpt": gpt}
