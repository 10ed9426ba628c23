"""Cases of operations that can be expressed by several other operations: CHLO's broadcasting and binary operations, legacy operations, dynamic
forms, and collectives of one process."""
from case import Case, result, simple
from elementwise import BINARY, tolerance
from shape import array, body_of
from values import COMPLEX, EIGHT_BITS, FLOATS, INTEGERS, PLAIN, SUMS, Operand, is_complex, is_float

BROADCASTS = ("add", "and", "atan2", "divide", "maximum", "minimum", "multiply", "or", "power", "remainder", "shift_left",
              "shift_right_arithmetic", "shift_right_logical", "subtract", "xor")
SHAPES = (((3,), (2, 3), (2, 3)), ((2, 1), (2, 3), (2, 3)), ((), (4,), (4,)), ((2, 3), (2, 3), (2, 3)), ((1, 3), (4, 1, 1), (4, 1, 3)),
          ((0,), (1,), (0,)))


def broadcasts():
    for name in (*BROADCASTS, "next_after"):
        for type in BINARY[name if name in BINARY else f"chlo.{name}"]:
            for lhs, rhs, made in SHAPES:
                # jaxlib divides by a broadcast number by multiplying by the number's reciprocal, which rounds once more.
                options = {"ulps": 1} if name == "divide" and is_float(type) else tolerance(name, type)
                yield simple(f"chlo.broadcast_{name}", type, [Operand(type, lhs, "random"), Operand(type, rhs, "random")],
                             [result(type, made)], **options)
    for lhs, rhs, made in SHAPES:
        for type in (*PLAIN, *EIGHT_BITS):
            yield simple("chlo.broadcast_compare", type, [Operand(type, lhs), Operand(type, rhs, "turned")], [result("i1", made)],
                         f"comparison_direction = #chlo<comparison_direction {'EQ' if is_complex(type) else 'LT'}>")
            yield simple("chlo.broadcast_select", type, [Operand("i1", lhs, "random"), Operand(type, rhs), Operand(type, rhs, "turned")],
                         [result(type, made)])
        for type in ("f32", "f64"):
            yield simple("chlo.broadcast_complex", type, [Operand(type, lhs), Operand(type, rhs, "turned")], [result(f"complex<{type}>", made)])
    for lhs, dims in (((3,), (1,)), ((2, 3), (0, 1))):
        yield simple("chlo.broadcast_add", "f32", [Operand("f32", lhs), Operand("f32", (2, 3), "random")], [result("f32", (2, 3))],
                     f"broadcast_dimensions = {array(dims)}")


def functions():
    for type in INTEGERS:
        shape = (64,)
        yield simple("chlo.mulhi", type, [Operand(type, shape, "left"), Operand(type, shape, "right")], [result(type, shape)])
    for type in ("f32", "f64"):
        numbers = tuple(0.25 * k + 0.25 for k in range(40))
        # jaxlib computes the factorial as the exponential of its logarithm, which magnifies errors.
        options = {"relative": 1e-4 if type == "f32" else 1e-12, "elementwise": True}
        for order in range(5):
            yield simple("chlo.polygamma", type, [Operand(type, (40,), (order,) * 40), Operand(type, (40,), numbers)], [result(type, (40,))], **options)
        # Operands below zero: the poles, and operands between the poles for even exponents only, whose series has terms of one sign. jaxlib sums
        # few terms of the series, so the operands are close to zero.
        poles, between = (0.0, -0.0, -1.0, -2.0, -8.0), tuple(-0.0625 - 0.125 * k for k in range(35))
        for exponent, name in ((2.0, "zeta"), (10.0, "zeta"), (1.0, "polygamma"), (3.0, "polygamma")):
            yield simple(f"chlo.{name}", type, [Operand(type, (40,), (exponent,) * 40), Operand(type, (40,), poles + between)], [result(type, (40,))], **options)
        for exponent, name in ((3.0, "zeta"), (2.5, "zeta"), (0.5, "zeta"), (2.0, "polygamma"), (0.5, "polygamma"), (-1.0, "polygamma")):
            yield simple(f"chlo.{name}", type, [Operand(type, (5,), (exponent,) * 5), Operand(type, (5,), poles)], [result(type, (5,))], **options)
        for exponent in (1.5, 2.0, 3.0, 10.0):
            yield simple("chlo.zeta", type, [Operand(type, (40,), (exponent,) * 40), Operand(type, (40,), numbers)], [result(type, (40,))], **options)
    for type in (*INTEGERS, *FLOATS):
        value = "1.5" if is_float(type) else "3"
        yield simple("chlo.constant_like", type, [Operand(type, (2, 3))], [result(type, (2, 3))], f"value = {value} : {type}")


