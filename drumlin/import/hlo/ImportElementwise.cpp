#include "drumlin/import/hlo/Emitter.h"
#include "drumlin/import/hlo/ImportOpcodes.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"

using namespace mlir;

namespace drumlin::hlo {

// Reads `result_accuracy={mode=highest}` or `{tolerance={atol=0, rtol=1e-05, ulps=2}}`. Null if the
// attribute is missing.
static stablehlo::ResultAccuracyAttr readAccuracy(Emitter &emitter) {
  const Value *value = emitter.attribute("result_accuracy");
  if (!value) {
    return {};
  }
  const Value *tolerance = value->find("tolerance"), *mode = value->find("mode");
  auto number = [&](StringRef name) {
    const Value *item = tolerance ? tolerance->find(name) : nullptr;
    double parsed = 0;
    if (item && StringRef(item->text).getAsDouble(parsed)) {
      emitter.failAttribute("result_accuracy", "numbers as tolerances");
    }
    return parsed;
  };
  auto chosen = tolerance ? stablehlo::ResultAccuracyMode::TOLERANCE
                : mode    ? stablehlo::symbolizeResultAccuracyMode(StringRef(mode->text).upper())
                          : std::nullopt;
  if (!chosen) {
    emitter.failAttribute("result_accuracy", "a mode or a tolerance");
    return {};
  }
  MLIRContext *context = emitter.context();
  return stablehlo::ResultAccuracyAttr::get(
      context, APFloat(number("atol")), APFloat(number("rtol")),
      static_cast<int64_t>(number("ulps")),
      stablehlo::ResultAccuracyModeAttr::get(context, *chosen));
}

void emitElementwise(Emitter &emitter, llvm::StringRef operation) {
  for (size_t i = 0; i < emitter.operandCount(); ++i) {
    emitter.array(i); // reports an operand that isn't an array
  }
  SmallVector<NamedAttribute> attributes;
  if (operation.starts_with("stablehlo.")) { // CHLO's operations have no accuracy
    if (stablehlo::ResultAccuracyAttr accuracy = readAccuracy(emitter)) {
      attributes.push_back(emitter.named("result_accuracy", accuracy));
    }
  }
  emitter.finish(operation, emitter.allLeaves(), attributes);
}

void emitAllOperands(Emitter &emitter, llvm::StringRef operation) {
  emitter.finish(operation, emitter.allLeaves());
}

// Whether a comparison type applies to an element type: SIGNED and UNSIGNED only to integers, FLOAT
// and TOTALORDER only to other types, NOTYPE to all.
static bool orders(stablehlo::ComparisonType type, Type element) {
  bool isOfIntegers =
      type == stablehlo::ComparisonType::SIGNED || type == stablehlo::ComparisonType::UNSIGNED;
  return type == stablehlo::ComparisonType::NOTYPE || isOfIntegers == isa<IntegerType>(element);
}

void emitCompare(Emitter &emitter, llvm::StringRef) {
  MLIRContext *context = emitter.context();
  SmallVector<NamedAttribute> attributes;
  auto direction = stablehlo::symbolizeComparisonDirection(emitter.word("direction"));
  if (!direction) {
    emitter.failAttribute("direction", "a comparison such as `LT`");
    return;
  }
  attributes.push_back(emitter.named("comparison_direction",
                                     stablehlo::ComparisonDirectionAttr::get(context, *direction)));
  if (std::string word = emitter.word("type"); !word.empty()) {
    auto type = stablehlo::symbolizeComparisonType(word);
    if (!type) {
      emitter.failAttribute("type", "a kind of comparison such as `TOTALORDER`");
      return;
    }
    auto operand = emitter.array(0);
    if (operand && !orders(*type, operand.getType().getElementType())) {
      emitter.failAttribute("type", "a comparison type for the operands' element type");
      return;
    }
    attributes.push_back(
        emitter.named("compare_type", stablehlo::ComparisonTypeAttr::get(context, *type)));
  }
  emitter.finish("stablehlo.compare", {emitter.array(0), emitter.array(1)}, attributes);
}

void emitReducePrecision(Emitter &emitter, llvm::StringRef) {
  auto bits = [&](llvm::StringRef name) {
    return emitter.ops().getI32IntegerAttr(static_cast<int32_t>(emitter.integer(name)));
  };
  emitter.finish("stablehlo.reduce_precision", {emitter.array(0)},
                 {emitter.named("exponent_bits", bits("exponent_bits")),
                  emitter.named("mantissa_bits", bits("mantissa_bits"))});
}

} // namespace drumlin::hlo
