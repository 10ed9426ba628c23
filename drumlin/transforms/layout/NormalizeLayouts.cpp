// Turns the layouts chosen by `assign-layouts` into types. Every value becomes row-major in its
// shape in memory, kernels transpose inside, and reshapes between kernels become free.
#include "drumlin/ir/plan/CopyOp.h"
#include "drumlin/ir/plan/LoopOp.h"
#include "drumlin/ir/plan/YieldOp.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/layout/Passes.h"

#include "drumlin/interpreter/ConstantConversion.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/HeldElements.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/transforms/layout/LayoutProblem.h"
#include "drumlin/transforms/layout/RegionTransposes.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_NORMALIZELAYOUTSPASS
#include "drumlin/transforms/layout/Passes.h.inc"

namespace {
class LayoutNormalizer {
public:
  LayoutNormalizer(func::FuncOp main, Ledger &ledger) : main(main), ledger(ledger) {}

  void run() {
    main->removeAttr(assignedAttribute);
    for (BlockArgument argument : main.getArguments()) {
      if (auto layout =
              main.getArgAttrOfType<plan::LayoutAttr>(argument.getArgNumber(), layoutAttribute)) {
        orders[argument] = drumlin::orderOf(layout);
        setPhysical(argument);
      }
    }
    visit(main.getBody().front());
    Operation *end = main.getBody().front().getTerminator();
    main.setFunctionType(FunctionType::get(
        main.getContext(), main.getBody().front().getArgumentTypes(), end->getOperandTypes()));
  }

private:
  // Returns the order of a value whose type has, or had, the program's shape.
  DimensionOrder orderOf(Value value) const {
    auto found = orders.find(value);
    return found == orders.end() ? rowMajorOrder(shapeOf(value).size()) : found->second;
  }
  bool isPlain(Value value) const { return !orders.contains(value); }

  // Returns the shape that the program gives a value whose type already has the shape in memory.
  Shape logicalShapeOf(Value value) const {
    auto found = orders.find(value);
    return found == orders.end() ? Shape(shapeOf(value))
                                 : logicalShape(value.getType(), found->second);
  }

  void setPhysical(Value value) {
    auto found = orders.find(value);
    if (found != orders.end()) {
      value.setType(physicalType(cast<RankedTensorType>(value.getType()), found->second));
    }
  }

  // Records the orders of an operation's results, without changing their types yet.
  void takeLayouts(Operation &op) {
    auto layouts = op.getAttrOfType<ArrayAttr>(layoutsAttribute);
    if (!layouts) {
      return;
    }
    for (auto [result, layout] : llvm::zip(op.getResults(), layouts)) {
      DimensionOrder order = drumlin::orderOf(cast<plan::LayoutAttr>(layout));
      if (!isRowMajor(order)) {
        orders[result] = order;
      }
    }
    op.removeAttr(layoutsAttribute);
  }

  void visit(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      takeLayouts(op);
      if (plan::kernelKindOf(&op)) {
        normalizeKernel(op);
      } else if (auto reshape = dyn_cast<stablehlo::ReshapeOp>(op)) {
        normalizeReshape(reshape);
      } else if (auto copy = dyn_cast<plan::CopyOp>(op)) {
        normalizeCopy(copy);
      } else if (auto constant = dyn_cast<stablehlo::ConstantOp>(op)) {
        normalizeConstant(constant);
      } else {
        normalizeControl(op);
      }
    }
  }

  void normalizeKernel(Operation &op) {
    Block &region = op.getRegion(0).front();
    bool changes = false;
    for (auto [argument, operand] : llvm::zip(region.getArguments(), op.getOperands())) {
      if (isPlain(operand)) {
        continue;
      }
      OpBuilder builder = OpBuilder::atBlockBegin(&region);
      argument.setType(operand.getType());
      DimensionOrder back = inverseOrder(orderOf(operand));
      auto transpose = stablehlo::TransposeOp::create(
          builder, op.getLoc(), physicalType(cast<RankedTensorType>(operand.getType()), back),
          argument, builder.getDenseI64ArrayAttr(back));
      argument.replaceAllUsesExcept(transpose.getResult(), transpose);
      changes = true;
    }
    Operation *yield = region.getTerminator();
    for (auto [result, yielded] : llvm::zip(op.getResults(), yield->getOpOperands())) {
      if (isPlain(result)) {
        continue;
      }
      OpBuilder builder(yield);
      yielded.set(
          transposed(builder, yielded.get().getLoc(), yielded.get(), orders.lookup(result)));
      setPhysical(result);
      changes = true;
    }
    if (changes) {
      simplifyTransposes(region);
      forwardInputs(op);
    }
  }

