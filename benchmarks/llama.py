"""Generates a llama of any size as JAX lowers it, with a weights file that takes no disk space:
`python -m benchmarks.llama FOLDER`.

The programs are a decode step and a prefill. Their layers are one after another (`unrolled`, as
from a Python loop) or a `while` over stacked weights (`stacked`, as from `lax.scan`). Weights have
the names, types and shapes of published checkpoints: a matrix has one row per output. The weights
file is sparse: its elements read as zeros, and its apparent size is that of the model."""
import argparse
import dataclasses
import json
import os
import pathlib
import struct

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
from jax import lax


@dataclasses.dataclass(frozen=True)
class Config:
    layers: int = 80
    width: int = 8192
    heads: int = 64
    kv_heads: int = 8
    hidden: int = 28672
    vocabulary: int = 32000
    context: int = 2048  # positions in the cache
    prompt: int = 128  # positions of a prefill
    dtype: str = "bfloat16"

    @property
    def head_width(self):
        return self.width // self.heads


LARGE = Config()  # 70 billion weights
SMALL = Config(layers=3, width=64, heads=4, kv_heads=2, hidden=96, vocabulary=96, context=16, prompt=12)


def weight_shapes(config, stacked=False):
    """Returns the arguments `model` and `lm_head`: trees of shapes, whose paths are the names in a
    checkpoint."""
    def array(*shape):
        return jax.ShapeDtypeStruct(shape, config.dtype)

    def matrix(*shape):
        return {"weight": array(*((config.layers,) if stacked else ()), *shape)}
    width, kv_width = config.width, config.kv_heads * config.head_width
    layer = {
        "input_layernorm": matrix(width),
        "self_attn": {"q_proj": matrix(width, width), "k_proj": matrix(kv_width, width), "v_proj": matrix(kv_width, width),
                      "o_proj": matrix(width, width)},
        "post_attention_layernorm": matrix(width),
        "mlp": {"gate_proj": matrix(config.hidden, width), "up_proj": matrix(config.hidden, width),
                "down_proj": matrix(width, config.hidden)}}
    embedding = {"weight": array(config.vocabulary, width)}
    return ({"embed_tokens": embedding, "layers": layer if stacked else [layer] * config.layers, "norm": {"weight": array(width)}},
            dict(embedding))


def cache_shapes(config, stacked=False):
    rows = (1, config.context, config.kv_heads, config.head_width)
    pair = tuple(jax.ShapeDtypeStruct((config.layers, *rows) if stacked else rows, config.dtype) for _ in range(2))
    return pair if stacked else [pair] * config.layers


def project(x, matrix):
    return lax.dot_general(x, matrix["weight"], (((x.ndim - 1,), (1,)), ((), ())))


def normalize(x, gain):
    wide = x.astype(jnp.float32)
    wide = wide * lax.rsqrt(jnp.mean(wide * wide, -1, keepdims=True) + 1e-5)
    return wide.astype(x.dtype) * gain["weight"]


def rotate(x, positions):
    half = x.shape[-1] // 2
    angle = positions[:, None, None] / (10000 ** (jnp.arange(half) / half))
    cosine, sine = jnp.cos(angle).astype(x.dtype), jnp.sin(angle).astype(x.dtype)
    low, high = x[..., :half], x[..., half:]
    return jnp.concatenate([low * cosine - high * sine, high * cosine + low * sine], -1)


def queries_keys_values(config, layer, x, positions):
    attention, rows = layer["self_attn"], x.shape[0]
    h = normalize(x, layer["input_layernorm"])
    query, key, value = (project(h, attention[f"{name}_proj"]).reshape(rows, -1, config.head_width) for name in "qkv")
    return rotate(query, positions), rotate(key, positions), value


def finish_layer(layer, x, seen):
    x = x + project(seen.reshape(x.shape), layer["self_attn"]["o_proj"])
    h, mlp = normalize(x, layer["post_attention_layernorm"]), layer["mlp"]
    return x + project(jax.nn.silu(project(h, mlp["gate_proj"])) * project(h, mlp["up_proj"]), mlp["down_proj"])


def prefill_layer(config, layer, x):
    query, key, value = queries_keys_values(config, layer, x, jnp.arange(x.shape[0]))
    seen = jax.nn.dot_product_attention(query[None], key[None], value[None], is_causal=True, implementation="xla")[0]
    return finish_layer(layer, x, seen)


