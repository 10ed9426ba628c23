// The packed algorithm: blocks of k of both operands are evaluated into scratch memory in the order
// in which a register-blocked micro-kernel reads them; its sums stay in a block of scratch memory
// until k is done.
//
// Columns that lie so in memory already are multiplied where they are.
//
// Packed rows lie row-major (each row's k-groups contiguous: the micro-kernel broadcasts them),
// packed columns in panels of one register: panel[unit of k][columns of a register]. Whatever lies
// along the other direction is transposed 16 × 16 units at a time.
#include "drumlin/codegen/cpu/element/TransposeLanes.h"
#include "drumlin/codegen/cpu/gemm/GemmEmitter.h"
#include "drumlin/codegen/cpu/gemm/GemmTiles.h"
#include "drumlin/ir/plan/gemm/GemmPanels.h"

#include "llvm/IR/IntrinsicsX86.h"

#include <numeric>

using namespace llvm;

namespace drumlin::codegen {

// 128 in each term of a unit of four.
static constexpr uint64_t eachTimes128 = 0x80808080;

static int64_t roundUp(int64_t x, int64_t to) { return (x + to - 1) / to * to; }

namespace {
class PackedGemm : public GemmEmitter {
public:
  using GemmEmitter::GemmEmitter;

protected:
  void emitTile(const Tile &tile) override;

private:
  // A block of k: units [0, units), terms [first, first + terms).
  struct Depth {
    LaneIndex first;
    Value *terms, *units;
    Value *multiplied; // units, and zeros up to a whole instruction
    bool whole;        // the terms of every block are whole registers
  };
  using Term = function_ref<Value *(const LaneIndex &free, const LaneIndex &depth)>;

  void layOut();
  Value *unitsAlongFree(const Depth &depth, Term term, const LaneIndex &free, Value *unit);
  Value *unitsAlongDepth(const Depth &depth, Term term, const LaneIndex &free, Value *base,
                         Value *mask);
  void forDepthLanes(const Depth &depth, function_ref<void(Value *base, Value *mask)> body);
  void packRows(const Tile &tile, const Depth &depth);
  void packColumns(const Tile &tile, const Depth &depth);
  void transposeBlock(function_ref<void(Value *row, size_t number)> store);
  void multiply(const Tile &tile, const Depth &depth, Value *isFirst);
  void multiplyBlock(Value *row, Value *column, Value *units, Value *isFirst);
  void multiplyTiles(Value *row, Value *column, Value *units, Value *isFirst);
  void sumColumns(const Tile &tile, const Depth &depth);
  Value *accumulate(Value *rowUnit, Value *columnUnits, Value *sum);
  // The unit of a term, where that is a unit's first one.
  Value *unitOf(Value *term) {
    return b.CreateLShr(term, Log2_64(static_cast<uint64_t>(problem.kGroup())));
  }
  // Of columns.
  Value *panelNumber(Value *column) {
    return b.CreateLShr(column, Log2_64(static_cast<uint64_t>(width)));
  }
  Value *panelAt(Value *number) {
    return at(unitType, panels ? firstPanel : packedColumns,
              b.CreateMul(number, constant(panelStride), "", true, true));
  }
  SmallVector<Value *> panelsAt(Value *column);
  void findPanels(const Tile &tile, const Depth &depth);

  PackedPanels packed() const { return {packedColumns, unitType, width, panelStride}; }

