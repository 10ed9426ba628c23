"""-O0 to -O3 decide how much work a compilation does. The numbers are the same, and the ledger records what was done."""
import json
import pathlib

import pytest

MODELS = pathlib.Path(__file__).resolve().parents[1] / "models"
TOLERANCES = {"mlp_train_step": "1e-4", "vit_block": "2e-5", "sample_tokens": "2e-5", "cnn_infer": "2e-5", "gqa_attention_bf16": "2e-2",
              "lstm_scan": "2e-5", "newton_while": "2e-5", "moe_route": "2e-5", "fp8_scaled_matmul_bias_gelu_amax": "2e-2"}
DENSE = """
func.func @main(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = stablehlo.add %0, %b : tensor<64x64xf32>
  %2 = stablehlo.tanh %1 : tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}
"""


def decisions(call, rule, *options):
    done = call("why", "program.mlir", "--json", "--rule", rule, *options)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture
def dense(tmp_path):
    (tmp_path / "program.mlir").write_text(DENSE)


@pytest.mark.parametrize("model", TOLERANCES)
@pytest.mark.parametrize("level", ["-O0", "-O1"])
def test_numbers_are_those_of_jax(call, model, level):
    folder = MODELS / model
    done = call("run", folder / "program.mlir", "--input", folder / "inputs.npz", "--expect", folder / "expected.npz", "--rtol",
                TOLERANCES[model], level)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("level", ["-O0", "-O1"])
def test_a_check_compares_the_code_of_the_level(call, dense, level):
    assert call("check", "program.mlir", level).returncode == 0


# A loop that carries a tile of sums, for which LLVM's fast instruction selection chooses wrong instructions.
CONVOLUTION = """func.func @main(%x: tensor<1x5x11x2x1xbf16>, %k: tensor<2x6x1x1x3xbf16>) -> tensor<1x6x3x2x3xbf16> {
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f],
    window = {stride = [1, 3, 1], pad = [[1, 1], [0, 1], [0, 0]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64}
    : (tensor<1x5x11x2x1xbf16>, tensor<2x6x1x1x3xbf16>) -> tensor<1x6x3x2x3xbf16>
  return %0 : tensor<1x6x3x2x3xbf16>
}
"""


@pytest.mark.parametrize("cpu", ["avx2", "avx512", "amx"])
@pytest.mark.parametrize("level", ["-O0", "-O1"])
def test_products_of_tiles_compile_at_each_level(call, tmp_path, level, cpu):
    (tmp_path / "program.mlir").write_text(CONVOLUTION)
    done = call("compile", "program.mlir", "-o", "out.so", level, "--target-cpu", cpu, "--no-cache")
    assert done.returncode == 0, done.stderr
    assert call("check", "program.mlir", level, "--no-cache").returncode == 0


def test_the_lowest_level_gives_each_operation_a_kernel(call, dense):
    names = [launch["kernel"] for launch in json.loads(call("plan", "program.mlir", "--json", "-O0").stdout)["launches"]]
    assert len(names) == 3
    assert len(json.loads(call("plan", "program.mlir", "--json").stdout)["launches"]) == 1
    declined = [each for each in decisions(call, "gemm-absorb-consumer", "-O0") if each["decision"] == "turned-off"]
    assert declined and all("-O1" in each["remedy"] for each in declined)


def test_every_kernel_has_an_entry_below_the_default(call, dense):
    assert [each["decision"] for each in decisions(call, "limit-effort", "-O0")] == ["taken"] * 3
    assert [each["decision"] for each in decisions(call, "limit-effort", "-O1")] == ["time-spent-here"]
    assert decisions(call, "limit-effort", "-O2") == decisions(call, "limit-effort") == []


def test_the_rule_can_be_turned_off(call, dense):
    plain = call("plan", "program.mlir").stdout
    assert "plan.effort" in call("plan", "program.mlir", "-O1").stdout
    assert call("plan", "program.mlir", "-O1", "--disable-pass", "limit-effort").stdout == plain


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
def test_images_are_the_same_each_time(call, dense, tmp_path, level):
    for name, threads in ("a", "1"), ("b", "2"):
        assert call("compile", "program.mlir", "-o", name, level, "--no-cache", "--num-parallel-jobs", threads).returncode == 0
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_highest_level_measures_and_a_record_replays_it(call, dense, tmp_path):
    made = call("compile", "program.mlir", "-o", "a", "-O3", "--tune-record", "record", "--tune-seconds", "0.05")
    assert made.returncode == 0, made.stderr
    assert (tmp_path / "record").exists()
    assert call("compile", "program.mlir", "-o", "b", "-O3", "--tune-record", "record").returncode == 0
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_without_time_nothing_is_measured(call, dense):
    assert call("compile", "program.mlir", "-o", "image", "-O3", "--time-budget", "1e-6").returncode == 0
    entry, = json.loads(call("why", "image", "--json", "--rule", "tune-schedule").stdout)
    assert entry["decision"] == "time-budget-spent" and "--time-budget" in entry["remedy"]


@pytest.mark.parametrize("options", [("--time-budget", "1"), ("-O2", "--time-budget", "1"), ("-O3", "--tune=off", "--time-budget", "1")])
def test_a_time_budget_without_measurements_means_nothing(call, dense, options):
    done = call("compile", "program.mlir", "-o", "image", *options)
    assert done.returncode == 2 and "D3018" in done.stderr


@pytest.mark.parametrize("level", ["-O4", "-O", "--optimization-level=fast"])
def test_other_levels_are_refused(call, dense, level):
    assert call("plan", "program.mlir", level).returncode == 2


def test_a_text_with_another_effort_is_refused(call, dense, tmp_path):
    assert call("compile", "program.mlir", "-o", "planned.mlir", "-O1", "--stop-after", "schedule").returncode == 0
    text = (tmp_path / "planned.mlir").read_text()
    (tmp_path / "planned.mlir").write_text(text.replace('plan.effort = "lean"', 'plan.effort = "most"'))
    done = call("run", "planned.mlir", "--start-from", "schedule", "--input", "zeros")
    assert done.returncode == 3 and "plan.effort" in done.stderr
