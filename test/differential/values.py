"""Element types by their StableHLO names, and fillings of operands: edge values first, then random numbers."""
import dataclasses
import functools
import zlib

import ml_dtypes
import numpy as np

SMALL_FLOATS = {
    "f4E2M1FN": ml_dtypes.float4_e2m1fn, "f6E2M3FN": ml_dtypes.float6_e2m3fn, "f6E3M2FN": ml_dtypes.float6_e3m2fn,
    "f8E3M4": ml_dtypes.float8_e3m4, "f8E4M3": ml_dtypes.float8_e4m3, "f8E4M3FN": ml_dtypes.float8_e4m3fn,
    "f8E4M3FNUZ": ml_dtypes.float8_e4m3fnuz, "f8E4M3B11FNUZ": ml_dtypes.float8_e4m3b11fnuz, "f8E5M2": ml_dtypes.float8_e5m2,
    "f8E5M2FNUZ": ml_dtypes.float8_e5m2fnuz, "f8E8M0FNU": ml_dtypes.float8_e8m0fnu,
}
DTYPES = {
    "i1": np.bool_, "i2": ml_dtypes.int2, "i4": ml_dtypes.int4, "i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64,
    "ui2": ml_dtypes.uint2, "ui4": ml_dtypes.uint4, "ui8": np.uint8, "ui16": np.uint16, "ui32": np.uint32, "ui64": np.uint64,
    **SMALL_FLOATS, "bf16": ml_dtypes.bfloat16, "f16": np.float16, "f32": np.float32, "f64": np.float64,
    "complex<f32>": np.complex64, "complex<f64>": np.complex128,
}
DTYPES = {name: np.dtype(dtype) for name, dtype in DTYPES.items()}
SIGNED = ["i8", "i16", "i32", "i64"]
UNSIGNED = ["ui8", "ui16", "ui32", "ui64"]
INTEGERS = SIGNED + UNSIGNED
TINY_INTEGERS = ["i2", "i4", "ui2", "ui4"]
FLOATS = ["bf16", "f16", "f32", "f64"]
COMPLEX = ["complex<f32>", "complex<f64>"]
# Tolerances for sums (Case.relative): Drumlin and jaxlib may add in another order and in an accumulator of another width.
SUMS = {"f32": 1e-6, "f64": 2e-15, "bf16": 5e-2, "f16": 6e-3, "complex<f32>": 2e-6, "complex<f64>": 4e-15}
# 8-bit types whose NaN and infinities numpy, XLA and Drumlin treat alike.
EIGHT_BITS = ["f8E3M4", "f8E4M3", "f8E4M3FN", "f8E4M3FNUZ", "f8E4M3B11FNUZ", "f8E5M2", "f8E5M2FNUZ"]
# f4E2M1FN has neither infinity nor NaN; f8E8M0FNU has neither zero nor sign.
OTHER_SMALL = ["f4E2M1FN", "f8E8M0FNU"]
PLAIN = ["i1", *INTEGERS, *FLOATS, *COMPLEX]


def is_float(name):
    return name in FLOATS or name in SMALL_FLOATS


def is_complex(name):
    return name.startswith("complex")


def is_integer(name):
    return name in INTEGERS or name in TINY_INTEGERS


def part_of(name):
    """Returns the type of a complex number's parts; other types are returned unchanged."""
    return name[len("complex<"):-1] if is_complex(name) else name


def storable(array):
    """Returns an array that numpy can save: types that numpy lacks become unsigned integers of the same width."""
    return array if array.dtype.kind in "biufc" and array.dtype.isbuiltin == 1 else \
        array.view({1: np.uint8, 2: np.uint16}[array.dtype.itemsize])


def restored(array, name):
    dtype = DTYPES[name]
    return array if array.dtype == dtype else array.view(dtype)


def same(ours, theirs):
    """Compares elements: NaN equals NaN, and zeros of different signs differ."""
    if ours.dtype.kind == "c":
        return same(ours.real, theirs.real) & same(ours.imag, theirs.imag)
    equal = (ours == theirs) | ((ours != ours) & (theirs != theirs))
    if ours.dtype.kind in "biu":
        return equal
    return equal & ((ours != ours) | (np.signbit(ours) == np.signbit(theirs)))


