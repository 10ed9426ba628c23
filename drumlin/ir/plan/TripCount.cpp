#include "drumlin/ir/plan/TripCount.h"

#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/CopyOp.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/LoopOp.h"
#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/AndOp.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/MaxOp.h"
#include "drumlin/ir/stablehlo/MinOp.h"
#include "drumlin/ir/stablehlo/MulOp.h"
#include "drumlin/ir/stablehlo/NotOp.h"
#include "drumlin/ir/stablehlo/OrOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/SelectOp.h"
#include "drumlin/ir/stablehlo/SubtractOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace drumlin {

// Maximum number of evaluated values per loop, over all steps that must be simulated.
static constexpr int64_t maxEvaluations = 1 << 18;
// Maximum number of operations between a loop's counter and its condition.
static constexpr int maxDepth = 64;

using Number = std::optional<int64_t>;

namespace {
// Describes where the values of a block's arguments come from.
struct Scope {
  Block *block = nullptr;
  ValueRange inputs;            // inputs of the kernel with the region
  const Scope *outer = nullptr; // scope in which the inputs are defined
};

class ScalarEvaluator {
public:
  // Current values of the loop's carried scalar integers. `wanted` lists the carried values on
  // which the condition depends.
  llvm::MapVector<unsigned, Number> carried;
  SetVector<unsigned> wanted;
  stablehlo::WhileOp loop;

  // Counts an evaluation. Returns whether the limit permits it.
  bool spend() { return ++evaluations <= maxEvaluations; }

  Number evaluate(Value value, const Scope *scope, int depth = 0) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    bool isInteger = type && type.getElementType().isIntOrIndex() &&
                     type.getElementTypeBitWidth() <= 64 && type.getNumElements() == 1;
    if (!isInteger || depth > maxDepth || !spend()) {
      return std::nullopt;
    }
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      return evaluateArgument(argument, scope, depth);
    }
    Number made = evaluateOperation(value.getDefiningOp(), value, scope, depth + 1);
    return made ? Number(wrap(*made, type.getElementType())) : made;
  }

  plan::KernelOp kernelOf(plan::LaunchOp launch) {
    auto [entry, isNew] = kernels.try_emplace(launch);
    if (isNew) {
      entry->second =
          SymbolTable::lookupNearestSymbolFrom<plan::KernelOp>(launch, launch.getKernelAttr());
    }
    return entry->second;
  }

private:
  llvm::DenseMap<Operation *, plan::KernelOp> kernels;
  int64_t evaluations = 0;

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
    // If the body of an enclosing loop passes on a carried value unchanged, the carried value is
    // equal to its initial value at every step.
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
          plan::KernelOp kernel = kernelOf(launch);
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

//===-- counters with a constant increment ----------------------------------------------------===//

namespace {
// A linear function of the step: base + slope * step, in integers without wrap-around.
struct Line {
  int64_t base = 0, slope = 0;
  bool operator==(const Line &) const = default;
};

// Evaluates values as linear functions of the step.
class LineEvaluator {
public:
  LineEvaluator(stablehlo::WhileOp loop, ScalarEvaluator &scalars) : loop(loop), scalars(scalars) {}

  llvm::DenseMap<unsigned, Line> carried;

  std::optional<Line> evaluate(Value value, const Scope *scope, int depth = 0) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    bool isInteger = type && type.getElementType().isInteger() &&
                     type.getElementTypeBitWidth() <= 64 && type.getNumElements() == 1;
    if (!isInteger || depth > maxDepth || !scalars.spend()) {
      return std::nullopt;
    }
    std::optional<Line> line = evaluateOne(value, scope, depth);
    if (line) {
      seen.push_back({*line, type.getElementType()});
    }
    return line;
  }

  // Returns the first step at which `condition`, a comparison, is false; nothing if this is
  // unknown.
  std::optional<int64_t> firstStepWithout(Value condition, const Scope *scope, int depth = 0) {
    Operation *op = condition.getDefiningOp();
    if (!op || depth > maxDepth) {
      return std::nullopt;
    }
    if (std::optional<std::pair<Value, Scope>> inner = enter(op, condition, scope)) {
      return firstStepWithout(inner->first, &inner->second, depth + 1);
    }
    auto compare = dyn_cast<stablehlo::CompareOp>(op);
    std::optional<Line> lhs, rhs;
    if (compare) {
      lhs = evaluate(compare.getLhs(), scope, depth + 1);
      rhs = evaluate(compare.getRhs(), scope, depth + 1);
    }
    int64_t base = 0, slope = 0;
    if (!lhs || !rhs || llvm::SubOverflow(lhs->base, rhs->base, base) ||
        llvm::SubOverflow(lhs->slope, rhs->slope, slope)) {
      return std::nullopt;
    }
    return firstStepWithout(compare.getComparisonDirection(), base, slope);
  }

