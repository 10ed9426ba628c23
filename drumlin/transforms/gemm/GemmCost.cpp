#include "drumlin/transforms/gemm/GemmCost.h"

#include "drumlin/ir/stablehlo/StablehloTypes.h"

#include <cmath>

using namespace mlir;

namespace drumlin {

using plan::GemmAlgorithm;

// Nanoseconds of what is done once for 16 elements, in one register. They were fitted to the times
// of 286 kernels, each by all algorithms that compute it (products of 1 to 1,000 rows in f32, bf16
// and i8, both orders of their operands, and the products and convolutions of whole models), on an
// AMD EPYC of family 25, model 17; the choice hardly depends on them: with twice the time of
// products, it is another one for 6 of the 286.
static constexpr double loadTime = 1.0 / 3, gatherTime = 20.0 / 3, divisionTime = 10.0 / 3;
static constexpr double turnTime = 2.0 / 3, packTime = 1.0 / 3;
// Of finding where a register of a convolution's unfolded input lies, along each dimension of its
// windows: fitted to 37 convolutions of one and two dimensions on an Intel Xeon of family 6, model
// 143, each unfolded and not.
static constexpr double windowTime = 1;
// Of a load from the second cache, most of which is hidden behind products.
static constexpr double inPlaceTime = loadTime / 5;
static constexpr double storeRunTime = 2, scatterTime = 12;
// Of what is transposed before: twice the moves.
static constexpr double storeBlockTime = 2 * storeRunTime;
// Of a sum that passes through memory, there and back.
static constexpr double sumTime = 1.0 / 3;
// Of sums that come back from behind the second cache, besides: direct convolutions of 10 to 40
// products a sum with such tiles took 1.04 to 1.66 times as long as packed ones, which are
// predicted to take 1.03 to 1.05 times as long without it (five of them, on an Intel Xeon of family
// 6, model 143).
static constexpr double farSumTime = 1;
// Of a tile; of a call of the micro-kernel; of adding up the lanes of a sum.
static constexpr double tileTime = 16.0 / 3, callTime = 8.0 / 3, lanesTime = 3.5 / 3;
// Panels come from memory in several streams at once: by so much slower than one that a single row
// of f32, which waits for memory alone, is a GEMV, and eight rows aren't, as they were measured.
static constexpr double panelStreams = 1.03;
// Products of one sum wait for one another: so many must be under way at a time.
static constexpr double sumsUnderWay = 8;

const char *GemmCost::boundBy() const {
  struct Part {
    double time;
    const char *name;
  };
  const Part parts[] = {{multiply, "multiplying"},
                        {read, "reading operands"},
                        {store, "storing results"},
                        {calls, "many small tiles"},
                        {memory, "memory"}};
  const Part *most = std::begin(parts);
  for (const Part &part : parts) {
    most = part.time > most->time ? &part : most;
  }
  return most->name;
}

namespace {
class Predictor {
public:
  Predictor(const GemmSchedule &schedule, const GemmProblem &problem, const GemmReads &reads,
            const CpuTarget &target)
      : schedule(schedule), problem(problem), reads(reads), target(target),
        counts(gemmCounts(schedule, problem)), tiles(schedule, problem),
        width(static_cast<double>(target.registerLanes(problem.sumBytes()))),
        parts(static_cast<double>(lanes) / width) {}

  GemmCost run();

private:
  double registers(double elements, int64_t alongLanes) const;
  double timeToRead(double registers, const LaneReads &of, bool areRows) const;
  double memoryTime(GemmOperand operand, double reads) const;
  double farSumsTime() const;
  double productTime() const;
  void addPacked(GemmCost &cost);
  void addGemv(GemmCost &cost);

