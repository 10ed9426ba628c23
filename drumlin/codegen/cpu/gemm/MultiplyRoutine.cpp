#include "drumlin/codegen/cpu/gemm/MultiplyRoutine.h"

#include "drumlin/codegen/cpu/gemm/GemmBuilder.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;

namespace drumlin::codegen {

// 128 in each term of an element of four.
static constexpr uint64_t eachTimes128 = 0x80808080;

// Packed panels lie in scratch memory, others where an operand does: a weight in the caller's file
// starts where that has it.
static constexpr Align ofPanels = Align::Constant<1>();

static int64_t registerSums(const MultiplyRoutine &routine, const CpuTarget &target) {
  return target.registerLanes(info(routine.sums).bits / 8);
}

std::string MultiplyRoutine::name(const CpuTarget &target) const {
  std::string made = "routine_multiply_" + std::string(info(unit).name) + "_" +
                     std::string(drumlin::name(sums)) + "_" + std::to_string(rows) + "x" +
                     std::to_string(vectors) + "x" + std::to_string(registerSums(*this, target));
  made += columnsWithoutSign ? "_unsigned_columns" : "";
  made += movesRows ? "_moved_rows" : "";
  made += inPlace ? "_in_place" : "";
  return made + (prefetches ? "_prefetched" : "");
}

namespace {
class Multiplication : public GemmBuilder {
public:
  Multiplication(const MultiplyRoutine &routine, ElementEmitter &emitter, Function *function,
                 const CpuTarget &target)
      : GemmBuilder(emitter, target), routine(routine), module(*function->getParent()),
        width(registerSums(routine, target)), sumType(e.computeType(routine.sums)),
        unitType(info(routine.unit).kGroup == 1 ? sumType : b.getInt32Ty()) {
    Value **const fields[] = {
        &given.rows,  &given.rowStride, &given.panels,     &given.panelStride, &given.panelsBehind,
        &given.sums,  &given.sumStride, &given.columnSums, &given.tileRows,    &given.tileColumns,
        &given.units, &given.isFirst,   &given.unitStride, &given.prefetched};
    for (auto [field, argument] : zip_equal(fields, function->args())) {
      *field = &argument;
    }
  }

  void run() {
    if (routine.movesRows) {
      sumColumns();
    }
    // The panels of one step stay in L1 while all rows pass by.
    e.emitLoop(constant(0), given.tileColumns, routine.vectors * width, [&](Value *column) {
      SmallVector<Value *> panels = panelsAt(column);
      e.emitLoop(constant(0), given.tileRows, routine.rows,
                 [&](Value *row) { multiplyBlock(row, column, panels); });
    });
    b.CreateRetVoid();
  }

private:
  FixedVectorType *registerOf(Type *type) { return vectorOf(type, width); }
  Value *panel(Value *number) {
    return at(unitType, given.panels, times(number, given.panelStride));
  }
  Value *panelNumber(Value *column) {
    return b.CreateLShr(column, Log2_64(static_cast<uint64_t>(width)));
  }
  // Those that the micro-kernel reads from a column on. Behind the last panel it reads that one
  // again: these sums are stored nowhere.
  SmallVector<Value *> panelsAt(Value *column) {
    Value *first = panelNumber(column);
    SmallVector<Value *> made = {panel(first)};
    for (int64_t v = 1; v < routine.vectors; ++v) {
      Value *number = plus(first, v);
      made.push_back(panel(b.CreateBinaryIntrinsic(Intrinsic::smin, number, given.panelsBehind)));
    }
    return made;
  }

  Value *accumulate(Value *rowUnit, Value *columnUnits, Value *sum);
  void sumColumns();
  void multiplyBlock(Value *row, Value *column, ArrayRef<Value *> panels);

