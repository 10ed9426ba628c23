#include "drumlin/interpreter/ValueTypes.h"

#include "drumlin/interpreter/kernels/Elements.h"

#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

namespace drumlin {

using mlir::quant::QuantizedType;

static bool appendTensors(mlir::Type type, TensorTypes &tensors) {
  if (auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type)) {
    tensors.push_back(tensor);
    return true;
  }
  auto appendAll = [&](llvm::ArrayRef<mlir::Type> parts) {
    return llvm::all_of(parts, [&](mlir::Type part) { return appendTensors(part, tensors); });
  };
  if (auto tuple = llvm::dyn_cast<mlir::TupleType>(type)) {
    return appendAll(tuple.getTypes());
  }
  if (auto future = llvm::dyn_cast<stablehlo::FutureType>(type)) {
    return appendAll(future.getTypes());
  }
  return llvm::isa<stablehlo::TokenType>(type);
}

std::optional<TensorTypes> tensorTypesOf(mlir::TypeRange types) {
  TensorTypes tensors;
  for (mlir::Type type : types) {
    if (!appendTensors(type, tensors)) {
      return std::nullopt;
    }
  }
  return tensors;
}

std::optional<size_t> tensorCountOf(mlir::Type type) {
  if (llvm::isa<mlir::RankedTensorType>(type)) {
    return 1;
  }
  TensorTypes tensors;
  return appendTensors(type, tensors) ? std::optional(tensors.size()) : std::nullopt;
}

std::optional<ElementType> heldTypeOf(mlir::Type type) {
  return mlir::getElementTypeOrSelf(type).isIndex() ? ElementType::SI64 : tryStoredTypeOf(type);
}

ElementType computedTypeOf(mlir::Type type) {
  type = mlir::getElementTypeOrSelf(type);
  if (auto quantized = llvm::dyn_cast<QuantizedType>(type)) {
    return elementTypeOf(quantized.getExpressedType());
  }
  return type.isIndex() ? ElementType::SI64 : elementTypeOf(type);
}

bool isValueOf(const Tensor &tensor, mlir::RankedTensorType type) {
  if (heldTypeOf(type) != tensor.type() || tensor.rank() != type.getRank()) {
    return false;
  }
  for (int64_t d = 0; d < tensor.rank(); ++d) {
    int64_t bound = type.isDynamicDim(d) ? stablehlo::boundOf(type, d) : type.getDimSize(d);
    bool fits = type.isDynamicDim(d) ? mlir::ShapedType::isDynamic(bound) || tensor.dim(d) <= bound
                                     : tensor.dim(d) == bound;
    if (!fits) {
      return false;
    }
  }
  return true;
}

std::string str(const Tensor &tensor) {
  std::string text = "`tensor<";
  for (int64_t dimension : tensor.shape()) {
    text += std::to_string(dimension) + "x";
  }
  return text + std::string(name(tensor.type())) + ">`";
}

std::string str(std::span<const Tensor> tensors) {
  std::string text;
  for (const Tensor &tensor : tensors) {
    text += (text.empty() ? "" : ", ") + str(tensor);
  }
  return text.empty() ? "nothing" : text;
}

//===-- quantization --------------------------------------------------------------------------===//

static void readParameters(mlir::quant::UniformQuantizedPerAxisType type,
                           llvm::ArrayRef<int64_t> shape, interpreter::Quantization &quantization) {
  llvm::append_range(quantization.scales, type.getScales());
  llvm::append_range(quantization.zeroPoints, type.getZeroPoints());
  quantization.blockSizes.assign(shape.begin(), shape.end());
  quantization.blockSizes[static_cast<size_t>(type.getQuantizedDimension())] = 1;
}

static void readParameters(mlir::quant::UniformQuantizedSubChannelType type,
                           llvm::ArrayRef<int64_t> shape, interpreter::Quantization &quantization) {
  for (const llvm::APFloat &scale : type.getScales().getValues<llvm::APFloat>()) {
    llvm::APFloat wide = scale;
    bool inexact = false;
    wide.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &inexact);
    quantization.scales.push_back(wide.convertToDouble());
  }
  for (const llvm::APInt &zeroPoint : type.getZeroPoints().getValues<llvm::APInt>()) {
    quantization.zeroPoints.push_back(zeroPoint.getSExtValue());
  }
  quantization.blockSizes.assign(shape.begin(), shape.end());
  for (auto [dimension, size] :
       llvm::zip_equal(type.getQuantizedDimensions(), type.getBlockSizes())) {
    quantization.blockSizes[static_cast<size_t>(dimension)] = size;
  }
}

std::optional<interpreter::Quantization> quantizationOf(mlir::RankedTensorType type) {
  auto quantized = llvm::dyn_cast<QuantizedType>(type.getElementType());
  std::optional<ElementType> storage = heldTypeOf(type);
  if (!quantized || !storage) {
    return std::nullopt;
  }
  interpreter::Quantization quantization;
  quantization.storage = *storage;
  quantization.expressed = computedTypeOf(type);
  quantization.storageMin = quantized.getStorageTypeMin();
  quantization.storageMax = quantized.getStorageTypeMax();
  if (auto whole = llvm::dyn_cast<mlir::quant::UniformQuantizedType>(quantized)) {
    quantization.scales = {whole.getScale()};
    quantization.zeroPoints = {whole.getZeroPoint()};
  } else if (auto perAxis = llvm::dyn_cast<mlir::quant::UniformQuantizedPerAxisType>(quantized)) {
    readParameters(perAxis, type.getShape(), quantization);
  } else if (auto blocks = llvm::dyn_cast<mlir::quant::UniformQuantizedSubChannelType>(quantized)) {
    readParameters(blocks, type.getShape(), quantization);
  } else {
    return std::nullopt;
  }
  return quantization;
}

static Tensor reinterpreted(const Tensor &tensor, ElementType type, Shape shape) {
  Tensor made(type, std::move(shape));
  if (tensor.bytes() > 0) {
    std::memcpy(made.data(), tensor.data(), static_cast<size_t>(tensor.bytes()));
  }
  return made;
}

Tensor complexParts(const Tensor &tensor) {
  Shape shape = tensor.shape();
  shape.push_back(2);
  return reinterpreted(tensor, interpreter::partType(tensor.type()), std::move(shape));
}

Tensor fromComplexParts(const Tensor &parts) {
  Shape shape = parts.shape();
  shape.pop_back();
  return reinterpreted(parts, interpreter::complexType(parts.type()), std::move(shape));
}

} // namespace drumlin
