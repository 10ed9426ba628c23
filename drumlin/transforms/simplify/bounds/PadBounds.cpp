#include "drumlin/transforms/simplify/bounds/PadBounds.h"

#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/sizes/BoundedResults.h"
#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/DynamicPadOp.h"
#include "drumlin/ir/stablehlo/GetDimensionSizeOp.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "drumlin/transforms/simplify/bounds/PadOperations.h"

using namespace mlir;

namespace drumlin {

namespace {
class BoundsPadder {
public:
  explicit BoundsPadder(func::FuncOp main) : main(main) {}

  Status run() {
    SmallVector<Operation *> written = operationsOf(main.getBody().front());
    takeArguments();
    Status status = padAll(written);
    if (status) {
      for (Operation *op : llvm::reverse(replaced)) {
        op->erase();
      }
    }
    return status;
  }

private:
  // Makes each bounded argument a buffer of the bound's size, whose valid size the call determines.
  void takeArguments() {
    BoundedBuilder b(OpBuilder::atBlockBegin(&main.getBody().front()), main.getLoc());
    for (BlockArgument argument : main.getArguments()) {
      auto type = dyn_cast<RankedTensorType>(argument.getType());
      if (!type || !isBounded(type)) {
        continue;
      }
      BoundedValue made;
      SmallVector<Value> missing;
      for (int64_t d = 0; d < type.getRank(); ++d) {
        bool isOpen = type.isDynamicDim(d);
        Value size = isOpen ? stablehlo::GetDimensionSizeOp::create(
                                  b.operations(), argument.getLoc(),
                                  RankedTensorType::get({}, b.signedType(32)), argument, d)
                                  .getResult()
                            : Value();
        made.sizes.push_back(size);
        Value more = isOpen ? b.subtract(b.count(extentOf(type, d)), size) : b.count(0);
        missing.push_back(b.reshape(more, {1}));
      }
      Value none = b.integer(b.signedType(32), 0, {type.getRank()});
      made.buffer = stablehlo::DynamicPadOp::create(
          b.operations(), argument.getLoc(), bufferTypeOf(type), argument,
          b.zero(type.getElementType()), none, b.concatenate(missing, 0), none);
      known[argument] = std::move(made);
    }
  }

  BoundedValue of(Value value) const {
    auto found = known.find(value);
    if (found != known.end()) {
      return found->second;
    }
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    return {value, SmallVector<Value>(tensor ? static_cast<size_t>(tensor.getRank()) : 0), false};
  }

  void define(BoundedBuilder &b, Value result, BoundedValue made) {
    auto type = cast<RankedTensorType>(result.getType());
    made = b.fitted(std::move(made), type);
    if (isBounded(type)) {
      known[result] = std::move(made);
    } else {
      result.replaceAllUsesWith(made.buffer);
    }
  }

  static Status refuse(Operation *op, const std::string &what) {
    return diagnose(errors::UnsupportedDynamicShape, what, plan::sourceOf(op->getLoc()),
                    "give it operands whose sizes follow from the arguments' sizes");
  }

  static SmallVector<Operation *> operationsOf(Block &block) {
    return llvm::map_to_vector(block, [](Operation &op) { return &op; });
  }

  Status padAll(ArrayRef<Operation *> ops) {
    Status status = Done{};
    for (Operation *op : ops) {
      status = status ? pad(op) : status;
    }
    return status;
  }

  bool isConcerned(Operation *op) const {
    return llvm::any_of(op->getOperands(), [&](Value value) { return known.contains(value); }) ||
           llvm::any_of(op->getResultTypes(), isBounded);
  }

