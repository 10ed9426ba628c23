"""Compiled functions of types of up to 16 bits, tested on every operand of every type. Their results are compared with the interpreter's
results in the same type, which are correctly rounded (see InterpreterNumericsTests), and with the interpreter's f64 results."""
import subprocess

import ml_dtypes
import numpy as np
import pytest
from values import DTYPES, SMALL_FLOATS, restored, storable

from scripts import numerics

OPERATIONS = {operation: float(bound) for name, (operation, bound) in numerics.functions().items() if name.endswith("_f32")}
STABLEHLO = {"cbrt", "cosine", "exponential", "exponential_minus_one", "log", "log_plus_one", "logistic", "rsqrt", "sine", "sqrt", "tan", "tanh"}
TYPES = ["bf16", "f16", *SMALL_FLOATS]
FAST = ("bf16", "f16", "f8E4M3FN", "f8E5M2")


def program(type, count, wide):
    """Returns a program of all functions, on the type's elements or on the elements converted to f64."""
    used = "f64" if wide else type
    tensor = f"tensor<{count}x{used}>"
    lines = [f"  %w = stablehlo.convert %x : (tensor<{count}x{type}>) -> {tensor}"] if wide else []
    for name in OPERATIONS:
        operand = "%w" if wide else "%x"
        lines.append(f"  %{name} = stablehlo.{name} {operand} : {tensor}" if name in STABLEHLO
                     else f"  %{name} = chlo.{name} {operand} : {tensor} -> {tensor}")
    results = ", ".join([tensor] * len(OPERATIONS))
    return (f"func.func @main(%x: tensor<{count}x{type}>) -> ({results}) {{\n" + "\n".join(lines)
            + "\n  return " + ", ".join(f"%{name}" for name in OPERATIONS) + f" : {results}\n}}\n")


def run(build_folder, folder, type, operands, wide, *options):
    """Returns function => results."""
    path, inputs, output = folder / "functions.mlir", folder / "inputs.npz", folder / "outputs.npz"
    path.write_text(program(type, len(operands), wide))
    np.savez(inputs, in0=storable(operands))
    done = subprocess.run([build_folder / "bin" / "drumlin", "run", path, *options, "--input", inputs, "--output", output], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    with np.load(output) as results:
        return {name: restored(results[f"out{i}"], "f64" if wide else type) for i, name in enumerate(OPERATIONS)}


def every_operand(type):
    dtype = DTYPES[type]
    bits = ml_dtypes.finfo(dtype).bits
    return np.arange(1 << bits, dtype=np.uint16 if bits == 16 else np.uint8).view(dtype)


def is_same(got, expected):
    """NaN equals NaN, and zeros must have equal signs."""
    return (np.isnan(got) & np.isnan(expected)) | ((got == expected) & (np.signbit(got) == np.signbit(expected)))


def units(exact, dtype):
    """Returns the unit in the last place at these values; below the normal numbers, it is the unit of subnormal numbers."""
    info = ml_dtypes.finfo(dtype)
    return np.exp2(np.maximum(np.frexp(exact)[1] - 1, info.minexp) - info.nmant)


@pytest.mark.parametrize("type", [type if type in FAST else pytest.param(type, marks=pytest.mark.slow) for type in TYPES])
def test_every_operand(build_folder, tmp_path, type):
    operands = every_operand(type)
    native = run(build_folder, tmp_path, type, operands, False, "--no-cache")
    interpreted = run(build_folder, tmp_path, type, operands, False, "--interpret")
    exact = run(build_folder, tmp_path, type, operands, True, "--interpret")
    beyond = {}
    for name, bound in OPERATIONS.items():
        got, expected = native[name].astype(np.float64), interpreted[name].astype(np.float64)
        with np.errstate(all="ignore"):
            allowed = 0.5 + bound * 2.0**(ml_dtypes.finfo(DTYPES[type]).nmant - 23)
            is_close = np.abs(got - exact[name]) <= allowed * units(exact[name], DTYPES[type])
        wrong = ~(is_same(got, expected) | is_close)
        if wrong.any():
            beyond[name] = [f"{operand}: {seen}, not {right}"
                            for operand, seen, right in zip(operands[wrong][:3], native[name][wrong][:3], interpreted[name][wrong][:3])]
    assert not beyond
