"""The small llama-like model of this example: its sizes, the order of its weights, the forward pass of training, and the decoding step."""
import jax
import jax.numpy as jnp
from jax import lax

VOCABULARY = 512
LAYERS = 5
WIDTH = 128
HEADS = 4
KV_HEADS = 2
HEAD_WIDTH = 32
HIDDEN = 320
CONTEXT = 256  # positions that the cache holds

LAYER_SHAPES = {
    "attention_norm": (WIDTH,),
    "query": (WIDTH, HEADS * HEAD_WIDTH),
    "key": (WIDTH, KV_HEADS * HEAD_WIDTH),
    "value": (WIDTH, KV_HEADS * HEAD_WIDTH),
    "output": (HEADS * HEAD_WIDTH, WIDTH),
    "mlp_norm": (WIDTH,),
    "gate": (WIDTH, HIDDEN),
    "up": (WIDTH, HIDDEN),
    "down": (HIDDEN, WIDTH),
}


def weight_shapes():
    """Returns names and shapes of all weights, in the order of the exported programs' arguments."""
    shapes = {"embedding": (VOCABULARY, WIDTH)}
    for layer in range(LAYERS):
        shapes |= {f"layers.{layer}.{name}": shape for name, shape in LAYER_SHAPES.items()}
    return shapes | {"final_norm": (WIDTH,), "logits": (WIDTH, VOCABULARY)}


def normalize(x, gain):
    """Normalizes each row by its root mean square, and multiplies by a gain per column."""
    return x * lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + 1e-6) * gain


def rotate(x, positions):
    """Applies the rotary position embedding, which pairs the two halves of a head, to x[..., position, head, HEAD_WIDTH]."""
    half = HEAD_WIDTH // 2
    angle = positions[:, None, None] / (10000.0 ** (jnp.arange(half) / half))
    cosine, sine = jnp.cos(angle), jnp.sin(angle)
    low, high = x[..., :half], x[..., half:]
    return jnp.concatenate([low * cosine - high * sine, low * sine + high * cosine], axis=-1)


def mix(weights, layer, x):
    """Applies the gated MLP of one layer, with its residual."""
    w = lambda name: weights[f"layers.{layer}.{name}"]
    h = normalize(x, w("mlp_norm"))
    return x + (jax.nn.silu(h @ w("gate")) * (h @ w("up"))) @ w("down")


def project(weights, layer, h, positions):
    """Returns query, key and value heads of the normalized rows h[position, WIDTH]."""
    w = lambda name: weights[f"layers.{layer}.{name}"]
    rows = h.shape[0]
    query = rotate((h @ w("query")).reshape(rows, HEADS, HEAD_WIDTH), positions)
    key = rotate((h @ w("key")).reshape(rows, KV_HEADS, HEAD_WIDTH), positions)
    return query, key, (h @ w("value")).reshape(rows, KV_HEADS, HEAD_WIDTH)


def forward(weights, tokens):
    """Returns logits[position, VOCABULARY] of one sequence of tokens."""
    rows = tokens.shape[0]
    positions = jnp.arange(rows)
    x = weights["embedding"][tokens]
    for layer in range(LAYERS):
        h = normalize(x, weights[f"layers.{layer}.attention_norm"])
        query, key, value = project(weights, layer, h, positions)
        seen = jax.nn.dot_product_attention(query[None], key[None], value[None], is_causal=True)[0]
        x = x + seen.reshape(rows, HEADS * HEAD_WIDTH) @ weights[f"layers.{layer}.output"]
        x = mix(weights, layer, x)
    return normalize(x, weights["final_norm"]) @ weights["logits"]


def decode(weights, cache, position, token):
    """Makes one step: takes the token at `position`; returns the likeliest next token, the logits and the cache.

    cache: for each layer the keys and the values, each f32[1, CONTEXT, KV_HEADS, HEAD_WIDTH]. Rows past `position` are ignored.
    """
    x = weights["embedding"][token]
    grown = []
    for layer, (keys, values) in enumerate(cache):
        h = normalize(x, weights[f"layers.{layer}.attention_norm"])
        query, key, value = project(weights, layer, h, jnp.full((1,), position))
        keys = lax.dynamic_update_slice(keys, key[:, None], (0, position, 0, 0))
        values = lax.dynamic_update_slice(values, value[:, None], (0, position, 0, 0))
        visible = (jnp.arange(CONTEXT) <= position)[None, None, None]
        seen = jax.nn.dot_product_attention(query[:, None], keys, values, mask=visible)[:, 0]
        x = x + seen.reshape(1, HEADS * HEAD_WIDTH) @ weights[f"layers.{layer}.output"]
        x = mix(weights, layer, x)
        grown.append((keys, values))
    logits = normalize(x, weights["final_norm"]) @ weights["logits"]
    return jnp.argmax(logits, axis=-1).astype(jnp.int32), logits, grown
