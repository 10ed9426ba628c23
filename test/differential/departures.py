"""Reads departures.txt, and finds the elements of a case's results that may differ because a line of the file excuses them.

A line selects elements by the operands and jaxlib's results, never by Drumlin's results. Some lines excuse an element only if Drumlin's result
is one of those in ALLOWED."""
import pathlib
import re

import ml_dtypes
import numpy as np

from values import DTYPES, is_complex, is_float, part_of, same

LINES = pathlib.Path(__file__).parent / "departures.txt"
FUNCTIONS = pathlib.Path(__file__).resolve().parents[2] / "drumlin" / "interpreter" / "kernels" / "UnaryFunctions.h"
# The functions that the C++ standard library has for real and for complex numbers. Annex G of the C standard defines their special values.
ANALYTIC = "|".join(re.findall(r'ANALYTIC\(\w+, "(\w+)"', FUNCTIONS.read_text()))


def parts(array):
    """Returns a complex array's real and imaginary parts along one more dimension; other arrays unchanged."""
    return np.stack([array.real, array.imag], -1) if array.dtype.kind == "c" else array


def subnormal_parts(array, type):
    part = part_of(type)
    if not is_float(part):
        return np.zeros(parts(array).shape, bool)
    least = float(ml_dtypes.finfo(DTYPES[part]).smallest_normal)
    values = parts(array).astype(np.float64)
    # Includes the least normal number: jaxlib flushes numbers that would be rounded up to it.
    return (np.abs(values) <= least) & (values != 0)


def subnormal(array, type):
    found = subnormal_parts(array, type)
    return found.any(-1) if array.dtype.kind == "c" else found


def special(array):
    values = array.astype(np.complex128 if array.dtype.kind == "c" else np.float64) if array.dtype.kind not in "biu" else array
    return ~np.isfinite(values)


def operands_that(test):
    """Returns the elements for which an operand passes the test; a rank-0 operand stands for all elements."""
    def find(case, operands, theirs, type):
        found = np.zeros(theirs.shape, bool)
        for operand, array in zip(case.operands, operands):
            if array.shape == theirs.shape or array.ndim == 0:
                found |= test(array, operand.type)
        return found
    return find


def all_elements(case, operands, theirs, type):
    return np.ones(theirs.shape, bool)


def subnormals(case, operands, theirs, type):
    """Selects elements for which an operand or jaxlib's result is subnormal."""
    return operands_that(subnormal)(case, operands, theirs, type) | subnormal(theirs, type)


def flushed(case, operands, theirs, type):
    """Selects elements for which jaxlib's result, or its real or imaginary part, is zero. Drumlin's may be subnormal there."""
    found = parts(theirs) == 0
    return found.any(-1) if is_complex(type) else found


def flushed_scales(case, operands, theirs, type):
    """Selects elements for which jaxlib's result is NaN and no operand is, in a type without zero. Drumlin's result is the type's smallest number
    there."""
    return (theirs != theirs) & ~nan(case, operands, theirs, type)


def halved_subnormals(case, operands, theirs, type):
    """Selects elements for which a quarter of an operand is subnormal, which is true if half of the operand is."""
    def test(array, name):
        return subnormal(array / 4, name)
    return operands_that(test)(case, operands, theirs, type)


def minus_zero(case, operands, theirs, type):
    """Selects elements for which an operand, or its real or imaginary part, is minus zero."""
    def test(array, _):
        found = (parts(array) == 0) & np.signbit(parts(array))
        return found.any(-1) if array.dtype.kind == "c" else found
    return operands_that(test)(case, operands, theirs, type)


def zero_base(case, operands, theirs, type):
    return np.broadcast_to(operands[0] == 0, theirs.shape)


def not_finite(case, operands, theirs, type):
    """Selects elements for which an operand or jaxlib's result is infinite or NaN."""
    return operands_that(lambda array, _: special(array))(case, operands, theirs, type) | special(theirs)


def nan(case, operands, theirs, type):
    """Selects elements for which an operand is NaN."""
    return operands_that(lambda array, _: array != array)(case, operands, theirs, type)


def largest(case, operands, theirs, type):
    """Selects elements for which the operand is the largest number of its type."""
    return np.abs(operands[0].astype(np.float64)) == float(ml_dtypes.finfo(operands[0].dtype).max)


def zeros(case, operands, theirs, type):
    """Selects elements for which jaxlib's result is zero. Drumlin's zero may have the other sign."""
    return theirs == 0


def negative(case, operands, theirs, type):
    return operands[0] < 0


def below_zero(case, operands, theirs, type):
    """Selects elements for which the operand is the negative number closest to zero, so that the next number is zero."""
    least = float(ml_dtypes.finfo(DTYPES[type]).smallest_subnormal)
    return operands[0].astype(np.float64) == -least


def beyond_63(case, operands, theirs, type):
    """Selects elements for which the exponent of an integer power is negative or greater than 63."""
    exponents = np.broadcast_to(operands[1], theirs.shape)
    return (exponents > 63) | (exponents < 0)


ELEMENTS = {each.__name__: each for each in (subnormals, flushed, flushed_scales, halved_subnormals, minus_zero, zero_base, not_finite, nan, largest, zeros,
                                             negative, below_zero, beyond_63)}
ELEMENTS["all"] = all_elements


def zero(ours, theirs, type):
    return ours == 0


def at_most_subnormal(ours, theirs, type):
    """Returns which elements are allowed: a part (real or imaginary) that is zero in jaxlib's result may be zero or subnormal in Drumlin's; all
    other parts must be equal."""
    near = (parts(ours) == parts(theirs)) | (subnormal_parts(ours, type) & (parts(theirs) == 0))
    return near.all(-1) if is_complex(type) else near


def least(ours, theirs, type):
    return ours.astype(np.float64) == float(ml_dtypes.finfo(DTYPES[type]).smallest_normal)


# For a name of ELEMENTS: which of Drumlin's results are allowed for an excused element. Without an entry, any result is.
ALLOWED = {"flushed": at_most_subnormal, "flushed_scales": least, "zeros": zero, "below_zero": zero}


def read():
    """Yields a tuple for each line: three regular expressions (for modes, operations and types), the name in ELEMENTS, and the reason. A mode is
    `interpreted` or `native`."""
    for line in LINES.read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            where, reason = line.split("=>")
            place, operation, type, elements = (part.strip() for part in where.split(" ; "))
            yield place, operation.replace("ANALYTIC", ANALYTIC), type, elements, reason.strip()


def excused(place, case, operands, ours, theirs, type, used):
    """Returns a mask of the elements that may differ. Adds to `used` the index of each line that excuses an element which does differ."""
    differs = ~same(ours, theirs)
    found = np.zeros(ours.shape, bool)
    for position, (places, operation, types, elements, _) in enumerate(read()):
        if re.fullmatch(places, place) and re.fullmatch(operation, case.name) and re.fullmatch(types, case.type):
            these = ELEMENTS[elements](case, operands, theirs, type)
            if elements in ALLOWED:
                these = these & ALLOWED[elements](ours, theirs, type)
            if (these & differs).any():
                used.add(position)
            found |= these
    return found
