"""Tests what `compile` prints and writes (a summary, times, LLVM code, and progress on terminals only) and how many threads it uses."""
import os
import pathlib
import pty
import re
import select
import subprocess
import threading
import time

import pytest
from test_statuses import ENDLESS

MODELS = pathlib.Path(__file__).resolve().parents[1] / "models"


@pytest.fixture
def large():
    found = sorted((MODELS / "llama_train_step_f32").glob("*.mlir"))
    assert len(found) == 1
    return found[0]


def test_summary(call, add, tmp_path):
    line = re.compile(r"compiled add: 1 kernel( \(1 from the cache\))? in \d+\.\d\d s, image \d+\.\d kB\n")
    first, second = (call("compile", add, "-o", "x.so").stdout for _ in range(2))
    assert line.fullmatch(first) and line.fullmatch(first)[1] is None
    assert line.fullmatch(second)[1]
    assert f"image {(tmp_path / 'x.so').stat().st_size / 1000:.1f} kB" in second


def test_nothing_else_is_printed(call, add):
    result = call("compile", add, "-o", "x.so")
    assert result.stdout.count("\n") == 1 and result.stderr == ""


def test_output_to_a_stream_is_the_output_alone(build_folder, add, tmp_path, environment):
    result = subprocess.run([build_folder / "bin" / "drumlin", "compile", add, "-o", "/dev/stdout"], cwd=tmp_path, env=environment,
                            capture_output=True)
    assert result.returncode == 0 and result.stdout.startswith(b"\x7fELF") and b"compiled add" not in result.stdout[-200:]


def test_timing(call, add):
    """--print-timing prints time and memory for each pass of each phase, in order, and for each kernel."""
    lines = call("compile", add, "-o", "x.so", "--print-timing").stdout.splitlines()
    row = re.compile(r"(\w+) +([\w-]+) +\d+\.\d{3} ms +[+-]\d+\.\d MiB +(\d+\.\d) MiB")
    rows = [match for line in lines if (match := row.fullmatch(line))]
    phases = list(dict.fromkeys(match[1] for match in rows))
    assert phases == ["simplify", "rewrite", "fusion", "layout", "select", "schedule", "buffers", "codegen"]
    assert {"inline-calls", "gemm-rewrite", "loop-fusion", "assign-buffers", "kernels", "link"} <= {match[2] for match in rows}
    assert all(float(match[3]) > 1 for match in rows)
    assert sum(line.startswith("kernel ") for line in lines) == 1


def test_dump_llvm_makes_its_folder(call, add, tmp_path):
    result = call("compile", add, "-o", "x.so", "--dump-llvm", "new/folder", "--no-cache")
    assert result.returncode == 0, result.stderr
    files = os.listdir(tmp_path / "new" / "folder")
    assert len(files) == 1 and files[0].endswith(".ll")
    assert "define " in (tmp_path / "new" / "folder" / files[0]).read_text()
    (tmp_path / "file").write_text("")
    result = call("compile", add, "-o", "x.so", "--dump-llvm", "file/folder", "--no-cache")
    assert result.returncode == 1 and "error D1002: " in result.stderr


def most_threads(process):
    """Returns the largest number of threads that was observed until the process ended."""
    most = 0
    while process.poll() is None:
        try:
            most = max(most, len(os.listdir(f"/proc/{process.pid}/task")))
        except FileNotFoundError:
            pass
        time.sleep(0.0005)
    return most


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_compile_threads_bound(build_folder, large, tmp_path, environment, threads):
    process = subprocess.Popen([build_folder / "bin" / "drumlin", "compile", large, "-o", "x.so", "--no-cache",
                                "--num-parallel-jobs", str(threads)], cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL)
    most = most_threads(process)
    # The parser's thread, with its large stack, ends before the others begin; it lives for milliseconds and may go unnoticed.
    assert process.returncode == 0 and threads <= most <= max(threads, 2)


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_bound(build_folder, call, tmp_path, environment, threads):
    (tmp_path / "endless.mlir").write_text(ENDLESS)
    assert call("compile", "endless.mlir", "-o", "endless.so").returncode == 0
    process = subprocess.Popen([build_folder / "bin" / "drumlin", "run", "endless.so", "--input", "zeros", "--threads",
                                str(threads)], cwd=tmp_path, env=environment)
    threading.Timer(2, process.terminate).start()
    assert most_threads(process) == threads and process.returncode == 130


@pytest.mark.parametrize("option", ["--threads", "--num-parallel-jobs"])
@pytest.mark.parametrize("value", ["-1", "many", "1.5", "100000"])
def test_impossible_numbers_of_threads(call, image, option, value):
    result = call("run", image, "--input", "zeros", option, value)
    assert result.returncode == 2 and option in result.stderr


def run_on_terminal(command, **options):
    """Runs a command with a terminal as standard error; returns its status and what it wrote there."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, stderr=theirs, stdout=subprocess.DEVNULL, **options)
    os.close(theirs)
    shown = b""
    while True:
        ready, _, _ = select.select([ours], [], [], 60)
        try:
            part = os.read(ours, 65536) if ready else b""
        except OSError:  # the other end of the terminal was closed
            part = b""
        if not part:
            break
        shown += part
    os.close(ours)
    return process.wait(), shown.decode()


def test_progress_on_a_terminal_alone(build_folder, large, tmp_path, environment):
    command = [build_folder / "bin" / "drumlin", "compile", large, "-o", "x.so", "--no-cache", "--num-parallel-jobs", "1"]
    status, shown = run_on_terminal(command, cwd=tmp_path, env=environment)
    assert status == 0
    assert re.search(r"\r\x1b\[Kkernels: \d+ of \d+", shown)
    assert shown.endswith("\r\x1b[K")  # the progress line is erased
    result = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert result.returncode == 0 and result.stderr == ""
