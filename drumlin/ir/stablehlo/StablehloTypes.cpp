#include "drumlin/ir/stablehlo/StablehloTypes.h"

#include "drumlin/ir/stablehlo/StablehloDialect.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace drumlin {

static std::optional<ElementType> integerElementType(IntegerType type) {
  if (type.isSigned()) {
    // StableHLO's text has signless types for signed integers: `i32`, never `si32`.
    return std::nullopt;
  }
  bool isUnsigned = type.isUnsigned();
  switch (type.getWidth()) {
  case 1:
    return isUnsigned ? std::nullopt : std::optional(ElementType::I1);
  case 2:
    return isUnsigned ? ElementType::UI2 : ElementType::SI2;
  case 4:
    return isUnsigned ? ElementType::UI4 : ElementType::SI4;
  case 8:
    return isUnsigned ? ElementType::UI8 : ElementType::SI8;
  case 16:
    return isUnsigned ? ElementType::UI16 : ElementType::SI16;
  case 32:
    return isUnsigned ? ElementType::UI32 : ElementType::SI32;
  case 64:
    return isUnsigned ? ElementType::UI64 : ElementType::SI64;
  default:
    return std::nullopt;
  }
}

std::optional<ElementType> tryElementTypeOf(Type type) {
  type = getElementTypeOrSelf(type);
  if (auto integer = dyn_cast<IntegerType>(type)) {
    return integerElementType(integer);
  }
  if (auto complex = dyn_cast<ComplexType>(type)) {
    if (complex.getElementType().isF32()) {
      return ElementType::C64;
    }
    if (complex.getElementType().isF64()) {
      return ElementType::C128;
    }
    return std::nullopt;
  }
  return llvm::TypeSwitch<Type, std::optional<ElementType>>(type)
      .Case<Float4E2M1FNType>([](Type) { return ElementType::F4E2M1FN; })
      .Case<Float6E2M3FNType>([](Type) { return ElementType::F6E2M3FN; })
      .Case<Float6E3M2FNType>([](Type) { return ElementType::F6E3M2FN; })
      .Case<Float8E3M4Type>([](Type) { return ElementType::F8E3M4; })
      .Case<Float8E4M3Type>([](Type) { return ElementType::F8E4M3; })
      .Case<Float8E4M3FNType>([](Type) { return ElementType::F8E4M3FN; })
      .Case<Float8E4M3FNUZType>([](Type) { return ElementType::F8E4M3FNUZ; })
      .Case<Float8E4M3B11FNUZType>([](Type) { return ElementType::F8E4M3B11FNUZ; })
      .Case<Float8E5M2Type>([](Type) { return ElementType::F8E5M2; })
      .Case<Float8E5M2FNUZType>([](Type) { return ElementType::F8E5M2FNUZ; })
      .Case<Float8E8M0FNUType>([](Type) { return ElementType::F8E8M0FNU; })
      .Case<BFloat16Type>([](Type) { return ElementType::BF16; })
      .Case<Float16Type>([](Type) { return ElementType::F16; })
      .Case<Float32Type>([](Type) { return ElementType::F32; })
      .Case<Float64Type>([](Type) { return ElementType::F64; })
      .Default([](Type) { return std::nullopt; });
}

ElementType elementTypeOf(Type type) {
  std::optional<ElementType> element = tryElementTypeOf(type);
  assert(element && "each tensor of a verified program has an element type");
  return *element;
}

std::optional<ElementType> tryStoredTypeOf(Type type) {
  auto quantized = dyn_cast<quant::QuantizedType>(getElementTypeOrSelf(type));
  if (!quantized) {
    return tryElementTypeOf(type);
  }
  if (!isa<IntegerType>(quantized.getStorageType())) {
    return std::nullopt;
  }
  auto storage =
      IntegerType::get(type.getContext(), quantized.getStorageTypeIntegralWidth(),
                       quantized.isSigned() ? IntegerType::Signless : IntegerType::Unsigned);
  return tryElementTypeOf(storage);
}

