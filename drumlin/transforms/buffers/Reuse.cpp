// Finds values that take over the memory of other values, in one traversal in program order.
#include "drumlin/transforms/buffers/Reuse.h"

#include "drumlin/ir/plan/ArenaSlots.h"
#include "drumlin/ir/plan/CopyOp.h"
#include "drumlin/ir/plan/InPlace.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/support/Cost.h"

using namespace mlir;

namespace drumlin {

// Returns whether two values have equal byte sizes at every call.
static bool haveSameBytes(Value a, Value b) {
  bool isStatic = !hasSymbolicSizes(a.getType()) && !hasSymbolicSizes(b.getType());
  return isStatic ? bytesOf(a) == bytesOf(b)
                  : symbolicBytesOf(cast<RankedTensorType>(a.getType())) ==
                        symbolicBytesOf(cast<RankedTensorType>(b.getType()));
}

static bool isStaticallySmaller(Value a, Value b) {
  return !hasSymbolicSizes(a.getType()) && !hasSymbolicSizes(b.getType()) &&
         bytesOf(a) < bytesOf(b);
}

llvm::DenseMap<int64_t, BlockArgument> donorsOf(func::FuncOp function) {
  llvm::DenseMap<int64_t, BlockArgument> donors;
  for (BlockArgument argument : function.getArguments()) {
    if (std::optional<int64_t> result = donatedTo(argument)) {
      donors[*result] = argument;
    }
  }
  return donors;
}

Reuse::Reuse(func::FuncOp function) : symbols(function->getParentOfType<ModuleOp>()) {
  llvm::DenseMap<int64_t, BlockArgument> byNumber = donorsOf(function);
  for (OpOperand &returned : function.getBody().front().getTerminator()->getOpOperands()) {
    Value result = storageOf(returned.get());
    results.insert(result);
    if (BlockArgument donor = byNumber.lookup(returned.getOperandNumber())) {
      donors[result] = donor;
    }
  }
  number(function.getBody().front());
  reuse(function.getBody().front());
}

Value Reuse::memoryOf(Value value) const {
  value = storageOf(value);
  for (auto found = reused.find(value); found != reused.end(); found = reused.find(value)) {
    value = found->second;
  }
  return value;
}

ArrayRef<Value> Reuse::overwritable(Value result) const {
  auto found = larger.find(result);
  return found == larger.end() ? ArrayRef<Value>() : ArrayRef<Value>(found->second);
}

// Numbers operations in the linear order, and records the last use of each piece of storage.
void Reuse::number(Block &block) {
  for (Operation &op : block) {
    position[&op] = ++next;
    for (Value operand : op.getOperands()) {
      lastUse[storageOf(operand)] = next;
    }
    for (Region &region : op.getRegions()) {
      number(region.front());
    }
  }
}

// Returns whether a result may take over this memory: the value in it was computed in the same
// block, or is carried by the loop whose body is this block.
bool Reuse::isTakable(Value memory, Block &block) const {
  if (memory.getParentBlock() != &block || results.contains(memory)) {
    return false;
  }
  if (isa<BlockArgument>(memory)) {
    auto loop = loopOfArgument(memory);
    return loop && &loop.getBody().front() == &block;
  }
  return isa<plan::LaunchOp, plan::CopyOp>(memory.getDefiningOp());
}

// Returns whether the memory of a program's result is unused when the value in `memory` is first
// written: it may still hold a donated argument.
bool Reuse::isFreeBefore(Value result, Value memory) const {
  BlockArgument donor = donors.lookup(result);
  return !donor || lastUse.lookup(donor) < position.lookup(memory.getDefiningOp());
}

// Returns whether a block yields the result as another carried value than the one in `memory`.
// Carried values are moved one at a time at the end of an iteration, so a yielded value must not be
// in the memory of a different carried value.
bool Reuse::isYieldedElsewhere(Value result, Value memory) {
  auto carried = dyn_cast<BlockArgument>(memory);
  return carried && llvm::any_of(placesAtEnd(*carried.getOwner(), result),
                                 [&](unsigned place) { return place != carried.getArgNumber(); });
}

// Returns the operand numbers of the block terminator's operands that are in this storage.
ArrayRef<unsigned> Reuse::placesAtEnd(Block &block, Value storage) {
  auto [entry, isNew] = endings.try_emplace(&block);
  if (isNew) {
    for (OpOperand &operand : block.getTerminator()->getOpOperands()) {
      entry->second[storageOf(operand.get())].push_back(operand.getOperandNumber());
    }
  }
  auto found = entry->second.find(storage);
  return found == entry->second.end() ? ArrayRef<unsigned>() : ArrayRef<unsigned>(found->second);
}

void Reuse::take(Value result, Value memory) {
  reused[result] = memory;
  lastUse[memory] = std::max(lastUse[memory], lastUse[result]);
}

void Reuse::reuse(Block &block) {
  for (Operation &op : block) {
    if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
      reuseInputs(launch, block);
    }
    for (Region &region : op.getRegions()) {
      reuse(region.front());
    }
    if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
      reuseCarried(loop);
      reuseInitial(loop);
    } else {
      reuseReturned(op);
    }
  }
}

