#include "drumlin/ir/plan/LoopWalk.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"

using namespace llvm;

namespace drumlin {

// Elements that one tile computes at least: below it, handing work to another thread costs more
// than it saves.
static constexpr int64_t tileElements = 16 * 1024;
// Tiles of one kernel at most: enough to share evenly among many threads.
static constexpr int64_t maxTiles = 256;

// Operands first.
static void collectSlice(mlir::Value root, SetVector<mlir::Operation *> &slice) {
  // Operations whose operands are being collected, with the next one of these.
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

// Which dimensions of the operand's index vary where those of the result's do that `at` says.
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
    // Where all positions are read, they are for every index.
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

// Whether the operation needs the index of a dimension, not just the position.
static bool needsDimensions(mlir::Operation *op) {
  if (classify(op) == OperationClass::Pointwise) {
    return false;
  }
  return isa<stablehlo::IotaOp>(op) || any_of(op->getOpOperands(), [](mlir::OpOperand &operand) {
           std::optional<IndexingMap> map = indexing(operand);
           return !map || !(map->keepsPositions() || map->map().isConstant());
         });
}

// The dimension of the roots along which a transposed operand is contiguous, if that isn't the last
// one.
static std::optional<int64_t> transposedDimension(const LoopGroup &group) {
  for (mlir::Operation *op : group.slice) {
    auto transpose = dyn_cast<stablehlo::TransposeOp>(op);
    if (!transpose || !equal(shapeOf(transpose.getResult()), group.shape)) {
      continue;
    }
    auto last = static_cast<int64_t>(group.shape.size()) - 1;
    const auto *found = find(transpose.getPermutation(), last);
    int64_t dimension = found - transpose.getPermutation().begin();
    if (dimension != last) {
      return dimension;
    }
  }
  return std::nullopt;
}

// Operations whose loads stay contiguous whatever the number of lanes.
static bool staysContiguous(mlir::Operation *op) {
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
    return is_sorted(broadcast.getBroadcastDimensions());
  }
  OperationClass kind = classify(op);
  return kind == OperationClass::Constant || kind == OperationClass::Pointwise ||
         isa<stablehlo::ReduceOp>(op);
}

// A sum waits for its own last addition: several registers of lanes hide that. Columns that are
// reduced together also read longer pieces of each row.
static int64_t chooseWidth(const LoopGroup &group, int64_t available) {
  constexpr int64_t rowRegisters = 4, columnRegisters = 8;
  // Every value takes that many registers, of which there are 32.
  constexpr int64_t maxOperations = 16;
  bool reduces =
      any_of(group.slice, [](mlir::Operation *op) { return isa<stablehlo::ReduceOp>(op); });
  int64_t pointwise = count_if(
      group.slice, [](mlir::Operation *op) { return classify(op) == OperationClass::Pointwise; });
  if (!reduces || pointwise > maxOperations || !all_of(group.slice, staysContiguous)) {
    return walkLanes;
  }
  bool inner = any_of(group.slice, reducesInnermost);
  int64_t width = walkLanes * (inner ? rowRegisters : columnRegisters);
  for (mlir::Operation *op : group.slice) {
    if (reducesInnermost(op)) {
      available = std::min(available, shapeOf(op->getOperand(0)).back());
    }
  }
  while (width > walkLanes && width > available) {
    width /= 2;
  }
  return width;
}

// The transposes of a blocked walk that whole blocks can take through registers.
static SmallVector<mlir::Operation *> registerTransposes(const LoopGroup &group) {
  // The block's positions are unrolled, so what is computed at each must be little.
  constexpr int64_t maxOperations = 16;
  auto blocked = static_cast<size_t>(group.blockedDimension);
  int64_t operations = 0;
  SmallVector<mlir::Operation *> found;
  for (mlir::Operation *op : group.slice) {
    operations += operationsPerElement(op);
    auto transpose = dyn_cast<stablehlo::TransposeOp>(op);
    if (transpose && equal(shapeOf(transpose.getResult()), group.shape) &&
        transpose.getPermutation()[blocked] == static_cast<int64_t>(group.shape.size()) - 1) {
      found.push_back(op);
    }
  }
  bool wholeBlocks = group.shape[blocked] % walkBlock == 0 && group.shape.back() % walkLanes == 0;
  return wholeBlocks && operations <= maxOperations ? found : SmallVector<mlir::Operation *>();
}

// Whether every way from `value` to the scan is pointwise: then the scan is asked for at the roots'
// own index.
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

// The prefix scan that the group's walk can follow: its only reduction, wanted at the roots' own
// index.
static mlir::Operation *scanToFollow(const LoopGroup &group) {
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

static void chooseWalk(LoopGroup &group) {
  int64_t total = *elementCount(group.shape);
  int64_t rowLength = group.shape.empty() ? 1 : group.shape.back();
  bool hasInnerReduction = any_of(group.slice, reducesInnermost);
  bool dimensions = any_of(group.slice, needsDimensions);
  bool isOneRow = rowLength == total;
  group.scan = scanToFollow(group);
  if (group.scan) {
    group.walk = Walk::Scan;
  } else if (hasInnerReduction) {
    group.walk = Walk::Single;
    if (rowLength >= shortestRow) {
      SmallVector<mlir::Value> roots;
      for (auto [number, root] : group.roots) {
        roots.push_back(root);
      }
      LastDimensionUse use(group.shape, roots, group.slice.getArrayRef());
      bool all = true;
      for (mlir::Operation *op : group.slice) {
        if (isa<stablehlo::ReduceOp>(op) && use.isIndependent(op)) {
          group.rowReductions.push_back(op);
        } else if (reducesInnermost(op)) {
          all = false;
        }
      }
      if (all) {
        group.walk = Walk::Rows;
      } else {
        group.rowReductions.clear();
      }
    }
    group.width =
        chooseWidth(group, group.walk == Walk::Rows ? rowLength : total * walkLanes * walkLanes);
  } else if (dimensions && rowLength >= shortestRow) {
    std::optional<int64_t> blocked = transposedDimension(group);
    group.walk = blocked ? Walk::Blocked : isOneRow ? Walk::Flat : Walk::Rows;
    group.blockedDimension = blocked.value_or(0);
    if (blocked) {
      group.transposes = registerTransposes(group);
    }
    group.width = blocked ? walkLanes : chooseWidth(group, rowLength);
  }

  int64_t work = 1; // elements read for one result
  for (mlir::Operation *op : group.slice) {
    if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
      int64_t in = *elementCount(shapeOf(reduce.getInputs().front()));
      int64_t out = std::max<int64_t>(*elementCount(shapeOf(reduce.getResult(0))), 1);
      work = std::max(work, in / out);
    }
  }
  int64_t stepWork =
      group.walk == Walk::Rows ? rowLength * (group.rowReductions.empty() ? work : 1) : work;
  group.count = group.walk == Walk::Rows ? total / std::max<int64_t>(rowLength, 1) : total;
  if (group.walk == Walk::Scan) {
    int64_t dimension = prefixScan(group.scan)->dimension;
    int64_t extent = group.shape[static_cast<size_t>(dimension)];
    group.count = total / extent;
    stepWork = extent;
    bool byLanes =
        dimension != static_cast<int64_t>(group.shape.size()) - 1 && rowLength >= shortestRow;
    if (byLanes) {
      group.count /= rowLength;
      stepWork *= rowLength;
    }
  }
  if (group.walk == Walk::Blocked) {
    int64_t extent = group.shape[static_cast<size_t>(group.blockedDimension)];
    group.count = total / rowLength / extent * ((extent + walkBlock - 1) / walkBlock);
    stepWork = rowLength * walkBlock;
  }
  int64_t perTile = std::max<int64_t>(tileElements / std::max<int64_t>(stepWork, 1), 1);
  perTile = std::max(perTile, (group.count + maxTiles - 1) / maxTiles);
  // Positions are walked by whole vectors, so a tile begins at one.
  if (group.walk == Walk::Flat) {
    perTile = (perTile + group.width - 1) / group.width * group.width;
  }
  group.perTile = perTile;
  group.tiles = (group.count + perTile - 1) / perTile;
}

std::vector<LoopGroup> groupRoots(mlir::Block &block) {
  std::vector<LoopGroup> groups;
  for (auto [number, value] : enumerate(block.getTerminator()->getOperands())) {
    Shape shape(shapeOf(value));
    if (*elementCount(shape) == 0) {
      continue;
    }
    auto found = find_if(groups, [&](const LoopGroup &group) { return group.shape == shape; });
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
    chooseWalk(group);
  }
  return groups;
}

} // namespace drumlin
