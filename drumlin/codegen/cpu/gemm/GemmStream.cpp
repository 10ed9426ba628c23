#include "drumlin/codegen/cpu/gemm/GemmStream.h"

using namespace llvm;

namespace drumlin::codegen {

//===- contiguous columns -----------------------------------------------------------===//

// Emits sums[row][column] += row[k] * operand[k][column] for all k in [begin, end), `count` values
// of k at a time, so that `count` rows of the operand are read at once.
void GemmStream::addDepths(const Range &range, Value *begin, Value *end, int64_t count) {
  auto *vector = vectorOf(sumType, width);
  e.emitLoop(begin, end, count, [&](Value *depth) {
    SmallVector<Value *> factors;
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t j = 0; j < count; ++j) {
        factors.push_back(e.splat(range.rowTerm(i, index.scalar(plus(depth, j)))));
      }
    }
    forLanes(range.columns, range.wholeColumns, [&](Value *column, Value *) {
      SmallVector<Value *> places, values;
      for (int64_t i = 0; i < rows; ++i) {
        Value *ofRow = at(sumType, range.sums, times(range.sumStride, i));
        places.push_back(at(sumType, ofRow, column));
        values.push_back(b.CreateAlignedLoad(vector, places.back(), Align(64)));
      }
      for (int64_t j = 0; j < count && range.prefetched; ++j) {
        prefetch([&]() {
          LaneIndex ahead = index.scalar(plus(plus(depth, range.prefetched), j));
          range.columnTerm(index.laneOf(column, width), 0, ahead);
        });
      }
      for (int64_t j = 0; j < count; ++j) {
        LaneIndex atDepth = index.scalar(plus(depth, j));
        Value *term = e.splat(range.columnTerm(index.laneOf(column, width), 0, atDepth));
        for (int64_t i = 0; i < rows; ++i) {
          Value *&value = values[static_cast<size_t>(i)];
          value = multiplyAdd(factors[static_cast<size_t>(i * count + j)], term, value);
        }
      }
      for (auto [place, value] : zip(places, values)) {
        b.CreateAlignedStore(value, place, Align(64));
      }
    });
  });
}

void GemmStream::addDepths(const Range &range, Value *begin, Value *end) {
  Value *rest = b.CreateURem(b.CreateSub(end, begin), constant(sideBySide));
  Value *whole = b.CreateSub(end, rest);
  if (!isNone(begin, whole)) {
    addDepths(range, begin, whole, sideBySide);
  }
  if (!isNone(whole, end)) {
    addDepths(range, whole, end, 1);
  }
}

void GemmStream::forSums(const Range &range, function_ref<void(Value *)> body) {
  for (int64_t i = 0; i < rows; ++i) {
    Value *ofRow = at(sumType, range.sums, times(range.sumStride, i));
    e.emitLoop(constant(0), range.columns, width,
               [&](Value *column) { body(at(sumType, ofRow, column)); });
  }
}

void GemmStream::alongColumns(const Range &range) {
  auto *vector = vectorOf(sumType, width);
  auto *known = dyn_cast<ConstantInt>(range.k);
  auto clear = [&](Value *place) {
    b.CreateAlignedStore(Constant::getNullValue(vector), place, Align(64));
  };
  forSums(range, clear);
  if (partsAlongColumns(sumType,
                        known ? known->getSExtValue() : std::numeric_limits<int64_t>::max()) == 1) {
    addDepths(range, constant(0), range.k);
    return;
  }
  Value *size = times(range.sumStride, rows);
  // Loops of at most one iteration serve as branches.
  Value *isLong = b.CreateZExt(b.CreateICmpSGT(range.k, constant(stepsOfStream)), b.getInt64Ty());
  auto whereLong = [&](function_ref<void(const PlaceOfBlocks &)> body) {
    e.emitLoop(constant(0), isLong, 1, [&](Value *) {
      forSums(range, [&](Value *place) { body({vector, place, size}); });
    });
  };
  whereLong([&](const PlaceOfBlocks &sums) { clearParts(sums); });
  e.emitLoop(constant(0), range.k, stepsOfStream, [&](Value *first) {
    Value *end = b.CreateBinaryIntrinsic(Intrinsic::smin, plus(first, stepsOfStream), range.k);
    addDepths(range, first, end);
    whereLong([&](const PlaceOfBlocks &sums) {
      addBlock(sums);
      clear(sums.place);
    });
  });
  whereLong([&](const PlaceOfBlocks &sums) { joinParts(sums); });
}

//===- contiguous k ------------------------------------------------------------------===//

SmallVector<Value *> GemmStream::addLanes(const Range &range, ArrayRef<Column> columns, Value *base,
                                          Value *mask, ArrayRef<Value *> before) {
  SmallVector<Value *> after(before), factors;
  for (int64_t i = 0; i < rows; ++i) {
    factors.push_back(zeroInactive(e.splat(range.rowTerm(i, index.laneOf(base, width))), mask));
  }
  for (auto [c, column] : enumerate(columns)) {
    if (range.prefetched && !mask) {
      Value *ahead = plus(base, range.prefetched);
      prefetch([&]() {
        range.columnTerm(index.scalar(column.base), column.next, index.laneOf(ahead, width));
      });
    }
    Value *term = e.splat(
        range.columnTerm(index.scalar(column.base), column.next, index.laneOf(base, width)));
    term = zeroInactive(term, mask);
    for (int64_t i = 0; i < rows; ++i) {
      size_t sum = c * static_cast<size_t>(rows) + static_cast<size_t>(i);
      after[sum] = multiplyAdd(factors[static_cast<size_t>(i)], term, before[sum]);
    }
  }
  return after;
}

