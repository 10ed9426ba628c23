"""Finds interpreters that are new enough for JAX's newest release."""
import stat

import pytest

from scripts import pythons


def stand_in(folder, name, says, status=0):
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{says}'\nexit {status}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return str(path)


@pytest.mark.parametrize("says, status, version", [
    ("3 13 0", 0, (3, 13)),
    ("3 13 1", 0, None),  # free-threaded
    ("pyenv: python3.13: command not found", 0, None),
    ("3 13 0", 127, None),  # prints a version, but fails
])
def test_version(tmp_path, says, status, version):
    assert pythons.version(stand_in(tmp_path, "python3", says, status)) == version


def test_missing_interpreter(tmp_path):
    assert pythons.version(str(tmp_path / "python3.13")) is None


def test_newest_of_path_and_pyenv(tmp_path, monkeypatch):
    """Finds interpreters on PATH and in pyenv's folder of versions. pyenv's shims on PATH may fail to start an interpreter."""
    path = tmp_path / "path"
    path.mkdir()
    stand_in(path, "python3.14", "pyenv: python3.14: command not found", 127)
    stand_in(path, "python3.12", "3 12 0")
    folder = tmp_path / "pyenv" / "versions" / "3.13.1" / "bin"
    folder.mkdir(parents=True)
    newer = stand_in(folder, "python3", "3 13 0")
    monkeypatch.setenv("PATH", str(path))  # without the system's own Python, which may be new enough
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path / "pyenv"))
    assert pythons.newest() == newer


def test_none(tmp_path, monkeypatch):
    """A Python of an older version isn't new enough, whatever its name says."""
    stand_in(tmp_path, "python3.13", "3 11 0")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    assert pythons.newest() is None
