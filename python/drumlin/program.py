"""Compiled programs that run on NumPy arrays."""
from __future__ import annotations

import os
import typing
import warnings

import numpy as np

from . import _compiler
from ._compiler import Value
from .dtypes import dtype_of
from .errors import Error
from .options import CompileOptions
from .sources import Option, Source, options_of, source_of

__all__ = ["Program", "Run", "Value", "compile", "load"]
ALIGNMENT = 64  # in bytes; the runtime copies arrays with a smaller alignment
Made = tuple[np.ndarray, np.ndarray]  # a result array, and the memory that it views


def array_of(value: typing.Any) -> np.ndarray:
    """Views any object with the buffer protocol, `__array__` or DLPack as a NumPy array, without a copy if possible."""
    known = isinstance(value, np.ndarray) or hasattr(value, "__array__") or not hasattr(value, "__dlpack__")
    return np.asarray(value) if known else np.from_dlpack(value)


class Place:
    """The type, shape and memory layout of an argument or a result."""

    def __init__(self, value: Value) -> None:
        self.name, self.bytes = value.name, value.bytes
        self.dtype, self.shape = dtype_of(value.type), tuple(value.shape)
        self.order = value.layout  # dimensions in memory order, outermost first; None: row-major
        self.stored = self.shape if self.order is None else tuple(self.shape[i] for i in self.order)

    def bytes_of(self, array: np.ndarray) -> np.ndarray:
        """Returns the array's memory in the layout that the program takes: a copy if the array's layout differs."""
        stored = array if self.order is None else array.transpose(self.order)
        return np.ascontiguousarray(stored).reshape(-1).view(np.uint8)

    def make(self, shape: typing.Sequence[int] | None = None) -> Made:
        """Returns a new array of `shape` (by default the signature's), and its memory in the layout that the program writes."""
        stored_shape = self.stored if shape is None else tuple(shape if self.order is None else (shape[i] for i in self.order))
        size = self.bytes if shape is None else int(np.prod(stored_shape, dtype=np.int64)) * self.dtype.itemsize
        memory = np.empty(size + ALIGNMENT, np.uint8)
        begin = -memory.__array_interface__["data"][0] % ALIGNMENT
        memory = memory[begin:begin + size]
        stored = memory.view(self.dtype).reshape(stored_shape)
        return (stored if self.order is None else stored.transpose(np.argsort(self.order))), memory


def returned(made: list[Made]) -> typing.Any:
    """Returns the result of a call: one array, or a tuple of arrays."""
    return made[0][0] if len(made) == 1 else tuple(array for array, _ in made)


class Run:
    """A run that was started by `Program.run_async`."""

    def __init__(self, running: _compiler.Running, made: list[Made]) -> None:
        self._running, self._made = running, made

    def done(self) -> bool:
        """Returns whether the run has ended."""
        return self._running.is_ready()

    def result(self) -> typing.Any:
        """Waits until the run has ended; returns what a call of the program returns, or raises the run's error."""
        self._running.wait()
        return returned(self._made)


class Program:
    """A compiled program. Calling it with arrays returns one array, or a tuple of arrays if it doesn't have exactly one result.

    Arguments must have the types and shapes that `arguments` lists, or shapes that match the listed sizes if the program takes several.
    Contiguous arrays are read in place; results are new arrays.
    """

    def __init__(self, executable: _compiler.Executable) -> None:
        self._executable = executable
        self.name: str = executable.name
        self.arguments: list[Value] = executable.arguments
        self.results: list[Value] = executable.results
        self.replicas: int = executable.replicas
        self.partitions: int = executable.partitions
        self._inputs = [Place(value) for value in self.arguments]
        self._outputs = [Place(value) for value in self.results]
        self._is_sized = any(value.sizes is not None for value in self.arguments)

    def __call__(self, *arguments: typing.Any) -> typing.Any:
        inputs, made, shapes = self._prepare(arguments)
        self._executable.run(inputs, [memory for _, memory in made], shapes)
        return returned(made)

    def run_processes(self, arguments: typing.Sequence[typing.Sequence[typing.Any]]) -> list[typing.Any]:
        """Runs all processes of the program at once. Takes the arguments of each process, starting with the partitions of replica 0, and
        returns a list with the results of each."""
        prepared = [self._prepare(tuple(each)) for each in arguments]
        self._executable.run_processes([array for inputs, _, _ in prepared for array in inputs],
                                       [memory for _, made, _ in prepared for _, memory in made])
        return [returned(made) for _, made, _ in prepared]

    def run_async(self, *arguments: typing.Any) -> Run:
        """Starts a run on another thread. Don't write to the argument arrays until the run has ended."""
        inputs, made, shapes = self._prepare(arguments)
        return Run(self._executable.run_async(inputs, [memory for _, memory in made], shapes), made)

    def _prepare(self, arguments: tuple[typing.Any, ...]) -> tuple[list[np.ndarray], list[Made], list[list[int]] | None]:
        if len(arguments) != len(self._inputs):
            raise Error("D6007", f"the program takes {len(self._inputs)} arguments, {len(arguments)} were given", self.name,
                        "pass an array for each of `arguments`")
        arrays = [array_of(given) for given in arguments]
        inputs = [self._memory(number, array) for number, array in enumerate(arrays)]
        if not self._is_sized:
            return inputs, [place.make() for place in self._outputs], None
        shapes = [list(array.shape) for array in arrays]
        return inputs, [place.make(shape) for place, shape in zip(self._outputs, self._executable.size_results(shapes))], shapes

    def argument_changed(self, index: int) -> None:
        """Tells the runtime that the elements of a static argument have changed in place."""
        self._executable.argument_changed(index)

    def _memory(self, number: int, array: np.ndarray) -> np.ndarray:
        place = self._inputs[number]
        # For dynamic sizes only the rank is checked here; the runtime checks the sizes.
        fits = array.ndim == len(place.shape) if self.arguments[number].sizes is not None else array.shape == place.shape
        if array.dtype != place.dtype or not fits:
            raise Error("D6007", f"argument {number} (`{place.name}`) is {array.dtype}{list(array.shape)}, expected "
                        f"{place.dtype}{list(place.shape)}", self.name, "convert the array to the type and shape that the program takes")
        return place.bytes_of(array)

    def __repr__(self) -> str:
        return f"<Program {self.name}: {len(self.arguments)} arguments, {len(self.results)} results>"


def compile(program: Source, *, output: str | os.PathLike[str] | None = None, name: str = "program.mlir", threads: int = 0,
            **options: typing.Unpack[CompileOptions]) -> Program:
    """Compiles a program. `output`: also writes the image to this file. `threads`: the number of threads to run with (0: one for each
    processor)."""
    path, content = source_of(program, name)
    heard: list[Error] = []
    executable = _compiler.compile(path, content, options_of(typing.cast(dict[str, Option], options)), None if output is None else os.fspath(output), True, threads,
                                   heard)
    for warning in heard:
        warnings.warn(str(warning), stacklevel=2)
    assert executable is not None
    return Program(executable)


def load(path: str | os.PathLike[str], *, threads: int = 0, weights: str | os.PathLike[str] | None = None,
         check_weights: bool = False) -> Program:
    """Loads an image, which is native code: load only images that you would load as shared libraries. `check_weights`: first reads all
    weights of the image, and fails (D6005) if they differ from the weights that the image was compiled with."""
    return Program(_compiler.load(os.fspath(path), threads, None if weights is None else os.fspath(weights), check_weights))
