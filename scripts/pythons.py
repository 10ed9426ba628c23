"""Finds Python interpreters on this machine other than the one that runs `./dev`, for packages that
need newer versions."""
import os
import pathlib
import shutil
import subprocess

# The Python versions that JAX's newest releases support. Free-threaded builds can't use stable-ABI
# wheels and are excluded.
OLDEST, NEWEST = (3, 12), (3, 14)
PROBE = "import sys, sysconfig, ensurepip, venv; print(*sys.version_info[:2], sysconfig.get_config_var('Py_GIL_DISABLED') or 0)"


def candidates():
    """Yields paths that may be interpreters, newest versions first: names on PATH, then the
    versions that pyenv has."""
    minors = range(NEWEST[1], OLDEST[1] - 1, -1)
    found = [path for minor in minors if (path := shutil.which(f"python3.{minor}"))]
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv")) / "versions"
    return found + [str(path) for minor in minors for path in sorted(pyenv.glob(f"3.{minor}*/bin/python3"))]


def version(path):
    """Returns the (major, minor) version of an interpreter that can create virtual environments.
    Returns None for any other path: a name on PATH may be a stub that starts nothing."""
    try:
        done = subprocess.run([path, "-c", PROBE], capture_output=True, text=True, timeout=60)
    except (OSError, subprocess.TimeoutExpired):
        return None
    words = done.stdout.split()
    if done.returncode != 0 or len(words) != 3 or words[2] != "0":
        return None
    return int(words[0]), int(words[1])


def each():
    """Returns the first interpreter of each version that runs JAX's newest releases, by version."""
    found = {}
    for path in dict.fromkeys(candidates()):
        which = version(path)
        if which and OLDEST <= which <= NEWEST:
            found.setdefault(which, path)
    return found


def newest():
    """Returns the path of the newest interpreter that runs JAX's newest releases, or None."""
    found = each()
    return found[max(found)] if found else None
