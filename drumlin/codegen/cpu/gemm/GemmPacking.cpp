#include "drumlin/codegen/cpu/gemm/GemmPacking.h"

#include "drumlin/codegen/cpu/element/TransposeLanes.h"
#include "drumlin/target/ComputeUnits.h"

#include <array>
#include <numeric>

using namespace llvm;

namespace drumlin::codegen {

// A k-group of four bytes, each of which is 128.
static constexpr uint64_t eachTimes128 = 0x80808080;

Type *termType(ElementEmitter &emitter, const PackedElement &element) {
  return element.terms() == 1 ? emitter.computeType(element.sums)
                              : emitter.ir().getIntNTy(static_cast<unsigned>(32 / element.terms()));
}

Type *elementType(ElementEmitter &emitter, const PackedElement &element) {
  return element.terms() == 1 ? emitter.computeType(element.sums) : emitter.ir().getInt32Ty();
}

Value *asTerm(ElementEmitter &emitter, const PackedElement &element, Lanes value, ElementType type,
              bool isWithoutSign) {
  switch (element.unit) {
  case ComputeUnit::bf16_pairs:
  case ComputeUnit::bf16_mmla:
  case ComputeUnit::bf16_tiles:
    return emitter.toMemory(value.value, ElementType::BF16);
  case ComputeUnit::f16_tiles:
    return emitter.toMemory(value.value, ElementType::F16);
  case ComputeUnit::int16_pairs:
    return emitter.convert(value, type, ElementType::SI16).value;
  case ComputeUnit::int8_quads:
  case ComputeUnit::int8_dots:
  case ComputeUnit::int8_mmla:
  case ComputeUnit::int8_tiles:
    return emitter.convert(value, type, isWithoutSign ? ElementType::UI8 : ElementType::SI8).value;
  case ComputeUnit::fma:
    break;
  }
  // The compute form of narrow floats is already f32.
  return isFloat(type) && element.sums == ElementType::F32
             ? value.value
             : emitter.convert(value, type, element.sums).value;
}

Value *GemmPacking::elementsOf(Value *terms) {
  return elementOf(b.CreateAdd(terms, constant(element.terms() - 1)));
}

Value *GemmPacking::multipliedOf(Value *terms) {
  Value *elements = elementsOf(terms);
  if (element.atOnce() == 1) {
    return elements;
  }
  Value *more = b.CreateAdd(elements, constant(element.atOnce() - 1));
  return b.CreateAnd(more, constant(-element.atOnce()));
}

// Returns k-group `number` for each position along the free dimension. The k elements of a k-group
// are combined with shifts.
Value *GemmPacking::elementsAlongFree(const Range &range, const LaneIndex &free, Value *number) {
  int64_t terms = element.terms();
  if (terms == 1) {
    return e.splat(range.term(free, index.add(range.first, index.scalar(number))));
  }
  auto *wide = vectorOf(type);
  auto bits = static_cast<uint64_t>(termType(e, element)->getIntegerBitWidth());
  Value *position = b.CreateShl(number, Log2_64(static_cast<uint64_t>(terms)), "", true, true);
  Value *joined = nullptr;
  for (int64_t i = 0; i < terms; ++i) {
    Value *place = i == 0 ? position : b.CreateAdd(position, constant(i));
    Value *inside = nullptr;
    if (i > 0 && !range.wholeElements) {
      // k elements past the end must be zero: loads the last k element instead of them, and
      // replaces it by zero.
      inside = b.CreateICmpSLT(place, range.terms);
      place =
          b.CreateBinaryIntrinsic(Intrinsic::smin, place, b.CreateSub(range.terms, constant(1)));
    }
    Value *each = range.term(free, index.add(range.first, index.scalar(place)));
    if (inside) {
      each = b.CreateSelect(inside, each, Constant::getNullValue(each->getType()));
    }
    Value *shifted =
        b.CreateShl(b.CreateZExt(e.splat(each), wide), static_cast<uint64_t>(i) * bits);
    joined = joined ? b.CreateOr(joined, shifted) : shifted;
  }
  return joined;
}

// Returns the k-groups from k element `base` on, at one position along the free dimension.
Value *GemmPacking::elementsAlongDepth(const Range &range, const LaneIndex &free, Value *base,
                                       Value *mask) {
  auto termsFrom = [&](Value *position, Value *active) {
    LaneIndex along = index.add(range.first, index.laneOf(position, lanes));
    // Registers after the first may be entirely past the last k element.
    along.mayLeave |= active != nullptr;
    return zeroInactive(e.splat(range.term(free, along)), active);
  };
  SmallVector<Value *> registers = {termsFrom(base, mask)};
  Value *saved = e.activeLanes();
  for (int64_t i = 1; i < element.terms(); ++i) {
    Value *next = b.CreateAdd(base, constant(i * lanes)), *nextMask = nullptr;
    if (mask) {
      nextMask = b.CreateICmpSLT(index.asVector(index.laneOf(next)),
                                 b.CreateVectorSplat(lanes, range.terms));
      e.setActiveLanes(nextMask);
    }
    e.pushScope();
    registers.push_back(termsFrom(next, nextMask));
    e.popScope();
    e.setActiveLanes(saved);
  }
  // Concatenates the registers of k elements, pair by pair, to one register of k-groups.
  while (registers.size() > 1) {
    SmallVector<Value *> joined;
    for (size_t i = 0; i < registers.size(); i += 2) {
      SmallVector<int> both(2 * cast<FixedVectorType>(registers[i]->getType())->getNumElements());
      std::iota(both.begin(), both.end(), 0);
      joined.push_back(b.CreateShuffleVector(registers[i], registers[i + 1], both));
    }
    registers = std::move(joined);
  }
  return element.terms() == 1 ? registers.front()
                              : b.CreateBitCast(registers.front(), vectorOf(type));
}

void GemmPacking::forDepthLanes(const Range &range, function_ref<void(Value *, Value *)> body) {
  forLanes(range.terms, range.wholeTerms, body, static_cast<int64_t>(lanes) * element.terms());
}

// Transposes the block in memory and passes its rows to `store`.
void GemmPacking::transposeBlock(function_ref<void(Value *, size_t)> store) {
  SmallVector<Value *> rows;
  for (unsigned i = 0; i < lanes; ++i) {
    rows.push_back(b.CreateAlignedLoad(vectorOf(type), inBlock(constant(i)), Align(64)));
  }
  transposeLanes(b, rows);
  for (auto [i, row] : enumerate(rows)) {
    store(row, i);
  }
}

Value *GemmPacking::moved(Value *elements) {
  return element.isMoved
             ? b.CreateXor(elements, ConstantInt::get(elements->getType(), eachTimes128))
             : elements;
}

void GemmPacking::rowsAlongK(const Range &range, Value *packed, Value *stride) {
  e.emitLoop(constant(0), range.free, 1, [&](Value *row) {
    Value *target = at(type, packed, times(row, stride));
    forDepthLanes(range, [&](Value *base, Value *mask) {
      if (range.prefetched) {
        LaneIndex ahead = index.scalar(plus(row, range.prefetched));
        prefetch([&]() { elementsAlongDepth(range, ahead, base, mask); });
      }
      Value *elements = elementsAlongDepth(range, index.scalar(row), base, mask);
      b.CreateAlignedStore(moved(elements), at(type, target, elementOf(base)), Align(64));
    });
  });
}

void GemmPacking::rowsAlongFree(const Range &range, Value *packed, Value *stride) {
  Value *elements = elementsOf(range.terms);
  // Follows the order of memory: packs a block of k of all rows before the next block.
  e.emitLoop(constant(0), elements, lanes, [&](Value *first) {
    Value *count =
        b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateSub(elements, first), constant(lanes));
    if (element.atOnce() > 1) {
      e.emitLoop(count, constant(lanes), 1, [&](Value *i) {
        b.CreateAlignedStore(Constant::getNullValue(vectorOf(type)), inBlock(i), Align(64));
      });
    }
    forLanes(range.free, range.wholeFree, [&](Value *row, Value *) {
      e.emitLoop(constant(0), count, 1, [&](Value *i) {
        Value *made = elementsAlongFree(range, index.laneOf(row, lanes), plus(first, i));
        b.CreateAlignedStore(made, inBlock(i), Align(64));
      });
      Value *places = at(type, at(type, packed, times(row, stride)), first);
      transposeBlock([&](Value *made, size_t number) {
        Value *place = at(type, places, times(stride, static_cast<int64_t>(number)));
        b.CreateAlignedStore(moved(made), place, Align(64));
      });
    });
  });
}

