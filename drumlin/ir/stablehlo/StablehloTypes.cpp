#include "drumlin/ir/stablehlo/StablehloTypes.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace drumlin {

static std::optional<ElementType> integerElementType(IntegerType type) {
  if (type.isSigned()) {
    // StableHLO's text writes signed integers without a sign: `i32`, never `si32`.
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
  assert(element && "only verified programs have an element type everywhere");
  return *element;
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
  int64_t bytes = storageBytes(elementTypeOf(type));
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

bool isTensorOf(Type type, unsigned allowedKinds) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getEncoding()) {
    return false;
  }
  std::optional<ElementType> element = tryElementTypeOf(tensor.getElementType());
  return element && (kindOf(*element) & allowedKinds) != 0;
}

} // namespace stablehlo
} // namespace drumlin
