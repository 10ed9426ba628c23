#include "drumlin/interpreter/ConstantConversion.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TensorAttribute.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace drumlin;

static Tensor numbered(ElementType type, int64_t count) {
  Tensor tensor(type, {count});
  unsigned bits = info(type).bits;
  for (int64_t i = 0; i < tensor.bytes(); ++i) {
    tensor.data()[i] = static_cast<std::byte>(i * 37 + 5);
  }
  for (int64_t i = 0; bits < 8 && i < count; ++i) {
    int shifted = static_cast<int>(tensor.data()[i]) << (32 - bits);
    tensor.data()[i] = static_cast<std::byte>(
        isSigned(type) ? shifted >> (32 - bits)
                       : static_cast<int>(static_cast<unsigned>(shifted) >> (32 - bits)));
  }
  return tensor;
}

static void expectSame(const Tensor &a, const Tensor &b) {
  ASSERT_EQ(a.type(), b.type());
  ASSERT_EQ(a.shape(), b.shape());
  EXPECT_TRUE(std::equal(a.data(), a.data() + a.bytes(), b.data()));
}

// All element types, with several elements, as a splat, without elements and as a scalar.
TEST(ConstantConversion, RoundTripsEveryElementType) {
  mlir::MLIRContext context;
  for (size_t i = 0; i < elementTypeCount(); ++i) {
    auto type = static_cast<ElementType>(i);
    SCOPED_TRACE(std::string(name(type)));
    Tensor splat(type, {7});
    for (const Tensor &tensor : {numbered(type, 19), splat, Tensor(type, {0}), Tensor(type, {})}) {
      mlir::DenseElementsAttr attribute = attributeFromTensor(tensor, &context);
      ASSERT_TRUE(attribute);
      EXPECT_EQ(elementTypeOf(attribute.getType()), type);
      Result<Tensor> back = tensorFromAttribute(attribute);
      ASSERT_TRUE(bool(back)) << back.error().str();
      expectSame(*back, tensor);
    }
    EXPECT_TRUE(attributeFromTensor(splat, &context).isSplat());
  }
}

TEST(ConstantConversion, ReadsWhatMlirWrites) {
  mlir::MLIRContext context;
  mlir::Builder builder(&context);
  auto booleans =
      mlir::DenseElementsAttr::get(mlir::RankedTensorType::get({3}, builder.getI1Type()),
                                   llvm::ArrayRef<bool>{true, false, true});
  Result<Tensor> tensor = tensorFromAttribute(booleans);
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(tensor->as<uint8_t>()[0], 1);
  EXPECT_EQ(tensor->as<uint8_t>()[1], 0);
  auto nibbles = mlir::DenseElementsAttr::get(
      mlir::RankedTensorType::get({2}, builder.getIntegerType(4)),
      llvm::ArrayRef<llvm::APInt>{llvm::APInt(4, 15), llvm::APInt(4, 7)});
  tensor = tensorFromAttribute(nibbles);
  EXPECT_EQ(tensor->as<int8_t>()[0], -1);
  EXPECT_EQ(tensor->as<int8_t>()[1], 7);
}

TEST(ConstantConversion, Resources) {
  mlir::MLIRContext context;
  mlir::Builder builder(&context);
  auto type = mlir::RankedTensorType::get({2}, builder.getF32Type());
  alignas(8) static const float values[3] = {1, 2, 3};
  auto blob = [&](size_t bytes) {
    return mlir::UnmanagedAsmResourceBlob::allocateInferAlign(
        llvm::ArrayRef<char>(reinterpret_cast<const char *>(values), bytes));
  };
  Result<Tensor> tensor =
      tensorFromAttribute(mlir::DenseResourceElementsAttr::get(type, "values", blob(8)));
  ASSERT_TRUE(bool(tensor));
  EXPECT_EQ(tensor->as<float>()[1], 2);
  Result<Tensor> wrong =
      tensorFromAttribute(mlir::DenseResourceElementsAttr::get(type, "longer", blob(12)));
  ASSERT_FALSE(bool(wrong));
  EXPECT_EQ(wrong.error().code, errors::ConstantInvalid);
}
