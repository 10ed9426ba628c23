#include "drumlin/ir/plan/Epilogue.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/plan/Work.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/Layout.h"

using namespace mlir;

namespace drumlin {

//===- orders ---------------------------------------------------------------------===//

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes) {
    result *= size;
  }
  return result;
}

ElementOrder::ElementOrder(ArrayRef<int64_t> shape) { append(axes, {product(shape), 1}); }

void ElementOrder::append(std::vector<Axis> &made, Axis axis) const {
  if (!made.empty() && made.back().stride == axis.size * axis.stride) {
    made.back() = {made.back().size * axis.size, axis.stride};
  } else if (axis.size != 1) {
    made.push_back(axis);
  }
}

ElementOrder ElementOrder::transposed(ArrayRef<int64_t> shape,
                                      ArrayRef<int64_t> permutation) const {
  if (product(shape) <= 1) {
    return *this;
  }
  // The axes of each dimension, from the last one on, outermost last.
  std::vector<std::vector<Axis>> ofDimension(shape.size());
  std::vector<Axis> left = axes;
  bool isAligned = true;
  for (size_t d = shape.size(); d-- > 0 && isAligned;) {
    for (int64_t size = shape[d]; size > 1 && isAligned;) {
      Axis &axis = left.back();
      if (size % axis.size == 0) {
        ofDimension[d].push_back(axis);
        size /= axis.size;
        left.pop_back();
      } else if (axis.size % size == 0) {
        ofDimension[d].push_back({size, axis.stride});
        axis = {axis.size / size, axis.stride * size};
        size = 1;
      } else {
        isAligned = false;
      }
    }
  }
  ElementOrder made = *this;
  made.axes.clear();
  if (isAligned) {
    for (int64_t dimension : permutation) {
      for (Axis axis : llvm::reverse(ofDimension[static_cast<size_t>(dimension)])) {
        append(made.axes, axis);
      }
    }
    return made;
  }
  // Dimensions of one element don't move anything.
  std::vector<int64_t> sizes, places(shape.size()), order;
  for (size_t d = 0; d < shape.size(); ++d) {
    places[d] = static_cast<int64_t>(sizes.size());
    if (shape[d] != 1) {
      sizes.push_back(shape[d]);
    }
  }
  for (int64_t dimension : permutation) {
    if (shape[static_cast<size_t>(dimension)] != 1) {
      order.push_back(places[static_cast<size_t>(dimension)]);
    }
  }
  if (isRowMajor(order)) {
    return *this;
  }
  made.cuts.push_back({axes, sizes, order});
  append(made.axes, {product(sizes), 1});
  return made;
}

bool isReordering(Operation *op) {
  return isa<stablehlo::ReshapeOp, stablehlo::TransposeOp, stablehlo::BroadcastInDimOp>(op) &&
         elementsOf(op->getOperand(0)) == elementsOf(op->getResult(0));
}

// How a reordering permutes the dimensions of its operand, beside adding ones of one element; empty
// where it keeps their order.
static SmallVector<int64_t> permutationOf(Operation *op) {
  if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
    return SmallVector<int64_t>(transpose.getPermutation());
  }
  auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op);
  if (!broadcast || llvm::is_sorted(broadcast.getBroadcastDimensions())) {
    return {};
  }
  ArrayRef<int64_t> places = broadcast.getBroadcastDimensions();
  auto permutation = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(places.size())));
  llvm::sort(permutation, [&](int64_t a, int64_t b) {
    return places[static_cast<size_t>(a)] < places[static_cast<size_t>(b)];
  });
  return permutation;
}

//===- operations -----------------------------------------------------------------===//

Epilogue::Epilogue(Operation *hero) {
  for (Value result : hero->getResults()) {
    values.try_emplace(result, Made{ElementOrder(shapeOf(result))});
  }
}

static bool isFullReduction(stablehlo::ReduceOp reduce) {
  return reduce.getInputs().size() == 1 && knownReducer(reduce.getBody()) &&
         shapeOf(reduce.getResult(0)).empty();
}

std::optional<EpilogueFault> Epilogue::follow(Operation *op, std::optional<Made> &made) const {
  const Made *first = nullptr;
  for (Value operand : op->getOperands()) {
    auto found = values.find(operand);
    if (found == values.end()) {
      continue;
    }
    const Made &next = found->second;
    if (!first) {
      first = &next;
    } else if (next.reduction != first->reduction) {
      return EpilogueFault::Reduced;
    } else if (!next.reduction && next.order != first->order) {
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
    made = Made{first->order, op};
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
  SmallVector<int64_t> permutation = isPointwise ? SmallVector<int64_t>() : permutationOf(op);
  if (!first->reduction && !permutation.empty()) {
    made->order = first->order.transposed(shapeOf(op->getOperand(0)), permutation);
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
  return values.find(a)->second.order == values.find(b)->second.order;
}

Value Epilogue::operandOf(Operation *op) const {
  return *llvm::find_if(op->getOperands(), [&](Value operand) { return contains(operand); });
}

//===- kernels --------------------------------------------------------------------===//

static std::string describe(EpilogueFault fault) {
  switch (fault) {
  case EpilogueFault::NotElementwise:
    return "isn't computed from one element of the hero's result";
  case EpilogueFault::TwoOrders:
    return "combines elements of the hero's result that lie at different places";
  case EpilogueFault::Reduced:
    return "needs a reduction of the hero's result beside other values made of it";
  }
  llvm_unreachable("every fault is handled above");
}

std::optional<EpilogueProblem> findEpilogueProblem(plan::KernelKind kind, Block &region) {
  if (kind != plan::KernelKind::gemm) {
    return std::nullopt;
  }
  auto isHero = [](Operation &op) { return classify(&op) == OperationClass::Hero; };
  auto found = llvm::find_if(region, isHero);
  if (found == region.end() || llvm::count_if(region, isHero) != 1) {
    return EpilogueProblem{region.getTerminator(), "a kernel needs one hero"};
  }
  Epilogue epilogue(&*found);
  for (Operation &op : llvm::make_range(std::next(found), std::prev(region.end()))) {
    if (std::optional<EpilogueFault> fault = epilogue.add(&op)) {
      return EpilogueProblem{&op,
                             "`" + op.getName().getStringRef().str() + "` " + describe(*fault)};
    }
  }
  return std::nullopt;
}

} // namespace drumlin