  Type *unitType = nullptr;
  Type *sumType = nullptr;
  int64_t width = 0;                                     // columns of a panel
  int64_t unitsAtOnce = 1;                               // that one instruction takes
  int64_t rowStride = 0, panelStride = 0, sumStride = 0; // in elements
  Value *packedRows = nullptr, *packedColumns = nullptr, *sums = nullptr, *block = nullptr;
  // Columns that lie in panels: a block's first unit in the tile's first panel, and how many panels
  // of the matrix follow it.
  std::optional<GemmPanels> panels;
  Value *firstPanel = nullptr, *panelsBehind = nullptr;
  Value *columnSums = nullptr; // where rows are moved by 128; null: they aren't
};
} // namespace

void PackedGemm::layOut() {
  unitType = problem.unitType();
  sumType = problem.sumLlvmType();
  unitsAtOnce = info(problem.unit).kGroups;
  width = frame.target.registerLanes(bytesOf(sumType));
  int64_t rows =
      std::max(roundUp(schedule.tileRows, schedule.kernelRows), roundUp(schedule.tileRows, lanes));
  int64_t columns = roundUp(roundUp(schedule.tileColumns, lanes), kernelVectors * width);
  // The extra units keep rows and panels from falling into the same sets of a cache.
  rowStride = blockDepth + lanes;
  panelStride = (blockDepth + 1) * width;
  sumStride = columns + lanes;
  packedRows = allocate(unitType, rows * rowStride);
  if (schedule.columnsInPanels) {
    panels = panelsOf(problem, columnOperand(), problem.unit, width);
    panelStride = panels->elements * width;
  } else {
    packedColumns = allocate(unitType, columns / width * panelStride);
  }
  sums = allocate(sumType, rows * sumStride);
  block = allocate(unitType, lanes * lanes);
  if (problem.movesRows(problem.unit)) {
    columnSums = allocate(sumType, columns);
  }
}

//===- packing --------------------------------------------------------------------===//

// One unit for each of the free positions: its terms are joined by shifts.
Value *PackedGemm::unitsAlongFree(const Depth &depth, Term term, const LaneIndex &free,
                                  Value *unit) {
  int64_t terms = problem.kGroup();
  if (terms == 1) {
    return e.splat(term(free, index.add(depth.first, index.scalar(unit))));
  }
  auto *wide = vectorOf(unitType);
  auto bits = static_cast<uint64_t>(problem.termLlvmType()->getIntegerBitWidth());
  Value *position = b.CreateShl(unit, Log2_64(static_cast<uint64_t>(terms)), "", true, true);
  Value *joined = nullptr;
  for (int64_t i = 0; i < terms; ++i) {
    Value *at = i == 0 ? position : b.CreateAdd(position, constant(i));
    Value *inside = nullptr;
    if (i > 0 && problem.k % terms != 0) {
      // Past the end there is a zero; what is read instead is the last term.
      inside = b.CreateICmpSLT(at, depth.terms);
      at = b.CreateBinaryIntrinsic(Intrinsic::smin, at, b.CreateSub(depth.terms, constant(1)));
    }
    Value *each = term(free, index.add(depth.first, index.scalar(at)));
    if (inside) {
      each = b.CreateSelect(inside, each, Constant::getNullValue(each->getType()));
    }
    Value *moved = b.CreateShl(b.CreateZExt(e.splat(each), wide), static_cast<uint64_t>(i) * bits);
    joined = joined ? b.CreateOr(joined, moved) : moved;
  }
  return joined;
}

// Units from term `base` on, at one free position.
Value *PackedGemm::unitsAlongDepth(const Depth &depth, Term term, const LaneIndex &free,
                                   Value *base, Value *mask) {
  auto termsFrom = [&](Value *position, Value *active) {
    LaneIndex along = index.add(depth.first, index.laneOf(position, lanes));
    // Behind the first register of a unit's terms, one may lie behind the last term.
    Value *value = term(free, active ? index.leaving(along, problem.k) : along);
    return zeroInactive(e.splat(value), active);
  };
  SmallVector<Value *> registers = {termsFrom(base, mask)};
  Value *saved = e.activeLanes();
  for (int64_t i = 1; i < problem.kGroup(); ++i) {
    Value *next = b.CreateAdd(base, constant(i * lanes)), *nextMask = nullptr;
    if (mask) {
      nextMask = b.CreateICmpSLT(index.asVector(index.laneOf(next)),
                                 b.CreateVectorSplat(lanes, depth.terms));
      e.setActiveLanes(nextMask);
    }
    e.pushScope();
    registers.push_back(termsFrom(next, nextMask));
    e.popScope();
    e.setActiveLanes(saved);
  }
  // Registers of as many terms become one of units.
  while (registers.size() > 1) {
    SmallVector<Value *> joined;
    for (size_t i = 0; i < registers.size(); i += 2) {
      SmallVector<int> both(2 * cast<FixedVectorType>(registers[i]->getType())->getNumElements());
      std::iota(both.begin(), both.end(), 0);
      joined.push_back(b.CreateShuffleVector(registers[i], registers[i + 1], both));
    }
    registers = std::move(joined);
  }
  return problem.kGroup() == 1 ? registers.front()
                               : b.CreateBitCast(registers.front(), vectorOf(unitType));
}

void PackedGemm::forDepthLanes(const Depth &depth, function_ref<void(Value *, Value *)> body) {
  forLanes(depth.terms, depth.whole, body, static_cast<int64_t>(lanes) * problem.kGroup());
}

// Reads the transposed block and hands out its rows.
void PackedGemm::transposeBlock(function_ref<void(Value *, size_t)> store) {
  SmallVector<Value *> rows;
  for (unsigned i = 0; i < lanes; ++i) {
    rows.push_back(b.CreateAlignedLoad(vectorOf(unitType), at(unitType, block, constant(i * lanes)),
                                       Align(64)));
  }
  transposeLanes(b, rows);
  for (auto [i, row] : enumerate(rows)) {
    store(row, i);
  }
}

void PackedGemm::packRows(const Tile &tile, const Depth &depth) {
  auto term = [&](const LaneIndex &free, const LaneIndex &k) { return rowTerm(tile, free, k); };
  auto moved = [&](Value *units) {
    return problem.movesRows(problem.unit)
               ? b.CreateXor(units, ConstantInt::get(units->getType(), eachTimes128))
               : units;
  };
  if (schedule.rowsAlongK) {
    e.emitLoop(constant(0), tile.rows, 1, [&](Value *row) {
      Value *target =
          at(unitType, packedRows, b.CreateMul(row, constant(rowStride), "", true, true));
      forDepthLanes(depth, [&](Value *base, Value *mask) {
        if (schedule.prefetchRows != 0) {
          LaneIndex ahead =
              index.scalar(b.CreateAdd(row, constant(schedule.prefetchRows), "", true, true));
          prefetch([&]() { unitsAlongDepth(depth, term, ahead, base, mask); });
        }
        Value *units = unitsAlongDepth(depth, term, index.scalar(row), base, mask);
        b.CreateAlignedStore(moved(units), at(unitType, target, unitOf(base)), Align(64));
      });
    });
    return;
  }
  forLanes(tile.rows, tile.wholeRows, [&](Value *row, Value *) {
    Value *target = at(unitType, packedRows, b.CreateMul(row, constant(rowStride), "", true, true));
    e.emitLoop(constant(0), depth.units, lanes, [&](Value *unit) {
      Value *count =
          b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateSub(depth.units, unit), constant(lanes));
      if (unitsAtOnce > 1) {
        e.emitLoop(count, constant(lanes), 1, [&](Value *i) {
          Value *place = at(unitType, block, b.CreateMul(i, constant(lanes), "", true, true));
          b.CreateAlignedStore(Constant::getNullValue(vectorOf(unitType)), place, Align(64));
        });
      }
      e.emitLoop(constant(0), count, 1, [&](Value *i) {
        Value *units = unitsAlongFree(depth, term, index.laneOf(row, lanes),
                                      b.CreateAdd(unit, i, "", true, true));
        b.CreateAlignedStore(
            units, at(unitType, block, b.CreateMul(i, constant(lanes), "", true, true)), Align(64));
      });
      Value *first = at(unitType, target, unit);
      transposeBlock([&](Value *units, size_t number) {
        b.CreateAlignedStore(
            moved(units), at(unitType, first, constant(static_cast<int64_t>(number) * rowStride)),
            Align(64));
      });
    });
  });
}

