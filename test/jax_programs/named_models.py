"""A transformer's encoder layer and a U-Net's block, each in a named scope: programs for which `--model-type` changes decisions."""
import jax
import jax.numpy as jnp
import numpy as np

EPSILON = 1e-5


def layer_norm(x, gain, shift):
    mean = jnp.mean(x, -1, keepdims=True)
    variance = jnp.mean((x - mean) ** 2, -1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + EPSILON) * gain + shift


def encoder_layer(x, weights, heads=4):
    batch, tokens, width = x.shape
    with jax.named_scope("encoder_layer"):
        with jax.named_scope("attention"):
            normed = layer_norm(x, *weights["norm1"])
            query, key, value = ((normed @ weights[name]).reshape(batch, tokens, heads, width // heads) for name in ("query", "key", "value"))
            scores = jnp.einsum("bqhd,bkhd->bhqk", query, key) / np.float32((width // heads) ** 0.5)
            mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), value).reshape(batch, tokens, width)
            x = x + mixed @ weights["output"]
        with jax.named_scope("mlp"):
            hidden = jax.nn.gelu(layer_norm(x, *weights["norm2"]) @ weights["up"] + weights["bias"])
            return x + hidden @ weights["down"]


def group_norm(x, gain, shift, groups=8):
    batch, height, width, features = x.shape
    grouped = x.reshape(batch, height, width, groups, features // groups)
    mean = grouped.mean((1, 2, 4), keepdims=True)
    variance = ((grouped - mean) ** 2).mean((1, 2, 4), keepdims=True)
    return ((grouped - mean) * jax.lax.rsqrt(variance + EPSILON)).reshape(x.shape) * gain + shift


def convolve(x, weight, stride=1):
    return jax.lax.conv_general_dilated(x, weight, (stride, stride), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))


def unet_block(x, weights):
    with jax.named_scope("unet_block"):
        skip = convolve(jax.nn.silu(group_norm(x, *weights["norm1"])), weights["first"])
        with jax.named_scope("down"):
            low = convolve(skip, weights["down"], 2)
            low = convolve(jax.nn.silu(group_norm(low, *weights["norm2"])), weights["middle"])
        with jax.named_scope("up"):
            batch, height, width, features = low.shape
            high = jax.image.resize(low, (batch, 2 * height, 2 * width, features), "nearest")
            both = jnp.concatenate([high, skip], -1)
            return convolve(jax.nn.silu(group_norm(both, *weights["norm3"])), weights["last"])


def draw(shapes):
    """Returns arrays of these shapes; weights are scaled so that dots keep the magnitude of their operands."""
    random = np.random.default_rng(5)

    def array(shape):
        terms = np.prod(shape[:-1]) if len(shape) in (2, 4) else 1
        return (random.standard_normal(shape) / np.sqrt(terms)).astype(np.float32)
    return jax.tree.map(array, shapes, is_leaf=lambda each: isinstance(each, tuple) and all(isinstance(size, int) for size in each))


def encoder_arguments(tokens=32, width=64, hidden=256):
    square, norm = (width, width), [(width,), (width,)]
    return draw([(1, tokens, width), {"norm1": norm, "norm2": norm, "query": square, "key": square, "value": square, "output": square,
                                      "up": (width, hidden), "bias": (hidden,), "down": (hidden, width)}])


def unet_arguments(size=16, features=16):
    def norm(count):
        return [(count,), (count,)]
    return draw([(1, size, size, features), {
        "norm1": norm(features), "norm2": norm(2 * features), "norm3": norm(3 * features), "first": (3, 3, features, features),
        "down": (3, 3, features, 2 * features), "middle": (3, 3, 2 * features, 2 * features), "last": (3, 3, 3 * features, features)}])
