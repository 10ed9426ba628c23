"""Measures one-dimensional convolutions, and the gradients of their kernels, against jaxlib's CPU
backend. The sizes are those of models and of signal processing.

Run by `./dev bench convolutions`, or `convolutions:FILTER` for some rows. Names of rows:

`nwc_b1_l1000_c16_f32_k5_s1`: a convolution as flax's `nn.Conv` makes it: batch, length, input and
output features, kernel and stride. `ncw` has the default layout of `jax.lax`, and `dw` is a
depthwise convolution with features last.
`gradient_…`: the gradient of that convolution with respect to its kernel.
`convolve_l1000_k5`: `jnp.convolve`.

The columns are median times, measured alternately in one process, and their ratio: below 1,
Drumlin is faster. Results go to build/convolutions.json.
"""
import json
import subprocess
import sys

from run import geometric_mean, interleave, parse_arguments  # configures JAX for the CPU
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

import image

LAYOUTS = {"nwc": ("NHC", "HIO", "NHC"), "dw": ("NHC", "HIO", "NHC"), "ncw": ("NCH", "OIH", "NCH")}
# Batch, length, input features, output features, kernel, stride.
SHAPES = [(1, 100, 1, 1, 5, 1), (1, 1000, 1, 1, 25, 1), (1, 16000, 1, 1, 9, 1), (16, 1000, 1, 1, 5, 1), (1, 16000, 1, 1, 25, 2),
          (1, 100, 1, 8, 3, 1), (1, 1000, 1, 16, 5, 1), (1, 16000, 1, 32, 25, 2), (1, 16000, 1, 256, 10, 5), (16, 1000, 1, 32, 7, 2),
          (1, 100, 3, 16, 3, 1), (16, 128, 3, 16, 5, 1), (1, 1000, 8, 8, 3, 1), (4, 1000, 8, 16, 5, 2), (16, 100, 4, 4, 3, 1),
          (1, 16000, 8, 1, 5, 1), (4, 1000, 16, 1, 9, 1), (8, 4096, 1, 1, 5, 1), (8, 1000, 2, 4, 25, 1), (1, 16000, 2, 2, 3, 2),
          (1, 100, 64, 64, 3, 1), (4, 100, 32, 64, 3, 2), (16, 128, 64, 64, 5, 1), (8, 256, 64, 128, 3, 1), (16, 100, 128, 128, 3, 1),
          (1, 1000, 256, 256, 3, 1), (1, 3199, 256, 256, 3, 2), (4, 500, 80, 256, 3, 1), (1, 1000, 32, 32, 25, 1), (4, 1000, 32, 32, 9, 2),
          (1, 16000, 16, 16, 7, 1), (1, 16000, 16, 32, 25, 2), (2, 4000, 64, 32, 5, 2), (32, 64, 16, 32, 3, 1), (1, 16, 256, 256, 3, 1)]
GRADIENTS = [(8, 1000, 128, 8, 5, 1), (1, 16000, 128, 16, 15, 1), (4, 4000, 128, 1, 15, 2), (2, 4000, 32, 1, 25, 1), (4, 300, 64, 4, 15, 1),
             (16, 128, 64, 64, 5, 1), (8, 256, 64, 128, 3, 2), (16, 1000, 3, 32, 7, 2), (1, 1000, 20, 20, 9, 1)]
DEPTHWISE = [(1, 1000, 64, 64, 4, 1), (8, 256, 256, 256, 4, 1), (4, 500, 80, 80, 31, 1)]
CONVOLVED = [(100, 3), (1000, 5), (1000, 25), (1000, 100), (16000, 15), (16000, 3), (10000, 1000), (100000, 25)]


