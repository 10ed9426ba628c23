"""What all Python tests share: the project's root on the import path, the build folder, the `slow` mark."""
import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def pytest_configure(config):
    # A kernel cache of the tests' own: they neither read nor fill the user's.
    build = pathlib.Path(os.environ.get("DRUMLIN_BUILD", ROOT / "build" / "release"))
    os.environ["DRUMLIN_CACHE"] = str(build / "test-cache")
    config.addinivalue_line("markers", "slow: left out by `./dev test --fast`")


@pytest.fixture(scope="session")
def build_folder():
    return pathlib.Path(os.environ.get("DRUMLIN_BUILD", ROOT / "build" / "release"))
