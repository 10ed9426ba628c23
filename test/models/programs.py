"""The programs that the tests compile: for each name a function and its arguments, as a JAX user would write them.

SEED (environment) draws other inputs, SCALE multiplies the sizes of the llama programs.
"""
import os

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

SEED = int(os.environ.get("SEED", "7"))
SCALE = int(os.environ.get("SCALE", "1"))
PROGRAMS = {}  # name -> function that takes a Draw and returns (function, arguments)


class Draw:
    """Draws reproducible inputs. Each program has its own generator, so its inputs don't depend on which other programs are made."""

    def __init__(self, name):
        self.generator = np.random.default_rng([SEED, *name.encode()])

    def normal(self, *shape, dtype="float32", scale=1.0):
        return jnp.asarray(self.generator.standard_normal(shape, np.float32) * np.float32(scale), dtype)

    def tokens(self, count, vocabulary):
        return jnp.asarray(self.generator.integers(0, vocabulary, (count,)), jnp.int32)


def program(make):
    PROGRAMS[make.__name__] = make
    return make


def sgd(loss):
    """Returns a training step of gradient descent, which computes the loss and the updated weights."""

    def step(weights, *data):
        value, gradients = jax.value_and_grad(loss)(weights, *data)
        return value, jax.tree.map(lambda weight, gradient: weight - 0.1 * gradient, weights, gradients)

    return step


def cross_entropy(logits, labels):
    return -jnp.mean(jnp.take_along_axis(jax.nn.log_softmax(logits), labels[:, None], axis=1))


# A row vector times a weight matrix. The weight's contracting dimension is its first, as in most models, or its last, as in checkpoints.


def row_times_weight(dtype, contracted, width=512):
    def ramp(limit, count):
        return np.linspace(-limit, limit, count, dtype=np.float32)

    row = jnp.asarray(ramp(1.0, width)[None], dtype)
    weight = ramp(0.75, width * width).reshape(width, width)
    weight = weight if contracted == 1 else np.ascontiguousarray(weight.T)

    def multiply(x, w):
        return lax.dot_general(x, w, (((1,), (contracted,)), ((), ())))

    return multiply, (row, jnp.asarray(weight, dtype))


for _order, _contracted in (("canonical", 0), ("checkpoint", 1)):
    for _short, _dtype in (("f32", "float32"), ("bf16", "bfloat16")):
        PROGRAMS[f"dot_{_order}_{_short}"] = lambda draw, t=_dtype, c=_contracted: row_times_weight(t, c)


# fp8 matrix products. The scales aren't powers of two, so a rounding that a compiler skips shows in the result.


def scaled_matmul(draw, activation=None, amax=False, bias=False, clamp=True, through="bfloat16"):
    f8, wide = jnp.float8_e4m3fn, jnp.dtype(through)
    largest = 448  # the largest float8_e4m3fn

    def multiply(a, b, scale_a, scale_b, scale_d, *biases):
        lhs = a.astype(wide) * scale_a.astype(wide)
        rhs = b.astype(wide) * scale_b.astype(wide)
        d = lax.dot(lhs, rhs.T)
        if bias:
            d = d + biases[0].astype(wide)
        if activation is not None:
            d = activation(d)
        peak = jnp.max(jnp.abs(d)).astype(jnp.float32) if amax else None
        d = d * scale_d.astype(wide)
        if clamp:
            d = lax.clamp(wide.type(-largest), d, wide.type(largest))
        return (d.astype(f8), peak) if amax else d.astype(f8)

    arguments = [draw.normal(32, 64).astype(f8), draw.normal(128, 64).astype(f8)]
    arguments += [jnp.float32(scale) for scale in (0.37, 1.7, 0.21)]
    return multiply, (*arguments, *([draw.normal(128, dtype="bfloat16")] if bias else []))