  const MultiplyRoutine &routine;
  Module &module;
  int64_t width; // sums of a register
  Type *sumType, *unitType;
  MultiplyRoutine::Arguments given = {};
};
} // namespace

Value *Multiplication::accumulate(Value *rowUnit, Value *columnUnits, Value *sum) {
  Intrinsic::ID id = Intrinsic::not_intrinsic;
  switch (routine.unit) {
  case ComputeUnit::fma:
    return multiplyAdd(rowUnit, columnUnits, sum);
  case ComputeUnit::bf16_pairs:
    id = Intrinsic::x86_avx512bf16_dpbf16ps_512;
    break;
  case ComputeUnit::int16_pairs:
    id = Intrinsic::x86_avx512_vpdpwssd_512;
    break;
  case ComputeUnit::bf16_tiles:
  case ComputeUnit::f16_tiles:
  case ComputeUnit::int8_tiles:
    llvm_unreachable("tiles are multiplied by GemmTiles.h");
  case ComputeUnit::int8_quads:
    id = Intrinsic::x86_avx512_vpdpbusd_512;
    // Those without a sign come first.
    if (routine.columnsWithoutSign) {
      std::swap(rowUnit, columnUnits);
    }
    break;
  }
  Function *dot = Intrinsic::getOrInsertDeclaration(&module, id);
  FunctionType *type = dot->getFunctionType();
  return b.CreateCall(dot, {sum, b.CreateBitCast(rowUnit, type->getParamType(1)),
                            b.CreateBitCast(columnUnits, type->getParamType(2))});
}

// Moving the rows by 128 adds 128 times the sum of a column's terms to each of its sums; or
// subtracts it, where the unit reads the rows as signed numbers. The same instruction computes it
// here.
void Multiplication::sumColumns() {
  auto *sumVector = registerOf(sumType);
  Value *rows = ConstantInt::get(registerOf(unitType), eachTimes128);
  e.emitLoop(constant(0), given.tileColumns, width, [&](Value *column) {
    Value *last = b.CreateBinaryIntrinsic(Intrinsic::smin, panelNumber(column), given.panelsBehind);
    Value *ofColumns = panel(last);
    SmallVector<Value *> sum =
        e.emitLoop(constant(0), given.units, 1, {Constant::getNullValue(sumVector)},
                   [&](Value *unit, ArrayRef<Value *> before) -> SmallVector<Value *> {
                     Value *from = at(unitType, ofColumns, times(unit, width));
                     Value *units = b.CreateAlignedLoad(registerOf(unitType), from, ofPanels);
                     return {accumulate(rows, units, before.front())};
                   });
    b.CreateAlignedStore(sum.front(), at(sumType, given.columnSums, column), Align(16));
  });
}

// The micro-kernel: rows × vectors registers of sums over the block of k. Floats of a block are
// added up before the sums of other blocks join them, whose rounding errors would be larger.
void Multiplication::multiplyBlock(Value *row, Value *column, ArrayRef<Value *> panels) {
  auto *sumVector = registerOf(sumType);
  auto *unitVector = registerOf(unitType);
  Value *first = at(sumType, given.sums, plus(times(row, given.sumStride), column));
  Value *isFirst = b.CreateICmpNE(given.isFirst, constant(0));
  bool startsFromZero = sumType->isFloatingPointTy();
  SmallVector<Value *> places, carried, ofColumns;
  auto othersAt = [&](Value *place) {
    Value *others = b.CreateAlignedLoad(sumVector, place, Align(16));
    return b.CreateSelect(isFirst, Constant::getNullValue(sumVector), others);
  };
  for (int64_t v = 0; routine.movesRows && v < routine.vectors; ++v) {
    Value *from = at(sumType, given.columnSums, plus(column, v * width));
    ofColumns.push_back(b.CreateAlignedLoad(sumVector, from, Align(16)));
  }
  for (int64_t i = 0; i < routine.rows; ++i) {
    Value *ofRow = at(sumType, first, times(constant(i), given.sumStride));
    for (int64_t v = 0; v < routine.vectors; ++v) {
      places.push_back(at(sumType, ofRow, constant(v * width)));
      Value *before = startsFromZero ? Constant::getNullValue(sumVector) : othersAt(places.back());
      carried.push_back(routine.movesRows ? b.CreateSub(before, ofColumns[static_cast<size_t>(v)])
                                          : before);
    }
  }
  Value *rowBase = at(unitType, given.rows, times(row, given.rowStride));
  SmallVector<Value *> done = e.emitLoop(
      constant(0), given.units, 1, carried,
      [&](Value *unit, ArrayRef<Value *> before) -> SmallVector<Value *> {
        SmallVector<Value *> after(before), columns;
        Value *stride = routine.inPlace ? given.unitStride : constant(width);
        Value *inPanel = times(unit, stride);
        for (Value *base : panels) {
          Value *from = at(unitType, base, inPanel);
          if (routine.prefetches) {
            prefetch(at(unitType, from, times(given.prefetched, stride)));
          }
          columns.push_back(b.CreateAlignedLoad(unitVector, from, ofPanels));
        }
        Value *fromRow = at(unitType, rowBase, unit);
        for (int64_t i = 0; i < routine.rows; ++i) {
          Value *place = at(unitType, fromRow, times(constant(i), given.rowStride));
          Value *scalar =
              b.CreateAlignedLoad(unitType, place, Align(unitType->getPrimitiveSizeInBits() / 8));
          Value *broadcast = b.CreateVectorSplat(static_cast<unsigned>(width), scalar);
          for (int64_t v = 0; v < routine.vectors; ++v) {
            auto sum = static_cast<size_t>(i * routine.vectors + v);
            after[sum] = accumulate(broadcast, columns[static_cast<size_t>(v)], before[sum]);
          }
        }
        return after;
      });
  for (auto [place, value] : zip(places, done)) {
    Value *sum = startsFromZero ? b.CreateFAdd(othersAt(place), value) : value;
    b.CreateAlignedStore(sum, place, Align(16));
  }
}

SmallVector<Type *> MultiplyRoutine::parameters(LLVMContext &context) const {
  Type *pointer = PointerType::getUnqual(context), *i64 = Type::getInt64Ty(context);
  return {pointer, i64, pointer, i64, i64, pointer, i64, pointer, i64, i64, i64, i64, i64, i64};
}

void MultiplyRoutine::emitBody(Function *function, const CpuTarget &target) const {
  IRBuilder<> builder(BasicBlock::Create(function->getContext(), "entry", function));
  ElementEmitter emitter(builder, *function->getParent(), target);
  Multiplication(*this, emitter, function, target).run();
}

void MultiplyRoutine::call(IRBuilder<> &builder, Function *function,
                           const Arguments &arguments) const {
  const Arguments &given = arguments;
  Value *isFirst = builder.CreateZExt(given.isFirst, builder.getInt64Ty());
  Value *nothing = ConstantPointerNull::get(builder.getPtrTy());
  builder.CreateCall(function,
                     {given.rows, given.rowStride, given.panels, given.panelStride,
                      given.panelsBehind, given.sums, given.sumStride,
                      given.columnSums ? given.columnSums : nothing, given.tileRows,
                      given.tileColumns, given.units, isFirst, given.unitStride, given.prefetched});
}

std::vector<MultiplyRoutine> sharedMultiplies(const CpuTarget &target) {
  std::vector<MultiplyRoutine> made;
  // Long pieces of rows in memory are read by more vectors than panels are.
  constexpr int64_t maxVectors = 3, maxVectorsInPlace = 8, maxRows = 14;
  // A register of columns each, and the broadcast row's, stay free beside the sums.
  auto fit = [&](int64_t vectors) {
    return std::min((target.vectorRegisters() - vectors - 1) / vectors, maxRows);
  };
  auto addShapes = [&](MultiplyRoutine routine) {
    for (routine.vectors = 1; routine.vectors <= maxVectors; ++routine.vectors) {
      for (routine.rows = 1; routine.rows <= fit(routine.vectors); ++routine.rows) {
        for (bool prefetches : {false, true}) {
          routine.prefetches = prefetches;
          made.push_back(routine);
        }
      }
    }
  };
  auto addInPlace = [&](MultiplyRoutine routine) {
    routine.inPlace = true;
    for (routine.vectors = 1; routine.vectors <= maxVectorsInPlace; ++routine.vectors) {
      for (routine.rows = 1; routine.rows <= fit(routine.vectors); ++routine.rows) {
        made.push_back(routine);
      }
    }
  };
  for (const ComputeUnitInfo &unit : computeUnits()) {
    if (!target.has(unit.unit) || unit.hasTiles()) {
      continue;
    }
    MultiplyRoutine routine;
    routine.unit = unit.unit;
    if (!unit.sums) {
      for (ElementType sums : {ElementType::F32, ElementType::F64}) {
        routine.sums = sums;
        addShapes(routine);
        addInPlace(routine);
      }
      continue;
    }
    routine.sums = *unit.sums;
    bool areSigned = unit.operands && *unit.operands == ElementType::SI8;
    for (bool withoutSign : {false, true}) {
      for (bool moves : {false, true}) {
        if (areSigned || !(withoutSign || moves)) {
          routine.columnsWithoutSign = withoutSign;
          routine.movesRows = moves;
          addShapes(routine);
        }
      }
    }
  }
  return made;
}

} // namespace drumlin::codegen
