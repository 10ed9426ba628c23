#include "drumlin/codegen/cpu/GemmProblem.h"

#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace drumlin::codegen {

static ElementType typeOf(mlir::Value value) {
  return elementTypeOf(mlir::getElementTypeOrSelf(value.getType()));
}

int64_t GemmProblem::product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes) {
    result *= size;
  }
  return result;
}

GemmProblem::GemmProblem(KernelFrame &frame, mlir::Operation *hero)
    : result(hero->getResult(0)), frame(frame), hero(hero), lhs(hero->getOperand(0)),
      rhs(hero->getOperand(1)) {
  if (isa<stablehlo::DotGeneralOp>(hero)) {
    analyzeDot(hero);
  } else {
    analyzeConvolution(hero);
  }
  batch = product(groups[Batch]);
  m = product(groups[M]);
  n = product(groups[N]);
  k = product(groups[K]);
  chooseTypes();
}

//===- roles of dimensions --------------------------------------------------===//

void GemmProblem::analyzeDot(mlir::Operation *op) {
  auto dot = cast<stablehlo::DotGeneralOp>(op);
  auto numbers = dot.getDotDimensionNumbers();
  ArrayRef<int64_t> lhsShape = shapeOf(lhs), rhsShape = shapeOf(rhs);
  lhsRoles.resize(lhsShape.size());
  rhsRoles.resize(rhsShape.size());
  auto add = [&](GroupName group, int64_t size) {
    groups[group].push_back(size);
    return Role{group, groups[group].size() - 1};
  };
  auto at = [](auto &list, int64_t i) -> auto & { return list[static_cast<size_t>(i)]; };
  for (auto [left, right] :
       zip(numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions())) {
    Role role = add(Batch, at(lhsShape, left));
    at(lhsRoles, left) = at(rhsRoles, right) = role;
    resultRoles.push_back(role);
  }
  // The order of contracted dimensions is free: in that of the larger operand its elements lie in a
  // row.
  SmallVector<std::pair<int64_t, int64_t>> contracted;
  for (auto [left, right] :
       zip(numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions())) {
    contracted.push_back({left, right});
  }
  bool byLhs = product(lhsShape) >= product(rhsShape);
  sort(contracted, [&](auto a, auto b) { return byLhs ? a.first < b.first : a.second < b.second; });
  for (auto [left, right] : contracted) {
    at(lhsRoles, left) = at(rhsRoles, right) = add(K, at(lhsShape, left));
  }
  for (int64_t dimension : dot.getLhsFreeDimensions()) {
    resultRoles.push_back(at(lhsRoles, dimension) = add(M, at(lhsShape, dimension)));
  }
  for (int64_t dimension : dot.getRhsFreeDimensions()) {
    resultRoles.push_back(at(rhsRoles, dimension) = add(N, at(rhsShape, dimension)));
  }
}

//===- types ------------------------------------------------------------------===//

// Operands whose products are of another kind than the result are converted to the result's type
// first.
static bool sameProductKind(ElementType operand, ElementType result) {
  return info(operand).kind == info(result).kind || (isInteger(operand) && isInteger(result));
}

bool GemmProblem::allowsPairs() const {
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(hero)) {
    return dot.precisionOrDefault(0) == stablehlo::Precision::DEFAULT &&
           dot.precisionOrDefault(1) == stablehlo::Precision::DEFAULT;
  }
  auto convolution = cast<stablehlo::ConvolutionOp>(hero);
  return convolution.precisionOrDefault(0) == stablehlo::Precision::DEFAULT &&
         convolution.precisionOrDefault(1) == stablehlo::Precision::DEFAULT;
}

// Whether every value of a type is one of bf16, and none of them is subnormal there unless it is
// one of bf16 itself.
static bool fitsBf16(ElementType type) {
  return type == ElementType::BF16 ||
         (isFloat(type) && info(type).bits <= 8 && type != ElementType::F8E8M0FNU);
}

// Whether every value of an integer type is one of a signed 16-bit integer.
static bool fitsInt16(ElementType type) {
  return isBoolean(type) || (isInteger(type) && info(type).bits <= 8) || type == ElementType::SI16;
}

void GemmProblem::chooseTypes() {
  ElementType left = typeOf(lhs), right = typeOf(rhs), out = typeOf(result);
  if (isFloat(out)) {
    bool wide = llvm::is_contained({left, right, out}, ElementType::F64);
    sumType = wide ? ElementType::F64 : ElementType::F32;
    if (fitsBf16(left) && fitsBf16(right) && !wide && frame.target.hasBf16Dot && allowsPairs()) {
      productForm = ProductForm::Bf16Pairs;
    }
    return;
  }
  // Sums wrap, so that as many bits as the result has are enough.
  sumType = info(out).bits > 32 ? ElementType::SI64 : ElementType::SI32;
  if (sumType == ElementType::SI32 && fitsInt16(left) && fitsInt16(right) &&
      frame.target.hasInt8Dot) {
    productForm = ProductForm::Int16Pairs;
  }
}

