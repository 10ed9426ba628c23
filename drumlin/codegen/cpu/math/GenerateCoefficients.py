#!/usr/bin/env python3
"""Writes Coefficients.h: minimax polynomials for the vector math functions.

Each table holds the polynomial of n coefficients that minimizes max |weight(x) * (f(x) - p(x))| on an interval,
found with the Remez exchange on a dense grid of Chebyshev points in 60-digit arithmetic (E. Remez 1934; see
J.-M. Muller, "Elementary Functions", 3rd edition, chapter 3). Needs the Python package mpmath.

Usage: GenerateCoefficients.py > Coefficients.h
"""
import sys

import mpmath as mp

mp.mp.dps = 60


def remez(f, weight, low, high, n):
    """Returns the coefficients, lowest power first, and their weighted error."""
    count = 40 * (n + 1)
    grid = [(low + high) / 2 - (high - low) / 2 * mp.cos(mp.pi * i / count) for i in range(count + 1)]
    # At points with a weight near zero, any polynomial fits, which would make the equations singular.
    heaviest = max(abs(weight(x)) for x in grid)
    grid = [x for x in grid if abs(weight(x)) > heaviest * mp.mpf("1e-5")]
    values, weights = [f(x) for x in grid], [weight(x) for x in grid]
    chosen = [round(i * (len(grid) - 1) / n) for i in range(n + 1)]
    for _ in range(40):
        matrix = mp.matrix(n + 1, n + 1)
        right = mp.matrix(n + 1, 1)
        for row, at in enumerate(chosen):
            for power in range(n):
                matrix[row, power] = grid[at] ** power
            matrix[row, n] = (-1) ** row / weights[at]
            right[row] = values[at]
        solution = mp.lu_solve(matrix, right)
        coefficients = [solution[i] for i in range(n)]
        errors = [w * (v - mp.polyval(coefficients[::-1], x)) for x, v, w in zip(grid, values, weights)]
        # Takes one extremum of each run of errors with equal signs. The smaller one of the two outer extrema is dropped until n + 1 remain.
        runs = []
        for i, error in enumerate(errors):
            if runs and (errors[runs[-1]] > 0) == (error > 0):
                if abs(error) > abs(errors[runs[-1]]):
                    runs[-1] = i
            else:
                runs.append(i)
        if len(runs) < n + 1:
            break
        while len(runs) > n + 1:
            runs.pop(0 if abs(errors[runs[0]]) < abs(errors[runs[-1]]) else -1)
        largest = max(abs(e) for e in errors)
        if runs == chosen or largest < abs(solution[n]) * mp.mpf("1.0001"):
            break
        chosen = runs
    return coefficients, max(abs(e) for e in errors)


def series_safe(f, limit):
    """Returns f with its limit as the value at zero."""
    return lambda x: limit if x == 0 else f(x)


def sqrt_argument(f, limit):
    """Returns f as a function of its squared argument."""
    return lambda z: limit if z == 0 else f(mp.sqrt(z))


LN2_HALF = mp.log(2) / 2 * mp.mpf("1.002")
ROOT2 = mp.sqrt(2)
LOG_SQUARE = (ROOT2 - 1) ** 2 / (ROOT2 + 1) ** 2 * mp.mpf("1.002")
ERFCX_CENTER = 2


def exp_tail(r):
    return (mp.exp(r) - 1 - r) / r**2


def log_tail(f):
    return (mp.log1p(f) - f + f**2 / 2) / f**3


def atanh_tail(s):
    return (2 * mp.atanh(s) - 2 * s) / s**3


def atanh_tail2(s):
    return (2 * mp.atanh(s) - 2 * s - mp.mpf(2) / 3 * s**3) / s**5


def scaled_erfcx(t):
    x = ERFCX_CENTER * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x**2) * mp.erfc(x)


def erfcx_position(x):
    return (mp.mpf(x) - ERFCX_CENTER) / (mp.mpf(x) + ERFCX_CENTER)


def erfinv_ratio(w):
    if w == 0:
        return mp.sqrt(mp.pi) / 2
    y = mp.sqrt(-mp.expm1(-w))
    # Newton's iteration on log(erfc) keeps the digits that would be lost in 1 - y.
    complement = mp.exp(-w) / (1 + y)
    x = mp.sqrt(w)
    for _ in range(60):
        step = (mp.erfc(x) - complement) / (2 / mp.sqrt(mp.pi) * mp.exp(-x * x))
        step = step / (1 - x * step)
        x += step
        if abs(step) < mp.mpf(10) ** -45:
            break
    return x / y