  // Replaces the results of a loop kernel by its inputs if the kernel computes nothing any more.
  void forwardInputs(Operation &op) {
    Operation *yield = op.getRegion(0).front().getTerminator();
    if (!llvm::all_of(yield->getOperands(), llvm::IsaPred<BlockArgument>)) {
      return;
    }
    for (auto [result, yielded] : llvm::zip(op.getResults(), yield->getOperands())) {
      unsigned number = cast<BlockArgument>(yielded).getArgNumber();
      DimensionOrder order = orderOf(result);
      Value input = op.getOperand(number);
      if (orderOf(input) != order) {
        // The bytes are the same; only the types differ.
        OpBuilder builder(&op);
        Shape shape(shapeOf(input));
        DimensionOrder rowMajor = rowMajorOrder(shape.size());
        input = plan::createBitcast(builder, op.getLoc(), result.getType(), input, shape, rowMajor,
                                    shape, rowMajor);
      }
      orders.erase(result);
      result.replaceAllUsesWith(input);
      if (!isRowMajor(order)) {
        orders[input] = order;
      }
    }
    op.erase();
  }

  void normalizeConstant(stablehlo::ConstantOp constant) {
    Value value = constant.getResult();
    if (isPlain(value)) {
      return;
    }
    const HeldConstant *held = heldConstant(constant.getValue());
    Result<Tensor> tensor =
        held ? Result<Tensor>(held->elements) : tensorFromAttribute(constant.getValue());
    OpBuilder builder(constant);
    DimensionOrder order = orderOf(value);
    Value turned;
    if (tensor) {
      turned = stablehlo::ConstantOp::create(
          builder, constant.getLoc(),
          layOutConstant(constant.getValue(), *tensor, {tensor->shape(), {}, order}));
    } else {
      // The constant's bytes can't be read at compile time: transpose it at run time.
      Value logical =
          stablehlo::ConstantOp::create(builder, constant.getLoc(), constant.getValue());
      turned = turn(builder, logical, constant.getLoc(), order);
    }
    orders.erase(value);
    value.replaceAllUsesWith(turned);
    orders[turned] = order;
    ElementsAttr before = constant.getValue();
    constant.erase();
    freeUnusedElements(before, main->getParentOfType<ModuleOp>());
  }

  // Creates a kernel that only transposes.
  Value turn(OpBuilder &builder, Value value, Location loc, ArrayRef<int64_t> permutation) {
    if (isRowMajor(permutation)) {
      return value;
    }
    RankedTensorType type = physicalType(cast<RankedTensorType>(value.getType()), permutation);
    auto kernel = plan::LoopOp::create(builder, loc, TypeRange(type), ValueRange(value));
    Block &region = kernel.getBody().front();
    OpBuilder inside = OpBuilder::atBlockBegin(&region);
    Value made = stablehlo::TransposeOp::create(inside, loc, type, region.getArgument(0),
                                                inside.getDenseI64ArrayAttr(permutation));
    plan::YieldOp::create(inside, loc, made);
    return kernel->getResult(0);
  }

  // Returns the permutation that converts a value in memory from one order to another order of the
  // same shape.
  static DimensionOrder between(std::span<const int64_t> from, std::span<const int64_t> to) {
    DimensionOrder places = inverseOrder(from), permutation;
    for (int64_t dimension : to) {
      permutation.push_back(places[static_cast<size_t>(dimension)]);
    }
    return permutation;
  }

