"""Every program of this folder gives jaxlib's numbers, compiled and interpreted, both as JAX's StableHLO and as XLA's HLO. supported.txt
lists the modes of each program.

The command line compares each output; the tests compare its written outputs once more, with numpy.
"""
import json
import pathlib
import subprocess

import ml_dtypes
import numpy as np
import pytest

HERE = pathlib.Path(__file__).parent
# Tolerances r in |got - e| <= r * (|e| + rms(e)), where e is the expected number: for training, for programs in f32, and for programs in bf16 or
# f16. SPECIAL: in bf16, llama's expected numbers differ from those in f32 by 3.2e-2.
TRAINING, FLOAT32, HALF = 1e-4, 2e-5, 2e-2
SPECIAL = {"llama_prefill_bf16": 5e-2}
FP8_EQUAL_SHARE = 0.99  # the other elements may be the next fp8 number above or below


def read_table(name, separator):
    for line in (HERE / name).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            left, _, right = line.partition(separator)
            yield left.strip(), right.strip()


def selected(mode):
    return [name for name, modes in read_table("supported.txt", ":") if mode in modes.split()]


def exceptions():
    """Returns (program, mode) -> tolerance, from tolerance-exceptions.txt."""
    return {tuple(left.split()): float(right.split("=>")[0]) for left, right in read_table("tolerance-exceptions.txt", ":")}


def tolerance(name, types, mode):
    if (name, mode) in exceptions():
        return exceptions()[name, mode]
    if name in SPECIAL:
        return SPECIAL[name]
    if "train_step" in name:
        return TRAINING
    narrow = ("bfloat16", "float16", "float8")
    return HALF if any(kind.startswith(narrow) for kind in types.values()) else FLOAT32


def typed(arrays, types):
    """Returns the arrays out0, out1, … in order, each in its type in types.json."""
    names = sorted(arrays.files, key=lambda name: int(name.lstrip("out")))
    return [arrays[name] if arrays[name].dtype.name == types[name] else arrays[name].view(np.dtype(types[name]))
            for name in names]


def codes_apart(got, expected):
    """Returns how many representable fp8 numbers apart the values are."""
    def ordered(array):
        bits = array.view(np.uint8).astype(np.int32)
        return np.where(bits < 128, bits, 128 - bits)
    return np.abs(ordered(got) - ordered(expected))


def assert_close(got, expected, r):
    assert got.shape == expected.shape and got.dtype == expected.dtype
    if got.dtype.name.startswith("float8"):
        apart = codes_apart(got, expected)
        assert apart.max(initial=0) <= 1
        assert (apart == 0).mean() >= FP8_EQUAL_SHARE
    elif got.dtype.kind in "biu":
        np.testing.assert_array_equal(got, expected)
    else:
        got, expected = got.astype(np.float64), expected.astype(np.float64)
        finite = np.isfinite(expected)
        np.testing.assert_array_equal(got[~finite], expected[~finite])
        got, expected = got[finite], expected[finite]
        rms = np.sqrt(np.mean(expected**2)) if expected.size else 0.0
        beyond = np.abs(got - expected) - r * (np.abs(expected) + rms)
        assert beyond.max(initial=0) <= 0, f"{(beyond > 0).sum()} of {beyond.size} elements differ"


def run(build_folder, tmp_path, name, mode, program="program.mlir"):
    """Runs the program, compares its results, and returns them."""
    folder = HERE / name
    types = json.loads((folder / "types.json").read_text())
    r = tolerance(name, types, mode)
    options = ["--interpret"] if mode == "interpreted" else []
    output = tmp_path / "got.npz"
    result = subprocess.run(
        [build_folder / "bin" / "drumlin", "run", folder / program, "--input", folder / "inputs.npz", "--output", output,
         "--expect", folder / "expected.npz", "--rtol", str(r), *options], capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stdout + result.stderr
    got, expected = (typed(np.load(path), types) for path in (output, folder / "expected.npz"))
    assert len(got) == len(expected)
    for one, other in zip(got, expected):
        assert_close(one, other, r)
    return got


PROGRAMS = pytest.mark.parametrize("program", ["program.mlir", "optimized.hlo"])


@PROGRAMS
@pytest.mark.parametrize("name", selected("compiled"))
def test_compiled(build_folder, tmp_path, name, program):
    run(build_folder, tmp_path, name, "compiled", program)


@PROGRAMS
@pytest.mark.parametrize("name", selected("interpreted"))
def test_interpreted(build_folder, tmp_path, name, program):
    run(build_folder, tmp_path, name, "interpreted", program)


def distance(got, expected):
    """Returns the smallest r with |d| <= r * (|e| + rms(e)) for every element."""
    got, expected = got.astype(np.float64), expected.astype(np.float64)
    return (np.abs(got - expected) / (np.abs(expected) + np.sqrt(np.mean(expected**2)))).max()


# For each program in tolerance-exceptions.txt: computes its results in numpy.
EXACT = {"dot_checkpoint_f32": lambda lhs, rhs: lhs @ rhs.T, "dot_canonical_f32": lambda lhs, rhs: lhs @ rhs}


@pytest.mark.parametrize("name, mode", exceptions())
def test_expected_numbers_of_exceptions_are_off(build_folder, tmp_path, name, mode):
    """The reasons in tolerance-exceptions.txt are true: Drumlin's results are closer to the exact results than expected.npz is."""
    arrays = np.load(HERE / name / "inputs.npz")
    exact = EXACT[name](arrays["in0"].astype(np.float64), arrays["in1"].astype(np.float64))
    expected = np.load(HERE / name / "expected.npz")["out0"]
    assert distance(expected, exact) > FLOAT32
    got, = run(build_folder, tmp_path, name, mode)
    assert distance(got, exact) < distance(expected, exact)
    assert distance(got, expected) > FLOAT32, "the exception is not needed any more: remove its line"
    assert exceptions()[name, mode] < 1.1 * distance(got, expected), "the exception is wider than it need be"


@pytest.mark.parametrize("name", selected("counted"))
def test_no_more_kernels_than_xla(build_folder, name):
    result = subprocess.run([build_folder / "bin" / "drumlin", "plan", HERE / name / "program.mlir"],
                            capture_output=True, text=True, timeout=600)
    assert result.returncode == 0, result.stderr
    limit = sum(json.loads((HERE / "kernels.json").read_text())[name].values())
    exceptions = {left: right for left, right in read_table("kernel-exceptions.txt", ":")}
    if name in exceptions:
        limit = int(exceptions[name].split("=>")[0])
    assert result.stdout.count("plan.launch @") <= limit


def test_every_line_names_a_program():
    programs = {path.parent.name for path in HERE.glob("*/program.mlir")}
    for name, modes in read_table("supported.txt", ":"):
        assert name in programs
        assert set(modes.split()) <= {"compiled", "interpreted", "counted"}
    assert {name for name, _ in exceptions()} <= set(EXACT)
    assert set(json.loads((HERE / "kernels.json").read_text())) == programs
