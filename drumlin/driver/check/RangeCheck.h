// What the roundings that a user allows (`--auto-cast`) do to numbers outside of the narrower
// type's range: how many become its largest one or infinity, and how many become zero.
//
// The program after those roundings, before anything simplifies it, is interpreted on the
// arguments, and each rounding is looked at whenever it is evaluated: in loops, in the branches
// that are taken, and wherever a function is called.
#pragma once

#include "drumlin/driver/Options.h"
#include "drumlin/support/Tensor.h"
#include "drumlin/support/json/JsonStream.h"
#include "mlir/IR/BuiltinOps.h"

#include <span>
#include <string>
#include <vector>

namespace drumlin {

// One operand of one operation of the program, or its result.
struct RangeCount {
  std::string operation; // `stablehlo.dot_general`
  std::string source;
  std::string scope;   // `jit(step)/mlp/dot_general`, where the program has names
  std::string operand; // `lhs`, `rhs`, `operand 0`, `result`
  // Over all evaluations of it; NaN is none of what follows.
  int64_t evaluations = 0, elements = 0;
  int64_t outside = 0;  // beyond the largest finite number, infinities included
  int64_t infinite = 0; // of finite numbers that became infinity
  int64_t zeros = 0;    // of other numbers that became zero
  double largest = 0;   // magnitude; of results that are computed in the type, of what it holds

  RangeCount &operator+=(const RangeCount &other);
};

struct RangeReport {
  std::string type;                 // `fp8_e4m3`
  double limit = 0;                 // its largest finite number
  std::vector<RangeCount> operands; // in the program's order

  RangeCount total() const; // counts alone
};

// `program` as it was imported; it isn't changed. Its arguments are as callers pass them.
Result<RangeReport> checkRanges(mlir::ModuleOp program, const CompileOptions &compilation,
                                std::span<const Tensor> arguments, int64_t maxMemory);

std::string rangesText(const RangeReport &report);
void writeRanges(JsonStream &out, const RangeReport &report);

} // namespace drumlin
