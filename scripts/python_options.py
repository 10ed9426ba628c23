"""Writes python/drumlin/options.py: the options of the Python package's functions, as the table of options has them."""
import json
import pathlib
import subprocess
import sys

FILE = pathlib.Path(__file__).resolve().parents[1] / "python" / "drumlin" / "options.py"
FUNCTIONS = {"compile": "CompileOptions", "plan": "PlanOptions", "cost": "CostOptions", "why": "WhyOptions", "check": "CheckOptions",
             "diff": "DiffOptions"}
# What a function has parameters of its own for, or what is for terminals.
LEFT_OUT = {"--output", "--help", "--color", "--json", "--print-timing"}
HEAD = '''"""The options of this package's functions, made from the table of options by scripts/python_options.py."""
from __future__ import annotations

import os
import typing
from collections.abc import Sequence

Path = str | os.PathLike[str]
'''


def python_type(option):
    made = {"flag": "bool", "number": "int | float | str", "file": "Path", "folder": "Path", "text": "str"}.get(option["type"])
    if made is None:  # a choice; those with many values have lists of their own
        values = option["values"]
        made = f"typing.Literal[{', '.join(map(repr, values))}]" if values else "str"
        if all(value.isdigit() for value in values) and values:
            made += " | int"
    # A file or one of some words.
    if option["type"] == "file" and option["values"]:
        made = "str | Path"
    return f"{made} | Sequence[{made}]" if option["repeats"] else made


def fields(rows, command):
    """A line for each option of a command that a function takes, by its name."""
    lines = {}
    for row in rows:
        long = [each for each in row["name"].split(", ") if each.startswith("--") and each not in LEFT_OUT]
        if row["command"] == command and long:
            name = long[0].removeprefix("--").replace("-", "_")
            lines[name] = f"    {name}: {python_type(row)}  # {row['help']}"
    return lines


def text(rows):
    all_fields = {command: fields(rows, command) for command in FUNCTIONS}
    common = [line for line in all_fields["compile"].values() if all(line in each.values() for each in all_fields.values())]
    lines = [HEAD, "\nclass ProgramOptions(typing.TypedDict, total=False):\n    \"\"\"Of all functions that compile.\"\"\"\n", *common, ""]
    for command, name in FUNCTIONS.items():
        lines.append(f"\nclass {name}(ProgramOptions, total=False):\n    \"\"\"Of `drumlin.{command}`.\"\"\"\n")
        lines += [line for line in all_fields[command].values() if line not in common]
        lines.append("")
    return "\n".join(lines)


def main(binary):
    rows = json.loads(subprocess.run([binary, "list-options", "--json"], capture_output=True, text=True, check=True).stdout)
    FILE.write_text(text(rows))


if __name__ == "__main__":
    main(sys.argv[1])
