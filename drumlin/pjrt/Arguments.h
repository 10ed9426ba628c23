// Callers' arguments: checked by the tables of interface/Fields.h before a function sees them, and
// brought into this version's form. Every function of the plugin is called through `answer`.
#pragma once

#include "drumlin/pjrt/Outcome.h"
#include "drumlin/pjrt/interface/Fields.h"

#include <vector>

namespace drumlin::pjrt {

class Arguments {
public:
  // Copies a caller's struct to `to`, which is of this version: what a caller of an older version
  // lacks is zero, there and in the structs that it points to. Fails with InvalidArgument, naming
  // function and field, where the struct is too small or a pointer is null that mustn't be.
  Outcome take(const Struct &type, const void *given, void *to);
  // Writes the results to the caller's struct, as far as it has room for them.
  void giveResults(const Struct &type, const void *from, void *given) const;

private:
  size_t size = 0; // of the caller's fields
  // Structs behind pointers that callers of older versions have smaller.
  std::vector<std::vector<std::byte>> extended;
};

// Checks a struct that isn't a function's argument: what callers pass to callbacks.
Outcome checkStruct(const Struct &type, const void *given);

// The name that the interface publishes: `PJRT_Client_Create` for `ClientCreate`.
std::string publishedName(const Struct &function);
// `struct_size` for `structSize`.
std::string publishedField(std::string_view name);

// What functions fail with where a field is null of which they say themselves when it may be.
Outcome nullField(const Struct &function, std::string_view field, std::string_view why);
template <typename Args> Outcome nullField(std::string_view field, std::string_view why) {
  return nullField(structOf<Args>, field, why);
}

// Functions that have no answer read no arguments: they say so whatever those are.
template <typename Args> inline constexpr bool isMissing = false;
#define PJRT_MISSING(function, what)                                                               \
  template <> inline constexpr bool isMissing<function##Args> = true;
#include "drumlin/pjrt/Missing.def"

// Calls a function of this plugin as the interface has it.
template <typename Args> Outcome answerOutcome(Args *given) {
  Args args = {};
  Arguments arguments;
  if constexpr (!isMissing<Args>) {
    if (Outcome outcome = arguments.take(structOf<Args>, given, &args); !outcome) {
      return outcome;
    }
  }
  Outcome outcome = call(args);
  if (outcome) {
    arguments.giveResults(structOf<Args>, &args, given);
  }
  return outcome;
}
template <typename Args> Error *answer(Args *given) {
  return errorOf(orNoMemory([&] { return answerOutcome(given); }));
}
// Of functions without an error: where arguments are wrong, nothing happens.
template <typename Args> void answerWithoutError(Args *given) {
  (void)orNoMemory([&] { return answerOutcome(given); });
}

} // namespace drumlin::pjrt
