#include "drumlin/transforms/libraries/EpilogueReader.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/AbsOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/DivOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/MulOp.h"
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/SubtractOp.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/ScalarFunctions.h"
#include "drumlin/target/LibraryTable.h"
#include "drumlin/transforms/libraries/EpilogueValues.h"
#include "drumlin/transforms/requirements/KernelParts.h"
#include "drumlin/transforms/requirements/ScalarFunction.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;

namespace drumlin {

// Returns the view of an operand's elements, given the view of the result that is computed from
// them.
static std::optional<StridedView> viewOf(OpOperand &operand, const StridedView &result) {
  std::optional<IndexingMap> map = indexing(operand);
  return map ? viewBehind(*map, result) : std::nullopt;
}

static ElementType typeOf(Value value) { return elementTypeOf(value.getType()); }

// Returns the value from which `value` is computed by data movement and conversions between floats
// of at least 16 bits, which only round.
static Value unrounded(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    bool isRounding = isa<stablehlo::ConvertOp>(op) && isWideFloat(typeOf(value)) &&
                      isWideFloat(typeOf(op->getOperand(0)));
    bool isMove = isStridedMovement(op) && elementsOf(op->getOperand(0)) == elementsOf(value);
    if (!isRounding && !isMove) {
      break;
    }
    value = op->getOperand(0);
  }
  return value;
}

// Describes how much a function differs from the nearest function that has a name.
static std::string describeFunction(Value from, Value to, StringRef operation) {
  NearestFunction nearest = nearestActivation(functionBetween(from, to));
  if (nearest.name.empty()) {
    return operation.str();
  }
  return llvm::formatv("{0}: differs from {1} by {2} at {3}", operation, StringRef(nearest.name),
                       llvm::format("%.3g", nearest.difference),
                       llvm::format("%.3g", nearest.place));
}

namespace {
class EpilogueReader {
public:
  EpilogueReader(plan::GemmOp gemm, Operation *hero, EpilogueSteps &steps)
      : gemm(gemm), block(gemm.getBody().front()), hero(hero), steps(steps),
        current(hero->getResult(0)), added(current), activated(current) {
    distance[current] = 0;
    for (Operation &op : block) {
      for (Value operand : op.getOperands()) {
        for (Value result : op.getResults()) {
          if (dependsOnDot(operand)) {
            distance[result] = std::max(distance.lookup(result), distance.lookup(operand) + 1);
          }
        }
      }
    }
    noteRounding(typeOf(current));
  }

  using Limit = std::optional<PartsLimit>;

  Limit run() {
    if (Limit limit = findResult()) {
      return limit;
    }
    findAmaxValue();
    segments = epilogueSegments(gemm);
    for (size_t i = 0; i < segments.size(); ++i) {
      if (Limit limit = readSegment(i)) {
        return limit;
      }
    }
    if (Limit limit = readEnd()) {
      return limit;
    }
    return readOutputs();
  }

private:
  static Limit fails(LibraryLimit limit, std::string detail = "") {
    return PartsLimit{limit, std::move(detail)};
  }
  static std::string nameOf(Operation *op) { return op->getName().getStringRef().str(); }

  bool dependsOnDot(Value value) { return distance.contains(value); }

  // Returns the reduction that computes an output, possibly converted.
  static stablehlo::ReduceOp reductionOf(Value output) {
    return unrounded(output).getDefiningOp<stablehlo::ReduceOp>();
  }

  // Records that the program rounds a value between steps. The library rounds only once, to D's
  // type.
  void noteRounding(ElementType type) {
    if (isFloat(type) && info(type).bits < 32) {
      steps.roundsBetween |= roundedTo && !holdsAll(type, *roundedTo);
      roundedTo = type;
    }
  }