  // Whether none of the evaluated values wraps around within `steps` steps.
  bool staysInRange(int64_t steps) const {
    return llvm::all_of(seen, [&](const auto &entry) {
      auto [line, type] = entry;
      int64_t last = 0;
      if (llvm::MulOverflow(line.slope, steps, last) || llvm::AddOverflow(line.base, last, last)) {
        return false;
      }
      unsigned bits = type.getIntOrFloatBitWidth();
      bool isUnsigned = type.isUnsignedInteger() || bits == 1;
      auto fits = [&](int64_t number) {
        return isUnsigned ? number >= 0 &&
                                (bits == 64 || llvm::isUIntN(bits, static_cast<uint64_t>(number)))
                          : llvm::isIntN(bits, number);
      };
      return fits(line.base) && fits(last);
    });
  }

private:
  // If `op` is a kernel or a launch, returns the value in the kernel's region that becomes its
  // result `value`, and the scope of the region.
  std::optional<std::pair<Value, Scope>> enter(Operation *op, Value value, const Scope *scope) {
    Operation *kernel = isa<plan::LoopOp>(op) ? op : nullptr;
    if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
      kernel = scalars.kernelOf(launch);
    }
    if (!kernel) {
      return std::nullopt;
    }
    Block &block = kernel->getRegion(0).front();
    unsigned number = cast<OpResult>(value).getResultNumber();
    return std::pair(block.getTerminator()->getOperand(number),
                     Scope{&block, op->getOperands(), scope});
  }

  std::optional<Line> evaluateOne(Value value, const Scope *scope, int depth) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner()->getParentOp() == loop.getOperation()) {
        auto found = carried.find(argument.getArgNumber());
        return found == carried.end() ? std::nullopt : std::optional(found->second);
      }
      if (scope && scope->block == argument.getOwner()) {
        return evaluate(scope->inputs[argument.getArgNumber()], scope->outer, depth + 1);
      }
      return constant(value, scope);
    }
    Operation *op = value.getDefiningOp();
    if (std::optional<std::pair<Value, Scope>> inner = enter(op, value, scope)) {
      return evaluate(inner->first, &inner->second, depth + 1);
    }
    if (isa<stablehlo::ConvertOp, stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp,
            plan::BitcastOp, plan::CopyOp>(op)) {
      return evaluate(op->getOperand(0), scope, depth + 1);
    }
    if (!isa<stablehlo::AddOp, stablehlo::SubtractOp, stablehlo::MulOp>(op)) {
      return isa<stablehlo::ConstantOp>(op) ? constant(value, scope) : std::nullopt;
    }
    std::optional<Line> x = evaluate(op->getOperand(0), scope, depth + 1);
    std::optional<Line> y = x ? evaluate(op->getOperand(1), scope, depth + 1) : std::nullopt;
    Line made;
    bool overflows = false;
    if (!y) {
      return std::nullopt;
    }
    if (isa<stablehlo::AddOp>(op)) {
      overflows = llvm::AddOverflow(x->base, y->base, made.base) ||
                  llvm::AddOverflow(x->slope, y->slope, made.slope);
    } else if (isa<stablehlo::SubtractOp>(op)) {
      overflows = llvm::SubOverflow(x->base, y->base, made.base) ||
                  llvm::SubOverflow(x->slope, y->slope, made.slope);
    } else {
      if (x->slope != 0) {
        std::swap(x, y);
      }
      overflows = x->slope != 0 || llvm::MulOverflow(x->base, y->base, made.base) ||
                  llvm::MulOverflow(x->base, y->slope, made.slope);
    }
    return overflows ? std::nullopt : std::optional(made);
  }

  // Returns a value that does not depend on the step as a linear function of slope 0.
  std::optional<Line> constant(Value value, const Scope *scope) {
    Number number = scalars.evaluate(value, scope);
    return number ? std::optional(Line{*number, 0}) : std::nullopt;
  }

  // Returns the first step at which the comparison of base + slope * step with zero is false.
  static std::optional<int64_t> firstStepWithout(stablehlo::ComparisonDirection direction,
                                                 int64_t base, int64_t slope) {
    using Direction = stablehlo::ComparisonDirection;
    constexpr int64_t least = std::numeric_limits<int64_t>::min();
    if (base == least || slope == least) {
      return std::nullopt;
    }
    switch (direction) {
    case Direction::GT:
      return firstStepWithout(Direction::LT, -base, -slope);
    case Direction::GE:
      return firstStepWithout(Direction::LE, -base, -slope);
    case Direction::LT:
      return base >= 0   ? std::optional<int64_t>(0)
             : slope > 0 ? std::optional(llvm::divideCeilSigned(-base, slope))
                         : std::nullopt;
    case Direction::LE:
      return base > 0    ? std::optional<int64_t>(0)
             : slope > 0 ? std::optional(-base / slope + 1)
                         : std::nullopt;
    case Direction::NE:
      return base == 0 ? std::optional<int64_t>(0)
             : slope != 0 && base % slope == 0 && -(base / slope) > 0
                 ? std::optional(-(base / slope))
                 : std::nullopt;
    case Direction::EQ:
      return base != 0    ? std::optional<int64_t>(0)
             : slope != 0 ? std::optional<int64_t>(1)
                          : std::nullopt;
    }
    llvm_unreachable("every direction is handled above");
  }

  stablehlo::WhileOp loop;
  ScalarEvaluator &scalars;
  SmallVector<std::pair<Line, Type>> seen;
};
} // namespace

