"""Commands never write over an input or outside of the named folder, and write files and text completely or not at all."""
import os
import shutil
import subprocess

import numpy as np
import pytest

PRINTERS = [("plan", "add.mlir"), ("plan", "add.mlir", "--json"), ("plan", "add.mlir", "--target", "trn2"),
            ("plan", "add.mlir", "--target", "sm_90"), ("why", "add.mlir"), ("cost", "add.mlir"),
            ("cost", "add.mlir", "--target", "trn2"), ("list-operators", "abs"), ("diff", "add.mlir", "add.mlir"),
            ("check", "add.mlir"), ("bench", "add.mlir", "--seconds", "0"), ("limits", "--threads", "1"), ("--help",),
            ("--version",), ("compile", "add.mlir", "-o", "x.so"), ("run", "add.mlir", "--input", "zeros", "--expect", "zeros.npz")]


@pytest.mark.parametrize("command", PRINTERS, ids=" ".join)
@pytest.mark.parametrize("where", ["full", "closed"])
def test_output_that_cannot_be_printed(build_folder, environment, add, tmp_path, command, where):
    np.savez(tmp_path / "zeros.npz", out0=np.zeros(4, np.float32))
    program = build_folder / "bin" / "drumlin"
    shell = {"full": '"$@" > /dev/full', "closed": '"$@" >&-'}[where]
    result = subprocess.run(["sh", "-c", shell, "sh", program, *command], cwd=tmp_path, env=environment, capture_output=True,
                            text=True, timeout=120)
    assert result.returncode == 1, result.stderr
    assert "standard output: error D1002: can't write the output" in result.stderr
    # The image may have the file descriptor of the closed standard output; no text is printed into the image.
    assert command[0] != "compile" or (tmp_path / "x.so").read_bytes()[:4] == b"\x7fELF"


@pytest.fixture
def files(add, tmp_path):
    for name in ("in", "expected", "weights"):
        np.savez(tmp_path / f"{name}.npz", in0=np.zeros(4, np.float32), in1=np.zeros(4, np.float32), out0=np.zeros(4, np.float32))
    np.save(tmp_path / "out0.npy", np.zeros(4, np.float32))
    (tmp_path / "dumps").mkdir()
    for name in ("01-simplify.mlir", "other.mlir"):
        shutil.copy(tmp_path / add, tmp_path / "dumps" / name)
    os.link(tmp_path / add, tmp_path / "link.mlir")
    os.symlink(add, tmp_path / "symbolic.mlir")
    return {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


@pytest.mark.parametrize("command", [
    ("compile", "add.mlir", "-o", "add.mlir"), ("compile", "add.mlir", "-o", "./add.mlir"),
    ("compile", "add.mlir", "-o", "link.mlir"), ("compile", "add.mlir", "-o", "symbolic.mlir"),
    ("compile", "add.mlir", "-o", "add.mlir", "--stop-after", "fusion"),
    ("compile", "add.mlir", "-o", "weights.npz", "--weights", "weights.npz"),
    ("compile", "add.mlir", "-o", "new", "--tune", "on", "--tune-record", "./new"),
    ("convert", "add.mlir", "-o", "add.mlir"), ("plan", "add.mlir", "--lock", "add.mlir"),
    ("run", "add.mlir", "--input", "in.npz", "--output", "in.npz"),
    ("run", "add.mlir", "--input", "in.npz", "--expect", "expected.npz", "--output", "expected.npz"),
    ("run", "add.mlir", "--input", "out0.npy", "zeros", "--output", "."),
    ("compile", "dumps/01-simplify.mlir", "-o", "x.so", "--dump-phases", "dumps"),
    ("plan", "dumps/01-simplify.mlir", "--dump-phases", "dumps"),
], ids=" ".join)
def test_output_in_the_place_of_an_input(call, files, command):
    result = call(*command)
    assert result.returncode == 2 and "error D3016: the output would replace" in result.stderr, result.stderr
    assert {path: path.read_bytes() for path in files} == files


def test_a_dumped_phase_may_be_gone_on_from_where_it_lies(call, add, tmp_path):
    assert call("compile", add, "-o", "x.so", "--dump-phases", "dumps").returncode == 0
    before = (tmp_path / "dumps" / "03-fusion.mlir").read_bytes()
    result = call("compile", "dumps/03-fusion.mlir", "-o", "y.so", "--start-from", "fusion", "--dump-phases", "dumps")
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "dumps" / "03-fusion.mlir").read_bytes() == before
    assert (tmp_path / "x.so").read_bytes() == (tmp_path / "y.so").read_bytes()


LONG = "x" * 300


