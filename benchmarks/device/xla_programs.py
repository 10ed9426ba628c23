"""Compiles and times programs with XLA on this GPU. Usage: xla_programs.py FOLDER RESULTS

FOLDER has StableHLO programs (`*/program.mlir` or `*.mlir`). RESULTS is a JSON object with the
compile time and median run time of each program, and the library calls and number of fusions in
its optimized module. Arguments have the program's sizes and random values.
"""

import collections
import json
import pathlib
import re
import statistics
import sys
import time

import jax
import numpy as np
from jax._src.interpreters import mlir
from jax._src.lib import xla_client
from jaxlib.mlir import ir


def compiled(client, text):
    options = xla_client.CompileOptions()
    devices = client.devices()[:1]
    try:
        return client.compile_and_load(text, xla_client.DeviceList(tuple(devices)), options)
    except AttributeError:
        return client.compile(text, options)


def argument_types(text):
    with mlir.make_ir_context(), ir.Location.unknown():
        module = ir.Module.parse(text)
        mains = [each for each in module.body.operations if str(each.attributes["sym_name"]).strip('"') == "main"]
        kinds = ir.FunctionType(ir.TypeAttr(mains[0].attributes["function_type"]).value).inputs
        shapes = [(list(ir.RankedTensorType(kind).shape), str(ir.RankedTensorType(kind).element_type)) for kind in kinds]
        return shapes


def values(shape, kind, random):
    names = {"f8E4M3FN": "float8_e4m3fn", "f8E5M2": "float8_e5m2", "bf16": "bfloat16", "f16": "float16", "f32": "float32", "f64": "float64", "i1": "bool"}
    name = names.get(kind) or kind.replace("ui", "uint") if kind.startswith("ui") else names.get(kind) or kind.replace("i", "int")
    if name == "bool" or "int" in name:
        return random.integers(0, 2, shape).astype(name)
    return random.uniform(0.25, 1, shape).astype(np.float32).astype(jax.numpy.dtype(name))


def told(client, path):
    text = path.read_text()
    begun = time.time()
    made = compiled(client, text)
    seconds = time.time() - begun
    random = np.random.default_rng(1)
    arguments = [jax.device_put(values(shape, kind, random)) for shape, kind in argument_types(text)]
    module = made.hlo_modules()[0].to_string()
    calls = collections.Counter(re.findall(r'custom_call_target="([^"]*)"', module))
    answer = {"compile_s": round(seconds, 3), "calls": dict(calls), "fusions": len(re.findall(r"= .* fusion\(", module)),
              "epilogues": re.findall(r'"epilogue":"([A-Z_]*)"', module)}  # fmt: skip
    run = lambda: jax.block_until_ready(made.execute_sharded(arguments).disassemble_into_single_device_arrays())
    try:
        for _ in range(3):
            run()
        times = []
        for _ in range(15):
            begun = time.perf_counter()
            run()
            times.append(time.perf_counter() - begun)
        answer["us"] = round(1e6 * statistics.median(times), 1)
    except Exception as failure:  # donated arguments are gone after the first run
        answer["run"] = str(failure)[:200]
    return answer


def main(folder, results):
    client = jax.devices()[0].client
    made = {"jax": jax.__version__, "platform": client.platform_version}
    for path in sorted([*pathlib.Path(folder).glob("*/program.mlir"), *pathlib.Path(folder).glob("*.mlir")]):
        name = path.parent.name if path.name == "program.mlir" else path.stem
        try:
            made[name] = told(client, path)
        except Exception as failure:
            made[name] = {"failed": str(failure)[:300]}
        pathlib.Path(results).write_text(json.dumps(made, indent=1))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
