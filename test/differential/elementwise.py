"""Cases of elementwise operations."""
from case import Case, result, simple
from values import (COMPLEX, DTYPES, EIGHT_BITS, FLOATS, INTEGERS, OTHER_SMALL, PLAIN, SIGNED, TINY_INTEGERS, Operand, all_edges, all_pairs,
                    is_complex, is_float, part_of)

# Tolerances for f32, f64 and narrower types, in ULPs, covering both sides' errors. Operations without an entry are exact.
ULPS = {"cbrt": 3, "cosine": 3, "exponential": 3, "exponential_minus_one": 4, "log": 3, "log_plus_one": 4, "logistic": 4, "rsqrt": 2,
        "sine": 3, "tan": 4, "tanh": 4, "atan2": 4, "power": 16,
        "chlo.acos": 6, "chlo.acosh": 6, "chlo.asin": 6, "chlo.asinh": 8, "chlo.atan": 4, "chlo.atanh": 6, "chlo.cosh": 40,
        "chlo.sinh": 40, "chlo.erf": 6, "chlo.erfc": 16, "chlo.erf_inv": 64, "chlo.digamma": 64, "chlo.lgamma": 64,
        "chlo.bessel_i1e": 16, "chlo.tan": 4}
# Tolerances in ULPs for f64, for functions that jaxlib computes less exactly in f64 than in f32.
WIDE_ULPS = {"chlo.cosh": 512, "chlo.sinh": 512, "chlo.erf_inv": 128}
# Absolute tolerances in units of epsilon, for functions whose results near a root have large relative errors.
ABSOLUTE = {"chlo.digamma": 16, "chlo.lgamma": 16}
# Tolerances for complex results, relative to the result's absolute value.
COMPLEX_RELATIVE = {"complex<f32>": 2e-5, "complex<f64>": 1e-12}

# Functions that jaxlib lacks for 8-bit types. It also lacks cbrt for complex numbers.
WIDE_ONLY = ("chlo.erfc", "chlo.bessel_i1e")
UNARY = {
    "abs": SIGNED + FLOATS + COMPLEX,
    "cbrt": FLOATS, "cosine": FLOATS + COMPLEX, "exponential": FLOATS + COMPLEX,
    "exponential_minus_one": FLOATS + COMPLEX, "log": FLOATS + COMPLEX, "log_plus_one": FLOATS + COMPLEX,
    "logistic": FLOATS + COMPLEX, "rsqrt": FLOATS + COMPLEX, "sine": FLOATS + COMPLEX, "sqrt": FLOATS + COMPLEX,
    "tan": FLOATS + COMPLEX, "tanh": FLOATS + COMPLEX,
    "ceil": FLOATS, "floor": FLOATS, "round_nearest_afz": FLOATS, "round_nearest_even": FLOATS, "is_finite": FLOATS,
    "count_leading_zeros": INTEGERS, "popcnt": INTEGERS, "not": ["i1", *INTEGERS],
    "negate": INTEGERS + FLOATS + COMPLEX, "sign": SIGNED + FLOATS + COMPLEX, "optimization_barrier": PLAIN,
    "real": COMPLEX + FLOATS, "imag": COMPLEX + FLOATS,
    "chlo._asin_acos_kernel": COMPLEX,
    "chlo.acos": FLOATS + COMPLEX, "chlo.acosh": FLOATS + COMPLEX, "chlo.asin": FLOATS + COMPLEX, "chlo.asinh": FLOATS + COMPLEX, "chlo.atan": FLOATS + COMPLEX,
    "chlo.atanh": FLOATS + COMPLEX, "chlo.cosh": FLOATS + COMPLEX, "chlo.sinh": FLOATS + COMPLEX, "chlo.erf": FLOATS, "chlo.erfc": FLOATS,
    "chlo.erf_inv": FLOATS, "chlo.digamma": FLOATS, "chlo.lgamma": FLOATS, "chlo.bessel_i1e": FLOATS,
    "chlo.conj": COMPLEX, "chlo.is_inf": FLOATS, "chlo.is_pos_inf": FLOATS, "chlo.is_neg_inf": FLOATS, "chlo.square": FLOATS + COMPLEX,
    "chlo.tan": FLOATS + COMPLEX,
}
BINARY = {
    "add": PLAIN, "multiply": PLAIN, "maximum": PLAIN, "minimum": PLAIN,
    "subtract": INTEGERS + FLOATS + COMPLEX, "divide": INTEGERS + FLOATS + COMPLEX, "remainder": INTEGERS + FLOATS,
    "power": INTEGERS + FLOATS + COMPLEX, "atan2": FLOATS,
    "and": ["i1", *INTEGERS], "or": ["i1", *INTEGERS], "xor": ["i1", *INTEGERS],
    "shift_left": INTEGERS, "shift_right_arithmetic": INTEGERS, "shift_right_logical": INTEGERS,
    "chlo.next_after": ["f32", "f64", "f16", "bf16"],
}
PREDICATES = ("is_finite", "chlo.is_inf", "chlo.is_pos_inf", "chlo.is_neg_inf")
# The types in SHAPED, one of each kind, are tested with all of SHAPES; the other types with one shape that holds all edge values.
SHAPES = [(), (0,), (3, 0, 2), (1,), (1, 1, 1), (7,), (17, 3), (2, 3, 1, 5)]
SHAPED = ("f32", "i32", "ui8", "i1", "bf16", "complex<f32>")


