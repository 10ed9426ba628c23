#include "drumlin/transforms/requirements/Requirement.h"

#include "drumlin/support/ElementType.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace drumlin {

const std::vector<ClauseInfo> &allClauses() {
  static const std::vector<ClauseInfo> all = {
#define DRUMLIN_CLAUSE(Name, name, arguments, forProgram, forOperations, meaning)                  \
  {ClauseKind::Name, name, ClauseArguments::arguments, forProgram, forOperations, meaning},
#include "drumlin/transforms/requirements/Clauses.def"
  };
  return all;
}

const ClauseInfo &info(ClauseKind kind) { return allClauses()[static_cast<size_t>(kind)]; }

std::string Clause::str() const {
  std::string text(info(kind).name);
  std::string inside =
      info(kind).arguments == ClauseArguments::Count ? count.str() : llvm::join(names, ", ");
  return inside.empty() ? text : text + "(" + inside + ")";
}

class RequirementParser {
public:
  explicit RequirementParser(llvm::StringRef text) : whole(text), rest(text) {}

  Result<Requirement> run() {
    Requirement made;
    auto [pattern, clauses] = rest.split(": ");
    if (clauses.empty()) {
      return fail("has no `: ` between its pattern and its clauses");
    }
    auto [operation, source] = pattern.trim().split('@');
    made.operation = operation.trim().str();
    made.source = source.trim().str();
    if (made.operation.empty()) {
      return fail("names no operation");
    }
    rest = clauses;
    return parseClauses(std::move(made));
  }

  Result<Requirement> parseClauses(Requirement made) {
    made.text = whole.trim().str();
    rest = rest.trim();
    while (!rest.empty()) {
      Result<Clause> clause = parseClause(made.isForProgram());
      if (!clause) {
        return clause.error();
      }
      made.clauses.push_back(std::move(*clause));
    }
    return made.clauses.empty() ? Result<Requirement>(fail("has no clauses")) : std::move(made);
  }

private:
  Diagnostic fail(const std::string &what) const {
    return diagnose(errors::RequirementInvalid, "requirement `" + whole.trim().str() + "` " + what);
  }

  Result<Clause> parseClause(bool isForProgram) {
    llvm::StringRef name = rest.take_while([](char c) { return llvm::isAlnum(c) || c == '_'; });
    auto found = llvm::find_if(
        allClauses(), [&](const ClauseInfo &each) { return each.name == std::string_view(name); });
    if (found == allClauses().end()) {
      return fail("has `" + (name.empty() ? rest : name).str() + "`, which is no clause");
    }
    rest = rest.drop_front(name.size()).ltrim();
    if (isForProgram ? !found->forProgram : !found->forOperations) {
      return fail("has the clause `" + name.str() + "`, which doesn't apply to " +
                  (isForProgram ? "the whole program" : "single operations"));
    }
    Clause clause = {found->kind, {}};
    if (rest.consume_front("(")) {
      size_t end = closingParenthesis(rest);
      if (end == llvm::StringRef::npos) {
        return fail("has no `)` after `" + name.str() + "(`");
      }
      llvm::SmallVector<llvm::StringRef> parts;
      rest.take_front(end).split(parts, ',', -1, /*KeepEmpty=*/false);
      for (llvm::StringRef part : parts) {
        clause.names.push_back(part.trim().str());
      }
      rest = rest.drop_front(end + 1).ltrim();
    }
    if (std::string problem = argumentProblem(*found, clause); !problem.empty()) {
      return fail(problem);
    }
    return clause;
  }

  // Returns the position of the parenthesis that closes an already open one.
  static size_t closingParenthesis(llvm::StringRef text) {
    int open = 1;
    for (size_t i = 0; i < text.size(); ++i) {
      open += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
      if (open == 0) {
        return i;
      }
    }
    return llvm::StringRef::npos;
  }

  static std::string argumentProblem(const ClauseInfo &about, Clause &clause) {
    std::string name(about.name);
    switch (about.arguments) {
    case ClauseArguments::Names:
      return clause.names.empty() ? "has the clause `" + name + "` without arguments" : "";
    case ClauseArguments::OptionalOperand:
      for (const std::string &operand : clause.names) {
        if (operand != "lhs" && operand != "rhs") {
          return "has `" + name + "(" + operand + ")`, whose argument is neither `lhs` nor `rhs`";
        }
      }
      return "";
    case ClauseArguments::Types:
      for (const std::string &pair : clause.names) {
        auto [place, type] = llvm::StringRef(pair).split('=');
        bool isPlace = llvm::is_contained({"lhs", "rhs", "out"}, place.trim());
        if (!isPlace || !elementTypeFromName(type.trim().str())) {
          return "has `" + pair + "`, which is no `lhs=`, `rhs=` or `out=` with a type";
        }
      }
      return clause.names.empty() ? "has the clause `" + name + "` without arguments" : "";
    case ClauseArguments::Count: {
      // The commas of `max(b, 16)` don't separate names.
      std::optional<SizeExpression> count = SizeExpression::parse(llvm::join(clause.names, ", "));
      clause.names.clear();
      if (!count || !count->isValid() || count->constant().value_or(0) < 0) {
        return "has the clause `" + name + "` without a single number";
      }
      clause.count = *count;
      return "";
    }
    }
    return "";
  }

  llvm::StringRef whole, rest;
};

Result<Requirement> parseRequirement(std::string_view text) {
  return RequirementParser(llvm::StringRef(text.data(), text.size())).run();
}

Result<Requirement> parseClauses(std::string_view text, int64_t origin) {
  Requirement made;
  made.origin = origin;
  return RequirementParser(llvm::StringRef(text.data(), text.size())).parseClauses(std::move(made));
}

} // namespace drumlin
