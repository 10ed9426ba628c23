#include "drumlin/transforms/gemm/GemmCost.h"

#include "drumlin/ir/stablehlo/StablehloTypes.h"

#include <cmath>

using namespace mlir;

namespace drumlin {

using plan::GemmAlgorithm;

// Nanoseconds that each kind of work takes for a register of 16 elements. Fitted to the times of
// 286 kernels, each with all algorithms that can compute it, on an AMD EPYC of family 25, model 17:
// GEMMs of 1 to 1,000 rows in f32, bf16 and i8 with both operand orders, and the GEMMs and
// convolutions of complete models. Choices hardly depend on these values: doubling the time of
// multiplies changes the choice for 6 of the 286 kernels.
static constexpr double loadTime = 1.0 / 3, gatherTime = 20.0 / 3, divisionTime = 10.0 / 3;
static constexpr double turnTime = 2.0 / 3, packTime = 1.0 / 3;
// The time to find the position of one register of a convolution's unfolded input, per window
// dimension. Fitted to 37 convolutions of one and two dimensions, each unfolded and not unfolded,
// on an Intel Xeon of family 6, model 143.
static constexpr double windowTime = 1;
// The time of a load from L2, most of whose latency is hidden behind MACs.
static constexpr double inPlaceTime = loadTime / 5;
static constexpr double storeRunTime = 2, scatterTime = 12;
// The time of storing blocks of results that are transposed first: twice the data movement of other
// stores.
static constexpr double storeBlockTime = 2 * storeRunTime;
// The time of storing and reloading an accumulator.
static constexpr double sumTime = 1.0 / 3;
// The additional time of reloading an accumulator from beyond L2. Fitted to five direct
// convolutions of 10 to 40 MACs per accumulator on an Intel Xeon of family 6, model 143. These took
// 1.04 to 1.66 times as long as the packed kernels for the same convolutions; without this time,
// the predicted ratios would be 1.03 to 1.05.
static constexpr double farSumTime = 1;
// Times per tile, per micro-kernel call, and for adding up the lanes of an accumulator.
static constexpr double tileTime = 16.0 / 3, callTime = 8.0 / 3, lanesTime = 3.5 / 3;
// Panels are read as several streams, which is slower than one stream by this factor. With this
// factor, choices agree with measurements: a GEMM with one f32 row, bound by memory, is computed by
// `gemv`, and a GEMM with eight rows isn't.
static constexpr double panelStreams = 1.03;
// The MACs of one accumulator depend on each other, so at least this many accumulators must be in
// use at the same time.
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
  double width; // lanes of a register of accumulators
  double parts; // number of accumulator registers that hold 16 elements
  double rowRegisters = 0, columnRegisters = 0;
};
} // namespace

// Returns the number of registers that hold `elements`. If fewer elements are contiguous along the
// lanes than a register has, the other lanes are empty.
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
  // A convolution's unfolded input has more elements than the operand's type says.
  int64_t elements =
      problem.isConvolution() ? type.getNumElements() : problem.batch * free * problem.k;
  auto bytes = static_cast<double>(storageBytes(elementTypeOf(type.getElementType())));
  bool isFar = static_cast<double>(elements) * bytes > static_cast<double>(target.l2Bytes);
  return isFar ? reads * bytes / target.bytesPerSecond * 1e9 : 0;
}

// Returns the time for those accumulators of a direct kernel's tile that don't fit into L2. A tile
// that is one long row of outputs may have many such accumulators.
double Predictor::farSumsTime() const {
  double rows = static_cast<double>(schedule.tileRows);
  double bytes = rows * static_cast<double>(schedule.tileColumns * problem.sumBytes());
  bool areFar =
      schedule.algorithm == GemmAlgorithm::direct && bytes > static_cast<double>(target.l2Bytes);
  double sums = static_cast<double>(problem.batch * problem.m * problem.n);
  return areFar ? sums / static_cast<double>(lanes) * farSumTime * parts : 0;
}

// Returns the time of one multiply-accumulate instruction on one register. The instruction computes
// one of the compute unit's k-groups per lane.
double Predictor::productTime() const {
  double rate = target.operationsPerSecond(schedule.unit);
  double operations = 2 * width * static_cast<double>(schedule.kGroup());
  // A register holds half as many 8-byte accumulators as 4-byte accumulators. The MACs of a
  // register take equally long for both.
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
  // A direct kernel copies full rows of the input without unfolding.
  cost.read +=
      isPacked ? timeToRead(rowRegisters, reads.rows, true) : rowRegisters * loadTime * parts;
  cost.read += rowRegisters * packTime * parts;
  if (isPacked && !schedule.rowsAlongK) {
    cost.read += rowRegisters * turnTime * parts;
  }
  if (schedule.columnsInPlace) {
    // Each row of micro-kernels reads the columns from L2. Only the first one reads them from
    // memory.
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
