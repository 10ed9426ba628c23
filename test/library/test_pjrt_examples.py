"""Builds the programs of examples/pjrt as README files there say, and runs them with the library of the build folder."""
import os
import pathlib
import shutil
import subprocess

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[2] / "examples" / "pjrt"
ROOT = EXAMPLES.parents[1]
EXPECTED = ["product: f32[2,2] 4 5 10 11", "squares: f32[5] 0 1 4 9 16"]


def compiler(name):
    """Returns the path of the compiler in /usr/bin (Debian's, for which the examples are written), else of the first one on PATH."""
    return next(filter(None, [shutil.which(name, path="/usr/bin"), shutil.which(name)]), name)


BUILD = {
    "cpp": [compiler("c++"), "-std=c++20", "-O2", "-Wall", "-Werror", "-I", ROOT, "run.cpp", "-ldl", "-o"],
    "go": [compiler("go"), "build", "-o"],
    "rust": [compiler("rustc"), "-O", "--edition", "2021", "-D", "warnings", "main.rs", "-o"],
}


@pytest.fixture(scope="module", params=BUILD)
def program(request, tmp_path_factory):
    made = tmp_path_factory.mktemp(request.param) / "run"
    environment = {**os.environ, "GOCACHE": str(made.with_name("cache")), "GOFLAGS": "-trimpath"}
    done = subprocess.run([*map(str, BUILD[request.param]), str(made)], cwd=EXAMPLES / request.param, env=environment, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    return made


def test_runs_both_programs(program, build_folder, environment):
    done = subprocess.run([program, build_folder / "lib" / "libdrumlin.so"], env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    platform, *results = done.stdout.splitlines()
    assert platform.startswith("platform: cpu, PJRT 0.") and results == EXPECTED


def test_says_what_it_cannot_load(program, environment):
    done = subprocess.run([program, "/nowhere/libdrumlin.so"], env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and "/nowhere/libdrumlin.so" in done.stderr
