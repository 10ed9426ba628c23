"""jax.export wraps CHLO operations in composites, because portable artifacts have no CHLO. Drumlin compiles such a composite as the CHLO
operation."""
import json
import subprocess

import jax
import jax.numpy as jnp
import numpy
import pytest
from jax import export

# For each composite: a JAX function that is exported as this composite. The arguments are from -0.9 to 0.9.
FUNCTIONS = {
    "chlo.acos": jnp.arccos, "chlo.asin": jnp.arcsin, "chlo.asinh": jnp.arcsinh, "chlo.atanh": jnp.arctanh, "chlo.cosh": jnp.cosh,
    "chlo.sinh": jnp.sinh, "chlo.acosh": lambda x: jnp.arccosh(x + 2), "chlo.erf": jax.lax.erf, "chlo.erf_inv": jax.lax.erf_inv,
    "chlo.top_k": lambda x: jax.lax.top_k(x, 5), "chlo.square": jnp.square,
}


def exported(function, folder):
    made = export.export(jax.jit(function))(jax.ShapeDtypeStruct((4, 32), jnp.float32))
    (folder / "program").write_bytes(made.mlir_module_serialized)
    return made.mlir_module()


def test_names_are_those_that_are_exported(tmp_path):
    """The installed version of JAX wraps at least eight of the functions in composites."""
    wrapped = [name for name, function in FUNCTIONS.items() if f'composite "{name}"' in exported(function, tmp_path)]
    assert len(wrapped) >= 8, wrapped


@pytest.mark.parametrize("name", FUNCTIONS)
def test_composites_are_operations(build_folder, tmp_path, name):
    function = FUNCTIONS[name]
    is_wrapped = f'composite "{name}"' in exported(function, tmp_path)

    def drumlin(*words):
        done = subprocess.run([build_folder / "bin" / "drumlin", *map(str, words)], capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return done.stdout

    if is_wrapped:
        decisions = [each["decision"] for each in json.loads(drumlin("why", "program", "--rule", "recompose-operation", "--json"))]
        assert decisions and set(decisions) == {"taken"}
    x = numpy.linspace(-0.9, 0.9, 128, dtype=numpy.float32).reshape(4, 32)[:, ::-1].copy()
    numpy.savez(tmp_path / "in.npz", in0=x)
    drumlin("run", "program", "--input", "in.npz", "--output", "got.npz")
    drumlin("run", "program", "--input", "in.npz", "--output", "interpreted.npz", "--interpret")
    expected = jax.tree.leaves(function(x))
    # The results agree within a few ULPs of f32: jaxlib's functions have errors, too.
    for source in ("got", "interpreted"):
        got = numpy.load(tmp_path / f"{source}.npz")
        for i, array in enumerate(expected):
            numpy.testing.assert_allclose(got[f"out{i}"], array, rtol=1e-6, atol=1e-7, err_msg=source)
