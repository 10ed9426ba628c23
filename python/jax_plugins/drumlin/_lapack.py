"""Finds the LAPACK library in SciPy's package, for machines without another LAPACK. JAX requires SciPy, so the package is there."""
from __future__ import annotations

import importlib.util
import pathlib


def of_scipy() -> pathlib.Path | None:
    """Returns the path of the OpenBLAS with 32-bit integers that SciPy's wheels install beside the package, without importing SciPy."""
    spec = importlib.util.find_spec("scipy")
    if spec is None or spec.origin is None:
        return None
    beside = pathlib.Path(spec.origin).parent.with_name("scipy.libs")
    return next(iter(sorted(beside.glob("lib*openblas*.so*"))), None)
