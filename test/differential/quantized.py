"""Cases of quantized elements. jaxlib's parser lacks quantized types, so jaxlib gets the specification's formulas on plain numbers."""
import elementwise
from case import Case, result
from contraction import SUMS
from values import Operand

# (storage type, its smallest and largest value or None for the type's whole range, expressed type, scale, zero point)
FORMATS = [("i8", None, "f32", 0.5, 0), ("i8", None, "f32", 0.25, -3), ("ui8", None, "f32", 0.125, 128), ("i8", (-7, 7), "f32", 1.0, 0),
           ("i4", None, "f32", 0.5, 1), ("ui4", None, "f32", 2.0, 8), ("i16", None, "f32", 0.0009765625, 100), ("i8", None, "bf16", 0.5, 2),
           ("ui8", (10, 200), "f16", 0.0625, 100), ("i32", None, "f64", 0.00390625, 1000), ("i8", None, "f64", 0.1, 5)]
RANGES = {"i4": (-8, 7), "ui4": (0, 15), "i8": (-128, 127), "ui8": (0, 255), "i16": (-32768, 32767), "i32": (-2147483648, 2147483647)}


def written(storage):
    return storage.replace("ui", "u")


def quantized(format):
    storage, limits, expressed, scale, zero = format
    limits = f"<{limits[0]}:{limits[1]}>" if limits else ""
    return f"!quant.uniform<{written(storage)}{limits}:{expressed}, {scale!r}:{zero}>"


