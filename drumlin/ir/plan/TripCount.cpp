#include "drumlin/ir/plan/TripCount.h"

#include "drumlin/ir/plan/PlanDialect.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

static constexpr int64_t mostSteps = 250'000;
// Operations between a loop's counter and what decides.
static constexpr int mostDepth = 64;

using Number = std::optional<int64_t>;

namespace {
// Where the arguments of a region get their values: from the operation around it, or from the loop.
struct Scope {
  Block *block = nullptr;
  ValueRange inputs;            // of a kernel
  const Scope *outer = nullptr; // where the inputs are defined
};

class ScalarEvaluator {
public:
  // The numbers of a loop's carried values; those that are asked for are entered.
  llvm::MapVector<unsigned, Number> carried;
  SetVector<unsigned> wanted;
  stablehlo::WhileOp loop;

  Number evaluate(Value value, const Scope *scope, int depth = 0) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    bool isInteger = type && type.getElementType().isIntOrIndex() &&
                     type.getElementTypeBitWidth() <= 64 && type.getNumElements() == 1;
    if (!isInteger || depth > mostDepth) {
      return std::nullopt;
    }
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      return evaluateArgument(argument, scope, depth);
    }
    Number made = evaluateOperation(value.getDefiningOp(), value, scope, depth + 1);
    return made ? Number(wrap(*made, type.getElementType())) : made;
  }

private:
  static int64_t wrap(int64_t number, Type type) {
    unsigned bits = type.getIntOrFloatBitWidth();
    APInt truncated = APInt(64, static_cast<uint64_t>(number)).trunc(bits);
    return type.isUnsignedInteger() || bits == 1 ? static_cast<int64_t>(truncated.getZExtValue())
                                                 : truncated.getSExtValue();
  }

  Number evaluateArgument(BlockArgument argument, const Scope *scope, int depth) {
    unsigned number = argument.getArgNumber();
    if (loop && argument.getOwner()->getParentOp() == loop.getOperation()) {
      wanted.insert(number);
      auto found = carried.find(number);
      return found == carried.end() ? std::nullopt : found->second;
    }
    if (scope && scope->block == argument.getOwner()) {
      return evaluate(scope->inputs[number], scope->outer, depth + 1);
    }
    // What a loop around leaves as it is has its initial value.
    auto around = dyn_cast<stablehlo::WhileOp>(argument.getOwner()->getParentOp());
    if (around && around.getBody().front().getTerminator()->getOperand(number) ==
                      around.getBody().front().getArgument(number)) {
      return evaluate(around->getOperand(number), nullptr, depth + 1);
    }
    return std::nullopt;
  }

  Number evaluateRegion(Block &block, Operation *op, Value value, const Scope *scope, int depth) {
    Scope inner{&block, op->getOperands(), scope};
    unsigned number = cast<OpResult>(value).getResultNumber();
    return evaluate(block.getTerminator()->getOperand(number), &inner, depth);
  }

  Number evaluateOperation(Operation *op, Value value, const Scope *scope, int depth) {
    auto at = [&](unsigned i) { return evaluate(op->getOperand(i), scope, depth); };
    auto binary = [&](auto function) -> Number {
      Number x = at(0), y = x ? at(1) : x;
      return x && y ? Number(function(*x, *y)) : std::nullopt;
    };
    auto wrapping = [&](auto function) {
      return binary([&](int64_t x, int64_t y) {
        return static_cast<int64_t>(function(static_cast<uint64_t>(x), static_cast<uint64_t>(y)));
      });
    };
    return llvm::TypeSwitch<Operation *, Number>(op)
        .Case<plan::LaunchOp>([&](plan::LaunchOp launch) -> Number {
          auto kernel =
              SymbolTable::lookupNearestSymbolFrom<plan::KernelOp>(launch, launch.getKernelAttr());
          return kernel ? evaluateRegion(kernel.getBody().front(), op, value, scope, depth)
                        : std::nullopt;
        })
        .Case<plan::LoopOp>([&](plan::LoopOp kernel) {
          return evaluateRegion(kernel.getBody().front(), op, value, scope, depth);
        })
        .Case<stablehlo::ConstantOp>([](stablehlo::ConstantOp constant) -> Number {
          auto elements = dyn_cast<DenseIntElementsAttr>(constant.getValue());
          if (!elements) {
            return std::nullopt;
          }
          APInt number = *elements.value_begin<APInt>();
          bool isSigned =
              !elements.getElementType().isUnsignedInteger() && number.getBitWidth() > 1;
          return isSigned ? number.getSExtValue() : static_cast<int64_t>(number.getZExtValue());
        })
        .Case<stablehlo::ConvertOp, stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp,
              plan::BitcastOp, plan::CopyOp>([&](auto) { return at(0); })
        .Case<stablehlo::AddOp>([&](auto) { return wrapping(std::plus<>()); })
        .Case<stablehlo::SubtractOp>([&](auto) { return wrapping(std::minus<>()); })
        .Case<stablehlo::MulOp>([&](auto) { return wrapping(std::multiplies<>()); })
        .Case<stablehlo::AndOp>([&](auto) { return wrapping(std::bit_and<>()); })
        .Case<stablehlo::OrOp>([&](auto) { return wrapping(std::bit_or<>()); })
        .Case<stablehlo::MinOp>(
            [&](auto) { return binary([](int64_t x, int64_t y) { return std::min(x, y); }); })
        .Case<stablehlo::MaxOp>(
            [&](auto) { return binary([](int64_t x, int64_t y) { return std::max(x, y); }); })
        .Case<stablehlo::NotOp>([&](auto) {
          Number x = at(0);
          return x ? Number(~*x) : x;
        })
        .Case<stablehlo::SelectOp>([&](auto) {
          Number which = at(0);
          return which ? at(*which ? 1 : 2) : which;
        })
        .Case<stablehlo::CompareOp>([&](stablehlo::CompareOp compare) {
          using Direction = stablehlo::ComparisonDirection;
          return binary([&](int64_t x, int64_t y) -> int64_t {
            switch (compare.getComparisonDirection()) {
            case Direction::EQ:
              return x == y;
            case Direction::NE:
              return x != y;
            case Direction::LT:
              return x < y;
            case Direction::LE:
              return x <= y;
            case Direction::GT:
              return x > y;
            case Direction::GE:
              return x >= y;
            }
            llvm_unreachable("every direction is handled above");
          });
        })
        .Default([](auto) -> Number { return std::nullopt; });
  }
};
} // namespace

std::optional<int64_t> tripCount(stablehlo::WhileOp loop) {
  ScalarEvaluator evaluator;
  for (unsigned i = 0; i < loop->getNumOperands(); ++i) {
    evaluator.carried[i] = evaluator.evaluate(loop->getOperand(i), nullptr);
  }
  evaluator.loop = loop;
  Value condition = loop.getCond().front().getTerminator()->getOperand(0);
  Operation *yield = loop.getBody().front().getTerminator();
  for (int64_t steps = 0; steps < mostSteps; ++steps) {
    Number goesOn = evaluator.evaluate(condition, nullptr);
    if (!goesOn) {
      return std::nullopt;
    }
    if (*goesOn == 0) {
      return steps;
    }
    // Asking for one may want more; the others are left out.
    llvm::MapVector<unsigned, Number> next;
    for (size_t i = 0; i < evaluator.wanted.size(); ++i) {
      unsigned number = evaluator.wanted[i];
      next[number] = evaluator.evaluate(yield->getOperand(number), nullptr);
    }
    evaluator.carried = std::move(next);
  }
  return std::nullopt;
}

} // namespace drumlin
