"""`./dev test` adds the three runners' counts up, and a runner that breaks is a failure."""
from scripts import test as runner

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
    fast, all_ = runner.least_counts(True), runner.least_counts(False)
    assert set(fast) == set(all_) == {"unit", "lit", "Python"}
    assert all(0 < fast[kind] <= all_[kind] for kind in fast)


def test_file_cut_short_is_a_failure(tmp_path):
    (tmp_path / "A.xml").write_text(CASES[:50])
    (tmp_path / "ctest.junit").write_text('<testsuite><testcase name="A" status="run"/></testsuite>')
    assert str(runner.read_unit_tests(tmp_path / "ctest.junit", tmp_path)) == "0 passed, 1 failed, 0 skipped"