Type *GemmProblem::sumLlvmType() const { return frame.emitter.computeType(sumType); }
Type *GemmProblem::termType() const {
  return productForm == ProductForm::Single ? sumLlvmType() : frame.builder.getInt16Ty();
}
Type *GemmProblem::unitType() const {
  return productForm == ProductForm::Single ? sumLlvmType() : frame.builder.getInt32Ty();
}

Lanes GemmProblem::rounded(Value *sums) {
  auto isScale = [](mlir::Value value) {
    return info(typeOf(value)).specials == FloatSpecials::ScaleOnly;
  };
  if (isScale(lhs) && isScale(rhs) && isScale(result) && product(groups[K]) > 0) {
    return {frame.emitter.roundProductTo(sums, typeOf(result))};
  }
  return frame.emitter.convert({sums}, sumType, typeOf(result));
}

//===- indices ----------------------------------------------------------------===//

// Vectors of indices below 2^31 are divided in 32 bits: there are no instructions for the high half
// of a 64-bit product.
LaneIndex GemmProblem::divide(const LaneIndex &at, int64_t by, bool wantRemainder, int64_t limit) {
  IndexBuilder &index = frame.emitter.index();
  IRBuilder<> &b = frame.builder;
  LaneIndex result = wantRemainder ? index.remainder(at, by) : index.divide(at, by);
  auto *wide = result.vector ? dyn_cast<Instruction>(result.vector) : nullptr;
  if (!wide || limit > std::numeric_limits<int32_t>::max() || !wide->isBinaryOp()) {
    return result;
  }
  auto *type = cast<FixedVectorType>(wide->getType());
  Value *narrow = b.CreateTrunc(wide->getOperand(0),
                                FixedVectorType::get(b.getInt32Ty(), type->getNumElements()));
  Constant *divisor = ConstantInt::get(narrow->getType(), static_cast<uint64_t>(by));
  Value *divided = wantRemainder ? b.CreateURem(narrow, divisor) : b.CreateUDiv(narrow, divisor);
  wide->eraseFromParent();
  return index.fromVector(b.CreateZExt(divided, type));
}

LaneIndex GemmProblem::part(unsigned group, size_t first, size_t last, const LaneIndex &at) {
  ArrayRef<int64_t> sizes = groups[group];
  int64_t limit = product(sizes);
  LaneIndex moved =
      divide(at, std::max<int64_t>(product(sizes.drop_front(last + 1)), 1), false, limit);
  if (first == 0) {
    return moved;
  }
  return divide(moved, std::max<int64_t>(product(sizes.slice(first, last - first + 1)), 1), true,
                limit);
}

const IndexTuple *GemmProblem::tupleFor(mlir::Value value, ArrayRef<Role> roles,
                                        const GroupIndices &at) {
  IndexBuilder &index = frame.emitter.index();
  Shape shape(shapeOf(value));
  Shape strides = rowMajorStrides(shape);
  // Neighbouring dimensions that are neighbours in their group too need no division: they are
  // walked as one.
  SmallVector<size_t> varying;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1) {
      varying.push_back(i);
    }
  }
  auto follows = [&](const Role &before, const Role &after) {
    bool padded = innermost != 0 && after.group == M && after.position + 1 == groups[M].size();
    if (before.group != after.group || before.position >= after.position || padded) {
      return false;
    }
    ArrayRef<int64_t> between = ArrayRef<int64_t>(groups[after.group]).slice(before.position + 1);
    return all_of(between.take_front(after.position - before.position - 1),
                  [](int64_t size) { return size == 1; });
  };
  LaneIndex linear = index.constant(0);
  bool isFirst = true;
  for (size_t i = 0; i < varying.size();) {
    size_t j = i;
    while (j + 1 < varying.size() && follows(roles[varying[j]], roles[varying[j + 1]])) {
      ++j;
    }
    const Role &first = roles[varying[i]], &last = roles[varying[j]];
    LaneIndex moved = index.multiply(
        part(first.group, first.position, last.position, at[first.group]), strides[varying[j]]);
    linear = isFirst ? moved : index.add(linear, moved);
    isFirst = false;
    i = j + 1;
  }
  if (frame.emitter.bufferOf(value)) {
    return index.tupleFromLinear(std::move(shape), linear);
  }
  SmallVector<LaneIndex> dims;
  for (size_t i = 0; i < shape.size(); ++i) {
    const Role &role = roles[i];
    dims.push_back(shape[i] == 1 ? index.constant(0)
                                 : part(role.group, role.position, role.position, at[role.group]));
  }
  const IndexTuple *tuple = index.tuple(std::move(shape), dims);
  const_cast<IndexTuple *>(tuple)->linear = linear;
  return tuple;
}

