"""Weights that a function closes over, which JAX passes as constants of the program: the memory that they take during and after compilation."""
import gc
import pathlib

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import serialize_executable

PLATFORMS = "drumlin,cpu"
WEIGHTS = [np.random.RandomState(i).randn(1024, 1024).astype(np.float32) for i in range(32)]
BYTES = sum(weight.nbytes for weight in WEIGHTS)


def memory(field):
    return int(next(line for line in pathlib.Path("/proc/self/status").read_text().splitlines() if line.startswith(field)).split()[1]) * 1024


def model(x, weights=WEIGHTS):
    for weight in weights:
        x = jnp.tanh(x @ weight / 32)
    return x


def argument():
    return jax.device_put(np.ones((8, 1024), np.float32), jax.devices("drumlin")[0])


def test_memory():
    """During compilation, JAX itself holds the program's weights twice; the compiled program holds each weight once. Afterwards only the
    compiled program's copy remains."""
    x = argument()
    jax.jit(lambda x: model(x, WEIGHTS[:1])).lower(x).compile()  # so that memory that compilers allocate once isn't counted below
    lowered = jax.jit(model).lower(x)
    gc.collect()
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # resets the recorded peak
    before = memory("VmRSS")
    compiled = lowered.compile()
    peak, kept = memory("VmHWM") - before, memory("VmRSS") - before
    compiled(x).block_until_ready()
    assert BYTES < compiled.memory_analysis().generated_code_size_in_bytes < 1.1 * BYTES
    assert peak < 3.5 * BYTES, peak / BYTES
    assert kept < 1.4 * BYTES, kept / BYTES


def test_results():
    x = argument()
    expected = jax.jit(model).lower(jax.device_put(x, jax.devices("cpu")[0])).compile()
    got = jax.jit(model)(x)
    np.testing.assert_allclose(got, expected(jax.device_put(x, jax.devices("cpu")[0])), rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("shape, axis", [((1000, 333), 0), ((1000, 333), 1), ((129, 7, 257), 1)])
@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.int8, jnp.bfloat16])
def test_kept_programs(shape, axis, dtype, tmp_path):
    """A serialized program stores its weights only in the layout that its code reads. If a profiler asks for the
    kernels, the original program is computed from these weights."""
    weight = np.random.RandomState(3).randint(-9, 9, shape).astype(dtype)
    x = jax.device_put(np.arange(1.0, shape[axis] + 1, dtype=np.float32) / shape[axis], jax.devices("drumlin")[0])
    compiled = jax.jit(lambda x: jnp.tensordot(x, jnp.asarray(weight).astype(jnp.float32), (0, axis)) + weight.astype(np.float32).sum()).lower(x).compile()
    expected = np.asarray(compiled(x))
    np.testing.assert_allclose(expected, np.tensordot(np.asarray(x), weight.astype(np.float32), (0, axis)) + weight.astype(np.float32).sum(), rtol=1e-4, atol=1e-2)
    again = serialize_executable.deserialize_and_load(*serialize_executable.serialize(compiled))
    np.testing.assert_array_equal(np.asarray(again(x)), expected)
    for program in (compiled, again):
        with jax.profiler.trace(tmp_path):
            np.testing.assert_array_equal(np.asarray(program(x)), expected)
