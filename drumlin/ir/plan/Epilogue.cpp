#include "drumlin/ir/plan/Epilogue.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace mlir;

namespace drumlin {

// Returns the map from the operand's index to the result's index if each operand element
// corresponds to exactly one result element.
static std::optional<IndexingMap> mapThrough(OpOperand &operand) {
  std::optional<IndexingMap> read = indexing(operand);
  return read ? read->inverse() : std::nullopt;
}

bool isReordering(Operation *op) {
  std::optional<IndexingMap> map = dataMovementIndexing(op);
  return map && map->holdsAtAllSizes() && map->inverse();
}

//===- operations -----------------------------------------------------------------===//

Epilogue::Epilogue(Operation *hero) {
  for (Value result : hero->getResults()) {
    values.try_emplace(result, Made{IndexingMap::identity(shapeOf(result), result.getContext())});
  }
}

static bool isFullReduction(stablehlo::ReduceOp reduce) {
  return reduce.getInputs().size() == 1 && knownReducer(reduce.getBody()) &&
         shapeOf(reduce.getResult(0)).empty();
}

static bool inOneOrder(const IndexingMap &a, const IndexingMap &b) {
  return a == b || a.position() == b.position();
}

std::optional<EpilogueFault> Epilogue::follow(Operation *op, std::optional<Made> &made) const {
  const Made *first = nullptr;
  OpOperand *of = nullptr;
  for (OpOperand &operand : op->getOpOperands()) {
    auto found = values.find(operand.get());
    if (found == values.end()) {
      continue;
    }
    const Made &next = found->second;
    if (!first) {
      first = &next;
      of = &operand;
    } else if (next.reduction != first->reduction) {
      return EpilogueFault::Reduced;
    } else if (!next.reduction && !drumlin::inOneOrder(next.map, first->map)) {
      return EpilogueFault::TwoOrders;
    }
  }
  if (!first) {
    return std::nullopt;
  }
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
    bool isOfElements = !first->reduction && !values.contains(reduce.getInitValues().front());
    if (!isFullReduction(reduce) || !isOfElements) {
      return first->reduction ? EpilogueFault::Reduced : EpilogueFault::NotElementwise;
    }
    made = Made{first->map, op};
    return std::nullopt;
  }
  bool isPointwise = classify(op) == OperationClass::Pointwise;
  if ((!isPointwise && !isReordering(op)) || op->getNumResults() != 1) {
    return EpilogueFault::NotElementwise;
  }
  for (Value operand : op->getOperands()) {
    if (values.contains(operand) && elementsOf(operand) != elementsOf(op->getResult(0))) {
      return first->reduction ? EpilogueFault::Reduced : EpilogueFault::NotElementwise;
    }
  }
  made = *first;
  // Operations on a value that is computed from a reduction may change its shape; the map of the
  // value stays the same.
  if (!first->reduction && (!isPointwise || shapeOf(of->get()) != shapeOf(op->getResult(0)))) {
    made->map = first->map.followedBy(*mapThrough(*of));
  }
  return std::nullopt;
}

std::optional<EpilogueFault> Epilogue::add(Operation *op) {
  std::optional<Made> made;
  std::optional<EpilogueFault> fault = follow(op, made);
  if (made) {
    values.try_emplace(op->getResult(0), std::move(*made));
  }
  return fault;
}

std::optional<EpilogueFault> Epilogue::faultOf(Operation *op) const {
  std::optional<Made> made;
  return follow(op, made);
}

Operation *Epilogue::reductionOf(Value value) const { return values.find(value)->second.reduction; }

bool Epilogue::inOneOrder(Value a, Value b) const {
  return drumlin::inOneOrder(mapTo(a), mapTo(b));
}

//===- kernels --------------------------------------------------------------------===//

static std::string describe(EpilogueFault fault) {
  switch (fault) {
  case EpilogueFault::NotElementwise:
    return "isn't computed from one element of the hero's result";
  case EpilogueFault::TwoOrders:
    return "combines elements from different positions of the hero's result";
  case EpilogueFault::Reduced:
    return "combines a reduction of the hero's result with other values computed from it";
  }
  llvm_unreachable("every fault is handled above");
}

bool plan::hasEpilogue(KernelKind kind) {
  return kind == KernelKind::gemm || kind == KernelKind::fft;
}

std::optional<EpilogueProblem> findEpilogueProblem(plan::KernelKind kind, Block &region) {
  if (!plan::hasEpilogue(kind)) {
    return std::nullopt;
  }
  auto isHero = [](Operation &op) { return classify(&op) == OperationClass::Hero; };
  auto found = llvm::find_if(region, isHero);
  if (found == region.end() || llvm::count_if(region, isHero) != 1) {
    return EpilogueProblem{region.getTerminator(), "a kernel needs one hero"};
  }
  Epilogue epilogue(&*found);
  for (Operation &op : llvm::make_range(std::next(found), std::prev(region.end()))) {
    std::optional<EpilogueFault> fault = epilogue.add(&op);
    if (!fault && kind == plan::KernelKind::fft && isa<stablehlo::ReduceOp>(op)) {
      fault = EpilogueFault::NotElementwise;
    }
    if (fault) {
      return EpilogueProblem{&op,
                             "`" + op.getName().getStringRef().str() + "` " + describe(*fault)};
    }
  }
  return std::nullopt;
}

} // namespace drumlin
