// The verifier and accessor of sorts.
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/SortOps.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Sort.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addSortOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Sort.cpp.inc"
      >();
}

int64_t SortOp::dimensionFromFront() {
  int64_t dimension = getDimension();
  return dimension < 0 ? dimension + static_cast<int64_t>(shapeOf(getInputs()[0]).size())
                       : dimension;
}

LogicalResult SortOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // sort_c1
  if (getInputs().empty()) {
    return emitOpError() << "expects at least one input (sort_c1)";
  }
  // sort_c2
  if (failed(checkTypes(emit, "sort_c2", "results", getResultTypes(), getInputs().getTypes()))) {
    return failure();
  }
  // sort_c3
  ArrayRef<int64_t> shape = shapeOf(getInputs()[0]);
  for (Value input : getInputs()) {
    if (failed(checkShape(emit, "sort_c3", "each input", shapeOf(input), shape))) {
      return failure();
    }
  }
  // sort_c4
  int64_t rank = shape.size(), dimension = getDimension();
  if (dimension < -rank || dimension >= rank) {
    return emitOpError() << "expects dimension in [" << -rank << ", " << rank << "), got "
                         << dimension << " (sort_c4)";
  }
  // sort_c5
  SmallVector<Type> expected;
  for (Value input : getInputs()) {
    expected.append(2, RankedTensorType::get({}, getElementTypeOrSelf(input.getType())));
  }
  Type pred = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  if (failed(checkTypes(emit, "sort_c5", "comparator arguments", getComparator().getArgumentTypes(),
                        expected))) {
    return failure();
  }
  FailureOr<OperandRange> returned =
      returnedValues(emit, "sort_c5", "the comparator", getComparator());
  return success(succeeded(returned) && succeeded(checkTypes(emit, "sort_c5", "comparator results",
                                                             returned->getTypes(), pred)));
}

IndexingMap SortOp::indexingOf(OpOperand &operand, unsigned result) {
  IndexingBuilder made = indexingBuilder(operand, result);
  for (auto [d, size] : llvm::enumerate(shapeOf(operand.get()))) {
    bool isSorted = static_cast<int64_t>(d) == dimensionFromFront();
    made.at(d) = isSorted ? made.all(size) : made.dim(d);
  }
  return made.finish();
}

} // namespace drumlin::stablehlo
