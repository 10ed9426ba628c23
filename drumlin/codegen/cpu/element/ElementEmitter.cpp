#include "drumlin/codegen/cpu/element/ElementEmitter.h"

#include "drumlin/codegen/cpu/element/SpanLoad.h"
#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/SizeOp.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace drumlin::codegen {

ElementEmitter::ElementEmitter(IRBuilder<> &builder, Module &module, const CpuTarget &target)
    : builder(builder), module(module), target(target), indices(builder) {
  scopes.emplace_back();
}

void ElementEmitter::bind(mlir::Value value, Buffer buffer) { buffers[value] = std::move(buffer); }
void ElementEmitter::bind(mlir::Value value, Source source) { sources[value] = std::move(source); }

const Buffer *ElementEmitter::bufferOf(mlir::Value value) const {
  auto found = buffers.find(value);
  return found == buffers.end() ? nullptr : &found->second;
}

void ElementEmitter::fail(Diagnostic diagnostic) {
  if (!failure) {
    failure = std::move(diagnostic);
  }
}

//===- element types -------------------------------------------------------===//

Type *ElementEmitter::computeType(ElementType type) {
  switch (info(type).kind) {
  case ElementKind::Boolean:
    return builder.getInt1Ty();
  case ElementKind::Signed:
  case ElementKind::Unsigned:
    return builder.getIntNTy(std::max(info(type).bits, 8u));
  default:
    return type == ElementType::F64 ? builder.getDoubleTy() : builder.getFloatTy();
  }
}

Type *ElementEmitter::memoryType(ElementType type) {
  if (type == ElementType::F64) {
    return builder.getDoubleTy();
  }
  if (type == ElementType::F32) {
    return builder.getFloatTy();
  }
  return builder.getIntNTy(storageBytes(type) * 8);
}

static Type *withShapeOf(Type *element, Value *like) {
  auto *vector = dyn_cast<FixedVectorType>(like->getType());
  return vector ? FixedVectorType::get(element, vector->getNumElements()) : element;
}

static Constant *constantLike(Value *like, uint64_t bits) {
  return ConstantInt::get(like->getType(), bits);
}

// Calls a function of `perCall` lanes repeatedly until all lanes of the operands are computed. For
// scalars, calls the function once.
Value *ElementEmitter::callByRegisters(StringRef name, Type *resultElement, unsigned perCall,
                                       ArrayRef<Value *> operands) {
  bool scalar = !operands.front()->getType()->isVectorTy();
  unsigned width =
      scalar ? perCall : cast<FixedVectorType>(operands.front()->getType())->getNumElements();
  auto *resultType = FixedVectorType::get(resultElement, perCall);
  auto lanesFrom = [](unsigned first, unsigned count, unsigned of) {
    SmallVector<int> taken;
    for (unsigned lane = first; lane < first + count; ++lane) {
      taken.push_back(static_cast<int>(lane % of));
    }
    return taken;
  };
  SmallVector<Value *> results;
  for (unsigned first = 0; first < width; first += perCall) {
    SmallVector<Value *> parts;
    SmallVector<Type *> types;
    for (Value *operand : operands) {
      Value *part = operand;
      if (scalar) {
        part = builder.CreateVectorSplat(perCall, operand);
      } else if (width != perCall) {
        part = builder.CreateShuffleVector(operand, lanesFrom(first, perCall, width));
      }
      parts.push_back(part);
      types.push_back(part->getType());
    }
    FunctionCallee callee =
        module.getOrInsertFunction(name, FunctionType::get(resultType, types, false));
    results.push_back(builder.CreateCall(callee, parts));
  }
  if (scalar) {
    return builder.CreateExtractElement(results.front(), uint64_t(0));
  }
  if (width < perCall) {
    return builder.CreateShuffleVector(results.front(), lanesFrom(0, width, perCall));
  }
  // Adjacent results are concatenated, pair by pair, until one vector remains.
  while (results.size() > 1) {
    SmallVector<Value *> joined;
    for (size_t i = 0; i < results.size(); i += 2) {
      unsigned half = cast<FixedVectorType>(results[i]->getType())->getNumElements();
      SmallVector<int> all;
      for (unsigned lane = 0; lane < 2 * half; ++lane) {
        all.push_back(static_cast<int>(lane));
      }
      joined.push_back(builder.CreateShuffleVector(results[i], results[i + 1], all));
    }
    results = std::move(joined);
  }
  return results.front();
}

