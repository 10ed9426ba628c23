"""Drumlin's options for JAX programs: requirements, static arrays, and reports on what the compiler did.

    step = drumlin.jax.jit(step, require="dot@*mlp*: fused(bias, gelu)", static_arrays=0)
    print(drumlin.jax.plan(step, params, x))

The options are those of `drumlin compile` with `_` for `-`; `jax.jit(f, compiler_options={"numerics": "strict"})` takes them, too. They
apply only to programs that run on Drumlin: `JAX_PLATFORMS=drumlin`, or arrays of `jax.devices("drumlin")`.
"""
from __future__ import annotations

import functools
import typing
from collections.abc import Callable, Mapping, Sequence

import jax

from . import reports
from .sources import Option, options_of

__all__ = ["check", "compiler_options", "cost", "jit", "plan", "require", "why"]
Numbers = int | Sequence[int]


def compiler_options(**options: Option) -> dict[str, str | bool]:
    """Converts options to the form that `jax.jit` and `.lower(…).compile()` take."""
    made: dict[str, str | bool] = {}
    for name, value in options_of(options):
        if value is None:
            made[name] = True
        else:
            made[name] = f"{made[name]}\n{value}" if name in made else value
    return made


class Jitted:
    """A jitted function with Drumlin options. Which program arguments are static depends on the structure of the Python arguments, so JAX
    jits the function once per structure."""

    def __init__(self, function: Callable[..., typing.Any], static_arrays: tuple[int, ...], options: dict[str, str | bool],
                 jit_options: dict[str, typing.Any]) -> None:
        functools.update_wrapper(self, function)
        self._function, self._options, self._jit_options, self._static = function, options, jit_options, static_arrays
        self._jitted: dict[typing.Any, typing.Any] = {}

    def options(self, *arguments: typing.Any) -> dict[str, str | bool]:
        """Returns the Drumlin options of a call with these arguments."""
        positions = {number % len(arguments) for number in self._static} if arguments else set()
        numbers, begin = [], 0
        for position, argument in enumerate(arguments):
            leaves = jax.tree.structure(argument).num_leaves
            numbers += range(begin, begin + leaves) if position in positions else ()
            begin += leaves
        return {**self._options, "static-args": ",".join(map(str, numbers))} if numbers else self._options

    def _for(self, arguments: tuple[typing.Any, ...], named: dict[str, typing.Any]) -> typing.Any:
        structure = jax.tree.structure((arguments, named)) if self._static else None
        if structure not in self._jitted:
            # Unused arguments are kept, since dropping them would renumber the arguments behind them.
            more = {"keep_unused": True, **self._jit_options} if self._static else self._jit_options
            self._jitted[structure] = jax.jit(self._function, compiler_options=self.options(*arguments), **more)
        return self._jitted[structure]

    def __call__(self, *arguments: typing.Any, **named: typing.Any) -> typing.Any:
        return self._for(arguments, named)(*arguments, **named)

    def lower(self, *arguments: typing.Any, **named: typing.Any) -> typing.Any:
        return self._for(arguments, named).lower(*arguments, **named)


def jit(function: Callable[..., typing.Any], *, require: str | Sequence[str] = (), static_arrays: Numbers = (),
        options: Mapping[str, Option] | None = None, **jit_options: typing.Any) -> Jitted:
    """Works as `jax.jit`, with Drumlin's options.

    `require`: what the plan must keep (docs/requirements.md). If the plan doesn't, the call fails and names the operation and the reason.
    `static_arrays`: the positions of arguments, such as weights, that are usually the same arrays at every call. Their elements are
    reordered once for the program's kernels, whatever layout they are passed in.
    `jit_options`: further options of `jax.jit`."""
    named = dict(options or {})
    if require:
        named["require"] = [require] if isinstance(require, str) else list(require)
    static = (static_arrays,) if isinstance(static_arrays, int) else tuple(static_arrays)
    return Jitted(function, static, compiler_options(**named), jit_options)


def require(*requirements: str, **options: typing.Any) -> Callable[[Callable[..., typing.Any]], Jitted]:
    """Returns a decorator that applies `jit` with these requirements."""
    return lambda function: jit(function, require=requirements, **options)


def _report(command: Callable[..., typing.Any], function: typing.Any, arguments: tuple[typing.Any, ...], options: Mapping[str, Option]) -> str:
    """Reports on the function's program for these arguments, or for arguments of these shapes."""
    own: dict[str, typing.Any] = {}
    if isinstance(function, Jitted):
        own = {name: value.split("\n") if isinstance(value, str) else value for name, value in function.options(*arguments).items()}
    lowered = (function if hasattr(function, "lower") else jax.jit(function)).lower(*arguments)
    return command(lowered.as_text(), text=True, **{**own, **options})


def plan(function: typing.Any, *arguments: typing.Any, **options: Option) -> str:
    """Returns the plan of a function, jitted or not: kernels, layouts, schedules, costs."""
    return _report(reports.plan, function, arguments, options)


def why(function: typing.Any, *arguments: typing.Any, **options: Option) -> str:
    """Returns every decision and its reason."""
    return _report(reports.why, function, arguments, options)


def cost(function: typing.Any, *arguments: typing.Any, **options: Option) -> str:
    """Returns the cost of each launch."""
    return _report(reports.cost, function, arguments, options)


def check(function: typing.Any, *arguments: typing.Any, **options: Option) -> str:
    """Compares native code with the interpreter, kernel by kernel, on random arguments."""
    return _report(reports.check, function, arguments, options)
