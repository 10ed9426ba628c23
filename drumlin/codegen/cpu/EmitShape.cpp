// Operations that move elements: each asks its operand for the element that lies where the result's
// index says.
#include "drumlin/codegen/cpu/ElementEmitter.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace drumlin::codegen {

static Shape shapeOf(mlir::Value value) {
  return Shape(cast<mlir::RankedTensorType>(value.getType()).getShape());
}

static Value *conjunction(ElementEmitter &e, Value *a, Value *b) {
  if (!a || !b) {
    return a ? a : b;
  }
  if (a->getType() != b->getType()) {
    a = e.splat(a);
    b = e.splat(b);
  }
  return e.ir().CreateAnd(a, b);
}

// 0 <= index < size, as one unsigned comparison.
static Value *isInside(ElementEmitter &e, const LaneIndex &index, int64_t size) {
  Value *value = e.index().asValue(index);
  return e.ir().CreateICmpULT(value,
                              ConstantInt::get(value->getType(), static_cast<uint64_t>(size)));
}

// Emits `value` at an index that may lie outside for some lanes (those that `inside` excludes):
// nothing is read there.
static Lanes emitGuarded(ElementEmitter &e, mlir::Value value, Value *inside,
                         function_ref<const IndexTuple *()> makeIndex) {
  Value *saved = e.activeLanes();
  if (inside) {
    e.setActiveLanes(conjunction(e, saved, e.splat(inside)));
  }
  e.pushScope();
  Lanes result = e.emit(value, makeIndex());
  e.popScope();
  e.setActiveLanes(saved);
  return result;
}

static Lanes choose(ElementEmitter &e, Value *condition, Lanes yes, Lanes no) {
  Lanes operands[2] = {yes, no};
  bool vector = condition->getType()->isVectorTy() || yes.isVector() || no.isVector();
  if (vector) {
    operands[0].value = e.splat(operands[0].value);
    operands[1].value = e.splat(operands[1].value);
    condition = e.splat(condition);
  }
  return {e.ir().CreateSelect(condition, operands[0].value, operands[1].value)};
}

// pad(x, p)[i] = x[(i - low) / (interior + 1)] where that is whole and inside, else p.
static Lanes emitPad(ElementEmitter &e, stablehlo::PadOp op, const IndexTuple *at) {
  IndexBuilder &index = e.index();
  Shape shape = shapeOf(op.getOperand());
  Lanes padding = e.emit(op.getPaddingValue(), e.scalarIndex());
  for (int64_t size : shape) {
    if (size == 0) {
      return padding;
    }
  }
  Value *inside = nullptr;
  SmallVector<LaneIndex> dims;
  ArrayRef<LaneIndex> given = index.dims(at);
  for (size_t i = 0; i < shape.size(); ++i) {
    int64_t low = op.getEdgePaddingLow()[i];
    int64_t high = op.getEdgePaddingHigh()[i];
    int64_t step = op.getInteriorPadding()[i] + 1;
    LaneIndex shifted = index.addConstant(given[i], -low);
    if (step > 1) {
      // Negative numerators are outside whatever the quotient is: they are tested before dividing.
      Value *value = index.asValue(shifted);
      Value *bound =
          ConstantInt::get(value->getType(), static_cast<uint64_t>(dilatedSize(shape[i], step)));
      inside = conjunction(e, inside, e.ir().CreateICmpULT(value, bound));
      Value *rest =
          e.ir().CreateURem(value, ConstantInt::get(value->getType(), static_cast<uint64_t>(step)));
      inside = conjunction(e, inside,
                           e.ir().CreateICmpEQ(rest, Constant::getNullValue(rest->getType())));
      Value *whole =
          e.ir().CreateUDiv(value, ConstantInt::get(value->getType(), static_cast<uint64_t>(step)));
      shifted = shifted.isUniform() ? index.scalar(whole) : index.fromVector(whole);
    } else if (low != 0 || high > 0) {
      inside = conjunction(e, inside, isInside(e, shifted, shape[i]));
    }
    dims.push_back(index.leaving(shifted, shape[i]));
  }
  if (!inside) {
    return e.emit(op.getOperand(), e.operandIndex(op->getOpOperand(0), at,
                                                  [&]() { return index.tuple(shape, dims); }));
  }
  Lanes value = emitGuarded(e, op.getOperand(), inside, [&]() { return index.tuple(shape, dims); });
  return choose(e, inside, value, padding);
}

static Lanes emitConcatenate(ElementEmitter &e, stablehlo::ConcatenateOp op, const IndexTuple *at) {
  IndexBuilder &index = e.index();
  size_t dimension = static_cast<size_t>(op.getDimension());
  SmallVector<LaneIndex> given(index.dims(at));
  int64_t offset = 0;
  Lanes result;
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    Shape shape = shapeOf(operand.get());
    int64_t size = shape[dimension];
    if (size == 0) {
      continue;
    }
    SmallVector<LaneIndex> dims = given;
    LaneIndex shifted = index.addConstant(given[dimension], -offset);
    Value *inside = isInside(e, shifted, size);
    dims[dimension] = index.leaving(shifted, size);
    Lanes value = emitGuarded(e, operand.get(), inside, [&]() { return index.tuple(shape, dims); });
    result = result.value ? choose(e, inside, value, result) : value;
    offset += size;
  }
  return result;
}

