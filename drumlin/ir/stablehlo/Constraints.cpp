#include "drumlin/ir/stablehlo/Constraints.h"

#include "drumlin/ir/stablehlo/ReturnOp.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace drumlin::stablehlo {

std::string str(ArrayRef<int64_t> numbers) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(numbers, stream, [&](int64_t number) {
    if (isDynamic(number)) {
      stream << '?';
    } else {
      stream << number;
    }
  });
  stream << ']';
  return text;
}

LogicalResult checkUnique(EmitError emit, StringRef label, StringRef name,
                          ArrayRef<int64_t> dimensions) {
  llvm::SmallSet<int64_t, 8> seen;
  for (int64_t dimension : dimensions) {
    if (!seen.insert(dimension).second) {
      return emit() << "expects " << name << " without repetition, got " << str(dimensions) << " ("
                    << label << ")";
    }
  }
  return success();
}

LogicalResult checkSorted(EmitError emit, StringRef label, StringRef name,
                          ArrayRef<int64_t> dimensions) {
  if (!llvm::is_sorted(dimensions)) {
    return emit() << "expects " << name << " in ascending order, got " << str(dimensions) << " ("
                  << label << ")";
  }
  return success();
}

LogicalResult checkInRange(EmitError emit, StringRef label, StringRef name,
                           ArrayRef<int64_t> dimensions, int64_t bound) {
  for (int64_t dimension : dimensions) {
    if (dimension < 0 || dimension >= bound) {
      return emit() << "expects " << name << " in [0, " << bound << "), got " << dimension << " ("
                    << label << ")";
    }
  }
  return success();
}

LogicalResult checkSize(EmitError emit, StringRef label, StringRef name, size_t size,
                        size_t expected) {
  if (size != expected) {
    return emit() << "expects " << expected << " " << name << ", got " << size << " (" << label
                  << ")";
  }
  return success();
}

LogicalResult checkAtLeast(EmitError emit, StringRef label, StringRef name,
                           ArrayRef<int64_t> numbers, int64_t minimum) {
  for (int64_t number : numbers) {
    if (number < minimum) {
      return emit() << "expects " << name << " of at least " << minimum << ", got " << number
                    << " (" << label << ")";
    }
  }
  return success();
}

LogicalResult checkShape(EmitError emit, StringRef label, StringRef name, ArrayRef<int64_t> shape,
                         ArrayRef<int64_t> expected) {
  if (!areCompatible(shape, expected)) {
    return emit() << "expects " << name << " of shape " << str(expected) << ", got " << str(shape)
                  << " (" << label << ")";
  }
  return success();
}

LogicalResult checkElementType(EmitError emit, StringRef label, StringRef name, Type type,
                               Type expected) {
  Type element = getElementTypeOrSelf(type);
  if (element != getElementTypeOrSelf(expected)) {
    return emit() << "expects " << name << " of element type " << getElementTypeOrSelf(expected)
                  << ", got " << element << " (" << label << ")";
  }
  return success();
}

LogicalResult checkType(EmitError emit, StringRef label, StringRef name, Type type, Type expected) {
  if (!areCompatible(type, expected)) {
    return emit() << "expects " << name << " of type " << expected << ", got " << type << " ("
                  << label << ")";
  }
  return success();
}

LogicalResult checkTypes(EmitError emit, StringRef label, StringRef name, TypeRange types,
                         TypeRange expected) {
  bool agree =
      types.size() == expected.size() && llvm::all_of(llvm::zip(types, expected), [](auto pair) {
        return areCompatible(std::get<0>(pair), std::get<1>(pair));
      });
  if (agree) {
    return success();
  }
  return emit() << "expects " << name << " of types (" << expected << "), got (" << types << ") ("
                << label << ")";
}

LogicalResult checkBaseline(EmitError emit, StringRef label, StringRef name, Type type,
                            Type expected) {
  if (!haveSameBaseline(type, expected)) {
    return emit() << "expects " << name << " of element type " << getElementTypeOrSelf(expected)
                  << " but for scales and zero points, got " << getElementTypeOrSelf(type) << " ("
                  << label << ")";
  }
  return success();
}

LogicalResult checkBaselineType(EmitError emit, StringRef label, StringRef name, Type type,
                                Type expected) {
  if (!haveCompatibleBaselines(type, expected)) {
    return emit() << "expects " << name << " of type " << expected << ", got " << type << " ("
                  << label << ")";
  }
  return success();
}

LogicalResult checkMovedElementType(EmitError emit, StringRef label, Type result, Type operand,
                                    bool mayRescale) {
  auto from = dyn_cast<quant::UniformQuantizedPerAxisType>(getElementTypeOrSelf(operand));
  auto to = dyn_cast<quant::UniformQuantizedPerAxisType>(getElementTypeOrSelf(result));
  if (!from || !to) {
    return checkElementType(emit, label, "the result", result, operand);
  }
  // `moved` is the type `to`, but with the operand's quantized dimension and, if `mayRescale`, with
  // the operand's scales and zero points.
  auto moved = quant::UniformQuantizedPerAxisType::get(
      to.getFlags(), to.getStorageType(), to.getExpressedType(),
      mayRescale ? from.getScales() : to.getScales(),
      mayRescale ? from.getZeroPoints() : to.getZeroPoints(), from.getQuantizedDimension(),
      to.getStorageTypeMin(), to.getStorageTypeMax());
  if (moved != from) {
    return emit() << "expects the result of element type " << getElementTypeOrSelf(operand)
                  << " but for the quantized dimension"
                  << (mayRescale ? ", scales and zero points" : "") << ", got "
                  << getElementTypeOrSelf(result) << " (" << label << ")";
  }
  return success();
}

