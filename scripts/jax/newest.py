"""Runs the plugin's tests with the newest JAX in the package index and the newest Python on this
machine."""
import os

from scripts import build, pythons, setup, steps

FOLDER = steps.BUILD / "jax-newest"
PACKAGES = ("jax", "jaxlib", "ml_dtypes", "nanobind", "numpy", "pytest", "scikit-build-core", "scipy")


def main(arguments):
    setup.everything("test")
    found = pythons.newest()
    if found is None:
        raise steps.Failure("found no working Python 3.12 to 3.14", "install one, with its headers")
    build.build()
    setup.make_venv(FOLDER, (found,))
    python = FOLDER / "bin" / "python"
    steps.run("Python packages: the newest JAX", [python, "-m", "pip", "install", "--disable-pip-version-check", "--upgrade", *PACKAGES],
              log="pip-jax-newest", explain=setup.explain_pip)
    version = steps.run("version of JAX", [python, "-c", "import jax; print(jax.__version__)"], log="jax-version")[1]
    steps.say(f"JAX {version.read_text().split()[-1]}")
    # pytest runs in the usual environment; the tests start the interpreter named here.
    command = [setup.PYTHON, "-m", "pytest", "test/jax/test_newest.py", "-q", "-p", "no:cacheprovider"]
    command += ["-k", arguments.filter] if arguments.filter else []
    status, log = steps.run("the plugin's tests", command, log="jax-newest", check=False,
                            environment={"DRUMLIN_NEWEST_PYTHON": str(python), "DRUMLIN_BUILD": str(build.folder("release")),
                                         "PYTHONDONTWRITEBYTECODE": "1", "PATH": os.environ["PATH"]})
    print(steps.tail(log, 400 if status else 2), flush=True)
    return status
