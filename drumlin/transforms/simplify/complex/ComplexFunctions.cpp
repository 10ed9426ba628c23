#include "drumlin/transforms/simplify/complex/ComplexFunctions.h"

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/transforms/simplify/RealFormula.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

using namespace formula;

namespace {

constexpr double pi = 3.14159265358979323846, ln2 = 0.69314718055994530942;
// Exponentials of numbers beyond this overflow or nearly do so. They are computed as two factors.
constexpr double largeExponent = 700;

struct Complex {
  Real re, im;
};

Complex select(Truth when, Complex then, Complex otherwise) {
  return {formula::select(when, then.re, otherwise.re),
          formula::select(when, then.im, otherwise.im)};
}
Complex operator+(Complex a, Complex b) { return {a.re + b.re, a.im + b.im}; }
Complex operator-(Complex a) { return {-a.re, -a.im}; }
// Return i z and -i z.
Complex timesI(Complex z) { return {-z.im, z.re}; }
Complex timesMinusI(Complex z) { return {z.im, -z.re}; }
Truth isZero(Complex z) { return z.re == 0.0 && z.im == 0.0; }
Truth isInfinite(Complex z) { return formula::isInfinite(z.re) || formula::isInfinite(z.im); }
Truth isNaN(Complex z) { return formula::isNaN(z.re) || formula::isNaN(z.im); }
Truth isFinite(Real x) { return abs(x) < infinity; }

Complex multiply(Complex a, Complex b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

// Returns z^2 = (x - y) (x + y) + 2 x y i. For f64, no intermediate result overflows unless the
// result does: the squares aren't computed, and the smaller part is doubled. If |x| = |y|, the real
// part is +0, or NaN if both are infinite.
Complex squareOf(Complex z, bool isWide) {
  if (isWide) {
    return multiply(z, z);
  }
  Real x = abs(z.re), y = abs(z.im);
  Real difference = x - y;
  Truth isLess = x < y;
  Real smaller = formula::select(isLess, z.re, z.im), larger = formula::select(isLess, z.im, z.re);
  return {formula::select(x == y, difference, difference * (x + y)), (smaller + smaller) * larger};
}

//===-- sums of two f64 numbers ---------------------------------------------------------------===//

// The exact number high + low.
struct Exact {
  Real high, low;
};

// Returns a + b exactly (Knuth), if the sum doesn't overflow.
Exact exactSum(Real a, Real b) {
  Real sum = a + b;
  Real ofB = sum - a;
  return {sum, (a - (sum - ofB)) + (b - ofB)};
}

// Returns a^2 exactly (Dekker), for numbers below 2^996.
Exact exactSquare(Real a) {
  Real scaled = a * 134217729.0; // 2^27 + 1
  Real high = scaled - (scaled - a);
  Real low = a - high;
  Real square = a * a;
  return {square, ((high * high - square) + 2.0 * (high * low)) + low * low};
}

//===-- functions of f64 parts ----------------------------------------------------------------===//

// A power of two near the larger of the real and imaginary parts. Dividing by it is exact, and the
// squares of the quotients don't overflow or both vanish.
struct Scale {
  Real factor, inverse;
};

Scale scaleOf(Real larger) {
  constexpr uint64_t exponent = uint64_t{0x7FF} << 52;
  Real power = ofBits(larger.at(), maskedBits(larger, exponent));
  Real factor =
      formula::select(power == 0.0, 0x1p-1022, formula::select(power == infinity, 1.0, power));
  return {factor, 1.0 / factor};
}

Real lengthOf(Complex z) {
  Scale scale = scaleOf(max(abs(z.re), abs(z.im)));
  Real x = z.re * scale.inverse, y = z.im * scale.inverse;
  return formula::select(isInfinite(z), infinity, sqrt(x * x + y * y) * scale.factor);
}

// Returns a / b for finite numbers other than zero.
Complex plainQuotientOf(Complex a, Complex b) {
  // Scales both numbers, so that no product overflows or loses bits.
  Scale scale = scaleOf(max(abs(b.re), abs(b.im)));
  Scale ofA = scaleOf(max(abs(a.re), abs(a.im)));
  Complex c = {b.re * scale.inverse, b.im * scale.inverse};
  Complex n = {a.re * ofA.inverse, a.im * ofA.inverse};
  Real square = c.re * c.re + c.im * c.im;
  auto scaled = [&](Real part) { return (part / square) * ofA.factor * scale.inverse; };
  return {scaled(n.re * c.re + n.im * c.im), scaled(n.im * c.re - n.re * c.im)};
}

// Returns a / b for parts that are zero or between 2^-250 and 2^250, so that products neither
// overflow nor underflow. Rounding the inverse and the product adds two units in the last place to
// the error of the sums.
Complex shortQuotientOf(Complex a, Complex b) {
  Real inverse = 1.0 / (b.re * b.re + b.im * b.im);
  return {(a.re * b.re + a.im * b.im) * inverse, (a.im * b.re - a.re * b.im) * inverse};
}

// Returns a / b. `isShort`: the parts are in shortQuotientOf()'s range, and the result is rounded
// to fewer than 53 bits.
Complex quotientOf(Complex a, Complex b, bool isShort) {
  Complex plain = isShort ? shortQuotientOf(a, b) : plainQuotientOf(a, b);
  // If both parts are NaN, Annex G of the C standard defines the result for division by zero, of
  // infinities, and by infinities.
  Real endless = copySign(a.re.same(infinity), b.re);
  Complex byZero = {endless * a.re, endless * a.im};
  auto unit = [](Real part) {
    return copySign(formula::select(formula::isInfinite(part), part.same(1), 0.0), part);
  };
  Complex ofA1 = {unit(a.re), unit(a.im)}, ofB1 = {unit(b.re), unit(b.im)};
  Complex ofInfinity = {infinity * (ofA1.re * b.re + ofA1.im * b.im),
                        infinity * (ofA1.im * b.re - ofA1.re * b.im)};
  Complex byInfinity = {0.0 * (a.re * ofB1.re + a.im * ofB1.im),
                        0.0 * (a.im * ofB1.re - a.re * ofB1.im)};
  Truth finiteB = !isInfinite(b) && !isNaN(b), finiteA = !isInfinite(a) && !isNaN(a);
  Complex made = select(isInfinite(b) && finiteA, byInfinity, plain);
  made = select(isInfinite(a) && finiteB, ofInfinity, made);
  Truth anyNumber = !formula::isNaN(a.re) || !formula::isNaN(a.im);
  made = select(isZero(b) && anyNumber, byZero, made);
  return select(formula::isNaN(plain.re) && formula::isNaN(plain.im), made, plain);
}

// Returns log |z|. `isWide`: the parts have at most 24 bits, so that their squares are exact.
Real logOfLength(Complex z, bool isWide) {
  Real x = abs(z.re), y = abs(z.im);
  Real larger = max(x, y), smaller = min(x, y);
  Real ratio = formula::select(larger == 0.0 || larger == infinity, 0.0, smaller / larger);
  Real plain = log(larger) + log1p(ratio * ratio) * 0.5;
  // Computes |z|^2 - 1 without cancellation, if |z| is near 1.
  Real square = larger * larger + smaller * smaller;
  Real excess = square;
  if (isWide) {
    Exact first = exactSum(larger * larger, larger.same(-1));
    Exact both = exactSum(first.high, smaller * smaller);
    excess = both.high + (both.low + first.low);
  } else {
    Exact a = exactSquare(larger), b = exactSquare(smaller);
    Exact first = exactSum(a.high, larger.same(-1));
    Exact both = exactSum(first.high, b.high);
    excess = both.high + (both.low + (first.low + (a.low + b.low)));
  }
  Real near = log1p(excess) * 0.5;
  Real made = formula::select(square > 0.5 && square < 3.0, near, plain);
  return formula::select(isInfinite(z), infinity, made);
}

Complex logOf(Complex z, bool isWide) { return {logOfLength(z, isWide), atan2(z.im, z.re)}; }

Complex log1pOf(Complex z, bool isWide) {
  Complex sum = {z.re + 1.0, z.im};
  // |1 + z|^2 - 1 = 2a + a^2 + b^2, with the larger terms added exactly.
  Exact first = exactSum(2.0 * z.re, z.im * z.im);
  Exact both = exactSum(first.high, z.re * z.re);
  Real excess = both.high + (both.low + first.low);
  Truth isNear = abs(z.re) < 0.5 && abs(z.im) < 0.5;
  Real real = formula::select(isNear, log1p(excess) * 0.5, logOfLength(sum, isWide));
  return {real, atan2(z.im, sum.re)};
}

// Computes products of e^x and a factor of at most 1, even if e^x alone would overflow.
struct Growth {
  Real exponential, step; // e^x = exponential * step
  explicit Growth(Real x)
      : exponential(exp(formula::select(x > largeExponent, x * 0.5, x))),
        step(formula::select(x > largeExponent, exponential, exponential.same(1))) {}
  Real times(Real factor) const { return exponential * factor * step; }
};

Complex expOf(Complex z) {
  Growth growth(z.re);
  Real re = formula::select(z.im == 0.0, growth.times(z.im.same(1)), growth.times(cos(z.im)));
  Real im = formula::select(z.im == 0.0, z.im, growth.times(sin(z.im)));
  // If the angle isn't finite, the result is infinite in an unspecified direction (Annex G of the C
  // standard).
  re = formula::select(z.re == infinity && !isFinite(z.im), infinity, re);
  // At minus infinity, the result is 0 for every angle.
  Truth vanishes = z.re == -infinity;
  return {formula::select(vanishes && !(re == 0.0), 0.0, re),
          formula::select(vanishes && !(im == 0.0), 0.0, im)};
}

Complex expm1Of(Complex z) {
  Real half = sin(z.im * 0.5);
  Growth growth(z.re);
  Real small = expm1(z.re) * cos(z.im) - 2.0 * (half * half);
  Real re = formula::select(z.re > largeExponent, growth.times(cos(z.im)), small);
  re = formula::select(z.im == 0.0, expm1(z.re), re);
  return {re, formula::select(z.im == 0.0, z.im, growth.times(sin(z.im)))};
}

// Computes products of cosh x or sinh x and a factor of at most 1.
struct Hyperbolic {
  Real x;
  Truth isLarge;
  Growth growth;
  Real coshOfX, sinhOfX;
  explicit Hyperbolic(Real x)
      : x(x), isLarge(abs(x) > largeExponent), growth(abs(x)), coshOfX(cosh(x)), sinhOfX(sinh(x)) {}
  Real coshTimes(Real factor) const {
    return formula::select(isLarge, growth.times(factor * 0.5), coshOfX * factor);
  }
  // Returns whether the result is infinite in an unspecified direction, because the angle isn't
  // finite.
  Truth hasNoDirection(Real angle) const { return formula::isInfinite(x) && !isFinite(angle); }
  Real sinhTimes(Real factor) const {
    Real large = growth.times(copySign(factor.same(0.5), x) * factor);
    return formula::select(isLarge, large, sinhOfX * factor);
  }
};

Complex coshOf(Complex z) {
  Hyperbolic x(z.re);
  Real zero = copySign(z.re.same(0), z.re) * copySign(z.im.same(1), z.im);
  Truth isOnAxis = z.re == 0.0 || z.im == 0.0;
  return {formula::select(x.hasNoDirection(z.im), infinity, x.coshTimes(cos(z.im))),
          formula::select(isOnAxis, zero, x.sinhTimes(sin(z.im)))};
}

Complex sinhOf(Complex z) {
  Hyperbolic x(z.re);
  Real re = formula::select(x.hasNoDirection(z.im), infinity, x.sinhTimes(cos(z.im)));
  Real im = x.coshTimes(sin(z.im));
  return {formula::select(z.re == 0.0, z.re, re), formula::select(z.im == 0.0, z.im, im)};
}

Complex tanhOf(Complex z) {
  Real t = tan(z.im), s = sinh(z.re), c = cosh(z.re);
  Real beta = 1.0 + t * t;
  Real divisor = 1.0 + beta * (s * s);
  Complex plain = {beta * c * s / divisor, t / divisor};
  // If |re z| exceeds this limit, beta * s^2 is so large that adding 1 doesn't change the divisor.
  constexpr double large = 20;
  Real decay = exp(abs(z.re) * -2.0);
  Complex far = {copySign(z.re.same(1), z.re), 4.0 * sin(z.im) * cos(z.im) * decay};
  // At infinity, the angle is irrelevant. Elsewhere it must be finite, except on the real axis.
  Truth hasAngle = isFinite(z.im);
  far.im = formula::select(formula::isInfinite(z.re) && !hasAngle, 0.0, far.im);
  far.re = formula::select(isFinite(z.re) && !hasAngle, z.im - z.im, far.re);
  Complex made = select(abs(z.re) > large, far, plain);
  made.re = formula::select(z.re == 0.0, z.re, made.re);
  made.im = formula::select(z.im == 0.0, z.im, made.im);
  return made;
}

Complex sqrtOf(Complex z) {
  // Scales by a power of two with an even exponent, so that the scale of the root is a power of two
  // as well.
  Real larger = max(abs(z.re), abs(z.im));
  Truth isSmall = larger < 0x1p-500, isLarge = larger > 0x1p500;
  auto either = [&](double small, double large) {
    return formula::select(isSmall, small, formula::select(isLarge, large, larger.same(1)));
  };
  Real factor = either(0x1p600, 0x1p-600), back = either(0x1p-300, 0x1p300);
  Real x = abs(z.re) * factor, y = abs(z.im) * factor;
  Real t = sqrt((x + sqrt(x * x + y * y)) * 0.5) * back;
  // Uses the unscaled imaginary part, since the scaled imaginary part may have become zero.
  Real other = formula::select(t == 0.0, 0.0, abs(z.im) / (t * 2.0));
  Truth isRight = z.re >= 0.0;
  Complex made = {formula::select(isRight, t, other),
                  copySign(formula::select(isRight, other, t), z.im)};
  // If both parts are infinite, so are both parts of the result. If only the real part is infinite,
  // the result lies on an axis of the complex plane.
  Truth upwards = formula::isInfinite(z.im);
  Real nan = z.im - z.im;
  Truth right = z.re == infinity && !upwards, left = z.re == -infinity && !upwards;
  made.re = formula::select(right, infinity, formula::select(left, nan, made.re));
  Real zero = formula::select(formula::isNaN(z.im), z.im, copySign(z.im.same(0), z.im));
  made.im = formula::select(right, zero,
                            formula::select(left, copySign(z.im.same(infinity), z.im), made.im));
  return {formula::select(upwards, infinity, made.re), formula::select(upwards, z.im, made.im)};
}

// Returns 1 / z. The division of a real number by z follows the C standard.
Complex inverseOf(Complex z, bool isShort) {
  return quotientOf({z.re.same(1), z.re.same(0)}, z, isShort);
}

Complex cbrtOf(Complex z) {
  Real length = cbrt(lengthOf(z));
  Real angle = atan2(z.im, z.re) / 3.0;
  return {length * cos(angle), length * sin(angle)};
}

Complex signOf(Complex z) {
  Scale scale = scaleOf(max(abs(z.re), abs(z.im)));
  Real x = z.re * scale.inverse, y = z.im * scale.inverse;
  Real length = sqrt(x * x + y * y);
  Complex plain = {x / length, y / length};
  // For infinite parts, the result is the limit for an infinite magnitude.
  Complex endless = {z.re / infinity, z.im / infinity};
  Complex made = select(isInfinite(z), endless, plain);
  made = select(isZero(z), z, made);
  Real nan = z.re.same(std::numeric_limits<double>::quiet_NaN());
  return select(isNaN(z), {nan, nan}, made);
}

Complex logisticOf(Complex z) {
  // Returns e^z / (e^z + 1) if re z < -1: the result is then small. Otherwise returns (1 + tanh(z /
  // 2)) / 2, which is exact near the poles.
  Complex w = expOf(z);
  Complex small = quotientOf(w, {w.re + 1.0, w.im}, false);
  Complex half = tanhOf({z.re * 0.5, z.im * 0.5});
  Complex made = select(z.re < -1.0, small, {half.re * 0.5 + 0.5, half.im * 0.5});
  // If the angle isn't finite, the result is NaN, except at infinity.
  Real none = z.re.same(std::numeric_limits<double>::quiet_NaN());
  Truth hasNone = formula::isNaN(z.re) || (isFinite(z.re) && !isFinite(z.im));
  return select(hasNone, {none, none}, made);
}

// Real and imaginary parts for z in the first quadrant, by Hull, Fairgrieve and Tang: |re asin z|,
// |im asin z| and re acos z.
struct InverseSine {
  Real asinRe, asinIm, acosRe;
};

InverseSine inverseSineOf(Complex z) {
  Real x = abs(z.re), y = abs(z.im);
  Real r = lengthOf({x + 1.0, y}), s = lengthOf({x - 1.0, y});
  Real a = (r + s) * 0.5;
  Real b = x / a;
  Real sum = a + x;
  Truth isInside = x <= 1.0;
  Real square = y * y;
  Real rest = r + (x + 1.0);
  Real inner = (sum * 0.5) * (square / rest + (s + (1.0 - x)));
  Real outer = (0.5 * (sum / rest + sum / (s + (x - 1.0))));
  // This is x * tan(acos(b)).
  Real tangent = formula::select(isInside, sqrt(inner), y * sqrt(outer));
  constexpr double crossover = 0.6417;
  Truth isFlat = b <= crossover;
  Real asinRe = formula::select(isFlat, asin(b), atan2(x, tangent));
  Real acosRe = formula::select(isFlat, acos(b), atan2(tangent, x));
  // This is a - 1, without cancellation.
  Real excess = formula::select(isInside, 0.5 * (square / rest + square / (s + (1.0 - x))),
                                0.5 * (square / rest + (s + (x - 1.0))));
  Real near = log1p(excess + sqrt(excess * (a + 1.0)));
  constexpr double nearLimit = 1.5;
  Real asinIm = formula::select(a <= nearLimit, near, log(a + sqrt(a * a - 1.0)));

  // True if y^2 vanishes: z is then near the real axis. The branch point z = 1 is a separate case
  // (isPoint).
  Truth isThin = y < 0x1p-510;
  Real cathetus = sqrt(abs((1.0 - x) * (1.0 + x)));
  Truth isPoint = x == 1.0;
  Real root = sqrt(y);
  Real thinIm = formula::select(
      isPoint, root, formula::select(x < 1.0, y / cathetus, log1p((x - 1.0) + cathetus)));
  Real thinRe = formula::select(isPoint, root,
                                formula::select(x < 1.0, acos(min(x, x.same(1))), y / cathetus));
  Real thinAsin = formula::select(x < 1.0, asin(min(x, x.same(1))), pi / 2 - thinRe);
  // True if squares would overflow. The results are then log |2z| and the angle.
  Truth isFar = max(x, y) > 0x1p500;
  Real farIm = logOfLength({x, y}, /*isWide=*/false) + ln2;
  auto chosen = [&](Real far, Real thin, Real plain) {
    return formula::select(isFar, far, formula::select(isThin, thin, plain));
  };
  Truth isOnAxis = x == 0.0;
  return {formula::select(isOnAxis, 0.0, chosen(atan2(x, y), thinAsin, asinRe)),
          chosen(farIm, thinIm, asinIm),
          formula::select(isOnAxis, pi / 2, chosen(atan2(y, x), thinRe, acosRe))};
}

Complex asinOf(Complex z) {
  InverseSine made = inverseSineOf(z);
  return {copySign(made.asinRe, z.re), copySign(made.asinIm, z.im)};
}

Complex acosOf(Complex z) {
  InverseSine made = inverseSineOf(z);
  Real isLeft = copySign(z.re.same(1), z.re); // negative for -0 too
  return {formula::select(isLeft < 0.0, pi - made.acosRe, made.acosRe),
          -copySign(made.asinIm, z.im)};
}

// Computes `chlo._asin_acos_kernel`, from which XLA computes asin and acos. Its real part is the
// real part of sqrt(1 - z) * sqrt(1 + z), a sum of two terms of the same sign. Its imaginary part
// is |im asin z|.
Complex asinAcosKernelOf(Complex z) {
  Complex below = sqrtOf({1.0 - z.re, -z.im}), above = sqrtOf({1.0 + z.re, z.im});
  Real re = below.re * above.re + abs(below.im * above.im);
  Real far = formula::select(formula::isNaN(z.re), z.re, abs(z.im));
  return {formula::select(isInfinite(z), far, re), abs(inverseSineOf(z).asinIm)};
}

Complex asinhOf(Complex z) { return timesMinusI(asinOf(timesI(z))); }

Complex acoshOf(Complex z) {
  Complex w = acosOf(z);
  return {abs(w.im), copySign(w.re, z.im)};
}

Complex atanhOf(Complex z) {
  Real x = abs(z.re), y = abs(z.im);
  Real square = y * y, gap = 1.0 - x;
  Real re = log1p(4.0 * x / (gap * gap + square)) * 0.25;
  Real im = 0.5 * atan2(2.0 * y, gap * (1.0 + x) - square);
  // If a part of z exceeds this limit, squares would overflow. The results are then re(1/z) and a
  // right angle.
  constexpr double far = 0x1p500;
  Truth isFar = x > far || y > far;
  Complex inverse = quotientOf({x.same(1), x.same(0)}, {x, y}, false);
  re = formula::select(isFar, formula::select(isInfinite(z), 0.0, abs(inverse.re)), re);
  im = formula::select(isFar, formula::select(formula::isNaN(y), y, y.same(pi / 2)), im);
  // At the pole, the square of y vanishes before the logarithm does.
  Real pole = formula::select(y == 0.0, infinity, 0.5 * (ln2 - log(y)));
  re = formula::select(x == 1.0 && y < 0x1p-26, pole, re);
  re = formula::select(x == 0.0, x, re);
  return {copySign(re, z.re), copySign(im, z.im)};
}

Complex atanOf(Complex z) { return timesMinusI(atanhOf(timesI(z))); }
Complex tanOf(Complex z) { return timesMinusI(tanhOf(timesI(z))); }

Complex sinOf(Complex z) {
  Complex made = timesMinusI(sinhOf(timesI(z)));
  Truth hasNoDirection = formula::isInfinite(z.im) && !isFinite(z.re);
  return {made.re, formula::select(hasNoDirection, infinity, made.im)};
}
Complex cosOf(Complex z) { return coshOf(timesI(z)); }

// Returns the number with magnitude |a|^re(b) e^(-im(b) arg(a)) and angle im(b) log |a| + re(b)
// arg(a).
Complex powerOf(Complex a, Complex b, bool isWide) {
  Real angle = atan2(a.im, a.re);
  Real length = lengthOf(a);
  Real logarithm = logOfLength(a, isWide);
  Truth hasNoDecay = b.im == 0.0 || angle == 0.0;
  Real decay = formula::select(hasNoDecay, 0.0, -(b.im * angle));
  Real ofLength = pow(length, b.re), ofAngle = exp(decay);
  Real size = ofLength * ofAngle;
  // If a factor overflows or vanishes, the product may still be finite. In that case, adds the
  // exponents instead.
  auto isNormal = [](Real x) { return x >= 0x1p-1022 && x < infinity; };
  Truth isPlain = isNormal(ofLength) && isNormal(ofAngle) && size < infinity;
  Growth growth(b.re * logarithm + decay);
  auto times = [&](Real factor) {
    return formula::select(isPlain, size * factor, growth.times(factor));
  };
  Real turn = formula::select(b.im == 0.0, 0.0, b.im * logarithm) + b.re * angle;
  Complex plain = {times(cos(turn)), formula::select(turn == 0.0, turn, times(sin(turn)))};
  Complex one = {a.re.same(1), a.re.same(0)}, zero = {a.re.same(0), a.re.same(0)};
  Complex made = select(isZero(a) && b.re > 0.0, zero, plain);
  return select(isZero(a) && isZero(b), one, made);
}

// Returns -i log((x + iy) / sqrt(x^2 + y^2)).
Complex atan2Of(Complex y, Complex x, bool isWide) {
  Complex sum = x + timesI(y);
  Complex squares = multiply(x, x) + multiply(y, y);
  return timesMinusI(logOf(quotientOf(sum, sqrtOf(squares), isWide), isWide));
}

} // namespace

//===-- by operation --------------------------------------------------------------------------===//

static Type partType(ComplexParts z) { return getElementTypeOrSelf(z.real.getType()); }

static Complex widened(Place &place, ComplexParts z) {
  Real re(place, z.real), im(place, z.imaginary);
  Type wide = place.builder.getF64Type();
  return partType(z) == wide ? Complex{re, im} : Complex{re.as(wide), im.as(wide)};
}

// Computes in the type of the real and imaginary parts, rounding each part once.
static std::optional<Complex> plainFunction(Operation *op, Complex a, std::optional<Complex> b) {
  if (isa<stablehlo::NegOp>(op)) {
    return -a;
  }
  if (isa<chlo::ConjOp>(op)) {
    return Complex{a.re, -a.im};
  }
  if (!b) {
    return std::nullopt;
  }
  if (isa<stablehlo::AddOp>(op)) {
    return a + *b;
  }
  if (isa<stablehlo::SubtractOp>(op)) {
    return Complex{a.re - b->re, a.im - b->im};
  }
  if (isa<stablehlo::MaxOp>(op)) {
    return select((a.re == b->re && a.im > b->im) || (a.re != b->re && a.re > b->re), a, *b);
  }
  if (isa<stablehlo::MinOp>(op)) {
    return select((a.re == b->re && a.im < b->im) || (a.re != b->re && a.re < b->re), a, *b);
  }
  return std::nullopt;
}

static std::optional<Complex> wideFunction(Operation *op, ArrayRef<Complex> z, bool isWide) {
  return llvm::TypeSwitch<Operation *, std::optional<Complex>>(op)
      .Case<stablehlo::MulOp>([&](auto) { return multiply(z[0], z[1]); })
      .Case<stablehlo::DivOp>([&](auto) { return quotientOf(z[0], z[1], isWide); })
      .Case<stablehlo::PowOp>([&](auto) { return powerOf(z[0], z[1], isWide); })
      .Case<stablehlo::Atan2Op>([&](auto) { return atan2Of(z[0], z[1], isWide); })
      .Case<stablehlo::ExpOp>([&](auto) { return expOf(z[0]); })
      .Case<stablehlo::Expm1Op>([&](auto) { return expm1Of(z[0]); })
      .Case<stablehlo::LogOp>([&](auto) { return logOf(z[0], isWide); })
      .Case<stablehlo::Log1pOp>([&](auto) { return log1pOf(z[0], isWide); })
      .Case<stablehlo::LogisticOp>([&](auto) { return logisticOf(z[0]); })
      .Case<stablehlo::SqrtOp>([&](auto) { return sqrtOf(z[0]); })
      .Case<stablehlo::RsqrtOp>([&](auto) { return inverseOf(sqrtOf(z[0]), isWide); })
      .Case<stablehlo::CbrtOp>([&](auto) { return cbrtOf(z[0]); })
      .Case<stablehlo::SignOp>([&](auto) { return signOf(z[0]); })
      .Case<stablehlo::SineOp>([&](auto) { return sinOf(z[0]); })
      .Case<stablehlo::CosineOp>([&](auto) { return cosOf(z[0]); })
      .Case<stablehlo::TanOp, chlo::TanOp>([&](auto) { return tanOf(z[0]); })
      .Case<stablehlo::TanhOp>([&](auto) { return tanhOf(z[0]); })
      .Case<chlo::SquareOp>([&](auto) { return squareOf(z[0], isWide); })
      .Case<chlo::SinhOp>([&](auto) { return sinhOf(z[0]); })
      .Case<chlo::CoshOp>([&](auto) { return coshOf(z[0]); })
      .Case<chlo::AsinOp>([&](auto) { return asinOf(z[0]); })
      .Case<chlo::AcosOp>([&](auto) { return acosOf(z[0]); })
      .Case<chlo::AsinAcosKernelOp>([&](auto) { return asinAcosKernelOf(z[0]); })
      .Case<chlo::AtanOp>([&](auto) { return atanOf(z[0]); })
      .Case<chlo::AsinhOp>([&](auto) { return asinhOf(z[0]); })
      .Case<chlo::AcoshOp>([&](auto) { return acoshOf(z[0]); })
      .Case<chlo::AtanhOp>([&](auto) { return atanhOf(z[0]); })
      .Default([](auto) { return std::nullopt; });
}

std::optional<ComplexParts> complexFunction(OpBuilder &builder, Operation *op,
                                            ArrayRef<ComplexParts> operands) {
  Place place{builder, op->getLoc()};
  SmallVector<Complex> own;
  for (ComplexParts z : operands) {
    own.push_back({Real(place, z.real), Real(place, z.imaginary)});
  }
  if (auto made =
          plainFunction(op, own[0], own.size() == 2 ? std::optional(own[1]) : std::nullopt)) {
    return ComplexParts{made->re.value(), made->im.value()};
  }
  SmallVector<Complex> wide;
  for (ComplexParts z : operands) {
    wide.push_back(widened(place, z));
  }
  Type part = partType(operands[0]);
  bool isWide = part != builder.getF64Type();
  std::optional<Complex> made = wideFunction(op, wide, isWide);
  if (!made) {
    return std::nullopt;
  }
  return isWide ? ComplexParts{made->re.as(part).value(), made->im.as(part).value()}
                : ComplexParts{made->re.value(), made->im.value()};
}

Value complexLength(OpBuilder &builder, Location loc, ComplexParts z) {
  Place place{builder, loc};
  Complex wide = widened(place, z);
  Type part = partType(z);
  if (part == builder.getF64Type()) {
    return lengthOf(wide).value();
  }
  Real length = sqrt(wide.re * wide.re + wide.im * wide.im);
  return formula::select(isInfinite(wide), infinity, length).as(part).value();
}

Value complexComparison(OpBuilder &builder, Operation *op, ComplexParts a, ComplexParts b) {
  auto compare = cast<stablehlo::CompareOp>(op);
  stablehlo::ComparisonDirection direction = compare.getComparisonDirection();
  Place place{builder, op->getLoc()};
  Complex x{Real(place, a.real), Real(place, a.imaginary)},
      y{Real(place, b.real), Real(place, b.imaginary)};
  Truth real = x.re.compare(direction, y.re), imaginary = x.im.compare(direction, y.im);
  switch (direction) {
  case stablehlo::ComparisonDirection::EQ:
    return (real && imaginary).value();
  case stablehlo::ComparisonDirection::NE:
    return (real || imaginary).value();
  default:
    Truth isEqual = x.re == y.re;
    return ((isEqual && imaginary) || (!isEqual && real)).value();
  }
}

} // namespace drumlin
