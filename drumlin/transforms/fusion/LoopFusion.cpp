// From the last operation to the first, each joins the kernel of its users, or begins one of its own.
//
// The cost model counts evaluations: an operation inside a kernel is evaluated as often as its users ask for its elements.
// Joining is declined where that is several times the number of its elements (weighed by what one evaluation costs): then
// a copy in memory is cheaper. A kernel has one root, so joining makes no cycle: all users of what joins are inside.
#include "drumlin/transforms/KernelFormation.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/transforms/fusion/Passes.h"
#include "drumlin/ir/plan/LoopWalk.h"

#include "drumlin/ir/stablehlo/StablehloOps.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_LOOPFUSIONPASS
#include "drumlin/transforms/fusion/Passes.h.inc"

// A load and a store of one element that stays in the cache, and their share of a launch, in arithmetic operations.
static constexpr int64_t operationsPerCopiedElement = 8;
// A kernel of one walk over tiny data costs a launch; recomputing less than this many operations is always cheaper.
static constexpr int64_t operationsPerLaunch = 2048;
// Kernels beyond this size compile slowly and spill.
static constexpr size_t maxKernelOperations = 256;

static int64_t elementsOf(Value value) { return cast<RankedTensorType>(value.getType()).getNumElements(); }

// A kernel in the making: its root and what joined it.
struct Loop {
  KernelDraft draft;
  Operation *root;
};

// How often each operation of a kernel is evaluated, given how often the root is.
class Evaluations {
public:
  explicit Evaluations(const Loop &loop) {
    ops.assign(loop.draft.members.begin(), loop.draft.members.end());
    ops.append(loop.draft.copies.begin(), loop.draft.copies.end());
    llvm::sort(ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    ArrayRef<int64_t> rootShape = shapeOf(loop.root->getResult(0));
    int64_t rowLength = rootShape.empty() ? 1 : rootShape.back();
    rows = rowLength >= shortestRow;
    int64_t total = elementsOf(loop.root->getResult(0));
    std::optional<LastDimensionUse> use;
    if (rows) {
      SmallVector<Value> roots(loop.root->getResults());
      use.emplace(Shape(rootShape), roots, ops);
    }
    for (Operation *op : llvm::reverse(ops)) {
      double times = op == loop.root ? static_cast<double>(total) : 0;
      for (Operation *user : op->getUsers()) {
        auto found = counts.find(user);
        if (found != counts.end()) {
          times += found->second * elementsAskedFor(user, op);
        }
      }
      bool independent = use && use->isIndependent(op) && op != loop.root;
      // What is the same for a whole row is computed once before it.
      counts[op] = independent ? std::min(times, static_cast<double>(total) / static_cast<double>(rowLength)) : times;
      if (reducesInnermost(op) && op != loop.root && rows && !independent) {
        breaksRows = true;
      }
    }
  }

  double of(Operation *op) const { return counts.lookup(op); }
  // A reduction along rows that differs inside a row would take the row's lanes away.
  bool breaksRowWalk() const { return breaksRows; }

private:
  static double elementsAskedFor(Operation *user, Operation *producer) {
    if (auto reduce = dyn_cast<stablehlo::ReduceOp>(user)) {
      for (Value init : reduce.getInitValues()) {
        if (init.getDefiningOp() == producer) {
          return 1;
        }
      }
      return static_cast<double>(elementsOf(reduce.getInputs().front())) /
             static_cast<double>(std::max<int64_t>(elementsOf(reduce.getResult(0)), 1));
    }
    if (auto window = dyn_cast<stablehlo::ReduceWindowOp>(user)) {
      double positions = 1;
      for (int64_t size : window.getWindowDimensions()) {
        positions *= static_cast<double>(size);
      }
      return positions;
    }
    return 1;
  }

  SmallVector<Operation *> ops;
  DenseMap<Operation *, double> counts;
  bool rows = false;
  bool breaksRows = false;
};

class LoopFuser {
public:
  LoopFuser(Ledger &ledger) : ledger(ledger) {}

  void run(Block &block) {
    loops.clear();
    loopOf.clear();
    SmallVector<Operation *> order;
    for (Operation &op : block) {
      order.push_back(&op);
    }
    for (Operation *op : llvm::reverse(order)) {
      if (isFusible(op) && !isKernelConstant(op) && !isa<stablehlo::ConstantOp>(op)) {
        place(op);
      }
    }
    // The last root first: kernels that repeat an operation are formed before the one that has it in memory.
    llvm::sort(loops, [](const std::unique_ptr<Loop> &a, const std::unique_ptr<Loop> &b) {
      return b->root->isBeforeInBlock(a->root);
    });
    for (const auto &loop : loops) {
      // A reshape alone costs nothing outside a kernel.
      if (loop->draft.members.size() == 1 && loop->draft.copies.empty() && isa<stablehlo::ReshapeOp>(loop->root)) {
        continue;
      }
      formKernel(loop->draft);
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

  // Where an operation's users are: kernels in the making, or anything else that needs it in memory.
  struct Users {
    llvm::SetVector<Loop *> inside;
    Operation *other = nullptr;
  };
  Users usersOf(Operation *op) {
    Users users;
    for (Operation *user : op->getUsers()) {
      Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
      auto found = ancestor ? loopOf.find(ancestor) : loopOf.end();
      if (found == loopOf.end()) {
        users.other = ancestor ? ancestor : user;
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
    // A free operation is repeated in each kernel that uses it, and stands on its own only for what isn't a kernel.
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
    Loop *target = users.inside.size() == 1 ? users.inside.front() : nullptr;
    Decision decision = decideJoin(op, users, target);
    ledger.record("loop-fuse-producer", op, decision);
    if (decision.isTaken()) {
      target->draft.members.insert(op);
      loopOf[op].insert(target);
    } else {
      begin(op);
    }
  }

  // user(producer(x))  ==>  one kernel
  Decision decideJoin(Operation *op, const Users &users, Loop *target) {
    if (users.other) {
      return Decision::declined(Reason::OtherUsers, users.other);
    }
    if (!target) {
      return Decision::declined(Reason::OtherUsers, users.inside.back()->root);
    }
    if (isa<stablehlo::OptimizationBarrierOp>(op)) {
      return Decision::declined(Reason::Barrier, op);
    }
    if (target->draft.members.size() >= maxKernelOperations) {
      return Decision::declined(Reason::OverBudget, target->root);
    }
    Loop trial = *target;
    trial.draft.members.insert(op);
    Evaluations evaluations(trial);
    if (evaluations.breaksRowWalk()) {
      return Decision::declined(Reason::Repeated, target->root);
    }
    double elements = static_cast<double>(elementsOf(op->getResult(0)));
    double again = evaluations.of(op) - elements;
    double each = static_cast<double>(std::max<int64_t>(operationsPerElement(op), 1));
    if (classify(op) == OperationClass::Reduction) {
      each = static_cast<double>(elementsOf(op->getOperand(0))) / std::max(elements, 1.0);
    }
    if (again * each > operationsPerCopiedElement * elements + operationsPerLaunch) {
      return Decision::declined(Reason::Repeated, target->root);
    }
    return Decision::taken();
  }

  void begin(Operation *op) {
    auto loop = std::make_unique<Loop>();
    loop->root = op;
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

std::unique_ptr<Pass> createLoopFusionPass(Ledger &ledger) { return std::make_unique<LoopFusionPass>(ledger); }

} // namespace drumlin
