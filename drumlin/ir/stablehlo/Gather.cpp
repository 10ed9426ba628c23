// Verifiers of gather and scatter.
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/DynamicGatherOp.h"
#include "drumlin/ir/stablehlo/GatherOps.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Gather.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addGatherOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Gather.cpp.inc"
      >();
}

static SmallVector<int64_t> concatenated(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  SmallVector<int64_t> all(a);
  all.append(b.begin(), b.end());
  return all;
}

static SmallVector<int64_t> without(ArrayRef<int64_t> sizes, ArrayRef<int64_t> dimensions) {
  SmallVector<int64_t> kept;
  for (auto [d, size] : llvm::enumerate(sizes)) {
    if (!llvm::is_contained(dimensions, static_cast<int64_t>(d))) {
      kept.push_back(size);
    }
  }
  return kept;
}

// Returns the shape with `windowSizes` at the dimensions `windowDims`, and `batchSizes` in order at
// all other dimensions.
static SmallVector<int64_t> combined(ArrayRef<int64_t> batchSizes, ArrayRef<int64_t> windowSizes,
                                     ArrayRef<int64_t> windowDims) {
  SmallVector<int64_t> shape;
  size_t batch = 0, window = 0;
  for (size_t d = 0; d < batchSizes.size() + windowSizes.size(); ++d) {
    bool isWindow = llvm::is_contained(windowDims, static_cast<int64_t>(d));
    shape.push_back(isWindow ? windowSizes[window++] : batchSizes[batch++]);
  }
  return shape;
}

// The dimension roles that gather and scatter have in common, and the labels of the constraints on
// them, which differ between the operations.
struct IndexRoles {
  RankedTensorType operand;
  RankedTensorType indices;
  int64_t indexVectorDim;
  ArrayRef<int64_t> operandBatching;
  ArrayRef<int64_t> indicesBatching;
  ArrayRef<int64_t> indexMap;
  struct {
    StringRef vectorDim, mapSize, batchingSorted, batchingRange, indicesUnique, indicesRange,
        notVectorDim, sameCount, sameSizes, mapUnique, mapRange;
  } label;
};

static LogicalResult checkIndexRoles(EmitError emit, const IndexRoles &roles) {
  int64_t indicesRank = roles.indices.getRank();
  if (failed(checkInRange(emit, roles.label.vectorDim, "index_vector_dim", roles.indexVectorDim,
                          indicesRank + 1))) {
    return failure();
  }
  int64_t indexSize =
      roles.indexVectorDim < indicesRank ? roles.indices.getDimSize(roles.indexVectorDim) : 1;
  indexSize = isDynamic(indexSize) ? roles.indexMap.size() : indexSize;
  if (failed(checkSize(emit, roles.label.mapSize, "dimensions in the index map",
                       roles.indexMap.size(), indexSize)) ||
      failed(checkSorted(emit, roles.label.batchingSorted, "operand batching dimensions",
                         roles.operandBatching)) ||
      failed(checkInRange(emit, roles.label.batchingRange, "operand batching dimensions",
                          roles.operandBatching, roles.operand.getRank())) ||
      failed(checkUnique(emit, roles.label.indicesUnique, "indices batching dimensions",
                         roles.indicesBatching)) ||
      failed(checkInRange(emit, roles.label.indicesRange, "indices batching dimensions",
                          roles.indicesBatching, indicesRank))) {
    return failure();
  }
  if (llvm::is_contained(roles.indicesBatching, roles.indexVectorDim)) {
    return emit() << "expects index_vector_dim outside the indices batching dimensions "
                  << str(roles.indicesBatching) << ", got " << roles.indexVectorDim << " ("
                  << roles.label.notVectorDim << ")";
  }
  if (failed(checkSize(emit, roles.label.sameCount, "indices batching dimensions",
                       roles.indicesBatching.size(), roles.operandBatching.size()))) {
    return failure();
  }
  for (auto [d, i] : llvm::zip_equal(roles.operandBatching, roles.indicesBatching)) {
    if (!areCompatible(roles.operand.getDimSize(d), roles.indices.getDimSize(i))) {
      return emit() << "expects indices dimension " << i << " of the size "
                    << roles.operand.getDimSize(d) << " of operand dimension " << d << ", got "
                    << roles.indices.getDimSize(i) << " (" << roles.label.sameSizes << ")";
    }
  }
  return success(succeeded(checkUnique(emit, roles.label.mapUnique,
                                       "the index map and operand batching dimensions",
                                       concatenated(roles.indexMap, roles.operandBatching))) &&
                 succeeded(checkInRange(emit, roles.label.mapRange, "the index map", roles.indexMap,
                                        roles.operand.getRank())));
}