  // Finds D: the output with the last value of the chain, which is the longest path from the dot.
  // Follows the chain back, and records the view of each value of the chain in D's memory.
  Limit findResult() {
    int64_t most = -1;
    for (auto [i, output] : llvm::enumerate(block.getTerminator()->getOperands())) {
      stablehlo::ReduceOp reduce = reductionOf(output);
      if (!dependsOnDot(output) && !(reduce && operandSummedBy(hero, reduce))) {
        return fails(LibraryLimit::ExtraResult, "a result that doesn't depend on the GEMM");
      }
      bool isResult = !reduce && !isBoolean(typeOf(output)) &&
                      elementsOf(output) == elementsOf(hero->getResult(0));
      if (!isResult) {
        continue;
      }
      if (distance.lookup(output) > most) {
        most = distance.lookup(output);
        steps.result = static_cast<unsigned>(i);
      }
    }
    if (most < 0) {
      return fails(LibraryLimit::Reduction, "the GEMM itself is no result");
    }
    Value at = block.getTerminator()->getOperand(steps.result);
    steps.resultType = typeOf(at);
    std::optional<StridedView> view = rowMajorView(shapeOf(at));
    views[at] = *view;
    while (at != hero->getResult(0)) {
      Operation *op = at.getDefiningOp();
      auto *through = llvm::find_if(op->getOpOperands(),
                                    [&](OpOperand &each) { return dependsOnDot(each.get()); });
      view = viewOf(*through, *view);
      if (!view) {
        return fails(LibraryLimit::ResultLayout, nameOf(op));
      }
      at = through->get();
      views[at] = *view;
    }
    steps.resultView = *view;
    return std::nullopt;
  }

  // Finds the value of the chain whose largest magnitude is also an output.
  void findAmaxValue() {
    for (Value output : block.getTerminator()->getOperands()) {
      stablehlo::ReduceOp reduce = reductionOf(output);
      auto absolute = reduce
                          ? unrounded(reduce.getInputs().front()).getDefiningOp<stablehlo::AbsOp>()
                          : stablehlo::AbsOp();
      if (absolute && shapeOf(reduce.getResult(0)).empty()) {
        amaxValue = unrounded(absolute.getOperand());
      }
    }
  }

  // Returns the operand of a step that doesn't depend on the dot. Returns null unless the step has
  // two operands and exactly one of them depends on the dot.
  Value sideOf(Operation *op) {
    if (op->getNumOperands() != 2) {
      return nullptr;
    }
    bool first = dependsOnDot(op->getOperand(0));
    return first == dependsOnDot(op->getOperand(1)) ? Value() : op->getOperand(first ? 1 : 0);
  }

  Limit readSegment(size_t number) {
    const KernelPart &segment = segments[number];
    llvm::StringRef name = segment.name;
    Operation *op = segment.op;
    if (name == "amax" || name == "bias_grad") {
      return std::nullopt; // read with the kernel's outputs, not as a step
    }
    if (segment.from != current) {
      return fails(LibraryLimit::Pointwise, nameOf(op) + " of an earlier value");
    }
    current = op->getResult(0);
    if (name == "data movement") {
      isMoved = true;
      return std::nullopt;
    }
    if (isNarrowed) {
      return fails(LibraryLimit::EpilogueOrder, "`" + segment.name + "` of a narrow value");
    }
    if (name == "convert") {
      return readConversion(op);
    }
    // These functions commute with rounding. If the program rounds before or after another
    // function, its results differ from those of the library, which doesn't round there.
    if (name != "relu" && name != "clamp") {
      steps.roundsBetween |= roundedTo.has_value();
    }
    if (name == "identity") {
      return std::nullopt;
    }
    bool isActivated = steps.activation != EpilogueParts::None;
    if (name == "bias" || name == "residual") {
      if (isActivated || !steps.resultScale.empty() || steps.clamp) {
        return fails(LibraryLimit::EpilogueOrder, "`" + segment.name + "` after the activation");
      }
      added = activated = current;
      return readAddend(op, name == "residual");
    }
    if (name == "scale") {
      return readScale(op, number);
    }
    if (name == "clamp") {
      return readClamp(segment.from);
    }
    if (isActivated || !steps.resultScale.empty() || steps.clamp) {
      return fails(LibraryLimit::EpilogueOrder, "`" + segment.name + "` after another function");
    }
    activated = current;
    return readActivation(segment);
  }