  Status pad(Operation *op) {
    if (isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op)) {
      return padControl(op);
    }
    if (!isConcerned(op)) {
      return Done{};
    }
    if (op->hasTrait<OpTrait::IsTerminator>()) { // rewritten by padControl() in loops and branches
      if (op->getParentOp() == main) {
        padTerminator(op);
      }
      return Done{};
    }
    for (Type type : llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      if (tensor && !bufferTypeOf(tensor).hasStaticShape()) {
        return refuse(op, "a dynamic dimension without a bound isn't supported beside values whose "
                          "sizes are known only at run time");
      }
    }
    SmallVector<BoundedValue> operands;
    for (Value operand : op->getOperands()) {
      operands.push_back(of(operand));
    }
    auto made = padOperation(op, operands);
    if (!made) {
      return refuse(op, "`" + op->getName().getStringRef().str() +
                            "` of values whose sizes are known only at run time isn't supported");
    }
    BoundedBuilder b(op);
    for (auto [result, value] : llvm::zip_equal(op->getResults(), *made)) {
      define(b, result, value);
    }
    replaced.push_back(op);
    return Done{};
  }

  // Flattens values of these types: first the buffers, at the positions of the values, then all
  // sizes.
  SmallVector<Value> flattened(BoundedBuilder &b, ValueRange values, TypeRange types) {
    SmallVector<Value> buffers, sizes;
    for (auto [value, type] : llvm::zip_equal(values, types)) {
      if (!isBounded(type)) {
        buffers.push_back(of(value).buffer);
        continue;
      }
      BoundedValue made = b.fitted(of(value), cast<RankedTensorType>(type));
      buffers.push_back(made.buffer);
      llvm::copy_if(made.sizes, std::back_inserter(sizes), [](Value size) { return !!size; });
    }
    llvm::append_range(buffers, sizes);
    return buffers;
  }

  static SmallVector<Type> flattenedTypes(TypeRange types) {
    SmallVector<Type> made, sizes;
    for (Type type : types) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      made.push_back(isBounded(type) ? bufferTypeOf(tensor) : type);
      if (isBounded(type)) {
        sizes.append(static_cast<size_t>(tensor.getNumDynamicDims()),
                     RankedTensorType::get({}, IntegerType::get(type.getContext(), 32)));
      }
    }
    llvm::append_range(made, sizes);
    return made;
  }

  // Inverts flattened() for values of these types. `keepRest` has BoundedValue::keepsRest of each
  // value.
  static SmallVector<BoundedValue> unflattened(ValueRange flat, TypeRange types,
                                               ArrayRef<bool> keepRest) {
    SmallVector<BoundedValue> made;
    size_t next = types.size();
    for (auto [type, value, keepsRest] : llvm::zip(types, flat, keepRest)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      BoundedValue each{value, {}, keepsRest};
      for (int64_t d = 0; tensor && d < tensor.getRank(); ++d) {
        bool isOpen = isBounded(type) && tensor.isDynamicDim(d);
        each.sizes.push_back(isOpen ? flat[next++] : Value());
      }
      made.push_back(std::move(each));
    }
    return made;
  }

  // Rewrites a terminator. Its operands have the types that the parent operation's results had in
  // the program.
  void padTerminator(Operation *end) {
    BoundedBuilder b(end);
    if (end->getParentOp() == main) {
      SmallVector<Type> types = llvm::to_vector(main.getResultTypes());
      returnFromMain(end, types);
      end->setOperands(flattened(b, end->getOperands(), types));
      return;
    }
    auto found = carried.find(end->getParentOp());
    if (found == carried.end()) {
      return;
    }
    for (auto [keepsRest, value] : llvm::zip_equal(found->second.keepRest, end->getOperands())) {
      keepsRest &= of(value).keepsRest;
    }
    end->setOperands(flattened(b, end->getOperands(), found->second.types));
  }

