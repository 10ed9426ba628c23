#include "drumlin/transforms/simplify/sizes/SizeAnalysis.h"

#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/stablehlo/AndOp.h"
#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/CustomCallOp.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

using namespace mlir;

namespace drumlin {

using Outcome = SizeFacts::Outcome;

// Maximum number of restarts. Each restart learns a fact about a symbol, and programs reveal their
// facts in their first operations. After this many restarts, sizes are no longer simplified.
static constexpr int maxRestarts = 256;

const Sizes *SizeAnalysis::sizesOf(Value value) const {
  auto found = sizes.find(value);
  return found == sizes.end() ? nullptr : &found->second;
}

const Sizes *SizeAnalysis::numbersOf(Value value) const {
  auto found = numbers.find(value);
  return found == numbers.end() ? nullptr : &found->second;
}

SizeAnalysis::Step SizeAnalysis::fail(Operation *op, DiagnosticCode code, const std::string &what) {
  failure = diagnose(code, what, plan::sourceOf(op->getLoc()));
  return Step::Fail;
}

SizeAnalysis::Step SizeAnalysis::after(Outcome outcome, Operation *op, const std::string &what) {
  switch (outcome) {
  case Outcome::Known:
    return Step::Continue;
  case Outcome::News:
    return ++restarts <= maxRestarts ? Step::Restart : Step::Continue;
  case Outcome::Contradiction:
    return fail(op, errors::ProgramInvalid,
                "`" + op->getName().getStringRef().str() + "` requires " + what +
                    ", which no allowed sizes satisfy");
  }
  llvm_unreachable("every outcome is handled above");
}

SizeAnalysis::Step SizeAnalysis::require(Operation *op, const SizeExpression &zero,
                                         const std::string &what) {
  return after(known.requireZero(zero), op, what);
}

SizeAnalysis::Step SizeAnalysis::requireSame(Operation *op, Value value, const Sizes &expected) {
  for (auto [size, other] : llvm::zip(sizes[value], expected)) {
    Step step = require(op, size - other, size.str() + " = " + other.str());
    if (step != Step::Continue) {
      return step;
    }
  }
  return Step::Continue;
}

// Adds a symbol for each dynamic dimension of an argument's type. The symbol is named after the
// argument, and a bound of the dimension is its maximum.
void SizeAnalysis::addArguments() {
  for (BlockArgument argument : main.getArguments()) {
    Sizes made;
    if (auto type = dyn_cast<RankedTensorType>(argument.getType())) {
      for (auto [d, size] : llvm::enumerate(type.getShape())) {
        int64_t bound = stablehlo::boundOf(type, static_cast<int64_t>(d));
        made.push_back(ShapedType::isDynamic(size)
                           ? known.addSymbol(argumentName(argument) + "_" + std::to_string(d),
                                             ShapedType::isDynamic(bound) ? maxSymbolValue : bound)
                           : SizeExpression(size));
      }
    }
    argumentSizes.push_back(std::move(made));
  }
}

Status SizeAnalysis::run() {
  addArguments();
  Step step = Step::Restart;
  while (step == Step::Restart) {
    sizes.clear();
    numbers.clear();
    for (auto [argument, made] : llvm::zip(main.getArguments(), argumentSizes)) {
      for (SizeExpression &size : made) {
        size = known.simplified(size);
      }
      sizes[argument] = made;
    }
    step = visit(main.getBody().front());
  }
  return step == Step::Fail ? Status(*failure) : Status(Done{});
}

SizeAnalysis::Step SizeAnalysis::visit(Block &block) {
  for (Operation &op : block) {
    Step step = visit(&op);
    if (step != Step::Continue) {
      return step;
    }
  }
  return Step::Continue;
}

SizeAnalysis::Step SizeAnalysis::define(Value value, Sizes expected) {
  auto type = cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  for (auto [size, given] : llvm::zip(expected, type.getShape())) {
    if (ShapedType::isDynamic(given)) {
      Outcome outcome = known.requireAtLeastZero(size);
      Step step = after(outcome, op, size.str() + " to be a size");
      if (step != Step::Continue) {
        return step;
      }
      continue;
    }
    Step step = require(op, size - given, size.str() + " = " + std::to_string(given));
    if (step != Step::Continue) {
      return step;
    }
    size = given;
  }
  sizes[value] = std::move(expected);
  return Step::Continue;
}

// Requires that a condition on sizes is true, which the program asserts. This limits the allowed
// calls.
SizeAnalysis::Step SizeAnalysis::requireTrue(Operation *op, Value condition) {
  const Sizes *value = numbersOf(condition);
  if (value && value->front().constant()) {
    return *value->front().constant() != 0
               ? Step::Continue
               : fail(op, errors::ProgramInvalid,
                      "asserts a condition that no allowed sizes satisfy");
  }
  Operation *made = condition.getDefiningOp();
  if (isa_and_nonnull<stablehlo::AndOp>(made)) {
    Step first = requireTrue(op, made->getOperand(0));
    return first == Step::Continue ? requireTrue(op, made->getOperand(1)) : first;
  }
  auto compared = dyn_cast_or_null<stablehlo::CompareOp>(made);
  const Sizes *left = compared ? numbersOf(compared.getLhs()) : nullptr;
  const Sizes *right = compared ? numbersOf(compared.getRhs()) : nullptr;
  if (!left || !right || left->size() != 1 || right->size() != 1) {
    return fail(op, errors::UnsupportedDynamicShape,
                "an assertion about values other than sizes isn't supported");
  }
  SizeExpression difference = left->front() - right->front();
  auto said = [&](const char *relation) {
    return left->front().str() + " " + relation + " " + right->front().str();
  };
  using stablehlo::ComparisonDirection;
  switch (compared.getComparisonDirection()) {
  case ComparisonDirection::EQ:
    return require(op, difference, said("="));
  case ComparisonDirection::GE:
    return after(known.requireAtLeastZero(difference), op, said(">="));
  case ComparisonDirection::GT:
    return after(known.requireAtLeastZero(difference - 1), op, said(">"));
  case ComparisonDirection::LE:
    return after(known.requireAtLeastZero(SizeExpression() - difference), op, said("<="));
  case ComparisonDirection::LT:
    return after(known.requireAtLeastZero(SizeExpression(-1) - difference), op, said("<"));
  case ComparisonDirection::NE:
    break;
  }
  return fail(op, errors::UnsupportedDynamicShape,
              "an assertion that sizes differ isn't supported: " + said("!="));
}

// Visits regions that compute tensors. Their arguments have the sizes of the operands, and their
// results have the sizes of the operation's results.
SizeAnalysis::Step SizeAnalysis::visitRegions(Operation *op) {
  bool isLoop = isa<stablehlo::WhileOp>(op);
  if (!isLoop && !isa<stablehlo::IfOp, stablehlo::CaseOp>(op)) {
    return Step::Continue;
  }
  for (Region &region : op->getRegions()) {
    for (auto [argument, operand] : llvm::zip(region.getArguments(), op->getOperands())) {
      Sizes given = sizes[operand];
      sizes[argument] = std::move(given);
    }
    Step step = visit(region.front());
    if (step != Step::Continue) {
      return step;
    }
  }
  Operation *last = op->getRegions().back().front().getTerminator();
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Sizes expected = isLoop ? sizes[op->getOperand(static_cast<unsigned>(i))]
                            : sizes[last->getOperand(static_cast<unsigned>(i))];
    for (Region &region : op->getRegions()) {
      Operation *end = region.front().getTerminator();
      bool isCondition = isLoop && region.getRegionNumber() == 0;
      if (isCondition) {
        continue;
      }
      Step step = requireSame(op, end->getOperand(static_cast<unsigned>(i)), expected);
      // Programs may change sizes in loops within bounds, but this analysis expresses sizes as
      // functions of the arguments' sizes.
      if (step == Step::Fail && isLoop) {
        return fail(op, errors::UnsupportedDynamicShape,
                    "a loop that changes the size of a carried value isn't supported");
      }
      if (step != Step::Continue) {
        return step;
      }
    }
    sizes[result] = std::move(expected);
  }
  return Step::Continue;
}

SizeAnalysis::Step SizeAnalysis::visit(Operation *op) {
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op);
      call && call.getCallTargetName() == shapeAssertion && call->getNumOperands() != 0) {
    return requireTrue(op, call.getOperand(0));
  }
  Step step = visitRegions(op);
  if (step != Step::Continue || op->getNumResults() == 0) {
    return step;
  }
  if (isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op)) {
    return Step::Continue;
  }
  bool isStatic = llvm::all_of(op->getResultTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || tensor.hasStaticShape();
  });
  step = requireOperands(op);
  if (step != Step::Continue) {
    return step;
  }
  auto made = resultSizes(op);
  if (!made && !isStatic) {
    return fail(op, errors::UnsupportedDynamicShape,
                "the sizes of the result of `" + op->getName().getStringRef().str() +
                    "` don't follow from the sizes of the arguments");
  }
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type) {
      continue;
    }
    step = made ? define(result, (*made)[i])
                : define(result, Sizes(type.getShape().begin(), type.getShape().end()));
    if (step != Step::Continue) {
      return step;
    }
  }
  if (auto computed = computeNumbers(op)) {
    numbers[op->getResult(0)] = std::move(*computed);
  }
  return Step::Continue;
}

} // namespace drumlin
