"""Programs like those of public reports on other compilers, through the plugin."""
import pathlib
import subprocess
import sys

import pytest

FP8_MATMUL = pathlib.Path(__file__).resolve().parents[1] / "models" / "fp8_scaled_matmul" / "program.mlir"


@pytest.mark.parametrize("dtype", ("bfloat16", "float32"))
@pytest.mark.parametrize("tokens", (1, 7))
def test_spellings(environment, tokens, dtype):
    """A dense layer whose weight is contracted along its first dimension, or along its last dimension, as in checkpoints."""
    program = """
import sys, jax, jax.numpy as jnp, numpy as np
tokens, dtype = int(sys.argv[1]), sys.argv[2]
draw = np.random.default_rng(0).uniform
x, w = draw(-1, 1, (tokens, 512)).astype(dtype), draw(-1, 1, (512, 384)).astype(dtype)
exact = x.astype(np.float64) @ w.astype(np.float64)
for weight, dimension in ((w, 0), (w.T.copy(), 1)):
    layer = jax.jit(lambda a, b: jax.lax.dot_general(a, b, (((1,), (dimension,)), ((), ()))))
    result = np.asarray(layer(jnp.asarray(x), jnp.asarray(weight)), np.float64)
    assert result.shape == (tokens, 384)
    np.testing.assert_allclose(result, exact, rtol=2**-7 if dtype == "bfloat16" else 1e-5, atol=1e-4)
"""
    done = subprocess.run([sys.executable, "-c", "import ml_dtypes\n" + program, str(tokens), dtype], env=environment, capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr


def test_fp8_matmul(environment):
    """The program of the report compiles to one kernel, as the requirement demands."""
    program = """
import sys, numpy as np, jax, ml_dtypes
from jax._src.lib import xla_client
device = jax.devices()[0]
options = xla_client.CompileOptions()
options.env_option_overrides = [("require", "dot: fused(convert_lhs, scale_lhs, convert_rhs, scale_rhs, scale, clamp, convert) no_upcast")]
made = device.client.compile_and_load(open(sys.argv[1]).read(), [device], options)
text, = [module.to_string() for module in made.hlo_modules()]
assert text.count(" custom-call(") == 1, text
draw = np.random.default_rng(0).normal
x, w = (draw(size=shape).astype(ml_dtypes.float8_e4m3fn) for shape in ((32, 64), (128, 64)))
scales = [np.float32(value) for value in (0.5, 0.25, 2.0)]
result = np.asarray(made.execute_sharded([jax.device_put(each) for each in (x, w, *scales)]).disassemble_into_single_device_arrays()[0][0], np.float32)
exact = (x.astype(np.float32) * scales[0]) @ (w.astype(np.float32) * scales[1]).T * scales[2]
print(np.linalg.norm(result - exact) / np.linalg.norm(exact))
"""
    done = subprocess.run([sys.executable, "-c", program, FP8_MATMUL], env=environment, capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 0.04  # 3 fraction bits: the error is at most 2^-4, and less on average
