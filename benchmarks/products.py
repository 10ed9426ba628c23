"""Measures bare GEMMs against jaxlib's CPU backend and oneDNN. All three have the same operands,
and are measured alternately in one process.

Run by `./dev bench products`, or `products:FILTER` for some rows. Each row is a GEMM of f32, bf16
or 8-bit integers. The right operand is stored as in a program ([k, n]) or a checkpoint ([n, k]).
The columns are Gop/s. `static`: Drumlin, if the right operand is marked as static (the
same at every call). `packed`: oneDNN, if the right operand is converted in advance to oneDNN's
preferred format. The first ratio is Drumlin's speed divided by that of the faster peer with
unconverted operands; the second is `static` divided by `packed`. Above 1, Drumlin is faster. Results go to build/products.json.
"""
import json
import subprocess
import sys

from run import geometric_mean, interleave, parse_arguments  # configures JAX for the CPU
import jax
import ml_dtypes
import numpy as np

import image
import onednn
from limits import Limits

SIZES = [(size, size, size) for size in (256, 512, 1024, 2048)] + [(rows, 2048, 2048) for rows in (1, 64, 128)]
ELEMENTS = {"f32": (np.float32, np.float32), "bf16": (ml_dtypes.bfloat16, ml_dtypes.bfloat16), "i8": (np.int8, np.int32)}


def operands(element, m, k, n, transposed):
    random = np.random.default_rng(1)
    shapes = [(m, k), (n, k) if transposed else (k, n)]
    if element == "i8":
        return [random.integers(-128, 128, shape, np.int8) for shape in shapes]
    return [random.standard_normal(shape, np.float32).astype(ELEMENTS[element][0]) for shape in shapes]


def measure(arguments, element, m, k, n, transposed):
    x, y = operands(element, m, k, n, transposed)
    out = ELEMENTS[element][1]
    numbers = (((1,), (1 if transposed else 0,)), ((), ()))
    lowered = jax.jit(lambda a, b: jax.lax.dot_general(a, b, numbers, preferred_element_type=out)).lower(x, y)
    compiled, held = lowered.compile(), [jax.device_put(x), jax.device_put(y)]
    expected = np.asarray(compiled(*held))
    name = f"{element}_{m}x{k}x{n}" + ("_nk" if transposed else "_kn")
    program = arguments.folder / f"{name}.mlir"
    program.write_text(lowered.as_text())
    images, peers = [], []
    for suffix, options in (("", []), ("_static", ["--static-args", "1"])):
        output = arguments.folder / f"{name}{suffix}.so"
        command = [arguments.build / "bin" / "drumlin", "compile", program, "-o", output, "--no-cache", *options]
        subprocess.run(list(map(str, command)), check=True, capture_output=True)
        images.append(image.Image(arguments.library, output, [x, y], [expected]))
    for packed in (False, True):
        result = image.aligned_like(expected)
        like = lambda size: image.aligned_like(np.empty(size, np.uint8))
        peers.append((onednn.Product(arguments.onednn, images[0].arguments[0], images[0].arguments[1], transposed, result, packed, like), result))
    runs = [images[0].run, images[1].run, lambda: jax.block_until_ready(compiled(*held)), peers[0][0].run, peers[1][0].run]
    seconds = interleave(runs, arguments.rounds)
    scale = np.abs(expected.astype(np.float64)).max() + 1e-30
    results = [images[0].results[0], images[1].results[0], peers[0][1], peers[1][1]]
    apart = max(float(np.max(np.abs(each.astype(np.float64) - expected.astype(np.float64)))) / scale for each in results)
    for each in images:
        each.close()
    rates = dict(zip(("drumlin", "static", "jaxlib", "onednn", "packed"), (2e-9 * m * k * n / each for each in seconds)))
    return {"name": name, **rates, "apart": apart, "ratio": rates["drumlin"] / max(rates["jaxlib"], rates["onednn"]),
            "static_ratio": rates["static"] / rates["packed"]}


def main():
    arguments = parse_arguments(__doc__)
    arguments.onednn = onednn.Library()
    limits = Limits(arguments.build)
    rows = []
    print(f"{'product':24} {'drumlin':>8} {'static':>8} {'jaxlib':>8} {'oneDNN':>8} {'packed':>8} {'ratio':>6} {'static':>6}")
    for element in ELEMENTS:
        for m, k, n in SIZES:
            for transposed in (False, True):
                if arguments.filter not in f"{element}_{m}x{k}x{n}":
                    continue
                row = measure(arguments, element, m, k, n, transposed)
                rows.append(row)
                print(f"{row['name']:24} " + " ".join(f"{row[each]:8.1f}" for each in ("drumlin", "static", "jaxlib", "onednn", "packed"))
                      + f" {row['ratio']:6.2f} {row['static_ratio']:6.2f}" + (f"  APART {row['apart']:.1e}" if row["apart"] > 2e-2 else ""), flush=True)
    limits.around()
    print(limits.text())
    for element in ELEMENTS:
        of = [row for row in rows if row["name"].startswith(element + "_")]
        if of:
            print(f"{element}: geometric means {geometric_mean([row['ratio'] for row in of]):.2f} of the faster peer, "
                  f"{geometric_mean([row['static_ratio'] for row in of]):.2f} of packed; "
                  f"{sum(row['ratio'] >= 0.9 for row in of)} of {len(of)} rows at 0.9 or above")
    (arguments.build.parent / "products.json").write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if any(row["apart"] > 2e-2 for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
