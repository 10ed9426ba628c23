// Patterns for operations of a program: `dot@*mlp*` matches every dot whose source or name scope
// matches `*mlp*`.
#pragma once

#include "drumlin/ir/plan/Origin.h"

#include <string>

namespace drumlin {

struct OperationPattern {
  std::string operation; // a glob over the operation's name
  std::string source;    // a glob over the operation's source and name scopes; empty: any
};

// Returns whether the pattern matches. `dot` also matches `dot_general` and
// `stablehlo.dot_general`.
bool matches(const OperationPattern &pattern, const plan::ProgramOperation &operation);

} // namespace drumlin