void GemmPacking::clearBehind(const Range &range, const PackedPanels &panels) {
  if (element.atOnce() == 1) {
    return;
  }
  e.emitLoop(elementsOf(range.terms), multipliedOf(range.terms), 1, [&](Value *number) {
    e.emitLoop(constant(0), range.free, lanes, [&](Value *column) {
      storeInPanels(panels, Constant::getNullValue(vectorOf(type)), column, number);
    });
  });
}

void GemmPacking::pairColumns(Value *columns, Value *elements, const PackedPanels &panels) {
  if (!info(element.unit).multipliesPairs()) {
    return;
  }
  auto *vector = vectorOf(type, panels.width);
  e.emitLoop(constant(0), columns, panels.width, [&](Value *column) {
    Value *number = b.CreateLShr(column, Log2_64(static_cast<uint64_t>(panels.width)));
    Value *panel = at(type, panels.memory, times(number, panels.stride));
    e.emitLoop(constant(0), elements, 2, [&](Value *first) {
      std::array<Value *, 2> places = {at(type, panel, times(first, panels.width)),
                                       at(type, panel, times(plus(first, 1), panels.width))};
      Value *even = b.CreateAlignedLoad(vector, places[0], Align(16));
      Value *odd = b.CreateAlignedLoad(vector, places[1], Align(16));
      b.CreateAlignedStore(b.CreateShuffleVector(even, odd, {0, 4, 1, 5}), places[0], Align(16));
      b.CreateAlignedStore(b.CreateShuffleVector(even, odd, {2, 6, 3, 7}), places[1], Align(16));
    });
  });
}