Type toMlirType(ElementType type, MLIRContext *context) {
  auto integer = [&](unsigned width) -> Type { return IntegerType::get(context, width); };
  auto unsignedInteger = [&](unsigned width) -> Type {
    return IntegerType::get(context, width, IntegerType::Unsigned);
  };
  switch (type) {
  case ElementType::I1:
    return integer(1);
  case ElementType::SI2:
    return integer(2);
  case ElementType::SI4:
    return integer(4);
  case ElementType::SI8:
    return integer(8);
  case ElementType::SI16:
    return integer(16);
  case ElementType::SI32:
    return integer(32);
  case ElementType::SI64:
    return integer(64);
  case ElementType::UI2:
    return unsignedInteger(2);
  case ElementType::UI4:
    return unsignedInteger(4);
  case ElementType::UI8:
    return unsignedInteger(8);
  case ElementType::UI16:
    return unsignedInteger(16);
  case ElementType::UI32:
    return unsignedInteger(32);
  case ElementType::UI64:
    return unsignedInteger(64);
  case ElementType::F4E2M1FN:
    return Float4E2M1FNType::get(context);
  case ElementType::F6E2M3FN:
    return Float6E2M3FNType::get(context);
  case ElementType::F6E3M2FN:
    return Float6E3M2FNType::get(context);
  case ElementType::F8E3M4:
    return Float8E3M4Type::get(context);
  case ElementType::F8E4M3:
    return Float8E4M3Type::get(context);
  case ElementType::F8E4M3FN:
    return Float8E4M3FNType::get(context);
  case ElementType::F8E4M3FNUZ:
    return Float8E4M3FNUZType::get(context);
  case ElementType::F8E4M3B11FNUZ:
    return Float8E4M3B11FNUZType::get(context);
  case ElementType::F8E5M2:
    return Float8E5M2Type::get(context);
  case ElementType::F8E5M2FNUZ:
    return Float8E5M2FNUZType::get(context);
  case ElementType::F8E8M0FNU:
    return Float8E8M0FNUType::get(context);
  case ElementType::BF16:
    return BFloat16Type::get(context);
  case ElementType::F16:
    return Float16Type::get(context);
  case ElementType::F32:
    return Float32Type::get(context);
  case ElementType::F64:
    return Float64Type::get(context);
  case ElementType::C64:
    return ComplexType::get(Float32Type::get(context));
  case ElementType::C128:
    return ComplexType::get(Float64Type::get(context));
  }
  llvm_unreachable("every element type has a counterpart");
}

std::optional<int64_t> byteSizeOf(RankedTensorType type) {
  std::optional<ElementType> stored = tryStoredTypeOf(type);
  assert(stored && "each tensor of a verified program has an element type");
  int64_t bytes = storageBytes(*stored);
  for (int64_t size : type.getShape()) {
    if (llvm::MulOverflow(bytes, size, bytes)) {
      return std::nullopt;
    }
  }
  return bytes;
}

