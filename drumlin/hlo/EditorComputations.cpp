// Adding, removing and renaming computations.
#include "drumlin/hlo/EditPlaces.h"
#include "drumlin/hlo/Editor.h"
#include "drumlin/hlo/ModuleParser.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <algorithm>

namespace drumlin::hlo {

// Swaps the numbers of blank lines before two computations. Called when another computation becomes
// the first, so that the number of blank lines after the module's header doesn't change.
static void swapDistances(Computation &first, Computation &second) {
  std::swap(first.blankLines, second.blankLines);
}

Result<Computation *> Editor::add(std::string_view text, const Computation *before,
                                  std::string_view fileName) {
  auto &all = module.computations;
  Computation *entry = module.entry();
  if (!entry) {
    return diagnose(errors::SyntaxInvalid, "a module without computations", std::string(fileName));
  }
  if (before && std::none_of(all.begin(), all.end(),
                             [&](const auto &each) { return each.get() == before; })) {
    return diagnose(errors::HloNameUnknown,
                    "`" + before->name + "` is not a computation of this module",
                    std::string(fileName));
  }
  auto begin = static_cast<std::ptrdiff_t>(all.size());
  ModuleParser parser(text, fileName, {}, module, &module);
  Status status = parser.parseComputationPiece() ? Status(Done{}) : Status(parser.error());
  if (status && (all.back()->isEntry || all.back()->name.empty())) {
    status = diagnose(
        errors::SyntaxInvalid, all.back()->isEntry ? "a second entry" : "an unnamed computation",
        std::string(fileName) + ":1:1", "write `%name (parameter: f32[4]) -> f32[4] { … }`");
  }
  if (status) {
    status = checkName(all.back()->name, all.back()->percent, std::string(fileName) + ":1:1");
  }
  for (auto i = static_cast<size_t>(begin); status && i < all.size(); ++i) {
    status = checkInstructions(*all[i], 0);
  }
  if (!status) {
    all.erase(all.begin() + begin, all.end());
    return status.error();
  }
  Computation &made = *all.back();
  auto place = std::find_if(all.begin(), all.end(), [&](const auto &each) {
    return each.get() == (before ? before : entry);
  });
  auto printed =
      std::find_if(all.begin(), all.end(), [](const auto &each) { return !each->isInline; });
  if (printed >= place) {
    swapDistances(made, **printed);
  }
  std::rotate(place, all.begin() + begin, all.end());
  if (module.entry() != entry) {
    entry->isEntry = true;
  }
  orderComputations(made);
  return &made;
}

Status Editor::remove(Computation &computation) {
  std::string place = placeOf(computation);
  if (module.entry() == &computation) {
    return diagnose(errors::HloInUse, "it is the entry", place, "keep the entry");
  }
  for (const std::unique_ptr<Computation> &caller : module.computations) {
    for (const std::unique_ptr<Instruction> &each : caller->instructions) {
      std::vector<Computation *> called = each->calledComputations();
      if (std::find(called.begin(), called.end(), &computation) != called.end()) {
        return diagnose(errors::HloInUse,
                        "`" + each->name + "` in `%" + caller->name + "` calls it", place,
                        "first remove its callers, or let them call another computation");
      }
    }
  }
  auto &all = module.computations;
  auto isPrinted = [](const auto &each) { return !each->isInline; };
  auto first = std::find_if(all.begin(), all.end(), isPrinted);
  auto second = std::find_if(std::next(first), all.end(), isPrinted);
  if (first->get() == &computation && second != all.end()) {
    swapDistances(**first, **second);
  }
  takeOut(computation);
  return Done{};
}

// Moves a computation to `removed`, with the computations written inline in it.
void Editor::takeOut(Computation &computation) {
  for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
    for (const Attribute &attribute : instruction->attributes) {
      takeOutInline(attribute.value);
    }
  }
  auto &all = module.computations;
  auto place = std::find_if(all.begin(), all.end(),
                            [&](const auto &each) { return each.get() == &computation; });
  removed.computations.push_back(std::move(*place));
  all.erase(place);
}

// Moves the inline computations of an attribute's value to `removed`. Recursive; the parser limits
// the nesting of values.
void Editor::takeOutInline(const Value &value) {
  if (value.computation() && value.computation()->isInline) {
    takeOut(*value.computation());
  }
  for (const Value &item : value.items) {
    takeOutInline(item);
  }
}

Status Editor::rename(Computation &computation, std::string_view name) {
  if (Status status = checkName(name, computation.percent, placeOf(computation)); !status) {
    return status;
  }
  const Computation *other = module.find(name);
  if (other && other != &computation) {
    return diagnose(errors::HloNameTaken,
                    "`" + std::string(name) + "` is already the name of another computation",
                    placeOf(computation));
  }
  computation.name = name;
  if (computation.isInline) {
    // A named computation is printed separately, before its caller.
    for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
      instruction->indent -= std::min(instruction->indent, computation.indent);
    }
    computation.indent = 0;
    computation.isInline = false;
  }
  return Done{};
}

} // namespace drumlin::hlo
