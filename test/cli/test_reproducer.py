"""Internal compiler errors: status 70, and a folder with everything that a report needs. A pass that always fails simulates one."""
import json
import os
import pathlib
import re
import subprocess

import pytest

DOT = """module @dot {
  func.func public @main(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.exponential %0 : tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}
"""
FOLDER = re.compile(r"hint: report it with the reproducer in `(.+)`; `drumlin reduce \1/program.mlir` makes it smaller")


@pytest.fixture
def broken(build_folder, tmp_path, environment):
    """Fixture broken(phase, *arguments): runs `drumlin` with a pass that fails after a phase."""
    def run(phase, *arguments, kind="fail", **options):
        return subprocess.run([build_folder / "bin" / "drumlin-failing-pass", *arguments], capture_output=True, text=True,
                              timeout=60, **{"cwd": tmp_path, **options},
                              env={**environment, "DRUMLIN_FAILING_PHASE": phase, "DRUMLIN_FAILING_KIND": kind})
    return run


@pytest.mark.parametrize("phase", ["simplify", "fusion", "buffers"])
@pytest.mark.parametrize("command", [("compile", "-o", "x.so"), ("run", "--input", "zeros"), ("plan",), ("why",), ("bench",)])
def test_failing_pass(call, broken, tmp_path, phase, command):
    (tmp_path / "dot.mlir").write_text(DOT)
    result = broken(phase, command[0], "dot.mlir", *command[1:])
    assert result.returncode == 70, result.stderr
    assert f"error D9001: phase `{phase}`: " in result.stderr and "this pass always fails" in result.stderr
    folder = tmp_path / FOLDER.search(result.stderr)[1]
    assert sorted(os.listdir(folder)) == ["command.txt", "ledger.json", "message.txt", "program.mlir"]
    assert sorted(os.listdir(tmp_path)) == ["dot.mlir", folder.name]
    assert f"'{command[0]}' 'dot.mlir'" in (folder / "command.txt").read_text()
    assert "this pass always fails" in (folder / "message.txt").read_text()
    decided = {entry["phase"] for entry in json.loads((folder / "ledger.json").read_text())}
    assert ("rewrite" in decided) == (phase != "simplify")
    # The program is complete: it fails in the same way, and a correct compiler accepts it.
    again = broken(phase, "compile", folder / "program.mlir", "-o", "x.so")
    assert again.returncode == 70
    assert call("run", folder / "program.mlir", "--input", "zeros").returncode == 0


def only_for_its_owner(folder):
    return folder.stat().st_mode & 0o777 == 0o700 and all(path.stat().st_mode & 0o777 == 0o600 for path in folder.iterdir())


@pytest.mark.parametrize("kind", ["fail", "crash"])
def test_only_its_owner_may_read_it(broken, add, tmp_path, kind):
    """A program may be secret, so the folder is private whatever the user's umask is."""
    result = broken("fusion", "compile", add, "-o", "x.so", kind=kind, preexec_fn=lambda: os.umask(0))
    assert only_for_its_owner(tmp_path / FOLDER.search(result.stderr)[1])


def test_large_constants_stay_where_they_are(broken, tmp_path):
    values = ", ".join(str(i / 8) for i in range(1000))
    (tmp_path / "m.mlir").write_text(f"""module {{
  func.func @main(%x: tensor<1000xf32>) -> tensor<1000xf32> {{
    %0 = stablehlo.constant dense<[{values}]> : tensor<1000xf32>
    %1 = stablehlo.add %x, %0 : tensor<1000xf32>
    return %1 : tensor<1000xf32>
  }}
}}
""")
    folder = tmp_path / FOLDER.search(broken("layout", "compile", "m.mlir", "-o", "x.so").stderr)[1]
    assert (folder / "program.mlir").stat().st_size < 2000
    constants = (folder / "constants.txt").read_text()
    assert re.fullmatch(r"m\.mlir:3:\d+: tensor<1000xf32> [0-9a-f]{64}\n", constants), constants
    assert re.search(r"# program: m\.mlir\n# its hash: [0-9a-f]{64}\n", (folder / "command.txt").read_text())


def test_each_failure_gets_a_folder(broken, add):
    folders = {FOLDER.search(broken("fusion", "compile", add, "-o", "x.so").stderr)[1] for _ in range(3)}
    assert len(folders) == 3


def test_read_only_folder(broken, add, locked, tmp_path, environment):
    environment["TMPDIR"] = str(tmp_path)
    result = broken("fusion", "plan", tmp_path / add, cwd=locked)
    folder = pathlib.Path(FOLDER.search(result.stderr)[1])
    assert result.returncode == 70 and folder.parent == tmp_path and (folder / "program.mlir").exists()


@pytest.mark.parametrize("output", ["x.so", "x.npz"])
def test_crash(broken, add, tmp_path, output):
    command = ("compile", add, "-o", output) if output == "x.so" else ("run", add, "--input", "zeros", "--output", output)
    result = broken("schedule", *command, kind="crash")
    assert result.returncode == 70 and "error D9001: the compiler crashed (SIGSEGV)" in result.stderr
    folder = tmp_path / FOLDER.search(result.stderr)[1]
    assert (folder / "program.mlir").read_text() == (tmp_path / add).read_text()
    assert (folder / "command.txt").read_text().split()[1:] == list(command)
    assert sorted(os.listdir(tmp_path)) == sorted([add, folder.name])


def test_overflow_on_a_thread_that_compiles_kernels(broken, tmp_path):
    """Each thread has a stack for the signal handler; other running threads don't cut the report short."""
    program = pathlib.Path(__file__).resolve().parents[1] / "models" / "mlp_train_step" / "program.mlir"
    result = broken("", "compile", str(program), "-o", "x.so", "--no-cache", "--num-parallel-jobs", "4", kind="overflow")
    assert result.returncode == 70 and "error D9001: the compiler crashed (SIGSEGV)" in result.stderr, result.stderr
    folder = tmp_path / FOLDER.search(result.stderr)[1]
    assert (folder / "program.mlir").read_bytes() == program.read_bytes()
    assert (folder / "command.txt").read_text().split()[1:] == ["compile", str(program), "-o", "x.so", "--no-cache",
                                                               "--num-parallel-jobs", "4"]
    assert os.listdir(tmp_path) == [folder.name]


def test_crash_on_a_program_from_a_pipe(broken, add, tmp_path):
    text = (tmp_path / add).read_text()
    result = broken("fusion", "compile", "/dev/stdin", "-o", "x.so", kind="crash", input=text)
    folder = tmp_path / FOLDER.search(result.stderr)[1]
    assert result.returncode == 70 and (folder / "program.mlir").read_text() == text


def test_program_at_fault_leaves_none(call, tmp_path):
    (tmp_path / "bad.mlir").write_text("module {\n  func.func @main() -> tensor<f32> {\n    melt\n  }\n}\n")
    assert call("compile", "bad.mlir", "-o", "x.so").returncode == 3
    assert os.listdir(tmp_path) == ["bad.mlir"]