//===-- gather --------------------------------------------------------------------------------===//

// Checks the constraints that `gather` and `dynamic_gather` share. The code uses the constraint
// numbers of `gather`. `dynamicLabels` maps them to the numbers of `dynamic_gather`, or to 0 if
// `dynamic_gather` has no such constraint.
LogicalResult verifyGather(Operation *op, RankedTensorType operand, RankedTensorType indices,
                           GatherDimensionNumbersAttr numbers, ArrayRef<int64_t> sizes) {
  // The index is the number of gather's constraint; constraints are numbered from 1.
  static constexpr int dynamicLabels[] = {0, 1, 2, 3, 4, 5, 6, 6,  7,  8,  0,  0,
                                          0, 0, 0, 0, 0, 0, 9, 10, 11, 12, 13, 14};
  bool isDynamicOp = isa<DynamicGatherOp>(op);
  auto label = [&](int number) {
    // Constraints that the specification states only for `gather` are checked for
    // `dynamic_gather`, too.
    bool hasOwn = isDynamicOp && dynamicLabels[number] != 0;
    return hasOwn ? "dynamic_gather_c" + std::to_string(dynamicLabels[number])
                  : "gather_c" + std::to_string(number);
  };
  auto emit = [&] { return op->emitOpError(); };
  ArrayRef<int64_t> offsetDims = numbers.getOffsetDims(),
                    collapsed = numbers.getCollapsedSliceDims();
  ArrayRef<int64_t> batching = numbers.getOperandBatchingDims();
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  int64_t rank = operand.getRank();

  // gather_c1
  size_t covered = offsetDims.size() + collapsed.size() + batching.size();
  if (covered != static_cast<size_t>(rank)) {
    return emit()
           << "expects the numbers of offset, collapsed and operand batching dimensions to add up "
              "to the operand's rank "
           << rank << ", got " << covered << " (" << label(1) << ")";
  }
  // gather_c4
  if (failed(checkUnique(emit, label(4), "offset_dims", offsetDims)) ||
      failed(checkSorted(emit, label(4), "offset_dims", offsetDims)) ||
      // gather_c6, gather_c7, gather_c8
      failed(checkUnique(emit, label(6), "collapsed_slice_dims and operand_batching_dims",
                         concatenated(collapsed, batching))) ||
      failed(checkSorted(emit, label(7), "collapsed_slice_dims", collapsed)) ||
      failed(checkInRange(emit, label(8), "collapsed_slice_dims", collapsed, rank))) {
    return failure();
  }
  // gather_c2, gather_c3, gather_c10, gather_c11, gather_c13, gather_c14, gather_c15, gather_c16,
  // gather_c17, gather_c18, gather_c19
  std::string labels[] = {label(2),  label(3),  label(10), label(11), label(13), label(14),
                          label(15), label(16), label(17), label(18), label(19)};
  IndexRoles roles{operand,
                   indices,
                   numbers.getIndexVectorDim(),
                   batching,
                   numbers.getStartIndicesBatchingDims(),
                   numbers.getStartIndexMap(),
                   {labels[0], labels[1], labels[2], labels[3], labels[4], labels[5], labels[6],
                    labels[7], labels[8], labels[9], labels[10]}};
  if (failed(checkIndexRoles(emit, roles))) {
    return failure();
  }
  // gather_c20, gather_c21
  if (failed(checkSize(emit, label(20), "slice sizes", sizes.size(), rank))) {
    return failure();
  }
  for (auto [d, size] : llvm::enumerate(sizes)) {
    bool tooLarge = !operand.isDynamicDim(d) && size > operand.getDimSize(d);
    if (!isDynamic(size) && (size < 0 || tooLarge)) {
      return emit() << "expects a slice size in [0, " << operand.getDimSize(d) << "] for dimension "
                    << d << ", got " << size << " (" << label(21) << ")";
    }
  }
  // gather_c9, gather_c12
  for (auto [dimensions, number] : {std::pair(collapsed, 9), std::pair(batching, 12)}) {
    for (int64_t d : dimensions) {
      if (sizes[d] > 1) {
        return emit() << "expects a slice size of at most 1 for collapsed or batching dimension "
                      << d << ", got " << sizes[d] << " (" << label(number) << ")";
      }
    }
  }
  // gather_c5: the offset dimensions are in range of the result that gather_c22 implies.
  SmallVector<int64_t> batchSizes = without(indices.getShape(), numbers.getIndexVectorDim());
  SmallVector<int64_t> offsetSizes = without(sizes, concatenated(collapsed, batching));
  int64_t resultRank = batchSizes.size() + offsetSizes.size();
  if (failed(checkInRange(emit, label(5), "offset_dims", offsetDims, resultRank))) {
    return failure();
  }
  // gather_c22, gather_c23
  return success(succeeded(checkShape(emit, label(22), "the result", result.getShape(),
                                      combined(batchSizes, offsetSizes, offsetDims))) &&
                 succeeded(checkElementType(emit, label(23), "the result", result, operand)));
}

