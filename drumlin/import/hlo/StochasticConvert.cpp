// Converts `stochastic-convert`, which converts floats to integers, using given random bits. The
// probability of rounding up is the float's fraction.
#include "drumlin/import/hlo/Emitter.h"
#include "drumlin/import/hlo/ImportOpcodes.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"

using namespace mlir;

namespace drumlin::hlo {

namespace {
// Creates operations on arrays of the same shape. Returns null values after an error.
class Arrays {
public:
  Arrays(Emitter &emitter, RankedTensorType shape) : emitter(emitter), shape(shape) {}

  RankedTensorType of(Type element) { return shape.clone(element); }
  mlir::Value apply(StringRef operation, mlir::ValueRange operands, Type element) {
    Operation *made = emitter.create(operation, operands, of(element));
    return made ? made->getResult(0) : mlir::Value();
  }
  mlir::Value apply(StringRef operation, mlir::ValueRange operands) {
    return emitter.failed() ? mlir::Value()
                            : apply(operation, operands, getElementTypeOrSelf(operands.front()));
  }
  mlir::Value compare(mlir::Value a, stablehlo::ComparisonDirection direction, mlir::Value b) {
    auto attribute = stablehlo::ComparisonDirectionAttr::get(emitter.context(), direction);
    Operation *made = emitter.create("stablehlo.compare", {a, b}, of(emitter.ops().getI1Type()),
                                     emitter.named("comparison_direction", attribute));
    return made ? made->getResult(0) : mlir::Value();
  }
  mlir::Value select(mlir::Value which, mlir::Value a, mlir::Value b) {
    return emitter.failed() ? mlir::Value()
                            : apply("stablehlo.select", {which, a, b}, getElementTypeOrSelf(a));
  }
  // Returns a constant with the same number in all elements.
  mlir::Value all(mlir::Attribute number) {
    if (emitter.failed()) {
      return {};
    }
    auto value = DenseElementsAttr::get(of(cast<TypedAttr>(number).getType()), number);
    Operation *made =
        emitter.create("stablehlo.constant", {}, value.getType(), emitter.named("value", value));
    return made ? made->getResult(0) : mlir::Value();
  }

private:
  Emitter &emitter;
  RankedTensorType shape;
};
} // namespace

// Rounds the magnitude up if the random number divided by 2^bits is less than the magnitude's
// fraction, else down. `bits` is the width of the random number. Values outside of the result's
// range are clamped.
void emitStochasticConvert(Emitter &emitter, llvm::StringRef) {
  auto operand = emitter.array(0), random = emitter.array(1);
  SmallVector<Type> types = emitter.resultTypes();
  auto type = types.size() == 1 ? dyn_cast<RankedTensorType>(types.front()) : RankedTensorType();
  if (emitter.failed()) {
    return;
  }
  auto element = dyn_cast<FloatType>(operand.getType().getElementType());
  auto bits = dyn_cast<IntegerType>(random.getType().getElementType());
  auto integer = type ? dyn_cast<IntegerType>(type.getElementType()) : IntegerType();
  bool isRight = element && bits && bits.isUnsigned() && integer && integer.isSignless() &&
                 bits.getWidth() == element.getWidth() && integer.getWidth() > 1 &&
                 type.hasStaticShape() && random.getType().getShape() == type.getShape() &&
                 operand.getType().getShape() == type.getShape();
  if (!isRight) {
    emitter.fail(
        errors::ProgramInvalid,
        "`stochastic-convert` needs floats, a result of signed integers, and random unsigned "
        "integers with the same number of bits as the floats");
    return;
  }
  OpBuilder &builder = emitter.ops();
  using Direction = stablehlo::ComparisonDirection;
  Arrays arrays(emitter, type);
  mlir::Value magnitude = arrays.apply("stablehlo.abs", operand);
  mlir::Value whole = arrays.apply("stablehlo.floor", magnitude);
  mlir::Value fraction = arrays.apply("stablehlo.subtract", {magnitude, whole});
  // f16 can't represent the range of the random numbers.
  FloatType wide = element.getWidth() < 32 ? builder.getF32Type() : element;
  fraction = emitter.converted(fraction, wide);
  mlir::Value range = arrays.all(builder.getFloatAttr(wide, std::ldexp(1.0, bits.getWidth())));
  mlir::Value threshold = arrays.apply("stablehlo.convert",
                                       arrays.apply("stablehlo.multiply", {fraction, range}), bits);
  mlir::Value down = arrays.apply("stablehlo.convert", whole, integer);
  mlir::Value up =
      arrays.apply("stablehlo.add", {down, arrays.all(builder.getIntegerAttr(integer, 1))});
  mlir::Value rounded = arrays.select(arrays.compare(random, Direction::LT, threshold), up, down);
  mlir::Value isNegative =
      arrays.compare(operand, Direction::LT, arrays.all(builder.getFloatAttr(element, 0.0)));
  mlir::Value result =
      arrays.select(isNegative, arrays.apply("stablehlo.negate", rounded), rounded);
  APInt least = APInt::getSignedMinValue(integer.getWidth());
  for (auto [limit, direction] : {std::pair(least, Direction::LE), {~least, Direction::GE}}) {
    double number = limit.signedRoundToDouble();
    mlir::Value reaches =
        arrays.compare(operand, direction, arrays.all(builder.getFloatAttr(element, number)));
    result = arrays.select(reaches, arrays.all(builder.getIntegerAttr(integer, limit)), result);
  }
  if (!emitter.failed()) {
    emitter.finish(result);
  }
}

} // namespace drumlin::hlo
