#include "drumlin/transforms/gemm/GemmCandidates.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/plan/ScheduleAttributes.h"
#include "drumlin/ir/plan/gemm/SmallSchedule.h"
#include "drumlin/support/diagnostics/RequirementErrors.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/gemm/GemmChoice.h"

using namespace mlir;

namespace drumlin {

using plan::GemmAlgorithm;

// Tile sizes (rows, columns): powers of two around those of the cost model.
static constexpr std::pair<int64_t, int64_t> tileSizes[] = {
    {64, 256}, {64, 1024}, {128, 128}, {128, 512}, {256, 256}, {256, 1024}, {512, 256}, {512, 512}};
// Micro-kernels as (rows, registers of columns), for 32 registers and then for 16. They use as many
// accumulators as the registers allow; some load few rows, and some few columns.
static constexpr std::pair<int64_t, int64_t> largeKernels[] = {{14, 2}, {12, 2}, {8, 2}, {9, 3},
                                                               {8, 3},  {6, 3},  {6, 4}};
static constexpr std::pair<int64_t, int64_t> smallKernels[] = {{12, 1}, {6, 2}, {4, 2}, {3, 3}};
// Micro-kernel shapes for compute units with tiles.
static constexpr std::pair<int64_t, int64_t> tileKernels[] = {{32, 2}, {16, 3}, {48, 1}, {16, 2}};
// Bytes of a panel of packed columns: half of L1, twice L1, and a share of L2.
static constexpr std::pair<const char *, int64_t> panelSizes[] = {
    {"panel-16k", 16 * 1024}, {"panel-64k", 64 * 1024}, {"panel-128k", 128 * 1024}};
// For gemv: rows per tile, columns per tile, and columns that are accumulated side by side.
static constexpr int64_t gemvRowCounts[] = {1, 2, 4, 8};
static constexpr int64_t gemvColumnCounts[] = {256, 512, 1024, 2048};
static constexpr int64_t columnsSideBySide[] = {1, 2, 4, 8};
// Minimum work items of a candidate, unless the cost model's choice has fewer.
static constexpr int64_t sharedTasks = 8;

namespace {
class Candidates {
public:
  Candidates(Operation *kernel, const CpuTarget &target, GemmChoice &choice, GemmSchedule first)
      : kernel(kernel), target(target), choice(choice), first(first), order(first, choice.shape()) {
    choice.lookAs(first);
    firstTasks = choice.tilesOf(first).tasks.nominal;
    made.push_back({costModelSchedule, first});
  }
  std::vector<NamedSchedule> list();

private:
  void add(std::string name, GemmSchedule schedule);
  void chooseBlock(GemmSchedule &schedule);
  void addPacked();
  void addGemv();

