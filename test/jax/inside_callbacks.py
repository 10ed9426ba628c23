"""Functions that programs call: when they run, on which thread, with which arguments, and where their errors are raised."""
import functools
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax._src import xla_bridge
from jax.experimental import io_callback

# JAX's state when this file is imported, before any device is requested.
UNUSED, CONFIGURATION = not xla_bridge.backends_are_initialized(), dict(jax.config.values)
SHAPE = jax.ShapeDtypeStruct((8,), jnp.float32)


def through_host(function):
    return lambda x: jax.pure_callback(function, SHAPE, x)


def through_effect(call, **options):
    """Returns a program that calls a function only for its effect."""
    return lambda function: lambda x: (call(lambda a: (function(a), None)[1], x, **options), x + 1)[1]


# For each way to call a Python function from a program: a function that makes such a program.
WAYS = {
    "pure_callback": through_host,
    "io_callback": lambda function: lambda x: io_callback(function, SHAPE, x),
    "io_callback, ordered": lambda function: lambda x: io_callback(function, SHAPE, x, ordered=True),
    "debug.callback": through_effect(jax.debug.callback),
    "debug.callback, ordered": through_effect(jax.debug.callback, ordered=True),
    "a loop": lambda function: lambda x: jax.lax.scan(lambda c, _: (through_host(function)(c) * 1, None), x, None, length=3)[0],
    "a branch": lambda function: lambda x: jax.lax.cond(x[0] > 0, through_host(function), lambda x: x, x),
    "much besides": lambda function: lambda x: through_host(function)(x) + (jnp.full((700, 700), x[0]) @ jnp.ones((700, 700))).sum(),
}
every_way = pytest.mark.parametrize("way", WAYS)


@functools.cache
def slow_sum():
    return jax.jit(lambda x: functools.reduce(lambda y, _: y @ x / 1500, range(8), x)[0, :8]), jnp.ones((1500, 1500))


def comes_later():
    """Returns results that aren't ready yet: they take a second to compute."""
    program, x = slow_sum()
    program(x).block_until_ready()
    return program(x)


def refuse(x):
    raise ValueError("not today")


def test_no_configuration_changes(capfd):
    assert UNUSED and CONFIGURATION["jax_platforms"] == "drumlin"
    assert jax.devices()[0].device_kind.startswith("Drumlin")
    for way in WAYS.values():
        jax.jit(way(np.asarray))(jnp.ones(8)).block_until_ready()
    jax.jit(lambda x: jax.debug.print("now {}", x))(1)
    jax.effects_barrier()
    assert "now 1" in capfd.readouterr().out
    assert dict(jax.config.values) == CONFIGURATION


def test_devices_of_cpus():
    """The device can be found by each of the platform names that it reports."""
    device, = jax.devices()
    assert jax.devices(device.platform) == [device] == jax.local_devices(backend="cpu") and jax.devices(jax.default_backend()) == [device]
    assert set(xla_bridge.backends()) == {"drumlin"}
    assert jax.device_put(1.0, jax.devices("cpu")[0]) + jnp.float32(1) == 2
    with pytest.raises(RuntimeError, match="Unknown backend cuda"):
        jax.devices("cuda")


@every_way
def test_arguments_are_arrays(way):
    """Callback arguments are JAX arrays of the program's device, and can be combined with other arrays."""
    captured, seen = jnp.arange(8.0), []

    def compute(a):
        assert isinstance(a, jax.Array) and a.devices() == {jax.devices()[0]} and a.dtype == jnp.float32 and a.shape == (8,)
        made = jax.jit(jnp.cumsum)(a) + captured @ captured + jax.grad(lambda a: (a ** 3).sum())(a) + jax.random.normal(jax.random.key(0), (8,))
        seen.append(np.asarray(made))
        return made

    x = jnp.ones(8)
    jax.jit(WAYS[way](compute))(x).block_until_ready()
    jax.effects_barrier()
    assert seen and np.allclose(seen[0], np.cumsum(np.ones(8)) + 140 + 3 + np.asarray(jax.random.normal(jax.random.key(0), (8,))), rtol=1e-5)


@every_way
def test_calls_return_when_functions_have(way):
    """A function runs on the caller's thread, as in jaxlib's CPU backend: its effects are done when the call returns."""
    threads = []
    program = jax.jit(WAYS[way](lambda a: (threads.append(threading.get_ident()), np.asarray(a))[1]))
    program(jnp.ones(8))
    assert threads and set(threads) == {threading.get_ident()}


