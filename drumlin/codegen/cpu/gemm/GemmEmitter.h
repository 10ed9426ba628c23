// What the algorithms of GEMM kernels share: the tiles that a schedule cuts a problem into, and the
// walk over what an algorithm has computed of one.
#pragma once

#include "drumlin/codegen/cpu/gemm/GemmBuilder.h"
#include "drumlin/codegen/cpu/gemm/GemmEpilogue.h"
#include "drumlin/codegen/cpu/routines/Routine.h"

namespace drumlin::codegen {

class GemmEmitter : protected GemmBuilder {
public:
  GemmEmitter(KernelFrame &frame, GemmTerms &problem, GemmEpilogue &epilogue,
              const GemmSchedule &schedule)
      : GemmBuilder(frame.emitter, frame.target), frame(frame), problem(problem),
        epilogue(epilogue), schedule(schedule), tiles(schedule, problem),
        contracted(problem.size(GemmProblem::K)),
        kernelVectors(schedule.kernelColumns / frame.target.registerLanes(problem.sumBytes())),
        blockDepth(schedule.tileDepth / schedule.kGroup()) {}
  virtual ~GemmEmitter() = default;

  // Emits all tiles of the tasks; returns the scratch memory in bytes.
  int64_t emit();
  const GemmTiles &cut() const { return tiles; }

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

  std::string findSizeFault() const;
  // A stride, or another size, of an operand in memory times a position.
  llvm::Value *times(llvm::Value *position, const SizeExpression &stride) {
    return GemmBuilder::times(position, e.extent(stride));
  }
  llvm::Value *extent(const Size &size) { return e.extent(size.expression()); }
  using GemmBuilder::times;
  // How many rows or columns one tile has, `position` being its number among so many: all but the
  // last have `size`, a multiple of `step`.
  void emitExtent(llvm::Value *position, const Size &count, const Size &size, int64_t step,
                  const Size &total, LaneIndex &first, llvm::Value *&extent);
  // The rows of every tile but the last one are a multiple of this.
  int64_t rowStep() const {
    return schedule.leastTileRows ? schedule.leastTileRows : schedule.tileRows;
  }

  // A new area of the scratch memory, 64-byte aligned, of so many elements.
  llvm::Value *allocate(llvm::Type *type, int64_t count);

  // Terms of the operand that gives the rows, or the columns.
  llvm::Value *rowTerm(const Tile &tile, const LaneIndex &row, const LaneIndex &depth);
  llvm::Value *columnTerm(const Tile &tile, const LaneIndex &column, const LaneIndex &depth);
  GemmOperand rowOperand() const { return schedule.swapped ? GemmOperand::Rhs : GemmOperand::Lhs; }
  GemmOperand columnOperand() const {
    return schedule.swapped ? GemmOperand::Lhs : GemmOperand::Rhs;
  }

  // The routine as a function to call; inlined where a tile is too little for a call.
  llvm::Function *functionOf(const Routine &routine);

  // The epilogue over a block of sums in memory, row-major with a stride of `stride` elements.
  void storeBlock(const Tile &tile, llvm::Value *sums, int64_t stride);
  // By a routine, where the sums are all that is stored, row by row.
  bool storeMatrix(const Tile &tile, llvm::Value *sums, int64_t stride);
  // By blocks, with lanes along the tile's rows.
  void storeTransposed(const Tile &tile, llvm::Value *sums, int64_t stride);

  KernelFrame &frame;
  GemmTerms &problem;
  GemmEpilogue &epilogue;
  const GemmSchedule &schedule;
  GemmTiles tiles;
  Size contracted;       // terms of k
  int64_t kernelVectors; // registers of columns of the micro-kernel
  int64_t blockDepth;    // units of terms of a block of k
  int64_t scratchBytes = 0;
  llvm::Value *transposed = nullptr; // memory for a block of sums
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
