#include "drumlin/listing/Selection.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Regex.h"

#include <algorithm>
#include <set>

namespace drumlin::listing {

bool Selection::reaches(const Instruction &instruction) const {
  if (has(instruction)) {
    return true;
  }
  return std::any_of(instruction.regions.begin(), instruction.regions.end(),
                     [&](const auto &region) { return countIn(*region) > 0; });
}

size_t Selection::countIn(const Computation &computation) const {
  size_t count = 0;
  forEach(computation, [&](const Instruction &instruction) { count += has(instruction); });
  return count;
}

Selection Selection::within(const Computation &computation) const {
  std::unordered_set<const Instruction *> kept;
  forEach(computation, [&](const Instruction &instruction) {
    if (has(instruction)) {
      kept.insert(&instruction);
    }
  });
  return Selection(std::move(kept));
}

// The three names that are most like this one: `%a`, `%b` or `%c`.
static std::string nearest(std::string_view wanted, const std::set<std::string> &names,
                           std::string_view sigil) {
  static constexpr size_t maxNamed = 3;
  std::vector<std::pair<unsigned, std::string>> ranked;
  for (const std::string &name : names) {
    ranked.emplace_back(llvm::StringRef(wanted).edit_distance(name), name);
  }
  size_t named = std::min(maxNamed, ranked.size());
  std::partial_sort(ranked.begin(), ranked.begin() + static_cast<std::ptrdiff_t>(named),
                    ranked.end());
  std::string text;
  for (size_t i = 0; i < named; ++i) {
    text += i == 0 ? "" : i + 1 == named ? " or " : ", ";
    text.append("`").append(sigil).append(ranked[i].second).append("`");
  }
  return text;
}

static Diagnostic nothing(std::string message, std::string option, const std::string &names) {
  return diagnose(DiagnosticCode::FilterInvalid, std::move(message), std::move(option),
                  names.empty() ? std::string() : "did you mean " + names + "?");
}

Result<Selection> selectByOpcode(const Module &module, const std::string &expression) {
  // By itself: `a)|(b` isn't one, and would be between parentheses.
  std::string problem;
  if (!llvm::Regex(expression).isValid(problem)) {
    return diagnose(DiagnosticCode::FilterInvalid,
                    "`" + expression + "` is no regular expression: " + problem, "--only",
                    "write a regular expression, such as `fusion|custom-call`");
  }
  llvm::Regex regex("^(" + expression + ")$");
  // Few opcodes, many instructions.
  std::set<std::string> opcodes, wanted;
  auto visitAll = [&](auto visit) {
    for (const std::unique_ptr<Computation> &computation : module.computations) {
      if (!computation->isFolded) {
        forEach(*computation, visit);
      }
    }
  };
  visitAll([&](const Instruction &instruction) { opcodes.insert(instruction.opcode); });
  for (const std::string &opcode : opcodes) {
    if (regex.match(opcode) || regex.match(baseName(opcode))) {
      wanted.insert(opcode);
    }
  }
  if (wanted.empty()) {
    return nothing("no instruction has an opcode that matches `" + expression + "`", "--only",
                   nearest(expression, opcodes, ""));
  }
  std::unordered_set<const Instruction *> selected;
  visitAll([&](const Instruction &instruction) {
    if (wanted.contains(instruction.opcode)) {
      selected.insert(&instruction);
    }
  });
  return Selection(std::move(selected));
}

static std::string_view withoutSigil(std::string_view name) {
  return name.starts_with('%') || name.starts_with('@') ? name.substr(1) : name;
}

Result<Selection> selectAround(const Module &module, const std::string &name, unsigned depth) {
  std::string_view wanted = withoutSigil(name);
  std::unordered_set<const Instruction *> selected;
  std::vector<const Instruction *> reached;
  std::set<std::string> names;
  for (const std::unique_ptr<Computation> &computation : module.computations) {
    if (computation->isFolded) {
      continue;
    }
    forEach(*computation, [&](const Instruction &instruction) {
      if (instruction.name == wanted || instruction.fullName == wanted) {
        selected.insert(&instruction);
        reached.push_back(&instruction);
      }
      if (!instruction.name.empty()) {
        names.insert(instruction.name);
      }
    });
  }
  if (reached.empty()) {
    return nothing("no instruction is named `" + name + "`", "--around",
                   nearest(wanted, names, "%"));
  }
  for (unsigned step = 0; step < depth && !reached.empty(); ++step) {
    std::vector<const Instruction *> next;
    auto visit = [&](const Instruction *instruction) {
      if (selected.insert(instruction).second) {
        next.push_back(instruction);
      }
    };
    for (const Instruction *instruction : reached) {
      for (const Operand &operand : instruction->operands) {
        visit(operand.instruction);
      }
      for (const Instruction *user : instruction->users) {
        visit(user);
      }
    }
    reached = std::move(next);
  }
  return Selection(std::move(selected));
}

Result<const Computation *> findComputation(const Module &module, const std::string &name) {
  std::string_view wanted = withoutSigil(name);
  std::set<std::string> names;
  for (const std::unique_ptr<Computation> &computation : module.computations) {
    if (computation->isFolded) {
      continue;
    }
    if (computation->name == wanted || computation->fullName == wanted) {
      return computation.get();
    }
    names.insert(computation->name);
  }
  return nothing("no computation is named `" + name + "`", "--computation",
                 nearest(wanted, names, module.sigil));
}

} // namespace drumlin::listing
