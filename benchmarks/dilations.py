"""Measures input gradients of strided convolutions, which are convolutions of dilated inputs, against jaxlib's CPU backend.

`./dev bench dilations`, or `dilations:FILTER` for some rows, calls it. Each row is the gradient with respect to the input of a
convolution of one to three spatial dimensions (`2d_k3_s2` has 3x3 kernels and strides of 2); the columns are median times of one
process that takes turns round by round, and their ratio: below 1, Drumlin is faster. They go to build/dilations.json.
"""
import json
import math
import subprocess
import sys

from run import geometric_mean, interleave, parse_arguments  # sets JAX up for the CPU
import jax
import numpy as np
from jax import lax

import image

KERNELS, STRIDES = (1, 2, 3, 4, 5, 7, 16), (2, 3, 4, 8)
# The size of the strided convolution's input along each dimension, its batch, and its input and output features.
SIZES = {1: [(4096, 8, 64, 64), (16384, 1, 1, 32)], 2: [(56, 8, 64, 64), (112, 2, 3, 64)], 3: [(16, 2, 32, 32)]}


def rows():
    """(name, spatial dimensions, kernel, stride, size, batch, features in, features out)"""
    for rank, sizes in SIZES.items():
        for size, batch, features, made in sizes:
            for kernel in KERNELS:
                for stride in STRIDES:
                    # A stride beyond the kernel leaves elements out, which models do with kernels of one element only.
                    if (kernel >= stride or kernel == 1) and kernel <= size // 2 and kernel**rank <= 343:
                        yield f"{rank}d_k{kernel}_s{stride}_{size}_{features}", rank, kernel, stride, size, batch, features, made
    # Kernels of a patch embedding.
    for stride in (8, 16):
        yield f"2d_k{stride}_s{stride}_patches", 2, stride, stride, 112, 2, 3, 64


def measure(arguments, name, rank, kernel, stride, size, batch, features, made):
    random = np.random.default_rng(1)
    letters = "DHW"[3 - rank :]
    layout = (f"N{letters}C", f"{letters}IO", f"N{letters}C")
    shape = (batch, *[size] * rank, features)
    weights = random.standard_normal((*[kernel] * rank, features, made), np.float32)
    forward = lambda x, w: lax.conv_general_dilated(x, w, (stride,) * rank, "SAME", dimension_numbers=layout)
    gradient = random.standard_normal((batch, *[math.ceil(size / stride)] * rank, made), np.float32)
    backward = lambda g, w: jax.linear_transpose(lambda x: forward(x, w), jax.ShapeDtypeStruct(shape, np.float32))(g)[0]
    lowered = jax.jit(backward).lower(gradient, weights)
    compiled = lowered.compile()
    held = [jax.device_put(gradient), jax.device_put(weights)]
    expected = np.asarray(compiled(*held))
    program, output = arguments.folder / f"{name}.mlir", arguments.folder / f"{name}.so"
    program.write_text(lowered.as_text())
    command = [arguments.build / "bin" / "drumlin", "compile", program, "-o", output, "--no-cache"]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    loaded = image.Image(arguments.library, output, [gradient, weights], [expected])
    own, peer = interleave([loaded.run, lambda: jax.block_until_ready(compiled(*held))], arguments.rounds)
    apart = float(np.max(np.abs(loaded.results[0] - expected))) / (float(np.abs(expected).max()) + 1e-30)
    loaded.close()
    return {"name": name, "seconds": own, "peer_seconds": peer, "ratio": own / peer, "apart": apart}


def main():
    arguments = parse_arguments(__doc__)
    measured = []
    print(f"{'gradient':24} {'drumlin ms':>10} {'jaxlib ms':>10} {'ratio':>6}")
    for row in rows():
        if arguments.filter not in row[0]:
            continue
        made = measure(arguments, *row)
        measured.append(made)
        print(f"{made['name']:24} {1e3 * made['seconds']:10.3f} {1e3 * made['peer_seconds']:10.3f} {made['ratio']:6.2f}"
              + (f"  APART {made['apart']:.1e}" if made["apart"] > 1e-4 else ""), flush=True)
    ratios = [row["ratio"] for row in measured]
    if ratios:
        print(f"{len(ratios)} rows, geometric mean {geometric_mean(ratios):.2f}, {sum(ratio > 0.7 for ratio in ratios)} above 0.7")
    (arguments.build.parent / "dilations.json").write_text(json.dumps(measured, indent=1) + "\n")
    return 1 if any(row["apart"] > 1e-4 for row in measured) else 0


if __name__ == "__main__":
    sys.exit(main())
