"""Cases of operations with regions and functions: scans, loops, sorts by several keys, and composites. Also cases of ragged dots and of
collectives of one process, for which jaxlib gets equivalent operations."""
from case import Case, result, simple
from contraction import SUMS
from shape import array, body_of
from values import COMPLEX, EIGHT_BITS, FLOATS, INTEGERS, PLAIN, Operand, is_complex, is_float


def tensor(type, shape):
    return Operand(type, tuple(shape)).text()


def zero(type):
    return "(0.0, 0.0)" if is_complex(type) else "0.0" if is_float(type) else "0"


def name_of(type):
    return type.translate(str.maketrans("<>", "__"))


def scans():
    """jaxlib gets the steps unrolled."""
    for type in (*INTEGERS, *FLOATS):
        for shape, dimension in (((2, 3), 1), ((4, 2), 0), ((5,), 0), ((2, 0), 1)):
            for reverse in (False, True):
                rest = [size for d, size in enumerate(shape) if d != dimension]
                row, whole = tensor(type, rest), tensor(type, shape)
                attributes = " attributes {is_reverse = true}" if reverse else ""
                body = f"%r:2 = chlo.scan({{0}}) inits ({{1}}) dimension={dimension}{attributes} {{\n^bb0(%x: {row}, %carry: {row}):\n" \
                       f"%s = stablehlo.multiply %x, %carry : {row}\n%t = stablehlo.maximum %s, %x : {row}\n" \
                       f"stablehlo.return %s, %t : {row}, {row}\n}} : ({whole}, {row}) -> ({whole}, {row})"
                one = [1 if d == dimension else size for d, size in enumerate(shape)]
                lines, carry, steps = [], "{1}", {}
                for step in reversed(range(shape[dimension])) if reverse else range(shape[dimension]):
                    start = [step if d == dimension else 0 for d in range(len(shape))]
                    limit = [step + 1 if d == dimension else size for d, size in enumerate(shape)]
                    lines += [f'%p{step} = "stablehlo.slice"({{0}}) <{{start_indices = {array(start)}, limit_indices = {array(limit)}, '
                              f"strides = {array([1] * len(shape))}}}> : ({whole}) -> {tensor(type, one)}",
                              f"%b{step} = stablehlo.reshape %p{step} : ({tensor(type, one)}) -> {row}",
                              f"%c{step} = stablehlo.multiply %b{step}, {carry} : {row}", f"%d{step} = stablehlo.maximum %c{step}, %b{step} : {row}",
                              f"%e{step} = stablehlo.reshape %c{step} : ({row}) -> {tensor(type, one)}"]
                    carry, steps[step] = f"%d{step}", f"%e{step}"
                names = [steps[step] for step in sorted(steps)]
                joined = f"%all = stablehlo.concatenate {', '.join(names)}, dim = {dimension} : ({', '.join([tensor(type, one)] * len(names))}) -> {whole}" \
                    if names else f"%all = stablehlo.optimization_barrier {{0}} : {whole}"
                reference = "\n".join([*lines, joined, f"%r:2 = stablehlo.optimization_barrier %all, {carry} : {whole}, {row}"])
                yield Case(f"scan {'backwards' if reverse else 'forwards'}", type, (Operand(type, shape, "random"), Operand(type, tuple(rest), "random")), body,
                           (result(type, shape), result(type, rest)), reference=reference)


