"""Builds the wheels that users install without a compiler: one for Python 3.11, and one for all
later versions. Tests them in bare Debian systems, and with each local Python that the second wheel
supports."""
import os
import shutil

from scripts import build, pythons, roots, setup, steps

FOLDER = steps.BUILD / "wheels"
LARGEST = 60e6  # bytes
TARGETS = ("DrumlinShared", "DrumlinHlo", "DrumlinHloProto", "DrumlinSupport")
# The JAX release for the Python of each system.
SYSTEMS = {"bookworm": "test", "trixie": "newest", "forky": "newest"}
STEP = """
import jax, jax.numpy as jnp
step = jax.jit(lambda w, x, y: w - 0.1 * jax.grad(lambda w: jnp.mean((jnp.tanh(x @ w) - y) ** 2))(w))
w = step(jnp.zeros((16, 4)), jnp.ones((8, 16)), jnp.ones((8, 4)))
assert jax.devices()[0].device_kind.startswith("Drumlin") and abs(float(w[0, 0]) - 0.05) < 1e-6, (jax.devices(), w[0, 0])
print("trained")
"""


def make(python, name):
    """Builds one interpreter's wheel, with the lowest manylinux tag that its symbols allow."""
    made, environment = FOLDER / "made" / name, {"PYTHONDONTWRITEBYTECODE": "1"}
    shutil.rmtree(made, ignore_errors=True)
    steps.run(f"wheel of {name}", [python, "-m", "pip", "wheel", steps.ROOT, "--no-build-isolation", "--no-deps", "--wheel-dir", made],
              log=f"wheel-{name}", environment=environment)
    [wheel] = made.glob("*.whl")
    audit = setup.VENV / "bin" / "auditwheel"
    path = {"PATH": f"{setup.VENV / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    steps.run(f"tag of {name}", [audit, "repair", "--plat", "auto", "--wheel-dir", FOLDER, wheel], log=f"auditwheel-{name}", environment=path)


def check(wheel):
    if wheel.stat().st_size > LARGEST:
        raise steps.Failure(f"{wheel.name} has {wheel.stat().st_size / 1e6:.0f} MB, {LARGEST / 1e6:.0f} MB is the most",
                            "look for what it packs with `python -m zipfile -l`")
    if "abi3" in wheel.name:
        steps.run("stable interface of Python", [setup.VENV / "bin" / "abi3audit", "--strict", wheel], log="abi3audit")
    steps.say(f"{wheel.relative_to(steps.ROOT)}: {wheel.stat().st_size / 1e6:.1f} MB")


def words_of_trying(python, folder, wheels, packages):
    """Returns the commands that install the matching wheel and JAX into a new environment in a
    folder, and train one step."""
    pins = [line for line in setup.read_list(setup.PACKAGES / f"{packages}.txt") if line.split("==")[0] in ("jax", "jaxlib", "numpy", "ml_dtypes")]
    return f"""
{python} -m venv --clear {folder}
{folder}/bin/pip install --disable-pip-version-check {' '.join(pins)}
{folder}/bin/pip install --disable-pip-version-check --no-index --find-links {wheels} drumlin
cd {folder}
cat > step.py <<'END'
{STEP}END
bin/python -V
JAX_PLATFORMS=drumlin bin/python step.py
"""


def check_trained(log, where):
    if not log.read_text().rstrip().endswith("trained"):
        raise steps.Failure(f"{where}: no step was trained", f"see {log.relative_to(steps.ROOT)}")


def try_in(release, wheels):
    """Tests the wheels in a bare system, with the Python of that system."""
    share = roots.make(release) / "wheels"
    shutil.rmtree(share, ignore_errors=True)
    share.mkdir()
    for wheel in wheels:
        shutil.copy(wheel, share)
    _, log = roots.run(release, "installing and training a step", words_of_trying("python3", "/tried", "/wheels", SYSTEMS[release]), log=f"wheel-{release}")
    check_trained(log, roots.RELEASES[release])


def try_with(which, python):
    """Tests the wheels with a local interpreter."""
    name = ".".join(map(str, which))
    words = words_of_trying(python, FOLDER / "tried" / name, FOLDER, "newest")
    _, log = steps.run(f"Python {name}: installing and training a step", ["sh", "-ec", words], log=f"wheel-{name}")
    check_trained(log, f"Python {name}")


def main(arguments):
    setup.everything("test", "wheel")
    newest = setup.newest_python()
    if newest is None:
        raise steps.Failure("found no working Python 3.12 to 3.14, which the wheel for these versions needs", "install one, with its headers")
    build.build(targets=TARGETS)
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    make(setup.PYTHON, "python")
    make(newest, "newest")
    wheels = sorted(FOLDER.glob("*.whl"))
    for wheel in wheels:
        check(wheel)
    if arguments.check:
        for release in SYSTEMS:
            try_in(release, wheels)
        for which, python in sorted(pythons.each().items()):
            try_with(which, python)
