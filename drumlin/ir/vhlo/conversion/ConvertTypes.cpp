#include "drumlin/ir/vhlo/conversion/ConvertTypes.h"

#include "drumlin/ir/stablehlo/StablehloDialect.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin::vhlo {

// Returns the function with which constructors that check their arguments emit errors.
// TypeConverter suppresses these errors. Its callers report that the type has no counterpart.
static auto errorsOf(MLIRContext *context) {
  return [context] { return emitError(UnknownLoc::get(context)); };
}

static bool areSizes(ArrayRef<int64_t> shape) {
  return llvm::all_of(shape, [](int64_t size) { return size >= 0 || ShapedType::isDynamic(size); });
}

//===-- to stablehlo --------------------------------------------------------------------------===//

Type TypeConverter::toStablehlo(Type type) {
  if (!isa<VhloDialect>(type.getDialect())) {
    return type;
  }
  if (Type known = stablehloTypes.lookup(type)) {
    return known;
  }
  ScopedDiagnosticHandler silence(type.getContext(), [](Diagnostic &) { return success(); });
  Type converted = computeToStablehlo(type);
  stablehloTypes[type] = converted;
  return converted;
}

bool TypeConverter::toStablehlo(TypeRange from, SmallVectorImpl<Type> &to) {
  for (Type type : from) {
    to.push_back(toStablehlo(type));
    if (!to.back()) {
      return false;
    }
  }
  return true;
}

Type TypeConverter::quantizedToStablehlo(QuantizedV1Type type) {
  auto emit = errorsOf(type.getContext());
  Type storage = toStablehlo(type.getStorageType()),
       expressed = toStablehlo(type.getExpressedType());
  if (!storage || !expressed || type.getScales().size() != type.getZeroPoints().size()) {
    return {};
  }
  SmallVector<double> scales;
  for (uint64_t bits : type.getScales()) {
    scales.push_back(llvm::bit_cast<double>(bits));
  }
  unsigned flags = type.getFlags();
  if (std::optional<uint64_t> dimension = type.getQuantizedDimension()) {
    return quant::UniformQuantizedPerAxisType::getChecked(
        emit, flags, storage, expressed, scales, type.getZeroPoints(), *dimension,
        type.getStorageTypeMin(), type.getStorageTypeMax());
  }
  if (scales.size() != 1) {
    return {};
  }
  return quant::UniformQuantizedType::getChecked(
      emit, flags, storage, expressed, scales.front(), type.getZeroPoints().front(),
      type.getStorageTypeMin(), type.getStorageTypeMax());
}

static Attribute encodingToStablehlo(Attribute encoding) {
  auto extensions = dyn_cast_or_null<TypeExtensionsV1Attr>(encoding);
  return extensions
             ? stablehlo::TypeExtensionsAttr::get(encoding.getContext(), extensions.getBounds())
             : encoding;
}

Type TypeConverter::computeToStablehlo(Type type) {
  MLIRContext *context = type.getContext();
  auto emit = errorsOf(context);
  return llvm::TypeSwitch<Type, Type>(type)
      .Case([&](ScalarType scalar) -> Type {
        return scalar.getKind() == ScalarKind::Token ? stablehlo::TokenType::get(context)
                                                     : scalarToBuiltin(scalar.getKind(), context);
      })
      .Case([&](ComplexV1Type complex) -> Type {
        Type element = toStablehlo(complex.getElementType());
        return element ? mlir::ComplexType::getChecked(emit, element) : Type();
      })
      .Case([&](FunctionV1Type function) -> Type {
        SmallVector<Type> inputs, outputs;
        bool converted = toStablehlo(function.getInputs(), inputs) &&
                         toStablehlo(function.getOutputs(), outputs);
        return converted ? mlir::FunctionType::get(context, inputs, outputs) : Type();
      })
      .Case([&](TensorV1Type tensor) -> Type {
        Type element = toStablehlo(tensor.getElementType());
        return element && areSizes(tensor.getShape())
                   ? RankedTensorType::getChecked(emit, tensor.getShape(), element,
                                                  encodingToStablehlo(tensor.getEncoding()))
                   : Type();
      })
      .Case([&](UnrankedTensorV1Type tensor) -> Type {
        Type element = toStablehlo(tensor.getElementType());
        return element ? UnrankedTensorType::getChecked(emit, element) : Type();
      })
      .Case([&](BufferV1Type buffer) -> Type {
        Type element = toStablehlo(buffer.getElementType());
        bool isElement = element && BaseMemRefType::isValidElementType(element);
        return isElement && areSizes(buffer.getShape())
                   ? MemRefType::get(buffer.getShape(), element)
                   : Type();
      })
      .Case([&](TupleV1Type tuple) -> Type {
        SmallVector<Type> types;
        return toStablehlo(tuple.getTypes(), types) ? mlir::TupleType::get(context, types) : Type();
      })
      .Case([&](FutureV1Type future) -> Type {
        SmallVector<Type> types;
        return toStablehlo(future.getTypes(), types)
                   ? stablehlo::FutureType::getChecked(emit, context, ArrayRef<Type>(types))
                   : Type();
      })
      .Case([&](QuantizedV1Type quantized) { return quantizedToStablehlo(quantized); })
      .Default([](Type) { return Type(); });
}

