#include "drumlin/transforms/libraries/EpilogueReader.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/target/LibraryTable.h"
#include "drumlin/transforms/requirements/KernelSlots.h"
#include "drumlin/transforms/requirements/ScalarFunction.h"
#include "llvm/ADT/DenseMap.h"

#include <cmath>

using namespace mlir;

namespace drumlin {

bool isStridedMove(Operation *op) {
  return isa<stablehlo::ReshapeOp, stablehlo::TransposeOp, stablehlo::BroadcastInDimOp,
             stablehlo::SliceOp>(op);
}

// The same elements before they were converted or moved.
static Value stripped(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && (isa<stablehlo::ConvertOp>(op) || isStridedMove(op)) &&
         elementsOf(op->getOperand(0)) == elementsOf(value)) {
    value = op->getOperand(0);
    op = value.getDefiningOp();
  }
  return value;
}

// gelu and its derivative in the forms that programs have. The first is the libraries'.
using Function = double (*)(double);
static double bend(double x) { return std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x); }
static double logistic(double x) { return 1 / (1 + std::exp(-x)); }
static constexpr Function geluForms[] = {
    [](double x) { return 0.5 * x * (1 + std::tanh(bend(x))); },
    [](double x) { return 0.5 * x * std::erfc(-x / std::sqrt(2.0)); },
    [](double x) { return x * logistic(1.702 * x); },
};
static constexpr Function geluGradForms[] = {
    [](double x) {
      double t = std::tanh(bend(x));
      double slope = std::sqrt(2 / M_PI) * (1 + 3 * 0.044715 * x * x);
      return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * slope;
    },
    [](double x) {
      return 0.5 * std::erfc(-x / std::sqrt(2.0)) + x * std::exp(-x * x / 2) / std::sqrt(2 * M_PI);
    },
    [](double x) {
      double gate = logistic(1.702 * x);
      return gate * (1 + 1.702 * x * (1 - gate));
    },
};

// Whether what leads from one value to the other is nearer to the first form than to the others:
// constants rounded to bf16 move a form by less than the forms lie apart.
static bool isFirstForm(Value from, Value to, std::span<const Function> forms) {
  std::vector<double> points;
  for (double x = -5.9375; x < 6; x += 0.125) {
    points.push_back(x);
  }
  std::optional<std::vector<double>> values = sampleFunction(from, to, points);
  if (!values) {
    return false;
  }
  size_t nearest = 0;
  double least = INFINITY;
  for (size_t form = 0; form < forms.size(); ++form) {
    double distance = 0;
    for (size_t i = 0; i < points.size(); ++i) {
      distance += std::pow((*values)[i] - forms[form](points[i]), 2);
    }
    if (distance < least) {
      least = distance;
      nearest = form;
    }
  }
  return nearest == 0;
}

namespace {
class EpilogueReader {
public:
  EpilogueReader(plan::GemmOp gemm, Operation *hero, EpilogueSteps &steps)
      : block(gemm.getBody().front()), hero(hero), steps(steps), current(hero->getResult(0)),
        added(current), activated(current) {
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
    for (KernelSlot &slot : kernelSlots(gemm)) {
      llvm::StringRef name = slot.name;
      if (!name.ends_with("_lhs") && !name.ends_with("_rhs")) {
        slots.push_back(std::move(slot));
      }
    }
  }

  using Limit = std::optional<PartsLimit>;

  Limit run() {
    if (Limit limit = findResult()) {
      return limit;
    }
    for (size_t i = 0; i < slots.size(); ++i) {
      if (Limit limit = readSlot(i)) {
        return limit;
      }
    }
    return readOutputs();
  }

private:
  static Limit fails(LibraryLimit limit, std::string detail = "") {
    return PartsLimit{limit, std::move(detail)};
  }

  bool dependsOnDot(Value value) { return distance.contains(value); }

  bool isReduction(Value value) {
    Operation *op = stripped(value).getDefiningOp();
    return isa_and_nonnull<stablehlo::ReduceOp>(op);
  }

  // The output that is D holds the chain's last value: it is the one with the longest way from the
  // dot. Walks back from it, and keeps where each value on the way lies in its memory.
  Limit findResult() {
    int64_t most = -1;
    for (auto [i, output] : llvm::enumerate(block.getTerminator()->getOperands())) {
      if (!dependsOnDot(output)) {
        return fails(LibraryLimit::ExtraResult, "a result that isn't the product's");
      }
      if (isReduction(output) || elementsOf(output) != elementsOf(hero->getResult(0))) {
        continue;
      }
      if (distance.lookup(output) > most) {
        most = distance.lookup(output);
        steps.result = static_cast<unsigned>(i);
      }
    }
    if (most < 0) {
      return fails(LibraryLimit::Reduction, "the product itself is no result");
    }
    Value at = block.getTerminator()->getOperand(steps.result);
    steps.resultType = elementTypeOf(at.getType());
    std::optional<StridedView> view = rowMajorView(shapeOf(at));
    views[at] = *view;
    while (at != hero->getResult(0)) {
      Operation *op = at.getDefiningOp();
      auto through =
          llvm::find_if(op->getOperands(), [&](Value each) { return dependsOnDot(each); });
      if (classify(op) == OperationClass::Move) {
        view = viewBefore(op, *view);
        if (!view) {
          return fails(LibraryLimit::ResultLayout, op->getName().getStringRef().str());
        }
      }
      at = *through;
      views[at] = *view;
    }
    steps.resultView = *view;
    return std::nullopt;
  }

