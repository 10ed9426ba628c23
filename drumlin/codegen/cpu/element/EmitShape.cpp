// Operations that move elements. Each emits an element of its operand, at the index that
// corresponds to the result's index.
#include "drumlin/codegen/cpu/element/ElementEmitter.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/DynamicSliceOp.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/GatherOp.h"
#include "drumlin/ir/stablehlo/IotaOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace drumlin::codegen {

static Shape shapeOf(mlir::Value value) {
  return Shape(cast<mlir::RankedTensorType>(value.getType()).getShape());
}

// Selects `yes` or `no` by a condition that is uniform or per lane.
static Lanes choose(ElementEmitter &e, Value *condition, Lanes yes, Lanes no) {
  if (condition->getType()->isVectorTy() || yes.isVector() || no.isVector()) {
    yes.value = e.splat(yes.value);
    no.value = e.splat(no.value);
  }
  return {e.ir().CreateSelect(condition, yes.value, no.value)};
}

LaneIndex ElementEmitter::emitSymbol(const IndexingMap::Symbol &symbol, ArrayRef<LaneIndex> at) {
  const IndexTuple *from = at.empty() ? scalarIndex() : indices.tuple(extentsOf(symbol.source), at);
  Value *value = emitClampedIndex(symbol.source, from, symbol.size - 1);
  return value->getType()->isVectorTy() ? indices.fromVector(value) : indices.scalar(value);
}

IndexBuilder::Read ElementEmitter::readAt(const IndexingMap &map, const IndexTuple *at,
                                          mlir::Value operand) {
  return indices.read(map, at, extentsOf(operand),
                      [&](const IndexingMap::Symbol &symbol, ArrayRef<LaneIndex> held) {
                        return emitSymbol(symbol, held);
                      });
}

Lanes ElementEmitter::emitRead(mlir::Value value, const IndexBuilder::Read &read,
                               std::optional<Lanes> otherwise) {
  if (!read.from) {
    return otherwise ? *otherwise
                     : Lanes{Constant::getNullValue(computeType(
                           elementTypeOf(mlir::getElementTypeOrSelf(value.getType()))))};
  }
  const IndexTuple *from = read.from->shape.empty() ? scalarIndex() : read.from;
  if (!read.inside) {
    return emit(value, from);
  }
  // If the condition is the same for all lanes, clamped indices make a mask unnecessary.
  bool isOne = !read.inside->getType()->isVectorTy() &&
               none_of(indices.dims(from), [](const LaneIndex &dim) { return dim.mayLeave; });
  Value *mask = activeMask;
  if (isOne) {
    from = indices.tuple(from->shape, indices.dims(from));
  } else {
    Value *inside = splat(read.inside);
    mask = activeMask ? builder.CreateAnd(activeMask, inside) : inside;
  }
  llvm::SaveAndRestore<Value *> saved(activeMask, mask);
  pushScope();
  Lanes result = emit(value, from);
  popScope();
  return otherwise ? choose(*this, read.inside, result, *otherwise) : result;
}

// Emits the operand's element for a map without constraints. The operand's index is created once,
// so that elements of shared operands are emitted once.
Lanes ElementEmitter::emitMoved(mlir::OpOperand &operand, const IndexTuple *at) {
  IndexBuilder::Read read;
  read.from = operandIndex(operand, at,
                           [&]() { return readAt(*indexing(operand), at, operand.get()).from; });
  return emitRead(operand.get(), read);
}

static Lanes emitPad(ElementEmitter &e, stablehlo::PadOp op, const IndexTuple *at) {
  Lanes padding = e.emit(op.getPaddingValue(), e.scalarIndex());
  mlir::OpOperand &operand = op->getOpOperand(0);
  return e.emitRead(operand.get(), e.readAt(*indexing(operand), at, operand.get()), padding);
}

// Returns the elements even[0], odd[0], even[1], odd[1], …
static Value *interleave(IRBuilder<> &b, Value *even, Value *odd) {
  auto count = static_cast<int>(cast<FixedVectorType>(even->getType())->getNumElements());
  SmallVector<int> taken;
  for (int lane = 0; lane < count; ++lane) {
    taken.append({lane, count + lane});
  }
  return b.CreateShuffleVector(even, odd, taken);
}

