"""The module that JAX finds and loads: Drumlin as a platform, `JAX_PLATFORMS=drumlin` or `jax.devices("drumlin")`."""
from __future__ import annotations

import contextlib
import ctypes
import functools
import importlib
import os
import pathlib
import typing

from . import _callbacks, _lapack, _streams, _types

NAME = "drumlin"
PRIORITY = -100  # lower than that of JAX's CPU backend, which stays the default if no platform is named


def library_path() -> pathlib.Path:
    """Returns the path of `libdrumlin.so`: the installed library, or the library that DRUMLIN_LIBRARY names."""
    named = os.environ.get("DRUMLIN_LIBRARY")
    return pathlib.Path(named) if named else pathlib.Path(__file__).parents[2] / "drumlin" / "libdrumlin.so"


CALLBACKS = ("xla_ffi_python_cpu_callback", "xla_ffi_partitioned_python_cpu_callback")  # not registered, since Drumlin calls callbacks itself (_callbacks.py)


class _Registry:
    """Registers with Drumlin the code that JAX and its users register for CPUs, so that Drumlin's programs can call the code, too."""

    STAGES = ("instantiate", "prepare", "initialize", "execute")  # in the order of an XLA_FFI_Handler_Bundle

    def __init__(self, path: pathlib.Path) -> None:
        library = ctypes.CDLL(str(path))
        self._function, self._bundle = library.drumlin_register_custom_call, library.drumlin_register_ffi_handler
        self._alternative = library.drumlin_register_ffi_alternative
        if lapack := _lapack.of_scipy():
            library.drumlin_offer_lapack(os.fsencode(lapack))
        self._message, self._free = library.drumlin_error_message, library.drumlin_error_free
        for function in (self._function, self._bundle, self._alternative):
            function.restype = ctypes.c_void_p
        self._function.argtypes = [ctypes.c_char_p, ctypes.c_int, ctypes.c_void_p]
        self._bundle.argtypes = self._alternative.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
        self._message.argtypes, self._message.restype = [ctypes.c_void_p], ctypes.c_char_p
        self._free.argtypes, self._free.restype = [ctypes.c_void_p], None
        self._check("callbacks", _callbacks.initialize(library))
        _streams.initialize()
        _types.follow(library, _address)

    def _check(self, what: str, error: int | None) -> None:
        if error:
            message = self._message(error).decode()
            self._free(error)
            raise ValueError(f"{what}: {message}")

    def add(self, name: str | bytes, code: typing.Any, api_version: int) -> None:
        """Registers code. `code`: a capsule with a function, or a dictionary of capsules, keyed by the stage of a call. `api_version`: 1 for handlers of XLA's
        foreign function interface, 0 for functions of the older conventions."""
        name = name.encode() if isinstance(name, str) else bytes(name)
        if name.decode() in CALLBACKS:
            return
        if isinstance(code, dict) or api_version == 1:
            by_stage = code if isinstance(code, dict) else {"execute": code}
            stages = [_address(by_stage[stage]) if stage in by_stage else None for stage in self.STAGES]
            register = self._alternative if _of_jaxlib().get(name.decode()) == stages[-1] else self._bundle
            error = register(name, (ctypes.c_void_p * len(stages))(*stages))
        else:
            error = self._function(name, 1, _address(code))
        self._check(name.decode(), error)


def _address(capsule: typing.Any) -> int:
    get_name, get_pointer = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    get_name.argtypes, get_name.restype = [ctypes.py_object], ctypes.c_char_p
    get_pointer.argtypes, get_pointer.restype = [ctypes.py_object, ctypes.c_char_p], ctypes.c_void_p
    return get_pointer(capsule, get_name(capsule))


@functools.cache
def _of_jaxlib() -> dict[str, int]:
    """Returns the addresses of jaxlib's handlers for linear algebra, by name; the runtime may prefer its own code for these names."""
    found = {}
    for module in ("lapack", "cpu_sparse"):
        with contextlib.suppress(ImportError, AttributeError):
            for name, code, version in importlib.import_module(f"jaxlib.{module}").registrations()["cpu"]:
                if version == 1 and not isinstance(code, dict):
                    found[name] = _address(code)
    return found


def _follow_registrations(registry: _Registry) -> None:
    """Registers with Drumlin all code that has been registered for CPUs, and all code that is registered for CPUs later."""
    from jax._src.lib import _jax, xla_client

    own = _jax.register_custom_call_target

    def register(name: typing.Any, code: typing.Any, *rest: typing.Any, **named: typing.Any) -> None:
        own(name, code, *rest, **named)
        values = list(rest) + [None, None]
        registry.add(name, code, named.get("api_version", values[1]))

    for name, code in _jax.custom_call_targets("Host").items():
        registry.add(name, code, 1)
    handlers = xla_client._custom_callback_handler  # has an effect only before JAX's own CPU backend exists
    key = xla_client.xla_platform_names.get("cpu", "cpu")
    handlers.pop(key, None)
    xla_client.register_custom_call_handler("cpu", register)
    # Code registered for Drumlin is not passed to jaxlib's own CPU backend, which might reject it.
    xla_client.register_custom_call_handler(NAME, lambda name, code, _, version, *__: registry.add(name, code, version))


def _answer_for_cpus() -> None:
    """Makes `jax.devices("cpu")` return this backend's device if JAX's own CPU backend isn't one of the platforms. This is needed because
    this device's `platform` is "cpu", and functions that programs call get their arguments on the first device of that name."""
    from jax._src import xla_bridge

    own = xla_bridge._get_backend_uncached

    def backend(platform: typing.Any = None) -> typing.Any:
        named = platform or xla_bridge._XLA_BACKEND.value or xla_bridge._PLATFORM_NAME.value
        if isinstance(named, str) and named == "cpu":
            there = xla_bridge.backends()
            if "cpu" not in there and NAME in there:
                return there[NAME]
        return own(platform)

    xla_bridge._get_backend_uncached = backend


def initialize() -> None:
    """Entry point that JAX calls when it looks for plugins, before it creates a backend."""
    from jax._src import xla_bridge

    path = library_path()
    xla_bridge._nonexperimental_plugins.add(NAME)
    xla_bridge.register_plugin(NAME, priority=PRIORITY, library_path=str(path))
    _follow_registrations(_Registry(path))
    _answer_for_cpus()