def tolerance(name, type):
    if is_complex(type):
        exact = name in ("negate", "real", "imag", "optimization_barrier", "add", "subtract", "maximum", "minimum", "chlo.conj")
        return {} if exact else {"relative": COMPLEX_RELATIVE[type]}
    if type in EIGHT_BITS and name in ("sqrt", "chlo.square"):
        return {"ulps": 1}  # jaxlib rounds twice: first to f16, then to the 8-bit type
    if not is_float(type) or name not in ULPS:
        return {}
    # jaxlib computes types narrower than f32 in f32, and both sides round to the type.
    ulps = WIDE_ULPS.get(name, ULPS[name]) if type == "f64" else ULPS[name] if type == "f32" else 1
    return {"ulps": ulps, "absolute": ABSOLUTE.get(name, 0)}


def result_type(name, type):
    return "i1" if name in PREDICATES else part_of(type) if name in ("abs", "real", "imag") else type


def shapes(type, whole):
    return [whole, *(SHAPES if type in SHAPED else SHAPES[:1])]


def unary():
    for name, types in UNARY.items():
        for type in types:
            for shape in shapes(type, all_edges(type)):
                yield simple(name, type, [Operand(type, shape)], [result(result_type(name, type), shape)], elementwise=True,
                             **tolerance(name, type))


def binary():
    for name, types in BINARY.items():
        for type in types:
            for shape in shapes(type, all_pairs(type) if not is_complex(type) else all_edges(type)):
                fills = ("left", "right") if shape == all_pairs(type) else ("edges", "turned")
                yield simple(name, type, [Operand(type, shape, fill) for fill in fills], [result(type, shape)], elementwise=True,
                             **tolerance(name, type))


def small_floats():
    for type in EIGHT_BITS + OTHER_SMALL:
        whole = all_edges(type)
        for name in UNARY if type in EIGHT_BITS else ("abs", "negate", "sign", "ceil", "round_nearest_even", "is_finite", "exponential", "tanh", "sqrt", "log"):
            if "f32" not in UNARY[name] or name in WIDE_ONLY:
                continue
            yield simple(name, type, [Operand(type, whole)], [result(result_type(name, type), whole)], elementwise=True,
                         **tolerance(name, type))
        for name in ("add", "subtract", "multiply", "divide", "maximum", "minimum", *(("power", "remainder", "atan2", "chlo.next_after") if type in EIGHT_BITS else ())):
            yield simple(name, type, [Operand(type, all_pairs(type), fill) for fill in ("left", "right")],
                         [result(type, all_pairs(type))], elementwise=True, **tolerance(name, type))


def compare():
    for type in PLAIN + EIGHT_BITS + OTHER_SMALL + TINY_INTEGERS:
        for direction in ("EQ", "NE", "LT", "LE", "GT", "GE"):
            if is_complex(type) and direction not in ("EQ", "NE"):
                continue
            kind = "FLOAT" if is_float(type) or is_complex(type) else "UNSIGNED" if type.startswith("ui") or type == "i1" else "SIGNED"
            kinds = [kind] + (["TOTALORDER"] if type in FLOATS else [])
            for each in kinds:
                form = (f"comparison_direction = #stablehlo<comparison_direction {direction}>, "
                        f"compare_type = #stablehlo<comparison_type {each}>")
                shape = all_pairs(type) if not is_complex(type) else all_edges(type)
                fills = ("left", "right") if not is_complex(type) else ("edges", "turned")
                yield simple(f"compare {direction} {each}", type, [Operand(type, shape, fill) for fill in fills],
                             [result("i1", shape)], form, elementwise=True)


def choices():
    for type in PLAIN + EIGHT_BITS:
        shape = all_edges(type)
        mask = Operand("i1", shape, "random")
        yield simple("select", type, [mask, Operand(type, shape), Operand(type, shape, "turned")], [result(type, shape)])
        yield simple("select", type, [Operand("i1", (), [True]), Operand(type, (3, 2)), Operand(type, (3, 2), "turned")],
                     [result(type, (3, 2))])
        if is_complex(type) or type == "i1":
            continue
        low, high = ([-1.0], [2.0]) if is_float(type) else ([1], [5])
        yield simple("clamp", type, [Operand(type, (), low), Operand(type, shape), Operand(type, (), high)], [result(type, shape)],
                     elementwise=True)
        yield simple("clamp", type, [Operand(type, shape, "random"), Operand(type, shape), Operand(type, shape, "turned")],
                     [result(type, shape)], elementwise=True)


