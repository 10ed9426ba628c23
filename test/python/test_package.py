"""Tests the Python package: builds a wheel, installs it into an environment that otherwise has only numpy and pytest, and runs inside.py there."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml

import pytest

from scripts import hardening

HERE = pathlib.Path(__file__).parent
ROOT = HERE.parents[1]
INSIDE = HERE / "inside.py"
NAMES = re.findall(r"^def (test_\w+)", INSIDE.read_text(), re.MULTILINE)
LARGEST_WHEEL = 40e6  # bytes, most of them LLVM's


def run(*command, **options):
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600, **options)


def pinned(*names):
    """Returns the packages' pinned versions in scripts/packages."""
    lines = (ROOT / "scripts" / "packages" / "test.txt").read_text().split()
    return [line for line in lines if line.split("==")[0] in names]


@pytest.fixture(scope="session")
def python(wheel, pip, tmp_path_factory):
    """The interpreter of an environment with the package."""
    folder = tmp_path_factory.mktemp("environment")
    assert run(sys.executable, "-m", "venv", "--without-pip", folder).returncode == 0
    python = folder / "bin" / "python"
    # Uses this environment's pip, so that the new environment needs none.
    pip(sys.executable, "--python", python, "install", "--no-compile", wheel, *pinned("numpy", "ml_dtypes", "pytest"))
    return python


@pytest.fixture(scope="session")
def results(python, tmp_path_factory):
    """The results of inside.py's test cases, by name."""
    import jax
    import jax.numpy as jnp
    folder = tmp_path_factory.mktemp("inside")
    compiled = jax.jit(lambda x, w: jnp.tanh(x @ w)).lower(jnp.ones((8, 16)), jnp.ones((16, 4))).compile()
    (folder / "jax.hlo").write_text(compiled.as_text())
    made = run(sys.executable, HERE / "partitioned.py", folder)
    assert made.returncode == 0, made.stderr
    junit = folder / "junit.xml"
    environment = {**os.environ, "DRUMLIN_CACHE": str(folder / "cache"), "PYTHONDONTWRITEBYTECODE": "1"}
    done = run(python, "-m", "pytest", INSIDE, "-q", "-p", "no:cacheprovider", "--noconftest", "--rootdir", folder, f"--junitxml={junit}",
               cwd=folder, env=environment)
    assert junit.exists(), done.stdout + done.stderr
    cases = {}
    for case in xml.parse(junit).getroot().iter("testcase"):
        cases.setdefault(case.get("name").split("[")[0], []).append(case)
    return cases


@pytest.mark.parametrize("name", NAMES)
def test_inside(results, name):
    for case in results[name]:
        wrong = case.find("failure") if case.find("failure") is not None else case.find("error")
        assert wrong is None, wrong.text


BESIDE_JAXLIB = """
import sys, jax, jax.numpy as jnp, numpy as np
sys.path.append(sys.argv[1])
import drumlin
f = jax.jit(lambda x, w: (x @ w, (x * 2).sum()))
x, w = jnp.ones((8, 16), jnp.bfloat16), jnp.ones((16, 4), jnp.bfloat16)
product, total = drumlin.compile(f.lower(x, w).as_text())(x, w)
assert product.dtype == jnp.bfloat16 and np.array_equal(product, f(x, w)[0]) and total == 256
assert drumlin.compile(jax.export.export(f)(x, w).mlir_module_serialized)(x, w)[1] == 256
assert len(drumlin.hlo.parse(f.lower(x, w).compile().as_text()).entry.root.operands) == 2
"""


def test_beside_jaxlib(python):
    """Drumlin and jaxlib, each with its own LLVM, are in one process, and JAX's arrays are arguments."""
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_paths()['platlib'])").stdout.strip()
    done = run(sys.executable, "-c", BESIDE_JAXLIB, packages)
    assert done.returncode == 0, done.stderr


def test_hardening(python):
    """The modules and the library are hardened as SECURITY.md says."""
    packages = run(python, "-c", "import sysconfig; print(sysconfig.get_paths()['platlib'])").stdout.strip()
    files = sorted(pathlib.Path(packages, "drumlin").glob("*.so"))
    assert len(files) == 3
    for path in files:
        assert hardening.findings(path) == [], path


def test_size(wheel, record_property):
    record_property("bytes", wheel.stat().st_size)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    assert wheel.stat().st_size < LARGEST_WHEEL


def test_a_build_is_needed(tmp_path):
    """Without a build, pip prints what to do."""
    source = tmp_path / "source"
    shutil.copytree(ROOT / "python", source / "python")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    done = run(sys.executable, "-m", "pip", "wheel", source, "--no-build-isolation", "--no-deps", "--wheel-dir", tmp_path)
    assert done.returncode != 0 and "run ./dev build first" in done.stdout + done.stderr
