"""The families of operations in random programs of symbolic sizes. The function of a family adds one operation to a tape, or raises
`Declined`."""
import functools
import math
import operator

import jax
import jax.numpy as jnp
from jax import lax

from tape import WORK, Declined

FAMILIES = {}  # family name: (weight, function that adds an operation to a tape)


def family(name, weight=2):
    def added(function):
        FAMILIES[name] = (weight, function)
        return function
    return added


# Smooth functions. Each entry's second function bounds the result for operands of magnitude up to `x`.
SMOOTH = {
    "tanh": (jnp.tanh, lambda x: 1), "sin": (jnp.sin, lambda x: 1), "cos": (jnp.cos, lambda x: 1), "logistic": (jax.nn.sigmoid, lambda x: 1),
    "exp": (lambda x: jnp.exp(-jnp.abs(x)), lambda x: 1), "expm1": (lambda x: jnp.expm1(jnp.tanh(x)), lambda x: 2),
    "log": (lambda x: jnp.log(jnp.abs(x) + 0.5), lambda x: 2 + math.log(x + 1)), "log1p": (lambda x: jnp.log1p(jnp.abs(x)), lambda x: 1 + math.log(x + 1)),
    "sqrt": (lambda x: jnp.sqrt(jnp.abs(x) + 0.25), lambda x: 1 + x), "rsqrt": (lambda x: lax.rsqrt(x * x + 0.5), lambda x: 2),
    "erf": (lax.erf, lambda x: 1), "gelu": (jax.nn.gelu, lambda x: x), "silu": (jax.nn.silu, lambda x: x), "softplus": (jax.nn.softplus, lambda x: x + 1),
    "atan2": (lambda x: jnp.arctan2(x, jnp.abs(x) + 1), lambda x: 2), "cbrt": (lambda x: lax.cbrt(jnp.abs(x) + 1), lambda x: x + 1),
    "power": (lambda x: lax.integer_pow(jnp.tanh(x), 3), lambda x: 1), "logit": (lambda x: jax.scipy.special.logit(jax.nn.sigmoid(x / 8) * 0.5 + 0.25), lambda x: 2),
}


@family("function", 5)
def function(tape):
    i = tape.pick("float")
    name = tape.random.choice(list(SMOOTH))
    of, bound = SMOOTH[name]
    tape.add(f"function {name}", of, [i], bound(tape.values[i].bound), exact=False)


EXACT_UNARY = {"abs": jnp.abs, "negate": operator.neg, "sign": jnp.sign, "square": jnp.square, "floor": lambda x: jnp.floor(x * 0.5), "ceil": lambda x: jnp.ceil(x * 0.5),
               "round": lambda x: jnp.round(x * 0.5), "relu": jax.nn.relu, "one_less": lambda x: 1 - x}


@family("small function", 4)
def small_function(tape):
    i = tape.pick("float int")
    value, name = tape.values[i], tape.random.choice(list(EXACT_UNARY))
    if name in ("floor", "ceil", "round", "sign") and not value.exact or value.kind == "int" and name in ("floor", "ceil", "round"):
        raise Declined("a step")
    if value.dtype.kind == "u" and name in ("negate", "one_less", "sign"):
        raise Declined("without a sign")
    tape.add(f"small function {name}", EXACT_UNARY[name], [i], max(value.bound**2 if name == "square" else value.bound + 1, 1))


# Binary functions. Each entry's second function bounds the result for operands of magnitude up to `x` and `y`.
BINARY = {
    "add": (jnp.add, lambda x, y: x + y), "subtract": (jnp.subtract, lambda x, y: x + y), "multiply": (jnp.multiply, lambda x, y: x * y),
    "maximum": (jnp.maximum, max), "minimum": (jnp.minimum, max),
}
BITS = {"and": jnp.bitwise_and, "or": jnp.bitwise_or, "xor": jnp.bitwise_xor}


def partner(tape, i):
    """Returns a second operand of the same or a broadcastable shape, as a function of the input arrays, and the indices of these inputs."""
    rng, value = tape.random, tape.values[i]
    kind = rng.choice(("like", "like", "like", "reduced", "suffix", "iota", "number", "size", "transposed"))
    if kind == "reduced" and value.rank:
        axes = tape.axes(i)
        return lambda x, y: jnp.max(y, axes, keepdims=True, initial=0 if y.dtype.kind in "u" else -4), [i], value.bound + 4
    if kind == "suffix":
        fits = [j for j, other in enumerate(tape.values) if other.dtype == value.dtype and other.rank < value.rank and other.shape == value.shape[value.rank - other.rank:]]
        if fits:
            j = rng.choice(fits)
            return lambda x, y: y, [j], tape.values[j].bound
    if kind == "iota" and value.rank and value.dtype.itemsize > 1:
        axis = tape.axis(i)
        return lambda x, y: lax.broadcasted_iota(x.dtype, x.shape, axis) % 5, [i], 5
    if kind == "number":
        number = rng.choice((1, 2, 3))
        return lambda x, y: jnp.full_like(x, number), [i], 3
    if kind == "size" and value.rank and value.dtype.itemsize > 1 and value.kind in ("int", "float"):
        axis = tape.axis(i)
        return lambda x, y: jnp.broadcast_to(jnp.asarray(x.shape[axis] % 7).astype(x.dtype), x.shape), [i], 7
    if kind == "transposed" and value.rank >= 2 and value.shape[-1] == value.shape[-2]:
        return lambda x, y: jnp.swapaxes(y, -1, -2), [i], value.bound
    j = tape.like(i)
    return lambda x, y: y, [j], tape.values[j].bound


