// A gather's dimension numbers as the kernels take them.
#pragma once

#include "drumlin/interpreter/kernels/EvaluateGather.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"

namespace drumlin::interpreter {

inline GatherDimensions gatherDimensionsOf(stablehlo::GatherDimensionNumbersAttr numbers) {
  GatherDimensions dimensions;
  dimensions.offsetDims = numbers.getOffsetDims().vec();
  dimensions.collapsedSliceDims = numbers.getCollapsedSliceDims().vec();
  dimensions.operandBatchingDims = numbers.getOperandBatchingDims().vec();
  dimensions.startIndicesBatchingDims = numbers.getStartIndicesBatchingDims().vec();
  dimensions.startIndexMap = numbers.getStartIndexMap().vec();
  dimensions.indexVectorDim = numbers.getIndexVectorDim();
  return dimensions;
}

} // namespace drumlin::interpreter
