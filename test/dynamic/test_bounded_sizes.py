"""Dynamic sizes within bounds (`#stablehlo.bounds`): compiled programs agree with the interpreter."""
import numpy
import pytest
from symbolic import drumlin

V, M = "tensor<?xf32, #stablehlo.bounds<8>>", "tensor<?x3xf32, #stablehlo.bounds<8, ?>>"


def compile(build_folder, folder, text, name="program.mlir"):
    program, image = folder / name, folder / "program.so"
    program.write_text(text)
    done = drumlin(build_folder, "compile", program, "-o", image)
    assert done.returncode == 0, done.stderr
    return program, image


def outputs(build_folder, folder, words, given):
    numpy.savez(folder / "in.npz", **{f"in{i}": array for i, array in enumerate(given)})
    done = drumlin(build_folder, "run", *words, "--input", folder / "in.npz", "--output", folder / "out.npz")
    assert done.returncode == 0, done.stderr
    made = numpy.load(folder / "out.npz")
    return [made[f"out{i}"] for i in range(len(made.files))]


# `phases` is empty for programs whose arguments have dynamic sizes: after a phase, the arguments' types have the nominal sizes.
def both(build_folder, folder, program, image, given, phases=("simplify", "buffers")):
    """Checks that the image, and the interpreted program after each phase, give the results of the original program in the interpreter."""
    expected = outputs(build_folder, folder, [program, "--interpret"], given)
    for words in ([image], *([program, "--interpret", f"--stop-after={phase}"] for phase in phases)):
        made = outputs(build_folder, folder, words, given)
        assert len(made) == len(expected)
        for left, right in zip(made, expected):
            assert left.shape == right.shape and left.dtype == right.dtype, (words, left.shape, right.shape)
            numpy.testing.assert_allclose(left, right, rtol=1e-6, atol=1e-6, err_msg=str(words))
    return expected


# Loop bodies that lengthen the carried vector by one element; the loop runs until it has `%n` elements.
APPEND = {
    "concatenate": f"""
    %s = stablehlo.reduce(%v init: %zero) applies stablehlo.add across dimensions = [0] : ({V}, tensor<f32>) -> tensor<f32>
    %e = stablehlo.reshape %s : (tensor<f32>) -> tensor<1xf32>
    %w = stablehlo.concatenate %v, %e, dim = 0 : ({V}, tensor<1xf32>) -> {V}""",
    "pad": f"""
    %p = stablehlo.pad %v, %two, low = [1], high = [0], interior = [0] : ({V}, tensor<f32>) -> {V}
    %w = stablehlo.multiply %p, %p : {V}""",
    "set_dimension_size": f"""
    %size = stablehlo.get_dimension_size %v, dim = 0 : ({V}) -> tensor<i32>
    %more = stablehlo.add %size, %one : tensor<i32>
    %q = stablehlo.set_dimension_size %v, %more, dim = 0 : ({V}, tensor<i32>) -> {V}
    %w = stablehlo.add %q, %q : {V}""",
    "write_behind": f"""
    %size = stablehlo.get_dimension_size %v, dim = 0 : ({V}) -> tensor<i32>
    %f = stablehlo.convert %size : (tensor<i32>) -> tensor<f32>
    %e = stablehlo.reshape %f : (tensor<f32>) -> tensor<1xf32>
    %q = stablehlo.dynamic_update_slice %v, %e, %size : ({V}, tensor<1xf32>, tensor<i32>) -> {V}
    %more = stablehlo.add %size, %one : tensor<i32>
    %w = stablehlo.set_dimension_size %q, %more, dim = 0 : ({V}, tensor<i32>) -> {V}""",
    "branch": f"""
    %size = stablehlo.get_dimension_size %v, dim = 0 : ({V}) -> tensor<i32>
    %half = stablehlo.remainder %size, %twice : tensor<i32>
    %odd = stablehlo.compare EQ, %half, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %w = "stablehlo.if"(%odd) ({{
      %a = stablehlo.pad %v, %two, low = [0], high = [1], interior = [0] : ({V}, tensor<f32>) -> {V}
      stablehlo.return %a : {V}
    }}, {{
      %b = stablehlo.negate %v : {V}
      %c = stablehlo.pad %b, %zero, low = [1], high = [0], interior = [0] : ({V}, tensor<f32>) -> {V}
      stablehlo.return %c : {V}
    }}) : (tensor<i1>) -> {V}""",
}


