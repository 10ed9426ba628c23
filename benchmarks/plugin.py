"""Measures Drumlin as JAX's backend against jaxlib's CPU backend: the workloads of run.py, called
from Python and measured alternately in one process; then the compile times of programs of one
operation, and of programs in JAX's persistent cache.

Run by `./dev bench --jax [FILTER]`. Compile times are of `lowered.compile()` without any cache. A
workload is `tiny` if either side runs it in at most the time of ten empty calls. Results go to
build/bench-jax.json."""
import argparse
import json
import math
import os
import pathlib
import statistics
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
os.environ["JAX_PLATFORMS"] = "cpu,drumlin"
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "python")]

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import run
import workloads

OPERATIONS = {
    "add": lambda x: x + 1.5, "sin": jnp.sin, "dot": lambda x: x @ x, "sum": lambda x: x.sum(0), "sort": jnp.sort, "transpose": lambda x: x.T,
    "softmax": jax.nn.softmax, "cumsum": lambda x: jnp.cumsum(x, 0), "gather": lambda x: x[jnp.arange(3)], "scatter": lambda x: x.at[0].add(1),
    "broadcast": lambda x: jnp.broadcast_to(x, (4, *x.shape)), "fft": jnp.fft.fft, "concatenate": lambda x: jnp.concatenate([x, x]),
    "convolution": lambda x: lax.conv(x[None, None], x[None, None, :3, :3], (1, 1), "SAME"), "argmax": lambda x: jnp.argmax(x, 1),
    "random": lambda x: jax.random.uniform(jax.random.key(0), x.shape), "convert": lambda x: x.astype(jnp.bfloat16),
    "while": lambda x: lax.fori_loop(0, 10, lambda i, y: y * 2, x)}


def compile_seconds(function, inputs, device, options):
    # Arguments aren't committed to the device: jaxlib's compiled programs reject committed arguments of
    # less than 8 bits.
    with jax.default_device(device):
        placed = jax.tree.map(lambda leaf: jnp.asarray(np.asarray(leaf)), inputs)
        lowered = jax.jit(function, keep_unused=True).lower(*placed)
        begin = time.perf_counter()
        compiled = lowered.compile(compiler_options=options)
        return time.perf_counter() - begin, compiled, placed


def measure(name, make, devices, rounds):
    jax.config.update("jax_enable_x64", False)  # the default; `make` may turn it on
    function, inputs, *symbolic = make()
    if symbolic:
        return None  # JAX replaces symbolic sizes before it calls a backend
    sides = [compile_seconds(function, inputs, device, {"no_cache": True} if device is devices[0] else None) for device in devices]
    results = [[np.asarray(leaf) for leaf in jax.tree.leaves(compiled(*placed))] for _, compiled, placed in sides]
    differs = run.difference(name, results[0], results[1], [np.asarray(leaf) for leaf in jax.tree.leaves(inputs)])
    own, peer = run.interleave([lambda side=side: jax.block_until_ready(side[1](*side[2])) for side in sides], rounds)
    return {"name": name, "seconds": own, "peer_seconds": peer, "ratio": own / peer, "compile_seconds": sides[0][0],
            "peer_compile_seconds": sides[1][0], "difference": differs}


def dispatch(devices, rounds):
    """Returns the seconds of a call that computes next to nothing, without waiting for its result."""
    calls = []
    for device in devices:
        add, x = jax.jit(lambda x: x + 1), jax.device_put(np.ones(8, np.float32), device)
        calls.append(lambda add=add, x=x: add(x))
    return run.interleave(calls, rounds)


def operations(devices, rounds):
    """Returns the median compile time of each operation. Each round compiles other sizes."""
    for name, function in OPERATIONS.items():
        samples = [[], []]
        for number in range(rounds):
            x = np.ones((17 + number, 17 + number), np.float32)
            for side in (0, 1) if number % 2 else (1, 0):
                samples[side].append(compile_seconds(function, (x,), devices[side], {"no_cache": True} if side == 0 else None)[0])
        yield name, *map(statistics.median, samples)


def cached(devices, rounds):
    """Returns the median seconds of `compile` if JAX's persistent cache has the program."""
    samples = [[], []]
    with tempfile.TemporaryDirectory() as folder:
        for option, value in (("jax_compilation_cache_dir", folder), ("jax_persistent_cache_min_compile_time_secs", 0),
                              ("jax_persistent_cache_min_entry_size_bytes", -1)):
            jax.config.update(option, value)
        for number in range(rounds):
            x = np.ones((40 + number, 40), np.float32)
            for side, device in enumerate(devices):
                lowered = [jax.jit(lambda x: jnp.tanh(x @ x.T).sum(0), device=device).lower(x) for _ in range(2)]
                lowered[0].compile()
                begin = time.perf_counter()
                lowered[1].compile()
                samples[side].append(time.perf_counter() - begin)
        jax.config.update("jax_compilation_cache_dir", None)
    return list(map(statistics.median, samples))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("filter", nargs="?", default="")
    arguments = parser.parse_args()
    jax.config.update("jax_compilation_cache_dir", None)
    devices = [jax.devices("drumlin")[0], jax.devices("cpu")[0]]
    own, peer = dispatch(devices, arguments.rounds)
    empty = {"seconds": own, "peer_seconds": peer}
    print(f"{'dispatch':40} {own * 1e6:8.2f} us {peer * 1e6:8.2f} us {own / peer:6.2f}")
    rows, broken = [], 0
    for name, make in workloads.WORKLOADS.items():
        if arguments.filter not in name:
            continue
        try:
            row = measure(name, make, devices, arguments.rounds)
        except Exception as error:  # a failing row is shown, and the others are still measured
            broken += 1
            print(f"{name:40} failed: {str(error).splitlines()[0][:160]}", flush=True)
            continue
        if row is None:
            continue
        rows.append(row)
        broken += bool(row["difference"])
        print(f"{name:40} {row['seconds'] * 1e6:8.1f} us {row['peer_seconds'] * 1e6:8.1f} us {row['ratio']:6.2f}   compile "
              f"{row['compile_seconds'] * 1e3:7.1f} ms {row['peer_compile_seconds'] * 1e3:7.1f} ms {row['difference'][:80]}", flush=True)
    tiny = [row for row in rows if run.is_tiny(row, empty)]
    large = [row for row in rows if row not in tiny]
    for title, some in (("large", large), ("tiny", tiny)):
        print(f"geometric mean of {len(some)} {title} rows: {run.geometric_mean([row['ratio'] for row in some]):.2f} of jaxlib's time")
    print(f"compile: {run.geometric_mean([row['compile_seconds'] / row['peer_compile_seconds'] for row in rows]):.2f} of jaxlib's time")
    single = []
    if not arguments.filter:
        for name, own, peer in operations(devices, max(3, arguments.rounds // 2)):
            single.append({"name": name, "compile_seconds": own, "peer_compile_seconds": peer})
            print(f"compile {name:32} {own * 1e3:8.1f} ms {peer * 1e3:8.1f} ms {own / peer:6.2f}", flush=True)
        print(f"geometric mean of one operation: {run.geometric_mean([row['compile_seconds'] / row['peer_compile_seconds'] for row in single]):.2f}")
        own, peer = cached(devices, arguments.rounds)
        print(f"{'compile, in the persistent cache':40} {own * 1e3:8.2f} ms {peer * 1e3:8.2f} ms {own / peer:6.2f}")
    (ROOT / "build" / "bench-jax.json").write_text(json.dumps({"rows": rows, "operations": single, "dispatch": empty}, indent=1))
    return 1 if broken or any(math.isnan(row["ratio"]) for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
