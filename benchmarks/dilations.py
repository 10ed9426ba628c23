"""Measures input gradients of strided convolutions, which are convolutions of dilated inputs,
against jaxlib's CPU backend.

Run by `./dev bench dilations`, or `dilations:FILTER` for some rows. Each row is the gradient with
respect to the input of a convolution of one to three spatial dimensions (`2d_k3_s2` has 3x3 kernels
and strides of 2). The columns are median times, measured alternately in one process, and their
ratio: below 1, Drumlin is faster. Results go to build/dilations.json.
"""
import math
import sys

from run import parse_arguments  # configures JAX for the CPU
import jax
import numpy as np
from jax import lax

from convolutions import compare

KERNELS, STRIDES = (1, 2, 3, 4, 5, 7, 16), (2, 3, 4, 8)
# The size of the strided convolution's input along each dimension, its batch size, and its input
# and output features.
SIZES = {1: [(4096, 8, 64, 64), (16384, 1, 1, 32)], 2: [(56, 8, 64, 64), (112, 2, 3, 64)], 3: [(16, 2, 32, 32)]}


def rows():
    """Yields (name, spatial dimensions, kernel, stride, size, batch, features in, features out)."""
    for rank, sizes in SIZES.items():
        for size, batch, features, made in sizes:
            for kernel in KERNELS:
                for stride in STRIDES:
                    # A stride larger than the kernel skips elements. Models have such strides only with
                    # kernels of one element.
                    if (kernel >= stride or kernel == 1) and kernel <= size // 2 and kernel**rank <= 343:
                        yield f"{rank}d_k{kernel}_s{stride}_{size}_{features}", rank, kernel, stride, size, batch, features, made
    # Kernels of patch embeddings.
    for stride in (8, 16):
        yield f"2d_k{stride}_s{stride}_patches", 2, stride, stride, 112, 2, 3, 64


def gradient(rank, kernel, stride, size, batch, features, made):
    """Returns (function, inputs) of the gradient of a convolution with padding SAME, with respect
    to its input."""
    random = np.random.default_rng(1)
    letters = "DHW"[3 - rank :]
    layout = (f"N{letters}C", f"{letters}IO", f"N{letters}C")
    shape = (batch, *[size] * rank, features)
    weights = random.standard_normal((*[kernel] * rank, features, made), np.float32)
    forward = lambda x, w: lax.conv_general_dilated(x, w, (stride,) * rank, "SAME", dimension_numbers=layout)
    gradient = random.standard_normal((batch, *[math.ceil(size / stride)] * rank, made), np.float32)
    backward = lambda g, w: jax.linear_transpose(lambda x: forward(x, w), jax.ShapeDtypeStruct(shape, np.float32))(g)[0]
    return backward, (gradient, weights)


def main():
    arguments = parse_arguments(__doc__)
    return compare(arguments, "dilations", ((name, *gradient(*what)) for name, *what in rows() if arguments.filter in name), 0.7)


if __name__ == "__main__":
    sys.exit(main())
