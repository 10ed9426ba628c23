#include "drumlin/codegen/cpu/GemmAlternatives.h"

#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/Work.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "llvm/IR/LLVMContext.h"

#include <tuple>

using namespace llvm;

namespace drumlin::codegen {

// Sizes of parts: powers of two around the cost model's own, rows before columns.
static constexpr std::pair<int64_t, int64_t> partSizes[] = {
    {64, 256}, {64, 1024}, {128, 128}, {128, 512}, {256, 256}, {256, 1024}, {512, 256}, {512, 512}};
// Rows and registers of columns of micro-kernels: as many sums as registers allow, in shapes that
// load few rows or few columns; with 32 registers, then with 16.
static constexpr std::pair<int64_t, int64_t> largeKernels[] = {{14, 2}, {12, 2}, {8, 2}, {9, 3},
                                                               {8, 3},  {6, 3},  {6, 4}};
static constexpr std::pair<int64_t, int64_t> smallKernels[] = {{12, 1}, {6, 2}, {4, 2}, {4, 3}};
// Bytes of a strip of packed columns: half the first cache, twice, and a share of the second one.
static constexpr std::pair<const char *, int64_t> stripSizes[] = {
    {"strip-16k", 16 * 1024}, {"strip-64k", 64 * 1024}, {"strip-128k", 128 * 1024}};
// Streamed: rows of a part, columns of a part, columns that are summed side by side.
static constexpr int64_t streamedRowCounts[] = {1, 2, 4, 8};
static constexpr int64_t streamedColumnCounts[] = {256, 512, 1024, 2048};
static constexpr int64_t columnsSideBySide[] = {1, 2, 4, 8};
// More rows than these are never streamed.
static constexpr int64_t mostStreamedRows = 32;
// What every cut leaves for threads to share, where the cost model's does.
static constexpr int64_t sharedTiles = 8;

// All that decides what is emitted.
static auto fields(const GemmSchedule &s) {
  return std::make_tuple(s.swapped, s.rows, s.columns, s.tileRows, s.tileColumns, s.rowParts,
                         s.columnParts, s.parts, s.partsPerTile, s.algorithm, s.alongDepth,
                         s.vectorLanes, s.columnsAtOnce, s.blockDepth, s.kernelRows,
                         s.kernelVectors, s.prefetchRows, s.prefetchColumns, s.rowsAlongDepth,
                         s.columnsAlongDepth, s.columnsFirst);
}

namespace {
class Alternatives {
public:
  Alternatives(KernelFrame &frame, GemmProblem &problem, GemmEpilogue &epilogue)
      : frame(frame), problem(problem), first(scheduleGemm(frame, problem, epilogue)),
        fixedParts(epilogue.hasReductions()) {
    made.push_back({costModelSchedule, first});
  }
  std::vector<NamedSchedule> list();

private:
  void add(std::string name, const GemmSchedule &schedule);
  void addPacked(const std::string &prefix, const GemmSchedule &base);
  void addStreamed(const std::string &prefix, const GemmSchedule &base);

