#include "drumlin/driver/check/ElementCheck.h"

#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/support/FloatFormats.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace drumlin {

static constexpr int64_t runLength = 1024;
// For types with coarse steps (8 bits and fewer, and integers that were computed from
// floating-point numbers): the share of elements that may differ by one step.
static constexpr double coarseShare = 0.01;

CheckTolerance defaultTolerance(ElementType type, double factor) {
  CheckTolerance tolerance;
  tolerance.ulps = 2;
  switch (type) {
  case ElementType::F64:
    tolerance.relative = 1e-12 * factor;
    break;
  case ElementType::F32:
    tolerance.relative = 2e-5 * factor;
    break;
  case ElementType::F16:
    tolerance.relative = 4e-3 * factor;
    break;
  case ElementType::BF16:
    tolerance.relative = 2e-2 * factor;
    break;
  default:
    break;
  }
  return tolerance;
}

static std::string numberText(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

static std::string ulpsText(int64_t ulps) {
  return ulps == noUlps ? "one is NaN" : std::to_string(ulps) + (ulps == 1 ? " ULP" : " ULPs");
}

std::string ElementCheck::str() const {
  if (differing == 0) {
    return "all " + std::to_string(elements) + " elements are equal";
  }
  std::string text = std::to_string(diverges ? beyond : differing) + " of " +
                     std::to_string(elements) + " elements " +
                     (diverges ? "are beyond the tolerance" : "differ") + ", first at " +
                     std::to_string(place) + ": got " + numberText(got) + ", expected " +
                     numberText(expected) + ", " + ulpsText(ulps);
  return text + (ulps == noUlps ? "" : " apart") + "; at most " + ulpsText(maxUlps) +
         ", relative " + numberText(maxRelative);
}

static uint64_t codeAt(const Tensor &tensor, int64_t i) {
  uint64_t pattern = 0;
  size_t width = storageBytes(tensor.type());
  std::memcpy(&pattern, tensor.data() + static_cast<size_t>(i) * width, width);
  return pattern;
}

// Maps a bit pattern to an integer so that the integers have the order of the numbers, and
// neighbouring numbers get integers that differ by one.
static int64_t orderedPattern(const ElementTypeInfo &entry, uint64_t pattern) {
  if (entry.kind != ElementKind::Float || entry.specials == FloatSpecials::ScaleOnly) {
    return static_cast<int64_t>(pattern);
  }
  uint64_t sign = uint64_t(1) << (entry.bits - 1);
  auto magnitude = static_cast<int64_t>(pattern & (sign - 1));
  return pattern & sign ? -magnitude : magnitude;
}

static int64_t stepsBetween(const ElementTypeInfo &entry, uint64_t a, uint64_t b) {
  __int128 distance = 0;
  if (entry.kind == ElementKind::Signed) {
    unsigned shift = 64 - 8 * entry.storageBytes;
    auto extended = [&](uint64_t pattern) {
      return static_cast<int64_t>(pattern << shift) >> shift;
    };
    distance = static_cast<__int128>(extended(a)) - extended(b);
  } else if (entry.kind == ElementKind::Unsigned) {
    distance = static_cast<__int128>(a) - b;
  } else {
    distance = static_cast<__int128>(orderedPattern(entry, a)) - orderedPattern(entry, b);
  }
  distance = distance < 0 ? -distance : distance;
  return static_cast<int64_t>(std::min<__int128>(distance, noUlps - 1));
}

// Returns the root mean square of all finite elements, without overflow or underflow.
static double rootMeanSquare(const Tensor &tensor) {
  double largest = 0, sum = 0;
  int64_t finite = 0;
  double values[runLength];
  auto forEach = [&](auto action) {
    size_t width = storageBytes(tensor.type());
    for (int64_t begin = 0; begin < tensor.elements(); begin += runLength) {
      int64_t count = std::min(runLength, tensor.elements() - begin);
      decodeRun(tensor.type(), tensor.data() + static_cast<size_t>(begin) * width, values, count);
      for (int64_t i = 0; i < count; ++i) {
        if (std::isfinite(values[i])) {
          action(values[i]);
        }
      }
    }
  };
  forEach([&](double value) {
    largest = std::max(largest, std::fabs(value));
    ++finite;
  });
  if (largest == 0) {
    return 0;
  }
  forEach([&](double value) { sum += (value / largest) * (value / largest); });
  return largest * std::sqrt(sum / static_cast<double>(finite));
}

namespace {
// The tolerance for one pair of elements.
struct ElementRule {
  CheckTolerance tolerance;
  bool isCoarse = false; // `coarseShare` of the elements may differ by one step
};
} // namespace

static ElementRule ruleFor(ElementType type, const CheckTolerance &given, bool isRounded,
                           double factor) {
  ElementRule rule;
  if (!isFloat(type)) {
    rule.tolerance.ulps = isRounded ? 1 : 0;
    rule.isCoarse = isRounded;
    return rule;
  }
  bool isNarrow = info(type).bits <= 8;
  bool isGiven = given.ulps || (given.relative && !isNarrow);
  if (isGiven) {
    rule.tolerance = given;
  } else if (isNarrow) {
    rule.tolerance.ulps = 1;
    rule.isCoarse = true;
  } else {
    rule.tolerance = defaultTolerance(type, factor);
  }
  if (isNarrow) {
    rule.tolerance.relative.reset();
  }
  return rule;
}

ElementCheck checkElements(const Tensor &got, const Tensor &expected, const CheckTolerance &given,
                           bool isRounded, double factor, std::span<const double> allowances) {
  if (isComplex(got.type())) {
    // The real and imaginary parts are compared, and counted, separately.
    return checkElements(complexParts(got), complexParts(expected), given, isRounded, factor,
                         allowances);
  }
  ElementCheck check;
  check.elements = got.elements();
  if (std::memcmp(got.data(), expected.data(), static_cast<size_t>(got.bytes())) == 0) {
    return check;
  }
  const ElementTypeInfo &entry = info(got.type());
  ElementRule rule = ruleFor(got.type(), given, isRounded, factor);
  double rms = isFloat(got.type()) ? rootMeanSquare(expected) : 0;
  bool hasBeyond = false;
  for (int64_t i = 0; i < got.elements(); ++i) {
    uint64_t a = codeAt(got, i), b = codeAt(expected, i);
    if (a == b) {
      continue;
    }
    size_t offset = static_cast<size_t>(i) * entry.storageBytes;
    double x = toDouble(got.type(), got.data() + offset);
    double y = toDouble(got.type(), expected.data() + offset);
    bool isNumber = !isFloat(got.type());
    if (!isNumber && (x == y || (std::isnan(x) && std::isnan(y)))) {
      continue;
    }
    ++check.differing;
    int64_t ulps = std::isnan(x) || std::isnan(y) ? noUlps : stepsBetween(entry, a, b);
    double scale = std::fabs(y) + rms;
    double relative = !std::isfinite(x) || !std::isfinite(y) || scale == 0
                          ? std::numeric_limits<double>::infinity()
                          : std::fabs(x - y) / scale;
    bool passes = ulps <= rule.tolerance.ulps.value_or(0) ||
                  (rule.tolerance.relative && relative <= *rule.tolerance.relative) ||
                  (!allowances.empty() && (std::isinf(allowances[static_cast<size_t>(i)]) ||
                                           std::fabs(x - y) <= allowances[static_cast<size_t>(i)]));
    check.maxUlps = std::max(check.maxUlps, ulps);
    check.maxRelative = std::max(check.maxRelative, relative);
    check.beyond += passes ? 0 : 1;
    if (check.place < 0 || (!passes && !hasBeyond)) {
      check.place = i;
      check.ulps = ulps;
      check.got = x;
      check.expected = y;
    }
    hasBeyond |= !passes;
  }
  if (rule.isCoarse && allowances.empty()) {
    auto allowed = static_cast<int64_t>(coarseShare * static_cast<double>(check.elements));
    if (check.beyond == 0 && check.differing > std::max<int64_t>(allowed, 1)) {
      check.beyond = check.differing;
    }
  }
  check.diverges = check.beyond > 0;
  return check;
}

} // namespace drumlin