for _name, _options in {
    "": {},
    "_relu": dict(activation=jax.nn.relu),
    "_relu_amax": dict(activation=jax.nn.relu, amax=True),
    "_amax": dict(amax=True),
    "_gelu": dict(activation=jax.nn.gelu),
    "_bias_gelu_amax": dict(activation=jax.nn.gelu, amax=True, bias=True),
    "_f32_dequantize": dict(through="float32"),
    "_no_clamp": dict(clamp=False),
}.items():
    PROGRAMS[f"fp8_scaled_matmul{_name}"] = lambda draw, o=_options: scaled_matmul(draw, **o)


@program
def fp8_matmul_plain(draw):
    def multiply(a, b):
        return lax.dot(a, b, preferred_element_type=jnp.float8_e5m2)

    return multiply, (draw.normal(128, 128).astype(jnp.float8_e4m3fn), draw.normal(128, 128).astype(jnp.float8_e5m2))


# Attention with fewer key and value heads than query heads.


@program
def gqa_dot_general_f16(draw):
    def weigh(probabilities, values):
        return lax.dot_general(probabilities, values, (((3, 4), (0, 3)), ((0, 1), (1, 2))))

    return weigh, (draw.normal(2, 1, 32, 4, 128, dtype="float16"), draw.normal(4, 2, 1, 128, 128, dtype="float16", scale=0.1))


@program
def gqa_attention_bf16(draw):
    def attend(query, key, value):
        return jax.nn.dot_product_attention(query, key, value, is_causal=True, implementation="xla")

    return attend, tuple(draw.normal(2, 32, heads, 64, dtype="bfloat16") for heads in (8, 2, 2))


# Small networks.


@program
def mlp_train_step(draw):
    def loss(layers, x, target):
        for weight, bias in layers[:-1]:
            x = jax.nn.relu(x @ weight + bias)
        weight, bias = layers[-1]
        return jnp.mean((x @ weight + bias - target) ** 2)

    widths = (32, 64, 64, 8)
    layers = [(draw.normal(i, o, scale=0.1), draw.normal(o, scale=0.1)) for i, o in zip(widths, widths[1:])]
    return sgd(loss), (layers, draw.normal(16, 32), draw.normal(16, 8))