// Returns the trip count of a loop whose condition compares values that change by a constant at
// each step. The first step determines the constants. The body must then map these linear functions
// of the step to their values at the next step.
static std::optional<int64_t> evenTripCount(stablehlo::WhileOp loop, ScalarEvaluator &scalars) {
  Value condition = loop.getCond().front().getTerminator()->getOperand(0);
  Operation *yield = loop.getBody().front().getTerminator();
  LineEvaluator lines(loop, scalars);
  for (size_t i = 0; i < scalars.wanted.size(); ++i) {
    unsigned number = scalars.wanted[i];
    Number first = scalars.carried.lookup(number);
    Number second = scalars.evaluate(yield->getOperand(number), nullptr);
    Line &line = lines.carried[number];
    if (!first || !second || llvm::SubOverflow(*second, *first, line.slope)) {
      return std::nullopt;
    }
    line.base = *first;
  }
  for (auto [number, line] : lines.carried) {
    std::optional<Line> next = lines.evaluate(yield->getOperand(number), nullptr);
    if (!next || next->slope != line.slope || next->base - line.base != line.slope) {
      return std::nullopt;
    }
  }
  std::optional<int64_t> steps = lines.firstStepWithout(condition, nullptr);
  return steps && lines.staysInRange(*steps) ? steps : std::nullopt;
}

std::optional<int64_t> tripCount(stablehlo::WhileOp loop) {
  ScalarEvaluator evaluator;
  for (unsigned i = 0; i < loop->getNumOperands(); ++i) {
    evaluator.carried[i] = evaluator.evaluate(loop->getOperand(i), nullptr);
  }
  evaluator.loop = loop;
  Value condition = loop.getCond().front().getTerminator()->getOperand(0);
  Operation *yield = loop.getBody().front().getTerminator();
  for (int64_t steps = 0;; ++steps) {
    Number goesOn = evaluator.evaluate(condition, nullptr);
    if (!goesOn) {
      return std::nullopt;
    }
    if (std::optional<int64_t> all = steps == 0 ? evenTripCount(loop, evaluator) : std::nullopt) {
      return all;
    }
    if (*goesOn == 0) {
      return steps;
    }
    // Evaluating one carried value may add other carried values to `wanted`. Values that are not in
    // `wanted` are dropped.
    llvm::MapVector<unsigned, Number> next;
    for (size_t i = 0; i < evaluator.wanted.size(); ++i) {
      unsigned number = evaluator.wanted[i];
      next[number] = evaluator.evaluate(yield->getOperand(number), nullptr);
    }
    evaluator.carried = std::move(next);
  }
}

} // namespace drumlin
