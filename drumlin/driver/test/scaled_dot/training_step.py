"""Prints training_step.mlir: one step of a two-layer perceptron in fp8 with delayed scaling, lowered from JAX.

Each tensor that is quantized has a history of the largest magnitudes of the last four steps, the newest first. Its scale
maps their maximum to the largest number of the tensor's fp8 type. The magnitude found in this step affects scales only from the next
step on, so that no dot waits for a reduction. Forward tensors are e4m3, gradients e5m2. Dots accumulate in f32; gelu is the tanh form.
"""
import jax
import jax.numpy as jnp

TOKENS, HIDDEN, INNER, OUTPUT = 64, 96, 160, 80
HISTORY = 4
FORWARD, BACKWARD = jnp.float8_e4m3fn, jnp.float8_e5m2
NAMES = ("x", "w1", "h", "w2", "dy", "dz")


def scale_of(history, kind):
    largest = jnp.max(history)
    return jnp.where(largest > 0, float(jnp.finfo(kind).max) / largest, 1.0)


def quantize(value, scale, kind):
    bound = jnp.asarray(float(jnp.finfo(kind).max), value.dtype)
    return jnp.clip(value * scale.astype(value.dtype), -bound, bound).astype(kind)


def dequantize(value, scale):
    return value.astype(jnp.bfloat16) * (1.0 / scale).astype(jnp.bfloat16)


def matmul(lhs, rhs, contracting):
    return jax.lax.dot_general(lhs, rhs, ((contracting[:1], contracting[1:]), ((), ())), preferred_element_type=jnp.float32)


def train_step(x, target, w1, b1, w2, b2, histories, rate):
    scales = {name: scale_of(histories[name], BACKWARD if name.startswith("d") else FORWARD) for name in NAMES}
    largest = {}

    def narrow(name, value):
        largest[name] = jnp.max(jnp.abs(value)).astype(jnp.float32)
        return quantize(value, scales[name], BACKWARD if name.startswith("d") else FORWARD)

    def wide(name, value):
        return dequantize(value, scales[name])

    x8, w18, w28 = narrow("x", x), narrow("w1", w1), narrow("w2", w2)
    # Forward: a layer with bias and gelu, then a linear layer.
    z = matmul(wide("x", x8), wide("w1", w18), (1, 0)) + b1
    h, pull = jax.vjp(lambda v: jax.nn.gelu(v, approximate=True), z)
    h8 = narrow("h", h)
    y = matmul(wide("h", h8), wide("w2", w28), (1, 0)) + b2
    difference = y - target
    loss = jnp.mean(difference * difference)
    # Backward: the gradient of each layer's input and of its weights.
    dy = difference * (2.0 / difference.size)
    dy8 = narrow("dy", dy)
    dh = matmul(wide("dy", dy8), wide("w2", w28), (1, 1))
    dw2 = matmul(wide("h", h8), wide("dy", dy8), (0, 0))
    (dz,) = pull(dh)
    dz8 = narrow("dz", dz)
    dx = matmul(wide("dz", dz8), wide("w1", w18), (1, 1))
    dw1 = matmul(wide("x", x8), wide("dz", dz8), (0, 0))
    updated = {name: jnp.concatenate([largest[name][None], histories[name][:-1]]) for name in NAMES}
    return (loss, dx, w1 - rate * dw1, b1 - rate * jnp.sum(dz, axis=0), w2 - rate * dw2, b2 - rate * jnp.sum(dy, axis=0), updated)


def main():
    shapes = ((TOKENS, HIDDEN), (TOKENS, OUTPUT), (HIDDEN, INNER), (INNER,), (INNER, OUTPUT), (OUTPUT,))
    arguments = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in shapes]
    histories = {name: jax.ShapeDtypeStruct((HISTORY,), jnp.float32) for name in NAMES}
    print(jax.jit(train_step).lower(*arguments, histories, jax.ShapeDtypeStruct((), jnp.float32)).as_text(), end="")


if __name__ == "__main__":
    main()
