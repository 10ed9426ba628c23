"""Constants of more than 64 kB: an image stores each once, behind its code."""
import os
import pathlib
import re
import resource
import signal

import numpy as np
import pytest

from benchmarks import large_program

# Twice the size that an MLIR attribute can hold.
ROWS, COLUMNS = 256, 160


def hexadecimal(array):
    return f'dense<"0x{array.tobytes().hex().upper()}">'


@pytest.fixture
def constant():
    return np.random.RandomState(0).randn(ROWS, COLUMNS).astype(np.float32)


def program(constant, operation="stablehlo.dot_general %x, %w, contracting_dims = [1] x [0]"):
    kind = f"tensor<{ROWS}x{COLUMNS}xf32>"
    return f"""func.func @main(%x: tensor<4x{ROWS}xf32>) -> tensor<4x{COLUMNS}xf32> {{
  %w = stablehlo.constant {hexadecimal(constant)} : {kind}
  %0 = {operation} : (tensor<4x{ROWS}xf32>, {kind}) -> tensor<4x{COLUMNS}xf32>
  return %0 : tensor<4x{COLUMNS}xf32>
}}
"""


@pytest.fixture
def files(call, tmp_path, constant):
    """Writes the program as text, bytecode and an artifact."""
    (tmp_path / "text.mlir").write_text(program(constant))
    for name, form in (("bytecode.mlirbc", "bytecode"), ("artifact.mlirbc", "artifact")):
        result = call("convert", "text.mlir", "-o", name, "--emit", form)
        assert result.returncode == 0, result.stderr
    return ["text.mlir", "bytecode.mlirbc", "artifact.mlirbc"]


def test_images_have_them_once(call, tmp_path, constant, files):
    """All forms of the program give the same results, and compiling a program again gives the same image."""
    x = np.random.RandomState(1).randn(4, ROWS).astype(np.float32)
    np.save(tmp_path / "x.npy", x)
    results = []
    for name in files:
        compiled = call("compile", name, "-o", "a.so")
        assert compiled.returncode == 0
        assert call("compile", name, "-o", "b.so").returncode == 0
        image = (tmp_path / "a.so").read_bytes()
        assert image == (tmp_path / "b.so").read_bytes(), name
        assert constant.nbytes < len(image) < constant.nbytes * 1.5, name
        assert abs(float(re.search(r"image ([\d.]+) kB", compiled.stdout)[1]) - len(image) / 1e3) < 0.2, compiled.stdout
        assert not (tmp_path / "a.so.weights").exists()
        result = call("run", "a.so", "--input", "x.npy", "--output", "y.npz")
        assert result.returncode == 0, result.stderr
        results.append(next(iter(np.load(tmp_path / "y.npz").values())))
        direct = call("run", name, "--input", "x.npy", "--output", "z.npz")
        assert direct.returncode == 0, direct.stderr
        assert np.array_equal(next(iter(np.load(tmp_path / "z.npz").values())), results[-1])
    assert np.allclose(results[0], x @ constant, rtol=1e-4, atol=1e-4)
    assert all(np.array_equal(result, results[0]) for result in results)


def test_texts_are_those_of_other_constants(call, tmp_path, files):
    """Plans omit the elements. A phase's text contains them as MLIR writes them, and compilation continues from that text."""
    plans, phases = set(), set()
    for name in files:
        plan = call("plan", name)
        assert plan.returncode == 0 and "dense_resource<__elided__>" in plan.stdout and "dense_resource<held" not in plan.stdout, plan.stderr
        plans.add(plan.stdout.replace(pathlib.Path(name).stem, "NAME"))
        result = call("compile", name, "--stop-after", "layout", "-o", "phase.mlir")
        assert result.returncode == 0, result.stderr
        text = (tmp_path / "phase.mlir").read_text()
        assert 'dense<"0x' in text and "dialect_resources" not in text
        phases.add(text[text.index('dense<"0x'):].split('"')[1])
        assert call("compile", "phase.mlir", "--start-from", "layout", "-o", "x.so").returncode == 0
    assert len(phases) == 1


def layers(count, constant):
    """Returns a program of `count` GEMMs with matrices of 4 MB, each written by constant(NUMBER)."""
    lines = "".join(f"""  %w{i} = stablehlo.constant {constant(i)} : tensor<1024x1024xf32>
  %{i + 1} = stablehlo.dot_general %{i}, %w{i}, contracting_dims = [1] x [0] : (tensor<8x1024xf32>, tensor<1024x1024xf32>) -> tensor<8x1024xf32>
""" for i in range(count))
    return f"func.func @main(%0: tensor<8x1024xf32>) -> tensor<8x1024xf32> {{\n{lines}  return %{count} : tensor<8x1024xf32>\n}}\n"


def test_memory(call, build_folder, tmp_path):
    """A compilation holds the constants once in memory, and so does a run of the image, although the constants are weights whose layout is
    changed. A text file has two digits for each byte and is mapped into memory while it is scanned, which takes memory in addition."""
    count = 16
    size = count * 4.194304  # MB
    (tmp_path / "few.mlir").write_text(layers(count, lambda i: f"dense<{i + 1}.5>"))
    (tmp_path / "text.mlir").write_text(layers(count, lambda i: hexadecimal(np.random.RandomState(i).randn(1024, 1024).astype(np.float32))))
    for name, form in (("bytecode.mlirbc", "bytecode"), ("artifact.mlirbc", "artifact")):
        assert call("convert", "text.mlir", "-o", name, "--emit", form).returncode == 0

    def peak(*command):
        return large_program.measure((build_folder / "bin" / "drumlin", *command), tmp_path)[1]

    few = peak("compile", "few.mlir", "-o", "few.so")
    for name, most in (("text.mlir", 2.3), ("bytecode.mlirbc", 1.5), ("artifact.mlirbc", 1.5)):
        grown = peak("compile", name, "-o", "x.so") - few
        assert grown < most * size, (name, grown / size)
    grown = peak("run", "x.so", "--input", "zeros", "--output", "y.npz") - peak("run", "few.so", "--input", "zeros", "--output", "y.npz")
    assert grown < 1.5 * size, grown / size


def test_a_full_disk_leaves_nothing_behind(call, tmp_path, files):
    """A limit on file size simulates a full disk."""
    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (ROWS * COLUMNS * 2, ROWS * COLUMNS * 2))

    before = sorted(os.listdir(tmp_path))
    for name in files[1:]:
        result = call("compile", name, "-o", "full.so", preexec_fn=limit)
        assert result.returncode == 1 and "D1002" in result.stderr, (result.returncode, result.stderr)
        assert sorted(os.listdir(tmp_path)) == before