void PackedGemm::packColumns(const Tile &tile, const Depth &depth) {
  auto term = [&](const LaneIndex &free, const LaneIndex &k) { return columnTerm(tile, free, k); };
  if (unitsAtOnce > 1 && !schedule.columnsAlongK) {
    e.emitLoop(depth.units, depth.multiplied, 1, [&](Value *unit) {
      e.emitLoop(constant(0), tile.columns, lanes, [&](Value *column) {
        storeInPanels(packed(), Constant::getNullValue(vectorOf(unitType)), column, unit);
      });
    });
  }
  if (schedule.columnsFirst) {
    forLanes(tile.columns, tile.wholeColumns, [&](Value *column, Value *) {
      e.emitLoop(constant(0), depth.units, 1, [&](Value *unit) {
        storeInPanels(packed(), unitsAlongFree(depth, term, index.laneOf(column, lanes), unit),
                      column, unit);
      });
    });
    return;
  }
  if (!schedule.columnsAlongK) {
    e.emitLoop(constant(0), depth.units, 1, [&](Value *unit) {
      forLanes(tile.columns, tile.wholeColumns, [&](Value *column, Value *) {
        if (schedule.prefetchColumns != 0) {
          LaneIndex ahead =
              index.scalar(b.CreateAdd(unit, constant(schedule.prefetchColumns), "", true, true));
          prefetch([&]() { unitsAlongFree(depth, term, index.laneOf(column, lanes), ahead.base); });
        }
        storeInPanels(packed(), unitsAlongFree(depth, term, index.laneOf(column, lanes), unit),
                      column, unit);
      });
    });
    return;
  }
  e.emitLoop(constant(0), tile.columns, lanes, [&](Value *column) {
    Value *count = b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateSub(tile.columns, column),
                                           constant(lanes));
    forDepthLanes(depth, [&](Value *base, Value *mask) {
      e.emitLoop(constant(0), count, 1, [&](Value *i) {
        LaneIndex free = index.scalar(b.CreateAdd(column, i, "", true, true));
        Value *units = unitsAlongDepth(depth, term, free, base, mask);
        b.CreateAlignedStore(
            units, at(unitType, block, b.CreateMul(i, constant(lanes), "", true, true)), Align(64));
      });
      Value *unit = unitOf(base);
      transposeBlock([&](Value *units, size_t number) {
        storeInPanels(packed(), units, column,
                      b.CreateAdd(unit, constant(static_cast<int64_t>(number)), "", true, true));
      });
    });
  });
}

