// gather and scatter. Source: StableHLO specification; the names of the dimension lists are the
// specification's.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/interpreter/kernels/Body.h"

namespace drumlin::interpreter {

struct GatherDimensions {
  std::vector<int64_t> offsetDims, collapsedSliceDims;
  std::vector<int64_t> operandBatchingDims, startIndicesBatchingDims;
  std::vector<int64_t> startIndexMap;
  int64_t indexVectorDim = 0;
};

// Start indices are clamped so that each slice lies inside of the operand.
Result<Tensor> gather(const Tensor &operand, const Tensor &startIndices,
                      const GatherDimensions &dimensions, std::span<const int64_t> sliceSizes,
                      const KernelOptions &options);

struct ScatterDimensions {
  std::vector<int64_t> updateWindowDims, insertedWindowDims;
  std::vector<int64_t> inputBatchingDims, scatterIndicesBatchingDims;
  std::vector<int64_t> scatterDimsToOperandDims;
  int64_t indexVectorDim = 0;
};

// Applies the updates in the order of their indices. Elements of an update that fall outside of the
// input are skipped one by one.
Result<std::vector<Tensor>> scatter(std::span<const Tensor> inputs, const Tensor &scatterIndices,
                                    std::span<const Tensor> updates,
                                    const ScatterDimensions &dimensions, const ReductionBody &body,
                                    const KernelOptions &options);

} // namespace drumlin::interpreter
