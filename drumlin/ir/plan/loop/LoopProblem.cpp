#include "drumlin/ir/plan/loop/LoopProblem.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/indexing/LaneForm.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/IotaOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/target/Lanes.h"

using namespace llvm;

namespace drumlin {

// Adds the operations that the root depends on, operands first.
static void collectSlice(mlir::Value root, SetVector<mlir::Operation *> &slice) {
  // Operations whose operands are being collected, each with the number of its next operand.
  SmallVector<std::pair<mlir::Operation *, unsigned>> open;
  auto begin = [&](mlir::Value value) {
    mlir::Operation *op = value.getDefiningOp();
    if (op && !slice.contains(op)) {
      open.push_back({op, 0});
    }
  };
  begin(root);
  while (!open.empty()) {
    auto &[op, next] = open.back();
    if (next < op->getNumOperands()) {
      begin(op->getOperand(next++));
    } else {
      slice.insert(op);
      open.pop_back();
    }
  }
}

std::vector<LoopGroup> groupRoots(mlir::Block &block) {
  std::vector<LoopGroup> groups;
  for (auto [number, value] : enumerate(block.getTerminator()->getOperands())) {
    Shape shape(shapeOf(value));
    if (*elementCount(shape) == 0) {
      continue;
    }
    auto type = cast<mlir::RankedTensorType>(value.getType());
    // Symbolic sizes are compared by the types' encodings.
    auto found = find_if(groups, [&](const LoopGroup &group) {
      auto other = cast<mlir::RankedTensorType>(group.roots.front().second.getType());
      return group.shape == shape && other.getEncoding() == type.getEncoding();
    });
    if (found == groups.end()) {
      groups.push_back({});
      found = groups.end() - 1;
      found->shape = shape;
    }
    found->roots.push_back({static_cast<unsigned>(number), value});
  }
  for (LoopGroup &group : groups) {
    for (auto [number, root] : group.roots) {
      collectSlice(root, group.slice);
    }
  }
  return groups;
}

LastDimensionUse::LastDimensionUse(const Shape &rootShape, ArrayRef<mlir::Value> roots,
                                   ArrayRef<mlir::Operation *> slice) {
  for (mlir::Value root : roots) {
    SmallVector<bool> varies(rootShape.size(), false);
    varies.back() = true;
    merge(root, varies);
  }
  for (mlir::Operation *op : llvm::reverse(slice)) {
    visit(op);
  }
}

bool LastDimensionUse::isIndependent(mlir::Operation *op) const {
  for (mlir::Value result : op->getResults()) {
    auto found = uses.find(result);
    if (found != uses.end() && is_contained(found->second, true)) {
      return false;
    }
  }
  return true;
}

void LastDimensionUse::merge(mlir::Value value, ArrayRef<bool> varies) {
  auto [entry, isNew] = uses.try_emplace(value, SmallVector<bool>(varies));
  for (size_t i = 0; !isNew && i < varies.size(); ++i) {
    entry->second[i] = entry->second[i] || varies[i];
  }
}

// Returns, for each dimension of the operand, whether the index along it varies with those
// dimensions of the result for which `at` is true.
static SmallVector<bool> varyingAlong(const IndexingMap &map, ArrayRef<bool> at) {
  SmallVector<bool> symbols;
  auto varies = [&](mlir::AffineExpr index) {
    for (auto [d, ofResult] : enumerate(at)) {
      if (ofResult && index.isFunctionOfDim(static_cast<unsigned>(d))) {
        return true;
      }
    }
    for (auto [s, ofSymbol] : enumerate(symbols)) {
      if (ofSymbol && index.isFunctionOfSymbol(static_cast<unsigned>(s))) {
        return true;
      }
    }
    return false;
  };
  for (const IndexingMap::Symbol &symbol : map.symbols()) {
    // A symbol without a source takes all of its values for every index of the result, so it does
    // not vary with this index.
    symbols.push_back(symbol.isKnownAtRunTime() && any_of(symbol.at.getResults(), varies));
  }
  return to_vector(map_range(map.map().getResults(), varies));
}

void LastDimensionUse::visit(mlir::Operation *op) {
  for (mlir::OpResult result : op->getResults()) {
    auto found = uses.find(result);
    if (found == uses.end()) {
      continue;
    }
    SmallVector<bool> at = found->second;
    for (mlir::OpOperand &operand : op->getOpOperands()) {
      std::optional<IndexingMap> map = indexing(operand, result.getResultNumber());
      merge(operand.get(),
            map ? varyingAlong(*map, at)
                : SmallVector<bool>(shapeOf(operand.get()).size(), is_contained(at, true)));
    }
  }
}

bool reducesInnermost(mlir::Operation *op) {
  auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
  return reduce &&
         is_contained(reduce.getDimensions(),
                      static_cast<int64_t>(shapeOf(reduce.getInputs().front()).size()) - 1);
}

bool determinesLanes(mlir::Operation *op, const LoopGroup &group) {
  constexpr int64_t fewElements = 256, manyElements = 16 * fewElements;
  const bool isSingle =
      isa<stablehlo::ReduceOp>(op) && !hasSymbolicSizes(op->getOperand(0).getType()) &&
      elementsOf(op->getResult(0)) == 1 && elementsOf(op->getOperand(0)) <= fewElements;
  return reducesInnermost(op) && !(isSingle && group.elements() >= manyElements);
}

// Whether the operation needs the index along a dimension in addition to the row-major position.
static bool needsDimensions(mlir::Operation *op) {
  if (classify(op) == OperationClass::Pointwise) {
    return false;
  }
  return isa<stablehlo::IotaOp>(op) || any_of(op->getOpOperands(), [](mlir::OpOperand &operand) {
           std::optional<IndexingMap> map = indexing(operand);
           return !map || !(map->keepsPositions() || map->map().isConstant());
         });
}

bool needsDimensions(const LoopGroup &group) {
  return any_of(group.slice, [](mlir::Operation *op) { return needsDimensions(op); });
}

SmallVector<mlir::Operation *> rowReductions(const LoopGroup &group) {
  LastDimensionUse use(group.shape, to_vector(group.rootValues()), group.slice.getArrayRef());
  SmallVector<mlir::Operation *> found;
  copy_if(group.slice, std::back_inserter(found), [&](mlir::Operation *op) {
    return isa<stablehlo::ReduceOp>(op) && use.isIndependent(op);
  });
  return found;
}

bool reducesWholeRows(const LoopGroup &group) {
  SmallVector<mlir::Operation *> ofRows = rowReductions(group);
  return all_of(group.slice, [&](mlir::Operation *op) {
    return !reducesInnermost(op) || is_contained(ofRows, op);
  });
}

//===- values that are kept for a row ---------------------------------------------===//

// Minimum length of kept rows. Shorter rows are recomputed in less time than a separate loop takes.
// Measured on an AMD EPYC of family 26, keeping rows changed the time of softmaxes of 12 to 32
// columns by a factor of 1.14 to 1.27, and of 33 to 50,257 columns by a factor of 0.71 to 1.05.
static constexpr int64_t shortestKeptRow = 2 * lanes + 1;
// Maximum bytes of one kept row, so that several kept rows fit in L2 together with other data.
static constexpr int64_t maxRowBytes = 256 * 1024;

namespace {
// The indices at which elements of a value are read.
struct AskedAt {
  // The consumers that read the value at the index of the current element of the row. A consumer is
  // a reduction along the row; null stands for the roots.
  SmallSetVector<mlir::Operation *, 4> places;
  bool ofRow = false;     // whether the value is read once per row, at an index of outer dimensions
  bool elsewhere = false; // whether the value is read at any other index