namespace stablehlo {

static unsigned kindOf(ElementType type) {
  switch (type) {
  case ElementType::I1:
    return kinds::Boolean;
  case ElementType::SI2:
  case ElementType::SI4:
  case ElementType::SI8:
  case ElementType::SI16:
  case ElementType::SI32:
  case ElementType::SI64:
    return kinds::Signed;
  case ElementType::UI2:
  case ElementType::UI4:
  case ElementType::UI8:
  case ElementType::UI16:
  case ElementType::UI32:
  case ElementType::UI64:
    return kinds::Unsigned;
  case ElementType::C64:
  case ElementType::C128:
    return kinds::Complex;
  default:
    return kinds::Float;
  }
}

// Checks that zero points fit the storage type, which MLIR's own verifier does not check.
// QuantizedTensorElementType C7.
static bool zeroPointsFit(quant::QuantizedType type, ArrayRef<int64_t> zeroPoints) {
  return llvm::all_of(zeroPoints, [&](int64_t zeroPoint) {
    return type.getStorageTypeMin() <= zeroPoint && zeroPoint <= type.getStorageTypeMax();
  });
}

// QuantizedTensorElementType C6. MLIR's comparison with the expressed type's range accepts NaN.
static bool areNumbers(ArrayRef<double> scales) {
  return llvm::none_of(scales, [](double scale) { return std::isnan(scale); });
}

// QuantizedTensorElementType C11, C12, C13: the quantized dimension is in range, with one scale for
// each index.
static bool fitsAxis(RankedTensorType tensor, quant::UniformQuantizedPerAxisType type) {
  int64_t axis = type.getQuantizedDimension();
  return axis >= 0 && axis < tensor.getRank() &&
         areCompatible(tensor.getDimSize(axis), static_cast<int64_t>(type.getScales().size())) &&
         areNumbers(type.getScales()) && zeroPointsFit(type, type.getZeroPoints());
}

// Whether each quantized dimension is divided into complete blocks, with one scale for each block.
static bool fitsBlocks(RankedTensorType tensor, quant::UniformQuantizedSubChannelType type) {
  DenseElementsAttr scales = type.getScales();
  if (scales.getType().getRank() != tensor.getRank() ||
      llvm::any_of(scales.getValues<APFloat>(),
                   [](const APFloat &scale) { return scale.isNaN(); })) {
    return false;
  }
  ArrayRef<int32_t> dimensions = type.getQuantizedDimensions();
  for (int64_t d = 0; d < tensor.getRank(); ++d) {
    const int32_t *block = llvm::find(dimensions, d);
    int64_t size = tensor.getDimSize(d);
    int64_t blockSize =
        block == dimensions.end() ? size : type.getBlockSizes()[block - dimensions.begin()];
    if (ShapedType::isDynamic(size)) {
      continue;
    }
    int64_t count = size == 0 ? 0 : size / blockSize;
    if (blockSize != 0 && (size % blockSize != 0 || scales.getType().getDimSize(d) != count)) {
      return false;
    }
  }
  return llvm::all_of(dimensions, [&](int32_t d) { return d >= 0 && d < tensor.getRank(); });
}

// Checks the constraints that MLIR's type parser checks, but its bytecode reader does not.
static bool isValid(quant::QuantizedType quantized) {
  auto quietly = [&] {
    InFlightDiagnostic error = emitError(UnknownLoc::get(quantized.getContext()));
    error.abandon();
    return error;
  };
  unsigned flags = quantized.getFlags();
  Type storage = quantized.getStorageType(), expressed = quantized.getExpressedType();
  int64_t least = quantized.getStorageTypeMin(), most = quantized.getStorageTypeMax();
  if (auto type = dyn_cast<quant::UniformQuantizedType>(quantized)) {
    return succeeded(type.verifyInvariants(quietly, flags, storage, expressed, type.getScale(),
                                           type.getZeroPoint(), least, most));
  }
  if (auto type = dyn_cast<quant::UniformQuantizedPerAxisType>(quantized)) {
    return succeeded(type.verifyInvariants(quietly, flags, storage, expressed, type.getScales(),
                                           type.getZeroPoints(), type.getQuantizedDimension(),
                                           least, most));
  }
  auto type = dyn_cast<quant::UniformQuantizedSubChannelType>(quantized);
  return type && succeeded(type.verifyInvariants(
                     quietly, flags, storage, expressed, type.getScales(), type.getZeroPoints(),
                     type.getQuantizedDimensions(), type.getBlockSizes(), least, most));
}

static bool isQuantizedOf(RankedTensorType tensor, unsigned allowedKinds) {
  Type element = tensor.getElementType();
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  // `i8` is a storage type of StableHLO, `si8` is not.
  bool isWritten = quantized && !quantized.getStorageType().isSignedInteger();
  if (!isWritten || !isValid(quantized) || !tryStoredTypeOf(tensor)) {
    return false;
  }
  if (auto type = dyn_cast<quant::UniformQuantizedType>(element)) {
    return (allowedKinds & kinds::Quantized) != 0 && areNumbers(type.getScale()) &&
           zeroPointsFit(type, type.getZeroPoint());
  }
  if ((allowedKinds & kinds::QuantizedPerAxis) == 0) {
    return false;
  }
  if (auto type = dyn_cast<quant::UniformQuantizedPerAxisType>(element)) {
    return fitsAxis(tensor, type);
  }
  auto type = dyn_cast<quant::UniformQuantizedSubChannelType>(element);
  return type && fitsBlocks(tensor, type);
}

bool isTensorOf(Type type, unsigned allowedKinds) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    return false;
  }
  if (isa<quant::QuantizedType>(tensor.getElementType())) {
    return isQuantizedOf(tensor, allowedKinds);
  }
  std::optional<ElementType> element = tryElementTypeOf(tensor.getElementType());
  return element && (kindOf(*element) & allowedKinds) != 0;
}

Type expressedTypeOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  auto quantized = dyn_cast<quant::QuantizedType>(element);
  return quantized ? quantized.getExpressedType() : element;
}

bool haveSameBaseline(Type a, Type b) {
  a = getElementTypeOrSelf(a);
  b = getElementTypeOrSelf(b);
  auto left = dyn_cast<quant::QuantizedType>(a), right = dyn_cast<quant::QuantizedType>(b);
  if (!left || !right) {
    return a == b;
  }
  if (left.getTypeID() != right.getTypeID() || left.getFlags() != right.getFlags() ||
      left.getStorageType() != right.getStorageType() ||
      left.getExpressedType() != right.getExpressedType() ||
      left.getStorageTypeMin() != right.getStorageTypeMin() ||
      left.getStorageTypeMax() != right.getStorageTypeMax()) {
    return false;
  }
  auto leftAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(a);
  auto rightAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(b);
  return !leftAxis || leftAxis.getQuantizedDimension() == rightAxis.getQuantizedDimension();
}

