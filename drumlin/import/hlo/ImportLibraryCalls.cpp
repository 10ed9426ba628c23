#include "drumlin/import/hlo/ImportLibraryCalls.h"

#include "drumlin/hlo/library/GemmCall.h"
#include "drumlin/ir/stablehlo/AbsOp.h"
#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ClampOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/MaxOp.h"
#include "drumlin/ir/stablehlo/MulOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TanhOp.h"
#include "drumlin/support/FloatFormats.h"

using namespace mlir;

namespace drumlin::hlo {

namespace {
// Emits the operations that a GEMM call computes, in f32.
class GemmWriter {
public:
  explicit GemmWriter(Emitter &emitter) : builder(emitter.ops()), loc(emitter.loc()) {}

  mlir::Value constant(Type type, double value) {
    auto shape = cast<RankedTensorType>(type);
    return stablehlo::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(shape, builder.getFloatAttr(shape.getElementType(), value)));
  }
  mlir::Value convert(mlir::Value value, Type element) {
    return getElementTypeOrSelf(value) == element
               ? value
               : stablehlo::ConvertOp::create(builder, loc, value, element).getResult();
  }
  // Broadcasts a scalar, or a vector along the last dimension, to another value's type.
  mlir::Value broadcast(mlir::Value value, Type like) {
    auto shape = cast<RankedTensorType>(like);
    value = convert(value, shape.getElementType());
    SmallVector<int64_t> dimensions;
    if (cast<RankedTensorType>(value.getType()).getRank() == 1) {
      dimensions.push_back(shape.getRank() - 1);
    }
    return stablehlo::BroadcastInDimOp::create(builder, loc, like, value,
                                               builder.getDenseI64ArrayAttr(dimensions));
  }
  mlir::Value multiply(mlir::Value a, mlir::Value b) {
    return stablehlo::MulOp::create(builder, loc, a, b);
  }
  mlir::Value add(mlir::Value a, mlir::Value b) {
    return stablehlo::AddOp::create(builder, loc, a, b);
  }
  mlir::Value scaled(mlir::Value value, double factor) {
    return factor == 1 ? value : multiply(value, constant(value.getType(), factor));
  }
  mlir::Value apply(GemmCall::Function function, mlir::Value x);
  mlir::Value largest(mlir::Value x);
  mlir::Value saturated(mlir::Value x, Type element);

private:
  OpBuilder &builder;
  Location loc;
};
} // namespace

// Applies the call's function. The library's form of gelu is
// gelu(x) = x/2 · (1 + tanh(√(2/π) · (x + 0.044715·x³))).
mlir::Value GemmWriter::apply(GemmCall::Function function, mlir::Value x) {
  Type type = x.getType();
  switch (function) {
  case GemmCall::Function::None:
    return x;
  case GemmCall::Function::Relu:
    return stablehlo::MaxOp::create(builder, loc, x, constant(type, 0));
  case GemmCall::Function::Gelu:
    break;
  }
  mlir::Value cube = multiply(x, multiply(x, x));
  mlir::Value inner = scaled(add(x, scaled(cube, 0.044715)), 0.79788456080286541);
  mlir::Value tanh = stablehlo::TanhOp::create(builder, loc, inner);
  return multiply(scaled(x, 0.5), add(tanh, constant(type, 1)));
}

mlir::Value GemmWriter::largest(mlir::Value x) {
  auto type = cast<RankedTensorType>(x.getType());
  auto scalar = RankedTensorType::get({}, type.getElementType());
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
  mlir::Value magnitude = stablehlo::AbsOp::create(builder, loc, x);
  mlir::Value zero = constant(scalar, 0);
  auto reduce =
      stablehlo::ReduceOp::create(builder, loc, TypeRange(Type(scalar)), ValueRange(magnitude),
                                  ValueRange(zero), builder.getDenseI64ArrayAttr(all));
  Block &body = reduce.getBody().emplaceBlock();
  mlir::Value a = body.addArgument(scalar, loc), b = body.addArgument(scalar, loc);
  OpBuilder inside = OpBuilder::atBlockEnd(&body);
  mlir::Value most = stablehlo::MaxOp::create(inside, loc, a, b);
  stablehlo::ReturnOp::create(inside, loc, most);
  return reduce->getResult(0);
}

