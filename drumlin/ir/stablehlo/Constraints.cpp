#include "drumlin/ir/stablehlo/Constraints.h"

#include "llvm/ADT/SmallSet.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace drumlin::stablehlo {

std::string str(ArrayRef<int64_t> numbers) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << '[';
  llvm::interleaveComma(numbers, stream);
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
  if (shape != expected) {
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
  if (type != expected) {
    return emit() << "expects " << name << " of type " << expected << ", got " << type << " ("
                  << label << ")";
  }
  return success();
}

LogicalResult checkTypes(EmitError emit, StringRef label, StringRef name, TypeRange types,
                         TypeRange expected) {
  if (types.size() == expected.size() && llvm::equal(types, expected)) {
    return success();
  }
  return emit() << "expects " << name << " of types (" << expected << "), got (" << types << ") ("
                << label << ")";
}

LogicalResult checkPrecisionConfig(EmitError emit, StringRef label,
                                   std::optional<ArrayAttr> config) {
  // Producers write fewer, which leaves the others at the default.
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

//===-- regions -------------------------------------------------------------------------------===//

FailureOr<OperandRange> returnedValues(EmitError emit, StringRef label, StringRef name,
                                       Region &region) {
  auto terminator = region.front().empty() ? ReturnOp() : dyn_cast<ReturnOp>(region.front().back());
  if (!terminator) {
    return emit() << "expects " << name << " to end in `stablehlo.return` (" << label << ")";
  }
  return terminator.getResults();
}

// The bits of an element as a number: of one part for complex.
static unsigned numberBits(Type type) {
  if (auto complex = dyn_cast<ComplexType>(type)) {
    return complex.getElementType().getIntOrFloatBitWidth();
  }
  return type.getIntOrFloatBitWidth();
}

bool isPromotable(Type from, Type to) {
  from = getElementTypeOrSelf(from);
  to = getElementTypeOrSelf(to);
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
    if (!isTensorOf(type, kinds::Any) || cast<RankedTensorType>(type).getRank() != 0) {
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

// size = 0 ? 0 : (size - 1) * dilation + 1.
static bool dilate(int64_t size, int64_t dilation, int64_t &result) {
  if (size == 0) {
    result = 0;
    return true;
  }
  return !llvm::MulOverflow(size - 1, dilation, result) &&
         !llvm::AddOverflow(result, int64_t(1), result);
}

std::optional<int64_t> windowCount(int64_t inputSize, const WindowDimension &window) {
  int64_t padded, dilatedWindow;
  if (!dilate(inputSize, window.baseDilation, padded) ||
      !dilate(window.size, window.windowDilation, dilatedWindow) ||
      llvm::AddOverflow(padded, window.low, padded) ||
      llvm::AddOverflow(padded, window.high, padded)) {
    return std::nullopt;
  }
  // Negative padding can remove more than there is: no position is left then either.
  if (padded <= 0 || dilatedWindow > padded) {
    return 0;
  }
  return (padded - dilatedWindow) / window.stride + 1;
}

FailureOr<SmallVector<std::pair<int64_t, int64_t>>>
paddingPairs(std::optional<DenseIntElementsAttr> padding, size_t n) {
  SmallVector<std::pair<int64_t, int64_t>> pairs(n, {0, 0});
  if (!padding) {
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
  return numbers ? SmallVector<int64_t>(*numbers) : SmallVector<int64_t>(n, value);
}

} // namespace drumlin::stablehlo
