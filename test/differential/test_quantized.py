"""Quantized elements: compares compiled programs with the interpreter, by operation, scales (per tensor, per axis, per block), storage type
and expressed type. Quantized results must agree bit for bit; dots with expressed results are sums of floats."""
import itertools
import subprocess

import numpy as np
import pytest

from case import Case, result
from contraction import SUMS
from quantized import shaped, written
from test_differential import report, results_of, run
from values import DTYPES, Operand, is_float, same

pytestmark = pytest.mark.long

STORAGE = ["i2", "ui2", "i4", "ui4", "i8", "ui8", "i16", "ui16", "i32", "ui32"]
EXPRESSED = [name for name in DTYPES if is_float(name)]
FAST = [("i8", "f32"), ("ui8", "bf16"), ("i4", "f32"), ("i16", "f64"), ("i32", "f16")]
# Scales for each expressed type. Types that aren't in the table use powers of two, so that half and twice each scale are numbers of the type.
SCALES = {"f32": (0.1, 0.5, 0.0123), "f64": (0.1, 0.5, 1.7e-3), "f16": (0.1, 0.5, 0.0123), "bf16": (0.1, 0.5, 0.0123), "f4E2M1FN": (1.0, 1.0, 2.0)}
ROWS, COLUMNS = 4, 6


def bits(storage):
    return int(storage.lstrip("ui"))


def limits(storage):
    size = bits(storage)
    return (0, 2 ** size - 1) if storage.startswith("u") else (-2 ** (size - 1), 2 ** (size - 1) - 1)


class Format:
    """A quantized element type. `zero` gives the zero point as a share of the storage range; `narrow` excludes the end points of this range."""

    def __init__(self, storage, expressed, number=1, zero=0.5, narrow=False):
        self.storage, self.expressed = storage, expressed
        low, high = limits(storage)
        self.low, self.high = (low + 1, high - 1) if narrow else (low, high)
        self.zero = min(max(round(low + (high - low) * zero), self.low), self.high)
        self.bounds = f"<{self.low}:{self.high}>" if narrow else ""
        self.scale = SCALES.get(expressed, (0.5, 1.0, 2.0))[number]

    def element(self):
        return f"!quant.uniform<{written(self.storage)}{self.bounds}:{self.expressed}, {self.scale!r}:{self.zero}>"

    def pairs(self, count):
        return [(self.scale * 2.0 ** (i % 3 - 1), min(max(self.zero + i, self.low), self.high)) for i in range(count)]

    def along(self, dimension, size, zero_points=True):
        pairs = [(scale, zero if zero_points else 0) for scale, zero in self.pairs(size)]
        text = ", ".join(f"{scale!r}:{zero}" for scale, zero in pairs)
        return f"!quant.uniform<{written(self.storage)}{self.bounds}:{self.expressed}:{dimension}, {{{text}}}>"

    def blocks(self, counts, sizes):
        """Returns the type of a matrix with scales per block; a dimension that isn't split has block size 0."""
        pairs = iter(self.pairs(counts[0] * counts[1]))
        rows = ["{" + ", ".join("%r:%d" % next(pairs) for _ in range(counts[1])) + "}" for _ in range(counts[0])]
        cut = ", ".join(f"{d}:{size}" for d, size in enumerate(sizes) if size)
        return f"!quant.uniform<{written(self.storage)}{self.bounds}:{self.expressed}:{{{cut}}}, {{{', '.join(rows)}}}>"


def case(name, format, operands, lines, made, relative=0):
    """Returns a case. `operands` are the (element type, shape) of %0, %1, …; `made` is the (element type, shape) of %r. An element type is
    quantized (`!quant…`) or plain."""
    storage = format.storage
    plain = [Operand(storage if each.startswith("!") else each, shape, "random") for each, shape in operands]
    body = [f"%{i} = stablehlo.bitcast_convert {{{i}}} : ({plain[i].text()}) -> {shaped(shape, each)}" if each.startswith("!")
            else f"%{i} = stablehlo.optimization_barrier {{{i}}} : {plain[i].text()}" for i, (each, shape) in enumerate(operands)]
    element, shape = made
    if element.startswith("!"):
        kept = storage if element.startswith("!quant.uniform<" + written(storage)) else "i32"
        body += [lines.replace("%r ", "%q "), f"%r = stablehlo.bitcast_convert %q : ({shaped(shape, element)}) -> {shaped(shape, kept)}"]
        return Case(name, format.expressed, tuple(plain), "\n".join(body), (result(kept, shape),))
    return Case(name, format.expressed, tuple(plain), "\n".join([*body, lines]), (result(element, shape),), relative=relative)


