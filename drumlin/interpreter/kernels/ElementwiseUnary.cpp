#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/interpreter/kernels/EvaluateElementwise.h"

#include <limits>

namespace drumlin::interpreter {

// Sets no limit but the machine's memory: results are as large as the operands, which are already
// allocated.
static constexpr KernelOptions asLargeAsOperands{.maxBytes = std::numeric_limits<int64_t>::max()};

const char *mnemonic(UnaryOperation operation) {
  switch (operation) {
#define X(Name, mnemonic, ...)                                                                     \
  case UnaryOperation::Name:                                                                       \
    return mnemonic;
    DRUMLIN_UNARY_OPERATIONS(X, X, X, X)
#undef X
  }
  return "";
}

std::optional<UnaryOperation> unaryOperation(std::string_view mnemonic) {
#define X(Name, text, ...)                                                                         \
  if (mnemonic == text) {                                                                          \
    return UnaryOperation::Name;                                                                   \
  }
  DRUMLIN_UNARY_OPERATIONS(X, X, X, X)
#undef X
  return std::nullopt;
}

template <typename In, typename Function>
static Result<Tensor> map(const Tensor &operand, ElementType resultType, const Function &function) {
  using Out = std::invoke_result_t<Function, In>;
  Result<Tensor> made = allocate(resultType, operand.shape(), asLargeAsOperands);
  if (!made) {
    return made;
  }
  Tensor &result = *made;
  In in[blockElements];
  Out out[blockElements];
  for (int64_t first = 0; first < operand.elements(); first += blockElements) {
    int64_t count = std::min(blockElements, operand.elements() - first);
    loadRun<In>(operand.type(), operand.data() + first * storageBytes(operand.type()), in, count);
    for (int64_t i = 0; i < count; ++i) {
      out[i] = function(in[i]);
    }
    storeRun<Out>(resultType, out, result.data() + first * storageBytes(resultType), count);
  }
  return result;
}

static ElementType resultType(UnaryOperation operation, ElementType operand) {
  switch (operation) {
  case UnaryOperation::Abs:
  case UnaryOperation::Real:
  case UnaryOperation::Imag:
    return partType(operand);
  case UnaryOperation::IsFinite:
  case UnaryOperation::IsInf:
  case UnaryOperation::IsNegInf:
  case UnaryOperation::IsPosInf:
    return ElementType::I1;
  default:
    return operand;
  }
}

Result<Tensor> unary(UnaryOperation operation, const Tensor &operand) {
  return withUnaryFunction(operation, operand.type(), [&]<typename Function>(Function function) {
    return withValueType(operand.type(), Function::wide, [&]<typename In>() -> Result<Tensor> {
      if constexpr (requires(In value) { function(value); }) {
        return map<In>(operand, resultType(operation, operand.type()), function);
      } else {
        return unsupportedElementType(mnemonic(operation), operand.type());
      }
    });
  });
}

} // namespace drumlin::interpreter
