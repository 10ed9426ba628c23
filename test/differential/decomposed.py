"""Cases of operations that the compiler decomposes: every element type, ranks up to eight, sizes of zero and one, and attributes. They are
compared with the interpreter, which computes each by its definition."""
import itertools

from case import Case, result, simple
from contraction import SUMS
from shape import array
from values import EIGHT_BITS, FLOATS, INTEGERS, Operand, is_float

NUMBERS = ["i1", *INTEGERS, *FLOATS, *EIGHT_BITS]
# Relative tolerances for sums: in each of several steps, the compiled program and the interpreter may round differently.
NARROW = {"bf16": 0.05, "f16": 0.01, "f32": 1e-5, "f64": 1e-13, **{type: 0.6 for type in EIGHT_BITS}}
SHAPES = ((), (1,), (5,), (4,), (0,), (3, 5), (2, 1, 3), (1, 0, 2), (2, 3, 1, 2), (3, 1, 2, 1, 2), (1, 2, 1, 3, 1, 2), (2, 1, 1, 2, 1, 1, 3),
          (1, 2, 1, 1, 3, 1, 1, 2))


def tensor(type, shape):
    return Operand(type, tuple(shape)).text()


def count(shape):
    total = 1
    for size in shape:
        total *= size
    return total


def normalizations(type):
    if not is_float(type) or type == "f8E8M0FNU":
        return
    for shape in SHAPES[1:]:
        for feature in sorted({0, len(shape) // 2, len(shape) - 1}):
            data, vector = Operand(type, shape, "random"), Operand(type, (shape[feature],), "random")
            variance = Operand(type, (shape[feature],), "positive")
            form = f"epsilon = 1.0e-3 : f32, feature_index = {feature} : i64"
            own, along = result(type, shape), result(type, (shape[feature],))
            options = {"relative": NARROW[type]}
            yield simple("batch_norm_inference", type, [data, vector, vector, vector, variance], [own], form, **options)
            yield simple("batch_norm_training", type, [data, vector, vector], [own, along, along], form, **options)
            yield simple("batch_norm_grad", type, [data, vector, vector, variance, data], [own, along, along], form, **options)


EINSUMS = (("ab,bc->ac", (2, 3), (3, 4)), ("abc,acd->abd", (2, 3, 5), (2, 5, 4)), ("a,b->ab", (3,), (4,)), ("ab,ab->", (2, 3), (2, 3)),
           (",->", (), ()), ("a,->a", (3,), ()), ("abc,dc->bad", (2, 3, 4), (5, 4)), ("aab,bc->ca", (3, 3, 2), (2, 4)), ("ab,cd->", (2, 3), (4, 5)),
           ("ab,cd->ca", (2, 3), (4, 5)), ("...ab,...bc->...ac", (2, 3, 4, 5), (3, 5, 2)), ("...a,...b->ba...", (2, 1, 3), (4, 2)),
           ("ab,bc->ac", (2, 1), (3, 4)), ("ab,ab->ab", (1, 3), (2, 1)), ("abb,b->a", (2, 3, 3), (1,)), ("ab,bc->ac", (2, 0), (0, 4)),
           ("ab,bc->ac", (0, 3), (3, 4)), ("aa,aa->a", (1, 3), (3, 1)), ("abcdefg,gfh->hbadce", (1, 2, 1, 3, 2, 2, 3), (3, 2, 2)))
UNARY = (("ab->b", (2, 3)), ("ab->ba", (2, 3)), ("aa->a", (3, 3)), ("aa->", (3, 3)), ("aaa->a", (3, 3, 3)), ("abab->ba", (2, 3, 2, 3)),
         ("a...->...a", (2, 3, 4)), ("...->...", (2, 3)), ("aab->b", (1, 3, 2)), ("aab->ab", (0, 0, 2)), ("abac->bca", (1, 2, 4, 3)), ("ab->", (0, 3)),
         ("->", ()))


def einsum_shape(config, *shapes):
    """Returns the size of each label of an einsum, and the shape of the einsum's result."""
    inputs, output = config.split("->")
    sizes, hidden = {}, 0
    for text, shape in zip(inputs.split(","), shapes):
        dots = len(shape) - len(text.replace("...", ""))
        hidden = max(hidden, dots)
        before, _, behind = text.partition("...")
        labels = list(before) + [-k for k in range(dots, 0, -1)] + list(behind) if "..." in text else list(text)
        for label, size in zip(labels, shape):
            sizes[label] = size if sizes.get(label, 1) == 1 else sizes[label]
    before, dots, behind = output.partition("...")
    labels = list(before) + ([-k for k in range(hidden, 0, -1)] if dots else []) + list(behind)
    return tuple(sizes[label] for label in labels)


def einsums(type):
    options = {"ulps": 1} if type in EIGHT_BITS or type in ("bf16", "f16") else {"relative": NARROW.get(type, 0)}
    for config, lhs, rhs in EINSUMS:
        yield simple("einsum", type, [Operand(type, lhs, "random"), Operand(type, rhs, "random")], [result(type, einsum_shape(config, lhs, rhs))],
                     f'einsum_config = "{config}"', **options)
    for config, shape in UNARY:
        yield simple("unary_einsum", type, [Operand(type, shape, "random")], [result(type, einsum_shape(config, shape))],
                     f'einsum_config = "{config}"', **options)


def legacy(type):
    options = {"relative": SUMS.get(type, NARROW.get(type, 0))}
    for lhs, rhs, made in (((3,), (3,), ()), ((2, 3), (3,), (2,)), ((3,), (3, 4), (4,)), ((2, 3), (3, 4), (2, 4)), ((2, 0), (0, 4), (2, 4)), ((1, 1), (1, 1), (1, 1))):
        yield simple("dot", type, [Operand(type, lhs, "random"), Operand(type, rhs, "random")], [result(type, made)], **options)
    for shape, sizes in (((3,), (2, 4)), ((), (2,)), ((2, 1), ()), ((0, 3), (2, 1)), ((2, 3), (0,)), ((1, 2, 1, 2), (1, 2, 3, 1))):
        yield simple("broadcast", type, [Operand(type, shape)], [result(type, sizes + shape)], f"broadcast_sizes = {array(sizes)}")
    for shape, indices, batch, dimension in (((4, 5, 3), (2,), 0, 1), ((4, 5, 3), (2, 2), 0, 0), ((4, 5, 3), (4, 2), 1, 1), ((4, 5, 3), (), 0, 2),
                                             ((2, 3, 4, 5), (2, 3, 2), 2, 3), ((2, 3, 4, 5), (2, 3), 1, 2), ((4, 0), (2,), 0, 0), ((4, 3), (0,), 0, 1),
                                             ((2, 1, 3, 1, 2, 1, 4, 2), (2, 3), 1, 6)):
        made = shape[:dimension] + indices[batch:] + shape[dimension + 1:]
        for integer in ("i32", "ui8", "i64"):
            places = tuple([0, 3, 1, 2, 2, 0, 1, 1][i % 8] for i in range(count(indices)))
            yield simple("torch_index_select", type, [Operand(type, shape), Operand(integer, indices, places)], [result(type, made)],
                         f"batch_dims = {batch} : i64, dim = {dimension} : i64")


def bodies(type):
    """Bodies that take two numbers: without control flow, with branches, with a loop, and with a tensor inside."""
    scalar = tensor(type, ())
    add = "stablehlo.or" if type == "i1" else "stablehlo.add"
    compared = f"%p = stablehlo.compare LT, %x, %y : ({scalar}, {scalar}) -> tensor<i1>"
    yield "straight", f"%k = stablehlo.maximum %x, %y : {scalar}\n%z = {add} %k, %x : {scalar}"
    yield "constant", f"%z = stablehlo.constant dense<{'true' if type == 'i1' else '1.0' if is_float(type) else '1'}> : {scalar}"
    yield "branches", f'{compared}\n%z = "stablehlo.if"(%p) ({{\n%a = {add} %x, %y : {scalar}\nstablehlo.return %a : {scalar}\n}}, {{\n' \
                      f"stablehlo.return %y : {scalar}\n}}) : (tensor<i1>) -> {scalar}"
    yield "cases", f"{compared}\n%i = stablehlo.convert %p : (tensor<i1>) -> tensor<i32>\n" \
                   f'%z = "stablehlo.case"(%i) ({{\n%a = {add} %x, %y : {scalar}\nstablehlo.return %a : {scalar}\n}}, {{\n' \
                   f"stablehlo.return %x : {scalar}\n}}, {{\nstablehlo.return %y : {scalar}\n}}) : (tensor<i32>) -> {scalar}"
    yield "a loop", "%zero = stablehlo.constant dense<0> : tensor<i32>\n%one = stablehlo.constant dense<1> : tensor<i32>\n" \
                    f"{compared}\n%q = stablehlo.convert %p : (tensor<i1>) -> tensor<i32>\n%n = stablehlo.add %q, %one : tensor<i32>\n" \
                    f"%w:2 = stablehlo.while(%i = %zero, %v = %x) : tensor<i32>, {scalar}\ncond {{\n%c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>\n" \
                    f"stablehlo.return %c : tensor<i1>\n}} do {{\n%j = stablehlo.add %i, %one : tensor<i32>\n%u = {add} %v, %y : {scalar}\n" \
                    f"stablehlo.return %j, %u : tensor<i32>, {scalar}\n}}\n%z = stablehlo.optimization_barrier %w#1 : {scalar}"
    yield "a tensor", f"%m = stablehlo.broadcast_in_dim %x, dims = [] : ({scalar}) -> {tensor(type, (3,))}\n" \
                      f"%z = stablehlo.reduce(%m init: %y) applies stablehlo.maximum across dimensions = [0] : ({tensor(type, (3,))}, {scalar}) -> {scalar}"


def maps(type):
    scalar = tensor(type, ())
    for shape in SHAPES:
        for name, body in bodies(type):
            if name != "straight" and shape not in ((), (5,), (0,), (2, 1, 3)):
                continue
            dimensions = f"dimensions = {array(range(len(shape)))}"
            yield simple(f"map with {name}", type, [Operand(type, shape, "random"), Operand(type, shape, "turned")], [result(type, shape)],
                         (dimensions, f"^bb0(%x: {scalar}, %y: {scalar}):\n{body}\nstablehlo.return %z : {scalar}"))


def scans(type):
    for shape, dimension in (((5,), 0), ((1,), 0), ((0,), 0), ((3, 4), 0), ((3, 4), 1), ((2, 5, 3), 1), ((2, 0, 3), 1), ((2, 3, 0), 1), ((1, 2, 1, 3, 1, 2, 1, 2), 3)):
        part = shape[:dimension] + shape[dimension + 1:]
        piece = tensor(type, part)
        names = ["maximum", "minimum", *(["or", "and", "xor"] if not is_float(type) else []), *(["add", "multiply"] if type != "i1" else [])]
        for name, reverse, associative in itertools.product(names, ("false", "true"), ("false", "true")):
            body = f"^bb0(%x: {piece}, %c: {piece}):\n%z = stablehlo.{name} %x, %c : {piece}\nstablehlo.return %z, %z : {piece}, {piece}"
            options = {"relative": NARROW.get(type, 0)} if associative == "true" else {}
            yield scan(f"chlo.scan of {name}", type, [shape], [part], dimension, reverse, body, (shape, part), f", is_associative = {associative}", **options)
        two = f"^bb0(%x: {piece}, %y: {piece}, %c: {piece}, %d: {piece}):\n%z = stablehlo.maximum %x, %d : {piece}\n%w = stablehlo.minimum %y, %c : {piece}\n" \
              f"stablehlo.return %z, %w, %w, %z : {piece}, {piece}, {piece}, {piece}"
        yield scan("chlo.scan of two", type, [shape, shape], [part, part], dimension, "true", two, (shape, shape, part, part))


def scan(name, type, inputs, inits, dimension, reverse, body, results, more="", **options):
    operands = [Operand(type, shape, fill) for shapes, fill in ((inputs, "random"), (inits, "turned")) for shape in shapes]
    names = ["{%d}" % i for i in range(len(operands))]
    types = ", ".join(each.text() for each in operands)
    made = [result(type, shape) for shape in results]
    text = f"%r:{len(made)} = chlo.scan({', '.join(names[:len(inputs)])}) inits ({', '.join(names[len(inputs):])}) dimension={dimension} " \
           f"attributes {{is_reverse = {reverse}{more}}} {{\n{body}\n}} : ({types}) -> ({', '.join(each.text() for each in made)})"
    return Case(name, type, tuple(operands), text, tuple(made), **options)


STATES = {"THREE_FRY": (2,), "PHILOX": (2, 3), "DEFAULT": (2, 3)}


def bits(type):
    if type == "i1":
        return
    for algorithm, states in STATES.items():
        for size, shape in itertools.product(states, SHAPES):
            # In the second state, the 64-bit counter overflows while the numbers are drawn.
            for numbers in ((3, 5, 7), (2 ** 63 + 12345, 2 ** 64 - 1, 2 ** 64 - 1)):
                state = Operand("ui64", (size,), numbers[:size])
                yield simple(f"rng_bit_generator {algorithm}", type, [state], [result("ui64", (size,)), result(type, shape)],
                             f"rng_algorithm = #stablehlo<rng_algorithm {algorithm}>")


def draws(type):
    distributions = ["UNIFORM", *(["NORMAL"] if is_float(type) else [])]
    for shape, distribution in itertools.product(SHAPES, distributions):
        size = f"%s = stablehlo.constant dense<[{', '.join(map(str, shape))}]> : tensor<{len(shape)}xi64>" if shape else "%s = stablehlo.constant dense<> : tensor<0xi64>"
        low, high = (0, 1) if type == "i1" else (1, 100) if not is_float(type) else (-1.5, 2)
        operands = (Operand(type, (), (low,)), Operand(type, (), (high,)))
        body = f"{size}\n%r = stablehlo.rng {{0}}, {{1}}, %s, distribution = {distribution} : ({tensor(type, ())}, {tensor(type, ())}, tensor<{len(shape)}xi64>) -> {tensor(type, shape)}"
        yield Case(f"rng {distribution}", type, operands, body, (result(type, shape),), relative=NARROW.get(type, 0) if distribution == "NORMAL" else 0)


def products(type):
    """Group sizes whose sum is less or more than the number of rows, group sizes of zero, and group sizes per batch."""
    options = {"relative": NARROW.get(type, 0)}

    def case(lhs, rhs, sizes, made, numbers, integer="i64"):
        dimensions = ", ".join(f"{name} = [{', '.join(map(str, list))}]" for name, list in numbers.items() if list)
        form = f"ragged_dot_dimension_numbers = #chlo.ragged_dot<{dimensions}>"
        return simple("chlo.ragged_dot", type, [Operand(type, lhs, "random"), Operand(type, rhs, "random"), Operand(integer, *sizes)], [result(type, made)], form, **options)

    rows = dict(lhs_contracting_dimensions=[1], rhs_contracting_dimensions=[1], lhs_ragged_dimensions=[0], rhs_group_dimensions=[0])
    for sizes in ((1, 3, 3), (0, 7, 0), (2, 2, 1), (0, 0, 0), (9, 1, 1), (3, -2, 5)):
        yield case((7, 3), (3, 3, 5), ((3,), sizes), (7, 5), rows)
    yield case((70, 3), (2, 3, 5), ((2,), (33, 30)), (70, 5), rows, "ui8")
    yield case((300, 3), (2, 3, 5), ((2,), (133, 150)), (300, 5), rows, "i32")
    yield case((0, 3), (2, 3, 5), ((2,), (1, 1)), (0, 5), rows)
    yield case((4, 0), (2, 0, 5), ((2,), (1, 1)), (4, 5), rows)
    batched = dict(lhs_batching_dimensions=[1], rhs_batching_dimensions=[2], lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[1],
                   lhs_ragged_dimensions=[3], rhs_group_dimensions=[0])
    yield case((3, 2, 4, 7, 2), (3, 3, 2, 5), ((3,), (1, 4, 1)), (2, 4, 7, 2, 5), batched)
    yield case((3, 2, 4, 7, 2), (3, 3, 2, 5), ((2, 4, 3), tuple(i % 4 for i in range(24))), (2, 4, 7, 2, 5), batched)
    summed = dict(lhs_contracting_dimensions=[0], rhs_contracting_dimensions=[0], lhs_ragged_dimensions=[0])
    for sizes in ((1, 3, 3), (0, 7, 0), (2, 2, 1), (9, 1, 1)):
        yield case((7, 3), (7, 5), ((3,), sizes), (3, 3, 5), summed)
    both = dict(lhs_batching_dimensions=[2], rhs_batching_dimensions=[0], lhs_contracting_dimensions=[0, 1], rhs_contracting_dimensions=[1, 2], lhs_ragged_dimensions=[1])
    yield case((3, 7, 2, 4), (2, 3, 7, 5), ((2,), (3, 2)), (2, 2, 4, 5), both)
    yield case((3, 7, 2, 4), (2, 3, 7, 5), ((2, 3, 2), tuple(i % 5 for i in range(12))), (2, 2, 4, 5), both)
    batches = dict(lhs_batching_dimensions=[0, 1], rhs_batching_dimensions=[0, 1], lhs_contracting_dimensions=[3], rhs_contracting_dimensions=[2], lhs_ragged_dimensions=[1])
    yield case((2, 4, 3, 2), (2, 4, 2, 5), ((2,), (1, 2)), (2, 4, 3, 5), batches)
    yield case((2, 4, 3, 2), (2, 4, 2, 5), ((2, 2), (1, 2, 0, 1)), (2, 4, 3, 5), batches)


def branching(type):
    """Yields cases of operations that take a function (reductions, sorts, scatters, …), with functions that contain branches."""
    scalar, row = tensor(type, ()), tensor(type, (3, 4))
    data = Operand(type, (3, 4), "random")
    for name, body in bodies(type):
        if name not in ("branches", "cases"):
            continue
        function = f"({{\n^bb0(%x: {scalar}, %y: {scalar}):\n{body}\nstablehlo.return %z : {scalar}\n}})"
        # This comparator is valid: min(x, y) < y if and only if x < y.
        order = f'({{\n^bb0(%x: {scalar}, %y: {scalar}):\n%p = stablehlo.compare LT, %x, %y : ({scalar}, {scalar}) -> tensor<i1>\n' \
                f'%z = "stablehlo.if"(%p) ({{\nstablehlo.return %x : {scalar}\n}}, {{\nstablehlo.return %y : {scalar}\n}}) : (tensor<i1>) -> {scalar}\n' \
                f"%o = stablehlo.compare LT, %z, %y : ({scalar}, {scalar}) -> tensor<i1>\nstablehlo.return %o : tensor<i1>\n}})"
        select = f"({{\n^bb0(%x: {scalar}, %y: {scalar}):\n{body}\n%o = stablehlo.compare GE, %z, %y : ({scalar}, {scalar}) -> tensor<i1>\nstablehlo.return %o : tensor<i1>\n}}, "
        yield Case(f"reduce with {name}", type, (data, Operand(type, (), "random")),
                   f'%r = "stablehlo.reduce"({{0}}, {{1}}) <{{dimensions = array<i64: 1>}}> {function} : ({row}, {scalar}) -> {tensor(type, (3,))}', (result(type, (3,)),))
        yield Case(f"reduce_window with {name}", type, (data, Operand(type, (), "random")),
                   f'%r = "stablehlo.reduce_window"({{0}}, {{1}}) <{{window_dimensions = array<i64: 2, 2>}}> {function} : ({row}, {scalar}) -> {tensor(type, (2, 3))}', (result(type, (2, 3)),))
        numbers = "#stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>"
        yield Case(f"scatter with {name}", type, (data, Operand("i32", (2, 1), (2, 2)), Operand(type, (2, 4), "random")),
                   f'%r = "stablehlo.scatter"({{0}}, {{1}}, {{2}}) <{{scatter_dimension_numbers = {numbers}}}> {function} : ({row}, tensor<2x1xi32>, {tensor(type, (2, 4))}) -> {row}', (result(type, (3, 4)),))
        yield Case(f"select_and_scatter with {name}", type, (data, Operand(type, (3, 2), "random"), Operand(type, (), "random")),
                   f'%r = "stablehlo.select_and_scatter"({{0}}, {{1}}, {{2}}) <{{window_dimensions = array<i64: 1, 2>, window_strides = array<i64: 1, 2>}}> {select}{function[1:]} : '
                   f"({row}, {tensor(type, (3, 2))}, {scalar}) -> {row}", (result(type, (3, 4)),))
        if name == "cases":
            yield Case(f"sort with {name}", type, (Operand(type, (7,), "random"),),
                       f'%r = "stablehlo.sort"({{0}}) <{{dimension = 0 : i64, is_stable = true}}> {order} : ({tensor(type, (7,))}) -> {tensor(type, (7,))}', (result(type, (7,)),))


def upper_halves(type):
    if type in INTEGERS:
        for shape in SHAPES:
            yield simple("chlo.mulhi", type, [Operand(type, shape), Operand(type, shape, "turned")], [result(type, shape)])


FAMILIES = {"normalizations": normalizations, "einsums": einsums, "legacy": legacy, "maps": maps, "scans": scans, "bits": bits, "draws": draws,
            "products": products, "branching": branching, "upper halves": upper_halves}


def groups():
    """Returns the (family, type) pairs that have cases."""
    return [(family, type) for family, make in FAMILIES.items() for type in NUMBERS if next(make(type), None)]
