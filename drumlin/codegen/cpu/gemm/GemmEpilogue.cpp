#include "drumlin/codegen/cpu/gemm/GemmEpilogue.h"

#include "drumlin/codegen/cpu/reduce/ReducerCode.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

using namespace llvm;

namespace drumlin::codegen {

GemmEpilogue::GemmEpilogue(KernelFrame &frame, GemmTerms &problem)
    : frame(frame), problem(problem), made(problem.result.getDefiningOp()) {
  frame.emitter.bind(problem.result, [this](const IndexTuple *) { return current; });
  mlir::Block &region = frame.kernel.getBody().front();
  for (mlir::Operation &op : region.without_terminator()) {
    (void)made.add(&op);
  }
  for (auto [number, root] : enumerate(region.getTerminator()->getOperands())) {
    classifyRoot(static_cast<unsigned>(number), root);
  }
}

//===- classes of roots ----------------------------------------------------------===//

void GemmEpilogue::addReduced(unsigned number, mlir::Operation *op) {
  auto found = find_if(reductions, [&](const Reduction &reduction) { return reduction.op == op; });
  if (found != reductions.end()) {
    found->roots.push_back(number);
    return;
  }
  Reducer reducer = *knownReducer(cast<stablehlo::ReduceOp>(op).getBody());
  ElementType type = elementTypeOf(mlir::getElementTypeOrSelf(op->getResult(0).getType()));
  reductions.push_back({op, reducer, type, nullptr, nullptr, {number}});
}

void GemmEpilogue::classifyRoot(unsigned number, mlir::Value root) {
  if (*elementCount(shapeOf(root)) == 0) {
    return;
  }
  if (!made.contains(root)) {
    independent.push_back({number, root});
  } else if (mlir::Operation *reduction = made.reductionOf(root)) {
    addReduced(number, reduction);
  } else {
    stored.push_back({number, root});
  }
}

// Each value of the epilogue has the elements of the hero's result in some order
// (drumlin/ir/plan/Epilogue.h).
const IndexTuple *GemmEpilogue::forward(mlir::Value value, const IndexTuple *at) {
  const IndexingMap &map = made.mapTo(value);
  return map.isIdentity() ? at
                          : frame.emitter.index().along(map, at, frame.emitter.extentsOf(value));
}

//===- sums ------------------------------------------------------------------------===//

void GemmEpilogue::beginTile() {
  for (Reduction &reduction : reductions) {
    Value *identity =
        frame.emitter.splat(reducerIdentity(frame.emitter, reduction.reducer, reduction.type));
    if (!reduction.sums) {
      BasicBlock &entry = frame.function->getEntryBlock();
      IRBuilder<> atEntry(&entry, entry.begin());
      reduction.sums = atEntry.CreateAlloca(identity->getType());
      reduction.left =
          isSumOfFloats(reduction) ? atEntry.CreateAlloca(identity->getType()) : nullptr;
    }
    frame.builder.CreateStore(identity, reduction.sums);
    if (reduction.left) {
      frame.builder.CreateStore(Constant::getNullValue(identity->getType()), reduction.left);
    }
  }
}

void GemmEpilogue::store(Value *sums, const IndexTuple *at) {
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  current = problem.rounded(sums);
  // All values are computed before any is stored, since an output may reuse an input's memory.
  SmallVector<std::pair<const IndexTuple *, Lanes>> values;
  for (auto [number, root] : stored) {
    const IndexTuple *rootIndex = forward(root, at);
    values.push_back({rootIndex, e.emit(root, rootIndex)});
  }
  for (Reduction &reduction : reductions) {
    mlir::Value input = reduction.op->getOperand(0);
    Value *value = e.splat(e.emit(input, forward(input, at)).value);
    auto replace = [&](Value *place, Value *before, Value *after) {
      Value *active = e.activeLanes();
      b.CreateStore(active ? b.CreateSelect(active, after, before) : after, place);
    };
    Value *before = b.CreateLoad(value->getType(), reduction.sums);
    if (!reduction.left) {
      replace(reduction.sums, before,
              combineReduced(b, reduction.reducer, reduction.type, before, value));
      continue;
    }
    Value *left = b.CreateLoad(value->getType(), reduction.left);
    SumOfBlocks made = addBlock(b, {before, left}, value);
    replace(reduction.sums, before, made.sum);
    replace(reduction.left, left, made.left);
  }
  for (auto [root, value] : zip(stored, values)) {
    e.store(frame.outputs[root.first], value.first, value.second);
  }
}

void GemmEpilogue::endTile(Value *partials, Value *tile) {
  IRBuilder<> &b = frame.builder;
  int64_t count = static_cast<int64_t>(reductions.size());
  for (auto [i, reduction] : enumerate(reductions)) {
    Type *element = frame.emitter.computeType(reduction.type);
    auto *type = FixedVectorType::get(element, lanes);
    Value *vector = b.CreateLoad(type, reduction.sums);
    if (reduction.left) {
      vector = SumOfBlocks{vector, b.CreateLoad(type, reduction.left)}.total(b);
    }
    Value *combined = combineReducedLanes(b, reduction.reducer, reduction.type, vector);
    Value *slot =
        b.CreateAdd(b.CreateMul(tile, b.getInt64(static_cast<uint64_t>(count))), b.getInt64(i));
    b.CreateStore(combined, b.CreateInBoundsGEP(b.getInt64Ty(), partials, slot));
  }
}

std::optional<GemmTerms::ResultMatrix> GemmEpilogue::resultMatrix() const {
  if (stored.size() != 1 || !reductions.empty()) {
    return std::nullopt;
  }
  auto [number, root] = stored.front();
  return problem.resultMatrix(root, made.mapTo(root), frame.outputs[number]);
}

void GemmEpilogue::storeIndependentRoots() {
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  for (auto [number, root] : independent) {
    Extents shape = e.extentsOf(root);
    Value *count = e.index().asValue(e.index().product(shape));
    e.emitLoop(b.getInt64(0), count, lanes, [&](Value *base) {
      LaneIndex at = e.index().laneOf(base, lanes);
      Value *limit = b.CreateVectorSplat(lanes, count);
      e.setActiveLanes(b.CreateICmpSLT(e.index().asVector(at), limit));
      const IndexTuple *index = e.index().tupleFromLinear(shape, at);
      e.store(frame.outputs[number], index, e.emit(root, index));
      e.setActiveLanes(nullptr);
    });
  }
}

void GemmEpilogue::finish(KernelFrame &into, Value *partials, const SizeExpression &tiles) {
  ElementEmitter &e = into.emitter;
  IRBuilder<> &b = into.builder;
  int64_t count = static_cast<int64_t>(reductions.size());
  for (auto [i, reduction] : enumerate(reductions)) {
    Type *element = e.computeType(reduction.type);
    auto reduce = cast<stablehlo::ReduceOp>(reduction.op);
    Value *start = e.emit(reduce.getInitValues().front(), e.scalarIndex()).value;
    // The partial results are stored in the order of the tiles. The number of tiles depends on the
    // shape alone, so the result doesn't depend on the number of threads.
    Value *slot = b.getInt64(i);
    bool isSum = isSumOfFloats(reduction);
    SmallVector<Value *> first = {start};
    if (isSum) {
      first.push_back(Constant::getNullValue(start->getType()));
    }
    SmallVector<Value *> parts = e.emitLoop(
        b.getInt64(0), e.extent(tiles), 1, first,
        [&](Value *tile, ArrayRef<Value *> before) -> SmallVector<Value *> {
          Value *position =
              b.CreateAdd(b.CreateMul(tile, b.getInt64(static_cast<uint64_t>(count))), slot);
          Value *value =
              b.CreateLoad(element, b.CreateInBoundsGEP(b.getInt64Ty(), partials, position));
          if (isSum) {
            SumOfBlocks made = addBlock(b, {before[0], before[1]}, value);
            return {made.sum, made.left};
          }
          return {combineReduced(b, reduction.reducer, reduction.type, before[0], value)};
        });
    Value *total = isSum ? SumOfBlocks{parts[0], parts[1]}.total(b) : parts[0];
    Lanes result = {isFloat(reduction.type) ? e.roundTo(total, reduction.type) : total};
    e.bind(reduction.op->getResult(0), [result](const IndexTuple *) { return result; });
    for (unsigned number : reduction.roots) {
      mlir::Value root = into.kernel.getBody().front().getTerminator()->getOperand(number);
      Extents shape = e.extentsOf(root);
      SmallVector<LaneIndex> zeros(shape.size(), e.index().constant(0));
      const IndexTuple *at = shape.empty() ? e.scalarIndex() : e.index().tuple(shape, zeros);
      e.store(into.outputs[number], at, e.emit(root, at));
    }
  }
}

} // namespace drumlin::codegen