Value *ElementEmitter::emitInteger(mlir::Value value, const IndexTuple *at) {
  ElementType type = elementTypeOf(mlir::getElementTypeOrSelf(value.getType()));
  Value *raw = emit(value, at).value;
  Type *wide =
      raw->getType()->isVectorTy()
          ? static_cast<Type *>(FixedVectorType::get(builder.getInt64Ty(), indices.width()))
          : builder.getInt64Ty();
  if (isSigned(type)) {
    return builder.CreateSExt(raw, wide);
  }
  Value *largest = ConstantInt::get(wide, std::numeric_limits<int64_t>::max());
  return builder.CreateBinaryIntrinsic(Intrinsic::umin, builder.CreateZExt(raw, wide), largest);
}

Value *ElementEmitter::emitClampedIndex(mlir::Value value, const IndexTuple *at, int64_t largest) {
  Value *index = emitInteger(value, at);
  Type *type = index->getType();
  Value *atLeast =
      builder.CreateBinaryIntrinsic(Intrinsic::smax, index, Constant::getNullValue(type));
  return builder.CreateBinaryIntrinsic(Intrinsic::smin, atLeast,
                                       ConstantInt::get(type, static_cast<uint64_t>(largest)));
}

static Lanes emitDynamicSlice(ElementEmitter &e, stablehlo::DynamicSliceOp op,
                              const IndexTuple *at) {
  IndexBuilder &index = e.index();
  Shape shape = shapeOf(op.getOperand());
  const IndexTuple *from = e.operandIndex(op->getOpOperand(0), at, [&]() {
    SmallVector<LaneIndex> dims;
    ArrayRef<LaneIndex> given = index.dims(at);
    for (size_t i = 0; i < shape.size(); ++i) {
      int64_t largest = shape[i] - op.getSliceSizes()[i];
      Value *start = e.emitClampedIndex(op.getStartIndices()[i], e.scalarIndex(), largest);
      dims.push_back(index.add(given[i], index.scalar(start)));
    }
    return index.tuple(shape, dims);
  });
  return e.emit(op.getOperand(), from);
}

// dynamic_update_slice(x, u, s)[i] = u[i - s] where that is inside u, else x[i].
static Lanes emitDynamicUpdateSlice(ElementEmitter &e, stablehlo::DynamicUpdateSliceOp op,
                                    const IndexTuple *at) {
  IndexBuilder &index = e.index();
  Shape shape = shapeOf(op.getOperand());
  Shape update = shapeOf(op.getUpdate());
  for (int64_t size : update) {
    if (size == 0) {
      return e.emit(op.getOperand(), at);
    }
  }
  Value *inside = nullptr;
  SmallVector<LaneIndex> dims;
  SmallVector<LaneIndex> given(index.dims(at));
  for (size_t i = 0; i < shape.size(); ++i) {
    Value *start =
        e.emitClampedIndex(op.getStartIndices()[i], e.scalarIndex(), shape[i] - update[i]);
    LaneIndex shifted = index.add(given[i], index.scalar(e.ir().CreateNeg(start)));
    if (update[i] != shape[i]) {
      inside = conjunction(e, inside, isInside(e, shifted, update[i]));
    }
    dims.push_back(update[i] != shape[i] ? index.leaving(shifted, update[i]) : shifted);
  }
  if (!inside) {
    return e.emit(op.getUpdate(), index.tuple(update, dims));
  }
  Lanes kept = e.emit(op.getOperand(), at);
  Lanes updated =
      emitGuarded(e, op.getUpdate(), inside, [&]() { return index.tuple(update, dims); });
  return choose(e, inside, updated, kept);
}

std::optional<Lanes> ElementEmitter::emitShape(mlir::Operation *op, const IndexTuple *at) {
  return TypeSwitch<mlir::Operation *, std::optional<Lanes>>(op)
      .Case<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp, stablehlo::TransposeOp,
            stablehlo::SliceOp, stablehlo::ReverseOp>([&](auto move) {
        mlir::OpOperand &operand = move->getOpOperand(0);
        if (shapeOf(operand.get()).empty()) {
          return emit(operand.get(), scalarIndex());
        }
        return emit(operand.get(), operandIndex(operand, at, [&]() {
                      return indices.along(*indexing(operand), at);
                    }));
      })
      .Case<stablehlo::PadOp>([&](auto pad) { return emitPad(*this, pad, at); })
      .Case<stablehlo::ConcatenateOp>(
          [&](auto concatenate) { return emitConcatenate(*this, concatenate, at); })
      .Case<stablehlo::DynamicSliceOp>(
          [&](auto slice) { return emitDynamicSlice(*this, slice, at); })
      .Case<stablehlo::DynamicUpdateSliceOp>(
          [&](auto update) { return emitDynamicUpdateSlice(*this, update, at); })
      .Case<stablehlo::IotaOp>([&](stablehlo::IotaOp iota) {
        ElementType type = elementTypeOf(iota.getType().getElementType());
        LaneIndex dim = indices.dims(at)[static_cast<size_t>(iota.getIotaDimension())];
        Value *position = indices.asValue(dim);
        if (isFloat(type)) {
          // Positions are below 2^53: exact in f64, then rounded once.
          return convert({position}, ElementType::SI64, type);
        }
        return Lanes{builder.CreateTrunc(position, position->getType()->isVectorTy()
                                                       ? static_cast<Type *>(FixedVectorType::get(
                                                             computeType(type), indices.width()))
                                                       : computeType(type))};
      })
      .Default([](auto) { return std::nullopt; });
}

} // namespace drumlin::codegen
