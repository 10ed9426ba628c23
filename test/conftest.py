"""What all Python tests share: the import path with the project's root, fixtures such as the build folder, and marks such as `slow`."""
import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def pytest_configure(config):
    # The tests have a kernel cache of their own, so they neither read nor change the user's cache.
    build = pathlib.Path(os.environ.get("DRUMLIN_BUILD", ROOT / "build" / "release"))
    os.environ["DRUMLIN_CACHE"] = str(build / "test-cache")
    config.addinivalue_line("markers", "slow: `./dev test` runs some of these tests, `--fast` none, `--all` all")
    config.addinivalue_line("markers", "alone: measures a time, so no other test may run at the same time")
    config.addinivalue_line("markers", "long: takes a minute or more; its file is started first, so that it isn't the last one running")


def pytest_collection_modifyitems(config, items):
    parts, part = int(os.environ.get("DRUMLIN_PARTS", "1")), int(os.environ.get("DRUMLIN_PART", "0"))
    slow = [item for item in items if item.get_closest_marker("slow")]
    others = {item for number, item in enumerate(slow) if number % parts != part}
    config.hook.pytest_deselected(items=others)
    items[:] = [item for item in items if item not in others]
    long = {item.path for item in items if item.get_closest_marker("long")}
    items.sort(key=lambda item: item.path not in long)


@pytest.fixture(scope="session")
def build_folder():
    return pathlib.Path(os.environ.get("DRUMLIN_BUILD", ROOT / "build" / "release"))


@pytest.fixture(scope="session")
def operators(build_folder, tmp_path_factory, worker_id):
    """The output of `list-operators --json`, computed once since it compiles a program for each type of each operation; parallel test
    processes share it."""
    folder = tmp_path_factory.getbasetemp() if worker_id == "master" else tmp_path_factory.getbasetemp().parent
    told = folder / "operators.json"
    with open(folder / "operators.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not told.exists():
            told.write_text(subprocess.run([build_folder / "bin" / "drumlin", "list-operators", "--json"], capture_output=True, text=True,
                                           check=True, timeout=300).stdout)
    return json.loads(told.read_text())


NO_NETWORK = re.compile(r"NewConnectionError|Could not fetch URL|Temporary failure|unreachable|Timeout|ProxyError|No matching distribution")


def run_pip(python, *words, **options):
    done = subprocess.run([str(word) for word in (python, "-m", "pip", "--disable-pip-version-check", *words)], capture_output=True, text=True,
                          timeout=600, **options)
    if done.returncode != 0 and NO_NETWORK.search(done.stdout + done.stderr):
        pytest.skip("pip reaches no index: no network, or a proxy that it doesn't know")
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="session")
def pip():
    """Fixture pip(PYTHON, WORDS…): runs the pip of the interpreter PYTHON and returns its output; skips the test if no package index is
    reachable."""
    return run_pip


@pytest.fixture(scope="session")
def make_wheel(build_folder, tmp_path_factory):
    """Fixture make_wheel(PYTHON): builds the Python package for an interpreter."""
    def make(python):
        folder = tmp_path_factory.mktemp("wheel")
        # Other tests may build a wheel at the same time, and each interpreter has only one build folder.
        with open(build_folder / "wheel.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            run_pip(python, "wheel", ROOT, "--no-build-isolation", "--no-deps", "--wheel-dir", folder, "--config-settings",
                    f"cmake.define.DRUMLIN_BUILD={build_folder}")
        [made] = folder.glob("*.whl")
        return made

    return make


@pytest.fixture(scope="session")
def wheel(make_wheel):
    """The package for the Python that runs these tests."""
    return make_wheel(sys.executable)


@pytest.fixture(scope="session")
def package(wheel, tmp_path_factory):
    """A folder for Python's path that contains the package."""
    folder = tmp_path_factory.mktemp("package")
    zipfile.ZipFile(wheel).extractall(folder)
    return folder


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """A browser with its own profile: Debian's chromium and chromium-driver (scripts/packages/debian.txt)."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium isn't installed")
    program, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if not program or not driver:
        pytest.skip("chromium and chromium-driver aren't installed")
    options = webdriver.ChromeOptions()
    options.binary_location = program
    for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(argument)
    if os.geteuid() == 0:
        options.add_argument("--no-sandbox")  # root can't use the sandbox
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    try:
        made = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    except Exception as failure:  # whatever the reason why the browser doesn't start
        pytest.skip(f"chromium can't be started: {str(failure).splitlines()[0]}")
    yield made
    made.quit()