bool areCompatible(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  return a.size() == b.size() && llvm::all_of(llvm::zip(a, b), [](auto pair) {
           return areCompatible(std::get<0>(pair), std::get<1>(pair));
         });
}

int64_t boundOf(RankedTensorType type, int64_t dimension) {
  auto extensions = dyn_cast_or_null<TypeExtensionsAttr>(type.getEncoding());
  return extensions ? extensions.getBounds()[dimension] : ShapedType::kDynamic;
}

// Whether each size that is known in `sizes` is at most the bound that `bounds` has for this
// dimension.
static bool respectsBounds(RankedTensorType sizes, RankedTensorType bounds) {
  for (int64_t d = 0; d < sizes.getRank(); ++d) {
    int64_t size = sizes.getDimSize(d), bound = boundOf(bounds, d);
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(bound) && size > bound) {
      return false;
    }
  }
  return true;
}

static bool areCompatibleTypes(Type a, Type b,
                               llvm::function_ref<bool(Type, Type)> haveSameElements) {
  auto left = dyn_cast<RankedTensorType>(a), right = dyn_cast<RankedTensorType>(b);
  if (left && right) {
    return areCompatible(left.getShape(), right.getShape()) && respectsBounds(left, right) &&
           respectsBounds(right, left) && haveSameElements(left, right);
  }
  auto leftTuple = dyn_cast<TupleType>(a), rightTuple = dyn_cast<TupleType>(b);
  if (leftTuple && rightTuple && leftTuple.size() == rightTuple.size()) {
    return llvm::all_of(llvm::zip(leftTuple.getTypes(), rightTuple.getTypes()), [&](auto pair) {
      return areCompatibleTypes(std::get<0>(pair), std::get<1>(pair), haveSameElements);
    });
  }
  return a == b;
}

bool areCompatible(Type a, Type b) {
  return areCompatibleTypes(a, b, [](Type left, Type right) {
    return getElementTypeOrSelf(left) == getElementTypeOrSelf(right);
  });
}

bool haveCompatibleBaselines(Type a, Type b) { return areCompatibleTypes(a, b, haveSameBaseline); }

bool isStaticOrSingleBounded(RankedTensorType type) {
  int64_t bounded = 0;
  for (int64_t d = 0; d < type.getRank(); ++d) {
    if (!type.isDynamicDim(d)) {
      continue;
    }
    if (ShapedType::isDynamic(boundOf(type, d))) {
      return false;
    }
    ++bounded;
  }
  return bounded <= 1;
}

//===-- values --------------------------------------------------------------------------------===//

static bool isBuffer(Type type) {
  auto buffer = dyn_cast<MemRefType>(type);
  std::optional<ElementType> element =
      buffer ? tryElementTypeOf(buffer.getElementType()) : std::nullopt;
  return element.has_value() ||
         (buffer && isa<quant::UniformQuantizedType>(buffer.getElementType()));
}

static bool isUnrankedTensor(Type type) {
  auto tensor = dyn_cast<UnrankedTensorType>(type);
  return tensor && (tryElementTypeOf(tensor.getElementType()) ||
                    isa<quant::QuantizedType>(tensor.getElementType()));
}

bool isValueOf(Type type, unsigned allowedKinds) {
  auto allows = [&](unsigned kind) { return (allowedKinds & kind) != 0; };
  if (isa<RankedTensorType>(type)) {
    return (allows(values::AnyTensor) &&
            isTensorOf(type, kinds::Any | kinds::Quantized | kinds::QuantizedPerAxis)) ||
           (allows(values::Tensor) && isTensorOf(type, kinds::Any | kinds::Quantized));
  }
  if (auto tuple = dyn_cast<TupleType>(type)) {
    unsigned elements = values::AnyTensor | values::Token | values::Buffer | values::Tuple |
                        (allowedKinds & values::UnrankedTensor);
    return allows(values::Tuple) &&
           llvm::all_of(tuple.getTypes(), [&](Type each) { return isValueOf(each, elements); });
  }
  return (allows(values::Token) && isa<TokenType>(type)) ||
         (allows(values::Future) && isa<FutureType>(type)) ||
         (allows(values::Buffer) && isBuffer(type)) ||
         (allows(values::UnrankedTensor) && isUnrankedTensor(type));
}

bool isIndexVector(Attribute attribute) {
  auto elements = dyn_cast<DenseIntElementsAttr>(attribute);
  return elements && elements.getElementType().isIndex() &&
         cast<ShapedType>(elements.getType()).getRank() == 1;
}

} // namespace stablehlo
} // namespace drumlin
