// Collectives of a program that one process runs: a group has that process alone, so that what all
// bring together is what it brings. Groups of more processes stay, and have no native code.
#include "drumlin/transforms/simplify/decompose/Decompose.h"

#include "drumlin/ir/stablehlo/ReplicaGroups.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

// Whether a program asks for one replica and one partition, or says nothing of them.
static bool isOfOneProcess(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  return llvm::all_of(ArrayRef<StringRef>{"mhlo.num_replicas", "mhlo.num_partitions"},
                      [&](StringRef name) {
                        auto count = module->getAttrOfType<IntegerAttr>(name);
                        return !count || count.getInt() == 1;
                      });
}

// One group of process 0; where none is listed, of all processes if `mayBeOfAll`.
static bool isAlone(Operation *op, Attribute ids, bool mayBeOfAll) {
  ScopedDiagnosticHandler quiet(op->getContext(), [](Diagnostic &) { return success(); });
  FailureOr<stablehlo::IdGroups> groups =
      stablehlo::idGroupsOf([&] { return op->emitError(); }, op, ids);
  if (failed(groups)) {
    return false;
  }
  if (groups->empty()) {
    return mayBeOfAll;
  }
  return groups->size() == 1 && groups->front().size() == 1 && groups->front().front() == 0;
}

// What the process brings is what it gets.
static Replacements operandsOf(Operation *op, ValueRange operands) {
  return llvm::equal(operands.getTypes(), op->getResultTypes())
             ? Replacements(SmallVector<Value>(operands))
             : std::nullopt;
}

// Zero, unless it is sent to.
static Replacements permutationOf(stablehlo::CollectivePermuteOp op) {
  bool isSent = false, isSentByOther = false;
  auto pairs = llvm::to_vector(op.getSourceTargetPairs().getValues<int64_t>());
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    bool isTarget = pairs[i + 1] == 0;
    isSent |= isTarget && pairs[i] == 0;
    isSentByOther |= isTarget && pairs[i] != 0;
  }
  if (isSentByOther) {
    return std::nullopt;
  }
  if (isSent) {
    return operandsOf(op, op->getOperands());
  }
  TensorBuilder b(op);
  return SmallVector<Value>{
      b.zero(TensorBuilder::elementOf(op.getResult()), shapeOf(op.getResult()))};
}

Replacements decomposeCollectives(Operation *op) {
  auto alone = [&](auto collective, bool mayBeOfAll) -> Replacements {
    return isAlone(op, collective.getReplicaGroups(), mayBeOfAll)
               ? operandsOf(op, op->getOperands())
               : std::nullopt;
  };
  if (!isOfOneProcess(op)) {
    return std::nullopt;
  }
  return llvm::TypeSwitch<Operation *, Replacements>(op)
      .Case<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::AllToAllOp,
            stablehlo::ReduceScatterOp>([&](auto collective) { return alone(collective, true); })
      .Case<stablehlo::CollectiveBroadcastOp, stablehlo::CollectiveReduceOp>(
          [&](auto collective) { return alone(collective, false); })
      .Case<stablehlo::CollectivePermuteOp>([](auto permute) { return permutationOf(permute); })
      .Case<stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>([](auto id) -> Replacements {
        TensorBuilder b(id);
        return SmallVector<Value>{b.zero(TensorBuilder::elementOf(id.getResult()))};
      })
      .Default([](auto) { return std::nullopt; });
}

// What is started is computed there: nothing runs beside the program.
void inlineAsynchronous(Region &function) {
  SmallVector<stablehlo::AsyncStartOp> starts;
  function.walk([&](stablehlo::AsyncStartOp start) {
    bool isAwaited = llvm::all_of(
        start->getUsers(), [](Operation *user) { return isa<stablehlo::AsyncDoneOp>(user); });
    if (isAwaited && start.getBody().hasOneBlock()) {
      starts.push_back(start);
    }
  });
  for (stablehlo::AsyncStartOp start : starts) {
    OpBuilder builder(start);
    Block &body = start.getBody().front();
    IRMapping mapping;
    mapping.map(body.getArguments(), start->getOperands());
    for (Operation &op : body.without_terminator()) {
      builder.clone(op, mapping);
    }
    SmallVector<Value> results;
    for (Value value : body.getTerminator()->getOperands()) {
      results.push_back(mapping.lookupOrDefault(value));
    }
    for (Operation *done : llvm::make_early_inc_range(start->getUsers())) {
      done->replaceAllUsesWith(results);
      done->erase();
    }
    start.erase();
  }
}

} // namespace drumlin
