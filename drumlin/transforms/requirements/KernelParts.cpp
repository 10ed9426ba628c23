#include "drumlin/transforms/requirements/KernelParts.h"

#include "drumlin/ir/plan/LibraryCallOp.h"
#include "drumlin/ir/plan/LibraryCalls.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/DivOp.h"
#include "drumlin/ir/stablehlo/MulOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/SelectOp.h"
#include "drumlin/ir/stablehlo/SubtractOp.h"
#include "drumlin/support/ScalarFunctions.h"
#include "drumlin/transforms/requirements/ScalarFunction.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace drumlin {

static bool isMove(Operation *op) { return classify(op) == OperationClass::DataMovement; }

// Returns whether the operation only converts, moves or compares a value that is then returned.
static bool isResultAsItIs(Operation *op) {
  return (isa<stablehlo::ConvertOp, stablehlo::CompareOp>(op) || isMove(op)) &&
         llvm::all_of(op->getUsers(),
                      [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); });
}

class PartFinder {
public:
  explicit PartFinder(Block &block) : block(block), hero(contractionOf(block)) {}

  std::vector<KernelPart> all() {
    if (!hero) {
      return {};
    }
    findPrologue(plan::programOperand(hero, 0), "_lhs");
    findPrologue(plan::programOperand(hero, 1), "_rhs");
    findEpilogue();
    // The two bounds of a clamp may be separate operations.
    llvm::erase_if(parts, [](const KernelPart &part) {
      return part.name == "identity" || (part.name == "data movement" && !transposes(part.op));
    });
    std::vector<KernelPart> merged;
    for (KernelPart &part : parts) {
      bool isSecondBound = part.name == "clamp" && !merged.empty() && merged.back().name == "clamp";
      if (isSecondBound) {
        merged.back().op = part.op;
        continue;
      }
      part.name = part.name == "data movement" ? "transpose" : part.name;
      merged.push_back(std::move(part));
    }
    return merged;
  }

  std::vector<KernelPart> segments() {
    if (hero) {
      findEpilogue();
    }
    return std::move(parts);
  }

private:
  // Returns the size of the largest kernel input that a value depends on; 0 for constants.
  int64_t sourceElements(Value value) {
    Operation *op = value.getDefiningOp();
    if (!op) {
      return elementsOf(value);
    }
    auto [found, isNew] = sources.try_emplace(value, 0);
    if (!isNew) {
      return found->second;
    }
    int64_t most = 0;
    for (Value operand : op->getOperands()) {
      most = std::max(most, sourceElements(operand));
    }
    return sources[value] = most;
  }

  void add(std::string name, Operation *op, Value from = {}) {
    parts.push_back({std::move(name), op, from});
  }

  // Finds parts from the hero back to the kernel's inputs, and reverses them into program order at
  // the end.
  void findPrologue(Value operand, const std::string &suffix) {
    size_t first = parts.size();
    for (Operation *op = operand.getDefiningOp(); op; op = operand.getDefiningOp()) {
      operand = op->getNumOperands() ? op->getOperand(0) : Value();
      if (isa<stablehlo::MulOp, stablehlo::DivOp>(op)) {
        bool second = sourceElements(op->getOperand(1)) > sourceElements(op->getOperand(0));
        operand = op->getOperand(second ? 1 : 0);
        add("scale" + suffix, op);
      } else if (isa<stablehlo::ConvertOp>(op)) {
        add("convert" + suffix, op);
      } else if (!isMove(op)) {
        add("pointwise" + suffix, op);
      }
      if (!operand || isa<stablehlo::ConstantOp>(op)) {
        break;
      }
    }
    std::reverse(parts.begin() + static_cast<ptrdiff_t>(first), parts.end());
  }

