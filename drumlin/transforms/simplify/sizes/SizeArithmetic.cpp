// Computes the integers that programs derive from sizes.
#include "drumlin/transforms/simplify/sizes/SizeAnalysis.h"

#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

// Maximum elements of a tensor of sizes: far above the rank of any shape.
static constexpr int64_t maxNumbers = 256;

// Return truth values that depend on symbols, as expressions that are 0 or 1.
static SizeExpression isAtLeastZero(const SizeFacts &facts, const SizeExpression &size) {
  return facts.smaller(facts.larger(size + 1, SizeExpression()), SizeExpression(1));
}
static SizeExpression isNotZero(const SizeFacts &facts, const SizeExpression &size) {
  return facts.smaller(facts.larger(size, SizeExpression() - size), SizeExpression(1));
}

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
  const SizeExpression one(1);
  auto truth = [&](std::optional<bool> value, const SizeExpression &size) {
    return value ? *number(value) : isAtLeastZero(known, size);
  };
  switch (cast<stablehlo::CompareOp>(op).getComparisonDirection()) {
  case ComparisonDirection::EQ:
    return isEqual ? number(isEqual) : one - isNotZero(known, difference);
  case ComparisonDirection::NE:
    return isEqual ? number(negated(isEqual)) : isNotZero(known, difference);
  case ComparisonDirection::GE:
    return truth(atLeast(difference), difference);
  case ComparisonDirection::GT:
    return truth(atLeast(difference - 1), difference - 1);
  case ComparisonDirection::LE:
    return one - truth(atLeast(difference - 1), difference - 1);
  case ComparisonDirection::LT:
    return one - truth(atLeast(difference), difference);
  }
  return std::nullopt;
}

static SizeExpression signOf(const SizeFacts &facts, const SizeExpression &size) {
  return facts.smaller(facts.larger(size, SizeExpression(-1)), SizeExpression(1));
}

// Returns the quotient of an integer division, which rounds toward zero. If neither operand is
// negative, the quotient is rounded down; otherwise its magnitude is rounded down.
static std::optional<SizeExpression> dividedTowardZero(const SizeFacts &facts,
                                                       ArrayRef<SizeExpression> operands) {
  const SizeExpression &dividend = operands[0], &divisor = operands[1], zero;
  if (facts.isAtLeastZero(divisor - 1) != true) {
    return std::nullopt;
  }
  if (facts.isAtLeastZero(dividend) == true) {
    return dividend.quotient(divisor);
  }
  SizeExpression magnitude = zero - dividend;
  if (facts.isAtLeastZero(magnitude) == true) {
    return zero - magnitude.quotient(divisor);
  }
  // One of the two quotients is zero: max(dividend, 0) or max(-dividend, 0) is.
  return facts.larger(dividend, zero).quotient(divisor) -
         facts.larger(magnitude, zero).quotient(divisor);
}

static std::optional<SizeExpression> remainderTowardZero(const SizeFacts &facts,
                                                         ArrayRef<SizeExpression> operands) {
  std::optional<SizeExpression> quotient = dividedTowardZero(facts, operands);
  return quotient ? std::optional(operands[0] - *quotient * operands[1]) : std::nullopt;
}

// Returns the quotient rounded down, simplified if it is constant for all sizes.
static SizeExpression dividedDown(const SizeFacts &facts, const SizeExpression &dividend,
                                  const SizeExpression &divisor) {
  auto isWithin = [&](const SizeExpression &rest) {
    return facts.isAtLeastZero(rest) == true && facts.isAtLeastZero(divisor - rest - 1) == true;
  };
  return isWithin(dividend)             ? SizeExpression(0)
         : isWithin(dividend + divisor) ? SizeExpression(-1)
                                        : dividend.quotient(divisor);
}

