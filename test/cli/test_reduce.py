"""drumlin reduce: reduces a large program to a small one that shows the same fault."""
import os
import re
import signal
import subprocess
import time

import numpy
import pytest

# The operations to find, a GEMM minus its cosine, are among unrelated operations.
LARGE = """module @large {
  func.func private @layer(%x: tensor<6x6xbf16>) -> tensor<6x6xbf16> {
    %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<6x6xbf16>, tensor<6x6xbf16>) -> tensor<6x6xbf16>
    %1 = stablehlo.cosine %0 : tensor<6x6xbf16>
    %2 = stablehlo.subtract %0, %1 : tensor<6x6xbf16>
    return %2 : tensor<6x6xbf16>
  }
  func.func public @main(%x: tensor<6x6xbf16>, %y: tensor<i32>, %z: tensor<4xf32>) -> (tensor<6x6xbf16>, tensor<i32>, tensor<4xf32>, tensor<6xbf16>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %low = stablehlo.constant dense<0.0> : tensor<bf16>
    %a = stablehlo.tanh %x : tensor<6x6xbf16>
    %b = func.call @layer(%a) : (tensor<6x6xbf16>) -> tensor<6x6xbf16>
    %c = stablehlo.maximum %y, %zero : tensor<i32>
    %d = stablehlo.sine %z : tensor<4xf32>
    %e = stablehlo.exponential %b : tensor<6x6xbf16>
    %f = stablehlo.reduce(%e init: %low) applies stablehlo.add across dimensions = [0] : (tensor<6x6xbf16>, tensor<bf16>) -> tensor<6xbf16>
    return %e, %c, %d, %f : tensor<6x6xbf16>, tensor<i32>, tensor<4xf32>, tensor<6xbf16>
  }
}
"""
PAIR = "grep -q dot_general {} && grep -q cosine {} && grep -q subtract {}"
SUMMARY = re.compile(r"^reduced (\d+) operations to (\d+) in (\d+) tries, \d+\.\d s", re.MULTILINE)


@pytest.fixture
def large(tmp_path):
    (tmp_path / "large.mlir").write_text(LARGE)
    return "large.mlir"


@pytest.fixture
def broken(build_folder, tmp_path, environment):
    """Fixture broken(kind, *arguments): runs `drumlin` with a faulty compiler."""
    def run(kind, *arguments):
        return subprocess.run([build_folder / "bin" / "drumlin-failing-pass", *arguments], capture_output=True, text=True, timeout=300,
                              cwd=tmp_path, env={**environment, "DRUMLIN_FAILING_PHASE": "simplify", "DRUMLIN_FAILING_KIND": kind})
    return run


@pytest.mark.parametrize("command", ["grep -q cosine {} && grep -q subtract {}", "grep -q cosine"])
def test_folders_of_any_name(call, large, environment, tmp_path, command):
    """The candidate is in the folder for temporary files; its name is one word to the shell, whatever characters it has."""
    folder = tmp_path / "it's $(touch here) a; folder"
    folder.mkdir()
    environment["TMPDIR"] = str(folder)
    result = call("reduce", large, "--while", command, "-o", "small.mlir")
    assert result.returncode == 0 and SUMMARY.search(result.stderr), result.stderr
    assert "cosine" in (tmp_path / "small.mlir").read_text() and not (tmp_path / "here").exists()


def test_command(call, large, tmp_path):
    result = call("reduce", large, "--while", PAIR, "-o", "small.mlir")
    assert result.returncode == 0, result.stderr
    before, after, _ = map(int, SUMMARY.search(result.stderr).groups())
    assert (before, after) == (12, 3)
    text = (tmp_path / "small.mlir").read_text()
    assert "call" not in text and "bf16" not in text and "loc(" not in text and "drumlin.argument" not in text
    # The result is a valid program.
    assert call("run", "small.mlir", "--interpret", "--input", "zeros").returncode == 0
    # If the `--while` command has no placeholder for the candidate file's name, the name is appended. Without `-o`, the text is printed.
    again = call("reduce", "small.mlir", "--while", "grep -q dot_general")
    assert again.returncode == 0 and "dot_general" in again.stdout and "cosine" not in again.stdout


