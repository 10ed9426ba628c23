"""Limits of the interpreter, and interruption: the response is prompt, names the limit, and leaves no partial file."""
import os
import signal
import subprocess
import time

import pytest
from test_statuses import ENDLESS, message

LARGE = """module {
  func.func @main(%x: tensor<f32>) -> tensor<f32> {
    %0 = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1000x1000xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<1000x1000xf32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}
"""


@pytest.fixture
def endless(tmp_path):
    (tmp_path / "endless.mlir").write_text(ENDLESS)
    return "endless.mlir"


def test_steps(call, endless, tmp_path):
    found = message(call("run", endless, "--input", "zeros", "--interpret", "--max-steps", "1000", "--output", "x.npz"), 6, "D1007")
    assert found["where"].startswith("endless.mlir:") and "1000 operations were executed" in found["seen"]
    assert "`--max-steps`" in found["hint"] and os.listdir(tmp_path) == [endless]


def test_steps_count_what_is_executed(call, add):
    """One addition and the function's return are two steps. A program may take exactly the limit."""
    counts = [call("run", add, "--input", "zeros", "--interpret", "--max-steps", n).returncode for n in (0, 1, 2)]
    assert counts[0] == 6 and counts[2] == 0 and counts == sorted(counts, reverse=True)


@pytest.mark.parametrize("limit, status", [("3999999", 6), ("3MB", 6), ("1", 6), ("0", 6), ("5000000", 0), ("5MB", 0), ("1GB", 0)])
def test_memory(call, tmp_path, limit, status):
    (tmp_path / "large.mlir").write_text(LARGE)
    result = call("run", "large.mlir", "--input", "zeros", "--interpret", "--max-memory", limit)
    if status == 0:
        assert result.returncode == 0, result.stderr
        return
    found = message(result, 6, "D1006")
    assert found["where"].startswith("large.mlir:") and "4000000 bytes" in found["seen"]
    assert "`--max-memory`" in found["hint"]


@pytest.mark.parametrize("option, value", [("--max-steps", "-1"), ("--max-steps", "few"), ("--max-memory", "-1"), ("--max-memory", "much"),
                                           ("--max-memory", "99999999999GB")])
def test_impossible_limits(call, add, option, value):
    result = call("run", add, "--input", "zeros", "--interpret", option, value)
    assert result.returncode == 2 and option in result.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("mode", [(), ("--interpret",), ("--interpret", "--stop-after", "buffers")])
def test_interrupted(build_folder, endless, tmp_path, environment, number, mode):
    process = subprocess.Popen([build_folder / "bin" / "drumlin", "run", endless, "--input", "zeros", "--output", "x.npz", *mode],
                               cwd=tmp_path, env=environment, stderr=subprocess.PIPE)
    time.sleep(1)
    assert process.poll() is None, process.stderr.read()
    begin = time.monotonic()
    process.send_signal(number)
    assert process.wait(timeout=60) == 130 and time.monotonic() - begin < 20
    process.stderr.close()
    assert os.listdir(tmp_path) == [endless]
