// How a GEMM kernel is cut: which algorithm, which blocks. A function of shape, element types and
// target alone, never of the number of threads.
#pragma once

#include "drumlin/codegen/cpu/GemmEpilogue.h"

namespace drumlin::codegen {

// The algorithms see rows × columns; rows are the hero's m and columns its n, or the other way
// round where `swapped`.
struct GemmSchedule {
  bool swapped = false;
  int64_t rows = 0, columns = 0;
  int64_t tileRows = 0,
          tileColumns = 0; // of one part; multiples of the lanes where there is more than one
  int64_t rowParts = 0, columnParts = 0;
  int64_t parts = 0; // of the whole problem: batch × columnParts × rowParts
  int64_t partsPerTile = 1;

  enum class Algorithm { Packed, Streamed, Across, Direct } algorithm = Algorithm::Packed;
  // Streamed: the operand of few rows is kept at hand, the other one is read once, in the order in
  // which it lies.
  bool alongDepth = false;     // its elements follow one another along k
  int64_t vectorLanes = lanes; // read at once: a cache line of narrow elements
  int64_t columnsAtOnce = 1;   // of those that follow k
  // Rows that are used once are not worth keeping.
  bool keepsRows() const { return !alongDepth || tileColumns > columnsAtOnce; }
  // Packed and direct: blocks of k, and the micro-kernel's rows and registers of columns.
  int64_t blockDepth = 0; // in units of terms
  int64_t kernelRows = 0, kernelVectors = 0;
  bool prefetchRows = false, prefetchColumns = false;    // the operand comes from main memory
  bool rowsAlongDepth = true, columnsAlongDepth = false; // how the operands lie
  bool columnsFirst =
      false; // packs all of k for a register of columns, whose indices cost much, before the next

  int64_t tiles() const { return (parts + partsPerTile - 1) / partsPerTile; }
};

GemmSchedule scheduleGemm(KernelFrame &frame, GemmProblem &problem, GemmEpilogue &epilogue);

// The steps of scheduleGemm, for schedules that differ from its own in one of them
// (GemmAlternatives.h).
// So few products that they are one tile with the least code.
bool isTiny(const GemmProblem &problem);
void schedulePacked(GemmSchedule &schedule, GemmProblem &problem, const CpuTarget &target);
void scheduleStreamed(GemmSchedule &schedule, GemmProblem &problem, const CpuTarget &target,
                      bool tiny);
// The parts of the whole problem, and how many are a tile, from the sizes of one.
void countParts(GemmSchedule &schedule, GemmProblem &problem);
// Even parts, none larger than so many rows and columns.
void cutIntoParts(GemmSchedule &schedule, GemmProblem &problem, int64_t largestRows,
                  int64_t largestColumns);
void chooseMicroKernel(GemmSchedule &schedule, GemmProblem &problem, const CpuTarget &target);
// A strip of packed columns takes so many bytes at most.
void chooseBlockDepth(GemmSchedule &schedule, GemmProblem &problem, const CpuTarget &target,
                      int64_t stripBytes);

// Elements of a register of the target.
int64_t registerLanes(const CpuTarget &target, int64_t elementBytes);

// What the algorithms share: the parts, and the walk over what one of them computed.
class GemmEmitter {
public:
  GemmEmitter(KernelFrame &frame, GemmProblem &problem, GemmEpilogue &epilogue,
              const GemmSchedule &schedule)
      : frame(frame), e(frame.emitter), index(frame.emitter.index()), b(frame.builder),
        problem(problem), epilogue(epilogue), schedule(schedule) {}
  virtual ~GemmEmitter() = default;

  // Emits all parts of the tiles; returns the scratch memory in bytes.
  int64_t emit();

protected:
  // One part of the result: rows [row0, row0 + rows) × columns [column0, column0 + columns) of a
  // batch.
  struct Part {
    LaneIndex batch, row0, column0;
    llvm::Value *rows, *columns;
    bool wholeColumns; // the columns of every part are whole registers of lanes
    bool wholeRows;
  };
  virtual void emitPart(const Part &part) = 0;

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
  llvm::Value *rowTerm(const Part &part, const LaneIndex &row, const LaneIndex &depth);
  llvm::Value *columnTerm(const Part &part, const LaneIndex &column, const LaneIndex &depth);
  GemmOperand rowOperand() const { return schedule.swapped ? GemmOperand::Rhs : GemmOperand::Lhs; }
  GemmOperand columnOperand() const {
    return schedule.swapped ? GemmOperand::Lhs : GemmOperand::Rhs;
  }

  // Asks for the memory that a term is made of, some steps before it is needed: the machine
  // foresees long runs only. `emitTerm` emits the term as always; nothing but the addresses of its
  // loads stays.
  void prefetch(llvm::function_ref<void()> emitTerm);

  llvm::Value *multiplyAdd(llvm::Value *x, llvm::Value *y, llvm::Value *sum);
  // Packed columns: strips of one register each, strip[unit of k][columns of a register].
  struct Strips {
    llvm::Value *memory = nullptr;
    llvm::Type *type = nullptr;
    int64_t width = 0;  // columns of a strip
    int64_t stride = 0; // from strip to strip, in elements
  };
  // Lanes of columns from `column` on at one unit: one strip, or several where the target's
  // registers are shorter.
  void storeInStrips(const Strips &strips, llvm::Value *vector, llvm::Value *column,
                     llvm::Value *unit);
  // The epilogue over a block of sums in memory, row-major with a stride of `stride` elements.
  void storeBlock(const Part &part, llvm::Value *sums, int64_t stride);

  KernelFrame &frame;
  ElementEmitter &e;
  IndexBuilder &index;
  llvm::IRBuilder<> &b;
  GemmProblem &problem;
  GemmEpilogue &epilogue;
  const GemmSchedule &schedule;
  int64_t scratchBytes = 0;
};

std::unique_ptr<GemmEmitter> makePackedGemm(KernelFrame &frame, GemmProblem &problem,
                                            GemmEpilogue &epilogue, const GemmSchedule &schedule);
std::unique_ptr<GemmEmitter> makeAcrossGemm(KernelFrame &frame, GemmProblem &problem,
                                            GemmEpilogue &epilogue, const GemmSchedule &schedule);
// Scheduled only where the problem has windowRuns().
std::unique_ptr<GemmEmitter> makeDirectConvolution(KernelFrame &frame, GemmProblem &problem,
                                                   GemmEpilogue &epilogue,
                                                   const GemmSchedule &schedule);
std::unique_ptr<GemmEmitter> makeStreamedGemm(KernelFrame &frame, GemmProblem &problem,
                                              GemmEpilogue &epilogue, const GemmSchedule &schedule);

} // namespace drumlin::codegen
