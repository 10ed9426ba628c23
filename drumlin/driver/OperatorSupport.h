// Determines how Drumlin supports each operation on each element type. There is no list: a program
// with the operation alone (OperatorSamples.def) is given to the verifier, the interpreter and the
// code generator. Further uses (OperatorUses.def) are given to the code generator; the uses that it
// refuses are restrictions.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/ElementType.h"
#include "drumlin/target/CpuTarget.h"

namespace drumlin {

struct OperatorSupport {
  std::string operation;
  ElementType type = ElementType::F32;
  bool verified = false;    // the verifier accepts it
  bool interpreted = false; // the interpreter evaluates it (`--interpret`)
  bool native = false;      // native code can be compiled for it
  // The first refusal of the three, unless all accept it: `D4001: no native code for ...`.
  std::string refusal;
  // The uses of a native operation that aren't compiled: `sizes that only the run tells`. Uses that
  // are common to all operations come first.
  std::vector<std::string_view> restrictions;
};

// Returns the program that tests an operation; nullopt for an operation without a sample.
std::optional<std::string> operatorSample(std::string_view operation, ElementType type);

// Returns the further uses of an operation, or of all operations if none is named.
std::vector<std::string_view> operatorUses(std::string_view operation);
// Returns the program of such a use; nullopt if there is none of this name or for this type.
std::optional<std::string> operatorUseSample(std::string_view operation, std::string_view use,
                                             ElementType type);

// Returns every operation of the dialects that programs use, sorted by name.
std::vector<std::string> allOperators();

// Returns the support of each of these operations for each element type, in this order. Code is
// generated for the target but not optimized. Skips operations without a sample.
std::vector<OperatorSupport> operatorSupport(const std::vector<std::string> &operations,
                                             const CpuTarget &target,
                                             const ProgressFunction &progress = {});

} // namespace drumlin
