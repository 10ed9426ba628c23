// Decomposes rng: computes numbers of a distribution from Philox words, which depend on each
// element's position. Draws are numbered in program order, and each draw has its own words.
// Branches return the number of the next draw, and loops carry it.
#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/CosineOp.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/LogOp.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"
#include "drumlin/ir/stablehlo/RngOp.h"
#include "drumlin/ir/stablehlo/SqrtOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"
#include "drumlin/transforms/simplify/decompose/RandomWords.h"

#include "mlir/IR/IRMapping.h"

#include <numbers>

using namespace mlir;

namespace drumlin {

//===-- distributions -------------------------------------------------------------------------===//

// Returns 64 random bits for each position of a draw.
static Value bitsAt(TensorBuilder &b, Value stream, Value positions) {
  Type word = b.unsignedType(64);
  Key key = {b.integer(word, 0x64727566), b.integer(word, 0x6d6c696e)};
  ArrayRef<int64_t> shape = shapeOf(positions);
  auto spread = [&](Value scalar) { return b.broadcast(scalar, shape); };
  std::array<Value, 4> words = philox4x32(b,
                                          {lowHalf(b, positions), highHalf(b, positions),
                                           spread(lowHalf(b, stream)), spread(highHalf(b, stream))},
                                          key);
  return joinHalves(b, words[0], words[1]);
}

// Returns f64 numbers in [0, 1) that are multiples of 2^-significant.
static Value fraction(TensorBuilder &b, Value bits, unsigned significant) {
  Type wide = b.operations().getF64Type();
  Value number = b.convert(b.shiftRight(bits, 64 - significant), wide);
  return b.multiply(
      number, b.number(wide, 1.0 / static_cast<double>(uint64_t{1} << significant), shapeOf(bits)));
}

static Value uniform(TensorBuilder &b, stablehlo::RngOp op, Value stream) {
  using stablehlo::ComparisonDirection;
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  Type element = TensorBuilder::elementOf(op.getResult());
  Value bits = bitsAt(b, stream, b.positions(b.unsignedType(64), shape));
  auto spread = [&](Value scalar) { return b.broadcast(scalar, shape); };
  if (element.isInteger(1)) {
    Value differs = b.compare(ComparisonDirection::NE, op.getA(), op.getB());
    Value isOdd = b.convert(b.logicalAnd(bits, b.like(bits, 1)), element);
    return b.select(spread(differs), spread(op.getA()), isOdd);
  }
  if (isa<IntegerType>(element)) {
    // The upper half of the product maps the bits to the range (Lemire 2019, without rejection).
    Type word = b.unsignedType(64);
    bool isSigned = !element.isUnsignedInteger();
    auto wide = [&](Value x) {
      return isSigned ? b.bitcast(b.convert(x, b.signedType(64)), word) : b.convert(x, word);
    };
    Value first = wide(op.getA());
    Value range = b.subtract(wide(op.getB()), first);
    Value share = upperHalfOfProduct(b, bits, spread(range));
    return b.convert(b.add(spread(first), share), element);
  }
  Type wide = b.operations().getF64Type();
  Value first = b.convert(op.getA(), wide), end = b.convert(op.getB(), wide);
  Value share = fraction(b, bits, element.isF64() ? 53 : 24);
  Value number = b.add(spread(first), b.multiply(share, spread(b.subtract(end, first))));
  // Rounding may give the upper end of the interval, which isn't part of the interval.
  Value rounded = b.convert(number, element);
  Value isInside = b.compare(ComparisonDirection::LT, b.convert(rounded, wide), spread(end));
  return b.select(isInside, rounded, spread(op.getA()));
}

// Computes each normal number from two uniform numbers of (0, 1] and [0, 1) (Box and Muller, A note
// on the generation of random normal deviates, 1958).
static Value normal(TensorBuilder &b, stablehlo::RngOp op, Value stream) {
  ArrayRef<int64_t> shape = shapeOf(op.getResult());
  Type wide = b.operations().getF64Type();
  Value even = b.shiftLeft(b.positions(b.unsignedType(64), shape), 1);
  // The barrier separates the two draws, since one kernel can't contain both.
  Value share = b.barrier(fraction(b, bitsAt(b, stream, even), 53)).front();
  Value turn = fraction(b, bitsAt(b, stream, b.add(even, b.like(even, 1))), 53);
  auto times = [&](double factor, Value x) { return b.multiply(b.number(wide, factor, shape), x); };
  Value logarithm = b.unary<stablehlo::LogOp>(b.subtract(b.number(wide, 1, shape), share));
  Value radius = b.unary<stablehlo::SqrtOp>(times(-2, logarithm));
  Value angle = b.unary<stablehlo::CosineOp>(times(2 * std::numbers::pi, turn));
  auto spread = [&](Value scalar) { return b.broadcast(b.convert(scalar, wide), shape); };
  Value scaled = b.multiply(b.multiply(spread(op.getB()), radius), angle);
  return b.convert(b.add(spread(op.getA()), scaled), TensorBuilder::elementOf(op.getResult()));
}

//===-- the numbers of draws ------------------------------------------------------------------===//

static bool hasDraws(Region &region) {
  return region.walk([](stablehlo::RngOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

static bool hasDraws(Operation *op) {
  return isa<stablehlo::RngOp>(op) ||
         llvm::any_of(op->getRegions(), [](Region &region) { return hasDraws(region); });
}

static Value drawIn(Block &block, Value next);

static void addReturned(Block &block, Value value) {
  block.getTerminator()->insertOperands(block.getTerminator()->getNumOperands(), value);
}

// Rebuilds the operation with one more result; takes over its regions.
static Operation *withResult(Operation *op, ValueRange operands, Type added) {
  OpBuilder builder(op);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(operands);
  state.addTypes(op->getResultTypes());
  state.addTypes(added);
  state.addAttributes(op->getAttrs());
  for (Region &region : op->getRegions()) {
    state.addRegion()->takeBody(region);
  }
  Operation *made = builder.create(state);
  op->replaceAllUsesWith(made->getResults().drop_back());
  op->erase();
  return made;
}

static Value drawInBranches(Operation *op, Value next) {
  for (Region &region : op->getRegions()) {
    addReturned(region.front(), drawIn(region.front(), next));
  }
  return withResult(op, op->getOperands(), next.getType())->getResults().back();
}

// while(c) { f } = while(p = c; p) { f; p = c }. The rewrite is needed because a condition can't
// pass the number of its last draw to the body.
static stablehlo::WhileOp withCarriedCondition(stablehlo::WhileOp loop) {
  Block &cond = loop.getCond().front(), &body = loop.getBody().front();
  auto evaluate = [&](OpBuilder &builder, ValueRange carried) {
    IRMapping mapping;
    mapping.map(cond.getArguments(), carried);
    for (Operation &op : cond.without_terminator()) {
      builder.clone(op, mapping);
    }
    return mapping.lookupOrDefault(cond.getTerminator()->getOperand(0));
  };
  OpBuilder before(loop), atEnd(body.getTerminator());
  SmallVector<Value> operands(loop->getOperands());
  operands.push_back(evaluate(before, operands));
  addReturned(body, evaluate(atEnd, body.getTerminator()->getOperands()));
  Type predicate = operands.back().getType();
  body.addArgument(predicate, loop.getLoc());
  while (!cond.empty()) {
    cond.back().erase();
  }
  OpBuilder inside = OpBuilder::atBlockEnd(&cond);
  Value holds = cond.addArgument(predicate, loop.getLoc());
  stablehlo::ReturnOp::create(inside, loop.getLoc(), holds);
  return cast<stablehlo::WhileOp>(withResult(loop, operands, predicate));
}

static Value drawInLoop(stablehlo::WhileOp loop, Value next) {
  Block &body = loop.getBody().front();
  loop.getCond().front().addArgument(next.getType(), loop.getLoc());
  Value carried = body.addArgument(next.getType(), loop.getLoc());
  addReturned(body, drawIn(body, carried));
  SmallVector<Value> operands(loop->getOperands());
  operands.push_back(next);
  return withResult(loop, operands, next.getType())->getResults().back();
}

// Decomposes the draws of a block. `next` is the number of the first draw. Returns the number of
// the next draw after the block.
static Value drawIn(Block &block, Value next) {
  SmallVector<Operation *> ops;
  for (Operation &op : block) {
    if (hasDraws(&op)) {
      ops.push_back(&op);
    }
  }
  // Draws in a loop's condition are moved before the loop and into its body.
  for (Operation *op : ops) {
    auto loop = dyn_cast<stablehlo::WhileOp>(op);
    if (loop && hasDraws(loop.getCond())) {
      withCarriedCondition(loop);
      return drawIn(block, next);
    }
  }
  for (Operation *op : ops) {
    if (auto draw = dyn_cast<stablehlo::RngOp>(op)) {
      TensorBuilder b(op);
      bool isNormal = draw.getRngDistribution() == stablehlo::RngDistribution::NORMAL;
      Value numbers = isNormal ? normal(b, draw, next) : uniform(b, draw, next);
      next = b.add(next, b.like(next, 1));
      op->replaceAllUsesWith(ValueRange{numbers});
      op->erase();
    } else if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
      next = drawInLoop(loop, next);
    } else {
      next = drawInBranches(op, next);
    }
  }
  return next;
}

// Returns whether a draw can be numbered. Functions of reductions, sorts and similar operations are
// called in no defined order.
static bool isNumbered(stablehlo::RngOp op) {
  auto type = op.getType();
  bool isInOrder = type.hasStaticShape();
  for (Operation *parent = op->getParentOp(); !parent->hasTrait<OpTrait::IsIsolatedFromAbove>();
       parent = parent->getParentOp()) {
    isInOrder &= isa<stablehlo::IfOp, stablehlo::CaseOp, stablehlo::WhileOp>(parent);
  }
  return isInOrder;
}

void decomposeDraws(Region &function) {
  bool areNumbered = true;
  function.walk([&](stablehlo::RngOp op) { areNumbered &= isNumbered(op); });
  if (!areNumbered || function.empty() || !hasDraws(function)) {
    return;
  }
  Operation *first = nullptr;
  function.walk<WalkOrder::PreOrder>([&](stablehlo::RngOp op) {
    first = op;
    return WalkResult::interrupt();
  });
  Block &entry = function.front();
  TensorBuilder b(OpBuilder::atBlockBegin(&entry), first->getLoc());
  drawIn(entry, b.integer(b.unsignedType(64), 0));
}

} // namespace drumlin