LogicalResult checkStaticOrSingleBounded(EmitError emit, StringRef label, RankedTensorType result) {
  if (!isStaticOrSingleBounded(result)) {
    return emit()
           << "expects a result of static shape, or with one dimension that has a bound, got "
           << result << " (" << label << ")";
  }
  return success();
}

LogicalResult checkPrecisionConfig(EmitError emit, StringRef label,
                                   std::optional<ArrayAttr> config) {
  // Producers may write fewer precisions; missing ones have the default.
  if (config && config->size() > 2) {
    return checkSize(emit, label, "precisions in precision_config", config->size(), 2);
  }
  return success();
}

Precision precisionOrDefault(std::optional<ArrayAttr> config, unsigned operand) {
  if (!config || operand >= config->size()) {
    return Precision::DEFAULT;
  }
  return cast<PrecisionAttr>((*config)[operand]).getValue();
}

//===-- contractions --------------------------------------------------------------------------===//

LogicalResult checkContractionElements(EmitError emit, const ContractionLabels &labels, Type lhs,
                                       Type rhs, Type result) {
  if (!isQuantized(lhs) && !isQuantized(rhs) && !isQuantized(result)) {
    // The specification requires equal element types. Producers also write operands of two
    // different float types, such as two fp8 formats. Their meaning is clear: both operands are
    // converted to the result's type. The kinds must be equal.
    Type left = getElementTypeOrSelf(lhs), right = getElementTypeOrSelf(rhs);
    bool bothFloat = isa<FloatType>(left) && isa<FloatType>(right);
    return left == right || bothFloat ? success()
                                      : checkElementType(emit, labels.elements, "rhs", rhs, lhs);
  }
  auto report = [&](StringRef what, StringRef label) {
    return emit() << "expects " << what << ", got (" << lhs << ", " << rhs << ") -> " << result
                  << " (" << label << ")";
  };
  if (!isQuantized(rhs) || isQuantized(lhs) != isQuantized(result)) {
    return report("a quantized rhs, and lhs and the result both quantized or both not",
                  labels.quantized);
  }
  if (!isQuantized(lhs)) {
    bool same = getElementTypeOrSelf(lhs) == expressedTypeOf(rhs) &&
                getElementTypeOrSelf(result) == expressedTypeOf(rhs);
    return same ? success()
                : report("lhs and the result of the expressed type of rhs", labels.hybrid);
  }
  auto left = cast<quant::QuantizedType>(getElementTypeOrSelf(lhs));
  auto right = cast<quant::QuantizedType>(getElementTypeOrSelf(rhs));
  if (left.getStorageType() != right.getStorageType()) {
    return report("one storage type of lhs and rhs", labels.storage);
  }
  if (left.getExpressedType() != right.getExpressedType() ||
      left.getExpressedType() != expressedTypeOf(result)) {
    return report("one expressed type", labels.expressed);
  }
  if (isPerTensorQuantized(rhs) && !isPerTensorQuantized(result)) {
    return report("a result that is quantized per tensor as rhs is", labels.perTensor);
  }
  return success();
}

//===-- shapes as values ----------------------------------------------------------------------===//

std::optional<SmallVector<int64_t>> constantIntegers(Value value) {
  DenseIntElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements))) {
    return std::nullopt;
  }
  auto type = dyn_cast<IntegerType>(elements.getElementType());
  bool isUnsigned = type && type.isUnsigned();
  SmallVector<int64_t> numbers;
  for (const APInt &number : elements.getValues<APInt>()) {
    if (isUnsigned && number.getActiveBits() > 63) {
      return std::nullopt;
    }
    numbers.push_back(isUnsigned ? static_cast<int64_t>(number.getZExtValue())
                                 : number.getSExtValue());
  }
  return numbers;
}

bool isDimensionTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.getRank() == 1 &&
         (tensor.getElementType().isIndex() || isTensorOf(type, kinds::Integer));
}

//===-- regions -------------------------------------------------------------------------------===//

FailureOr<OperandRange> returnedValues(EmitError emit, StringRef label, StringRef name,
                                       Region &region) {
  auto terminator = region.front().empty() ? ReturnOp() : dyn_cast<ReturnOp>(region.front().back());
  if (!terminator) {
    return emit() << "expects " << name << " to end in `stablehlo.return` (" << label << ")";
  }
  return terminator.getResults();
}

// Returns the number of bits of an element, or of the real part of a complex element.
static unsigned numberBits(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    return complex.getElementType().getIntOrFloatBitWidth();
  }
  return type.getIntOrFloatBitWidth();
}