def loop(start, body):
    return f"""
func.func @main(%n: tensor<i32>, {start}) -> ({V}, tensor<f32>, tensor<i32>) {{
  %one = stablehlo.constant dense<1> : tensor<i32>
  %twice = stablehlo.constant dense<2> : tensor<i32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %two = stablehlo.constant dense<2.0> : tensor<f32>
  {"" if "%x:" in start else f"%x = stablehlo.set_dimension_size %data, %one, dim = 0 : (tensor<8xf32>, tensor<i32>) -> {V}"}
  %r = stablehlo.while(%v = %x) : {V}
  cond {{
    %size = stablehlo.get_dimension_size %v, dim = 0 : ({V}) -> tensor<i32>
    %go = stablehlo.compare LT, %size, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %go : tensor<i1>
  }} do {{{body}
    stablehlo.return %w : {V}
  }}
  %sum = stablehlo.reduce(%r init: %zero) applies stablehlo.add across dimensions = [0] : ({V}, tensor<f32>) -> tensor<f32>
  %count = stablehlo.get_dimension_size %r, dim = 0 : ({V}) -> tensor<i32>
  return %r, %sum, %count : {V}, tensor<f32>, tensor<i32>
}}
"""


@pytest.mark.parametrize("name", APPEND)
def test_loops_append(build_folder, tmp_path, name):
    program, image = compile(build_folder, tmp_path, loop("%data: tensor<8xf32>", APPEND[name]))
    data = numpy.arange(1, 9, dtype=numpy.float32)
    for n in (0, 1, 4, 8):
        result, total, count = both(build_folder, tmp_path, program, image, [numpy.int32(n), data])
        assert count == max(n, 1) == len(result) and numpy.isclose(total, result.sum())
    if name == "set_dimension_size":  # each iteration also doubles the elements after the valid elements
        numpy.testing.assert_array_equal(both(build_folder, tmp_path, program, image, [numpy.int32(3), data])[0], [4, 8, 12])
    if name == "write_behind":
        numpy.testing.assert_array_equal(both(build_folder, tmp_path, program, image, [numpy.int32(4), data])[0], [1, 1, 2, 3])


@pytest.mark.parametrize("name", ("concatenate", "pad", "branch"))
@pytest.mark.parametrize("size", (0, 2, 8))
def test_arguments_grow(build_folder, tmp_path, name, size):
    program, image = compile(build_folder, tmp_path, loop(f"%x: {V}", APPEND[name]))
    given = [numpy.int32(6), numpy.arange(size, dtype=numpy.float32)]
    assert both(build_folder, tmp_path, program, image, given, phases=())[2] == max(size, 6)


