"""drumlin list-options: one table of all options; each option changes exactly what its row says."""
import json
import pathlib
import re

import pytest

SOURCES = pathlib.Path(__file__).resolve().parents[2]
KINDS = {"input", "plan", "numbers", "time", "outcome", "output"}
LAYER = """
func.func @main(%x: tensor<64x128xf32>, %w: tensor<128x128xf32> loc("w"), %b: tensor<128xf32>) -> tensor<64x128xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.multiply %x, %x : tensor<64x128xf32>
  %q = stablehlo.reduce(%s init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<64xf32>
  %r = stablehlo.rsqrt %q : tensor<64xf32>
  %n = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %y = stablehlo.multiply %x, %n : tensor<64x128xf32>
  %0 = stablehlo.dot_general %y, %w, contracting_dims = [1] x [1] : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
  %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<128xf32>) -> tensor<64x128xf32>
  %2 = stablehlo.add %0, %1 : tensor<64x128xf32>
  %3 = stablehlo.tanh %2 : tensor<64x128xf32>
  return %3 : tensor<64x128xf32>
}
"""
SMALL = LAYER.replace("f32>", "bf16>").replace("tensor<f32>", "tensor<bf16>")
# For each compilation option that changes the plan: the words to add to the command line, and a program whose plan they change.
CHANGES = {
    "--target": ("--target trn2", LAYER), "--target-cpu": ("--target-cpu baseline", LAYER), "--numerics": ("--numerics strict --target-cpu avx512", SMALL),
    "--auto-cast": ("--auto-cast matmult", LAYER), "--auto-cast-type": ("--auto-cast matmult --auto-cast-type tf32", LAYER),
    "--optimization-level": ("-O1", LAYER), "--model-type": ("--model-type transformer", LAYER), "--static-args": ("--static-args 1", LAYER),
    "--force-kernel": ("--force-kernel dot=gemv", LAYER), "--disable-pass": ("--disable-pass gemm-absorb-consumer", LAYER),
    "--size": ("--size arg0_0=513", "func.func @main(%x: tensor<?x8xf32>) -> tensor<?x8xf32> {\n  %0 = stablehlo.tanh %x : tensor<?x8xf32>\n  return %0 : tensor<?x8xf32>\n}\n"),
}
# Options whose effect another test file shows, because it needs files or settings that this file doesn't have.
ELSEWHERE = {"--weights-in-place": "test_weights_in_place.py", "--distribution-strategy": "test_distribution_strategy.py", "--tune": "test_tuning.py",
             "--tune-record": "test_tuning.py", "--tune-seconds": "test_tuning.py", "--time-budget": "test_optimization_levels.py", "--layout": "test_cost.py"}
# Command-line words for each option that changes only the compile time.
TIME = {"--no-cache": ["--no-cache"], "--cache-size": ["--cache-size", "1MB"], "--num-parallel-jobs": ["--num-parallel-jobs", "3"]}


@pytest.fixture
def rows(call):
    done = call("list-options", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def long_name(row):
    return next((name for name in row["name"].split(", ") if name.startswith("--")), row["name"])


def test_each_option_of_each_command_is_there(call, rows):
    listed = {}
    for row in rows:
        listed.setdefault(row["command"], set()).add(long_name(row))
    for command in re.findall(r"^  ([a-z][a-z-]+) ", re.split("subcommands:", call("--help").stdout, flags=re.IGNORECASE)[1], re.MULTILINE):
        text = call(command, "--help").stdout
        declared = {option for line in text.splitlines() if line.startswith("  -") for option in re.findall(r"--[a-z][a-z-]*", line.split("  ")[1])}
        assert declared <= listed[command], command


def test_rows_are_whole(rows):
    for row in rows:
        assert row["help"] and row["type"] in ("flag", "number", "bytes", "choice", "file", "folder", "text"), row
        assert row["changes"] and set(row["changes"]) <= KINDS, row
        assert row["type"] != "choice" or row["values"], row


def test_a_command_alone_and_as_text(call, rows):
    only = json.loads(call("list-options", "plan", "--json").stdout)
    assert only == [row for row in rows if row["command"] == "plan"]
    text = call("list-options", "plan").stdout
    assert text.startswith("drumlin plan: ") and all(long_name(row) in text for row in only)
    unknown = call("list-options", "plans")
    assert unknown.returncode == 2 and "`plans` isn't a command" in unknown.stderr


def test_what_changes_the_plan_changes_it(call, rows, tmp_path):
    names = {long_name(row) for row in rows if "plan" in row["changes"]}
    assert names == set(CHANGES) | set(ELSEWHERE)
    for option, (words, program) in CHANGES.items():
        (tmp_path / "program.mlir").write_text(program)
        base = [] if option != "--auto-cast-type" else ["--auto-cast", "matmult"]
        base += ["--target-cpu", "avx512"] if option == "--numerics" else []
        plain, changed = call("plan", "program.mlir", *base), call("plan", "program.mlir", *words.split())
        assert plain.returncode == changed.returncode == 0, (option, changed.stderr)
        assert plain.stdout != changed.stdout, option
    for file in ELSEWHERE.values():
        assert (SOURCES / "test" / "cli" / file).exists()


@pytest.mark.parametrize("words", ["--auto-cast matmult", "--model-type unet-inference", "--numerics contract", "--numerics reassociate", "-O1"])
def test_the_ledger_says_why_nothing_changes(call, tmp_path, words):
    (tmp_path / "program.mlir").write_text("func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {\n  %0 = stablehlo.negate %x : tensor<4xi32>\n  return %0 : tensor<4xi32>\n}\n")
    plain = json.loads(call("why", "program.mlir", "--json").stdout)
    more = [entry for entry in json.loads(call("why", "program.mlir", "--json", *words.split()).stdout) if entry not in plain]
    assert more and all(entry["decision"] for entry in more)


def test_what_changes_time_alone_changes_no_image(call, rows, tmp_path):
    assert {long_name(row) for row in rows if row["changes"] == ["time"]} == set(TIME)
    (tmp_path / "program.mlir").write_text(LAYER)
    images = set()
    for words in [[], *TIME.values()]:
        assert call("compile", "program.mlir", "-o", "image", *words).returncode == 0
        images.add((tmp_path / "image").read_bytes())
    assert len(images) == 1
