#include "drumlin/transforms/libraries/SplitProduct.h"

#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/plan/LoopOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/YieldOp.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "drumlin/support/Layout.h"
#include "drumlin/transforms/KernelFormation.h"
#include "drumlin/transforms/libraries/ReadValue.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace drumlin {

static Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }
static ArrayRef<int64_t> sizesOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

// Returns a scalar broadcast to a shape.
static Value spread(OpBuilder &builder, Value number, ArrayRef<int64_t> shape, IRMapping &mapping) {
  Location loc = number.getLoc();
  auto type = cast<RankedTensorType>(number.getType()).clone(shape);
  if (auto constant = number.getDefiningOp<stablehlo::ConstantOp>()) {
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue())) {
      return stablehlo::ConstantOp::create(builder, loc, splat.resizeSplat(type));
    }
  }
  if (auto broadcast = number.getDefiningOp<stablehlo::BroadcastInDimOp>()) {
    return spread(builder, broadcast.getOperand(), shape, mapping);
  }
  Value one = copyWithOperands(builder, number, mapping);
  auto scalar = RankedTensorType::get({}, elementOf(number));
  if (one.getType() != scalar) {
    one = stablehlo::ReshapeOp::create(builder, loc, scalar, one);
  }
  return stablehlo::BroadcastInDimOp::create(builder, loc, type, one,
                                             builder.getDenseI64ArrayAttr({}));
}

// Applies an elementwise operation to `to` instead of its operand `from`. The two may differ in
// shape and number of elements.
static Value applied(OpBuilder &builder, Operation *op, Value from, Value to, IRMapping &mapping) {
  IRMapping operands;
  operands.map(from, to);
  for (Value operand : op->getOperands()) {
    if (operand == from) {
      continue;
    }
    // Scalar operands, such as bounds of a clamp, stay scalars.
    bool isScalar = sizesOf(operand).empty() && !sizesOf(from).empty();
    operands.map(operand, isScalar ? copyWithOperands(builder, operand, mapping)
                                   : spread(builder, operand, sizesOf(to), mapping));
  }
  Operation *made = builder.clone(*op, operands);
  made->getResult(0).setType(RankedTensorType::get(sizesOf(to), elementOf(op->getResult(0))));
  return made->getResult(0);
}

static Value moved(OpBuilder &builder, Operation *move, Value to) {
  IRMapping operands;
  operands.map(move->getOperand(0), to);
  Operation *made = builder.clone(*move, operands);
  made->getResult(0).setType(RankedTensorType::get(sizesOf(move->getResult(0)), elementOf(to)));
  return made->getResult(0);
}

static Value transposed(OpBuilder &builder, Value value, ArrayRef<int64_t> permutation) {
  return llvm::is_sorted(permutation)
             ? value
             : stablehlo::TransposeOp::create(builder, value.getLoc(), value,
                                              builder.getDenseI64ArrayAttr(permutation))
                   .getResult();
}

Value ProductSplitter::made(plan::GemmOp gemm, const OperandCut &cut) {
  OpBuilder builder(gemm);
  SmallVector<int64_t> shape;
  for (int64_t dimension : cut.order) {
    shape.push_back(sizesOf(cut.input ? Value(cut.input) : cut.value)[dimension]);
  }
  Type type = RankedTensorType::get(shape, elementOf(cut.value));
  auto loop = plan::LoopOp::create(builder, cut.value.getLoc(), TypeRange(type), gemm.getInputs());
  Block &body = loop.getBody().front();
  builder.setInsertionPointToStart(&body);
  IRMapping mapping;
  mapping.map(gemm.getBody().front().getArguments(), body.getArguments());
  Value value;
  if (cut.input) {
    value = mapping.lookup(cut.input);
    Value from = cut.input;
    for (Operation *op : stepsBetween(cut.input, cut.value)) {
      value = isStridedMovement(op) ? value : applied(builder, op, from, value, mapping);
      from = op->getResult(0);
    }
  } else {
    value = copyWithOperands(builder, cut.value, mapping);
  }
  plan::YieldOp::create(builder, loop.getLoc(), transposed(builder, value, cut.order));
  pruneKernel(loop);
  auto isSame = [&](plan::LoopOp other) {
    return other->getBlock() == loop->getBlock() &&
           OperationEquivalence::isEquivalentTo(other, loop, OperationEquivalence::IgnoreLocations);
  };
  auto known = llvm::find_if(loops, isSame);
  if (known != loops.end()) {
    loop->erase();
    return known->getResult(0);
  }
  loops.push_back(loop);
  return loop.getResult(0);
}

// Returns the dot's operand, computed from the value that a separate kernel has stored.
static Value operandFrom(OpBuilder &builder, const OperandCut &cut, Value made, Value operand,
                         IRMapping &mapping) {
  Value value = transposed(builder, made, inverseOrder(cut.order));
  if (cut.input) {
    for (Operation *op : stepsBetween(cut.input, cut.value)) {
      value = isStridedMovement(op) ? moved(builder, op, value) : value;
    }
  }
  Value from = cut.value;
  for (Operation *op : stepsBetween(cut.value, operand)) {
    IRMapping operands;
    for (Value each : op->getOperands()) {
      if (each != from) {
        operands.map(each, mapping.lookup(each));
      }
    }
    operands.map(from, value);
    value = builder.clone(*op, operands)->getResult(0);
    from = op->getResult(0);
  }
  return value;
}

