"""Random JAX functions of arguments with symbolic sizes. A tape of operations is drawn once, with the sizes as symbols. It can then be
replayed on arrays or tracers of any sizes.

Each value records three facts. `exact`: it holds small integers, so that its bits don't depend on how sums and functions are rounded.
`half`: its computation rounds to a 16-bit float. `bound`: a bound of its magnitude. Inexact values are never operands of an operation
that can turn a rounding difference into an arbitrarily large one; `Tape.add` keeps magnitudes small."""
import dataclasses
import math
import random

import jax
import jax.numpy as jnp
import numpy as np
from jax import export

SIZES = (1, 1, 2, 3, 5, 7, 8, 9, 13, 15, 16, 17, 31, 32, 33, 48, 64, 96, 97, 130)
POINTS = 4  # number of size assignments that a program runs with
ELEMENTS = 60_000  # maximum number of elements of a value, at every point
WORK = 3_000_000  # maximum of a dot's MACs, of elements over all windows, or of scan steps times elements
INTEGERS = {"float32": 2**24, "bfloat16": 2**8, "float16": 2**11, "int32": 2**31, "uint32": 2**32, "int8": 2**7, "uint8": 2**8, "bool": 2}
HALVES = ("bfloat16", "float16")
TAMED = 64  # values with larger bounds are limited by tamed()


class Declined(Exception):
    """No available value fits the operation, or JAX refuses the operation for such sizes."""


@dataclasses.dataclass
class Value:
    family: str
    shape: tuple  # integers and JAX's symbolic sizes
    dtype: np.dtype
    exact: bool
    half: bool
    bound: float
    function: object = None  # computes the value from the input arrays; None for an argument
    inputs: tuple = ()

    @property
    def rank(self):
        return len(self.shape)

    @property
    def kind(self):
        return "bool" if self.dtype == np.bool_ else "complex" if self.dtype.kind == "c" else "int" if self.dtype.kind in "iu" else "float"


def evaluate(size, point):
    return size if isinstance(size, int) else int(size._evaluate(point))


def tamed(function, exact):
    """Returns the function with its results limited to a small range."""
    return (lambda *arrays: jnp.clip(function(*arrays), -4, 4)) if exact else (lambda *arrays: 4 * jnp.tanh(function(*arrays)))


