// Discrete Fourier transforms. Source: StableHLO specification, `fft`.
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"

#include <span>

namespace drumlin::interpreter {

enum class FourierTransform : uint8_t { Forward, Inverse, RealForward, RealInverse };

// Transforms the innermost `lengths.size()` dimensions, of any lengths, in long double; each
// element is rounded once at the end. The complex operand or result of a real transform has only
// the first length/2 + 1 elements of the innermost dimension. The inverse real transform ignores
// the imaginary part of the first of these elements and, for even lengths, the imaginary part of
// the last element.
Result<Tensor> fourierTransform(FourierTransform transform, const Tensor &operand,
                                std::span<const int64_t> lengths, const KernelOptions &options);

} // namespace drumlin::interpreter
