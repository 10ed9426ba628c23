#include "drumlin/codegen/cpu/GemmSchedule.h"

#include "drumlin/ir/plan/Origin.h"

using namespace llvm;

namespace drumlin::codegen {

// Below this many products the whole problem is one tile with the least code.
static constexpr int64_t tinyProducts = 16 * 1024;
// A part of fewer products isn't worth a tile of its own: parts are gathered until a tile has as
// many.
static constexpr int64_t tileProducts = 256 * 1024;
// With this few rows each column element is used too seldom to pay for packing it; with the second
// number where columns are many.
static constexpr int64_t streamedRows = 4, mostStreamedRows = 8, manyColumns = 256;
// An operand of more bytes than this comes from beyond the second cache.
static constexpr int64_t farBytes = 1024 * 1024;
static constexpr int64_t lineBytes = 64;

int64_t registerLanes(const CpuTarget &target, int64_t elementBytes) {
  bool hasAvx2 = is_contained(target.features, "avx2");
  return (target.hasAvx512 ? 64 : hasAvx2 ? 32 : 16) / elementBytes;
}

static int64_t ceilDivide(int64_t x, int64_t by) { return (x + by - 1) / by; }
static int64_t roundUp(int64_t x, int64_t to) { return ceilDivide(x, to) * to; }

// Cuts `total` into even parts of whole registers, none larger than `largest`.
static void cut(int64_t total, int64_t largest, int64_t &size, int64_t &parts) {
  parts = std::max<int64_t>(ceilDivide(total, largest), 1);
  size = parts == 1 ? total : roundUp(ceilDivide(total, parts), lanes);
  parts = std::max<int64_t>(ceilDivide(total, std::max<int64_t>(size, 1)), 1);
}

void countParts(GemmSchedule &schedule, GemmProblem &problem) {
  schedule.parts = problem.batch * schedule.rowParts * schedule.columnParts;
  if (schedule.rows * schedule.columns == 0) {
    schedule.parts = 0;
  }
  int64_t products = schedule.tileRows * schedule.tileColumns * std::max<int64_t>(problem.k, 1);
  int64_t perTile = ceilDivide(tileProducts, std::max<int64_t>(products, 1));
  schedule.partsPerTile = std::max<int64_t>(std::min(perTile, schedule.parts), 1);
}

void cutIntoParts(GemmSchedule &schedule, GemmProblem &problem, int64_t largestRows,
                  int64_t largestColumns) {
  cut(schedule.rows, largestRows, schedule.tileRows, schedule.rowParts);
  cut(schedule.columns, largestColumns, schedule.tileColumns, schedule.columnParts);
  countParts(schedule, problem);
}

bool isTiny(const GemmProblem &problem) {
  return problem.batch * problem.m * problem.n * problem.k <= tinyProducts;
}

void scheduleStreamed(GemmSchedule &schedule, GemmProblem &problem, const CpuTarget &target,
                      bool tiny) {
  schedule.algorithm = GemmSchedule::Algorithm::Streamed;
  schedule.tileRows =
      std::min(schedule.rows, schedule.columns >= manyColumns ? mostStreamedRows : streamedRows);
  schedule.rowParts = ceilDivide(schedule.rows, std::max<int64_t>(schedule.tileRows, 1));
  GemmOperand columns = schedule.swapped ? GemmOperand::Lhs : GemmOperand::Rhs;
  int64_t alongDepth = problem.laneCost(columns, GemmAxis::Depth),
          alongFree = problem.laneCost(columns, GemmAxis::Free);
  // Few columns leave lanes unused.
  schedule.alongDepth =
      alongDepth < alongFree || (alongDepth == alongFree && schedule.columns < lanes);
  // Narrow elements are read by whole cache lines, where their sums leave registers free; where the
  // problem is small, the least code is better.
  int64_t bytes =
      problem.loadedBytes(columns, schedule.alongDepth ? GemmAxis::Depth : GemmAxis::Free);
  int64_t mostRows = schedule.alongDepth ? 2 : 4;
  if (bytes != 0 && schedule.tileRows <= mostRows &&
      problem.k * schedule.columns * bytes > target.l1Bytes) {
    schedule.vectorLanes = std::clamp<int64_t>(lineBytes / bytes, lanes, 2 * lanes);
  }
  // Where columns follow one another, a part takes runs of a KB or two of each; where k does, each
  // column is a run.
  int64_t least = ceilDivide(tileProducts / 4, std::max<int64_t>(problem.k * schedule.tileRows, 1));
  int64_t largest = tiny
                        ? schedule.columns
                        : std::max<int64_t>(schedule.alongDepth ? 256 : 512, roundUp(least, lanes));
  schedule.prefetchColumns = problem.k * schedule.columns * 2 > farBytes;
  cut(schedule.columns, std::max<int64_t>(largest, 1), schedule.tileColumns, schedule.columnParts);
  auto sumBytes = static_cast<int64_t>(problem.sumLlvmType()->getPrimitiveSizeInBits() / 8);
  int64_t perSum = schedule.vectorLanes / registerLanes(target, sumBytes);
  int64_t sumsAtOnce = ((target.hasAvx512 ? 32 : 16) - 6) / perSum;
  schedule.columnsAtOnce = std::clamp<int64_t>(sumsAtOnce / std::max<int64_t>(schedule.tileRows, 1),
                                               1, std::clamp<int64_t>(schedule.tileColumns, 1, 8));
  countParts(schedule, problem);
  if (tiny) {
    schedule.partsPerTile = std::max<int64_t>(schedule.parts, 1);
  }
}

// Lanes of a register of sums.
static int64_t sumLanes(GemmProblem &problem, const CpuTarget &target) {
  return registerLanes(target,
                       static_cast<int64_t>(problem.sumLlvmType()->getPrimitiveSizeInBits() / 8));
}

// The micro-kernel that computes the fewest of `rows` and of the part's columns beyond what is
// there, with no more rows than `most`: a register of columns and its broadcast stay free beside
// the sums. Each call costs about as much as a row.
static void chooseMicroKernel(GemmSchedule &schedule, const CpuTarget &target, int64_t width,
                              int64_t rows, int64_t most) {
  int64_t registers = target.hasAvx512 ? 32 : 16;
  int64_t best = 0;
  for (int64_t vectors = 1; vectors <= 3; ++vectors) {
    int64_t mostRows = std::min<int64_t>({(registers - vectors - 1) / vectors, 14, most});
    for (int64_t kernelRows = 1; kernelRows <= mostRows; ++kernelRows) {
      int64_t across = ceilDivide(schedule.tileColumns, vectors * width);
      // Fewer than eight sums wait for one another; few rows or registers are bound by loads.
      int64_t steps = std::max<int64_t>({kernelRows * vectors, 8, kernelRows + vectors + 1});
      int64_t cost = ceilDivide(rows, kernelRows) * across * (steps * 8 + 8);
      if (best == 0 || cost <= best) {
        best = cost;
        schedule.kernelRows = kernelRows;
        schedule.kernelVectors = vectors;
      }
    }
  }
}

void chooseMicroKernel(GemmSchedule &schedule, GemmProblem &problem, const CpuTarget &target) {
  chooseMicroKernel(schedule, target, sumLanes(problem, target), schedule.tileRows,
                    std::numeric_limits<int64_t>::max());
}

void chooseBlockDepth(GemmSchedule &schedule, GemmProblem &problem, const CpuTarget &target,
                      int64_t stripBytes) {
  int64_t width = sumLanes(problem, target);
  auto unitBytes = static_cast<int64_t>(problem.sumLlvmType()->getPrimitiveSizeInBits() / 8);
  int64_t depth = stripBytes / (schedule.kernelVectors * width * unitBytes);
  int64_t units = ceilDivide(problem.k, problem.unitTerms());
  int64_t blocks = ceilDivide(units, std::max<int64_t>(depth / lanes * lanes, lanes));
  schedule.blockDepth =
      std::max<int64_t>(roundUp(ceilDivide(units, std::max<int64_t>(blocks, 1)), lanes), lanes);
}

// A convolution whose windows are runs of its input, of an extent along the last dimension that
// fills a micro-kernel, and with a kernel that stays near.
static bool scheduleDirect(GemmSchedule &schedule, GemmProblem &problem, const CpuTarget &target) {
  std::optional<WindowRuns> window = problem.windowRuns();
  constexpr int64_t fewestOutputs = 8, nearBytes = 256 * 1024;
  int64_t sumBytes = problem.sumType == ElementType::F64 ? 8 : 4;
  if (!window || problem.form() != ProductForm::Single || window->outputs < fewestOutputs ||
      window->step >= problem.k) {
    return false;
  }
  int64_t mostColumns = nearBytes / (problem.k * sumBytes) / lanes * lanes;
  if (mostColumns < std::min<int64_t>(schedule.columns, 2 * lanes)) {
    return false;
  }
  cut(schedule.columns, mostColumns, schedule.tileColumns, schedule.columnParts);
  // Rows of outputs until a part has some hundred of them, and its input stays near too.
  int64_t outputRows = schedule.rows / window->outputs;
  int64_t rowBytes = window->outer * (window->rowElements + 2 * lanes) * sumBytes;
  if (rowBytes > nearBytes) {
    return false;
  }
  int64_t most = std::max<int64_t>(std::min(256 / window->outputs, nearBytes / rowBytes), 1);
  most = std::min(most, ceilDivide(outputRows, 8));
  schedule.algorithm = GemmSchedule::Algorithm::Direct;
  schedule.tileRows = most * window->outputs;
  schedule.rowParts = ceilDivide(outputRows, most);
  int64_t width = registerLanes(target, sumBytes);
  chooseMicroKernel(schedule, target, width, window->outputs, window->outputs);
  countParts(schedule, problem);
  return true;
}

void schedulePacked(GemmSchedule &schedule, GemmProblem &problem, const CpuTarget &target) {
  schedule.algorithm = GemmSchedule::Algorithm::Packed;
  GemmOperand rows = schedule.swapped ? GemmOperand::Rhs : GemmOperand::Lhs;
  GemmOperand columns = schedule.swapped ? GemmOperand::Lhs : GemmOperand::Rhs;
  schedule.rowsAlongDepth =
      problem.laneCost(rows, GemmAxis::Depth) <= problem.laneCost(rows, GemmAxis::Free);
  schedule.columnsAlongDepth =
      problem.laneCost(columns, GemmAxis::Depth) < problem.laneCost(columns, GemmAxis::Free);

  schedule.prefetchRows = problem.k * schedule.rows * 2 > farBytes;
  schedule.prefetchColumns = problem.k * schedule.columns * 2 > farBytes;
  schedule.columnsFirst =
      !schedule.columnsAlongDepth && problem.laneCost(columns, GemmAxis::Free) > 8;

  // Parts of up to 256 × 512, cut smaller while there are fewer than would share evenly among some
  // threads.
  int64_t largestRows = 256, largestColumns = 512;
  cutIntoParts(schedule, problem, largestRows, largestColumns);
  while (schedule.parts < 8 && largestColumns > 64 &&
         schedule.tileRows * schedule.tileColumns * problem.k > 2 * tileProducts) {
    (schedule.tileRows > schedule.tileColumns ? largestRows : largestColumns) /= 2;
    cutIntoParts(schedule, problem, largestRows, largestColumns);
  }
  chooseMicroKernel(schedule, problem, target);
  // One strip of packed columns fills the first cache.
  chooseBlockDepth(schedule, problem, target, target.l1Bytes);
}

// Many small products, all of whose operands lie side by side along the batch: a depthwise
// convolution, say.
static bool lieAcross(GemmProblem &problem, GemmEpilogue &epilogue) {
  if (problem.batch < lanes || std::min(problem.m, problem.n) > streamedRows) {
    return false;
  }
  auto cost = [&](GemmAxis axis) {
    return problem.laneCost(GemmOperand::Lhs, axis) + problem.laneCost(GemmOperand::Rhs, axis);
  };
  return epilogue.contiguousRoots(0) > 0 &&
         cost(GemmAxis::Batch) <= std::min(cost(GemmAxis::Free), cost(GemmAxis::Depth));
}

static void scheduleAcross(GemmSchedule &schedule, GemmProblem &problem) {
  schedule.algorithm = GemmSchedule::Algorithm::Across;
  int64_t products = problem.batch * problem.k * schedule.columns;
  int64_t largest = std::max(ceilDivide(tileProducts, std::max<int64_t>(products, 1)),
                             ceilDivide(schedule.rows, 256));
  schedule.tileRows = std::min(largest, schedule.rows);
  schedule.rowParts = ceilDivide(schedule.rows, schedule.tileRows);
  schedule.tileColumns = schedule.columns;
  schedule.columnParts = 1;
  schedule.parts = schedule.rowParts;
}

// The schedule of the algorithm that the user named for the kernel; nothing where the algorithm
// doesn't compute such products.
static std::optional<GemmSchedule> scheduleForced(llvm::StringRef name, KernelFrame &frame,
                                                  GemmProblem &problem, GemmEpilogue &epilogue) {
  GemmSchedule schedule;
  if (problem.k == 0 || std::min(problem.m, problem.n) == 0) {
    return std::nullopt;
  }
  bool streamed = name == "streamed";
  if (streamed) {
    problem.takeSingleProducts();
  }
  schedule.swapped =
      streamed ? problem.n <= mostStreamedRows && problem.m > problem.n
               : name == "packed" && epilogue.contiguousRoots(1) > epilogue.contiguousRoots(2);
  schedule.rows = schedule.swapped ? problem.n : problem.m;
  schedule.columns = schedule.swapped ? problem.m : problem.n;
  if (streamed) {
    scheduleStreamed(schedule, problem, frame.target, /*tiny=*/false);
  } else if (name == "packed") {
    schedulePacked(schedule, problem, frame.target);
  } else if (name == "across" && lieAcross(problem, epilogue)) {
    problem.takeSingleProducts();
    scheduleAcross(schedule, problem);
  } else if (name != "direct" || !scheduleDirect(schedule, problem, frame.target)) {
    return std::nullopt;
  }
  return schedule;
}

GemmSchedule scheduleGemm(KernelFrame &frame, GemmProblem &problem, GemmEpilogue &epilogue) {
  auto forced = frame.kernel->getAttrOfType<mlir::StringAttr>(plan::forcedKernelAttribute);
  if (forced) {
    if (auto schedule = scheduleForced(forced.getValue(), frame, problem, epilogue)) {
      return *schedule;
    }
    frame.emitter.fail(diagnose(DiagnosticCode::KernelChoiceUnfit,
                                "the kernel `" + forced.str() + "` doesn't compute this product",
                                plan::sourceOf(frame.kernel.getLoc())));
  }
  GemmSchedule schedule;
  bool tiny = isTiny(problem);
  int64_t fewest = std::min(problem.m, problem.n);
  int64_t largest = std::max(problem.m, problem.n);
  bool streamed = tiny || problem.k == 0 || fewest <= streamedRows ||
                  (fewest <= mostStreamedRows && largest >= manyColumns);
  if (streamed) {
    problem.takeSingleProducts();
  }
  if (fewest > 0 && lieAcross(problem, epilogue)) {
    schedule.rows = problem.m;
    schedule.columns = problem.n;
    scheduleAcross(schedule, problem);
    return schedule;
  }
  // Lanes run along columns: the hero's n, or its m where more of what is stored lies along it, or
  // where n is few.
  auto alongM = [&]() {
    return streamed ? problem.n <= mostStreamedRows && problem.m > problem.n
                    : epilogue.contiguousRoots(1) > epilogue.contiguousRoots(2);
  };
  bool padded = !tiny && problem.padInnermost();
  schedule.swapped = alongM();
  if (padded && (!schedule.swapped || epilogue.contiguousRoots(1) == 0)) {
    problem.unpadInnermost();
    schedule.swapped = alongM();
  }
  schedule.rows = schedule.swapped ? problem.n : problem.m;
  schedule.columns = schedule.swapped ? problem.m : problem.n;
  if (streamed) {
    scheduleStreamed(schedule, problem, frame.target, tiny);
  } else if (schedule.swapped || !scheduleDirect(schedule, problem, frame.target)) {
    schedulePacked(schedule, problem, frame.target);
  }
  return schedule;
}

} // namespace drumlin::codegen