LogicalResult GatherOp::verify() {
  return verifyGather(*this, getOperand().getType(), getStartIndices().getType(),
                      getDimensionNumbers(), getSliceSizes());
}

//===-- scatter -------------------------------------------------------------------------------===//

// scatter_c1, scatter_c3, scatter_c5, scatter_c6: there is at least one input, all inputs have the
// same shape, and all updates have the same shape and the element types of the inputs.
static LogicalResult checkScatterOperands(ScatterOp op) {
  auto emit = [&] { return op.emitOpError(); };
  size_t n = op.getInputs().size();
  // scatter_c5
  if (n == 0) {
    return op.emitOpError() << "expects at least one input (scatter_c5)";
  }
  if (failed(checkSize(emit, "scatter_c24", "results", op.getNumResults(), n))) {
    return failure();
  }
  for (auto [input, update] : llvm::zip_equal(op.getInputs(), op.getUpdates())) {
    // scatter_c1, scatter_c3, scatter_c6
    if (failed(checkShape(emit, "scatter_c1", "each input", shapeOf(input),
                          shapeOf(op.getInputs()[0]))) ||
        failed(checkShape(emit, "scatter_c3", "each update", shapeOf(update),
                          shapeOf(op.getUpdates()[0]))) ||
        failed(checkElementType(emit, "scatter_c6", "the update", update.getType(),
                                input.getType()))) {
      return failure();
    }
  }
  return success();
}

// scatter_c4: the shape of the updates.
static LogicalResult checkUpdates(ScatterOp op, ArrayRef<int64_t> batchSizes,
                                  ArrayRef<int64_t> windowBounds) {
  ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  ArrayRef<int64_t> windowDims = numbers.getUpdateWindowDims();
  ArrayRef<int64_t> updates = shapeOf(op.getUpdates()[0]);
  if (updates.size() != batchSizes.size() + windowBounds.size()) {
    return op.emitOpError() << "expects updates of rank " << batchSizes.size() + windowBounds.size()
                            << ", got " << updates.size() << " (scatter_c4)";
  }
  SmallVector<int64_t> windowSizes =
      llvm::map_to_vector(windowDims, [&](int64_t d) { return updates[d]; });
  for (auto [d, size, bound] : llvm::zip_equal(windowDims, windowSizes, windowBounds)) {
    if (!isDynamic(size) && !isDynamic(bound) && size > bound) {
      return op.emitOpError() << "expects updates dimension " << d
                              << " of at most the input's size " << bound << ", got " << size
                              << " (scatter_c4)";
    }
  }
  return checkShape([&] { return op.emitOpError(); }, "scatter_c4", "updates", updates,
                    combined(batchSizes, windowSizes, windowDims));
}