  // The operand of a step that doesn't come from the dot; null unless there is exactly one.
  Value sideOf(Operation *op) {
    if (op->getNumOperands() != 2) {
      return nullptr;
    }
    bool first = dependsOnDot(op->getOperand(0));
    return first == dependsOnDot(op->getOperand(1)) ? Value() : op->getOperand(first ? 1 : 0);
  }

  // A value as it is read, and where its elements lie.
  std::optional<ScaleFactor> readSide(Value side) {
    SmallVector<Operation *> moves;
    Operation *op = side.getDefiningOp();
    for (; op && (isa<stablehlo::ConvertOp>(op) || isStridedMove(op)); op = side.getDefiningOp()) {
      if (isStridedMove(op)) {
        moves.push_back(op);
      }
      side = op->getOperand(0);
    }
    std::optional<StridedView> view = rowMajorView(shapeOf(side));
    for (Operation *move : llvm::reverse(moves)) {
      view = view ? viewAfter(move, *view) : std::nullopt;
    }
    if (!view) {
      return std::nullopt;
    }
    return ScaleFactor{side, false, std::move(*view)};
  }

  bool comesLater(size_t slot, std::initializer_list<llvm::StringRef> names) {
    return llvm::any_of(ArrayRef(slots).drop_front(slot + 1), [&](const KernelSlot &later) {
      return llvm::is_contained(names, llvm::StringRef(later.name));
    });
  }

  Limit readSlot(size_t number) {
    const KernelSlot &slot = slots[number];
    llvm::StringRef name = slot.name;
    Operation *op = slot.op;
    if (name == "amax") {
      return std::nullopt; // read with the outputs
    }
    if (isNarrowed) {
      return fails(LibraryLimit::EpilogueOrder, "`" + slot.name + "` of a narrow value");
    }
    Value before = current;
    current = op->getResult(0);
    if (name == "transpose") {
      return std::nullopt;
    }
    if (name == "convert") {
      ElementType to = elementTypeOf(current.getType());
      isNarrowed = isNarrow(to);
      steps.roundsBetween |= !isNarrowed && info(to).bits < 32;
      return std::nullopt;
    }
    bool isActivated = steps.activation != EpilogueParts::None;
    if (name == "bias" || name == "residual") {
      if (isActivated || steps.resultScale || steps.clamp) {
        return fails(LibraryLimit::EpilogueOrder, "`" + slot.name + "` after the activation");
      }
      added = activated = current;
      return readAddend(op, name == "bias" ? steps.bias : steps.residual);
    }
    if (name == "scale") {
      return readScale(op, number);
    }
    if (name == "clamp") {
      if (steps.clamp) {
        return fails(LibraryLimit::EpilogueOrder, "a second clamp");
      }
      static constexpr double far[] = {-1e30, 1e30};
      std::optional<std::vector<double>> bounds = sampleFunction(before, current, far);
      if (!bounds) {
        return fails(LibraryLimit::Pointwise, "clamp");
      }
      steps.clamp = {bounds->front(), bounds->back()};
      return std::nullopt;
    }
    if (isActivated || steps.resultScale || steps.clamp) {
      return fails(LibraryLimit::EpilogueOrder, "`" + slot.name + "` after another function");
    }
    activated = current;
    return readActivation(slot, before);
  }

  Limit readAddend(Operation *op, std::optional<Addend> &addend) {
    Value side = sideOf(op);
    bool isDifference = isa<stablehlo::SubtractOp>(op);
    bool negates = isDifference && side == op->getOperand(0);
    // What was added before would have to be negated as well.
    if (addend || !side || (negates && (steps.bias || steps.residual))) {
      return fails(LibraryLimit::EpilogueOrder, "another sum");
    }
    steps.negatesProduct |= negates;
    std::optional<ScaleFactor> read = readSide(side);
    if (!read) {
      return fails(LibraryLimit::BiasShape, "what is added is rearranged");
    }
    addend =
        Addend{read->value, read->view, views.lookup(op->getResult(0)), isDifference && !negates};
    return std::nullopt;
  }

