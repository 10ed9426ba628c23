"""drumlin.jax: requirements, static arrays, reports."""
import re

import drumlin.jax
import jax
import jax.numpy as jnp
import numpy as np
import pytest


def layer(params, x):
    return jax.nn.gelu(x @ params["w"] + params["b"])


PARAMS = {"b": jnp.arange(32.0), "w": jnp.ones((16, 32)) / 16}
X = jnp.ones((8, 16))


def test_contracts():
    kept = drumlin.jax.jit(layer, require="dot: fused(bias, gelu)")
    assert np.allclose(kept(PARAMS, X), layer(PARAMS, X), rtol=1e-5)

    @drumlin.jax.require("dot: fused(bias)", "dot: fused(relu)")
    def broken(params, x):
        return layer(params, x)

    with pytest.raises(RuntimeError, match=r"(?s)FAILED_PRECONDITION.*relu") as failure:
        broken(PARAMS, X)
    assert "dot" in str(failure.value) and "inside_drumlin.py" in str(failure.value)
    assert np.allclose(jax.jit(layer, compiler_options=drumlin.jax.compiler_options(numerics="strict", no_cache=True))(PARAMS, X), layer(PARAMS, X), rtol=1e-5)


def spelled(params, x):
    """The same layer with its weight transposed."""
    return jax.nn.gelu(jax.lax.dot_general(x, params["w"], (((1,), (1,)), ((), ()))) + params["b"])


def test_spellings_cost_the_same():
    """The layout of a static weight is changed once, not at each call, whichever of its dimensions the program contracts."""
    turned = {**PARAMS, "w": PARAMS["w"].T}
    flops, times = [], []
    for function, params in ((layer, PARAMS), (spelled, turned)):
        jitted = drumlin.jax.jit(function, static_arrays=0)
        for _ in range(3):
            assert np.allclose(jitted(params, X), layer(PARAMS, X), rtol=1e-5)
        cost = jitted.lower(params, X).compile().cost_analysis()
        assert cost["transpose_flops"] == 0 and cost["transposed_bytes"] == 0
        flops.append(cost["flops"])
        times.append(cost["optimal_seconds"])
    assert flops[0] == flops[1] and times[0] == times[1]


def test_static_arrays_may_change():
    """Changed static arrays are noticed, even if they reuse the previous arrays' memory."""
    jitted = drumlin.jax.jit(spelled, static_arrays=0)
    for i in range(20):
        params = {"b": jnp.zeros(32), "w": jnp.full((32, 16), float(i))}
        assert np.allclose(jitted(params, X), jax.nn.gelu(16.0 * i), rtol=1e-4, atol=1e-4), i
        del params


@pytest.mark.parametrize("activation", ["none", "relu", "gelu"])
@pytest.mark.parametrize("amax", [False, True])
def test_products_of_8_bits(activation, amax):
    """Each form of the scaled GEMM must be one kernel: operands are converted and scaled when they are read, the result is scaled, clamped
    and converted when it is written."""
    largest = 448
    activate = {"none": lambda x: x, "relu": jax.nn.relu, "gelu": jax.nn.gelu}[activation]

    def product(x, w, scales):
        wide = lambda array, scale: array.astype(jnp.bfloat16) * scale.astype(jnp.bfloat16)
        y = activate(wide(x, scales[0]) @ wide(w, scales[1]).T)
        made = jax.lax.clamp(jnp.bfloat16(-largest), y * scales[2].astype(jnp.bfloat16), jnp.bfloat16(largest)).astype(jnp.float8_e4m3fn)
        return (made, jnp.max(jnp.abs(y)).astype(jnp.float32)) if amax else made

    x, w = (np.random.default_rng(0).normal(size=shape).astype(jnp.float8_e4m3fn) for shape in ((32, 64), (128, 64)))
    scales = [np.float32(each) for each in (0.5, 0.25, 2.0)]
    steps = ["convert_lhs", "scale_lhs", "convert_rhs", "scale_rhs", "scale", "clamp", "convert"]
    steps += [activation] * (activation != "none") + ["amax"] * amax
    required = drumlin.jax.jit(product, require=f"dot: fused({', '.join(steps)}) no_upcast no_transpose")
    made, *largest_of = required(x, w, scales) if amax else (required(x, w, scales),)
    exact = np.asarray(activate((x.astype(np.float32) * scales[0]) @ (w.astype(np.float32) * scales[1]).T))
    assert np.linalg.norm(np.asarray(made, np.float32) - exact * scales[2]) / np.linalg.norm(exact * scales[2]) < 0.04
    # The amax is computed from a GEMM result in bf16, whose neighbours have a relative distance of up to 2**-7; `exact` is in f32.
    assert not amax or np.allclose(largest_of[0], np.abs(exact).max(), rtol=2**-7)
    with pytest.raises(RuntimeError, match="(?s)FAILED_PRECONDITION.*silu"):
        drumlin.jax.jit(product, require="dot: fused(silu)")(x, w, scales)


def test_reports():
    jitted = drumlin.jax.jit(spelled, static_arrays=0)
    arguments = {**PARAMS, "w": PARAMS["w"].T}, X
    plan = drumlin.jax.plan(jitted, *arguments)
    assert "plan.launch @gemm_0" in plan and "drumlin.static" in plan
    assert "gemm" in drumlin.jax.why(layer, PARAMS, X) and "FLOP" in drumlin.jax.cost(layer, PARAMS, X)
    assert re.search(r"gemm_0: .*dot_general.*1 call", drumlin.jax.check(layer, PARAMS, X))


def test_metadata():
    """Fusion metadata (`set_xla_metadata`): groups of operations that must be one kernel, limits on the number of kernels, and the order of
    groups."""
    metadata = pytest.importorskip("jax.experimental.xla_metadata")

    def kernels(function, *arguments):
        return jax.jit(function).lower(*arguments).compile(compiler_options={"no_cache": True}).as_text().count(" custom-call(")

    def layers(x, **said):
        with metadata.set_xla_metadata(**said):
            y = jnp.tanh(x)
        return jnp.exp(y)

    assert kernels(layers, X) == 1 and kernels(lambda x: layers(x, FUSE_LIMIT=True), X) == 2
    assert kernels(lambda x: layers(x, scheduling_group="a"), X) == 1
    assert np.allclose(jax.jit(lambda x: layers(x, FUSE_LIMIT=True))(X), layers(X), rtol=1e-6)

    def fused(x, y):
        with metadata.set_xla_metadata(MUST_FUSE="pair"):
            return jnp.exp(jnp.tanh(x) + 1) + y

    assert np.allclose(jax.jit(fused)(X, X), np.exp(np.tanh(X) + 1) + X, rtol=1e-6)
    with pytest.raises(RuntimeError, match=r"(?s)FAILED_PRECONDITION.*inside_drumlin.py.*D5010.*MUST_FUSE = .pair"):
        jax.jit(lambda x, y: (fused(x, x), fused(y, y)))(X, jnp.ones(3))
    if hasattr(metadata, "must_fuse_call"):
        assert np.allclose(jax.jit(metadata.must_fuse_call("1")(lambda x: jnp.square(x).sum()))(X), 128)
        with pytest.raises(RuntimeError, match="D5010"):
            jax.jit(metadata.must_fuse_call("1")(lambda x: jnp.sort(jnp.square(x) @ x.T).sum()))(X)
