"""Writes the programs of this folder: Flax's fp8 layers in the forward direction, their gradients, and layers followed by a gelu.

With the packages of scripts/packages/jax-models.txt: python export.py FOLDER
"""
import pathlib
import re
import sys
import warnings

import flax.linen as nn
import jax
import jax.numpy as jnp
from flax.linen import fp8_ops

warnings.simplefilter("ignore")
OPERATIONS = {"qdq": fp8_ops.Fp8DotGeneralOp, "direct": fp8_ops.Fp8DirectDotGeneralOp, "einsum": fp8_ops.Fp8Einsum, "nanoo": fp8_ops.NANOOFp8DotGeneralOp}


class Layer(nn.Module):
    """A bf16 dense layer with f32 parameters."""
    name_of_operation: str

    @nn.compact
    def __call__(self, x):
        operation = OPERATIONS[self.name_of_operation]
        if self.name_of_operation != "einsum":
            return nn.Dense(96, dtype=jnp.bfloat16, dot_general_cls=operation)(x)
        kernel = self.param("kernel", nn.initializers.lecun_normal(), (128, 96), jnp.float32)
        return operation()("mk,kn->mn", x, kernel.astype(jnp.bfloat16))


def programs(operation):
    layer = Layer(operation)
    x = jax.ShapeDtypeStruct((64, 128), jnp.bfloat16)
    variables = jax.eval_shape(layer.init, jax.random.key(0), x)

    def forward(variables, x):
        return layer.apply(variables, x)

    def loss(variables, x):
        return jnp.sum(forward(variables, x).astype(jnp.float32))

    yield "forward", forward, (variables, x)
    yield "gradient", jax.grad(loss, argnums=(0, 1)), (variables, x)
    yield "gelu", lambda variables, x: nn.gelu(forward(variables, x)), (variables, x)


def main(folder):
    for operation in OPERATIONS:
        for name, function, arguments in programs(operation):
            text = jax.jit(function).lower(*arguments).as_text()
            text = re.sub(r" loc\(.*?\)$", "", text, flags=re.MULTILINE)
            (folder / f"{operation}_{name}.mlir").write_text(text)


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
