"""Calls of Python functions from programs: `jax.pure_callback`, `io_callback`, `jax.debug.print` and the like."""
from __future__ import annotations

import atexit
import ctypes
import traceback
import typing

import ml_dtypes
import numpy as np


class _Value(ctypes.Structure):  # drumlin_value of drumlin.h
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_char_p), ("dims", ctypes.POINTER(ctypes.c_int64)), ("rank", ctypes.c_size_t),
                ("bytes", ctypes.c_size_t), ("donated_to", ctypes.c_int64), ("layout", ctypes.POINTER(ctypes.c_int64)),
                ("is_static", ctypes.c_int)]


class _Callback(ctypes.Structure):  # drumlin_callback of drumlin/pjrt/HostCallbacks.h
    pass


_Fail = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Callback), ctypes.c_char_p)
_Callback._fields_ = [("size", ctypes.c_size_t), ("function", ctypes.c_void_p), ("operands", ctypes.POINTER(_Value)),
                      ("operand_buffers", ctypes.POINTER(ctypes.c_void_p)), ("operand_count", ctypes.c_size_t),
                      ("results", ctypes.POINTER(_Value)), ("result_buffers", ctypes.POINTER(ctypes.c_void_p)),
                      ("result_count", ctypes.c_size_t), ("fail", _Fail), ("context", ctypes.c_void_p)]
_Caller = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Callback))

_NUMPY = {b"i1": np.bool_, b"bf16": ml_dtypes.bfloat16, b"complex<f32>": np.complex64, b"complex<f64>": np.complex128,
          b"f4E2M1FN": ml_dtypes.float4_e2m1fn, b"f6E2M3FN": ml_dtypes.float6_e2m3fn, b"f6E3M2FN": ml_dtypes.float6_e3m2fn,
          b"f8E3M4": ml_dtypes.float8_e3m4, b"f8E4M3": ml_dtypes.float8_e4m3, b"f8E4M3FN": ml_dtypes.float8_e4m3fn,
          b"f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, b"f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz, b"f8E5M2": ml_dtypes.float8_e5m2,
          b"f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, b"f8E8M0FNU": ml_dtypes.float8_e8m0fnu}
_NUMPY |= {f"f{bits}".encode(): np.dtype(f"float{bits}").type for bits in (16, 32, 64)}
_NUMPY |= {f"{sign}i{bits}".encode(): np.dtype(f"{sign}int{bits}").type for sign in ("", "u") for bits in (8, 16, 32, 64)}
_NUMPY |= {f"{sign}i{bits}".encode(): getattr(ml_dtypes, f"{sign}int{bits}") for sign in ("", "u") for bits in (2, 4)}


def _array(value: _Value, place: int | None) -> np.ndarray | None:
    """Returns the memory of an operand or a result as an array; None for a token."""
    if value.type == b"token":
        return None
    dtype, shape = np.dtype(_NUMPY[value.type]), tuple(value.dims[:value.rank])
    if not value.bytes:
        return np.empty(shape, dtype)
    return np.frombuffer((ctypes.c_char * value.bytes).from_address(place), dtype).reshape(shape)


def _call(place: typing.Any) -> None:
    call = place.contents
    try:
        function = ctypes.cast(call.function, ctypes.py_object).value
        operands = []
        for i in range(call.operand_count):
            operand = _array(call.operands[i], call.operand_buffers[i])
            if operand is not None:
                operand = operand.copy()  # the Python function may keep the operand
                operand.flags.writeable = False
            operands.append(operand)
        made = function(*operands)
        if not isinstance(made, tuple):
            raise TypeError(f"a callback must return a tuple of arrays, not {type(made).__name__}")
        if len(made) != call.result_count:
            raise ValueError(f"a callback returned {len(made)} results, expected {call.result_count}")
        for i in range(call.result_count):
            result = _array(call.results[i], call.result_buffers[i])
            if result is None:
                continue
            given = np.asarray(made[i])
            if given.shape != result.shape or given.dtype != result.dtype:
                raise ValueError(f"result {i} of a callback is {given.dtype}{list(given.shape)}, expected {result.dtype}{list(result.shape)}")
            result[...] = given
    except BaseException as error:  # also catches interrupts, which end the program
        what = "".join(traceback.format_exception(error))
        call.fail(place, f"CpuCallback error calling callback: {what}".encode())


_caller = _Caller(_call)  # kept alive as long as programs may call it


def initialize(library: ctypes.CDLL) -> int | None:
    """Registers the callback; returns the address of an error, or None."""
    atexit.register(library.drumlin_before_exit)
    library.drumlin_on_callback.argtypes, library.drumlin_on_callback.restype = [_Caller], ctypes.c_void_p
    return library.drumlin_on_callback(_caller)
