"""The LAPACK that SciPy's package brings, which JAX needs anyway: for machines that have none of their own."""
from __future__ import annotations

import importlib.util
import pathlib


def of_scipy() -> pathlib.Path | None:
    """OpenBLAS with integers of 32 bits, as SciPy's wheels have it beside the package; found without importing SciPy."""
    spec = importlib.util.find_spec("scipy")
    if spec is None or spec.origin is None:
        return None
    beside = pathlib.Path(spec.origin).parent.with_name("scipy.libs")
    return next(iter(sorted(beside.glob("lib*openblas*.so*"))), None)
