"""JAX through the plugin: inside_*.py run in processes that have the package, and each of their cases is one here."""
import functools
import pathlib
import re
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).parent
CASES = [(path.name, name) for path in sorted(HERE.glob("inside_*.py")) for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)]


@pytest.fixture(scope="session")
def results(run_inside):
    return functools.cache(lambda file: run_inside(sys.executable, file))


@pytest.mark.parametrize("file, name", CASES, ids=lambda value: value)
def test_inside(results, file, name):
    cases, printed = results(file)
    assert name in cases, printed[-4000:]
    assert not any(cases[name]), "\n".join(filter(None, cases[name]))


PROGRAM = """
import sys
import jax, jax.numpy as jnp
assert jax.devices()[0].device_kind.startswith("Drumlin"), jax.devices()
f = jax.jit(lambda x: jnp.sin(x) @ x)
print(float(f(jnp.ones((64, 64)))[0, 0]))
"""


def test_exit_with_work_going_on(environment):
    """The interpreter ends while programs run, and holds arrays, programs and callbacks."""
    program = PROGRAM + """
import numpy as np, time
slow = jax.jit(lambda x: jax.pure_callback(lambda a: (time.sleep(0.2), np.asarray(a))[1], jax.ShapeDtypeStruct((4,), jnp.float32), x) + 1)
kept = [slow(jnp.ones(4)) for _ in range(3)]
x = jnp.ones((512, 512))
for _ in range(20):
    x = jax.jit(lambda x: x @ x / 512)(x)
"""
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_persistent_cache(environment, tmp_path):
    """A second process takes compiled programs from JAX's cache; one that another version wrote isn't used."""
    program = """
import jax, jax.numpy as jnp, logging, sys
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
hits = []
jax.monitoring.register_event_listener(lambda event, **_: hits.append(event) if event.endswith("cache_hits") else None)
print(float(jax.jit(lambda x: jnp.tanh(x).sum())(jnp.arange(8.0))), len(hits))
"""
    def run():
        done = subprocess.run([sys.executable, "-c", program, tmp_path], env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    first, second = run(), run()
    assert first[0] == second[0] and first[1] == "0" and int(second[1]) > 0
    for entry in tmp_path.iterdir():  # damaged ones are compiled again
        if entry.name.endswith("-cache"):
            entry.write_bytes(entry.read_bytes()[:-40])
    assert run()[0] == first[0]
