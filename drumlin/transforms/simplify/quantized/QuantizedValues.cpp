#include "drumlin/transforms/simplify/quantized/QuantizedValues.h"

#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/interpreter/kernels/Elements.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/MaxOp.h"
#include "drumlin/ir/stablehlo/MinOp.h"
#include "drumlin/ir/stablehlo/RoundNearestEvenOp.h"
#include "drumlin/ir/stablehlo/TensorAttribute.h"

#include <cmath>

using namespace mlir;

namespace drumlin {

using interpreter::Quantization;

Quantization parametersOf(RankedTensorType quantized) {
  std::optional<Quantization> quantization = quantizationOf(quantized);
  assert(quantization && "verified quantized types have parameters");
  return std::move(*quantization);
}

//===-- parameters as tensors -----------------------------------------------------------------===//

static Tensor tensorOf(ElementType type, ArrayRef<double> values, Shape shape) {
  Tensor tensor(type, std::move(shape));
  for (auto [i, value] : llvm::enumerate(values)) {
    std::byte *target = tensor.data() + static_cast<int64_t>(i) * storageBytes(type);
    if (isFloat(type)) {
      interpreter::storeRun<double>(type, &value, target, 1);
    } else if (isSigned(type)) {
      auto integer = static_cast<int64_t>(value);
      interpreter::storeRun<int64_t>(type, &integer, target, 1);
    } else {
      auto integer = static_cast<uint64_t>(value);
      interpreter::storeRun<uint64_t>(type, &integer, target, 1);
    }
  }
  return tensor;
}

Value valuesOfBlocks(TensorBuilder &b, const Quantization &quantization, ArrayRef<int64_t> shape,
                     Type element, ArrayRef<double> values) {
  if (llvm::all_equal(values) || llvm::is_contained(shape, 0)) {
    return b.number(element, values.front(), shape);
  }
  // The number of blocks along each dimension that has several blocks, and the shape in which a
  // block of several elements becomes a separate dimension.
  Shape counts;
  SmallVector<int64_t> apart, places;
  for (auto [size, block] : llvm::zip_equal(shape, quantization.blockSizes)) {
    int64_t count = size / block;
    if (count > 1) {
      counts.push_back(count);
      places.push_back(static_cast<int64_t>(apart.size()));
      apart.push_back(count);
    }
    if (count == 1 || block > 1) {
      apart.push_back(block);
    }
  }
  Value constant = stablehlo::ConstantOp::create(
      b.operations(), b.location(),
      attributeFromTensor(tensorOf(elementTypeOf(element), values, counts), element.getContext()));
  return b.reshape(b.broadcast(constant, apart, places), shape);
}

static SmallVector<double> asNumbers(ArrayRef<int64_t> integers) {
  return llvm::map_to_vector(integers, [](int64_t each) { return static_cast<double>(each); });
}

static bool areAll(ArrayRef<double> values, double value) {
  return llvm::all_of(values, [&](double each) { return each == value; });
}

//===-- to and from expressed numbers ---------------------------------------------------------===//

// Returns a type that can represent the difference of two stored integers.
static Type differenceType(TensorBuilder &b, ElementType storage) {
  return b.signedType(info(storage).bits < 32 ? 32 : 64);
}

Value dequantize(TensorBuilder &b, Value stored, RankedTensorType quantized) {
  Quantization quantization = parametersOf(quantized);
  Type expressed = stablehlo::expressedTypeOf(quantized);
  Value difference = stored;
  if (SmallVector<double> zeros = asNumbers(quantization.zeroPoints); !areAll(zeros, 0)) {
    Type wide = differenceType(b, quantization.storage);
    difference = b.subtract(b.convert(stored, wide),
                            valuesOfBlocks(b, quantization, quantized.getShape(), wide, zeros));
  }
  Value number = b.convert(difference, expressed);
  return areAll(quantization.scales, 1)
             ? number
             : b.multiply(number, valuesOfBlocks(b, quantization, quantized.getShape(), expressed,
                                                 quantization.scales));
}

namespace {
// How to clamp to the bounds of the stored integers. The expressed type may not be able to
// represent a bound, and the storage type may have integers beyond the bounds.
struct Bounds {
  explicit Bounds(const Quantization &quantization) {
    auto storage = info(quantization.storage);
    int64_t greatest = isSigned(quantization.storage) ? (int64_t{1} << (storage.bits - 1)) - 1
                                                      : (int64_t{1} << storage.bits) - 1;
    int64_t least = isSigned(quantization.storage) ? -greatest - 1 : 0;
    areOfStorage = quantization.storageMin == least && quantization.storageMax == greatest;
    low = roundTo(quantization.expressed, static_cast<double>(quantization.storageMin));
    high = roundTo(quantization.expressed, static_cast<double>(quantization.storageMax));
    // A bound that rounding moves outwards, or that becomes NaN, is applied to the integers
    // instead.
    clampsLow = low > static_cast<double>(quantization.storageMin);
    clampsHigh = high < static_cast<double>(quantization.storageMax);
  }

