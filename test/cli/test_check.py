"""drumlin check: compares the compiled program with the interpreter, kernel by kernel; reports differences and where NaN originates."""
import json
import os
import subprocess

import numpy
import pytest

LAYER = """module @layer {
  func.func public @main(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.add %0, %0 : tensor<8x4xf32>
    %2 = stablehlo.log %1 : tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }
}
"""

# A loop with a donated state and a branch inside. Values that are updated in place are checked at each trip.
LOOP = """module @loop {
  func.func public @main(%x: tensor<256xf32> {tf.aliasing_output = 0 : i32}) -> (tensor<256xf32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %five = stablehlo.constant dense<5> : tensor<i32>
    %two = stablehlo.constant dense<2> : tensor<i32>
    %l:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, tensor<256xf32>
     cond {
      %t = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %t : tensor<i1>
    } do {
      %p = stablehlo.compare LT, %i, %two : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %r = "stablehlo.if"(%p) ({
        %s = stablehlo.tanh %v : tensor<256xf32>
        stablehlo.return %s : tensor<256xf32>
      }, {
        %c = stablehlo.cosine %v : tensor<256xf32>
        stablehlo.return %c : tensor<256xf32>
      }) : (tensor<i1>) -> tensor<256xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %r : tensor<i32>, tensor<256xf32>
    }
    return %l#1 : tensor<256xf32>
  }
}
"""

BF16 = """module @bf16 {
  func.func public @main(%x: tensor<64x256xbf16>, %y: tensor<256x64xbf16>) -> tensor<64x64xbf16> {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x256xbf16>, tensor<256x64xbf16>) -> tensor<64x64xbf16>
    return %0 : tensor<64x64xbf16>
  }
}
"""


@pytest.fixture
def check(call, tmp_path):
    """Fixture check(program text, *options): returns the call's result and, with --json, its report."""
    def run(text, *options):
        (tmp_path / "program.mlir").write_text(text)
        result = call("check", "program.mlir", *options)
        return result, json.loads(result.stdout) if "--json" in options and result.stdout else None
    return run


def test_sound_program(check):
    result, _ = check(LAYER, "--input", "linspace:0.1,1")
    assert result.returncode == 0, result.stderr
    assert "1 launch of 1 kernel against the interpreter" in result.stdout
    assert "gemm_0: stablehlo.dot_general at program.mlir:3:10: 1 call" in result.stdout
    assert "first" not in result.stdout.split("changed rounding")[0].replace("first at", "")


def test_first_nan_has_its_line(check):
    result, report = check(LAYER, "--json")
    assert result.returncode == 0, result.stderr
    for side in ("native", "interpreted"):
        origin = report[side]["first_nan"]
        assert origin["operation"] == "stablehlo.log" and origin["source"] == "program.mlir:5:10"
        assert float(origin["operands"]) < 0
        assert report[side]["first_infinity"] is None
    assert report["native"]["first_nan"]["kernel"] == "gemm_0"


def test_nan_of_an_argument(check, tmp_path):
    x = numpy.ones((8, 16), numpy.float32)
    x[3, 2] = numpy.nan
    numpy.savez(tmp_path / "in.npz", in0=x, in1=numpy.ones((16, 4), numpy.float32))
    result, report = check(LAYER, "--json", "--input", "in.npz")
    assert result.returncode == 0, result.stderr
    assert report["interpreted"]["first_nan"] == {
        "operation": "argument 0", "source": "", "kernel": "", "element": 3 * 16 + 2, "operands": ""}


def test_loops_branches_and_donated_values(check):
    result, report = check(LOOP, "--json")
    assert result.returncode == 0, result.stderr
    calls = {kernel["operation"].split(" ")[0]: kernel["calls"] for kernel in report["kernels"]}
    assert calls["stablehlo.tanh"] == 2 and calls["stablehlo.cosine"] == 3
    assert sum(kernel["calls"] for kernel in report["kernels"]) == report["launches"]
    assert report["memory_fault"] == "" and report["divergent_launches"] == 0


# With zero tolerance, `check` reports the first inexact function, at its first call.
def test_divergence_is_named_in_ulps(check):
    result, report = check(LOOP, "--json", "--ulps", "0")
    assert result.returncode == 7
    assert "D7010" in result.stderr and "report it" in result.stderr
    first = report["first"]
    assert first["call"] == 0 and 1 <= first["most_ulps"] <= 2
    assert first["operation"]["name"].startswith("stablehlo.tanh at program.mlir:14:")
    assert check(LOOP, "--ulps", "1000")[0].returncode == 0
    assert check(LOOP, "--rtol", "1e-3")[0].returncode == 0


