"""Measures everyday kernels against jaxlib's CPU backend. Their last dimension isn't a multiple of
a vector: models have 1000 classes, 197 tokens and 50,257 words. The nearest multiples are measured
too.

Run by `./dev bench widths`, or `widths:FILTER` for some rows. A third part names a
processor level for Drumlin, as in `widths:FILTER:avx2`; jaxlib has the same level only with
`avx2`. With `widths:FILTER:told`, Drumlin's image gets the sizes at each run, while jaxlib compiles
for these sizes. A row `add_bias_bf16_r3_197` is a kernel on a rank-3 bf16 tensor of about 10^6
elements whose last dimension is 197. Without a filter, only f32 kernels of rank 2 are measured. The columns are median times, measured alternately in one
process, and their ratio: below 1, Drumlin is faster. Multiples of 16 have a separate summary.
Results go to build/widths.json.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

if sys.argv[1:] and sys.argv[-1] == "avx2":  # must be set before jaxlib is loaded
    os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_cpu_max_isa=AVX2"

from run import geometric_mean, interleave, symbolic_text  # configures JAX for the CPU
import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
from jax import lax

import image

WIDTHS = (1024, 1000, 1023, 197, 50, 7)
ELEMENTS = 1_000_000
TYPES = {"f32": np.float32, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f64": np.float64, "i8": np.int8, "c64": np.complex64}
RANKS = (2, 3, 4)
FLOATS, REALS, ANY = {"f32", "bf16", "f16", "f64"}, {"f32", "bf16", "f16", "f64", "i8"}, set(TYPES)


def rotated(a, c, s):
    half = a.shape[-1] // 2
    return a * c + jnp.concatenate([-a[..., half:], a[..., :half]], -1) * s


def layer_norm(a):
    return (a - a.mean(-1, keepdims=True)) * lax.rsqrt(a.var(-1, keepdims=True) + 1e-5)


def depthwise(a, w):
    return lax.conv_general_dilated(a, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"), feature_group_count=a.shape[-1])


# For each kernel: its types, its function, and a function that returns the shapes of its inputs for given dimensions of rows and a width.
KERNELS = {
    "add": (ANY, lambda a, b: a + b, lambda rows, n: ((*rows, n), (*rows, n))),
    "add_bias": (ANY, lambda a, b: a + b, lambda rows, n: ((*rows, n), (n,))),
    "outer": (ANY, lambda a, b: a[..., None] * b, lambda rows, n: (rows, (n,))),
    "scaled_gelu": (FLOATS, lambda a, s: jax.nn.gelu(a * s), lambda rows, n: ((*rows, n), (*rows, 1))),
    "softmax": (FLOATS, lambda a: jax.nn.softmax(a, -1), lambda rows, n: ((*rows, n),)),
    "layer_norm": (FLOATS, layer_norm, lambda rows, n: ((*rows, n),)),
    "row_sums": (ANY, lambda a: a.sum(-1), lambda rows, n: ((*rows, n),)),
    "column_sums": (ANY, lambda a: a.sum(0), lambda rows, n: ((*rows, n),)),
    "column_argmax": (REALS, lambda a: jnp.argmax(a, 0), lambda rows, n: ((*rows, n),)),
    "triangle": (ANY, jnp.tril, lambda rows, n: ((*rows, n),)),
    "flip": (ANY, lambda a: jnp.flip(a, -1), lambda rows, n: ((*rows, n),)),
    "roll": (ANY, lambda a: jnp.roll(a, 3, -1), lambda rows, n: ((*rows, n),)),
    "concatenate": (ANY, lambda a, b: jnp.concatenate([a.ravel(), b.ravel()]), lambda rows, n: ((*rows, n), (*rows, n))),
    "concatenate_last": (ANY, lambda a, b: jnp.concatenate([a, b], -1), lambda rows, n: ((*rows, n), (*rows, n))),
    "pad": (ANY, lambda a: jnp.pad(a, 1), lambda rows, n: ((*rows, n),)),
    "slice": (ANY, lambda a: a[1:-1, ..., 1:-1] + a[1:-1, ..., 1:-1], lambda rows, n: ((rows[0] + 2, *rows[1:], n + 2),)),
    "transpose": (ANY, lambda a: jnp.swapaxes(a, -1, -2) + jnp.ones((), a.dtype), lambda rows, n: ((*rows, n),)),
    "take_rows": (ANY, lambda a: a[(jnp.arange(a.shape[0]) * 7919) % a.shape[0]], lambda rows, n: ((*rows, n),)),
    "where": (REALS, lambda a, b: jnp.where(a > b, a, b + b), lambda rows, n: ((*rows, n), (*rows, 1))),
    "to_f32": (REALS, lambda a, b: a.astype(jnp.float32) + b.astype(jnp.float32), lambda rows, n: ((*rows, n), (n,))),
    "divide": (ANY, lambda a, b: a // b if a.dtype == jnp.int8 else a / b, lambda rows, n: ((*rows, n), (*rows, n))),
    "rotary": (FLOATS, rotated, lambda rows, n: ((*rows, 2 * n),) * 3),
    "product": (ANY, lambda a, b: a * b, lambda rows, n: ((*rows, n), (*rows, n))),
    "matmul": (FLOATS, jnp.matmul, lambda rows, n: ((*rows[:-1], min(rows[-1], 1000), n), (n, min(rows[-1], 1000)))),
    "matvec": (FLOATS, jnp.matmul, lambda rows, n: ((*rows, n), (n,))),
    "depthwise": ({"f32"}, depthwise, lambda rows, n: ((1, 32, 32, n), (3, 3, 1, n)) if len(rows) == 1 else None),
}


def rows_of(rank, width):
    """Returns the dimensions before the last one for which the tensor has about the requested
    number of elements."""
    count, inner = ELEMENTS // width, [5, 4][: rank - 2]
    return (count // int(np.prod(inner, dtype=int)), *inner) if rank == 2 else (*inner, count // int(np.prod(inner, dtype=int)))


def draw(shape, dtype, random):
    numbers = random.standard_normal(shape)
    if dtype == np.int8:
        return np.where(numbers < 0, numbers * 20 - 1, numbers * 20 + 1).astype(np.int8)
    return (numbers + 1j * random.standard_normal(shape)).astype(dtype) if dtype == np.complex64 else numbers.astype(dtype)


def symbols_of(shapes, width):
    """Returns the inputs' shapes for jax.export, and constraints. The width is named `n`; each
    other size has its own name."""
    names = {1: "1", width: "n", 2 * width: "2*n"}
    texts = [", ".join(names.setdefault(size, f"r{len(names)}") for size in shape) for shape in shapes]
    return texts, [f"{name} >= 3" for name in sorted(set(re.findall(r"[a-z]\d*", " ".join(texts))))]


def rows(wanted):
    """Yields (name, width, function, inputs)."""
    for name, (types, function, shapes) in KERNELS.items():
        for kind, dtype in TYPES.items():
            for rank in RANKS:
                for width in WIDTHS:
                    full = f"{name}_{kind}_r{rank}_{width}"
                    given = shapes(rows_of(rank, width), width)
                    if kind in types and given is not None and (wanted in full if wanted else kind == "f32" and rank == 2):
                        random = np.random.default_rng(1)
                        yield full, width, function, [draw(shape, dtype, random) for shape in given]


def wide(array):
    return array.astype(np.complex128 if np.iscomplexobj(array) else np.float64)


def measure(arguments, width, function, inputs):
    """Returns Drumlin's and jaxlib's times, and the difference of their results."""
    is_told = arguments.cpu == "told"
    lowered = jax.jit(function).lower(*inputs)
    compiled = lowered.compile()
    held = [jax.device_put(array) for array in inputs]
    expected = np.asarray(compiled(*held))
    program, output = arguments.folder / "widths.mlir", arguments.folder / "widths.so"
    program.write_text(symbolic_text(function, inputs, *symbols_of([array.shape for array in inputs], width)) if is_told else lowered.as_text())
    command = [arguments.build / "bin" / "drumlin", "compile", program, "-o", output, "--target-cpu", "native" if is_told else arguments.cpu]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    loaded = image.Image(arguments.library, output, inputs, [expected], is_sized=is_told)
    own, peer = interleave([loaded.run, lambda: jax.block_until_ready(compiled(*held))], arguments.rounds)
    with np.errstate(all="ignore"):
        apart = np.nanmax(np.abs(wide(loaded.results[0]) - wide(expected))) / (np.nanmax(np.abs(wide(expected))) + 1e-30)
    loaded.close()
    return own, peer, float(apart)


def summary(name, ratios):
    if ratios:
        print(f"{name}: {len(ratios)} rows, geometric mean {geometric_mean(ratios):.2f}, {sum(ratio > 1.05 for ratio in ratios)} above 1.05")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("filter", nargs="?", default="")
    parser.add_argument("cpu", nargs="?", default="native")
    arguments = parser.parse_args()
    arguments.library = image.Library(arguments.build / "lib" / "libdrumlin_runtime.so")
    arguments.folder = arguments.build / "bench"
    arguments.folder.mkdir(exist_ok=True)
    jax.config.update("jax_enable_x64", "f64" in arguments.filter)
    measured = []
    print(f"{'widths':36} {'drumlin us':>10} {'jaxlib us':>10} {'ratio':>6}")
    for name, width, function, inputs in rows(arguments.filter):
        if arguments.cpu == "told" and name.startswith("depthwise"):
            continue  # its number of groups is the width, which JAX must know at compile time
        own, peer, apart = measure(arguments, width, function, inputs)
        measured.append({"name": name, "width": width, "seconds": own, "peer_seconds": peer, "ratio": own / peer, "apart": apart})
        note = f"  APART {apart:.1e}" if apart > 0.02 else ""
        print(f"{name:36} {1e6 * own:10.1f} {1e6 * peer:10.1f} {own / peer:6.2f}{note}", flush=True)
    summary("even widths", [row["ratio"] for row in measured if row["width"] % 16 == 0])
    summary("odd widths", [row["ratio"] for row in measured if row["width"] % 16 != 0])
    (arguments.build.parent / "widths.json").write_text(json.dumps(measured, indent=1) + "\n")
    return 1 if any(row["apart"] > 0.02 for row in measured) else 0


if __name__ == "__main__":
    sys.exit(main())
