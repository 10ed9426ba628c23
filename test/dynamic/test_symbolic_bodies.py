"""Reductions, sorts, scatters and selections along dynamic sizes. The functions in their regions contain loops. Compiled programs are compared
with the interpreter."""
import numpy
import pytest
from symbolic import drumlin

# A loop with one iteration, which computes %x / 2 + %y.
LOOP = """
    %t = stablehlo.constant dense<true> : tensor<i1>
    %f = stablehlo.constant dense<false> : tensor<i1>
    %h = stablehlo.constant dense<0.5> : tensor<f32>
    %z:2 = stablehlo.while(%v = %x, %m = %t) : tensor<f32>, tensor<i1> cond {
      stablehlo.return %m : tensor<i1>
    } do {
      %w = stablehlo.multiply %v, %h : tensor<f32>
      %u = stablehlo.add %w, %y : tensor<f32>
      stablehlo.return %u, %f : tensor<f32>, tensor<i1>
    }
"""
BODY = "({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):" + LOOP + "    stablehlo.return %z#0 : tensor<f32>\n  })"
# A comparator that is equivalent to %x < %y: it compares %x / 2 with %y / 2, computed by the loop.
COMPARATOR = "({\n  ^bb0(%x: tensor<f32>, %y: tensor<f32>):" + LOOP + """
    %o = stablehlo.subtract %z#0, %y : tensor<f32>
    %p = stablehlo.multiply %y, %h : tensor<f32>
    %s = stablehlo.compare LT, %o, %p : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  })"""
SELECT = """({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s1 = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s1 : tensor<i1>
  }, """
M, V, S = "tensor<?x?xf32>", "tensor<?xf32>", "tensor<f32>"
NUMBERS = "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"


def function(arguments, result, operation, types):
    return f"func.func @main({arguments}) -> {result} {{\n  %r = {operation} : {types} -> {result}\n  return %r : {result}\n}}\n"


def normal(generator, *sizes):
    return generator.standard_normal(sizes, dtype=numpy.float32)


ZERO = numpy.float32(0)
# Programs, and their arguments for n by m matrices.
PROGRAMS = {
    "reduce": (function(f"%a: {M}, %i: {S}", V, f'"stablehlo.reduce"(%a, %i) <{{dimensions = array<i64: 1>}}> {BODY}', f"({M}, {S})"),
               lambda n, m, g: [normal(g, n, m), ZERO]),
    "reduce_all": (function(f"%a: {M}, %i: {S}", S, f'"stablehlo.reduce"(%a, %i) <{{dimensions = array<i64: 0, 1>}}> {BODY}', f"({M}, {S})"),
                   lambda n, m, g: [normal(g, n, m), ZERO]),
    "reduce_window": (function(f"%a: {M}, %i: {S}", M, '"stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: 3, 2>, '
                               "window_strides = array<i64: 1, 2>, base_dilations = array<i64: 1, 2>, window_dilations = array<i64: 2, 1>, "
                               f"padding = dense<[[2, 2], [1, 2]]> : tensor<2x2xi64>}}> {BODY}", f"({M}, {S})"),
                      lambda n, m, g: [normal(g, n, m), ZERO]),
    "sort": (function(f"%a: {M}", M, f'"stablehlo.sort"(%a) <{{dimension = 0 : i64, is_stable = true}}> {COMPARATOR}', f"({M})"),
             lambda n, m, g: [normal(g, n, m)]),
    "scatter": (function(f"%a: {M}, %i: tensor<?x1xi32>, %b: {M}", M,
                         f'"stablehlo.scatter"(%a, %i, %b) <{{scatter_dimension_numbers = {NUMBERS}}}> {BODY}', f"({M}, tensor<?x1xi32>, {M})"),
                lambda n, m, g: [normal(g, n, m), g.integers(-2, n + 2, (7, 1)).astype(numpy.int32), normal(g, 7, m)]),
    "select_and_scatter": (function(f"%a: {M}, %b: {M}, %i: {S}", M, '"stablehlo.select_and_scatter"(%a, %b, %i) <{window_dimensions = array<i64: 3, 1>, '
                                    f"window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>}}> {SELECT}{BODY[1:]}",
                                    f"({M}, {M}, {S})"),
                           lambda n, m, g: [normal(g, n, m), normal(g, (n + 1) // 2, m), ZERO]),
    "map": (function(f"%a: {M}, %b: {M}", M, f'"stablehlo.map"(%a, %b) <{{dimensions = array<i64: 0, 1>}}> {BODY}', f"({M}, {M})"),
            lambda n, m, g: [normal(g, n, m), normal(g, n, m)]),
    # An operation that the compiler decomposes and that has no region.
    "batch_norm": (f"func.func @main(%a: {M}, %s: {V}) -> {M} {{\n"
                   '  %r:3 = "stablehlo.batch_norm_training"(%a, %s, %s) <{epsilon = 0.001 : f32, feature_index = 1 : i64}> : '
                   f"({M}, {V}, {V}) -> ({M}, {V}, {V})\n  return %r#0 : {M}\n}}\n", lambda n, m, g: [normal(g, n, m), normal(g, m)]),
}
SIZES = ((1, 1), (2, 5), (17, 4), (0, 3), (3, 0), (130, 33))


@pytest.mark.parametrize("name", PROGRAMS)
def test_bodies(build_folder, tmp_path, name):
    text, make = PROGRAMS[name]
    program, image = tmp_path / "program.mlir", tmp_path / "program.so"
    program.write_text(text)
    done = drumlin(build_folder, "compile", program, "-o", image)
    assert done.returncode == 0, done.stderr
    for n, m in SIZES:
        given = make(n, m, numpy.random.default_rng(n))
        numpy.savez(tmp_path / "in.npz", **{f"in{i}": array for i, array in enumerate(given)})
        done = drumlin(build_folder, "run", program, "--interpret", "--input", tmp_path / "in.npz", "--output", tmp_path / "out.npz")
        assert done.returncode == 0, (n, m, done.stderr)
        done = drumlin(build_folder, "run", image, "--input", tmp_path / "in.npz", "--expect", tmp_path / "out.npz", "--rtol", "2e-5")
        assert done.returncode == 0, (n, m, done.stderr)
