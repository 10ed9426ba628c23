#include "drumlin/codegen/cpu/gemm/PackRoutine.h"

#include "drumlin/target/ComputeUnits.h"

using namespace llvm;

namespace drumlin::codegen {

static int64_t panelWidth(const PackRoutine &routine, const CpuTarget &target) {
  return target.registerLanes(info(routine.element.sums).bits / 8);
}

std::string PackRoutine::name(const CpuTarget &target) const {
  std::string made = packsRows ? "routine_pack_rows_" : "routine_pack_columns_";
  made += std::string(drumlin::name(memory)) + "_for_" + std::string(info(element.unit).name) +
          "_" + std::string(drumlin::name(element.sums)) + "x" +
          std::to_string(panelWidth(*this, target));
  made += isWithoutSign ? "_unsigned" : "";
  made += element.isMoved ? "_moved" : "";
  made += alongK ? "_along_k" : "";
  return made + (prefetches ? "_prefetched" : "");
}

namespace {
class MatrixPacking : public GemmPacking {
public:
  MatrixPacking(const PackRoutine &routine, ElementEmitter &emitter, const CpuTarget &target,
                const PackRoutine::Arguments &given)
      : GemmPacking(emitter, target, routine.element, given.block), routine(routine), given(given) {
  }

  void run() {
    int64_t terms = routine.element.terms();
    if (routine.packsRows || routine.alongK || terms == 1) {
      pack(given.from, given.packed, given.terms, terms == 1);
      return;
    }
    // Complete k-groups are packed separately from the last k-group, which may lack some k
    // elements.
    Value *whole = b.CreateAnd(given.terms, constant(-terms));
    pack(given.from, given.packed, whole, true);
    e.emitLoop(whole, given.terms, terms, [&](Value *first) {
      Value *behind = times(elementsOf(first), panelWidth(routine, cpu));
      pack(at(memoryType(), given.from, times(first, given.stride)),
           at(packedType(), given.packed, behind), b.CreateSub(given.terms, first), false);
    });
  }

private:
  Type *memoryType() { return e.memoryType(routine.memory); }
  Type *packedType() { return elementType(e, routine.element); }

  void pack(Value *from, Value *packed, Value *terms, bool wholeElements) {
    auto read = [&](const LaneIndex &free, const LaneIndex &depth) {
      Lanes read = loadMatrix(routine.memory, from, given.stride, routine.alongK, free, depth);
      return asTerm(e, routine.element, read, routine.memory, routine.isWithoutSign);
    };
    Range range(read);
    range.free = given.free;
    range.first = index.constant(0);
    range.terms = terms;
    range.wholeElements = wholeElements;
    range.prefetched = routine.prefetches ? given.prefetched : nullptr;
    PackedPanels panels = {packed, packedType(), panelWidth(routine, cpu), given.packedStride};
    if (routine.packsRows) {
      routine.alongK ? rowsAlongK(range, packed, given.packedStride)
                     : rowsAlongFree(range, packed, given.packedStride);
    } else {
      routine.alongK ? columnsAlongK(range, panels) : columnsAlongFree(range, panels);
    }
  }

  const PackRoutine &routine;
  const PackRoutine::Arguments &given;
};
} // namespace

SmallVector<Type *> PackRoutine::parameters(LLVMContext &context) const {
  Type *pointer = PointerType::getUnqual(context), *i64 = Type::getInt64Ty(context);
  return {pointer, i64, pointer, i64, pointer, i64, i64, i64};
}

void PackRoutine::emitBody(Function *function, const CpuTarget &target) const {
  IRBuilder<> builder(BasicBlock::Create(function->getContext(), "entry", function));
  ElementEmitter emitter(builder, *function->getParent(), target);
  auto argument = [&](unsigned i) { return function->getArg(i); };
  Arguments given = {argument(0), argument(1), argument(2), argument(3),
                     argument(4), argument(5), argument(6), argument(7)};
  MatrixPacking(*this, emitter, target, given).run();
  builder.CreateRetVoid();
}

void PackRoutine::call(IRBuilder<> &builder, Function *function, const Arguments &arguments) const {
  const Arguments &given = arguments;
  builder.CreateCall(function, {given.from, given.stride, given.packed, given.packedStride,
                                given.block, given.free, given.terms, given.prefetched});
}

std::vector<PackRoutine> sharedPackings(const CpuTarget &target) {
  struct Operand {
    ComputeUnit unit;
    ElementType sums, memory;
  };
  using enum ElementType;
  static constexpr Operand operands[] = {
      {ComputeUnit::fma, F32, F32},           {ComputeUnit::fma, F32, BF16},
      {ComputeUnit::fma, F32, F16},           {ComputeUnit::fma, F32, F8E4M3FN},
      {ComputeUnit::fma, F32, F8E5M2},        {ComputeUnit::fma, F64, F64},
      {ComputeUnit::bf16_pairs, F32, BF16},   {ComputeUnit::bf16_pairs, F32, F8E4M3FN},
      {ComputeUnit::bf16_pairs, F32, F8E5M2}, {ComputeUnit::int16_pairs, SI32, SI16},
      {ComputeUnit::int16_pairs, SI32, SI8},  {ComputeUnit::int16_pairs, SI32, UI8},
      {ComputeUnit::int8_quads, SI32, SI8},   {ComputeUnit::int8_quads, SI32, UI8},
      {ComputeUnit::int8_dots, SI32, SI8},    {ComputeUnit::int8_dots, SI32, UI8},
      {ComputeUnit::bf16_mmla, F32, BF16},    {ComputeUnit::bf16_mmla, F32, F8E4M3FN},
      {ComputeUnit::bf16_mmla, F32, F8E5M2},  {ComputeUnit::int8_mmla, SI32, SI8},
      {ComputeUnit::int8_mmla, SI32, UI8},
  };
  std::vector<PackRoutine> made;
  for (const Operand &operand : operands) {
    if (!target.has(operand.unit)) {
      continue;
    }
    PackRoutine routine;
    routine.element.unit = operand.unit;
    routine.element.sums = operand.sums;
    routine.memory = operand.memory;
    routine.isWithoutSign = isUnsigned(operand.memory);
    bool areMoved = info(operand.unit).mayMoveRows();
    for (bool packsRows : {false, true}) {
      for (bool isMoved : {false, true}) {
        for (bool alongK : {false, true}) {
          routine.packsRows = packsRows;
          routine.element.isMoved = isMoved;
          routine.alongK = alongK;
          for (bool prefetches : {false, true}) {
            routine.prefetches = prefetches;
            // Prefetching requires that the operand is read in the order in which it is packed.
            bool canPrefetch = packsRows == alongK;
            if ((!isMoved || (areMoved && packsRows)) && (!prefetches || canPrefetch)) {
              made.push_back(routine);
            }
          }
        }
      }
    }
  }
  return made;
}

} // namespace drumlin::codegen
