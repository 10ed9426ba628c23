"""jaxlib's CPU backend on a module's text, each result as the program says: no excess precision between operations."""
import os

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import numpy as np
from jax._src.interpreters import mlir
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
