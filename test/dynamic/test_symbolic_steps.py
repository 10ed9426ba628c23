"""Operations whose interior padding, strides or dilations are dynamic sizes, and dynamic sizes that are divided by others. Results are compared
with the interpreter's and with JAX's."""
import jax
import jax.numpy as jnp
import numpy
import pytest
from jax import lax
from symbolic import ALIKE, check, drumlin, exported


def size(name, argument, more=0):
    """Defines `name`: a one-element vector of the argument's size plus `more`."""
    return (f"  %{name}0 = stablehlo.get_dimension_size %{argument}, dim = 0 : (tensor<?xf32>) -> tensor<i32>\n"
            f"  %{name}1 = stablehlo.constant dense<{more}> : tensor<i32>\n  %{name}2 = stablehlo.add %{name}0, %{name}1 : tensor<i32>\n"
            f"  %{name} = stablehlo.reshape %{name}2 : (tensor<i32>) -> tensor<1xi32>\n")


def pair(name, first, second):
    return f"  %{name} = stablehlo.concatenate %{first}, %{second}, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>\n"


NUMBERS = "".join(f"  %{name} = stablehlo.constant dense<{value}> : tensor<1xi32>\n" for name, value in (("zero", 0), ("one", 1), ("two", 2)))
P = "tensor<2xi32>"


def program(body, operation, operand="tensor<?x?xf32>", result="tensor<?x?xf32>"):
    return (f"func.func @main(%x: {operand}, %n: tensor<?xf32>, %m: tensor<?xf32>, %v: tensor<f32>) -> {result} {{\n{NUMBERS}{body}"
            f"  %r = {operation} -> {result}\n  return %r : {result}\n}}\n")


def padded(operand, result):
    return program(size("k", "n") + size("l", "m") + pair("low", "two", "l") + pair("high", "k", "zero") + pair("between", "k", "l"),
                   f"stablehlo.dynamic_pad %x, %v, %low, %high, %between : ({operand}, tensor<f32>, {P}, {P}, {P})", operand, result)


SLICED = program(size("k", "n", 1) + size("l", "m", 1) + pair("strides", "k", "l") + pair("start", "zero", "zero") + """
  %h0 = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %w0 = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %h = stablehlo.reshape %h0 : (tensor<i32>) -> tensor<1xi32>
  %w = stablehlo.reshape %w0 : (tensor<i32>) -> tensor<1xi32>
""" + pair("limit", "h", "w"), f"stablehlo.real_dynamic_slice %x, %start, %limit, %strides : (tensor<?x?xf32>, {P}, {P}, {P})")


def windowed(body):
    return program(size("k", "n", 1) + size("l", "m", 1) + pair("window", "two", "two") + pair("strides", "k", "one") + pair("base", "one", "l")
                   + pair("dilations", "l", "k") + "  %p = stablehlo.constant dense<[[1, 2], [0, 3]]> : tensor<2x2xi32>\n",
                   "stablehlo.custom_call @stablehlo.dynamic_reduce_window(%x, %v, %window, %strides, %base, %dilations, %p) {called_computations = [@f]} : "
                   f"(tensor<?x?xf32>, tensor<f32>, {P}, {P}, {P}, {P}, tensor<2x2xi32>)") + (
        f"func.func private @f(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {{\n{body}\n}}\n")