// Static panels have the format of packed ones; all of k is contiguous in each.
void PackedGemm::findPanels(const Tile &tile, const Depth &depth) {
  Value *inMatrix = panelNumber(tile.column0.base);
  Value *number = b.CreateAdd(b.CreateMul(tile.batch.base, constant(panels->panels)), inMatrix);
  Value *unit = b.CreateMul(unitOf(depth.first.base), constant(width));
  firstPanel = at(unitType, e.bufferOf(panels->memory)->pointer,
                  b.CreateAdd(b.CreateMul(number, constant(panelStride)), unit));
  panelsBehind = b.CreateSub(constant(panels->panels - 1), inMatrix);
}

// Those that the micro-kernel reads from a column on. Behind the last panel it reads that one
// again: these sums are stored nowhere.
SmallVector<Value *> PackedGemm::panelsAt(Value *column) {
  Value *first = panelNumber(column);
  SmallVector<Value *> made = {panelAt(first)};
  for (int64_t v = 1; v < kernelVectors; ++v) {
    Value *number = b.CreateAdd(first, constant(v), "", true, true);
    made.push_back(
        panelAt(panels ? b.CreateBinaryIntrinsic(Intrinsic::smin, number, panelsBehind) : number));
  }
  return made;
}

//===- multiplying -----------------------------------------------------------------===//

Value *PackedGemm::accumulate(Value *rowUnit, Value *columnUnits, Value *sum) {
  Intrinsic::ID id = Intrinsic::not_intrinsic;
  switch (problem.unit) {
  case ComputeUnit::fma:
    return multiplyAdd(rowUnit, columnUnits, sum);
  case ComputeUnit::bf16_pairs:
    id = Intrinsic::x86_avx512bf16_dpbf16ps_512;
    break;
  case ComputeUnit::int16_pairs:
    id = Intrinsic::x86_avx512_vpdpwssd_512;
    break;
  case ComputeUnit::bf16_tiles:
  case ComputeUnit::int8_tiles:
    llvm_unreachable("tiles are multiplied by GemmTiles.h");
  case ComputeUnit::int8_quads:
    id = Intrinsic::x86_avx512_vpdpbusd_512;
    // Those without a sign come first.
    if (problem.isWithoutSign(columnOperand())) {
      std::swap(rowUnit, columnUnits);
    }
    break;
  }
  Function *dot = Intrinsic::getOrInsertDeclaration(&frame.module, id);
  FunctionType *type = dot->getFunctionType();
  return b.CreateCall(dot, {sum, b.CreateBitCast(rowUnit, type->getParamType(1)),
                            b.CreateBitCast(columnUnits, type->getParamType(2))});
}

