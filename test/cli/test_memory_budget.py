"""--memory-budget: a program that holds more memory at once than the budget is refused, with a list of what it holds."""
import re
import subprocess

import pytest

# The argument, the result and the value between the two dots take 64 kB each.
PROGRAM = """
func.func @main(%x: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %1 = stablehlo.dot_general %0, %0, contracting_dims = [1] x [0] : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  return %1 : tensor<128x128xf32>
}
"""
HELD = 3 * 65536


@pytest.fixture
def call(build_folder, tmp_path):
    (tmp_path / "program.mlir").write_text(PROGRAM)

    def run(command, *arguments):
        return subprocess.run([build_folder / "bin" / "drumlin", command, "program.mlir", *arguments], cwd=tmp_path, capture_output=True,
                              text=True, timeout=120)
    return run


@pytest.mark.parametrize("command", ["plan", "cost", "why", "run", "check", "compile"])
def test_what_fits_and_what_does_not(call, tmp_path, command):
    output = ["-o", "out.so"] if command == "compile" else ["--input", "random:1"] if command == "run" else []
    fits = call(command, *output, "--memory-budget", str(HELD))
    assert fits.returncode == 0, fits.stderr
    (tmp_path / "out.so").unlink(missing_ok=True)
    refused = call(command, *output, "--memory-budget", str(HELD - 1))
    assert refused.returncode == 6 and "error D1005: a call holds 196.61 kB, 1 B more than the budget" in refused.stderr
    assert "held by" in refused.stderr and "hint: donate" in refused.stderr
    assert not (tmp_path / "out.so").exists()


def test_the_plan_says_the_same(call):
    printed = call("plan").stdout
    assert re.search(r"peak memory 196\.61 kB", printed)


def test_where_memory_is_not_planned(call):
    refused = call("plan", "--stop-after", "layout", "--memory-budget", "1GB")
    assert refused.returncode == 2 and "`--memory-budget` has no effect if phase `buffers` doesn't run" in refused.stderr