UNARY = ("abs cbrt ceil cosine exponential exponential_minus_one floor log log_plus_one logistic negate rsqrt sign sine sqrt tan tanh").split()
UNARY += [f"round_nearest_{ties}" for ties in ("afz", "even")]
BINARY = "add atan2 divide maximum minimum multiply power remainder subtract".split()
DIRECTIONS = "EQ NE GE GT LE LT".split()


def arithmetic(format, other):
    matrix = (ROWS, COLUMNS)
    a, b = format.element(), other.element()
    q, p = shaped(matrix, a), shaped(matrix, b)
    for name in UNARY:
        yield case(name, format, [(a, matrix)], f"%r = \"stablehlo.{name}\"(%0) : ({q}) -> {q}", (a, matrix))
    for name in BINARY:
        yield case(name, format, [(a, matrix), (a, matrix)], f"%r = \"stablehlo.{name}\"(%0, %1) : ({q}, {q}) -> {q}", (a, matrix))
    yield case("add of two scales", format, [(a, matrix), (b, matrix)], f"%r = \"stablehlo.add\"(%0, %1) : ({q}, {p}) -> {p}", (b, matrix))
    for direction in DIRECTIONS:
        yield case(f"compare {direction}", format, [(a, matrix), (a, matrix)],
                   f"%r = stablehlo.compare {direction}, %0, %1 : ({q}, {q}) -> {shaped(matrix, 'i1')}", ("i1", matrix))
    scalar = shaped((), a)
    yield case("clamp", format, [(a, ()), (a, matrix), (a, ())], f"%r = stablehlo.clamp %0, %1, %2 : ({scalar}, {q}, {scalar}) -> {q}", (a, matrix))
    yield case("select", format, [("i1", matrix), (a, matrix), (a, matrix)], f"%r = stablehlo.select %0, %1, %2 : {shaped(matrix, 'i1')}, {q}",
               (a, matrix))
    yield case("iota", format, [], f"%r = stablehlo.iota dim = 1 : {q}", (a, matrix))
    yield case("reduce_precision", format, [(a, matrix)], f"%r = stablehlo.reduce_precision %0, format = e4m2 : {q}", (a, matrix))
    yield case("chlo.broadcast_add", format, [(a, (COLUMNS,)), (a, matrix)],
               f"%r = chlo.broadcast_add %0, %1 : ({shaped((COLUMNS,), a)}, {q}) -> {q}", (a, matrix))
    vector = shaped((COLUMNS,), a)
    yield case("batch_norm_inference", format, [(a, matrix)] + [(a, (COLUMNS,))] * 4,
               f"%r = \"stablehlo.batch_norm_inference\"(%0, %1, %2, %3, %4) <{{epsilon = 0.5 : f32, feature_index = 1 : i64}}> : "
               f"({q}, {vector}, {vector}, {vector}, {vector}) -> {q}", (a, matrix))


def conversions(format, other):
    matrix = (ROWS, COLUMNS)
    expressed = format.expressed
    kinds = {"": (format.element(), other.element()), " per axis": (format.along(1, COLUMNS), other.along(0, ROWS)),
             " by blocks": (format.blocks((2, 3), (2, 2)), other.blocks((1, 2), (0, 3)))}
    for kind, (a, b) in kinds.items():
        q, p, plain = shaped(matrix, a), shaped(matrix, b), shaped(matrix, expressed)
        yield case("uniform_quantize" + kind, format, [(expressed, matrix)], f"%r = stablehlo.uniform_quantize %0 : ({plain}) -> {q}", (a, matrix))
        yield case("uniform_dequantize" + kind, format, [(a, matrix)], f"%r = stablehlo.uniform_dequantize %0 : ({q}) -> {plain}", (expressed, matrix))
        if other.storage == format.storage:
            yield case("uniform_quantize again" + kind, format, [(a, matrix)], f"%r = stablehlo.uniform_quantize %0 : ({q}) -> {p}", (b, matrix))
        if kind == " per axis":
            yield case("add" + kind, format, [(a, matrix), (a, matrix)], f"%r = \"stablehlo.add\"(%0, %1) : ({q}, {q}) -> {q}", (a, matrix))
    number = format.low
    a = format.along(1, COLUMNS)
    q = shaped(matrix, a)
    yield case("constant", format, [(a, matrix)], f"%c = stablehlo.constant() <{{value = dense<{number}> : {shaped(matrix, written(format.storage).replace('u', 'i').replace('ii', 'i'))}}}> : () -> {q}\n"
               f"%r = \"stablehlo.add\"(%0, %c) : ({q}, {q}) -> {q}", (a, matrix))


