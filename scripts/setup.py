"""Installs what the project needs: Debian packages, and a virtual environment with pinned Python
packages."""
import os
import pathlib
import shutil
import subprocess
import sys

from scripts import pythons, steps

PACKAGES = steps.ROOT / "scripts" / "packages"
VENV = steps.ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
NEWEST_VENV = steps.ROOT / ".venv-newest"  # for a newer Python and JAX's newest release (packages/newest.txt)
LLVM_BIN = pathlib.Path("/usr/lib/llvm-22/bin")


def read_list(path):
    lines = (line.split("#")[0].strip() for line in path.read_text().splitlines())
    return [line for line in lines if line]


def missing_packages(names):
    """Returns the packages that aren't installed. A name such as `zlib1g-dev:arm64` is a package
    for another architecture."""
    def output(*command):
        return subprocess.run(command, capture_output=True, text=True).stdout.split("\n")
    own = {output("dpkg", "--print-architecture")[0], "all"}
    query = (line.split() for line in output("dpkg-query", "-W", "-f", "${Package} ${Architecture} ${db:Status-Status}\n", *names))
    installed = {(package, of) for package, of, *status in filter(None, query) if status == ["installed"]}
    return [name for name in names
            if not any((name.partition(":")[0], of) in installed for of in ({name.partition(":")[2]} if ":" in name else own))]


def explain_apt(text):
    """Explains a failed installation from its output and from the output of reading the package
    lists."""
    if any(sign in text for sign in ("Could not resolve", "Temporary failure", "Network is unreachable", "Could not connect",
                                     "Connection timed out", "Failed to fetch")):
        return steps.Failure("the Debian archive can't be reached: no network, or a proxy that apt does not know",
                             "connect to a network, or set `Acquire::http::Proxy` in /etc/apt/apt.conf.d, then run again")
    if "Unable to locate package" in text or "has no installation candidate" in text:
        return steps.Failure("a package named above is not in this machine's Debian archive",
                             "use Debian 12 with its `bookworm` and `bookworm-security` suites in /etc/apt/sources.list")
    if "Could not get lock" in text or "is another process using it" in text:
        return steps.Failure("another program is installing packages", "wait until it has ended, then run again")
    return None


def root_command():
    """Returns the prefix of commands that need root's rights, or None if this user can't get them."""
    if os.geteuid() == 0:
        return []
    if shutil.which("sudo") is None:
        return None
    without_password = subprocess.run(["sudo", "-n", "true"], capture_output=True).returncode == 0
    if without_password:
        return ["sudo", "-n"]
    if not sys.stdin.isatty():
        return None
    steps.say("Debian packages: sudo asks for your password to install them")
    return ["sudo", "-n"] if subprocess.run(["sudo", "-v"]).returncode == 0 else None


def debian_packages(name="debian", architecture=None):
    """Installs scripts/packages/NAME.txt. `architecture` names another architecture; if given,
    packages for it are installed too."""
    path = PACKAGES / f"{name}.txt"
    with steps.once(name, steps.digest(path)) as needed:
        if not needed:
            return
        if shutil.which("dpkg-query") is None or shutil.which("apt-get") is None:
            raise steps.Failure("this machine has no apt-get: it is not a Debian", "use a Debian 12 machine or container")
        missing = missing_packages(read_list(path))
        if not missing:
            steps.say("Debian packages: all there")
            return
        steps.free_space_check("/usr", 4)
        install = ["apt-get", "install", "-y", "--no-install-recommends", "-o", "DPkg::Lock::Timeout=300", *missing]
        prefix = root_command()
        if prefix is None:
            raise steps.Failure(f"{len(missing)} Debian packages are missing, and installing them takes root's rights",
                                "run this as root or with sudo, or have an administrator run:\n  apt-get update && "
                                + " ".join(install[:4] + missing))
        environment = {"DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
        if architecture is not None:
            steps.run(f"Debian packages: those of {architecture}, too", [*prefix, "dpkg", "--add-architecture", architecture], log="apt-architecture")
        # The status isn't checked: apt-get exits with 0 even if it reached no archive, and a third party's broken archive may not
        # matter. Installing packages shows whether the lists are good enough.
        _, update_log = steps.run("Debian packages: reading the archive's lists", [*prefix, "apt-get", "update"],
                                  log="apt-update", environment=environment, check=False)
        shown = ", ".join(missing[:4]) + (f" and {len(missing) - 4} more" if len(missing) > 4 else "")
        steps.run(f"Debian packages: installing {shown}", [*prefix, *install], log="apt-install", environment=environment,
                  explain=lambda text: explain_apt(update_log.read_text(errors="replace") + text))


def explain_pip(text):
    if any(sign in text for sign in ("NewConnectionError", "Could not fetch URL", "Temporary failure in name resolution",
                                     "Network is unreachable", "ConnectTimeout", "ProxyError")):
        return steps.Failure("the Python package index can't be reached: no network, or a proxy that pip does not know",
                             "connect to a network, or set HTTPS_PROXY, then run again")
    if "No matching distribution" in text:
        return steps.Failure("a pinned Python package has no build for this Python version or processor",
                             "use Python 3.11 to 3.13 on x86-64")
    return None


def make_venv(folder, candidates):
    if (folder / "bin" / "pip").exists():
        return
    for python in candidates:
        if subprocess.run([python, "-c", "import ensurepip, venv"], capture_output=True).returncode == 0:
            steps.run(f"virtual environment: making {folder.name}", [python, "-m", "venv", "--clear", folder], log="venv")
            return
    raise steps.Failure("no Python here can make a virtual environment (`ensurepip` is missing)",
                        "apt-get install python3-venv, then run again")


def python_packages(name, folder=VENV, candidates=(sys.executable, "/usr/bin/python3")):
    """Installs scripts/packages/NAME.txt into a virtual environment.

    candidates: interpreters to create the environment with. An interpreter without ensurepip can't
    create one. Debian's own interpreter has ensurepip if python3-venv is installed."""
    path, python = PACKAGES / f"{name}.txt", folder / "bin" / "python"
    with steps.once(f"python-{name}", steps.digest(path, str(python.resolve()) if python.exists() else "")) as needed:
        if needed:
            make_venv(folder, candidates)
            installed = subprocess.run([python, "-m", "pip", "freeze"], capture_output=True, text=True).stdout.splitlines()
            if not set(read_list(path)) <= set(installed):
                steps.free_space_check(steps.ROOT, 1)
                steps.run(f"Python packages: installing {', '.join(read_list(path))}",
                          [python, "-m", "pip", "install", "--disable-pip-version-check", "-r", path], log=f"pip-{name}",
                          explain=explain_pip)


def newest_python():
    """Returns the interpreter of an environment with packages/newest.txt, or None if no working
    Python is new enough."""
    found = pythons.newest()
    if found is None:
        return None
    python_packages("newest", NEWEST_VENV, (found,))
    return NEWEST_VENV / "bin" / "python"


def everything(*python_lists):
    debian_packages()
    for name in python_lists:
        python_packages(name)
