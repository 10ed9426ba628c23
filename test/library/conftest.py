"""What the tests of the libraries share."""
import os

import pytest


@pytest.fixture
def environment(tmp_path_factory):
    """The environment of a call: its kernel cache is empty, and nobody else's."""
    return {**os.environ, "DRUMLIN_CACHE": str(tmp_path_factory.mktemp("cache"))}