Value *ElementEmitter::callMath(StringRef operation, ElementType type, ArrayRef<Value *> operands) {
  // The library's functions take vectors of 16 lanes of f32 or of an integer type, or of 8 lanes of
  // f64.
  if (operation.contains("_from_")) {
    Type *element = operation.starts_with("f32_from_") ? builder.getFloatTy()
                    : operation.starts_with("bf16") || operation.starts_with("f16")
                        ? static_cast<Type *>(builder.getInt16Ty())
                        : builder.getInt8Ty();
    return callByRegisters(("drumlin_" + operation).str(), element, lanes, operands);
  }
  bool isDouble = type == ElementType::F64;
  return callByRegisters(("drumlin_" + operation + (isDouble ? "_f64" : "_f32")).str(),
                         operands.front()->getType()->getScalarType(), isDouble ? lanes / 2 : lanes,
                         operands);
}

// Rounds to nearest even with integer operations on the bits, since the hardware's conversion to
// bf16 flushes subnormal numbers.
static Value *roundToBfloat16(IRBuilder<> &builder, Value *value) {
  Value *bits = builder.CreateBitCast(value, withShapeOf(builder.getInt32Ty(), value));
  Value *lsb =
      builder.CreateAnd(builder.CreateLShr(bits, constantLike(bits, 16)), constantLike(bits, 1));
  Value *rounded = builder.CreateAdd(builder.CreateAdd(bits, constantLike(bits, 0x7fff)), lsb);
  Value *quiet = builder.CreateOr(bits, constantLike(bits, 0x00400000));
  Value *isNan = builder.CreateFCmpUNO(value, value);
  Value *chosen = builder.CreateSelect(isNan, quiet, rounded);
  Value *kept = builder.CreateAnd(chosen, constantLike(bits, 0xffff0000u));
  return builder.CreateBitCast(kept, value->getType());
}

// Converts the two common 8-bit float types exactly, through the processor's half precision.
static Value *fromFloat8(IRBuilder<> &builder, Value *pattern, ElementType type) {
  Value *bits = builder.CreateSExt(pattern, withShapeOf(builder.getInt16Ty(), pattern));
  if (type == ElementType::F8E5M2) {
    bits = builder.CreateShl(bits, constantLike(bits, 8));
  } else {
    // The bias of the exponent is 7; that of half precision is 15. After the shift, the extended
    // sign occupies two bits, of which one is cleared.
    bits = builder.CreateShl(bits, constantLike(bits, 7));
    bits = builder.CreateAnd(bits, constantLike(bits, 0xbfff));
    // The largest bit pattern is NaN. NaN of half precision has all exponent bits and the first
    // mantissa bit set.
    Value *body = builder.CreateAnd(pattern, constantLike(pattern, 0x7f));
    Value *isNan = builder.CreateICmpEQ(body, constantLike(pattern, 0x7f));
    Value *nan = builder.CreateXor(bits, constantLike(bits, 0x3f80 ^ 0x7e00));
    bits = builder.CreateSelect(isNan, nan, bits);
  }
  Value *half = builder.CreateBitCast(bits, withShapeOf(builder.getHalfTy(), pattern));
  Value *wide = builder.CreateFPExt(half, withShapeOf(builder.getFloatTy(), pattern));
  return type == ElementType::F8E5M2
             ? wide
             : builder.CreateFMul(wide, ConstantFP::get(wide->getType(), 256.0));
}

Value *ElementEmitter::roundProductTo(Value *value, ElementType type) {
  if (info(type).specials == FloatSpecials::ScaleOnly) {
    Value *isLost = builder.CreateFCmpOEQ(value, Constant::getNullValue(value->getType()));
    value = builder.CreateSelect(isLost, ConstantFP::get(value->getType(), decode(type, 0)), value);
  }
  return roundTo(value, type);
}

Value *ElementEmitter::roundTo(Value *value, ElementType type) {
  switch (type) {
  case ElementType::F64:
  case ElementType::F32:
    return value;
  case ElementType::BF16:
    return roundToBfloat16(builder, value);
  case ElementType::F16:
    if (target.convertsHalves()) {
      Value *half = builder.CreateFPTrunc(value, withShapeOf(builder.getHalfTy(), value));
      return builder.CreateFPExt(half, value->getType());
    }
    break;
  default:
    break;
  }
  if (!isFloat(type)) {
    return value;
  }
  return fromMemory(toMemory(value, type), type);
}

