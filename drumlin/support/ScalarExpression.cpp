#include "drumlin/support/ScalarExpression.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace drumlin {

static constexpr double roundoff = 0x1p-48;
static constexpr size_t maxChanges = 16;

static RealExpression number(double value) { return RealExpression::constant({value, 0}); }
static RealExpression difference(const RealExpression &a, const RealExpression &b) {
  return a.plus(b.times(-1));
}

ScalarExpression ScalarExpression::x() {
  ScalarExpression made;
  made.pieces = {RealExpression::number("x")};
  return made;
}

ScalarExpression ScalarExpression::y() {
  ScalarExpression made;
  made.pieces = {RealExpression::number("y")};
  return made;
}

ScalarExpression ScalarExpression::constant(double value, int significand) {
  ScalarExpression made;
  // The slack is half a unit in the last place; zero is exact.
  bool isNumber = std::isfinite(value) && value != 0;
  double slack = isNumber ? std::ldexp(1.0, std::ilogb(value) - significand) : 0;
  made.pieces = {RealExpression::constant({value, slack})};
  made.bits = significand;
  return made;
}

bool ScalarExpression::isKnown() const {
  auto isKnown = [](const RealExpression &piece) { return piece.isKnown(); };
  return !pieces.empty() && std::ranges::all_of(pieces, isKnown) &&
         std::ranges::all_of(atChanges, isKnown);
}

ScalarExpression ScalarExpression::unknown() {
  ScalarExpression made;
  made.pieces = {RealExpression::unknown()};
  return made;
}

double ScalarExpression::at(double x) const {
  size_t below = changesUpTo(x);
  bool isChange = below > 0 && changes[below - 1].value == x;
  return (isChange ? atChanges[below - 1] : pieces[below]).at(x);
}

std::vector<double> ScalarExpression::breaks() const {
  std::vector<double> places;
  for (const Coefficient &change : changes) {
    places.push_back(change.value);
  }
  return places;
}

size_t ScalarExpression::changesUpTo(double place) const {
  return static_cast<size_t>(std::ranges::upper_bound(changes, place, {}, &Coefficient::value) -
                             changes.begin());
}

// Splits a piece at this point, which becomes a change; the function's values stay the same.
void ScalarExpression::splitAt(Coefficient place) {
  for (const Coefficient &change : changes) {
    if (areNear(change, place)) {
      return;
    }
  }
  auto index = static_cast<std::ptrdiff_t>(changesUpTo(place.value));
  RealExpression piece = pieces[static_cast<size_t>(index)];
  changes.insert(changes.begin() + index, place);
  pieces.insert(pieces.begin() + index, piece);
  atChanges.insert(atChanges.begin() + index, piece);
}

static bool isValue(double a, double b, int bits) {
  return a == b || std::abs(a - b) <= std::ldexp(std::max(std::abs(a), std::abs(b)), 2 - bits) ||
         std::max(std::abs(a), std::abs(b)) < roundoff;
}

// Removes the points in `changes` at which the function doesn't change.
void ScalarExpression::tidy() {
  for (size_t i = 0; i < changes.size();) {
    double place = changes[i].value;
    if (pieces[i].isSame(pieces[i + 1]) &&
        isValue(atChanges[i].at(place), pieces[i].at(place), bits)) {
      auto index = static_cast<std::ptrdiff_t>(i);
      changes.erase(changes.begin() + index);
      atChanges.erase(atChanges.begin() + index);
      pieces.erase(pieces.begin() + index + 1);
    } else {
      ++i;
    }
  }
}

ScalarExpression ScalarExpression::combine(std::span<const ScalarExpression> operands,
                                           const std::function<RealExpression(Pieces)> &made) {
  std::vector<ScalarExpression> aligned(operands.begin(), operands.end());
  ScalarExpression result;
  // Splits the operands until all of them have the same changes.
  for (ScalarExpression &each : aligned) {
    for (const ScalarExpression &other : operands) {
      for (const Coefficient &place : other.changes) {
        each.splitAt(place);
      }
    }
    result.bits = std::min(result.bits, each.bits);
  }
  result.changes = aligned.front().changes;
  std::vector<const RealExpression *> given(aligned.size());
  auto combined = [&](std::vector<RealExpression> ScalarExpression::*list, size_t i) {
    for (size_t k = 0; k < aligned.size(); ++k) {
      given[k] = &(aligned[k].*list)[i];
    }
    return made(given);
  };
  for (size_t i = 0; i <= result.changes.size(); ++i) {
    result.pieces.push_back(combined(&ScalarExpression::pieces, i));
  }
  for (size_t i = 0; i < result.changes.size(); ++i) {
    result.atChanges.push_back(combined(&ScalarExpression::atChanges, i));
  }
  result.tidy();
  if (result.changes.size() > maxChanges) {
    result.pieces.assign(1, RealExpression::unknown());
    result.changes.clear();
    result.atChanges.clear();
  }
  return result;
}

