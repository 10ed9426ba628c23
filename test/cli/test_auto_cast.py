"""--auto-cast rounds the operands that its value selects, and no others, to the type of --auto-cast-type; the ledger records each cast."""
import json
import pathlib
import re
import subprocess

import ml_dtypes
import numpy as np
import pytest

PROGRAM = """
func.func @main(%x: tensor<8x64xf32>, %w: tensor<64x16xf32>, %b: tensor<16xf32>, %k: tensor<16x16xf64>) -> (tensor<8x16xf32>, tensor<16x16xf64>) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<16xf32>) -> tensor<8x16xf32>
  %2 = stablehlo.add %0, %1 : tensor<8x16xf32>
  %3 = stablehlo.dot_general %k, %k, contracting_dims = [1] x [0] : (tensor<16x16xf64>, tensor<16x16xf64>) -> tensor<16x16xf64>
  return %2, %3 : tensor<8x16xf32>, tensor<16x16xf64>
}
"""


def tf32(array):
    """Rounds to ten fraction bits, to nearest even."""
    bits = array.astype(np.float32).view(np.uint32)
    return ((bits + 0xFFF + ((bits >> 13) & 1)) & ~np.uint32(0x1FFF)).view(np.float32)


ROUNDED = {
    "bf16": lambda array: array.astype(ml_dtypes.bfloat16).astype(np.float32),
    "fp16": lambda array: array.astype(np.float16).astype(np.float32),
    "tf32": tf32,
    "fp8_e4m3": lambda array: np.clip(array, -448, 448).astype(ml_dtypes.float8_e4m3fn).astype(np.float32),
}
SAME = {"bf16": 8, "fp16": 11, "tf32": 11, "fp8_e4m3": 24}  # significant bits of rounded sums; the order of addition changes only the last two


@pytest.fixture
def folder(tmp_path):
    random = np.random.default_rng(7)
    arrays = [random.standard_normal((8, 64)) * 100, random.standard_normal((64, 16)), random.standard_normal(16)]
    arrays = [array.astype(np.float32) for array in arrays] + [random.standard_normal((16, 16))]
    arrays[0][0, 0] = 1000  # larger than the largest fp8 number
    np.savez(tmp_path / "inputs.npz", **{f"in{i}": array for i, array in enumerate(arrays)})
    (tmp_path / "program.mlir").write_text(PROGRAM)
    return tmp_path


def call(build_folder, folder, *arguments):
    return subprocess.run([build_folder / "bin" / "drumlin", *arguments], cwd=folder, capture_output=True, text=True, timeout=120)


def results(build_folder, folder, *options):
    done = call(build_folder, folder, "run", "program.mlir", "--input", "inputs.npz", "--output", "out.npz", *options)
    assert done.returncode == 0, done.stderr
    with np.load(folder / "out.npz") as arrays:
        return arrays["out0"], arrays["out1"]


@pytest.mark.parametrize("type", ROUNDED)
@pytest.mark.parametrize("mode", ["matmult", "all"])
def test_operands_are_rounded(build_folder, folder, mode, type):
    with np.load(folder / "inputs.npz") as arrays:
        x, w, b, k = (arrays[f"in{i}"] for i in range(4))
    rounded = ROUNDED[type]
    got, untouched = results(build_folder, folder, "--auto-cast", mode, "--auto-cast-type", type)
    product = rounded(x).astype(np.float64) @ rounded(w).astype(np.float64)
    if mode == "all" and type != "fp8_e4m3":
        expected = rounded(rounded(product.astype(np.float32)) + rounded(b))
        tolerance = 2.0 ** -(SAME[type] - 2) * np.abs(product).max()
    else:
        expected = product + b
        tolerance = 1e-6 * (np.abs(rounded(x)) @ np.abs(rounded(w))).max()
    assert np.abs(got - expected).max() <= tolerance
    assert np.abs(got - (x.astype(np.float64) @ w + b)).max() > 2e-6 * np.abs(x).max() * 64 or type == "tf32"
    np.testing.assert_allclose(untouched, k @ k, rtol=1e-12)


def decisions(build_folder, folder, *options):
    done = call(build_folder, folder, "why", "program.mlir", "--rule", "auto-cast", "--json", *options)
    assert done.returncode == 0, done.stderr
    return [(entry["operation"], entry["decision"]) for entry in json.loads(done.stdout)]


