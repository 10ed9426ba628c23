"""JAX through the plugin: inside_*.py run in processes with the package, and each of their cases is a test here."""
import functools
import pathlib
import re
import subprocess

import pytest

pytestmark = pytest.mark.long

HERE = pathlib.Path(__file__).parent
CASES = [(path.name, name) for path in sorted(HERE.glob("inside_*.py")) for name in re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE)]


@pytest.fixture(scope="session")
def results(python, run_inside):
    return functools.cache(lambda file: run_inside(python, file))


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


# Code that is appended to PROGRAM and ends its process in some way, with the expected exit status.
ENDINGS = {
    "objects that hold each other": ("kept = [f(jnp.ones((600, 600))) for _ in range(5)]; kept.append(kept); kept.append(f)", 0),
    "an exception": ("kept = [f(jnp.ones((600, 600))) for _ in range(5)]\nraise SystemExit(3)", 3),
    "programs of handlers of the exit": ("import atexit; atexit.register(lambda: print(f(jnp.ones((600, 600)))[0, 0]))", 0),
    "backends that were cleared": ("from jax.extend.backend import clear_backends; x = f(jnp.ones((600, 600))); clear_backends()", 0),
    "a thread that compiles": ("""import threading
threading.Thread(target=lambda: [jax.jit(lambda x: jnp.sin(x) + i).lower(jnp.ones(i)).compile() for i in range(1, 9)]).start()""", 0),
    "a process that was forked, as multiprocessing ends it": ("""import os, warnings
warnings.simplefilter("ignore")
child = os.fork()
if child == 0:
    os._exit(5)
print(f(jnp.ones((600, 600)))[0, 0])
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))""", 5),
    "no destructors": ("import os; kept = [f(jnp.ones((600, 600))) for _ in range(5)]; os._exit(0)", 0),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_endings(python, environment, ending):
    code, status = ENDINGS[ending]
    done = subprocess.run([python, "-c", PROGRAM + code], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == status and done.stderr == "", done.stderr


def test_interruption_of_a_compilation(python, environment):
    """Ctrl-C during a long compilation raises Python's own exception, long before the compilation would have ended."""
    program = """
import signal, sys, threading, time, os
import jax, jax.numpy as jnp
def long(x):
    for i in range(400):
        x = jnp.sort(jnp.tanh(x @ x + i), axis=i % 2)
    return x
lowered = jax.jit(long).lower(jnp.ones((20, 20)))
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background processes begin with the signal ignored
begin = time.monotonic()
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    lowered.compile(compiler_options={"no_cache": True})
    print("compiled", time.monotonic() - begin)
except KeyboardInterrupt:
    print("interrupted", time.monotonic() - begin)
print(jax.jit(lambda x: x + 1)(1.0))
"""
    done = subprocess.run([python, "-c", program], env=environment, capture_output=True, text=True, timeout=300)
    how, seconds, after = done.stdout.split()
    assert how == "interrupted" and float(seconds) < 10 and after == "2.0", done.stdout + done.stderr
    assert done.returncode == 0 and done.stderr == "", done.stderr  # JAX may abandon the compilation, which ends with the process


def test_exit_with_work_going_on(python, environment):
    """The interpreter exits while programs run, and while it holds arrays, programs and callbacks."""
    program = PROGRAM + """
import numpy as np, time
slow = jax.jit(lambda x: jax.pure_callback(lambda a: (time.sleep(0.2), np.asarray(a))[1], jax.ShapeDtypeStruct((4,), jnp.float32), x) + 1)
kept = [slow(jnp.ones(4)) for _ in range(3)]
x = jnp.ones((512, 512))
for _ in range(20):
    x = jax.jit(lambda x: x @ x / 512)(x)
"""
    done = subprocess.run([python, "-c", program], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_exit_after_errors(python, environment):
    """At exit, the process reports the errors of callbacks whose results weren't used, with their cause. It doesn't report errors that were
    raised before."""
    program = PROGRAM + """
import logging
import numpy as np
logging.disable(logging.CRITICAL)  # JAX tells of it as well, when it happens
def refuse(a):
    raise ValueError(f"not {sys.argv[1]}")
bad = jax.jit(lambda x: jax.pure_callback(refuse, jax.ShapeDtypeStruct((), jnp.float32), x))
x = jnp.ones((1500, 1500))
later = jax.jit(lambda x: (x @ x @ x @ x @ x @ x)[0, 0])
if sys.argv[1] == "now":
    try:
        bad(1.0)
    except RuntimeError as error:
        print("raised", "ValueError: not now" in str(error))
else:
    bad(later(x))
    print("returned")
"""
    for when in ("now", "later"):
        done = subprocess.run([python, "-c", program, when], env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        if when == "now":
            assert done.stdout.split()[1:] == ["raised", "True"] and done.stderr == "", done.stderr
        else:
            assert done.stdout.split()[1:] == ["returned"]
            assert done.stderr.count("ValueError: not later") == done.stderr.count("Exception ignored") > 0, done.stderr


def test_persistent_cache(python, environment, tmp_path):
    """A second process takes compiled programs from JAX's cache; entries of another version aren't used."""
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
        done = subprocess.run([python, "-c", program, tmp_path], env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout.split()

    first, second = run(), run()
    assert first[0] == second[0] and first[1] == "0" and int(second[1]) > 0
    for entry in tmp_path.iterdir():  # damaged entries are compiled again
        if entry.name.endswith("-cache"):
            entry.write_bytes(entry.read_bytes()[:-40])
    assert run()[0] == first[0]


@pytest.mark.parametrize("options, status, says", [
    ("threads:2", 0, ""),
    ("threads:2;preallocate:false", 0, "without effect here: `preallocate`"),
    ("threads:two", 1, "the client's option `threads` is `two`"),
    ("thread:2", 1, "did you mean `threads`?"),
    ("num_devices:0", 1, "pass 1 to 64"),
    ("num_devices:65", 1, "pass 1 to 64"),
])
def test_options_of_the_backend(python, environment, options, status, says):
    """JAX passes the backend's options as strings."""
    done = subprocess.run([python, "-c", PROGRAM], env={**environment, "JAX_PJRT_CLIENT_CREATE_OPTIONS": options}, capture_output=True,
                          text=True, timeout=120)
    assert (done.returncode != 0) == (status != 0) and says in done.stderr, done.stderr


def test_several_devices(python, environment):
    """Programs run on their arguments' device; arrays are copied between devices, and sharded over all devices."""
    program = """
import jax, jax.numpy as jnp, numpy as np
devices = jax.devices()
assert [each.id for each in devices] == [0, 1, 2, 3]
f = jax.jit(lambda x: jnp.sin(x) @ x.T)
x = np.arange(12, dtype=np.float32).reshape(3, 4)
for device in devices:
    y = f(jax.device_put(x, device))
    assert y.devices() == {device} and device.memory_stats()["bytes_in_use"] > 0
    np.testing.assert_allclose(y, np.sin(x) @ x.T, rtol=1e-5)
copied = jax.device_put(jax.device_put(x, devices[3]), devices[1])
assert copied.devices() == (copied + 1).devices() == {devices[1]}
with jax.default_device(devices[2]):
    assert jnp.ones(3).devices() == f(x).devices() == {devices[2]}
mesh = jax.sharding.Mesh(np.array(devices), ("a",))
sharded = jax.device_put(np.arange(8.0), jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("a")))
assert [int(each.data[1]) for each in sharded.addressable_shards] == [1, 3, 5, 7]
np.testing.assert_array_equal(sharded, np.arange(8.0))
try:
    sharded + 1
except jax.errors.JaxRuntimeError as error:
    print(error)
"""
    done = subprocess.run([python, "-c", program], env={**environment, "JAX_PJRT_CLIENT_CREATE_OPTIONS": "num_devices:4"},
                          capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert "D4012" in done.stdout and "programs run on one device each" in done.stdout, done.stdout