Value *ElementEmitter::toMemory(Value *value, ElementType type) {
  if (isBoolean(type)) {
    return builder.CreateZExt(value, withShapeOf(builder.getInt8Ty(), value));
  }
  if (type == ElementType::BF16) {
    // The value is already rounded to bf16, so storing the upper half of its bits is exact.
    Value *bits = builder.CreateBitCast(value, withShapeOf(builder.getInt32Ty(), value));
    return builder.CreateTrunc(builder.CreateLShr(bits, constantLike(bits, 16)),
                               withShapeOf(builder.getInt16Ty(), value));
  }
  if (type == ElementType::F16 && target.convertsHalves()) {
    Value *half = builder.CreateFPTrunc(value, withShapeOf(builder.getHalfTy(), value));
    return builder.CreateBitCast(half, withShapeOf(builder.getInt16Ty(), value));
  }
  if (isFloat(type) && type != ElementType::F32 && type != ElementType::F64) {
    return callMath((name(type) + "_from_f32").str(), type, {value});
  }
  return value;
}

Value *ElementEmitter::fromMemory(Value *value, ElementType type) {
  if (isBoolean(type)) {
    return builder.CreateICmpNE(value, constantLike(value, 0));
  }
  if (type == ElementType::BF16) {
    Value *wide = builder.CreateZExt(value, withShapeOf(builder.getInt32Ty(), value));
    return builder.CreateBitCast(builder.CreateShl(wide, constantLike(wide, 16)),
                                 withShapeOf(builder.getFloatTy(), value));
  }
  if (type == ElementType::F16 && target.convertsHalves()) {
    Value *half = builder.CreateBitCast(value, withShapeOf(builder.getHalfTy(), value));
    return builder.CreateFPExt(half, withShapeOf(builder.getFloatTy(), value));
  }
  bool isFloat8 = type == ElementType::F8E5M2 || type == ElementType::F8E4M3FN;
  if (isFloat8 && target.convertsHalves()) {
    return fromFloat8(builder, value, type);
  }
  if (isFloat(type) && type != ElementType::F32 && type != ElementType::F64) {
    return callMath(("f32_from_" + name(type)).str(), type, {value});
  }
  return value;
}

Value *ElementEmitter::splat(Value *value) {
  return value->getType()->isVectorTy() ? value : builder.CreateVectorSplat(indices.width(), value);
}

void ElementEmitter::unify(MutableArrayRef<Lanes> operands) {
  if (any_of(operands, [](const Lanes &operand) { return operand.isVector(); })) {
    for (Lanes &operand : operands) {
      operand.value = splat(operand.value);
    }
  }
}

//===- memory ---------------------------------------------------------------===//

Value *ElementEmitter::address(const Buffer &buffer, Value *linear) {
  return builder.CreateInBoundsGEP(memoryType(buffer.type), buffer.pointer, linear);
}

Value *ElementEmitter::firstAddress(const Buffer &buffer, const IndexTuple *index) {
  return address(buffer, indices.linear(index).base);
}

template <typename Access> Access *ElementEmitter::within(const Buffer &buffer, Access *access) {
  access->setMetadata(LLVMContext::MD_alias_scope, buffer.scopes);
  access->setMetadata(LLVMContext::MD_noalias, buffer.noalias);
  return access;
}

Value *ElementEmitter::loadSpan(const Buffer &buffer, const LaneIndex &linear) {
  SpanLoad span;
  span.element = memoryType(buffer.type);
  // The base itself may be out of bounds if no active lane reads the element there, so the address
  // isn't marked as in bounds.
  span.base = builder.CreateGEP(span.element, buffer.pointer, linear.base);
  span.form = linear.form;
  span.width = indices.width();
  span.mask = activeMask;
  auto made = [&](Instruction *load) { within(buffer, load); };
  span.made = made;
  return span.emit(builder, target);
}

