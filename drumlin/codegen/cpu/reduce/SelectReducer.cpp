#include "drumlin/codegen/cpu/reduce/SelectReducer.h"

#include "drumlin/ir/stablehlo/AndOp.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/NotOp.h"
#include "drumlin/ir/stablehlo/OrOp.h"
#include "drumlin/ir/stablehlo/SelectOp.h"
#include "drumlin/ir/stablehlo/XorOp.h"

using namespace llvm;

namespace drumlin::codegen {

static ElementType typeOf(mlir::Value value) {
  return elementTypeOf(mlir::getElementTypeOrSelf(value.getType()));
}

namespace {
// One of the ways in which two (value, position) pairs can compare.
struct Relation {
  int values = 0;    // -1: the first value is smaller; 0: equal; 1: it is larger
  int positions = 0; // the positions, compared in the same way
  bool firstIsNan = false, secondIsNan = false;
};
} // namespace

// The body's arguments: the first pair, then the second pair.
enum class Argument : uint8_t { FirstValue, FirstPosition, SecondValue, SecondPosition };

static bool holds(stablehlo::ComparisonDirection direction, int order) {
  using Direction = stablehlo::ComparisonDirection;
  switch (direction) {
  case Direction::EQ:
    return order == 0;
  case Direction::NE:
    return order != 0;
  case Direction::LT:
    return order < 0;
  case Direction::LE:
    return order <= 0;
  case Direction::GT:
    return order > 0;
  case Direction::GE:
    return order >= 0;
  }
  llvm_unreachable("every direction is handled above");
}

namespace {
// Evaluates the body for one way in which two pairs can compare. Only handles bodies in which each
// value is a boolean or one of the body's arguments.
class BodyEvaluation {
public:
  BodyEvaluation(mlir::Block &body, const Relation &relation) : body(body), relation(relation) {}

  // Returns the two arguments that the body returns; nullopt if the body does anything else.
  std::optional<std::array<Argument, 2>> run() {
    for (auto [i, argument] : enumerate(body.getArguments())) {
      arguments[argument] = static_cast<Argument>(i);
    }
    for (mlir::Operation &op : body.without_terminator()) {
      if (!evaluate(op)) {
        return std::nullopt;
      }
    }
    std::array<Argument, 2> chosen{};
    for (auto [i, value] : enumerate(body.getTerminator()->getOperands())) {
      auto found = arguments.find(value);
      if (found == arguments.end()) {
        return std::nullopt;
      }
      chosen[i] = found->second;
    }
    return chosen;
  }

private:
  bool evaluate(mlir::Operation &op) {
    if (auto compare = dyn_cast<stablehlo::CompareOp>(op)) {
      return evaluateCompare(compare);
    }
    if (auto select = dyn_cast<stablehlo::SelectOp>(op)) {
      auto which = truths.find(select.getPred());
      if (which == truths.end()) {
        return false;
      }
      mlir::Value taken = which->second ? select.getOnTrue() : select.getOnFalse();
      if (auto found = arguments.find(taken); found != arguments.end()) {
        Argument value = found->second;
        arguments[op.getResult(0)] = value;
        return true;
      }
      auto found = truths.find(taken);
      if (found == truths.end()) {
        return false;
      }
      bool truth = found->second;
      truths[op.getResult(0)] = truth;
      return true;
    }
    SmallVector<bool> operands;
    for (mlir::Value operand : op.getOperands()) {
      auto found = truths.find(operand);
      if (found == truths.end()) {
        return false;
      }
      operands.push_back(found->second);
    }
    bool truth = false;
    if (isa<stablehlo::AndOp>(op)) {
      truth = operands[0] && operands[1];
    } else if (isa<stablehlo::OrOp>(op)) {
      truth = operands[0] || operands[1];
    } else if (isa<stablehlo::XorOp>(op)) {
      truth = operands[0] != operands[1];
    } else if (isa<stablehlo::NotOp>(op)) {
      truth = !operands[0];
    } else {
      return false;
    }
    truths[op.getResult(0)] = truth;
    return true;
  }

  bool evaluateCompare(stablehlo::CompareOp compare) {
    auto left = arguments.find(compare.getLhs()), right = arguments.find(compare.getRhs());
    if (left == arguments.end() || right == arguments.end() ||
        compare.compareTypeOrDefault() == stablehlo::ComparisonType::TOTALORDER) {
      return false;
    }
    Argument x = left->second, y = right->second;
    auto isValue = [](Argument argument) {
      return argument == Argument::FirstValue || argument == Argument::SecondValue;
    };
    auto isFirst = [](Argument argument) {
      return argument == Argument::FirstValue || argument == Argument::FirstPosition;
    };
    if (isValue(x) != isValue(y)) {
      return false;
    }
    int order = isValue(x) ? relation.values : relation.positions;
    order = x == y ? 0 : isFirst(x) ? order : -order;
    auto isNan = [&](Argument argument) {
      return isValue(argument) && (isFirst(argument) ? relation.firstIsNan : relation.secondIsNan);
    };
    bool unordered = isNan(x) || isNan(y);
    bool isUnequal = compare.getComparisonDirection() == stablehlo::ComparisonDirection::NE;
    truths[compare.getResult()] =
        unordered ? isUnequal : holds(compare.getComparisonDirection(), order);
    return true;
  }

