// Functions that the standard library lacks, in the widest precision at hand.
#pragma once

namespace drumlin::interpreter {

// The x with erf(x) = y: +-infinity at +-1, NaN outside of [-1, 1].
long double erfInverse(long double y);

// The derivative of lgamma: NaN at zero and the negative integers, its poles.
long double digamma(long double x);

// Hurwitz's zeta function, the sum of (q + k)^-x over k >= 0: infinite at x = 1, NaN for x < 1. For
// q <= 0 it is infinite where the sum has a pole of one sign (integer q, even x), else NaN for q an
// integer or x not one.
long double hurwitzZeta(long double x, long double q);

// The n-th derivative of digamma; NaN where n is no natural number.
long double polygamma(long double n, long double x);

// exp(-|x|) I1(x), I1 being the modified Bessel function of the first kind and order one.
long double besselI1e(long double x);

} // namespace drumlin::interpreter
