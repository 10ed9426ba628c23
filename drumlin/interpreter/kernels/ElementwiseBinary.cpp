#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/interpreter/kernels/BinaryFunctions.h"

#include <limits>

namespace drumlin::interpreter {

// Sets no limit but the machine's memory: results are as large as the operands, which are already
// allocated.
static constexpr KernelOptions asLargeAsOperands{.maxBytes = std::numeric_limits<int64_t>::max()};

const char *mnemonic(BinaryOperation operation) {
  switch (operation) {
#define X(Name, mnemonic)                                                                          \
  case BinaryOperation::Name:                                                                      \
    return mnemonic;
    DRUMLIN_BINARY_OPERATIONS(X)
#undef X
  }
  return "";
}

std::optional<BinaryOperation> binaryOperation(std::string_view mnemonic) {
#define X(Name, text)                                                                              \
  if (mnemonic == text) {                                                                          \
    return BinaryOperation::Name;                                                                  \
  }
  DRUMLIN_BINARY_OPERATIONS(X)
#undef X
  return std::nullopt;
}

// Decodes a block of an operand. If `repeated`, fills the block with the only element of a rank-0
// operand.
template <typename C>
static void loadBlock(const Tensor &operand, bool repeated, int64_t first, int64_t count,
                      C *target) {
  if (repeated) {
    loadRun<C>(operand.type(), operand.data(), target, 1);
    std::fill(target + 1, target + count, target[0]);
    return;
  }
  loadRun<C>(operand.type(), operand.data() + first * storageBytes(operand.type()), target, count);
}

template <typename In, typename Function>
static Result<Tensor> map(const Tensor &lhs, const Tensor &rhs, ElementType resultType,
                          const Function &function) {
  using Out = std::invoke_result_t<Function, In, In>;
  bool lhsRepeated = lhs.rank() == 0 && rhs.rank() != 0;
  bool rhsRepeated = rhs.rank() == 0 && lhs.rank() != 0;
  Result<Tensor> made =
      allocate(resultType, lhsRepeated ? rhs.shape() : lhs.shape(), asLargeAsOperands);
  if (!made) {
    return made;
  }
  Tensor &result = *made;
  In a[blockElements];
  In b[blockElements];
  Out out[blockElements];
  for (int64_t first = 0; first < result.elements(); first += blockElements) {
    int64_t count = std::min(blockElements, result.elements() - first);
    loadBlock<In>(lhs, lhsRepeated, first, count, a);
    loadBlock<In>(rhs, rhsRepeated, first, count, b);
    for (int64_t i = 0; i < count; ++i) {
      out[i] = function(a[i], b[i]);
    }
    storeRun<Out>(resultType, out, result.data() + first * storageBytes(resultType), count);
  }
  return result;
}

Result<Tensor> binary(BinaryOperation operation, const Tensor &lhs, const Tensor &rhs) {
  ElementType type = lhs.type();
  ElementType result = operation == BinaryOperation::Complex ? complexType(type) : type;
  if (operation == BinaryOperation::Complex && result == type) {
    return unsupportedElementType(mnemonic(operation), type);
  }
  return withBinaryFunction(operation, type, [&](const auto &function) {
    using Function = std::remove_cvref_t<decltype(function)>;
    return withValueType(type, Function::wide, [&]<typename In>() -> Result<Tensor> {
      if constexpr (BinaryFunctionOf<Function, In>) {
        return map<In>(lhs, rhs, result, function);
      } else {
        return unsupportedElementType(mnemonic(operation), type);
      }
    });
  });
}

} // namespace drumlin::interpreter
