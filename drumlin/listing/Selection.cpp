#include "drumlin/listing/Selection.h"

#include "drumlin/support/diagnostics/OptionErrors.h"

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

Selection Selection::within(const std::vector<const Computation *> &computations) const {
  std::unordered_set<const Instruction *> kept;
  for (const Computation *computation : computations) {
    forEach(*computation, [&](const Instruction &instruction) {
      if (has(instruction)) {
        kept.insert(&instruction);
      }
    });
  }
  return Selection(std::move(kept));
}

Selection Selection::with(const Selection &other) const {
  if (everything || other.everything) {
    return everything ? other : *this;
  }
  std::unordered_set<const Instruction *> kept;
  for (const Instruction *instruction : instructions) {
    if (other.has(*instruction)) {
      kept.insert(instruction);
    }
  }
  return Selection(std::move(kept));
}

// Returns the three most similar names, as "`%a`, `%b` or `%c`".
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
  return diagnose(errors::FilterInvalid, std::move(message), std::move(option),
                  names.empty() ? std::string() : "did you mean " + names + "?");
}

Result<Selection> selectByOpcode(const Module &module, const std::string &expression) {
  // The expression is checked without the parentheses that are added below. With these, `a)|(b`
  // would be valid.
  std::string problem;
  if (!llvm::Regex(expression).isValid(problem)) {
    return diagnose(errors::FilterInvalid,
                    "`" + expression + "` is no regular expression: " + problem, "--only",
                    "write a regular expression, such as `fusion|custom-call`");
  }
  llvm::Regex regex("^(" + expression + ")$");
  // Matches the few distinct opcodes instead of the many instructions.
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

// Calls `visit` with every instruction and the printed instruction that shows it: the instruction
// itself or, inside of a folded computation, the computation's caller.
static void visitSeen(const Module &module, auto visit) {
  for (const std::unique_ptr<Computation> &computation : module.computations) {
    if (computation->isFolded) {
      continue;
    }
    forEach(*computation, [&](const Instruction &instruction) {
      visit(instruction, instruction);
      auto visitInside = [&](const Computation &inside) {
        if (inside.isFolded) {
          forEach(inside, [&](const Instruction &each) { visit(each, instruction); });
        }
      };
      for (const Computation *called : instruction.calls) {
        visitInside(*called);
      }
      for (const std::unique_ptr<Computation> &region : instruction.regions) {
        visitInside(*region);
      }
    });
  }
}

// Selects the printed instructions that have a wanted source. Also selects printed instructions
// that show a folded computation if one of its instructions has a wanted source.
static Selection selectSources(const Module &module, const std::vector<bool> &wanted) {
  std::unordered_set<const Instruction *> selected;
  visitSeen(module, [&](const Instruction &instruction, const Instruction &seen) {
    if (instruction.source != 0 && wanted[instruction.source - 1]) {
      selected.insert(&seen);
    }
  });
  return Selection(std::move(selected));
}

namespace {
// A file and a range of lines such as `model.py:12-30`; all lines if the text states none.
struct SourcePlace {
  llvm::StringRef file;
  unsigned first = 0, last = ~0U;
};
} // namespace

static SourcePlace placeOf(llvm::StringRef text) {
  auto [file, lines] = text.rsplit(':');
  auto [first, last] = lines.split('-');
  SourcePlace place{file};
  bool isRange = lines.contains('-') && !last.getAsInteger(10, place.last);
  if (first.getAsInteger(10, place.first) || (lines.contains('-') && !isRange)) {
    return {text};
  }
  // In `file:12:3`, the last number is a column, and the one before it is the line.
  SourcePlace before = isRange ? SourcePlace{} : placeOf(file);
  if (before.first != 0) {
    return before;
  }
  place.last = isRange ? place.last : place.first;
  return place;
}

// Whether a path is the file, or ends with the file's path components.
static bool isFile(llvm::StringRef path, llvm::StringRef file) {
  return path.consume_back(file) && (path.empty() || path.ends_with("/"));
}

Result<Selection> selectBySource(const Module &module, const std::string &place) {
  SourcePlace wanted = placeOf(place);
  std::vector<bool> isWanted;
  std::set<std::string> files;
  bool hasAny = false;
  for (const Source &source : module.sources) {
    SourcePlace each = placeOf(source.place);
    bool isInside =
        isFile(each.file, wanted.file) && each.first >= wanted.first && each.first <= wanted.last;
    isWanted.push_back(isInside);
    hasAny = hasAny || isInside;
    if (!source.place.empty()) {
      files.insert(each.file.str());
    }
  }
  Selection selection = selectSources(module, isWanted);
  if (!selection.isEmpty()) {
    return selection;
  }
  return nothing(hasAny ? "no instruction that is printed comes from `" + place + "`"
                        : "no instruction comes from `" + place + "`",
                 "--source", nearest(wanted.file.str(), files, ""));
}

Result<Selection> selectByScope(const Module &module, const std::string &expression) {
  std::string problem;
  llvm::Regex regex(expression);
  if (!regex.isValid(problem)) {
    return diagnose(errors::FilterInvalid,
                    "`" + expression + "` is no regular expression: " + problem, "--op-name",
                    "write a regular expression, such as `mlp/.*dot_general`");
  }
  std::vector<bool> wanted;
  std::set<std::string> scopes;
  for (const Source &source : module.sources) {
    wanted.push_back(!source.scope.empty() && regex.match(source.scope));
    scopes.insert(source.scope);
  }
  Selection selection = selectSources(module, wanted);
  if (selection.isEmpty()) {
    return nothing("no instruction has an op_name that matches `" + expression + "`", "--op-name",
                   nearest(expression, scopes, ""));
  }
  return selection;
}

Result<std::vector<const Computation *>> unfold(Module &module, const std::string &name) {
  std::string_view wanted = withoutSigil(name);
  std::set<std::string> names;
  std::vector<Computation *> found, called;
  auto isWanted = [&](const auto &item) { return item.name == wanted || item.fullName == wanted; };
  for (const std::unique_ptr<Computation> &computation : module.computations) {
    names.insert(computation->name);
    if (isWanted(*computation)) {
      found.push_back(computation.get());
    }
    forEach(*computation, [&](Instruction &instruction) {
      if (isWanted(instruction)) {
        called.insert(called.end(), instruction.calls.begin(), instruction.calls.end());
        for (const std::unique_ptr<Computation> &region : instruction.regions) {
          called.push_back(region.get());
        }
      }
    });
  }
  found = found.empty() ? called : found;
  if (found.empty()) {
    return nothing("no computation is named `" + name + "`", "--computation",
                   nearest(wanted, names, module.sigil));
  }
  for (Computation *computation : found) {
    computation->isFolded = computation->isNamed = false;
  }
  return std::vector<const Computation *>(found.begin(), found.end());
}

} // namespace drumlin::listing
