#include "drumlin/transforms/requirements/FusedGroups.h"

#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/FrontendAttributes.h"
#include "drumlin/ir/stablehlo/OptimizationBarrierOp.h"
#include "drumlin/support/diagnostics/RequirementErrors.h"
#include "drumlin/transforms/requirements/NearestDecisions.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;

namespace drumlin {

namespace {
class GroupChecker {
public:
  GroupChecker(std::span<const plan::ProgramOperation> operations, const Ledger &ledger)
      : operations(operations), ledger(ledger) {}

  void read(ModuleOp module) {
    module.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (plan::kernelKindOf(op)) {
        op->getRegion(0).walk([&](Operation *inner) { add(inner, op); });
        return WalkResult::skip();
      }
      // Skips operations that compute nothing.
      if (!isa<ModuleOp, func::FuncOp, plan::BitcastOp, stablehlo::ConstantOp,
               stablehlo::OptimizationBarrierOp>(op) &&
          !op->hasTrait<OpTrait::IsTerminator>()) {
        add(op, op);
      }
      return WalkResult::advance();
    });
  }

  Status check() const {
    for (const auto &[name, members] : groups) {
      if (Status status = check(name, members); !status) {
        return status;
      }
    }
    return Done{};
  }

private:
  // For each operation of a group: the kernels that compute it, or else the operations outside
  // kernels that do.
  using Members = std::map<plan::OriginPlace, llvm::SetVector<Operation *>>;

  // Returns the group of an operation: its own, or else the group of the innermost call around it
  // that has one.
  llvm::StringRef groupOf(const plan::OriginPlace &place) const {
    auto saidOf = [&](int64_t number) {
      return static_cast<size_t>(number) < operations.size()
                 ? stablehlo::frontendAttribute(operations[static_cast<size_t>(number)].attributes,
                                                stablehlo::mustFuse)
                 : llvm::StringRef();
    };
    llvm::StringRef group = saidOf(place.first);
    for (int64_t call : llvm::reverse(place.second)) {
      group = group.empty() ? saidOf(call) : group;
    }
    return group;
  }

  const plan::ProgramOperation &operation(const plan::OriginPlace &place) const {
    return operations[static_cast<size_t>(place.first)];
  }

  void add(Operation *op, Operation *holder) {
    for (const plan::OriginPlace &place : plan::placesOf(op->getLoc())) {
      llvm::StringRef group = groupOf(place);
      if (!group.empty() && operation(place).name != "stablehlo.constant") {
        groups[group.str()][place].insert(holder);
      }
    }
  }

  Status check(const std::string &name, const Members &members) const {
    std::map<Operation *, size_t> counts;
    for (const auto &[place, holders] : members) {
      for (Operation *holder : holders) {
        ++counts[holder];
      }
    }
    // Chooses the kernel with the most operations of the group. If several kernels have equally
    // many, chooses the one that computes the group's first operation.
    Operation *best = nullptr;
    const plan::OriginPlace *first = nullptr;
    for (const auto &[place, holders] : members) {
      for (Operation *holder : holders) {
        if (!best || counts[holder] > counts[best]) {
          best = holder;
          first = &place;
        }
      }
    }
    for (const auto &[place, holders] : members) {
      if (!holders.contains(best)) {
        return diagnose(errors::RequirementUnmet,
                        std::string("`") + stablehlo::mustFuse + " = \"" + name +
                            "\"` is not met: `" + operation(place).name +
                            "` isn't computed by the kernel of `" + operation(*first).name + "` (" +
                            operation(*first).source + ")" +
                            nearestDecisions(place.first, operations, ledger),
                        operation(place).source);
      }
    }
    return Done{};
  }

  std::span<const plan::ProgramOperation> operations;
  const Ledger &ledger;
  std::map<std::string, Members> groups;
};
} // namespace

bool hasFusedGroups(std::span<const plan::ProgramOperation> operations) {
  return llvm::any_of(operations, [](const plan::ProgramOperation &each) {
    return !stablehlo::frontendAttribute(each.attributes, stablehlo::mustFuse).empty();
  });
}

Status checkFusedGroups(ModuleOp module, std::span<const plan::ProgramOperation> operations,
                        const Ledger &ledger) {
  if (!hasFusedGroups(operations)) {
    return Done{};
  }
  GroupChecker checker(operations, ledger);
  checker.read(module);
  return checker.check();
}

} // namespace drumlin
