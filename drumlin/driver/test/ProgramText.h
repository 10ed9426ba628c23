// Builds the text of programs operation by operation, for tests.
#pragma once

#include <string>
#include <vector>

namespace drumlin {

// Returns `func.func @main` with arguments (`%arg0: tensor<4xf32>, …`) and a body, one operation a
// line. Each result has a `name` and a `type()`.
template <typename Value>
std::string mainFunction(const std::string &arguments, const std::string &body,
                         const std::vector<Value> &results) {
  std::string names, types;
  for (const Value &result : results) {
    names += (names.empty() ? "" : ", ") + result.name;
    types += (types.empty() ? "" : ", ") + result.type();
  }
  return "func.func @main(" + arguments + ") -> (" + types + ") {\n" + body + "  return " + names +
         " : " + types + "\n}\n";
}

} // namespace drumlin