static Type sumsOf(Value product) {
  return cast<RankedTensorType>(product.getType()).clone(Float32Type::get(product.getContext()));
}

// Creates the kernel that continues from the value that the GEMM stored, which is `end` in the
// region of the original kernel.
static plan::LoopOp madeBehind(OpBuilder &builder, plan::GemmOp gemm, const ProductCut &cut,
                               Value product, const Behind &behind) {
  Operation *yield = gemm.getBody().front().getTerminator();
  SmallVector<Type> types;
  for (unsigned number : behind.results) {
    types.push_back(yield->getOperand(number).getType());
  }
  SmallVector<Value> inputs(gemm.getInputs());
  inputs.push_back(product);
  Location loc = behind.operations.empty() ? gemm.getLoc() : behind.operations.back()->getLoc();
  auto loop = plan::LoopOp::create(builder, loc, types, inputs);
  Block &body = loop.getBody().front();
  OpBuilder inside = OpBuilder::atBlockBegin(&body);
  IRMapping mapping;
  mapping.map(gemm.getBody().front().getArguments(), body.getArguments().drop_back());
  Value end = body.getArguments().back();
  if (cut.endsInSums) {
    end = stablehlo::ConvertOp::create(inside, cut.end.getLoc(), cut.end.getType(), end);
  }
  mapping.map(cut.end, end);
  SmallVector<Value> results;
  for (unsigned number : behind.results) {
    results.push_back(copyWithOperands(inside, yield->getOperand(number), mapping));
  }
  plan::YieldOp::create(inside, loop.getLoc(), results);
  pruneKernel(loop);
  return loop;
}

ProductParts ProductSplitter::split(plan::GemmOp gemm, const ProductCut &cut) {
  Block &block = gemm.getBody().front();
  Operation *hero = contractionOf(block);
  Operation *yield = block.getTerminator();
  SmallVector<Value> inputs(gemm.getInputs());
  for (const OperandCut &operand : cut.operands) {
    if (operand.value) {
      inputs.push_back(made(gemm, operand));
    }
  }
  std::optional<Behind> rest = cut.end ? behind(gemm, cut) : std::nullopt;
  SmallVector<Value> yielded;
  if (rest) {
    yielded.push_back(cut.end);
    for (unsigned number : rest->kept) {
      yielded.push_back(yield->getOperand(number));
    }
  } else {
    llvm::append_range(yielded, yield->getOperands());
  }
  OpBuilder builder(gemm);
  ProductParts parts;
  SmallVector<Type> types(ValueRange(yielded).getTypes());
  if (cut.endsInSums) {
    types.front() = sumsOf(cut.end);
  }
  parts.product = plan::GemmOp::create(builder, gemm.getLoc(), types, inputs);
  parts.product->setDiscardableAttrs(gemm->getDiscardableAttrDictionary());
  Block &body = parts.product.getBody().front();
  OpBuilder inside = OpBuilder::atBlockBegin(&body);
  IRMapping mapping;
  mapping.map(block.getArguments(), body.getArguments().take_front(block.getNumArguments()));
  unsigned next = block.getNumArguments();
  for (Operation &op : block.without_terminator()) {
    if (&op != hero) {
      inside.clone(op, mapping);
      continue;
    }
    SmallVector<Value, 2> operands;
    for (auto [operand, whole] : llvm::zip(cut.operands, hero->getOperands())) {
      operands.push_back(
          operand.value ? operandFrom(inside, operand, body.getArgument(next++), whole, mapping)
                        : mapping.lookup(whole));
    }
    Operation *product = inside.clone(op, mapping);
    product->setOperands(operands);
    if (cut.endsInSums) {
      product->getResult(0).setType(sumsOf(cut.end));
    }
  }
  plan::YieldOp::create(inside, yield->getLoc(), llvm::map_to_vector(yielded, [&](Value value) {
                          return mapping.lookup(value);
                        }));
  pruneKernel(parts.product);
  if (!rest) {
    parts.results.append(parts.product.getResults().begin(), parts.product.getResults().end());
    return parts;
  }
  parts.after = madeBehind(builder, gemm, cut, parts.product.getResult(0), *rest);
  parts.results.assign(yield->getNumOperands(), parts.product.getResult(0));
  for (auto [number, made] : llvm::zip(rest->results, parts.after.getResults())) {
    parts.results[number] = made;
  }
  for (auto [number, made] : llvm::zip(rest->kept, parts.product.getResults().drop_front())) {
    parts.results[number] = made;
  }
  return parts;
}

void ProductSplitter::undo(const ProductParts &parts) {
  // One kernel may compute both operands.
  llvm::SetVector<Value> inputs(parts.product->operand_begin(), parts.product->operand_end());
  if (parts.after) {
    parts.after->erase();
  }
  parts.product->erase();
  for (Value input : inputs) {
    auto loop = input.getDefiningOp<plan::LoopOp>();
    if (loop && loop->use_empty() && llvm::is_contained(loops, loop)) {
      llvm::erase(loops, loop);
      loop->erase();
    }
  }
}

} // namespace drumlin