//===-- to vhlo -------------------------------------------------------------------------------===//

Type TypeConverter::toVhlo(Type type) {
  if (isa<VhloDialect>(type.getDialect())) {
    return type;
  }
  if (Type known = vhloTypes.lookup(type)) {
    return known;
  }
  Type converted = computeToVhlo(type);
  vhloTypes[type] = converted;
  return converted;
}

bool TypeConverter::toVhlo(TypeRange from, SmallVectorImpl<Type> &to) {
  for (Type type : from) {
    to.push_back(toVhlo(type));
    if (!to.back()) {
      return false;
    }
  }
  return true;
}

Type TypeConverter::quantizedToVhlo(Type type) {
  auto quantized = cast<quant::QuantizedType>(type);
  Type storage = toVhlo(quantized.getStorageType());
  Type expressed = toVhlo(quantized.getExpressedType());
  std::optional<uint64_t> dimension;
  SmallVector<uint64_t> scales;
  SmallVector<int64_t> zeroPoints;
  if (auto perTensor = dyn_cast<quant::UniformQuantizedType>(type)) {
    scales.push_back(llvm::bit_cast<uint64_t>(perTensor.getScale()));
    zeroPoints.push_back(perTensor.getZeroPoint());
  } else if (auto perAxis = dyn_cast<quant::UniformQuantizedPerAxisType>(type)) {
    dimension = perAxis.getQuantizedDimension();
    for (double scale : perAxis.getScales()) {
      scales.push_back(llvm::bit_cast<uint64_t>(scale));
    }
    llvm::append_range(zeroPoints, perAxis.getZeroPoints());
  }
  // Scales per block cannot be stored in artifacts.
  if (!storage || !expressed || scales.empty()) {
    return {};
  }
  return QuantizedV1Type::get(type.getContext(), quantized.getFlags(), storage, expressed,
                              dimension, scales, zeroPoints, quantized.getStorageTypeMin(),
                              quantized.getStorageTypeMax());
}

// Converts an encoding; null if it is present but has no bounds.
static std::optional<Attribute> encodingToVhlo(Attribute encoding) {
  if (!encoding) {
    return Attribute();
  }
  auto extensions = dyn_cast<stablehlo::TypeExtensionsAttr>(encoding);
  return extensions ? std::optional<Attribute>(
                          TypeExtensionsV1Attr::get(encoding.getContext(), extensions.getBounds()))
                    : std::nullopt;
}

Type TypeConverter::computeToVhlo(Type type) {
  MLIRContext *context = type.getContext();
  if (std::optional<ScalarKind> kind = scalarFromBuiltin(type)) {
    return ScalarType::get(context, *kind);
  }
  return llvm::TypeSwitch<Type, Type>(type)
      .Case(
          [&](stablehlo::TokenType) -> Type { return ScalarType::get(context, ScalarKind::Token); })
      .Case([&](stablehlo::FutureType future) -> Type {
        SmallVector<Type> types;
        return toVhlo(future.getTypes(), types) ? FutureV1Type::get(context, types) : Type();
      })
      .Case([&](mlir::ComplexType complex) -> Type {
        Type element = toVhlo(complex.getElementType());
        return element ? ComplexV1Type::get(context, element) : Type();
      })
      .Case([&](mlir::FunctionType function) -> Type {
        SmallVector<Type> inputs, outputs;
        bool converted =
            toVhlo(function.getInputs(), inputs) && toVhlo(function.getResults(), outputs);
        return converted ? FunctionV1Type::get(context, inputs, outputs) : Type();
      })
      .Case([&](RankedTensorType tensor) -> Type {
        Type element = toVhlo(tensor.getElementType());
        std::optional<Attribute> encoding = encodingToVhlo(tensor.getEncoding());
        return element && encoding
                   ? TensorV1Type::get(context, tensor.getShape(), element, *encoding)
                   : Type();
      })
      .Case([&](UnrankedTensorType tensor) -> Type {
        Type element = toVhlo(tensor.getElementType());
        return element ? UnrankedTensorV1Type::get(context, element) : Type();
      })
      .Case([&](MemRefType buffer) -> Type {
        Type element = toVhlo(buffer.getElementType());
        bool isPlain = buffer.getLayout().isIdentity() && !buffer.getMemorySpace();
        return element && isPlain ? BufferV1Type::get(context, buffer.getShape(), element) : Type();
      })
      .Case([&](mlir::TupleType tuple) -> Type {
        SmallVector<Type> types;
        return toVhlo(tuple.getTypes(), types) ? TupleV1Type::get(context, types) : Type();
      })
      .Case([&](quant::QuantizedType quantized) { return quantizedToVhlo(quantized); })
      .Default([](Type) { return Type(); });
}

} // namespace drumlin::vhlo
