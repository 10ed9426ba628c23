"""JAX has one set of backends in a process: inside_*.py run in processes of their own, with the plugin."""
import os
import pathlib
import subprocess
import xml.etree.ElementTree as xml

import pytest

HERE = pathlib.Path(__file__).parent
collect_ignore_glob = ["inside_*.py"]


@pytest.fixture(scope="session")
def environment(package, build_folder):
    return {**os.environ, "PYTHONPATH": str(package), "JAX_PLATFORMS": "drumlin", "DRUMLIN_CACHE": str(build_folder / "test-cache"),
            "PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture(scope="session")
def run_inside(environment, tmp_path_factory):
    """run(PYTHON, FILE): the cases of a file by name, each with what is wrong or None, and what the process printed."""
    def run(python, name):
        folder = tmp_path_factory.mktemp("inside")
        junit = folder / "junit.xml"
        command = [python, "-m", "pytest", HERE / name, "-q", "-p", "no:cacheprovider", "--noconftest", "--rootdir", folder, f"--junitxml={junit}"]
        done = subprocess.run(list(map(str, command)), cwd=folder, env=environment, capture_output=True, text=True, timeout=600)
        cases = {}
        for case in xml.parse(junit).getroot().iter("testcase") if junit.exists() else []:
            wrong = next((found.text for kind in ("failure", "error") if (found := case.find(kind)) is not None), None)
            cases.setdefault(case.get("name").split("[")[0], []).append(wrong)
        return cases, done.stdout + done.stderr

    return run
