#include "drumlin/interpreter/kernels/Accumulate.h"
#include "drumlin/interpreter/kernels/BinaryFunctions.h"

namespace drumlin::interpreter {

template <typename C, typename Function>
static void combineElement(ElementType type, std::byte *target, const std::byte *value) {
  C a, b;
  loadRun<C>(type, target, &a, 1);
  loadRun<C>(type, value, &b, 1);
  C result = Function(type)(a, b);
  storeRun<C>(type, &result, target, 1);
}

static void copyElement(ElementType type, std::byte *target, const std::byte *value) {
  std::memcpy(target, value, storageBytes(type));
}

std::optional<ElementAccumulator> ElementAccumulator::make(const ReductionBody &body,
                                                           ElementType type) {
  if (body.returnsValue) {
    return ElementAccumulator(copyElement, type);
  }
  if (!body.operation) {
    return std::nullopt;
  }
  return withBinaryFunction(*body.operation, type, [&](const auto &function) {
    using Function = std::remove_cvref_t<decltype(function)>;
    return withValueType(type, [&]<typename C>() -> std::optional<ElementAccumulator> {
      if constexpr (BinaryFunctionOf<Function, C>) {
        if constexpr (std::is_same_v<std::invoke_result_t<Function, C, C>, C>) {
          return ElementAccumulator(combineElement<C, Function>, type);
        }
      }
      return std::nullopt;
    });
  });
}

} // namespace drumlin::interpreter