Lanes ElementEmitter::load(const Buffer &buffer, const IndexTuple *index) {
  const LaneIndex &linear = indices.linear(index);
  Type *element = memoryType(buffer.type);
  Align align(storageBytes(buffer.type));
  if (linear.isUniform()) {
    auto *scalar = builder.CreateAlignedLoad(element, address(buffer, linear.base), align);
    return {wrapToWidth(builder, fromMemory(within(buffer, scalar), buffer.type), buffer.type)};
  }
  auto *type = FixedVectorType::get(element, indices.width());
  Value *loaded = nullptr;
  if (linear.isContiguous()) {
    Value *pointer = address(buffer, linear.base);
    loaded =
        activeMask
            ? within<Instruction>(buffer, builder.CreateMaskedLoad(type, pointer, align, activeMask,
                                                                   Constant::getNullValue(type)))
            : within<Instruction>(buffer, builder.CreateAlignedLoad(type, pointer, align));
  } else if (Value *spanned = linear.vector ? nullptr : loadSpan(buffer, linear)) {
    loaded = spanned;
  } else {
    Value *pointers = address(buffer, indices.asVector(linear));
    loaded = within(buffer, builder.CreateMaskedGather(type, pointers, align, activeMask,
                                                       Constant::getNullValue(type)));
  }
  // In callers' memory, the unused bits of a byte with an integer of 2 or 4 bits are unspecified
  // (drumlin.h).
  return {wrapToWidth(builder, fromMemory(loaded, buffer.type), buffer.type)};
}

void ElementEmitter::store(const Buffer &buffer, const IndexTuple *index, Lanes value) {
  const LaneIndex &linear = indices.linear(index);
  Align align(storageBytes(buffer.type));
  if (linear.isUniform()) {
    Value *scalar =
        value.isVector() ? builder.CreateExtractElement(value.value, uint64_t(0)) : value.value;
    within(buffer, builder.CreateAlignedStore(toMemory(scalar, buffer.type),
                                              address(buffer, linear.base), align));
    return;
  }
  Value *vector = splat(toMemory(value.value, buffer.type));
  if (linear.isContiguous()) {
    Value *pointer = address(buffer, linear.base);
    if (activeMask) {
      within(buffer, builder.CreateMaskedStore(vector, pointer, align, activeMask));
    } else {
      within(buffer, builder.CreateAlignedStore(vector, pointer, align));
    }
    return;
  }
  within(buffer, builder.CreateMaskedScatter(vector, address(buffer, indices.asVector(linear)),
                                             align, activeMask));
}

//===- values ---------------------------------------------------------------===//

const IndexTuple *ElementEmitter::operandIndex(mlir::OpOperand &operand, const IndexTuple *at,
                                               function_ref<const IndexTuple *()> make) {
  auto key = std::make_pair(&operand, at);
  for (Scope &scope : scopes) {
    auto found = scope.operandIndices.find(key);
    if (found != scope.operandIndices.end()) {
      return found->second;
    }
  }
  const IndexTuple *made = make();
  scopes.back().operandIndices[key] = made;
  return made;
}

const IndexTuple *ElementEmitter::scalarIndex() {
  if (!theScalarIndex) {
    theScalarIndex = indices.tuple({}, {});
    indices.linear(theScalarIndex);
  }
  return theScalarIndex;
}

Lanes ElementEmitter::emit(mlir::Value value, const IndexTuple *index) {
  auto key = std::make_pair(value, index);
  for (Scope &scope : scopes) {
    auto single = scope.singles.find(value);
    if (single != scope.singles.end()) {
      return single->second;
    }
    auto found = scope.values.find(key);
    if (found != scope.values.end()) {
      return found->second;
    }
  }
  Lanes made = emitUncached(value, index);
  scopes.back().values[key] = made;
  return made;
}

void ElementEmitter::emitSingle(mlir::Operation *op) {
  Extents shape = extentsOf(op->getResult(0));
  SmallVector<LaneIndex> zeros(shape.size(), indices.constant(0));
  const IndexTuple *at = shape.empty() ? scalarIndex() : indices.tuple(std::move(shape), zeros);
  for (mlir::Value value : op->getResults()) {
    scopes.back().singles[value] = emit(value, at);
  }
}

static Constant *constantOf(Type *type, ElementType elementType, mlir::Attribute element) {
  if (auto integer = dyn_cast<mlir::IntegerAttr>(element)) {
    APInt bits = integer.getValue();
    unsigned width = type->getIntegerBitWidth();
    return ConstantInt::get(type, isSigned(elementType) ? bits.sextOrTrunc(width)
                                                        : bits.zextOrTrunc(width));
  }
  APFloat number = cast<mlir::FloatAttr>(element).getValue();
  if (elementType == ElementType::F32 || elementType == ElementType::F64) {
    return ConstantFP::get(type, number); // keeps all bits of a NaN
  }
  // Decodes with our own tables, because APFloat converts the NaN of f8E8M0FNU to an infinity.
  return ConstantFP::get(type, decode(elementType, number.bitcastToAPInt().getZExtValue()));
}

