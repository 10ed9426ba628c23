"""Cases of operations that combine many elements: reductions, windows, dots, transforms, random bits."""
import numpy as np

from case import result, simple
from shape import array, body_of
from values import COMPLEX, DTYPES, FLOATS, INTEGERS, SUMS, Operand

REDUCERS = {"add": ["i1", *INTEGERS, *FLOATS, *COMPLEX], "multiply": ["i1", *INTEGERS, *FLOATS, *COMPLEX],
            "maximum": ["i1", *INTEGERS, *FLOATS], "minimum": ["i1", *INTEGERS, *FLOATS],
            "and": ["i1", *INTEGERS], "or": ["i1", *INTEGERS], "xor": ["i1", *INTEGERS]}


def identity(operation, type):
    """Returns the reducer's neutral element, which cases use as initial value: jaxlib applies the initial value to each partial result."""
    if operation in ("add", "or", "xor") or type == "i1" and operation == "maximum":
        return 0
    if operation == "multiply" or type == "i1":
        return 1
    if type in FLOATS:
        return float("-inf") if operation == "maximum" else float("inf")
    limits = np.iinfo(DTYPES[type])
    return {"maximum": limits.min, "minimum": limits.max, "and": -1 if limits.min else limits.max}[operation]


def reductions():
    for operation, types in REDUCERS.items():
        for type in types:
            sums = operation in ("add", "multiply") and type in SUMS
            for shape, dims in (((7,), (0,)), ((0,), (0,)), ((3, 5), (0,)), ((3, 5), (1,)), ((2, 3, 4, 5), (1, 3)), ((2, 3), ()), ((2, 0, 3), (1,)),
                                ((40, 3), (0,)), ((3, 100), (1,)), ((5, 6, 7), (0, 1, 2))):
                made = [size for d, size in enumerate(shape) if d not in dims]
                count = 1
                for d in dims:
                    count *= shape[d]
                # The product of many numbers underflows; sums of edge values are NaN.
                if operation == "multiply" and sums and count > 10:
                    continue
                fill = "random" if sums else "edges"
                yield simple(f"reduce {operation}", type, [Operand(type, shape, fill), Operand(type, (), (identity(operation, type),))], [result(type, made)],
                             (f"dimensions = {array(dims)}", body_of(operation, type)), relative=SUMS[type] if sums else 0)
            if type == "i1" or operation in ("and", "or", "xor"):
                continue
            for form, shape, made in (("window_dimensions = array<i64: 3>", (7,), (5,)),
                                      ("window_dimensions = array<i64: 3>, window_strides = array<i64: 2>, padding = dense<[[1, 1]]> : tensor<1x2xi64>", (7,), (4,)),
                                      ("window_dimensions = array<i64: 2, 2>, window_dilations = array<i64: 1, 2>", (4, 5), (3, 3)),
                                      ("window_dimensions = array<i64: 2>, base_dilations = array<i64: 2>, padding = dense<[[0, 3]]> : tensor<1x2xi64>", (5,), (11,)),
                                      ("window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>", (2, 6, 4, 3), (2, 3, 2, 3)),
                                      ("window_dimensions = array<i64: 9>", (5,), (0,)), ("window_dimensions = array<i64: 2>", (0,), (0,))):
                if operation == "multiply" and type in SUMS and made == (3, 3):
                    continue
                yield simple(f"reduce_window {operation}", type, [Operand(type, shape, "random" if sums else "edges"), Operand(type, (), (identity(operation, type),))], [result(type, made)],
                             (form, body_of(operation, type)), relative=SUMS[type] if sums else 0)
    for type in (*FLOATS, *INTEGERS):
        select = f"^bb0(%x: tensor<{type}>, %y: tensor<{type}>):\n%z = stablehlo.compare GE, %x, %y : (tensor<{type}>, tensor<{type}>) -> tensor<i1>\n" \
                 "stablehlo.return %z : tensor<i1>"
        for form, shape, source in (("window_dimensions = array<i64: 2>, window_strides = array<i64: 2>", (8,), (4,)),
                                    ("window_dimensions = array<i64: 3, 2>, window_strides = array<i64: 2, 1>, padding = dense<[[1, 1], [0, 0]]> : tensor<2x2xi64>", (5, 4), (3, 3))):
            regions = select + "\n}, {\n" + body_of("add", type)
            yield simple("select_and_scatter", type, [Operand(type, shape, "random"), Operand(type, source, "random"), Operand(type, (), [0])], [result(type, shape)],
                         (form, regions), relative=SUMS.get(type, 0))