// Emits a concatenation along the last dimension of operands of size 1, such as the real and
// imaginary parts of complex numbers. Each operand is computed in a narrower vector, only for its
// own lanes, and the vectors are interleaved. Returns nullopt if that isn't possible.
static std::optional<Lanes> emitInterleaved(ElementEmitter &e, stablehlo::ConcatenateOp op,
                                            const IndexTuple *at) {
  constexpr unsigned maxOperands = 4;
  Shape shape = shapeOf(op.getResult());
  unsigned count = op->getNumOperands(), width = e.index().width();
  bool isLast =
      op.getDimension() + 1 == shape.size() &&
      all_of(op->getOperands(), [](mlir::Value part) { return shapeOf(part).back() == 1; });
  if (!isLast || !isPowerOf2_32(count) || count == 1 || count > maxOperands || width % count != 0 ||
      e.activeLanes() || e.isObserved()) {
    return std::nullopt;
  }
  LaneIndex first = e.index().linear(at);
  if (!first.isContiguous() || first.form.alignment % count != 0 ||
      first.form.residue % count != 0 ||
      !all_of(op.getOperands(), [&](mlir::Value operand) { return e.isMadeOfMemory(operand); })) {
    return std::nullopt;
  }
  first.form.stride = 0;
  LaneIndex each = e.index().divide(first, count);
  each.form.stride = 1;
  Extents partShape = e.extentsOf(op.getOperand(0));
  // If the lanes are within one row, they have the same index in the outer dimensions.
  SmallVector<LaneIndex> dims;
  if (at->hasDims) {
    dims.append(at->dims.begin(), at->dims.end() - 1);
    LaneIndex &inRow = dims.back();
    bool isRow =
        all_of(ArrayRef(dims).drop_back(), [](const LaneIndex &d) { return d.isUniform(); });
    if (isRow && inRow.base && !inRow.form.varies) {
      inRow.form.steps.clear();
      inRow.form.stride = 1;
      dims.push_back(e.index().constant(0));
    } else {
      dims.clear();
    }
  }
  e.index().setWidth(width / count);
  e.pushScope();
  const IndexTuple *from = dims.empty() ? e.index().tupleFromLinear(partShape, each)
                                        : e.index().tuple(partShape, dims, each);
  SmallVector<Value *> parts = map_to_vector(
      op.getOperands(), [&](mlir::Value operand) { return e.splat(e.emit(operand, from).value); });
  e.popScope();
  e.index().setWidth(width);
  for (size_t half = count / 2; half != 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) {
      parts[i] = interleave(e.ir(), parts[i], parts[half + i]);
    }
  }
  return Lanes{parts.front()};
}

static Lanes emitConcatenate(ElementEmitter &e, stablehlo::ConcatenateOp op, const IndexTuple *at) {
  if (std::optional<Lanes> made = emitInterleaved(e, op, at)) {
    return *made;
  }
  std::optional<Lanes> result;
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    IndexBuilder::Read read = e.readAt(*indexing(operand), at, operand.get());
    if (read.from) {
      result = e.emitRead(operand.get(), read, result);
    }
  }
  return result ? *result : e.emitRead(op.getOperand(0), {});
}

static Lanes emitDynamicUpdateSlice(ElementEmitter &e, stablehlo::DynamicUpdateSliceOp op,
                                    const IndexTuple *at) {
  mlir::OpOperand &update = op->getOpOperand(1);
  IndexBuilder::Read read = e.readAt(*indexing(update), at, update.get());
  bool isWhole = read.from && !read.inside;
  return isWhole ? e.emitRead(update.get(), read)
                 : e.emitRead(update.get(), read, e.emit(op.getOperand(), at));
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
  return emitClampedIndex(value, at, builder.getInt64(static_cast<uint64_t>(largest)));
}

Value *ElementEmitter::emitClampedIndex(mlir::Value value, const IndexTuple *at, Value *largest) {
  Value *index = emitInteger(value, at);
  Type *type = index->getType();
  Value *atLeast =
      builder.CreateBinaryIntrinsic(Intrinsic::smax, index, Constant::getNullValue(type));
  return builder.CreateBinaryIntrinsic(Intrinsic::smin, atLeast,
                                       type->isVectorTy() ? splat(largest) : largest);
}