  // Reads a conversion between floats. Integer accumulators are the call's result without a
  // conversion, since calls that convert them to float are much slower.
  Limit readConversion(Operation *op) {
    ElementType from = typeOf(op->getOperand(0)), to = typeOf(op->getResult(0));
    if (!isFloat(to) || !isFloat(from)) {
      return fails(LibraryLimit::Pointwise, "a conversion from " +
                                                std::string(drumlin::name(from)) + " to " +
                                                std::string(drumlin::name(to)));
    }
    isNarrowed = isNarrow(to);
    noteRounding(to);
    return std::nullopt;
  }

  Limit readClamp(Value before) {
    std::optional<ScalarExpression::Bounds> bounds = functionBetween(before, current).asClamp();
    if (!bounds) {
      return fails(LibraryLimit::Pointwise, "clamp");
    }
    // Combines two consecutive clamps.
    std::pair<double, double> both = {bounds->low, bounds->high};
    if (steps.clamp) {
      both = {std::clamp(steps.clamp->first, both.first, both.second),
              std::clamp(steps.clamp->second, both.first, both.second)};
    }
    steps.clamp = both;
    return std::nullopt;
  }

  // Removes a scalar factor from an addend and records it as a factor of beta. Returns the
  // remaining value, or null if the addend has no scalar factor.
  Value readFactor(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op || !isa<stablehlo::MulOp, stablehlo::DivOp>(op) || !isFloat(typeOf(value))) {
      return nullptr;
    }
    bool isQuotient = isa<stablehlo::DivOp>(op);
    for (unsigned i = isQuotient ? 1 : 0; i < 2; ++i) {
      std::optional<ReadValue> factor = readValue(op->getOperand(i));
      if (factor && elementsOf(factor->value) == 1) {
        steps.beta.push_back({std::move(*factor), isQuotient});
        return op->getOperand(1 - i);
      }
    }
    return nullptr;
  }

  Limit readAddend(Operation *op, bool isResidual) {
    std::optional<Addend> &addend = isResidual ? steps.residual : steps.bias;
    Value side = sideOf(op);
    bool isDifference = isa<stablehlo::SubtractOp>(op);
    bool negates = isDifference && side == op->getOperand(0);
    // If the dot is negated here, earlier addends would have to be negated too.
    if (addend || !side || (negates && (steps.bias || steps.residual))) {
      return fails(LibraryLimit::EpilogueOrder, "another sum");
    }
    steps.negatesProduct |= negates;
    while (Value scaled = isResidual ? readFactor(side) : Value()) {
      side = scaled;
    }
    std::optional<ReadValue> read = readValue(side);
    if (!read) {
      return fails(LibraryLimit::BiasShape, "the addend is rearranged");
    }
    addend = Addend{std::move(*read), views.lookup(op->getResult(0)), isDifference && !negates};
    return std::nullopt;
  }

  // Reads a scale. Factors before all other steps belong to alpha. Factors after other steps belong
  // to D's scale, which only narrow results have. If there are no other steps, factors of a narrow
  // result belong to D's scale, unless amax is computed from the scaled numbers.
  Limit readScale(Operation *op, size_t number) {
    Value side = sideOf(op);
    if (!side || (isa<stablehlo::DivOp>(op) && side == op->getOperand(0))) {
      return fails(LibraryLimit::Pointwise, "a quotient");
    }
    std::optional<ReadValue> read = readValue(side);
    if (!read) {
      return fails(LibraryLimit::ScaleShape, "scales are rearranged, or split");
    }
    ScaleFactor factor{std::move(*read), isa<stablehlo::DivOp>(op)};
    bool isFirst = !steps.bias && !steps.residual && steps.resultScale.empty() &&
                   steps.activation == EpilogueParts::None && !steps.clamp;
    bool isLast =
        llvm::all_of(ArrayRef(segments).drop_front(number + 1), [](const KernelPart &later) {
          static constexpr StringRef harmless[] = {"scale",    "clamp", "convert",  "data movement",
                                                   "identity", "amax",  "bias_grad"};
          return llvm::is_contained(harmless, StringRef(later.name));
        });
    if (elementsOf(factor.value) != 1) {
      return isFirst ? readRowScale(op, std::move(factor))
                     : fails(LibraryLimit::EpilogueOrder, "a scale by row after another step");
    }
    bool isBeforeAmax =
        amaxValue && distance.lookup(amaxValue) >= distance.lookup(op->getResult(0));
    if (isFirst && (!isLast || !isNarrow(steps.resultType) || isBeforeAmax)) {
      steps.alpha.push_back(std::move(factor));
      added = activated = op->getResult(0);
      return std::nullopt;
    }
    if (steps.clamp) {
      return fails(LibraryLimit::EpilogueOrder, "a scale after a clamp");
    }
    // A factor of the sum of dot and residual multiplies both: it becomes alpha and beta.
    bool isOfSum = steps.residual && !steps.bias && steps.resultScale.empty() &&
                   steps.activation == EpilogueParts::None;
    if (isOfSum && (!isLast || !isNarrow(steps.resultType))) {
      steps.alpha.push_back(factor);
      steps.beta.push_back(std::move(factor));
      added = activated = op->getResult(0);
      return std::nullopt;
    }
    if (!isLast) {
      return fails(LibraryLimit::EpilogueOrder, "a scale between a sum and the activation");
    }
    steps.resultScale.push_back(std::move(factor));
    return std::nullopt;
  }

