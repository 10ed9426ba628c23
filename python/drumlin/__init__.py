"""Drumlin: compiles StableHLO programs, runs them on NumPy arrays, and reports what the compiler did.

    program = drumlin.compile(jax.jit(f).lower(x).as_text())
    y = program(x)

A program is a path, bytes (text, bytecode or a portable artifact), or its text as a str with line breaks. Options are those of the command
line with `_` for `-`: `numerics="strict"`, `no_cache=True`, `disable_pass=["cse"]`. Failures raise `Error`.
"""
import sysconfig

if sysconfig.get_config_var("Py_GIL_DISABLED"):
    raise ImportError("drumlin needs the global interpreter lock, and this Python was built without it (a free-threaded build): "
                      "use the ordinary build of the same version")

from . import _compiler, hlo
from .errors import Error
from .program import Program, Run, Value, compile, load
from .reports import check, cost, diff, plan, why

__all__ = ["Error", "Program", "Run", "Value", "check", "compile", "cost", "diff", "hlo", "load", "plan", "why"]
__version__ = _compiler.version()
