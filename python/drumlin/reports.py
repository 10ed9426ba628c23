"""The reports of the command line: as Python objects made from the JSON that the commands print or, with `text=True`, as text."""
from __future__ import annotations

import json
import typing
from collections.abc import Mapping

from . import _compiler
from .errors import Error
from .options import CheckOptions, CostOptions, DiffOptions, PlanOptions, WhyOptions
from .sources import Option, Source, options_of, source_of

Options = Mapping[str, Option]

FINDINGS = ("D5", "D7")  # codes of errors that are findings, not failures: plans that differ (D5), or numbers that differ (D7)


def printed(command: str, programs: list[tuple[str, bytes | None]], options: Options) -> str:
    words = [command, *(path for path, _ in programs)]
    for name, value in options_of(options):
        words.append(f"--{name}" if value is None else f"--{name}={value}")
    output, error = _compiler.command(words, [(path, content) for path, content in programs if content is not None])
    if error is not None and not (output and error.code.startswith(FINDINGS)):
        raise error
    return output


def report(command: str, program: Source, name: str, text: bool, options: Options) -> typing.Any:
    output = printed(command, [source_of(program, name)], options if text else {**options, "json": True})
    return output if text else json.loads(output)


def plan(program: Source, *, name: str = "program.mlir", text: bool = False, **options: typing.Unpack[PlanOptions]) -> typing.Any:
    """Returns the plan of a program or an image: kernels, launches, buffers, costs."""
    return report("plan", program, name, text, typing.cast(Options, options))


def cost(program: Source, *, name: str = "program.mlir", text: bool = False, **options: typing.Unpack[CostOptions]) -> typing.Any:
    """Returns the cost of each launch of the plan."""
    return report("cost", program, name, text, typing.cast(Options, options))


def why(program: Source, *, name: str = "program.mlir", text: bool = False, **options: typing.Unpack[WhyOptions]) -> typing.Any:
    """Returns every decision and its reason; `declined=True`, `rule="…"` and `operation="…"` filter them."""
    return report("why", program, name, text, typing.cast(Options, options))


def check(program: Source, *, name: str = "program.mlir", text: bool = False, **options: typing.Unpack[CheckOptions]) -> typing.Any:
    """Compares native code with the interpreter, kernel by kernel; returns a report even if results differ (`divergent_launches`)."""
    return report("check", program, name, text, typing.cast(Options, options))


def diff(before: Source, after: Source, *, names: tuple[str, str] = ("before/program.mlir", "after/program.mlir"), text: bool = False,
         **options: typing.Unpack[DiffOptions]) -> typing.Any:
    """Compares two plans and returns a dictionary for each difference: kind, kernel, field, before, after, worse. Names of kernels include
    the program's file name; `names` are the file names for programs given as text."""
    given = typing.cast(Options, options)
    output = printed("diff", [source_of(before, names[0]), source_of(after, names[1])], given if text else {**given, "json": True})
    return output if text else json.loads(output)
