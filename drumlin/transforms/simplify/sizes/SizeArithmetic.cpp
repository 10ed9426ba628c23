// Integers that are computed from sizes.
#include "drumlin/transforms/simplify/sizes/SizeAnalysis.h"

#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

// Far above the ranks that shapes have.
static constexpr int64_t maxNumbers = 256;

std::optional<SizeExpression> SizeAnalysis::compare(Operation *op,
                                                    ArrayRef<SizeExpression> operands) {
  using stablehlo::ComparisonDirection;
  SizeExpression difference = operands[0] - operands[1];
  auto atLeast = [&](const SizeExpression &size) { return known.isAtLeastZero(size); };
  auto number = [](std::optional<bool> value) {
    return value ? std::optional(SizeExpression(*value)) : std::nullopt;
  };
  auto negated = [](std::optional<bool> value) {
    return value ? std::optional(!*value) : std::nullopt;
  };
  std::optional<bool> isEqual;
  if (auto constant = difference.constant()) {
    isEqual = *constant == 0;
  } else if (atLeast(difference - 1) == true || atLeast(SizeExpression(-1) - difference) == true) {
    isEqual = false;
  }
  switch (cast<stablehlo::CompareOp>(op).getComparisonDirection()) {
  case ComparisonDirection::EQ:
    return number(isEqual);
  case ComparisonDirection::NE:
    return number(negated(isEqual));
  case ComparisonDirection::GE:
    return number(atLeast(difference));
  case ComparisonDirection::GT:
    return number(atLeast(difference - 1));
  case ComparisonDirection::LE:
    return number(negated(atLeast(difference - 1)));
  case ComparisonDirection::LT:
    return number(negated(atLeast(difference)));
  }
  return std::nullopt;
}

// Division of integers is rounded toward zero, which is down where nothing is negative.
static bool dividesDown(const SizeFacts &facts, ArrayRef<SizeExpression> operands) {
  return facts.isAtLeastZero(operands[0]) == true && facts.isAtLeastZero(operands[1] - 1) == true;
}

std::optional<SizeExpression> SizeAnalysis::computeNumber(Operation *op,
                                                          ArrayRef<SizeExpression> operands) {
  const SizeExpression zero, one(1);
  bool isTruth = cast<RankedTensorType>(op->getResult(0).getType()).getElementType().isInteger(1);
  using Made = std::optional<SizeExpression>;
  return TypeSwitch<Operation *, Made>(op)
      .Case<stablehlo::AddOp>(
          [&](auto) { return isTruth ? Made() : Made(operands[0] + operands[1]); })
      .Case<stablehlo::SubtractOp>([&](auto) -> Made { return operands[0] - operands[1]; })
      .Case<stablehlo::MulOp>([&](auto) -> Made { return operands[0] * operands[1]; })
      .Case<stablehlo::DivOp>([&](auto) {
        return dividesDown(known, operands) ? Made(operands[0].quotient(operands[1])) : Made();
      })
      .Case<stablehlo::RemOp>([&](auto) {
        return dividesDown(known, operands) ? Made(operands[0].remainder(operands[1])) : Made();
      })
      .Case<stablehlo::MaxOp>([&](auto) -> Made { return known.larger(operands[0], operands[1]); })
      .Case<stablehlo::MinOp>([&](auto) -> Made { return known.smaller(operands[0], operands[1]); })
      .Case<stablehlo::ClampOp>([&](auto) -> Made {
        return known.smaller(known.larger(operands[1], operands[0]), operands[2]);
      })
      .Case<stablehlo::NegOp>([&](auto) -> Made { return zero - operands[0]; })
      .Case<stablehlo::AbsOp>([&](auto) {
        return known.isAtLeastZero(operands[0]) == true ? Made(operands[0]) : Made();
      })
      .Case<stablehlo::SignOp>([&](auto) -> Made {
        if (known.isAtLeastZero(operands[0] - 1) == true) {
          return one;
        }
        auto constant = operands[0].constant();
        bool isNegative = known.isAtLeastZero(operands[0]) == false;
        return isNegative ? Made(SizeExpression(-1)) : constant == int64_t(0) ? Made(zero) : Made();
      })
      .Case<stablehlo::CompareOp>([&](auto) { return compare(op, operands); })
      .Case<stablehlo::NotOp>([&](auto) -> Made {
        auto a = operands[0].constant();
        return isTruth && a ? Made(one - *a) : Made();
      })
      .Case<stablehlo::ConvertOp>([&](auto) {
        // What is a truth or a number of 8 or 16 bits may lose digits.
        Type type = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
        return type.isInteger(32) || type.isInteger(64) ? Made(operands[0]) : Made();
      })
      .Default([](auto) { return Made(); });
}