# Operations on a vector or a matrix of which only the first elements or rows are valid.
OPERATIONS = {
    "elementwise": (V, V, "%r = stablehlo.exponential %v : {V}"),
    "select": (V, V, "%c = stablehlo.compare LT, %v, %v : ({V}, {V}) -> tensor<?xi1, #stablehlo.bounds<8>>\n"
                     "%r = stablehlo.select %c, %v, %v : tensor<?xi1, #stablehlo.bounds<8>>, {V}"),
    "transpose": (M, "tensor<3x?xf32, #stablehlo.bounds<?, 8>>", "%r = stablehlo.transpose %v, dims = [1, 0] : ({M}) -> {R}"),
    "reverse": (M, M, "%r = stablehlo.reverse %v, dims = [0, 1] : {M}"),
    "concatenate": (M, "tensor<?x3xf32, #stablehlo.bounds<17, ?>>", "%o = stablehlo.constant dense<5.0> : tensor<1x3xf32>\n"
                    "%r = stablehlo.concatenate %v, %o, %v, dim = 0 : ({M}, tensor<1x3xf32>, {M}) -> {R}"),
    "pad": (M, "tensor<?x4xf32, #stablehlo.bounds<18, ?>>",
            "%r = stablehlo.pad %v, %zero, low = [2, 0], high = [1, 1], interior = [1, 0] : ({M}, tensor<f32>) -> {R}"),
    "dynamic_pad": (V, "tensor<?xf32, #stablehlo.bounds<80>>", "%l = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
                    "%r = stablehlo.dynamic_pad %v, %zero, %l, %l, %l : ({V}, tensor<f32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> {R}"),
    "slice": (V, "tensor<?xf32, #stablehlo.bounds<3>>", "%r = stablehlo.slice %v [1:7:2] : ({V}) -> {R}"),
    "real_dynamic_slice": (V, V, "%z = stablehlo.constant dense<0> : tensor<1xi32>\n%t = stablehlo.constant dense<2> : tensor<1xi32>\n"
                           "%l = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
                           "%r = stablehlo.real_dynamic_slice %v, %z, %l, %t : ({V}, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> {R}"),
    "broadcast": (V, "tensor<3x?xf32, #stablehlo.bounds<?, 8>>", "%r = stablehlo.broadcast_in_dim %v, dims = [1] : ({V}) -> {R}"),
    "dynamic_broadcast": (V, "tensor<?x3xf32, #stablehlo.bounds<8, ?>>", "%l = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
                          "%t = stablehlo.constant dense<3> : tensor<1xi32>\n"
                          "%s = stablehlo.concatenate %l, %t, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>\n"
                          "%r = stablehlo.dynamic_broadcast_in_dim %v, %s, dims = [0] : ({V}, tensor<2xi32>) -> {R}"),
    "dynamic_iota": (V, "tensor<?xf32, #stablehlo.bounds<8>>", "%l = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>\n"
                     "%i = stablehlo.dynamic_iota %l, dim = 0 : (tensor<1xi32>) -> {R}\n%r = stablehlo.add %i, %v : {R}"),
    "reshape": (M, "tensor<?xf32, #stablehlo.bounds<24>>", "%t = stablehlo.constant dense<3> : tensor<i32>\n%m = stablehlo.multiply %n, %t : tensor<i32>\n"
                "%l = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>\n%r = stablehlo.dynamic_reshape %v, %l : ({M}, tensor<1xi32>) -> {R}"),
    "sum": (M, "tensor<3xf32>", "%r = stablehlo.reduce(%v init: %one) applies stablehlo.add across dimensions = [0] : ({M}, tensor<f32>) -> {R}"),
    "most": (M, "tensor<f32>", "%r = stablehlo.reduce(%v init: %one) applies stablehlo.minimum across dimensions = [0, 1] : ({M}, tensor<f32>) -> {R}"),
    "rows": (M, V, "%r = stablehlo.reduce(%v init: %one) applies stablehlo.multiply across dimensions = [1] : ({M}, tensor<f32>) -> {R}"),
    "any_body": (V, "tensor<f32>", """%r = stablehlo.reduce(%v init: %one) across dimensions = [0] : ({V}, tensor<f32>) -> tensor<f32>
     reducer(%a: tensor<f32>, %b: tensor<f32>) {{
      %c = stablehlo.subtract %b, %a : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }}"""),
    "window": (V, "tensor<?xf32, #stablehlo.bounds<5>>", """%r = "stablehlo.reduce_window"(%v, %one) ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.add %a, %b : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }}) {{window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, padding = dense<[[1, 3]]> : tensor<1x2xi64>}} : ({V}, tensor<f32>) -> {R}"""),
    "dot": (M, "tensor<3x3xf32>", "%r = stablehlo.dot_general %v, %v, contracting_dims = [0] x [0] : ({M}, {M}) -> {R}"),
    "dot_rows": (M, M, "%w = stablehlo.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]> : tensor<3x3xf32>\n"
                 "%r = stablehlo.dot_general %v, %w, contracting_dims = [1] x [0] : ({M}, tensor<3x3xf32>) -> {R}"),
    "sort": (V, V, """%i = stablehlo.negate %v : {V}
    %r = "stablehlo.sort"(%i) ({{
    ^bb0(%a: tensor<f32>, %b: tensor<f32>):
      %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }}) {{dimension = 0 : i64, is_stable = true}} : ({V}) -> {V}"""),
    "dynamic_slice": (M, "tensor<1x3xf32>", "%z = stablehlo.constant dense<0> : tensor<i32>\n"
                      "%r = stablehlo.dynamic_slice %v, %n, %z, sizes = [1, 3] : ({M}, tensor<i32>, tensor<i32>) -> {R}"),
    "gather": (M, "tensor<3x3xf32>", """%i = stablehlo.constant dense<[[0], [5], [-2]]> : tensor<3x1xi32>
    %r = "stablehlo.gather"(%v, %i) {{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
      slice_sizes = array<i64: 1, 3>}} : ({M}, tensor<3x1xi32>) -> {R}"""),
    "update": (M, M, "%o = stablehlo.constant dense<9.0> : tensor<1x1xf32>\n%i = stablehlo.convert %v : {M}\n"
               "%t = stablehlo.transpose %i, dims = [0, 1] : ({M}) -> {M}\n%z = stablehlo.constant dense<1> : tensor<i32>\n"
               "%r = stablehlo.dynamic_update_slice %t, %o, %n, %z : ({M}, tensor<1x1xf32>, tensor<i32>, tensor<i32>) -> {M}"),
}
NEEDS_ONE = {"dynamic_slice", "gather", "update"}


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(build_folder, tmp_path, name):
    type, result, body = OPERATIONS[name]
    data = "tensor<8xf32>" if type == V else "tensor<8x3xf32>"
    program, image = compile(build_folder, tmp_path, f"""
func.func @main(%n: tensor<i32>, %data: {data}) -> {result} {{
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %one = stablehlo.constant dense<1.5> : tensor<f32>
  %v = stablehlo.set_dimension_size %data, %n, dim = 0 : ({data}, tensor<i32>) -> {type}
  {body.format(V=V, M=M, R=result)}
  return %r : {result}
}}
""")
    given = numpy.random.default_rng(1).standard_normal(8 if type == V else (8, 3)).astype(numpy.float32)
    for n in (0, 1, 5, 8):
        if n or name not in NEEDS_ONE:
            both(build_folder, tmp_path, program, image, [numpy.int32(n), given])