bool Reuse::mayWriteOver(plan::KernelOp kernel, unsigned input, unsigned output) {
  auto [entry, isNew] = inPlace.try_emplace({kernel.getOperation(), input, output});
  if (isNew) {
    entry->second = mayComputeInPlace(kernel, input, output);
  }
  return entry->second;
}

void Reuse::reuseInputs(plan::LaunchOp launch, Block &block) {
  auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
  llvm::SmallDenseMap<Value, int64_t> uses;
  for (Value operand : launch->getOperands()) {
    ++uses[memoryOf(operand)];
  }
  llvm::SmallDenseSet<Value> taken;
  for (OpResult result : launch->getOpResults()) {
    if (result.use_empty()) {
      continue;
    }
    bool isReturned = results.contains(result);
    for (OpOperand &operand : launch->getOpOperands()) {
      Value memory = memoryOf(operand.get());
      bool isSmaller = isStaticallySmaller(result, memory);
      if (uses.lookup(memory) != 1 || !isTakable(memory, block) ||
          lastUse[memory] != position[launch] || taken.contains(memory) ||
          (!isSmaller && !haveSameBytes(memory, result)) || (isSmaller && isReturned) ||
          !mayWriteOver(kernel, operand.getOperandNumber(), result.getResultNumber())) {
        continue;
      }
      if (isSmaller) {
        larger[result].push_back(memory);
      } else if (!isYieldedElsewhere(result, memory) &&
                 (!isReturned || isFreeBefore(result, memory))) {
        taken.insert(memory);
        // The result is in the caller's memory, so the value that it overwrites must be there too.
        isReturned ? take(memory, result) : take(result, memory);
        break;
      }
    }
  }
}

// Computes the next value of a carried value in the carried value's memory, after the last reader
// in the body.
void Reuse::reuseCarried(stablehlo::WhileOp loop) {
  Block &body = loop.getBody().front();
  for (OpOperand &yielded : body.getTerminator()->getOpOperands()) {
    Value next = storageOf(yielded.get());
    Value carried = body.getArgument(yielded.getOperandNumber());
    if (isMovable(next, body) && lastUse[carried] < position[next.getDefiningOp()]) {
      take(next, carried);
    }
  }
}

// Computes an initial value directly in the carried value's memory, which is free before the loop.
// Applies if only the loop reads the initial value, as one operand.
void Reuse::reuseInitial(stablehlo::WhileOp loop) {
  llvm::SmallDenseMap<Value, int64_t> uses;
  for (Value initial : loop->getOperands()) {
    ++uses[memoryOf(initial)];
  }
  for (OpOperand &operand : loop->getOpOperands()) {
    Value memory = memoryOf(operand.get()), carried = loop->getResult(operand.getOperandNumber());
    Operation *defining = memory.getDefiningOp();
    bool isComputedBefore = defining && isa<plan::LaunchOp, plan::CopyOp>(defining) &&
                            defining->getBlock() == loop->getBlock() && !results.contains(memory);
    if (isComputedBefore && isFreeBefore(carried, memory) && uses.lookup(memory) == 1 &&
        lastUse[memory] == position[loop] && haveSameBytes(memory, carried)) {
      take(memory, carried);
    }
  }
}

// Computes the values that a branch returns in the memory of the operation's result, since nothing
// else is in that memory.
void Reuse::reuseReturned(Operation &branching) {
  for (Region &region : branching.getRegions()) {
    Block &branch = region.front();
    for (OpOperand &returned : branch.getTerminator()->getOpOperands()) {
      Value next = storageOf(returned.get());
      if (isMovable(next, branch)) {
        take(next, branching.getResult(returned.getOperandNumber()));
      }
    }
  }
}

// Returns whether a value that a block yields can be computed in other memory: the block computes
// it, yields it once, and it has its own memory.
bool Reuse::isMovable(Value value, Block &block) {
  Operation *defining = value.getDefiningOp();
  return defining && placesAtEnd(block, value).size() == 1 &&
         isa<plan::LaunchOp, plan::CopyOp>(defining) && defining->getBlock() == &block &&
         memoryOf(value) == value;
}

} // namespace drumlin
