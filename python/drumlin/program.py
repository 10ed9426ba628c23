"""Compiled programs, which run on arrays."""
from __future__ import annotations

import os
import typing
import warnings

import numpy as np

from . import _compiler
from ._compiler import Value
from .dtypes import dtype_of
from .errors import Error
from .sources import Option, Source, options_of, source_of

ALIGNMENT = 64  # bytes; what lies otherwise, the runtime copies


def array_of(value: typing.Any) -> np.ndarray:
    """NumPy's view of anything that has the buffer protocol, `__array__` or DLPack; nothing is copied that need not be."""
    known = isinstance(value, np.ndarray) or hasattr(value, "__array__") or not hasattr(value, "__dlpack__")
    return np.asarray(value) if known else np.from_dlpack(value)


def make_result(value: Value) -> np.ndarray:
    """An array whose memory lies as the program writes it."""
    order = value.layout if value.layout is not None else list(range(len(value.shape)))
    memory = np.empty(value.bytes + ALIGNMENT, np.uint8)
    begin = -memory.ctypes.data % ALIGNMENT
    stored = memory[begin:begin + value.bytes].view(dtype_of(value.type)).reshape([value.shape[i] for i in order])
    return stored.transpose(np.argsort(order)) if order else stored


def bytes_of(array: np.ndarray, value: Value) -> np.ndarray:
    """The array's memory; a copy where it doesn't lie as the program takes it."""
    stored = array.transpose(value.layout) if value.layout else array
    return np.ascontiguousarray(stored).reshape(-1).view(np.uint8)


class Program:
    """A compiled program: called with arrays, it gives an array, or a tuple of them where it has not just one result.

    Arguments must have the types and shapes that `arguments` lists. They are read where they lie if they are contiguous; results are
    new arrays.
    """

    def __init__(self, executable: _compiler.Executable) -> None:
        self._executable = executable
        self.name: str = executable.name
        self.arguments: list[Value] = executable.arguments
        self.results: list[Value] = executable.results

    def __call__(self, *arguments: typing.Any) -> typing.Any:
        if len(arguments) != len(self.arguments):
            raise Error("D6007", f"the program takes {len(self.arguments)} arguments, {len(arguments)} were given", self.name,
                        "pass an array for each of `arguments`")
        inputs = [bytes_of(self._checked(array_of(given), number), self.arguments[number]) for number, given in enumerate(arguments)]
        results = [make_result(value) for value in self.results]
        self._executable.run(inputs, [bytes_of(result, value) for result, value in zip(results, self.results)])
        return results[0] if len(results) == 1 else tuple(results)

    def argument_changed(self, index: int) -> None:
        """Says that the elements of a static argument have changed where they lie."""
        self._executable.argument_changed(index)

    def _checked(self, array: np.ndarray, number: int) -> np.ndarray:
        value = self.arguments[number]
        expected = dtype_of(value.type)
        if array.dtype != expected or array.shape != tuple(value.shape):
            raise Error("D6007", f"argument {number} (`{value.name}`) is {array.dtype}{list(array.shape)}, expected "
                        f"{expected}{list(value.shape)}", self.name, "convert the array to the type and shape that the program takes")
        return array

    def __repr__(self) -> str:
        return f"<Program {self.name}: {len(self.arguments)} arguments, {len(self.results)} results>"


def compile(program: Source, *, output: str | os.PathLike[str] | None = None, name: str = "program.mlir", threads: int = 0,
            **options: Option) -> Program:
    """Compiles a program. `output`: writes the image there, too; `threads`: that run it (0: one for each processor)."""
    path, content = source_of(program, name)
    heard: list[Error] = []
    executable = _compiler.compile(path, content, options_of(options), None if output is None else os.fspath(output), True, threads,
                                   heard)
    for warning in heard:
        warnings.warn(str(warning), stacklevel=2)
    assert executable is not None
    return Program(executable)


def load(path: str | os.PathLike[str], *, threads: int = 0, weights: str | os.PathLike[str] | None = None) -> Program:
    """Loads an image, which is native code: only those that you would load as shared libraries."""
    return Program(_compiler.load(os.fspath(path), threads, None if weights is None else os.fspath(weights)))
