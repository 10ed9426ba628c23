// gather: the element at clamped start index plus offset.
#include "drumlin/codegen/cpu/ElementEmitter.h"

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace llvm;

namespace drumlin::codegen {

static const IndexTuple *operandIndexOf(ElementEmitter &e, stablehlo::GatherOp op,
                                        const IndexTuple *at) {
  IndexBuilder &index = e.index();
  auto numbers = op.getDimensionNumbers();
  auto operandType = cast<mlir::RankedTensorType>(op.getOperand().getType());
  auto indicesType = cast<mlir::RankedTensorType>(op.getStartIndices().getType());
  SmallVector<LaneIndex> given(index.dims(at));

  // The result's dimensions are the batch dimensions of the start indices and the offsets into the
  // slice.
  SmallVector<LaneIndex> batch, offsets;
  for (size_t i = 0; i < given.size(); ++i) {
    bool isOffset = is_contained(numbers.getOffsetDims(), static_cast<int64_t>(i));
    (isOffset ? offsets : batch).push_back(given[i]);
  }

  int64_t vectorDim = numbers.getIndexVectorDim();
  bool hasVectorDim = vectorDim < indicesType.getRank();
  auto startAt = [&](int64_t component) {
    SmallVector<LaneIndex> dims;
    size_t next = 0;
    for (int64_t i = 0; i < indicesType.getRank(); ++i) {
      dims.push_back(i == vectorDim && hasVectorDim ? index.constant(component) : batch[next++]);
    }
    return index.tuple(Shape(indicesType.getShape()), dims);
  };

  SmallVector<LaneIndex> dims(static_cast<size_t>(operandType.getRank()), index.constant(0));
  for (auto [component, dimension] : enumerate(numbers.getStartIndexMap())) {
    int64_t largest = operandType.getDimSize(static_cast<unsigned>(dimension)) -
                      op.getSliceSizes()[static_cast<size_t>(dimension)];
    Value *start =
        e.emitClampedIndex(op.getStartIndices(), startAt(static_cast<int64_t>(component)), largest);
    dims[static_cast<size_t>(dimension)] =
        start->getType()->isVectorTy() ? index.fromVector(start) : index.scalar(start);
  }
  for (auto [i, dimension] : enumerate(numbers.getOperandBatchingDims())) {
    // The batch dimension of the indices that this one runs along, counted without the index
    // vector's dimension.
    int64_t along = numbers.getStartIndicesBatchingDims()[i];
    size_t position = static_cast<size_t>(along - (hasVectorDim && along > vectorDim ? 1 : 0));
    dims[static_cast<size_t>(dimension)] = batch[position];
  }
  size_t nextOffset = 0;
  for (int64_t i = 0; i < operandType.getRank(); ++i) {
    if (is_contained(numbers.getCollapsedSliceDims(), i) ||
        is_contained(numbers.getOperandBatchingDims(), i)) {
      continue;
    }
    dims[static_cast<size_t>(i)] = index.add(dims[static_cast<size_t>(i)], offsets[nextOffset++]);
  }
  return index.tuple(Shape(operandType.getShape()), dims);
}

std::optional<Lanes> ElementEmitter::emitGather(mlir::Operation *op, const IndexTuple *at) {
  auto gather = dyn_cast<stablehlo::GatherOp>(op);
  if (!gather) {
    return std::nullopt;
  }
  return emit(gather.getOperand(), operandIndex(op->getOpOperand(0), at, [&]() {
                return operandIndexOf(*this, gather, at);
              }));
}

} // namespace drumlin::codegen
