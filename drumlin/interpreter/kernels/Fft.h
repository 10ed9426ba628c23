// Discrete Fourier transforms. Source: StableHLO specification, `fft`.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"

#include <span>

namespace drumlin::interpreter {

enum class FourierTransform : uint8_t { Forward, Inverse, RealForward, RealInverse };

// Transforms the innermost `lengths.size()` dimensions, of any lengths, in long double; each
// element is rounded once at the end. The real transforms hold the lengths/2 + 1 first elements of
// the innermost dimension; the inverse one takes the imaginary parts of its first and, for even
// lengths, its last element as zero.
Result<Tensor> fourierTransform(FourierTransform transform, const Tensor &operand,
                                std::span<const int64_t> lengths, const KernelOptions &options);

} // namespace drumlin::interpreter
