#include "drumlin/ir/plan/loop/LoopReads.h"

#include "drumlin/ir/indexing/AffineSimplifier.h"
#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace drumlin {

// Maximum number of distinct indexing maps by which one value is read. If there are more,
// followReads() returns false.
static constexpr size_t maxWays = 16;

bool followReads(const LoopGroup &group, function_ref<bool(Value)> isWanted,
                 function_ref<bool(Value, const IndexingMap *)> visit) {
  llvm::DenseMap<Value, SmallVector<IndexingMap>> ways; // maps from the results' index
  // Records a read; returns false if the traversal must end.
  auto ask = [&](Value value, IndexingMap way) {
    if (way.readsNothing() || !isWanted(value)) {
      return true;
    }
    if (!visit(value, &way)) {
      return false;
    }
    SmallVector<IndexingMap> &known = ways[value];
    if (value.getDefiningOp() && !llvm::is_contained(known, way)) {
      known.push_back(std::move(way));
    }
    return known.size() <= maxWays;
  };
  for (Value root : group.rootValues()) {
    if (!ask(root, IndexingMap::identity(group.shape, root.getContext()))) {
      return false;
    }
  }
  auto follow = [&](const IndexingMap &way, OpOperand &operand, OpResult result) {
    std::optional<IndexingMap> map = indexing(operand, result.getResultNumber());
    return map ? ask(operand.get(), map->isIdentity() ? way : way.followedBy(*map))
               : !isWanted(operand.get()) || visit(operand.get(), nullptr);
  };
  for (Operation *op : llvm::reverse(group.slice)) {
    for (OpResult result : op->getResults()) {
      for (const IndexingMap &way : SmallVector<IndexingMap>(ways.lookup(result))) {
        if (!llvm::all_of(op->getOpOperands(),
                          [&](OpOperand &operand) { return follow(way, operand, result); })) {
          return false;
        }
      }
    }
  }
  return true;
}

namespace {
// Follows the reads of the group's results back to the argument, through the values that depend on
// the argument.
class ReadsOf {
public:
  ReadsOf(BlockArgument argument, const LoopGroup &group, int64_t resultBytes)
      : argument(argument), group(group), resultBytes(resultBytes),
        argumentBytes(storageBytes(elementTypeOf(getElementTypeOrSelf(argument.getType())))) {}

  bool areAhead() {
    if (!findDependents()) {
      return false;
    }
    return followReads(
        group, [&](Value value) { return dependents.contains(value); },
        [&](Value value, const IndexingMap *way) {
          return way && (value != argument || isAhead(*way));
        });
  }

private:
  // Collects the values that depend on the argument. Returns false if no indexing map describes a
  // read because it is in a region or has symbolic sizes.
  bool findDependents() {
    dependents.insert(argument);
    auto reads = [&](Operation *op) {
      return llvm::any_of(op->getOperands(),
                          [&](Value operand) { return dependents.contains(operand); });
    };
    for (Operation &op : *argument.getOwner()) {
      bool isReader = reads(&op);
      WalkResult regions = op.walk([&](Operation *inner) {
        return inner != &op && reads(inner) ? WalkResult::interrupt() : WalkResult::advance();
      });
      if (regions.wasInterrupted() || (isReader && hasSymbolicSizes(op))) {
        return false;
      }
      if (isReader) {
        dependents.insert(op.result_begin(), op.result_end());
      }
    }
    return true;
  }

  static bool hasSymbolicSizes(Operation &op) {
    auto isSymbolic = [](Type type) { return drumlin::hasSymbolicSizes(type); };
    return llvm::any_of(op.getOperandTypes(), isSymbolic) ||
           llvm::any_of(op.getResultTypes(), isSymbolic);
  }

  // Whether no result reads an element whose position in bytes is less than the position of the
  // result.
  bool isAhead(const IndexingMap &way) const {
    MLIRContext *context = argument.getContext();
    SmallVector<AffineExpr> index;
    for (size_t d = 0; d < way.sizes().size(); ++d) {
      index.push_back(getAffineDimExpr(static_cast<unsigned>(d), context));
    }
    SmallVector<int64_t> symbols;
    for (const IndexingMap::Symbol &symbol : way.symbols()) {
      symbols.push_back(symbol.size);
    }
    AffineSimplifier simplifier(way.sizes(), symbols, context);
    AffineExpr ahead =
        way.position() * argumentBytes - way.position(index, way.sizes()) * resultBytes;
    return simplifier.range(simplifier.run(ahead)).first >= 0;
  }

  BlockArgument argument;
  const LoopGroup &group;
  int64_t resultBytes, argumentBytes;
  llvm::DenseSet<Value> dependents;
};
} // namespace

bool isReadAhead(BlockArgument argument, const LoopGroup &group, int64_t resultBytes) {
  return ReadsOf(argument, group, resultBytes).areAhead();
}

} // namespace drumlin
