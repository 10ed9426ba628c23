// What the algorithms of GEMM kernels share: the tiles that a schedule cuts a problem into, and the
// walk over what an algorithm has computed of one.
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmEpilogue.h"

namespace drumlin::codegen {

class GemmEmitter {
public:
  GemmEmitter(KernelFrame &frame, GemmTerms &problem, GemmEpilogue &epilogue,
              const GemmSchedule &schedule)
      : frame(frame), e(frame.emitter), index(frame.emitter.index()), b(frame.builder),
        problem(problem), epilogue(epilogue), schedule(schedule), tiles(schedule, problem),
        kernelVectors(schedule.kernelColumns / frame.target.registerLanes(problem.sumBytes())),
        blockDepth(schedule.tileDepth / schedule.kGroup()) {}
  virtual ~GemmEmitter() = default;

  // Emits all tiles of the tasks; returns the scratch memory in bytes.
  int64_t emit();

protected:
  // One tile of the result: rows [row0, row0 + rows) × columns [column0, column0 + columns) of a
  // batch.
  struct Tile {
    LaneIndex batch, row0, column0;
    llvm::Value *rows, *columns;
    bool wholeColumns; // the columns of every tile are whole registers of lanes
    bool wholeRows;
  };
  virtual void emitTile(const Tile &tile) = 0;

  llvm::Value *constant(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }
  // A new area of the scratch memory, 64-byte aligned, of so many elements.
  llvm::Value *allocate(llvm::Type *type, int64_t count);
  llvm::Value *at(llvm::Type *type, llvm::Value *base, llvm::Value *offset) {
    return b.CreateInBoundsGEP(type, base, offset);
  }
  llvm::FixedVectorType *vectorOf(llvm::Type *type, int64_t count = lanes) {
    return llvm::FixedVectorType::get(type, static_cast<unsigned>(count));
  }
  int64_t bytesOf(llvm::Type *type) {
    return static_cast<int64_t>(type->getPrimitiveSizeInBits() / 8);
  }

  // body(base) for [0, end) by vectors of lanes (or by steps of several); where the end may not be
  // whole, the last one runs with the lanes below it active only, and `mask` is what is active.
  void forLanes(llvm::Value *end, bool whole,
                llvm::function_ref<void(llvm::Value *, llvm::Value *)> body, int64_t step = 0);
  // Lanes that are not active become zero.
  llvm::Value *zeroInactive(llvm::Value *value, llvm::Value *mask);

  // Terms of the operand that gives the rows, or the columns.
  llvm::Value *rowTerm(const Tile &tile, const LaneIndex &row, const LaneIndex &depth);
  llvm::Value *columnTerm(const Tile &tile, const LaneIndex &column, const LaneIndex &depth);
  GemmOperand rowOperand() const { return schedule.swapped ? GemmOperand::Rhs : GemmOperand::Lhs; }
  GemmOperand columnOperand() const {
    return schedule.swapped ? GemmOperand::Lhs : GemmOperand::Rhs;
  }

  // Asks for the memory that a term is made of, some steps before it is needed: the machine
  // foresees long runs only. `emitTerm` emits the term as always; nothing but the addresses of its
  // loads stays.
  void prefetch(llvm::function_ref<void()> emitTerm);
  void prefetch(llvm::Value *address);

  llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *sum);
  // Packed columns: panels of one register each, panel[unit of k][columns of a register].
  struct PackedPanels {
    llvm::Value *memory = nullptr;
    llvm::Type *type = nullptr;
    int64_t width = 0;  // columns of a panel
    int64_t stride = 0; // from panel to panel, in elements
  };
  // Lanes of columns from `column` on at one unit: one panel, or several where the target's
  // registers are shorter.
  void storeInPanels(const PackedPanels &panels, llvm::Value *vector, llvm::Value *column,
                     llvm::Value *unit);
  // The epilogue over a block of sums in memory, row-major with a stride of `stride` elements.
  void storeBlock(const Tile &tile, llvm::Value *sums, int64_t stride);

  KernelFrame &frame;
  ElementEmitter &e;
  IndexBuilder &index;
  llvm::IRBuilder<> &b;
  GemmTerms &problem;
  GemmEpilogue &epilogue;
  const GemmSchedule &schedule;
  GemmTiles tiles;
  int64_t kernelVectors; // registers of columns of the micro-kernel
  int64_t blockDepth;    // units of terms of a block of k
  int64_t scratchBytes = 0;
};

std::unique_ptr<GemmEmitter> makePackedGemm(KernelFrame &frame, GemmTerms &problem,
                                            GemmEpilogue &epilogue, const GemmSchedule &schedule);
std::unique_ptr<GemmEmitter> makeBatchInterleavedGemm(KernelFrame &frame, GemmTerms &problem,
                                                      GemmEpilogue &epilogue,
                                                      const GemmSchedule &schedule);
// Scheduled only where the problem has windowRuns().
std::unique_ptr<GemmEmitter> makeDirectConvolution(KernelFrame &frame, GemmTerms &problem,
                                                   GemmEpilogue &epilogue,
                                                   const GemmSchedule &schedule);
std::unique_ptr<GemmEmitter> makeGemv(KernelFrame &frame, GemmTerms &problem,
                                      GemmEpilogue &epilogue, const GemmSchedule &schedule);

} // namespace drumlin::codegen
