"""Conversions to and from the narrow floating-point types, compared bit for bit with ml_dtypes. Decoding is tested on all bit patterns.
Encoding is tested on all numbers of the type, on all midpoints of neighbours with the f32 numbers around them, and on all bf16 numbers."""
import itertools

import ml_dtypes
import numpy as np
import pytest

NARROW = {"f4E2M1FN": "float4_e2m1fn", "f6E2M3FN": "float6_e2m3fn", "f6E3M2FN": "float6_e3m2fn", "f8E3M4": "float8_e3m4",
          "f8E4M3": "float8_e4m3", "f8E4M3FN": "float8_e4m3fn", "f8E4M3FNUZ": "float8_e4m3fnuz",
          "f8E4M3B11FNUZ": "float8_e4m3b11fnuz", "f8E5M2": "float8_e5m2", "f8E5M2FNUZ": "float8_e5m2fnuz",
          "f8E8M0FNU": "float8_e8m0fnu", "bf16": "bfloat16", "f16": "float16"}
TYPES = {name: np.dtype(getattr(ml_dtypes, numpy_name, numpy_name)) for name, numpy_name in NARROW.items()}


def codes(name):
    dtype = TYPES[name]
    bits = np.arange(1 << min(8 * dtype.itemsize, 16), dtype=np.uint8 if dtype.itemsize == 1 else np.uint16)
    width = int(name[1:].split("E")[0]) if name.startswith(("f4", "f6")) else 16
    return bits[:1 << width].view(dtype)


def boundaries(name):
    """Returns the f32 numbers at which the rounding changes, and their neighbours."""
    with np.errstate(all="ignore"):
        numbers = np.unique(codes(name).astype(np.float64))
        numbers = numbers[np.isfinite(numbers)]
        beyond = numbers[[0, -1]] + (numbers[[0, -1]] - numbers[[1, -2]]) / 2
        points = np.concatenate([numbers, (numbers[1:] + numbers[:-1]) / 2, beyond, 2 * beyond]).astype(np.float32)
        beside = [np.nextafter(points, np.float32(side)) for side in (-np.inf, np.inf)]
        special = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4e38, -3.4e38], np.float32)
        return np.concatenate([points, *beside, special])


def program(sources, targets):
    """Returns a program that converts each source to all targets given with it."""
    arguments = ", ".join(f"%a{i}: tensor<{array.size}x{kind}>" for i, (kind, array) in enumerate(sources))
    body, results = "", []
    for i, (kind, array) in enumerate(sources):
        for target in targets[i]:
            name, type = f"%r{len(results)}", f"tensor<{array.size}x{target}>"
            body += f"  {name} = stablehlo.convert %a{i} : (tensor<{array.size}x{kind}>) -> {type}\n"
            results.append((name, type))
    names, types = (", ".join(part) for part in zip(*results))
    return f"func.func @main({arguments}) -> ({types}) {{\n{body}  return {names} : {types}\n}}\n"


def raw(array):
    return array if array.dtype == np.float32 else array.view({1: np.uint8, 2: np.uint16}[array.dtype.itemsize])


def converted(array, dtype):
    with np.errstate(all="ignore"):
        result = array.astype(dtype)
    if dtype == TYPES["f8E8M0FNU"]:
        # ml_dtypes rounds every number between 2^-127, the type's smallest number, and 2^-126 up to 2^-126. It rounds all other numbers to
        # the nearest, and ties to the greater number, as Drumlin rounds all numbers.
        numbers = array.astype(np.float64)
        result[(numbers > 2.0**-127) & (numbers < 1.5 * 2.0**-127)] = 2.0**-127
    if dtype in (TYPES["f4E2M1FN"], TYPES["f6E2M3FN"], TYPES["f6E3M2FN"]):
        # For types without NaN, ml_dtypes converts a NaN to a zero of the opposite sign; Drumlin always gives +0.
        result[np.isnan(array.astype(np.float64))] = 0
    return result


def assert_same(got, expected, what):
    """Asserts equal bits; all NaNs count as equal."""
    nan, expected_nan = (np.isnan(array.astype(np.float32)) for array in (got, expected))
    np.testing.assert_array_equal(nan, expected_nan, err_msg=what)
    integer = {1: np.uint8, 2: np.uint16, 4: np.uint32}[expected.dtype.itemsize]
    np.testing.assert_array_equal(got.view(integer)[~nan], expected.view(integer)[~nan], err_msg=what)


@pytest.mark.parametrize("mode", [[], ["--interpret"], ["--target-cpu", "baseline"]], ids=["native", "interpreted", "baseline"])
def test_conversions_are_those_of_ml_dtypes(call, tmp_path, mode):
    sources = [(name, codes(name)) for name in NARROW] + [("f32", boundaries(name)) for name in NARROW]
    targets = [["f32"] for _ in NARROW] + [[name] for name in NARROW]
    targets[list(NARROW).index("bf16")] += [name for name in NARROW if name != "bf16"]
    (tmp_path / "convert.mlir").write_text(program(sources, targets))
    np.savez(tmp_path / "in.npz", **{f"in{i}": raw(array) for i, (_, array) in enumerate(sources)})
    done = call("run", "convert.mlir", "--input", "in.npz", "--output", "out.npz", *mode)
    assert done.returncode == 0, done.stderr
    results = np.load(tmp_path / "out.npz")
    pairs = itertools.chain.from_iterable(((source, target) for target in own) for source, own in zip(sources, targets))
    for number, ((kind, array), target) in enumerate(pairs):
        dtype = np.dtype(np.float32) if target == "f32" else TYPES[target]
        expected = converted(array, dtype)
        got = results[f"out{number}"]
        assert_same(got if got.dtype == dtype else got.view(dtype), expected, f"{kind} to {target}")
