// The unary operations that generated programs use. Operand and result have the same type.
#pragma once

#include "drumlin/support/ElementType.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace drumlin::fuzz {

struct Functions {
  // Functions that every implementation computes exactly or correctly rounded.
  std::map<ElementType, std::vector<std::string>> exact;
  std::map<ElementType, std::vector<std::string>> approximations;

  bool isApproximation(const std::string &name) const;
};

// Returns the functions of StableHLO and CHLO.
const Functions &allFunctions();

} // namespace drumlin::fuzz
