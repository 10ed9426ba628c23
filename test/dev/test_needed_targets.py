"""`./dev test NAME` builds only the targets that the tests of that name need."""
import pytest

from scripts import test


@pytest.mark.parametrize("name, targets", [
    ("TunerTests", ["TunerTests"]),  # a unit-test program
    ("RuntimeCApiTests", ["RuntimeCApiTests"]),  # a unit-test program that also runs as `RuntimeCApiTestsSlow`
    ("gemm-rewrite", ["programs"]),  # a lit test
    ("test_needed_targets", ["programs"]),  # a Python test
], ids=("unit", "slow", "lit", "python"))  # without ids, pytest would put the names of the tests into the names of the cases
def test_targets(build_folder, name, targets):
    assert test.needed(build_folder, name) == targets