  // Appends the sizes to the results. An attribute lists the dimensions that have these sizes.
  void returnFromMain(Operation *end, TypeRange types) {
    OpBuilder builder(end);
    for (auto [i, type] : llvm::enumerate(types)) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      SmallVector<int64_t> dimensions;
      for (int64_t d = 0; tensor && isBounded(type) && d < tensor.getRank(); ++d) {
        if (tensor.isDynamicDim(d)) {
          dimensions.push_back(d);
        }
      }
      if (!dimensions.empty()) {
        main.setResultAttr(static_cast<unsigned>(i), boundedResultAttribute,
                           builder.getDenseI64ArrayAttr(dimensions));
      }
    }
    auto before = main.getNumResults();
    SmallVector<Attribute> attributes;
    for (unsigned i = 0; i < before; ++i) {
      auto given = main.getResultAttrDict(i);
      attributes.push_back(given ? given : builder.getDictionaryAttr({}));
    }
    SmallVector<Type> flat = flattenedTypes(types);
    attributes.resize(flat.size(), builder.getDictionaryAttr({}));
    main.setType(builder.getFunctionType(main.getArgumentTypes(), flat));
    main.setResAttrsAttr(builder.getArrayAttr(attributes));
  }

  // Rebuilds loops and branches to carry buffers and sizes.
  Status padControl(Operation *op) {
    SmallVector<Type> types = llvm::to_vector(op->getResultTypes());
    bool isLoop = isa<stablehlo::WhileOp>(op);
    bool isChanged = llvm::any_of(types, isBounded) || isConcerned(op);
    Operation *made = op;
    BoundedBuilder b(op);
    if (isChanged) {
      OperationState state(op->getLoc(), op->getName());
      state.addOperands(isLoop ? flattened(b, op->getOperands(), types)
                               : llvm::to_vector(op->getOperands()));
      state.addTypes(flattenedTypes(types));
      state.addAttributes(op->getAttrs());
      for (Region &region : op->getRegions()) {
        state.addRegion()->takeBody(region);
      }
      made = b.operations().create(state);
      SmallVector<bool> keepRest(types.size(), true);
      for (size_t i = 0; isLoop && i < types.size(); ++i) {
        keepRest[i] = of(op->getOperand(static_cast<unsigned>(i))).keepsRest;
      }
      carried[made] = {types, keepRest};
    }
    for (Region &region : made->getRegions()) {
      if (isChanged && isLoop) {
        takeBlockArguments(region.front(), types, SmallVector<bool>(carried[made].keepRest));
      }
      if (Status status = padAll(operationsOf(region.front())); !status) {
        return status;
      }
      bool isCondition = isLoop && region.getRegionNumber() == 0;
      if (isChanged && !isCondition) {
        padTerminator(region.front().getTerminator());
      }
    }
    if (isChanged) {
      for (auto [result, value] : llvm::zip_equal(
               op->getResults(), unflattened(made->getResults(), types, carried[made].keepRest))) {
        if (isBounded(result.getType())) {
          known[result] = value;
        } else {
          result.replaceAllUsesWith(value.buffer);
        }
      }
      replaced.push_back(op);
    }
    return Done{};
  }

  void takeBlockArguments(Block &block, TypeRange types, ArrayRef<bool> keepRest) {
    SmallVector<Type> flat = flattenedTypes(types);
    for (size_t i = types.size(); i < flat.size(); ++i) {
      block.addArgument(flat[i], block.getParentOp()->getLoc());
    }
    for (auto [argument, value] :
         llvm::zip(block.getArguments(), unflattened(block.getArguments(), types, keepRest))) {
      if (isBounded(argument.getType())) {
        argument.setType(bufferTypeOf(cast<RankedTensorType>(argument.getType())));
        known[argument] = value;
      }
    }
  }

  // The values that a loop or a branch carries.
  struct Carried {
    SmallVector<Type> types; // original types in the program
    SmallVector<bool> keepRest;
  };

  func::FuncOp main;
  llvm::DenseMap<Value, BoundedValue> known;
  llvm::DenseMap<Operation *, Carried> carried;
  SmallVector<Operation *> replaced;
};
} // namespace

bool hasBounds(func::FuncOp main) {
  bool found = llvm::any_of(main.getArgumentTypes(), isBounded);
  main.walk([&](Operation *op) { found |= llvm::any_of(op->getResultTypes(), isBounded); });
  return found;
}

Status padBounds(func::FuncOp main) { return BoundsPadder(main).run(); }

} // namespace drumlin