  const GemmSchedule &schedule;
  const GemmProblem &problem;
  const GemmReads &reads;
  const CpuTarget &target;
  GemmCounts counts;
  GemmTiles tiles;
  double width; // lanes of a register of sums
  double parts; // such registers that 16 elements take
  double rowRegisters = 0, columnRegisters = 0;
};
} // namespace

// Where fewer elements lie along the lanes, the rest of a register is empty.
double Predictor::registers(double elements, int64_t alongLanes) const {
  int64_t each = std::max<int64_t>(alongLanes, 1), width = lanes;
  return elements / static_cast<double>(each) * static_cast<double>((each + width - 1) / width);
}

double Predictor::timeToRead(double registers, const LaneReads &of, bool areRows) const {
  bool isUnfolded = problem.isConvolution() && areRows != schedule.swapped;
  auto windows = isUnfolded ? llvm::count_if(problem.windowPositions,
                                             [&](size_t position) {
                                               return problem.groups[GemmProblem::K][position] > 1;
                                             })
                            : 0;
  return registers * (static_cast<double>(of.loads) * loadTime * parts +
                      static_cast<double>(of.gathers) * gatherTime +
                      static_cast<double>(of.divisions) * divisionTime +
                      static_cast<double>(windows) * windowTime);
}

double Predictor::memoryTime(GemmOperand operand, double reads) const {
  auto type = cast<ShapedType>(problem.value(operand).getType());
  int64_t free = operand == GemmOperand::Lhs ? problem.m : problem.n;
  // A convolution's unfolded input has more.
  int64_t elements =
      problem.isConvolution() ? type.getNumElements() : problem.batch * free * problem.k;
  auto bytes = static_cast<double>(storageBytes(elementTypeOf(type.getElementType())));
  bool isFar = static_cast<double>(elements) * bytes > static_cast<double>(target.l2Bytes);
  return isFar ? reads * bytes / target.bytesPerSecond * 1e9 : 0;
}

// The sums of a direct kernel's tile that the second cache doesn't hold: of one long row of outputs
// they may be many.
double Predictor::farSumsTime() const {
  double rows = static_cast<double>(schedule.tileRows);
  double bytes = rows * static_cast<double>(schedule.tileColumns * problem.sumBytes());
  bool areFar =
      schedule.algorithm == GemmAlgorithm::direct && bytes > static_cast<double>(target.l2Bytes);
  double sums = static_cast<double>(problem.batch * problem.m * problem.n);
  return areFar ? sums / static_cast<double>(lanes) * farSumTime * parts : 0;
}

// Of one register of sums, each taking in a unit's terms.
double Predictor::productTime() const {
  double rate = target.operationsPerSecond(schedule.unit);
  double operations = 2 * width * static_cast<double>(schedule.kGroup());
  // Registers hold half as many wide sums, at the same rate of registers.
  return operations / rate * 1e9 * static_cast<double>(problem.sumBytes()) / 4;
}

void Predictor::addPacked(GemmCost &cost) {
  bool isPacked = schedule.algorithm == GemmAlgorithm::packed;
  auto kernelRows = static_cast<double>(schedule.kernelRows);
  double vectors = static_cast<double>(schedule.kernelColumns) / width;
  double sums = kernelRows * vectors;
  auto kGroup = static_cast<double>(schedule.kGroup());
  double steps = static_cast<double>(counts.multiplyAdds) / (sums * width * kGroup);
  double perStep = info(schedule.unit).hasTiles()
                       ? std::max({sums, sumsUnderWay, kernelRows + vectors})
                       : countedPorts * microKernelOf(schedule, problem, target).cycles();
  cost.multiply = steps * productTime() * perStep;
  int64_t depth = isPacked ? std::min(schedule.tileDepth, problem.k) : problem.k;
  double calls = steps / std::max(static_cast<double>(depth) / kGroup, 1.0);
  cost.calls += calls * (callTime + sums * sumTime / 2);
  cost.memory += farSumsTime();
  // A direct kernel copies whole rows of the input, and unfolds nothing.
  cost.read +=
      isPacked ? timeToRead(rowRegisters, reads.rows, true) : rowRegisters * loadTime * parts;
  cost.read += rowRegisters * packTime * parts;
  if (isPacked && !schedule.rowsAlongK) {
    cost.read += rowRegisters * turnTime * parts;
  }
  if (schedule.columnsInPlace) {
    // From the second cache, once for each micro-kernel of rows; before that from memory.
    cost.isStreamed = true;
    double passes = std::ceil(static_cast<double>(schedule.tileRows) / kernelRows);
    cost.read += columnRegisters * passes * inPlaceTime * parts;
    return;
  }
  if (schedule.columnsInPanels) {
    cost.isStreamed = true;
    cost.memory *= panelStreams;
    return;
  }
  cost.read +=
      timeToRead(columnRegisters, reads.columns, false) + columnRegisters * packTime * parts;
  if (schedule.columnsAlongK) {
    cost.read += columnRegisters * turnTime * parts;
  }
}

void Predictor::addGemv(GemmCost &cost) {
  cost.isStreamed = true;
  cost.read += timeToRead(rowRegisters, reads.rows, true) +
               timeToRead(columnRegisters, reads.columns, false);
  double products = static_cast<double>(counts.multiplyAdds) / width;
  cost.multiply = products * productTime();
  if (schedule.algorithm == GemmAlgorithm::batch_interleaved) {
    return;
  }
  auto rows = static_cast<double>(schedule.tileRows);
  auto sideBySide = static_cast<double>(schedule.sideBySide);
  if (schedule.columnsAlongK) {
    cost.multiply *= std::max(1.0, sumsUnderWay / (rows * sideBySide));
    cost.calls += static_cast<double>(tiles.tiles.nominal) * rows *
                  static_cast<double>(schedule.tileColumns) * lanesTime;
  } else {
    cost.calls += products / sideBySide * sumTime;
  }
}

GemmCost Predictor::run() {
  GemmCost cost;
  bool isInterleaved = schedule.algorithm == GemmAlgorithm::batch_interleaved;
  bool rowsAlongK = schedule.rowsAlongK || schedule.algorithm != GemmAlgorithm::packed;
  double rowReads = schedule.swapped ? counts.rhsReads : counts.lhsReads;
  double columnReads = schedule.swapped ? counts.lhsReads : counts.rhsReads;
  rowRegisters = registers(rowReads, isInterleaved ? problem.batch
                                     : rowsAlongK  ? problem.k
                                                   : schedule.tileRows);
  columnRegisters = registers(columnReads, isInterleaved            ? problem.batch
                                           : schedule.columnsAlongK ? problem.k
                                                                    : schedule.tileColumns);
  cost.memory =
      memoryTime(GemmOperand::Lhs, counts.lhsReads) + memoryTime(GemmOperand::Rhs, counts.rhsReads);
  cost.calls = static_cast<double>(tiles.tiles.nominal) * tileTime;
  double results = static_cast<double>(problem.batch * problem.m * problem.n);
  cost.store = results / static_cast<double>(lanes) *
               (reads.storesRuns          ? storeRunTime * parts
                : reads.transposesResults ? storeBlockTime * parts
                                          : scatterTime);
  bool hasMicroKernel =
      schedule.algorithm == GemmAlgorithm::packed || schedule.algorithm == GemmAlgorithm::direct;
  hasMicroKernel ? addPacked(cost) : addGemv(cost);
  return cost;
}

MicroKernel microKernelOf(const GemmSchedule &schedule, const GemmProblem &problem,
                          const CpuTarget &target) {
  MicroKernel kernel;
  kernel.unit = schedule.unit;
  kernel.sums = problem.sumType;
  kernel.width = target.registerLanes(problem.sumBytes());
  bool isPrefetched = schedule.columnsInPanels && schedule.prefetchColumns != 0;
  kernel.form = schedule.columnsInPlace ? PanelForm::InPlace
                : isPrefetched          ? PanelForm::Prefetched
                                        : PanelForm::Packed;
  kernel.rows = schedule.kernelRows;
  kernel.vectors = schedule.kernelColumns / kernel.width;
  return kernel;
}

GemmCost predictCost(const GemmSchedule &schedule, const GemmProblem &problem,
                     const GemmReads &reads, const CpuTarget &target) {
  return Predictor(schedule, problem, reads, target).run();
}

} // namespace drumlin