DOTS = [
    # lhs, rhs, dimension numbers, result
    ((7,), (7,), "lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]", ()),
    ((3, 5), (5, 4), "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]", (3, 4)),
    ((5, 3), (4, 5), "lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [1]", (3, 4)),
    ((2, 3, 5), (2, 5, 4), "lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]", (2, 3, 4)),
    ((3, 2, 5), (4, 5, 2), "lhs_batching_dimensions = [1], rhs_batching_dimensions = [2], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]", (2, 3, 4)),
    ((2, 3, 4), (4, 3), "lhs_contracting_dimensions = [1, 2], rhs_contracting_dimensions = [1, 0]", (2,)),
    ((3,), (4,), "", (3, 4)), ((3, 0), (0, 4), "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]", (3, 4)),
    ((0, 5), (5, 4), "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]", (0, 4)),
    ((33, 40), (40, 17), "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]", (33, 17)),
    ((1, 100), (100, 1), "lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]", (1, 1)),
]
MIXED = [("i8", "i32"), ("ui8", "i32"), ("bf16", "f32"), ("f16", "f32"), ("f8E4M3FN", "f32"), ("f8E5M2", "f32"), ("f8E4M3FN", "bf16")]


def products():
    for lhs_type, made_type in [(type, type) for type in (*INTEGERS, *FLOATS, *COMPLEX)] + MIXED:
        for lhs, rhs, numbers, made in DOTS:
            yield simple("dot_general", lhs_type, [Operand(lhs_type, lhs, "random"), Operand(lhs_type, rhs, "random")], [result(made_type, made)],
                         f"dot_dimension_numbers = #stablehlo.dot<{numbers}>", relative=SUMS.get(made_type, 0))
    for type in (*INTEGERS, *FLOATS, *COMPLEX):
        for lhs, rhs, numbers, rest, made in CONVOLUTIONS:
            form = f"{rest}dimension_numbers = #stablehlo.conv<{numbers}>"
            yield simple("convolution", type, [Operand(type, lhs, "random"), Operand(type, rhs, "random")], [result(type, made)],
                         form, relative=SUMS.get(type, 0))


PLAIN_GROUPS = "batch_group_count = 1 : i64, feature_group_count = 1 : i64, "
CONVOLUTIONS = [
    ((1, 8, 2), (3, 2, 4), "[b, 0, f]x[0, i, o]->[b, 0, f]", PLAIN_GROUPS, (1, 6, 4)),
    ((2, 3, 6, 5), (4, 3, 3, 2), "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]", PLAIN_GROUPS + "window_strides = array<i64: 2, 1>, ", (2, 4, 2, 4)),
    ((2, 6, 5, 3), (3, 2, 3, 4), "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]", PLAIN_GROUPS + "padding = dense<[[1, 2], [-1, 1]]> : tensor<2x2xi64>, ", (2, 7, 4, 4)),
    ((1, 8, 2), (3, 2, 4), "[b, 0, f]x[0, i, o]->[b, 0, f]", PLAIN_GROUPS + "lhs_dilation = array<i64: 2>, rhs_dilation = array<i64: 3>, ", (1, 9, 4)),
    ((1, 8, 2), (3, 2, 4), "[b, 0, f]x[0, i, o]->[b, 0, f]", PLAIN_GROUPS + "window_reversal = array<i1: true>, ", (1, 6, 4)),
    ((1, 8, 4), (3, 2, 6), "[b, 0, f]x[0, i, o]->[b, 0, f]", "batch_group_count = 1 : i64, feature_group_count = 2 : i64, ", (1, 6, 6)),
    ((1, 8, 4), (3, 1, 8), "[b, 0, f]x[0, i, o]->[b, 0, f]", "batch_group_count = 1 : i64, feature_group_count = 4 : i64, ", (1, 6, 8)),
    ((4, 8, 2), (3, 2, 6), "[b, 0, f]x[0, i, o]->[b, 0, f]", "batch_group_count = 2 : i64, feature_group_count = 1 : i64, ", (2, 6, 6)),
    ((2, 3), (3, 4), "[b, f]x[i, o]->[b, f]", PLAIN_GROUPS, (2, 4)),
    ((8, 2, 1), (2, 4, 3), "[0, f, b]x[i, o, 0]->[f, b, 0]", PLAIN_GROUPS, (4, 1, 6)),
]