@family("two", 8)
def two(tape):
    i = tape.pick("float int")
    other, [j], bound = partner(tape, i)
    name = tape.random.choice(list(BINARY))
    of, largest = BINARY[name]
    if tape.random.random() < 0.3:
        tape.add(f"two {name}", lambda x, y: of(other(x, y), x), [i, j], largest(tape.values[i].bound, bound))
    else:
        tape.add(f"two {name}", lambda x, y: of(x, other(x, y)), [i, j], largest(tape.values[i].bound, bound))


@family("divide")
def divide(tape):
    i = tape.pick("float int")
    other, [j], _ = partner(tape, i)
    kind = tape.values[i].kind
    name = tape.random.choice(("quotient", "remainder")) if kind == "int" else "quotient"
    of = {"quotient": lax.div, "remainder": lax.rem}[name]
    tape.add(f"divide {name}", lambda x, y: of(x, jnp.broadcast_to(jnp.abs(other(x, y)) + jnp.ones((), x.dtype), x.shape)), [i, j], tape.values[i].bound, exact=kind == "int")


@family("bits")
def bits(tape):
    i = tape.pick("int bool")
    other, [j], _ = partner(tape, i)
    name = tape.random.choice(list(BITS))
    tape.add(f"bits {name}", lambda x, y: BITS[name](x, other(x, y)), [i, j], 2 * tape.values[i].bound + 16)


@family("compare", 4)
def compare(tape):
    i = tape.exact("float int")
    other, [j], _ = partner(tape, i)
    if not tape.values[j].exact:
        raise Declined("rounded")
    of = tape.random.choice((jnp.less, jnp.less_equal, jnp.equal, jnp.not_equal, jnp.greater))
    tape.add(f"compare {of.__name__}", lambda x, y: of(x, other(x, y)), [i, j], 1)


@family("where", 4)
def where(tape):
    i = tape.pick("bool")
    shape = tape.values[i].shape
    j = tape.pick("float int complex", where=lambda value: value.shape == shape)
    other, [k], bound = partner(tape, j)
    tape.add("where", lambda c, x, y: jnp.where(c, x, other(x, y)), [i, j, k], max(tape.values[j].bound, bound))


TYPES = ("float32", "float32", "bfloat16", "float16", "int32", "uint8", "int8", "bool")


@family("convert", 3)
def convert(tape):
    i = tape.pick("float int bool")
    value, to = tape.values[i], tape.random.choice(TYPES)
    if to == "bool":
        tape.add("convert bool", lambda x: x != 0, [i], 1, exact=value.exact)
        return
    if to == "uint8":  # for negative numbers the result depends on the implementation
        tape.add("convert uint8", lambda x: jnp.abs(x.astype(jnp.int32)).astype(jnp.uint8) if x.dtype != jnp.bool_ else x.astype(jnp.uint8), [i], value.bound)
        return
    tape.add(f"convert {to}", lambda x: x.astype(to), [i], value.bound)


def count(tape, i, axes):
    return max(math.prod(sizes) for sizes in zip(*(tape.sizes(tape.values[i].shape[axis]) for axis in axes)))


@family("reduce", 6)
def reduce(tape):
    i = tape.pick("float int")
    value, axes, keep = tape.values[i], tape.axes(i), tape.random.random() < 0.3
    name = tape.random.choice(("sum", "sum", "max", "min", "mean", "prod", "logsumexp", "var", "std"))
    n = count(tape, i, axes)
    if value.kind == "int" and name not in ("sum", "max", "min"):
        raise Declined("an integer")
    if name == "prod":
        tape.add("reduce prod", lambda x: jnp.prod(jnp.clip(x, -1, 1), axes, keepdims=keep), [i], 1)
        return
    of = {"logsumexp": jax.nn.logsumexp, "std": lambda x, *more, **others: jnp.sqrt(jnp.var(x, *more, **others) + 0.1)}.get(name) or getattr(jnp, name)
    if name in ("max", "min") and tape.random.random() < 0.3:
        of = functools.partial(of, initial=0)
    bound = {"sum": n * value.bound, "var": value.bound**2 * 2, "logsumexp": value.bound + 6}.get(name, value.bound)
    tape.add(f"reduce {name}", lambda x: of(x, axes, keepdims=keep), [i], bound, exact=name in ("sum", "max", "min"))


