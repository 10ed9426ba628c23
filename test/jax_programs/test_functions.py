"""Functions as JAX users write them: lowered by JAX, compiled and interpreted, compared with JAX's own results."""
import os
import subprocess

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import numpy as np
import pytest

from functions import FUNCTIONS

TOLERANCE = 2e-5  # r in |got - e| <= r (|e| + rms(e)), where e is JAX's result; both compute in f32


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return {**os.environ, "DRUMLIN_CACHE": str(tmp_path_factory.mktemp("cache"))}


def write_arrays(path, prefix, tree):
    np.savez(path, **{f"{prefix}{i}": np.asarray(leaf) for i, leaf in enumerate(jax.tree.leaves(tree))})


@pytest.mark.parametrize("name", FUNCTIONS)
def test_function(name, build_folder, tmp_path, environment):
    function, arguments = FUNCTIONS[name]
    lowered = jax.jit(function, keep_unused=True).lower(*arguments)
    (tmp_path / "program.mlir").write_text(lowered.as_text())
    write_arrays(tmp_path / "inputs.npz", "in", arguments)
    write_arrays(tmp_path / "expected.npz", "out", lowered.compile()(*arguments))
    for mode in ([], ["--interpret"]):
        done = subprocess.run([build_folder / "bin" / "drumlin", "run", "program.mlir", "--input", "inputs.npz", "--expect",
                               "expected.npz", "--rtol", str(TOLERANCE), *mode],
                              cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{mode}: {done.stdout}{done.stderr}"