  Limit readScale(Operation *op, size_t number) {
    Value side = sideOf(op);
    std::optional<ScaleFactor> read = side ? readSide(side) : std::nullopt;
    if (!read || (isa<stablehlo::DivOp>(op) && side == op->getOperand(0))) {
      return fails(LibraryLimit::Pointwise, "a quotient");
    }
    if (elementsOf(read->value) != 1) {
      return fails(LibraryLimit::ScaleShape, "the result is scaled by a vector");
    }
    read->divides = isa<stablehlo::DivOp>(op);
    bool isFirst = !steps.bias && !steps.residual && !steps.alpha && !steps.resultScale &&
                   steps.activation == EpilogueParts::None && !steps.clamp;
    bool isLast = !comesLater(number, {"bias", "residual", "relu", "gelu", "silu", "gelu_grad"});
    // With nothing around it, a narrow result's scale is the one that stands behind the amax.
    if (isFirst && !(isLast && isNarrow(steps.resultType))) {
      steps.alpha = std::move(*read);
      added = activated = op->getResult(0);
      return std::nullopt;
    }
    if (!isLast || steps.resultScale || steps.clamp) {
      return fails(LibraryLimit::EpilogueOrder, "a scale between a sum and the activation");
    }
    steps.resultScale = std::move(*read);
    return std::nullopt;
  }

  Limit readActivation(const KernelSlot &slot, Value before) {
    if (slot.name == "relu") {
      steps.activation = EpilogueParts::Relu;
    } else if (slot.name == "silu") {
      steps.activation = EpilogueParts::Silu;
    } else if (slot.name == "gelu" && isFirstForm(before, current, geluForms)) {
      steps.activation = EpilogueParts::Gelu;
    } else if (slot.name == "gelu_grad") {
      return readGradient(slot.op);
    } else {
      return fails(LibraryLimit::Pointwise,
                   slot.name == "gelu" ? "a gelu that isn't the tanh form" : slot.name);
    }
    return std::nullopt;
  }

  Limit readGradient(Operation *op) {
    Value side = sideOf(op);
    for (BlockArgument argument : block.getArguments()) {
      bool isFactor = side && recognizeFunction(argument, side) == "gelu_grad" &&
                      shapeOf(argument) == shapeOf(side) &&
                      isFirstForm(argument, side, geluGradForms);
      if (isFactor) {
        steps.activation = EpilogueParts::GeluGrad;
        steps.gradientOf = argument;
        return std::nullopt;
      }
    }
    return fails(LibraryLimit::Pointwise, "the gradient of a gelu that isn't the tanh form");
  }

  Limit readOutputs() {
    ElementType type = steps.resultType;
    if (isNarrow(type)) {
      // Bounds that round to the largest numbers are what saturation does.
      bool saturates = steps.clamp && roundTo(type, steps.clamp->first) == -largestFinite(type) &&
                       roundTo(type, steps.clamp->second) == largestFinite(type);
      if (!saturates) {
        return fails(LibraryLimit::Saturation, steps.clamp ? "the program's bounds are other ones"
                                                           : "the program converts without bounds");
      }
      steps.clamp.reset();
    }
    for (auto [i, output] : llvm::enumerate(block.getTerminator()->getOperands())) {
      auto number = static_cast<unsigned>(i);
      if (number == steps.result) {
        continue;
      }
      if (isReduction(output)) {
        if (Limit limit = readAmax(stripped(output).getDefiningOp())) {
          return limit;
        }
        steps.amax = number;
        continue;
      }
      bool isGeluInput = steps.activation == EpilogueParts::Gelu && !steps.aux &&
                         stripped(output) == stripped(added) && liesAsResult(output);
      if (!isGeluInput) {
        return fails(LibraryLimit::ExtraResult, "an intermediate value is a result as well");
      }
      steps.aux = number;
    }
    return std::nullopt;
  }

  // Row-major in the same shape, or moved alike.
  bool liesAsResult(Value output) {
    return shapeOf(output) == shapeOf(block.getTerminator()->getOperand(steps.result));
  }

  Limit readAmax(Operation *op) {
    auto reduce = cast<stablehlo::ReduceOp>(op);
    if (steps.amax || knownReducer(reduce.getBody()) != Reducer::Maximum) {
      return fails(LibraryLimit::Reduction, "a reduction other than one maximum");
    }
    auto absolute = stripped(reduce.getInputs().front()).getDefiningOp<stablehlo::AbsOp>();
    if (!absolute) {
      return fails(LibraryLimit::AmaxValue, "a maximum without regard to signs is asked for");
    }
    if (stripped(absolute.getOperand()) != stripped(activated)) {
      return fails(LibraryLimit::AmaxValue, "another value's is asked for");
    }
    return std::nullopt;
  }

  Block &block;
  Operation *hero;
  EpilogueSteps &steps;
  std::vector<KernelSlot> slots;
  llvm::DenseMap<Value, int64_t> distance;  // operations from the dot, along the longest way
  llvm::DenseMap<Value, StridedView> views; // where values lie in the result's memory
  // The chain's value so far; before the activation; after it.
  Value current, added, activated;
  bool isNarrowed = false;
};
} // namespace

std::optional<PartsLimit> readEpilogue(plan::GemmOp gemm, Operation *hero, EpilogueSteps &steps) {
  return EpilogueReader(gemm, hero, steps).run();
}

} // namespace drumlin
