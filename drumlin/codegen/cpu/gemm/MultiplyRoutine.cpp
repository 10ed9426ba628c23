#include "drumlin/codegen/cpu/gemm/MultiplyRoutine.h"

#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/codegen/cpu/gemm/GemmBuilder.h"
#include "drumlin/codegen/cpu/machine/Machines.h"
#include "drumlin/target/ComputeUnits.h"
#include "llvm/IR/InlineAsm.h"

#include <array>

using namespace llvm;

namespace drumlin::codegen {

// A k-group of four bytes, each of which is 128.
static constexpr uint64_t eachTimes128 = 0x80808080;

// The alignment of panels that the routine may assume. Panels that a kernel packs are in aligned
// scratch memory. Other panels are in the operand's memory, which may be a weight in the caller's
// file, at any alignment.
static constexpr Align ofPanels = Align::Constant<1>();

// The number of rows that are addressed from one pointer, at distances of 0 to 6 strides. An x86
// address is a pointer plus a register scaled by 1, 2, 4 or 8, so three registers, with 1, 3 and 5
// strides, suffice for all seven rows.
static constexpr int64_t rowsOfPointer = 7;

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

MicroKernel MultiplyRoutine::microKernel(const CpuTarget &target) const {
  PanelForm form = inPlace      ? PanelForm::InPlace
                   : prefetches ? PanelForm::Prefetched
                                : PanelForm::Packed;
  return {unit, sums, registerSums(*this, target), form, rows, vectors};
}

namespace {
class Multiplication : public GemmBuilder {
public:
  Multiplication(const MultiplyRoutine &routine, ElementEmitter &emitter, Function *function,
                 const CpuTarget &target)
      : GemmBuilder(emitter, target), routine(routine), width(registerSums(routine, target)),
        sumType(e.computeType(routine.sums)),
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
    findRowStrides();
    // The panels of one iteration stay in L1 while all rows are processed.
    e.emitLoop(constant(0), given.tileColumns, routine.vectors * width, [&](Value *column) {
      SmallVector<Value *> panels = panelsBehindFirst(panelNumber(column));
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
  // Returns the byte offsets of the micro-kernel's other panels from its first panel. Past the last
  // panel, the last panel is read again; the sums of repeated panels are never stored.
  SmallVector<Value *> panelsBehindFirst(Value *first) {
    SmallVector<Value *> made;
    for (int64_t v = 1; v < routine.vectors; ++v) {
      Value *number = b.CreateBinaryIntrinsic(Intrinsic::smin, plus(first, v), given.panelsBehind);
      made.push_back(bytes(times(b.CreateSub(number, first), given.panelStride)));
    }
    return made;
  }

  // The addresses that advance in the main loop. All other addresses from which the loop reads are
  // at fixed offsets from them, so that these few addresses and the offsets stay in registers.
  struct Pointers {
    SmallVector<Value *> rows; // one pointer for every rowsOfPointer rows
    Value *columns = nullptr, *prefetched = nullptr;

    SmallVector<Value *> flat() const;
  };
  Pointers firstPointers(Value *row, Value *column);
  Pointers pointersOf(ArrayRef<Value *> flat);
  Pointers nextPointers(const Pointers &before, int64_t steps);
  Value *rowAt(const Pointers &pointers, int64_t row);
  void findRowStrides();
  Value *opaque(Value *value);
  Value *bytes(Value *units) { return times(units, bytesOf(unitType)); }
  Value *atByte(Value *base, Value *offset) { return at(b.getInt8Ty(), base, offset); }
  // Returns the stride of k-groups in a panel.
  Value *unitStride() { return routine.inPlace ? given.unitStride : constant(width); }

  Value *accumulate(Value *rowUnit, Value *columnUnits, Value *sum);
  void sumColumns();
  void multiplyBlock(Value *row, Value *column, ArrayRef<Value *> behindFirst);
  bool multipliesPairs() const { return info(routine.unit).multipliesPairs(); }
  Value *sumOfTerms(Value *row, Value *ofColumns);
  SmallVector<Value *> rowElements(Value *address, int64_t steps);
  SmallVector<Value *> loadColumns(const Pointers &pointers, int64_t step,
                                   ArrayRef<Value *> behindFirst);
  void multiplyElements(const Pointers &pointers, int64_t steps, ArrayRef<Value *> behindFirst,
                        MutableArrayRef<Value *> sums);
  void multiplyPairs(const Pointers &pointers, int64_t steps, ArrayRef<Value *> behindFirst,
                     MutableArrayRef<Value *> sums);
  void pairSums(MutableArrayRef<Value *> sums);
  SmallVector<Value *> emitSteps(ArrayRef<Value *> carried, int64_t steps,
                                 ArrayRef<Value *> behindFirst);

  const MultiplyRoutine &routine;
  int64_t width; // number of sums in a register
  Type *sumType, *unitType;
  MultiplyRoutine::Arguments given = {};
  std::array<Value *, 3> rowStrides = {}; // 1, 3 and 5 row strides, in bytes
};
} // namespace

Value *Multiplication::accumulate(Value *rowUnit, Value *columnUnits, Value *sum) {
  if (routine.unit == ComputeUnit::fma) {
    return multiplyAdd(rowUnit, columnUnits, sum);
  }
  return machineOf(cpu).multiplyAdd(
      b, {routine.unit, rowUnit, columnUnits, sum, routine.columnsWithoutSign});
}

// Computes 128 times the sum of each column with the multiply instruction itself. Because rows are
// offset by 128, each sum of a column is too large by this number, or too small if the unit reads
// the rows as signed numbers.
void Multiplication::sumColumns() {
  Value *rows = ConstantInt::get(registerOf(unitType), eachTimes128);
  e.emitLoop(constant(0), given.tileColumns, width, [&](Value *column) {
    Value *last = b.CreateBinaryIntrinsic(Intrinsic::smin, panelNumber(column), given.panelsBehind);
    Value *sum = sumOfTerms(rows, panel(last));
    b.CreateAlignedStore(sum, at(sumType, given.columnSums, column), Align(16));
  });
}

// Multiplies one register of columns by a row over the whole block of k; returns the sums.
Value *Multiplication::sumOfTerms(Value *row, Value *ofColumns) {
  int64_t registers = multipliesPairs() ? 2 : 1;
  SmallVector<Value *> none(static_cast<size_t>(registers),
                            Constant::getNullValue(registerOf(sumType)));
  SmallVector<Value *> sums = e.emitLoop(
      constant(0), given.units, registers, none, [&](Value *unit, ArrayRef<Value *> before) {
        SmallVector<Value *> after;
        for (auto [number, sum] : enumerate(before)) {
          Value *place = number == 0 ? unit : plus(unit, static_cast<int64_t>(number));
          Value *from = at(unitType, ofColumns, times(place, width));
          Value *units = b.CreateAlignedLoad(registerOf(unitType), from, ofPanels);
          after.push_back(accumulate(row, units, sum));
        }
        return after;
      });
  return multipliesPairs() ? pairHalves(sums[0], sums[1]).first : sums[0];
}

SmallVector<Value *> Multiplication::Pointers::flat() const {
  SmallVector<Value *> made(rows);
  made.push_back(columns);
  if (prefetched) {
    made.push_back(prefetched);
  }
  return made;
}

Multiplication::Pointers Multiplication::pointersOf(ArrayRef<Value *> flat) {
  Pointers made;
  if (routine.prefetches) {
    made.prefetched = flat.consume_back();
  }
  made.columns = flat.consume_back();
  made.rows.assign(flat.begin(), flat.end());
  return made;
}

Multiplication::Pointers Multiplication::firstPointers(Value *row, Value *column) {
  Pointers made;
  for (int64_t i = 0; i < routine.rows; i += rowsOfPointer) {
    made.rows.push_back(at(unitType, given.rows, times(plus(row, i), given.rowStride)));
  }
  made.columns = panel(panelNumber(column));
  if (routine.prefetches) {
    made.prefetched = at(unitType, made.columns, times(given.prefetched, unitStride()));
  }
  return made;
}

Multiplication::Pointers Multiplication::nextPointers(const Pointers &before, int64_t steps) {
  Pointers made;
  Value *ofColumns = steps == 1 ? unitStride() : times(unitStride(), steps);
  for (Value *pointer : before.rows) {
    made.rows.push_back(opaque(at(unitType, pointer, constant(steps))));
  }
  made.columns = opaque(at(unitType, before.columns, ofColumns));
  if (routine.prefetches) {
    made.prefetched = opaque(at(unitType, before.prefetched, ofColumns));
  }
  return made;
}

// Hides from LLVM how a value is computed. If LLVM knew how the main loop's addresses are related,
// it would compute each row's address from the previous one in every step, or keep more addresses
// than there are registers.
Value *Multiplication::opaque(Value *value) {
  Type *type = value->getType();
  auto *hide =
      InlineAsm::get(FunctionType::get(type, {type}, false), "", "=r,0", /*hasSideEffects=*/false);
  return b.CreateCall(hide, value);
}

void Multiplication::findRowStrides() {
  int64_t behind = std::min(routine.rows, rowsOfPointer) - 1;
  for (int64_t odd = 1; odd <= behind; odd += 2) {
    rowStrides[static_cast<size_t>(odd / 2)] = opaque(times(bytes(given.rowStride), odd));
  }
}

Value *Multiplication::rowAt(const Pointers &pointers, int64_t row) {
  Value *base = pointers.rows[static_cast<size_t>(row / rowsOfPointer)];
  int64_t behind = row % rowsOfPointer;
  if (behind == 0) {
    return base;
  }
  int64_t scale = behind & -behind, odd = behind / scale;
  return atByte(base, times(rowStrides[static_cast<size_t>(odd / 2)], scale));
}

// Returns one k-group of a row for each step.
SmallVector<Value *> Multiplication::rowElements(Value *address, int64_t steps) {
  Type *type = steps == 1 ? unitType : vectorOf(unitType, steps);
  Align align(unitType->getPrimitiveSizeInBits() / 8);
  Value *loaded = b.CreateAlignedLoad(type, address, align);
  SmallVector<Value *> elements;
  for (uint64_t step = 0; step < static_cast<uint64_t>(steps); ++step) {
    elements.push_back(steps == 1 ? loaded : b.CreateExtractElement(loaded, step));
  }
  return elements;
}

// Returns the columns of a step, one vector for each register of columns.
SmallVector<Value *> Multiplication::loadColumns(const Pointers &pointers, int64_t step,
                                                 ArrayRef<Value *> behindFirst) {
  SmallVector<Value *> columns;
  Value *behind = step == 0 ? nullptr : bytes(times(unitStride(), step));
  for (int64_t v = 0; v < routine.vectors; ++v) {
    auto panel = [&](Value *first) {
      Value *ofStep = behind ? atByte(first, behind) : first;
      return v == 0 ? ofStep : atByte(ofStep, behindFirst[static_cast<size_t>(v - 1)]);
    };
    if (routine.prefetches) {
      prefetch(panel(pointers.prefetched));
    }
    columns.push_back(b.CreateAlignedLoad(registerOf(unitType), panel(pointers.columns), ofPanels));
  }
  return columns;
}

void Multiplication::multiplyElements(const Pointers &pointers, int64_t steps,
                                      ArrayRef<Value *> behindFirst,
                                      MutableArrayRef<Value *> sums) {
  SmallVector<SmallVector<Value *>> columns;
  for (int64_t step = 0; step < steps; ++step) {
    columns.push_back(loadColumns(pointers, step, behindFirst));
  }
  for (int64_t i = 0; i < routine.rows; ++i) {
    MutableArrayRef<Value *> ofRow = sums.slice(static_cast<size_t>(i * routine.vectors));
    for (auto [step, element] : enumerate(rowElements(rowAt(pointers, i), steps))) {
      Value *broadcast = b.CreateVectorSplat(static_cast<unsigned>(width), element);
      for (auto [column, sum] : zip(columns[step], ofRow)) {
        sum = accumulate(broadcast, column, sum);
      }
    }
  }
}

// Multiplies two steps at a time. Two steps of columns fill two registers, each with pairs of
// k-groups. Products with the first register are added to the sums of the upper row, products with
// the second register to those of the lower row.
void Multiplication::multiplyPairs(const Pointers &pointers, int64_t steps,
                                   ArrayRef<Value *> behindFirst, MutableArrayRef<Value *> sums) {
  auto vectors = static_cast<size_t>(routine.vectors);
  for (int64_t step = 0; step < steps; step += 2) {
    SmallVector<Value *> columns = loadColumns(pointers, step, behindFirst);
    append_range(columns, loadColumns(pointers, step + 1, behindFirst));
    for (int64_t i = 0; i < routine.rows; i += 2) {
      Value *rows =
          b.CreateAlignedLoad(registerOf(unitType), rowAt(pointers, i + step / 2), Align(4));
      MutableArrayRef<Value *> ofRows = sums.slice(static_cast<size_t>(i) * vectors, 2 * vectors);
      for (auto [column, sum] : zip_equal(columns, ofRows)) {
        sum = accumulate(rows, column, sum);
      }
    }
  }
}

// Emits a loop over k that runs while at least `steps` steps remain, with `steps` steps per
// iteration. `carried` has the sums, the pointers, and the number of remaining steps.
SmallVector<Value *> Multiplication::emitSteps(ArrayRef<Value *> carried, int64_t steps,
                                               ArrayRef<Value *> behindFirst) {
  auto sums = static_cast<size_t>(routine.rows * routine.vectors);
  auto isLeft = [&](ArrayRef<Value *> before) {
    return steps == 1 ? b.CreateIsNotNull(before.back())
                      : b.CreateICmpUGE(before.back(), constant(steps));
  };
  return emitWhile(e, carried, isLeft, [&](ArrayRef<Value *> before) -> SmallVector<Value *> {
    SmallVector<Value *> after(before.take_front(sums));
    Pointers pointers = pointersOf(before.drop_front(sums).drop_back());
    multipliesPairs() ? multiplyPairs(pointers, steps, behindFirst, after)
                      : multiplyElements(pointers, steps, behindFirst, after);
    after.append(nextPointers(pointers, steps).flat());
    after.push_back(b.CreateSub(before.back(), constant(steps)));
    return after;
  });
}

// Converts the sums from rows to blocks of 2 × 2, or from blocks to rows, if the unit multiplies
// pairs. Does nothing for other units.
void Multiplication::pairSums(MutableArrayRef<Value *> sums) {
  auto vectors = static_cast<size_t>(routine.vectors);
  for (size_t upper = 0; multipliesPairs() && upper < sums.size(); upper += 2 * vectors) {
    for (size_t v = upper; v < upper + vectors; ++v) {
      std::tie(sums[v], sums[v + vectors]) = pairHalves(sums[v], sums[v + vectors]);
    }
  }
}

// Emits the micro-kernel, which computes rows × vectors registers of sums over the block of k.
// Float sums of a block start from zero and are added to the sums of earlier blocks at the end,
// which makes rounding errors smaller.
void Multiplication::multiplyBlock(Value *row, Value *column, ArrayRef<Value *> behindFirst) {
  auto *sumVector = registerOf(sumType);
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
  pairSums(carried);
  size_t sums = carried.size();
  carried.append(firstPointers(row, column).flat());
  carried.push_back(given.units);
  SmallVector<Value *> done = carried;
  int64_t least = info(routine.unit).kGroups;
  for (int64_t steps = least * stepsAtOnce(cpu); steps >= least; steps /= 2) {
    done = emitSteps(done, steps, behindFirst);
  }
  done.truncate(sums);
  pairSums(done);
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
  // Micro-kernels for in-place columns have more vectors than micro-kernels for panels, so that
  // long contiguous pieces are read.
  constexpr int64_t maxVectors = 3, maxVectorsInPlace = 8;
  auto addShapes = [&](MultiplyRoutine routine) {
    for (routine.vectors = 1; routine.vectors <= maxVectors; ++routine.vectors) {
      int64_t maxRows = maxMicroKernelRows(target, routine.vectors);
      int64_t step = info(routine.unit).rows;
      for (routine.rows = step; routine.rows <= maxRows; routine.rows += step) {
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
      int64_t maxRows = maxMicroKernelRows(target, routine.vectors);
      for (routine.rows = 1; routine.rows <= maxRows; ++routine.rows) {
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
