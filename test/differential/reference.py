"""Runs a module with jaxlib's CPU backend, which rounds after each operation here, and converts it to HLO with jaxlib."""
import os
import re

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import numpy as np
from jax._src.interpreters import mlir
from jaxlib import _hlo, _jax
from jaxlib.mlir import ir

xla_client = jax._src.lib.xla_client


def run(text, arguments):
    device = jax.devices("cpu")[0]
    options = xla_client.CompileOptions()
    options.num_replicas = options.num_partitions = 1
    options.env_option_overrides = [("xla_allow_excess_precision", False)]
    with mlir.make_ir_context():
        module = ir.Module.parse(text)
        executable = device.client.compile_and_load(module, executable_devices=xla_client.DeviceList((device,)), compile_options=options)
    with jax.enable_x64(True):
        results = executable.execute_sharded([jax.device_put(each, device) for each in arguments])
        return [np.asarray(each[0]) for each in results.disassemble_into_single_device_arrays()]


def hlo_text(text):
    """Returns the module as XLA imports it, before its passes."""
    computation = _jax.mlir.mlir_module_to_xla_computation(text, use_tuple_args=False, return_tuple=False)
    options = _hlo.HloPrintOptions()
    options.print_large_constants = True
    return computation.get_hlo_module().to_string(options)


def read_hlo(text):
    """Raises an error if XLA's parser fails."""
    _hlo.hlo_module_from_text(text)


def opcodes():
    """Returns the names of all HLO opcodes as in its texts: kAllGatherStart is `all-gather-start`."""
    special = {"kClz": "count-leading-zeros", "kCos": "cosine", "kExp": "exponential", "kExpm1": "exponential-minus-one",
               "kLog1p": "log-plus-one", "kOptimizationBarrier": "opt-barrier", "kPopulationCount": "popcnt", "kSin": "sine",
               "kTopK": "topk", "kRoundNearestAfz": "round-nearest-afz"}
    names = [name for name in dir(_hlo.HloOpcode) if re.fullmatch("k[A-Z].*", name)]
    return {special.get(name) or re.sub("(?<!^)([A-Z])", r"-\1", name[1:]).lower() for name in names}