  Operation *kernel;
  const CpuTarget &target;
  GemmChoice &choice;
  GemmSchedule first;
  SumOrder order;
  int64_t firstTasks = 0;
  std::vector<NamedSchedule> made;
};
} // namespace

void Candidates::add(std::string name, GemmSchedule schedule) {
  choice.divideTiles(schedule);
  bool isKnown =
      llvm::any_of(made, [&](const NamedSchedule &other) { return other.schedule == schedule; });
  choice.lookAs(schedule);
  bool sharesWork = choice.tilesOf(schedule).tasks.nominal >= std::min(firstTasks, sharedTasks);
  if (!isKnown && sharesWork && SumOrder(schedule, choice.shape()) == order) {
    made.push_back({std::move(name), schedule});
  }
}

// Keeps the first candidate's k block size if another size would change the order of additions.
void Candidates::chooseBlock(GemmSchedule &schedule) {
  choice.chooseBlock(schedule, target.l1Bytes);
  if (SumOrder(schedule, choice.shape()) != order) {
    schedule.tileDepth = first.tileDepth;
  }
}

void Candidates::addPacked() {
  for (auto [rows, columns] : tileSizes) {
    GemmSchedule schedule = first;
    choice.cutIntoTiles(schedule, rows, columns);
    choice.chooseMicroKernel(schedule);
    chooseBlock(schedule);
    add("tiles-" + std::to_string(rows) + "x" + std::to_string(columns), schedule);
  }
  int64_t width = target.registerLanes(choice.shape().sumBytes());
  ArrayRef<std::pair<int64_t, int64_t>> kernels =
      info(first.unit).hasTiles()      ? ArrayRef(tileKernels)
      : target.vectorRegisters() == 32 ? ArrayRef(largeKernels)
                                       : ArrayRef(smallKernels);
  for (auto [rows, vectors] : kernels) {
    GemmSchedule schedule = first;
    schedule.kernelRows = rows;
    schedule.kernelColumns = vectors * width;
    if (rows % info(first.unit).rows != 0) {
      continue;
    }
    chooseBlock(schedule);
    add("kernel-" + std::to_string(rows) + "x" + std::to_string(vectors), schedule);
  }
  for (auto [name, bytes] : panelSizes) {
    GemmSchedule schedule = first;
    choice.chooseBlock(schedule, bytes);
    add(name, schedule);
  }
  if (first.prefetchRows != 0 || first.prefetchColumns != 0) {
    GemmSchedule schedule = first;
    schedule.prefetchRows = schedule.prefetchColumns = 0;
    add("no-prefetch", schedule);
  }
}

void Candidates::addGemv() {
  GemmTiles whole = choice.tilesOf(first);
  for (int64_t rows : gemvRowCounts) {
    GemmSchedule schedule = first;
    if (rows <= whole.rows.nominal) {
      schedule.tileRows = rows;
      choice.groupTiles(schedule);
      add("rows-" + std::to_string(rows), schedule);
    }
  }
  for (int64_t columns : gemvColumnCounts) {
    GemmSchedule schedule = first;
    choice.cutIntoTiles(schedule, first.tileRows, columns);
    schedule.tileRows = first.tileRows;
    choice.groupTiles(schedule);
    add("columns-" + std::to_string(columns), schedule);
  }
  for (int64_t columns : columnsSideBySide) {
    GemmSchedule schedule = first;
    if (first.columnsAlongK && columns <= schedule.tileColumns) {
      schedule.sideBySide = columns;
      add("side-by-side-" + std::to_string(columns), schedule);
    }
  }
  if (first.prefetchColumns != 0) {
    GemmSchedule schedule = first;
    schedule.prefetchColumns = 0;
    add("no-prefetch", schedule);
  }
}

std::vector<NamedSchedule> Candidates::list() {
  // For so few MACs, the code around the micro-kernel takes longer than the micro-kernel.
  if (choice.isTiny() || firstTasks == 0) {
    return std::move(made);
  }
  if (first.algorithm == GemmAlgorithm::packed) {
    addPacked();
  } else if (first.algorithm == GemmAlgorithm::gemv) {
    addGemv();
  }
  if (!kernel->hasAttr(plan::forcedKernelAttribute)) {
    for (const GemmAlternative &other : choice.alternatives()) {
      add(other.name(), other.schedule);
    }
  }
  return std::move(made);
}

static Result<GemmAlternative> chooseWith(GemmChoice &choice, Operation *kernel) {
  auto forced = kernel->getAttrOfType<StringAttr>(plan::forcedKernelAttribute);
  if (!forced) {
    return choice.alternatives().front();
  }
  if (std::optional<GemmAlternative> named = choice.chooseForced(forced.getValue())) {
    return *named;
  }
  return diagnose(errors::KernelChoiceUnfit,
                  "the kernel `" + forced.str() + "` can't compute this GEMM",
                  plan::sourceOf(kernel->getLoc()));
}

Result<ScheduleChoice> chooseGemmSchedule(Operation *kernel, const CpuTarget &target,
                                          Numerics numerics) {
  GemmChoice choice(kernel, target, numerics);
  Result<GemmAlternative> taken = chooseWith(choice, kernel);
  if (!taken) {
    return taken.error();
  }
  ScheduleChoice made;
  // Keeps the schedule from the program's text if it fits the problem. If it doesn't, code
  // generation rejects it.
  std::optional<GemmSchedule> given = gemmScheduleOf(kernel);
  if (given && !(*given == taken->schedule) &&
      findScheduleFault(*given, scheduledProblem(choice.shape().hero, *given)).empty()) {
    made.isEdited = true;
    choice.lookAs(*given);
    *taken = {*given, choice.costOf(*given)};
  }
  made.schedule = taken->schedule;
  made.prediction.nanoseconds = taken->cost.total();
  made.prediction.boundBy = taken->cost.boundBy();
  std::vector<GemmAlternative> all = choice.alternatives();
  made.changesSums =
      SumOrder(made.schedule, choice.shape()) != SumOrder(all.front().schedule, choice.shape());
  auto next = llvm::find_if(
      all, [&](const GemmAlternative &other) { return !(other.schedule == made.schedule); });
  if (next != all.end()) {
    made.prediction.runnerUp = next->name();
    made.prediction.runnerUpNanoseconds = next->cost.total();
    bool isCheapest = made.schedule == all.front().schedule;
    made.prediction.turningPoint = isCheapest ? choice.turningPoint(*next) : "";
  }
  return made;
}

void recordSchedule(Operation *kernel, const ScheduleChoice &choice, Ledger &ledger) {
  Operation *hero = contractionOf(kernel->getRegion(0).front());
  Decision decision = Decision::taken();
  decision.remedy = choice.schedule.str();
  if (std::optional<SmallSchedule> small = smallScheduleOf(kernel)) {
    decision.remedy += "; up to " + small->size.str() + " = " + std::to_string(small->most) + ": " +
                       small->schedule.getSchedule().str();
  }
  decision.prediction = choice.prediction;
  ledger.record(Rule::SelectSchedule, hero, decision);
  if (!info(choice.schedule.unit).isExact) {
    ledger.record(Rule::GemmBf16Dot, hero, Decision::taken());
  }
  if (choice.changesSums) {
    ledger.record(Rule::ForcedSumOrder, hero, Decision::taken());
  }
}

Result<std::vector<NamedSchedule>> gemmCandidates(Operation *kernel, const CpuTarget &target,
                                                  Numerics numerics) {
  GemmChoice choice(kernel, target, numerics);
  Result<GemmAlternative> first = chooseWith(choice, kernel);
  if (!first) {
    return first.error();
  }
  return Candidates(kernel, target, choice, first->schedule).list();
}

} // namespace drumlin
