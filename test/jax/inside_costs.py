"""The costs that JAX's cost_analysis returns for a program are those that `drumlin cost` reports."""
import pathlib

import drumlin
import jax
import pytest
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jaxlib.mlir import ir, passmanager
from jaxlib.mlir.dialects import stablehlo

MODELS = pathlib.Path(__file__).resolve().parents[1] / "models"
stablehlo.register_stablehlo_passes()


def text_for_plugins(path):
    """Returns the program that jaxlib passes to plugins: jaxlib expands CHLO operations to StableHLO."""
    with mlir.make_ir_context():
        module = ir.Module.parse(path.read_text())
        passmanager.PassManager.parse("builtin.module(func.func(chlo-legalize-to-stablehlo))").run(module.operation)
        return str(module)


@pytest.mark.parametrize("path", sorted(MODELS.glob("*/program.mlir")), ids=lambda path: path.parent.name)
def test_costs(path, tmp_path):
    device = jax.devices()[0]
    program = tmp_path / "program.mlir"
    program.write_text(text_for_plugins(path))
    compiled = device.client.compile_and_load(program.read_text(), [device], xla_client.CompileOptions())
    said = drumlin.cost(program)
    analysis, memory = compiled.cost_analysis(), compiled.get_compiled_memory_stats()
    for name, value in said["total"].items():
        assert analysis["flops" if name == "model_flops" else name] == value, name
    assert analysis["bytes accessed"] == sum(value for name, value in said["total"].items() if "_bytes_" in name)
    assert analysis["optimal_seconds"] == pytest.approx(said["estimate"]["seconds"])
    assert memory.peak_memory_in_bytes == said["memory"]["peak_bytes"]
    assert memory.temp_size_in_bytes == said["memory"]["arena_bytes"]
    assert memory.argument_size_in_bytes == said["memory"]["argument_bytes"]
    assert memory.output_size_in_bytes - memory.alias_size_in_bytes == said["memory"]["result_bytes"]