// Of truths and choices one operand may be enough.
std::optional<SizeExpression> SizeAnalysis::computeChoice(Operation *op) {
  auto numberOf = [&](unsigned i) -> std::optional<SizeExpression> {
    const Sizes *found = numbersOf(op->getOperand(i));
    return found && found->size() == 1 ? std::optional(found->front()) : std::nullopt;
  };
  auto truthOf = [&](unsigned i) {
    std::optional<SizeExpression> number = numberOf(i);
    return number ? number->constant() : std::nullopt;
  };
  if (isa<stablehlo::SelectOp>(op)) {
    std::optional<int64_t> chosen = truthOf(0);
    std::optional<SizeExpression> yes = numberOf(1), no = numberOf(2);
    bool isSame = yes && no && *yes == *no;
    return isSame ? yes : chosen ? (*chosen != 0 ? yes : no) : std::nullopt;
  }
  std::optional<int64_t> a = truthOf(0), b = truthOf(1);
  int64_t decisive = isa<stablehlo::OrOp>(op) ? 1 : 0;
  if (a == decisive || b == decisive) {
    return SizeExpression(decisive);
  }
  return a && b ? std::optional(SizeExpression(1 - decisive)) : std::nullopt;
}

static bool holdsNumbers(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getElementType().isIntOrIndex() &&
         type.getNumElements() <= maxNumbers;
}

// Of a vector or scalar of sizes, with the initial value.
static std::optional<SizeExpression> reduced(stablehlo::ReduceOp op, const Sizes &elements,
                                             const SizeExpression &initial) {
  std::optional<Reducer> reducer = knownReducer(op.getBody());
  if (!reducer || (*reducer != Reducer::Add && *reducer != Reducer::Multiply)) {
    return std::nullopt;
  }
  SizeExpression made = initial;
  for (const SizeExpression &each : elements) {
    made = *reducer == Reducer::Add ? made + each : made * each;
  }
  return made;
}

std::optional<Sizes> SizeAnalysis::computeNumbers(Operation *op) {
  bool isOne = op->getNumResults() == 1 && holdsNumbers(op->getResult(0));
  if (!isOne) {
    return std::nullopt;
  }
  if (auto size = dyn_cast<stablehlo::GetDimensionSizeOp>(op)) {
    return Sizes{sizes[size.getOperand()][static_cast<size_t>(size.getDimension())]};
  }
  if (auto constants = stablehlo::constantIntegers(op->getResult(0))) {
    return Sizes(constants->begin(), constants->end());
  }
  bool isTruth = cast<RankedTensorType>(op->getResult(0).getType()).getElementType().isInteger(1);
  bool isScalar = elementsOf(op->getResult(0)) == 1;
  if (isScalar &&
      (isa<stablehlo::SelectOp>(op) || (isTruth && isa<stablehlo::AndOp, stablehlo::OrOp>(op)))) {
    std::optional<SizeExpression> made = computeChoice(op);
    return made ? std::optional(Sizes{*made}) : std::nullopt;
  }
  std::vector<const Sizes *> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(numbersOf(operand));
    if (!operands.back()) {
      return std::nullopt;
    }
  }
  if (operands.empty()) {
    return std::nullopt;
  }
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto count = static_cast<size_t>(type.getNumElements());
  if (isa<stablehlo::ReshapeOp, stablehlo::OptimizationBarrierOp>(op)) {
    return *operands.front();
  }
  if (isa<stablehlo::BroadcastInDimOp>(op) && operands.front()->size() == 1) {
    return Sizes(count, operands.front()->front());
  }
  if (isa<stablehlo::ConcatenateOp>(op) && type.getRank() == 1) {
    Sizes joined;
    for (const Sizes *each : operands) {
      joined.insert(joined.end(), each->begin(), each->end());
    }
    return joined;
  }
  if (auto slice = dyn_cast<stablehlo::SliceOp>(op); slice && type.getRank() == 1) {
    Sizes made;
    for (int64_t i = slice.getStartIndices()[0]; i < slice.getLimitIndices()[0];
         i += slice.getStrides()[0]) {
      made.push_back((*operands.front())[static_cast<size_t>(i)]);
    }
    return made;
  }
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op);
      reduce && type.getRank() == 0 && operands.size() == 2) {
    auto made = reduced(reduce, *operands[0], operands[1]->front());
    return made ? std::optional(Sizes{*made}) : std::nullopt;
  }
  Sizes made;
  for (size_t i = 0; i < count; ++i) {
    Sizes at;
    for (const Sizes *each : operands) {
      at.push_back((*each)[each->size() == 1 ? 0 : i]);
    }
    std::optional<SizeExpression> number = computeNumber(op, at);
    if (!number || !number->isValid()) {
      return std::nullopt;
    }
    made.push_back(*number);
  }
  return made;
}

} // namespace drumlin