GemmProblem::GroupIndices GemmProblem::indices(const LaneIndex &b, const LaneIndex &atM,
                                               const LaneIndex &atN, const LaneIndex &atK) {
  IndexBuilder &index = frame.emitter.index();
  GroupIndices at = {b, atM, atN, atK, index.constant(0)};
  if (isa<stablehlo::ConvolutionOp>(hero)) {
    at[Features] = batch == 1 ? atN : index.add(index.multiply(b, n), atN);
  }
  return at;
}

const IndexTuple *GemmProblem::resultIndex(const LaneIndex &b, const LaneIndex &atM,
                                           const LaneIndex &atN) {
  return tupleFor(result, resultRoles, indices(b, atM, atN, frame.emitter.index().constant(0)));
}

//===- operands ---------------------------------------------------------------===//

Value *GemmProblem::term(GemmOperand operand, const LaneIndex &b, const LaneIndex &free,
                         const LaneIndex &depth) {
  ElementEmitter &e = frame.emitter;
  bool isLhs = operand == GemmOperand::Lhs;
  LaneIndex none = e.index().constant(0);
  GroupIndices at = isLhs ? indices(b, free, none, depth) : indices(b, none, free, depth);
  mlir::Value value = isLhs ? lhs : rhs;
  Lanes element;
  if (isLhs && isa<stablehlo::ConvolutionOp>(hero)) {
    element = convolutionInput(at);
  } else {
    element = e.emit(value, tupleFor(value, isLhs ? lhsRoles : rhsRoles, at));
  }
  return asTerm(element, typeOf(value));
}

Value *GemmProblem::asTerm(Lanes element, ElementType type) {
  ElementEmitter &e = frame.emitter;
  ElementType out = typeOf(result);
  if (!sameProductKind(type, out)) {
    element = e.convert(element, type, out);
    type = out;
  }
  switch (productForm) {
  case ProductForm::Bf16Pairs:
    return e.toMemory(element.value, ElementType::BF16);
  case ProductForm::Int16Pairs:
    return e.convert(element, type, ElementType::SI16).value;
  case ProductForm::Single:
    break;
  }
  // Narrow floats are computed with in f32 already.
  return isFloat(type) && sumType == ElementType::F32 ? element.value
                                                      : e.convert(element, type, sumType).value;
}

//===- probing ----------------------------------------------------------------===//

int64_t GemmProblem::probe(function_ref<int64_t(Function &, ArrayRef<Value *>)> emit) {
  IRBuilder<> &b = frame.builder;
  IRBuilderBase::InsertPoint resume = b.saveIP();
  Type *i64 = b.getInt64Ty();
  auto *function = Function::Create(FunctionType::get(b.getVoidTy(), {i64, i64, i64}, false),
                                    GlobalValue::InternalLinkage, "probe", frame.module);
  b.SetInsertPoint(BasicBlock::Create(b.getContext(), "entry", function));
  frame.emitter.pushScope();
  SmallVector<Value *> arguments;
  for (Argument &argument : function->args()) {
    arguments.push_back(&argument);
  }
  int64_t answer = emit(*function, arguments);
  frame.emitter.popScope();
  b.restoreIP(resume);
  function->dropAllReferences();
  function->eraseFromParent();
  return answer;
}

void GemmProblem::emitAlong(GemmOperand operand, GemmAxis along, ArrayRef<Value *> at) {
  IndexBuilder &index = frame.emitter.index();
  auto axis = [&](GemmAxis which, Value *value) {
    return which == along ? index.laneOf(value, lanes)
                          : index.scalar(value, which == GemmAxis::Batch ? 1 : lanes);
  };
  term(operand, axis(GemmAxis::Batch, at[0]), axis(GemmAxis::Free, at[1]),
       axis(GemmAxis::Depth, at[2]));
}

int64_t GemmProblem::laneCost(GemmOperand operand, GemmAxis along) {
  return probe([&](Function &function, ArrayRef<Value *> at) {
    emitAlong(operand, along, at);
    int64_t cost = 0;
    for (Instruction &instruction : llvm::instructions(function)) {
      auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
      bool isGather = intrinsic && intrinsic->getIntrinsicID() == Intrinsic::masked_gather;
      bool isVectorDivision =
          instruction.getType()->isVectorTy() && (instruction.getOpcode() == Instruction::UDiv ||
                                                  instruction.getOpcode() == Instruction::URem);
      cost += isGather                          ? static_cast<int64_t>(lanes)
              : isVectorDivision                ? 8
              : instruction.mayReadFromMemory() ? 1
                                                : 0;
    }
    return cost;
  });
}

int64_t GemmProblem::loadedBytes(GemmOperand operand, GemmAxis along) {
  return probe([&](Function &function, ArrayRef<Value *> at) {
    emitAlong(operand, along, at);
    int64_t least = 0;
    for (Instruction &instruction : llvm::instructions(function)) {
      if (isa<LoadInst>(instruction) && instruction.getType()->isVectorTy()) {
        int64_t bytes = static_cast<int64_t>(instruction.getType()->getScalarSizeInBits() / 8);
        least = least == 0 ? bytes : std::min(least, bytes);
      }
    }
    return least;
  });
}

} // namespace drumlin::codegen