def test_same_result_each_time(call, large):
    texts = {call("reduce", large, "--while", PAIR).stdout for _ in range(2)}
    assert len(texts) == 1


@pytest.mark.parametrize("options", [("--while", "false"), ("--while", "sleep 9", "--timeout", "0.2"), ("--while-differs",),
                                     ("--while-fails",), ()])
def test_no_fault(call, large, tmp_path, options):
    before = sorted(os.listdir(tmp_path))
    result = call("reduce", large, "-o", "small.mlir", *options)
    assert result.returncode == 3, result.stderr
    assert "large.mlir: error D3030: " in result.stderr and "hint: " in result.stderr
    assert sorted(os.listdir(tmp_path)) == before


def test_conditions_exclude_each_other(call, large):
    assert call("reduce", large, "--while", "true", "--while-differs").returncode == 2
    assert call("reduce", large, "--while-fails", "--while-differs").returncode == 2


# `drumlin reduce` detects how the compiler fails, and the reduced program fails in the same way.
@pytest.mark.parametrize("options", [(), ("--while-fails",)])
@pytest.mark.parametrize("kind, said", [("fail", "status 70: phase `simplify`: this pass always fails"), ("crash", "it crashes: SIGSEGV")])
def test_failing_compiler(broken, large, tmp_path, kind, said, options):
    result = broken(kind, "reduce", large, "-o", "small.mlir", *options)
    assert result.returncode == 0, result.stderr
    assert said in result.stderr
    # The compiler fails on every program, so the reduced program has no operations.
    assert SUMMARY.search(result.stderr)[2] == "0", (tmp_path / "small.mlir").read_text()
    assert sorted(os.listdir(tmp_path)) == ["large.mlir", "small.mlir"]


# The first addition of the program becomes a subtraction.
def test_wrong_numbers(broken, tmp_path):
    (tmp_path / "sum.mlir").write_text("""func.func @main(%x: tensor<8xf32>, %y: tensor<4x8xf32>, %z: tensor<8xi32>) -> (tensor<4x8xf32>, tensor<8xi32>) {
  %0 = stablehlo.sine %x : tensor<8xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.add %y, %1 : tensor<4x8xf32>
  %3 = stablehlo.tanh %2 : tensor<4x8xf32>
  %4 = stablehlo.multiply %z, %z : tensor<8xi32>
  return %3, %4 : tensor<4x8xf32>, tensor<8xi32>
}
""")
    numpy.savez(tmp_path / "in.npz", in0=numpy.ones(8, numpy.float32), in1=numpy.ones((4, 8), numpy.float32),
                in2=numpy.ones(8, numpy.int32))
    for options in [(), ("--while-differs",), ("--input", "in.npz"), ("--input", "random:2", "--input", "linspace:1,2", "--input", "zeros")]:
        result = broken("wrong", "reduce", "sum.mlir", *options)
        assert result.returncode == 0, result.stderr
        assert "native code differs from the interpreter: D7012 after phase simplify" in result.stderr
        assert SUMMARY.search(result.stderr)[2] == "1" and "stablehlo.add" in result.stdout, result.stdout
    assert broken("wrong", "reduce", "sum.mlir", "--while-fails").returncode == 3
    assert broken("wrong", "reduce", "sum.mlir", "--input", "zeros", "--input", "zeros").returncode == 2


def test_budget(call, large):
    result = call("reduce", large, "--while", PAIR, "--max-tries", "3")
    assert result.returncode == 0 and "in 3 tries" in result.stderr and "`--max-tries` ended it" in result.stderr
    assert "dot_general" in result.stdout


def test_interrupted(build_folder, large, tmp_path, environment):
    (tmp_path / "slow.sh").write_text("sleep 0.2; " + PAIR.replace("{}", "$1"))
    process = subprocess.Popen([build_folder / "bin" / "drumlin", "reduce", large, "--while", "sh slow.sh {}", "-o", "small.mlir"],
                               cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130, errors
    assert "it was interrupted" in errors
    text = (tmp_path / "small.mlir").read_text()
    assert all(name in text for name in ("dot_general", "cosine", "subtract"))
    assert sorted(os.listdir(tmp_path)) == ["large.mlir", "slow.sh", "small.mlir"]
