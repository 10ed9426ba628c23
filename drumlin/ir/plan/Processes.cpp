#include "drumlin/ir/plan/Processes.h"

#include "drumlin/support/diagnostics/InterpreterErrors.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace drumlin {

static constexpr StringLiteral replicasName = "mhlo.num_replicas",
                               partitionsName = "mhlo.num_partitions";

GridShape gridOf(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  module = module ? module : op->getParentOfType<ModuleOp>();
  auto count = [&](StringRef name) -> int64_t {
    auto number = module ? module->getAttrOfType<IntegerAttr>(name) : IntegerAttr();
    return number && number.getValue().isSignedIntN(64) ? number.getValue().getSExtValue() : 1;
  };
  return {count(replicasName), count(partitionsName)};
}

void setGrid(Operation *module, const GridShape &grid) {
  Builder builder(module->getContext());
  module->setAttr(replicasName, builder.getI32IntegerAttr(static_cast<int32_t>(grid.replicas)));
  module->setAttr(partitionsName, builder.getI32IntegerAttr(static_cast<int32_t>(grid.partitions)));
}

Result<PairedProcesses> pairedProcesses(DenseIntElementsAttr pairs, int64_t channel,
                                        const GridShape &grid, StringRef label) {
  bool acrossPartitions = strategyOf(channel) == GroupStrategy::CrossPartition;
  int64_t bound = acrossPartitions ? grid.partitions : grid.replicas;
  int64_t others = acrossPartitions ? grid.replicas : grid.partitions;
  auto count = static_cast<size_t>(grid.processes());
  PairedProcesses made{SmallVector<int64_t>(count, -1), SmallVector<int64_t>(count, -1)};
  auto ids = llvm::to_vector(pairs.getValues<int64_t>());
  for (size_t i = 0; i + 1 < ids.size(); i += 2) {
    int64_t largest = std::max(ids[i], ids[i + 1]);
    if (largest >= bound || std::min(ids[i], ids[i + 1]) < 0) {
      return diagnose(errors::ProcessGridMismatch, "a pair names " + std::to_string(largest) +
                                                       ", but ids are below " +
                                                       std::to_string(bound) + label.str());
    }
    for (int64_t other = 0; other < others; ++other) {
      auto number = [&](int64_t id) {
        return acrossPartitions ? ProcessId{other, id}.flattened(grid)
                                : ProcessId{id, other}.flattened(grid);
      };
      made.sources[static_cast<size_t>(number(ids[i + 1]))] = number(ids[i]);
      made.targets[static_cast<size_t>(number(ids[i]))] = number(ids[i + 1]);
    }
  }
  return made;
}

} // namespace drumlin
