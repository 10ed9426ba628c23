"""Cases of operations that move elements: shapes, slices, gathers, scatters, sorts."""
from case import Case, result, simple
from values import COMPLEX, EIGHT_BITS, FLOATS, INTEGERS, OTHER_SMALL, PLAIN, SUMS, TINY_INTEGERS, Operand

TYPES = PLAIN + EIGHT_BITS + OTHER_SMALL + TINY_INTEGERS
SOME = ("f32", "i8", "ui64", "bf16", "i1", "complex<f32>", "f64")


def array(values):
    values = list(values)
    return "array<i64: " + ", ".join(map(str, values)) + ">" if values else "array<i64>"


def moves():
    for type in TYPES:
        for before, dims, after in (((), (), (3,)), ((3,), (1,), (2, 3)), ((3,), (0,), (3, 2)), ((1, 3), (0, 1), (2, 3)), ((0,), (0,), (0, 4)),
                                    ((2, 3), (1, 3), (1, 2, 5, 3)), ((2, 3), (1, 0), (3, 2)), ((1,), (0,), (17,)), ((1, 1), (0, 2), (4, 2, 33))):
            yield simple("broadcast_in_dim", type, [Operand(type, before)], [result(type, after)], f"broadcast_dimensions = {array(dims)}")
        for before, order in (((), ()), ((2, 3), (1, 0)), ((0, 3), (1, 0)), ((2, 3, 4, 5), (2, 0, 3, 1)), ((1, 7, 1), (2, 1, 0)),
                              ((3, 3, 3), (2, 1, 0)), ((17, 35), (1, 0)), ((5, 16, 2), (0, 2, 1))):
            yield simple("transpose", type, [Operand(type, before)], [result(type, [before[d] for d in order])],
                         f"permutation = {array(order)}")
        for before, after in (((2, 3, 4), (6, 4)), ((), (1,)), ((1, 1), ()), ((0, 3), (3, 0)), ((2, 3, 1, 5), (5, 6)), ((24,), (2, 3, 4))):
            yield simple("reshape", type, [Operand(type, before)], [result(type, after)])
        for shape, dims in (((7,), (0,)), ((2, 3, 4), (0, 2)), ((0,), (0,)), ((17, 5), (1,)), ((), ())):
            yield simple("reverse", type, [Operand(type, shape)], [result(type, shape)], f"dimensions = {array(dims)}")
        for shape, start, limit, step in (((7,), (1,), (6,), (2,)), ((2, 3, 4, 5), (0, 1, 1, 0), (2, 3, 4, 5), (1, 1, 2, 3)),
                                          ((7,), (3,), (3,), (1,)), ((7,), (0,), (7,), (9,)), ((40,), (5,), (38,), (1,)), ((), (), (), ())):
            made = [max(0, -(-(b - a) // s)) for a, b, s in zip(start, limit, step)]
            yield simple("slice", type, [Operand(type, shape)], [result(type, made)],
                         f"start_indices = {array(start)}, limit_indices = {array(limit)}, strides = {array(step)}")
        for shape, low, high, inside in (((3,), (1,), (2,), (0,)), ((5,), (-2,), (1,), (0,)), ((3, 2), (1, 0), (0, -1), (2, 1)), ((0,), (2,), (1,), (3,)),
                                         ((4,), (-3,), (-3,), (3,)), ((2, 3), (0, 0), (0, 0), (0, 0)), ((1,), (17,), (17,), (0,))):
            made = [max(0, a + b + size + max(size - 1, 0) * i) for size, a, b, i in zip(shape, low, high, inside)]
            yield simple("pad", type, [Operand(type, shape), Operand(type, (), "random")], [result(type, made)],
                         f"edge_padding_low = {array(low)}, edge_padding_high = {array(high)}, interior_padding = {array(inside)}")
        # jaxlib crashes when it concatenates 2-bit integers.
        for dimension, shapes in () if type in ("i2", "ui2") else ((0, [(2,), (0,), (3,)]), (1, [(2, 1), (2, 4), (2, 2)]), (0, [(1, 3)]), (2, [(2, 1, 3), (2, 1, 5)]), (0, [(0, 2), (0, 2)])):
            made = list(shapes[0])
            made[dimension] = sum(each[dimension] for each in shapes)
            yield simple("concatenate", type, [Operand(type, each, fill) for each, fill in zip(shapes, ("edges", "random", "turned"))],
                         [result(type, made)], f"dimension = {dimension} : i64")
        if type not in ("i1", *EIGHT_BITS, *OTHER_SMALL):
            for shape, dimension in (((7,), 0), ((3, 4), 1), ((3, 4), 0), ((0,), 0), ((2, 1, 40), 2), ((300,), 0)):
                yield simple("iota", type, [], [result(type, shape)], f"iota_dimension = {dimension} : i64")


def slices():
    for type in SOME:
        for index in ("i32", "i64", "ui8", "i8"):
            lists = ([0, 0], [1, 2], [3, 4]) + (([-1, -7], [100, 100]) if index != "ui8" else ([200, 255],))
            for at in lists:
                starts = [Operand(index, (), [each]) for each in at]
                yield simple("dynamic_slice", type, [Operand(type, (4, 5)), *starts], [result(type, (2, 3))], f"slice_sizes = {array((2, 3))}")
                yield simple("dynamic_update_slice", type, [Operand(type, (4, 5)), Operand(type, (2, 3), "turned"), *starts],
                             [result(type, (4, 5))])
        yield simple("dynamic_slice", type, [Operand(type, ())], [result(type, ())], "slice_sizes = array<i64>")
        yield simple("dynamic_update_slice", type, [Operand(type, (4,)), Operand(type, (0,)), Operand("i32", (), [9])], [result(type, (4,))])


GATHERS = [
    # (operand shape, (index shape, index values), dimension numbers, slice sizes, result shape)
    ((4, 5), ((3, 1), [0, 3, 2]), "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1", (1, 5), (3, 5)),
    ((4, 5), ((3, 1), [-1, 9, 3]), "offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1", (1, 5), (3, 5)),
    ((4, 5), ((3, 2), [0, 0, 3, 4, 2, 9]), "offset_dims = [1, 2], start_index_map = [0, 1], index_vector_dim = 1", (2, 3), (3, 2, 3)),
    ((4, 5), ((2, 3), [0, 4, 1, 3, -2, 2]), "offset_dims = [0], collapsed_slice_dims = [1], start_index_map = [1], index_vector_dim = 2", (4, 1), (4, 2, 3)),
    ((4, 5), ((2, 3), [1, 0, 3, 2, 2, 4]), "collapsed_slice_dims = [0, 1], start_index_map = [1, 0], index_vector_dim = 0", (1, 1), (3,)),
    ((3, 4, 5), ((3, 2, 1), [0, 3, 1, 1, 9, 2]), "offset_dims = [2], collapsed_slice_dims = [1], operand_batching_dims = [0], "
     "start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2", (1, 1, 5), (3, 2, 5)),
    ((7,), ((1,), [5]), "offset_dims = [0], start_index_map = [0], index_vector_dim = 0", (3,), (3,)),
    ((7,), ((0, 1), []), "offset_dims = [1], start_index_map = [0], index_vector_dim = 1", (3,), (0, 3)),
]
# A window that reaches beyond the operand's end.
OVERHANG = ((4, 5), ((2, 2), [3, 4, 0, 0]), "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1", (2, 2, 3))
SCATTERS = [
    # (operand shape, (index shape, index values), dimension numbers, shape of the updates)
    ((4, 5), ((3, 1), [0, 3, 0]), "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1", (3, 5)),
    ((4, 5), ((3, 1), [-1, 9, 2]), "update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1", (3, 5)),
    ((4, 5), ((3, 2), [0, 0, 2, 2, 1, 1]), "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1", (3, 2, 3)),
    ((4, 5), ((3, 2), [0, 1, 3, 4, 0, 1]), "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1", (3,)),
    ((3, 4), ((3, 2, 1), [0, 3, 1, 1, 9, 2]), "inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], "
     "scatter_dims_to_operand_dims = [1], index_vector_dim = 2", (3, 2)),
    ((7,), ((1,), [5]), "update_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 0", (2,)),
    ((7,), ((0, 1), []), "update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1", (0, 2)),
]


def body_of(operation, type):
    """Returns a reducer's body; `second` returns the second operand."""
    pair = f"^bb0(%x: tensor<{type}>, %y: tensor<{type}>):\n"
    if operation == "second":
        return f"{pair}stablehlo.return %y : tensor<{type}>"
    return f"{pair}%z = stablehlo.{operation} %x, %y : tensor<{type}>\nstablehlo.return %z : tensor<{type}>"


def gathers():
    for type in TYPES:
        for index in ("i32", "i64") if type in SOME else ("i32",):
            for shape, (at, places), numbers, sizes, made in GATHERS:
                yield simple("gather", type, [Operand(type, shape), Operand(index, at, tuple(places))], [result(type, made)],
                             f"dimension_numbers = #stablehlo.gather<{numbers}>, indices_are_sorted = false, slice_sizes = {array(sizes)}")
    for type in TYPES:
        operations = ["second"] + (["add", "multiply", "maximum", "minimum"] if type in (*INTEGERS, *FLOATS) else []) \
            + (["and", "or", "xor"] if type in ("i1", "i32", "ui8") else []) + (["add", "multiply"] if type in COMPLEX else [])
        for operation in operations:
            for shape, (at, places), numbers, updates in [*SCATTERS, OVERHANG]:
                form = (f"scatter_dimension_numbers = #stablehlo.scatter<{numbers}>, indices_are_sorted = false, unique_indices = false",
                        body_of(operation, type))
                # Drumlin rounds a sum of updates once, jaxlib after each update.
                relative = SUMS.get(type, 0) if operation == "add" else 2e-5 if operation == "multiply" and type in COMPLEX else 0
                fill = "turned" if operation == "second" or type in INTEGERS else "random"
                name = f"scatter {operation}" + (" overhanging" if updates == OVERHANG[-1] else "")
                yield simple(name, type, [Operand(type, shape, "random"), Operand("i32", at, tuple(places)), Operand(type, updates, fill)],
                             [result(type, shape)], form, relative=relative)


def sorts():
    for type in INTEGERS + FLOATS + EIGHT_BITS:
        for direction in ("LT", "GT"):
            for order in ("", "TOTALORDER") if type in FLOATS else ("",):
                compare = f"stablehlo.compare {direction}, %x, %y" + (f", {order}" if order else "")
                body = f"^bb0(%x: tensor<{type}>, %y: tensor<{type}>):\n%z = {compare} : (tensor<{type}>, tensor<{type}>) -> tensor<i1>\n" \
                       "stablehlo.return %z : tensor<i1>"
                # If the comparator isn't a total order, operands must have no NaN: a NaN would make it inconsistent.
                fill = "edges" if order or type not in FLOATS + EIGHT_BITS else "random"
                for shape, dimension in (((0,), 0), ((1,), 0), ((37,), 0), ((5, 7), 0), ((3, 1, 40), 2), ((200,), 0)):
                    yield simple(f"sort {direction} {order}".strip(), type, [Operand(type, shape, fill)], [result(type, shape)],
                                 (f"dimension = {dimension} : i64, is_stable = true", body))
        body = f"^bb0(%x: tensor<{type}>, %y: tensor<{type}>, %a: tensor<i32>, %b: tensor<i32>):\n" \
               f"%z = stablehlo.compare LT, %x, %y : (tensor<{type}>, tensor<{type}>) -> tensor<i1>\nstablehlo.return %z : tensor<i1>"
        yield simple("sort", type, [Operand(type, (41,), "random"), Operand("i32", (41,), tuple(range(41)))],
                     [result(type, (41,)), result("i32", (41,))], ("dimension = 0 : i64, is_stable = true", body))
    for type in ("f32", "i32", "bf16", "ui8"):
        for size, k in ((7, 3), (40, 1), (33, 33)):
            yield Case(f"chlo.top_k {k}", type, (Operand(type, (3, size), "random"),),
                       f"%r:2 = chlo.top_k({{0}}, k = {k}) : tensor<3x{size}x{type}> -> (tensor<3x{k}x{type}>, tensor<3x{k}xi32>)",
                       (result(type, (3, k)), result("i32", (3, k))))


def cases():
    for family in (moves, slices, gathers, sorts):
        yield from family()
