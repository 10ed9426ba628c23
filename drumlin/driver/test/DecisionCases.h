// Programs that provoke decisions of rules. In each case, a program makes a rule decline for a
// stated reason; with the remedy that the reason names, the rule is applied.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/transforms/Ledger.h"

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

// A program for which a rule is declined, and the same program with the remedy, for which the rule
// is taken. `operation`: the operation in both programs that the rule decides about.
struct DecisionCase {
  const char *name;
  std::string_view rule;
  const char *operation;
  Reason reason;
  std::string declined;
  std::string remedied;      // empty: the reason has no remedy
  const char *disabled = ""; // a rule that is turned off when `declined` is compiled
  const char *target = "";   // a tensor engine or a GPU; empty: the CPU
  AutoCast cast = {};
  ModelType type = ModelType::Generic; // for `declined`
  Numerics numerics = Numerics::Default;
};

inline void PrintTo(const DecisionCase &test, std::ostream *stream) { *stream << test.name; }

const std::vector<DecisionCase> &decisionCases();

} // namespace drumlin
