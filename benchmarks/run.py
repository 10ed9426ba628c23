"""Measures Drumlin against jaxlib's CPU backend. Both run the same StableHLO (except for LAPACK
calls) on the same inputs, and are measured alternately in one process.

Run by `./dev bench [FILTER]`. Columns:

time      median of each side, and their ratio (below 1: Drumlin is faster)
limit     the machine's limit divided by Drumlin's time. The limit is the larger of MAC
          operations / the peak rate of their type, and bytes / the read bandwidth. Both rates are
          measured around the row; `?` means that they changed during each attempt.
compile   compile time of each side with empty caches; for Drumlin, the time of a process
memory    the peak memory of that process

A workload is `tiny` if either side runs it in at most the time of ten empty calls. Such workloads
measure calls, so they have a separate mean. Results are compared as in the tests, and go to
build/bench.json. Rows of `dynamic_` programs run Drumlin's image of symbolic sizes at one size,
and jaxlib's program for that size alone.
"""
import argparse
import json
import math
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

os.environ["JAX_PLATFORMS"] = "cpu"
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import jax
import jax.export
import numpy as np
from jaxlib.mlir import ir
from jaxlib.mlir.dialects import stablehlo as hlo

import image
import workloads  # makes test/models importable
import test_models
from limits import Limits

ATTEMPTS = 4  # a row is measured again, up to this often, if the machine's rates changed
SAMPLE_SECONDS = 5e-3  # a short program is repeated until a sample takes this long


# The peak memory of a process includes the memory that its parent had when it started the process. So a small interpreter starts the
# compiler.
MEASURED_CALL = """
import json, resource, subprocess, sys, time
begin = time.perf_counter()
result = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
seconds = time.perf_counter() - begin
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(json.dumps([result.returncode, result.stdout, seconds, peak]))
"""


def compile_drumlin(drumlin, program, output):
    """Returns (seconds, peak MiB) of one compilation without cache, in a separate process. Raises
    an error with the compiler's message if it fails."""
    command = [drumlin, "compile", program, "-o", output, "--no-cache"]
    call = subprocess.run([sys.executable, "-S", "-c", MEASURED_CALL, *map(str, command)], capture_output=True, text=True)
    status, message, seconds, peak = json.loads(call.stdout)
    if status != 0:
        raise RuntimeError(message.strip().splitlines()[0] if message.strip() else f"exit status {status}")
    return seconds, peak


def difference(name, got, expected, arguments):
    """Compares results as the tests do. Returns an empty text if the tests would pass."""
    types = {i: np.asarray(array).dtype.name for i, array in enumerate([*expected, *arguments])}
    tolerance = test_models.tolerance(name.removeprefix("model_"), types, "compiled")
    for one, other in zip(got, expected):
        try:
            test_models.assert_close(np.asarray(one), np.asarray(other), tolerance)
        except AssertionError as error:
            return " ".join(str(error).split()) or "more than one representable value apart"
    return ""


UNITS = {"bf16": "bf16", "i8": "int8"}  # types with their own peak rate in `drumlin limits`; fp8 has that of bf16, any other type that of f32


def product_flops(module):
    """Returns the number of multiplies and adds in a module's GEMMs and convolutions, by unit. The
    body of each loop counts once."""
    flops = {}

    def visit(op):
        name = op.operation.name
        if name in ("stablehlo.dot_general", "stablehlo.convolution"):
            lhs, rhs = (ir.RankedTensorType(value.type) for value in op.operation.operands)
            result = ir.RankedTensorType(op.operation.results[0].type)
            if name == "stablehlo.dot_general":
                numbers = hlo.DotDimensionNumbers(op.operation.attributes["dot_dimension_numbers"])
                terms = math.prod(lhs.shape[d] for d in numbers.lhs_contracting_dimensions)
            else:
                numbers = hlo.ConvDimensionNumbers(op.operation.attributes["dimension_numbers"])
                terms = math.prod(rhs.shape) // rhs.shape[numbers.kernel_output_feature_dimension]
            element = str(lhs.element_type)
            unit = UNITS.get(element, "bf16" if element.startswith("f8") else "f32")
            flops[unit] = flops.get(unit, 0) + 2.0 * math.prod(result.shape) * terms
        for region in op.operation.regions:
            for block in region:
                for inner in block:
                    visit(inner)
    visit(module)
    return flops


def repeats(run):
    run()
    begin = time.perf_counter()
    run()
    return max(1, math.ceil(SAMPLE_SECONDS / (time.perf_counter() - begin + 1e-9)))


def interleave(runs, rounds):
    """Returns the median seconds of each function. Every round times each function once; the order
    alternates."""
    counts = [repeats(run) for run in runs]
    samples = [[] for _ in runs]
    for number in range(rounds):
        order = range(len(runs)) if number % 2 == 0 else reversed(range(len(runs)))
        for index in order:
            begin = time.perf_counter()
            for _ in range(counts[index]):
                runs[index]()
            samples[index].append((time.perf_counter() - begin) / counts[index])
    return [statistics.median(sample) for sample in samples]


def portable_text(function, inputs, lowered):
    """Returns the program for Drumlin. When JAX lowers for CPUs, it replaces factorizations and
    solves by LAPACK calls, so this lowers for another platform. Eigenvalues are LAPACK calls on
    both sides."""
    if not re.search(r"@lapack_\w(potrf|trsm)", lowered.as_text()):
        return lowered.as_text()
    return jax.jit(function, keep_unused=True).trace(*inputs).lower(lowering_platforms=("tpu",)).as_text()


