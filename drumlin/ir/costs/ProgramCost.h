// Static costs of a program in any of its forms: of each kernel, of each launch, and in total.
// drumlin/support/Cost.h defines what is counted.
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

// The cost of one call of a kernel, independent of the launch.
struct KernelCost {
  Cost cost; // without bytes
  // Number of operations of math functions, less one per evaluation of a function, which `cost`
  // counts.
  double functionOperations = 0;
  llvm::SmallVector<int64_t> bytesRead;    // bytes per input, each element counted once
  llvm::SmallVector<int64_t> bytesWritten; // bytes per output
  // The numbers of those inputs that are read at positions computed at run time. Each call may read
  // different elements of these inputs.
  llvm::SmallVector<unsigned> readAnywhere;
  // Expected bytes of all inputs and outputs if data-dependent indices are uniformly random. An
  // element to which several indices refer counts once. All other byte counts of this struct are
  // upper bounds.
  double bytesExpected = 0;
};

// The outputs that share an input's memory, each with this input. A kernel that updates a slice in
// place leaves the elements outside of the slice unchanged.
using InPlace = llvm::SmallVector<std::pair<unsigned, unsigned>>; // input, output

// Returns the cost of a plan.kernel or a kernel-forming operation. The cost of a GEMM follows from
// its schedule. If a GEMM has no schedule yet, the cost assumes that each element is read once and
// that tiles divide the result without a remainder.
KernelCost kernelCost(mlir::Operation *kernel, const InPlace &inPlace = {});

// Returns the cost of an operation that is in no kernel: its operands are read, its results
// written.
KernelCost operationCost(mlir::Operation *op);

// A roofline estimate: the shortest time in which a machine of given rates could do the work. It is
// the launch time plus the maximum of compute time and memory time, because these two overlap
// fully.
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

// Counts of a program with symbolic sizes, as expressions over its symbols (SymbolicCost.h);
// a count is empty if it is no polynomial, such as n log n or a count rounded up to full tiles.
struct SymbolicCost {
  std::optional<SizeExpression> modelFlops, askedBytes, otherBytes;
};

// One operation of the program that does work: a launch, a kernel before it is outlined, a copy, or
// an operation that is in no kernel yet.
struct LaunchCost {
  mlir::Operation *op = nullptr;
  std::string kernel; // the kernel's symbol, or the operation's name
  std::string kind;   // `gemm`, `loop` …; `library_call`, `copy`, or `operation`
  std::string source;
  int64_t calls = 1; // per run of the program: the product of all enclosing loops' trip counts
  Cost cost;         // cost of one call
  // Requested bytes of all calls after the first call. These calls access further elements of
  // arguments and results. `cost` counts these bytes as other bytes.
  int64_t askedReadLater = 0, askedWrittenLater = 0;
  double functionOperations = 0; // per call (KernelCost)
  double expectedBytes = 0;      // per call (KernelCost)
  // Whether the launch counts in the total. Of the branches of an operation, only the branch that
  // moves the most bytes counts. `share` is the fraction of runs that reach this launch if all
  // branches are equally likely.
  bool isInTotal = true;
  double share = 1;
  std::optional<TimeEstimate> estimate = std::nullopt;  // time of one call
  std::optional<SymbolicCost> inSymbols = std::nullopt; // cost of all calls

  Cost total() const;
};

struct PlanCost {
  std::vector<LaunchCost> launches; // in program order
  Cost total;                       // sum of the launches with isInTotal
  // Average bytes over all branches and data-dependent indices, each equally likely.
  int64_t expectedBytes = 0;
  PeakMemory memory;
  // Loops whose trip count is unknown; they count as one trip.
  std::vector<std::string> unknownLoops;
  // The sizes at which costs are computed: `b = 97, s = 101`. Empty if sizes are static.
  std::string nominalSizes;
  std::optional<SymbolicCost> inSymbols; // cost of the program
  std::optional<SizeExpression> memoryInSymbols;
};

// Kernel costs by symbol, by schedule, and by whether the kernel computes in place. They are reused
// because the cost of a program is computed repeatedly while only schedules change.
using KernelCosts = std::map<std::tuple<mlir::Operation *, const void *, bool>, KernelCost>;

// Returns the program's costs. Takes the costs of kernels from `known`, and adds the costs of
// missing kernels to `known`.
PlanCost planCost(mlir::ModuleOp module, KernelCosts *known = nullptr);

} // namespace drumlin
