// Operations that compute each element of the result from the corresponding elements of the
// operands. Source: StableHLO specification, or CHLO if noted. Results that the specification
// leaves open are those of XLA:
//   integer division by zero: -1 (all bits set); the remainder is then the dividend
//   the least signed integer divided by -1: itself, remainder 0
//   shifts by the width or more: 0, or copies of the sign bit for the arithmetic right shift;
//     amounts are unsigned
//   floating point to integer: saturates, and NaN becomes 0
#pragma once

#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/interpreter/kernels/BinaryFunctions.h"
#include "drumlin/interpreter/kernels/UnaryFunctions.h"

#include <optional>
#include <string_view>

namespace drumlin::interpreter {

const char *mnemonic(UnaryOperation operation);
const char *mnemonic(BinaryOperation operation);
std::optional<UnaryOperation> unaryOperation(std::string_view mnemonic);
std::optional<BinaryOperation> binaryOperation(std::string_view mnemonic);

// Transcendental functions are computed in double (f64: in long double) and rounded once to the
// element type.
Result<Tensor> unary(UnaryOperation operation, const Tensor &operand);

// Both operands have the same shape and element type; a rank-0 operand stands for a tensor of equal
// elements.
Result<Tensor> binary(BinaryOperation operation, const Tensor &lhs, const Tensor &rhs);

enum class ComparisonDirection : uint8_t { EQ, NE, GE, GT, LE, LT };
// TotalOrder: IEEE 754-2019 totalOrder, -NaN < -Inf < ... < -0 < +0 < ... < +Inf < +NaN. Natural:
// the usual comparison for the element type, in which NaN is unordered.
enum class ComparisonType : uint8_t { Natural, TotalOrder };

// Complex numbers compare lexicographically by (real, imaginary). The result is of type i1.
Result<Tensor> compare(ComparisonDirection direction, ComparisonType type, const Tensor &lhs,
                       const Tensor &rhs);

// `predicate` has the shape of the other operands, or rank 0.
Result<Tensor> select(const Tensor &predicate, const Tensor &onTrue, const Tensor &onFalse);

// Returns minimum(maximum(operand, low), high); each bound has the operand's shape or rank 0.
Result<Tensor> clamp(const Tensor &low, const Tensor &operand, const Tensor &high);

// Conversions round once, to nearest even; integers wrap.
Result<Tensor> convert(const Tensor &operand, ElementType type);

// Reinterprets the bits in memory order, the first element in the lowest bits. `shape` holds the
// same number of bits as the operand.
Result<Tensor> bitcastConvert(const Tensor &operand, ElementType type, const Shape &shape,
                              const KernelOptions &options);

// Rounds to a format with the given exponent and mantissa widths in bits. The format has no
// subnormals: they flush to zero.
Result<Tensor> reducePrecision(const Tensor &operand, unsigned exponentBits, unsigned mantissaBits);

} // namespace drumlin::interpreter
