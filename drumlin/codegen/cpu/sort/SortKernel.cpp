// Sort kernels: `stablehlo.sort` and `chlo.top_k`. Rows along the sorted dimension are independent;
// a tile is a group of rows.
//
// The radix algorithm sorts words that consist of a key and a position. The merge algorithm sorts
// with the comparator. For top_k there are two more algorithms. The select algorithm keeps, as
// candidates, only elements that are better than the k-th best so far; whenever the candidates'
// buffer is full, it reduces them to the k best. The minima algorithm extracts the best remaining
// element k times.
#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/codegen/cpu/sort/SortKernelKeys.h"
#include "drumlin/codegen/cpu/sort/SortKernelMerge.h"
#include "drumlin/codegen/cpu/sort/SortKernelPacked.h"
#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/plan/SortOp.h"
#include "drumlin/ir/plan/heroes/SortProblem.h"
#include "drumlin/ir/stablehlo/SortOp.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace drumlin::codegen {

static void emitRows(KernelFrame &frame, const SortProblem &rows, int64_t tile,
                     function_ref<void(Value *row, Value *first)> body) {
  IRBuilder<> &b = frame.builder;
  Value *perTile = b.getInt64(static_cast<uint64_t>(tile));
  Value *begin = b.CreateMul(frame.tileBegin, perTile);
  Value *end = b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateMul(frame.tileEnd, perTile),
                                       frame.emitter.extent(rows.rows.expression()));
  frame.emitter.emitLoop(begin, end, 1, [&](Value *row) {
    Value *stride = frame.emitter.extent(rows.stride.expression());
    Value *block = b.CreateMul(b.CreateUDiv(row, stride),
                               frame.emitter.extent((rows.stride * rows.length).expression()));
    body(row, b.CreateAdd(block, b.CreateURem(row, stride)));
  });
}

// Copies one element; an element in memory is copied bit for bit.
static void emitMove(KernelFrame &frame, mlir::Value from, Value *fromLinear, const Buffer &to,
                     Value *toLinear) {
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  IndexBuilder &index = e.index();
  if (const Buffer *source = e.bufferOf(from)) {
    Type *type = e.memoryType(to.type);
    Align align(storageBytes(to.type));
    Value *element =
        b.CreateAlignedLoad(type, b.CreateInBoundsGEP(type, source->pointer, fromLinear), align);
    b.CreateAlignedStore(element, b.CreateInBoundsGEP(type, to.pointer, toLinear), align);
    return;
  }
  Lanes element = e.emit(from, index.tupleFromLinear(e.extentsOf(from), index.scalar(fromLinear)));
  e.store(to, index.tupleFromLinear(to.shape, index.scalar(toLinear)), element);
}

// Stores the words of a row. `keysAt` returns the ordered keys at an index.
static void emitWords(KernelFrame &frame, PackedSort &packed, Value *words, const SortRow &row,
                      const Extents &shape, function_ref<Value *(const IndexTuple *)> keysAt) {
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  IndexBuilder &index = e.index();
  emitLaneLoop(e, b.getInt64(0), e.extent(row.count), [&](Value *base) {
    LaneIndex position = index.laneOf(base, lanes);
    LaneIndex linear =
        index.add(index.scalar(row.first), index.multiply(position, e.extent(row.stride)));
    Value *keys = e.splat(keysAt(index.tupleFromLinear(shape, linear)));
    packed.emitStoreWords(words, base, keys, index.asVector(position));
  });
}

