"""A JAX dense layer with either weight layout, [in, out] or checkpoints' [out, in]: same cost, one kernel, same result."""
import json
import os
import re
import subprocess

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import lax

SIZE = 4096
CONTRACTED = {"canonical": 0, "checkpoint": 1}  # the weight's contracting dimension
HARDWARE_FLOPS = {"canonical": 34_603_008, "checkpoint": 4_329_570_304}  # for row-major weights, as a public report says of a vendor's compiler
NUMPY_TYPES = {"bfloat16": ml_dtypes.bfloat16, "float32": np.float32}


def operands(spelling, tokens, dtype):
    random = np.random.default_rng(1)
    x, stored = random.standard_normal((tokens, SIZE), np.float32), random.standard_normal((SIZE, SIZE), np.float32)  # [n, k]
    kind = NUMPY_TYPES[dtype]
    return x.astype(kind), (stored if spelling == "checkpoint" else np.ascontiguousarray(stored.T)).astype(kind)


@pytest.fixture(scope="module")
def lowered(tmp_path_factory):
    """Fixture: returns the program's file for a weight layout, a number of tokens and a type."""
    folder = tmp_path_factory.mktemp("spellings")

    def make(spelling, tokens, dtype):
        path = folder / f"{spelling}-{tokens}-{dtype}.mlir"
        if not path.exists():
            shapes = [jax.ShapeDtypeStruct(shape, jnp.dtype(dtype)) for shape in ((tokens, SIZE), (SIZE, SIZE))]
            numbers = (((1,), (CONTRACTED[spelling],)), ((), ()))
            path.write_text(jax.jit(lambda x, w: lax.dot_general(x, w, numbers)).lower(*shapes).as_text())
        return path
    return make


@pytest.fixture(scope="module")
def drumlin(build_folder, tmp_path_factory):
    environment = {**os.environ, "DRUMLIN_CACHE": str(tmp_path_factory.mktemp("cache"))}

    def run(*arguments):
        done = subprocess.run([build_folder / "bin" / "drumlin", *map(str, arguments)], env=environment, capture_output=True, text=True,
                              timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
    return run


@pytest.mark.parametrize("target", ["inf2", "trn1", "trn1n", "trn2"])
@pytest.mark.parametrize("spelling", CONTRACTED)
def test_cost_on_a_tensor_engine(drumlin, lowered, spelling, target):
    program = lowered(spelling, 1, "bfloat16")
    as_written = json.loads(drumlin("cost", program, "--target", target, "--layout=as-written", "--json"))
    assert as_written["model_flops"] == 33_554_432 and as_written["hardware_flops"] == HARDWARE_FLOPS[spelling]
    chosen = json.loads(drumlin("cost", program, "--target", target, "--static-args=1", "--json"))
    assert chosen["hardware_flops"] == HARDWARE_FLOPS["canonical"]


@pytest.mark.parametrize("dtype", NUMPY_TYPES)
@pytest.mark.parametrize("tokens", [1, 64])
def test_one_kernel_on_the_cpu(drumlin, lowered, tmp_path, tokens, dtype):
    keys = set()
    for spelling in CONTRACTED:
        program = lowered(spelling, tokens, dtype)
        plan = drumlin("plan", program, "--static-args=1")
        keys |= set(re.findall(r'plan\.kernel .* kind\(gemm\) key\("(\w+)"\)', plan))
        assert "transposed" not in plan and plan.count("plan.launch") == 1
        x, w = operands(spelling, tokens, dtype)
        for i, array in enumerate((x, w)):
            np.save(tmp_path / f"{i}.npy", array.view(np.uint16) if dtype == "bfloat16" else array)
        wide = [array.astype(np.float64) for array in (x, w)]
        expected = (wide[0] @ (wide[1].T if spelling == "checkpoint" else wide[1])).astype(NUMPY_TYPES[dtype])
        np.savez(tmp_path / "expected.npz", out0=expected.view(np.uint16) if dtype == "bfloat16" else expected)
        for more in ((), ("--static-args=1",)):
            drumlin("run", program, "--input", tmp_path / "0.npy", "--input", tmp_path / "1.npy", "--expect", tmp_path / "expected.npz",
                    "--rtol", "2e-2" if dtype == "bfloat16" else "2e-5", *more)
    assert len(keys) == 1
