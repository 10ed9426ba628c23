// Programs for the rules' decisions: for each program, a rule is declined for a reason, and taken
// after the reason's remedy was applied.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/transforms/Ledger.h"

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

// A program for which a rule is declined, and the program with the stated remedy, for which the
// rule is taken. `operation`: the operation about which the rule decides in both programs.
struct DecisionCase {
  const char *name;
  std::string_view rule;
  const char *operation;
  Reason reason;
  std::string declined;
  std::string remedied;      // empty: the reason has no remedy
  const char *disabled = ""; // a rule to turn off for `declined`
  const char *target = "";   // a tensor engine or a GPU; empty: the CPU
  AutoCast cast = {};
  ModelType type = ModelType::Generic; // for `declined`
  Numerics numerics = Numerics::Default;
};

inline void PrintTo(const DecisionCase &test, std::ostream *stream) { *stream << test.name; }

const std::vector<DecisionCase> &decisionCases();

} // namespace drumlin
