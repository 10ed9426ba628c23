"""Measures Drumlin against jaxlib's CPU backend: same StableHLO, same inputs, one process, turns taken round by round.

`./dev bench [FILTER]` calls it. Columns: median time of each side, their ratio (below 1: Drumlin is faster), the share of
the machine's limit that Drumlin reaches (limit: the larger of operations / peak rate and bytes / read bandwidth, both measured
around the row; `?`: the rates changed meanwhile, each time that the row was tried), compile time of each side with empty caches
(Drumlin's as a whole process), and that process's peak memory. Results go to build/bench.json.
"""
import argparse
import json
import math
import os
import pathlib
import statistics
import subprocess
import sys
import time

os.environ["JAX_PLATFORMS"] = "cpu"
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import jax
import ml_dtypes
import numpy as np

import image
import workloads
from limits import Limits

ATTEMPTS = 4  # while the machine's own rates change
SAMPLE_SECONDS = 5e-3  # a sample repeats a short program until it took this long


# A process's peak memory counts what its parent had when it was started, so a small interpreter starts the compiler.
MEASURED_CALL = """
import json, resource, subprocess, sys, time
begin = time.perf_counter()
result = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
seconds = time.perf_counter() - begin
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
print(json.dumps([result.returncode, result.stdout, seconds, peak]))
"""


def compile_drumlin(drumlin, program, output):
    """(seconds, peak MiB) of one compilation with no cache, as a whole process; raises with the compiler's message."""
    command = [drumlin, "compile", program, "-o", output, "--no-cache"]
    call = subprocess.run([sys.executable, "-S", "-c", MEASURED_CALL, *map(str, command)], capture_output=True, text=True)
    status, message, seconds, peak = json.loads(call.stdout)
    if status != 0:
        raise RuntimeError(message.strip().splitlines()[0] if message.strip() else f"exit status {status}")
    return seconds, peak


def codes_apart(got, expected):
    """How many representable numbers lie between two values of an 8-bit type, element by element."""
    def ordered(array):
        bits = array.view(np.uint8).astype(np.int32)
        return np.where(bits < 128, bits, 128 - bits)
    return np.abs(ordered(got) - ordered(expected))


def worst_difference(got, expected):
    """The largest |d| / (|e| + rms(e)) over all results. Of fp8 results, whose codes lie further apart than any tolerance, 1 %
    may be one code away."""
    worst = 0.0
    for one, other in zip(map(np.asarray, got), map(np.asarray, expected)):
        if other.dtype.name.startswith("float8"):
            apart = codes_apart(one, other)
            if apart.max(initial=0) > 1 or (apart != 0).mean() > 0.01:
                return math.inf
            continue
        one, other = one.astype(np.float64), other.astype(np.float64)
        finite = np.isfinite(other)
        if not np.array_equal(one[~finite], other[~finite], equal_nan=True):
            return math.inf
        one, other = one[finite], other[finite]
        if other.size:
            scale = np.abs(other) + np.sqrt(np.mean(other**2))
            worst = max(worst, float(np.max(np.abs(one - other) / np.where(scale == 0, 1, scale))))
    return worst


def repeats(run):
    run()
    begin = time.perf_counter()
    run()
    return max(1, math.ceil(SAMPLE_SECONDS / (time.perf_counter() - begin + 1e-9)))


def interleave(runs, rounds):
    """Median seconds of each function, every round timing each of them once, in turns that alternate."""
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


def measure(name, workload, arguments, limits):
    function, inputs = workload.make()
    lowered = jax.jit(function, keep_unused=True).lower(*inputs)
    program, output = arguments.folder / f"{name}.mlir", arguments.folder / f"{name}.so"
    program.write_text(lowered.as_text())
    begin = time.perf_counter()
    compiled = lowered.compile()
    peer_compile = time.perf_counter() - begin
    expected = [np.asarray(leaf) for leaf in jax.tree.leaves(compiled(*inputs))]
    own_compile, memory = compile_drumlin(arguments.build / "bin" / "drumlin", program, output)
    flat = [np.asarray(leaf) for leaf in jax.tree.leaves(inputs)]
    loaded = image.Image(arguments.library, output, flat, expected)
    try:
        loaded.run()
        difference = worst_difference(loaded.results, expected)
        for _ in range(ATTEMPTS):
            own, peer = interleave([loaded.run, lambda: jax.block_until_ready(compiled(*inputs))], arguments.rounds)
            rates, steady = limits.around()
            if steady:
                break
    finally:
        loaded.close()
    moved = sum(array.nbytes for array in flat + expected)
    limit = max(workload.flops / rates[workload.unit], moved / rates["read"])
    return {"name": name, "seconds": own, "peer_seconds": peer, "ratio": own / peer, "limit_share": limit / own,
            "compile_seconds": own_compile, "peer_compile_seconds": peer_compile, "compile_mib": memory,
            "difference": difference, "steady": steady, "agrees": difference <= 2 * workload.tolerance}


def geometric_mean(values):
    return math.exp(statistics.fmean(math.log(value) for value in values)) if values else math.nan


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("filter", nargs="?", default="")
    arguments = parser.parse_args()
    arguments.library = image.Library(arguments.build / "lib" / "libdrumlin_runtime.so")
    arguments.folder = arguments.build / "bench"
    arguments.folder.mkdir(exist_ok=True)
    jax.config.update("jax_compilation_cache_dir", None)

    limits = Limits(arguments.build)
    print(f"{'workload':40} {'drumlin':>11} {'jaxlib':>11} {'ratio':>6} {'limit':>6} {'compile':>9} {'jaxlib':>9} {'memory':>8}")
    done, broken = [], 0
    for name, workload in workloads.WORKLOADS.items():
        if arguments.filter not in name:
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
              + ("" if row["agrees"] else f"  NUMBERS DIFFER by {row['difference']:.2g}"), flush=True)
    differ = sum(not row["agrees"] for row in done)
    compile_ratio = geometric_mean([row["compile_seconds"] / row["peer_compile_seconds"] for row in done])
    print(limits.text())
    print(f"{len(done)} measured, {differ} differ, {broken} not run; geometric means: time "
          f"{geometric_mean([row['ratio'] for row in done]):.2f}, compile time {compile_ratio:.2f} of jaxlib's")
    (arguments.build.parent / "bench.json").write_text(json.dumps({"limits": {"from": limits.lowest, "to": limits.highest}, "rows": done}, indent=1) + "\n")
    return 1 if differ or broken else 0


if __name__ == "__main__":
    sys.exit(main())
