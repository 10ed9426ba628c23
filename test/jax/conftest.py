"""Runs each inside_*.py in a separate process with the plugin, since JAX has one set of backends per process."""
import os
import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest

HERE = pathlib.Path(__file__).parent
collect_ignore_glob = ["inside_*.py"]


@pytest.fixture(scope="session")
def environment_of(build_folder):
    """Fixture environment_of(PACKAGE): returns the environment variables of processes that use the package."""
    def make(package):
        return {**os.environ, "PYTHONPATH": str(package), "JAX_PLATFORMS": "drumlin", "DRUMLIN_CACHE": str(build_folder / "test-cache"),
                "PYTHONDONTWRITEBYTECODE": "1"}

    return make


@pytest.fixture(scope="session")
def runner_of(tmp_path_factory):
    """Fixture runner_of(ENVIRONMENT): returns run(PYTHON, FILE, VARIABLE=VALUE…). `run` returns a dictionary with the error, or None, of each
    test case in FILE, and what the process printed. A file that also uses jaxlib's backend has a line `PLATFORMS = "drumlin,cpu"`."""
    def make(environment):
        def run(python, name, **variables):
            platforms = re.search(r'^PLATFORMS = "(.*)"', (HERE / name).read_text(), re.MULTILINE)
            folder = tmp_path_factory.mktemp("inside")
            junit = folder / "junit.xml"
            command = [python, "-m", "pytest", HERE / name, "-q", "-p", "no:cacheprovider", "--noconftest", "--rootdir", folder,
                       f"--junitxml={junit}"]
            variables = {"JAX_PLATFORMS": platforms[1] if platforms else "drumlin", **variables}
            done = subprocess.run(list(map(str, command)), cwd=folder, env={**environment, **variables}, capture_output=True, text=True, timeout=600)
            cases = {}
            for case in xml.parse(junit).getroot().iter("testcase") if junit.exists() else []:
                wrong = next((found.text for kind in ("failure", "error") if (found := case.find(kind)) is not None), None)
                cases.setdefault(case.get("name").split("[")[0], []).append(wrong)
            return cases, done.stdout + done.stderr

        return run

    return make


@pytest.fixture(scope="session")
def python():
    """Fixture: returns the Python interpreter, with JAX, that runs the inside_*.py files. Other test files override it."""
    return sys.executable


@pytest.fixture(scope="session")
def environment(environment_of, package):
    return environment_of(package)


@pytest.fixture(scope="session")
def run_inside(runner_of, environment):
    return runner_of(environment)
