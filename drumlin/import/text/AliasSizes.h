// Computes the size and nesting of a text's aliases after expansion, before the parser expands
// them: `#a1 = [#a0, #a0]` has one more level than `#a0` and twice its size. Takes linear time and
// doesn't recurse.
#pragma once

#include "drumlin/import/ImportLimits.h"
#include "drumlin/support/Diagnostics.h"

#include "llvm/ADT/StringMap.h"

#include <optional>
#include <string>
#include <string_view>

namespace drumlin {

class AliasSizes {
public:
  explicit AliasSizes(const ImportLimits &limits) : limits(limits) {}

  // The scanner calls the following functions in the order of the text. `depth`: the number of open
  // brackets.
  //
  // Adds a token. A token outside of brackets ends the current definition, unless `continues`: the
  // preceding token requires that the definition continues.
  void addToken(unsigned depth, bool continues);
  // Adds `#name` or `!name`, which may be an alias. `defines`: it begins a definition `#name =`.
  void addName(std::string_view name, size_t offset, unsigned depth, bool continues, bool defines);
  void addBracket(unsigned depth);
  // Adds `loc(`. A `loc(…)` that contains a whole definition doesn't count as a level.
  void addLocation(unsigned depth);

  // An exceeded limit and the byte offset where it is exceeded.
  struct Fault {
    DiagnosticCode code;
    std::string message;
    size_t offset;
  };
  // Checks all definitions and the total size of all uses. `bytes`: the size of the text.
  std::optional<Fault> check(size_t bytes) const;
  // Returns the maximum nesting of all aliases. To be called after check().
  uint64_t depth() const { return deepest; }

private:
  struct Alias {
    bool isDefined = false;
    size_t offset = 0;
    uint64_t size = 0;   // number of tokens after expansion
    uint64_t nested = 0; // tokens of `size` that come from other aliases
    uint64_t levels = 0;
    uint64_t uses = 0; // number of uses outside of definitions
  };
  void endDefinition();
  uint64_t levelsAt(unsigned depth) const;

  const ImportLimits &limits;
  llvm::StringMap<Alias> aliases;
  Alias *open = nullptr; // the alias that is being defined
  std::optional<Fault> fault;
  bool isLocation = false; // the open definition begins with `loc(`
  uint64_t deepest = 0;
};

} // namespace drumlin
