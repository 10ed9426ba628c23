"""Programs of public reports on other compilers, through the plugin; where this checkout has them at its side."""
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
REPORTS = [folder / "shared" / "reports" for folder in (ROOT, ROOT.parent) if (folder / "shared" / "reports").exists()][:1]


@pytest.mark.parametrize("reports", REPORTS, ids=lambda _: "")
@pytest.mark.parametrize("dtype", ("bf16", "f32"))
@pytest.mark.parametrize("tokens", (1, 7))
def test_spellings(environment, reports, tokens, dtype):
    """The script compares both spellings with NumPy."""
    command = [sys.executable, reports / "dot_spellings.py", "--tokens", tokens, "--hidden-size", 512, "--output-size", 384, "--dtype", dtype]
    done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"(\w+): shape=.* close_fraction=1.0", done.stdout) == ["canonical", "checkpoint"]


@pytest.mark.parametrize("reports", REPORTS, ids=lambda _: "")
def test_fp8_matmul(environment, reports):
    """The program that was reported is one kernel, which is required of it."""
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
    done = subprocess.run([sys.executable, "-c", program, reports / "fp8_scaled_matmul.mlir"], env=environment, capture_output=True, text=True,
                          timeout=120)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 0.04  # 3 bits behind the point: at most 2^-4, on the average less
