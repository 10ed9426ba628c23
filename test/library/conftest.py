"""Fixtures that the library tests share."""
import os

import pytest


@pytest.fixture
def environment(tmp_path_factory):
    """The environment variables of a call, with an empty kernel cache that no other test uses."""
    return {**os.environ, "DRUMLIN_CACHE": str(tmp_path_factory.mktemp("cache"))}