  KernelFrame &frame;
  GemmProblem &problem;
  GemmSchedule first;
  bool fixedParts;
  std::vector<NamedSchedule> made;
};
} // namespace

void Alternatives::add(std::string name, const GemmSchedule &schedule) {
  bool isKnown = any_of(
      made, [&](const NamedSchedule &other) { return fields(other.schedule) == fields(schedule); });
  auto cut = [](const GemmSchedule &s) {
    return std::make_tuple(s.tileRows, s.tileColumns, s.parts);
  };
  bool sharesWork = schedule.tiles() >= std::min(first.tiles(), sharedTiles);
  if (!isKnown && sharesWork && (!fixedParts || cut(schedule) == cut(first))) {
    made.push_back({std::move(name), schedule});
  }
}

void Alternatives::addPacked(const std::string &prefix, const GemmSchedule &base) {
  for (auto [rows, columns] : partSizes) {
    GemmSchedule schedule = base;
    cutIntoParts(schedule, problem, rows, columns);
    chooseMicroKernel(schedule, problem, frame.target);
    chooseBlockDepth(schedule, problem, frame.target, frame.target.l1Bytes);
    add(prefix + "parts-" + std::to_string(rows) + "x" + std::to_string(columns), schedule);
  }
  ArrayRef<std::pair<int64_t, int64_t>> kernels =
      frame.target.hasAvx512 ? ArrayRef(largeKernels) : ArrayRef(smallKernels);
  for (auto [rows, vectors] : kernels) {
    GemmSchedule schedule = base;
    schedule.kernelRows = rows;
    schedule.kernelVectors = vectors;
    chooseBlockDepth(schedule, problem, frame.target, frame.target.l1Bytes);
    add(prefix + "kernel-" + std::to_string(rows) + "x" + std::to_string(vectors), schedule);
  }
  for (auto [name, bytes] : stripSizes) {
    GemmSchedule schedule = base;
    chooseBlockDepth(schedule, problem, frame.target, bytes);
    add(prefix + name, schedule);
  }
  if (base.prefetchRows || base.prefetchColumns) {
    GemmSchedule schedule = base;
    schedule.prefetchRows = schedule.prefetchColumns = false;
    add(prefix + "no-prefetch", schedule);
  }
}

void Alternatives::addStreamed(const std::string &prefix, const GemmSchedule &base) {
  for (int64_t rows : streamedRowCounts) {
    GemmSchedule schedule = base;
    if (rows <= schedule.rows) {
      schedule.tileRows = rows;
      schedule.rowParts = (schedule.rows + rows - 1) / rows;
      countParts(schedule, problem);
      add(prefix + "rows-" + std::to_string(rows), schedule);
    }
  }
  for (int64_t columns : streamedColumnCounts) {
    GemmSchedule schedule = base;
    cutIntoParts(schedule, problem, base.tileRows, columns);
    schedule.tileRows = base.tileRows;
    schedule.rowParts = base.rowParts;
    countParts(schedule, problem);
    add(prefix + "columns-" + std::to_string(columns), schedule);
  }
  for (int64_t columns : columnsSideBySide) {
    GemmSchedule schedule = base;
    if (base.alongDepth && columns <= schedule.tileColumns) {
      schedule.columnsAtOnce = columns;
      add(prefix + "side-by-side-" + std::to_string(columns), schedule);
    }
  }
  if (base.prefetchColumns) {
    GemmSchedule schedule = base;
    schedule.prefetchColumns = false;
    add(prefix + "no-prefetch", schedule);
  }
}

std::vector<NamedSchedule> Alternatives::list() {
  // Where there are few products, what surrounds the kernel takes longer than it.
  if (isTiny(problem) || first.parts == 0 || problem.k == 0) {
    return std::move(made);
  }
  // Both algorithms take in a sum's terms one by one, in the order of k, unless terms are paired or
  // lanes run along k. A user may have named one of them.
  bool oneByOne =
      problem.form() == ProductForm::Single && !frame.kernel->hasAttr(plan::forcedKernelAttribute);
  switch (first.algorithm) {
  case GemmSchedule::Algorithm::Packed:
    addPacked("", first);
    if (oneByOne && first.rows <= mostStreamedRows) {
      GemmSchedule streamed;
      streamed.swapped = first.swapped;
      streamed.rows = first.rows;
      streamed.columns = first.columns;
      scheduleStreamed(streamed, problem, frame.target, /*tiny=*/false);
      if (!streamed.alongDepth) {
        add("streamed", streamed);
      }
    }
    break;
  case GemmSchedule::Algorithm::Streamed:
    addStreamed("", first);
    if (oneByOne && !first.alongDepth) {
      GemmSchedule packed;
      packed.swapped = first.swapped;
      packed.rows = first.rows;
      packed.columns = first.columns;
      schedulePacked(packed, problem, frame.target);
      add("packed", packed);
    }
    break;
  case GemmSchedule::Algorithm::Across:
  case GemmSchedule::Algorithm::Direct:
    break;
  }
  return std::move(made);
}

std::vector<NamedSchedule> gemmSchedules(KernelFrame &frame, GemmProblem &problem,
                                         GemmEpilogue &epilogue) {
  return Alternatives(frame, problem, epilogue).list();
}

Result<std::vector<std::string>> gemmScheduleNames(plan::KernelOp kernel, const CpuTarget &target) {
  // Costs are probed by emitting code, into a module that is thrown away.
  LLVMContext context;
  Module module("probe", context);
  std::vector<std::string> names;
  Status status = withKernelFrame(kernel, "probe", module, target, [&](KernelFrame &frame) {
    GemmProblem problem(frame, contractionOf(kernel.getBody().front()));
    GemmEpilogue epilogue(frame, problem);
    if (frame.emitter.error()) {
      return;
    }
    for (NamedSchedule &named : gemmSchedules(frame, problem, epilogue)) {
      names.push_back(std::move(named.name));
    }
  });
  if (!status) {
    return status.error();
  }
  return names;
}

Result<GemmSchedule> chosenSchedule(KernelFrame &frame, GemmProblem &problem,
                                    GemmEpilogue &epilogue) {
  auto name = frame.kernel->getAttrOfType<mlir::StringAttr>(scheduleAttribute);
  if (!name || name.getValue() == costModelSchedule) {
    return scheduleGemm(frame, problem, epilogue);
  }
  std::string known;
  for (const NamedSchedule &named : gemmSchedules(frame, problem, epilogue)) {
    if (named.name == name.getValue()) {
      return named.schedule;
    }
    known += (known.empty() ? "`" : ", `") + named.name + "`";
  }
  return diagnose(DiagnosticCode::TuningChoiceUnknown,
                  "kernel `" + frame.kernel.getSymName().str() + "` has no schedule `" +
                      name.str() + "`",
                  plan::sourceOf(frame.kernel.getLoc()), "use one of " + known);
}

} // namespace drumlin::codegen