@family("reduce truths")
def reduce_truths(tape):
    i, of = tape.pick("bool"), tape.random.choice((jnp.any, jnp.all, jnp.count_nonzero))
    axes = tape.axes(i)
    tape.add(f"reduce {of.__name__}", lambda x: of(x, axes), [i], count(tape, i, axes))


@family("arg of largest")
def arg_of_largest(tape):
    i, of = tape.exact(), tape.random.choice((jnp.argmax, jnp.argmin))
    axis = tape.axis(i)
    tape.add(of.__name__, lambda x: of(x, axis), [i], tape.largest(tape.values[i].shape[axis]))


NORMS = {
    "softmax": (lambda x, axis: jax.nn.softmax(x, axis), 1), "log_softmax": (lambda x, axis: jax.nn.log_softmax(x, axis), 16),
    "layer_norm": (lambda x, axis: (x - x.mean(axis, keepdims=True)) * lax.rsqrt(x.var(axis, keepdims=True) + 0.1), 12),
    "rms_norm": (lambda x, axis: x * lax.rsqrt((x * x).mean(axis, keepdims=True) + 0.1), 12),
    "l2_norm": (lambda x, axis: x / (jnp.sqrt((x * x).sum(axis, keepdims=True)) + 0.5), 1),
    "centred": (lambda x, axis: x - x.mean(axis, keepdims=True), 8),
}


@family("norm", 5)
def norm(tape):
    i, name = tape.pick("float"), tape.random.choice(list(NORMS))
    of, bound = NORMS[name]
    axis = tape.axis(i)
    tape.add(f"norm {name}", lambda x: of(x, axis), [i], bound * max(1, tape.values[i].bound / 4), exact=False)


LETTERS = "abcdefghij"


@family("product", 8)
def product(tape):
    """Adds an einsum of two values of one type. Dimensions of equal size are contracted, become a batch
dimension, or stay free in both."""
    rng = tape.random
    i = tape.pick("float int", rank=1, to=4, where=lambda value: value.dtype != "uint8")
    a = tape.values[i]
    fits = [j for j, other in enumerate(tape.values) if other.dtype == a.dtype and 1 <= other.rank <= 4 and set(map(str, other.shape)) & set(map(str, a.shape))]
    j = rng.choice(fits)
    b = tape.values[j]
    left = list(LETTERS[: a.rank])
    right = [None] * b.rank
    free = list(range(a.rank))
    for d in rng.sample(range(b.rank), b.rank):
        same = [e for e in free if a.shape[e] == b.shape[d]]
        if same and rng.random() < 0.7:
            e = rng.choice(same)
            free.remove(e)
            right[d] = left[e]
    right = [letter or LETTERS[5 + d] for d, letter in enumerate(right)]
    shared = [letter for letter in left if letter in right]
    kept = [letter for letter in shared if rng.random() < 0.3]
    if not shared:
        raise Declined("nothing to sum")
    out = kept + [letter for letter in left if letter not in right] + [letter for letter in right if letter not in left]
    if rng.random() < 0.3:
        rng.shuffle(out)
    size = {**dict(zip(right, b.shape)), **dict(zip(left, a.shape))}
    if tape.elements(tuple(size.values())) > WORK:
        raise Declined("too much work")
    summed = [size[letter] for letter in shared if letter not in kept]
    n = max([math.prod(sizes) for sizes in zip(*map(tape.sizes, summed))], default=1)
    text = f"{''.join(left)},{''.join(right)}->{''.join(out)}"
    kind = f"product {'with batches' if kept else 'plain'}"
    wide = a.dtype.itemsize < 4 and rng.random() < 0.5
    tape.add(kind, lambda x, y: jnp.einsum(text, x, y, preferred_element_type=jnp.int32 if wide and x.dtype.kind == "i" else jnp.float32 if wide else None), [i, j], n * a.bound * b.bound)


@family("transpose", 5)
def transpose(tape):
    i = tape.pick("float int bool complex", rank=2)
    order = tuple(tape.random.sample(range(tape.values[i].rank), tape.values[i].rank))
    tape.add("transpose", lambda x: jnp.transpose(x, order), [i], tape.values[i].bound)


@family("join", 4)
def join(tape):
    i = tape.pick("float int bool complex", rank=2)
    value = tape.values[i]
    first = tape.random.randrange(value.rank - 1)
    until = tape.random.randint(first + 2, value.rank)
    tape.add("join", lambda x: x.reshape(*x.shape[:first], math.prod(x.shape[first:until]), *x.shape[until:]), [i], value.bound)


