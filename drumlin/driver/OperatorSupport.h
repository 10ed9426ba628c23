// What Drumlin can do with each operation on each element type. There is no list of it: a program
// with the operation alone (OperatorSamples.def) is given to the verifier, the interpreter and the
// code generator, and what they say is the answer.
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
};

// The program that is asked about; nothing for an operation without a sample.
std::optional<std::string> operatorSample(std::string_view operation, ElementType type);

// Every operation of the dialects that programs use, sorted by name.
std::vector<std::string> allOperators();

// For each of these operations and each element type, in this order. Code is generated for the
// target but not optimized. Operations without a sample are left out.
std::vector<OperatorSupport> operatorSupport(const std::vector<std::string> &operations,
                                             const CpuTarget &target,
                                             const ProgressFunction &progress = {});

} // namespace drumlin
