// The operations of one operand, of its type, that programs are made of.
#pragma once

#include "drumlin/support/ElementType.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace drumlin::fuzz {

struct Functions {
  // Exact or correctly rounded in every implementation.
  std::map<ElementType, std::vector<std::string>> exact;
  std::map<ElementType, std::vector<std::string>> approximations;

  bool isApproximation(const std::string &name) const;
};

// Those that the dialects have.
const Functions &allFunctions();

} // namespace drumlin::fuzz
