"""XLA's compiler options: the table has all options of jaxlib, and accepts and refuses the same values as jaxlib's CPU backend."""
import importlib.util
import pathlib
import re

import jax
import jax.numpy as jnp
import jaxlib
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLATFORMS = "drumlin,cpu"
specification = importlib.util.spec_from_file_location("xla_options", ROOT / "scripts" / "jax" / "xla_options.py")
xla_options = importlib.util.module_from_spec(specification)
specification.loader.exec_module(xla_options)
KNOWN = xla_options.options_of(pathlib.Path(jaxlib.__file__).parent / "libjax_common.so")
WRONG = {"Bool": "banana", "Int32": "banana", "Int64": "banana", "Float": "half", "String": 3, "Enum": "banana", "Message": "banana"}
VALUES = {
    "xla_backend_optimization_level": ["3", 3, 1, " 2", "+1", "-1", 0, "", "0x1", "1.0", 1.5, True, 1 << 40, "99999999999"],
    "xla_llvm_disable_expensive_passes": [True, False, "True", "False", "true", "1", 1, 0.5, " True", ""],
    "xla_gpu_auto_spmd_partitioning_memory_budget_ratio": [0.5, "0.5", "1e400", " 0x1p3 ", "nan", "", "1.5f", 1, True, 1e300, float("inf")],
    "xla_disable_hlo_passes": ["one,other", "one", "", True, 3],
    "xla_dump_hlo_module_re": ["", "nothing-of-this-name", 3, True, 1.5],
    "xla_step_marker_location": ["STEP_MARK_NONE", "1", 1, 77, -1, 1 << 40, " STEP_MARK_NONE", "", True, 1.5],
    "xla_gpu_enable_command_buffer": ["FUSION,CUBLAS", "FUSION,1", "", 99, "FUSION,,CUBLAS", "FUSION, CUBLAS", "banana", True, 0.5],
    "xla_backend_extra_options": ["", "a=1,b", 3, True],
    "xla_no_option_of_this_name": [True],
    "no_option_of_this_name": [True],
}


def lowered(platform):
    return jax.jit(lambda x: x + 1, device=jax.devices(platform)[0]).lower(jnp.float32(1))


LOWERED = [lowered(platform) for platform in PLATFORMS.split(",")]


def answers(name, value):
    """Returns what Drumlin and jaxlib's CPU backend answer: None if the option is accepted, else the status and XLA's message."""
    said = []
    for program in LOWERED:
        try:
            program.compile(compiler_options={name: value})
            said.append(None)
        except jax.errors.JaxRuntimeError as error:
            status, _, message = str(error).splitlines()[0].partition(": ")
            said.append((status, re.sub("^error D30(23|25): ", "", message)))
    return said


def test_the_table_has_all():
    text = (ROOT / "drumlin" / "pjrt" / "XlaOptions.def").read_text()
    rows = {name: (kind, count == "Several") for name, kind, count in re.findall(r"^XLA_OPTION\((\w+), (\w+), (\w+),", text, re.MULTILINE)}
    assert len(KNOWN) > 200
    known = {name: option[:2] for name, option in KNOWN.items() if name.startswith("xla_")}
    missing = {name: option for name, option in known.items() if name not in rows}
    if jax.__version_info__ >= (0, 10):  # in older versions, some options have other types
        assert not missing and {name: rows[name] for name in known} == known, "run scripts/jax/xla_options.py"


@pytest.mark.parametrize("name", VALUES)
def test_values(name):
    for value in VALUES[name]:
        own, other = answers(name, value)
        assert own == other, (name, value, own, other)


@pytest.mark.skipif(jax.__version_info__ < (0, 10), reason="some options were of other types")
def test_wrong_values():
    for name, (kind, _, _) in KNOWN.items():
        own, other = answers(name, WRONG[kind])
        assert own == other and other is not None, (name, own, other)


def test_hints():
    with pytest.raises(RuntimeError, match=r"(?s)D3025.*'xla_cpu_enable_fastmath'.*nearest.*xla_cpu_enable_fast_math"):
        LOWERED[0].compile(compiler_options={"xla_cpu_enable_fastmath": True})
    with pytest.raises(RuntimeError, match=r"(?s)D3025.*'true' is not a valid bool value.*True or False"):
        LOWERED[0].compile(compiler_options={"xla_gpu_ftz": "true"})


def test_counterparts(tmp_path):
    """XLA options that correspond to Drumlin options have the same effects."""
    lower = lambda: jax.jit(lambda x: jnp.tanh(x) + jnp.cos(x), device=jax.devices("drumlin")[0]).lower(jnp.ones(100))
    program = lower()
    kernels = lambda **options: program.compile(compiler_options={"no_cache": True, **options}).as_text().count("custom-call(")
    assert kernels(xla_backend_optimization_level=0) == kernels(O=0) > kernels() == kernels(xla_backend_optimization_level=3)
    assert kernels(xla_backend_optimization_level=0, O=2) == kernels()
    if jax.__version_info__ >= (0, 12):  # older versions accept only numbers as optimization_level
        assert kernels(optimization_level="O0") == kernels(O=0) and kernels(optimization_level="O2") == kernels()
    if jax.__version_info__ >= (0, 10):  # older versions don't pass options whose value is zero
        jax.config.update("jax_disable_most_optimizations", True)
        assert lower().compile().as_text().count("custom-call(") == kernels(O=0)
        jax.config.update("jax_disable_most_optimizations", False)
    program.compile(compiler_options={"xla_dump_to": str(tmp_path / "phases")})
    assert any("fusion" in path.name for path in (tmp_path / "phases").iterdir())
    text = program.compile(compiler_options={"xla_backend_optimization_level": 1, "xla_gpu_ftz": True, "xla_cpu_enable_fast_math": False}).as_text()
    assert set(re.search(r'ignored_options="([^"]*)"', text)[1].split(",")) == {"xla_gpu_ftz", "xla_cpu_enable_fast_math"}