DIGAMMA_ROOT = mp.findroot(mp.digamma, mp.mpf("1.4616321449683623"))
# For some tables, how many of the first coefficients have their rounding errors in a second table.
DOUBLED = {"ErfcxF64": 1, "Lgamma": 6, "SinPi": 4, "Digamma": 6, "CotPi": 8, "BesselA": 4, "BesselB": 4, "BesselC": 4, "BesselD": 4, "BesselE": 4}


def inverse_square(f, limit):
    """Returns f as a function of its inverse squared argument."""
    return lambda z: limit if z == 0 else f(1 / mp.sqrt(z))


def lgamma_ratio(u):
    with mp.workdps(140):
        return 1 - mp.euler if u == 0 else mp.loggamma(2 + u) / u


def stirling_rest(x):
    with mp.workdps(90):
        return x * (mp.loggamma(x) - (x - mp.mpf(1) / 2) * mp.log(x) + x - mp.log(2 * mp.pi) / 2)


def digamma_rest(x):
    with mp.workdps(90):
        return x**2 * (mp.log(x) - 1 / (2 * x) - mp.digamma(x))


def bessel_near(x):
    return mp.mpf(1) / 2 if x == 0 else mp.exp(-x) * mp.besseli(1, x) / x


def bessel_far(v):
    return 1 / mp.sqrt(2 * mp.pi) if v == 0 else mp.exp(-1 / v) * mp.besseli(1, 1 / v) / mp.sqrt(v)


