// From the last operation to the first, each joins the kernel of its users, or begins one of its
// own.
//
// The cost model counts evaluations: an operation inside a kernel is evaluated as often as its
// users ask for its elements. Joining is declined where that is several times the number of its
// elements (weighed by what one evaluation costs): then a copy in memory is cheaper. Where an
// operation's users are in several kernels of one shape, these become one kernel with several
// roots; where it is also needed in memory, it becomes a root itself; unless the kernels would need
// each other.
#include "drumlin/ir/plan/Evaluations.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/transforms/KernelFormation.h"
#include "drumlin/transforms/fusion/Passes.h"

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_LOOPFUSIONPASS
#include "drumlin/transforms/fusion/Passes.h.inc"

// A load and a store of one element that stays in the cache, and their share of a launch, in
// arithmetic operations.
static constexpr int64_t operationsPerCopiedElement = 8;
// A kernel of one walk over tiny data costs a launch; recomputing less than this many operations is
// always cheaper.
static constexpr int64_t operationsPerLaunch = 2048;
// Kernels beyond this size compile slowly and spill.
static constexpr size_t maxKernelOperations = 256;

// A kernel in the making: its roots, all of one shape, and what joined them.
struct Loop {
  KernelDraft draft;
  SmallVector<Operation *> roots;

  ArrayRef<int64_t> shape() const { return shapeOf(roots.front()->getResult(0)); }
};

static Evaluations evaluationsOf(const Loop &loop) {
  SmallVector<Operation *> ops(loop.draft.members.begin(), loop.draft.members.end());
  ops.append(loop.draft.copies.begin(), loop.draft.copies.end());
  llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  SmallVector<Value> roots;
  for (Operation *root : loop.roots) {
    roots.append(root->result_begin(), root->result_end());
  }
  Evaluations evaluations(ops, Evaluations::Sharing::Never);
  evaluations.walk(roots, loop.shape());
  evaluations.run();
  return evaluations;
}

class LoopFuser {
public:
  LoopFuser(Ledger &ledger) : ledger(ledger) {}

