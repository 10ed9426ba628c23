#include "drumlin/import/hlo/Emitter.h"
#include "drumlin/import/hlo/ImportOpcodes.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"

using namespace mlir;

namespace drumlin::hlo {

void emitBatchNorm(Emitter &emitter, llvm::StringRef operation) {
  const Value *value = emitter.attribute("epsilon");
  double epsilon = 0;
  if (!value || StringRef(value->text).getAsDouble(epsilon)) {
    emitter.failAttribute("epsilon", "a number");
  }
  OpBuilder &builder = emitter.ops();
  emitter.finish(operation, emitter.allLeaves(),
                 {emitter.named("epsilon", builder.getF32FloatAttr(static_cast<float>(epsilon))),
                  emitter.named("feature_index",
                                builder.getI64IntegerAttr(emitter.integer("feature_index")))});
}

// Reads a word such as `rng_uniform` as an enumeration value such as UNIFORM.
template <typename Enum>
static std::optional<Enum> readRngWord(Emitter &emitter, StringRef name,
                                       std::optional<Enum> (*parse)(StringRef)) {
  std::string word = StringRef(emitter.word(name)).upper();
  StringRef rest = word;
  std::optional<Enum> value = rest.consume_front("RNG_") ? parse(rest) : std::nullopt;
  if (!value) {
    emitter.failAttribute(name, "a name such as `rng_uniform` or `rng_three_fry`");
  }
  return value;
}

// Converts `rng`. HLO takes the sizes from the result's shape. StableHLO has them as an operand.
void emitRng(Emitter &emitter, llvm::StringRef) {
  auto distribution = readRngWord(emitter, "distribution", stablehlo::symbolizeRngDistribution);
  SmallVector<Type> types = emitter.resultTypes();
  auto type = types.size() == 1 ? dyn_cast<RankedTensorType>(types.front()) : RankedTensorType();
  if (!distribution || !type || !type.hasStaticShape()) {
    emitter.fail(errors::ProgramInvalid, "the result of `rng` isn't an array of static size");
    return;
  }
  DenseIntElementsAttr sizes = emitter.ops().getI64TensorAttr(type.getShape());
  Operation *shape =
      emitter.create("stablehlo.constant", {}, sizes.getType(), emitter.named("value", sizes));
  if (!shape) {
    return;
  }
  auto attribute = stablehlo::RngDistributionAttr::get(emitter.context(), *distribution);
  emitter.finish("stablehlo.rng", {emitter.array(0), emitter.array(1), shape->getResult(0)},
                 emitter.named("rng_distribution", attribute));
}

void emitRngBitGenerator(Emitter &emitter, llvm::StringRef) {
  auto algorithm = readRngWord(emitter, "algorithm", stablehlo::symbolizeRngAlgorithm);
  if (algorithm) {
    auto attribute = stablehlo::RngAlgorithmAttr::get(emitter.context(), *algorithm);
    emitter.finish("stablehlo.rng_bit_generator", {emitter.array(0)},
                   emitter.named("rng_algorithm", attribute));
  }
}

} // namespace drumlin::hlo