def tables():
    one = lambda x: mp.mpf(1)
    square = lambda x: x * x
    quarter = (mp.pi / 4 * mp.mpf("1.001")) ** 2
    half = (mp.pi / 2 * mp.mpf("1.001")) ** 2
    eighth = (ROOT2 - 1) ** 2 * mp.mpf("1.001")
    exp = series_safe(exp_tail, mp.mpf(1) / 2)
    sin = sqrt_argument(lambda x: (mp.sin(x) - x) / x**3, -mp.mpf(1) / 6)
    cos = sqrt_argument(lambda x: (mp.cos(x) - 1 + x * x / 2) / x**4, mp.mpf(1) / 24)
    atan = sqrt_argument(lambda x: (mp.atan(x) - x) / x**3, -mp.mpf(1) / 3)
    atanh = sqrt_argument(atanh_tail, mp.mpf(2) / 3)
    erf = sqrt_argument(lambda x: mp.erf(x) / x - 1, 2 / mp.sqrt(mp.pi) - 1)
    yield "ExpF32", "float", "(e^r - 1 - r) / r^2", exp, square, -LN2_HALF, LN2_HALF, 5
    yield "ExpF64", "double", "(e^r - 1 - r) / r^2", exp, square, -LN2_HALF, LN2_HALF, 11
    yield "ExpShort", "double", "(e^r - 1 - r) / r^2", exp, square, -LN2_HALF, LN2_HALF, 6
    log = series_safe(log_tail, mp.mpf(1) / 3)
    log_weight = lambda f: abs(f**3 / mp.log1p(f)) if f != 0 else mp.mpf(0)
    yield "LogF32", "float", "(log(1 + f) - f + f^2/2) / f^3", log, log_weight, 1 / ROOT2 - 1, ROOT2 - 1, 9
    yield "AtanhF64", "double", "(2 atanh(s) - 2s) / s^3 as a polynomial in s^2", atanh, one, mp.mpf(0), LOG_SQUARE, 8
    yield "AtanhShort", "double", "(2 atanh(s) - 2s) / s^3 as a polynomial in s^2", atanh, one, mp.mpf(0), LOG_SQUARE, 6
    atanh2 = sqrt_argument(atanh_tail2, mp.mpf(2) / 5)
    yield "AtanhLong", "double", "(2 atanh(s) - 2s - 2/3 s^3) / s^5 as a polynomial in s^2", atanh2, one, mp.mpf(0), LOG_SQUARE, 10
    yield "SinF64", "double", "(sin(x) - x) / x^3 as a polynomial in x^2", sin, one, mp.mpf(0), quarter, 6
    yield "CosF64", "double", "(cos(x) - 1 + x^2/2) / x^4 as a polynomial in x^2", cos, one, mp.mpf(0), quarter, 6
    yield "SinWide", "double", "(sin(x) - x) / x^3 as a polynomial in x^2, |x| < pi/2", sin, lambda z: z, mp.mpf(0), half, 5
    yield "SinShort", "double", "(sin(x) - x) / x^3 as a polynomial in x^2", sin, lambda z: z, mp.mpf(0), quarter, 4
    yield "CosShort", "double", "(cos(x) - 1 + x^2/2) / x^4 as a polynomial in x^2", cos, square, mp.mpf(0), quarter, 4
    yield "AtanF64", "double", "(atan(x) - x) / x^3 as a polynomial in x^2", atan, one, mp.mpf(0), eighth, 12
    yield "AtanShort", "double", "(atan(x) - x) / x^3 as a polynomial in x^2", atan, one, mp.mpf(0), eighth, 7
    tanh = sqrt_argument(lambda x: (mp.tanh(x) - x) / x**3, -mp.mpf(1) / 3)
    yield "TanhF32", "float", "(tanh(x) - x) / x^3 as a polynomial in x^2, |x| < 0.625", tanh, lambda z: z, mp.mpf(0), mp.mpf("0.3907"), 5
    yield "ErfF32", "float", "erf(x) / x - 1 as a polynomial in x^2, |x| < 1", erf, one, mp.mpf(0), mp.mpf("1.0001"), 7
    erfc_log = lambda t: mp.log(mp.erfc(1 + t), 2)
    yield ("LogErfcF32", "float", "log2(erfc(1 + t)), 0 < t < 3", erfc_log, lambda t: mp.erfc(1 + t), mp.mpf(0),
           mp.mpf("2.95"), 7)
    exp2 = series_safe(lambda r: (mp.mpf(2) ** r - 1) / r, mp.log(2))
    yield "Exp2F32", "float", "(2^r - 1) / r", exp2, abs, -mp.mpf("0.501"), mp.mpf("0.501"), 5
    yield "ErfF64", "double", "erf(x) / x - 1 as a polynomial in x^2, |x| < 0.5", erf, one, mp.mpf(0), mp.mpf("0.2501"), 10
    yield "ErfShort", "double", "erf(x) / x - 1 as a polynomial in x^2, |x| < 0.5", erf, one, mp.mpf(0), mp.mpf("0.2501"), 6
    low = erfcx_position("0.4999")
    yield ("ErfcxF64", "double", "(1 + 2x) e^(x^2) erfc(x) as a polynomial in t = (x - 2)/(x + 2), 0.5 < x < 27.5", scaled_erfcx, one,
           low, erfcx_position("27.5"), 24)
    yield ("ErfcxShort", "double", "(1 + 2x) e^(x^2) erfc(x) as a polynomial in t = (x - 2)/(x + 2), 0.5 < x < 10.2", scaled_erfcx, one,
           low, erfcx_position("10.2"), 12)
    yield ("ErfInvCenter", "double", "erfinv(y) / y as a polynomial in w = -log(1 - y^2), w < 6", erfinv_ratio, one, mp.mpf(0),
           mp.mpf("6.001"), 12)
    tail = lambda v: erfinv_ratio(v * v)
    yield ("ErfInvTail", "double", "erfinv(y) / y as a polynomial in v = sqrt(-log(1 - y^2)), v < 6.1", tail, one, mp.sqrt(mp.mpf("5.999")),
           mp.mpf("6.1"), 11)
    yield ("ErfInvTailShort", "double", "erfinv(y) / y as a polynomial in v = sqrt(-log(1 - y^2)), v < 4.1", tail, one,
           mp.sqrt(mp.mpf("5.999")), mp.mpf("4.1"), 10)
    cbrt = lambda m: mp.cbrt(m)
    yield "Cbrt", "double", "cbrt(m), 1 <= m < 2", cbrt, lambda m: 1 / mp.cbrt(m), mp.mpf(1), mp.mpf(2), 5
    edge = mp.mpf("0.5")
    stirling = inverse_square(stirling_rest, mp.mpf(1) / 12)
    sinpi = sqrt_argument(lambda r: mp.sinpi(r) / (mp.pi * r), mp.mpf(1))
    cotpi = sqrt_argument(lambda r: mp.pi * r * mp.cospi(r) / mp.sinpi(r), mp.mpf(1))
    digamma = lambda u: mp.digamma(u + 1.5) / (u + 1.5 - DIGAMMA_ROOT)
    digamma_far = inverse_square(digamma_rest, mp.mpf(1) / 12)
    yield "Lgamma", "double", "lgamma(2 + u) / u, |u| <= 0.5", lgamma_ratio, one, -edge, edge, 22
    yield ("Stirling", "double", "x (lgamma(x) - (x - 1/2) log(x) + x - log(2 pi) / 2) as a polynomial in x^-2, x >= 8", stirling, one, mp.mpf(0),
           mp.mpf(1) / 64, 9)
    yield "SinPi", "double", "sin(pi r) / (pi r) as a polynomial in r^2, r <= 0.5", sinpi, one, mp.mpf(0), edge**2, 11
    yield "Digamma", "double", "digamma(x) / (x - root) as a polynomial in x - 1.5, 1 <= x <= 2", digamma, one, -edge, edge, 26
    yield ("DigammaFar", "double", "x^2 (log(x) - 1 / (2x) - digamma(x)) as a polynomial in x^-2, x >= 8", digamma_far, one, mp.mpf(0), mp.mpf(1) / 64, 9)
    yield "CotPi", "double", "pi r cot(pi r) as a polynomial in r^2, r <= 0.5", cotpi, one, mp.mpf(0), edge**2, 18
    for name, low, high in (("A", 0, 1.5), ("B", 1.5, 4), ("C", 4, 8)):
        center, half = mp.mpf(low + high) / 2, mp.mpf(high - low) / 2
        near = lambda x, center=center: bessel_near(x + center)
        text = f"e^-x I1(x) / x as a polynomial in x - {float(center)}, {low} <= x <= {high}"
        yield f"Bessel{name}", "double", text, near, one, -half, half, 22
        yield f"BesselShort{name}", "double", text, near, one, -half, half, 14
    for name, short, low, high in (("D", False, "0.05", "0.125"), ("E", False, "0", "0.05"), ("D", True, "0", "0.125")):
        center, half = (mp.mpf(low) + mp.mpf(high)) / 2, (mp.mpf(high) - mp.mpf(low)) / 2
        far = lambda v, center=center: bessel_far(v + center)
        text = f"sqrt(x) e^-x I1(x) as a polynomial in 1 / x - {float(center)}, {low} <= 1 / x <= {high}"
        yield f"Bessel{'Short' if short else ''}{name}", "double", text, far, one, -half, half, 14 if short else 22