@pytest.mark.parametrize("command", [
    ("compile", "endless.mlir", "-o", LONG), ("compile", "endless.mlir", "-o", "x" * 253, "--weights", "w.npz"),
    ("compile", "endless.mlir", "-o", "x" * 250, "--stop-after", "fusion"), ("convert", "endless.mlir", "-o", LONG),
    ("plan", "endless.mlir", "--lock", LONG), ("run", "endless.mlir", "--input", "zeros", "--output", LONG + ".npz"),
    ("run", "endless.mlir", "--input", "zeros", "--output", "missing/r.npz"),
    ("run", "endless.mlir", "--input", "zeros", "--interpret", "--output", LONG + ".npz"),
    ("run", "endless.mlir", "--input", "zeros", "--output", "r.txt"),
], ids=lambda command: f"{command[0]} {command[-1][:12]}")
def test_names_that_cannot_be_written_are_told_before_the_work(call, tmp_path, command):
    """An unwritable output is reported before the program runs: this program would never end."""
    (tmp_path / "endless.mlir").write_text("""module @endless {
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
""")
    np.savez(tmp_path / "w.npz", in0=np.zeros((), np.int32))
    result = call(*command, timeout=30)
    assert (result.returncode, "error D1002" in result.stderr) == (1, True) or "error D1003" in result.stderr, result.stderr
    assert sorted(os.listdir(tmp_path)) == ["endless.mlir", "w.npz"]


def test_dumps_stay_in_their_folder(call, add, tmp_path):
    """A dump's file name contains the kernel's name. A phase's text may contain any kernel name, such as a path, but dumps stay in their folder."""
    assert call("compile", add, "-o", "placed.mlir", "--stop-after", "buffers").returncode == 0
    text = (tmp_path / "placed.mlir").read_text()
    name = text.split("plan.kernel @")[1].split()[0]
    for other in ("../outside", "/tmp/outside", "a/b", "..", "x" * 300, ".hidden"):
        (tmp_path / "renamed.mlir").write_text(text.replace(f"@{name}", f'@"{other}"'))
        shutil.rmtree(tmp_path / "dump", ignore_errors=True)
        before = sorted(os.listdir(tmp_path) + ["dump", "x.so"])
        result = call("compile", "renamed.mlir", "-o", "x.so", "--start-from", "buffers", "--dump-llvm", "dump", "--no-cache",
                      "--dump-phases", "dump")
        assert result.returncode == 0, result.stderr
        assert sorted(os.listdir(tmp_path)) == before
        written = os.listdir(tmp_path / "dump")
        assert len(written) == 1 and written[0].endswith(".ll") and not written[0].startswith("."), written
        (tmp_path / "x.so").unlink()


def in_small_folder(tmp_path, kilobytes, command, **options):
    """Runs a command in `small`, a file system of this size, and then prints the names of the files in it."""
    (tmp_path / "small").mkdir(exist_ok=True)
    script = f'mount -t tmpfs -o size={kilobytes}k none small && cp *.mlir *.npz small && cd small && "$@"; status=$?; ls -A; exit $status'
    result = subprocess.run(["unshare", "-rm", "sh", "-c", script, "sh", *map(str, command)], cwd=tmp_path, capture_output=True,
                            text=True, timeout=120, **options)
    if "mount:" in result.stderr or "unshare:" in result.stderr:
        pytest.skip("this machine has no user namespaces to mount a folder in")
    return result


BIG = """module @big {
  func.func public @main(%x: tensor<100000xf32>) -> tensor<100000xf32> {
    %0 = stablehlo.exponential %x : tensor<100000xf32>
    return %0 : tensor<100000xf32>
  }
}
"""
WEIGHTED = BIG.replace("(%x: tensor<100000xf32>)", "(%x: tensor<100000xf32>, %w: tensor<100000xf32>)").replace(
    "%0 = stablehlo.exponential %x", "%0 = stablehlo.add %x, %w")


@pytest.mark.parametrize("command", [
    ("run", "big.mlir", "--input", "zeros", "--output", "r.npz"),
    ("run", "big.mlir", "--input", "zeros", "--output", "r.safetensors"),
    ("compile", "weighted.mlir", "-o", "x.so", "--weights", "w.npz"),
    ("compile", "big.mlir", "-o", "x.so"),
    ("compile", "big.mlir", "-o", "x.mlir", "--stop-after", "buffers"),
    ("convert", "big.mlir", "-o", "x.mlirbc"), ("plan", "big.mlir", "--lock", "x.lock"),
], ids=" ".join)
def test_full_disk(build_folder, environment, tmp_path, command):
    (tmp_path / "big.mlir").write_text(BIG)
    (tmp_path / "weighted.mlir").write_text(WEIGHTED)
    np.savez_compressed(tmp_path / "w.npz", in1=np.zeros(100000, np.float32))
    environment["TMPDIR"] = "."
    # 12 kB are enough only for the inputs; 40 kB are enough for the image, but not for its weights.
    for kilobytes in (12, 40) if "weighted.mlir" in command else (12,):
        result = in_small_folder(tmp_path, kilobytes, [build_folder / "bin" / "drumlin", *command], env=environment)
        assert result.returncode == 1 and "error D1002" in result.stderr, result.stdout + result.stderr
        assert "No space left" in result.stderr
        assert result.stdout.split("\n")[:-1] == ["big.mlir", "w.npz", "weighted.mlir"]


def test_full_folder_for_temporary_files(build_folder, environment, tmp_path):
    """The linker writes to memory, so compilation succeeds although the folder for temporary files is full."""
    (tmp_path / "big.mlir").write_text(BIG)
    np.savez(tmp_path / "w.npz", in0=np.zeros(1, np.float32))
    environment["TMPDIR"] = "."
    command = [build_folder / "bin" / "drumlin", "compile", "big.mlir", "-o", tmp_path / "x.so"]
    result = in_small_folder(tmp_path, 8, command, env=environment)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "x.so").read_bytes()[:4] == b"\x7fELF"