  // The operations that depend on the hero form a chain of segments: only one value passes from one
  // segment to the next. Additional results and reductions of a value are not part of the chain.
  void findEpilogue() {
    llvm::SetVector<Operation *> chain;
    SmallVector<Operation *> reductions;
    dependent = {hero->getResult(0)};
    for (Operation &op : llvm::make_range(std::next(hero->getIterator()), block.end())) {
      bool depends = llvm::any_of(op.getOperands(),
                                  [&](Value operand) { return dependent.contains(operand); });
      if (!depends || op.hasTrait<OpTrait::IsTerminator>()) {
        continue;
      }
      if (isa<stablehlo::ReduceOp>(op)) {
        reductions.push_back(&op);
        continue;
      }
      dependent.insert(op.getResult(0));
      chain.insert(&op);
    }
    // Operations that only a reduction reads, such as an absolute value, are not in the chain.
    SmallVector<Operation *> kept;
    for (Operation *op : llvm::reverse(chain)) {
      bool isRead = llvm::any_of(op->getUsers(), [&](Operation *user) {
        return user->hasTrait<OpTrait::IsTerminator>() || llvm::is_contained(kept, user);
      });
      if (isRead) {
        kept.push_back(op);
      }
    }
    std::reverse(kept.begin(), kept.end());
    // A converted or moved copy of a value is not in the chain if the copy is only returned and the
    // chain uses the value otherwise.
    llvm::SmallPtrSet<Operation *, 16> going(kept.begin(), kept.end());
    llvm::erase_if(kept, [&](Operation *op) {
      return isResultAsItIs(op) && llvm::any_of(op->getOperands(), [&](Value operand) {
               return llvm::any_of(operand.getUsers(), [&](Operation *user) {
                 return dependent.contains(operand) && going.contains(user) &&
                        !isResultAsItIs(user);
               });
             });
    });
    llvm::SmallPtrSet<Value, 8> open = {hero->getResult(0)};
    SmallVector<Operation *> ends; // last operations of the segments
    for (auto [i, op] : llvm::enumerate(kept)) {
      open.insert(op->getResult(0));
      // Closed values are those that no later operation of the chain reads.
      SmallVector<Value> closed;
      for (Value value : open) {
        bool isOpen = llvm::any_of(value.getUsers(), [&](Operation *user) {
          return llvm::is_contained(ArrayRef(kept).drop_front(i + 1), user);
        });
        if (!isOpen) {
          closed.push_back(value);
        }
      }
      bool isLast = i + 1 == kept.size();
      for (Value value : closed) {
        open.erase(value);
      }
      if (isLast || (open.size() == 1 && open.contains(op->getResult(0)))) {
        ends.push_back(op);
      }
    }
    Value from = hero->getResult(0);
    for (ArrayRef<Operation *> left = ends; !left.empty();) {
      size_t taken = addFunction(from, left);
      if (taken == 0) {
        addSegment(from, left.front());
        taken = 1;
      }
      from = left[taken - 1]->getResult(0);
      left = left.drop_front(taken);
    }
    for (Operation *reduction : reductions) {
      bool isOfAll = elementsOf(reduction->getResult(0)) == 1;
      add(isOfAll ? "amax" : "bias_grad", reduction, reduction->getOperand(0));
    }
  }

  // Adds a function that several segments compute together, such as 1 / (1 + exp(-x)). Returns the
  // number of segments that compute it.
  size_t addFunction(Value from, ArrayRef<Operation *> left) {
    constexpr size_t most = 12;
    auto isArithmetic = [](Operation *op) { return !isMove(op) && !isa<stablehlo::ConvertOp>(op); };
    size_t count = std::min<size_t>(left.take_while(isArithmetic).size(), most);
    for (; count > 1; --count) {
      Operation *last = left[count - 1];
      std::string_view function = nameOfActivation(functionBetween(from, last->getResult(0)));
      std::string name = function.empty() ? gradientName(from, last) : std::string(function);
      if (name != "pointwise") {
        add(name, last, from);
        return count;
      }
    }
    return 0;
  }

  void addSegment(Value from, Operation *last) {
    if (isMove(last) && last->getOperand(0) == from) {
      add("data movement", last, from);
      return;
    }
    if (isa<stablehlo::ConvertOp>(last) && last->getOperand(0) == from) {
      add("convert", last, from);
      return;
    }
    std::string_view name = recognizeFunction(from, last->getResult(0));
    std::string part = name.empty() ? nameWithSide(from, last) : std::string(name);
    add(part == "pointwise" ? gradientName(from, last) : part, last, from);
  }

