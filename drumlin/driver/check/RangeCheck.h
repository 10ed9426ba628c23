// Reports what the roundings that a user allows (`--auto-cast`) do to numbers outside the narrower
// type's range: how many of them become the narrower type's largest number or infinity, and how
// many become zero.
//
// Interprets the program with those roundings, before any simplification, on the arguments.
// Inspects each rounding whenever it is evaluated: in loops, in branches taken, and in every call
// of a function.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/Tensor.h"
#include "drumlin/support/json/JsonStream.h"
#include "mlir/IR/BuiltinOps.h"

#include <span>
#include <string>
#include <vector>

namespace drumlin {

// The counts for one operand, or the result, of one operation of the program.
struct RangeCount {
  std::string operation; // `stablehlo.dot_general`
  std::string source;
  std::string scope;   // `jit(step)/mlp/dot_general`; empty if the program has no scopes
  std::string operand; // `lhs`, `rhs`, `operand 0`, `result`
  // Totals of all evaluations. The members after `elements` don't count NaN.
  int64_t evaluations = 0, elements = 0;
  int64_t outside = 0;  // magnitudes above the largest finite number, including infinities
  int64_t infinite = 0; // finite numbers that became infinity
  int64_t zeros = 0;    // nonzero numbers that became zero
  double largest = 0;   // largest magnitude; if the value is rounded, before the rounding

  RangeCount &operator+=(const RangeCount &other);
};

struct RangeReport {
  std::string type;                 // `fp8_e4m3`
  double limit = 0;                 // the type's largest finite number
  std::vector<RangeCount> operands; // in the program's order

  RangeCount total() const; // the sums of the counts of all rows; its names are empty
};

// Runs the check on the caller's arguments. Leaves `program` unchanged; no phase may have changed
// it before.
Result<RangeReport> checkRanges(mlir::ModuleOp program, const CompileOptions &compilation,
                                std::span<const Tensor> arguments, int64_t maxMemory);

std::string rangesText(const RangeReport &report);
void writeRanges(JsonStream &out, const RangeReport &report);

} // namespace drumlin