Value *GemmStream::sumLanes(Value *vector) {
  for (int half = static_cast<int>(width) / 2; half > 0; half /= 2) {
    SmallVector<int> low, high;
    for (int lane = 0; lane < half; ++lane) {
      low.push_back(lane);
      high.push_back(lane + half);
    }
    Value *x = b.CreateShuffleVector(vector, low), *y = b.CreateShuffleVector(vector, high);
    vector = sumType->isFloatingPointTy() ? b.CreateFAdd(x, y) : b.CreateAdd(x, y);
  }
  return b.CreateExtractElement(vector, uint64_t(0));
}

// Returns the sums over the full vectors of k. Float sums over several blocks of k are computed as
// compensated sums of the blocks' sums.
SmallVector<Value *> GemmStream::addBlocks(const Range &range, ArrayRef<Column> columns,
                                           Value *end) {
  const SmallVector<Value *> zeros(static_cast<size_t>(sideBySide * rows),
                                   Constant::getNullValue(vectorOf(sumType, width)));
  if (isNone(constant(0), end)) {
    return zeros;
  }
  auto add = [&](Value *first, Value *last) {
    return e.emitLoop(first, last, width, zeros, [&](Value *base, ArrayRef<Value *> before) {
      return addLanes(range, columns, base, nullptr, before);
    });
  };
  const int64_t block = stepsOfStream * width;
  auto *known = dyn_cast<ConstantInt>(end);
  if (!sumType->isFloatingPointTy() || (known && known->getSExtValue() <= block)) {
    return add(constant(0), end);
  }
  SmallVector<Value *> parts =
      add(constant(0), b.CreateBinaryIntrinsic(Intrinsic::smin, constant(block), end));
  parts.append(zeros.begin(), zeros.end());
  parts =
      e.emitLoop(constant(block), end, block, parts, [&](Value *first, ArrayRef<Value *> before) {
        SmallVector<Value *> after(before),
            sums = add(first, b.CreateBinaryIntrinsic(Intrinsic::smin, plus(first, block), end));
        for (size_t i = 0; i < sums.size(); ++i) {
          SumOfBlocks made = codegen::addBlock(b, {before[i], before[sums.size() + i]}, sums[i]);
          after[i] = made.sum;
          after[sums.size() + i] = made.left;
        }
        return after;
      });
  SmallVector<Value *> sums;
  for (size_t i = 0; i < zeros.size(); ++i) {
    sums.push_back(SumOfBlocks{parts[i], parts[zeros.size() + i]}.total(b));
  }
  return sums;
}

void GemmStream::alongK(const Range &range) {
  // Processes several columns at a time, so that their loads and sums overlap. The last columns may
  // be computed more than once.
  Value *last = b.CreateSub(range.columns, constant(range.fewColumns ? 1 : sideBySide));
  Value *whole = b.CreateAnd(range.k, constant(-width));
  e.emitLoop(constant(0), range.columns, sideBySide, [&](Value *column) {
    SmallVector<Column> columns;
    for (int64_t c = 0; c < sideBySide; ++c) {
      if (range.fewColumns) {
        Value *each = b.CreateAdd(column, constant(c));
        columns.push_back({b.CreateBinaryIntrinsic(Intrinsic::smin, each, last), 0});
      } else {
        columns.push_back({b.CreateBinaryIntrinsic(Intrinsic::smin, column, last), c});
      }
    }
    SmallVector<Value *> carried = addBlocks(range, columns, whole);
    auto addRest = [&](Value *base, ArrayRef<Value *> before) {
      Value *saved = e.activeLanes();
      Value *mask = b.CreateICmpSLT(index.asVector(index.laneOf(base)),
                                    b.CreateVectorSplat(index.width(), range.k));
      e.setActiveLanes(mask);
      e.pushScope();
      SmallVector<Value *> after = addLanes(range, columns, base, mask, before);
      e.popScope();
      e.setActiveLanes(saved);
      return after;
    };
    if (isa<ConstantInt>(range.k)) {
      carried = isNone(whole, range.k) ? carried : addRest(whole, carried);
    } else {
      carried = e.emitLoop(whole, range.k, width, carried, addRest);
    }
    for (int64_t c = 0; c < sideBySide; ++c) {
      for (int64_t i = 0; i < rows; ++i) {
        Value *sum = sumLanes(carried[static_cast<size_t>(c * rows + i)]);
        Value *ofRow = at(sumType, range.sums, times(range.sumStride, i));
        const Column &place = columns[static_cast<size_t>(c)];
        b.CreateStore(sum, at(sumType, ofRow, plus(place.base, place.next)));
      }
    }
  });
}

} // namespace drumlin::codegen