// Moving the rows by 128 adds 128 times the sum of a column's terms to each of its sums; or
// subtracts it, where the unit reads the rows as signed numbers. The same instruction computes it
// here.
void PackedGemm::sumColumns(const Tile &tile, const Depth &depth) {
  auto *sumVector = vectorOf(sumType, width);
  Value *rows = ConstantInt::get(vectorOf(unitType, width), eachTimes128);
  e.emitLoop(constant(0), tile.columns, width, [&](Value *column) {
    Value *ofColumns = panelAt(panelNumber(column));
    SmallVector<Value *> sum = e.emitLoop(
        constant(0), depth.units, 1, {Constant::getNullValue(sumVector)},
        [&](Value *unit, ArrayRef<Value *> before) -> SmallVector<Value *> {
          Value *from = at(unitType, ofColumns, b.CreateMul(unit, constant(width), "", true, true));
          Value *units = b.CreateAlignedLoad(vectorOf(unitType, width), from, Align(16));
          return {accumulate(rows, units, before.front())};
        });
    b.CreateAlignedStore(sum.front(), at(sumType, columnSums, column), Align(16));
  });
}

void PackedGemm::multiplyTiles(Value *row, Value *column, Value *units, Value *isFirst) {
  TileBlock tiles;
  tiles.unit = problem.unit;
  tiles.rowsWithoutSign = problem.isWithoutSign(rowOperand());
  tiles.columnsWithoutSign = problem.isWithoutSign(columnOperand());
  tiles.rowTiles = schedule.kernelRows / static_cast<int64_t>(lanes);
  tiles.rows = at(unitType, packedRows, b.CreateMul(row, constant(rowStride), "", true, true));
  tiles.rowStride = rowStride;
  tiles.panels = panelsAt(column);
  tiles.sums =
      at(sumType, sums, b.CreateAdd(b.CreateMul(row, constant(sumStride)), column, "", true, true));
  tiles.sumStride = sumStride;
  tiles.units = units;
  tiles.isFirst = isFirst;
  if (frame.target.has(info(problem.unit).feature)) {
    emitTiles(e, frame.module, tiles);
  } else {
    emulateTiles(e, tiles);
  }
}

