"""NumPy's types for StableHLO's, including those of ml_dtypes."""
import functools
import re

import ml_dtypes
import numpy as np

NAMED = {"i1": "bool", "bf16": "bfloat16", "f16": "float16", "f32": "float32", "f64": "float64", "complex<f32>": "complex64",
         "complex<f64>": "complex128"}


@functools.cache
def dtype_of(name: str) -> np.dtype:
    """Returns the NumPy type for a StableHLO type name such as `f32`, `ui8` or `f8E4M3FN`."""
    if match := re.fullmatch(r"(u?)i(\d+)", name):
        spelled = NAMED.get(name, f"{match[1]}int{match[2]}")
    elif match := re.fullmatch(r"f(\d)(E\w+)", name):
        spelled = f"float{match[1]}_{match[2].lower()}"
    else:
        spelled = NAMED[name]
    return np.dtype(getattr(ml_dtypes, spelled, spelled))
