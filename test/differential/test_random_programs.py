"""Compares the interpreter with jaxlib's CPU backend on a sample of the random programs of ./dev fuzz.

The sample has only programs whose bits are exactly determined, with types and operations that jaxlib treats alike. departures.txt says why
results of other programs differ."""
import json
import re
import subprocess

import numpy as np
import pytest

import reference
from values import DTYPES, is_float, restored, same

FIRST, CANDIDATES, WANTED = 0, 4000, 80
# Patterns of programs that aren't sampled, because jaxlib's results may differ: jaxlib lacks operations on 2- and 4-bit integers; its floats of
# at most 8 bits have other NaN and overflow; its scatter skips a window that reaches beyond the end; its integer power reads six bits of the
# exponent; its random numbers are other ones; it divides by a broadcast number by multiplying by the reciprocal; its `true + true` is false.
# Composites and CHLO operations are tested elsewhere.
LEFT_OUT = re.compile(r"i[24]>|stablehlo\.add .*xi1>|f4E2M1FN|f6E\dM\dFN|f8E|stablehlo\.scatter|stablehlo\.power|chlo\.|composite|reduce_precision|dynamic_|real_dynamic|stablehlo\.rng |stablehlo\.divide .*f\d+>")
ATTRIBUTES = re.compile(r' \{(?:tf\.aliasing_output = \d+ : i32|mhlo\.layout_mode = "[^"]*")\}')


REDUCERS = "(add|multiply|xor|and|or|maximum|minimum)"
REDUCTION = re.compile(rf"init: (%\w+)\) applies stablehlo\.{REDUCERS}")
WINDOWS = re.compile(rf'"stablehlo\.reduce_window"\(%[\w#]+, (%\w+)\).*\n.*\n\s*%\w+ = stablehlo\.{REDUCERS}')
NEUTRAL = {"add": "0|0x0+|false", "xor": "0|false", "multiply": "1|true", "and": "-1|true", "or": "0|false",
           "maximum": "0xFF80+|0xFC00|0xFFF0+|-128|-32768|-2147483648|-9223372036854775808|false",
           "minimum": "0x7F80+|0x7C00|0x7FF0+|127|32767|2147483647|9223372036854775807|true"}


def starts_neutrally(text):
    """Returns whether the initial value of each reduction is neutral. Only then is the result unique: a reduction may apply its initial value
    any number of times, or never, as jaxlib does. Besides, the specification pads the windows of `reduce_window` with the initial value, and
    jaxlib doesn't."""
    for start, reducer in REDUCTION.findall(text) + WINDOWS.findall(text):
        constant = re.search(re.escape(start) + r" = stablehlo\.constant dense<([^>]*)>", text)
        if constant is None or not re.fullmatch(NEUTRAL[reducer], constant[1]):
            return False
    return True


def may_contract(text):
    """Returns whether jaxlib may fuse a multiplication and an addition, and round only once."""
    products = set(re.findall(r"(%\w+) = stablehlo\.multiply .*f\d+>", text))
    sums = re.findall(r" = stablehlo\.(?:add|subtract) (%[\w#]+), (%[\w#]+) : .*f\d+>", text)
    return any(products & set(operands) for operands in sums)


def exact_programs(build_folder, folder):
    done = subprocess.run([build_folder / "bin" / "FuzzPrograms", "--first", str(FIRST), "--count", str(CANDIDATES), "--check", "none",
                           "--exact-only", "--write", folder], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for path in sorted(folder.glob("*.mlir"), key=lambda path: int(path.stem)):
        text = path.read_text()
        if not LEFT_OUT.search(text) and starts_neutrally(text) and not may_contract(text):
            yield path, ATTRIBUTES.sub("", text)


def signature(text):
    """Returns the element types of arguments and results of @main."""
    head = text[:text.index("{\n")]
    arguments, results = head.split(") -> (")
    types = re.compile(r"tensor<(?:\d+x)*([^>]+)>")
    return types.findall(arguments), types.findall(results)


# XLA's CPU backend crashes on a loop in a reducer.
LOOP_IN_REDUCER = re.compile(r"\^bb0\(.*\):\n(?:.* = stablehlo\.constant dense<(?:true|false)> : tensor<i1>\n){2}.* = stablehlo\.while\(")


# Operations and types that jaxlib can't parse or can't translate to HLO.
UNKNOWN_TO_JAXLIB = re.compile(r"stablehlo\.(?:collective_reduce|unary_einsum)\b|!quant\.")


def has_subnormals(arrays, types):
    """Returns whether an array contains a subnormal number. jaxlib's threads flush these to zero."""
    return any(is_float(type) and ((array != 0) & (np.abs(array.astype(np.float64)) < np.float64(tiny(array)))).any()
               for array, type in zip(arrays, types))


def tiny(array):
    import ml_dtypes
    return ml_dtypes.finfo(array.dtype).smallest_normal


@pytest.mark.slow
def test_exact_programs_give_the_bits_of_jaxlib(build_folder, tmp_path):
    compared, found = 0, []
    for path, text in exact_programs(build_folder, tmp_path):
        if compared == WANTED:
            break
        path.write_text(text)
        argument_types, result_types = signature(text)
        if not argument_types or LOOP_IN_REDUCER.search(text) or UNKNOWN_TO_JAXLIB.search(text):
            continue
        with np.load(path.with_suffix(".npz")) as file:
            arguments = [restored(file[f"in{i}"], type) for i, type in enumerate(argument_types)]
        if has_subnormals(arguments, argument_types):
            continue
        output = path.with_suffix(".out.npz")
        done = subprocess.run([build_folder / "bin" / "drumlin", "run", path, "--interpret", "--input", path.with_suffix(".npz"),
                               "--output", output], capture_output=True, text=True)
        assert done.returncode == 0, f"{path.name}: {done.stderr}"
        theirs = reference.run(text, arguments)
        with np.load(output) as file:
            ours = [restored(file[f"out{i}"], type) for i, type in enumerate(result_types)]
        if has_subnormals(ours, result_types):
            continue
        compared += 1
        for i, (a, b) in enumerate(zip(ours, theirs)):
            b = b if b.dtype == DTYPES[result_types[i]] else b.view(DTYPES[result_types[i]])
            # The sign of a zero sum depends on the order of its addends.
            differ = ~(same(a, b) | ((a == 0) & (b == 0)))
            if differ.any():
                found.append(f"{path.stem}: result {i}: {int(differ.sum())} of {differ.size} elements differ")
    assert not found, json.dumps(found, indent=1)
    assert compared == WANTED
