// Prefix scans in loop kernels, which carry running values along a line.
#include "drumlin/codegen/cpu/loop/TraversedGroup.h"
#include "drumlin/codegen/cpu/reduce/ReducerCode.h"

#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace llvm;

namespace drumlin::codegen {

namespace {
// Emits a prefix scan along one line, or along a row of adjacent lines at once.
class ScanLine {
public:
  ScanLine(KernelFrame &frame, const TraversedGroup &group, Value *step);
  void emit();

private:
  void emitWhole(Value *begin, Value *start, std::optional<LaneIndex> lane);
  Value *emitVectors(Value *end, Value *start);
  const IndexTuple *at(const LaneIndex &position, std::optional<LaneIndex> lane = std::nullopt) {
    SmallVector<LaneIndex> dims = outer;
    dims[dimension] = position;
    if (lane) {
      dims.back() = *lane;
    }
    return e.index().tuple(e.extents(group.sizes), dims);
  }
  Value *combine(Value *x, Value *y) { return combineReduced(b, *scan.reducer, type, x, y); }
  // Computes the group's results from `results`, the results of the scan, and stores them.
  void store(Value *results, const IndexTuple *at) {
    e.bind(window.getResult(0), [results](const IndexTuple *) { return Lanes{results}; });
    storeRoots(frame, group, at);
    e.unbind(window.getResult(0));
  }
  Value *rounded(Value *value) { return isFloat(type) ? e.roundTo(value, type) : value; }

  KernelFrame &frame;
  const TraversedGroup &group;
  ElementEmitter &e;
  IRBuilder<> &b;
  stablehlo::ReduceWindowOp window;
  PrefixScan scan;
  ElementType type;
  size_t dimension;
  Value *extent;
  bool byLanes;
  SmallVector<LaneIndex> outer;
};
} // namespace

ScanLine::ScanLine(KernelFrame &frame, const TraversedGroup &group, Value *step)
    : frame(frame), group(group), e(frame.emitter), b(frame.builder),
      window(cast<stablehlo::ReduceWindowOp>(group.scan)), scan(*prefixScan(group.scan)),
      type(elementTypeOf(mlir::getElementTypeOrSelf(window.getResult(0).getType()))),
      dimension(static_cast<size_t>(scan.dimension)), extent(e.extent(group.sizes[dimension])),
      byLanes(scansByLanes(group, group.scan)) {
  std::vector<SizeExpression> outerSizes = group.sizes;
  outerSizes[dimension] = 1;
  if (byLanes) {
    outerSizes.back() = 1;
  }
  outer = stepIndex(frame, outerSizes, step);
}

// Emits a scan of the elements from `begin` on, one after another, with the running value `start`.
// With `lane`, each lane scans its own line.
void ScanLine::emitWhole(Value *begin, Value *start, std::optional<LaneIndex> lane) {
  e.emitLoop(begin, extent, 1, {start}, [&](Value *iv, ArrayRef<Value *> carried) {
    Value *position = scan.fromLast ? b.CreateSub(b.CreateSub(extent, b.getInt64(1)), iv) : iv;
    const IndexTuple *index = at(e.index().scalar(position), lane);
    Value *element = e.emit(window.getInputs().front(), index).value;
    Value *next = nullptr, *result = nullptr;
    if (scan.reducer) {
      next = combine(carried[0], lane ? e.splat(element) : element);
      next = e.observed(window, next, e.activeLanes());
      result = rounded(next);
    } else {
      Value *made = e.emitScalarRegion(window.getBody(), {{carried[0]}, {element}})[0].value;
      next = result = lane ? e.splat(made) : made;
    }
    store(result, index);
    return SmallVector<Value *>{next};
  });
}

// Emits a scan of full vectors along the line up to `end`; returns the running value. Each element
// of a vector is combined with the elements 1, 2, 4 … lanes before it (W. D. Hillis, G. L. Steele,
// Data parallel algorithms, 1986). Then all elements are combined with the running value, so the
// dependency chain has one operation per vector.
Value *ScanLine::emitVectors(Value *end, Value *start) {
  auto width = static_cast<int>(e.index().width());
  Value *neutral =
      b.CreateVectorSplat(static_cast<unsigned>(width), reducerIdentity(e, *scan.reducer, type));
  auto step = [&](Value *iv, ArrayRef<Value *> carried) -> SmallVector<Value *> {
    Value *base = iv;
    if (scan.fromLast) {
      base = b.CreateSub(b.CreateSub(extent, b.getInt64(static_cast<uint64_t>(width))), iv);
    }
    const IndexTuple *index = at(e.index().laneOf(base));
    Value *vector = e.splat(e.emit(window.getInputs().front(), index).value);
    for (int shift = 1; shift < width; shift *= 2) {
      SmallVector<int> lanesBefore;
      for (int lane = 0; lane < width; ++lane) {
        int from = scan.fromLast ? lane + shift : lane - shift;
        lanesBefore.push_back(from >= 0 && from < width ? from : width);
      }
      vector = combine(b.CreateShuffleVector(vector, neutral, lanesBefore), vector);
    }
    Value *results = combine(e.splat(carried[0]), vector);
    results = e.observed(window, results, e.activeLanes());
    store(rounded(results), index);
    Value *all =
        b.CreateExtractElement(vector, static_cast<uint64_t>(scan.fromLast ? 0 : width - 1));
    return {combine(carried[0], all)};
  };
  return e.emitLoop(b.getInt64(0), end, width, {start}, step)[0];
}

void ScanLine::emit() {
  Value *start = e.emit(window.getInitValues().front(), e.scalarIndex()).value;
  if (byLanes) {
    emitLanes(e, b.getInt64(0), e.extent(group.sizes.back()), group.sizes.back(), group.again,
              [&](Value *base, int64_t alignment) {
                emitWhole(b.getInt64(0), e.splat(start), e.index().laneOf(base, alignment));
              });
    return;
  }
  Value *done = b.getInt64(0);
  if (scan.reducer && dimension + 1 == group.shape.size()) {
    done = b.CreateAnd(extent, b.getInt64(-static_cast<uint64_t>(e.index().width())));
    start = emitVectors(done, start);
  }
  emitWhole(done, start, std::nullopt);
}

void emitScanLine(KernelFrame &frame, const TraversedGroup &group, Value *step) {
  ScanLine(frame, group, step).emit();
}

} // namespace drumlin::codegen
