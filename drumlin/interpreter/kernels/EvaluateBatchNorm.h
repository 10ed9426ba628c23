// Normalization over all dimensions but one (`feature`), composed of other operations as in the
// StableHLO specification; each of them rounds to the element type.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"

namespace drumlin::interpreter {

Result<Tensor> batchNormInference(const Tensor &operand, const Tensor &scale, const Tensor &offset,
                                  const Tensor &mean, const Tensor &variance, double epsilon,
                                  int64_t feature, const KernelOptions &options);

// Returns output, batch_mean, batch_var.
Result<std::vector<Tensor>> batchNormTraining(const Tensor &operand, const Tensor &scale,
                                              const Tensor &offset, double epsilon, int64_t feature,
                                              const KernelOptions &options);

// Returns grad_operand, grad_scale, grad_offset.
Result<std::vector<Tensor>> batchNormGrad(const Tensor &operand, const Tensor &scale,
                                          const Tensor &mean, const Tensor &variance,
                                          const Tensor &gradOutput, double epsilon, int64_t feature,
                                          const KernelOptions &options);

} // namespace drumlin::interpreter
