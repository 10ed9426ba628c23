#include "drumlin/ir/plan/SideBySide.h"

#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"

using namespace mlir;

namespace drumlin {

bool runsNothing(Operation *op) { return isa<plan::BitcastOp, stablehlo::ConstantOp>(op); }

MemoryPlace placeOf(Value value) {
  const plan::BufferAttr buffer = bufferOf(value);
  if (auto argument = dyn_cast<BlockArgument>(storageOf(value))) {
    if (std::optional<int64_t> result = donatedTo(argument)) {
      return {plan::BufferKind::result, *result, 0, buffer.getSize()};
    }
  }
  return {buffer.getKind(), buffer.getIndex(), buffer.getOffset(),
          buffer.getOffset() + buffer.getSize()};
}

bool areDisjoint(const MemoryPlace &a, const MemoryPlace &b) {
  return a.memory() != b.memory() || a.end <= b.begin || b.end <= a.begin;
}

// Returns whether `writer` writes memory that `other` reads or, if `andWrites`, writes.
static bool writesMemoryOf(plan::LaunchOp writer, plan::LaunchOp other, bool andWrites) {
  SmallVector<MemoryPlace> used(llvm::map_range(other.getInputs(), placeOf));
  if (andWrites) {
    llvm::append_range(used, llvm::map_range(other.getOutputs(), placeOf));
  }
  return llvm::any_of(writer.getOutputs(), [&](Value written) {
    const MemoryPlace place = placeOf(written);
    return llvm::any_of(used, [&](const MemoryPlace &each) { return !areDisjoint(place, each); });
  });
}

bool interfere(plan::LaunchOp a, plan::LaunchOp b) {
  return writesMemoryOf(a, b, /*andWrites=*/true) || writesMemoryOf(b, a, /*andWrites=*/false);
}

SmallVector<plan::LaunchOp> launchesBeside(plan::LaunchOp first) {
  SmallVector<plan::LaunchOp> made = {first};
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    if (runsNothing(op)) {
      continue;
    }
    auto launch = dyn_cast<plan::LaunchOp>(op);
    if (!launch || !launch->hasAttr(besideAttribute)) {
      break;
    }
    made.push_back(launch);
  }
  return made;
}

} // namespace drumlin
