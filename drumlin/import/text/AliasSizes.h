// What a text's aliases stand for, measured before the parser replaces them: `#a1 = [#a0, #a0]` is
// as deep as `#a0` and one more, and twice as large. Linear in the text, and without recursion.
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

  // What the scanner meets, in the order of the text. `depth`: of the brackets that are open.
  //
  // A token that stands alone where no bracket is open ends a definition, unless what precedes it
  // has to be followed by more of the same definition.
  void addToken(unsigned depth, bool continues);
  // `#name` or `!name`, which may be an alias; `defines`: at `#name =` outside of brackets.
  void addName(std::string_view name, size_t offset, unsigned depth, bool continues, bool defines);
  void addBracket(unsigned depth);
  // `loc(` around what an alias stands for is no level of its own.
  void addLocation(unsigned depth);

  // What is wrong, at the byte where it is.
  struct Fault {
    DiagnosticCode code;
    std::string message;
    size_t offset;
  };
  // All definitions, and what their uses come to together. `bytes`: of the text.
  std::optional<Fault> check(size_t bytes) const;
  // The deepest of all; after check().
  uint64_t depth() const { return deepest; }

private:
  struct Alias {
    bool isDefined = false;
    size_t offset = 0;
    uint64_t size = 0;   // of all tokens, once no alias is left
    uint64_t nested = 0; // of these, those that come of other aliases
    uint64_t levels = 0;
    uint64_t uses = 0; // outside of definitions
  };
  void endDefinition();
  uint64_t levelsAt(unsigned depth) const;

  const ImportLimits &limits;
  llvm::StringMap<Alias> aliases;
  Alias *open = nullptr; // which is being defined
  std::optional<Fault> fault;
  bool isLocation = false; // the open one begins with `loc(`
  uint64_t deepest = 0;
};

} // namespace drumlin
