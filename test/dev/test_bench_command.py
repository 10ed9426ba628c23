"""The benchmarks that `./dev bench` runs."""
import pathlib
import types

import pytest

from scripts import bench, build, setup


@pytest.mark.parametrize("asked, script, filters", [
    (None, "run.py", []), ("attention", "run.py", ["attention"]), ("products", "products.py", []), ("products:f32", "products.py", ["f32"]),
    ("sweep", "sweep.py", []), ("routines:f64", "routines.py", ["f64"]), ("text", "text.py", []), ("--jax", "plugin.py", []), ("--jax softmax", "plugin.py", ["softmax"])])
def test_each_benchmark_starts(monkeypatch, asked, script, filters):
    ran = []
    monkeypatch.setattr(setup, "everything", lambda *_: None)
    monkeypatch.setattr(setup, "python_packages", lambda *_: None)
    monkeypatch.setattr(build, "build", lambda *_: pathlib.Path("build"))
    monkeypatch.setattr(bench.subprocess, "run", lambda command, env=None: ran.append([str(part) for part in command]) or types.SimpleNamespace(returncode=0))
    words = (asked or "").split()
    filter = " ".join(word for word in words if word != "--jax") or None
    assert bench.main(types.SimpleNamespace(filter=filter, rounds=3, jax="--jax" in words)) == 0
    (command,) = ran
    assert command[1].endswith(script)
    assert [part for part in command[2:] if not part.startswith("--") and part not in ("build", "3")] == filters
