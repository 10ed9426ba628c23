#include "drumlin/codegen/cpu/GemmCounts.h"

#include "drumlin/codegen/cpu/GemmAlternatives.h"
#include "drumlin/ir/plan/Work.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;

namespace drumlin::codegen {

static int64_t ceilDivide(int64_t x, int64_t by) { return (x + by - 1) / by; }
static int64_t roundUp(int64_t x, int64_t to) { return ceilDivide(x, to) * to; }

// Sizes of the parts that a dimension is cut into, and how many there are of each.
static SmallVector<std::pair<int64_t, int64_t>> sizesOf(int64_t total, int64_t size,
                                                        int64_t parts) {
  if (parts <= 1) {
    return {{total, 1}};
  }
  return {{size, parts - 1}, {total - (parts - 1) * size, 1}};
}

// What one part of rows × columns asks for; `rows` and `columns` name the operands.
struct PartCounts {
  int64_t rowReads = 0, columnReads = 0, multiplyAdds = 0;
};

static PartCounts countPacked(const GemmSchedule &schedule, const GemmProblem &problem,
                              int64_t width, int64_t rows, int64_t columns) {
  // Blocks of k end with a whole unit.
  int64_t terms = problem.unitTerms();
  int64_t perBlock = std::max<int64_t>(schedule.blockDepth * terms, 1);
  int64_t units =
      problem.k / perBlock * (perBlock / terms) + ceilDivide(problem.k % perBlock, terms);
  PartCounts counts;
  counts.rowReads = rows * (schedule.rowsAlongDepth ? problem.k : units * terms);
  counts.columnReads = columns * (schedule.columnsAlongDepth ? problem.k : units * terms);
  counts.multiplyAdds = roundUp(rows, schedule.kernelRows) *
                        roundUp(columns, schedule.kernelVectors * width) * units * terms;
  return counts;
}

static PartCounts countDirect(const GemmSchedule &schedule, const GemmProblem &problem,
                              int64_t width, int64_t rows, int64_t columns) {
  WindowRuns window = *problem.windowRuns();
  int64_t outputRows = rows / window.outputs;
  PartCounts counts;
  counts.rowReads = outputRows * window.outer * window.rowElements;
  counts.columnReads = columns * problem.k;
  counts.multiplyAdds = outputRows * roundUp(window.outputs, schedule.kernelRows) *
                        roundUp(columns, schedule.kernelVectors * width) * problem.k;
  return counts;
}

static PartCounts countStreamed(const GemmSchedule &schedule, const GemmProblem &problem,
                                int64_t columns) {
  // The part's last row stands for those that it lacks.
  int64_t rows = schedule.tileRows;
  PartCounts counts;
  if (!schedule.alongDepth) {
    counts.rowReads = rows * problem.k;
    counts.columnReads = columns * problem.k;
    counts.multiplyAdds = rows * roundUp(columns, schedule.vectorLanes) * problem.k;
    return counts;
  }
  int64_t steps = ceilDivide(columns, schedule.columnsAtOnce);
  counts.rowReads = rows * problem.k * (schedule.keepsRows() ? 1 : steps);
  counts.columnReads = steps * schedule.columnsAtOnce * problem.k;
  counts.multiplyAdds =
      rows * steps * schedule.columnsAtOnce * roundUp(problem.k, schedule.vectorLanes);
  return counts;
}

static HeroCounts count(const GemmSchedule &schedule, GemmProblem &problem, mlir::Operation *hero,
                        const CpuTarget &target) {
  PartCounts total;
  if (schedule.algorithm == GemmSchedule::Algorithm::Across) {
    int64_t products = schedule.rows * schedule.columns * problem.k;
    total.rowReads = total.columnReads = problem.batch * products;
    total.multiplyAdds = roundUp(problem.batch, lanes) * products;
  } else {
    int64_t width = registerLanes(
        target, static_cast<int64_t>(problem.sumLlvmType()->getPrimitiveSizeInBits() / 8));
    for (auto [rows, rowParts] : sizesOf(schedule.rows, schedule.tileRows, schedule.rowParts)) {
      for (auto [columns, columnParts] :
           sizesOf(schedule.columns, schedule.tileColumns, schedule.columnParts)) {
        bool isDirect = schedule.algorithm == GemmSchedule::Algorithm::Direct;
        PartCounts part = schedule.algorithm == GemmSchedule::Algorithm::Packed
                              ? countPacked(schedule, problem, width, rows, columns)
                          : isDirect ? countDirect(schedule, problem, width, rows, columns)
                                     : countStreamed(schedule, problem, columns);
        int64_t times = problem.batch * rowParts * columnParts;
        total.rowReads += part.rowReads * times;
        total.columnReads += part.columnReads * times;
        total.multiplyAdds += part.multiplyAdds * times;
      }
    }
  }
  HeroCounts counts;
  counts.multiplyAdds = total.multiplyAdds;
  counts.lhsReads = static_cast<double>(schedule.swapped ? total.columnReads : total.rowReads);
  counts.rhsReads = static_cast<double>(schedule.swapped ? total.rowReads : total.columnReads);
  if (schedule.algorithm == GemmSchedule::Algorithm::Packed) {
    // Rows are packed along k, columns across it; what lies the other way round is transposed.
    auto bytes = [&](bool isRows) {
      mlir::Value operand = hero->getOperand(isRows == schedule.swapped ? 1 : 0);
      return static_cast<int64_t>(
          storageBytes(elementTypeOf(mlir::getElementTypeOrSelf(operand.getType()))));
    };
    counts.transposedBytes = (schedule.rowsAlongDepth ? 0 : total.rowReads * bytes(true)) +
                             (schedule.columnsAlongDepth ? total.columnReads * bytes(false) : 0);
  }
  return counts;
}

// body(hero, problem, schedule) as the kernel would be cut; not called for kernels that have no
// native code.
static void
withSchedule(plan::KernelOp kernel, const CpuTarget &target,
             function_ref<void(mlir::Operation *, GemmProblem &, const GemmSchedule &)> body) {
  if (kernel.getKind() != plan::KernelKind::gemm) {
    return;
  }
  mlir::Operation *hero = contractionOf(kernel.getBody().front());
  LLVMContext context;
  Module module("counts", context);
  (void)withKernelFrame(kernel, "counts", module, target, [&](KernelFrame &frame) {
    GemmProblem problem(frame, hero);
    GemmEpilogue epilogue(frame, problem);
    if (!frame.emitter.error()) {
      Result<GemmSchedule> schedule = chosenSchedule(frame, problem, epilogue);
      if (schedule && !frame.emitter.error()) {
        body(hero, problem, *schedule);
      }
    }
  });
}

std::optional<HeroCounts> gemmCounts(plan::KernelOp kernel, const CpuTarget &target) {
  std::optional<HeroCounts> counts;
  withSchedule(kernel, target,
               [&](mlir::Operation *hero, GemmProblem &problem, const GemmSchedule &schedule) {
                 counts = count(schedule, problem, hero, target);
               });
  return counts;
}

ProductUnit productUnitOf(plan::KernelOp kernel, const CpuTarget &target) {
  ProductUnit unit = ProductUnit::Single;
  if (!target.hasBf16Dot && !target.hasInt8Dot) {
    return unit;
  }
  withSchedule(kernel, target, [&](mlir::Operation *, GemmProblem &problem, const GemmSchedule &) {
    unit = problem.form() == ProductForm::Bf16Pairs    ? ProductUnit::Bf16Pairs
           : problem.form() == ProductForm::Int16Pairs ? ProductUnit::Int16Pairs
                                                       : ProductUnit::Single;
  });
  return unit;
}

mlir::Operation *bf16DotHero(plan::KernelOp kernel, const CpuTarget &target) {
  return target.hasBf16Dot && productUnitOf(kernel, target) == ProductUnit::Bf16Pairs
             ? contractionOf(kernel.getBody().front())
             : nullptr;
}

} // namespace drumlin::codegen
