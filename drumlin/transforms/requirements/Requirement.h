// What a user requires of the plan. A requirement applies to all operations that match its pattern:
// `dot@*mlp*: fused(scale_lhs, bias) no_transpose(rhs)` requires that each dot whose source or name
// scope matches `*mlp*` is computed by a kernel with a scale and a bias, and that the dot's right
// operand is not transposed in memory. `program: max_kernels(12)` is about the whole plan.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/SizeExpression.h"
#include "drumlin/transforms/requirements/OperationPattern.h"

#include <optional>
#include <string>
#include <vector>

namespace drumlin {

enum class ClauseKind : uint8_t {
#define DRUMLIN_CLAUSE(Name, ...) Name,
#include "drumlin/transforms/requirements/Clauses.def"
};

// The kind of arguments that a clause takes.
enum class ClauseArguments : uint8_t {
  Names,           // one or more
  OptionalOperand, // `lhs`, `rhs` or nothing
  Types,           // `lhs=`, `rhs=`, `out=` with element types
  Count,           // one number, or an expression over dynamic sizes
};

struct ClauseInfo {
  ClauseKind kind;
  std::string_view name;
  ClauseArguments arguments;
  bool forProgram, forOperations;
  std::string_view meaning;
};
const std::vector<ClauseInfo> &allClauses();
const ClauseInfo &info(ClauseKind kind);

struct Clause {
  ClauseKind kind;
  std::vector<std::string> names; // as written, without spaces
  SizeExpression count = {};

  std::string str() const;
};

struct Requirement {
  std::string operation; // a glob over the operation's name; `program` for the whole plan
  std::string source;    // a glob over the operation's source and name scopes; empty: any
  std::vector<Clause> clauses;
  std::string text;    // as written
  int64_t origin = -1; // the only operation to check; -1: all that match

  OperationPattern pattern() const { return {operation, source}; }
  bool isForProgram() const { return operation == "program"; }
};

// Parses a pattern and its clauses. Fails with RequirementInvalid, which quotes the text at the
// error.
Result<Requirement> parseRequirement(std::string_view text);
// Parses clauses without a pattern, as in an operation's attribute.
Result<Requirement> parseClauses(std::string_view text, int64_t origin);

} // namespace drumlin