  void add(const AskedAt &other) {
    places.insert(other.places.begin(), other.places.end());
    ofRow |= other.ofRow;
    elsewhere |= other.elsewhere;
  }
  static AskedAt inRow(mlir::Operation *place) {
    AskedAt asked;
    asked.places.insert(place);
    return asked;
  }
};

class KeptRows {
public:
  explicit KeptRows(const LoopGroup &group)
      : shape(group.shape),
        rootType(cast<mlir::RankedTensorType>(group.roots.front().second.getType())) {
    for (mlir::Value root : group.rootValues()) {
      asked[root].add(AskedAt::inRow(nullptr));
    }
    for (mlir::Operation *op : group.slice) {
      work[op] = workOf(op);
    }
    for (mlir::Operation *op : llvm::reverse(group.slice)) {
      visit(op);
    }
  }

  SetVector<mlir::Operation *> kept;

private:
  bool isOfRoots(mlir::Value value) const;
  int64_t workOf(mlir::Operation *op) const;
  void visit(mlir::Operation *op);
  AskedAt ofOperands(mlir::Operation *op, const AskedAt &at) const;
  bool isWorthKeeping(mlir::Operation *op) const;

  const Shape &shape;
  mlir::RankedTensorType rootType;
  // The number of arithmetic operations that compute one element of a result, including the
  // elements of other values from which it is computed. The number saturates at a value above
  // operationsPerCopiedElement.
  DenseMap<mlir::Operation *, int64_t> work;
  DenseMap<mlir::Value, AskedAt> asked;
};
} // namespace

// Whether a value has the roots' sizes. Symbolic sizes are compared by the types' encodings.
bool KeptRows::isOfRoots(mlir::Value value) const {
  auto type = cast<mlir::RankedTensorType>(value.getType());
  return type.getShape() == rootType.getShape() && type.getEncoding() == rootType.getEncoding();
}

int64_t KeptRows::workOf(mlir::Operation *op) const {
  if (classify(op) != OperationClass::Pointwise || !isOfRoots(op->getResult(0))) {
    return 0;
  }
  int64_t sum = operationsPerElement(op);
  SmallPtrSet<mlir::Operation *, 4> producers;
  for (mlir::Value operand : op->getOperands()) {
    if (mlir::Operation *producer = operand.getDefiningOp();
        producer && producers.insert(producer).second) {
      sum += work.lookup(producer);
    }
  }
  return std::min(sum, operationsPerCopiedElement + 1);
}

bool KeptRows::isWorthKeeping(mlir::Operation *op) const {
  if (op->getNumResults() != 1 || work.lookup(op) <= operationsPerCopiedElement) {
    return false;
  }
  ElementType type = elementTypeOf(mlir::getElementTypeOrSelf(op->getResult(0).getType()));
  return isFloat(type) && shape.back() * (type == ElementType::F64 ? 8 : 4) <= maxRowBytes;
}

// Returns the indices at which an operation reads its operands, given the indices at which its
// result is read.
AskedAt KeptRows::ofOperands(mlir::Operation *op, const AskedAt &at) const {
  AskedAt none, elsewhere;
  elsewhere.elsewhere = true;
  if (at.places.empty() && !at.ofRow && !at.elsewhere) {
    return none;
  }
  if (classify(op) == OperationClass::Pointwise) {
    return at;
  }
  ArrayRef<int64_t> outer = ArrayRef(shape).drop_back();
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    bool isOfRow = !at.ofRow && !at.elsewhere && equal(shapeOf(broadcast.getOperand()), outer) &&
                   equal(broadcast.getBroadcastDimensions(),
                         llvm::seq<int64_t>(0, static_cast<int64_t>(outer.size())));
    AskedAt ofRow;
    ofRow.ofRow = true;
    return isOfRow ? ofRow : elsewhere;
  }
  auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
  bool isAlongRow = reduce && at.ofRow && !at.elsewhere && at.places.empty() &&
                    isOfRoots(reduce.getInputs().front()) &&
                    equal(reduce.getDimensions(), ArrayRef(static_cast<int64_t>(outer.size())));
  return isAlongRow ? AskedAt::inRow(op) : elsewhere;
}