static void emitSort(KernelFrame &frame, const SortProblem &rows, plan::SortScheduleAttr schedule) {
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  auto sort = cast<stablehlo::SortOp>(rows.op);
  Extents shape = frame.emitter.extentsOf(sort.getInputs().front());
  mlir::Operation *yield = frame.kernel.getBody().front().getTerminator();
  // Emits the outputs. For a position in the sorted row, `positionAt` returns the element's
  // position in the original row.
  auto emitOutputs = [&](const SortRow &row, function_ref<Value *(Value *)> positionAt) {
    e.emitLoop(b.getInt64(0), e.extent(row.count), 1, [&](Value *place) {
      Value *stride = e.extent(row.stride);
      Value *from = b.CreateAdd(row.first, b.CreateMul(positionAt(place), stride));
      Value *to = b.CreateAdd(row.first, b.CreateMul(place, stride));
      for (auto [number, value] : enumerate(yield->getOperands())) {
        unsigned result = cast<mlir::OpResult>(value).getResultNumber();
        emitMove(frame, sort.getInputs()[result], from, frame.outputs[number], to);
      }
    });
  };

  if (schedule.getAlgorithm() == plan::SortAlgorithm::radix) {
    const std::optional<SortKey> &key = rows.key;
    PackedSort packed(frame, keyBits(key->type), rows.length.expression());
    Value *words = frame.takeScratch(packed.bufferBytes());
    Value *other = frame.takeScratch(packed.bufferBytes());
    Value *counts = frame.takeScratch(packed.countBytes());
    emitRows(frame, rows, schedule.getTile(), [&](Value *, Value *first) {
      SortRow row{first, rows.stride.expression(), rows.length.expression()};
      emitWords(frame, packed, words, row, shape, [&](const IndexTuple *at) {
        Lanes element = emitKeyProgram(e, sort, *key, at);
        return emitOrderedKey(e, element.value, key->type, key->total, key->descending);
      });
      Value *sorted = packed.emitCall(words, other, counts, e.extent(rows.length.expression()));
      emitOutputs(row, [&](Value *place) { return packed.emitLoadPosition(sorted, place); });
    });
  } else {
    MergeSort merge(frame, sort, rows.length.expression());
    Value *positions = frame.takeScratch(merge.bufferBytes());
    Value *other = frame.takeScratch(merge.bufferBytes());
    emitRows(frame, rows, schedule.getTile(), [&](Value *, Value *first) {
      SortRow row{first, rows.stride.expression(), rows.length.expression()};
      Value *sorted = merge.emit(row, positions, other);
      emitOutputs(row, [&](Value *place) { return merge.emitLoadPosition(sorted, place); });
    });
  }
}

// Emits the selection of the k best words of a row without sorting the row. Returns the buffer that
// holds these words, in sorted order.
static Value *emitSelection(KernelFrame &frame, PackedSort &packed, int64_t k, int64_t capacity,
                            const SortRow &row, Value *candidates, Value *other, Value *counts,
                            Value *block, function_ref<Value *(const LaneIndex &)> keysAt) {
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  IndexBuilder &index = e.index();
  Value *kept = b.getInt64(static_cast<uint64_t>(k));
  Value *keptBytes = b.getInt64(static_cast<uint64_t>(k * packed.wordBytes()));
  Type *keyType = packed.emitLoadKey(candidates, b.getInt64(0))->getType();
  // The state: the number of candidates, the key of the k-th best element, and whether the k-th
  // best is still unknown. A later element with that key ranks after the k-th best, so only
  // elements with smaller keys can be among the k best.
  Values state = {b.getInt64(0), Constant::getAllOnesValue(keyType), b.getTrue()};
  auto step = [&](Value *base, ArrayRef<Value *> carried, Value *active) -> Values {
    LaneIndex position = index.laneOf(base, lanes);
    Value *keys = e.splat(keysAt(position));
    Value *wanted = b.CreateICmpULT(keys, b.CreateVectorSplat(lanes, carried[1]));
    wanted = b.CreateOr(wanted, b.CreateVectorSplat(lanes, carried[2]));
    wanted = active ? b.CreateAnd(wanted, active) : wanted;
    return emitIf(e, b.CreateOrReduce(wanted), carried, [&]() -> Values {
      packed.emitStoreWords(block, b.getInt64(0), keys, index.asVector(position));
      Value *bits = b.CreateBitCast(wanted, b.getIntNTy(lanes));
      Value *count = e.emitLoop(
          b.getInt64(0), b.getInt64(lanes), 1, {carried[0]},
          [&](Value *lane, ArrayRef<Value *> at) -> Values {
            Value *moved = b.CreateAlignedLoad(packed.wordType(),
                                               packed.emitWordAddress(block, lane), Align(8));
            b.CreateAlignedStore(moved, packed.emitWordAddress(candidates, at[0]), Align(8));
            Value *bit =
                b.CreateAnd(b.CreateLShr(bits, b.CreateTrunc(lane, bits->getType())), uint64_t(1));
            return {b.CreateAdd(at[0], b.CreateZExt(bit, b.getInt64Ty()))};
          })[0];
      Value *full = b.CreateICmpSGT(count, b.getInt64(static_cast<uint64_t>(capacity) - lanes));
      return emitIf(e, full, {count, carried[1], carried[2]}, [&]() -> Values {
        Value *sorted = packed.emitCall(candidates, other, counts, count);
        b.CreateMemMove(candidates, Align(8), sorted, Align(8), keptBytes);
        Value *last = packed.emitLoadKey(candidates, b.getInt64(static_cast<uint64_t>(k - 1)));
        return {kept, last, b.getFalse()};
      });
    });
  };
  int64_t width = lanes;
  Value *whole = e.extent(row.count.quotient(width) * width);
  state =
      e.emitLoop(b.getInt64(0), whole, lanes, state, [&](Value *base, ArrayRef<Value *> carried) {
        return step(base, carried, nullptr);
      });
  SizeExpression left = row.count.remainder(width);
  if (left.constant() != 0) {
    Value *mask = nullptr;
    if (std::optional<int64_t> known = left.constant()) {
      SmallVector<Constant *> active;
      for (unsigned lane = 0; lane < lanes; ++lane) {
        active.push_back(b.getInt1(static_cast<int64_t>(lane) < *known));
      }
      mask = ConstantVector::get(active);
    } else {
      mask = b.CreateICmpSLT(index.asVector(index.laneOf(whole)),
                             b.CreateVectorSplat(lanes, e.extent(row.count)));
    }
    e.setActiveLanes(mask);
    e.pushScope();
    state = step(whole, state, mask);
    e.popScope();
    e.setActiveLanes(nullptr);
  }
  return packed.emitCall(candidates, other, counts, state[0]);
}

