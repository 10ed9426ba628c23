"""Each exit status of docs/cli.md from the command line. Messages have a location, a cause, a code and a remedy."""
import os
import re
import resource
import signal
import subprocess
import time

import numpy as np
import pytest

# The size of this program's result is an element of its argument.
UNSUPPORTED = """module @counts {
  func.func public @main(%x: tensor<1xi32>) -> tensor<?xf32> {
    %0 = stablehlo.add %x, %x : tensor<1xi32>
    %1 = stablehlo.dynamic_iota %0, dim = 0 : (tensor<1xi32>) -> tensor<?xf32>
    return %1 : tensor<?xf32>
  }
}
"""
# A program that `simplify` would decompose; it is passed to a later phase.
UNSIMPLIFIED = """module @loop {
  func.func public @main(%arg0: tensor<4xf32>) -> tensor<f32> {
    %0 = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = "stablehlo.reduce"(%arg0, %0) <{dimensions = array<i64: 0>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %2:2 = stablehlo.while(%p = %x, %q = %y) : tensor<f32>, tensor<f32>
      cond {
        %c = stablehlo.compare LT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %n = stablehlo.add %p, %p : tensor<f32>
        stablehlo.return %q, %n : tensor<f32>, tensor<f32>
      }
      stablehlo.return %2#0 : tensor<f32>
    }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %1 : tensor<f32>
  }
}
"""
ENDLESS = """module @endless {
  func.func public @main(%arg0: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.while(%x = %arg0) : tensor<i32>
      cond {
        %t = stablehlo.constant dense<true> : tensor<i1>
        stablehlo.return %t : tensor<i1>
      } do {
        %y = stablehlo.add %x, %x : tensor<i32>
        stablehlo.return %y : tensor<i32>
      }
    return %0 : tensor<i32>
  }
}
"""
MESSAGE = re.compile(r"^(?:(?P<where>\S.*?): )?error (?P<code>D\d{4}): (?P<seen>.+)\n  hint: (?P<hint>.+)$", re.MULTILINE)


def message(result, status, code):
    """Returns the match of the message's regular expression; fails unless the exit status and the diagnostic's code are as given."""
    assert result.returncode == status, result.stdout + result.stderr
    match = MESSAGE.search(result.stderr)
    assert match and match["code"] == code, result.stderr
    return match


def is_untouched(folder, before):
    return sorted(os.listdir(folder)) == before


def test_done(call, image, tmp_path):
    assert call("run", image, "--input", "zeros", "--output", "r.npz").returncode == 0
    assert (tmp_path / "r.npz").exists()


def test_file_not_readable(call):
    found = message(call("compile", "none.mlir", "-o", "x.so"), 1, "D1001")
    assert found["where"] == "none.mlir"


@pytest.mark.parametrize("output", ["missing/x.so", "."])
def test_file_not_writable(call, add, tmp_path, output):
    before = sorted(os.listdir(tmp_path))
    found = message(call("compile", add, "-o", output), 1, "D1002")
    assert found["where"] == output
    assert is_untouched(tmp_path, before)


@pytest.mark.parametrize("arguments", [(), ("melt",), ("compile",), ("compile", "add.mlir"), ("run", "add.mlir", "--melt")])
def test_usage(call, add, arguments):
    result = call(*arguments)
    assert result.returncode == 2
    assert "--help" in result.stderr


@pytest.mark.parametrize("inputs, seen", [
    (("what:1", "zeros"), "`what:1` isn't a kind of input"),
    (("random:", "zeros"), "`random:` has no seed"),
    (("random:one", "zeros"), "`random:one` has no seed"),
    (("zeros", "linspace:1"), "`linspace:1` lacks two end points"),
    (("zeros", "linspace:1,2,3"), "`linspace:1,2,3` lacks two end points"),
    (("zeros",) * 3, "the program takes 2 arguments, but 3 are given"),
])
def test_input_specification(call, image, inputs, seen):
    found = message(call("run", image, "--input", *inputs), 2, "D3003")
    assert found["seen"].startswith(seen)
    assert found["where"].startswith("--input")
    assert "random:SEED" in found["hint"]


def test_unknown_target(call, add, tmp_path):
    found = message(call("compile", add, "-o", "x.so", "--target-cpu", "z80"), 2, "D3001")
    assert found["where"] == "--target-cpu" and "`z80`" in found["seen"]
    assert all(f"`{name}`" in found["hint"] for name in ("native", "avx512", "avx2", "baseline"))
    assert not (tmp_path / "x.so").exists()


@pytest.mark.parametrize("option", ["--stop-after", "--start-from"])
def test_unknown_phase(call, add, option):
    found = message(call("compile", add, "-o", "x.so", option, "melt"), 2, "D3002")
    assert "`melt`" in found["seen"] and "simplify" in found["hint"]