void KeptRows::visit(mlir::Operation *op) {
  AskedAt at;
  for (mlir::Value result : op->getResults()) {
    at.add(asked.lookup(result));
  }
  if (at.places.size() > 1 && !at.ofRow && !at.elsewhere && isWorthKeeping(op)) {
    kept.insert(op);
    at = AskedAt::inRow(op); // only the loop that computes the kept row reads the operands
  }
  AskedAt ofOperand = ofOperands(op, at);
  for (mlir::Value operand : op->getOperands()) {
    asked[operand].add(ofOperand);
  }
}

SetVector<mlir::Operation *> keptInRows(const LoopGroup &group) {
  if (group.rowLength() < shortestKeptRow) {
    return {};
  }
  SetVector<mlir::Operation *> kept = KeptRows(group).kept;
  // If a reduction covers less than a full row, the traversal is not by rows.
  return kept.empty() || reducesWholeRows(group) ? kept : SetVector<mlir::Operation *>();
}

//===- transposes and scans -----------------------------------------------------===//

// Given a data movement operation with a result of shape `shape`, returns the dimension of the
// result along which the operand is contiguous. Returns nothing if this is the last dimension, or
// for any other operation.
static std::optional<int64_t> transposedDimension(mlir::Operation *op, const Shape &shape) {
  if (!isDataMovement(op) || !equal(shapeOf(op->getResult(0)), shape)) {
    return std::nullopt;
  }
  std::optional<IndexingMap> map = dataMovementIndexing(op);
  auto dimensions = map ? map->operandDimensions() : std::nullopt;
  if (!dimensions || dimensions->empty() || dimensions->back() < 0) {
    return std::nullopt;
  }
  auto last = static_cast<int64_t>(map->operandSizes().size()) - 1;
  auto *found = find(*dimensions, last);
  return found < std::prev(dimensions->end()) ? std::optional(found - dimensions->begin())
                                              : std::nullopt;
}