// The micro-kernel: kernelRows × kernelVectors registers of sums over one block of k.
void PackedGemm::multiplyBlock(Value *row, Value *column, Value *units, Value *isFirst) {
  auto *sumVector = vectorOf(sumType, width);
  auto *unitVector = vectorOf(unitType, width);
  int64_t vectors = kernelVectors;
  Value *target =
      at(sumType, sums, b.CreateAdd(b.CreateMul(row, constant(sumStride)), column, "", true, true));
  SmallVector<Value *> places, carried, ofColumns;
  for (int64_t v = 0; columnSums && v < vectors; ++v) {
    Value *from = at(sumType, columnSums, b.CreateAdd(column, constant(v * width)));
    ofColumns.push_back(b.CreateAlignedLoad(sumVector, from, Align(16)));
  }
  for (int64_t i = 0; i < schedule.kernelRows; ++i) {
    for (int64_t v = 0; v < vectors; ++v) {
      places.push_back(at(sumType, target, constant(i * sumStride + v * width)));
      Value *before = b.CreateAlignedLoad(sumVector, places.back(), Align(16));
      before = b.CreateSelect(isFirst, Constant::getNullValue(sumVector), before);
      carried.push_back(columnSums ? b.CreateSub(before, ofColumns[static_cast<size_t>(v)])
                                   : before);
    }
  }
  Value *rowBase = at(unitType, packedRows, b.CreateMul(row, constant(rowStride), "", true, true));
  SmallVector<Value *> columnBases = panelsAt(column);
  SmallVector<Value *> done = e.emitLoop(
      constant(0), units, 1, carried,
      [&](Value *unit, ArrayRef<Value *> before) -> SmallVector<Value *> {
        SmallVector<Value *> after(before), columns;
        Value *inPanel = b.CreateMul(unit, constant(width), "", true, true);
        for (Value *base : columnBases) {
          Value *from = at(unitType, base, inPanel);
          if (panels && schedule.prefetchColumns != 0) {
            prefetch(at(unitType, from, constant(schedule.prefetchColumns * width)));
          }
          columns.push_back(b.CreateAlignedLoad(unitVector, from, Align(16)));
        }
        Value *fromRow = at(unitType, rowBase, unit);
        for (int64_t i = 0; i < schedule.kernelRows; ++i) {
          Value *scalar =
              b.CreateAlignedLoad(unitType, at(unitType, fromRow, constant(i * rowStride)),
                                  Align(static_cast<uint64_t>(bytesOf(unitType))));
          Value *broadcast = b.CreateVectorSplat(static_cast<unsigned>(width), scalar);
          for (int64_t v = 0; v < vectors; ++v) {
            size_t sum = static_cast<size_t>(i * vectors + v);
            after[sum] = accumulate(broadcast, columns[static_cast<size_t>(v)], before[sum]);
          }
        }
        return after;
      });
  for (auto [place, value] : zip(places, done)) {
    b.CreateAlignedStore(value, place, Align(16));
  }
}

void PackedGemm::multiply(const Tile &tile, const Depth &depth, Value *isFirst) {
  // The panels of one call stay in L1 while all rows pass by.
  e.emitLoop(constant(0), tile.columns, kernelVectors * width, [&](Value *column) {
    e.emitLoop(constant(0), tile.rows, schedule.kernelRows, [&](Value *row) {
      info(problem.unit).hasTiles() ? multiplyTiles(row, column, depth.multiplied, isFirst)
                                    : multiplyBlock(row, column, depth.multiplied, isFirst);
    });
  });
}

void PackedGemm::emitTile(const Tile &tile) {
  if (!packedRows) {
    layOut();
  }
  int64_t tileDepth = blockDepth * problem.kGroup();
  auto emitBlock = [&](const LaneIndex &first, Value *terms, Value *isFirst) {
    Depth depth;
    depth.first = first;
    depth.terms = terms;
    depth.units = unitOf(b.CreateAdd(terms, constant(problem.kGroup() - 1)));
    depth.multiplied = depth.units;
    if (unitsAtOnce > 1) {
      Value *more = b.CreateAdd(depth.units, constant(unitsAtOnce - 1));
      depth.multiplied = b.CreateAnd(more, constant(-unitsAtOnce));
    }
    depth.whole = problem.k % (static_cast<int64_t>(lanes) * problem.kGroup()) == 0;
    if (panels) {
      findPanels(tile, depth);
    } else {
      packColumns(tile, depth);
    }
    packRows(tile, depth);
    if (columnSums) {
      sumColumns(tile, depth);
    }
    multiply(tile, depth, isFirst);
  };
  if (problem.k <= tileDepth) {
    emitBlock(index.constant(0), constant(problem.k), b.getTrue());
  } else {
    e.emitLoop(constant(0), constant(problem.k), tileDepth, [&](Value *first) {
      Value *terms = b.CreateBinaryIntrinsic(
          Intrinsic::smin, b.CreateSub(constant(problem.k), first), constant(tileDepth));
      emitBlock(index.scalar(first, tileDepth), terms, b.CreateICmpEQ(first, constant(0)));
    });
  }
  storeBlock(tile, sums, sumStride);
}

std::unique_ptr<GemmEmitter> makePackedGemm(KernelFrame &frame, GemmTerms &problem,
                                            GemmEpilogue &epilogue, const GemmSchedule &schedule) {
  return std::make_unique<PackedGemm>(frame, problem, epilogue, schedule);
}

} // namespace drumlin::codegen
