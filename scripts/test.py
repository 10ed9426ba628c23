"""Builds, then runs the unit tests, the lit tests and the pytest tests, and adds up their counts.

Slow tests cover complete sets of cases. Each run covers one part of these sets. The commit
determines the part, so that a clone always runs the same tests, and successive commits cover all
of them.
"""
import dataclasses
import os
import pathlib
import re
import shutil
import subprocess
import time
import xml.etree.ElementTree as xml

from scripts import build, setup, steps

RESULTS = steps.BUILD / "results"
LEAST = steps.ROOT / "scripts" / "rules" / "test-counts.txt"
# Folders with lit tests. The folder `test` has pytest tests; programs in it have no RUN lines.
LIT_FOLDERS = ("drumlin", "tools")
PARTS = 7
NOTHING_COLLECTED = 5  # pytest's exit status if no test matches


@dataclasses.dataclass
class Counts:
    passed: int = 0
    failed: int = 0
    skipped: int = 0

    def __add__(self, other):
        return Counts(self.passed + other.passed, self.failed + other.failed, self.skipped + other.skipped)

    def all(self):
        return self.passed + self.failed + self.skipped

    def __str__(self):
        return f"{self.passed} passed, {self.failed} failed, {self.skipped} skipped"


def read_junit(path):
    """Returns the counts of a JUnit file, in which each test case is one test. Returns None if the
    runner didn't write the file."""
    try:
        cases = list(xml.parse(path).getroot().iter("testcase"))
    except (OSError, xml.ParseError):
        return None
    counts = Counts()
    for case in cases:
        if case.find("failure") is not None or case.find("error") is not None:
            counts.failed += 1
        elif case.find("skipped") is not None or case.get("status") in ("notrun", "disabled") \
                or case.get("result") == "skipped":
            counts.skipped += 1
        else:
            counts.passed += 1
    return counts


def read_unit_tests(junit, case_folder):
    """Counts ctest's tests. A GoogleTest binary counts as the cases in the file that it writes, if
    there is one."""
    try:
        binaries = list(xml.parse(junit).getroot().iter("testcase"))
    except (OSError, xml.ParseError):
        return None
    counts = Counts()
    for binary in binaries:
        file, status = case_folder / f"{binary.get('name')}.xml", binary.get("status")
        cases = read_junit(file) if file.exists() else Counts(status == "run", status == "fail", status not in ("run", "fail"))
        cases = cases or Counts(failed=1)  # the result file is incomplete: the test was cut short
        # A binary may fail outside of its cases, e.g. with a sanitizer report or a crash at exit.
        cases.failed += status == "fail" and cases.failed == 0
        counts += cases
    return counts


def show_failures(path, wanted):
    """Prints the runner's output about failures, without its output about passed tests."""
    lines = path.read_text(errors="replace").splitlines()
    start = next((i for i, line in enumerate(lines) if wanted(line)), 0)
    shown = lines[start:] if len(lines) - start <= 400 else lines[start:start + 300] + ["…"] + lines[-100:]
    print("\n".join(shown), flush=True)


def chosen_part(arguments):
    """Returns the number of the part of the slow tests to run, from 0 to PARTS - 1, or None for
    all slow tests."""
    if arguments.part is not None:
        return arguments.part
    if arguments.all or arguments.filter:
        return None
    return steps.part_of_commit(PARTS)


def of_part(part):
    """Returns the environment variables that select the part in a runner."""
    return {} if part is None else {"DRUMLIN_PARTS": str(PARTS), "DRUMLIN_PART": str(part)}


def unit_tests(folder, arguments):
    results = folder / "test-results"
    shutil.rmtree(results, ignore_errors=True)
    results.mkdir(parents=True)
    command = ["ctest", "--test-dir", folder, "-j", build.jobs(), "--output-on-failure", "--timeout", "900",
               "--output-junit", RESULTS / "ctest.junit"]
    command += ["-LE", "slow"] if arguments.fast else []
    command += ["-R", arguments.filter] if arguments.filter else []
    status, log = steps.run("unit tests", command, log="test-unit", check=False,
                            environment={"GTEST_BRIEF": "1"} | of_part(arguments.part))
    counts = read_unit_tests(RESULTS / "ctest.junit", results)
    if status != 0:
        show_failures(log, lambda line: "***" in line or "FAILED" in line)
    return counts, status


def lit_tests(folder, arguments):
    junit = RESULTS / "lit.junit"
    junit.unlink(missing_ok=True)
    command = [setup.VENV / "bin" / "lit", "-v", "-j", build.jobs(), "--param", f"build={folder}",
               "--allow-empty-runs", "--xunit-xml-output", junit, *LIT_FOLDERS]
    command += ["--filter-out", "slow"] if arguments.fast else []
    command += ["--filter", arguments.filter] if arguments.filter else []
    status, log = steps.run("lit tests", command, log="test-lit", check=False)
    if status != 0:
        show_failures(log, lambda line: line.startswith(("FAIL:", "UNRESOLVED:", "TIMEOUT:", "lit: ")))
    # lit writes no file if no test matches the filter.
    is_empty = status == 0 and arguments.filter and not junit.exists()
    return Counts() if is_empty else read_junit(junit), status


