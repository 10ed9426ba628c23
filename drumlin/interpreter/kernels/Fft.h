// Discrete Fourier transforms. Source: StableHLO specification, `fft`.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"

#include <span>

namespace drumlin::interpreter {

enum class FourierTransform : uint8_t { Forward, Inverse, RealForward, RealInverse };

// Transforms the innermost `lengths.size()` dimensions, of any lengths, in long double; each
// element is rounded once at the end. Real transforms hold the first lengths/2 + 1 elements of the
// innermost dimension; the inverse real transform takes the imaginary parts of the first and, for
// even lengths, of the last element as zero.
Result<Tensor> fourierTransform(FourierTransform transform, const Tensor &operand,
                                std::span<const int64_t> lengths, const KernelOptions &options);

} // namespace drumlin::interpreter
