"""Writes the programs of this folder: training steps of two layers with an activation between them, as jax.value_and_grad writes them.

With the packages of scripts/packages/jax-models.txt: python export.py FOLDER
"""
import functools
import pathlib
import re
import sys
import warnings

import flax.linen as nn
import jax
import jax.numpy as jnp

warnings.simplefilter("ignore")
ACTIVATIONS = {"relu": jax.nn.relu, "gelu": functools.partial(jax.nn.gelu, approximate=True)}
ROWS, INPUTS, HIDDEN, OUTPUTS = 64, 32, 48, 24


def product(x, weights, stored):
    """Multiplies by weights stored as "inputs_first" (JAX's layers) or "outputs_first" (torch's)."""
    return x @ weights if stored == "inputs_first" else jnp.einsum("bi,oi->bo", x, weights)


def step(activation, stored, parameters, x, target):
    def loss(parameters):
        before = product(x, parameters["w1"], stored) + parameters["b1"]
        y = product(activation(before), parameters["w2"], stored) + parameters["b2"]
        return jnp.mean((y.astype(jnp.float32) - target) ** 2)

    value, gradients = jax.value_and_grad(loss)(parameters)
    return value, jax.tree.map(lambda old, by: (old - 0.125 * by).astype(old.dtype), parameters, gradients)


def parameters(stored, dtype):
    shapes = {"b1": (HIDDEN,), "b2": (OUTPUTS,), "w1": (INPUTS, HIDDEN), "w2": (HIDDEN, OUTPUTS)}
    return {name: jax.ShapeDtypeStruct(shape if stored == "inputs_first" else shape[::-1], dtype) for name, shape in shapes.items()}


class Layers(nn.Module):
    """Layers with f32 parameters, applied to sequences."""
    activation: str
    dtype: jnp.dtype

    @nn.compact
    def __call__(self, x):
        hidden = ACTIVATIONS[self.activation](nn.Dense(HIDDEN, dtype=self.dtype)(x))
        return nn.Dense(OUTPUTS, dtype=self.dtype)(hidden)


def flax_gradients(layers, variables, x):
    return jax.grad(lambda variables: jnp.sum(layers.apply(variables, x).astype(jnp.float32) ** 2))(variables)


def pull_back(activation, parameters, x, cotangent):
    def forward(parameters):
        return activation(x @ parameters["w1"] + parameters["b1"]) @ parameters["w2"]

    y, back = jax.vjp(forward, {name: parameters[name] for name in ("b1", "w1", "w2")})
    return y, back(cotangent)


def programs():
    target = jax.ShapeDtypeStruct((ROWS, OUTPUTS), jnp.float32)
    for name, activation in ACTIVATIONS.items():
        for dtype in (jnp.float32, jnp.bfloat16):
            x = jax.ShapeDtypeStruct((ROWS, INPUTS), dtype)
            for stored in ("inputs_first", "outputs_first"):
                function = functools.partial(step, activation, stored)
                yield f"{name}_{stored}_{jnp.dtype(dtype).name}", function, (parameters(stored, dtype), x, target)
            cotangent = jax.ShapeDtypeStruct((ROWS, OUTPUTS), dtype)
            function = functools.partial(pull_back, activation)
            yield f"{name}_vjp_{jnp.dtype(dtype).name}", function, (parameters("inputs_first", dtype), x, cotangent)
            layers = Layers(name, dtype)
            x = jax.ShapeDtypeStruct((4, 16, INPUTS), dtype)
            variables = jax.eval_shape(layers.init, jax.random.key(0), x)
            yield f"{name}_flax_{jnp.dtype(dtype).name}", functools.partial(flax_gradients, layers), (variables, x)


def main(folder):
    for name, function, arguments in programs():
        text = jax.jit(function).lower(*arguments).as_text()
        (folder / f"{name}.mlir").write_text(re.sub(r" loc\(.*?\)$", "", text, flags=re.MULTILINE))


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
