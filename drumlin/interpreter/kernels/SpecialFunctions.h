// Special functions that the standard library lacks, in the widest available precision.
#pragma once

namespace drumlin::interpreter {

// Returns the x with erf(x) = y: +-infinity at +-1, NaN outside of [-1, 1].
long double erfInverse(long double y);

// Returns the derivative of lgamma; NaN at its poles, zero and the negative integers.
long double digamma(long double x);

// Returns Hurwitz's zeta function, the sum of (q + k)^-x over k >= 0, as XLA defines it:
// - infinite at x = 1;
// - NaN for x < 1, and if x or q is infinite;
// - for q <= 0: at integers q, infinite if x is even and NaN otherwise; at other q, NaN if x is not
//   an integer.
long double hurwitzZeta(long double x, long double q);

// Returns the n-th derivative of digamma, (-1)^(n + 1) n! zeta(n + 1, x) for n > 0; NaN if n is no
// natural number. At its poles it is infinite for odd n, else NaN.
long double polygamma(long double n, long double x);

// Returns exp(-|x|) I1(x), where I1 is the modified Bessel function of the first kind, order one.
long double besselI1e(long double x);

} // namespace drumlin::interpreter