  // Reads factors that vary only along the accumulators' rows or columns.
  Limit readRowScale(Operation *op, ScaleFactor factor) {
    auto dot = dyn_cast<stablehlo::DotGeneralOp>(hero);
    if (!dot || isMoved) {
      return fails(LibraryLimit::ScaleShape, "the result is scaled after data movement");
    }
    stablehlo::ProductRoles roles(dot);
    auto changes = [&](size_t first, size_t count) {
      return llvm::any_of(
          ArrayRef(factor.view.dimensions).slice(first, count), [](const StridedDimension &each) {
            return llvm::any_of(each, [](StridedFactor part) { return part.stride != 0; });
          });
    };
    bool alongLeft = changes(roles.firstFree(0), roles.lhs().free.size());
    bool alongRight = changes(roles.firstFree(1), roles.rhs().free.size());
    if (alongLeft && alongRight) {
      return fails(LibraryLimit::ScaleShape, "each element of the result has a separate scale");
    }
    unsigned side = alongLeft ? 0 : 1;
    // Strides of the scale over the operand; 0 along the contracting dimensions.
    std::vector<StridedDimension> dimensions;
    for (int64_t size : shapeOf(dot->getOperand(side))) {
      dimensions.push_back(size > 1 ? StridedDimension{{size, 0}} : StridedDimension());
    }
    auto take = [&](ArrayRef<int64_t> from, size_t first) {
      for (auto [i, dimension] : llvm::enumerate(from)) {
        dimensions[static_cast<size_t>(dimension)] = factor.view.dimensions[first + i];
      }
    };
    take(roles.operands[side].batch, 0);
    take(roles.operands[side].free, roles.firstFree(side));
    factor.view.dimensions = std::move(dimensions);
    steps.rows[side].push_back(std::move(factor));
    added = activated = op->getResult(0);
    return std::nullopt;
  }

  Limit readActivation(const KernelPart &segment) {
    Value to = segment.op->getResult(0);
    // True if the segment is a function of the chain's value alone. Otherwise it may be a factor
    // that is computed from another value.
    bool isOfChain = recognizeFunction(segment.from, to) == segment.name;
    if (isOfChain && segment.name == "relu") {
      steps.activation = EpilogueParts::Relu;
      return std::nullopt;
    }
    if (isOfChain && segment.name == "silu") {
      steps.activation = EpilogueParts::Silu;
      return std::nullopt;
    }
    if (isOfChain && segment.name == "gelu_tanh") {
      steps.activation = EpilogueParts::Gelu;
      return std::nullopt;
    }
    if (isOfChain && (segment.name == "gelu_erf" || segment.name == "gelu_sigmoid")) {
      return fails(LibraryLimit::Pointwise, segment.name + ", but the library has gelu_tanh");
    }
    return readGradient(segment, isOfChain);
  }

