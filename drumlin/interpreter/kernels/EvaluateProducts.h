// Multiply-accumulate, shared by dot_general and convolution.
#pragma once

#include "drumlin/interpreter/kernels/Elements.h"
#include "drumlin/interpreter/kernels/EvaluateElementwise.h"

namespace drumlin::interpreter {

// Calls `fn.template operator()<C>()` with the accumulator type for a result of `type`. Sums
// modulo 2^64 are the same for signed and unsigned integers.
template <typename Fn> auto withProductType(ElementType type, Fn fn) {
  switch (info(type).kind) {
  case ElementKind::Boolean:
    return fn.template operator()<bool>();
  case ElementKind::Signed:
  case ElementKind::Unsigned:
    return fn.template operator()<uint64_t>();
  case ElementKind::Float:
    return fn.template operator()<double>();
  case ElementKind::Complex:
    break;
  }
  return fn.template operator()<std::complex<double>>();
}

// Returns whether MACs of `operand` elements use the accumulator type for `result`.
inline bool sameProductType(ElementType operand, ElementType result) {
  return info(operand).kind == info(result).kind || (isInteger(operand) && isInteger(result));
}

// Decodes all elements of a tensor as MAC operands; signed integers are sign-extended.
template <typename C> std::unique_ptr<C[]> productTerms(const Tensor &tensor) {
  if constexpr (std::is_same_v<C, uint64_t>) {
    if (isSigned(tensor.type())) {
      auto values = std::make_unique_for_overwrite<C[]>(static_cast<size_t>(tensor.elements()));
      // C++ allows writing the uint64_t array as int64_t, the signed type of the same size.
      loadRun<int64_t>(tensor.type(), tensor.data(), reinterpret_cast<int64_t *>(values.get()),
                       tensor.elements());
      return values;
    }
  }
  return decodeAll<C>(tensor);
}

template <typename C>
void storeProducts(ElementType type, const C *sums, std::byte *target, int64_t count) {
  storeRun<C>(type, sums, target, count);
  if constexpr (std::is_same_v<C, uint64_t>) {
    if (isSigned(type)) {
      storeRun<int64_t>(type, reinterpret_cast<const int64_t *>(sums), target, count);
    }
  }
}

// Computes sums[n] += factor * terms[n].
template <typename C> void addProducts(C *sums, C factor, const C *terms, int64_t count) {
  for (int64_t n = 0; n < count; ++n) {
    if constexpr (isBoolValue<C>) {
      sums[n] = sums[n] || (factor && terms[n]);
    } else if constexpr (isComplexValue<C>) {
      sums[n] += C(factor.real() * terms[n].real() - factor.imag() * terms[n].imag(),
                   factor.real() * terms[n].imag() + factor.imag() * terms[n].real());
    } else {
      sums[n] += factor * terms[n];
    }
  }
}

// Computes sums[n] += factor * terms[n], and rounds each product and each partial sum to `type`, as
// separate multiplications and additions of the specification do.
template <typename C>
void addRoundedProducts(ElementType type, C *sums, C factor, const C *terms, int64_t count) {
  if constexpr (isRealValue<C>) {
    for (int64_t n = 0; n < count; ++n) {
      sums[n] = roundValue(type, sums[n] + roundValue(type, factor * terms[n]));
    }
  } else if constexpr (isComplexValue<C>) {
    ElementType part = partType(type);
    auto round = [&](auto value) { return roundValue(part, value); };
    for (int64_t n = 0; n < count; ++n) {
      auto real =
          round(round(factor.real() * terms[n].real()) - round(factor.imag() * terms[n].imag()));
      auto imaginary =
          round(round(factor.real() * terms[n].imag()) + round(factor.imag() * terms[n].real()));
      sums[n] = C(round(sums[n].real() + real), round(sums[n].imag() + imaginary));
    }
  } else {
    addProducts(sums, factor, terms, count);
  }
}

// The specification multiplies operands of equal types. If operands have different 8-bit
// floating-point types and the result has one of them (f8E4M3FN x f8E5M2 -> f8E5M2), XLA rounds the
// other operand to the result's type, and so does the interpreter. Wider operands keep all their
// bits.
inline bool roundsToResultType(ElementType operand, ElementType result) {
  return operand != result && isFloat(operand) && isFloat(result) && info(operand).bits <= 8 &&
         info(result).bits <= 8;
}

// Converts an operand to the result's type if its MACs would use another accumulator type.
inline Result<Tensor> asProductOperand(const Tensor &operand, ElementType resultType) {
  if (sameProductType(operand.type(), resultType) &&
      !roundsToResultType(operand.type(), resultType)) {
    return operand;
  }
  return convert(operand, resultType);
}

} // namespace drumlin::interpreter