  // The multiplication by a derivative may consist of several steps.
  std::string gradientName(Value from, Operation *last) {
    for (BlockArgument argument : block.getArguments()) {
      std::string_view of = nameOfGradient(functionBetween(argument, from, last->getResult(0)));
      if (!of.empty()) {
        return std::string(of) + "_grad";
      }
    }
    return "pointwise";
  }

  // Returns the name of a one-operation segment whose other operand doesn't depend on the hero.
  std::string nameWithSide(Value from, Operation *op) {
    // select(side > 0, from, 0): the factor is 1 or 0.
    if (auto select = dyn_cast<stablehlo::SelectOp>(op); select && select.getOnTrue() == from) {
      bool isFactor = isZero(select.getOnFalse()) && !dependent.contains(select.getPred());
      return isFactor ? factorOf(select.getPred()) : "pointwise";
    }
    if (op->getNumOperands() != 2 || !llvm::is_contained(op->getOperands(), from) ||
        op->getOperand(0) == op->getOperand(1)) {
      return "pointwise";
    }
    Value side = op->getOperand(op->getOperand(0) == from ? 1 : 0);
    if (dependent.contains(side)) {
      return "pointwise";
    }
    bool isFull = sourceElements(side) == elementsOf(from);
    if (isa<stablehlo::AddOp, stablehlo::SubtractOp>(op)) {
      return isFull ? "residual" : "bias";
    }
    if (!isa<stablehlo::MulOp, stablehlo::DivOp>(op)) {
      return "pointwise";
    }
    return isFull ? factorOf(side) : "scale";
  }

  // Names a factor per element: a known function of one input, or `gate`.
  std::string factorOf(Value side) {
    for (BlockArgument argument : block.getArguments()) {
      std::string_view name = recognizeFunction(argument, side);
      if (!name.empty() && name != "identity") {
        return std::string(name);
      }
    }
    return "gate";
  }

  Block &block;
  Operation *hero;
  std::vector<KernelPart> parts;
  llvm::DenseMap<Value, int64_t> sources;
  llvm::SmallPtrSet<Value, 16> dependent; // values that depend on the hero
};

std::vector<KernelPart> kernelParts(Operation *kernel) {
  return PartFinder(kernel->getRegion(0).front()).all();
}

// Returns the name of an activation by its definition: the libraries' gelu is the form with tanh.
static const char *partOf(EpilogueParts::Activation activation) {
  switch (activation) {
  case EpilogueParts::None:
    return nullptr;
  case EpilogueParts::Relu:
    return "relu";
  case EpilogueParts::Gelu:
    return "gelu_tanh";
  case EpilogueParts::Silu:
    return "silu";
  case EpilogueParts::Clamp:
    return "clamp";
  case EpilogueParts::ReluGrad:
    return "relu_grad";
  case EpilogueParts::GeluGrad:
    return "gelu_tanh_grad";
  }
  return nullptr;
}

std::vector<std::string> callParts(plan::LibraryCallOp call) {
  const GpuTarget *target = findGpuTarget(call.getTarget());
  std::optional<LibraryCall> made = target ? plan::libraryCallOf(call, *target) : std::nullopt;
  if (!made) {
    return {};
  }
  std::vector<std::string> names;
  EpilogueParts parts = partsOf(made->epilogue);
  if (const char *activation = partOf(parts.activation)) {
    names.emplace_back(activation);
  }
  if (parts.hasBias) {
    names.emplace_back("bias");
  }
  if (parts.biasGradient != BiasGradient::None) {
    names.emplace_back("bias_grad");
  }
  if (!made->amaxD.empty()) {
    names.emplace_back("amax");
  }
  return names;
}

std::vector<KernelPart> epilogueSegments(Operation *kernel) {
  return PartFinder(kernel->getRegion(0).front()).segments();
}

} // namespace drumlin
