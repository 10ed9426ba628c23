#include "drumlin/support/NumericCompare.h"

#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/diagnostics/FileErrors.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

namespace drumlin {

static std::string shapeText(const Tensor &tensor) {
  std::string text = "tensor<";
  for (int64_t dimension : tensor.shape()) {
    text += std::to_string(dimension) + "x";
  }
  return text + std::string(name(tensor.type())) + ">";
}

static std::string numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

std::string Comparison::str() const {
  std::string text =
      std::to_string(mismatches) + " of " + std::to_string(elements) + " elements differ";
  if (firstMismatch >= 0) {
    text += ", first at " + std::to_string(firstMismatch) + ": got " + numberText(firstGot) +
            ", expected " + numberText(firstExpected) + "; worst at " +
            std::to_string(worstMismatch) + ": got " + numberText(worstGot) + ", expected " +
            numberText(worstExpected);
  }
  if (isFloat(type) && info(type).bits <= 8) {
    text += "; " + std::to_string(equal) + " equal, at most " + std::to_string(maxPatternDistance) +
            " bit patterns apart";
  } else if (isFloat(type) || isComplex(type)) {
    text += "; largest relative error " + numberText(maxRelativeError);
  }
  return text;
}

// Records an element beyond its tolerance; the mismatch with the largest `excess` is the worst.
static void noteMismatch(Comparison &result, int64_t index, double got, double expected,
                         double excess, double &worstExcess) {
  ++result.mismatches;
  result.matches = false;
  if (result.firstMismatch < 0) {
    result.firstMismatch = index;
    result.firstGot = got;
    result.firstExpected = expected;
  }
  if (result.worstMismatch < 0 || excess > worstExcess) {
    result.worstMismatch = index;
    result.worstGot = got;
    result.worstExpected = expected;
    worstExcess = excess;
  }
}

static void compareExactly(const Tensor &got, const Tensor &expected, Comparison &result) {
  size_t width = storageBytes(got.type());
  double worst = 0;
  for (int64_t i = 0; i < got.elements(); ++i) {
    const std::byte *a = got.data() + static_cast<size_t>(i) * width;
    const std::byte *b = expected.data() + static_cast<size_t>(i) * width;
    if (std::memcmp(a, b, width) == 0) {
      ++result.equal;
      continue;
    }
    double x = toDouble(got.type(), a), y = toDouble(got.type(), b);
    noteMismatch(result, i, x, y, std::fabs(x - y), worst);
  }
}

// Maps a bit pattern to an integer that increases with its value, by one between neighbours. Both
// zeros map to 0.
static int64_t orderedPattern(const ElementTypeInfo &entry, uint8_t pattern) {
  if (entry.specials == FloatSpecials::ScaleOnly) {
    return pattern;
  }
  unsigned signBit = 1u << (entry.bits - 1);
  int64_t magnitude = pattern & (signBit - 1);
  return pattern & signBit ? -magnitude : magnitude;
}

static void compareBitPatterns(const Tensor &got, const Tensor &expected,
                               const CompareOptions &options, Comparison &result) {
  const ElementTypeInfo &entry = info(got.type());
  double worst = 0;
  for (int64_t i = 0; i < got.elements(); ++i) {
    const std::byte *a = got.data() + i;
    const std::byte *b = expected.data() + i;
    double x = toDouble(got.type(), a), y = toDouble(got.type(), b);
    if (x == y || (std::isnan(x) && std::isnan(y))) {
      ++result.equal;
      continue;
    }
    if (!std::isfinite(x) || !std::isfinite(y)) {
      result.maxRelativeError = std::numeric_limits<double>::infinity();
      noteMismatch(result, i, x, y, std::numeric_limits<double>::infinity(), worst);
      continue;
    }
    int64_t distance = std::abs(orderedPattern(entry, static_cast<uint8_t>(*a)) -
                                orderedPattern(entry, static_cast<uint8_t>(*b)));
    result.maxPatternDistance = std::max(result.maxPatternDistance, distance);
    if (distance > options.codeTolerance) {
      noteMismatch(result, i, x, y, static_cast<double>(distance), worst);
    }
  }
  if (static_cast<double>(result.equal) <
      options.equalShare * static_cast<double>(result.elements)) {
    result.matches = false;
  }
}

// Computes the root mean square, scaled by the largest magnitude so that squares neither overflow
// nor underflow.
static double rootMeanSquare(const Tensor &tensor, ElementType part, int64_t parts) {
  size_t width = storageBytes(part);
  double largest = 0;
  int64_t finite = 0;
  for (int64_t i = 0; i < parts; ++i) {
    double value = std::fabs(toDouble(part, tensor.data() + static_cast<size_t>(i) * width));
    if (std::isfinite(value)) {
      largest = std::max(largest, value);
      ++finite;
    }
  }
  if (largest == 0) {
    return 0;
  }
  double sum = 0;
  for (int64_t i = 0; i < parts; ++i) {
    double value = toDouble(part, tensor.data() + static_cast<size_t>(i) * width) / largest;
    if (std::isfinite(value)) {
      sum += value * value;
    }
  }
  // Divides by the number of finite elements. Complex elements count once, not once for each part:
  // the square of an element's modulus is the sum of the squares of its real and imaginary parts.
  double numbers = static_cast<double>(finite) * static_cast<double>(tensor.elements()) /
                   static_cast<double>(parts);
  return largest * std::sqrt(sum / numbers);
}

static void compareFloats(const Tensor &got, const Tensor &expected, const CompareOptions &options,
                          Comparison &result) {
  bool complex = isComplex(got.type());
  ElementType part = got.type();
  if (complex) {
    part = got.type() == ElementType::C64 ? ElementType::F32 : ElementType::F64;
  }
  int64_t partsPerElement = complex ? 2 : 1;
  size_t width = storageBytes(part);
  result.rms = rootMeanSquare(expected, part, got.elements() * partsPerElement);
  double worst = 0;
  for (int64_t i = 0; i < got.elements(); ++i) {
    double x[2] = {0, 0}, y[2] = {0, 0};
    for (int64_t p = 0; p < partsPerElement; ++p) {
      size_t offset = static_cast<size_t>(i * partsPerElement + p) * width;
      x[p] = toDouble(part, got.data() + offset);
      y[p] = toDouble(part, expected.data() + offset);
    }
    bool equal = true;
    double error = 0;
    for (int64_t p = 0; p < partsPerElement; ++p) {
      if (x[p] == y[p] || (std::isnan(x[p]) && std::isnan(y[p]))) {
        continue;
      }
      equal = false;
      if (!std::isfinite(x[p]) || !std::isfinite(y[p])) {
        error = std::numeric_limits<double>::infinity();
        continue;
      }
      double other = y[1 - p];
      double modulus = complex && std::isfinite(other) ? std::hypot(y[p], other) : std::fabs(y[p]);
      double scale = modulus + result.rms;
      // The difference of numbers with opposite signs may overflow; it then counts as infinite.
      error = std::max(error, scale == 0 ? std::numeric_limits<double>::infinity()
                                         : std::fabs(x[p] - y[p]) / scale);
    }
    result.equal += equal ? 1 : 0;
    result.maxRelativeError = std::max(result.maxRelativeError, error);
    if (error > options.relativeTolerance) {
      noteMismatch(result, i, x[0], y[0], error, worst);
    }
  }
}

Result<Comparison> compare(const Tensor &got, const Tensor &expected,
                           const CompareOptions &options) {
  if (got.type() != expected.type() || got.shape() != expected.shape()) {
    return diagnose(errors::ArrayTypeMismatch,
                    "got a `" + shapeText(got) + "`, expected a `" + shapeText(expected) + "`");
  }
  Comparison result;
  result.type = got.type();
  result.elements = got.elements();
  if (!isFloat(got.type()) && !isComplex(got.type())) {
    compareExactly(got, expected, result);
  } else if (info(got.type()).bits <= 8) {
    compareBitPatterns(got, expected, options, result);
  } else {
    compareFloats(got, expected, options, result);
  }
  return result;
}

} // namespace drumlin
