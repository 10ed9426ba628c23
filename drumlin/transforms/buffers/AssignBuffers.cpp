// Assigns buffers: computes liveness in the program's linear order, including loop bodies and
// branches, and fills one arena by best fit.
#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/CopyOp.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/transforms/buffers/Passes.h"

#include "drumlin/ir/plan/ArenaSlots.h"
#include "drumlin/ir/plan/InPlace.h"
#include "drumlin/support/Cost.h"
#include "drumlin/transforms/buffers/PlacedArena.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_ASSIGNBUFFERSPASS
#include "drumlin/transforms/buffers/Passes.h.inc"

static plan::CopyOp insertCopy(OpOperand &operand, Operation *before, StringRef reason) {
  OpBuilder builder(before);
  Value value = operand.get();
  auto copy = plan::CopyOp::create(builder, before->getLoc(), value.getType(), value, reason);
  operand.set(copy.getResult());
  return copy;
}

static BlockArgument functionArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? argument
                                                                           : BlockArgument();
}

// Returns whether the operation that computes `value` may write it into the memory of an argument
// that was donated to this value. If so, nothing reads the argument later, and the operation itself
// reads only elements that it is about to overwrite.
static bool mayOverwrite(BlockArgument argument, OpResult value, const SymbolTable &symbols) {
  Operation *writer = value.getOwner();
  Block *block = argument.getOwner();
  SmallVector<Value> names = {argument};
  while (!names.empty()) {
    Value name = names.pop_back_val();
    for (OpOperand &use : name.getUses()) {
      Operation *user = block->findAncestorOpInBlock(*use.getOwner());
      if (auto bitcast = dyn_cast<plan::BitcastOp>(use.getOwner())) {
        names.push_back(bitcast.getResult());
        continue;
      }
      if (user->isBeforeInBlock(writer)) {
        continue;
      }
      if (user != writer) {
        return false;
      }
      if (auto loop = dyn_cast<stablehlo::WhileOp>(writer)) {
        // The initial value of this carried value is already in the carried value's memory.
        if (use.getOwner() != writer || use.getOperandNumber() != value.getResultNumber()) {
          return false;
        }
        continue;
      }
      auto launch = dyn_cast<plan::LaunchOp>(writer);
      auto kernel = launch ? symbols.lookup<plan::KernelOp>(launch.getKernel()) : plan::KernelOp();
      if (!kernel || !mayComputeInPlace(kernel, use.getOperandNumber(), value.getResultNumber())) {
        return false;
      }
    }
  }
  return true;
}

// Inserts copies for results that can't be computed into their own buffer, and for carried values
// that are exchanged. Copies that read arguments come first, and copies into donated memory last,
// so that no copy overwrites a value that another copy reads.
static void insertCopies(func::FuncOp function) {
  SymbolTable symbols(function->getParentOfType<ModuleOp>());
  Operation *terminator = function.getBody().front().getTerminator();
  llvm::DenseMap<int64_t, BlockArgument> donors = donorsOf(function);
  llvm::SmallDenseSet<Value> returned;
  for (OpOperand &operand : terminator->getOpOperands()) {
    BlockArgument argument = functionArgument(storageOf(operand.get()));
    // If an argument is donated to this result and returned unchanged, it is already in the
    // result's buffer.
    if (argument && donors.lookup(operand.getOperandNumber()) != argument) {
      bool isDonated = donors.contains(operand.getOperandNumber());
      insertCopy(operand, terminator, isDonated ? "donation" : "output");
    }
  }
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value storage = storageOf(operand.get());
    if (isa<BlockArgument>(storage)) {
      continue;
    }
    bool computed =
        !isa<stablehlo::ConstantOp>(storage.getDefiningOp()) && returned.insert(storage).second;
    BlockArgument donor = donors.lookup(operand.getOperandNumber());
    if (!computed || (donor && !mayOverwrite(donor, cast<OpResult>(storage), symbols))) {
      insertCopy(operand, terminator, "output");
    }
  }
  function.walk([&](stablehlo::WhileOp loop) {
    Operation *yield = loop.getBody().front().getTerminator();
    for (OpOperand &operand : yield->getOpOperands()) {
      Value storage = storageOf(operand.get());
      auto argument = dyn_cast<BlockArgument>(storage);
      if (loopOfArgument(storage) == loop &&
          argument.getArgNumber() != operand.getOperandNumber()) {
        insertCopy(operand, yield, "loop-carry");
      }
    }
  });
}

struct AssignBuffersPass : impl::AssignBuffersPassBase<AssignBuffersPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    MLIRContext *context = &getContext();
    insertCopies(function);
    Reuse reuse(function);
    Liveness liveness(function, reuse);
    Arena arena(liveness);
    if (arena.isTooLarge()) {
      function.emitError("has values whose bytes together don't fit in 64 bits");
      return signalPassFailure();
    }
    Slots slots(liveness.inOrder(), nominalValues(sizeSymbolsOf(function)), arena.bytes());
    auto weights = static_cast<int64_t>(weightCount(function));
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == function || isa<plan::BitcastOp>(op) || op->getNumResults() == 0) {
        return;
      }
      SmallVector<Attribute> buffers;
      for (OpResult result : op->getResults()) {
        if (isa<stablehlo::ConstantOp>(op)) {
          buffers.push_back(plan::BufferAttr::get(context, plan::BufferKind::weight, weights++, 0,
                                                  bytesOf(result)));
          continue;
        }
        const Interval &interval = liveness.of(result);
        buffers.push_back(
            interval.result ? plan::BufferAttr::get(context, plan::BufferKind::result,
                                                    *interval.result, 0, interval.size)
            : interval.roomOf
                ? plan::BufferAttr::get(context, plan::BufferKind::result, *interval.roomOf,
                                        interval.offset, interval.size)
                : plan::BufferAttr::get(context, plan::BufferKind::arena, interval.slot + 1,
                                        interval.offset, interval.size));
      }
      op->setAttr(buffersAttribute, ArrayAttr::get(context, buffers));
    });
    function->setAttr(arenaBytesAttribute,
                      IntegerAttr::get(IntegerType::get(context, 64), slots.nominalEnd()));
    if (std::vector<SizeExpression> sizes = slots.sizes(); !sizes.empty()) {
      function->setAttr(arenaSlotsAttribute, sizes::SizesAttr::get(context, str(sizes)));
    }
  }
};

} // namespace drumlin