  // Reads a product of the chain's value and a function of another value with the same number of
  // elements.
  Limit readGradient(const KernelPart &segment, bool isOfChain) {
    Value to = segment.op->getResult(0);
    for (BlockArgument argument : block.getArguments()) {
      if (elementsOf(argument) != elementsOf(to) || isMovedBetween(argument, to)) {
        continue;
      }
      StringRef of = nameOfGradient(functionBetween(argument, segment.from, to));
      if (of == "relu" || maskedValue(segment.op, argument) == segment.from) {
        steps.activation = EpilogueParts::ReluGrad;
        steps.gradientOf = argument;
        return std::nullopt;
      }
      if (of == "gelu_erf" || of == "gelu_sigmoid") {
        return fails(LibraryLimit::Pointwise,
                     "the gradient of " + of.str() + ", but the library has gelu_tanh's");
      }
      if (of == "gelu_tanh") {
        steps.activation = EpilogueParts::GeluGrad;
        steps.gradientOf = argument;
        return std::nullopt;
      }
    }
    return fails(LibraryLimit::Pointwise,
                 segment.name == "pointwise"
                     ? describeFunction(segment.from, to, nameOf(segment.op))
                 : isOfChain || segment.name == "gate"
                     ? segment.name
                     : "a factor, `" + segment.name + "` of another value");
  }

  // Returns whether data movement between an argument and a value reorders elements.
  bool isMovedBetween(Value argument, Value to) {
    llvm::DenseSet<Value> reached = {argument};
    for (Operation &op : block) {
      bool isReached =
          llvm::any_of(op.getOperands(), [&](Value each) { return reached.contains(each); });
      if (!isReached) {
        continue;
      }
      if (classify(&op) == OperationClass::DataMovement) {
        return true;
      }
      reached.insert_range(op.getResults());
      if (op.getNumResults() == 1 && op.getResult(0) == to) {
        break;
      }
    }
    return false;
  }

  // Checks that D is the last value of the chain, possibly converted or moved.
  Limit readEnd() {
    Value result = block.getTerminator()->getOperand(steps.result);
    if (result != current) {
      Operation *op = result.getDefiningOp();
      if (op->getOperand(0) != current || isNarrowed) {
        return fails(LibraryLimit::Pointwise, nameOf(op));
      }
      if (isa<stablehlo::ConvertOp>(op)) {
        if (Limit limit = readConversion(op)) {
          return limit;
        }
      } else if (!isStridedMovement(op)) {
        return fails(LibraryLimit::Pointwise, nameOf(op));
      }
    }
    steps.roundsBetween |= roundedTo && roundedTo != steps.resultType;
    return std::nullopt;
  }

  Limit readOutputs() {
    ElementType type = steps.resultType;
    if (isNarrow(type)) {
      // A clamp to bounds that round to the type's largest numbers is the same as saturation.
      bool saturates = steps.clamp && roundTo(type, steps.clamp->first) == -largestFinite(type) &&
                       roundTo(type, steps.clamp->second) == largestFinite(type);
      if (!saturates) {
        return fails(LibraryLimit::Saturation, steps.clamp ? "the program's bounds are different"
                                                           : "the program converts without bounds");
      }
      steps.clamp.reset();
    }
    for (auto [i, output] : llvm::enumerate(block.getTerminator()->getOperands())) {
      auto number = static_cast<unsigned>(i);
      if (number == steps.result) {
        continue;
      }
      if (stablehlo::ReduceOp reduce = reductionOf(output)) {
        bool isOfAll = dependsOnDot(output) && shapeOf(reduce.getResult(0)).empty();
        if (Limit limit =
                isOfAll ? readAmax(reduce, output) : readBiasGradient(reduce, output, number)) {
          return limit;
        }
        if (isOfAll) {
          steps.amax = number;
        }
        continue;
      }
      Value entering = isBoolean(typeOf(output)) ? positiveIn(output) : output;
      bool hasAux =
          steps.activation == EpilogueParts::Gelu || steps.activation == EpilogueParts::Relu;
      bool isAux = hasAux && entering && !steps.aux && unrounded(entering) == unrounded(added);
      if (!isAux) {
        return fails(LibraryLimit::ExtraResult, "an intermediate value is also a result");
      }
      if (!liesAsResult(entering)) {
        return fails(LibraryLimit::ExtraResult, "the activation's input, in another order than D");
      }
      steps.aux = number;
    }
    return std::nullopt;
  }