def loops():
    """Yields cases of a nested loop that uses values defined outside of it, and of a loop whose trip count depends on the values it computes."""
    for type in ("f32", "i32", "bf16"):
        text = tensor(type, (3,))
        body = f"""%zero = stablehlo.constant dense<0> : tensor<i32>
%one = stablehlo.constant dense<1> : tensor<i32>
%r:2 = stablehlo.while(%i = %zero, %x = {{0}}) : tensor<i32>, {text}
cond {{
  %c = stablehlo.compare LT, %i, {{2}} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  stablehlo.return %c : tensor<i1>
}} do {{
  %n = stablehlo.add %i, %one : tensor<i32>
  %y:2 = stablehlo.while(%j = %zero, %v = %x) : tensor<i32>, {text}
  cond {{
    %c = stablehlo.compare LE, %j, %i : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }} do {{
    %m = stablehlo.add %j, %one : tensor<i32>
    %w = stablehlo.subtract {{1}}, %v : {text}
    %u = stablehlo.reverse %w, dims = [0] : {text}
    stablehlo.return %m, %u : tensor<i32>, {text}
  }}
  stablehlo.return %n, %y#1 : tensor<i32>, {text}
}}"""
        for count in (-1, 0, 1, 3):
            yield Case(f"while in while {count}", type, (Operand(type, (3,), (1, 2, 3)), Operand(type, (3,), (5, 7, 9)), Operand("i32", (), [count])), body,
                       (result("i32", ()), result(type, (3,))))
    body = """%one = stablehlo.constant dense<1.0> : tensor<f32>
%half = stablehlo.constant dense<0.5> : tensor<f32>
%r:2 = stablehlo.while(%x = {0}, %count = %one) : tensor<f32>, tensor<f32>
cond {
  %c = stablehlo.compare GT, %x, %one : (tensor<f32>, tensor<f32>) -> tensor<i1>
  stablehlo.return %c : tensor<i1>
} do {
  %y = stablehlo.multiply %x, %half : tensor<f32>
  %n = stablehlo.add %count, %one : tensor<f32>
  stablehlo.return %y, %n : tensor<f32>, tensor<f32>
}"""
    for value in (100.0, 1.0, -3.0, float("nan"), 1e30):
        yield Case("while by value", "f32", (Operand("f32", (), [value]),), body, (result("f32", ()), result("f32", ())))


def sorts():
    """Yields cases of stable sorts with two keys of different types and a third operand. A `dimension` of -1 is the last dimension."""
    for first, second, third in (("i32", "f32", "i8"), ("bf16", "ui8", "f64"), ("i1", "i64", "complex<f32>"), ("f16", "i16", "i1")):
        def element(type):
            return f"tensor<{type}>"
        pairs = "(tensor<{0}>, tensor<{0}>) -> tensor<i1>"
        for order in ("LT", "GE"):
            strict = order if order == "LT" else "GT"
            body = f"^bb0(%a: {element(first)}, %b: {element(first)}, %c: {element(second)}, %d: {element(second)}, %e: {element(third)}, %f: {element(third)}):\n" \
                   f"%l = stablehlo.compare {strict}, %a, %b : {pairs.format(first)}\n%q = stablehlo.compare EQ, %a, %b : {pairs.format(first)}\n" \
                   f"%m = stablehlo.compare {strict}, %c, %d : {pairs.format(second)}\n%n = stablehlo.and %q, %m : tensor<i1>\n" \
                   "%z = stablehlo.or %l, %n : tensor<i1>\nstablehlo.return %z : tensor<i1>"
            for shape in ((30,), (3, 7), (2, 17, 1), (0, 4)):
                operands = [Operand(first, shape, tuple((i * 7) % (2 if first == "i1" else 4) for i in range(count(shape)))),
                            Operand(second, shape, tuple((i * 5) % 3 for i in range(count(shape)))), Operand(third, shape, "random")]
                for dimension in {0, len(shape) - 1, -1}:
                    yield simple(f"sort by two keys {strict}", first, operands, [result(each.type, shape) for each in operands],
                                 (f"dimension = {dimension} : i64, is_stable = true", body))


def count(shape):
    total = 1
    for size in shape:
        total *= size
    return total