@family("split", 4)
def split(tape):
    """Splits a dimension into a static size and the quotient, if the size is divisible."""
    i, parts = tape.pick("float int bool complex", rank=1), tape.random.choice((2, 3, 4, 8))
    axis = tape.axis(i, lambda size: size % parts == 0 if isinstance(size, int) else all(each % parts == 0 for each in tape.sizes(size)))
    outer = tape.random.random() < 0.5
    tape.add("split", lambda x: x.reshape(*x.shape[:axis], *((parts, x.shape[axis] // parts) if outer else (x.shape[axis] // parts, parts)), *x.shape[axis + 1:]),
             [i], tape.values[i].bound)


@family("unit dimensions")
def unit_dimensions(tape):
    i = tape.pick("float int bool")
    value, at = tape.values[i], tape.random.randint(0, tape.values[i].rank)
    units = [axis for axis, size in enumerate(value.shape) if isinstance(size, int) and size == 1]
    if units and tape.random.random() < 0.6:
        axis = tape.random.choice(units)
        tape.add("squeeze", lambda x: jnp.squeeze(x, axis), [i], value.bound)
    else:
        tape.add("expand", lambda x: jnp.expand_dims(x, at), [i], value.bound)


@family("broadcast", 3)
def broadcast(tape):
    """Broadcasts along a new dimension, which has the size of a dimension of another value."""
    i, j = tape.pick("float int bool complex", to=3), tape.pick("float int bool", rank=1)
    axis, at = tape.axis(j), tape.random.randint(0, tape.values[i].rank)
    tape.add("broadcast", lambda x, y: jnp.broadcast_to(jnp.expand_dims(x, at), (*x.shape[:at], y.shape[axis], *x.shape[at:])), [i, j], tape.values[i].bound)


@family("concatenate", 4)
def concatenate(tape):
    i = tape.pick("float int bool complex", rank=1)
    value, axis = tape.values[i], tape.axis(i)
    apart = lambda shape: shape[:axis] + shape[axis + 1:]
    fits = [j for j, other in enumerate(tape.values) if other.dtype == value.dtype and other.rank == value.rank and apart(other.shape) == apart(value.shape)]
    others = [tape.random.choice(fits) for _ in range(tape.random.choice((1, 1, 2)))]
    all = [i, *others]
    tape.random.shuffle(all)
    tape.add("concatenate", lambda *arrays: jnp.concatenate(arrays, axis), all, max(tape.values[j].bound for j in all))


@family("pad", 3)
def pad(tape):
    i = tape.pick("float int")
    value, rng = tape.values[i], tape.random
    if value.rank == 0:
        raise Declined("a scalar")
    widths = [(0, 0, 0)] * value.rank
    axis = tape.axis(i)
    inner = 0
    if isinstance(value.shape[axis], int) and rng.random() < 0.3:
        inner = rng.randint(1, 2)
    widths[axis] = (rng.randint(-1, 4), rng.randint(-1, 5), inner)
    tape.add("pad", lambda x: lax.pad(x, jnp.ones((), x.dtype), widths), [i], max(value.bound, 1))


@family("pad by a size")
def pad_by_a_size(tape):
    i, j = tape.pick("float int", rank=1), tape.pick("float int bool", rank=1)
    axis, by, before = tape.axis(i), tape.axis(j), tape.random.random() < 0.5

    def padded(x, y):
        widths = [(0, 0)] * x.ndim
        widths[axis] = (y.shape[by], 0) if before else (0, y.shape[by])
        return jnp.pad(x, widths)
    tape.add("pad by a size", padded, [i, j], tape.values[i].bound)


@family("slice", 5)
def slice_(tape):
    i = tape.pick("float int bool complex", rank=1)
    value, rng = tape.values[i], tape.random
    axis = tape.axis(i)
    least = min(tape.sizes(value.shape[axis]))
    kind = rng.choice(("first", "last", "from", "until", "half", "second half", "strided"))
    n = rng.randint(1, 4)
    if kind in ("first", "last", "from", "until") and n > least:
        raise Declined("too few elements")
    step = rng.randint(2, 4)
    cut = {"first": lambda n_all: slice(0, n), "last": lambda n_all: slice(n_all - n, n_all), "from": lambda n_all: slice(n, n_all), "until": lambda n_all: slice(0, n_all - n),
           "half": lambda n_all: slice(0, n_all // 2), "second half": lambda n_all: slice(n_all // 2, n_all), "strided": lambda n_all: slice(0, n_all, step)}[kind]
    tape.add(f"slice {kind}", lambda x: x[(slice(None),) * axis + (cut(x.shape[axis]),)], [i], value.bound)


@family("reverse", 3)
def reverse(tape):
    i = tape.pick("float int bool complex", rank=1)
    axis = tape.axis(i)
    if tape.random.random() < 0.6:
        tape.add("reverse", lambda x: lax.rev(x, (axis,)), [i], tape.values[i].bound)
    else:
        by = tape.random.choice((-1, 1, 2))
        tape.add("roll", lambda x: jnp.roll(x, by, axis), [i], tape.values[i].bound)


@family("repeat")
def repeat(tape):
    i, n = tape.pick("float int bool", rank=1), tape.random.choice((2, 3))
    axis = tape.axis(i)
    of = tape.random.choice((lambda x: jnp.repeat(x, n, axis), lambda x: jnp.concatenate([x] * n, axis), lambda x: jnp.stack([x] * n, axis)))
    tape.add("repeat", of, [i], tape.values[i].bound)


def indices(tape):
    return tape.exact("int", to=2, where=lambda value: value.dtype == "int32" and tape.elements(value.shape) <= 4000)


@family("take", 4)
def take(tape):
    i, k = tape.pick("float int bool complex", rank=1), indices(tape)
    axis, mode = tape.axis(i), tape.random.choice(("clip", "wrap", "fill"))
    if mode == "fill" and tape.values[i].kind == "float" and tape.values[i].exact:
        mode = "clip"  # `fill` would put NaN into exact floats
    tape.add(f"take {mode}", lambda x, k: jnp.take(x, k, axis, mode=mode, **({"fill_value": 1} if mode == "fill" else {})), [i, k], tape.values[i].bound)


@family("take along")
def take_along(tape):
    i = tape.exact("int", rank=1, where=lambda value: value.dtype == "int32")
    shape = tape.values[i].shape
    j = tape.pick("float int", rank=1, where=lambda value: value.shape == shape)
    axis = tape.axis(i)
    tape.add("take along", lambda k, x: jnp.take_along_axis(x, k, axis, mode="clip"), [i, j], tape.values[j].bound)


@family("scatter", 4)
def scatter(tape):
    """Scatters along one dimension. A vector holds the indices."""
    i, k = tape.pick("float int", rank=1), tape.exact("int", rank=1, to=1, where=lambda value: value.dtype == "int32")
    value, axis = tape.values[i], tape.axis(i)
    name = tape.random.choice(("add", "max", "min"))
    n = tape.largest(tape.values[k].shape[0])
    if tape.elements((*value.shape, tape.values[k].shape[0])) > WORK:
        raise Declined("too much work")

    def scattered(x, k):
        updates = jnp.broadcast_to(jnp.asarray(2, x.dtype), (*x.shape[:axis], k.shape[0], *x.shape[axis + 1:]))
        at = x.at[(slice(None),) * axis + (k,)]
        return getattr(at, name)(updates, mode="drop")
    tape.add(f"scatter {name}", scattered, [i, k], value.bound + 2 * n)


@family("segments")
def segments(tape):
    i = tape.pick("float int", rank=1, where=lambda value: value.dtype.itemsize == 4)
    first = tape.values[i].shape[0]
    k = tape.exact("int", rank=1, to=1, where=lambda value: value.dtype == "int32" and value.shape[0] == first)
    tape.add("segments", lambda x, k: jax.ops.segment_sum(x, k % 7, num_segments=7), [i, k], tape.values[i].bound * tape.largest(first))


@family("scatter one")
def scatter_one(tape):
    i, k = tape.pick("float int bool", rank=1), tape.exact("int", to=0, where=lambda value: value.dtype == "int32")
    axis = tape.axis(i)
    tape.add("scatter one", lambda x, k: x.at[(slice(None),) * axis + (k,)].set(jnp.ones((), x.dtype), mode="drop"), [i, k], tape.values[i].bound + 1)


@family("dynamic slice", 3)
def dynamic_slice(tape):
    i, k = tape.pick("float int bool complex", rank=1), tape.exact("int", to=0, where=lambda value: value.dtype == "int32")
    axis, n = tape.axis(i), tape.random.randint(1, 3)
    value = tape.values[i]
    if min(tape.sizes(value.shape[axis])) < n:
        raise Declined("too few elements")
    if tape.random.random() < 0.5:
        tape.add("dynamic slice", lambda x, k: lax.dynamic_slice_in_dim(x, k, n, axis), [i, k], value.bound)
    elif tape.random.random() < 0.5:
        tape.add("dynamic slice of a size", lambda x, k: lax.dynamic_slice_in_dim(x, k, x.shape[axis] - n + 1, axis), [i, k], value.bound)
    else:
        tape.add("dynamic update", lambda x, k: lax.dynamic_update_slice_in_dim(x, lax.slice_in_dim(x, 0, n, axis=axis) + jnp.ones((), x.dtype) if x.dtype != jnp.bool_ else
                                                                                 ~lax.slice_in_dim(x, 0, n, axis=axis), k, axis), [i, k], value.bound + 1)


@family("sort", 3)
def sort(tape):
    kind = tape.random.choice(("sort", "sort", "argsort", "top_k", "two keys", "median"))
    i = tape.pick("float int", rank=1) if kind in ("sort", "median") else tape.exact(rank=1)
    value, axis = tape.values[i], tape.axis(i)
    n = tape.largest(value.shape[axis])
    if kind == "sort":
        descending = tape.random.random() < 0.3
        tape.add("sort", lambda x: jnp.sort(x, axis, descending=descending), [i], value.bound)
    elif kind == "argsort":
        tape.add("argsort", lambda x: jnp.argsort(x, axis), [i], n)
    elif kind == "median":
        tape.add("median", lambda x: jnp.median(x.astype(jnp.float32), axis), [i], value.bound, exact=False)
    elif kind == "top_k":
        k = min(min(tape.sizes(value.shape[-1])), tape.random.randint(1, 4))
        if k < 1:
            raise Declined("too few elements")
        which = tape.random.randrange(2)
        tape.add("top_k", lambda x: lax.top_k(x, k)[which], [i], max(tape.largest(value.shape[-1]), value.bound))
    else:
        j, which = tape.like(i), tape.random.randrange(2)
        if not tape.values[j].exact:
            raise Declined("rounded")
        tape.add("sort by two", lambda x, y: lax.sort((x, y), dimension=axis, num_keys=1)[which], [i, j], max(value.bound, tape.values[j].bound))


@family("running", 5)
def running(tape):
    i = tape.pick("float int", rank=1)
    value, axis, backwards = tape.values[i], tape.axis(i), tape.random.random() < 0.3
    name = tape.random.choice(("cumsum", "cumsum", "cumprod", "cummax", "cummin", "cumlogsumexp"))
    if value.kind == "int" and name in ("cumprod", "cumlogsumexp") or value.dtype.itemsize == 1:
        raise Declined("an integer")
    n = tape.largest(value.shape[axis])
    if name == "cumprod":
        tape.add("running cumprod", lambda x: lax.cumprod(jnp.clip(x, -1, 1), axis, backwards), [i], 1)
        return
    of = getattr(lax, name)
    tape.add(f"running {name}", lambda x: of(x, axis, backwards), [i], {"cumsum": value.bound * n, "cumlogsumexp": value.bound + 6}.get(name, value.bound),
             exact=name != "cumlogsumexp")


@family("windows", 4)
def windows(tape):
    i = tape.pick("float int", rank=1, where=lambda value: value.dtype.itemsize > 1)
    value, rng = tape.values[i], tape.random
    window, strides, dilations = ([1] * value.rank for _ in range(3))
    for axis in rng.sample(range(value.rank), min(value.rank, rng.choice((1, 1, 2)))):
        window[axis], strides[axis] = rng.randint(2, 4), rng.choice((1, 1, 2, 3))
        dilations[axis] = rng.choice((1, 1, 1, 2))
    padding = rng.choice(("SAME", "VALID"))
    if tape.elements(value.shape) * math.prod(window) > WORK:
        raise Declined("too much work")
    name = rng.choice(("sum", "max", "min"))
    of = {"sum": lax.add, "max": lax.max, "min": lax.min}[name]
    tape.add(f"windows {name} {padding}", lambda x: lax.reduce_window(x, jnp.asarray(0 if name == "sum" else -9 if name == "max" else 9, x.dtype), of, window, strides, padding,
                                                                       window_dilation=dilations), [i], value.bound * math.prod(window) if name == "sum" else max(9, value.bound))


@family("convolution", 4)
def convolution(tape):
    """Convolves with a constant kernel, over the dimensions between the batch and feature dimensions."""
    rng = tape.random
    i = tape.pick("float", rank=3, to=4, where=lambda value: isinstance(value.shape[-1], int) or isinstance(value.shape[1], int))
    value = tape.values[i]
    last = isinstance(value.shape[-1], int) and (rng.random() < 0.7 or not isinstance(value.shape[1], int))
    features, spatial = (value.shape[-1] if last else value.shape[1]), value.rank - 2
    out = rng.choice((1, 2, 4, 8, 16, 17))
    window = [rng.randint(1, 3) for _ in range(spatial)]
    strides, padding = [rng.choice((1, 1, 2)) for _ in range(spatial)], rng.choice(("SAME", "VALID"))
    letters = "HW"[:spatial]
    layout = (f"N{letters}C" if last else f"NC{letters}", f"{letters}IO", f"N{letters}C" if last else f"NC{letters}")
    dilation = [rng.choice((1, 1, 1, 2)) for _ in range(spatial)]
    groups = features if rng.random() < 0.2 else 1
    if tape.elements(value.shape) * math.prod(window) * out > WORK:
        raise Declined("too much work")

    def convolved(x):
        shape = (*window, features // groups, out * groups if groups > 1 else out)
        kernel = (jnp.arange(math.prod(shape), dtype=jnp.int32) * 7 % 5 - 2).reshape(shape).astype(x.dtype)
        return lax.conv_general_dilated(x, kernel, strides, padding, rhs_dilation=dilation, dimension_numbers=layout, feature_group_count=groups)
    tape.add(f"convolution {spatial}-D", convolved, [i], value.bound * 2 * math.prod(window) * features)


@family("convolve two")
def convolve_two(tape):
    """Convolves two values, so that the kernel's sizes may be symbolic, too."""
    i = tape.pick("float", rank=3, to=3)
    value = tape.values[i]
    j = tape.pick("float", rank=3, to=3, where=lambda other: other.dtype == value.dtype and other.shape[1] == value.shape[1])
    sizes = [tape.sizes(size) for size in (*value.shape, *tape.values[j].shape)]
    if max(math.prod(each) for each in zip(*sizes)) > WORK * 10:
        raise Declined("too much work")
    tape.add("convolve two", lambda x, w: lax.conv_general_dilated(x, w, (1,), [(1, 1)], dimension_numbers=("NCH", "OIH", "NCH")), [i, j],
             value.bound * tape.values[j].bound * count(tape, j, (1, 2)))


def steps_of(tape, i):
    value = tape.values[i]
    if tape.elements(value.shape) * 4 > WORK:
        raise Declined("too much work")
    return value


@family("scan", 3)
def scan(tape):
    i = tape.pick("float int", rank=1, to=4, where=lambda value: value.dtype.itemsize > 1)
    value, which = steps_of(tape, i), tape.random.randrange(3)
    exact = value.exact

    def body(carry, x):
        made = jnp.clip(carry + x, -8, 8) if exact else jnp.tanh(carry * jnp.asarray(0.5, x.dtype) + x)
        return made, made * jnp.ones((), x.dtype) - x
    if which == 2 and value.rank == 2 and not tape.is_exact and value.kind == "float":
        tape.add("scan recurrent", lambda x: lax.scan(lambda c, y: (jnp.tanh(jnp.roll(c, 1, 0) * jnp.asarray(0.5, x.dtype) + y), (c * c).mean()), jnp.zeros(x.shape[1:], x.dtype), x)[0],
                 [i], 1, exact=False)
        return
    tape.add(f"scan {('carry', 'rows', 'carry')[which]}", lambda x: lax.scan(body, jnp.zeros(x.shape[1:], x.dtype), x, reverse=which == 0)[which % 2], [i], 16)


@family("fori", 3)
def fori(tape):
    i, n = tape.pick("float int", to=4, where=lambda value: value.dtype.itemsize > 1), tape.random.randint(0, 5)
    value = steps_of(tape, i)
    axis = tape.axis(i) if value.rank else None
    by_size = value.rank and tape.random.random() < 0.4 and tape.largest(value.shape[axis]) < 40

    def body(k, x):
        other = lax.rev(x, (axis,)) if value.rank else x
        return jnp.clip(x + other, -8, 8) if value.exact else jnp.sin(x * jnp.asarray(0.5, x.dtype) + other)
    tape.add("fori of a size" if by_size else "fori", lambda x: lax.fori_loop(0, x.shape[axis] if by_size else n, body, x), [i], 8 + value.bound)


@family("while")
def while_(tape):
    i, k = tape.exact("float int", to=3, where=lambda value: value.dtype.itemsize > 1), tape.exact("int", to=0, where=lambda value: value.dtype == "int32")
    steps_of(tape, i)
    tape.add("while", lambda x, k: lax.while_loop(lambda state: state[0] < 3, lambda state: (state[0] + 1, jnp.clip(state[1] * 2 - state[0].astype(x.dtype), -8, 8)),
                                                  (jnp.maximum(k, -2), x))[1], [i, k], 8 + tape.values[i].bound)


@family("cond")
def cond(tape):
    k = tape.exact("int", to=0, where=lambda value: value.dtype == "int32")
    i = tape.pick("float int")
    j = tape.like(i)
    axis = tape.axis(i) if tape.values[i].rank else None
    bound = tape.values[i].bound + tape.values[j].bound
    tape.add("cond", lambda k, x, y: lax.cond(k > 1, lambda x, y: x + y, lambda x, y: lax.rev(x, (axis,)) if axis is not None else x, x, y), [k, i, j], bound)


@family("switch", 1)
def switch(tape):
    k = tape.exact("int", to=0, where=lambda value: value.dtype == "int32")
    i = tape.pick("float int", rank=1)
    axis = tape.axis(i)
    tape.add("switch", lambda k, x: lax.switch(k, [lambda x: x.sum(axis, dtype=x.dtype), lambda x: x.max(axis, initial=0), lambda x: jnp.zeros_like(x.sum(axis, dtype=x.dtype))], x), [k, i],
             tape.values[i].bound * tape.largest(tape.values[i].shape[axis]))


@family("iota", 3)
def iota(tape):
    i, kind = tape.pick("float int bool", rank=1), tape.random.choice(("arange", "eye", "tril", "one_hot", "linspace"))
    axis = tape.axis(i)
    n = tape.largest(tape.values[i].shape[axis])
    if kind == "one_hot":
        i = tape.exact("int", to=3)
        tape.add("iota one_hot", lambda x: jax.nn.one_hot(x, 6), [i], 1)
    elif kind == "linspace":
        tape.add("iota scaled", lambda x: jnp.arange(x.shape[axis], dtype=jnp.float32) * 0.125, [i], n, exact=False)
    else:
        made = {"arange": lambda n: jnp.arange(n), "eye": lambda n: jnp.eye(n), "tril": lambda n: jnp.tril(jnp.ones((n, n)))}[kind]
        tape.add(f"iota {kind}", lambda x: made(x.shape[axis]), [i], n if kind == "arange" else 1)


@family("masked", 3)
def masked(tape):
    """Masks the elements above the diagonal of the last two dimensions, as in attention."""
    i = tape.pick("float int", rank=2, to=4)
    tape.add("masked", lambda x: jnp.where(lax.broadcasted_iota(jnp.int32, x.shape, x.ndim - 2) >= lax.broadcasted_iota(jnp.int32, x.shape, x.ndim - 1), x, jnp.asarray(-3, x.dtype)
                                           if x.dtype.kind != "u" else jnp.ones((), x.dtype)), [i], max(3, tape.values[i].bound))


@family("random bits")
def random_bits(tape):
    k = tape.exact("int", to=0, where=lambda value: value.dtype == "int32")
    i = tape.pick("float int bool", to=3)
    key = lambda k: jax.random.wrap_key_data(jnp.stack([k, k]).astype(jnp.uint32))
    tape.add("random bits", lambda k, x: (jax.random.bits(key(k), x.shape) % 16).astype(jnp.int32), [k, i], 16)


@family("transform")
def transform(tape):
    i = tape.pick("float complex", rank=1, to=4, where=lambda value: isinstance(value.shape[-1], int) and value.shape[-1] > 1 and value.dtype.itemsize >= 4)
    value, n = tape.values[i], tape.values[i].shape[-1]
    bound = value.bound * math.sqrt(n)
    name = tape.random.choice(("fft", "ifft") if value.kind == "complex" else ("rfft", "rfft of parts", "round trip"))
    if name == "round trip":
        tape.add("transform irfft", lambda x: jnp.fft.irfft(jnp.fft.rfft(x) * 0.5, x.shape[-1]), [i], value.bound, exact=False)
    elif name == "rfft of parts":
        tape.add("transform rfft", lambda x: jnp.fft.rfft(x, norm="ortho").imag, [i], bound, exact=False)
    else:
        tape.add(f"transform {name}", lambda x: getattr(jnp.fft, name)(x, norm="ortho"), [i], bound, exact=False)


@family("complex", 3)
def complex_(tape):
    if tape.random.random() < 0.5:
        i = tape.pick("float", where=lambda value: value.dtype == "float32")
        j = tape.like(i)
        tape.add("complex made", lambda x, y: lax.complex(x, y), [i, j], tape.values[i].bound + tape.values[j].bound, exact=False)
        return
    i = tape.pick("complex")
    j, bound = tape.like(i), tape.values[i].bound
    name = tape.random.choice(("multiply", "conj", "exp", "real", "imag", "abs", "sum", "product"))
    if name == "product" and tape.values[i].rank == 2:
        if tape.elements(tape.values[i].shape, ) ** 1.5 > WORK:
            raise Declined("too much work")
        tape.add("complex product", lambda x, y: (x @ y.T) / (1 + x.shape[-1]), [i, j], bound * tape.values[j].bound, exact=False)
        return
    of = {"multiply": lambda x, y: x * y / 4, "conj": lambda x, y: jnp.conj(x) - y, "exp": lambda x, y: jnp.exp(x / (1 + jnp.abs(x))), "real": lambda x, y: x.real, "imag": lambda x, y: y.imag,
          "abs": lambda x, y: jnp.abs(x), "sum": lambda x, y: x.sum(0) / (1 + x.shape[0]) if x.ndim else x, "product": lambda x, y: x + y}[name]
    tape.add(f"complex {name}", of, [i, j], {"multiply": bound * tape.values[j].bound, "exp": 3}.get(name, bound + tape.values[j].bound), exact=False)


GRADIENTS = {
    "tanh": lambda x: jnp.tanh(x).mean(), "softmax": lambda x: (jax.nn.softmax(x, -1) ** 2).sum(), "slices": lambda x: (x[..., 1:] * x[..., :-1]).sum() / 8,
    "running": lambda x: (lax.cumsum(jnp.tanh(x), x.ndim - 1) ** 2).mean(), "softplus": lambda x: jax.nn.softplus(x).sum(), "norm": lambda x: jnp.sqrt((x * x).sum(-1) + 1).sum(),
    "windows": lambda x: lax.reduce_window(jnp.sin(x), 0.0, lax.add, (1,) * (x.ndim - 1) + (3,), (1,) * (x.ndim - 1) + (2,), "VALID").sum(),
}


@family("gradient", 3)
def gradient(tape):
    i, name = tape.pick("float", rank=1, where=lambda value: value.dtype == "float32"), tape.random.choice(list(GRADIENTS))
    tape.add(f"gradient {name}", jax.grad(GRADIENTS[name]), [i], 4 * tape.values[i].bound, exact=False)


@family("mapped")
def mapped(tape):
    i = tape.pick("float", rank=2, to=4)
    j = tape.like(i)
    name = tape.random.choice(("dot", "sorted", "sum"))
    of = {"dot": lambda a, b: jnp.vdot(a, b) / (1 + a.size), "sorted": lambda a, b: jnp.sort(a, -1) - b, "sum": lambda a, b: (a - b).sum(-1)}[name]
    n = tape.largest(tape.values[i].shape[-1]) if name == "sum" else 1
    tape.add(f"mapped {name}", lambda x, y: jax.vmap(of)(x, y), [i, j], n * (tape.values[i].bound + tape.values[j].bound) * 4, exact=name == "sum")
