"""Reads departures.txt, and finds the elements of a case that one of its lines excuses."""
import pathlib
import re

import ml_dtypes
import numpy as np

from values import DTYPES, is_complex, is_float, part_of, same

LINES = pathlib.Path(__file__).parent / "departures.txt"


def parts(array):
    """A complex array's parts as one more dimension; others as they are."""
    return np.stack([array.real, array.imag], -1) if array.dtype.kind == "c" else array


def subnormal(array, type):
    part = part_of(type)
    if not is_float(part):
        return np.zeros(array.shape, bool)
    least = float(ml_dtypes.finfo(DTYPES[part]).smallest_normal)
    values = parts(array).astype(np.float64)
    # The least normal number too: jaxlib's flushing comes before the rounding that leads to it.
    found = (np.abs(values) <= least) & (values != 0)
    return found.any(-1) if is_complex(type) else found


def special(array):
    values = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64) if array.dtype.kind not in "biu" else array
    return ~np.isfinite(values)


def operands_that(test):
    """Elements of which one operand holds the test; operands of rank 0 stand for all elements."""
    def find(case, operands, ours, theirs, type):
        found = np.zeros(ours.shape, bool)
        for operand, array in zip(case.operands, operands):
            if array.shape == ours.shape or array.ndim == 0:
                found |= test(array, operand.type)
        return found
    return find


def all_elements(case, operands, ours, theirs, type):
    return np.ones(ours.shape, bool)


def subnormals(case, operands, ours, theirs, type):
    """A subnormal number among the operands or the results."""
    return operands_that(subnormal)(case, operands, ours, theirs, type) | subnormal(ours, type) | subnormal(theirs, type)


def halved_subnormals(case, operands, ours, theirs, type):
    """An operand whose half or quarter is subnormal."""
    def test(array, name):
        return subnormal(array / 4, name)
    return operands_that(test)(case, operands, ours, theirs, type)


def minus_zero(case, operands, ours, theirs, type):
    """A part that is minus zero."""
    def test(array, _):
        found = (parts(array) == 0) & np.signbit(parts(array))
        return found.any(-1) if array.dtype.kind == "c" else found
    return operands_that(test)(case, operands, ours, theirs, type)


def zero_base(case, operands, ours, theirs, type):
    return np.broadcast_to(operands[0] == 0, ours.shape)


def not_finite(case, operands, ours, theirs, type):
    """An infinity or a NaN among the operands or the results."""
    return operands_that(lambda array, _: special(array))(case, operands, ours, theirs, type) | special(ours) | special(theirs)


def nan(case, operands, ours, theirs, type):
    """A NaN among the operands."""
    return operands_that(lambda array, _: array != array)(case, operands, ours, theirs, type)


def largest(case, operands, ours, theirs, type):
    """The largest number of the operand's type."""
    return np.abs(operands[0].astype(np.float64)) == float(ml_dtypes.finfo(operands[0].dtype).max)


def zeros(case, operands, ours, theirs, type):
    """Zero on both sides."""
    return (ours == 0) & (theirs == 0)


def negative(case, operands, ours, theirs, type):
    return operands[0] < 0


def below_zero(case, operands, ours, theirs, type):
    """The step from the least negative number to zero."""
    return (operands[0] < 0) & (ours == 0)


def beyond_63(case, operands, ours, theirs, type):
    """Exponents of more than six bits, or negative."""
    exponents = np.broadcast_to(operands[1], ours.shape)
    return (exponents > 63) | (exponents < 0)


ELEMENTS = {each.__name__: each for each in (subnormals, halved_subnormals, minus_zero, zero_base, not_finite, nan, largest, zeros, negative, below_zero, beyond_63)}
ELEMENTS["all"] = all_elements


def read():
    """(pattern of places, of operations, of types, elements' name, reason) of each line."""
    for line in LINES.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            where, reason = line.split("=>")
            place, operation, type, elements = (part.strip() for part in where.split(" ; "))
            yield place, operation, type, elements, reason.strip()


def excused(place, case, operands, ours, theirs, type, used):
    """Elements that may differ; the lines that hold one that does are added to `used`, by their position."""
    differs = ~same(ours, theirs)
    found = np.zeros(ours.shape, bool)
    for position, (places, operation, types, elements, _) in enumerate(read()):
        if re.fullmatch(places, place) and re.fullmatch(operation, case.name) and re.fullmatch(types, case.type):
            these = ELEMENTS[elements](case, operands, ours, theirs, type)
            if (these & differs).any():
                used.add(position)
            found |= these
    return found
