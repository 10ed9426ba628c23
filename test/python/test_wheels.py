"""The wheels that users install without a compiler: their tags, system requirements, and use of Python's stable interface."""
import os
import platform
import re
import subprocess
import sys

import pytest

from scripts import pythons, setup

# Debian 12, Ubuntu 22.04 and RHEL 9 have this glibc or a newer one; the C++ library's symbols are linked in.
NEWEST_GLIBC = (2, 34)
GLIBC_OF_DEBIAN_12 = (2, 36)
LARGEST = 60e6  # bytes
INTERPRETERS = {"cp311-cp311": sys.executable, "cp312-abi3": setup.NEWEST_VENV / "bin" / "python"}


def run(*command):
    environment = {**os.environ, "PATH": f"{setup.VENV / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, timeout=600, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("tag", INTERPRETERS)
def test_wheel(tag, make_wheel, tmp_path):
    python = INTERPRETERS[tag]
    if tag == "cp312-abi3" and pythons.version(python) is None:
        pytest.skip("no Python 3.12 to 3.14 starts here")
    if tag == "cp311-cp311" and sys.version_info[:2] != (3, 11):
        pytest.skip("another Python than 3.11 runs the tests")
    made = make_wheel(python)
    run(setup.VENV / "bin" / "auditwheel", "repair", "--plat", "auto", "--wheel-dir", tmp_path / "tagged", made)
    [wheel] = (tmp_path / "tagged").glob("*.whl")
    assert tag in wheel.name and wheel.stat().st_size <= LARGEST
    glibc = tuple(map(int, re.search(r"manylinux_(\d+)_(\d+)_x86_64", wheel.name).groups()))
    # The wheel requires the symbol versions of the C library that it was linked with, so release wheels are linked on Debian 12.
    system = tuple(map(int, platform.libc_ver()[1].split(".")))
    assert glibc <= (NEWEST_GLIBC if system <= GLIBC_OF_DEBIAN_12 else system), wheel.name
    if "abi3" in tag:
        run(setup.VENV / "bin" / "abi3audit", "--strict", wheel)
