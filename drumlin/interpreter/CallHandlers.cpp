// Custom calls, composites and tuples.
#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/InterpretedCalls.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/interpreter/kernels/Collectives.h"
#include "drumlin/interpreter/kernels/EvaluateCheck.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/interpreter/kernels/EvaluateSort.h"
#include "drumlin/interpreter/kernels/EvaluateWindow.h"
#include "drumlin/ir/plan/HostCalls.h"
#include "drumlin/ir/stablehlo/CompositeOp.h"
#include "drumlin/ir/stablehlo/CustomCallOp.h"
#include "drumlin/ir/stablehlo/DynamicReduceWindow.h"
#include "drumlin/ir/stablehlo/GetTupleElementOp.h"
#include "drumlin/ir/stablehlo/TupleOp.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

namespace drumlin::interpreter {

using Tensors = std::vector<Tensor>;

// Returns the comparison that a custom call of StableHLO's test programs asks for, or nothing for
// other calls. The call compares its two operands. Attributes with the names that the reference
// interpreter uses hold the tolerance.
static std::optional<Check> checkOf(stablehlo::CustomCallOp op) {
  llvm::StringRef target = op.getCallTargetName();
  auto tolerance = op->getAttrOfType<mlir::FloatAttr>("tolerance");
  auto steps = [&](llvm::StringRef name, uint64_t otherwise) {
    auto number = op->getAttrOfType<mlir::IntegerAttr>(name);
    uint64_t value = number ? number.getValue().getZExtValue() : otherwise;
    return static_cast<int64_t>(std::min<uint64_t>(value, std::numeric_limits<int64_t>::max()));
  };
  if (target == "check.expect_eq") {
    return Check{};
  }
  if (target == "check.eq" || target == "check.expect_almost_eq") {
    double otherwise = target == "check.eq" ? 1e-4 : 1e-3;
    return Check{.kind = Check::Kind::Near,
                 .tolerance = tolerance ? tolerance.getValueAsDouble() : otherwise};
  }
  if (target == "check.expect_close") {
    return Check{.kind = Check::Kind::Steps,
                 .steps = steps("max_ulp_difference", 3),
                 .leastSteps = steps("min_ulp_difference", 0)};
  }
  return std::nullopt;
}

// Checks a size condition of an exported program. The error message refers to the numeric operands
// by position, as `{0}`.
static Result<Tensors> assertShape(stablehlo::CustomCallOp op, const Tensors &operands) {
  if (integerAt(operands.front(), 0) != 0) {
    return Tensors();
  }
  auto given = op->getAttrOfType<mlir::StringAttr>("error_message");
  std::string message = given ? given.str() : "sizes don't meet the program's requirement";
  for (size_t i = 1; i < operands.size(); ++i) {
    std::string place = "{" + std::to_string(i - 1) + "}";
    std::string number = std::to_string(integerAt(operands[i], 0));
    for (size_t at = message.find(place); at != std::string::npos; at = message.find(place, at)) {
      message.replace(at, place.size(), number);
      at += number.size();
    }
  }
  return diagnose(errors::RuntimeShapeMismatch, message);
}

// Runs a custom call that returns the first elements along a dimension, in the order of the
// program's comparator. Returns nothing for other calls. XLA's `ApproxTopK` may miss some of these
// elements; this function returns all of them.
static std::optional<Result<Tensors>> firstElements(stablehlo::CustomCallOp op,
                                                    const Tensors &operands, Frame &frame) {
  std::optional<FirstElements> first = firstElementsOf(op);
  auto comparator =
      first ? frame.lookup<mlir::func::FuncOp>(op, first->comparator) : mlir::func::FuncOp();
  int64_t dimension = first ? first->dimension : -1;
  size_t count = op.getNumResults();
  if (!comparator || operands.size() != 2 * count || dimension < 0 ||
      dimension >= operands[0].rank()) {
    return std::nullopt;
  }
  Result<Tensors> sorted = sort(std::span(operands).first(count), dimension,
                                frame.comparisonBody(comparator.getBody()), frame.kernels());
  if (!sorted) {
    return sorted;
  }
  for (auto [tensor, type] : llvm::zip(*sorted, op.getResultTypes())) {
    auto wanted = llvm::dyn_cast<mlir::RankedTensorType>(type);
    if (!wanted || wanted.getRank() != tensor.rank() ||
        wanted.getDimSize(dimension) > tensor.dim(dimension)) {
      return std::nullopt;
    }
    Shape limit = tensor.shape();
    limit[static_cast<size_t>(dimension)] = wanted.getDimSize(dimension);
    Result<Tensor> part =
        slice(tensor, Shape(limit.size(), 0), limit, Shape(limit.size(), 1), frame.kernels());
    if (!part) {
      return part.error();
    }
    tensor = std::move(*part);
  }
  return sorted;
}

// Runs a window reduction whose window attributes are given as operands.
static std::optional<Result<Tensors>> reduceDynamicWindow(stablehlo::CustomCallOp op,
                                                          const Tensors &operands, Frame &frame) {
  auto given = stablehlo::DynamicReduceWindow::of(op);
  auto reducer =
      given ? frame.lookup<mlir::func::FuncOp>(op, given->reducer) : mlir::func::FuncOp();
  if (!given || !given->isReducer(reducer)) {
    return std::nullopt;
  }
  size_t count = given->inputs.size(), rank = operands.front().shape().size();
  std::span<const Tensor> rest = std::span(operands).subspan(2 * count);
  bool isWell = true;
  // The largest magnitude for which sums and products of two numbers fit into 64 bits.
  constexpr int64_t largest = std::numeric_limits<int32_t>::max();
  auto numbers = [&](const Tensor &tensor, size_t first, size_t step, int64_t smallest) {
    Shape made;
    for (size_t i = first; i < step * rank; i += step) {
      made.push_back(integerAt(tensor, static_cast<int64_t>(i)));
      isWell &= made.back() >= smallest && made.back() <= largest;
    }
    return made;
  };
  ReductionWindow window;
  window.dimensions = numbers(rest[0], 0, 1, 1);
  window.strides = numbers(rest[1], 0, 1, 1);
  window.baseDilations = numbers(rest[2], 0, 1, 1);
  window.windowDilations = numbers(rest[3], 0, 1, 1);
  window.paddingLow = numbers(rest[4], 0, 2, -largest);
  window.paddingHigh = numbers(rest[4], 1, 2, -largest);
  for (const Tensor &input : std::span(operands).first(count)) {
    isWell &= input.shape() == operands.front().shape();
  }
  if (!isWell) {
    return diagnose(errors::RuntimeShapeMismatch,
                    "a window's sizes, strides and dilations must be at least 1");
  }
  return reduceWindow(std::span(operands).first(count), std::span(operands).subspan(count, count),
                      window, frame.reductionBody(reducer.getBody()), frame.kernels());
}

// Runs custom calls that are standard operations under another name; nothing for other calls.
static std::optional<Result<Tensors>> callKnown(stablehlo::CustomCallOp op, Tensors &operands,
                                                Frame &frame) {
  llvm::StringRef target = op.getCallTargetName();
  if (isDeviceMark(op)) {
    return std::move(operands);
  }
  if (isOrderMark(op)) {
    return Tensors();
  }
  auto result = op.getNumResults() == 0
                    ? mlir::RankedTensorType()
                    : llvm::dyn_cast<mlir::RankedTensorType>(op.getResult(0).getType());
  if (target == "AllocateBuffer" && operands.empty() && op.getNumResults() == 1 && result &&
      result.hasStaticShape() && heldTypeOf(result)) {
    Result<Tensor> zero = zeros(*heldTypeOf(result), Shape(result.getShape()), frame.kernels());
    return zero ? Result<Tensors>(Tensors{*zero}) : Result<Tensors>(zero.error());
  }
  if (target == "TopK" && operands.size() == 1 && op.getNumResults() == 2 && result &&
      result.getRank() > 0 && result.getRank() == operands[0].rank() &&
      !result.isDynamicDim(static_cast<unsigned>(result.getRank()) - 1)) {
    return topK(operands[0], result.getShape().back(), frame.kernels());
  }
  std::optional<Result<Tensors>> reduced = reduceDynamicWindow(op, operands, frame);
  return reduced ? std::move(reduced) : firstElements(op, operands, frame);
}

// Returns the operand and result shapes of a call with dynamic sizes, or nothing for other calls. A
// result has the sizes that its shape operand holds, or the sizes of the operand that it aliases.
static std::optional<HostShapes> shapesOfCall(stablehlo::CustomCallOp op, const Tensors &operands,
                                              const Tensors &resultShapes) {
  auto isDynamic = [](mlir::Type type) {
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    return tensor && !tensor.hasStaticShape();
  };
  auto areTensors = [](mlir::TypeRange types) {
    return llvm::all_of(types, llvm::IsaPred<mlir::RankedTensorType>);
  };
  if ((!llvm::any_of(op->getOperandTypes(), isDynamic) &&
       !llvm::any_of(op->getResultTypes(), isDynamic)) ||
      !areTensors(op->getOperandTypes()) || !areTensors(op->getResultTypes())) {
    return std::nullopt;
  }
  HostShapes made;
  for (const Tensor &operand : operands) {
    made.operands.push_back(operand.shape());
  }
  std::optional<HostCallParts> parts = hostCallPartsOf(op);
  for (auto [i, type] : llvm::enumerate(op->getResultTypes())) {
    Shape shape(llvm::cast<mlir::RankedTensorType>(type).getShape());
    for (size_t pair = 0; pair + 1 < parts->aliases.size(); pair += 2) {
      bool isOf = parts->aliases[pair] == static_cast<int64_t>(i) && resultShapes.empty();
      shape = isOf ? made.operands.at(static_cast<size_t>(parts->aliases[pair + 1])) : shape;
    }
    if (!resultShapes.empty()) {
      for (auto [d, size] : llvm::enumerate(shape)) {
        size = integerAt(resultShapes[i], static_cast<int64_t>(d));
      }
    }
    if (llvm::any_of(shape, [](int64_t size) { return size < 0; })) {
      return std::nullopt;
    }
    made.results.push_back(std::move(shape));
  }
  return made;
}

// Removes and returns the operands that only give result sizes. The called code doesn't get them.
static Tensors takeShapeOperands(stablehlo::CustomCallOp op, Tensors &operands) {
  llvm::SmallVector<unsigned> numbers = shapeOperandsOf(op);
  Tensors taken, left;
  for (unsigned number : numbers) {
    taken.push_back(operands[number]);
  }
  for (auto [i, operand] : llvm::enumerate(operands)) {
    if (!llvm::is_contained(numbers, i)) {
      left.push_back(std::move(operand));
    }
  }
  operands = std::move(left);
  return taken;
}

// Calls code outside of the program, with operands and results transposed to and from the layouts
// that the code uses.
static Result<Tensors> callForeignCode(stablehlo::CustomCallOp op, Tensors &operands,
                                       Frame &frame) {
  bool areScalars = llvm::all_of(operands, [](const Tensor &each) { return each.elements() == 1; });
  if (op.getCallTargetName() == "shape_assertion" && !operands.empty() && areScalars) {
    return assertShape(op, operands);
  }
  if (std::optional<Check> check = checkOf(op); check && operands.size() == 2) {
    if (Status status = compareWith(*check, operands[0], operands[1]); !status) {
      return status.error();
    }
    return Tensors();
  }
  Tensors resultShapes = takeShapeOperands(op, operands);
  if (std::optional<Result<Tensors>> known = callKnown(op, operands, frame)) {
    return std::move(*known);
  }
  const HostCaller *caller = frame.hostCaller();
  if (!caller) {
    return diagnose(errors::InterpreterUnsupported,
                    "the interpreter can't call the code `@" + op.getCallTargetName().str() + "`");
  }
  std::optional<HostShapes> shapes = shapesOfCall(op, operands, resultShapes);
  Result<HostCall> call = describeHostCall(op, shapes ? &*shapes : nullptr);
  if (!call) {
    return call.error();
  }
  using Reorder = Tensor(const Tensor &, std::span<const int64_t>);
  auto reorder = [](Tensors &tensors, const std::vector<HostValue> &values, Reorder *function) {
    size_t next = 0;
    for (const HostValue &value : values) {
      if (!value.isToken()) {
        Tensor &tensor = tensors[next++];
        tensor = value.layout.empty() ? tensor : function(tensor, value.layout);
      }
    }
  };
  reorder(operands, call->operands, toPhysical);
  Result<Tensors> results = callHost(*call, std::move(operands), *caller);
  if (results) {
    reorder(*results, call->results, fromPhysical);
  }
  return results;
}

// Returns the tensors that make up one element of a tuple.
static Result<Tensors> elementOf(stablehlo::GetTupleElementOp op, Tensors &operands, Frame &) {
  auto tuple = llvm::cast<mlir::TupleType>(op.getOperand().getType());
  auto index = static_cast<size_t>(op.getIndex());
  size_t first = 0;
  for (mlir::Type type : tuple.getTypes().take_front(index)) {
    first += tensorCountOf(type).value_or(0);
  }
  size_t count = tensorCountOf(tuple.getType(index)).value_or(0);
  auto begin = operands.begin() + static_cast<std::ptrdiff_t>(first);
  return Tensors(begin, begin + static_cast<std::ptrdiff_t>(count));
}

void addCallHandlers(InterpreterTable &table) {
  add<stablehlo::CompositeOp>(
      table, [](stablehlo::CompositeOp op, Tensors &operands, Frame &frame) {
        return frame.call(op, op.getDecompositionAttr(), std::move(operands));
      });
  add<stablehlo::CustomCallOp>(table, callForeignCode);
  add<stablehlo::GetTupleElementOp>(table, elementOf);
  add<stablehlo::TupleOp>(table,
                          [](stablehlo::TupleOp, Tensors &operands, Frame &) -> Result<Tensors> {
                            return std::move(operands);
                          });
}

} // namespace drumlin::interpreter