void GemmPacking::pairRows(Value *rows, Value *elements, Value *packed, Value *stride) {
  if (!info(element.unit).multipliesPairs()) {
    return;
  }
  auto *vector = vectorOf(type, 4);
  e.emitLoop(constant(0), rows, 2, [&](Value *row) {
    Value *upper = at(type, packed, times(row, stride)), *lower = at(type, upper, stride);
    e.emitLoop(constant(0), elements, 4, [&](Value *first) {
      Value *inUpper = at(type, upper, first), *inLower = at(type, lower, first);
      auto [made, next] = pairHalves(b.CreateAlignedLoad(vector, inUpper, Align(16)),
                                     b.CreateAlignedLoad(vector, inLower, Align(16)));
      b.CreateAlignedStore(made, inUpper, Align(16));
      b.CreateAlignedStore(next, inLower, Align(16));
    });
  });
}

void GemmPacking::columnsAlongFree(const Range &range, const PackedPanels &panels,
                                   bool columnsFirst) {
  Value *elements = elementsOf(range.terms);
  auto pack = [&](Value *column, Value *number) {
    if (range.prefetched) {
      Value *ahead = plus(number, range.prefetched);
      prefetch([&]() { elementsAlongFree(range, index.laneOf(column, lanes), ahead); });
    }
    storeInPanels(panels, elementsAlongFree(range, index.laneOf(column, lanes), number), column,
                  number);
  };
  if (columnsFirst) {
    forLanes(range.free, range.wholeFree, [&](Value *column, Value *) {
      e.emitLoop(constant(0), elements, 1, [&](Value *number) { pack(column, number); });
    });
    return;
  }
  e.emitLoop(constant(0), elements, 1, [&](Value *number) {
    forLanes(range.free, range.wholeFree, [&](Value *column, Value *) { pack(column, number); });
  });
}

void GemmPacking::columnsAlongK(const Range &range, const PackedPanels &panels) {
  e.emitLoop(constant(0), range.free, lanes, [&](Value *column) {
    Value *count =
        b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateSub(range.free, column), constant(lanes));
    forDepthLanes(range, [&](Value *base, Value *mask) {
      e.emitLoop(constant(0), count, 1, [&](Value *i) {
        Value *made = elementsAlongDepth(range, index.scalar(plus(column, i)), base, mask);
        b.CreateAlignedStore(made, inBlock(i), Align(64));
      });
      Value *first = elementOf(base);
      transposeBlock([&](Value *made, size_t number) {
        storeInPanels(panels, made, column, plus(first, static_cast<int64_t>(number)));
      });
    });
  });
}

} // namespace drumlin::codegen
