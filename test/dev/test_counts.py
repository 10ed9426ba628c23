"""`./dev test` adds up the counts of the three runners, and reports a runner that breaks as a failure."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

from scripts import test as runner

ROOT = pathlib.Path(__file__).resolve().parents[2]

CASES = ('<testsuites><testsuite><testcase name="a"/><testcase name="b"><failure/></testcase>'
         '<testcase name="c"><skipped/></testcase><testcase name="d" status="run" result="skipped"/></testsuite></testsuites>')


def test_cases_of_a_junit_file(tmp_path):
    path = tmp_path / "a.xml"
    path.write_text(CASES)
    assert str(runner.read_junit(path)) == "1 passed, 1 failed, 2 skipped"


def test_file_that_was_never_written_or_is_cut_short(tmp_path):
    assert runner.read_junit(tmp_path / "none.xml") is None
    (tmp_path / "cut.xml").write_text(CASES[:50])
    assert runner.read_junit(tmp_path / "cut.xml") is None


def test_unit_tests_count_cases_and_crashed_binaries(tmp_path):
    (tmp_path / "Good.xml").write_text('<testsuites><testsuite><testcase name="a"/><testcase name="b"/></testsuite></testsuites>')
    (tmp_path / "ctest.junit").write_text('<testsuite><testcase name="Good" status="run"/>'
                                          '<testcase name="Crashed" status="fail"/><testcase name="Off" status="disabled"/></testsuite>')
    assert str(runner.read_unit_tests(tmp_path / "ctest.junit", tmp_path)) == "2 passed, 1 failed, 1 skipped"


def test_binary_that_fails_after_its_cases_passed(tmp_path):
    (tmp_path / "A.xml").write_text('<testsuites><testsuite><testcase name="a"/></testsuite></testsuites>')
    (tmp_path / "ctest.junit").write_text('<testsuite><testcase name="A" status="fail"/></testsuite>')
    assert str(runner.read_unit_tests(tmp_path / "ctest.junit", tmp_path)) == "1 passed, 1 failed, 0 skipped"


def test_too_few_tests_are_a_failure():
    least = {"unit": 3, "lit": 1}
    few = {"unit": runner.Counts(2, 0, 0), "lit": runner.Counts(0, 0, 1)}
    assert runner.missing(few, None, least) == ["2 unit tests ran, 3 is the least: see scripts/rules/test-counts.txt"]
    assert runner.missing({**few, "unit": runner.Counts(2, 0, 1)}, None, least) == []


def test_filter_that_selects_nothing_is_a_failure():
    none = {"unit": runner.Counts(), "lit": runner.Counts()}
    assert runner.missing(none, "nothing", {}) == ["no test's name contains `nothing`"]
    assert runner.missing({**none, "lit": runner.Counts(1)}, "one", {}) == []


def test_least_counts_are_those_of_each_kind():
    fast, part, all_ = map(runner.least_counts, ("fast", "part", "all"))
    assert set(fast) == set(part) == set(all_) == {"unit", "lit", "Python"}
    assert all(0 < fast[kind] <= part[kind] <= all_[kind] for kind in fast)


def part_of(*words):
    arguments = argparse.Namespace(**{"all": "--all" in words, "part": None, "filter": None, "fast": False})
    for word in words:
        if "=" in word:
            name, value = word.split("=")
            setattr(arguments, name, int(value) if value.isdigit() else value)
    return runner.chosen_part(arguments)


def test_part_of_the_slow_tests_is_the_commits():
    assert part_of() in range(runner.PARTS) and part_of() == part_of()
    assert part_of("part=3") == 3
    # All tests run if `--all` or test names are given.
    assert part_of("--all") is None and part_of("filter=Gemm") is None


PROGRAM = """
import pytest

@pytest.mark.slow
@pytest.mark.parametrize("number", range(10))
def test_slow(number):
    pass

def test_other():
    pass
"""


def test_each_slow_test_is_in_one_part(tmp_path):
    shutil.copy(ROOT / "test" / "conftest.py", tmp_path)
    (tmp_path / "test_program.py").write_text(PROGRAM)
    seen = []
    for part in range(runner.PARTS):
        told = subprocess.run([sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", tmp_path], capture_output=True, text=True,
                              env={**os.environ, **runner.of_part(part)})
        passed = re.findall(r"::(test_\S+) PASSED", told.stdout)
        assert passed.count("test_other") == 1, told.stdout
        seen += [name for name in passed if name != "test_other"]
    assert sorted(seen) == [f"test_slow[{number}]" for number in range(10)]


def test_file_cut_short_is_a_failure(tmp_path):
    (tmp_path / "A.xml").write_text(CASES[:50])
    (tmp_path / "ctest.junit").write_text('<testsuite><testcase name="A" status="run"/></testsuite>')
    assert str(runner.read_unit_tests(tmp_path / "ctest.junit", tmp_path)) == "0 passed, 1 failed, 0 skipped"
