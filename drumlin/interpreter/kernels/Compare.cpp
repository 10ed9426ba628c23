// compare, select and clamp.
#include "drumlin/interpreter/kernels/Compare.h"
#include "drumlin/interpreter/kernels/Allocation.h"
#include "drumlin/interpreter/kernels/BinaryFunctions.h"
#include "drumlin/interpreter/kernels/EvaluateElementwise.h"
#include "drumlin/interpreter/kernels/Index.h"

#include <limits>

namespace drumlin::interpreter {

// Sets no limit but the machine's memory: results are as large as the operands, which are already
// allocated.
static constexpr KernelOptions asLargeAsOperands{.maxBytes = std::numeric_limits<int64_t>::max()};

template <typename C>
static void compareInto(ComparisonDirection direction, const Tensor &lhs, const Tensor &rhs,
                        Tensor &result) {
  int64_t lhsStep = lhs.rank() == 0 && rhs.rank() != 0 ? 0 : 1;
  int64_t rhsStep = rhs.rank() == 0 && lhs.rank() != 0 ? 0 : 1;
  C a[blockElements];
  C b[blockElements];
  for (int64_t first = 0; first < result.elements(); first += blockElements) {
    int64_t count = std::min(blockElements, result.elements() - first);
    loadRun<C>(lhs.type(), lhs.data() + lhsStep * first * storageBytes(lhs.type()), a,
               lhsStep == 0 ? 1 : count);
    loadRun<C>(rhs.type(), rhs.data() + rhsStep * first * storageBytes(rhs.type()), b,
               rhsStep == 0 ? 1 : count);
    for (int64_t i = 0; i < count; ++i) {
      result.data()[first + i] = std::byte{holds(direction, a[i * lhsStep], b[i * rhsStep])};
    }
  }
}

// Compares through keys that order the floating-point bit patterns totally.
static void compareTotal(ComparisonDirection direction, const Tensor &lhs, const Tensor &rhs,
                         Tensor &result) {
  int64_t lhsStep = lhs.rank() == 0 && rhs.rank() != 0 ? 0 : 1;
  int64_t rhsStep = rhs.rank() == 0 && lhs.rank() != 0 ? 0 : 1;
  for (int64_t i = 0; i < result.elements(); ++i) {
    result.data()[i] = std::byte{
        holds(direction, totalOrderKey(lhs, i * lhsStep), totalOrderKey(rhs, i * rhsStep))};
  }
}

Result<Tensor> compare(ComparisonDirection direction, ComparisonType type, const Tensor &lhs,
                       const Tensor &rhs) {
  Result<Tensor> made =
      allocate(ElementType::I1, lhs.rank() == 0 ? rhs.shape() : lhs.shape(), asLargeAsOperands);
  if (!made) {
    return made;
  }
  Tensor &result = *made;
  if (type == ComparisonType::TotalOrder && isFloat(lhs.type())) {
    compareTotal(direction, lhs, rhs, result);
    return result;
  }
  withValueType(lhs.type(), [&]<typename C>() { compareInto<C>(direction, lhs, rhs, result); });
  return result;
}

Result<Tensor> select(const Tensor &predicate, const Tensor &onTrue, const Tensor &onFalse) {
  if (predicate.rank() == 0) {
    return *predicate.data() != std::byte{0} ? onTrue : onFalse;
  }
  Result<Tensor> made = allocate(onTrue.type(), onTrue.shape(), asLargeAsOperands);
  if (!made) {
    return made;
  }
  Tensor &result = *made;
  int64_t size = storageBytes(onTrue.type());
  auto source = [&](int64_t i) -> const Tensor & {
    return predicate.data()[i] != std::byte{0} ? onTrue : onFalse;
  };
  if (size > static_cast<int64_t>(sizeof(uint64_t))) {
    for (int64_t i = 0; i < result.elements(); ++i) {
      std::memcpy(result.data() + i * size, source(i).data() + i * size, static_cast<size_t>(size));
    }
    return result;
  }
  withStorageType(size, [&]<typename T>() {
    for (int64_t i = 0; i < result.elements(); ++i) {
      result.as<T>()[i] = source(i).as<T>()[i];
    }
  });
  return result;
}

Result<Tensor> clamp(const Tensor &low, const Tensor &operand, const Tensor &high) {
  Result<Tensor> raised = binary(BinaryOperation::Maximum, operand, low);
  if (!raised) {
    return raised;
  }
  return binary(BinaryOperation::Minimum, *raised, high);
}

} // namespace drumlin::interpreter
