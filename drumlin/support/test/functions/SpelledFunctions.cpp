#include "SpelledFunctions.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <limits>

namespace drumlin {

static constexpr int f32Bits = 24;

static double roundedToF32(double value) { return static_cast<double>(static_cast<float>(value)); }

Spelled::Spelled(double value)
    : Spelled(ScalarExpression::constant(roundedToF32(value), f32Bits),
              Written{"constant", {}, roundedToF32(value)}) {}

Spelled variable() { return {ScalarExpression::x(), Written{"x"}}; }

Spelled compare(std::string_view direction, const Spelled &a, const Spelled &b) {
  return {ScalarExpression::comparison(direction, a.made, b.made),
          Written{std::string(direction), {a.written, b.written}}};
}

std::vector<Spelling> spellings() {
  const Spelled x = variable();
  const Spelled zero = 0.0, one = 1.0;
  const Spelled t = hyperbolic(x), gate = logistic(x), twice = exponential(2.0 * x);
  const double root = std::sqrt(2 / M_PI), half = std::sqrt(0.5);
  const Spelled bend = root * (x + 0.044715 * cube(x)), slope = root * (1.0 + 0.134145 * x * x);
  const Spelled bent = hyperbolic(bend), quick = logistic(1.702 * x);
  return {
      {"relu", maximum(x, zero)},
      {"relu", maximum(zero, x)},
      {"relu", select(compare("GT", x, zero), x, zero)},
      {"relu", select(compare("GE", x, zero), x, zero)},
      {"relu", select(compare("LT", zero, x), x, zero)},
      {"relu", select(compare("LE", x, zero), zero, x)},
      {"relu", 0.5 * (x + call("abs", x))},
      {"relu", x * compare("GT", x, zero)},
      {"relu", call("clamp", zero, x, Spelled(std::numeric_limits<double>::infinity()))},
      {"relu", -minimum(-x, zero)},
      {"relu_grad", compare("GT", x, zero)},
      {"relu_grad", select(compare("LE", x, zero), zero, one)},
      {"silu", x * gate},
      {"silu", x / (1.0 + exponential(-x))},
      {"silu", x * (1.0 / (exponential(-x) + 1.0))},
      {"silu", 0.5 * x * (1.0 + hyperbolic(0.5 * x))},
      {"silu", x * exponential(x) / (exponential(x) + 1.0)},
      {"silu_grad", gate * (1.0 + x * (1.0 - gate))},
      {"silu_grad", gate + x * gate * (1.0 - gate)},
      {"logistic", 1.0 / (1.0 + exponential(-x))},
      {"logistic", 0.5 + 0.5 * hyperbolic(x / 2.0)},
      {"logistic", 1.0 - logistic(-x)},
      {"logistic_grad", gate * (1.0 - gate)},
      {"logistic_grad", gate - gate * gate},
      {"tanh", t},
      {"tanh", 2.0 * logistic(2.0 * x) - 1.0},
      {"tanh", (twice - 1.0) / (twice + 1.0)},
      {"tanh", (exponential(x) - exponential(-x)) / (exponential(x) + exponential(-x))},
      {"tanh_grad", 1.0 - t * t},
      {"tanh_grad", (1.0 - t) * (1.0 + t)},
      {"exp", exponential(x)},
      {"exp", 1.0 + call("exponential_minus_one", x)},
      {"square", x * x},
      {"square", call("power", x, 2.0)},
      // The forms of jax.nn, Flax and Haiku; of torch, which multiplies the constants; and of XLA's
      // constant folding.
      {"gelu_tanh", x * (0.5 * (1.0 + bent))},
      {"gelu_tanh", 0.5 * x * (1.0 + bent)},
      {"gelu_tanh", 0.5 * x * (1.0 + hyperbolic(x * root * (1.0 + 0.044715 * x * x)))},
      {"gelu_tanh", 0.5 * x * (1.0 + hyperbolic(root * x + 0.044715 * root * cube(x)))},
      {"gelu_tanh", x * logistic(2.0 * bend)},
      {"gelu_tanh_grad", 0.5 * (1.0 + bent) + 0.5 * x * (1.0 - bent * bent) * slope},
      {"gelu_erf", 0.5 * x * (1.0 + erf(half * x))},
      {"gelu_erf", 0.5 * x * (1.0 + erf(x / std::sqrt(2.0)))},
      {"gelu_erf", 0.5 * x * call("erfc", -x * half)},
      {"gelu_erf_grad",
       0.5 * (1.0 + erf(half * x)) + 1 / std::sqrt(2 * M_PI) * x * exponential(-0.5 * x * x)},
      {"gelu_erf_grad",
       0.5 * call("erfc", -x * half) +
           0.5 * x * 2 / std::sqrt(M_PI) * half * exponential(-((half * x) * (half * x)))},
      {"gelu_sigmoid", x * quick},
      {"gelu_sigmoid_grad", quick * (1.0 + 1.702 * x * (1.0 - quick))},
      {"identity", 1.0 * x},
      {"identity", -(-x)},
      {"clamp", call("clamp", -448.0, x, 448.0)},
      {"clamp", maximum(minimum(x, 448.0), -448.0)},
      {"clamp", minimum(maximum(x, -448.0), 448.0)},
      {"clamp", maximum(x, 1e-6)},
  };
}

std::vector<Definition> definitions() {
  const Spelled x = variable();
  auto bend = [=](double root, double cubic) { return root * (x + cubic * cube(x)); };
  const double root = std::sqrt(2 / M_PI), half = std::sqrt(0.5);
  using Constants = const std::vector<double> &;
  return {
      {"relu", {1, 0}, [=](Constants c) { return maximum(c[0] * x, c[1]); }},
      {"silu", {1, 1, 1}, [=](Constants c) { return c[0] * x / (c[1] + exponential(-c[2] * x)); }},
      {"logistic", {1, 1}, [=](Constants c) { return c[0] * logistic(c[1] * x); }},
      {"tanh", {1, 1}, [=](Constants c) { return c[0] * hyperbolic(c[1] * x); }},
      {"exp", {1, 1}, [=](Constants c) { return c[0] * exponential(c[1] * x); }},
      {"square", {1}, [=](Constants c) { return c[0] * x * x; }},
      {"gelu_tanh",
       {0.5, 1, root, 0.044715},
       [=](Constants c) { return c[0] * x * (c[1] + hyperbolic(bend(c[2], c[3]))); }},
      {"gelu_erf", {0.5, 1, half}, [=](Constants c) { return c[0] * x * (c[1] + erf(c[2] * x)); }},
      {"gelu_sigmoid", {1, 1.702}, [=](Constants c) { return c[0] * x * logistic(c[1] * x); }},
      {"relu_grad",
       {0, 1, 0},
       [=](Constants c) { return select(compare("GT", x, c[0]), c[1], c[2]); }},
      {"silu_grad",
       {1, 1},
       [=](Constants c) { return c[0] * logistic(x) * (1.0 + x * (c[1] - logistic(x))); }},
      {"logistic_grad",
       {1, 1},
       [=](Constants c) { return c[0] * logistic(x) * (c[1] - logistic(x)); }},
      {"tanh_grad", {1}, [=](Constants c) { return c[0] - hyperbolic(x) * hyperbolic(x); }},
      {"gelu_tanh_grad",
       {0.5, root, 0.134145},
       [=](Constants c) {
         Spelled t = hyperbolic(bend(root, 0.044715));
         return c[0] * (1.0 + t) + 0.5 * x * (1.0 - t * t) * c[1] * (1.0 + c[2] * x * x);
       }},
      {"gelu_erf_grad",
       {0.5, 1 / std::sqrt(2 * M_PI), 0.5},
       [=](Constants c) {
         return c[0] * (1.0 + erf(half * x)) + c[1] * x * exponential(-c[2] * x * x);
       }},
      {"gelu_sigmoid_grad",
       {1, 1.702},
       [=](Constants c) {
         Spelled gate = logistic(1.702 * x);
         return gate * (c[0] + c[1] * x * (1.0 - gate));
       }},
  };
}

std::string SpelledText::line(const std::string &operation) {
  std::string name = "%v" + std::to_string(count++);
  lines += "  " + name + " = " + operation + "\n";
  return name;
}

// Returns the type of conditions with the shape of `type`.
static std::string conditionsOf(const std::string &type) {
  return type.substr(0, type.size() - std::string_view("f64>").size()) + "i1>";
}

std::string SpelledText::condition(const std::string &value) {
  std::string zero = line("stablehlo.constant dense<0.0> : " + type);
  return line("stablehlo.compare NE, " + value + ", " + zero + " : (" + type + ", " + type +
              ") -> " + conditionsOf(type));
}

std::string SpelledText::make(const Written &of) {
  if (of.operation == "x") {
    return x;
  }
  if (of.operation == "constant") {
    char bits[32];
    std::snprintf(bits, sizeof bits, "0x%016llX",
                  static_cast<unsigned long long>(std::bit_cast<uint64_t>(of.constant)));
    return line("stablehlo.constant dense<" + std::string(bits) + "> : " + type);
  }
  std::vector<std::string> operands;
  for (const std::shared_ptr<const Written> &operand : of.operands) {
    operands.push_back(write(operand));
  }
  bool isSelect = of.operation == "select";
  if (isSelect) {
    operands[0] = condition(operands[0]);
  }
  std::string list, types;
  for (const std::string &operand : operands) {
    list += (list.empty() ? "" : ", ") + operand;
    types += types.empty() ? (isSelect ? conditionsOf(type) : type) : ", " + type;
  }
  std::string signature = " : (" + types + ") -> ";
  bool isComparison = of.operation.size() == 2;
  if (isComparison) {
    std::string holds =
        line("stablehlo.compare " + of.operation + ", " + list + signature + conditionsOf(type));
    return line("stablehlo.convert " + holds + " : (" + conditionsOf(type) + ") -> " + type);
  }
  bool isOfChlo = of.operation == "erf" || of.operation == "erfc";
  return line("\"" + std::string(isOfChlo ? "chlo." : "stablehlo.") + of.operation + "\"(" + list +
              ")" + signature + type);
}

std::string SpelledText::write(const std::shared_ptr<const Written> &of) {
  auto found = names.find(of);
  if (found == names.end()) {
    found = names.emplace(of, make(*of)).first;
  }
  return found->second;
}

} // namespace drumlin
