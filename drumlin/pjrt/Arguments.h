// Checks callers' arguments with the tables of interface/Fields.h before a function runs, and
// converts structs of other versions of the interface to this version's. Callers call every
// function of the plugin through `answer`.
#pragma once

#include "drumlin/pjrt/Outcome.h"
#include "drumlin/pjrt/interface/Fields.h"

#include <vector>

namespace drumlin::pjrt {

class Arguments {
public:
  // Copies a caller's struct to `to`, which has this version's layout. Fields that the struct of an
  // older version lacks become zero, also in the structs to which it points. Fails with
  // InvalidArgument, which names the function and the field, if the struct is too small or a
  // required pointer is null.
  Outcome take(const Struct &type, const void *given, void *to);
  // Writes the results to the caller's struct; skips results for which the struct has no field.
  void giveResults(const Struct &type, const void *from, void *given) const;

private:
  size_t size = 0; // the bytes of the caller's struct
  // Copies of structs behind pointers, extended for callers of older versions.
  std::vector<std::vector<std::byte>> extended;
};

// Checks a struct that callers pass to callbacks instead of to a function.
Outcome checkStruct(const Struct &type, const void *given);

// Returns a function's published name: `PJRT_Client_Create` for `ClientCreate`.
std::string publishedName(const Struct &function);
// Returns a field's published name: `struct_size` for `structSize`.
std::string publishedField(std::string_view name);

// Returns the error of a function for a null field that it must check itself (DEPENDS in
// interface/Fields.h). `why` says why the field is required.
Outcome nullField(const Struct &function, std::string_view field, std::string_view why);
template <typename Args> Outcome nullField(std::string_view field, std::string_view why) {
  return nullField(structOf<Args>, field, why);
}

// Whether the function is unimplemented: such functions fail without reading their arguments.
template <typename Args> inline constexpr bool isMissing = false;
#define PJRT_MISSING(function, what)                                                               \
  template <> inline constexpr bool isMissing<function##Args> = true;
#include "drumlin/pjrt/Missing.def"

// Calls a function of this plugin with the interface's arguments.
template <typename Args> Outcome answerOutcome(Outcome (*function)(Args &), Args *given) {
  Args args = {};
  Arguments arguments;
  if constexpr (!isMissing<Args>) {
    if (Outcome outcome = arguments.take(structOf<Args>, given, &args); !outcome) {
      return outcome;
    }
  }
  Outcome outcome = function(args);
  if (outcome) {
    arguments.giveResults(structOf<Args>, &args, given);
  }
  return outcome;
}
// The type of the arguments of a plugin function such as `handleClientCreate`.
template <typename Args> Args argumentsOf(Outcome (*function)(Args &));
template <auto function> using ArgumentsOf = decltype(argumentsOf(function));
// Calls a function of this plugin as callers of the interface do.
template <auto function> Error *answer(ArgumentsOf<function> *given) {
  return errorOf(orNoMemory([&] { return answerOutcome(function, given); }));
}
// Calls a function that can't return an error: does nothing if the arguments are invalid.
template <auto function> void answerWithoutError(ArgumentsOf<function> *given) {
  (void)orNoMemory([&] { return answerOutcome(function, given); });
}

} // namespace drumlin::pjrt
