// Compares a compiled program with the interpreter, launch by launch.
//
// The interpreter runs the placed plan alongside the native code. It interprets each launch on the
// native kernel's inputs and continues with the native kernel's outputs: errors don't accumulate
// from kernel to kernel, loops and branches follow the native code, and a launch's inputs must
// equal the outputs of earlier launches bit for bit. Then the whole program as written is
// interpreted. If its results differ by more than a kernel's tolerance, the program after each
// phase is interpreted, too.
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
  int64_t launch = 0;                  // number of launches before this one
  int64_t call = 0;                    // number of launches of the same kernel before this one
  std::vector<std::string> operations; // `stablehlo.exponential at model.py:12:8`; hero first

  std::string str() const;
};

struct LaunchDivergence {
  LaunchPlace place;
  std::string value; // `output 0, f32[4x8]`
  ElementCheck elements;
  // The first operation whose value differs if the kernel is compiled to store the values of all
  // its operations. Empty if all values agree, or if such a kernel can't be compiled.
  std::string operation, operationType;
  ElementCheck operationElements;
};

// The results of one distinct kernel over all of its calls.
struct CheckedKernel {
  std::string kernel, kind, operation;
  int64_t calls = 0, divergentCalls = 0;
  int64_t maxUlps = 0;
  double maxRelative = 0;
  Numerics relaxations = Numerics::Strict; // relaxations that the kernel's code uses
};

struct ResultCheck {
  std::string name, type;
  ElementCheck elements; // compared with the interpreted program as written
};

struct CheckReport {
  int64_t launches = 0;
  std::vector<CheckedKernel> kernels; // in the plan's order
  std::optional<LaunchDivergence> first;
  int64_t divergentLaunches = 0;
  // The first fault in memory or control flow; empty if there is none. There are three kinds: the
  // input of a launch isn't what earlier launches stored; a branch or loop iteration doesn't follow
  // from the values that native code computed; a result isn't what the last launches stored.
  std::string memoryFault;
  std::vector<ResultCheck> results;
  // The first phase after which the interpreted program has other results than before; empty if
  // there is none.
  std::string wrongPhase;
  NonFiniteOrigins native, interpreted;
  NonFiniteCounts nativeResults, interpretedResults;
  std::vector<Tensor> nativeValues; // the results
  std::vector<RoundingNote> roundings;
  std::optional<RangeReport> ranges; // if CheckOptions::checksRanges

  bool resultsDiverge() const;
};

// Makes the arguments that a caller passes.
using MakeArguments =
    std::function<Result<std::vector<Tensor>>(const std::vector<ValueDescription> &)>;

// Compiles and checks a program. Fails if the program can't be compiled, run or interpreted. If
// results differ, the function doesn't fail: the report lists the differences.
Result<CheckReport> checkProgram(mlir::ModuleOp program, const std::string &name,
                                 const CompileOptions &compilation, const CheckOptions &options,
                                 const MakeArguments &makeArguments);

// The inputs of a compiled program.
struct CheckInputs {
  std::vector<Tensor> arguments; // as callers pass them
  std::vector<Tensor> weights;   // bound weights, which the program takes after its arguments
};

// Checks the launches. `placed`: the plan of the image, whose launches are timed.
Status checkLaunches(mlir::ModuleOp placed, const Compilation &compiled, const CheckInputs &inputs,
                     const CompileOptions &compilation, const CheckOptions &options,
                     CheckReport &report);

// Returns NumbersDiffer, KernelDiverges, MemoryDiverges or PhaseDiverges; Done if the report has no
// difference.
Status verdict(const CheckReport &report, const std::string &program);

std::string checkText(const CheckReport &report);
std::string checkJson(const CheckReport &report);

} // namespace drumlin