def random_bits():
    for algorithm, state in (("THREE_FRY", 2), ("PHILOX", 2), ("PHILOX", 3)):
        for type in ("ui8", "ui16", "ui32", "ui64", "i32", "i64"):
            for shape in ((), (1,), (7,), (16,), (3, 5), (2, 3, 4), (0,)):
                yield simple(f"rng_bit_generator {algorithm}", type, [Operand("ui64", (state,), (0x123456789abcdef0, 0xfffffffffffffffe, 5)[:state])],
                             [result("ui64", (state,)), result(type, shape)], f"rng_algorithm = #stablehlo<rng_algorithm {algorithm}>")


def transforms():
    for kind, source, target, before, after in (("FFT", "complex<f32>", "complex<f32>", (2, 8), (2, 8)), ("IFFT", "complex<f32>", "complex<f32>", (7,), (7,)),
                                                ("RFFT", "f32", "complex<f32>", (3, 6), (3, 4)), ("IRFFT", "complex<f32>", "f32", (3, 4), (3, 6)),
                                                ("IRFFT", "complex<f64>", "f64", (3,), (5,)), ("FFT", "complex<f64>", "complex<f64>", (1,), (1,)),
                                                ("RFFT", "f64", "complex<f64>", (15,), (8,)), ("FFT", "complex<f64>", "complex<f64>", (3, 5), (3, 5))):
        length = before[-1] if kind == "RFFT" else after[-1]
        yield simple(f"fft {kind}", source, [Operand(source, before, "random")], [result(target, after)],
                     f"fft_type = #stablehlo<fft_type {kind}>, fft_length = {array([length])}", relative=1e-6 if "32" in source else 1e-14)
    for type in ("f32", "f64", "complex<f32>"):
        eye = [[4.0, 1.0, 0.5], [1.0, 3.0, 0.25], [0.5, 0.25, 2.0]]
        tolerance = 1e-5 if "32" in type else 1e-13
        for lower in ("true", "false"):
            yield simple(f"cholesky {lower}", type, [Operand(type, (3, 3), tuple(sum(eye, [])))], [result(type, (3, 3))], f"lower = {lower}", relative=tolerance)
            for left in ("true", "false"):
                for transpose in ("NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"):
                    for unit in ("true", "false"):
                        yield simple(f"triangular_solve {left} {lower} {unit} {transpose}", type,
                                     [Operand(type, (2, 3, 3), tuple(sum(eye, []) * 2)), Operand(type, (2, 3, 3), "random")], [result(type, (2, 3, 3))],
                                     f"left_side = {left}, lower = {lower}, unit_diagonal = {unit}, transpose_a = #stablehlo<transpose {transpose}>", relative=tolerance)
    for type in ("f32", "f64"):
        x, c = Operand(type, (2, 3, 4), "random"), Operand(type, (3,), "random")
        positive = Operand(type, (3,), "positive")
        options = {"relative": 1e-5 if type == "f32" else 1e-13}
        form = "epsilon = 1.0e-3 : f32, feature_index = 1 : i64"
        yield simple("batch_norm_inference", type, [x, c, c, c, positive], [result(type, (2, 3, 4))], form, **options)
        yield simple("batch_norm_training", type, [x, c, c], [result(type, (2, 3, 4)), result(type, (3,)), result(type, (3,))], form, **options)
        yield simple("batch_norm_grad", type, [x, c, c, positive, x], [result(type, (2, 3, 4)), result(type, (3,)), result(type, (3,))], form, **options)


def cases():
    for family in (reductions, products, random_bits, transforms):
        yield from family()
