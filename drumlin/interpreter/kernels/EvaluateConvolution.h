// convolution. Source: StableHLO specification, "convolution"; sums are computed as in
// EvaluateDot.h.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"

#include <vector>

namespace drumlin::interpreter {

struct ConvolutionDimensions {
  int64_t inputBatch = 0, inputFeature = 0;
  std::vector<int64_t> inputSpatial;
  int64_t kernelInputFeature = 0, kernelOutputFeature = 0;
  std::vector<int64_t> kernelSpatial;
  int64_t outputBatch = 0, outputFeature = 0;
  std::vector<int64_t> outputSpatial;
};

// Each list has an entry per spatial dimension.
struct ConvolutionWindow {
  std::vector<int64_t> strides;
  std::vector<int64_t> paddingLow, paddingHigh; // negative paddings drop elements
  std::vector<int64_t> lhsDilation, rhsDilation;
  std::vector<bool> reversal;
};

Result<Tensor> convolution(const Tensor &lhs, const Tensor &rhs,
                           const ConvolutionDimensions &dimensions, const ConvolutionWindow &window,
                           int64_t featureGroups, int64_t batchGroups, ElementType resultType,
                           const KernelOptions &options);

} // namespace drumlin::interpreter