def rest():
    for type in (*PLAIN, *EIGHT_BITS):
        operand = Operand(type, (2, 3))
        text = operand.text()
        yield Case("composite", type, (operand,), f'%r = stablehlo.composite "drumlin.twice" {{0}} {{decomposition = @twice_{name_of(type)}, version = 2 : i32}} : ({text}) -> {text}',
                   (result(type, (2, 3)),), functions=f"  func.func private @twice_{name_of(type)}(%a: {text}) -> {text} {{\n    %r = stablehlo.add %a, %a : {text}\n    return %r : {text}\n  }}")
        yield Case("chlo.constant", type, (), f'%r = "chlo.constant"() <{{value = dense<3> : tensor<2xi32>}}> : () -> tensor<2xi32>', (result("i32", (2,)),))
        yield Case("after_all", type, (operand,), f"%t = stablehlo.create_token : !stablehlo.token\n%u = stablehlo.after_all %t, %t : !stablehlo.token\n"
                   f"%r = stablehlo.reverse {{0}}, dims = [1] : {text}", (result(type, (2, 3)),))
        yield simple("cross-replica-sum", type, [operand], [result(type, (2, 3))], "replica_groups = dense<[[0]]> : tensor<1x1xi64>")
        yield simple("collective_broadcast", type, [operand], [result(type, (2, 3))], "replica_groups = dense<[[0]]> : tensor<1x1xi64>",
                     reference=f"%r = stablehlo.optimization_barrier {{0}} : {text}")
        yield simple("collective_reduce", type, [operand], [result(type, (2, 3))], ("replica_groups = dense<[[0]]> : tensor<1x1xi64>", body_of("add", type)),
                     reference=f"%r = stablehlo.optimization_barrier {{0}} : {text}")
        body = f'%f = "stablehlo.async_start"({{0}}) ({{\n^bb0(%x: {text}):\n%y = "stablehlo.all_gather"(%x) <{{all_gather_dim = 0 : i64, ' \
               f"replica_groups = dense<[[0]]> : tensor<1x1xi64>}}> : ({text}) -> {text}\nstablehlo.return %y : {text}\n}}) : ({text}) -> !stablehlo.future<{text}>\n" \
               f'%r = "stablehlo.async_done"(%f) : (!stablehlo.future<{text}>) -> {text}'
        yield Case("async_start", type, (operand,), body, (result(type, (2, 3)),), reference=f"%r = stablehlo.optimization_barrier {{0}} : {text}")
        if type == "i1" or type in EIGHT_BITS:
            continue
        yield Case("unary_einsum", type, (Operand(type, (2, 3), "random"),), f'%r = "stablehlo.unary_einsum"({{0}}) <{{einsum_config = "ab->b"}}> : ({text}) -> {tensor(type, (3,))}',
                   (result(type, (3,)),), relative=SUMS.get(type, 0),
                   reference=f"%z = stablehlo.constant dense<{zero(type)}> : tensor<{type}>\n%r = stablehlo.reduce({{0}} init: %z) applies stablehlo.add across dimensions = [0] : "
                             f"({text}, tensor<{type}>) -> {tensor(type, (3,))}")
    for type in (*INTEGERS, *FLOATS, *COMPLEX):
        for lhs, rhs, made in (((3,), (3,), ()), ((2, 3), (3,), (2,)), ((3,), (3, 4), (4,)), ((2, 3), (3, 4), (2, 4)), ((2, 0), (0, 4), (2, 4))):
            yield simple("dot", type, [Operand(type, lhs, "random"), Operand(type, rhs, "random")], [result(type, made)], relative=SUMS.get(type, 0))
    for type in ("f32", "f64"):
        options = {"relative": 1e-4 if type == "f32" else 1e-12, "elementwise": True}
        for lhs, rhs, made in (((3,), (2, 3), (2, 3)), ((), (4,), (4,)), ((2, 1), (1, 3), (2, 3))):
            for name in ("zeta", "polygamma"):
                yield simple(f"chlo.broadcast_{name}", type, [Operand(type, lhs, (2,) * count(lhs)), Operand(type, rhs, "positive")], [result(type, made)], **options)