def symbolic_text(function, inputs, sizes, constraints=()):
    """Returns the program for Drumlin with symbolic sizes, exported by jax.export."""
    scope = jax.export.SymbolicScope(constraints)
    specs = [jax.ShapeDtypeStruct(jax.export.symbolic_shape(shape, scope=scope), array.dtype) for shape, array in zip(sizes, inputs)]
    return jax.export.export(jax.jit(function, keep_unused=True))(*specs).mlir_module()


def measure(name, make, arguments, limits):
    jax.config.update("jax_enable_x64", False)  # the default; `make` may turn it on
    function, inputs, *symbolic = make()
    lowered = jax.jit(function, keep_unused=True).lower(*inputs)
    program, output = arguments.folder / f"{name}.mlir", arguments.folder / f"{name}.so"
    program.write_text(symbolic_text(function, inputs, *symbolic) if symbolic else portable_text(function, inputs, lowered))
    begin = time.perf_counter()
    compiled = lowered.compile()
    peer_compile = time.perf_counter() - begin
    expected = [np.asarray(leaf) for leaf in jax.tree.leaves(compiled(*inputs))]
    own_compile, memory = compile_drumlin(arguments.build / "bin" / "drumlin", program, output)
    flat = [np.asarray(leaf) for leaf in jax.tree.leaves(inputs)]
    loaded = image.Image(arguments.library, output, flat, expected, is_sized=bool(symbolic))
    try:
        loaded.run()
        differs = difference(name, loaded.results, expected, flat)
        for _ in range(ATTEMPTS):
            own, peer = interleave([loaded.run, lambda: jax.block_until_ready(compiled(*inputs))], arguments.rounds)
            rates, steady = limits.around()
            if steady:
                break
    finally:
        loaded.close()
    moved = sum(array.nbytes for array in flat + expected)
    products = product_flops(lowered.compiler_ir("stablehlo"))
    limit = max(sum(flops / rates[unit] for unit, flops in products.items()), moved / rates["read"])
    return {"name": name, "seconds": own, "peer_seconds": peer, "ratio": own / peer, "limit_share": limit / own,
            "compile_seconds": own_compile, "peer_compile_seconds": peer_compile, "compile_mib": memory,
            "difference": differs, "steady": steady}


def is_tiny(row, empty):
    """Returns whether a row measures calls rather than work. `empty` is the row of an empty call."""
    return row["seconds"] <= 10 * empty["seconds"] or row["peer_seconds"] <= 10 * empty["peer_seconds"]


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else math.nan


def parse_arguments(description):
    """Parses the options of a comparison with peers. Adds the runtime library, and a folder for
    programs and images."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("filter", nargs="?", default="")
    arguments = parser.parse_args()
    arguments.library = image.Library(arguments.build / "lib" / "libdrumlin_runtime.so")
    arguments.folder = arguments.build / "bench"
    arguments.folder.mkdir(exist_ok=True)
    jax.config.update("jax_compilation_cache_dir", None)
    return arguments


def main():
    arguments = parse_arguments(__doc__)
    limits = Limits(arguments.build)
    print(f"{'workload':40} {'drumlin':>11} {'jaxlib':>11} {'ratio':>6} {'limit':>6} {'compile':>9} {'jaxlib':>9} {'memory':>8}")
    done, broken = [], 0
    for name, workload in workloads.WORKLOADS.items():
        if arguments.filter not in name and name != workloads.EMPTY:
            continue
        try:
            row = measure(name, workload, arguments, limits)
        except RuntimeError as error:
            broken += 1
            print(f"{name:40} {error}", flush=True)
            continue
        done.append(row)
        print(f"{name:40} {row['seconds'] * 1e6:8.1f} us {row['peer_seconds'] * 1e6:8.1f} us {row['ratio']:6.2f} "
              f"{100 * row['limit_share']:4.0f}{' ' if row['steady'] else '?'}% {row['compile_seconds'] * 1e3:6.0f} ms "
              f"{row['peer_compile_seconds'] * 1e3:6.0f} ms {row['compile_mib']:4.0f} MiB"
              + (f"  NUMBERS DIFFER: {row['difference'][:80]}" if row["difference"] else ""), flush=True)
    differ = sum(bool(row["difference"]) for row in done)
    empty = next(row for row in done if row["name"] == workloads.EMPTY)
    for row in done:
        row["tiny"] = is_tiny(row, empty)
    above = [row["name"] for row in done if row["steady"] and row["limit_share"] > 1]
    if above:
        print(f"faster than the limit, which is then none: {', '.join(above)}")
    compile_ratio = geometric_mean([row["compile_seconds"] / row["peer_compile_seconds"] for row in done])
    print(limits.text())
    print(f"an empty call takes {empty['seconds'] * 1e6:.1f} us, jaxlib's {empty['peer_seconds'] * 1e6:.1f} us")
    means = ", ".join(f"{kind} {geometric_mean(ratios):.2f} (of {len(ratios)})" for kind, ratios in
                      (("large", [row["ratio"] for row in done if not row["tiny"]]),
                       ("tiny", [row["ratio"] for row in done if row["tiny"] and row is not empty])) if ratios)
    print(f"{len(done)} measured, {differ} differ, {broken} not run; geometric means of jaxlib's: time {means}; "
          f"compile time {compile_ratio:.2f}")
    (arguments.build.parent / "bench.json").write_text(json.dumps({"limits": {"from": limits.lowest, "to": limits.highest}, "rows": done}, indent=1) + "\n")
    return 1 if differ or broken else 0


if __name__ == "__main__":
    sys.exit(main())
