#include "drumlin/codegen/cpu/machine/x86/X86Tiles.h"

#include "drumlin/target/ComputeUnits.h"

#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace drumlin::codegen {

static Value *constant(IRBuilder<> &b, int64_t value) {
  return b.getInt64(static_cast<uint64_t>(value));
}

static Intrinsic::ID instructionOf(const TileBlock &block) {
  if (block.unit == ComputeUnit::bf16_tiles) {
    return Intrinsic::x86_tdpbf16ps_internal;
  }
  if (block.unit == ComputeUnit::f16_tiles) {
    return Intrinsic::x86_tdpfp16ps_internal;
  }
  if (block.rowsWithoutSign) {
    return block.columnsWithoutSign ? Intrinsic::x86_tdpbuud_internal
                                    : Intrinsic::x86_tdpbusd_internal;
  }
  return block.columnsWithoutSign ? Intrinsic::x86_tdpbsud_internal
                                  : Intrinsic::x86_tdpbssd_internal;
}

// Returns a cache line of zeros in the module's data. A tile that is loaded from it with stride 0
// is all zeros.
static Value *zeroLine(Module &module) {
  constexpr const char *name = "drumlin_zero_line";
  if (GlobalVariable *known = module.getNamedGlobal(name)) {
    return known;
  }
  auto *type = ArrayType::get(Type::getInt32Ty(module.getContext()), tileSize);
  auto *line = new GlobalVariable(module, type, /*isConstant=*/true, GlobalValue::PrivateLinkage,
                                  ConstantAggregateZero::get(type), name);
  line->setAlignment(Align(64));
  return line;
}

void multiplyX86Tiles(ElementEmitter &emitter, Module &module, const TileBlock &block) {
  IRBuilder<> &b = emitter.ir();
  Value *rows = b.getInt16(tileSize), *rowBytes = b.getInt16(4 * tileSize);
  auto load = [&](Value *from, Value *stride) {
    return b.CreateIntrinsic(Intrinsic::x86_tileloadd64_internal, {},
                             {rows, rowBytes, from, stride});
  };
  SmallVector<Value *> places, before;
  Value *sumBytes = constant(b, block.sumStride * 4);
  Value *firstStride = b.CreateSelect(block.isFirst, constant(b, 0), sumBytes);
  for (int64_t i = 0; i < block.rowTiles; ++i) {
    for (int64_t j = 0; j < block.columnTiles(); ++j) {
      Value *offset = constant(b, i * tileSize * block.sumStride + j * tileSize);
      places.push_back(elementAt(b, block.sums, offset));
      before.push_back(
          load(b.CreateSelect(block.isFirst, zeroLine(module), places.back()), firstStride));
    }
  }
  SmallVector<Value *> done = emitter.emitLoop(
      constant(b, 0), block.units, tileSize, before,
      [&](Value *unit, ArrayRef<Value *> sums) -> SmallVector<Value *> {
        SmallVector<Value *> after(sums), columns;
        for (int64_t j = 0; j < block.columnTiles(); ++j) {
          Value *panel = block.panels[static_cast<size_t>(j)];
          Value *from = elementAt(b, panel, b.CreateMul(unit, constant(b, tileSize)));
          columns.push_back(load(from, constant(b, 4 * tileSize)));
        }
        for (int64_t i = 0; i < block.rowTiles; ++i) {
          Value *row = elementAt(b, block.rows, constant(b, i * tileSize * block.rowStride));
          Value *left = load(elementAt(b, row, unit), constant(b, 4 * block.rowStride));
          for (auto [j, right] : enumerate(columns)) {
            Value *&sum = after[static_cast<size_t>(i * block.columnTiles()) + j];
            sum = b.CreateIntrinsic(instructionOf(block), {},
                                    {rows, rowBytes, rowBytes, sum, left, right});
          }
        }
        return after;
      });
  for (auto [place, sum] : zip(places, done)) {
    b.CreateIntrinsic(Intrinsic::x86_tilestored64_internal, {},
                      {rows, rowBytes, place, sumBytes, sum});
  }
}

} // namespace drumlin::codegen
