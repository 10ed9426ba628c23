#include "drumlin/ir/stablehlo/TensorAttribute.h"

#include "drumlin/ir/stablehlo/StablehloTypes.h"

#include "mlir/IR/BuiltinTypes.h"

#include <cstring>

namespace drumlin {

bool hasEqualElements(const Tensor &tensor) {
  size_t size = storageBytes(tensor.type());
  for (int64_t i = 1; i < tensor.elements(); ++i) {
    if (std::memcmp(tensor.data(), tensor.data() + i * static_cast<int64_t>(size), size) != 0) {
      return false;
    }
  }
  return tensor.elements() > 0;
}

mlir::DenseElementsAttr attributeFromTensor(const Tensor &tensor, mlir::MLIRContext *context) {
  ElementType elementType = tensor.type();
  auto type = mlir::RankedTensorType::get(tensor.shape(), toMlirType(elementType, context));
  int64_t count = hasEqualElements(tensor) ? 1 : tensor.elements();
  if (fillsItsBytes(elementType)) {
    size_t bytes = static_cast<size_t>(count) * storageBytes(elementType);
    return mlir::DenseElementsAttr::getFromRawBuffer(
        type, llvm::ArrayRef<char>(tensor.as<char>(), bytes));
  }
  unsigned bits = info(elementType).bits;
  if (isFloat(elementType)) {
    const llvm::fltSemantics &semantics =
        llvm::cast<mlir::FloatType>(type.getElementType()).getFloatSemantics();
    llvm::SmallVector<llvm::APFloat> values;
    for (int64_t i = 0; i < count; ++i) {
      values.emplace_back(semantics, llvm::APInt(8, tensor.as<uint8_t>()[i]).trunc(bits));
    }
    return mlir::DenseElementsAttr::get(type, values);
  }
  llvm::SmallVector<llvm::APInt> values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(llvm::APInt(8, tensor.as<uint8_t>()[i]).trunc(bits));
  }
  return mlir::DenseElementsAttr::get(type, values);
}

} // namespace drumlin
