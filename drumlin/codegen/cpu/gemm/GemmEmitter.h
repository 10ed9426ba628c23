// The base class of all GEMM algorithms. It emits the loop over the tiles into which a schedule
// divides a problem, and applies the epilogue to a tile's sums.
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

  // Emits all tiles of the work items; returns the scratch memory in bytes.
  int64_t emit();
  const GemmTiles &cut() const { return tiles; }
  // Returns the bytes of the memory for the sums of all parts of k, if items divide k.
  virtual int64_t bytesOfParts() { return 0; }

protected:
  // One tile of the result: rows [row0, row0 + rows) × columns [column0, column0 + columns) of a
  // batch element.
  struct Tile {
    LaneIndex batch, row0, column0;
    llvm::Value *rows, *columns;
    llvm::Value *part = nullptr; // number of the part of k, if items divide k
    bool wholeColumns;           // every tile's columns are a multiple of the lanes
    bool wholeRows;
  };
  virtual void emitTile(const Tile &tile) = 0;

  std::string findSizeFault() const;
  // Returns position × operand stride, or position × another symbolic size.
  llvm::Value *times(llvm::Value *position, const SizeExpression &stride) {
    return GemmBuilder::times(position, e.extent(stride));
  }
  llvm::Value *extent(const Size &size) { return e.extent(size.expression()); }
  using GemmBuilder::times;
  // Returns tile number `number`.
  Tile tileAt(llvm::Value *number);
  void emitTasks(llvm::Value *partials);
  // Emits the items [begin, end), which may belong to several tiles.
  void emitItems(llvm::Value *begin, llvm::Value *end);
  // Emits items of a tile that form a rectangle: rows and columns are counted in items. Items
  // beyond the tile's end are empty.
  void emitRectangle(const Tile &tile, llvm::Value *firstRow, llvm::Value *endRow,
                     llvm::Value *firstColumn, llvm::Value *endColumn);
  // Computes, for tile number `position` of `count` along one dimension, the first row (or column)
  // and the number of rows (columns). All tiles but the last have `size` rows, a multiple of
  // `step`.
  void emitExtent(llvm::Value *position, const Size &count, const Size &size, int64_t step,
                  const Size &total, LaneIndex &first, llvm::Value *&extent);
  // Returns a number that divides the row count of every tile except the last one.
  int64_t rowStep() const {
    return schedule.leastTileRows ? schedule.leastTileRows : schedule.tileRows;
  }

  // Allocates scratch memory for `count` elements, 64-byte aligned.
  llvm::Value *allocate(llvm::Type *type, int64_t count);

  // Emit operand elements. rowTerm() reads the operand that provides the result's rows,
  // columnTerm() the operand that provides the result's columns.
  llvm::Value *rowTerm(const Tile &tile, const LaneIndex &row, const LaneIndex &depth);
  llvm::Value *columnTerm(const Tile &tile, const LaneIndex &column, const LaneIndex &depth);
  GemmOperand rowOperand() const { return schedule.swapped ? GemmOperand::Rhs : GemmOperand::Lhs; }
  GemmOperand columnOperand() const {
    return schedule.swapped ? GemmOperand::Lhs : GemmOperand::Rhs;
  }

  // Returns the routine's function for a call. The function is inlined if a tile is too small for a
  // call.
  llvm::Function *functionOf(const Routine &routine);

  // Applies the epilogue to a block of sums in memory, row-major with `stride` elements between
  // rows.
  void storeBlock(const Tile &tile, llvm::Value *sums, int64_t stride);
  // If only the sums are stored and their rows are contiguous, stores them with a routine and
  // returns true. Otherwise emits nothing and returns false.
  bool storeMatrix(const Tile &tile, llvm::Value *sums, int64_t stride);
  // Stores the sums in blocks that are transposed first, with lanes along the tile's rows.
  void storeTransposed(const Tile &tile, llvm::Value *sums, int64_t stride);

  KernelFrame &frame;
  GemmTerms &problem;
  GemmEpilogue &epilogue;
  const GemmSchedule &schedule;
  GemmTiles tiles;
  Size contracted;       // number of k elements
  int64_t kernelVectors; // width of the micro-kernel in registers
  int64_t blockDepth;    // number of k-groups in a block of k
  int64_t scratchBytes = 0;
  llvm::Value *transposed = nullptr; // memory for a transposed block of sums
};

std::unique_ptr<GemmEmitter> makePackedGemm(KernelFrame &frame, GemmTerms &problem,
                                            GemmEpilogue &epilogue, const GemmSchedule &schedule);
std::unique_ptr<GemmEmitter> makeBatchInterleavedGemm(KernelFrame &frame, GemmTerms &problem,
                                                      GemmEpilogue &epilogue,
                                                      const GemmSchedule &schedule);
// Creates a direct convolution. The problem must have windowRuns().
std::unique_ptr<GemmEmitter> makeDirectConvolution(KernelFrame &frame, GemmTerms &problem,
                                                   GemmEpilogue &epilogue,
                                                   const GemmSchedule &schedule);
std::unique_ptr<GemmEmitter> makeGemv(KernelFrame &frame, GemmTerms &problem,
                                      GemmEpilogue &epilogue, const GemmSchedule &schedule);

} // namespace drumlin::codegen