def legacy():
    for type in (*INTEGERS, *FLOATS, *COMPLEX):
        exact = {"relative": SUMS.get(type, 0)}
        for config, lhs, rhs, made in (("ab,bc->ac", (2, 3), (3, 4), (2, 4)), ("abc,acd->abd", (2, 3, 5), (2, 5, 4), (2, 3, 4)), ("a,b->ab", (3,), (4,), (3, 4)),
                                       ("ab,ab->", (2, 3), (2, 3), ())):
            yield simple("einsum", type, [Operand(type, lhs, "random"), Operand(type, rhs, "random")], [result(type, made)], f'einsum_config = "{config}"', **exact)
    for type in (*PLAIN, *EIGHT_BITS):
        yield simple("broadcast", type, [Operand(type, (3,))], [result(type, (2, 4, 3))], f"broadcast_sizes = {array((2, 4))}")
        for indices, batch, dimension, made in (((2,), 0, 1, (4, 2, 3)), ((2, 2), 0, 0, (2, 2, 5, 3)), ((4, 2), 1, 1, (4, 2, 3))):
            places = tuple([0, 3, 1, 2, 2, 0, 1, 1][:indices[0] * (indices[1] if len(indices) > 1 else 1)])
            yield simple("torch_index_select", type, [Operand(type, (4, 5, 3)), Operand("i32", indices, places)], [result(type, made)],
                         f"batch_dims = {batch} : i64, dim = {dimension} : i64")
        yield simple("get_dimension_size", type, [Operand(type, (4, 5))], [result("i32", ())], "dimension = 1 : i64")
        tensor = Operand(type, (5,))
        text = tensor.text()
        yield Case("tuple", type, (tensor, Operand(type, (5,), "turned")),
                   f"%t = stablehlo.tuple {{0}}, {{1}} : tuple<{text}, {text}>\n%r = stablehlo.get_tuple_element %t[1] : (tuple<{text}, {text}>) -> {text}",
                   (result(type, (5,)),))
        for flag in (False, True):
            yield Case("if", type, (Operand("i1", (), (flag,)), tensor), f'%r = "stablehlo.if"({{0}}) ({{\nstablehlo.return {{1}} : {text}\n}}, {{\n'
                       f"%x = stablehlo.reverse {{1}}, dims = [0] : {text}\nstablehlo.return %x : {text}\n}}) : (tensor<i1>) -> {text}", (result(type, (5,)),))


ONE = "replica_groups = dense<[[0]]> : tensor<1x1xi64>"


def collectives():
    """In a group of one process, each process gets its own operand."""
    for type in (*PLAIN, *EIGHT_BITS):
        operand = Operand(type, (4, 2))
        yield simple("all_gather", type, [operand], [result(type, (4, 2))], f"all_gather_dim = 0 : i64, {ONE}")
        yield simple("all_reduce", type, [operand], [result(type, (4, 2))], (ONE, body_of("add", type)))
        yield simple("reduce_scatter", type, [operand], [result(type, (4, 2))], (f"scatter_dimension = 0 : i64, {ONE}", body_of("add", type)))
        yield simple("all_to_all", type, [operand], [result(type, (4, 2))],
                     f"split_dimension = 0 : i64, concat_dimension = 1 : i64, split_count = 1 : i64, {ONE}")
        yield simple("collective_permute", type, [operand], [result(type, (4, 2))], "source_target_pairs = dense<[[0, 0]]> : tensor<1x2xi64>")
        yield simple("collective_permute to nobody", type, [operand], [result(type, (4, 2))], "source_target_pairs = dense<> : tensor<0x2xi64>")
    yield simple("replica_id", "ui32", [], [result("ui32", ())])
    yield simple("partition_id", "ui32", [], [result("ui32", ())])


def cases():
    for family in (broadcasts, functions, legacy, collectives):
        yield from family()
