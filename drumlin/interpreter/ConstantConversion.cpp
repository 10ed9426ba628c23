#include "drumlin/interpreter/ConstantConversion.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/interpreter/kernels/Index.h"
#include "drumlin/ir/stablehlo/TensorAttribute.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <cstring>

namespace drumlin {

// Wraps memory that the MLIR context owns in a tensor.
static Tensor shared(ElementType type, Shape shape, const char *data) {
  std::byte *bytes = reinterpret_cast<std::byte *>(const_cast<char *>(data));
  return Tensor(type, std::move(shape), std::shared_ptr<std::byte>(bytes, [](std::byte *) {}));
}

// Writes the bits as an integer of the element's storage size, sign-extended for signed types.
static void storeBits(ElementType type, const llvm::APInt &bits, std::byte *target) {
  *target = static_cast<std::byte>(isSigned(type) ? static_cast<uint64_t>(bits.getSExtValue())
                                                  : bits.getZExtValue());
}

static void convertElements(ElementType type, mlir::DenseElementsAttr dense, Tensor &tensor) {
  std::byte *target = tensor.data();
  if (isFloat(type)) {
    for (const llvm::APFloat &value : dense.getValues<llvm::APFloat>()) {
      storeBits(type, value.bitcastToAPInt(), target++);
    }
    return;
  }
  for (const llvm::APInt &value : dense.getValues<llvm::APInt>()) {
    storeBits(type, value, target++);
  }
}

static Diagnostic resourceMismatch() {
  return diagnose(errors::ConstantInvalid, "the bytes of a constant's resource don't fit its type");
}

static Result<Tensor> fromResource(mlir::DenseResourceElementsAttr attribute, ElementType type,
                                   Shape shape) {
  mlir::AsmResourceBlob *blob = attribute.getRawHandle().getBlob();
  if (!blob) {
    return diagnose(errors::ConstantInvalid, "a constant's resource is missing");
  }
  llvm::ArrayRef<char> data = blob->getData();
  int64_t count = elementCount(shape).value_or(-1);
  if (count < 0 || static_cast<int64_t>(data.size()) != count * int64_t{storageBytes(type)}) {
    return resourceMismatch();
  }
  bool aligned = reinterpret_cast<uintptr_t>(data.data()) % storageBytes(type) == 0;
  if (fillsItsBytes(type) && aligned) {
    return shared(type, std::move(shape), data.data());
  }
  std::optional<Tensor> tensor = Tensor::allocate(type, std::move(shape));
  if (!tensor) {
    return diagnose(errors::OutOfMemory, "no memory for a constant");
  }
  if (count > 0) {
    std::memcpy(tensor->data(), data.data(), data.size());
  }
  // Elements narrower than a byte take one byte each; this normalizes the unused bits.
  unsigned bits = info(type).bits;
  for (int64_t i = 0; bits < 8 && i < count; ++i) {
    llvm::APInt value(8, static_cast<uint8_t>(tensor->data()[i]));
    storeBits(type, value.trunc(bits), tensor->data() + i);
  }
  return std::move(*tensor);
}

Result<Tensor> tensorFromAttribute(mlir::ElementsAttr attribute) {
  std::optional<ElementType> type = heldTypeOf(attribute.getElementType());
  if (!type) {
    return diagnose(errors::InterpreterUnsupported,
                    "constants of this element type can't be evaluated");
  }
  llvm::ArrayRef<int64_t> dimensions = attribute.getShapedType().getShape();
  Shape shape(dimensions.begin(), dimensions.end());
  if (auto resource = llvm::dyn_cast<mlir::DenseResourceElementsAttr>(attribute)) {
    return fromResource(resource, *type, std::move(shape));
  }
  auto dense = llvm::dyn_cast<mlir::DenseElementsAttr>(attribute);
  if (!dense) {
    return diagnose(errors::InterpreterUnsupported,
                    "constants that are neither `dense` nor `dense_resource` can't be evaluated");
  }
  if (fillsItsBytes(*type) && !dense.isSplat()) {
    return shared(*type, std::move(shape), dense.getRawData().data());
  }
  std::optional<Tensor> tensor = Tensor::allocate(*type, std::move(shape));
  if (!tensor) {
    return diagnose(errors::OutOfMemory, "no memory for a constant");
  }
  if (fillsItsBytes(*type)) {
    interpreter::fill(storageBytes(*type), tensor->data(), tensor->elements(),
                      reinterpret_cast<const std::byte *>(dense.getRawData().data()));
  } else {
    convertElements(*type, dense, *tensor);
  }
  return std::move(*tensor);
}

} // namespace drumlin
