"""Models of three libraries, in a separate environment with the packages of scripts/packages/jax-models.txt."""
import pathlib
import subprocess
import sys

import pytest

PACKAGES = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "packages" / "jax-models.txt"


@pytest.mark.long
@pytest.mark.slow
def test_models(run_inside, pip, tmp_path):
    folder = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True, timeout=120)
    python = folder / "bin" / "python"
    pip(sys.executable, "--python", python, "install", "--no-compile", "-r", PACKAGES)
    cases, printed = run_inside(python, "models/inside_models.py")
    assert len(cases) == 5 and not any(wrong for case in cases.values() for wrong in case), printed[-12000:]
