// Values that are computed once per row, before the code that traverses the row: reductions that
// have one result per row, and values whose elements of one row are kept in memory (keptInRows()).
#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace drumlin::codegen {

void ElementEmitter::beginHoisting(const RowValues &row) {
  hoisting.emplace();
  hoisting->reductions.insert(row.reductions.begin(), row.reductions.end());
  for (auto [op, memory] : row.kept) {
    hoisting->kept[op] = {memory};
  }
  hoisting->index.assign(row.index.begin(), row.index.end());
  hoisting->length = row.length;
  BasicBlock *here = builder.GetInsertBlock();
  for (BasicBlock &block : *here->getParent()) {
    hoisting->before.insert(&block);
  }
  hoisting->end = here;
  hoisting->main = BasicBlock::Create(builder.getContext(), "row", here->getParent());
  hoisting->scopeDepth = scopes.size();
  builder.SetInsertPoint(hoisting->main);
}

void ElementEmitter::endHoisting() {
  BranchInst::Create(hoisting->main, hoisting->end);
  hoisting.reset();
}

// Makes a value available at the insertion point of hoisted code: recomputes it there if it depends
// only on indices. Returns null if that is impossible.
Value *ElementEmitter::availableBefore(Value *value) {
  auto *instruction = dyn_cast<Instruction>(value);
  if (!instruction || hoisting->before.contains(instruction->getParent())) {
    return value;
  }
  if (!isa<BinaryOperator, CastInst>(instruction)) {
    return nullptr;
  }
  SmallVector<Value *> operands;
  for (Value *operand : instruction->operands()) {
    Value *available = availableBefore(operand);
    if (!available) {
      return nullptr;
    }
    operands.push_back(available);
  }
  Instruction *copy = instruction->clone();
  for (auto [i, operand] : enumerate(operands)) {
    copy->setOperand(static_cast<unsigned>(i), operand);
  }
  copy->insertInto(hoisting->end, hoisting->end->end());
  return copy;
}

// Returns whether two values are equal by construction, that is, computed by the same operations on
// the same values.
static bool isSameExpression(Value *a, Value *b) {
  if (a == b) {
    return true;
  }
  auto *x = dyn_cast<Instruction>(a);
  auto *y = dyn_cast<Instruction>(b);
  if (!x || !y || !isa<BinaryOperator, CastInst>(x) || !x->isSameOperationAs(y)) {
    return false;
  }
  return all_of(zip(x->operands(), y->operands()),
                [](auto pair) { return isSameExpression(std::get<0>(pair), std::get<1>(pair)); });
}

// Emits code into a separate block, and appends the block to the hoisted code once it is complete.
// Code that is hoisted while the block is being emitted therefore precedes the block.
void ElementEmitter::emitBefore(StringRef name, function_ref<void()> emit) {
  BasicBlock *block = BasicBlock::Create(builder.getContext(), name, hoisting->end->getParent());
  IRBuilderBase::InsertPoint resume = builder.saveIP();
  std::vector<Scope> inner(
      std::make_move_iterator(scopes.begin() + static_cast<ptrdiff_t>(hoisting->scopeDepth)),
      std::make_move_iterator(scopes.end()));
  scopes.resize(hoisting->scopeDepth);
  pushScope();
  builder.SetInsertPoint(block);
  emit();
  popScope();
  std::move(inner.begin(), inner.end(), std::back_inserter(scopes));
  BranchInst::Create(block, hoisting->end);
  hoisting->end = builder.GetInsertBlock();
  builder.restoreIP(resume);
}

std::optional<SmallVector<Lanes>> ElementEmitter::emitHoisted(mlir::Operation *op,
                                                              const IndexTuple *at) {
  SmallVector<Value *> wanted;
  SmallVector<LaneIndex> dims;
  for (const LaneIndex &dim : indices.dims(at)) {
    Value *available = dim.isUniform() ? availableBefore(dim.base) : nullptr;
    if (!available) {
      return std::nullopt;
    }
    wanted.push_back(available);
    dims.push_back(indices.scalar(available, dim.form));
  }
  for (const HoistedReduction &made : hoisting->made) {
    if (made.op == op && all_of(zip(made.index, wanted), [](auto pair) {
          return isSameExpression(std::get<0>(pair), std::get<1>(pair));
        })) {
      return made.results;
    }
  }
  SmallVector<Lanes> results;
  emitBefore("hoisted", [&] { results = emitReduceResults(op, indices.tuple(at->shape, dims)); });
  hoisting->made.push_back({op, wanted, results});
  return results;
}

//===- rows in memory -----------------------------------------------------------===//

// Returns whether an index, apart from its last dimension, is the index of the row.
bool ElementEmitter::isInRow(ArrayRef<LaneIndex> dims, ArrayRef<Extent> shape) {
  return all_of(zip(dims, shape, hoisting->index), [&](auto each) {
    auto &[dim, size, ofRow] = each;
    if (size.is(1)) {
      return true;
    }
    Value *available = dim.isUniform() ? availableBefore(dim.base) : nullptr;
    return available && isSameExpression(available, ofRow.base);
  });
}

std::optional<Lanes> ElementEmitter::emitKept(mlir::Operation *op, const IndexTuple *at) {
  if (!hoisting) {
    return std::nullopt;
  }
  auto found = hoisting->kept.find(op);
  if (found == hoisting->kept.end() || found->second.state == KeptRow::Begun ||
      !isInRow(indices.dims(at).drop_back(), at->shape)) {
    return std::nullopt;
  }
  const LaneIndex &last = indices.dims(at).back();
  if (!last.isUniform() && !last.isContiguous()) {
    return std::nullopt;
  }
  if (found->second.state == KeptRow::Unmade) {
    found->second.state = KeptRow::Begun;
    emitBefore("kept", [&] { emitKeptRow(op, at->shape); });
    found->second.state = KeptRow::Made;
  }
  Type *element =
      computeType(elementTypeOf(mlir::getElementTypeOrSelf(op->getResult(0).getType())));
  Type *type = last.isUniform() ? element : FixedVectorType::get(element, indices.width());
  Value *from = builder.CreateInBoundsGEP(element, found->second.memory, last.base);
  return Lanes{builder.CreateAlignedLoad(type, from, Align(element->getPrimitiveSizeInBits() / 8))};
}

void ElementEmitter::emitKeptRow(mlir::Operation *op, const Extents &shape) {
  Value *memory = hoisting->kept.find(op)->second.memory;
  SaveAndRestore<Value *> mask(activeMask, nullptr);
  emitLanes(*this, builder.getInt64(0), extent(hoisting->length), hoisting->length, LanesAgain::yes,
            [&](Value *base, int64_t alignment) {
              SmallVector<LaneIndex> dims = hoisting->index;
              dims.push_back(indices.laneOf(base, alignment));
              Value *made = splat(emit(op->getResult(0), indices.tuple(shape, dims)).value);
              Type *element = made->getType()->getScalarType();
              // The last vector may write lanes past the end of the row. The memory has room for
              // them.
              builder.CreateAlignedStore(made, builder.CreateInBoundsGEP(element, memory, base),
                                         Align(element->getPrimitiveSizeInBits() / 8));
            });
}

} // namespace drumlin::codegen
