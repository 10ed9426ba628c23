"""Convolutions over images and sequences of dynamic sizes, and their gradients."""
import functools

import jax
import jax.numpy as jnp
import pytest
from jax import lax
from symbolic import check, drumlin, exported

SIZES = (1, 2, 17, 40)
IMAGES, LINES = ("NHWC", "HWIO", "NHWC"), ("NWC", "WIO", "NWC")


def convolved(x, w, strides=(1, 1), padding="SAME", layouts=IMAGES, **more):
    return lax.conv_general_dilated(x, w, strides, padding, dimension_numbers=layouts, **more)


def of(**options):
    return functools.partial(convolved, **options)


def network(x, w, bias, v):
    y = jax.nn.relu(convolved(x, w) + bias)
    y = lax.reduce_window(y, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return jax.nn.relu(convolved(y, v, padding="VALID")).mean((1, 2))


def loss(w, x, **options):
    return (convolved(x, w, **options) ** 2).mean()


PROGRAMS = {
    "images": (of(), ("2, b, b, 3", "3, 3, 3, 8")),
    "direct": (of(), ("b, 16, 16, 32", "3, 3, 32, 64"), (1, 2, 3, 5, 17)),
    "inner": (of(padding="VALID"), ("b, s, s, 3", "3, 3, 3, 8"), (2, 3, 17)),
    "strided": (of(strides=(2, 2)), ("2, b, b, 3", "3, 3, 3, 8")),
    "features_first": (of(layouts=("NCHW", "OIHW", "NCHW")), ("b, 3, s, b", "20, 3, 3, 3")),
    "lines": (of(strides=(1,), layouts=LINES), ("b, s, 4", "5, 4, 24")),
    "dilated": (of(strides=(1,), layouts=LINES, rhs_dilation=(3,)), ("2, b, 4", "3, 4, 8")),
    "input_dilated": (of(strides=(1,), padding=[(2, 1)], layouts=LINES, lhs_dilation=(2,)), ("2, b, 4", "3, 4, 8")),
    "each_feature": (of(feature_group_count=8), ("2, b, b, 8", "3, 3, 1, 8")),
    "as_many_features": (of(), ("2, 6, 6, 3", "3, 3, 3, b")),
    "as_many_features_of_rows": (of(strides=(1,), layouts=("NCH", "OIH", "NCH"), padding=[(1, 1)]), ("b, 7, s", "b, 7, s")),
    "groups": (of(feature_group_count=2), ("b, b, s, 6", "3, 3, 3, 10")),
    "batch_groups": (of(batch_group_count=2), ("4, b, s, 3", "3, 3, 3, 10")),
    "network": (network, ("b, s, s, 3", "3, 3, 3, 16", "16", "1, 1, 16, 20"), (2, 17, 40)),
    "gradient_of_kernels": (jax.grad(loss), ("3, 3, 3, 8", "b, 6, 6, 3")),
    "gradient_of_kernels_of_images": (jax.grad(loss), ("3, 3, 3, 8", "2, b, s, 3")),
    "gradient_of_images": (jax.grad(loss, 1), ("3, 3, 3, 8", "b, s, b, 3")),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", PROGRAMS)
def test_convolutions(build_folder, tmp_path, name):
    function, shapes, *sizes = PROGRAMS[name]
    check(build_folder, tmp_path, function, shapes, *(sizes or [SIZES]))


def test_few_images_are_cut_into_smaller_tiles(build_folder, tmp_path):
    """One image of 16 rows is split among several threads. A tile has at least the number of rows for which a separate task is worthwhile."""
    function, shapes, _ = PROGRAMS["direct"]
    (tmp_path / "program.mlir").write_text(exported(function, shapes))
    done = drumlin(build_folder, "plan", tmp_path / "program.mlir")
    assert "direct, unit = fma, tile = [256, 64, 0], least_rows = 16" in done.stdout, done.stderr
    plan = done.stdout
    for rows in 8, 256, -16:
        (tmp_path / "plan.mlir").write_text(plan.replace("least_rows = 16", f"least_rows = {rows}"))
        done = drumlin(build_folder, "compile", tmp_path / "plan.mlir", "--start-from", "schedule", "-o", tmp_path / "program.so")
        assert done.returncode != 0 and "`least_rows` must be a multiple of 16 below 256" in done.stderr, done.stderr
