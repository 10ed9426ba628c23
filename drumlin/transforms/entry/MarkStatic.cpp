// Marks arguments whose values are the same at every call.
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/support/NearestName.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "drumlin/transforms/PassFailure.h"
#include "drumlin/transforms/entry/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/GlobPattern.h"

#include <span>

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_MARKSTATICPASS
#include "drumlin/transforms/entry/Passes.h.inc"

// Normalizes `drumlin.static`, a unit or Boolean attribute, to a unit attribute or none.
static Status settleStatic(func::FuncOp main, BlockArgument argument) {
  unsigned number = argument.getArgNumber();
  Attribute attribute = main.getArgAttr(number, staticAttribute);
  auto flag = dyn_cast_or_null<BoolAttr>(attribute);
  if (attribute && !flag && !isa<UnitAttr>(attribute)) {
    return diagnose(errors::UnsupportedAttribute,
                    "argument " + std::to_string(number) + " has `" + staticAttribute +
                        "`, which is neither true nor false",
                    plan::sourceOf(main.getLoc()),
                    "write the attribute alone, or `true` or `false`");
  }
  if (flag && !flag.getValue()) {
    main.removeArgAttr(number, staticAttribute);
  } else if (flag) {
    main.setArgAttr(number, staticAttribute, UnitAttr::get(main.getContext()));
  }
  return Done{};
}

static Diagnostic unknownArgument(func::FuncOp main, const std::string &word,
                                  const std::string &shown) {
  std::vector<std::string> names;
  for (BlockArgument argument : main.getArguments()) {
    llvm::append_range(names, namesOfArgument(argument));
  }
  return diagnose(errors::UnknownArgument,
                  "the program has no argument " + shown + ": it takes " +
                      std::to_string(main.getNumArguments()),
                  "--static-args", didYouMean(word, names));
}

// Parses a range of numbers, `0-290`, or a single number.
static std::optional<std::pair<unsigned, unsigned>> rangeIn(StringRef word) {
  auto [first, last] = word.split('-');
  std::pair<unsigned, unsigned> range;
  bool isRange = word.contains('-');
  if (first.getAsInteger(10, range.first) ||
      (isRange ? last : first).getAsInteger(10, range.second) || range.second < range.first) {
    return std::nullopt;
  }
  return range;
}

// Appends the numbers of the arguments that a word names. Sets `isOne` to whether the word is a
// number or a name.
static Status addArguments(func::FuncOp main, const std::string &word, bool &isOne,
                           std::vector<unsigned> &numbers) {
  isOne = StringRef(word).find_first_of("*?[") == StringRef::npos;
  if (std::optional<std::pair<unsigned, unsigned>> range = rangeIn(word)) {
    if (range->second >= main.getNumArguments()) {
      return unknownArgument(main, word, word);
    }
    for (unsigned number = range->first; number <= range->second; ++number) {
      numbers.push_back(number);
    }
    return Done{};
  }
  size_t before = numbers.size();
  llvm::Expected<llvm::GlobPattern> pattern = llvm::GlobPattern::create(word);
  if (!pattern) {
    return diagnose(errors::UnknownArgument,
                    "`" + word + "` is not a valid pattern: " + llvm::toString(pattern.takeError()),
                    "--static-args");
  }
  for (BlockArgument argument : main.getArguments()) {
    std::vector<std::string> names = namesOfArgument(argument);
    // `params['w']` is a name although it looks like a pattern.
    bool isNamed = llvm::is_contained(names, word);
    isOne |= isNamed;
    if (isNamed || llvm::any_of(names, [&](StringRef name) { return pattern->match(name); })) {
      numbers.push_back(argument.getArgNumber());
    }
  }
  return numbers.size() > before ? Status(Done{}) : unknownArgument(main, word, "`" + word + "`");
}

static Diagnostic staticDonated(func::FuncOp main, unsigned number, int64_t result) {
  return diagnose(errors::StaticDonated,
                  "argument " + std::to_string(number) +
                      " is the same at every call, but it is donated: result " +
                      std::to_string(result) + " overwrites it",
                  plan::sourceOf(main.getLoc()));
}

// Marks the named arguments. Fails with UnknownArgument, with UnsupportedAttribute if the program's
// attribute is neither true nor false, and with StaticDonated if a named argument is donated.
// Donated arguments that only match a pattern are left out, with a note.
static Status markStatic(ModuleOp module, std::span<const std::string> words,
                         std::vector<Diagnostic> &notes) {
  func::FuncOp main = entryFunction(module);
  for (BlockArgument argument : main.getArguments()) {
    if (Status status = settleStatic(main, argument); !status) {
      return status;
    }
  }
  for (const std::string &word : words) {
    bool isOne = false;
    std::vector<unsigned> numbers;
    if (Status status = addArguments(main, word, isOne, numbers); !status) {
      return status;
    }
    for (unsigned number : numbers) {
      std::optional<int64_t> result = donatedTo(main.getArgument(number));
      if (!isOne && result) {
        notes.push_back(diagnose(errors::StaticDonated,
                                 "argument " + std::to_string(number) +
                                     " gives its memory to result " + std::to_string(*result) +
                                     ": `" + word + "` leaves it out",
                                 "--static-args"));
        continue;
      }
      main.setArgAttr(number, staticAttribute, UnitAttr::get(module.getContext()));
    }
  }
  for (BlockArgument argument : main.getArguments()) {
    unsigned number = argument.getArgNumber();
    std::optional<int64_t> result = donatedTo(argument);
    if (result && main.getArgAttr(number, staticAttribute)) {
      return staticDonated(main, number, *result);
    }
  }
  return Done{};
}

struct MarkStaticPass : impl::MarkStaticPassBase<MarkStaticPass> {
  using impl::MarkStaticPassBase<MarkStaticPass>::MarkStaticPassBase;
  MarkStaticPass(std::vector<std::string> named, std::vector<Diagnostic> &notes,
                 std::optional<Diagnostic> &failure)
      : named(std::move(named)), notes(&notes), failure(&failure) {}

  void runOnOperation() override {
    std::vector<Diagnostic> unheard;
    named.insert(named.end(), arguments.begin(), arguments.end());
    if (Status status = markStatic(getOperation(), named, notes ? *notes : unheard); !status) {
      reportFailure(getOperation(), status.error(), failure);
      signalPassFailure();
    }
  }

private:
  std::vector<std::string> named;
  std::vector<Diagnostic> *notes = nullptr;
  std::optional<Diagnostic> *failure = nullptr;
};

std::unique_ptr<Pass> createMarkStaticPass(std::vector<std::string> arguments,
                                           std::vector<Diagnostic> &notes,
                                           std::optional<Diagnostic> &failure) {
  return std::make_unique<MarkStaticPass>(std::move(arguments), notes, failure);
}

} // namespace drumlin