def test_the_ledger_tells(build_folder, folder):
    dot, add = "stablehlo.dot_general", "stablehlo.add"
    assert decisions(build_folder, folder) == []
    assert decisions(build_folder, folder, "--auto-cast", "none") == []
    assert decisions(build_folder, folder, "--auto-cast", "matmult") == [(dot, "taken"), (dot, "not-f32")]
    assert sorted(decisions(build_folder, folder, "--auto-cast", "all")) == [(add, "taken"), (dot, "not-f32"), (dot, "taken")]
    assert (add, "products-alone") in decisions(build_folder, folder, "--auto-cast", "all", "--auto-cast-type", "fp8_e4m3")
    assert decisions(build_folder, folder, "--auto-cast", "matmult", "--disable-pass", "auto-cast") == []
    (folder / "program.mlir").write_text("func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }")
    assert decisions(build_folder, folder, "--auto-cast", "all") == [("func.return", "nothing-to-cast")]
    asked = "algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, " \
        "rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>"
    (folder / "program.mlir").write_text(PROGRAM.replace("contracting_dims = [1] x [0] : (tensor<8x64xf32>",
                                                         f"contracting_dims = [1] x [0], {asked} : (tensor<8x64xf32>"))
    assert (dot, "algorithm-asked") in decisions(build_folder, folder, "--auto-cast", "matmult")


def test_a_type_without_a_mode_is_wrong_usage(build_folder, folder):
    done = call(build_folder, folder, "plan", "program.mlir", "--auto-cast-type", "bf16")
    assert done.returncode == 2 and "D3018" in done.stderr


def test_checked_launch_by_launch(build_folder, folder):
    for type in ROUNDED:
        done = call(build_folder, folder, "check", "program.mlir", "--auto-cast", "all", "--auto-cast-type", type)
        assert done.returncode == 0, done.stdout + done.stderr


def table_of_units():
    """Yields (target, type, unit) for each row of the table in docs/cli.md."""
    section = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text().split("| target | rounded to | unit | sums |\n")[1].split("\n\n")[0]
    for line in section.splitlines()[1:]:
        targets, types, unit, sums = (cell.strip() for cell in line.strip("|").split(" | "))
        assert sums.startswith("f32")
        yield from ((target, type, unit) for target in re.findall("`(.*?)`", targets) for type in re.findall("`(.*?)`", types))


def square(build_folder, folder, command, *options):
    (folder / "square.mlir").write_text("""
func.func @main(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}
""")
    done = call(build_folder, folder, command, "square.mlir", *options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("target, type, unit", table_of_units())
def test_the_page_says_what_multiplies(build_folder, folder, target, type, unit):
    options = ("--auto-cast", "matmult", "--auto-cast-type", type)
    if re.match("baseline|a[vm]x|neoverse|aarch64|apple", target):
        name = re.match("`(.*?)`", unit)[1]
        chosen = ("--rule", "select-schedule", "--target-cpu", target, *options)
        assert f"unit = {name}," in square(build_folder, folder, "why", *chosen)
        strict = square(build_folder, folder, "why", "--numerics", "strict", *chosen)
        assert "unit = fma," in strict
    else:
        printed = square(build_folder, folder, "plan", "--target", target, *options)
        assert ("a kernel of our own: operand-type" in printed) == ("own" in unit)


def test_the_page_has_all_targets_and_types():
    rows = {(target, type) for target, type, _ in table_of_units()}
    levels = {"baseline", "avx2", "avx512", "amx", "neoverse-v1", "neoverse-v2", "aarch64,+bf16", "aarch64", "neoverse-n1", "apple-m1", "sm_89", "sm_90", "sm_100", "gfx942", "gfx950", "inf2", "trn1", "trn1n", "trn2"}
    assert rows == {(target, type) for target in levels for type in ROUNDED} | {("amx,+amx-fp16", "fp16")}


# Operations that are decomposed before --auto-cast: it rounds the operands of the resulting operations, and `check` rounds the same.
DECOMPOSED = {
    "chlo": """
func.func @main(%x: tensor<8x16xf32>, %s: tensor<16xf32>) -> tensor<8x16xf32> {
  %0 = chlo.broadcast_add %x, %s {broadcast_dimensions = array<i64: 1>} : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %1 = stablehlo.tanh %0 : tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}
""",
    "normalization": """
func.func @main(%x: tensor<8x16xf32>, %s: tensor<16xf32>) -> tensor<8x16xf32> {
  %v = stablehlo.abs %s : tensor<16xf32>
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %v) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<8x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
""",
    "sizes of the run": """
func.func @main(%x: tensor<?x16xf32>, %s: tensor<16xf32>) -> tensor<?x16xf32> {
  %v = stablehlo.abs %s : tensor<16xf32>
  %0 = "stablehlo.batch_norm_inference"(%x, %s, %s, %s, %v) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<?x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}
""",
}


@pytest.mark.parametrize("program", DECOMPOSED)
def test_check_rounds_what_operations_are_decomposed_into(build_folder, tmp_path, program):
    (tmp_path / "program.mlir").write_text(DECOMPOSED[program])
    random = np.random.default_rng(3)
    np.savez(tmp_path / "inputs.npz", in0=random.standard_normal((8, 16)).astype(np.float32),
             in1=random.standard_normal(16).astype(np.float32))
    done = call(build_folder, tmp_path, "check", "program.mlir", "--input", "inputs.npz", "--auto-cast", "all")
    assert done.returncode == 0, done.stdout + done.stderr