@functools.cache
def edges(name):
    dtype = DTYPES[name]
    if name == "i1":
        return np.array([False, True])
    if is_integer(name):
        limits = ml_dtypes.iinfo(dtype)
        low, high = int(limits.min), int(limits.max)
        wanted = [0, 1, -1, 2, -2, 3, -3, 5, 7, -7, 8, 10, 15, 16, 31, 32, 33, 63, 64, 65, 100, -100, low, low + 1, low // 2,
                  high, high - 1, high // 2, high // 2 + 1, 1 << 31, (1 << 31) - 1, -(1 << 31), 1 << 32, (1 << 53) + 1, 0x5555555555555555]
        return np.array(list(dict.fromkeys(value for value in wanted if low <= value <= high)), dtype)
    if is_complex(name):
        parts = np.array([0.0, -0.0, 1.0, -1.0, 0.5, 3.25, -2.5, np.inf, -np.inf, np.nan, 1e-3, 100.0])
        return np.array([complex(a, b) for a in parts for b in parts], dtype)
    limits = ml_dtypes.finfo(dtype)
    top, least, tiny, step = (float(each) for each in (limits.max, limits.smallest_normal, limits.smallest_subnormal, limits.eps))
    numbers = [0.0, 1.0, 0.5, 1.5, 2.5, 2.0, 3.0, 0.25, 0.1, 0.75, 1 + step, 1 - step / 2, 3.140625, 1.5707963267948966, 0.9999,
               5.0, 10.0, 20.0, 88.5, 127.0, 128.5, 255.0, 256.0, 300.0, 709.5, 4503599627370497.5, 8388609.0, 2147483648.0, 1e10, 1e18,
               9223372036854775807.0, 1.8446744073709552e19, 1e-3, 1e-5, 1e-10, top, top / 2, least, least * 1.5, tiny, 3 * tiny,
               least - tiny, np.inf, np.nan]
    with np.errstate(all="ignore"):
        signed = np.array([sign * number for number in numbers for sign in (1, -1)]).astype(dtype)
    _, first = np.unique(storable(signed), return_index=True)
    return signed[np.sort(first)]


def generator(*key):
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


def random(name, count, key):
    """Returns random numbers of moderate magnitude."""
    draws = generator(name, count, key)
    dtype = DTYPES[name]
    if name == "i1":
        return draws.integers(0, 2, count).astype(bool)
    if is_integer(name):
        limits = ml_dtypes.iinfo(dtype)
        low, high = max(int(limits.min), -9), min(int(limits.max), 9)
        return draws.integers(low, high + 1, count).astype(dtype)
    if is_complex(name):
        return (draws.standard_normal(count) + 1j * draws.standard_normal(count)).astype(dtype)
    return draws.standard_normal(count).astype(dtype)


@dataclasses.dataclass(frozen=True)
class Operand:
    """An operand's type, shape and filling. The filling is `edges` (edge values), `left` or `right` (which together give all pairs of edge
    values), `turned` (edge values in reverse order), `random`, `positive`, or a tuple of numbers."""
    type: str
    shape: tuple
    fill: object = "edges"

    def text(self):
        return "tensor<" + "".join(f"{size}x" for size in self.shape) + self.type + ">"

    def values(self, key):
        count = int(np.prod(self.shape, dtype=np.int64))
        if not isinstance(self.fill, str):
            return np.array(self.fill, np.float64 if is_float(self.type) or is_complex(self.type) else object).astype(
                DTYPES[self.type]).reshape(self.shape)
        if self.fill == "random":
            return random(self.type, count, key).reshape(self.shape)
        if self.fill == "positive":
            return (np.abs(random(self.type, count, key).astype(np.float64)) + 0.5).astype(DTYPES[self.type]).reshape(self.shape)
        own = edges(self.type)
        if self.fill == "left":
            own = np.repeat(own, len(own))
        elif self.fill == "right":
            own = np.tile(own, len(own))
        elif self.fill == "turned":  # so that two operands have different elements
            own = own[::-1]
        if len(own) < count:
            own = np.concatenate([own, random(self.type, count - len(own), key)])
        return own[:count].reshape(self.shape)


def all_edges(name):
    return (len(edges(name)),)


def all_pairs(name):
    return (len(edges(name)) ** 2,)