TWO_OVER_PI_WORDS = 22


def two_over_pi():
    """Returns 2/pi as an integer of (TWO_OVER_PI_WORDS - 1) 64-bit words."""
    with mp.workdps(500):
        return int(mp.floor(mp.mpf(2) / mp.pi * mp.mpf(2) ** (64 * (TWO_OVER_PI_WORDS - 1))))


def literal(value, ctype):
    """Returns the nearest number of the type, in hexadecimal."""
    if ctype == "double":
        return float(value).hex()
    mantissa, exponent = mp.frexp(value)
    rounded = mp.ldexp(mp.nint(mp.ldexp(mantissa, 24)), int(exponent) - 24)
    return float(rounded).hex() + "f"


def main():
    print("// clang-format off")
    print("// Minimax polynomials, lowest power first. Generated by GenerateCoefficients.py: change that, not this.")
    print("#pragma once\n\n#include <stdint.h>")
    for name, ctype, text, f, weight, low, high, n in tables():
        coefficients, error = remez(f, weight, low, high, n)
        bits = mp.nstr(mp.log(error, 2), 4)
        print(f"{name} {n} 2^{bits}", file=sys.stderr, flush=True)
        print(f"\n// {text}; weighted error 2^{bits}.")
        print(f"static const {ctype} k{name}[] = {{")
        for coefficient in coefficients:
            print(f"    {literal(coefficient, ctype)},")
        print("};")
        low_parts = [literal(c - mp.mpf(float(c)), "double") for c in coefficients[:DOUBLED.get(name, 0)]]
        if low_parts:
            print(f"// Rounding errors of the first coefficients.\nstatic const double k{name}Low[] = {{")
            for part in low_parts:
                print(f"    {part},")
            print("};")
    # The first word is zero, since arguments with small exponents need bits before the binary point.
    bits = two_over_pi()
    print("\n// The bits of 2/pi, 64 in each word, most significant first, after one word of zeros.")
    print("static const uint64_t kTwoOverPi[] = {")
    for word in range(TWO_OVER_PI_WORDS - 1, -1, -1):
        print(f"    0x{(bits >> (64 * word)) & (2**64 - 1):016x},")
    print("};")


if __name__ == "__main__":
    main()