def movement(format, other):
    matrix, turned = (ROWS, COLUMNS), (COLUMNS, ROWS)
    a = format.element()
    q = shaped(matrix, a)

    def moved(name, operands, shape, attributes="", made=a):
        types = ", ".join(shaped(each, element) for element, each in operands)
        names = ", ".join(f"%{i}" for i in range(len(operands)))
        attributes = f" <{{{attributes}}}>" if attributes else ""
        return case(name, format, operands, f"%r = \"stablehlo.{name}\"({names}){attributes} : ({types}) -> {shaped(shape, made)}", (made, shape))

    yield moved("transpose", [(a, matrix)], turned, "permutation = array<i64: 1, 0>")
    yield moved("transpose", [(format.along(1, COLUMNS), matrix)], turned, "permutation = array<i64: 1, 0>", made=format.along(0, COLUMNS))
    yield moved("reshape", [(a, matrix)], (ROWS * COLUMNS,))
    yield moved("reshape", [(format.along(1, COLUMNS), matrix)], (2, 2, COLUMNS), made=format.along(2, COLUMNS))
    yield moved("broadcast_in_dim", [(a, matrix)], (3, *matrix), "broadcast_dimensions = array<i64: 1, 2>")
    yield moved("broadcast_in_dim", [(format.along(1, COLUMNS), matrix)], (3, *matrix), "broadcast_dimensions = array<i64: 1, 2>", made=format.along(2, COLUMNS))
    yield moved("reverse", [(a, matrix)], matrix, "dimensions = array<i64: 1>")
    yield moved("slice", [(a, matrix)], (2, 2), "start_indices = array<i64: 1, 0>, limit_indices = array<i64: 3, 4>, strides = array<i64: 1, 2>")
    yield moved("concatenate", [(a, matrix), (a, matrix)], (2 * ROWS, COLUMNS), "dimension = 0 : i64")
    yield moved("pad", [(a, matrix), (a, ())], (ROWS + 3, COLUMNS + 4),
                "edge_padding_low = array<i64: 1, -1>, edge_padding_high = array<i64: 2, 0>, interior_padding = array<i64: 0, 1>")
    yield moved("optimization_barrier", [(a, matrix)], matrix)
    yield moved("dynamic_slice", [(a, matrix), ("i32", ()), ("i32", ())], (2, 3), "slice_sizes = array<i64: 2, 3>")
    yield moved("dynamic_update_slice", [(a, matrix), (a, (2, 3)), ("i32", ()), ("i32", ())], matrix)
    yield moved("gather", [(a, matrix), ("i32", (3, 1))], (3, COLUMNS),
                "dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, "
                f"indices_are_sorted = false, slice_sizes = array<i64: 1, {COLUMNS}>")
    yield moved("collective_permute", [(a, matrix)], matrix, "source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>")
    yield moved("collective_permute", [(a, matrix)], matrix, "source_target_pairs = dense<> : tensor<0x2xi64>")
    yield case("tuple", format, [(a, matrix)], f"%t = stablehlo.tuple %0, %0 : tuple<{q}, {q}>\n"
               f"%r = stablehlo.get_tuple_element %t[1] : (tuple<{q}, {q}>) -> {q}", (a, matrix))