bool isPromotable(Type from, Type to) {
  from = getElementTypeOrSelf(from);
  to = getElementTypeOrSelf(to);
  auto fromQuantized = dyn_cast<quant::QuantizedType>(from);
  auto toQuantized = dyn_cast<quant::QuantizedType>(to);
  if (fromQuantized || toQuantized) {
    return fromQuantized && toQuantized &&
           fromQuantized.getExpressedType() == toQuantized.getExpressedType() &&
           fromQuantized.getStorageTypeIntegralWidth() <= toQuantized.getStorageTypeIntegralWidth();
  }
  if (from.isInteger(1) || to.isInteger(1)) {
    return from.isInteger(1) && to.isInteger(1);
  }
  bool sameKind = (isa<IntegerType>(from) && isa<IntegerType>(to)) ||
                  (isa<FloatType>(from) && isa<FloatType>(to)) ||
                  (isa<ComplexType>(from) && isa<ComplexType>(to));
  return sameKind && numberBits(from) <= numberBits(to);
}

FailureOr<SmallVector<Type>> checkReducer(EmitError emit, StringRef label, StringRef name,
                                          Region &body, TypeRange inputs) {
  size_t n = inputs.size();
  Block &block = body.front();
  if (failed(checkSize(emit, label, (name + " arguments").str(), block.getNumArguments(), 2 * n))) {
    return failure();
  }
  FailureOr<OperandRange> returned = returnedValues(emit, label, name, body);
  if (failed(returned) ||
      failed(checkSize(emit, label, (name + " results").str(), returned->size(), n))) {
    return failure();
  }
  SmallVector<Type> elements;
  for (size_t i = 0; i < n; ++i) {
    Type type = block.getArgument(i).getType();
    if (!isTensorOf(type, kinds::Any | kinds::Quantized) ||
        cast<RankedTensorType>(type).getRank() != 0) {
      return emit() << "expects " << name << " argument " << i
                    << " to be a 0-dimensional tensor, got " << type << " (" << label << ")";
    }
    if (!isPromotable(inputs[i], type)) {
      return emit() << "expects " << name << " argument " << i << " of a type that "
                    << getElementTypeOrSelf(inputs[i]) << " is promotable to, got "
                    << getElementTypeOrSelf(type) << " (" << label << ")";
    }
    if (failed(checkType(emit, label, (name + " argument " + Twine(i + n)).str(),
                         block.getArgument(i + n).getType(), type)) ||
        failed(checkType(emit, label, (name + " result " + Twine(i)).str(),
                         (*returned)[i].getType(), type))) {
      return failure();
    }
    elements.push_back(getElementTypeOrSelf(type));
  }
  return elements;
}

//===-- windows -------------------------------------------------------------------------------===//

// Computes (size - 1) * dilation + 1, or 0 if `size` is 0. Returns false if the result overflows.
static bool dilate(int64_t size, int64_t dilation, int64_t &result) {
  if (size == 0) {
    result = 0;
    return true;
  }
  return !llvm::MulOverflow(size - 1, dilation, result) &&
         !llvm::AddOverflow(result, int64_t(1), result);
}

std::optional<int64_t> windowCount(int64_t inputSize, const WindowDimension &window) {
  if (isDynamic(inputSize) || isDynamic(window.size)) {
    return ShapedType::kDynamic;
  }
  int64_t padded, dilatedWindow;
  if (!dilate(inputSize, window.baseDilation, padded) ||
      !dilate(window.size, window.windowDilation, dilatedWindow) ||
      llvm::AddOverflow(padded, window.low, padded) ||
      llvm::AddOverflow(padded, window.high, padded)) {
    return std::nullopt;
  }
  // Negative padding can remove more elements than the input has. In this case, too, there is no
  // window position.
  if (padded <= 0 || dilatedWindow > padded) {
    return 0;
  }
  return (padded - dilatedWindow) / window.stride + 1;
}

FailureOr<SmallVector<std::pair<int64_t, int64_t>>>
paddingPairs(std::optional<DenseIntElementsAttr> padding, size_t n) {
  SmallVector<std::pair<int64_t, int64_t>> pairs(n, {0, 0});
  // An empty list counts as absent, because producers write it that way.
  if (!padding || padding->empty()) {
    return pairs;
  }
  ArrayRef<int64_t> shape = padding->getType().getShape();
  if (shape != ArrayRef<int64_t>{static_cast<int64_t>(n), 2}) {
    return failure();
  }
  auto values = padding->getValues<int64_t>();
  for (size_t i = 0; i < n; ++i) {
    pairs[i] = {values[2 * i], values[2 * i + 1]};
  }
  return pairs;
}

SmallVector<int64_t> numbersOr(std::optional<ArrayRef<int64_t>> numbers, size_t n, int64_t value) {
  bool isGiven = numbers && !numbers->empty();
  return isGiven ? SmallVector<int64_t>(*numbers) : SmallVector<int64_t>(n, value);
}

} // namespace drumlin::stablehlo
