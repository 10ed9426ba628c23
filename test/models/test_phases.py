"""Each phase's text is a complete program: it compiles to the same image, and evaluates to the same numbers."""
import json
import pathlib

import numpy as np
import pytest
from test_models import assert_close, tolerance, typed

MODELS = pathlib.Path(__file__).parent
NAMES = sorted(path.parent.name for path in MODELS.glob("*/program.mlir"))
PHASES = ("simplify", "rewrite", "fusion", "layout", "select", "schedule", "buffers")
# Phases after which the program's operations stay the same: later phases only group, order and schedule them.
SETTLED = PHASES[1:]
# The programs for the fast tests. Together they have a loop, a scan, fp8 kernels with several results, constants in the image, and a donated
# cache.
QUICK = ("fp8_scaled_matmul_bias_gelu_amax", "lstm_scan", "newton_while", "sample_tokens")


def slow_unless(quick):
    return [name if name in quick else pytest.param(name, marks=pytest.mark.slow) for name in NAMES]


def test_phases_are_the_ones_that_the_compiler_names(build_folder, drumlin, tmp_path):
    drumlin("compile", MODELS / "newton_while" / "program.mlir", "-o", tmp_path / "x.so", "--dump-phases", tmp_path / "phases")
    assert [path.stem for path in sorted((tmp_path / "phases").glob("*.mlir"))] == \
        [f"{number:02}-{name}" for number, name in enumerate(("import", *PHASES))]


QUANTIZED = """func.func @main(%a: tensor<1x4x4x1x!quant.uniform<i8:f16, 0.5>>, %b: tensor<3x3x1x1x!quant.uniform<i8:f16, 0.5>>) -> tensor<1x5x5x1x!quant.uniform<i32:f16, 0.25>> {
  %0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {lhs_dilate = [2, 2]}
    {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x4x4x1x!quant.uniform<i8:f16, 0.5>>, tensor<3x3x1x1x!quant.uniform<i8:f16, 0.5>>) -> tensor<1x5x5x1x!quant.uniform<i32:f16, 0.25>>
  return %0 : tensor<1x5x5x1x!quant.uniform<i32:f16, 0.25>>
}
"""


def test_quantized_programs_are_dumped_and_planned_before_they_are_lowered(drumlin, tmp_path):
    (tmp_path / "program.mlir").write_text(QUANTIZED)
    drumlin("compile", tmp_path / "program.mlir", "-o", tmp_path / "out.so", "--dump-phases", tmp_path / "dumps")
    assert "!quant.uniform" in (tmp_path / "dumps" / "00-import.mlir").read_text()
    assert "stablehlo.convolution" in drumlin("plan", tmp_path / "program.mlir", "--stop-after", "simplify")


@pytest.mark.parametrize("name", slow_unless(QUICK))
def test_going_on_from_any_phase_gives_the_same_image(drumlin, image_of, tmp_path, name):
    straight = image_of(name).read_bytes()
    for phase in PHASES:
        drumlin("compile", MODELS / name / "program.mlir", "-o", tmp_path / f"{phase}.mlir", "--stop-after", phase)
        drumlin("compile", tmp_path / f"{phase}.mlir", "-o", tmp_path / f"{phase}.so", "--start-from", phase)
        assert (tmp_path / f"{phase}.so").read_bytes() == straight, phase


def test_going_on_phase_by_phase_gives_the_same_image(drumlin, image_of, tmp_path):
    name, before, options = QUICK[0], MODELS / QUICK[0] / "program.mlir", []
    for phase in PHASES:
        drumlin("compile", before, "-o", tmp_path / f"{phase}.mlir", "--stop-after", phase, *options)
        before, options = tmp_path / f"{phase}.mlir", ["--start-from", phase]
    drumlin("compile", before, "-o", tmp_path / "x.so", *options)
    assert (tmp_path / "x.so").read_bytes() == image_of(name).read_bytes()


def interpreted(drumlin, program, folder, types):
    phase = program.stem.split("-", 1)[1]
    begin = [] if phase == "import" else ["--start-from", phase]
    drumlin("run", program, "--interpret", *begin, "--input", folder / "inputs.npz", "--output", program.with_suffix(".npz"))
    return typed(np.load(program.with_suffix(".npz")), types)


def same_bits(got, expected):
    return all(one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
               for one, other in zip(got, expected, strict=True))


@pytest.mark.parametrize("name", NAMES)
def test_every_phase_evaluates_to_the_same_numbers(drumlin, tmp_path, name):
    """Interprets each phase's text, and compares with the original program and with the expected numbers."""
    folder = MODELS / name
    types = json.loads((folder / "types.json").read_text())
    drumlin("compile", folder / "program.mlir", "-o", tmp_path / "x.so", "--dump-phases", tmp_path)
    got = {phase: interpreted(drumlin, next(tmp_path.glob(f"*-{phase}.mlir")), folder, types) for phase in ("import", *PHASES)}
    expected = typed(np.load(folder / "expected.npz"), types)
    for phase, values in got.items():
        for one, other in zip(values, expected, strict=True):
            assert_close(one, other, tolerance(name, types, "interpreted"))
        if phase in SETTLED:
            assert same_bits(values, got[SETTLED[0]]), phase
