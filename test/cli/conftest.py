"""Fixtures of the command-line tests: each test runs in its own folder with its own kernel cache."""
import os
import pathlib
import subprocess

import pytest

ADD = """module @add {
  func.func public @main(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.add %arg0, %arg1 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}
"""


@pytest.fixture
def environment(tmp_path_factory):
    """The environment variables of a call, with an empty kernel cache that no other test uses."""
    return {**os.environ, "DRUMLIN_CACHE": str(tmp_path_factory.mktemp("cache"))}


@pytest.fixture
def call(build_folder, tmp_path, environment):
    """Fixture call(*arguments): runs `drumlin` inside tmp_path and returns its status and what it printed."""
    def run(*arguments, timeout=120, **options):
        return subprocess.run([build_folder / "bin" / "drumlin", *map(str, arguments)], capture_output=True, text=True,
                              cwd=tmp_path, env=environment, timeout=timeout, **options)
    return run


@pytest.fixture
def locked(tmp_path):
    """A folder in which no file can be created, even by root, which ignores permissions."""
    if os.geteuid() == 0:
        return pathlib.Path("/proc")
    (tmp_path / "locked").mkdir(mode=0o500)
    return tmp_path / "locked"


@pytest.fixture
def add(tmp_path):
    """The name of a small program's file. The program adds two vectors of four f32 numbers."""
    (tmp_path / "add.mlir").write_text(ADD)
    return "add.mlir"


@pytest.fixture
def image(call, add):
    """The name of the image compiled from the program of the fixture `add`."""
    assert call("compile", add, "-o", "add.so").returncode == 0
    return "add.so"
