"""The table of the specification's constraints is complete: a test violates each constraint, or the operation's definition or the reader
ensures it. Each constraint label in sources and tests is in the table."""
import functools
import re
import subprocess

import pytest

from scripts import conformance, steps

FOLDER = steps.ROOT / "drumlin" / "ir" / "stablehlo"
LABEL = re.compile(r"\b[a-z][a-z0-9_]*_[ci]\d+\b")
# Constraints of cross-replica-sum, which is older than the specification.
OLDER = re.compile(r"sum_[ci]\d+$")


# The operations that have no row in the table of constraints: operations of older programs, and operations without operands.
OUTSIDE = {"broadcast", "create_token", "cross-replica-sum", "dot", "einsum", "partition_id", "real_dynamic_slice", "replica_id", "return",
           "set_dimension_size", "torch_index_select", "unary_einsum"}


@functools.cache
def expected_errors():
    """Returns the errors that the tests of invalid programs expect; these run with `-verify-diagnostics`, so each error occurs."""
    found = []
    for path in sorted(FOLDER.glob("test/*-invalid.mlir")):
        text = path.read_text()
        assert re.search(r"^// RUN: drumlin-opt .*-verify-diagnostics", text, re.M), path
        found += re.findall(r"expected-error(?:@[+-]\d+)? \{\{(.*)\}\}", text)
    return found


@pytest.fixture(scope="module")
def elementwise(build_folder):
    """Returns the operations for which StablehloTests tries operands of different types."""
    listed = subprocess.run([build_folder / "bin" / "StablehloTests", "--gtest_list_tests"], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"RefusesTypesThatDiffer/stablehlo_(\w+)", listed))


ROWS = conformance.constraints()


def test_labels_are_unique_and_count_from_one():
    numbers = {}
    for label, *_ in ROWS:
        name, kind, number = re.fullmatch(r"(\w+)_([ci])(\d+)", label).groups()
        numbers.setdefault((name, kind), []).append(int(number))
    for key, found in numbers.items():
        assert sorted(found) == list(range(1, len(found) + 1)), key


@pytest.mark.parametrize("label, words, how", ROWS, ids=[row[0] for row in ROWS])
def test_constraint_is_kept(label, words, how, elementwise):
    assert words
    kind, _, rest = how.partition(" ")
    provoked = any(label in LABEL.findall(message) for message in expected_errors())
    assert provoked == (how == "test"), "a test provokes it" if provoked else "no test provokes it"
    operation = re.sub(r"_[ci]\d+$", "", label)
    if kind in ("operand", "attribute", "region"):
        assert rest in conformance.definitions()[operation][kind]
    elif kind == "elementwise":
        assert operation in elementwise
    elif kind == "reader":
        assert any(rest in message for message in expected_errors())
    else:
        assert how == "test" or re.match(r"(construction|run time|lenient): \w", how), how


def test_labels_of_tests_and_sources_are_of_the_table():
    known = {row[0] for row in ROWS}
    used = {label for message in expected_errors() for label in LABEL.findall(message)}
    for path in [*FOLDER.glob("*.cpp"), *FOLDER.glob("*.h"), *FOLDER.glob("*.td")]:
        used |= set(LABEL.findall(path.read_text()))
    assert {label for label in used - known if not OLDER.match(label)} == set()


def test_each_operation_of_the_specification_has_its_inputs():
    with_rows = {re.sub(r"_[ci]\d+$", "", row[0]) for row in ROWS}
    others = {name for name in conformance.definitions() if name not in with_rows}
    assert others == OUTSIDE, others ^ OUTSIDE