// Returns the operand that is read for an index of the result, and the index into it. Null if more
// than one operand is read, or if some lanes read nothing.
static std::pair<mlir::Value, const IndexTuple *> onlyRead(ElementEmitter &e, mlir::Operation *op,
                                                           const IndexTuple *at) {
  bool isChoice = isa<stablehlo::ConcatenateOp, stablehlo::PadOp>(op);
  size_t count = isa<stablehlo::ConcatenateOp>(op) ? op->getNumOperands() : 1;
  if (!isChoice && !isDataMovement(op) &&
      !isa<stablehlo::GatherOp, stablehlo::DynamicSliceOp>(op)) {
    return {};
  }
  std::pair<mlir::Value, const IndexTuple *> only;
  for (mlir::OpOperand &operand : op->getOpOperands().take_front(count)) {
    std::optional<IndexingMap> map = indexing(operand);
    if (!map) {
      return {};
    }
    IndexBuilder::Read read = e.readAt(*map, at, operand.get());
    if (read.from && (read.inside || only.first)) {
      return {};
    }
    if (read.from) {
      only = {operand.get(), read.from};
    }
  }
  return only;
}

Value *ElementEmitter::copiedFrom(mlir::Value value, const IndexTuple *at) {
  while (!bufferOf(value)) {
    mlir::Operation *op = value.getDefiningOp();
    if (!op || hasSymbolicShapes(op) || sources.contains(value)) {
      return nullptr;
    }
    std::tie(value, at) = onlyRead(*this, op, at);
    if (!value || at->shape.empty()) {
      return nullptr;
    }
  }
  return indices.linear(at).isContiguous() ? firstAddress(*bufferOf(value), at) : nullptr;
}

bool ElementEmitter::isMadeOfMemory(mlir::Value value) const {
  SmallVector<mlir::Value> left = {value};
  SmallPtrSet<mlir::Operation *, 8> seen;
  while (!left.empty()) {
    mlir::Value each = left.pop_back_val();
    if (bufferOf(each)) {
      continue;
    }
    mlir::Operation *op = each.getDefiningOp();
    if (hoisting || !op || sources.contains(each) || hasSymbolicShapes(op)) {
      return false;
    }
    OperationClass kind = classify(op);
    if (kind == OperationClass::Constant || !seen.insert(op).second) {
      continue;
    }
    if (kind != OperationClass::Pointwise && kind != OperationClass::DataMovement) {
      return false;
    }
    append_range(left, op->getOperands());
  }
  return true;
}

std::optional<Lanes> ElementEmitter::emitShape(mlir::Operation *op, const IndexTuple *at) {
  auto known = dyn_cast<IndexingInterface>(op);
  if (known && hasSymbolicShapes(op) && known.readsBySizes()) {
    if (std::optional<Lanes> made = emitSizedMove(op, at)) {
      return made;
    }
  }
  if (isDataMovement(op)) {
    return emitMoved(op->getOpOperand(0), at);
  }
  return TypeSwitch<mlir::Operation *, std::optional<Lanes>>(op)
      .Case<stablehlo::DynamicSliceOp, stablehlo::GatherOp>(
          [&](auto move) { return emitMoved(move->getOpOperand(0), at); })
      .Case<stablehlo::PadOp>([&](auto pad) { return emitPad(*this, pad, at); })
      .Case<stablehlo::ConcatenateOp>(
          [&](auto concatenate) { return emitConcatenate(*this, concatenate, at); })
      .Case<stablehlo::DynamicUpdateSliceOp>(
          [&](auto update) { return emitDynamicUpdateSlice(*this, update, at); })
      .Case<stablehlo::IotaOp>([&](stablehlo::IotaOp iota) {
        ElementType type = elementTypeOf(iota.getType().getElementType());
        LaneIndex dim = indices.dims(at)[static_cast<size_t>(iota.getIotaDimension())];
        Value *position = indices.asValue(dim);
        if (isFloat(type)) {
          // Positions are below 2^53. They are exact in f64 and are rounded once, to the result's
          // type.
          return convert({position}, ElementType::SI64, type);
        }
        Type *element =
            position->getType()->isVectorTy()
                ? static_cast<Type *>(FixedVectorType::get(computeType(type), indices.width()))
                : computeType(type);
        return Lanes{wrapToWidth(builder, builder.CreateTrunc(position, element), type)};
      })
      .Default([](auto) { return std::nullopt; });
}

} // namespace drumlin::codegen
