"""Cases of operations with size operands. The sizes are constants or arguments. jaxlib accepts only constants, so it gets constants in both
cases."""
from case import Case, result
from contraction import SUMS
from shape import array
from values import COMPLEX, EIGHT_BITS, FLOATS, INTEGERS, PLAIN, Operand


def tensor(type, shape):
    return Operand(type, tuple(shape)).text()


def list_of(values):
    return "[" + ", ".join(map(str, values)) + "]" if values else ""


def unknown(type, shape, known=()):
    return "tensor<" + "".join((f"{size}x" if d in known else "?x") for d, size in enumerate(shape)) + type + ">"


def pair(name, type, operands, sizes, made, attributes="", known=(), **options):
    """Yields two forms of an operation: its sizes are constants in one and arguments in the other. `sizes` are its last operands, each a pair
    (integer type, values)."""
    attributes = f" <{{{attributes}}}>" if attributes else ""
    constants = [f"%s{i} = stablehlo.constant dense<{list_of(values)}> : {tensor(index, (len(values),))}" for i, (index, values) in enumerate(sizes)]
    names = ["{%d}" % i for i in range(len(operands))]
    types = [each.text() for each in operands] + [tensor(index, (len(values),)) for index, values in sizes]
    static = "\n".join([*constants, f'%r = "stablehlo.{name}"({", ".join(names + [f"%s{i}" for i in range(len(sizes))])}){attributes} : '
                                    f"({', '.join(types)}) -> {tensor(type, made)}"])
    yield Case(name, type, tuple(operands), static, (result(type, made),), **options)
    given = [Operand(index, (len(values),), tuple(values)) for index, values in sizes]
    places = ", ".join("{%d}" % i for i in range(len(operands) + len(given)))
    run_time = unknown(type, made, known)
    body = f'%d = "stablehlo.{name}"({places}){attributes} : ({", ".join(types)}) -> {run_time}\n' \
           f"%r = stablehlo.reshape %d : ({run_time}) -> {tensor(type, made)}"
    yield Case(f"{name} at run time", type, (*operands, *given), body, (result(type, made),), reference=static, **options)


def moves(type):
    for index in ("i32", "i64") if type == "f32" else ("i64",):
        for before, after in (((2, 3), (3, 2)), ((), (1, 1)), ((1,), ()), ((0, 3), (3, 0)), ((2, 3, 4), (24,)), ((24,), (2, 3, 4))):
            yield from pair("dynamic_reshape", type, [Operand(type, before)], [(index, after)], after)
        for before, dims, after in (((), (), (3,)), ((3,), (1,), (2, 3)), ((1, 3), (0, 1), (2, 3)), ((0,), (0,), (0, 4)), ((2, 3), (1, 0), (3, 2)), ((), (), ())):
            yield from pair("dynamic_broadcast_in_dim", type, [Operand(type, before)], [(index, after)], after, f"broadcast_dimensions = {array(dims)}")
        for shape, low, high, inside in (((3,), (1,), (2,), (0,)), ((5,), (-2,), (1,), (0,)), ((3, 2), (1, 0), (0, -1), (2, 1)), ((0,), (2,), (1,), (3,)), ((), (), (), ())):
            made = [max(0, a + b + size + max(size - 1, 0) * i) for size, a, b, i in zip(shape, low, high, inside)]
            yield from pair("dynamic_pad", type, [Operand(type, shape), Operand(type, (), "random")], [(index, low), (index, high), (index, inside)], made)
        for shape, start, limit, step in (((7,), (1,), (6,), (2,)), ((4, 5), (0, 1), (4, 4), (1, 3)), ((7,), (3,), (3,), (1,)), ((), (), (), ())):
            made = [-(-(b - a) // s) for a, b, s in zip(start, limit, step)]
            yield from pair("real_dynamic_slice", type, [Operand(type, shape)], [(index, start), (index, limit), (index, step)], made)
        if type != "i1" and type not in EIGHT_BITS:
            for shape, dimension in (((7,), 0), ((3, 4), 1), ((0, 2), 1)):
                yield from pair("dynamic_iota", type, [], [(index, shape)], shape, f"iota_dimension = {dimension} : i64")
    numbers = "dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>"
    for size in (1, 3, 5):
        yield from pair("dynamic_gather", type, [Operand(type, (4, 5)), Operand("i32", (3, 1), (0, 9, -2))], [("i64", (1, size))], (3, size), numbers, known=(0,))


def convolutions(type):
    """jaxlib's translation lacks dynamic_conv, so jaxlib gets a static convolution with this padding."""
    for low, high in ((1, 1), (0, 2), (-1, 0)):
        lhs, rhs, count = Operand(type, (1, 8, 2), "random"), Operand(type, (3, 2, 4), "random"), 6 + low + high
        numbers = "dimension_numbers = #stablehlo.conv<[b, 0, f]x[0, i, o]->[b, 0, f]>, batch_group_count = 1 : i64, feature_group_count = 1 : i64"
        made = tensor(type, (1, count, 4))
        plain = f'%r = "stablehlo.convolution"({{0}}, {{1}}) <{{{numbers}, padding = dense<[[{low}, {high}]]> : tensor<1x2xi64>}}> : ' \
                f"({lhs.text()}, {rhs.text()}) -> {made}"
        body = f'%d = "stablehlo.dynamic_conv"({{0}}, {{1}}, {{2}}) <{{{numbers}}}> : ({lhs.text()}, {rhs.text()}, tensor<1x2xi64>) -> tensor<1x?x4x{type}>\n' \
               f"%r = stablehlo.reshape %d : (tensor<1x?x4x{type}>) -> {made}"
        yield Case("dynamic_conv", type, (lhs, rhs, Operand("i64", (1, 2), (low, high))), body, (result(type, (1, count, 4)),), reference=plain,
                   relative=SUMS.get(type, 0))


def bounded(type):
    """Sizes below their bound: only the elements within the size are combined."""
    for count in (0, 1, 3):
        bound = f"tensor<2x?x{type}, #stablehlo.bounds<?, 3>>"
        body = f"%n = stablehlo.constant dense<{count}> : tensor<i32>\n%z = stablehlo.constant dense<0> : tensor<{type}>\n" \
               f"%d = stablehlo.set_dimension_size {{0}}, %n, dim = 1 : (tensor<2x3x{type}>, tensor<i32>) -> {bound}\n" \
               f"%r0 = stablehlo.reduce(%d init: %z) applies stablehlo.add across dimensions = [1] : ({bound}, tensor<{type}>) -> tensor<2x{type}>\n" \
               f"%r1 = stablehlo.get_dimension_size %d, dim = 1 : ({bound}) -> tensor<i32>\n" \
               f"%w = stablehlo.convert %r1 : (tensor<i32>) -> tensor<{type}>\n" \
               f"%b = stablehlo.broadcast_in_dim %w, dims = [] : (tensor<{type}>) -> tensor<2x{type}>\n%r = stablehlo.add %r0, %b : tensor<2x{type}>"
        yield Case(f"set_dimension_size {count}", type, (Operand(type, (2, 3), "random"),), body, (result(type, (2,)),))


def cases():
    for type in (*PLAIN, *EIGHT_BITS):
        yield from moves(type)
    for type in (*INTEGERS, *FLOATS, *COMPLEX):
        yield from convolutions(type)
    for type in INTEGERS:
        yield from bounded(type)