  double low, high;
  bool clampsLow, clampsHigh, areOfStorage;
};
} // namespace

Value quantize(TensorBuilder &b, Value expressed, RankedTensorType quantized) {
  Quantization quantization = parametersOf(quantized);
  Type element = stablehlo::expressedTypeOf(quantized);
  ArrayRef<int64_t> shape = quantized.getShape();
  Value number = b.convert(expressed, element);
  if (!areAll(quantization.scales, 1)) {
    number = b.divide(number, valuesOfBlocks(b, quantization, shape, element, quantization.scales));
  }
  // A type without zero has NaN instead.
  SmallVector<double> zeros = asNumbers(quantization.zeroPoints);
  if (!areAll(zeros, 0) || std::isnan(roundTo(quantization.expressed, 0))) {
    number = b.add(number, valuesOfBlocks(b, quantization, shape, element, zeros));
  }
  Bounds bounds(quantization);
  auto limit = [&](double value) { return b.number(element, value, shape); };
  if (bounds.clampsLow) {
    number = b.binary<stablehlo::MaxOp>(number, limit(bounds.low));
  }
  if (bounds.clampsHigh) {
    number = b.binary<stablehlo::MinOp>(number, limit(bounds.high));
  }
  // The conversion saturates, and converts NaN to 0.
  Value stored = b.convert(b.unary<stablehlo::RoundNearestEvenOp>(number),
                           toMlirType(quantization.storage, element.getContext()));
  if (bounds.areOfStorage) {
    return stored;
  }
  auto integer = [&](int64_t value) { return b.like(stored, static_cast<uint64_t>(value)); };
  return b.binary<stablehlo::MinOp>(
      b.binary<stablehlo::MaxOp>(stored, integer(quantization.storageMin)),
      integer(quantization.storageMax));
}

//===-- properties of the stored integers -----------------------------------------------------===//

static std::optional<Tensor> stored(const Quantization &quantization, const Tensor &numbers) {
  Result<Tensor> made = interpreter::quantize(numbers, quantization, {});
  return made ? std::optional(std::move(*made)) : std::nullopt;
}

int64_t storedZero(RankedTensorType quantized) {
  Quantization quantization = parametersOf(quantized);
  std::optional<Tensor> zero = stored(quantization, Tensor(quantization.expressed, {}));
  return zero ? static_cast<int64_t>(toDouble(zero->type(), zero->data())) : 0;
}

bool isOrderedAsStored(RankedTensorType quantized) {
  // Wider types would have too many integers to try them all.
  constexpr unsigned maxBits = 16;
  if (!isa<quant::UniformQuantizedType>(quantized.getElementType())) {
    return false;
  }
  Quantization quantization = parametersOf(quantized);
  if (info(quantization.storage).bits > maxBits || !Bounds(quantization).areOfStorage) {
    return false;
  }
  int64_t count = quantization.storageMax - quantization.storageMin + 1;
  SmallVector<double> all;
  for (int64_t i = 0; i < count; ++i) {
    all.push_back(static_cast<double>(quantization.storageMin + i));
  }
  Tensor integers = tensorOf(quantization.storage, all, {count});
  Result<Tensor> numbers = interpreter::dequantize(integers, quantization, {});
  std::optional<Tensor> back = numbers ? stored(quantization, *numbers) : std::nullopt;
  if (!back ||
      std::memcmp(back->data(), integers.data(), static_cast<size_t>(integers.bytes())) != 0) {
    return false;
  }
  auto number = [&](int64_t i) {
    return toDouble(numbers->type(), numbers->data() + i * storageBytes(numbers->type()));
  };
  for (int64_t i = 1; i < count; ++i) {
    if (!(number(i - 1) < number(i))) {
      return false;
    }
  }
  return true;
}

} // namespace drumlin