def regions(format, other):
    matrix = (ROWS, COLUMNS)
    a = format.element()
    q, scalar = shaped(matrix, a), shaped((), a)
    for name in ("add", "maximum", "multiply"):
        body = f"({{\n^bb0(%x: {scalar}, %y: {scalar}):\n%z = \"stablehlo.{name}\"(%x, %y) : ({scalar}, {scalar}) -> {scalar}\nstablehlo.return %z : {scalar}\n}})"
        yield case(f"reduce {name}", format, [(a, matrix), (a, ())],
                   f"%r = \"stablehlo.reduce\"(%0, %1) <{{dimensions = array<i64: 1>}}> {body} : ({q}, {scalar}) -> {shaped((ROWS,), a)}", (a, (ROWS,)))
        yield case(f"reduce_window {name}", format, [(a, matrix), (a, ())],
                   f"%r = \"stablehlo.reduce_window\"(%0, %1) <{{window_dimensions = array<i64: 2, 3>, window_strides = array<i64: 1, 2>, "
                   f"padding = dense<[[0, 1], [1, 1]]> : tensor<2x2xi64>}}> {body} : ({q}, {scalar}) -> {shaped((4, 3), a)}", (a, (4, 3)))
        yield case(f"scatter {name}", format, [(a, matrix), ("i32", (3, 1)), (a, (3, COLUMNS))],
                   "%r = \"stablehlo.scatter\"(%0, %1, %2) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], "
                   "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> "
                   f"{body} : ({q}, {shaped((3, 1), 'i32')}, {shaped((3, COLUMNS), a)}) -> {q}", (a, matrix))
    less, at_least = (f"^bb0(%x: {scalar}, %y: {scalar}):\n%z = stablehlo.compare {direction}, %x, %y : ({scalar}, {scalar}) -> tensor<i1>\nstablehlo.return %z : tensor<i1>\n"
                      for direction in ("LT", "GE"))
    # In some expressed types, negative numbers or numbers that overflow become NaN. A comparator is inconsistent on NaN, so any result would be
    # valid, and the case is omitted.
    if format.expressed != "f8E8M0FNU" and (format.expressed != "f8E4M3FN" or bits(format.storage) <= 8):
        yield case("sort", format, [(a, matrix)], f"%r = \"stablehlo.sort\"(%0) <{{dimension = 1 : i64, is_stable = true}}> ({{\n{less}}}) : ({q}) -> {q}", (a, matrix))
    add = f"^bb0(%x: {scalar}, %y: {scalar}):\n%z = stablehlo.add %x, %y : {scalar}\nstablehlo.return %z : {scalar}\n"
    yield case("select_and_scatter", format, [(a, matrix), (a, (2, 3)), (a, ())],
               "%r = \"stablehlo.select_and_scatter\"(%0, %1, %2) <{window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 2, 2>}> "
               f"({{\n{at_least}}}, {{\n{add}}}) : ({q}, {shaped((2, 3), a)}, {scalar}) -> {q}", (a, matrix))
    yield case("map", format, [(a, matrix), (a, matrix)],
               f"%r = \"stablehlo.map\"(%0, %1) <{{dimensions = array<i64: 0, 1>}}> ({{\n{add}}}) : ({q}, {q}) -> {q}", (a, matrix))
    yield case("while", format, [(a, matrix), ("ui2", ())],
               f"%zero = stablehlo.constant dense<0> : tensor<ui2>\n%one = stablehlo.constant dense<1> : tensor<ui2>\n"
               f"%w:2 = stablehlo.while(%i = %1, %v = %0) : tensor<ui2>, {q}\ncond {{\n%k = stablehlo.compare NE, %i, %zero : (tensor<ui2>, tensor<ui2>) -> tensor<i1>\n"
               f"stablehlo.return %k : tensor<i1>\n}} do {{\n%j = stablehlo.subtract %i, %one : tensor<ui2>\n%u = stablehlo.add %v, %0 : {q}\n"
               f"stablehlo.return %j, %u : tensor<ui2>, {q}\n}}\n%r = stablehlo.optimization_barrier %w#1 : {q}", (a, matrix))
    yield case("if", format, [(a, matrix), ("i1", ())],
               f"%r = \"stablehlo.if\"(%1) ({{\n%n = stablehlo.negate %0 : {q}\nstablehlo.return %n : {q}\n}}, {{\nstablehlo.return %0 : {q}\n}}) : (tensor<i1>) -> {q}",
               (a, matrix))
    yield case("case", format, [(a, matrix), ("i32", ())],
               f"%r = \"stablehlo.case\"(%1) ({{\n%n = stablehlo.negate %0 : {q}\nstablehlo.return %n : {q}\n}}, {{\nstablehlo.return %0 : {q}\n}}) : (tensor<i32>) -> {q}",
               (a, matrix))


