"""The plan names each activation that JAX or Flax users write, in every spelling and type, and its gradient."""
import os
import subprocess

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import numpy as np
import pytest

TYPES = ("float32", "bfloat16", "float16", "float64")
ACTIVATIONS = {
    "relu": (jax.nn.relu, lambda x: jnp.maximum(x, 0), lambda x: jnp.where(x > 0, x, 0)),
    "silu": (jax.nn.silu, jax.nn.swish, lambda x: x * jax.nn.sigmoid(x), lambda x: x / (1 + jnp.exp(-x))),
    "gelu_tanh": (jax.nn.gelu, lambda x: 0.5 * x * (1 + jnp.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x ** 3))),
                  # Torch's GELU(approximate="tanh") multiplies the constants in another order.
                  lambda x: 0.5 * x * (1 + jnp.tanh(x * 0.7978845608028654 * (1 + 0.044715 * x * x)))),
    "gelu_erf": (lambda x: jax.nn.gelu(x, approximate=False), lambda x: x * 0.5 * (1 + jax.lax.erf(x * 0.7071067811865476))),
    "gelu_sigmoid": (lambda x: x * jax.nn.sigmoid(1.702 * x),),
    "tanh": (jnp.tanh,),
    "logistic": (jax.nn.sigmoid, lambda x: 1 / (1 + jnp.exp(-x)), lambda x: 0.5 * (jnp.tanh(0.5 * x) + 1)),
    "square": (jnp.square, lambda x: x * x, lambda x: x ** 2),
    "exp": (jnp.exp,),
}
NEAR = {
    "relu": (lambda x: jnp.maximum(x, 0.005), lambda x: jnp.where(x > 0.05, x, 0), lambda x: jnp.where(x < -10, x, jax.nn.relu(x)),
             lambda x: jax.nn.leaky_relu(x, 1e-3)),
    "silu": (lambda x: x * jax.nn.sigmoid(1.02 * x), lambda x: 1.02 * x * jax.nn.sigmoid(x)),
    "gelu_tanh": (lambda x: 0.5 * x * (1 + jnp.tanh(0.8 * (x + 0.044715 * x ** 3))), lambda x: jax.nn.gelu(x, approximate=False)),
    "gelu_erf": (jax.nn.gelu, lambda x: 0.5 * x * (1 + jax.lax.erf(0.72 * x))),
    "gelu_sigmoid": (lambda x: x * jax.nn.sigmoid(1.75 * x),),
    "gelu": (lambda x: 0.5 * x * (1 + jnp.tanh(0.8 * (x + 0.044715 * x ** 3))), lambda x: x * jax.nn.sigmoid(1.75 * x)),
}


def is_fused(build_folder, path, part):
    done = subprocess.run([build_folder / "bin" / "drumlin", "plan", path, "--require", f"dot: fused({part})", "--target-cpu", "avx2"],
                          capture_output=True, text=True)
    assert done.returncode in (0, 5), done.stderr
    return done.returncode == 0


@pytest.fixture
def layer(build_folder, tmp_path):
    def fused(function, dtype, part):
        shapes = [jax.ShapeDtypeStruct((64, 64), jnp.dtype(dtype))] * 2
        path = tmp_path / "layer.mlir"
        with jax.enable_x64(True):
            path.write_text(jax.jit(lambda x, w: function(x @ w)).lower(*shapes).as_text())
        return is_fused(build_folder, path, part)
    return fused


@pytest.mark.parametrize("dtype", TYPES)
def test_names(layer, dtype):
    missing = [(name, number) for name, functions in ACTIVATIONS.items() for number, function in enumerate(functions)
               if not layer(function, dtype, name)]
    assert not missing
    assert all(layer(ACTIVATIONS[name][0], dtype, "gelu") for name in ("gelu_tanh", "gelu_erf", "gelu_sigmoid"))


@pytest.mark.parametrize("dtype", TYPES)
def test_near_misses(layer, dtype):
    taken = [(name, number) for name, functions in NEAR.items() for number, function in enumerate(functions) if layer(function, dtype, name)]
    assert not taken


@pytest.mark.parametrize("dtype", ("float32", "bfloat16"))
@pytest.mark.parametrize("name", ("relu", "silu", "gelu_tanh", "gelu_erf", "gelu_sigmoid", "tanh", "logistic"))
def test_gradients(build_folder, tmp_path, name, dtype):
    """The program multiplies the backward GEMM's result by the activation's derivative at the forward result."""
    function = ACTIVATIONS[name][0]
    shapes = [jax.ShapeDtypeStruct((64, 64), jnp.dtype(dtype))] * 3
    path = tmp_path / "step.mlir"
    path.write_text(jax.jit(lambda g, w, z: jax.vjp(function, z)[1](g @ w)[0]).lower(*shapes).as_text())
    assert is_fused(build_folder, path, f"{name}_grad")
