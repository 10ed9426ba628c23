"""JAX's linear algebra on machines without libraries: tries the machine's own LAPACK, then SciPy's, then jaxlib's handlers."""
import os
import pathlib
import sys

import pytest

FILE = "inside_linear_algebra.py"


@pytest.fixture(scope="session")
def hidden(tmp_path_factory):
    """An environment in which the names of the machine's LAPACK libraries refer to a library without LAPACK."""
    folder = tmp_path_factory.mktemp("without_lapack")
    [other] = [line.split()[-1] for line in pathlib.Path("/proc/self/maps").read_text().splitlines() if "/libm.so.6" in line][:1]
    for name in ("libopenblas.so.0", "liblapack.so.3", "libopenblas.so", "liblapack.so"):
        (folder / name).symlink_to(other)
    return {"LD_LIBRARY_PATH": os.pathsep.join(filter(None, [str(folder), os.environ.get("LD_LIBRARY_PATH")]))}


def check(results):
    cases, printed = results
    wrong = [each for case in cases.values() for each in case if each]
    assert len(cases) == 8 and not wrong, printed[-4000:] + "\n".join(wrong)


def test_by_scipys_library(run_inside, hidden):
    check(run_inside(sys.executable, FILE, **hidden, WITHOUT_HANDLERS="1"))


def test_by_jaxlibs_handlers(run_inside):
    """`DRUMLIN_LAPACK` names the only library to try."""
    check(run_inside(sys.executable, FILE, DRUMLIN_LAPACK="/nowhere/liblapack.so"))


def test_by_nothing(run_inside):
    """Proves that the other tests depend on the libraries: without any, all calls fail."""
    cases, printed = run_inside(sys.executable, FILE, DRUMLIN_LAPACK="/nowhere/liblapack.so", WITHOUT_HANDLERS="1")
    assert all("D6012" in each for name in ("test_solve", "test_qr", "test_svd", "test_eigh") for each in cases[name]), printed[-4000:]