class Tape:
    def __init__(self, seed):
        self.seed, self.random, self.declined, self.drawn = seed, random.Random(seed), {}, set()
        rng = self.random
        names = ["b", "s", "t"][: rng.choice((1, 1, 2, 2, 2, 3))]
        self.least = {name: rng.choice((0, 1, 1, 1, 1, 2)) for name in names}
        self.is_exact = rng.random() < 1 / 3  # whether the whole program is exact
        self.scope = export.SymbolicScope([f"{name} >= {least}" for name, least in self.least.items()])
        self.symbols = dict(zip(names, export.symbolic_shape(", ".join(names), scope=self.scope)))
        largest = rng.choice((17, 33, 64, 130, 130))
        sizes = [size for size in SIZES if size <= largest]
        self.points = [{name: max(least, rng.choice(sizes)) for name, least in self.least.items()} for _ in range(POINTS - 1)]
        # At the last point, at least one symbol has its least size.
        small = rng.choice(names)
        self.points.append({name: least if name == small or rng.random() < 0.3 else max(least, rng.choice(sizes)) for name, least in self.least.items()})
        self.values = []

    # ---- Sizes.

    def sizes(self, size):
        return [evaluate(size, point) for point in self.points]

    def largest(self, size):
        return max(self.sizes(size))

    def elements(self, *shapes):
        return max(math.prod(evaluate(size, point) for shape in shapes for size in shape) for point in self.points)

    def symbolic_size(self):
        """Returns an expression of symbols."""
        rng, symbol = self.random, self.random.choice(list(self.symbols.values()))
        other = rng.choice(list(self.symbols.values()))
        return rng.choice((symbol, symbol, symbol, 2 * symbol, 4 * symbol, symbol + 1, symbol + rng.randint(2, 9), 8 * symbol, symbol * other,
                           symbol + other, (symbol + 1) // 2, 3 * symbol + 1))

    def static_size(self):
        return self.random.choice((1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8, 8, 9, 12, 16, 16, 17, 24, 32, 33, 48, 64))

    # ---- Values.

    def argument(self, shape, dtype, exact):
        bound = {"bool": 1, "uint8": 5}.get(np.dtype(dtype).name, 3)
        self.values.append(Value("argument", tuple(shape), np.dtype(dtype), exact, dtype in HALVES and not exact, bound))
        return len(self.values) - 1

    def pick(self, kinds="float", rank=0, to=5, where=lambda value: True):
        """Returns the index of a value, preferring later ones."""
        fits = [i for i, value in enumerate(self.values) if value.kind in kinds.split() and rank <= value.rank <= to and where(value)]
        if not fits:
            raise Declined("no such value")
        return fits[max(self.random.randrange(len(fits)), self.random.randrange(len(fits)))]

    def exact(self, kinds="float int", **more):
        where = more.pop("where", lambda value: True)
        return self.pick(kinds, where=lambda value: value.exact and where(value), **more)

    def like(self, index):
        """Returns the index of another value of the same shape and type. Returns `index` if there is
        none, and sometimes otherwise."""
        value = self.values[index]
        fits = [i for i, other in enumerate(self.values) if other.dtype == value.dtype and other.shape == value.shape and i != index]
        return self.random.choice(fits) if fits and self.random.random() < 0.9 else index

    def axis(self, index, where=lambda size: True):
        value = self.values[index]
        fits = [axis for axis in range(value.rank) if where(value.shape[axis])]
        if not fits:
            raise Declined("no such dimension")
        symbolic = [axis for axis in fits if not isinstance(value.shape[axis], int)]
        return self.random.choice(symbolic if symbolic and self.random.random() < 0.5 else fits)

    def axes(self, index):
        rank = self.values[index].rank
        if rank == 0:
            raise Declined("a scalar")
        return tuple(sorted(self.random.sample(range(rank), self.random.randint(1, rank))))

    def specs(self, indices):
        return [jax.ShapeDtypeStruct(self.values[i].shape, self.values[i].dtype) for i in indices]

    def add(self, family, function, inputs, bound, exact=True):
        """Appends an operation with one result. `exact`: the result is exact for exact inputs."""
        inputs, of = tuple(inputs), [self.values[i] for i in inputs]
        try:
            made = jax.eval_shape(function, *self.specs(inputs))
        except Exception as error:  # JAX has many errors for sizes that it can't compare
            raise Declined(f"JAX: {family}: {type(error).__name__}") from error
        dtype, name = np.dtype(made.dtype), np.dtype(made.dtype).name
        if len(made.shape) > 5 or self.elements(made.shape) > ELEMENTS or any(min(self.sizes(size)) < 0 for size in made.shape):
            raise Declined("too large")
        exact = exact and all(value.exact for value in of) and (dtype.kind != "c")
        exact = dtype.kind in "iub" or (exact and bound <= INTEGERS[name])
        if dtype.kind in "iub" and not all(value.exact for value in of):
            raise Declined("integers of what is rounded")
        if self.is_exact and not exact:
            raise Declined("rounded")
        half = not exact and (any(value.half for value in of) or name in HALVES)
        if dtype.kind != "b" and bound > TAMED:
            if dtype.kind == "c":
                raise Declined("too large numbers")
            function, bound = (tamed(function, exact), 4)
        self.values.append(Value(family, tuple(made.shape), dtype, exact, half, float(bound), function, inputs))
        return len(self.values) - 1

    def replay(self, arguments, results, cut=()):
        """Returns the arrays of the results. The values in `cut` are replaced by arguments."""
        arrays, given = {}, iter(arguments)
        for i in self.argument_indices(cut):
            arrays[i] = next(given)
        needed = self.needed(results, cut)
        for i in needed:
            if i not in arrays:
                arrays[i] = self.values[i].function(*(arrays[j] for j in self.values[i].inputs))
        return tuple(arrays[i] for i in results)

    def argument_indices(self, cut=()):
        return [i for i, value in enumerate(self.values) if value.function is None or i in cut]

    def needed(self, results, cut=()):
        """Returns the values that the results depend on, in order."""
        needed, ahead = set(), list(results)
        while ahead:
            i = ahead.pop()
            if i not in needed:
                needed.add(i)
                ahead += () if i in cut else self.values[i].inputs
        return sorted(needed)

    def draw_results(self):
        """Draws the results: all values that nothing reads, and some more."""
        read = {j for value in self.values for j in value.inputs}
        results = [i for i, value in enumerate(self.values) if i not in read and value.function]
        results = results[-8:] or [len(self.values) - 1]
        more = [i for i, value in enumerate(self.values) if i in read and value.function]
        return results + self.random.sample(more, min(len(more), self.random.choice((0, 0, 1, 2))))

    def arrays(self, point, cut=()):
        generator = np.random.default_rng([self.seed, *point.values()])
        return [np.asarray(self.array_of(self.values[i], [evaluate(size, point) for size in self.values[i].shape], generator)) for i in self.argument_indices(cut)]

    @staticmethod
    def array_of(value, shape, generator):
        if value.kind == "bool":
            return generator.integers(0, 2, shape).astype(np.bool_)
        if value.kind == "int":
            return generator.integers(0 if value.dtype.kind == "u" else -3, 6, shape).astype(value.dtype)
        if value.exact:
            return generator.integers(-3, 4, shape).astype(value.dtype)
        real = np.clip(generator.standard_normal(shape), -3, 3)
        return (real + 1j * np.clip(generator.standard_normal(shape), -3, 3)).astype(value.dtype) if value.kind == "complex" else real.astype(value.dtype)
