"""Tests of arrays: copies to the device and back, donation, views, layouts, and memory spaces."""
import gc

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest

PLATFORMS = "drumlin,cpu"
DRUMLIN, CPU = jax.devices("drumlin")[0], jax.devices("cpu")[0]
NAMES = ["bool", "int4", "uint4", "int8", "uint8", "int16", "uint16", "int32", "uint32", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
         "float8_e5m2", "float8_e5m2fnuz", "float8_e3m4", "float8_e4m3", "float8_e8m0fnu", "float4_e2m1fn", "int2", "uint2", "bfloat16", "float16",
         "float32", "complex64"]
TYPES = [np.dtype(getattr(ml_dtypes, name, None) or name) for name in NAMES]


def numbers(shape, dtype):
    values = np.arange(int(np.prod(shape))) % 3
    return (values % 2 if np.dtype(dtype) == bool or "2" == np.dtype(dtype).name[-1] else values).astype(dtype).reshape(shape)


def test_devices():
    assert DRUMLIN.platform == "cpu" and DRUMLIN.device_kind.startswith("Drumlin") and DRUMLIN != CPU
    assert jax.devices() == [DRUMLIN] and jax.default_backend() == "cpu"
    kinds = [memory.kind for memory in DRUMLIN.addressable_memories()]
    assert kinds == ["device", "pinned_host", "unpinned_host"] and {memory.kind for memory in CPU.addressable_memories()} <= set(kinds)
    assert DRUMLIN.default_memory().kind == "device" and DRUMLIN.client.platform_version.splitlines()[-1].startswith("Drumlin")


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("shape", [(), (0, 3), (1,), (5,), (2, 3), (2, 3, 4, 5)], ids=str)
def test_there_and_back(dtype, shape):
    given = numbers(shape, dtype)
    array = jax.device_put(given, DRUMLIN)
    assert array.dtype == dtype and array.shape == shape and array.devices() == {DRUMLIN}
    assert np.asarray(array).tobytes() == given.tobytes()
    # A compiled program accepts only arrays with the layouts that it was compiled for.
    copied = jax.jit(lambda x: jnp.reshape(x, shape[::-1])).lower(array).compile()(array)
    assert np.asarray(copied).tobytes() == given.tobytes()
    moved = jax.device_put(array, CPU)
    assert moved.devices() == {CPU} and np.asarray(moved).tobytes() == given.tobytes()


@pytest.mark.parametrize("view", [np.transpose, lambda x: x[::-1], lambda x: x[:, ::2], lambda x: x[1:, 1:], lambda x: np.broadcast_to(x[:1], x.shape),
                                  np.asfortranarray, lambda x: x[::2, ::-2]])
@pytest.mark.parametrize("dtype", ["int8", "float32", "complex64"])
def test_any_strides(view, dtype):
    array = view(np.arange(48).reshape(6, 8).astype(dtype))
    assert np.array_equal(np.asarray(jax.device_put(array, DRUMLIN)), array)
    assert np.array_equal(np.asarray(jax.jit(lambda x: x + 1)(array)), array + 1)


def aligned(count):
    memory = np.zeros(count * 4 + 64, np.uint8)
    begin = -memory.ctypes.data % 64
    return memory[begin:begin + count * 4].view(np.float32)


def test_no_copies():
    host = aligned(1000)
    array = jax.device_put(host, DRUMLIN)
    assert array.unsafe_buffer_pointer() == host.ctypes.data
    made = jax.jit(lambda x: x + 1)(array)
    seen = np.asarray(made)
    assert seen.ctypes.data == made.unsafe_buffer_pointer() and not seen.flags.writeable
    exported = np.from_dlpack(made)
    assert exported.ctypes.data == made.unsafe_buffer_pointer()
    assert jnp.from_dlpack(made).unsafe_buffer_pointer() == made.unsafe_buffer_pointer()
    assert jnp.from_dlpack(host, device=DRUMLIN).unsafe_buffer_pointer() == host.ctypes.data


def test_donation():
    add = jax.jit(lambda x, y: x + y, donate_argnums=0)
    x = jnp.arange(1000.0) + 0
    place = x.unsafe_buffer_pointer()
    y = add(x, 1.0)
    assert x.is_deleted() and y.unsafe_buffer_pointer() == place and y[10] == 11
    with pytest.raises(RuntimeError, match="deleted"):
        np.asarray(x)
    # A donated array isn't overwritten while another array views its memory.
    seen = np.asarray(y)
    z = add(y, 1.0)
    assert y.is_deleted() and z.unsafe_buffer_pointer() != place and seen[10] == 11 and z[10] == 12
    # A donated array whose memory belongs to the host isn't overwritten.
    host = aligned(100)
    assert add(jax.device_put(host, DRUMLIN), 1.0)[0] == 1 and host[0] == 0
    # A program can't take one array as its donated argument and as another argument.
    with pytest.raises((ValueError, RuntimeError), match="donate"):
        add(z, z)


