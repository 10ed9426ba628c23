#include "drumlin/ir/costs/Evaluations.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/plan/loop/LoopSchedule.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/GatherOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"

using namespace mlir;

namespace drumlin {

// Maximum number of distinct indices that are stored per operation. Demands at further indices are
// added to the demand at the last stored index. The limit keeps the work linear for chains in which
// every step doubles the number of indices.
static constexpr size_t maxIndices = 32;

static double countOf(Value value) { return static_cast<double>(elementsOf(value)); }

Evaluations::Evaluations(ArrayRef<Operation *> given) : ops(given) {
  inside.insert(ops.begin(), ops.end());
}

void Evaluations::walk(ArrayRef<Value> traversed, ArrayRef<int64_t> traversedShape) {
  roots.assign(traversed.begin(), traversed.end());
  shape.assign(traversedShape.begin(), traversedShape.end());
  ofRoots = nextIndex;
  askTogether(roots, countOf(roots.front()));
}

void Evaluations::ask(Value value, double times) { askTogether(value, times); }

void Evaluations::askTogether(ArrayRef<Value> values, double times) {
  Index index = nextIndex++;
  for (Value value : values) {
    demand(value, index, times);
  }
}

double Evaluations::readsOf(Value value) const {
  double sum = 0;
  for (auto [index, times] : read.lookup(value)) {
    sum += times;
  }
  return sum;
}

void Evaluations::add(Demands &demands, Index index, double times) {
  for (auto &[other, before] : demands) {
    if (other == index) {
      before = std::max(before, times);
      return;
    }
  }
  if (demands.size() == maxIndices) {
    demands.back().second += times;
    return;
  }
  demands.push_back({index, times});
}

void Evaluations::demand(Value value, Index index, double times) {
  if (countOf(value) == 1) {
    // The value is the same at every index, so it is computed once, before all loops.
    index = scalarIndex;
    times = std::min(times, 1.0);
  }
  Operation *op = value.getDefiningOp();
  if (!op || !inside.contains(op) || given.contains(value)) {
    add(read[value], index, times);
    return;
  }
  bool isOfElements = isInRowReduction && countOf(value) > rows;
  add((isOfElements ? askedByRowReductions : asked)[op], index, times);
}

Evaluations::Index Evaluations::through(OpOperand &operand, Index index) {
  auto [entry, isNew] = indices.try_emplace({&operand, index}, nextIndex);
  nextIndex += isNew ? 1 : 0;
  return entry->second;
}

void Evaluations::follow(Operation *op, Index index, double times) {
  auto moved = [&](OpOperand &operand, double each = 1) {
    demand(operand.get(), through(operand, index), times * each);
  };
  if (isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op)) {
    // The first half of the operands are inputs, the second half initial values.
    unsigned inputs = op->getNumOperands() / 2;
    double each = countOf(op->getOperand(0)) / std::max(countOf(op->getResult(0)), 1.0);
    if (auto window = dyn_cast<stablehlo::ReduceWindowOp>(op)) {
      each = 1;
      for (int64_t size : window.getWindowDimensions()) {
        each *= op == scan ? 1 : static_cast<double>(size);
      }
    }
    // The inputs of one reduction are read at the same index.
    Index inner = through(op->getOpOperand(0), index);
    for (OpOperand &operand : op->getOpOperands()) {
      bool isInput = operand.getOperandNumber() < inputs;
      demand(operand.get(), inner, isInput ? times * each : times);
    }
    return;
  }
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op)) {
    moved(op->getOpOperand(0));
    moved(op->getOpOperand(1),
          static_cast<double>(gather.getDimensionNumbers().getStartIndexMap().size()));
    return;
  }
  if (isa<stablehlo::DynamicUpdateSliceOp>(op)) {
    demand(op->getOperand(0), index, times);
    for (OpOperand &operand : llvm::drop_begin(op->getOpOperands())) {
      moved(operand);
    }
    return;
  }
  if (classify(op) == OperationClass::Hero) {
    // Each element of an operand is read once.
    for (OpOperand &operand : op->getOpOperands()) {
      demand(operand.get(), through(operand, index), countOf(operand.get()));
    }
    return;
  }
  bool isPointwise = classify(op) == OperationClass::Pointwise;
  for (OpOperand &operand : op->getOpOperands()) {
    isPointwise ? demand(operand.get(), index, times) : moved(operand);
  }
}

void Evaluations::run() {
  double rowLength = shape.empty() ? 1 : static_cast<double>(shape.back());
  double total = roots.empty() ? 0 : countOf(roots.front());
  rows = total / rowLength;
  LoopGroup group;
  group.shape.assign(shape.begin(), shape.end());
  for (auto [i, root] : llvm::enumerate(roots)) {
    group.roots.push_back({static_cast<unsigned>(i), root});
  }
  group.slice.insert(ops.begin(), ops.end());
  bool byRows = traversesRows(group);
  scan = scanToFollow(group);
  std::optional<LastDimensionUse> use;
  if (rowLength >= static_cast<double>(shortestRow)) {
    use.emplace(group.shape, roots, ops);
  }
  llvm::SetVector<Operation *> kept = keptInRows(group);
  for (Operation *op : llvm::reverse(ops)) {
    bool isRoot = llvm::any_of(op->getResults(),
                               [&](Value result) { return llvm::is_contained(roots, result); });
    bool isOfRow = use && use->isIndependent(op) && !isRoot;
    bool isShared = isOfRow && byRows;
    breaksRows |= use && reducesInnermost(op) && !isOfRow;
    if (isShared) {
      shared.insert(op);
    }
    if (kept.contains(op)) {
      counts[op] = total;
      places[op] = 1;
      follow(op, ofRoots, total);
      continue;
    }
    double sum = 0;
    // Copies the demands, because follow() inserts into the maps that contain them.
    Demands demands = asked.lookup(op), ofElements = askedByRowReductions.lookup(op);
    isInRowReduction = isShared && isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op);
    for (auto [index, times] : demands) {
      double each = isShared ? std::min(times, rows) : times;
      sum += each;
      follow(op, index, each);
    }
    sum = isShared ? std::min(sum, rows) : sum;
    isInRowReduction = true;
    for (auto [index, times] : ofElements) {
      sum += times;
      follow(op, index, times);
    }
    isInRowReduction = false;
    counts[op] = sum;
    places[op] = isShared ? 1 : demands.size() + ofElements.size();
  }
}

} // namespace drumlin