def python_round(title, name, marks, options, folder, arguments):
    junit = RESULTS / f"{name}.junit"
    junit.unlink(missing_ok=True)
    command = [setup.PYTHON, "-m", "pytest", "test", "-q", "-p", "no:cacheprovider", f"--junitxml={junit}", "-m", marks, *options]
    command += ["-k", arguments.filter] if arguments.filter else []
    status, log = steps.run(title, command, log=f"test-{name}", check=False,
                            environment={"DRUMLIN_BUILD": str(folder), "PYTHONDONTWRITEBYTECODE": "1"} | of_part(arguments.part))
    if status not in (0, NOTHING_COLLECTED):
        show_failures(log, lambda line: line.startswith("====") and ("FAILURES" in line or "ERRORS" in line))
    return read_junit(junit), 0 if status == NOTHING_COLLECTED else status


def python_tests(folder, arguments):
    """Runs the files without time limits in parallel, and then the tests with time limits one
    after another."""
    slow = " and not slow" if arguments.fast else ""
    together, status = python_round("Python tests", "python", "not alone" + slow,
                                    ["-n", build.jobs(), "--dist", "loadfile", "--no-loadscope-reorder"], folder, arguments)
    alone, status_alone = python_round("Python tests with time limits", "python-alone", "alone" + slow, [], folder, arguments)
    # A run without a result file has failed. The counts of the other run can't replace it.
    return (together + alone if together and alone else None), status or status_alone


def least_counts(which):
    """Returns the minimum number of tests of each kind. Fewer tests indicate a fault of the runner
    or of test discovery."""
    lines = [line.split("#")[0].split() for line in LEAST.read_text().splitlines()]
    return {kind: int(count) for of, kind, count in filter(None, lines) if of == which}


def missing(counts, filter, least):
    """Describes which kinds ran too few tests. Returns an empty text if none did."""
    if filter:
        return [] if any(each.all() for each in counts.values()) else [f"no test's name contains `{filter}`"]
    return [f"{each.all()} {kind} tests ran, {least[kind]} is the least: see {LEAST.relative_to(steps.ROOT)}"
            for kind, each in counts.items() if each.all() < least[kind]]


def aarch64_packages():
    """Sets up tests on aarch64. If the archive lacks the other architecture, or conflicts with
    installed packages, these tests report what is missing."""
    try:
        setup.debian_packages("aarch64", architecture="arm64")
    except steps.Failure as failure:
        steps.say(f"tests on aarch64 are left out: {failure}")


def needed(folder, filter):
    """Returns the targets that are needed by tests whose names contain the filter: the unit tests
    among them, and the programs if there are other tests."""
    listing = subprocess.run(["ctest", "--test-dir", folder, "-N", "-R", filter], capture_output=True, text=True).stdout
    names = re.findall(r"^ *Test +#\d+: (\w+)$", listing, re.MULTILINE)
    names = {re.sub(r"(Slow|Timed)$", "", name) for name in names}
    rules = (folder / "build.ninja").read_text()
    targets = sorted(name for name in names if f"bin/{name}: CXX_EXECUTABLE_LINKER" in rules)
    lit = subprocess.run([setup.VENV / "bin" / "lit", "--show-tests", "--param", f"build={folder}", *LIT_FOLDERS], capture_output=True, text=True,
                         cwd=steps.ROOT).stdout  # lists all tests, since lit applies its filter only when it runs tests
    is_lit = any(" :: " in line and re.search(filter, line, re.IGNORECASE) for line in lit.splitlines())
    python = subprocess.run([setup.PYTHON, "-m", "pytest", "test", "--collect-only", "-q", "-p", "no:cacheprovider", "-k", filter],
                            capture_output=True, cwd=steps.ROOT, env=os.environ | {"DRUMLIN_BUILD": str(folder), "PYTHONDONTWRITEBYTECODE": "1"})
    if len(targets) < len(names) or not targets or is_lit or python.returncode != NOTHING_COLLECTED:
        targets.append("programs")
    return targets


def main(arguments):
    setup.everything("test", "docs", "wheel")
    aarch64_packages()
    setup.newest_python()
    folder = build.configure(arguments.preset)
    build.build(arguments.preset, needed(folder, arguments.filter) if arguments.filter else ())
    RESULTS.mkdir(parents=True, exist_ok=True)
    arguments.part = chosen_part(arguments)
    ran, lines = {}, []
    for kind, runner in (("unit", unit_tests), ("lit", lit_tests), ("Python", python_tests)):
        begin = time.monotonic()
        counts, status = runner(folder, arguments)
        if counts is None:  # the runner itself failed, whatever its status
            counts = Counts(failed=1)
        elif status != 0 and counts.failed == 0:
            counts.failed = 1
        ran[kind] = counts
        lines.append(f"{kind + ' tests':13} {counts}  in {time.monotonic() - begin:.1f} s")
    # Other presets leave out tests that they can't build.
    least = least_counts("fast" if arguments.fast else "all" if arguments.part is None else "part")
    wrong = missing(ran, arguments.filter, least) if arguments.preset == "release" else []
    total = sum(ran.values(), Counts(failed=len(wrong)))
    if arguments.part is not None and not arguments.fast:
        lines.append(f"of the slow tests, part {arguments.part} of 0 to {PARTS - 1}: `./dev test --all` runs all of them")
    print("\n" + "\n".join(lines + wrong))
    print(total, flush=True)
    return 1 if total.failed else 0


def nightly(arguments):
    """Runs all tests, including those marked slow. Some tests also read the `.hlo` files of
    a folder with third-party programs, which is not part of a clone."""
    if arguments.data:
        data = pathlib.Path(arguments.data).resolve()
        if not any(data.glob("**/*.hlo")):
            raise steps.Failure(f"{data} has no `.hlo` file", "name a folder of HLO programs with --data")
        os.environ["DRUMLIN_DATA"] = str(data)
    arguments.preset, arguments.all, arguments.part, arguments.fast, arguments.filter = "release", True, None, False, None
    return main(arguments)
