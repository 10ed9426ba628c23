// Chains of operations on quantized elements, which begin and end with floats.
#include "Generator.h"

namespace drumlin::fuzz {

// Quantizes a value, applies arithmetic and data movement to it, and dequantizes it. The value must
// be exact: otherwise the last bit of an element could decide to which of two stored integers it is
// quantized.
bool Generator::quantizedElements() {
  std::optional<Value> value = find([](const Value &each) {
    return isFloat(each.type.element) && !each.isRounded && each.type.shape.size() <= 4;
  });
  // Exact programs have no quantized elements, since they are also compared with a compiler that
  // doesn't support quantized types.
  if (!value || isExact) {
    return false;
  }
  ElementType element = value->type.element;
  std::string expressed(drumlin::name(element));
  std::string storage = random.pick<std::string>({"i2", "i4", "u4", "i8", "i8", "u8", "i16"});
  bool isWide = element == ElementType::F32 || element == ElementType::F64;
  std::string scale = isWide ? random.pick<std::string>({"0.1", "0.25", "0.5", "1.0", "2.0"})
                             : random.pick<std::string>({"0.5", "1.0", "2.0"});
  int zeroPoint = random.pick({0, 0, 1});
  std::string quantized = "!quant.uniform<" + storage + ":" + expressed + ", " + scale +
                          (zeroPoint == 0 ? "" : ":1") + ">";
  Shape shape = value->type.shape;
  auto type = [&] {
    std::string text = "tensor<";
    for (int64_t size : shape) {
      text += std::to_string(size) + "x";
    }
    return text + quantized + ">";
  };
  auto made = [&](const std::string &name, const std::string &text) {
    std::string result = newName();
    line(result + " = " + name + " " + text);
    ++program.operations;
    ++program.operationCounts[name + " " + expressed];
    return result;
  };
  std::string q = made("stablehlo.uniform_quantize",
                       value->name + " : (" + value->type.text() + ") -> " + type());
  int64_t count = random.between(0, 3);
  for (int64_t i = 0; i < count; ++i) {
    switch (random.below(shape.empty() ? 2 : 4)) {
    case 0:
      q = made(random.pick<std::string>({"stablehlo.negate", "stablehlo.abs", "stablehlo.floor"}),
               q + " : " + type());
      break;
    case 1:
      q = made(random.pick<std::string>({"stablehlo.add", "stablehlo.multiply", "stablehlo.maximum",
                                         "stablehlo.minimum"}),
               q + ", " + q + " : " + type());
      break;
    case 2: {
      std::string dimension =
          std::to_string(random.between(0, static_cast<int64_t>(shape.size()) - 1));
      q = made("stablehlo.reverse", q + ", dims = [" + dimension + "] : " + type());
      break;
    }
    default:
      if (shape.size() == 2 && zeroPoint == 0 && fits({shape[0], shape[0]})) {
        std::string operand = type();
        shape[1] = shape[0];
        q = made("stablehlo.dot_general", q + ", " + q + ", contracting_dims = [1] x [1] : (" +
                                              operand + ", " + operand + ") -> " + type());
      }
    }
  }
  TensorType result = {element, shape};
  Facts facts;
  // Numbers with 16-bit storage may exceed the range of narrower element types.
  facts.mayBeNan = !isWide && element != ElementType::BF16;
  emit(result, "stablehlo.uniform_dequantize " + q + " : (" + type() + ") -> " + result.text(),
       facts);
  return true;
}

} // namespace drumlin::fuzz
