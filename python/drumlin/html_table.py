"""Renders HLO modules and computations as HTML tables, for notebooks."""
from __future__ import annotations

import html
import typing

if typing.TYPE_CHECKING:
    from .hlo import Computation, Instruction, Module

HEADINGS = ("", "name", "shape", "operation", "operands", "calls", "from")
STYLE = "text-align:left;vertical-align:top;font-family:monospace"


def cells(instruction: Instruction) -> list[str]:
    """Returns the text of each cell in an instruction's row."""
    target = instruction.attributes.get("custom_call_target", "")
    operands = [f"%{operand.name}" for operand in instruction.operands]
    if not operands and instruction.literal is not None:
        operands = [instruction.literal]
    calls = [computation.name for computation in instruction.called_computations] + ([target] if target else [])
    return ["ROOT" if instruction.is_root else "", instruction.name, str(instruction.shape), instruction.opcode, ", ".join(operands),
            ", ".join(calls), str(instruction.metadata.get("op_name", ""))]


def row(tag: str, texts: typing.Iterable[str]) -> str:
    return "<tr>" + "".join(f'<{tag} style="{STYLE}">{html.escape(text)}</{tag}>' for text in texts) + "</tr>"


def computation_table(computation: Computation) -> str:
    rows = "".join(row("td", cells(instruction)) for instruction in computation.instructions)
    kind = "ENTRY " if computation.is_entry else ""
    return (f"<details{' open' if computation.is_entry else ''}><summary>{kind}{html.escape(computation.name)}</summary>"
            f"<table>{row('th', HEADINGS)}{rows}</table></details>")


def module_table(module: Module) -> str:
    """Renders the computations, the entry first and unfolded."""
    computations = sorted(module.computations, key=lambda computation: not computation.is_entry)
    return f"<b>HloModule {html.escape(module.name)}</b>" + "".join(map(computation_table, computations))