def products(format, other):
    """Dots and convolutions for each kind of scales of the right operand. In hybrid dots and convolutions the left operand is a float."""
    lhs, rhs, made, inner = (5, 6), (6, 8), (5, 8), 6
    a, target, expressed = format.element(), other.element(), format.expressed
    weights = Format(format.storage, expressed, 1, 0.5)
    weights.zero = 0 if weights.low <= 0 else weights.low
    dot = "\"stablehlo.dot_general\"(%0, %1) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}>"
    kinds = {"": (weights.element(), target), " per axis": (weights.along(1, 8, zero_points=False), other.along(1, 8))}
    for kind, (b, c) in kinds.items():
        types = f"({shaped(lhs, a)}, {shaped(rhs, b)}) -> {shaped(made, c)}"
        yield case("dot_general" + kind, format, [(a, lhs), (b, rhs)], f"%r = {dot} : {types}", (c, made))
        types = f"({shaped(lhs, expressed)}, {shaped(rhs, b)}) -> {shaped(made, expressed)}"
        yield case("hybrid dot_general" + kind, format, [(expressed, lhs), (b, rhs)], f"%r = {dot} : {types}", (expressed, made),
                   relative=SUMS.get(expressed, 1))
    assert inner == lhs[1]
    batched = "\"stablehlo.dot_general\"(%0, %1) <{dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [1], " \
              "lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [2]>}>"
    b = weights.along(0, 3, zero_points=False)
    yield case("dot_general in batches", format, [(a, (2, 5, 4)), (b, (3, 2, 4))],
               f"%r = {batched} : ({shaped((2, 5, 4), a)}, {shaped((3, 2, 4), b)}) -> {shaped((2, 5, 3), target)}", (target, (2, 5, 3)))
    image, kernel = (1, 5, 5, 4), (3, 3, 2, 6)
    for kind, (b, c) in {"": (weights.element(), target), " per axis": (weights.along(3, 6, zero_points=False), other.along(3, 6)),
                         " with zero points": (Format(format.storage, expressed, 1, 0.3).element(), target)}.items():
        attributes = "dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 2], pad = [[1, 2], [0, -1]], lhs_dilate = [2, 1]} " \
                     "{batch_group_count = 1 : i64, feature_group_count = 2 : i64}"
        result_shape = (1, 10, 1, 6)
        yield case("convolution" + kind, format, [(a, image), (b, kernel)],
                   f"%r = stablehlo.convolution(%0, %1) {attributes} : ({shaped(image, a)}, {shaped(kernel, b)}) -> {shaped(result_shape, c)}", (c, result_shape))


FAMILIES = {each.__name__: each for each in (arithmetic, conversions, movement, regions, products)}


def tried(storage, expressed):
    """Returns the formats to test: all formats for a few pairs of types, and one format for each other pair, chosen so that every type is
    tested in every format."""
    count = 3 if bits(storage) > 2 else 2  # the range of two bits is too small to exclude its end points
    return range(count) if (storage, expressed) in FAST else [(STORAGE.index(storage) + EXPRESSED.index(expressed)) % count]


def formats(storage, expressed):
    """Yields the format under test, and a format of the same storage and expressed types with other scales."""
    for which in tried(storage, expressed):
        if which == 0:
            yield Format(storage, expressed, 1), Format(storage, expressed, 0, zero=0.4)
        elif which == 1:
            yield Format(storage, expressed, 0, zero=0.3), Format(storage, expressed, 2, zero=0.6)
        else:
            yield Format(storage, expressed, 2, zero=0.9, narrow=True), Format(storage, expressed, 1, narrow=True)


def test_every_type_has_every_format():
    for storage in STORAGE:
        assert {which for each in EXPRESSED for which in tried(storage, each)} == set(range(3 if bits(storage) > 2 else 2))
    for expressed in EXPRESSED:
        assert {which for each in STORAGE for which in tried(each, expressed)} == set(range(3))


def groups():
    return [pytest.param(*group, id="-".join(group), marks=() if group in FAST else pytest.mark.slow)
            for group in itertools.product(STORAGE, EXPRESSED)]


@np.errstate(all="ignore")
def differences(cases, ours, theirs):
    found = []
    for each, operands, made, a, b in results_of(cases, ours, theirs):
        bad = ~same(a, b)
        if each.relative:
            wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
            scale = np.abs(wide_b) + max(np.max(np.abs(np.nan_to_num(np.asarray(operand, dtype=np.float64), posinf=0, neginf=0))) for operand in operands) ** 2
            bad &= ~(np.abs(wide_a - wide_b) <= each.relative * scale)
        if bad.any():
            first = tuple(int(i) for i in np.argwhere(bad)[0])
            found.append(f"{each.label()}: {int(bad.sum())} of {bad.size} differ, first at {first}: {a[first]}, the interpreter's {b[first]}\n{each.body}")
    return found


@pytest.mark.parametrize("storage, expressed", groups())
def test_as_interpreted(build_folder, tmp_path, storage, expressed):
    cases = [each for pair in formats(storage, expressed) for family in FAMILIES.values() for each in family(*pair)]
    # -O0 compiles faster. Quantized operations are compiled to integer operations, which other tests compile at -O2.
    report(differences(cases, run(build_folder, tmp_path, cases, "--no-cache", "-O0"), run(build_folder, tmp_path, cases, "--interpret")))
