#include "drumlin/ir/costs/KernelTimes.h"

#include "drumlin/ir/costs/Roofline.h"
#include "drumlin/ir/costs/Work.h"
#include "drumlin/ir/indexing/LaneForm.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/plan/ScheduleAttributes.h"
#include "drumlin/ir/plan/TripCount.h"
#include "drumlin/ir/plan/gemm/GemmAccess.h"
#include "drumlin/ir/plan/gemm/GemmPanels.h"
#include "drumlin/ir/plan/loop/LoopCuts.h"
#include "drumlin/ir/plan/loop/LoopProblem.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "llvm/ADT/MapVector.h"

#include <cmath>

using namespace mlir;

namespace drumlin {

//===- how long kernels take ---------------------------------------------------===//

// Approximate factor by which an elementwise operation takes longer than at the peak rate. There
// are three reasons. The peak rate counts a multiply-add as two operations. Elementwise operations
// wait for each other's results. They also need loads, stores and masks.
static constexpr double elementRate = 4;

// Factor by which operations inside a math function take longer than at the peak rate. The
// operations are straight-line code in registers. They are not fused multiply-adds, so they reach
// half of the peak.
static constexpr double functionRate = 2;

// Bandwidth of L2 on processors of both vendors: half a 64-byte register per cycle, according to
// the manuals that X86Models.def lists.
static constexpr double cachedBytesPerCycle = 32;

// Cycles to combine the lanes of one result's sum into one value: four or five steps, each a
// shuffle and an operation. The steps of neighbouring sums overlap.
static constexpr double cyclesToCombineLanes = 15;

// Cycles of a launch: storing and reloading pointers, and starting and ending the kernel's loops.
static constexpr double cyclesToLaunch = 40;

static double cyclesOfSums(plan::KernelOp kernel) {
  int64_t results = 0;
  kernel.getBody().walk([&](Operation *op) {
    if (reducesInnermost(op) && elementsOf(op->getOperand(0)) > elementsOf(op->getResult(0))) {
      results += elementsOf(op->getResult(0));
    }
  });
  return static_cast<double>(results) * cyclesToCombineLanes;
}

// Cycles per sorted element: its key is moved a few times, to data-dependent positions.
static constexpr double cyclesOfSortedElement = 15;

static double cyclesOfSorts(plan::KernelOp kernel) {
  int64_t elements = 0;
  for (Operation &op : kernel.getBody().front()) {
    if (kernel.getKind() == plan::KernelKind::sort && classify(&op) == OperationClass::Hero) {
      elements += elementsOf(op.getOperand(0));
    }
  }
  return static_cast<double>(elements) * cyclesOfSortedElement;
}

// Cycles per register of a concatenation and per operand. A register of results looks for its
// operand among all of them, if these are too many for cuts between them. Measured on a Sapphire
// Rapids Xeon with 98 operands.
static constexpr double cyclesOfOperand = 0.75;

static double cyclesOfConcatenations(plan::KernelOp kernel) {
  double cycles = 0;
  kernel.getBody().walk([&](stablehlo::ConcatenateOp op) {
    if (op->getNumOperands() > maxLoopParts) {
      cycles += static_cast<double>(elementsOf(op.getResult())) / lanes *
                static_cast<double>(op->getNumOperands()) * cyclesOfOperand;
    }
  });
  return cycles;
}

// Returns the factor by which MACs take longer than at the peak rate. Only micro-kernels come close
// to the peak rate. The other algorithms load an operand for each MAC.
static double macRate(const std::optional<GemmSchedule> &schedule) {
  constexpr double withoutMicroKernel = 4;
  bool hasMicroKernel = schedule && (schedule->algorithm == plan::GemmAlgorithm::packed ||
                                     schedule->algorithm == plan::GemmAlgorithm::direct);
  return schedule && !hasMicroKernel ? withoutMicroKernel : 1;
}

//===- extra time of quickly generated code --------------------------------------===//

// Extra cycles of a loop step. The quick code generator keeps values in memory between basic
// blocks, so each loop step takes longer. A step that carries a sum also takes the latency of a
// store and a reload. Straight-line code is as fast as that of the full code generator.
static constexpr double cyclesOfStep = 1;
static constexpr double cyclesOfSumStep = 3;
// Cycles to start and end the loop of a sum. There is one such loop for each register of results
// or, if lanes run along the reduced elements, for each result.
static constexpr double cyclesOfSumLoop = 20;
// Cycles of a loop step that distinguishes an updated slice from all other elements, and of a loop
// step that stores transposed sums.
static constexpr double cyclesOfUpdateStep = 8;
static constexpr double cyclesOfTransposedStep = 20;

// Cycles per small tile to call its routines, which pack, multiply and store in separate loops.
static constexpr double cyclesOfCalls = 40;

// Returns whether the target has the minimum processor level that routines are compiled for
// (codegen/cpu/routines).
static bool hasRoutines(const CpuTarget &target) {
  static const Result<CpuTarget> level = cpuTargetFromName("x86-64-v3");
  return level && llvm::includes(target.features, level->features);
}

// Whether a precompiled routine performs the multiplication.
static bool callsRoutine(const GemmProblem &problem, const GemmSchedule &schedule,
                         const CpuTarget &target) {
  if (info(schedule.unit).hasTiles() || !hasRoutines(target)) {
    return false;
  }
  switch (schedule.algorithm) {
  case plan::GemmAlgorithm::packed:
    return true;
  case plan::GemmAlgorithm::gemv: {
    std::optional<SmallVector<int64_t>> columns =
        stridesInMemory(problem, schedule.swapped ? GemmOperand::Lhs : GemmOperand::Rhs);
    return schedule.keepsRows() && columns && (*columns)[schedule.columnsAlongK ? 2 : 1] == 1;
  }
  case plan::GemmAlgorithm::direct:
  case plan::GemmAlgorithm::batch_interleaved:
    return false;
  }
  llvm_unreachable("every algorithm is handled above");
}

static double registersOf(Value value) {
  return std::ceil(static_cast<double>(elementsOf(value)) / lanes);
}

// Returns the extra cycles of a GEMM whose code is generated quickly. Precompiled routines pack
// operands that are in memory, and multiply. All other work is done by the kernel's own code, which
// is generated quickly.
static double cyclesOfProductIfQuick(Operation *hero, const GemmSchedule &schedule,
                                     const CpuTarget &target, double cyclesOfCall) {
  GemmProblem problem = scheduledProblem(hero, schedule);
  if (!callsRoutine(problem, schedule, target)) {
    return cyclesOfCall;
  }
  GemmTiles tiles(schedule, problem);
  double cycles = isTooLittleForCalls(schedule, tiles, problem.size(GemmProblem::K))
                      ? static_cast<double>(tiles.tiles.nominal) * cyclesOfCalls
                      : 0;
  for (GemmOperand operand : {GemmOperand::Lhs, GemmOperand::Rhs}) {
    if (!stridesInMemory(problem, operand)) {
      cycles += registersOf(problem.value(operand)) * cyclesOfSumStep;
    }
  }
  if (contiguousResults(problem, schedule.swapped ? 1 : 2) == 0) {
    cycles += registersOf(problem.result) * cyclesOfTransposedStep;
  }
  return cycles;
}

// Returns the extra cycles of a call if its loops are generated quickly. If no precompiled routine
// computes the hero, the call takes twice the time, so the extra cycles equal `cyclesOfCall`.
static double cyclesIfQuick(plan::KernelOp kernel, const CpuTarget &target, double cyclesOfCall) {
  Block &body = kernel.getBody().front();
  double cycles = 0;
  for (Operation &op : body.without_terminator()) {
    if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
      Value operand = reduce.getInputs().front(), result = reduce.getResult(0);
      double loops =
          reducesInnermost(reduce) ? static_cast<double>(elementsOf(result)) : registersOf(result);
      cycles += registersOf(operand) * cyclesOfSumStep + loops * cyclesOfSumLoop;
    } else if (isa<stablehlo::ReduceWindowOp>(op)) {
      bool isScan = prefixScan(&op).has_value(); // the scan is followed, or its windows are short
      cycles += static_cast<double>(windowTerms(&op, isScan)) / lanes * cyclesOfSumStep;
    } else if (isa<stablehlo::DynamicUpdateSliceOp>(op)) {
      cycles += registersOf(op.getResult(0)) * cyclesOfUpdateStep;
    } else if (classify(&op) == OperationClass::Hero) {
      std::optional<GemmSchedule> schedule = gemmScheduleOf(kernel);
      cycles +=
          schedule ? cyclesOfProductIfQuick(&op, *schedule, target, cyclesOfCall) : cyclesOfCall;
    }
  }
  for (Value value : body.getTerminator()->getOperands()) {
    cycles += registersOf(value) * cyclesOfStep;
  }
  return cycles;
}