def test_invalid_program(call, tmp_path):
    (tmp_path / "bad.mlir").write_text("module {\n  func.func @main() -> tensor<f32> {\n    melt\n  }\n}\n")
    found = message(call("compile", "bad.mlir", "-o", "x.so"), 3, "D2005")
    assert found["where"].startswith("bad.mlir:3:")


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_image_cut_short(call, image, tmp_path, share):
    whole = (tmp_path / image).read_bytes()
    (tmp_path / "cut.so").write_bytes(whole[:max(4, int(len(whole) * share))])
    found = message(call("run", "cut.so", "--input", "zeros"), 3, "D6001")
    assert found["where"] == "cut.so"


def test_image_with_any_byte_changed(call, image, tmp_path):
    whole = bytearray((tmp_path / image).read_bytes())
    for place in range(4, len(whole), max(1, len(whole) // 40)):
        changed = whole.copy()
        changed[place] ^= 0x40
        (tmp_path / "changed.so").write_bytes(changed)
        result = call("run", "changed.so", "--input", "zeros")
        assert result.returncode == 3, f"byte {place}: {result.returncode} {result.stderr}"
        assert MESSAGE.search(result.stderr)["code"].startswith("D6")


def test_unsupported_native(call, tmp_path):
    (tmp_path / "counts.mlir").write_text(UNSUPPORTED)
    np.save(tmp_path / "four.npy", np.full(1, 4, np.int32))
    before = sorted(os.listdir(tmp_path))
    found = message(call("compile", "counts.mlir", "-o", "x.so"), 4, "D4004")
    assert found["where"].startswith("counts.mlir:4:")
    assert "`stablehlo.dynamic_iota` don't follow from the sizes of the arguments" in found["seen"] and "concrete sizes" in found["hint"]
    assert is_untouched(tmp_path, before)
    assert call("run", "counts.mlir", "--input", "four.npy", "--interpret").returncode == 0


def test_what_a_phase_should_have_decomposed(call, tmp_path):
    (tmp_path / "loop.mlir").write_text(UNSIMPLIFIED)
    np.save(tmp_path / "four.npy", np.zeros(4, np.float32))
    before = sorted(os.listdir(tmp_path))
    found = message(call("compile", "loop.mlir", "-o", "x.so", "--start-from", "simplify"), 4, "D4001")
    assert found["where"].startswith("loop.mlir:6:")
    assert "`stablehlo.while`" in found["seen"] and "`--interpret`" in found["hint"]
    assert is_untouched(tmp_path, before)
    # The program runs with the option that the hint names.
    assert call("run", "loop.mlir", "--input", "four.npy", "--interpret").returncode == 0


def test_limit_of_resources(call, tmp_path):
    (tmp_path / "deep.mlir").write_text("(" * 100000)
    message(call("compile", "deep.mlir", "-o", "x.so"), 6, "D2003")


def test_numbers_differ(call, image, tmp_path):
    np.savez(tmp_path / "expected.npz", out0=np.array([0, 0, 3, 5], np.float32))
    np.savez(tmp_path / "inputs.npz", in0=np.zeros(4, np.float32), in1=np.array([0, 0, 3, 4], np.float32))
    result = call("run", image, "--input", "inputs.npz", "--expect", "expected.npz", "--rtol", "1e-6")
    found = message(result, 7, "D7001")
    assert found["where"] == "expected.npz"
    assert "out0: 1 of 4 elements differ, first at 3: got 4, expected 5" in result.stdout
    assert call("run", image, "--input", "inputs.npz", "--expect", "expected.npz", "--rtol", "0.5").returncode == 0


@pytest.mark.parametrize("command, status, code", [
    (("compile", "add.mlir", "-o", "x.mlir", "--stop-after", "simplify"), 1, "D1002"),
    (("run", "add.mlir", "--interpret", "--input", "zeros", "--output", "x.npz"), 1, "D1002"),
    (("run", "add.mlir", "--interpret", "--input", "zeros", "--output", "x.safetensors"), 1, "D1002"),
    # Files in memory count, too: the linker's files, and the copy of an image that is loaded.
    (("compile", "add.mlir", "-o", "x.so"), 6, "D1005"),
    (("run", "add.so", "--input", "zeros", "--output", "x.npz"), 6, "D1005"),
])
def test_full_disk_leaves_no_file(call, image, tmp_path, command, status, code):
    """A file-size limit simulates a full disk: a write ends in the middle."""
    before = sorted(os.listdir(tmp_path))

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))
    message(call(*command, preexec_fn=limit), status, code)
    assert is_untouched(tmp_path, before)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted(build_folder, tmp_path, environment, number):
    (tmp_path / "endless.mlir").write_text(ENDLESS)
    before = sorted(os.listdir(tmp_path))
    process = subprocess.Popen([build_folder / "bin" / "drumlin", "run", "endless.mlir", "--input", "zeros", "--output",
                                "x.npz"], cwd=tmp_path, env=environment, stderr=subprocess.PIPE)
    time.sleep(1.5)
    assert process.poll() is None, process.stderr.read()
    process.send_signal(number)
    assert process.wait(timeout=60) == 130
    process.stderr.close()
    assert is_untouched(tmp_path, before)
