// A compiled program held to the interpreter, launch by launch.
//
// The interpreter walks the placed plan beside the running native code. Each launch is interpreted
// on the inputs that the native kernel has, and hands on what the native kernel gave: so errors
// don't add up from kernel to kernel, loops and branches take the native way, and what a launch
// reads has to be, bit for bit, what earlier launches left. Then the program as written is
// interpreted as a whole; where its results differ by more than a kernel's may, so is what each
// phase of the compilation made of it.
#pragma once

#include "drumlin/driver/Compiler.h"
#include "drumlin/driver/check/CheckOptions.h"
#include "drumlin/driver/check/ElementCheck.h"
#include "drumlin/driver/check/NonFinite.h"
#include "drumlin/driver/check/RangeCheck.h"
#include "drumlin/driver/check/RoundingNotes.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace drumlin {

// One launch of a run.
struct LaunchPlace {
  std::string kernel, kind;
  int64_t launch = 0;                  // how many ran before it
  int64_t call = 0;                    // how many of these were the same kernel's
  std::vector<std::string> operations; // `stablehlo.exponential at model.py:12:8`; hero first

  std::string str() const;
};

struct LaunchDivergence {
  LaunchPlace place;
  std::string value; // `output 0, f32[4x8]`
  ElementCheck elements;
  // The first operation whose value differs in a kernel that leaves all of its operations' values
  // in memory; empty where none does, or no such kernel can be made.
  std::string operation, operationType;
  ElementCheck operationElements;
};

// One distinct kernel over all of its calls.
struct CheckedKernel {
  std::string kernel, kind, operation;
  int64_t calls = 0, divergentCalls = 0;
  int64_t maxUlps = 0;
  double maxRelative = 0;
  Numerics relaxations = Numerics::Strict; // that its code uses
};

struct ResultCheck {
  std::string name, type;
  ElementCheck elements; // against the program as written
};

struct CheckReport {
  int64_t launches = 0;
  std::vector<CheckedKernel> kernels; // in the plan's order
  std::optional<LaunchDivergence> first;
  int64_t divergentLaunches = 0;
  // Empty where all is well: a launch that read other bytes than earlier ones had left for it, or
  // native code that took another way than its own numbers say; results that aren't what the last
  // launches left.
  std::string memoryFault;
  std::vector<ResultCheck> results;
  // The phase after which the interpreted program first gives other results; empty if none does.
  std::string wrongPhase;
  NonFiniteOrigins native, interpreted;
  NonFiniteCounts nativeResults, interpretedResults;
  std::vector<Tensor> nativeValues; // the results
  std::vector<RoundingNote> roundings;
  std::optional<RangeReport> ranges; // where asked for

  bool resultsDiverge() const;
};

// Makes the arguments that a caller passes.
using MakeArguments =
    std::function<Result<std::vector<Tensor>>(const std::vector<ValueDescription> &)>;

// Compiles and checks a program. Fails where it can't be compiled, run or interpreted; what differs
// is in the report.
Result<CheckReport> checkProgram(mlir::ModuleOp program, const std::string &name,
                                 const CompileOptions &compilation, const CheckOptions &options,
                                 const MakeArguments &makeArguments);

// What a compiled program runs on.
struct CheckInputs {
  std::vector<Tensor> arguments; // as callers pass them
  std::vector<Tensor> weights;   // the bound ones, as the program takes them behind its arguments
};

// The part about launches: `placed` is the plan that the image was made from, with launches timed.
Status checkLaunches(mlir::ModuleOp placed, const Compilation &compiled, const CheckInputs &inputs,
                     const CompileOptions &compilation, const CheckOptions &options,
                     CheckReport &report);

// NumbersDiffer, KernelDiverges, MemoryDiverges or PhaseDiverges for a report that isn't clean.
Status verdict(const CheckReport &report, const std::string &program);

std::string checkText(const CheckReport &report);
std::string checkJson(const CheckReport &report);

} // namespace drumlin