LogicalResult ScatterOp::verify() {
  auto emit = [&] { return emitOpError(); };
  if (failed(checkScatterOperands(*this))) {
    return failure();
  }
  ScatterDimensionNumbersAttr numbers = getScatterDimensionNumbers();
  ArrayRef<int64_t> windowDims = numbers.getUpdateWindowDims(),
                    inserted = numbers.getInsertedWindowDims();
  ArrayRef<int64_t> batching = numbers.getInputBatchingDims();
  auto input = cast<RankedTensorType>(getInputs()[0].getType());
  RankedTensorType indices = getScatterIndices().getType();
  int64_t rank = input.getRank();
  int64_t updatesRank = shapeOf(getUpdates()[0]).size();

  // scatter_c2
  size_t covered = windowDims.size() + inserted.size() + batching.size();
  if (covered != static_cast<size_t>(rank)) {
    return emitOpError() << "expects the numbers of update window, inserted window and input "
                            "batching dimensions to add up to "
                            "the input's rank "
                         << rank << ", got " << covered << " (scatter_c2)";
  }
  // scatter_c7, scatter_c8
  if (failed(checkUnique(emit, "scatter_c7", "update_window_dims", windowDims)) ||
      failed(checkSorted(emit, "scatter_c7", "update_window_dims", windowDims)) ||
      failed(checkInRange(emit, "scatter_c8", "update_window_dims", windowDims, updatesRank)) ||
      // scatter_c9, scatter_c10, scatter_c11
      failed(checkUnique(emit, "scatter_c9", "inserted_window_dims and input_batching_dims",
                         concatenated(inserted, batching))) ||
      failed(checkSorted(emit, "scatter_c10", "inserted_window_dims", inserted)) ||
      failed(checkInRange(emit, "scatter_c11", "inserted_window_dims", inserted, rank))) {
    return failure();
  }
  // scatter_c12, scatter_c13, scatter_c14, scatter_c15, scatter_c16, scatter_c17, scatter_c18,
  // scatter_c19, scatter_c20, scatter_c21, scatter_c22
  IndexRoles roles{input,
                   indices,
                   numbers.getIndexVectorDim(),
                   batching,
                   numbers.getScatterIndicesBatchingDims(),
                   numbers.getScatterDimsToOperandDims(),
                   {"scatter_c22", "scatter_c19", "scatter_c12", "scatter_c13", "scatter_c14",
                    "scatter_c15", "scatter_c16", "scatter_c17", "scatter_c18", "scatter_c20",
                    "scatter_c21"}};
  if (failed(checkIndexRoles(emit, roles)) ||
      failed(checkUpdates(*this, without(indices.getShape(), numbers.getIndexVectorDim()),
                          without(input.getShape(), concatenated(inserted, batching))))) {
    return failure();
  }
  // scatter_c23
  FailureOr<SmallVector<Type>> elements =
      checkReducer(emit, "scatter_c23", "the update computation", getUpdateComputation(),
                   getInputs().getTypes());
  if (failed(elements)) {
    return failure();
  }
  for (auto [result, element] : llvm::zip_equal(getResults(), *elements)) {
    // scatter_c24, scatter_c25
    if (failed(checkShape(emit, "scatter_c24", "each result", shapeOf(result), input.getShape())) ||
        failed(checkElementType(emit, "scatter_c25", "the result", result.getType(), element))) {
      return failure();
    }
  }
  return success();
}

//===-- indexing ------------------------------------------------------------------------------===//

// Returns the position of a dimension among the batch dimensions of the start indices, that is,
// without counting the index vector's dimension.
static size_t batchNumber(int64_t dimension, int64_t indexVectorDim) {
  return static_cast<size_t>(dimension > indexVectorDim ? dimension - 1 : dimension);
}

