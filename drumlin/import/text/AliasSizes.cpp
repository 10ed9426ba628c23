#include "drumlin/import/text/AliasSizes.h"

#include "drumlin/support/diagnostics/ProgramErrors.h"

#include <algorithm>

namespace drumlin {

// Sizes saturate at this value, which exceeds all limits.
static constexpr uint64_t endless = uint64_t(1) << 40;

// All uses of aliases together may expand to `manyTokens` tokens, plus `tokensForByte` tokens per
// byte of the text. Many passes traverse the expanded attributes.
static constexpr uint64_t manyTokens = uint64_t(1) << 24, tokensForByte = 16;

static uint64_t saturated(uint64_t size) { return std::min(size, endless); }

void AliasSizes::endDefinition() {
  if (open) {
    open->isDefined = true;
    deepest = std::max(deepest, open->levels);
    open = nullptr;
  }
}

void AliasSizes::addToken(unsigned depth, bool continues) {
  if (open && depth == 0 && !continues) {
    endDefinition();
  }
  if (open) {
    open->size = saturated(open->size + 1);
  }
}

void AliasSizes::addLocation(unsigned depth) {
  isLocation = isLocation || (open && depth == 0 && open->size == 1);
}

uint64_t AliasSizes::levelsAt(unsigned depth) const {
  return depth - (isLocation && depth > 0 ? 1 : 0);
}

void AliasSizes::addBracket(unsigned depth) {
  if (open) {
    open->levels = std::max(open->levels, levelsAt(depth));
  }
}

void AliasSizes::addName(std::string_view name, size_t offset, unsigned depth, bool continues,
                         bool defines) {
  addToken(depth, continues && !defines);
  Alias &alias = aliases[name];
  if (defines) {
    endDefinition();
    // A second definition of an alias may overwrite the first, since the parser rejects such a text
    // later.
    open = &alias;
    open->offset = offset;
    isLocation = false;
    return;
  }
  if (!open) {
    ++alias.uses;
    return;
  }
  // A definition that uses itself or a later alias is invalid, and the parser rejects it.
  if (!alias.isDefined || fault) {
    return;
  }
  open->size = saturated(open->size + alias.size);
  open->nested = saturated(open->nested + alias.size);
  open->levels = std::max(open->levels, levelsAt(depth) + alias.levels);
  if (open->levels > limits.references) {
    fault = {errors::NestingTooDeep,
             "aliases of aliases are nested deeper than " + std::to_string(limits.references),
             open->offset};
  } else if (open->nested > limits.expansion) {
    fault = {errors::InputTooLarge,
             "an alias expands to more than " + std::to_string(limits.expansion) +
                 " words of other aliases",
             open->offset};
  }
}

std::optional<AliasSizes::Fault> AliasSizes::check(size_t bytes) const {
  if (fault) {
    return fault;
  }
  // The sizes are added up at the end, since uses may precede definitions. The map's order doesn't
  // affect the result, as only the total is checked.
  uint64_t total = 0;
  for (const auto &each : aliases) {
    const Alias &alias = each.second;
    total = saturated(total + saturated(alias.uses) * std::min(alias.nested, limits.expansion));
  }
  if (uint64_t most = manyTokens + tokensForByte * bytes; total > most) {
    return Fault{errors::InputTooLarge,
                 "uses of aliases expand to more than " + std::to_string(most) +
                     " words of other aliases",
                 0};
  }
  return std::nullopt;
}

} // namespace drumlin