  // Reads a sum, along some dimensions, of an operand, or of D before D's scale.
  Limit readBiasGradient(stablehlo::ReduceOp reduce, Value output, unsigned number) {
    bool isSum = reduce.getInputs().size() == 1 && knownReducer(reduce.getBody()) == Reducer::Add &&
                 isZero(reduce.getInitValues().front());
    if (steps.biasGradient || !isSum) {
      return fails(LibraryLimit::Reduction, "a reduction other than one maximum and one sum");
    }
    if (unconverted(output) != reduce.getResult(0)) {
      return fails(LibraryLimit::Reduction, "a sum whose elements are moved");
    }
    BiasSum sum;
    sum.value = output;
    sum.output = number;
    steps.roundsBetween |= info(typeOf(reduce.getResult(0))).bits < 32;
    sum.operand = operandSummedBy(hero, reduce);
    Value summed = unconverted(reduce.getInputs().front());
    std::vector<StridedDimension> ofSummed = viewOfSum(reduce).dimensions;
    if (sum.operand) {
      sum.result = steps.resultView;
      sum.view.dimensions = overResult(cast<stablehlo::DotGeneralOp>(hero), *sum.operand, ofSummed);
    } else {
      bool isResult = steps.resultScale.empty() && unrounded(summed) == unrounded(activated) &&
                      views.contains(summed);
      if (!isResult) {
        return fails(LibraryLimit::Reduction, "a sum of a value other than the result");
      }
      sum.result = views.lookup(summed);
      sum.view.dimensions = std::move(ofSummed);
    }
    steps.biasGradient = std::move(sum);
    return std::nullopt;
  }

  // Returns whether an output that holds the chain's value has the same layout as D.
  bool liesAsResult(Value output) {
    std::optional<StridedView> view = rowMajorView(shapeOf(output));
    while (view && !views.contains(output)) {
      Operation *op = output.getDefiningOp();
      view = viewOf(op->getOpOperand(0), *view);
      output = op->getOperand(0);
    }
    return view && *view == views.lookup(output);
  }

  Limit readAmax(stablehlo::ReduceOp reduce, Value output) {
    if (steps.amax || reduce.getInputs().size() != 1 ||
        knownReducer(reduce.getBody()) != Reducer::Maximum) {
      return fails(LibraryLimit::Reduction, "a reduction other than one maximum");
    }
    if (!unrounded(reduce.getInputs().front()).getDefiningOp<stablehlo::AbsOp>()) {
      return fails(LibraryLimit::AmaxValue, "the program's maximum is not of magnitudes");
    }
    if (amaxValue != unrounded(activated)) {
      return fails(LibraryLimit::AmaxValue, "the program's maximum is of another value");
    }
    // Magnitudes are at least 0, so the maximum may start from any number up to 0.
    std::optional<ReadValue> first = readValue(reduce.getInitValues().front());
    auto constant = first ? first->value.getDefiningOp<stablehlo::ConstantOp>() : nullptr;
    auto number = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
    bool isBelow = number && number.isSplat() && isa<FloatType>(number.getElementType()) &&
                   number.getSplatValue<APFloat>().convertToDouble() <= 0;
    if (!isBelow) {
      return fails(LibraryLimit::AmaxValue, "the program's maximum begins with another number");
    }
    if (typeOf(output) != ElementType::F32) {
      return fails(LibraryLimit::AmaxType, "the library's amax is of f32, the program's of " +
                                               std::string(name(typeOf(output))));
    }
    return std::nullopt;
  }

  plan::GemmOp gemm;
  Block &block;
  Operation *hero;
  EpilogueSteps &steps;
  std::vector<KernelPart> segments;
  llvm::DenseMap<Value, int64_t> distance;  // number of operations on the longest path from the dot
  llvm::DenseMap<Value, StridedView> views; // of the chain's values, in the result's memory
  // Values of the chain: the latest one, and those before and after the activation.
  Value current, added, activated;
  Value amaxValue; // value whose amax is an output; null if there is none
  bool isNarrowed = false, isMoved = false;
  // The narrowest type below f32 to which a value of the chain was rounded.
  std::optional<ElementType> roundedTo;
};
} // namespace

std::optional<PartsLimit> readEpilogue(plan::GemmOp gemm, Operation *hero, EpilogueSteps &steps) {
  return EpilogueReader(gemm, hero, steps).run();
}

} // namespace drumlin
