"""What `./dev test NAME` builds: no more than the tests of that name need."""
import pytest

from scripts import test


@pytest.mark.parametrize("name, targets", [
    ("TunerTests", ["TunerTests"]),  # a unit test
    ("RuntimeCApiTests", ["RuntimeCApiTests"]),  # whose slow cases are another test of the same program
    ("gemm-rewrite", ["programs"]),  # a lit test
    ("test_needed_targets", ["programs"]),  # a Python test
], ids=("unit", "slow", "lit", "python"))  # names of the cases don't contain those of the tests
def test_targets(build_folder, name, targets):
    assert test.needed(build_folder, name) == targets