# XLA's way to push onto a stack: writes behind the last row, then enlarges the dimension.
STACK = """
HloModule stack

add {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ROOT c = s32[] add(a, b)
}

body {
  p = (s32[<=4,2]) parameter(0)
  rows = s32[<=4,2] get-tuple-element(p), index=0
  size = s32[] get-dimension-size(rows), dimensions={0}
  zero = s32[] constant(0)
  one = s32[] constant(1)
  new = s32[1,2] broadcast(size), dimensions={}
  put = s32[<=4,2] dynamic-update-slice(rows, new, size, zero)
  more = s32[] add(size, one)
  longer = s32[<=4,2] set-dimension-size(put, more), dimensions={0}
  ROOT t = (s32[<=4,2]) tuple(longer)
}

cond {
  p = (s32[<=4,2]) parameter(0)
  rows = s32[<=4,2] get-tuple-element(p), index=0
  size = s32[] get-dimension-size(rows), dimensions={0}
  three = s32[] constant(3)
  ROOT go = pred[] compare(size, three), direction=LT
}

ENTRY main {
  n = s32[] parameter(0)
  zero = s32[] constant(0)
  minus = s32[] constant(-1)
  array = s32[4,2] broadcast(minus), dimensions={}
  empty = s32[<=4,2] set-dimension-size(array, n), dimensions={0}
  state = (s32[<=4,2]) tuple(empty)
  loop = (s32[<=4,2]) while(state), condition=cond, body=body
  rows = s32[<=4,2] get-tuple-element(loop), index=0
  ROOT sum = s32[2] reduce(rows, zero), dimensions={0}, to_apply=add
}
"""

# A loop appends an element to a vector; a slice keeps the vector's size within its bound.
GROW = """
HloModule grow

add {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] add(a, b)
}

body {
  p = (f32[<=8], s32[]) parameter(0)
  v = f32[<=8] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  one = f32[1] constant({1})
  w = f32[<=9] concatenate(v, one), dimensions={0}
  x = f32[<=8] slice(w), slice={[0:8]}
  ROOT t = (f32[<=8], s32[]) tuple(x, n)
}

cond {
  p = (f32[<=8], s32[]) parameter(0)
  v = f32[<=8] get-tuple-element(p), index=0
  n = s32[] get-tuple-element(p), index=1
  s = s32[] get-dimension-size(v), dimensions={0}
  ROOT go = pred[] compare(s, n), direction=LT
}

ENTRY main {
  d = f32[8] parameter(0)
  n = s32[] parameter(1)
  two = s32[] constant(2)
  zero = f32[] constant(0)
  x = f32[<=8] set-dimension-size(d, two), dimensions={0}
  i = (f32[<=8], s32[]) tuple(x, n)
  l = (f32[<=8], s32[]) while(i), condition=cond, body=body
  r = f32[<=8] get-tuple-element(l), index=0
  ROOT s = f32[] reduce(r, zero), dimensions={0}, to_apply=add
}
"""


def test_stack_of_hlo(build_folder, tmp_path):
    program, image = compile(build_folder, tmp_path, STACK, "stack.hlo")
    for n, expected in ((0, 3), (1, 2), (3, -3)):
        made = both(build_folder, tmp_path, program, image, [numpy.int32(n)])
        numpy.testing.assert_array_equal(made[0], [expected, expected])


def test_growth_in_hlo(build_folder, tmp_path):
    program, image = compile(build_folder, tmp_path, GROW, "grow.hlo")
    for n, expected in ((2, 1), (5, 4), (8, 7)):
        assert both(build_folder, tmp_path, program, image, [numpy.arange(8, dtype=numpy.float32), numpy.int32(n)])[0] == expected