mlir::Value GemmWriter::saturated(mlir::Value x, Type element) {
  ElementType type = elementTypeOf(element);
  if (info(type).bits > 8) {
    return convert(x, element);
  }
  auto scalar = RankedTensorType::get({}, getElementTypeOrSelf(x));
  double limit = largestFinite(type);
  mlir::Value clamped = stablehlo::ClampOp::create(
      builder, loc, x.getType(), constant(scalar, -limit), x, constant(scalar, limit));
  return convert(clamped, element);
}

// Returns the parameters of a call, or nullopt if its configuration isn't supported.
static std::optional<GemmCall> readCall(Emitter &emitter, StringRef target, size_t operands) {
  const Value *config = emitter.attribute("backend_config");
  if (!config) {
    return std::nullopt;
  }
  return readGemmCall(std::string_view(target),
                      config->kind == Value::Kind::String ? config->contents() : config->str(),
                      operands);
}

static bool isFloatTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  std::optional<ElementType> element = tensor ? tryElementTypeOf(tensor) : std::nullopt;
  return element && isFloat(*element) && tensor.hasStaticShape();
}

// Emits the value x that GemmCall.h defines.
static mlir::Value writeSum(Emitter &emitter, GemmWriter &writer, const GemmCall &call,
                            RankedTensorType type, const Leaves &operands) {
  auto dimensions = stablehlo::DotDimensionNumbersAttr::get(
      emitter.context(), call.lhsBatch, call.rhsBatch, call.lhsContracting, call.rhsContracting);
  mlir::Value x = stablehlo::DotGeneralOp::create(emitter.ops(), emitter.loc(), type, operands[0],
                                                  operands[1], dimensions, nullptr, nullptr);
  auto operand = [&](std::string_view role) {
    std::optional<size_t> number = call.operand(role);
    return number ? operands[*number] : mlir::Value();
  };
  if (call.isF8) {
    mlir::Value scales = writer.multiply(operand("a_scale"), operand("b_scale"));
    x = writer.multiply(x, writer.broadcast(scales, type));
  }
  x = writer.scaled(x, call.alpha);
  if (call.beta != 0) {
    mlir::Value c = writer.convert(operand("c"), type.getElementType());
    if (mlir::Value scale = operand("c_scale")) {
      c = writer.multiply(c, writer.broadcast(scale, type));
    }
    x = writer.add(x, writer.scaled(c, call.beta));
  }
  return call.hasBias ? writer.add(x, writer.broadcast(operand("bias"), type)) : x;
}

bool emitGemmCall(Emitter &emitter, StringRef target) {
  Leaves operands = emitter.allLeaves();
  std::optional<GemmCall> call = readCall(emitter, target, operands.size());
  SmallVector<Type> types = emitter.resultTypes();
  bool fits = call && !types.empty() && types.size() >= size_t(1) + call->givesLargest &&
              llvm::all_of(ValueRange(operands).getTypes(), isFloatTensor) &&
              isFloatTensor(types.front());
  if (!fits) {
    return false;
  }
  emitter.attribute("custom_call_has_side_effect");
  auto given = cast<RankedTensorType>(types.front());
  Type wide = emitter.ops().getF32Type();
  RankedTensorType type =
      given.clone(given.getElementType().isF64() ? given.getElementType() : wide);
  GemmWriter writer(emitter);
  mlir::Value x = writeSum(emitter, writer, *call, type, operands);
  x = writer.apply(call->function, x);
  Leaves results;
  mlir::Value largest = call->givesLargest ? writer.largest(x) : mlir::Value();
  if (std::optional<size_t> scale = call->operand("d_scale")) {
    x = writer.multiply(x, writer.broadcast(operands[*scale], type));
  }
  results.push_back(writer.saturated(x, given.getElementType()));
  if (largest) {
    results.push_back(writer.convert(largest, getElementTypeOrSelf(types[1])));
  }
  for (size_t i = results.size(); i < types.size(); ++i) {
    results.push_back(emitter.zero(types[i]));
  }
  emitter.finish(results);
  return true;
}

} // namespace drumlin::hlo
