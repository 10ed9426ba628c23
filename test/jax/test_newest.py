"""Runs test_plugin.py again with JAX's newest release and the Python that it needs (scripts/packages/newest.txt)."""
import os
import zipfile

import pytest

from scripts import pythons, setup
from test_plugin import *  # imports the tests, and the fixture that runs the inside_*.py files


@pytest.fixture(scope="session")
def python():
    """The interpreter of the environment that `./dev test` sets up, or the interpreter that DRUMLIN_NEWEST_PYTHON names."""
    named = os.environ.get("DRUMLIN_NEWEST_PYTHON", setup.NEWEST_VENV / "bin" / "python")
    if pythons.version(named) is None:
        pytest.skip("no Python 3.12 to 3.14 starts here")
    return named


@pytest.fixture(scope="session")
def environment(python, make_wheel, environment_of, tmp_path_factory):
    folder = tmp_path_factory.mktemp("package")
    zipfile.ZipFile(make_wheel(python)).extractall(folder)
    return environment_of(folder)


@pytest.fixture(scope="session")
def run_inside(runner_of, environment):
    return runner_of(environment)