//===- the program ----------------------------------------------------------------===//

// Returns the time of memory accesses. If the bytes of a call fit in L2, they are assumed to come
// from L2.
static double secondsOfMemory(const LaunchCost &launch, const CpuTarget &target) {
  auto bytes = static_cast<double>(launch.cost.bytes());
  return launch.cost.bytes() > target.l2Bytes
             ? launch.estimate->memorySeconds
             : bytes / (cachedBytesPerCycle * target.gigahertz * 1e9);
}

static bool isInUnknownLoop(Operation *op) {
  for (auto loop = op->getParentOfType<stablehlo::WhileOp>(); loop;
       loop = loop->getParentOfType<stablehlo::WhileOp>()) {
    if (!tripCount(loop)) {
      return true;
    }
  }
  return false;
}

llvm::SmallVector<KernelTime> kernelTimes(ModuleOp module, const CpuTarget &target,
                                          KernelCosts *kernelCosts) {
  MachineLimits limits = assumedLimits(target);
  double cycle = 1 / (target.gigahertz * 1e9);
  llvm::MapVector<llvm::StringRef, KernelTime> times;
  for (auto kernel : module.getOps<plan::KernelOp>()) {
    times[kernel.getSymName()].kernel = kernel;
  }
  PlanCost costs = planCost(module, kernelCosts);
  estimateTimes(module, limits, costs);
  for (const LaunchCost &launch : costs.launches) {
    auto *found = times.find(launch.kernel);
    if (found == times.end()) {
      continue;
    }
    plan::KernelOp kernel = found->second.kernel;
    const Cost &cost = launch.cost;
    auto elements = static_cast<double>(cost.elementFlops + cost.recomputeFlops + cost.upcastFlops);
    double computeSeconds =
        launch.estimate->computeSeconds * macRate(gemmScheduleOf(kernel)) +
        (elements * elementRate + launch.functionOperations * functionRate) / limits.f32 +
        (cyclesOfSums(kernel) + cyclesOfSorts(kernel) + cyclesOfConcatenations(kernel)) * cycle;
    double memorySeconds = secondsOfMemory(launch, target);
    double seconds = std::max(computeSeconds, memorySeconds);
    double quickSeconds =
        computeSeconds + cyclesIfQuick(kernel, target, computeSeconds / cycle) * cycle;
    auto calls = static_cast<double>(launch.calls);
    found->second.seconds += (seconds + cyclesToLaunch * cycle) * calls;
    if (found->second.secondsOfCall == 0) {
      found->second.secondsOfCall = seconds;
    }
    // If all bytes fit in L1, loads do not stall.
    double before = cost.bytes() > target.l1Bytes ? seconds : computeSeconds;
    found->second.isOfUnknownLoop |= isInUnknownLoop(launch.op);
    found->second.secondsIfQuick += std::max(quickSeconds - before, 0.0) * calls;
  }
  auto sorted = llvm::to_vector(llvm::make_second_range(times));
  llvm::sort(sorted, [](KernelTime a, KernelTime b) {
    return a.seconds != b.seconds ? a.seconds < b.seconds
                                  : a.kernel.getSymName() < b.kernel.getSymName();
  });
  return sorted;
}

} // namespace drumlin