def decode_layer(config, layer, x, keys, values, position):
    query, key, value = queries_keys_values(config, layer, x, jnp.full((1,), position))
    keys = lax.dynamic_update_slice(keys, key[:, None], (0, position, 0, 0))
    values = lax.dynamic_update_slice(values, value[:, None], (0, position, 0, 0))
    visible = (jnp.arange(config.context) <= position)[None, None, None]
    seen = jax.nn.dot_product_attention(query[:, None], keys, values, mask=visible, implementation="xla")[:, 0]
    return finish_layer(layer, x, seen), (keys, values)


def prefill_of(config, stacked=False):
    def prefill(model, lm_head, tokens):
        x = model["embed_tokens"]["weight"][tokens]
        if stacked:
            x, _ = lax.scan(lambda x, layer: (prefill_layer(config, layer, x), None), x, model["layers"])
        else:
            for layer in model["layers"]:
                x = prefill_layer(config, layer, x)
        return project(normalize(x[-1:], model["norm"]), lm_head)
    return prefill, (*weight_shapes(config, stacked), jax.ShapeDtypeStruct((config.prompt,), "int32")), ()


def decode_of(config, stacked=False):
    def decode(model, lm_head, cache, position, token):
        x = model["embed_tokens"]["weight"][token]
        if stacked:
            x, grown = lax.scan(lambda x, each: decode_layer(config, each[0], x, *each[1], position), x, (model["layers"], cache))
        else:
            grown = []
            for layer, (keys, values) in zip(model["layers"], cache):
                x, pair = decode_layer(config, layer, x, keys, values, position)
                grown.append(pair)
        return project(normalize(x, model["norm"]), lm_head), grown
    scalars = jax.ShapeDtypeStruct((), "int32"), jax.ShapeDtypeStruct((1,), "int32")
    return decode, (*weight_shapes(config, stacked), cache_shapes(config, stacked), *scalars), (2,)


STEPS = {"decode": decode_of, "prefill": prefill_of}


def program(config, step, stacked=False):
    """Returns the text of a step with the names of its arguments. A decode step donates its cache."""
    function, arguments, donated = STEPS[step](config, stacked)
    lowered = jax.jit(function, donate_argnums=donated, keep_unused=True).lower(*arguments)
    return lowered.compiler_ir("stablehlo").operation.get_asm(enable_debug_info=True)


def named_weights(config, stacked=False):
    """Returns the names, as in a checkpoint, and the shapes of the weights, in the order of the
    arguments."""
    model, lm_head = weight_shapes(config, stacked)
    leaves = jax.tree_util.tree_flatten_with_path({"lm_head": lm_head, "model": model})[0]
    named = [(jax.tree_util.keystr(path, simple=True, separator="."), leaf) for path, leaf in leaves]
    return [*(each for each in named if each[0].startswith("model.")), *(each for each in named if each[0].startswith("lm_head."))]


TYPES = {"bfloat16": "BF16", "float32": "F32"}


def write_weights(path, config, stacked=False, arrays=None, alignment=8):
    """Writes a .safetensors file of all weights. `arrays` has elements by name; weights that
    aren't in it are sparse zeros. The header ends at a multiple of `alignment`, as in files of the
    format's own writer."""
    header, end = {}, 0
    for name, leaf in named_weights(config, stacked):
        begin, end = end, end + leaf.size * leaf.dtype.itemsize
        header[name] = {"dtype": TYPES[leaf.dtype.name], "shape": list(leaf.shape), "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % alignment)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        if arrays:
            for name in header:
                file.write(arrays[name].tobytes())
        file.truncate(8 + len(text) + end)


def write(folder, config, step, stacked=False):
    """Writes the program and its weights: `STEP.mlir` and `weights.safetensors`."""
    folder = pathlib.Path(folder)
    (folder / f"{step}.mlir").write_text(program(config, step, stacked))
    write_weights(folder / "weights.safetensors", config, stacked)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--step", choices=STEPS, default="decode")
    parser.add_argument("--stacked", action="store_true")
    for field in dataclasses.fields(Config):
        parser.add_argument(f"--{field.name.replace('_', '-')}", type=type(field.default), default=field.default)
    parser.add_argument("folder", type=pathlib.Path)
    options = vars(parser.parse_args())
    folder, step, stacked = options.pop("folder"), options.pop("step"), options.pop("stacked")
    folder.mkdir(parents=True, exist_ok=True)
    write(folder, Config(**options), step, stacked)


if __name__ == "__main__":
    main()