  mlir::Block &body;
  const Relation &relation;
  DenseMap<mlir::Value, Argument> arguments;
  DenseMap<mlir::Value, bool> truths;
};
} // namespace

// Returns whether, for pairs that compare as in `relation`, the body makes the selection that
// SelectReducer describes; `larger`: it selects the larger value.
static bool selectsAs(mlir::Block &body, const Relation &relation, bool larger) {
  std::optional<std::array<Argument, 2>> chosen = BodyEvaluation(body, relation).run();
  if (!chosen) {
    return false;
  }
  bool firstValue = (*chosen)[0] == Argument::FirstValue;
  bool firstPosition = (*chosen)[1] == Argument::FirstPosition;
  if ((!firstValue && (*chosen)[0] != Argument::SecondValue) ||
      (!firstPosition && (*chosen)[1] != Argument::SecondPosition)) {
    return false;
  }
  if (relation.firstIsNan && relation.secondIsNan) {
    return firstPosition || relation.positions >= 0;
  }
  if (relation.firstIsNan || relation.secondIsNan) {
    return firstValue == relation.firstIsNan && firstPosition == relation.firstIsNan;
  }
  if (relation.values == 0) {
    return relation.positions == 0 || firstPosition == (relation.positions < 0);
  }
  bool firstWins = (relation.values > 0) == larger;
  return firstValue == firstWins && firstPosition == firstWins;
}

std::optional<SelectReducer> selectReducer(mlir::Region &region) {
  if (!region.hasOneBlock() || region.front().getNumArguments() != 4 ||
      region.front().getTerminator()->getNumOperands() != 2) {
    return std::nullopt;
  }
  mlir::Block &body = region.front();
  SelectReducer reducer;
  reducer.value = typeOf(body.getArgument(0));
  reducer.position = typeOf(body.getArgument(1));
  auto isOrdered = [](ElementType type) {
    return isFloat(type) || (isInteger(type) && !isBoolean(type));
  };
  if (!isOrdered(reducer.value) || !isInteger(reducer.position) || isBoolean(reducer.position)) {
    return std::nullopt;
  }
  SmallVector<Relation> relations;
  for (int positions : {-1, 0, 1}) {
    for (int values : {-1, 0, 1}) {
      relations.push_back({values, positions, false, false});
    }
    if (isFloat(reducer.value)) {
      relations.push_back({0, positions, true, false});
      relations.push_back({0, positions, false, true});
      relations.push_back({0, positions, true, true});
    }
  }
  for (bool larger : {true, false}) {
    if (all_of(relations,
               [&](const Relation &relation) { return selectsAs(body, relation, larger); })) {
      reducer.larger = larger;
      return reducer;
    }
  }
  return std::nullopt;
}

SelectedPair combineSelected(IRBuilder<> &b, const SelectReducer &reducer, const SelectedPair &x,
                             const SelectedPair &y) {
  Value *isLower =
      isSigned(reducer.position) ? b.CreateICmpSLT(y[1], x[1]) : b.CreateICmpULT(y[1], x[1]);
  Value *wins, *ties;
  if (isFloat(reducer.value)) {
    wins = reducer.larger ? b.CreateFCmpOGT(y[0], x[0]) : b.CreateFCmpOLT(y[0], x[0]);
    ties = b.CreateFCmpOEQ(y[0], x[0]);
    Value *yIsNan = b.CreateFCmpUNO(y[0], y[0]), *xIsNan = b.CreateFCmpUNO(x[0], x[0]);
    wins = b.CreateOr(wins, b.CreateAnd(yIsNan, b.CreateNot(xIsNan)));
    ties = b.CreateOr(ties, b.CreateAnd(yIsNan, xIsNan));
  } else {
    CmpInst::Predicate above = isSigned(reducer.value) ? CmpInst::ICMP_SGT : CmpInst::ICMP_UGT;
    wins = reducer.larger ? b.CreateICmp(above, y[0], x[0]) : b.CreateICmp(above, x[0], y[0]);
    ties = b.CreateICmpEQ(y[0], x[0]);
  }
  Value *takesY = b.CreateOr(wins, b.CreateAnd(ties, isLower));
  return {b.CreateSelect(takesY, y[0], x[0]), b.CreateSelect(takesY, y[1], x[1])};
}

SelectedPair combineSelectedLanes(IRBuilder<> &b, const SelectReducer &reducer, SelectedPair pair) {
  for (unsigned width = cast<FixedVectorType>(pair[0]->getType())->getNumElements() / 2; width > 0;
       width /= 2) {
    SmallVector<int> low, high;
    for (unsigned lane = 0; lane < width; ++lane) {
      low.push_back(static_cast<int>(lane));
      high.push_back(static_cast<int>(lane + width));
    }
    SelectedPair x = {b.CreateShuffleVector(pair[0], low), b.CreateShuffleVector(pair[1], low)};
    SelectedPair y = {b.CreateShuffleVector(pair[0], high), b.CreateShuffleVector(pair[1], high)};
    pair = combineSelected(b, reducer, x, y);
  }
  return {b.CreateExtractElement(pair[0], uint64_t(0)),
          b.CreateExtractElement(pair[1], uint64_t(0))};
}

} // namespace drumlin::codegen