  void replace(Operation *op, Value made, const DimensionOrder &order) {
    Value result = op->getResult(0);
    orders.erase(result);
    result.replaceAllUsesWith(made);
    // If the value is replaced by its own operand, the operand's order must not be overwritten.
    if (!isRowMajor(order)) {
      orders[made] = order;
    }
    op->erase();
  }

  void normalizeCopy(plan::CopyOp copy) {
    DimensionOrder to = orderOf(copy.getResult());
    Value from = copy.getOperand();
    OpBuilder builder(copy);
    Value made = turn(builder, from, copy.getLoc(), between(orderOf(from), to));
    replace(copy, made, to);
  }

  // reshape(x) = bitcast(x) if the bytes stay in place; otherwise bitcast(transpose(x)),
  // transpose(bitcast(x)), or both.
  void normalizeReshape(stablehlo::ReshapeOp reshape) {
    Value from = reshape.getOperand();
    Shape fromShape = logicalShapeOf(from), toShape(shapeOf(reshape.getResult()));
    DimensionOrder order = orderOf(from), to = orderOf(reshape.getResult());
    OpBuilder builder(reshape);
    Location loc = reshape.getLoc();
    // Casts a value that has the operand's shape in one order to the result's shape in another
    // order.
    auto bitcast = [&](Value value, const DimensionOrder &liesIn,
                       const DimensionOrder &asOrder) -> Value {
      auto type = cast<RankedTensorType>(reshape.getResult().getType());
      return plan::createBitcast(builder, loc, physicalType(type, asOrder), value, fromShape,
                                 liesIn, toShape, asOrder);
    };
    Value made;
    if (reshapeIsBitcast(fromShape, order, toShape, to, builder.getContext())) {
      if (!isRowMajor(order) || !isRowMajor(to)) {
        ledger.record(Rule::ReshapeBitcast, reshape, Decision::taken());
      }
      made = bitcast(from, order, to);
    } else {
      int64_t bytes = bytesOf(from);
      ledger.record(
          Rule::ReshapeBitcast, reshape,
          Decision::declined(Reason::OrderDiffers, from.getDefiningOp()).with({2 * bytes, 0}));
      if (auto before = reshapedOrder(toShape, to, fromShape, builder.getContext())) {
        made = bitcast(turn(builder, from, loc, between(order, *before)), *before, to);
      } else if (auto after = reshapedOrder(fromShape, order, toShape, builder.getContext())) {
        made = turn(builder, bitcast(from, order, *after), loc, between(*after, to));
      } else {
        Value rowMajor = turn(builder, from, loc, inverseOrder(order));
        DimensionOrder plain = rowMajorOrder(toShape.size());
        made = turn(builder, bitcast(rowMajor, rowMajorOrder(fromShape.size()), plain), loc, to);
      }
    }
    replace(reshape, made, to);
  }

  void normalizeControl(Operation &op) {
    for (OpResult result : op.getResults()) {
      if (isPlain(result)) {
        continue;
      }
      DimensionOrder order = orders.lookup(result);
      setPhysical(result);
      if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
        for (Region *region : {&loop.getCond(), &loop.getBody()}) {
          Value carried = region->front().getArgument(result.getResultNumber());
          orders[carried] = order;
          setPhysical(carried);
        }
      }
    }
    bool isControl = isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op);
    for (Region &region : op.getRegions()) {
      if (isControl) {
        visit(region.front());
      }
    }
  }

  func::FuncOp main;
  Ledger &ledger;
  DenseMap<Value, DimensionOrder> orders; // orders of values that aren't row-major
};
} // namespace

struct NormalizeLayoutsPass : impl::NormalizeLayoutsPassBase<NormalizeLayoutsPass> {
  NormalizeLayoutsPass() = default;
  explicit NormalizeLayoutsPass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    LayoutNormalizer(getOperation(), ledger ? *ledger : own).run();
  }

  Ledger *ledger = nullptr;
};

std::unique_ptr<Pass> createNormalizeLayoutsPass(Ledger &ledger) {
  return std::make_unique<NormalizeLayoutsPass>(ledger);
}

} // namespace drumlin
