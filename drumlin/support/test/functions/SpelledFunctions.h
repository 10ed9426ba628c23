// Equivalent forms of functions of one variable, each as an expression and as StableHLO.
#pragma once

#include "drumlin/support/ScalarExpression.h"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

// An operation in the StableHLO form of a function. The variable `x` and constants are operations
// without operands.
struct Written {
  std::string operation; // StableHLO's or CHLO's name, a comparison's direction, `x`, `constant`
  std::vector<std::shared_ptr<const Written>> operands = {};
  double constant = 0;
};

// A function as an expression, with constants rounded to f32, and as operations.
struct Spelled {
  ScalarExpression made;
  std::shared_ptr<const Written> written; // null: not expressible as operations

  Spelled(ScalarExpression given) : made(std::move(given)) {}
  Spelled(ScalarExpression given, Written as)
      : made(std::move(given)), written(std::make_shared<const Written>(std::move(as))) {}
  Spelled(double value);
};

Spelled variable();
Spelled compare(std::string_view direction, const Spelled &a, const Spelled &b);

Spelled call(std::string_view name, const auto &...operands) {
  std::array<Spelled, sizeof...(operands)> list = {Spelled(operands)...};
  std::array<ScalarExpression, sizeof...(operands)> read = {Spelled(operands).made...};
  Written written{std::string(name)};
  for (const Spelled &each : list) {
    written.operands.push_back(each.written);
  }
  return Spelled(ScalarExpression::operation(name, read), std::move(written));
}
inline Spelled operator+(const Spelled &a, const Spelled &b) { return call("add", a, b); }
inline Spelled operator-(const Spelled &a, const Spelled &b) { return call("subtract", a, b); }
inline Spelled operator*(const Spelled &a, const Spelled &b) { return call("multiply", a, b); }
inline Spelled operator/(const Spelled &a, const Spelled &b) { return call("divide", a, b); }
inline Spelled operator-(const Spelled &a) { return call("negate", a); }
inline Spelled select(const Spelled &condition, const Spelled &a, const Spelled &b) {
  return call("select", condition, a, b);
}
inline Spelled maximum(const Spelled &a, const Spelled &b) { return call("maximum", a, b); }
inline Spelled minimum(const Spelled &a, const Spelled &b) { return call("minimum", a, b); }
inline Spelled exponential(const Spelled &a) { return call("exponential", a); }
inline Spelled logistic(const Spelled &a) { return call("logistic", a); }
inline Spelled hyperbolic(const Spelled &a) { return call("tanh", a); }
inline Spelled erf(const Spelled &a) { return call("erf", a); }
inline Spelled cube(const Spelled &a) { return a * a * a; }

struct Spelling {
  const char *name; // as returned by nameOfFunction()
  Spelled function;
};
std::vector<Spelling> spellings();

// The definition of a function, with constants that can be varied.
struct Definition {
  const char *name;
  std::vector<double> constants;
  std::function<Spelled(const std::vector<double> &)> make;
};
std::vector<Definition> definitions();

// Writes expressions as StableHLO of f64, each operation only once.
class SpelledText {
public:
  // `type`: the tensors' type. `x`: the value used as the variable.
  SpelledText(std::string type, std::string x) : type(std::move(type)), x(std::move(x)) {}

  // Returns the name of the value, whose operations are in text() afterwards.
  std::string write(const std::shared_ptr<const Written> &of);
  const std::string &text() const { return lines; }

private:
  std::string line(const std::string &operation);
  std::string condition(const std::string &value);
  std::string make(const Written &of);

  std::string type, x, lines;
  std::map<std::shared_ptr<const Written>, std::string> names;
  int count = 0;
};

} // namespace drumlin