static void emitTopK(KernelFrame &frame, const SortProblem &rows, plan::SortScheduleAttr schedule) {
  auto top = cast<chlo::TopKOp>(rows.op);
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  IndexBuilder &index = e.index();
  mlir::Value operand = top.getOperand();
  Extents shape = frame.emitter.extentsOf(operand);
  int64_t k = rows.kept;
  ElementType type = elementTypeOf(mlir::getElementTypeOrSelf(operand.getType()));
  auto keyAt = [&](const IndexTuple *at) {
    return emitOrderedKey(e, e.emit(operand, at).value, type, /*total=*/true, /*descending=*/true);
  };
  int64_t capacity = schedule.getCandidates();
  bool selects = schedule.getAlgorithm() == plan::SortAlgorithm::select;
  PackedSort packed(frame, keyBits(type),
                    selects ? SizeExpression(capacity) : rows.length.expression());
  Value *words = frame.takeScratch(packed.bufferBytes());
  Value *other = frame.takeScratch(packed.bufferBytes());
  Value *counts = frame.takeScratch(packed.countBytes());
  Value *block = frame.takeScratch(lanes * packed.wordBytes());
  mlir::Operation *yield = frame.kernel.getBody().front().getTerminator();
  emitRows(frame, rows, schedule.getTile(), [&](Value *rowNumber, Value *first) {
    SortRow row{first, rows.stride.expression(), rows.length.expression()};
    Value *sorted = nullptr;
    if (selects) {
      sorted = emitSelection(frame, packed, k, capacity, row, words, other, counts, block,
                             [&](const LaneIndex &position) {
                               LaneIndex linear = index.add(index.scalar(first), position);
                               return keyAt(index.tupleFromLinear(shape, linear));
                             });
    } else {
      emitWords(frame, packed, words, row, shape, keyAt);
      if (schedule.getAlgorithm() == plan::SortAlgorithm::minima) {
        packed.emitMinima(words, other, k);
        sorted = other;
      } else {
        sorted = packed.emitCall(words, other, counts, e.extent(rows.length.expression()));
      }
    }
    Value *firstResult = b.CreateMul(rowNumber, b.getInt64(static_cast<uint64_t>(k)));
    e.emitLoop(b.getInt64(0), b.getInt64(static_cast<uint64_t>(k)), 1, [&](Value *place) {
      Value *position = packed.emitLoadPosition(sorted, place);
      Value *to = b.CreateAdd(firstResult, place);
      for (auto [number, value] : enumerate(yield->getOperands())) {
        const Buffer &output = frame.outputs[number];
        if (value == top.getValues()) {
          emitMove(frame, operand, b.CreateAdd(first, position), output, to);
        } else {
          Value *narrow = b.CreateZExtOrTrunc(position, e.memoryType(output.type));
          e.store(output, index.tupleFromLinear(output.shape, index.scalar(to)), {narrow});
        }
      }
    });
  });
}

KernelProperties emit(Emission<plan::SortOp> /*of*/, KernelFrame &frame) {
  SortProblem problem(frame.kernel.getBody().front());
  KernelProperties properties;
  auto schedule = scheduleFor<plan::SortScheduleAttr>(frame, problem);
  properties.tiles = schedule ? tasksOf(schedule, problem) : 0;
  if (!properties.tiles.is(0)) {
    if (problem.isTopK()) {
      emitTopK(frame, problem, schedule);
    } else {
      emitSort(frame, problem, schedule);
    }
  }
  return properties;
}

} // namespace drumlin::codegen
