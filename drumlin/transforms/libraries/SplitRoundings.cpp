#include "drumlin/transforms/libraries/SplitRoundings.h"

#include "drumlin/ir/plan/Work.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/transforms/libraries/EpilogueReader.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace drumlin {

static bool isScalarConstant(Value value) {
  return value.getDefiningOp<stablehlo::ConstantOp>() &&
         cast<RankedTensorType>(value.getType()).getRank() == 0;
}

// The operand whose elements an operation rounds one by one; null of others.
static Value roundedBy(Operation *op) {
  if (isa<stablehlo::ConvertOp, stablehlo::ReducePrecisionOp>(op)) {
    bool isFloats = isFloat(elementTypeOf(op->getOperand(0).getType())) &&
                    isFloat(elementTypeOf(op->getResult(0).getType()));
    return isFloats ? op->getOperand(0) : Value();
  }
  auto clamp = dyn_cast<stablehlo::ClampOp>(op);
  bool isBetweenConstants =
      clamp && isScalarConstant(clamp.getMin()) && isScalarConstant(clamp.getMax());
  return isBetweenConstants ? clamp.getOperand() : Value();
}

namespace {
// What lies between a product's operand and the input that it comes from, the first one first.
struct RoundedOperand {
  BlockArgument input;
  SmallVector<Operation *> roundings, moves;
};
} // namespace

static std::optional<RoundedOperand> readRounded(Value operand) {
  RoundedOperand read;
  while (Operation *op = operand.getDefiningOp()) {
    if (Value from = roundedBy(op)) {
      read.roundings.push_back(op);
      operand = from;
    } else if (isStridedMovement(op)) {
      read.moves.push_back(op);
      operand = op->getOperand(0);
    } else {
      return std::nullopt;
    }
  }
  if (read.roundings.empty()) {
    return std::nullopt;
  }
  // What is written and read again is no more than the input.
  read.input = cast<BlockArgument>(operand);
  auto bits = [](Value value) { return info(elementTypeOf(value.getType())).bits; };
  if (bits(read.roundings.front()->getResult(0)) > bits(read.input)) {
    return std::nullopt;
  }
  std::reverse(read.roundings.begin(), read.roundings.end());
  std::reverse(read.moves.begin(), read.moves.end());
  return read;
}

// The operation on another value, of the same elements in another shape.
static Value applied(OpBuilder &builder, Operation *op, Value to) {
  IRMapping mapping;
  for (Value operand : op->getOperands()) {
    if (isScalarConstant(operand) && !roundedBy(operand.getDefiningOp())) {
      mapping.map(operand, builder.clone(*operand.getDefiningOp())->getResult(0));
    }
  }
  mapping.map(roundedBy(op), to);
  Operation *made = builder.clone(*op, mapping);
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  made->getResult(0).setType(cast<RankedTensorType>(to.getType()).clone(element));
  return made->getResult(0);
}

Value RoundingSplitter::rounded(plan::GemmOp gemm, Value input, ArrayRef<Operation *> roundings) {
  Type element = getElementTypeOrSelf(roundings.back()->getResult(0).getType());
  Type type = cast<RankedTensorType>(input.getType()).clone(element);
  bool isConversion = roundings.size() == 1 && isa<stablehlo::ConvertOp>(roundings.front());
  if (isConversion) {
    auto known = conversions.find({input, type});
    if (known != conversions.end() && known->second->getBlock() == gemm->getBlock()) {
      return known->second.getResult(0);
    }
  }
  OpBuilder builder(gemm);
  auto loop =
      plan::LoopOp::create(builder, roundings.back()->getLoc(), TypeRange(type), ValueRange(input));
  Block &body = loop.getBody().front();
  builder.setInsertionPointToStart(&body);
  Value value = body.getArgument(0);
  for (Operation *op : roundings) {
    value = applied(builder, op, value);
  }
  plan::YieldOp::create(builder, loop.getLoc(), value);
  if (isConversion) {
    conversions[{input, type}] = loop;
  }
  return loop.getResult(0);
}

plan::GemmOp RoundingSplitter::split(plan::GemmOp gemm) {
  Operation *hero = contractionOf(gemm.getBody().front());
  std::array<std::optional<RoundedOperand>, 2> operands = {readRounded(hero->getOperand(0)),
                                                           readRounded(hero->getOperand(1))};
  if (!operands[0] && !operands[1]) {
    return nullptr;
  }
  OpBuilder builder(gemm);
  SmallVector<Value> inputs(gemm.getInputs());
  for (const std::optional<RoundedOperand> &operand : operands) {
    if (operand) {
      inputs.push_back(
          rounded(gemm, gemm.getInputs()[operand->input.getArgNumber()], operand->roundings));
    }
  }
  builder.setInsertionPoint(gemm);
  auto made = plan::GemmOp::create(builder, gemm.getLoc(), gemm.getResultTypes(), inputs);
  made->setDiscardableAttrs(gemm->getDiscardableAttrDictionary());
  Block &body = made.getBody().front();
  builder.setInsertionPointToStart(&body);
  IRMapping mapping;
  unsigned next = gemm.getInputs().size();
  for (BlockArgument argument : gemm.getBody().front().getArguments()) {
    mapping.map(argument, body.getArgument(argument.getArgNumber()));
  }
  for (Operation &op : gemm.getBody().front()) {
    Operation *copy = builder.clone(op, mapping);
    if (&op != hero) {
      continue;
    }
    builder.setInsertionPoint(copy);
    for (unsigned i = 0; i < operands.size(); ++i) {
      if (!operands[i]) {
        continue;
      }
      Value value = body.getArgument(next++);
      Type element = getElementTypeOrSelf(value.getType());
      for (Operation *move : operands[i]->moves) {
        IRMapping moved;
        moved.map(move->getOperand(0), value);
        Operation *again = builder.clone(*move, moved);
        auto shape = cast<RankedTensorType>(move->getResult(0).getType());
        again->getResult(0).setType(shape.clone(element));
        value = again->getResult(0);
      }
      copy->setOperand(i, value);
    }
    builder.setInsertionPointAfter(copy);
  }
  // What only the roundings read.
  auto operations = llvm::to_vector(llvm::make_pointer_range(body.without_terminator()));
  for (Operation *op : llvm::reverse(operations)) {
    if (op->use_empty()) {
      op->erase();
    }
  }
  for (unsigned i = body.getNumArguments(); i-- > 0;) {
    if (body.getArgument(i).use_empty()) {
      body.eraseArgument(i);
      made->eraseOperand(i);
    }
  }
  return made;
}

void RoundingSplitter::undo(plan::GemmOp split) {
  SmallVector<Value> inputs(split.getInputs());
  split->erase();
  for (Value input : inputs) {
    auto loop = input.getDefiningOp<plan::LoopOp>();
    if (loop && loop->use_empty()) {
      llvm::SmallVector<std::pair<Value, Type>> gone;
      for (auto &[key, made] : conversions) {
        if (made == loop) {
          gone.push_back(key);
        }
      }
      llvm::for_each(gone, [&](auto key) { conversions.erase(key); });
      loop->erase();
    }
  }
}

} // namespace drumlin