@every_way
def test_errors_are_raised_by_the_call(way):
    program, good = jax.jit(WAYS[way](refuse)), jax.jit(WAYS[way](np.asarray))
    either = jax.jit(WAYS[way](lambda a: refuse(a) if a[0] > 1 else np.asarray(a)))
    for _ in range(3):
        with pytest.raises(RuntimeError, match="(?s)CpuCallback error.*not today"):
            program(jnp.ones(8))
    assert good(jnp.ones(8)).shape == either(jnp.ones(8)).shape == (8,)
    with pytest.raises((RuntimeError, ValueError), match="(?s)CpuCallback error.*not today"):  # JAX raises ValueError if the program has run before
        either(jnp.full(8, 2.0))
    jax.effects_barrier()  # the barrier doesn't raise the errors again


def test_errors_come_with_the_result():
    """If a program has to wait for its arguments, an error in its callback is raised when its results are used, not when it is called."""
    made = jax.jit(lambda x: through_host(refuse)(x) + 1)(comes_later())
    with pytest.raises(RuntimeError, match="not today"):
        made.block_until_ready()
    with pytest.raises(RuntimeError, match="not today"):  # results that are computed from `made` raise the error, too
        jax.jit(lambda x: x * 2)(made).block_until_ready()


def test_dispatch_does_not_wait():
    go = threading.Event()
    gate = jax.jit(through_host(lambda x: (go.wait(60), np.asarray(x))[1]))
    go.set()
    gate(jnp.ones(8))
    go.clear()
    first = gate(comes_later())
    then = jax.jit(lambda x: x + 1)(first)  # uses a result that isn't ready yet
    assert not first.is_ready() and not then.is_ready()
    go.set()
    assert then[0] == 2 and first.block_until_ready().is_ready()


def test_callbacks():
    seen = []

    @jax.jit
    def program(x):
        io_callback(lambda a: seen.append(("first", float(a.sum()))), None, x, ordered=True)
        jax.debug.callback(lambda a: seen.append(("free", float(a[0]))), x)
        io_callback(lambda a: seen.append(("second", float(a.sum()))), None, x + 1, ordered=True)
        return through_host(lambda a: np.asarray(a)[::-1] * 2)(x)

    assert np.array_equal(program(jnp.arange(8.0)), np.arange(8.0)[::-1] * 2)
    program(jnp.arange(8.0) + 1)
    jax.effects_barrier()
    ordered = [entry for entry in seen if entry[0] != "free"]
    assert ordered == [("first", 28.0), ("second", 36.0), ("first", 36.0), ("second", 44.0)] and ("free", 1.0) in seen


def test_effects_of_several_programs():
    """The barrier waits for all effects. A program whose arguments aren't ready runs after a program that was called later."""
    go, seen = threading.Event(), []
    slow = jax.jit(lambda x: io_callback(lambda a: (go.wait(60), seen.append("slow"))[0] and None, None, x))
    quick = jax.jit(lambda x: io_callback(lambda a: seen.append("quick"), None, x))
    slow(comes_later())
    quick(1.0)
    assert seen == ["quick"]
    threading.Timer(0.2, go.set).start()
    jax.effects_barrier()
    assert sorted(seen) == ["quick", "slow"]


@pytest.mark.parametrize("dtype", ["bool", "int4", "uint2", "int32", "float8_e4m3fn", "bfloat16", "float32", "complex64"])
def test_callbacks_of_all_types(dtype):
    x = jnp.asarray([0, 1, 1, 0], dtype)
    made = jax.jit(lambda x: jax.pure_callback(lambda a: np.asarray(a)[::-1], jax.ShapeDtypeStruct(x.shape, x.dtype), x))(x[1:])
    assert made.dtype == x.dtype and np.array_equal(np.asarray(made), np.asarray(x[1:])[::-1])


def test_a_callback_may_run_programs():
    def inner(a):
        return np.asarray(jax.jit(lambda x: x @ x.T)(np.outer(a, a)).sum(axis=0))

    made = [jax.jit(through_host(inner))(jnp.ones(8) * i) for i in range(6)]
    assert [float(each[0]) for each in made] == [64.0 * i**4 for i in range(6)]
