#include "drumlin/ir/costs/Roofline.h"

#include "drumlin/ir/costs/CostText.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/LibraryCallOp.h"
#include "drumlin/ir/plan/LibraryCalls.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/gemm/GemmSchedule.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/target/ComputeUnits.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"

namespace drumlin {

// Minimum share of all bytes at which transposes are reported.
static constexpr double notableShare = 0.1;

static bool hasDoubles(mlir::Operation *op) {
  auto isDouble = [](mlir::Type type) { return mlir::getElementTypeOrSelf(type).isF64(); };
  return llvm::any_of(op->getOperandTypes(), isDouble) ||
         llvm::any_of(op->getResultTypes(), isDouble);
}

static double peakOf(mlir::Operation *op, mlir::SymbolTable &symbols, const MachineLimits &limits) {
  if (hasDoubles(op)) {
    return limits.f32 / 2;
  }
  auto launch = mlir::dyn_cast<plan::LaunchOp>(op);
  auto kernel = launch ? symbols.lookup<plan::KernelOp>(launch.getKernel()) : plan::KernelOp();
  if (!kernel) {
    return limits.f32;
  }
  plan::KernelSchedule schedule = plan::scheduleOf(kernel);
  return limits.of(schedule ? schedule.unit() : ComputeUnit::fma);
}

static void estimate(LaunchCost &launch, double peak, double read, ProgramEstimate &whole,
                     double launchSeconds = 0) {
  TimeEstimate &estimate = launch.estimate.emplace(
      TimeEstimate{static_cast<double>(launch.cost.hardwareFlops()) / peak,
                   static_cast<double>(launch.cost.bytes()) / read, launchSeconds});
  auto calls = launch.isInTotal ? static_cast<double>(launch.calls) : 0.0;
  double work = estimate.workSeconds() * calls;
  whole.seconds += estimate.seconds() * calls;
  whole.launchSeconds += estimate.launchSeconds * calls;
  whole.memoryBoundSeconds += estimate.computeSeconds > estimate.memorySeconds ? 0 : work;
}

ProgramEstimate estimateTimes(mlir::ModuleOp module, const MachineLimits &limits, PlanCost &costs) {
  ProgramEstimate whole;
  mlir::SymbolTable symbols(module);
  llvm::StringMap<double> peaks; // peaks by kernel
  for (LaunchCost &launch : costs.launches) {
    double peak = 0;
    if (mlir::isa<plan::LaunchOp>(launch.op)) {
      auto [entry, isNew] = peaks.try_emplace(launch.kernel, 0);
      if (isNew) {
        entry->second = peakOf(launch.op, symbols, limits);
      }
      peak = entry->second;
    } else {
      peak = peakOf(launch.op, symbols, limits);
    }
    estimate(launch, peak, limits.read, whole);
  }
  return whole;
}

// Returns the peak rate for a launch. For a library call, the rate depends on the types of the
// matrices. For a kernel of our own with a dot, it depends on the dot's operand types. For all
// other launches, it is the peak of f32.
static double peakOf(mlir::Operation *op, const GpuTarget &target) {
  if (auto call = mlir::dyn_cast<plan::LibraryCallOp>(op)) {
    if (std::optional<LibraryCall> made = plan::libraryCallOf(call, target)) {
      ElementType wider =
          info(made->a.type).bits < info(made->b.type).bits ? made->b.type : made->a.type;
      return target.operationsPerSecond(wider, llvm::StringRef(made->computeType).contains("TF32"));
    }
  }
  mlir::Operation *product =
      op->getNumRegions() == 1 && plan::kernelKindOf(op) == plan::KernelKind::gemm
          ? contractionOf(op->getRegion(0).front())
          : nullptr;
  return target.operationsPerSecond(product ? elementTypeOf(product->getOperand(0).getType())
                                            : ElementType::F32);
}

ProgramEstimate estimateTimes(const GpuTarget &target, PlanCost &costs) {
  ProgramEstimate whole;
  for (LaunchCost &launch : costs.launches) {
    estimate(launch, peakOf(launch.op, target), target.bytesPerSecond, whole, target.rates.launch);
  }
  return whole;
}

TimeEstimate estimateTime(const GpuTarget &target, mlir::Operation *kernel) {
  KernelCost counts = kernelCost(kernel);
  double bytes = 0;
  for (int64_t each : llvm::concat<int64_t>(counts.bytesRead, counts.bytesWritten)) {
    bytes += static_cast<double>(each);
  }
  return {static_cast<double>(counts.cost.hardwareFlops()) / peakOf(kernel, target),
          bytes / target.bytesPerSecond, target.rates.launch};
}

// Returns advice on how to avoid the transposes of the launch.
static const char *remedyOf(const LaunchCost &launch) {
  if (launch.kind == "gemm") {
    return "pass the operand in the order in which the GEMM reads it, or let its producer "
           "write that order";
  }
  return "let the producer of the value write it in the order of its reader, or leave the "
         "`transpose` "
         "to a GEMM, which reads either order";
}

std::string transposeText(const PlanCost &costs) {
  double share = costs.total.bytes() > 0 ? static_cast<double>(costs.total.transposedBytes) /
                                               static_cast<double>(costs.total.bytes())
                                         : 0;
  std::string text;
  if (share <= notableShare) {
    return text;
  }
  llvm::raw_string_ostream stream(text);
  stream << llvm::format("transposes move %.1f %% of the bytes\n", 100 * share);
  std::vector<const LaunchCost *> moving;
  for (const LaunchCost &launch : costs.launches) {
    if (launch.cost.transposedBytes > 0) {
      moving.push_back(&launch);
    }
  }
  // Ties are broken by program order.
  llvm::sort(moving, [](const LaunchCost *a, const LaunchCost *b) {
    int64_t left = a->total().transposedBytes, right = b->total().transposedBytes;
    return left != right ? left > right : a < b;
  });
  for (const LaunchCost *launch : moving) {
    stream << "  " << launch->source << (launch->source.empty() ? "" : ": ") << launch->kernel
           << ": " << bytesText(launch->total().transposedBytes)
           << " are transposed; to avoid this: " << remedyOf(*launch) << "\n";
  }
  return text;
}

} // namespace drumlin