def test_donation_in_a_chain():
    """Each program writes into the array that the previous program reads and writes, mostly before the previous program has ended."""
    step = jax.jit(lambda x, w: (x @ w + x, x.sum()), donate_argnums=0)
    w = jnp.eye(300) * 0.5
    x, sums, expected = jnp.ones((300, 300)), [], 90000.0
    for _ in range(8):
        x, total = step(x, w)
        sums.append(total)
    assert np.allclose([float(each) for each in sums], [expected * 1.5**i for i in range(8)], rtol=1e-5)


def order_of(array):
    shown = array.format if hasattr(array, "format") else array.layout
    return (shown.layout if hasattr(shown, "layout") else shown.device_local_layout).major_to_minor


def test_layouts():
    from jax.experimental import layout
    before = hasattr(layout, "DeviceLocalLayout")  # JAX 0.7 renamed both classes
    Format, Layout = (layout.Layout, layout.DeviceLocalLayout) if before else (layout.Format, layout.Layout)
    sharding = jax.sharding.SingleDeviceSharding(DRUMLIN)
    across = Format(Layout((1, 0)), sharding)
    host = np.arange(12.0, dtype=np.float32).reshape(3, 4)
    array = jax.device_put(host, across)
    assert order_of(array) == (1, 0) and np.array_equal(np.asarray(array), host)
    program = jax.jit(lambda x: x * 2, in_shardings=across, out_shardings=across).lower(jax.ShapeDtypeStruct((3, 4), jnp.float32)).compile()
    made = program(array)
    assert order_of(made) == (1, 0) and np.array_equal(np.asarray(made), host * 2)
    free = jax.jit(lambda x: x.T @ x, in_shardings=Format(Layout.AUTO)).lower(jax.ShapeDtypeStruct((3, 4), jnp.float32)).compile()
    [[wanted], _] = free.input_formats if hasattr(free, "input_formats") else free.input_layouts
    assert np.allclose(free(jax.device_put(host, wanted)), host.T @ host)


def test_memory_kinds():
    for kind in ("device", "pinned_host", "unpinned_host"):
        sharding = jax.sharding.SingleDeviceSharding(DRUMLIN, memory_kind=kind)
        array = jax.device_put(np.arange(4.0), sharding)
        assert array.sharding.memory_kind == kind
        made = jax.jit(lambda x: x + 1, out_shardings=sharding)(np.arange(4.0))
        assert made.sharding.memory_kind == kind and made[3] == 4


def test_memory_statistics():
    gc.collect()
    before = DRUMLIN.memory_stats()
    array = jax.jit(lambda: jnp.ones((1000, 1000)))().block_until_ready()
    now = DRUMLIN.memory_stats()
    assert now["bytes_in_use"] - before["bytes_in_use"] == 4000000 and now["peak_bytes_in_use"] >= now["bytes_in_use"]
    assert now["bytes_limit"] > 0 and now["num_allocs"] > before["num_allocs"]
    del array
    gc.collect()
    assert DRUMLIN.memory_stats()["bytes_in_use"] == before["bytes_in_use"]


def test_no_memory_is_an_error():
    with pytest.raises(RuntimeError, match="RESOURCE_EXHAUSTED"):
        jax.jit(lambda: jnp.ones((1 << 22, 1 << 22), jnp.int8))().block_until_ready()
    assert jnp.ones(3).sum() == 3


def test_windows_partly_outside():
    """XLA skips a scatter's whole window if a part of it is outside of the operand."""
    numbers = jax.lax.ScatterDimensionNumbers(update_window_dims=(1,), inserted_window_dims=(), scatter_dims_to_operand_dims=(0,))
    for indices in ([[6], [7], [9]], [[-1], [8], [10]]):
        program = jax.jit(lambda x, i, u: jax.lax.scatter_add(x, i, u, numbers, mode="drop"))
        arguments = np.zeros(10, np.float32), np.array(indices, np.int8), np.ones((3, 2), np.float32)
        expected = program(*(jax.device_put(each, CPU) for each in arguments))
        assert np.array_equal(program(*arguments), expected)