def convolution(kind, batch, length, features, made, kernel, stride):
    """Returns (function, inputs) of a convolution whose padding is SAME."""
    layout, random = LAYOUTS[kind], np.random.default_rng(1)
    groups = features if kind == "dw" else 1
    sizes = {"N": batch, "C": features, "I": features // groups, "O": made}
    shape = lambda letters, spatial: [sizes.get(letter, spatial) for letter in letters]
    inputs = random.standard_normal(shape(layout[0], length), np.float32)
    weights = random.standard_normal(shape(layout[1], kernel), np.float32)
    function = lambda x, w: lax.conv_general_dilated(x, w, (stride,), "SAME", dimension_numbers=layout, feature_group_count=groups)
    return function, (inputs, weights)


def gradient(function, inputs):
    """Returns (function, inputs) of the gradient of `function`, a convolution, with respect to its
    second input, given the gradient of its result."""
    x, w = inputs
    result = np.random.default_rng(2).standard_normal(jax.eval_shape(function, x, w).shape, np.float32)
    return lambda g, x: jax.linear_transpose(lambda kernel: function(x, kernel), w)(g)[0], (result, x)


def rows():
    """Yields (name, function, inputs)."""
    for kind in LAYOUTS:
        for shape in DEPTHWISE if kind == "dw" else SHAPES:
            batch, length, features, made, kernel, stride = shape
            yield f"{kind}_b{batch}_l{length}_c{features}_f{made}_k{kernel}_s{stride}", *convolution(kind, *shape)
    for kind in ("nwc", "ncw"):
        for shape in GRADIENTS:
            batch, length, features, made, kernel, stride = shape
            yield f"gradient_{kind}_b{batch}_l{length}_c{features}_f{made}_k{kernel}_s{stride}", *gradient(*convolution(kind, *shape))
    random = np.random.default_rng(1)
    for length, kernel in CONVOLVED:
        inputs = [random.standard_normal(size, np.float32) for size in (length, kernel)]
        yield f"convolve_l{length}_k{kernel}", lambda x, w: jnp.convolve(x, w, "same"), inputs


def measure(arguments, name, function, inputs):
    """Returns Drumlin's and jaxlib's times, and the difference of their results."""
    lowered = jax.jit(function).lower(*inputs)
    compiled = lowered.compile()
    held = [jax.device_put(array) for array in inputs]
    expected = np.asarray(compiled(*held))
    program, output = arguments.folder / f"{name}.mlir", arguments.folder / f"{name}.so"
    program.write_text(lowered.as_text())
    command = [arguments.build / "bin" / "drumlin", "compile", program, "-o", output, "--no-cache"]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    loaded = image.Image(arguments.library, output, inputs, [expected])
    own, peer = interleave([loaded.run, lambda: jax.block_until_ready(compiled(*held))], arguments.rounds)
    apart = float(np.max(np.abs(loaded.results[0] - expected))) / (float(np.abs(expected).max()) + 1e-30)
    loaded.close()
    return {"name": name, "seconds": own, "peer_seconds": peer, "ratio": own / peer, "apart": apart}


def compare(arguments, kind, rows, target):
    """Prints a table of the rows' ratios and the number of ratios above the target, and writes
    build/`kind`.json."""
    measured = []
    width = 44
    print(f"{kind:{width}} {'drumlin ms':>10} {'jaxlib ms':>10} {'ratio':>6}")
    for name, function, inputs in rows:
        if arguments.filter not in name:
            continue
        made = measure(arguments, name, function, inputs)
        measured.append(made)
        print(f"{made['name']:{width}} {1e3 * made['seconds']:10.3f} {1e3 * made['peer_seconds']:10.3f} {made['ratio']:6.2f}"
              + (f"  APART {made['apart']:.1e}" if made["apart"] > 1e-4 else ""), flush=True)
    ratios = [row["ratio"] for row in measured]
    if ratios:
        print(f"{len(ratios)} rows, geometric mean {geometric_mean(ratios):.2f}, {sum(ratio > target for ratio in ratios)} above {target}")
    (arguments.build.parent / f"{kind}.json").write_text(json.dumps(measured, indent=1) + "\n")
    return 1 if any(row["apart"] > 1e-4 for row in measured) else 0


def main():
    arguments = parse_arguments(__doc__)
    return compare(arguments, "convolutions", rows(), 1.0)


if __name__ == "__main__":
    sys.exit(main())