static bool holds(std::string_view direction, int sign) {
  return direction == "EQ"   ? sign == 0
         : direction == "NE" ? sign != 0
         : direction == "GE" ? sign >= 0
         : direction == "GT" ? sign > 0
         : direction == "LE" ? sign <= 0
                             : sign < 0;
}

static int signOf(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

ScalarExpression ScalarExpression::comparison(std::string_view direction,
                                              const ScalarExpression &left,
                                              const ScalarExpression &right) {
  ScalarExpression operands[] = {left, right};
  auto subtract = [](Pieces given) {
    std::optional<Coefficient> a = given[0]->asConstant(), b = given[1]->asConstant();
    bool isInfinite = (a && std::isinf(a->value)) || (b && std::isinf(b->value));
    // If an operand is infinite, only the sign of the difference is computed; equal infinities have
    // the sign 0.
    return isInfinite && a && b ? number(a->value > b->value   ? 1
                                         : a->value < b->value ? -1
                                                               : 0)
           : isInfinite && a    ? number(signOf(a->value))
           : isInfinite         ? number(-signOf(b->value))
                                : difference(*given[0], *given[1]);
  };
  ScalarExpression sum = combine(operands, subtract);
  // A linear function changes its sign at its root.
  std::vector<Coefficient> roots;
  for (size_t i = 0; i < sum.pieces.size(); ++i) {
    std::optional<RealExpression::Line> line = sum.pieces[i].asLine();
    if (!line || line->slope.value == 0) {
      continue;
    }
    Coefficient root = {-line->offset.value / line->slope.value,
                        line->offset.slack / std::abs(line->slope.value)};
    bool isWithin = (i == 0 || root.value > sum.changes[i - 1].value) &&
                    (i == sum.changes.size() || root.value < sum.changes[i].value);
    if (isWithin) {
      roots.push_back(root);
    }
  }
  for (const Coefficient &root : roots) {
    sum.splitAt(root);
  }
  ScalarExpression made = sum;
  for (size_t i = 0; i < sum.pieces.size(); ++i) {
    std::optional<RealExpression::Line> line = sum.pieces[i].asLine();
    if (!line) {
      made.pieces[i] = RealExpression::unknown();
      continue;
    }
    // The sign is the same everywhere in the piece, so any point of it serves.
    bool isFirst = i == 0, isLast = i == sum.changes.size();
    double place = isFirst && isLast ? 0
                   : isFirst         ? sum.changes[i].value - 1 - std::abs(sum.changes[i].value)
                   : isLast ? sum.changes[i - 1].value + 1 + std::abs(sum.changes[i - 1].value)
                            : (sum.changes[i - 1].value + sum.changes[i].value) / 2;
    made.pieces[i] = number(holds(direction, signOf(sum.pieces[i].at(place))) ? 1 : 0);
  }
  for (size_t i = 0; i < sum.changes.size(); ++i) {
    double place = sum.changes[i].value;
    double value = sum.atChanges[i].at(place);
    std::optional<RealExpression::Line> line = sum.atChanges[i].asLine();
    bool isRoot = line && std::abs(value) <= roundoff * (std::abs(line->slope.value * place) +
                                                         std::abs(line->offset.value));
    made.atChanges[i] = std::isnan(value)
                            ? RealExpression::unknown()
                            : number(holds(direction, isRoot ? 0 : signOf(value)) ? 1 : 0);
  }
  made.tidy();
  return made;
}

static RealExpression powerOf(const RealExpression &base, const RealExpression &exponent) {
  std::optional<Coefficient> constant = exponent.asConstant();
  constexpr double most = 8;
  if (!constant || constant->value != std::floor(constant->value) ||
      std::abs(constant->value) > most) {
    return constant && constant->value == 0.5 ? base.applied("sqrt") : RealExpression::unknown();
  }
  RealExpression product = number(1);
  for (int i = 0; i < std::abs(static_cast<int>(constant->value)); ++i) {
    product = product.times(base);
  }
  return constant->value < 0 ? product.inverse() : product;
}

// The functions of one operand. Static, since names must outlive the expressions that contain them.
static constexpr std::string_view functions[] = {
    "cbrt",   "cosine",   "erf",    "erfc",  "erf_inv",      "exponential", "exponential_minus_one",
    "log",    "logistic", "negate", "rsqrt", "log_plus_one", "sine",        "sqrt",
    "square", "tan",      "tanh"};

struct OperationName {
  std::string_view name;
  size_t operands;
};
static constexpr OperationName otherOperations[] = {
    {"abs", 1},      {"is_finite", 1}, {"not", 1},     {"sign", 1},     {"add", 2},   {"and", 2},
    {"divide", 2},   {"maximum", 2},   {"minimum", 2}, {"multiply", 2}, {"or", 2},    {"power", 2},
    {"subtract", 2}, {"xor", 2},       {"clamp", 3},   {"fma", 3},      {"select", 3}};

bool ScalarExpression::hasOperation(std::string_view name, size_t operands) {
  return (operands == 1 && std::ranges::find(functions, name) != std::end(functions)) ||
         std::ranges::any_of(otherOperations, [&](const OperationName &each) {
           return each.name == name && each.operands == operands;
         });
}

ScalarExpression ScalarExpression::operation(std::string_view name,
                                             std::span<const ScalarExpression> operands) {
  if (!hasOperation(name, operands.size())) {
    return unknown();
  }
  auto of = [](std::string_view operation, const auto &...values) {
    std::array<ScalarExpression, sizeof...(values)> list = {values...};
    return ScalarExpression::operation(operation, list);
  };
  const ScalarExpression zero = constant(0, 53), one = constant(1, 53);
  if (name == "add") {
    return combine(operands, [](Pieces given) { return given[0]->plus(*given[1]); });
  }
  if (name == "or" || name == "xor") {
    // For conditions: `or` is a + b - ab, `xor` is a + b - 2ab.
    double both = name == "or" ? -1 : -2;
    return combine(operands, [both](Pieces given) {
      return given[0]->plus(*given[1]).plus(given[0]->times(*given[1]).times(both));
    });
  }
  if (name == "subtract") {
    return combine(operands, [](Pieces given) { return difference(*given[0], *given[1]); });
  }
  if (name == "multiply" || name == "and") {
    return combine(operands, [](Pieces given) { return given[0]->times(*given[1]); });
  }
  if (name == "divide") {
    return combine(operands, [](Pieces given) { return given[0]->times(given[1]->inverse()); });
  }
  if (name == "power") {
    return combine(operands, [](Pieces given) { return powerOf(*given[0], *given[1]); });
  }
  if (name == "fma") {
    return of("add", of("multiply", operands[0], operands[1]), operands[2]);
  }
  if (name == "not") {
    return of("subtract", one, operands[0]);
  }
  if (name == "is_finite") {
    return one;
  }
  if (name == "select") {
    return combine(operands, [](Pieces given) {
      std::optional<Coefficient> condition = given[0]->asConstant();
      return condition ? *given[condition->value != 0 ? 1 : 2] : RealExpression::unknown();
    });
  }
  if (name == "maximum") {
    return of("select", comparison("GE", operands[0], operands[1]), operands[0], operands[1]);
  }
  if (name == "minimum") {
    return of("select", comparison("LE", operands[0], operands[1]), operands[0], operands[1]);
  }
  if (name == "clamp") {
    return of("minimum", of("maximum", operands[0], operands[1]), operands[2]);
  }
  if (name == "abs") {
    return of("select", comparison("GE", operands[0], zero), operands[0],
              of("negate", operands[0]));
  }
  if (name == "sign") {
    return of("subtract", comparison("GT", operands[0], zero), comparison("LT", operands[0], zero));
  }
  const std::string_view *function = std::ranges::find(functions, name);
  return combine(operands, [function](Pieces given) { return given.front()->applied(*function); });
}

bool ScalarExpression::isSame(const ScalarExpression &other) const {
  if (!isKnown() || !other.isKnown() || changes.size() != other.changes.size()) {
    return false;
  }
  for (size_t i = 0; i < changes.size(); ++i) {
    double place = changes[i].value;
    if (!areNear(changes[i], other.changes[i]) ||
        !isValue(atChanges[i].at(place), other.atChanges[i].at(place),
                 std::min(bits, other.bits))) {
      return false;
    }
  }
  return std::ranges::equal(pieces, other.pieces,
                            [](const auto &a, const auto &b) { return a.isSame(b); });
}

std::optional<ScalarExpression::Bounds> ScalarExpression::asClamp() const {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Bounds bounds = {-infinity, infinity};
  const RealExpression line = RealExpression::number("x");
  auto isBound = [&](const RealExpression &piece, const Coefficient &change) {
    std::optional<Coefficient> value = piece.asConstant();
    return value && areNear(*value, change);
  };
  if (!isKnown() || changes.empty() || changes.size() > 2) {
    return std::nullopt;
  }
  bool isLow = isBound(pieces.front(), changes.front());
  bool isHigh = isBound(pieces.back(), changes.back());
  size_t constants = (isLow ? 1 : 0) + (isHigh ? 1 : 0);
  if (constants != changes.size() || !pieces[isLow ? 1 : 0].isSame(line)) {
    return std::nullopt;
  }
  for (size_t i = 0; i < changes.size(); ++i) {
    if (!isValue(atChanges[i].at(changes[i].value), changes[i].value, bits)) {
      return std::nullopt;
    }
  }
  bounds.low = isLow ? changes.front().value : bounds.low;
  bounds.high = isHigh ? changes.back().value : bounds.high;
  return bounds;
}

} // namespace drumlin