std::optional<int64_t> transposedDimension(const LoopGroup &group) {
  for (mlir::Operation *op : group.slice) {
    if (std::optional<int64_t> dimension = transposedDimension(op, group.shape)) {
      return dimension;
    }
  }
  return std::nullopt;
}

SmallVector<mlir::Operation *> transposesAlong(const LoopGroup &group, int64_t dimension) {
  SmallVector<mlir::Operation *> found;
  copy_if(group.slice, std::back_inserter(found),
          [&](mlir::Operation *op) { return transposedDimension(op, group.shape) == dimension; });
  return found;
}

bool interleavesParts(const LoopGroup &group) {
  auto count = static_cast<size_t>(group.rowLength());
  if (group.shape.size() < 2 || (count != 2 && count != 4)) {
    return false;
  }
  auto isInterleaved = [&](mlir::Value root) {
    auto parts = root.getDefiningOp<stablehlo::ConcatenateOp>();
    return parts && !hasSymbolicSizes(root.getType()) &&
           parts.getDimension() + 1 == group.shape.size() && parts->getNumOperands() == count &&
           all_of(parts->getOperands(), [](mlir::Value part) { return shapeOf(part).back() == 1; });
  };
  auto chooses = [&](mlir::Operation *op) {
    return isa<stablehlo::PadOp>(op) || classify(op) == OperationClass::Reduction ||
           (isa<stablehlo::ConcatenateOp>(op) && none_of(group.rootValues(), [&](mlir::Value root) {
              return root.getDefiningOp() == op;
            }));
  };
  return all_of(group.rootValues(), isInterleaved) && none_of(group.slice, chooses);
}

// Whether every path from `value` to the scan is pointwise, so that the scan is read at the roots'
// index.
static bool reachesPointwise(mlir::Value value, mlir::Operation *scan,
                             DenseMap<mlir::Operation *, bool> &depends) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op || op == scan) {
    return true;
  }
  return all_of(op->getOperands(), [&](mlir::Value operand) {
    bool matters = operand.getDefiningOp() && depends.lookup(operand.getDefiningOp());
    return !matters ||
           (classify(op) == OperationClass::Pointwise && reachesPointwise(operand, scan, depends));
  });
}

mlir::Operation *scanToFollow(const LoopGroup &group) {
  mlir::Operation *scan = nullptr;
  DenseMap<mlir::Operation *, bool> depends;
  for (mlir::Operation *op : group.slice) {
    if (classify(op) == OperationClass::Reduction) {
      if (scan || !prefixScan(op) || !equal(shapeOf(op->getResult(0)), group.shape)) {
        return nullptr;
      }
      scan = op;
    }
    depends[op] = op == scan || any_of(op->getOperands(), [&](mlir::Value operand) {
                    return operand.getDefiningOp() && depends.lookup(operand.getDefiningOp());
                  });
  }
  bool follows = scan && all_of(group.roots, [&](const auto &root) {
                   return depends.lookup(root.second.getDefiningOp()) &&
                          reachesPointwise(root.second, scan, depends);
                 });
  return follows ? scan : nullptr;
}

// Whether the operation's loads stay contiguous for any number of lanes.
static bool staysContiguous(mlir::Operation *op) {
  if (isa<stablehlo::BroadcastInDimOp>(op)) {
    return !dataMovementIndexing(op)->transposes();
  }
  if (auto slice = dyn_cast<stablehlo::SliceOp>(op)) {
    return slice.getStrides().empty() || slice.getStrides().back() == 1;
  }
  if (auto reshape = dyn_cast<stablehlo::ReshapeOp>(op)) {
    ArrayRef<int64_t> from = shapeOf(reshape.getOperand()), to = shapeOf(reshape.getResult());
    return from.size() == 1 || (!from.empty() && !to.empty() && from.back() == to.back() &&
                                !hasSymbolicSizes(reshape.getType()));
  }
  OperationClass kind = classify(op);
  return kind == OperationClass::Constant || kind == OperationClass::Pointwise ||
         isa<stablehlo::ReduceOp>(op);
}

bool staysContiguous(const LoopGroup &group) {
  return all_of(group.slice, [](mlir::Operation *op) { return staysContiguous(op); });
}

} // namespace drumlin
