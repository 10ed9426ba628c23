#include "drumlin/codegen/cpu/gemm/StreamRoutine.h"

#include "drumlin/codegen/cpu/gemm/GemmPacking.h"
#include "drumlin/target/ComputeUnits.h"

using namespace llvm;

namespace drumlin::codegen {

std::string StreamRoutine::name(const CpuTarget &target) const {
  return "routine_stream_" + std::string(drumlin::name(memory)) + "_for_" +
         std::string(drumlin::name(sums)) + "_" + std::to_string(rows) + "x" +
         std::to_string(sideBySide) + "x" + std::to_string(width) + "_of_" +
         std::to_string(target.registerBytes()) + (alongK ? "_along_k" : "") +
         (prefetches ? "_prefetched" : "");
}

namespace {
class MatrixStream : public GemmStream {
public:
  MatrixStream(const StreamRoutine &routine, ElementEmitter &emitter, const CpuTarget &target,
               const StreamRoutine::Arguments &given)
      : GemmStream(emitter, target, emitter.computeType(routine.sums), routine.rows, routine.width,
                   routine.sideBySide),
        routine(routine), given(given) {}

  void run() {
    index.setWidth(static_cast<unsigned>(routine.width));
    auto rowTerm = [&](int64_t row, const LaneIndex &depth) { return keptTerm(row, depth); };
    Type *type = e.memoryType(routine.memory);
    auto columnTerm = [&](const LaneIndex &column, int64_t next, const LaneIndex &depth) {
      Value *from = at(type, given.from, times(given.stride, next));
      Lanes read = loadMatrix(routine.memory, from, given.stride, routine.alongK, column, depth);
      return asTerm(e, {ComputeUnit::fma, routine.sums}, read, routine.memory, false);
    };
    Range range = {rowTerm, columnTerm};
    range.k = given.k;
    range.columns = given.columns;
    range.fewColumns = false;
    range.sums = given.sums;
    range.sumStride = given.sumStride;
    range.prefetched = routine.prefetches ? given.prefetched : nullptr;
    routine.alongK ? alongK(range) : alongColumns(range);
  }

private:
  Value *keptTerm(int64_t row, const LaneIndex &depth) {
    Type *type = e.computeType(routine.sums);
    Value *place = at(type, at(type, given.rows, times(given.rowStride, row)), depth.base);
    return depth.isUniform() ? static_cast<Value *>(b.CreateLoad(type, place))
                             : b.CreateAlignedLoad(vectorOf(type, index.width()), place, Align(64));
  }

  const StreamRoutine &routine;
  const StreamRoutine::Arguments &given;
};
} // namespace

SmallVector<Type *> StreamRoutine::parameters(LLVMContext &context) const {
  Type *pointer = PointerType::getUnqual(context), *i64 = Type::getInt64Ty(context);
  return {pointer, i64, pointer, i64, pointer, i64, i64, i64, i64};
}

void StreamRoutine::emitBody(Function *function, const CpuTarget &target) const {
  IRBuilder<> builder(BasicBlock::Create(function->getContext(), "entry", function));
  ElementEmitter emitter(builder, *function->getParent(), target);
  auto argument = [&](unsigned i) { return function->getArg(i); };
  Arguments given = {argument(0), argument(1), argument(2), argument(3), argument(4),
                     argument(5), argument(6), argument(7), argument(8)};
  MatrixStream(*this, emitter, target, given).run();
  builder.CreateRetVoid();
}

void StreamRoutine::call(IRBuilder<> &builder, Function *function,
                         const Arguments &arguments) const {
  const Arguments &given = arguments;
  builder.CreateCall(function, {given.rows, given.rowStride, given.from, given.stride, given.sums,
                                given.sumStride, given.columns, given.k, given.prefetched});
}

std::vector<StreamRoutine> sharedStreams(const CpuTarget &target) {
  struct Operand {
    ElementType sums, memory;
  };
  using enum ElementType;
  static constexpr Operand operands[] = {{F32, F32}, {F32, BF16}, {F32, F16}, {F64, F64}};
  constexpr int64_t maxRows = 4, maxSideBySide = 8;
  std::vector<StreamRoutine> made;
  for (const Operand &operand : operands) {
    StreamRoutine routine;
    routine.sums = operand.sums;
    routine.memory = operand.memory;
    int64_t maxWidth = info(operand.memory).bits == 16 ? 2 * lanes : lanes;
    for (routine.width = lanes; routine.width <= maxWidth; routine.width *= 2) {
      int64_t registers = routine.width / target.registerLanes(info(operand.sums).bits / 8);
      for (routine.rows = 1; routine.rows <= maxRows; ++routine.rows) {
        for (bool prefetches : {false, true}) {
          routine.prefetches = prefetches;
          routine.alongK = true;
          int64_t fit = (target.vectorRegisters() - 6) / registers / routine.rows;
          routine.sideBySide = std::clamp<int64_t>(fit, 1, maxSideBySide);
          made.push_back(routine);
          routine.alongK = false;
          for (int64_t depths : {1, 4, 8}) {
            routine.sideBySide = depths;
            made.push_back(routine);
          }
        }
      }
    }
  }
  return made;
}

} // namespace drumlin::codegen