// Recognizes two selects. Programs write floor division as select(the signs of a and b differ and a
// isn't a multiple of b, a / b - 1, a / b), and its remainder as select(…, a % b + b, a % b).
static std::optional<SizeExpression>
roundedDown(const SizeFacts &facts, Operation *op, ArrayRef<SizeExpression> operands,
            const SizeExpression &condition, const SizeExpression &yes, const SizeExpression &no) {
  const SizeExpression &dividend = operands[0], &divisor = operands[1];
  std::optional<SizeExpression> rest = remainderTowardZero(facts, operands);
  if (!rest || facts.isAtLeastZero(dividend) == true) {
    return std::nullopt;
  }
  // The condition has two forms: the remainder is negative; or the remainder is nonzero and the
  // dividend is negative.
  const SizeExpression one(1);
  SizeExpression isInexact = isNotZero(facts, *rest);
  SizeExpression isNegative = one - isAtLeastZero(facts, *rest);
  SizeExpression signsDiffer = isNotZero(facts, signOf(facts, dividend) - one);
  bool isNeverPositive = facts.isAtLeastZero(SizeExpression() - dividend) == true;
  if (!(condition == isNegative) && !(condition == isInexact * isNegative) &&
      !(condition == signsDiffer * isInexact) && !(isNeverPositive && condition == isInexact)) {
    return std::nullopt;
  }
  SizeExpression quotient = dividedDown(facts, dividend, divisor);
  if (isa<stablehlo::DivOp>(op)) {
    return yes == no - 1 ? std::optional(quotient) : std::nullopt;
  }
  return yes == no + divisor ? std::optional(dividend - quotient * divisor) : std::nullopt;
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
      .Case<stablehlo::DivOp>([&](auto) { return dividedTowardZero(known, operands); })
      .Case<stablehlo::RemOp>([&](auto) { return remainderTowardZero(known, operands); })
      .Case<stablehlo::MaxOp>([&](auto) -> Made { return known.larger(operands[0], operands[1]); })
      .Case<stablehlo::MinOp>([&](auto) -> Made { return known.smaller(operands[0], operands[1]); })
      .Case<stablehlo::ClampOp>([&](auto) -> Made {
        return known.smaller(known.larger(operands[1], operands[0]), operands[2]);
      })
      .Case<stablehlo::NegOp>([&](auto) -> Made { return zero - operands[0]; })
      .Case<stablehlo::AbsOp>(
          [&](auto) -> Made { return known.larger(operands[0], zero - operands[0]); })
      .Case<stablehlo::SignOp>([&](auto) -> Made {
        if (known.isAtLeastZero(operands[0] - 1) == true) {
          return one;
        }
        bool isNegative = known.isAtLeastZero(operands[0]) == false;
        return isNegative ? SizeExpression(-1) : signOf(known, operands[0]);
      })
      .Case<stablehlo::CompareOp>([&](auto) { return compare(op, operands); })
      .Case<stablehlo::NotOp>([&](auto) { return isTruth ? Made(one - operands[0]) : Made(); })
      .Case<stablehlo::ConvertOp>([&](auto) {
        // Conversions to Booleans or to 8 or 16 bits may lose digits.
        Type type = cast<RankedTensorType>(op->getResult(0).getType()).getElementType();
        return type.isInteger(32) || type.isInteger(64) ? Made(operands[0]) : Made();
      })
      .Default([](auto) { return Made(); });
}

// For logical operations and selects, one known operand may determine the result.
std::optional<SizeExpression> SizeAnalysis::computeChoice(Operation *op) {
  auto numberOf = [&](Value value) -> std::optional<SizeExpression> {
    const Sizes *found = numbersOf(value);
    return found && found->size() == 1 ? std::optional(found->front()) : std::nullopt;
  };
  std::optional<SizeExpression> first = numberOf(op->getOperand(0));
  std::optional<SizeExpression> second = numberOf(op->getOperand(1));
  if (isa<stablehlo::SelectOp>(op)) {
    std::optional<int64_t> chosen = first ? first->constant() : std::nullopt;
    std::optional<SizeExpression> no = numberOf(op->getOperand(2));
    bool isSame = second && no && *second == *no;
    if (isSame || chosen) {
      return isSame || *chosen != 0 ? second : no;
    }
    if (!first || !second || !no) {
      return std::nullopt;
    }
    Operation *made = op->getOperand(2).getDefiningOp();
    if (isa_and_nonnull<stablehlo::DivOp, stablehlo::RemOp>(made)) {
      std::optional<SizeExpression> dividend = numberOf(made->getOperand(0)),
                                    divisor = numberOf(made->getOperand(1));
      auto rounded = dividend && divisor
                         ? roundedDown(known, made, {*dividend, *divisor}, *first, *second, *no)
                         : std::nullopt;
      if (rounded) {
        return rounded;
      }
    }
    return *no + *first * (*second - *no);
  }
  bool isOr = isa<stablehlo::OrOp>(op);
  int64_t decisive = isOr ? 1 : 0;
  if ((first && first->constant() == decisive) || (second && second->constant() == decisive)) {
    return SizeExpression(decisive);
  }
  if (!first || !second) {
    return std::nullopt;
  }
  SizeExpression product = *first * *second;
  return isOr ? *first + *second - product : product;
}

static bool holdsNumbers(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.hasStaticShape() && type.getElementType().isIntOrIndex() &&
         type.getNumElements() <= maxNumbers;
}

// Returns the reduction of a vector or scalar of sizes, with the initial value.
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
  // Along the outermost dimension, the elements of the operands follow each other.
  if (auto concatenate = dyn_cast<stablehlo::ConcatenateOp>(op);
      concatenate && concatenate.getDimension() == 0) {
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
