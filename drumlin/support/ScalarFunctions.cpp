#include "drumlin/support/ScalarFunctions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <vector>

namespace drumlin {

namespace {
// An expression with operators, to write definitions.
struct Definition {
  ScalarExpression made;

  Definition(ScalarExpression given) : made(std::move(given)) {}
  Definition(double exact) : made(ScalarExpression::constant(exact, 53)) {}
};

Definition apply(std::string_view name, const auto &...operands) {
  std::array<ScalarExpression, sizeof...(operands)> list = {operands.made...};
  return ScalarExpression::operation(name, list);
}
Definition operator+(const Definition &a, const Definition &b) { return apply("add", a, b); }
Definition operator-(const Definition &a, const Definition &b) { return apply("subtract", a, b); }
Definition operator*(const Definition &a, const Definition &b) { return apply("multiply", a, b); }
Definition logistic(const Definition &a) { return apply("logistic", a); }
Definition exponential(const Definition &a) { return apply("exponential", a); }

struct KnownFunction {
  std::string_view name, derivative;
  Definition value, slope;
};
} // namespace

// Returns the definitions, with constants rounded to a significand of this many bits.
static std::vector<KnownFunction> definitions(int significand) {
  auto rounded = [&](double value) -> Definition {
    return ScalarExpression::constant(value, significand);
  };
  const Definition x = ScalarExpression::x(), zero = 0.0, one = 1.0;
  const Definition isPositive = ScalarExpression::comparison("GT", x.made, zero.made);
  const Definition gate = logistic(x), tangent = apply("tanh", x);
  // Programs may round each constant of the tanh form and then multiply, or round only the product.
  const Definition root = rounded(2 * std::sqrt(2 / M_PI));
  const Definition cubic = root * rounded(0.044715) * rounded(1);
  const Definition bent = logistic(root * x + cubic * x * x * x);
  const Definition bend = root + 3.0 * cubic * x * x;
  const Definition half = rounded(std::sqrt(0.5));
  const Definition area = 0.5 * (1.0 + apply("erf", half * x));
  const Definition density = rounded(1 / std::sqrt(2 * M_PI)) * rounded(1) * rounded(1) *
                             exponential(-0.5 * rounded(1) * rounded(1) * x * x);
  const Definition slope = rounded(1.702), sigmoid = logistic(slope * x);
  return {
      {"relu", "relu_grad", apply("maximum", x, zero), isPositive},
      {"gelu_tanh", "gelu_tanh_grad", x * bent, bent + x * bend * bent * (1.0 - bent)},
      {"gelu_erf", "gelu_erf_grad", x * area, area + x * density},
      {"gelu_sigmoid", "gelu_sigmoid_grad", x * sigmoid,
       sigmoid + slope * x * sigmoid * (1.0 - sigmoid)},
      {"silu", "silu_grad", x * gate, gate + x * gate * (1.0 - gate)},
      {"tanh", "tanh_grad", tangent, 1.0 - tangent * tangent},
      {"logistic", "logistic_grad", gate, gate * (1.0 - gate)},
      {"exp", "", exponential(x), one},
      {"square", "", x * x, one},
  };
}

static const std::vector<KnownFunction> &knownFunctions(int significand) {
  static std::mutex mutex;
  static std::map<int, std::vector<KnownFunction>> made;
  std::lock_guard<std::mutex> lock(mutex);
  auto found = made.find(significand);
  return found != made.end() ? found->second
                             : made.emplace(significand, definitions(significand)).first->second;
}

std::string_view nameOfActivation(const ScalarExpression &function) {
  if (!function.isKnown()) {
    return {};
  }
  for (const KnownFunction &known : knownFunctions(function.significand())) {
    if (known.value.made.isSame(function)) {
      return known.name;
    }
    if (!known.derivative.empty() && known.slope.made.isSame(function)) {
      return known.derivative;
    }
  }
  return {};
}

std::string_view nameOfGradient(const ScalarExpression &function) {
  if (!function.isKnown()) {
    return {};
  }
  const Definition y = ScalarExpression::y();
  for (const KnownFunction &known : knownFunctions(function.significand())) {
    if (!known.derivative.empty() && (y * known.slope).made.isSame(function)) {
      return known.name;
    }
  }
  return {};
}

NearestFunction nearestActivation(const ScalarExpression &function) {
  // The tolerance only affects which names messages mention.
  constexpr double tolerance = 0.1;
  NearestFunction nearest;
  if (!function.isKnown()) {
    return nearest;
  }
  std::vector<double> places;
  for (int eighths = -64; eighths <= 64; ++eighths) {
    places.push_back((eighths + 0.5) / 8);
  }
  size_t usual = places.size(); // later places don't decide whether a function is near
  for (double place : function.breaks()) {
    double beside = 0.01 * std::max(std::abs(place), 1.0);
    places.insert(places.end(), {place - beside, place, place + beside});
  }
  for (const KnownFunction &known : knownFunctions(function.significand())) {
    NearestFunction found = {known.name, 0, 0};
    bool isNear = true;
    for (size_t i = 0; i < places.size(); ++i) {
      double place = places[i];
      double expected = known.value.made.at(place);
      double difference = std::abs(function.at(place) - expected);
      isNear &= i >= usual || difference <= tolerance * std::max(std::abs(expected), 1.0);
      if (difference > found.difference) {
        found.place = place;
        found.difference = difference;
      }
    }
    if (isNear && found.difference > 0 &&
        (nearest.name.empty() || found.difference < nearest.difference)) {
      nearest = found;
    }
  }
  return nearest;
}

std::string_view nameOfFunction(const ScalarExpression &function) {
  if (std::string_view name = nameOfActivation(function); !name.empty()) {
    return name;
  }
  if (function.isSame(ScalarExpression::x())) {
    return "identity";
  }
  return function.asClamp() ? "clamp" : std::string_view();
}

} // namespace drumlin
