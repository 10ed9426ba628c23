"""Buffer callbacks: jaxlib's handler calls Python with the program's own memory."""
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.experimental import buffer_callback


def call(function, x):
    return jax.block_until_ready(jax.jit(buffer_callback.buffer_callback(function, jax.ShapeDtypeStruct(x.shape, x.dtype)))(x))


def test_memory():
    def triple(context, out, x):
        assert context.stage == buffer_callback.ExecutionStage.EXECUTE
        np.asarray(out)[...] = 3 * np.asarray(x)

    x = jnp.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(call(triple, x), 3 * x)


def test_a_stream_that_there_is_none_of():
    with pytest.raises(RuntimeError, match="UNIMPLEMENTED: XLA FFI GPU context is not available"):
        call(lambda context, out, x: context.stream, jnp.ones(3))


def test_other_errors_stay_as_they_are():
    def refuse(context, out, x):
        raise ValueError("not today")

    with pytest.raises(RuntimeError, match="not today"):
        call(refuse, jnp.ones(3))