  void run(Block &block) {
    loops.clear();
    loopOf.clear();
    eraseUnused(block);
    SmallVector<Operation *> order;
    for (Operation &op : block) {
      order.push_back(&op);
    }
    for (Operation *op : llvm::reverse(order)) {
      if (isFusible(op) && !isKernelConstant(op) && !isa<stablehlo::ConstantOp>(op)) {
        place(op);
      }
    }
    // The last root first: kernels that repeat an operation are formed before the one that has it
    // in memory.
    llvm::sort(loops, [](const std::unique_ptr<Loop> &a, const std::unique_ptr<Loop> &b) {
      return b->roots.front()->isBeforeInBlock(a->roots.front());
    });
    for (const auto &loop : loops) {
      // A reshape alone costs nothing outside a kernel.
      if (loop->draft.members.size() == 1 && loop->draft.copies.empty() &&
          isa<stablehlo::ReshapeOp>(loop->roots.front())) {
        continue;
      }
      restoreOrder(formKernel(loop->draft));
    }
    eraseUnused(block);
    for (Operation &op : block) {
      if (classify(&op) == OperationClass::Control) {
        for (Region &region : op.getRegions()) {
          for (Block &inner : region) {
            LoopFuser(ledger).run(inner);
          }
        }
      }
    }
  }

private:
  static void eraseUnused(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block))) {
      if (op.use_empty() && isFusible(&op)) {
        op.erase();
      }
    }
  }

  // Where an operation's users are: kernels in the making, or anything else that needs it in
  // memory.
  struct Users {
    llvm::SetVector<Loop *> inside;
    Operation *other = nullptr;
  };
  Users usersOf(Operation *op) {
    // From the last one to the first: the order of a list of uses tells how a program was made, and
    // a program that was printed and read again has another.
    SmallVector<Operation *> last;
    for (Operation *user : op->getUsers()) {
      last.push_back(op->getBlock()->findAncestorOpInBlock(*user));
    }
    llvm::sort(last, [](Operation *a, Operation *b) { return a != b && b->isBeforeInBlock(a); });
    Users users;
    for (Operation *user : last) {
      auto found = loopOf.find(user);
      if (found == loopOf.end()) {
        users.other = user;
      } else {
        users.inside.insert(found->second.begin(), found->second.end());
      }
    }
    return users;
  }

  void place(Operation *op) {
    Users users = usersOf(op);
    if (op->use_empty()) {
      return;
    }
    bool free = isFree(op) && op->getNumResults() == 1;
    // A free operation is repeated in each kernel that uses it, and stands on its own only for what
    // isn't a kernel.
    if (free && !users.inside.empty()) {
      for (Loop *loop : users.inside) {
        loop->draft.copies.insert(op);
        loopOf[op].insert(loop);
      }
      if (users.other) {
        begin(op);
      } else if (users.inside.size() == 1) {
        users.inside.front()->draft.copies.remove(op);
        users.inside.front()->draft.members.insert(op);
      }
      return;
    }
    // What nothing here could compute along is no decision.
    if (users.inside.empty() && !isa<stablehlo::OptimizationBarrierOp>(users.other)) {
      begin(op);
      return;
    }
    Loop *target = users.inside.size() == 1 ? users.inside.front() : mergeUsers(op, users);
    Decision decision = ledger.settle("loop-fuse-producer", op, decideJoin(op, users, target));
    if (!decision.isTaken()) {
      begin(op);
      return;
    }
    target->draft.members.insert(op);
    loopOf[op].insert(target);
    if (users.other) {
      target->roots.push_back(op);
    }
  }

  // user(producer(x))  ==>  one kernel
  Decision decideJoin(Operation *op, const Users &users, Loop *target) {
    if (!target && users.inside.empty()) {
      return Decision::declined(Reason::Barrier, users.other);
    }
    if (!target) {
      return Decision::declined(Reason::OtherUsers,
                                users.other ? users.other : users.inside.back()->roots.front());
    }
    if (target->draft.members.size() >= maxKernelOperations) {
      return Decision::declined(Reason::OverBudget, target->roots.front());
    }
    Loop trial = *target;
    trial.draft.members.insert(op);
    if (users.other) {
      // The value is needed in memory too: it can be one more root of the same walk.
      if (op->getNumResults() != 1 || target->shape() != shapeOf(op->getResult(0)) ||
          needsThroughOutside(*target, op)) {
        return Decision::declined(Reason::OtherUsers, users.other);
      }
      trial.roots.push_back(op);
    }
    Evaluations evaluations = evaluationsOf(trial);
    double elements = static_cast<double>(elementsOf(op->getResult(0)));
    double again = evaluations.of(op) - elements;
    double each = static_cast<double>(std::max<int64_t>(operationsPerElement(op), 1));
    if (classify(op) == OperationClass::Reduction) {
      each = static_cast<double>(elementsOf(op->getOperand(0))) / std::max(elements, 1.0);
    }
    // Apart, the value is written and read, or only read where it is needed in memory anyway.
    int64_t bytes = 0;
    for (Value result : op->getResults()) {
      bytes += byteSizeOf(cast<RankedTensorType>(result.getType())).value_or(0);
    }
    Tradeoff tradeoff = {users.other ? bytes : 2 * bytes,
                         static_cast<int64_t>(std::min(std::max(again, 0.0) * each, 0x1p62))};
    if (evaluations.breaksRowWalk() ||
        again * each > operationsPerCopiedElement * elements + operationsPerLaunch) {
      return Decision::declined(Reason::Repeated, target->roots.front()).with(tradeoff);
    }
    return Decision::taken().with(tradeoff);
  }

  // a(producer(x)), b(producer(x))  ==>  one kernel of both, where they have one shape and don't
  // need each other.
  Loop *mergeUsers(Operation *op, const Users &users) {
    if (users.inside.empty()) {
      return nullptr;
    }
    Loop *first = users.inside.front();
    size_t members = 0;
    for (Loop *loop : users.inside) {
      members += loop->draft.members.size();
      if (loop->shape() != first->shape() || loop->shape() != shapeOf(op->getResult(0))) {
        return nullptr;
      }
    }
    if (members > maxKernelOperations) {
      return nullptr;
    }
    for (Loop *a : users.inside) {
      for (Loop *b : users.inside) {
        for (Operation *root : b->roots) {
          if (a != b && needsThroughOutside(*a, root)) {
            return nullptr;
          }
        }
      }
    }
    for (Loop *loop : users.inside.getArrayRef().drop_front()) {
      first->roots.append(loop->roots);
      for (Operation *member : loop->draft.members) {
        first->draft.copies.remove(member);
        first->draft.members.insert(member);
        loopOf[member].clear();
        loopOf[member].insert(first);
      }
      for (Operation *copy : loop->draft.copies) {
        if (!first->draft.members.contains(copy)) {
          first->draft.copies.insert(copy);
        }
        loopOf[copy].remove(loop);
        loopOf[copy].insert(first);
      }
      llvm::erase_if(
          loops, [&](const std::unique_ptr<Loop> &candidate) { return candidate.get() == loop; });
    }
    return first;
  }

  // Whether `loop` needs `op`'s value through anything but its own members: then it can't compute
  // it as well. A kernel in the making on the way is needed whole.
  bool needsThroughOutside(const Loop &loop, Operation *op) {
    llvm::SmallPtrSet<Operation *, 32> seen;
    SmallVector<Operation *> worklist;
    auto needOperandsOf = [&](Operation *user, const Loop *inside) {
      auto need = [&](Value operand) {
        Operation *defining = operand.getDefiningOp();
        if (defining && defining->getBlock() == op->getBlock() &&
            !(inside && inside->draft.contains(defining))) {
          worklist.push_back(defining);
        }
      };
      llvm::for_each(user->getOperands(), need);
      llvm::SetVector<Value> captured;
      getUsedValuesDefinedAbove(user->getRegions(), captured);
      llvm::for_each(captured, need);
    };
    for (Operation *member : loop.draft.members) {
      needOperandsOf(member, &loop);
    }
    // What members use directly is no detour; only operations between are.
    llvm::erase_if(worklist, [&](Operation *direct) { return direct == op; });
    while (!worklist.empty()) {
      Operation *current = worklist.pop_back_val();
      if (current == op) {
        return true;
      }
      // What stands before the operation can't need it, but a kernel in the making stands where its
      // last member does.
      auto found = loopOf.find(current);
      if (!seen.insert(current).second || (found == loopOf.end() && current->isBeforeInBlock(op))) {
        continue;
      }
      needOperandsOf(current, nullptr);
      if (found != loopOf.end()) {
        for (Loop *other : found->second) {
          for (Operation *member : other->draft.members) {
            if (seen.insert(member).second) {
              needOperandsOf(member, other);
            }
          }
        }
      }
    }
    return false;
  }

  void begin(Operation *op) {
    auto loop = std::make_unique<Loop>();
    loop->roots.push_back(op);
    loop->draft.members.insert(op);
    loopOf[op].insert(loop.get());
    loops.push_back(std::move(loop));
  }

  Ledger &ledger;
  std::vector<std::unique_ptr<Loop>> loops;
  DenseMap<Operation *, llvm::SetVector<Loop *>> loopOf;
};

struct LoopFusionPass : impl::LoopFusionPassBase<LoopFusionPass> {
  LoopFusionPass() = default;
  explicit LoopFusionPass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    Ledger &target = ledger ? *ledger : own;
    LoopFuser(target).run(getOperation().getBody().front());
  }

  Ledger *ledger = nullptr;
};

std::unique_ptr<Pass> createLoopFusionPass(Ledger &ledger) {
  return std::make_unique<LoopFusionPass>(ledger);
}

} // namespace drumlin
