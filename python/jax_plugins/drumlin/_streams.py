"""Error message for buffer callbacks (`jax.experimental.buffer_callback`) that request a GPU stream."""
from __future__ import annotations

import typing

MESSAGE = "UNIMPLEMENTED: XLA FFI GPU context is not available"


def initialize() -> None:
    """Makes the error for a requested GPU stream say why there is none. jaxlib mistakes the runtime's error objects for its own kind and reads
    only their codes. jaxlib before 0.7 can't read the codes either, since its errors have the memory layout of an older abseil."""
    import jax
    import jaxlib
    from jax._src import xla_bridge
    from jax._src.lib import ffi

    own = ffi.ExecutionContext.stream
    if not isinstance(own, property) or own.fget is None:
        return
    knows_codes = tuple(map(int, jaxlib.__version__.split(".")[:2])) >= (0, 7)

    def stream(context: typing.Any) -> int:
        if not knows_codes and not {"cuda", "rocm"} & set(xla_bridge.backends()):
            raise jax.errors.JaxRuntimeError(MESSAGE)
        try:
            return own.fget(context)
        except Exception as error:
            if str(error).strip() == "UNIMPLEMENTED:":
                raise type(error)(MESSAGE) from None
            raise

    ffi.ExecutionContext.stream = property(stream, doc=own.__doc__)
