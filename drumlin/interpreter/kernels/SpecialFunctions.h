// Functions that the standard library lacks, in the widest precision at hand.
#pragma once

namespace drumlin::interpreter {

// The x with erf(x) = y: +-infinity at +-1, NaN outside of [-1, 1].
long double erfInverse(long double y);

// The derivative of lgamma: NaN at zero and the negative integers, its poles.
long double digamma(long double x);

// Hurwitz's zeta function, the sum of (q + k)^-x over k >= 0. As XLA defines it: infinite at x = 1;
// NaN for x < 1 and where x or q is infinite; for q <= 0 infinite at a pole of one sign (integer q,
// even x), NaN at the other poles and where x is no integer.
long double hurwitzZeta(long double x, long double q);

// The n-th derivative of digamma, (-1)^(n + 1) n! zeta(n + 1, x) but for n = 0; NaN where n is no
// natural number. At its poles infinite for odd n, else NaN.
long double polygamma(long double n, long double x);

// exp(-|x|) I1(x), I1 being the modified Bessel function of the first kind and order one.
long double besselI1e(long double x);

} // namespace drumlin::interpreter