IndexingMap GatherOp::indexingOf(OpOperand &operand, unsigned result) {
  GatherDimensionNumbersAttr numbers = getDimensionNumbers();
  IndexingBuilder made = indexingBuilder(operand, result);
  SmallVector<AffineExpr> batch;
  for (int64_t d = 0; d < static_cast<int64_t>(shapeOf(getResult()).size()); ++d) {
    if (!llvm::is_contained(numbers.getOffsetDims(), d)) {
      batch.push_back(made.dim(static_cast<size_t>(d)));
    }
  }
  int64_t vectorDim = numbers.getIndexVectorDim();
  // Returns the index at which `start_indices` has the given component of the index vector.
  auto indexOf = [&](AffineExpr component) {
    SmallVector<AffineExpr> at(batch);
    if (vectorDim < static_cast<int64_t>(shapeOf(getStartIndices()).size())) {
      at.insert(at.begin() + vectorDim, component);
    }
    return at;
  };
  if (operand.getOperandNumber() == 1) {
    bool hasVector = vectorDim < static_cast<int64_t>(shapeOf(getStartIndices()).size());
    AffineExpr component =
        hasVector ? made.all(shapeOf(getStartIndices())[static_cast<size_t>(vectorDim)])
                  : made.constant(0);
    for (auto [d, index] : llvm::enumerate(indexOf(component))) {
      made.at(d) = index;
    }
    return made.finish();
  }
  size_t offset = 0;
  for (auto [d, size] : llvm::enumerate(shapeOf(getOperand()))) {
    auto dimension = static_cast<int64_t>(d);
    if (!llvm::is_contained(numbers.getCollapsedSliceDims(), dimension) &&
        !llvm::is_contained(numbers.getOperandBatchingDims(), dimension)) {
      made.at(d) = made.dim(static_cast<size_t>(numbers.getOffsetDims()[offset++]));
    }
  }
  for (auto [i, d] : llvm::enumerate(numbers.getOperandBatchingDims())) {
    made.at(static_cast<size_t>(d)) =
        batch[batchNumber(numbers.getStartIndicesBatchingDims()[i], vectorDim)];
  }
  for (auto [component, dimension] : llvm::enumerate(numbers.getStartIndexMap())) {
    auto d = static_cast<size_t>(dimension);
    int64_t starts = shapeOf(getOperand())[d] - getSliceSizes()[d] + 1;
    AffineExpr start = made.load(getStartIndices(),
                                 indexOf(made.constant(static_cast<int64_t>(component))), starts);
    made.at(d) = made.at(d) + start;
  }
  return made.finish();
}

// Which updates affect an element depends on the indices. So the map leads to all updates, except
// in dimensions along which no index moves the window.
IndexingMap ScatterOp::indexingOf(OpOperand &operand, unsigned result) {
  ScatterDimensionNumbersAttr numbers = getScatterDimensionNumbers();
  if (operand.getOperandNumber() < getInputs().size()) {
    return IndexingMap::identity(shapeOf(getInputs().front()), getContext());
  }
  if (operand.getOperandNumber() == getInputs().size()) {
    return indexingByDefault(operand, result);
  }
  IndexingBuilder made = indexingBuilder(operand, result);
  ArrayRef<int64_t> shape = shapeOf(operand.get());
  SmallVector<int64_t> scatterDims;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(numbers.getUpdateWindowDims(), static_cast<int64_t>(d))) {
      scatterDims.push_back(static_cast<int64_t>(d));
    }
    made.at(d) = made.all(size);
  }
  size_t window = 0;
  for (int64_t d = 0; d < static_cast<int64_t>(shapeOf(getInputs().front()).size()); ++d) {
    if (llvm::is_contained(numbers.getInsertedWindowDims(), d) ||
        llvm::is_contained(numbers.getInputBatchingDims(), d)) {
      continue;
    }
    auto updated = static_cast<size_t>(numbers.getUpdateWindowDims()[window++]);
    if (!llvm::is_contained(numbers.getScatterDimsToOperandDims(), d)) {
      made.at(updated) = made.dim(static_cast<size_t>(d));
      made.constrain(made.at(updated), 0, shape[updated] - 1);
    }
  }
  for (auto [i, d] : llvm::enumerate(numbers.getInputBatchingDims())) {
    size_t batch =
        batchNumber(numbers.getScatterIndicesBatchingDims()[i], numbers.getIndexVectorDim());
    made.at(static_cast<size_t>(scatterDims[batch])) = made.dim(static_cast<size_t>(d));
  }
  return made.finish();
}

} // namespace drumlin::stablehlo
