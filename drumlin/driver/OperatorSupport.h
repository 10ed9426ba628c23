// What Drumlin can do with each operation on each element type. There is no list of it: a program
// with the operation alone (OperatorSamples.def) is given to the verifier, the interpreter and the
// code generator, and what they say is the answer. Further uses (OperatorUses.def) are given to the
// code generator: those that it refuses are restrictions.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/ElementType.h"
#include "drumlin/target/CpuTarget.h"

namespace drumlin {

struct OperatorSupport {
  std::string operation;
  ElementType type = ElementType::F32;
  bool verified = false;    // programs may use it with this element type
  bool interpreted = false; // `--interpret` evaluates it
  bool native = false;      // it is compiled
  // Why it isn't, of the first of the three that refuses it: `D4001: no native code for ...`.
  std::string refusal;
  // Uses that aren't compiled, where it is native: `sizes that only the run tells`. Those of all
  // operations come first.
  std::vector<std::string_view> restrictions;
};

// The program that is asked about; nothing for an operation without a sample.
std::optional<std::string> operatorSample(std::string_view operation, ElementType type);

// The further uses of an operation, or of all where none is named.
std::vector<std::string_view> operatorUses(std::string_view operation);
// The program of such a use; nothing where there is none of this name, or none of this type.
std::optional<std::string> operatorUseSample(std::string_view operation, std::string_view use,
                                             ElementType type);

// Every operation of the dialects that programs use, sorted by name.
std::vector<std::string> allOperators();

// For each of these operations and each element type, in this order. Code is generated for the
// target but not optimized. Operations without a sample are left out.
std::vector<OperatorSupport> operatorSupport(const std::vector<std::string> &operations,
                                             const CpuTarget &target,
                                             const ProgressFunction &progress = {});

} // namespace drumlin
