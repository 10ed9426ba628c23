"""Allocations fail one by one, in the library, the plugin and the command line. If one fails in a compilation, the process ends with D1005.
If one fails while an image is loaded or run, the call returns D1005, and later calls work again. The
environment variable DRUMLIN_FAULTS is the number of allocations per program that are made to fail, such as 1000."""
import os
import pathlib
import shutil
import subprocess

import pytest

SOURCES = pathlib.Path(__file__).parent
ROOT = SOURCES.parent.parent
POINTS = int(os.environ.get("DRUMLIN_FAULTS", "17"))

# Each program computes the squares of 64 numbers.
PROGRAMS = {
    "elementwise": """func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}""",
    "products": """func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %i = stablehlo.iota dim = 0 : tensor<64x64xi32>
  %j = stablehlo.iota dim = 1 : tensor<64x64xi32>
  %d = stablehlo.compare EQ, %i, %j : (tensor<64x64xi32>, tensor<64x64xi32>) -> tensor<64x64xi1>
  %f = stablehlo.convert %d : (tensor<64x64xi1>) -> tensor<64x64xf32>
  %r = stablehlo.reshape %x : (tensor<64xf32>) -> tensor<1x64xf32>
  %b = stablehlo.broadcast_in_dim %x, dims = [1] : (tensor<64xf32>) -> tensor<64x64xf32>
  %w = stablehlo.multiply %f, %b : tensor<64x64xf32>
  %p = stablehlo.dot_general %r, %w, contracting_dims = [1] x [0] : (tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<1x64xf32>
  %0 = stablehlo.reshape %p : (tensor<1x64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}""",
    "control": """func.func @main(%x: tensor<64xf32>) -> tensor<64xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %end = stablehlo.constant dense<5000> : tensor<i32>
  %s = func.call @square(%x) : (tensor<64xf32>) -> tensor<64xf32>
  %0:2 = stablehlo.while(%n = %zero, %v = %s) : tensor<i32>, tensor<64xf32>
    cond {
      %c = stablehlo.compare LT, %n, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %m = stablehlo.add %n, %one : tensor<i32>
      %k = "stablehlo.sort"(%v) ({
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %g = stablehlo.compare LT, %zero, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %g : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<64xf32>) -> tensor<64xf32>
      stablehlo.return %m, %k : tensor<i32>, tensor<64xf32>
    }
  return %0#1 : tensor<64xf32>
}
func.func private @square(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = stablehlo.multiply %x, %x : tensor<64xf32>
  return %0 : tensor<64xf32>
}""",
}


@pytest.fixture(scope="module")
def host(build_folder, tmp_path_factory):
    """Builds three files: a program that uses Drumlin's C interface, one that uses its plugin, and a library to preload into `drumlin`."""
    folder = tmp_path_factory.mktemp("failing")
    cc = [shutil.which("cc") or "gcc", "-std=c17", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{ROOT}"]
    for name in ("failing", "points", "failing_host"):
        subprocess.run([*cc, "-fPIC", "-c", SOURCES / f"{name}.c", "-o", folder / f"{name}.o"], check=True)
    subprocess.run([*cc, "-shared", folder / "failing.o", "-o", folder / "failing.so"], check=True)
    library = [f"-L{build_folder}/lib", "-ldrumlin", f"-Wl,-rpath,{build_folder}/lib"]
    common = [folder / "failing.o", folder / "points.o"]
    subprocess.run([*cc, folder / "failing_host.o", *common, "-o", folder / "host", *library], check=True)
    subprocess.run([shutil.which("c++") or "g++", "-std=c++20", "-O1", "-Wall", "-Werror", f"-I{ROOT}", SOURCES / "failing_plugin.cpp", *common, "-o",
                    folder / "framework", *library], check=True)
    return folder


@pytest.fixture
def program(tmp_path, request):
    (tmp_path / "program.mlir").write_text(PROGRAMS[request.param])
    return "program.mlir"


every_program = pytest.mark.parametrize("program", PROGRAMS, indirect=True)


def points(binary, action, path, folder, environment):
    done = subprocess.run([binary, action, path, str(POINTS)], cwd=folder, env=environment, capture_output=True, text=True, timeout=20000)
    assert done.stdout == "ok\n", done.stdout + done.stderr


@every_program
@pytest.mark.parametrize("binary", ["host", "framework"])
def test_the_process_ends_while_it_compiles(host, program, binary, tmp_path, environment):
    points(host / binary, "compile", program, tmp_path, environment)


@every_program
def test_the_command_line_ends(build_folder, host, program, tmp_path, environment):
    words = [build_folder / "bin" / "drumlin", "compile", program, "-o", "out.so", "--no-cache"]
    failing = {**environment, "LD_PRELOAD": str(host / "failing.so"), "FAILING_COUNT": str(tmp_path / "count"), "FAIL_AT": "0"}
    subprocess.run(words, cwd=tmp_path, env=failing, check=True, capture_output=True)
    whole = (tmp_path / "out.so").read_bytes()
    count = int((tmp_path / "count").read_text())
    assert count > 1000
    for i in range(POINTS):
        (tmp_path / "out.so").unlink(missing_ok=True)
        failing["FAIL_AT"] = str(1 + i * count // POINTS)
        done = subprocess.run(words, cwd=tmp_path, env=failing, capture_output=True, text=True, timeout=60)
        # If an allocation fails inside the C library, when it opens a file or prints, the C library's own error is reported, not D1005.
        assert done.returncode in (0, 1, 6), (failing["FAIL_AT"], done.returncode, done.stderr)
        assert done.returncode != 6 or "error D1005" in done.stderr, done.stderr
        if done.returncode == 0:
            assert (tmp_path / "out.so").read_bytes() == whole
        else:
            assert not (tmp_path / "out.so").exists()
        assert not [path.name for path in tmp_path.iterdir() if path.name.startswith((".drumlin", "drumlin-reproducer"))]


@every_program
def test_loading_and_running_go_on(build_folder, host, program, tmp_path, environment):
    subprocess.run([build_folder / "bin" / "drumlin", "compile", program, "-o", "out.so"], cwd=tmp_path, env=environment, check=True,
                   capture_output=True)
    points(host / "host", "run", "out.so", tmp_path, environment)


@every_program
def test_frameworks_go_on(host, program, tmp_path, environment):
    subprocess.run([host / "framework", "serialize", program, "serialized"], cwd=tmp_path, env=environment, check=True)
    points(host / "framework", "run", "serialized", tmp_path, environment)
