"""
Inference with 8-bit weights and activations, with the requirement that each layer is one kernel:   python fp8_inference.py

A layer's operands are converted and scaled as they are read, and its result is scaled, clamped and converted before it is written.
If a compiler split a layer into two kernels, the wide intermediate values would go through memory: `require` makes that an error.
"""
import jax
import jax.numpy as jnp
import numpy as np

F8, LARGEST = jnp.float8_e4m3fn, 448


def quantize(x, scale):
    return jnp.clip(x / scale, -LARGEST, LARGEST).astype(F8)


def dense(x, weight, scale):
    """Returns x[row, k] · weight[column, k]ᵀ; both have 8 bits, and were divided by the given scales."""
    wide = lambda array, by: array.astype(jnp.bfloat16) * by.astype(jnp.bfloat16)
    return wide(x, scale["x"]) @ wide(weight, scale["weight"]).T


def network(x, layers):
    for number, (weight, scale) in enumerate(layers):
        with jax.named_scope(f"layer{number}"):
            y = dense(x, weight, scale)
            if number + 1 == len(layers):
                return y
            y = jax.nn.relu(y) * scale["result"].astype(jnp.bfloat16)
            x = jax.lax.clamp(jnp.bfloat16(-LARGEST), y, jnp.bfloat16(LARGEST)).astype(F8)


REQUIRE = "dot@*layer0*: fused(convert_lhs, scale_lhs, convert_rhs, scale_rhs, relu, scale, clamp, convert) no_transpose no_upcast"


def main():
    print("device:", jax.devices()[0].device_kind)
    generator = np.random.default_rng(0)
    draw = lambda *shape: generator.normal(size=shape).astype(np.float32)
    x, weights = draw(32, 64), [draw(128, 64) / 8, draw(16, 128) / 11]
    hidden = np.maximum(x @ weights[0].T, 0)
    exact = hidden @ weights[1].T

    scales = [np.float32(np.abs(array).max() / LARGEST) for array in (x, hidden)]
    layers = []
    for number, weight in enumerate(weights):
        own = np.float32(np.abs(weight).max() / LARGEST)
        layers.append((quantize(weight, own), {"x": scales[number], "weight": own, "result": 1 / scales[-1]}))
    compiled = jax.jit(network).lower(quantize(x, scales[0]), layers).compile(compiler_options={"require": REQUIRE})
    print("required, and kept:", REQUIRE)
    print([line.split(" = ")[0].strip() for line in compiled.as_text().splitlines() if "custom-call" in line])

    error = np.linalg.norm(np.asarray(compiled(quantize(x, scales[0]), layers), np.float32) - exact) / np.linalg.norm(exact)
    print(f"error of the results: {error:.1%}")


main()
