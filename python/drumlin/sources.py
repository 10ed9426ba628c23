"""Programs and options in the form that the C interface takes."""
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

Source = str | bytes | bytearray | memoryview | os.PathLike[str]
Choice = str | int | float | bool | os.PathLike[str] | None
Option = Choice | Sequence[Choice]


def source_of(program: Source, name: str) -> tuple[str, bytes | None]:
    """Returns the path of a program and None, or its name and bytes."""
    if isinstance(program, str) and "\n" in program:
        return name, program.encode()
    if isinstance(program, (bytes, bytearray, memoryview)):
        return name, bytes(program)
    return os.fspath(program), None


def options_of(options: Mapping[str, Option]) -> list[tuple[str, str | None]]:
    """Returns (name, value) pairs. An option whose value is a list is given several times. An option whose value is False or None is omitted."""
    pairs: list[tuple[str, str | None]] = []
    for name, value in options.items():
        for each in value if isinstance(value, (list, tuple)) else [value]:
            if each is not None and each is not False:
                text = os.fspath(each) if isinstance(each, os.PathLike) else str(each)
                pairs.append((name.replace("_", "-"), None if each is True else text))
    return pairs
