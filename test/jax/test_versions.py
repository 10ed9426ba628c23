"""The plugin with versions of jaxlib other than the installed version, each in a separate environment."""
import subprocess
import sys

import pytest

VERSIONS = ["0.6.2", "0.7.2", "0.8.2", "0.9.2"]
FILES = ["inside_arrays.py", "inside_buffer_callbacks.py", "inside_callbacks.py", "inside_linear_algebra.py", "inside_programs.py"]


@pytest.mark.long
@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_version(version, run_inside, pip, tmp_path):
    folder = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=120)
    python = folder / "bin" / "python"
    pip(sys.executable, "--python", python, "install", "--no-compile", f"jax=={version}", f"jaxlib=={version}", "pytest")
    # Only the oldest and newest versions run all files; each version between them has the interfaces of the oldest or the newest.
    for file in FILES if version in (VERSIONS[0], VERSIONS[-1]) else ("inside_arrays.py", "inside_programs.py"):
        cases, printed = run_inside(python, file)
        wrong = {name: each for name, each in cases.items() if any(each)}
        assert len(cases) > 2 and not wrong, printed[-6000:]