PROGRAMS = {
    "padded": padded("tensor<?x?xf32>", "tensor<?x?xf32>"),
    # The operand has a static number of rows, or is static.
    "padded_rows": padded("tensor<4x?xf32>", "tensor<?x?xf32>"),
    "padded_matrix": padded("tensor<4x8xf32>", "tensor<?x?xf32>"),
    "sliced": SLICED,
    "summed": windowed("  %z = stablehlo.add %x, %y : tensor<f32>\n  return %z : tensor<f32>"),
    "by_a_loop": windowed("""  %t = stablehlo.constant dense<true> : tensor<i1>
  %f = stablehlo.constant dense<false> : tensor<i1>
  %h = stablehlo.constant dense<0.5> : tensor<f32>
  %z:2 = stablehlo.while(%v = %x, %w = %t) : tensor<f32>, tensor<i1> cond {
    stablehlo.return %w : tensor<i1>
  } do {
    %u = stablehlo.multiply %v, %h : tensor<f32>
    %s = stablehlo.add %u, %y : tensor<f32>
    stablehlo.return %s, %f : tensor<f32>, tensor<i1>
  }
  return %z#0 : tensor<f32>"""),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_steps(build_folder, tmp_path, name):
    text, image = tmp_path / "program.mlir", tmp_path / "program.so"
    text.write_text(PROGRAMS[name])
    done = drumlin(build_folder, "compile", text, "-o", image)
    assert done.returncode == 0, done.stderr
    for rows, columns, n, m in (1, 1, 0, 0), (2, 5, 1, 2), (17, 4, 3, 1), (0, 3, 2, 1), (3, 0, 1, 1), (30, 33, 7, 40), (9, 100, 2, 3):
        rows, columns = 4 if "tensor<4x" in PROGRAMS[name] else rows, 8 if "tensor<4x8" in PROGRAMS[name] else columns
        x = numpy.random.default_rng(rows).standard_normal((rows, columns), dtype=numpy.float32)
        numpy.savez(tmp_path / "in.npz", in0=x, in1=numpy.zeros(n, numpy.float32), in2=numpy.zeros(m, numpy.float32), in3=numpy.float32(0.25))
        done = drumlin(build_folder, "run", text, "--interpret", "--input", tmp_path / "in.npz", "--output", tmp_path / "out.npz")
        assert done.returncode == 0, (rows, columns, n, m, done.stderr)
        done = drumlin(build_folder, "run", image, "--input", tmp_path / "in.npz", "--expect", tmp_path / "out.npz", "--rtol", "2e-5")
        assert done.returncode == 0, (rows, columns, n, m, done.stderr)


def pooled(kind, window, strides):
    initial = -jnp.inf if kind is lax.max else 0.0
    return lambda x: (lax.reduce_window(x, initial, kind, window, strides, "SAME") ** 2).sum()


# The nominal sizes make quotients, differences and steps larger than one.
FUNCTIONS = {
    "blocks": (lambda x: (x[: x.shape[0] // 128] * 2, x[: x.shape[0] // 90].sum(0)), ("b, 4",), (1, 90, 128, 1000)),
    "many_blocks": (lambda x: x[: x.shape[0] // 4096] * 2, ("b, 4",), (1, 4096, 9000)),
    "beyond": (lambda x: x[1000:] * 2, ("b, 4",), (1001, 1002, 1500)),
    "strided": (lambda x, y: x[:: y.shape[0]] * 2, ("b", "s"), (1, 17, 1000), ()),
    "none_or_one": (lambda x: x[: 1 % x.shape[0]] * 2, ("b, 3",), (1, 2, 17)),
    "gradient_of_pooling": (jax.grad(pooled(lax.max, (1, 3, 3, 1), (1, 2, 2, 1))), ("2, b, b, 3",), (1, 2, 17)),
    "gradient_of_overlaps": (jax.grad(pooled(lax.max, (1, 2, 3, 1), (1, 1, 2, 1))), ("2, b, s, 3",), (1, 2, 17)),
    "gradient_of_means": (jax.grad(pooled(lax.add, (1, 3, 3, 1), (1, 2, 2, 1))), ("2, b, b, 3",), (1, 2, 17)),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(build_folder, tmp_path, name):
    check(build_folder, tmp_path, *FUNCTIONS[name])


def test_refuses_nominal_sizes_that_make_a_quotient_one(build_folder, tmp_path):
    function, shapes, *_ = FUNCTIONS["strided"]
    (tmp_path / "program.mlir").write_text(exported(function, shapes))
    done = drumlin(build_folder, "compile", tmp_path / "program.mlir", "-o", tmp_path / "program.so", *ALIKE)
    assert done.returncode == 4 and "D4004: a size `floordiv(b + s - 1, s)` that is 0 or 1" in done.stderr, done.stderr
    assert "name other nominal sizes with `--size`" in done.stderr and not (tmp_path / "program.so").exists()
