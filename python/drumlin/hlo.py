"""XLA's HLO programs as objects: reads, shows, edits and prints texts such as `jax.jit(f).lower(x).compile().as_text()`.

    module = hlo.parse(text)
    for call in module.instructions(opcode="custom-call", custom_call_target="__cublas*"):
        print(call.name, call.shape, call.backend_config["gemm_backend_config"]["epilogue"])
        twice = call.computation.insert(f"%twice = {call.shape} multiply(%{call.name}, %{call.name})", after=call)
        call.replace_uses(twice)

After each edit, parsing the module's text gives the same module; an edit that would break this raises `drumlin.Error`.
"""
from ._hlo import Computation, Instruction, Module, Shape, parse

__all__ = ["Computation", "Instruction", "Module", "Shape", "Word", "parse"]


class Word(str):
    """An attribute's text that is written without quotes: `kLoop`, `%add`, `0:2:1`, `[2,2]<=[4]`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"Word({str(self)!r})"
