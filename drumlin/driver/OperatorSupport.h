// Determines how Drumlin supports each operation on each element type. There is no stored list of
// supported operations. Instead, a program that contains only the operation (OperatorSamples.def)
// is given to the verifier, the interpreter and the code generator. Programs with further uses of
// the operation (OperatorUses.def) are given to the code generator; the uses that the code
// generator refuses are the operation's restrictions.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/ElementType.h"
#include "drumlin/target/CpuTarget.h"

namespace drumlin {

struct OperatorSupport {
  std::string operation;
  ElementType type = ElementType::F32;
  bool verified = false;    // the verifier accepts the operation
  bool interpreted = false; // the interpreter evaluates the operation (`--interpret`)
  bool native = false;      // native code can be generated for the operation
  // The first refusal by verifier, interpreter or code generator, e.g. `D4001: no native code for
  // ...`; empty if all three accept the operation.
  std::string refusal;
  // If `native`, the uses for which no code can be generated, e.g. `sizes known only at run time`.
  // Uses that are common to all operations come first.
  std::vector<std::string_view> restrictions;
};

// Returns the program that tests an operation; nullopt for an operation without a sample.
std::optional<std::string> operatorSample(std::string_view operation, ElementType type);

// Returns the names of the further uses of an operation. If `operation` is empty, returns the uses
// that are common to all operations.
std::vector<std::string_view> operatorUses(std::string_view operation);
// Returns the program that tests a use from operatorUses(); nullopt if the operation has no such
// use, or if the use doesn't exist for this type.
std::optional<std::string> operatorUseSample(std::string_view operation, std::string_view use,
                                             ElementType type);

// Returns every operation of the dialects that programs use, sorted by name.
std::vector<std::string> allOperators();

// Returns the support of each of these operations for each of the element types, in the order of
// both lists. Code is generated for the target but not optimized. Skips operations without a
// sample.
std::vector<OperatorSupport> operatorSupport(const std::vector<std::string> &operations,
                                             const CpuTarget &target,
                                             const ProgressFunction &progress = {});

} // namespace drumlin
