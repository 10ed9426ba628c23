#include "drumlin/codegen/cpu/sort/SortKernelMerge.h"

#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/codegen/cpu/sort/SortKernelPacked.h"
#include "drumlin/ir/stablehlo/SortOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace drumlin::codegen {

// The length of the runs that are sorted by insertion before they are merged.
static constexpr int64_t runLength = 8;

MergeSort::MergeSort(KernelFrame &frame, stablehlo::SortOp sort, const SizeExpression &count)
    : frame(frame), sort(sort), count(count),
      position(frame.builder.getIntNTy(isNarrowCount(count) ? 32 : 64)) {}

SizeExpression MergeSort::bufferBytes() const {
  return count * static_cast<int64_t>(position->getBitWidth() / 8);
}

Value *MergeSort::address(Value *positions, Value *index) {
  return frame.builder.CreateInBoundsGEP(position, positions, index);
}

Value *MergeSort::emitLoadPosition(Value *positions, Value *index) {
  IRBuilder<> &b = frame.builder;
  Align align(position->getBitWidth() / 8);
  return b.CreateZExt(b.CreateAlignedLoad(position, address(positions, index), align),
                      b.getInt64Ty());
}

void MergeSort::storePosition(Value *positions, Value *index, Value *value) {
  IRBuilder<> &b = frame.builder;
  b.CreateAlignedStore(b.CreateTrunc(value, position), address(positions, index),
                       Align(position->getBitWidth() / 8));
}

Value *MergeSort::emitLess(const SortRow &row, Value *x, Value *y) {
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  mlir::Block &comparator = sort.getComparator().front();
  SmallVector<Lanes> arguments;
  for (auto [number, argument] : enumerate(comparator.getArguments())) {
    mlir::Value operand = sort.getInputs()[number / 2];
    if (argument.use_empty()) {
      ElementType type = elementTypeOf(mlir::getElementTypeOrSelf(operand.getType()));
      arguments.push_back({UndefValue::get(e.computeType(type))});
      continue;
    }
    Value *offset = b.CreateMul(number % 2 == 0 ? x : y, e.extent(row.stride));
    LaneIndex linear = e.index().scalar(b.CreateAdd(row.first, offset));
    arguments.push_back(e.emit(operand, e.index().tupleFromLinear(e.extentsOf(operand), linear)));
  }
  return e.emitScalarRegion(sort.getComparator(), arguments)[0].value;
}

void MergeSort::emitRuns(const SortRow &row, Value *positions) {
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  Value *end = e.extent(row.count);
  Value *one = b.getInt64(1);
  e.emitLoop(b.getInt64(0), end, runLength, [&](Value *first) {
    Value *last =
        b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateAdd(first, b.getInt64(runLength)), end);
    storePosition(positions, first, first);
    e.emitLoop(b.CreateAdd(first, one), last, 1, [&](Value *inserted) {
      auto before = [&](Value *place) {
        // The position before the first one is clamped to the first, since the comparison is
        // evaluated for it as well.
        return b.CreateBinaryIntrinsic(Intrinsic::smax, b.CreateSub(place, one), first);
      };
      Values place = emitWhile(
          e, {inserted},
          [&](ArrayRef<Value *> carried) {
            Value *less = emitLess(row, inserted, emitLoadPosition(positions, before(carried[0])));
            return b.CreateAnd(b.CreateICmpSGT(carried[0], first), less);
          },
          [&](ArrayRef<Value *> carried) -> Values {
            Value *previous = before(carried[0]);
            storePosition(positions, carried[0], emitLoadPosition(positions, previous));
            return {previous};
          });
      storePosition(positions, place[0], inserted);
    });
  });
}

void MergeSort::emitMerge(const SortRow &row, Value *from, Value *to, Value *first, Value *middle,
                          Value *last) {
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  Values ends = emitWhile(
      e, {first, middle, first},
      [&](ArrayRef<Value *> at) {
        return b.CreateAnd(b.CreateICmpSLT(at[0], middle), b.CreateICmpSLT(at[1], last));
      },
      [&](ArrayRef<Value *> at) -> Values {
        Value *left = emitLoadPosition(from, at[0]);
        Value *right = emitLoadPosition(from, at[1]);
        // The left run's element is taken unless the right run's element is less, so equal elements
        // keep their order.
        Value *takeRight = emitLess(row, right, left);
        storePosition(to, at[2], b.CreateSelect(takeRight, right, left));
        Value *rightStep = b.CreateZExt(takeRight, b.getInt64Ty());
        Value *leftStep = b.CreateXor(rightStep, b.getInt64(1));
        return {b.CreateAdd(at[0], leftStep), b.CreateAdd(at[1], rightStep),
                b.CreateAdd(at[2], b.getInt64(1))};
      });
  Value *size = b.getInt64(position->getBitWidth() / 8);
  Value *leftOver = b.CreateSub(middle, ends[0]);
  Align align(position->getBitWidth() / 8);
  b.CreateMemCpy(address(to, ends[2]), align, address(from, ends[0]), align,
                 b.CreateMul(leftOver, size));
  Value *next = b.CreateAdd(ends[2], leftOver);
  b.CreateMemCpy(address(to, next), align, address(from, ends[1]), align,
                 b.CreateMul(b.CreateSub(last, ends[1]), size));
}

Value *MergeSort::emit(const SortRow &row, Value *a, Value *other) {
  ElementEmitter &e = frame.emitter;
  IRBuilder<> &b = frame.builder;
  emitRuns(row, a);
  if (std::optional<int64_t> known = row.count.constant(); known && *known <= runLength) {
    return a;
  }
  Value *end = e.extent(row.count);
  auto atMostEnd = [&](Value *value) {
    return b.CreateBinaryIntrinsic(Intrinsic::smin, value, end);
  };
  Values sorted = emitWhile(
      e, {b.getInt64(runLength), a, other},
      [&](ArrayRef<Value *> carried) { return b.CreateICmpSLT(carried[0], end); },
      [&](ArrayRef<Value *> carried) -> Values {
        Value *width = carried[0];
        emitWhile(
            e, {b.getInt64(0)},
            [&](ArrayRef<Value *> first) { return b.CreateICmpSLT(first[0], end); },
            [&](ArrayRef<Value *> first) -> Values {
              Value *middle = atMostEnd(b.CreateAdd(first[0], width));
              Value *last = atMostEnd(b.CreateAdd(middle, width));
              emitMerge(row, carried[1], carried[2], first[0], middle, last);
              return {last};
            });
        return {b.CreateShl(width, b.getInt64(1)), carried[2], carried[1]};
      });
  return sorted[1];
}

} // namespace drumlin::codegen
