"""Tools that measure and check programs of dynamic sizes, at the arrays' sizes or at the nominal sizes."""
import json

import jax
import jax.numpy as jnp
import numpy
import pytest
from symbolic import arrays, drumlin, exported

# The program has kernels with one tile and with several tiles, a call of foreign code (cholesky), and a kernel of static sizes (sort).
SHAPES = ("b, 32", "32, 64")
SIZES = (1, 2, 17, 3000)


def program_of(x, w):
    factor = jnp.linalg.cholesky(x.T @ x + 100 * jnp.eye(32))
    return jax.nn.softmax(jnp.tanh(x @ w) + factor.sum(), -1), jnp.sort(w, 1)


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    path = tmp_path_factory.mktemp("tools") / "program.mlir"
    path.write_text(exported(program_of, SHAPES))
    return path


def given(folder, b):
    numpy.savez(folder / "in.npz", **{f"in{i}": array for i, array in enumerate(arrays(SHAPES, b))})
    return folder / "in.npz"


@pytest.mark.parametrize("b", SIZES)
def test_profiles(build_folder, tmp_path, program, b):
    words = ["run", program, "--input", given(tmp_path, b), "--threads", 2]
    done = drumlin(build_folder, *words, "--output", tmp_path / "plain.npz")
    assert done.returncode == 0, done.stderr
    done = drumlin(build_folder, *words, "--profile", tmp_path / "trace.json", "--expect", tmp_path / "plain.npz", "--rtol", 0)
    assert done.returncode == 0, done.stderr
    events = [event for event in json.loads((tmp_path / "trace.json").read_text())["traceEvents"] if event["ph"] == "X"]
    launches = [event for event in events if event.get("cat") == "launch"]
    assert any(event["name"].startswith("gemm") for event in launches)
    # Each launch computes each of its tiles exactly once.
    for name in {event["name"] for event in launches}:
        tiles = sorted((event["args"]["first"], event["args"]["tiles"]) for event in events if event.get("cat") == "tiles" and event["name"] == name)
        assert tiles and tiles[0][0] == 0 and all(a + n == c for (a, n), (c, _) in zip(tiles, tiles[1:])), (name, tiles)


@pytest.mark.parametrize("b", (None, 17))
def test_times_kernels(build_folder, tmp_path, program, b):
    done = drumlin(build_folder, "bench", program, "--kernels", "--json", "--seconds", 0.05, "--input", given(tmp_path, b) if b else "random:1")
    assert done.returncode == 0, done.stderr
    kernels = json.loads(done.stdout)["kernels"]
    assert len(kernels) > 3 and all(kernel["calls"] >= 1 and kernel["seconds"] >= 0 for kernel in kernels), kernels
    assert any(kernel["seconds"] > 0 for kernel in kernels)


@pytest.mark.parametrize("b", (None, 1, 17, 200))
def test_checks_launches(build_folder, tmp_path, program, b):
    done = drumlin(build_folder, "check", program, "--input", given(tmp_path, b) if b else "random:1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "launches of" in done.stdout
    assert f"tensor<{b or 97}x64xf32>" in done.stdout


def test_dumps_each_phase(build_folder, tmp_path, program):
    """The dumps lack the costs of the original program, whose sizes are unknown."""
    done = drumlin(build_folder, "compile", program, "-o", tmp_path / "program.so", "--dump-phases", tmp_path / "phases")
    assert done.returncode == 0, done.stderr
    phases = "import", "simplify", "rewrite", "fusion", "layout", "select", "schedule", "buffers"
    assert sorted(path.name for path in (tmp_path / "phases").iterdir()) == sorted(
        f"{number:02}-{name}.{kind}" for number, name in enumerate(phases) for kind in ("mlir", "ledger.json", "costs.json")
        if (name, kind) != ("import", "costs.json"))
    straight = (tmp_path / "program.so").read_bytes()
    for name in phases[1:]:
        [dumped] = (tmp_path / "phases").glob(f"*-{name}.mlir")
        done = drumlin(build_folder, "compile", dumped, "-o", tmp_path / "on.so", "--start-from", name)
        assert done.returncode == 0 and (tmp_path / "on.so").read_bytes() == straight, (name, done.stderr)
