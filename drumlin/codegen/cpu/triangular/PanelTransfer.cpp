#include "drumlin/codegen/cpu/triangular/PanelTransfer.h"

#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/codegen/cpu/element/TransposeLanes.h"

using namespace llvm;

namespace drumlin::codegen {

// Returns how many of the panel's lanes have elements.
Value *PanelTransfer::laneCount(const Region &region) {
  return b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateSub(region.count, region.first),
                                 constant(shape.lanes()));
}

void PanelTransfer::transposeBlock(function_ref<Value *(unsigned)> from,
                                   function_ref<Value *(unsigned)> to) {
  SmallVector<Value *> vectors;
  for (unsigned i = 0; i < lanes; ++i) {
    vectors.push_back(loadVector(from(i)));
  }
  transposeLanes(b, vectors);
  for (unsigned i = 0; i < lanes; ++i) {
    storeVector(vectors[i], to(i));
  }
}

void PanelTransfer::forLaneBlocks(const Region &region, function_ref<void(Value *, Value *)> body) {
  Value *count = laneCount(region);
  e.emitLoop(constant(0), count, lanes, [&](Value *lane) {
    Value *left = b.CreateSub(count, lane);
    body(lane, b.CreateBinaryIntrinsic(Intrinsic::smin, left, constant(lanes)));
  });
}

void PanelTransfer::forRowVectors(const Region &region, function_ref<void(Value *)> body) {
  emitLaneLoop(e, region.begin, region.end, body);
}

void PanelTransfer::load(const Region &region, Value *panel, Element element) {
  Value *isPartial = b.CreateICmpSLT(laneCount(region), constant(shape.lanes()));
  emitIf(e, isPartial, [&] {
    // Zeroes the panel up to full vectors of rows, because the loop below writes full vectors.
    Value *rows = b.CreateSub(region.end, region.begin);
    rows = b.CreateAnd(plus(rows, lanes - 1), constant(-static_cast<int64_t>(lanes)));
    Value *bytes = times(rows, shape.rowElements() * bytesOf(type));
    b.CreateMemSet(rowAt(panel, region.begin), b.getInt8(0), bytes, Align(16));
  });
  if (!region.lanesAreRows) {
    forLanes(laneCount(region), /*whole=*/false, [&](Value *lane, Value *mask) {
      e.emitLoop(region.begin, region.end, 1, [&](Value *row) {
        Value *first = plus(region.base, plus(times(row, region.columns), region.first));
        LaneIndex from = index.laneOf(plus(first, lane));
        for (int64_t part = 0; part < shape.parts(); ++part) {
          storeVector(zeroInactive(element(part, from), mask), placeAt(panel, row, part, lane));
        }
      });
    });
    return;
  }
  forLaneBlocks(region, [&](Value *lane, Value *count) {
    emitIf(e, b.CreateICmpSLT(count, constant(lanes)), [&] {
      b.CreateMemSet(block, b.getInt8(0), constant(lanes * lanes * bytesOf(type)), Align(16));
    });
    forRowVectors(region, [&](Value *row) {
      for (int64_t part = 0; part < shape.parts(); ++part) {
        e.emitLoop(constant(0), count, 1, [&](Value *i) {
          Value *matrixRow = plus(plus(region.first, lane), i);
          Value *from = plus(region.base, plus(times(matrixRow, region.columns), row));
          Value *made = element(part, index.laneOf(from));
          storeVector(zeroInactive(made, e.activeLanes()), inBlock(i));
        });
        transposeBlock([&](unsigned i) { return inBlock(constant(i)); },
                       [&](unsigned i) { return placeAt(panel, plus(row, i), part, lane); });
      }
    });
  });
}

void PanelTransfer::store(const Region &region, Value *panel, Store store) {
  if (!region.lanesAreRows) {
    forLanes(laneCount(region), /*whole=*/false, [&](Value *lane, Value *) {
      e.emitLoop(region.begin, region.end, 1, [&](Value *row) {
        Value *column = plus(region.first, lane);
        Value *first = plus(region.base, times(row, region.columns));
        for (int64_t part = 0; part < shape.parts(); ++part) {
          store(part, index.laneOf(plus(first, column)),
                loadVector(placeAt(panel, row, part, lane)), index.scalar(row),
                index.laneOf(column));
        }
      });
    });
    return;
  }
  forLaneBlocks(region, [&](Value *lane, Value *count) {
    forRowVectors(region, [&](Value *row) {
      for (int64_t part = 0; part < shape.parts(); ++part) {
        transposeBlock([&](unsigned i) { return placeAt(panel, plus(row, i), part, lane); },
                       [&](unsigned i) { return inBlock(constant(i)); });
        e.emitLoop(constant(0), count, 1, [&](Value *i) {
          Value *matrixRow = plus(plus(region.first, lane), i);
          Value *to = plus(region.base, plus(times(matrixRow, region.columns), row));
          store(part, index.laneOf(to), loadVector(inBlock(i)), index.laneOf(row),
                index.scalar(matrixRow));
        });
      }
    });
  });
}

} // namespace drumlin::codegen