Lanes ElementEmitter::emitConstant(mlir::Operation *op, const IndexTuple *index) {
  auto elements = dyn_cast<mlir::DenseElementsAttr>(op->getAttr("value"));
  auto type = cast<mlir::RankedTensorType>(op->getResult(0).getType());
  ElementType elementType = elementTypeOf(type.getElementType());
  Type *element = computeType(elementType);
  if (elements && elements.isSplat()) {
    return {constantOf(element, elementType, elements.getSplatValue<mlir::Attribute>())};
  }
  if (!elements) {
    fail(diagnose(errors::UnsupportedNative,
                  "no native code for a constant held by reference inside a kernel"));
    return {UndefValue::get(element)};
  }
  // Emits a small table in the kernel's read-only data. Large constants are inputs of the kernel
  // instead.
  SmallVector<Constant *> table;
  for (mlir::Attribute value : elements.getValues<mlir::Attribute>()) {
    Constant *made = constantOf(element, elementType, value);
    table.push_back(
        isBoolean(elementType)
            ? ConstantInt::get(builder.getInt8Ty(), cast<ConstantInt>(made)->getZExtValue())
            : made);
  }
  Type *stored = isBoolean(elementType) ? builder.getInt8Ty() : element;
  auto *array = ConstantArray::get(ArrayType::get(stored, table.size()), table);
  auto *global = new GlobalVariable(module, array->getType(), true, GlobalValue::PrivateLinkage,
                                    array, "table");
  global->setAlignment(Align(64));
  const LaneIndex &linear = indices.linear(index);
  Align align(stored->getPrimitiveSizeInBits() / 8);
  Value *loaded = nullptr;
  if (linear.isUniform()) {
    loaded = builder.CreateAlignedLoad(
        stored, builder.CreateInBoundsGEP(stored, global, linear.base), align);
  } else {
    auto *vector = FixedVectorType::get(stored, indices.width());
    if (linear.isContiguous()) {
      Value *pointer = builder.CreateInBoundsGEP(stored, global, linear.base);
      Constant *mask =
          ConstantInt::getTrue(FixedVectorType::get(builder.getInt1Ty(), indices.width()));
      loaded = builder.CreateMaskedLoad(vector, pointer, align, activeMask ? activeMask : mask,
                                        Constant::getNullValue(vector));
    } else {
      loaded = builder.CreateMaskedGather(
          vector, builder.CreateInBoundsGEP(stored, global, indices.asVector(linear)), align,
          activeMask, Constant::getNullValue(vector));
    }
  }
  return {isBoolean(elementType)
              ? builder.CreateICmpNE(loaded, Constant::getNullValue(loaded->getType()))
              : loaded};
}

Lanes ElementEmitter::emitUncached(mlir::Value value, const IndexTuple *index) {
  auto buffer = buffers.find(value);
  if (buffer != buffers.end()) {
    return load(buffer->second, index);
  }
  auto source = sources.find(value);
  if (source != sources.end()) {
    return source->second(index);
  }
  mlir::Operation *op = value.getDefiningOp();
  assert(op && "a region's argument is bound before its elements are emitted");
  if (isa<stablehlo::ConstantOp>(op)) {
    return emitConstant(op, index);
  }
  if (auto size = dyn_cast<plan::SizeOp>(op)) {
    auto type = cast<mlir::RankedTensorType>(size.getType()).getElementType();
    return {builder.CreateZExtOrTrunc(extent(size.getSize()),
                                      builder.getIntNTy(type.getIntOrFloatBitWidth()))};
  }
  if (auto kept = emitKept(op, index)) {
    return *kept;
  }
  auto operandAt = [&](mlir::Value operand) {
    // A rank-0 predicate of `select` or bound of `clamp` applies to every element.
    bool isScalar = cast<mlir::RankedTensorType>(operand.getType()).getRank() == 0;
    return emit(operand, isScalar ? scalarIndex() : index);
  };
  if (auto made = emitElementwise(op, operandAt)) {
    return {observed(op, made->value, activeMask)};
  }
  if (auto made = emitShape(op, index)) {
    return *made;
  }
  if (auto made = emitReduce(cast<mlir::OpResult>(value), index)) {
    return *made;
  }
  fail(diagnose(errors::UnsupportedNative,
                ("no native code for `" + op->getName().getStringRef() + "`").str(),
                plan::sourceOf(op->getLoc())));
  return {UndefValue::get(computeType(elementTypeOf(mlir::getElementTypeOrSelf(value.getType()))))};
}

