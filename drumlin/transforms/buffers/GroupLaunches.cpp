// Finds launches that may run side by side: neither writes memory that the other uses. Memory is
// assigned before, so running them together takes no more of it.
#include "drumlin/ir/costs/KernelTimes.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/SideBySide.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/transforms/PassTarget.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/buffers/Passes.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_GROUPLAUNCHESPASS
#include "drumlin/transforms/buffers/Passes.h.inc"

// Minimum predicted time of a launch that runs beside others. Calling another thread takes about
// half of this time.
static constexpr double leastSeconds = 2e-6;
// How many groups back a launch may move to run beside the launches of one.
static constexpr size_t mostGroupsBack = 8;

// A launch that is predicted to take less than this moves only over launches of few bytes: its
// result would no longer be in a core's cache when it is read. In longer ones, threads compute more
// than they wait for memory.
static constexpr double secondsOfLong = 50e-6;

// Moves constants up, but not over other operations than launches and bitcasts. They keep their
// order, which is that of the table of weights.
static void raiseConstants(Block &block) {
  Operation *last = nullptr; // after which the next constant goes; null: to the block's beginning
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isa<plan::LaunchOp>(op) && !runsNothing(&op)) {
      last = &op;
    } else if (isa<stablehlo::ConstantOp>(op)) {
      if (last) {
        op.moveAfter(last);
      } else {
        op.moveBefore(&block, block.begin());
      }
      last = &op;
    }
  }
}

// Moves an operation, and the bitcasts that it needs, behind `place`.
static void moveBehind(Operation *op, Operation *place) {
  op->moveAfter(place);
  for (Value operand : op->getOperands()) {
    Operation *needed = operand.getDefiningOp();
    if (needed && needed->getBlock() == op->getBlock() && !needed->isBeforeInBlock(op)) {
      moveBehind(needed, place);
    }
  }
}

static int64_t bytesOf(plan::LaunchOp launch) {
  int64_t bytes = 0;
  SmallVector<Value> values(launch.getInputs());
  llvm::append_range(values, launch.getOutputs());
  for (Value value : values) {
    bytes += bufferOf(value).getSize();
  }
  return bytes;
}

// Returns whether a launch reads a result of another, as the program demands.
static bool reads(plan::LaunchOp launch, plan::LaunchOp from) {
  return llvm::any_of(launch.getInputs(), [&](Value input) {
    return storageOf(input).getDefiningOp() == from.getOperation();
  });
}

namespace {
class LaunchGrouper {
public:
  // `secondsOf`: the predicted times of the kernels. `mostBytes`: of the values of launches that a
  // short one moves over.
  LaunchGrouper(const llvm::StringMap<double> &secondsOf, int64_t mostBytes, Ledger &ledger)
      : secondsOf(secondsOf), mostBytes(mostBytes), ledger(ledger) {}

  void run(Block &block) {
    groups.clear();
    raiseConstants(block);
    for (Operation &op : llvm::make_early_inc_range(block)) {
      auto launch = dyn_cast<plan::LaunchOp>(op);
      if (launch) {
        place(launch);
      } else if (!runsNothing(&op)) {
        groups.clear(); // launches don't move over control flow, copies and calls
      }
    }
    for (Operation &op : block) {
      for (Region &region : op.getRegions()) {
        for (Block &inner : region) {
          LaunchGrouper(secondsOf, mostBytes, ledger).run(inner);
        }
      }
    }
  }

private:
  using Group = SmallVector<plan::LaunchOp, 2>;

  bool mayJoin(plan::LaunchOp launch) const {
    return secondsOf.lookup(launch.getKernel()) >= leastSeconds &&
           llvm::none_of(launch->getOperandTypes(), hasSymbolicSizes) &&
           llvm::none_of(launch->getResultTypes(), hasSymbolicSizes);
  }

  void place(plan::LaunchOp launch) {
    Group *joined = mayJoin(launch) ? groupFor(launch) : nullptr;
    if (!joined) {
      groups.push_back({launch});
      return;
    }
    Decision decision = Decision::taken();
    decision.remedy = "beside @" + joined->front().getKernel().str();
    if (ledger.recordUnlessOff(Rule::RunBeside, launch, decision).isTaken()) {
      moveBehind(launch, joined->back());
      launch->setAttr(besideAttribute, UnitAttr::get(launch.getContext()));
      joined->push_back(launch);
    } else {
      groups.push_back({launch});
    }
  }

  // Returns the first group that the launch can join without moving over a launch that it depends
  // on; null if there is none.
  Group *groupFor(plan::LaunchOp launch) {
    const bool isLong = secondsOf.lookup(launch.getKernel()) >= secondsOfLong;
    Group *found = nullptr;
    int64_t bytes = 0; // of the launches after the group
    const size_t looked = std::min(groups.size(), mostGroupsBack);
    for (Group &group : llvm::reverse(MutableArrayRef(groups).take_back(looked))) {
      for (plan::LaunchOp other : group) {
        if (!interfere(launch, other)) {
          continue;
        }
        // Only memory that both use keeps them apart.
        if (!found && !reads(launch, other) && mayJoin(other)) {
          ledger.record(Rule::RunBeside, launch, Decision::declined(Reason::SharesMemory, other));
        }
        return found;
      }
      if (!isLong && bytes > mostBytes) {
        return found;
      }
      if (group.size() < mostBeside && mayJoin(group.front())) {
        found = &group;
      }
      for (plan::LaunchOp other : group) {
        bytes += bytesOf(other);
      }
    }
    return found;
  }

  const llvm::StringMap<double> &secondsOf;
  const int64_t mostBytes;
  Ledger &ledger;
  std::vector<Group> groups; // of the launches since the last other operation, in order
};

struct GroupLaunchesPass : impl::GroupLaunchesPassBase<GroupLaunchesPass> {
  using impl::GroupLaunchesPassBase<GroupLaunchesPass>::GroupLaunchesPassBase;
  GroupLaunchesPass(Ledger &ledger, const CpuTarget &target, KernelCosts *kernelCosts)
      : ledger(&ledger), target(target), kernelCosts(kernelCosts) {}

  void runOnOperation() override {
    if (!takeTarget(target, getOperation(), targetName)) {
      return signalPassFailure();
    }
    Ledger own;
    llvm::StringMap<double> secondsOf;
    for (KernelTime &time : kernelTimes(getOperation(), *target, kernelCosts)) {
      secondsOf[time.kernel.getSymName()] = time.secondsOfCall;
    }
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      for (Block &block : function.getBody()) {
        LaunchGrouper(secondsOf, target->l2Bytes / 2, ledger ? *ledger : own).run(block);
      }
    }
  }

  Ledger *ledger = nullptr;
  std::optional<CpuTarget> target;
  KernelCosts *kernelCosts = nullptr;
};
} // namespace

std::unique_ptr<Pass> createGroupLaunchesPass(Ledger &ledger, const CpuTarget &target,
                                              KernelCosts *kernelCosts) {
  return std::make_unique<GroupLaunchesPass>(ledger, target, kernelCosts);
}

} // namespace drumlin
