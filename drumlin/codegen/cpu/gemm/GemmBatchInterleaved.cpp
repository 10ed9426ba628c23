// Batch-interleaved GEMM: each lane computes the matrix product of one batch element. It is for
// many small products whose operands are interleaved in memory, as in a depthwise convolution.
#include "drumlin/codegen/cpu/gemm/GemmEmitter.h"

using namespace llvm;

namespace drumlin::codegen {

namespace {
class BatchInterleavedGemm : public GemmEmitter {
public:
  using GemmEmitter::GemmEmitter;

protected:
  void emitTile(const Tile &tile) override;

private:
  void emitLanes(const LaneIndex &atM, const LaneIndex &atN, Value *base, int64_t registers);
  bool isLongSum(int64_t block) const {
    return problem.k > block && problem.sumLlvmType()->isFloatingPointTy();
  }
  // Returns the compensated sum of add(begin, end) over all blocks [begin, end) of k.
  SmallVector<Value *> sumOfBlocks(int64_t block, ArrayRef<Value *> zeros,
                                   function_ref<SmallVector<Value *>(Value *, Value *)> add);
};
} // namespace

// Emits the result element of one row and one column for `registers` registers of batch elements.
// The registers share the address computations along k.
void BatchInterleavedGemm::emitLanes(const LaneIndex &atM, const LaneIndex &atN, Value *base,
                                     int64_t registers) {
  auto *vector = vectorOf(problem.sumLlvmType());
  SmallVector<Value *> carried(static_cast<size_t>(registers), Constant::getNullValue(vector));
  auto batchAt = [&](int64_t i) {
    return index.laneOf(b.CreateAdd(base, constant(i * lanes), "", true, true), lanes);
  };
  auto addTerms = [&](Value *begin, Value *end) {
    return e.emitLoop(begin, end, 1, carried, [&](Value *depth, ArrayRef<Value *> before) {
      SmallVector<Value *> after;
      LaneIndex atK = index.scalar(depth);
      for (int64_t i = 0; i < registers; ++i) {
        Value *x = e.splat(problem.term(GemmOperand::Lhs, batchAt(i), atM, atK));
        Value *y = e.splat(problem.term(GemmOperand::Rhs, batchAt(i), atN, atK));
        after.push_back(multiplyAdd(x, y, before[static_cast<size_t>(i)]));
      }
      return after;
    });
  };
  SmallVector<Value *> sums = isLongSum(stepsOfStream)
                                  ? sumOfBlocks(stepsOfStream, carried, addTerms)
                                  : addTerms(constant(0), constant(problem.k));
  for (int64_t i = 0; i < registers; ++i) {
    epilogue.store(sums[static_cast<size_t>(i)], problem.resultIndex(batchAt(i), atM, atN));
  }
}

SmallVector<Value *>
BatchInterleavedGemm::sumOfBlocks(int64_t block, ArrayRef<Value *> zeros,
                                  function_ref<SmallVector<Value *>(Value *, Value *)> add) {
  size_t count = zeros.size();
  SmallVector<Value *> parts(zeros);
  parts.append(zeros.begin(), zeros.end());
  Value *end = constant(problem.k);
  parts = e.emitLoop(constant(0), end, block, parts, [&](Value *begin, ArrayRef<Value *> before) {
    SmallVector<Value *> after(before);
    Value *behind = b.CreateBinaryIntrinsic(Intrinsic::smin, plus(begin, block), end);
    for (auto [i, sum] : enumerate(add(begin, behind))) {
      SumOfBlocks made = codegen::addBlock(b, {before[i], before[count + i]}, sum);
      after[i] = made.sum;
      after[count + i] = made.left;
    }
    return after;
  });
  SmallVector<Value *> sums;
  for (size_t i = 0; i < count; ++i) {
    sums.push_back(SumOfBlocks{parts[i], parts[count + i]}.total(b));
  }
  return sums;
}

void BatchInterleavedGemm::emitTile(const Tile &tile) {
  // Uses enough registers of sums to keep two multiply units busy, if the batch fills these
  // registers.
  int64_t registers = problem.batch / lanes;
  for (int64_t many : {8, 4, 2, 1}) {
    if (registers >= many) {
      registers = many;
      break;
    }
  }
  int64_t step = registers * lanes;
  int64_t whole = problem.batch / step * step;
  e.emitLoop(constant(0), tile.rows, 1, [&](Value *row) {
    LaneIndex atM = index.add(tile.row0, index.scalar(row));
    e.emitLoop(constant(0), tile.columns, 1, [&](Value *column) {
      LaneIndex atN = index.scalar(column);
      e.emitLoop(constant(0), constant(whole), step,
                 [&](Value *base) { emitLanes(atM, atN, base, registers); });
      if (whole == problem.batch) {
        return;
      }
      e.emitLoop(constant(whole), constant(problem.batch), lanes, [&](Value *base) {
        Value *positions = index.asVector(index.laneOf(base));
        e.setActiveLanes(
            b.CreateICmpSLT(positions, b.CreateVectorSplat(lanes, constant(problem.batch))));
        emitLanes(atM, atN, base, 1);
        e.setActiveLanes(nullptr);
      });
    });
  });
}

std::unique_ptr<GemmEmitter> makeBatchInterleavedGemm(KernelFrame &frame, GemmTerms &problem,
                                                      GemmEpilogue &epilogue,
                                                      const GemmSchedule &schedule) {
  return std::make_unique<BatchInterleavedGemm>(frame, problem, epilogue, schedule);
}

} // namespace drumlin::codegen
