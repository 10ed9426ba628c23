// Static costs of a program in any of its forms: each kernel's, each launch's, and the whole
// program's (drumlin/support/Cost.h says what is counted).
#pragma once

#include "drumlin/ir/costs/PeakMemory.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/Cost.h"
#include "drumlin/support/SizeExpression.h"
#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace drumlin {

// One call of a kernel, whoever launches it.
struct KernelCost {
  Cost cost; // without bytes
  // Of math functions: operations beyond the one as which each evaluation counts.
  double functionOperations = 0;
  llvm::SmallVector<int64_t> bytesRead;    // of each input, each element once
  llvm::SmallVector<int64_t> bytesWritten; // of each output
  // Inputs of which another call may read another part, where the program says at run time.
  llvm::SmallVector<unsigned> readAnywhere;
  // Of all inputs and outputs, where indices that are data lie anywhere with equal probability:
  // what several of them name is read or written once. The other counts are the most.
  double bytesExpected = 0;
};

// Which outputs lie where one of the inputs does: a kernel that updates a slice then leaves the
// rest as it is.
using InPlace = llvm::SmallVector<std::pair<unsigned, unsigned>>; // input, output

// Of a plan.kernel or a kernel-forming operation. A GEMM does what its schedule says; before it has
// one, each element is read once and tiles have no remainder.
KernelCost kernelCost(mlir::Operation *kernel, const InPlace &inPlace = {});

// Of an operation in no kernel: it reads its operands and writes its results.
KernelCost operationCost(mlir::Operation *op);

// The shortest time in which a machine of given rates could do something (a roofline): the longer
// one of computing and of moving bytes, neither waiting for the other, behind its launch.
struct TimeEstimate {
  double computeSeconds = 0, memorySeconds = 0, launchSeconds = 0;

  double workSeconds() const {
    return computeSeconds > memorySeconds ? computeSeconds : memorySeconds;
  }
  double seconds() const { return workSeconds() + launchSeconds; }
  const char *boundBy() const {
    return launchSeconds > workSeconds()    ? "launch"
           : computeSeconds > memorySeconds ? "compute"
                                            : "memory";
  }
};

// Counts of a program whose sizes the run tells, as expressions over its symbols
// (SymbolicCost.h); nothing where one isn't a polynomial, as what is rounded to tiles, or n log n.
struct SymbolicCost {
  std::optional<SizeExpression> modelFlops, askedBytes, otherBytes;
};

// One operation of the program that does something: a launch, a kernel before it is outlined, a
// copy, or an operation that is in no kernel yet.
struct LaunchCost {
  mlir::Operation *op = nullptr;
  std::string kernel; // the kernel's symbol, or the operation's name
  std::string kind;   // `gemm`, `loop` …; `library_call`, `copy`, or `operation`
  std::string source;
  int64_t calls = 1; // of one run of the program: the trips of the loops around it
  Cost cost;         // of one call
  // Bytes that are asked for by calls after the first: other parts of arguments and results.
  int64_t askedReadLater = 0, askedWrittenLater = 0;
  double functionOperations = 0; // of one call (KernelCost)
  double expectedBytes = 0;      // of one call (KernelCost)
  // Of the branches of which a run takes one, that which moves most bytes is in the total. `share`:
  // of the runs that come to this launch, if each branch is as likely as the others.
  bool isInTotal = true;
  double share = 1;
  std::optional<TimeEstimate> estimate = std::nullopt;  // of one call
  std::optional<SymbolicCost> inSymbols = std::nullopt; // of all calls

  Cost total() const;
};

struct PlanCost {
  std::vector<LaunchCost> launches; // in program order
  Cost total;                       // of the launches that are in it
  // Where data decide, on the average over all branches and indices, each as likely as the others.
  int64_t expectedBytes = 0;
  PeakMemory memory;
  // Loops whose number of trips is not known; they count as one trip.
  std::vector<std::string> unknownLoops;
  // `b = 97, s = 101`: the sizes that costs are those of. Empty where sizes are static.
  std::string nominalSizes;
  std::optional<SymbolicCost> inSymbols; // of the program
  std::optional<SizeExpression> memoryInSymbols;
};

// What kernels cost, by symbol, by the schedule that they have, and by whether they compute in
// place: a program is priced more than once, and only schedules change in between.
using KernelCosts = std::map<std::tuple<mlir::Operation *, const void *, bool>, KernelCost>;

// Looks kernels up in `known`, and adds those that it lacks.
PlanCost planCost(mlir::ModuleOp module, KernelCosts *known = nullptr);

} // namespace drumlin