def convert():
    types = [name for name in DTYPES if name not in ("f6E2M3FN", "f6E3M2FN")]  # jaxlib's CPU backend lacks these
    for source in types:
        for target in types:
            shape = all_edges(source)
            yield simple(f"convert to {target}", source, [Operand(source, shape)], [result(target, shape)], elementwise=True)


def reduce_precision():
    for type in FLOATS:
        for exponent, mantissa in ((5, 10), (8, 7), (4, 3), (5, 2), (8, 23), (2, 1), (11, 52), (1, 0)):
            shape = all_edges(type)
            yield simple(f"reduce_precision e{exponent}m{mantissa}", type, [Operand(type, shape)], [result(type, shape)],
                         f"exponent_bits = {exponent} : i32, mantissa_bits = {mantissa} : i32", elementwise=True)


def complex_numbers():
    for type in ("f32", "f64"):
        shape = all_pairs(type)
        yield simple("complex", type, [Operand(type, shape, "left"), Operand(type, shape, "right")],
                     [result(f"complex<{type}>", shape)])


def bitcasts():
    widths = {1: ["i8", "ui8", "f8E4M3FN", "f8E5M2"], 2: ["i16", "ui16", "f16", "bf16"], 4: ["i32", "ui32", "f32"],
              8: ["i64", "ui64", "f64"]}
    for width, sources in widths.items():
        for source in sources:
            for other, targets in widths.items():
                for target in targets:
                    size = len(DTYPES) * 2
                    if other == width:
                        before, after = all_edges(source), all_edges(source)
                    elif other < width:
                        before, after = (3, size), (3, size, width // other)
                    else:
                        before, after = (3, size, other // width), (3, size)
                    yield simple(f"bitcast_convert to {target}", source, [Operand(source, before)], [result(target, after)])


def tiny_integers():
    for type in TINY_INTEGERS:
        for name in ("negate", "not", "count_leading_zeros", "popcnt", *(["abs", "sign"] if type in ("i2", "i4") else [])):
            yield simple(name, type, [Operand(type, all_edges(type))], [result(type, all_edges(type))], elementwise=True)
        for name in ("add", "multiply", "subtract", "maximum", "minimum", "and", "or", "xor", "divide", "remainder", "power", "shift_left",
                     "shift_right_arithmetic", "shift_right_logical"):
            yield simple(name, type, [Operand(type, all_pairs(type), "left"), Operand(type, all_pairs(type), "right")],
                         [result(type, all_pairs(type))], elementwise=True)


def calls():
    """Yields cases of operations with regions: `map`, and `case` with valid and invalid indices."""
    for type in (*INTEGERS, *FLOATS):
        body = f"^bb0(%x: tensor<{type}>, %y: tensor<{type}>):\n%z = stablehlo.multiply %x, %y : tensor<{type}>\n" \
               f"%w = stablehlo.maximum %z, %x : tensor<{type}>\nstablehlo.return %w : tensor<{type}>"
        shape = all_edges(type)
        yield simple("map", type, [Operand(type, shape), Operand(type, shape, "turned")], [result(type, shape)],
                     ("dimensions = array<i64: 0>", body), elementwise=True)
        for index in (-1, 0, 1, 7):
            text = '%r = "stablehlo.case"({1}) ({\n%p = stablehlo.negate {0} : TENSOR\nstablehlo.return %p : TENSOR\n}, {\n' \
                   'stablehlo.return {0} : TENSOR\n}) : (tensor<i32>) -> TENSOR'
            operand = Operand(type, (5,))
            yield Case(f"case {index}", type, (operand, Operand("i32", (), [index])), text.replace("TENSOR", operand.text()),
                       (result(type, (5,)),))
        loop = '%zero = stablehlo.constant dense<0> : tensor<i32>\n%one = stablehlo.constant dense<1> : tensor<i32>\n' \
               '%r:2 = stablehlo.while(%i = %zero, %x = {0}) : tensor<i32>, TENSOR\ncond {\n' \
               '%c = stablehlo.compare LT, %i, {1} : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %c : tensor<i1>\n' \
               '} do {\n%n = stablehlo.add %i, %one : tensor<i32>\n%y = stablehlo.reverse %x, dims = [0] : TENSOR\n' \
               'stablehlo.return %n, %y : tensor<i32>, TENSOR\n}'
        for count in (0, 1, 4):
            operand = Operand(type, (5,))
            yield Case(f"while {count}", type, (operand, Operand("i32", (), [count])), loop.replace("TENSOR", operand.text()),
                       (result("i32", ()), result(type, (5,))))


def cases():
    for family in (unary, binary, small_floats, compare, choices, convert, reduce_precision, complex_numbers, bitcasts, tiny_integers,
                   calls):
        yield from family()