SmallVector<Lanes> ElementEmitter::emitScalarRegion(mlir::Region &region,
                                                    ArrayRef<Lanes> arguments) {
  DenseMap<mlir::Value, Lanes> values;
  mlir::Block &block = region.front();
  for (auto [argument, given] : zip(block.getArguments(), arguments)) {
    values[argument] = given;
  }
  auto valueOf = [&](mlir::Value operand) {
    auto found = values.find(operand);
    // A value defined outside of the region is a scalar tensor that the kernel has.
    return found != values.end() ? found->second : emit(operand, scalarIndex());
  };
  for (mlir::Operation &op : block.without_terminator()) {
    if (isa<stablehlo::ConstantOp>(op)) {
      values[op.getResult(0)] = emitConstant(&op, scalarIndex());
      continue;
    }
    // Data movement of a scalar leaves its value unchanged.
    if (isDataMovement(&op)) {
      values[op.getResult(0)] = valueOf(op.getOperand(0));
      continue;
    }
    auto made = emitElementwise(&op, valueOf);
    if (!made) {
      fail(diagnose(errors::UnsupportedNative,
                    ("no native code for `" + op.getName().getStringRef() + "` in a reducer").str(),
                    plan::sourceOf(op.getLoc())));
      made = Lanes{UndefValue::get(
          computeType(elementTypeOf(mlir::getElementTypeOrSelf(op.getResult(0).getType()))))};
    }
    values[op.getResult(0)] = {observed(&op, made->value, activeMask)};
  }
  SmallVector<Lanes> results;
  for (mlir::Value operand : block.getTerminator()->getOperands()) {
    results.push_back(valueOf(operand));
  }
  return results;
}

Value *ElementEmitter::extent(const SizeExpression &size) {
  if (auto constant = size.constant()) {
    return builder.getInt64(static_cast<uint64_t>(*constant));
  }
  return sizes->emit(size);
}

Extents ElementEmitter::extents(ArrayRef<SizeExpression> shape) {
  Extents made;
  for (const SizeExpression &size : shape) {
    std::optional<int64_t> known = size.constant();
    made.push_back(known ? Extent(*known) : Extent(extent(size)));
  }
  return made;
}

Extents ElementEmitter::extentsOf(mlir::Value value) {
  auto type = cast<mlir::RankedTensorType>(value.getType());
  return hasSymbolicSizes(type) ? extents(symbolicSizesOf(type)) : knownExtents(type.getShape());
}

//===- loops ----------------------------------------------------------------===//

SmallVector<Value *>
ElementEmitter::emitLoop(Value *begin, Value *end, int64_t step, ArrayRef<Value *> carried,
                         function_ref<SmallVector<Value *>(Value *, ArrayRef<Value *>)> body) {
  Function *function = builder.GetInsertBlock()->getParent();
  LLVMContext &context = builder.getContext();
  BasicBlock *before = builder.GetInsertBlock();
  BasicBlock *header = BasicBlock::Create(context, "loop", function);
  BasicBlock *inside = BasicBlock::Create(context, "body", function);
  BasicBlock *after = BasicBlock::Create(context, "done", function);
  builder.CreateBr(header);
  builder.SetInsertPoint(header);
  PHINode *iv = builder.CreatePHI(builder.getInt64Ty(), 2, "i");
  iv->addIncoming(begin, before);
  SmallVector<Value *> phis;
  for (Value *value : carried) {
    PHINode *phi = builder.CreatePHI(value->getType(), 2);
    phi->addIncoming(value, before);
    phis.push_back(phi);
  }
  builder.CreateCondBr(builder.CreateICmpSLT(iv, end), inside, after);
  builder.SetInsertPoint(inside);
  pushScope();
  SmallVector<Value *> next = body(iv, phis);
  popScope();
  Value *stepped =
      builder.CreateAdd(iv, builder.getInt64(static_cast<uint64_t>(step)), "", true, true);
  BasicBlock *latch = builder.GetInsertBlock();
  iv->addIncoming(stepped, latch);
  for (auto [phi, value] : zip(phis, next)) {
    cast<PHINode>(phi)->addIncoming(value, latch);
  }
  builder.CreateBr(header);
  builder.SetInsertPoint(after);
  return phis;
}

void ElementEmitter::emitLoop(Value *begin, Value *end, int64_t step,
                              function_ref<void(Value *)> body) {
  emitLoop(begin, end, step, {}, [&](Value *iv, ArrayRef<Value *>) {
    body(iv);
    return SmallVector<Value *>{};
  });
}

} // namespace drumlin::codegen