def shaped(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


class Plain:
    """Writes program text without quantized types, by the specification's formulas: quantize(x) = round_nearest_even(clamp(smallest, x / scale +
    zero point, largest))."""

    def __init__(self):
        self.lines, self.count = [], 0

    def line(self, text):
        self.count += 1
        self.lines.append(f"%v{self.count} = stablehlo.{text}")
        return f"%v{self.count}"

    def constant(self, shape, type, value):
        return self.line(f"constant dense<{value}> : {shaped(shape, type)}")

    def quantize(self, x, shape, format):
        storage, limits, expressed, scale, zero = format
        type = shaped(shape, expressed)
        least, greatest = limits or RANGES[storage]
        steps = self.line(f"divide {x}, {self.constant(shape, expressed, repr(scale))} : {type}")
        steps = self.line(f"add {steps}, {self.constant(shape, expressed, repr(float(zero)))} : {type}")
        steps = self.line(f"clamp {self.constant(shape, expressed, repr(float(least)))}, {steps}, {self.constant(shape, expressed, repr(float(greatest)))} : {type}")
        steps = self.line(f"round_nearest_even {steps} : {type}")
        return self.line(f"convert {steps} : ({type}) -> {shaped(shape, storage)}")

    def dequantize(self, q, shape, format):
        storage, _, expressed, scale, zero = format
        type = shaped(shape, expressed)
        steps = self.line(f"convert {q} : ({shaped(shape, storage)}) -> {type}")
        steps = self.line(f"subtract {steps}, {self.constant(shape, expressed, repr(float(zero)))} : {type}")
        return self.line(f"multiply {steps}, {self.constant(shape, expressed, repr(scale))} : {type}")

    def text(self, result, type):
        return "\n".join([*self.lines, f"%r = stablehlo.optimization_barrier {result} : {type}"])


def numbers(shape, scale, zero, storage):
    """Returns values around the storage type's range, including half steps and infinities but no NaN."""
    least, greatest = RANGES[storage]
    steps = [0.0, 0.5, 1.5, -0.5, -1.5, 2.5, 3.25, 7.0, -6.75, 100.0, -100.0, 0.25, -0.25]
    steps += [least - zero, least - zero - 1.0, greatest - zero, greatest - zero + 0.5, float("inf"), float("-inf"), -0.0]
    count = 1
    for size in shape:
        count *= size
    return tuple((steps[i % len(steps)] + i // len(steps)) * scale for i in range(count))


def conversions():
    for format in FORMATS:
        storage, _, expressed, scale, zero = format
        for shape in ((), (0,), (40,), (2, 3)):
            operand = Operand(expressed, shape, numbers(shape, scale, zero, storage))
            q = shaped(shape, quantized(format))
            plain = Plain()
            stored = plain.quantize("{0}", shape, format)
            both = f"%q = stablehlo.uniform_quantize {{0}} : ({operand.text()}) -> {q}\n"
            yield Case("uniform_quantize", expressed, (operand,), both + f"%r = stablehlo.bitcast_convert %q : ({q}) -> {shaped(shape, storage)}",
                       (result(storage, shape),), reference=plain.text(stored, shaped(shape, storage)))
            back = plain.dequantize(stored, shape, format)
            yield Case("uniform_dequantize", expressed, (operand,), both + f"%r = stablehlo.uniform_dequantize %q : ({q}) -> {operand.text()}",
                       (result(expressed, shape),), reference=plain.text(back, operand.text()))
    first, second = FORMATS[0], FORMATS[2]
    shape = (40,)
    operand = Operand("f32", shape, numbers(shape, 0.5, 0, "i8"))
    plain = Plain()
    again = plain.quantize(plain.dequantize(plain.quantize("{0}", shape, first), shape, first), shape, second)
    a, b = shaped(shape, quantized(first)), shaped(shape, quantized(second))
    yield Case("uniform_quantize again", "f32", (operand,), f"%q = stablehlo.uniform_quantize {{0}} : ({operand.text()}) -> {a}\n"
               f"%s = stablehlo.uniform_quantize %q : ({a}) -> {b}\n%r = stablehlo.bitcast_convert %s : ({b}) -> {shaped(shape, 'ui8')}",
               (result("ui8", shape),), reference=plain.text(again, shaped(shape, "ui8")))


# Left out: functions that may give NaN, which no storage type has, and operations that aren't arithmetic.
LEFT_OUT = ("log", "log_plus_one", "rsqrt", "sqrt", "is_finite", "real", "imag", "optimization_barrier")
UNARY = [name for name, types in elementwise.UNARY.items() if "f32" in types and not name.startswith("chlo.") and name not in LEFT_OUT]
BINARY = ["add", "subtract", "multiply", "maximum", "minimum", "atan2"]


def arithmetic():
    """Arithmetic on the expressed numbers: dequantizes, computes, quantizes."""
    shape = (40,)
    for format in FORMATS[:6] + FORMATS[7:8]:
        storage, _, expressed, scale, zero = format
        operand = Operand(expressed, shape, numbers(shape, scale, zero, storage))
        other = Operand(expressed, shape, tuple(reversed(numbers(shape, scale, zero, storage))))
        type, plain_type = shaped(shape, quantized(format)), operand.text()
        for name in UNARY + BINARY:
            count = 1 if name in UNARY else 2
            plain = Plain()
            values = [plain.dequantize(plain.quantize("{%d}" % i, shape, format), shape, format) for i in range(count)]
            computed = plain.line(f"{name} {', '.join(values)} : {plain_type}")
            expected = plain.quantize(computed, shape, format)
            lines = [f"%q{i} = stablehlo.uniform_quantize {{{i}}} : ({plain_type}) -> {type}" for i in range(count)]
            lines += [f'%s = "stablehlo.{name}"({", ".join(f"%q{i}" for i in range(count))}) : ({", ".join([type] * count)}) -> {type}',
                      f"%r = stablehlo.bitcast_convert %s : ({type}) -> {shaped(shape, storage)}"]
            yield Case(f"quantized {name}", expressed, (operand, other)[:count], "\n".join(lines), (result(storage, shape),),
                       reference=plain.text(expected, shaped(shape, storage)))


MOVES = [
    ("transpose", (2, 3), (3, 2), "permutation = array<i64: 1, 0>"), ("reshape", (2, 3), (6,), ""),
    ("broadcast_in_dim", (2, 3), (4, 2, 3), "broadcast_dimensions = array<i64: 1, 2>"), ("reverse", (2, 3), (2, 3), "dimensions = array<i64: 1>"),
    ("slice", (4, 5), (2, 2), "start_indices = array<i64: 1, 0>, limit_indices = array<i64: 3, 4>, strides = array<i64: 1, 2>"),
]


def moves():
    """Data movement operations move the stored integers unchanged."""
    for format in FORMATS:
        storage, _, expressed, scale, zero = format
        for name, before, after, attributes in MOVES:
            operand = Operand(expressed, before, numbers(before, scale, zero, storage))
            attributes = f" <{{{attributes}}}>" if attributes else ""
            a, b = shaped(before, quantized(format)), shaped(after, quantized(format))
            plain = Plain()
            stored = plain.quantize("{0}", before, format)
            plain.lines.append(f'%moved = "stablehlo.{name}"({stored}){attributes} : ({shaped(before, storage)}) -> {shaped(after, storage)}')
            yield Case(f"quantized {name}", expressed, (operand,), f"%q = stablehlo.uniform_quantize {{0}} : ({operand.text()}) -> {a}\n"
                       f'%s = "stablehlo.{name}"(%q){attributes} : ({a}) -> {b}\n%r = stablehlo.bitcast_convert %s : ({b}) -> {shaped(after, storage)}',
                       (result(storage, after),), reference=plain.text("%moved", shaped(after, storage)))


def products():
    """Yields cases of dots in which both operands are quantized, or only the right one (the weights). Scales are per tensor."""
    lhs_shape, rhs_shape, made = (3, 5), (5, 4), (3, 4)
    dot = '"stablehlo.dot_general"(LHS, RHS) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}>'
    for format, weights, target in ((FORMATS[1], FORMATS[0], FORMATS[3]), (FORMATS[0], FORMATS[0], FORMATS[1])):
        expressed = "f32"
        lhs, rhs = Operand(expressed, lhs_shape, "random"), Operand(expressed, rhs_shape, "random")
        a, b, c = (shaped(shape, quantized(each)) for shape, each in ((lhs_shape, format), (rhs_shape, weights), (made, target)))
        plain = Plain()
        values = [plain.dequantize(plain.quantize(name, shape, each), shape, each) for name, shape, each in (("{0}", lhs_shape, format), ("{1}", rhs_shape, weights))]
        product = plain.line(f"dot_general {values[0]}, {values[1]}, contracting_dims = [1] x [0] : ({lhs.text()}, {rhs.text()}) -> {shaped(made, expressed)}")
        stored = plain.quantize(product, made, target)
        body = f"%a = stablehlo.uniform_quantize {{0}} : ({lhs.text()}) -> {a}\n%b = stablehlo.uniform_quantize {{1}} : ({rhs.text()}) -> {b}\n" \
               f"%s = {dot.replace('LHS', '%a').replace('RHS', '%b')} : ({a}, {b}) -> {c}\n%r = stablehlo.bitcast_convert %s : ({c}) -> {shaped(made, target[0])}"
        yield Case("quantized dot_general", expressed, (lhs, rhs), body, (result(target[0], made),), reference=plain.text(stored, shaped(made, target[0])))
        plain = Plain()
        value = plain.dequantize(plain.quantize("{1}", rhs_shape, weights), rhs_shape, weights)
        product = plain.line(f"dot_general {{0}}, {value}, contracting_dims = [1] x [0] : ({lhs.text()}, {rhs.text()}) -> {shaped(made, expressed)}")
        body = f"%b = stablehlo.uniform_quantize {{1}} : ({rhs.text()}) -> {b}\n" \
               f"%r = {dot.replace('LHS', '{0}').replace('RHS', '%b')} : ({lhs.text()}, {b}) -> {shaped(made, expressed)}"
        yield Case("hybrid dot_general", expressed, (lhs, rhs), body, (result(expressed, made),), reference=plain.text(product, shaped(made, expressed)),
                   relative=SUMS["f32"])


def per_axis():
    """A scale for each column."""
    shape, scales, zeros = (4, 3), (0.5, 0.25, 2.0), (0, 3, -5)
    element = "!quant.uniform<i8:f32:1, {" + ", ".join(f"{s!r}:{z}" for s, z in zip(scales, zeros)) + "}>"
    operand = Operand("f32", shape, numbers(shape, 0.5, 0, "i8"))
    q, type, stored_type = shaped(shape, element), operand.text(), shaped(shape, "i8")
    rows = {name: f"dense<[{', '.join(['[' + ', '.join(repr(float(v)) for v in values) + ']'] * 4)}]>" for name, values in (("s", scales), ("z", zeros))}
    formula = f"%s = stablehlo.constant {rows['s']} : {type}\n%z = stablehlo.constant {rows['z']} : {type}\n" \
              f"%least = stablehlo.constant dense<-128.0> : {type}\n%most = stablehlo.constant dense<127.0> : {type}\n" \
              f"%d = stablehlo.divide {{0}}, %s : {type}\n%e = stablehlo.add %d, %z : {type}\n" \
              f"%f = stablehlo.clamp %least, %e, %most : {type}\n%g = stablehlo.round_nearest_even %f : {type}\n"
    both = f"%q = stablehlo.uniform_quantize {{0}} : ({type}) -> {q}\n"
    yield Case("uniform_quantize along columns", "f32", (operand,), both + f"%r = stablehlo.bitcast_convert %q : ({q}) -> {stored_type}",
               (result("i8", shape),), reference=formula + f"%r = stablehlo.convert %g : ({type}) -> {stored_type}")
    yield Case("uniform_dequantize along columns", "f32", (operand,), both + f"%r = stablehlo.uniform_dequantize %q : ({q}) -> {type}",
               (result("f32", shape),), reference=formula + f"%i = stablehlo.convert %g : ({type}) -> {stored_type}\n%j = stablehlo.convert %i : ({stored_type}) -> {type}\n"
               f"%h = stablehlo.subtract %j, %z : {type}\n%r = stablehlo.multiply %h, %s : {type}")


def cases():
    for family in (conversions, arithmetic, moves, products, per_axis):
        yield from family()
