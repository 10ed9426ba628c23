#include "drumlin/codegen/cpu/gemm/GemmTiles.h"

#include "drumlin/target/ComputeUnits.h"

using namespace llvm;

namespace drumlin::codegen {

static Value *constant(IRBuilder<> &b, int64_t value) {
  return b.getInt64(static_cast<uint64_t>(value));
}

Value *elementAt(IRBuilder<> &b, Value *base, Value *offset) {
  return b.CreateInBoundsGEP(b.getInt32Ty(), base, offset);
}

namespace {
// Emulates a tile instruction for one row of a tile of sums.
class RowEmulator {
public:
  RowEmulator(ElementEmitter &emitter, const TileBlock &block)
      : emitter(emitter), b(emitter.ir()), block(block),
        integers(FixedVectorType::get(b.getInt32Ty(), tileSize)),
        floats(FixedVectorType::get(b.getFloatTy(), tileSize)) {}

  Type *sumType() const { return isFloats() ? floats : integers; }
  // Returns `sum` plus the products of the row's k-groups and the panel's k-groups.
  Value *instruction(Value *row, Value *panel, Value *sum);

private:
  bool isFloats() const { return info(block.unit).sums == ElementType::F32; }
  Value *splat(uint32_t bits) { return ConstantInt::get(integers, bits); }
  Value *flushed(Value *value);
  Value *halfOf(Value *pairs, bool isHigh);
  Value *byteOf(Value *quads, uint64_t position, bool isWithoutSign);

  ElementEmitter &emitter;
  IRBuilder<> &b;
  const TileBlock &block;
  Type *integers, *floats;
};
} // namespace

// Replaces a subnormal number by a zero of the same sign.
Value *RowEmulator::flushed(Value *value) {
  Value *bits = b.CreateBitCast(value, integers);
  Value *isTiny = b.CreateICmpEQ(b.CreateAnd(bits, splat(0x7f800000)), splat(0));
  return b.CreateBitCast(b.CreateSelect(isTiny, b.CreateAnd(bits, splat(0x80000000)), bits),
                         floats);
}

Value *RowEmulator::halfOf(Value *pairs, bool isHigh) {
  if (block.unit == ComputeUnit::f16_tiles) {
    Value *half = b.CreateTrunc(isHigh ? b.CreateLShr(pairs, uint64_t(16)) : pairs,
                                FixedVectorType::get(b.getInt16Ty(), tileSize));
    return b.CreateFPExt(b.CreateBitCast(half, FixedVectorType::get(b.getHalfTy(), tileSize)),
                         floats);
  }
  Value *bits = isHigh ? b.CreateAnd(pairs, splat(0xffff0000)) : b.CreateShl(pairs, uint64_t(16));
  return flushed(b.CreateBitCast(bits, floats));
}

Value *RowEmulator::byteOf(Value *quads, uint64_t position, bool isWithoutSign) {
  Value *top = b.CreateShl(quads, 24 - 8 * position);
  return isWithoutSign ? b.CreateLShr(top, uint64_t(24)) : b.CreateAShr(top, uint64_t(24));
}

// TDPBF16PS and TDPFP16PS sum the even and the odd k elements separately, add the two sums, and add
// the result to the previous value.
Value *RowEmulator::instruction(Value *row, Value *panel, Value *sum) {
  Value *zero = Constant::getNullValue(floats);
  SmallVector<Value *> first =
      isFloats() ? SmallVector<Value *>{zero, zero} : SmallVector<Value *>{sum};
  SmallVector<Value *> done = emitter.emitLoop(
      constant(b, 0), constant(b, tileSize), 1, first,
      [&](Value *unit, ArrayRef<Value *> before) -> SmallVector<Value *> {
        Value *element = b.CreateAlignedLoad(b.getInt32Ty(), elementAt(b, row, unit), Align(4));
        Value *left = b.CreateVectorSplat(tileSize, element);
        Value *from = elementAt(b, panel, b.CreateMul(unit, constant(b, tileSize)));
        // The panel may be a weight in the caller's file, which may have any alignment.
        Value *right = b.CreateAlignedLoad(integers, from, Align(1));
        if (!isFloats()) {
          Value *sums = before.front();
          for (uint64_t i = 0; i < 4; ++i) {
            sums = b.CreateAdd(sums, b.CreateMul(byteOf(left, i, block.rowsWithoutSign),
                                                 byteOf(right, i, block.columnsWithoutSign)));
          }
          return {sums};
        }
        SmallVector<Value *> after;
        for (bool isHigh : {false, true}) {
          Value *product =
              b.CreateIntrinsic(Intrinsic::fma, {floats},
                                {halfOf(left, isHigh), halfOf(right, isHigh), before[isHigh]});
          after.push_back(flushed(product));
        }
        return after;
      });
  if (!isFloats()) {
    return done.front();
  }
  Value *both = flushed(b.CreateFAdd(done[0], done[1]));
  return flushed(b.CreateFAdd(flushed(sum), both));
}

void emulateTiles(ElementEmitter &emitter, const TileBlock &block) {
  IRBuilder<> &b = emitter.ir();
  RowEmulator row(emitter, block);
  emitter.emitLoop(constant(b, 0), constant(b, block.rowTiles * tileSize), 1, [&](Value *number) {
    Value *units = elementAt(b, block.rows, b.CreateMul(number, constant(b, block.rowStride)));
    Value *sums = elementAt(b, block.sums, b.CreateMul(number, constant(b, block.sumStride)));
    for (int64_t j = 0; j < block.columnTiles(); ++j) {
      Value *panel = block.panels[static_cast<size_t>(j)];
      Value *place = elementAt(b, sums, constant(b, j * tileSize));
      Value *before = b.CreateAlignedLoad(row.sumType(), place, Align(64));
      before = b.CreateSelect(block.isFirst, Constant::getNullValue(row.sumType()), before);
      SmallVector<Value *> after =
          emitter.emitLoop(constant(b, 0), block.units, tileSize, {before},
                           [&](Value *unit, ArrayRef<Value *> sum) -> SmallVector<Value *> {
                             Value *from =
                                 elementAt(b, panel, b.CreateMul(unit, constant(b, tileSize)));
                             return {row.instruction(elementAt(b, units, unit), from, sum.front())};
                           });
      b.CreateAlignedStore(after.front(), place, Align(64));
    }
  });
}

} // namespace drumlin::codegen