def convolve(x, weight, stride):
    return lax.conv_general_dilated(x, weight, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def classify(x, first, second, dense):
    """Two convolutions with pooling between them, then the mean over the image and a dense layer."""
    x = jax.nn.relu(convolve(x, first, 2))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jax.nn.relu(convolve(x, second, 1)).mean((1, 2)) @ dense


def classifier_weights(draw):
    return [draw.normal(3, 3, 3, 16, scale=0.2), draw.normal(3, 3, 16, 32, scale=0.1), draw.normal(32, 10, scale=0.2)]


@program
def cnn_infer(draw):
    def infer(x, first, second, dense):
        return jax.nn.softmax(classify(x, first, second, dense))

    return infer, (draw.normal(2, 32, 32, 3), *classifier_weights(draw))


@program
def cnn_train_step(draw):
    def loss(weights, x, labels):
        return cross_entropy(classify(x, *weights), labels)

    return sgd(loss), (classifier_weights(draw), draw.normal(4, 32, 32, 3), jnp.asarray([1, 2, 3, 4], jnp.int32))


@program
def lstm_scan(draw):
    def run(inputs, hidden, cell, weight, bias):
        def step(state, x):
            hidden, cell = state
            gates = jnp.concatenate([x, hidden], axis=-1) @ weight + bias
            enter, forget, leave, update = jnp.split(gates, 4, axis=-1)
            cell = jax.nn.sigmoid(forget) * cell + jax.nn.sigmoid(enter) * jnp.tanh(update)
            hidden = jax.nn.sigmoid(leave) * jnp.tanh(cell)
            return (hidden, cell), hidden

        return lax.scan(step, (hidden, cell), inputs)

    return run, (draw.normal(7, 3, 8), draw.normal(3, 16), draw.normal(3, 16), draw.normal(24, 64, scale=0.2), draw.normal(64))


@program
def vit_block(draw):
    batch, patches, width, heads = 2, 16, 32, 4
    head = width // heads

    def normalize(x, gain, shift):
        mean = x.mean(-1, keepdims=True)
        variance = ((x - mean) ** 2).mean(-1, keepdims=True)
        return (x - mean) * lax.rsqrt(variance + 1e-6) * gain + shift

    def block(image, patch, gain, shift, qkv, output, up, down):
        x = lax.conv_general_dilated(image, patch, (8, 8), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"))
        x = x.reshape(batch, patches, width)
        joined = (normalize(x, gain, shift) @ qkv).reshape(batch, patches, 3, heads, head)
        query, key, value = (part[:, :, 0] for part in jnp.split(joined, 3, axis=2))
        scores = jax.nn.softmax(jnp.einsum("bqhd,bkhd->bhqk", query, key) / np.sqrt(head))
        x = x + jnp.einsum("bhqk,bkhd->bqhd", scores, value).reshape(batch, patches, width) @ output
        return x + jax.nn.gelu(normalize(x, gain, shift) @ up, approximate=False) @ down

    shapes = ((width, 3 * width), (width, width), (width, 4 * width), (4 * width, width))
    return block, (draw.normal(batch, 32, 32, 3), draw.normal(8, 8, 3, width, scale=0.1), draw.normal(width),
                   draw.normal(width), *(draw.normal(*shape, scale=0.2) for shape in shapes))


# Llama-like language models.

HEADS, KV_HEADS, HEAD_WIDTH = 4, 2, 16 * SCALE
WIDTH, HIDDEN, VOCABULARY, LAYERS = 64 * SCALE, 128 * SCALE, 256 * SCALE, 2 * SCALE


def llama_weights(draw, dtype):
    shapes = {"q": (WIDTH, HEADS * HEAD_WIDTH), "k": (WIDTH, KV_HEADS * HEAD_WIDTH), "v": (WIDTH, KV_HEADS * HEAD_WIDTH),
              "o": (HEADS * HEAD_WIDTH, WIDTH), "w1": (WIDTH, HIDDEN), "w3": (WIDTH, HIDDEN), "w2": (HIDDEN, WIDTH)}

    def layer():
        drawn = {name: draw.normal(*shape, dtype=dtype, scale=0.1) for name, shape in shapes.items()}
        return drawn | {"g1": jnp.ones((WIDTH,), dtype), "g2": jnp.ones((WIDTH,), dtype)}

    return {"emb": draw.normal(VOCABULARY, WIDTH, dtype=dtype, scale=0.1),
            "out": draw.normal(WIDTH, VOCABULARY, dtype=dtype, scale=0.1),
            "g": jnp.ones((WIDTH,), dtype), "layers": [layer() for _ in range(LAYERS)]}


def rms_normalize(x, gain):
    return x * lax.rsqrt(jnp.mean(x * x, -1, keepdims=True) + 1e-6) * gain


def rotate(x, positions):
    half = x.shape[-1] // 2
    angles = positions[:, None, None] / (10000 ** (jnp.arange(half) / half))
    cosine, sine = jnp.cos(angles).astype(x.dtype), jnp.sin(angles).astype(x.dtype)
    return jnp.concatenate([x[..., :half] * cosine - x[..., half:] * sine,
                            x[..., :half] * sine + x[..., half:] * cosine], -1)


def heads_of(layer, x, positions):
    rows = x.shape[0]
    h = rms_normalize(x, layer["g1"])
    return (rotate((h @ layer["q"]).reshape(rows, HEADS, HEAD_WIDTH), positions),
            rotate((h @ layer["k"]).reshape(rows, KV_HEADS, HEAD_WIDTH), positions),
            (h @ layer["v"]).reshape(rows, KV_HEADS, HEAD_WIDTH))


def gated_mlp(layer, x):
    h = rms_normalize(x, layer["g2"])
    return x + (jax.nn.silu(h @ layer["w1"]) * (h @ layer["w3"])) @ layer["w2"]


def prefill(weights, tokens):
    """Returns the logits of a whole prompt."""
    x = weights["emb"][tokens]
    positions = jnp.arange(x.shape[0])
    for layer in weights["layers"]:
        query, key, value = heads_of(layer, x, positions)
        seen = jax.nn.dot_product_attention(query[None], key[None], value[None], is_causal=True, implementation="xla")[0]
        x = gated_mlp(layer, x + seen.reshape(x.shape[0], HEADS * HEAD_WIDTH) @ layer["o"])
    return rms_normalize(x, weights["g"]) @ weights["out"]


def decode(weights, cache, position, tokens):
    """Returns the likeliest next token, with keys and values kept for the next step."""
    x = weights["emb"][tokens]
    batch, kept = x.shape[0], []
    for layer, (keys, values) in zip(weights["layers"], cache):
        query, key, value = heads_of(layer, x, jnp.full((batch,), position))
        keys = lax.dynamic_update_slice(keys, key[:, None], (0, position, 0, 0))
        values = lax.dynamic_update_slice(values, value[:, None], (0, position, 0, 0))
        visible = (jnp.arange(keys.shape[1]) <= position)[None, None, None]
        seen = jax.nn.dot_product_attention(query[:, None], keys, values, mask=visible, implementation="xla")[:, 0]
        x = gated_mlp(layer, x + seen.reshape(batch, HEADS * HEAD_WIDTH) @ layer["o"])
        kept.append((keys, values))
    return jnp.argmax(rms_normalize(x, weights["g"]) @ weights["out"], -1), kept


@program
def llama_prefill_f32(draw):
    return prefill, (llama_weights(draw, "float32"), draw.tokens(12, VOCABULARY))


@program
def llama_prefill_bf16(draw):
    return prefill, (llama_weights(draw, "bfloat16"), draw.tokens(12, VOCABULARY))


@program
def llama_decode_f32(draw):
    def rows():
        return draw.normal(1, 16, KV_HEADS, HEAD_WIDTH)

    cache = [(rows(), rows()) for _ in range(LAYERS)]
    return decode, (llama_weights(draw, "float32"), cache, jnp.int32(5), draw.tokens(1, VOCABULARY))


@program
def llama_train_step_f32(draw):
    def loss(weights, tokens):
        return cross_entropy(prefill(weights, tokens[:-1]), tokens[1:])

    return sgd(loss), (llama_weights(draw, "float32"), draw.tokens(13, VOCABULARY))


# Loops, sorting, random numbers, routing.


@program
def sample_tokens(draw):
    def sample(key, logits):
        values, indices = lax.top_k(logits, 20)
        chosen = jax.random.categorical(key, values, axis=-1)
        return (jnp.take_along_axis(indices, chosen[:, None], 1)[:, 0], jnp.sort(logits, axis=-1),
                jax.random.normal(key, (5, 3)), jax.random.randint(key, (4,), 0, 100))

    return sample, (jax.random.PRNGKey(3), draw.normal(4, 200))


@program
def moe_route(draw):
    tokens, experts, width, capacity, chosen = 16, 4, 8, 16, 2

    def route(x, gate, expert_weights):
        shares, picked = lax.top_k(jax.nn.softmax(x @ gate), chosen)
        buffers = jnp.zeros((experts, capacity, width))
        # A token's position in its expert's buffer is the number of earlier tokens that chose the expert.
        earlier = jnp.cumsum(jax.nn.one_hot(picked.reshape(-1), experts, dtype=jnp.int32), 0)
        order = earlier[jnp.arange(tokens * chosen), picked.reshape(-1)] - 1
        buffers = buffers.at[picked.reshape(-1), order].add(jnp.repeat(x, chosen, 0), mode="drop")
        computed = jnp.einsum("ecd,edf->ecf", buffers, expert_weights)
        back = computed[picked.reshape(-1), jnp.minimum(order, capacity - 1)].reshape(tokens, chosen, -1)
        return (back * shares[..., None]).sum(1)

    return route, (draw.normal(tokens, width), draw.normal(width, experts), draw.normal(experts, width, width, scale=0.3))


@program
def newton_while(draw):
    def square_roots(a):
        def unfinished(state):
            root, steps = state
            return (jnp.abs(root**2 - a).max() > 1e-4) & (steps < 50)

        def improve(state):
            root, steps = state
            return 0.5 * (root + a / root), steps + 1

        return lax.while_loop(unfinished, improve, (a, 0))

    return square_roots, (jnp.asarray([2.0, 9.0, 144.0]),)