# Each trip magnifies earlier roundings, so that small errors in kernels become large errors in the results. With the default tolerance,
# `check` attributes them to rounding.
def test_roundings_that_add_up(check):
    text = LOOP.replace("%s = stablehlo.tanh %v", "%w = stablehlo.tanh %v").replace("dense<5>", "dense<30>").replace(
        "dense<2>", "dense<30>").replace("        stablehlo.return %s :", """        %k = stablehlo.constant dense<2.0e1> : tensor<256xf32>
        %m = stablehlo.multiply %w, %k : tensor<256xf32>
        %s = stablehlo.sine %m : tensor<256xf32>
        stablehlo.return %s :""")
    result, _ = check(text, "--rtol", "1e-3")
    assert result.returncode == 7
    assert "D7001" in result.stderr and "roundings add up" in result.stderr
    assert check(text)[0].returncode == 0


def test_changed_roundings(check):
    result, report = check(BF16, "--json")
    assert result.returncode == 0, result.stderr
    sums = [note for note in report["roundings"] if note["what"] == "dot-sum"]
    assert len(sums) == 1 and "sums of 256 products are in f32" in sums[0]["text"]
    assert sums[0]["source"] == "program.mlir:3:10"
    default = {note["what"] for note in report["roundings"]}
    _, strict = check(BF16, "--json", "--numerics", "strict")
    assert {note["what"] for note in strict["roundings"]} == default - {"gemm-bf16-dot"}


@pytest.fixture
def wrong(build_folder, tmp_path, environment):
    """Fixture wrong(phase, *arguments): runs `drumlin` with a pass that turns an addition into a subtraction after a phase."""
    def run(phase, *arguments, kind="wrong"):
        return subprocess.run([build_folder / "bin" / "drumlin-failing-pass", *arguments], capture_output=True, text=True,
                              cwd=tmp_path, timeout=60,
                              env={**environment, "DRUMLIN_FAILING_PHASE": phase, "DRUMLIN_FAILING_KIND": kind})
    return run


@pytest.mark.parametrize("phase", ["simplify", "fusion", "buffers"])
def test_wrong_phase_is_named(wrong, tmp_path, phase):
    (tmp_path / "layer.mlir").write_text(LAYER.replace("stablehlo.log", "stablehlo.tanh"))
    result = wrong(phase, "check", "layer.mlir", "--no-cache")
    assert result.returncode == 7, result.stdout + result.stderr
    assert f"first phase that changes the results: {phase}" in result.stdout
    assert "D7012" in result.stderr


# The kernel's code doesn't compute what the plan says.
def test_wrong_kernel_is_named(wrong, tmp_path):
    (tmp_path / "layer.mlir").write_text(LAYER.replace("stablehlo.log", "stablehlo.tanh"))
    result = wrong("buffers", "check", "layer.mlir", "--json", kind="other-code")
    assert result.returncode == 7, result.stdout + result.stderr
    assert "D7010" in result.stderr and "`gemm_0`, launch 0" in result.stderr
    report = json.loads(result.stdout)
    assert report["first"]["kernel"] == "gemm_0" and report["first"]["beyond"] > 0
    assert report["wrong_phase"] == "" and not report["results"][0]["diverges"]


def test_weights_and_later_phases(check, call, tmp_path):
    numpy.savez(tmp_path / "weights.npz", in1=numpy.linspace(0, 1, 64, dtype=numpy.float32).reshape(16, 4))
    result, report = check(LAYER, "--json", "--weights", "weights.npz", "--input", "linspace:1,2")
    assert result.returncode == 0 and report["native"]["first_nan"] is None, result.stderr
    assert call("compile", "program.mlir", "--stop-after", "fusion", "-o", "fused.mlir").returncode == 0
    again = call("check", "fused.mlir", "--start-from", "fusion", "--input", "linspace:1,2")
    assert again.returncode == 0, again.stderr


@pytest.mark.parametrize("options, status, code", [
    (("--ulps", "-1"), 2, ""), (("--rtol", "x"), 2, ""), (("--input", "zeros", "--input", "zeros", "--input", "zeros"), 2, "D3003"),
    (("--stop-after", "fusion"), 2, "D3002"), (("--target", "trn1"), 4, "D4011"), (("--max-memory", "10"), 6, "D1006"),
    (("--input", "missing.npz"), 1, "D1001")])
def test_what_can_not_be_checked(check, options, status, code):
    result, _ = check(LAYER, *options)
    assert result.returncode == status and code in result.stderr, result.stderr


def test_an_image_is_no_program(call, image):
    result = call("check", image)
    assert result.returncode == 4 and "compiled from" in result.stderr
