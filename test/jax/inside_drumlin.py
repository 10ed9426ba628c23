"""drumlin.jax: contracts, arrays that stay the same, reports."""
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
    """The other spelling of the same product: the weight lies the other way round."""
    return jax.nn.gelu(jax.lax.dot_general(x, params["w"], (((1,), (1,)), ((), ()))) + params["b"])


def test_spellings_cost_the_same():
    """A weight that stays the same is laid out once: no call transposes it, whichever way it lies."""
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
    """Others are seen, also where they lie in the memory of those before."""
    jitted = drumlin.jax.jit(spelled, static_arrays=0)
    for i in range(20):
        params = {"b": jnp.zeros(32), "w": jnp.full((32, 16), float(i))}
        assert np.allclose(jitted(params, X), jax.nn.gelu(16.0 * i), rtol=1e-4, atol=1e-4), i
        del params


def test_reports():
    jitted = drumlin.jax.jit(spelled, static_arrays=0)
    arguments = {**PARAMS, "w": PARAMS["w"].T}, X
    plan = drumlin.jax.plan(jitted, *arguments)
    assert "plan.launch @gemm_0" in plan and "drumlin.static" in plan
    assert "gemm" in drumlin.jax.why(layer, PARAMS, X) and "FLOP" in drumlin.jax.cost(layer, PARAMS, X)
    assert re.search(r"gemm_0: .*dot_general.*1 call", drumlin.jax.check(layer, PARAMS, X))
