"""Runs JAX's own tests with the plugin and with jaxlib's CPU backend. Prints how many of the tests
that pass with jaxlib also pass with the plugin.

Needs a clone of github.com/jax-ml/jax at the tag of the installed jax. On each side, each file
runs in a separate process; after a crash, the remaining tests of the file run in a new process.
The results of jaxlib are cached in build/jax-tests."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor

from scripts import build, setup, steps

FOLDER = steps.BUILD / "jax-tests"
EXCEPTIONS = steps.ROOT / "scripts" / "rules" / "jax-tests.txt"
# Tests that need other devices or several processes.
LEFT_OUT = re.compile("gpu|cudnn|mosaic|multiprocess|distributed|fused_attention|scaled_matmul|local_wheel")
# A module that JAX's tests need and wheels don't include.
TEST_MODULE = pathlib.Path("jax/_src/hypothesis_test_util.py")
SETTINGS = {"JAX_NUM_GENERATED_CASES": "2", "JAX_SKIP_SLOW_TESTS": "1", "JAX_ENABLE_X64": "0"}
QUIET = 300  # seconds after which a running test is killed


def environment(side):
    made = {**os.environ, **SETTINGS, "JAX_PLATFORMS": side, "PYTHONPATH": str(steps.ROOT / "scripts" / "jax")}
    made.pop("DRUMLIN_LIBRARY", None)
    if side == "drumlin":
        made |= {"DRUMLIN_LIBRARY": str(steps.BUILD / "release" / "lib" / "libdrumlin.so"), "DRUMLIN_CACHE": str(FOLDER / "cache"),
                 "PYTHONPATH": made["PYTHONPATH"] + os.pathsep + str(steps.ROOT / "python")}
    return made


def read(record):
    """Returns the last line about each test, and the number of programs run."""
    tests, executions = {}, 0
    for line in record.read_text().splitlines() if record.exists() else []:
        entry = json.loads(line)
        executions += entry.get("executions", 0)
        if "test" in entry:
            tests[entry["test"]] = entry
    return tests, executions


def run_file(python, clone, name, side):
    """Returns the outcome of each test of one file, by test."""
    record = FOLDER / side / (name + ".jsonl")
    record.parent.mkdir(parents=True, exist_ok=True)
    record.unlink(missing_ok=True)
    command = [python, "-m", "pytest", "-s", "-q", "-p", "no:cacheprovider", "-p", "record", "--record", record, f"{name}.py"]
    while True:
        with (FOLDER / side / (name + ".log")).open("a") as log:
            process = subprocess.Popen(list(map(str, command)), cwd=clone / "tests", env=environment(side), stdin=subprocess.DEVNULL, stdout=log,
                                       stderr=subprocess.STDOUT, start_new_session=True)
            while process.poll() is None:
                time.sleep(0.2)
                if record.exists() and time.time() - record.stat().st_mtime > QUIET:
                    os.killpg(process.pid, signal.SIGKILL)
        tests, _ = read(record)
        hanging = [test for test, entry in tests.items() if entry["outcome"] == "began"]
        if not hanging:
            return
        with record.open("a") as file:
            for test in hanging:
                file.write(json.dumps({"test": test, "outcome": "crashed", "why": f"the process ended with {process.returncode}"}) + "\n")


def exceptions():
    """Returns pairs of a test and a reason. Tests may end in `*`."""
    rules = []
    for line in EXCEPTIONS.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, reason = line.partition("=>")
            rules.append((re.compile(re.escape(name.strip()).replace(r"\*", ".*") + "$"), reason.strip()))
    return rules


def compare(name, rules):
    """Returns the number of tests that pass with jaxlib, the tests among them that don't pass with
    the plugin, and the number of programs run."""
    expected, _ = read(FOLDER / "cpu" / (name + ".jsonl"))
    given, executions = read(FOLDER / "drumlin" / (name + ".jsonl"))
    passing = [test for test, entry in expected.items() if entry["outcome"] == "passed"]
    others = []
    for test in passing:
        outcome = given.get(test, {"outcome": "not run"})["outcome"]
        if outcome != "passed":
            reason = next((reason for rule, reason in rules if rule.match(test.removeprefix("tests/"))), None)
            others.append((test, outcome, reason, given.get(test, {}).get("why", "")))
    return len(passing), others, executions


def prepare(clone):
    """Returns an environment with JAX and the packages that its tests import."""
    venv = FOLDER / "venv"
    python = venv / "bin" / "python"
    packages = [setup.PACKAGES / "jax-tests.txt", setup.PACKAGES / "peers.txt"]
    with steps.once("jax-tests", steps.digest(*packages)) as needed:
        if needed or not python.exists():
            subprocess.run([str(setup.PYTHON), "-m", "venv", str(venv)], check=True)
            subprocess.run([str(python), "-m", "pip", "install", "-q", "-r", str(packages[0])], check=True)
    if (clone / TEST_MODULE).exists():
        installed = next(venv.glob("lib/python3*/site-packages"))
        shutil.copyfile(clone / TEST_MODULE, installed / TEST_MODULE)
    return python


def main(arguments):
    clone = pathlib.Path(arguments.clone).resolve()
    if not (clone / "tests" / "lax_test.py").exists():
        raise steps.Failure(f"{clone} is not a clone of github.com/jax-ml/jax", "fetch one at the tag of the installed jax")
    setup.everything("test")
    if not arguments.compare:
        build.build("release", ["DrumlinShared"])
    python = prepare(clone)
    names = [pathlib.Path(name).stem for name in arguments.files] or \
        sorted(path.stem for path in (clone / "tests").glob("*_test.py") if not LEFT_OUT.search(path.stem))
    if not arguments.compare:
        work = [(name, side) for name in names for side in ("cpu", "drumlin") if side == "drumlin" or not (FOLDER / side / (name + ".jsonl")).exists()]
        with ThreadPoolExecutor(arguments.jobs) as pool:
            list(pool.map(lambda each: run_file(python, clone, *each), work))
    return report(names)


def report(names):
    rules = exceptions()
    total = passed = explained = executions = 0
    for name in names:
        expected, others, count = compare(name, rules)
        total, passed, executions = total + expected, passed + expected - len(others), executions + count
        explained += sum(1 for _, _, reason, _ in others if reason)
        print(f"{name:40} {expected:6} {expected - len(others):6} {count:9} programs run")
        for test, outcome, reason, why in others:
            last = [line for line in why.strip().splitlines() if line.startswith("E ")] or why.strip().splitlines()[-1:] or [""]
            print(f"    {outcome:8} {test.partition('::')[2]}: {reason or 'NO REASON: ' + last[0].strip()[:200]}")
    share = 100 * passed / total if total else 0
    print(f"{passed} of {total} tests that pass with jaxlib's CPU backend pass here: {share:.2f} %; {explained} others have a reason; "
          f"{executions} programs were run by the plugin")
    return 0 if total and passed + explained == total and executions else 1
