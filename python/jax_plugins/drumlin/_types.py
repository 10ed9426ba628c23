"""Types of the objects that handlers keep between calls. The types that JAX and its users register for CPUs are also registered with Drumlin,
so that a program's objects are destroyed with the program."""
from __future__ import annotations

import ctypes
import typing


class _TypeRegister(ctypes.Structure):  # TypeRegister of drumlin/runtime/calls/Ffi.h
    _fields_ = [("size", ctypes.c_size_t), ("extensions", ctypes.c_void_p), ("name", ctypes.c_char_p), ("name_size", ctypes.c_size_t),
                ("id", ctypes.c_void_p), ("info", ctypes.c_void_p)]


_PLACE = 11  # index of the registration function in the interface's table of pointers


def follow(library: ctypes.CDLL, address: typing.Callable[[typing.Any], int]) -> None:
    """Registers types with Drumlin, too: the types that still wait for a backend, and all later ones. `address` returns a capsule's pointer."""
    from jax._src.lib import xla_client

    library.drumlin_ffi_api.restype = ctypes.POINTER(ctypes.c_void_p)
    place = library.drumlin_ffi_api()[_PLACE]
    register_here = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_TypeRegister))(place)
    handlers = getattr(xla_client, "_custom_type_id_handler", {})
    own = handlers.pop(xla_client.xla_platform_names.get("cpu", "cpu"), None) or _jaxlibs(xla_client)
    register_handler = getattr(xla_client, "register_custom_type_handler", None) or getattr(xla_client, "register_custom_type_id_handler", None)
    if own is None or register_handler is None:
        return

    def here(name: typing.Any, given: typing.Any) -> None:
        parts = given if isinstance(given, dict) else {"type_id": given}
        text = name.encode() if isinstance(name, str) else bytes(name)
        info = address(parts["type_info"]) if "type_info" in parts else None
        args = _TypeRegister(_TypeRegister.info.offset, None, text, len(text), address(parts["type_id"]), info)
        if register_here(ctypes.byref(args)):
            raise ValueError(f"type {name} has another number in Drumlin, or its number is taken by another type")

    def everywhere(name: typing.Any, given: typing.Any) -> None:
        own(name, given)  # assigns the type's number
        here(name, given)

    register_handler("cpu", everywhere)
    register_handler("drumlin", here)


def _jaxlibs(xla_client: typing.Any) -> typing.Callable[[typing.Any, typing.Any], None] | None:
    """Returns jaxlib's function that registers types for its own CPU backend. The function's module and name depend on the version of jaxlib."""
    for module in ("_xla", "_jax"):
        for name in ("register_custom_type", "register_custom_type_id"):
            if found := getattr(getattr(xla_client, module, None), name, None):
                return found
    return None