def ragged():
    """jaxlib's CPU backend lacks ragged dots, so jaxlib gets a dot for each group."""
    for type in (*INTEGERS, *FLOATS, *COMPLEX):
        for sizes in ((1, 3), (2, 2), (0, 4), (4, 0), (1, 2)):
            lhs, rhs = Operand(type, (4, 3), "random"), Operand(type, (2, 3, 5), "random")
            numbers = "ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], " \
                      "lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>"
            body = f'%r = "chlo.ragged_dot"({{0}}, {{1}}, {{2}}) {{{numbers}}} : ({lhs.text()}, {rhs.text()}, tensor<2xi64>) -> {tensor(type, (4, 5))}'
            lines, parts, first = [], [], 0
            for group, size in enumerate((*sizes, 4 - sum(sizes))):
                rows, made = tensor(type, (size, 3)), tensor(type, (size, 5))
                if group < 2:
                    lines += [f"%rows{group} = stablehlo.slice {{0}} [{first}:{first + size}, 0:3] : ({lhs.text()}) -> {rows}",
                              f"%one{group} = stablehlo.slice {{1}} [{group}:{group + 1}, 0:3, 0:5] : ({rhs.text()}) -> {tensor(type, (1, 3, 5))}",
                              f"%matrix{group} = stablehlo.reshape %one{group} : ({tensor(type, (1, 3, 5))}) -> {tensor(type, (3, 5))}",
                              f"%part{group} = stablehlo.dot_general %rows{group}, %matrix{group}, contracting_dims = [1] x [0] : ({rows}, {tensor(type, (3, 5))}) -> {made}"]
                else:
                    lines.append(f"%part{group} = stablehlo.constant dense<{zero(type)}> : {made}")
                parts.append((f"%part{group}", made))
                first += size
            lines.append(f"%r = stablehlo.concatenate {', '.join(name for name, _ in parts)}, dim = 0 : ({', '.join(text for _, text in parts)}) -> {tensor(type, (4, 5))}")
            yield Case("chlo.ragged_dot", type, (lhs, rhs, Operand("i64", (2,), sizes)), body, (result(type, (4, 5)),), reference="\n".join(lines),
                       relative=SUMS.get(type, 0))
            numbers = "ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0], lhs_ragged_dimensions = [0]>"
            other = Operand(type, (4, 5), "random")
            body = f'%r = "chlo.ragged_dot"({{0}}, {{1}}, {{2}}) {{{numbers}}} : ({lhs.text()}, {other.text()}, tensor<2xi64>) -> {tensor(type, (2, 3, 5))}'
            lines, first = [], 0
            for group, size in enumerate(sizes):
                left, right = tensor(type, (size, 3)), tensor(type, (size, 5))
                lines += [f"%left{group} = stablehlo.slice {{0}} [{first}:{first + size}, 0:3] : ({lhs.text()}) -> {left}",
                          f"%right{group} = stablehlo.slice {{1}} [{first}:{first + size}, 0:5] : ({other.text()}) -> {right}",
                          f"%part{group} = stablehlo.dot_general %left{group}, %right{group}, contracting_dims = [0] x [0] : ({left}, {right}) -> {tensor(type, (3, 5))}",
                          f"%slab{group} = stablehlo.reshape %part{group} : ({tensor(type, (3, 5))}) -> {tensor(type, (1, 3, 5))}"]
                first += size
            lines.append(f"%r = stablehlo.concatenate %slab0, %slab1, dim = 0 : ({tensor(type, (1, 3, 5))}, {tensor(type, (1, 3, 5))}) -> {tensor(type, (2, 3, 5))}")
            yield Case("chlo.ragged_dot summed in groups", type, (lhs, other, Operand("i64", (2,), sizes)), body, (result(type, (2, 3, 5)),),
                       reference="\n".join(lines), relative=SUMS.get(type, 0))


def cases():
    for family in (scans, loops, sorts, rest, ragged):
        yield from family()
