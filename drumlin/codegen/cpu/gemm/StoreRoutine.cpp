#include "drumlin/codegen/cpu/gemm/StoreRoutine.h"

using namespace llvm;

namespace drumlin::codegen {

std::string StoreRoutine::name(const CpuTarget &target) const {
  return "routine_store_" + std::string(drumlin::name(sums)) + "_as_" +
         std::string(drumlin::name(memory)) + "_by_" + std::to_string(target.registerBytes());
}

namespace {
class Storing : public GemmBuilder {
public:
  Storing(const StoreRoutine &routine, ElementEmitter &emitter, const CpuTarget &target,
          const StoreRoutine::Arguments &given)
      : GemmBuilder(emitter, target), routine(routine), given(given) {}

  void run() {
    Type *sumType = e.computeType(routine.sums), *type = e.memoryType(routine.memory);
    Align align(static_cast<uint64_t>(bytesOf(type)));
    e.emitLoop(constant(0), given.rows, 1, [&](Value *row) {
      Value *from = at(sumType, given.sums, times(row, given.sumStride));
      Value *to = at(type, given.to, times(row, given.stride));
      forLanes(given.columns, false, [&](Value *column, Value *mask) {
        Value *sums = b.CreateAlignedLoad(vectorOf(sumType), at(sumType, from, column), Align(16));
        Value *made =
            e.toMemory(e.convert({sums}, routine.sums, routine.memory).value, routine.memory);
        Value *place = at(type, to, column);
        mask ? b.CreateMaskedStore(made, place, align, mask)
             : static_cast<Instruction *>(b.CreateAlignedStore(made, place, align));
      });
    });
  }

private:
  const StoreRoutine &routine;
  const StoreRoutine::Arguments &given;
};
} // namespace

SmallVector<Type *> StoreRoutine::parameters(LLVMContext &context) const {
  Type *pointer = PointerType::getUnqual(context), *i64 = Type::getInt64Ty(context);
  return {pointer, i64, pointer, i64, i64, i64};
}

void StoreRoutine::emitBody(Function *function, const CpuTarget &target) const {
  IRBuilder<> builder(BasicBlock::Create(function->getContext(), "entry", function));
  ElementEmitter emitter(builder, *function->getParent(), target);
  auto argument = [&](unsigned i) { return function->getArg(i); };
  Arguments given = {argument(0), argument(1), argument(2), argument(3), argument(4), argument(5)};
  Storing(*this, emitter, target, given).run();
  builder.CreateRetVoid();
}

void StoreRoutine::call(IRBuilder<> &builder, Function *function,
                        const Arguments &arguments) const {
  const Arguments &given = arguments;
  builder.CreateCall(
      function, {given.sums, given.sumStride, given.to, given.stride, given.rows, given.columns});
}

std::vector<StoreRoutine> sharedStores() {
  using enum ElementType;
  std::vector<StoreRoutine> made;
  for (auto [sums, memory] :
       {std::pair(F32, F32), {F32, BF16}, {F32, F16}, {F64, F64}, {SI32, SI32}}) {
    StoreRoutine routine;
    routine.sums = sums;
    routine.memory = memory;
    made.push_back(routine);
  }
  return made;
}

} // namespace drumlin::codegen
