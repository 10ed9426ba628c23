// Fourier transform kernels: `stablehlo.fft` along the last dimension. Lines are independent. A
// tile is a group of blocks of lines; a block is one line, or one line per lane of a register.
//
// Each block is transformed in scratch memory, by one pass for each factor of the schedule
// (FftPasses.h). An inverse transform is a forward one with real and imaginary parts swapped before
// and after. An even number of real elements is transformed as half that number of complex numbers,
// one for each pair of elements; one more traversal then computes the transform of the line. A
// transform to real numbers begins with the inverse of that traversal. Transforms of lengths with
// large prime factors are computed as convolutions (Bluestein, A linear filtering approach to the
// computation of the discrete Fourier transform, 1970).
#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/codegen/cpu/element/TransposeLanes.h"
#include "drumlin/codegen/cpu/fft/FftPasses.h"
#include "drumlin/ir/plan/Epilogue.h"
#include "drumlin/ir/plan/FftOp.h"
#include "drumlin/ir/plan/heroes/FftProblem.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/ComplexOp.h"
#include "drumlin/ir/stablehlo/FftOp.h"
#include "drumlin/ir/stablehlo/ImagOp.h"
#include "drumlin/ir/stablehlo/RealOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace llvm;

namespace drumlin::codegen {

using stablehlo::FftType;

namespace {
class FftEmitter {
public:
  FftEmitter(KernelFrame &frame, const FftProblem &problem, plan::FftScheduleAttr schedule)
      : frame(frame), problem(problem), schedule(schedule), e(frame.emitter), b(frame.builder),
        op(problem.op), element(e.computeType(problem.type)),
        registerLanes(
            static_cast<unsigned>(frame.target.registerLanes(storageBytes(problem.type)))),
        isAcross(schedule.getTraversal() == plan::LineLanes::across),
        perElement(isAcross ? registerLanes : 1), code(b, frame.target.hasFma()),
        tables(frame.module, element),
        passes(frame, code, tables, element, perElement, registerLanes), epilogue(op) {}

  KernelProperties run() {
    KernelProperties properties;
    Size blocks = problem.length == 0 ? Size(0) : blocksOf(schedule, problem, registerLanes);
    properties.tiles = blocks.ceilQuotient(schedule.getTile());
    if (blocks.is(0)) {
      return properties;
    }
    bindResults();
    takeBuffers();
    properties.scratchBytes = scratchUsed;
    Value *tile = number(schedule.getTile());
    Value *end = b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateMul(frame.tileEnd, tile),
                                         e.extent(blocks.expression()));
    emitBlocks(b.CreateMul(frame.tileBegin, tile), end);
    return properties;
  }

private:
  Value *number(int64_t value) { return b.getInt64(static_cast<uint64_t>(value)); }

  //===- scratch memory ---------------------------------------------------------===//

  Value *take(int64_t elements) {
    Value *pointer = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), frame.scratch,
                                                  static_cast<uint64_t>(scratchUsed));
    // Without the extra cache line, an element's real and imaginary parts could be a multiple of a
    // page apart and would then evict each other from L1.
    constexpr int64_t line = 64;
    int64_t bytes = elements * perElement * storageBytes(problem.type);
    scratchUsed += divideCeilSigned(bytes, line) * line + line;
    return pointer;
  }
  LineBuffer takeBuffer(int64_t elements) {
    Value *real = take(elements);
    return {real, take(elements)};
  }

  void takeBuffers() {
    int64_t length = schedule.getPadded() != 0 ? schedule.getPadded() : problem.passLength();
    // A single pass reads the input and writes the result. Two passes need one buffer between them,
    // and more passes need two.
    first = takeBuffer(schedule.getFactors().size() > 1 ? length : 0);
    second = takeBuffer(schedule.getFactors().size() > 2 ? length : 0);
    convolved = takeBuffer(schedule.getPadded());
    half = takeBuffer(problem.isReal() ? problem.passLength() + 1 : 0);
    together = blocksCopiedTogether(schedule, problem, registerLanes);
    stagedLength = isStaged() ? std::max(problem.operandLength, problem.resultLength) : 0;
    staged = takeBuffer(stagedLength * together);
  }
  // Returns whether the operand is copied to a staging buffer or the result is copied from one.
  bool isStaged() const {
    return isAcross && (together > 1 || problem.isOperandAlong || problem.isResultAlong);
  }

  //===- lines ------------------------------------------------------------------===//

  // Returns the index of a line, given its number, in all dimensions except the last.
  SmallVector<LaneIndex> dimsOf(Value *line) {
    SmallVector<LaneIndex> dims(problem.outer.size());
    for (size_t d = problem.outer.size(); d-- > 0;) {
      Value *size = e.extent(problem.outer[d].expression());
      dims[d] = e.index().scalar(d == 0 ? line : b.CreateURem(line, size));
      line = b.CreateUDiv(line, size);
    }
    return dims;
  }

  void locate(Value *block) {
    lineDims.clear();
    columnMask = nullptr;
    if (!isAcross) {
      lineDims.push_back(dimsOf(block));
      return;
    }
    // The blocks of a row have consecutive numbers.
    Size all = problem.blockColumns();
    SizeExpression columns = all.expression();
    Value *perRow = e.extent(all.ceilQuotient(registerLanes).expression());
    Value *row = b.CreateUDiv(block, perRow);
    Value *column = b.CreateMul(b.CreateURem(block, perRow), number(registerLanes));
    Value *begin = b.CreateMul(row, e.extent(columns));
    if (problem.isOperandAlong || problem.isResultAlong) {
      for (unsigned lane = 0; lane < registerLanes; ++lane) {
        // Lanes beyond the last line compute the last line again.
        Value *at = b.CreateAdd(column, number(lane));
        at = b.CreateBinaryIntrinsic(Intrinsic::smin, at, e.extent(columns - 1));
        lineDims.push_back(dimsOf(b.CreateAdd(begin, at)));
      }
    }
    if (!problem.isAnyLines()) {
      e.index().setWidth(registerLanes);
      columnDims = dimsOf(begin);
      columnDims.back() = e.index().laneOf(column);
      if (columns.remainder(static_cast<int64_t>(registerLanes)).constant() != 0) {
        Value *positions = e.index().asVector(columnDims.back());
        columnMask =
            b.CreateICmpSLT(positions, b.CreateVectorSplat(registerLanes, e.extent(columns)));
      }
    }
  }

  const IndexTuple *tupleOf(mlir::Value value, ArrayRef<LaneIndex> dims, const LaneIndex &last) {
    SmallVector<LaneIndex> all(dims);
    all.push_back(last);
    return e.index().tuple(e.extentsOf(value), all);
  }

  //===- operand and result ------------------------------------------------------===//

  Value *widened(Lanes lanes, unsigned width) {
    return width == 1 || lanes.isVector() ? lanes.value : b.CreateVectorSplat(width, lanes.value);
  }

  Complex emitOperand(const IndexTuple *at, unsigned width) {
    auto complex = op.getOperand().getDefiningOp<stablehlo::ComplexOp>();
    if (!complex) {
      return {widened(e.emit(op.getOperand(), at), width), nullptr};
    }
    return {widened(e.emit(complex.getLhs(), at), width),
            widened(e.emit(complex.getRhs(), at), width)};
  }

  // Reads `count` consecutive elements of one line.
  Complex readAlong(unsigned line, Value *position, unsigned count) {
    e.index().setWidth(count);
    LaneIndex last = count == 1 ? e.index().scalar(position) : e.index().laneOf(position);
    return emitOperand(tupleOf(op.getOperand(), lineDims[line], last), count);
  }

  void writeAlong(unsigned line, Value *position, unsigned count, Complex value,
                  const BitVector *only = nullptr) {
    e.index().setWidth(count);
    LaneIndex last = count == 1 ? e.index().scalar(position) : e.index().laneOf(position);
    emitResult(tupleOf(op.getResult(), lineDims[line], last), value, only);
  }

  Value *stagedAt(Value *position) { return b.CreateAdd(stagedBegin, position); }

  Complex readOperand(Value *position, unsigned count) {
    if (!isAcross) {
      return readAlong(0, position, count);
    }
    return problem.isOperandAlong || together > 1 ? passes.load(staged, stagedAt(position), 1)
                                                  : readAcross(position);
  }
  void writeResult(Value *position, unsigned count, Complex value) {
    if (!isAcross) {
      writeAlong(0, position, count, value);
    } else if (problem.isResultAlong || together > 1) {
      storeParts(staged, stagedAt(position), value);
    } else {
      writeAcross(position, value);
    }
  }

  // Reads one element of each line of the block.
  Complex readAcross(Value *position) {
    e.index().setWidth(registerLanes);
    e.setActiveLanes(columnMask);
    const IndexTuple *at = tupleOf(op.getOperand(), columnDims, e.index().scalar(position));
    Complex read = emitOperand(at, registerLanes);
    e.setActiveLanes(nullptr);
    return read;
  }

  void writeAcross(Value *position, Complex value) {
    e.index().setWidth(registerLanes);
    e.setActiveLanes(columnMask);
    emitResult(tupleOf(op.getResult(), columnDims, e.index().scalar(position)), value);
    e.setActiveLanes(nullptr);
  }

  // Stores one element of each line. If the imaginary part is null, the number stored for it is
  // arbitrary.
  void storeParts(const LineBuffer &to, Value *position, Complex value) {
    passes.store(to, position, 1, {value.real, value.imaginary ? value.imaginary : value.real});
  }

  void bindResults() {
    mlir::Block &region = frame.kernel.getBody().front();
    if (problem.kind == FftType::IRFFT) {
      e.bind(op.getResult(), [this](const IndexTuple *) { return Lanes{current.real}; });
    }
    for (mlir::Operation *user : op->getUsers()) {
      if (isa<stablehlo::RealOp>(user)) {
        e.bind(user->getResult(0), [this](const IndexTuple *) { return Lanes{current.real}; });
      } else if (isa<stablehlo::ImagOp>(user)) {
        e.bind(user->getResult(0), [this](const IndexTuple *) { return Lanes{current.imaginary}; });
      }
    }
    for (mlir::Operation &each : make_range(std::next(op->getIterator()), region.end())) {
      (void)epilogue.add(&each);
    }
  }

  // Stores the elements of all outputs, or of the outputs in `only`, that are computed from the
  // hero's result `value` at the index `at`.
  void emitResult(const IndexTuple *at, Complex value, const BitVector *only = nullptr) {
    current = value;
    mlir::Operation *yield = frame.kernel.getBody().front().getTerminator();
    for (auto [number, output, root] : enumerate(frame.outputs, yield->getOperands())) {
      if (only && !only->test(static_cast<unsigned>(number))) {
        continue;
      }
      const IndexingMap &map = epilogue.mapTo(root);
      const IndexTuple *rootIndex =
          map.isIdentity() ? at : e.index().along(map, at, e.extentsOf(root));
      e.store(output, rootIndex, e.emit(root, rootIndex));
    }
  }

  //===- contiguous lines, with lanes across lines ----------------------------------===//

  // Emits body(position, count) for squares of registerLanes positions × registerLanes lines. Only
  // the first `count` positions of a square exist.
  void forEachSquare(int64_t size, function_ref<void(Value *, unsigned)> body) {
    int64_t last = size - static_cast<int64_t>(registerLanes);
    if (last >= 0) {
      e.emitLoop(b.getInt64(0), number(size), registerLanes, [&](Value *position) {
        // A last square that would be partial begins earlier, so that it is full and overlaps the
        // previous one.
        bool isWhole = size % registerLanes == 0;
        body(isWhole ? position : b.CreateBinaryIntrinsic(Intrinsic::smin, position, number(last)),
             registerLanes);
      });
    } else if (size > 0) {
      SmallVector<Constant *> mask;
      for (unsigned lane = 0; lane < registerLanes; ++lane) {
        mask.push_back(b.getInt1(lane < size));
      }
      e.setActiveLanes(ConstantVector::get(mask));
      body(b.getInt64(0), static_cast<unsigned>(size));
      e.setActiveLanes(nullptr);
    }
  }

  void stageOperand() {
    forEachSquare(problem.operandLength, [&](Value *position, unsigned count) {
      SmallVector<Value *> real, imaginary;
      for (unsigned line = 0; line < registerLanes; ++line) {
        Complex read = readAlong(line, position, registerLanes);
        real.push_back(read.real);
        imaginary.push_back(read.imaginary);
      }
      bool isComplex = imaginary.front() != nullptr;
      transposeLanes(b, real);
      if (isComplex) {
        transposeLanes(b, imaginary);
      }
      for (unsigned i = 0; i < count; ++i) {
        storeParts(staged, stagedAt(b.CreateAdd(position, number(i))),
                   {real[i], isComplex ? imaginary[i] : nullptr});
      }
    });
  }

  // Whether an output depends on the real part of the transform's result, its imaginary part, or
  // both.
  enum Parts : uint8_t { None = 0, Real = 1, Imaginary = 2, Both = 3 };

  DenseMap<mlir::Value, Parts> partsOfValues() {
    DenseMap<mlir::Value, Parts> partsOf;
    partsOf[op.getResult()] = problem.kind == FftType::IRFFT ? Real : Both;
    for (mlir::Operation *each = op->getNextNode(); each; each = each->getNextNode()) {
      unsigned parts = None;
      each->walk([&](mlir::Operation *inner) {
        for (mlir::Value operand : inner->getOperands()) {
          parts |= partsOf.lookup(operand);
        }
      });
      parts &= isa<stablehlo::RealOp>(each)   ? Real
               : isa<stablehlo::ImagOp>(each) ? Imaginary
                                              : Both;
      for (mlir::Value result : each->getResults()) {
        partsOf[result] = static_cast<Parts>(parts);
      }
    }
    return partsOf;
  }

  // Stores the outputs of the staged block. Outputs that need the same parts of the result (real,
  // imaginary or both) are stored together. So the squares of both parts are in registers at the
  // same time only for outputs that need both parts.
  void unstageResult() {
    mlir::Operation *yield = frame.kernel.getBody().front().getTerminator();
    DenseMap<mlir::Value, Parts> partsOf = partsOfValues();
    std::map<Parts, BitVector> groups;
    for (auto [number, root] : enumerate(yield->getOperands())) {
      Parts parts = partsOf.lookup(root);
      groups[parts].resize(yield->getNumOperands());
      groups[parts].set(static_cast<unsigned>(number));
    }
    forEachSquare(problem.resultLength, [&](Value *position, unsigned count) {
      for (const auto &[parts, outputs] : groups) {
        unstageSquare(position, count, parts, outputs);
      }
    });
  }

  void unstageSquare(Value *position, unsigned count, Parts parts, const BitVector &outputs) {
    SmallVector<Value *> real, imaginary;
    for (unsigned i = 0; i < registerLanes; ++i) {
      // Positions beyond the end repeat the last one; they are never stored.
      Complex value =
          passes.load(staged, stagedAt(b.CreateAdd(position, number(std::min(i, count - 1)))), 1);
      real.push_back(value.real);
      imaginary.push_back(value.imaginary);
    }
    if (parts & Real) {
      transposeLanes(b, real);
    }
    if (parts & Imaginary) {
      transposeLanes(b, imaginary);
    }
    // Stores the lines from the last lane's to the first lane's. Lanes beyond the last line write
    // to the last line's memory. Their values are wrong unless the operand was also read along
    // lines, so they must be stored before the last line's own lane.
    for (unsigned line = registerLanes; line-- > 0;) {
      Complex value = {parts & Real ? real[line] : nullptr,
                       parts & Imaginary ? imaginary[line] : nullptr};
      writeAlong(line, position, registerLanes, value, &outputs);
    }
  }

  //===- complex lines ------------------------------------------------------------===//

  using Read = FftPasses::Read;
  using Write = FftPasses::Write;

  // Emits the forward transform of passLength() elements.
  void emitTransform(Read read, Write write) {
    int64_t padded = schedule.getPadded(), length = problem.passLength();
    if (padded == 0) {
      passes.emit(schedule.getFactors(), first, second, read, write);
      return;
    }
    GlobalVariable *chirp = tables.chirp(length);
    GlobalVariable *filter = tables.chirpTransform(length, padded);
    auto convolvedAt = [&](Value *position, unsigned count) {
      return passes.load(convolved, position, count);
    };
    passes.forEach(length, [&](Value *position, unsigned count) {
      Complex by = passes.loadTable(chirp, length, position, count);
      passes.store(convolved, position, count, code.multiply(read(position, count), by));
    });
    passes.forEach(padded - length, [&](Value *position, unsigned count) {
      Value *zero = Constant::getNullValue(passes.registerType(count));
      passes.store(convolved, b.CreateAdd(position, number(length)), count, {zero, zero});
    });
    auto filtered = [&](Value *position, unsigned count, Complex value) {
      Complex by = passes.loadTable(filter, padded, position, count);
      passes.store(convolved, position, count, code.multiply(value, by).swapped());
    };
    passes.emit(schedule.getFactors(), first, second, convolvedAt, filtered);
    auto stored = [&](Value *position, unsigned count, Complex value) {
      passes.store(convolved, position, count, value.swapped());
    };
    passes.emit(schedule.getFactors(), first, second, convolvedAt, stored);
    passes.forEach(length, [&](Value *position, unsigned count) {
      Complex by = passes.loadTable(chirp, length, position, count);
      write(position, count, code.multiply(convolvedAt(position, count), by));
    });
  }

  void emitComplex() {
    bool isInverse = problem.isInverse();
    double scale = 1 / static_cast<double>(problem.length);
    emitTransform(
        [&](Value *position, unsigned count) {
          Complex value = readOperand(position, count);
          return isInverse ? value.swapped() : value;
        },
        [&](Value *position, unsigned count, Complex value) {
          writeResult(position, count, isInverse ? code.scale(value.swapped(), scale) : value);
        });
  }

  //===- real lines -----------------------------------------------------------------===//

  // Reads two elements of the operand for each position, as the real and imaginary part of one
  // number.
  Complex readPairs(Value *position, unsigned count) {
    Value *even = b.CreateShl(position, 1);
    Value *low = readOperand(even, count).real;
    Value *high = readOperand(b.CreateAdd(even, number(count)), count).real;
    if (count == 1) {
      return {low, high};
    }
    SmallVector<int> evens, odds;
    for (unsigned lane = 0; lane < count; ++lane) {
      evens.push_back(static_cast<int>(2 * lane));
      odds.push_back(static_cast<int>(2 * lane + 1));
    }
    return {b.CreateShuffleVector(low, high, evens), b.CreateShuffleVector(low, high, odds)};
  }

  void writePairs(Value *position, unsigned count, Complex value) {
    Value *even = b.CreateShl(position, 1);
    Value *low = value.real, *high = value.imaginary;
    if (count > 1) {
      SmallVector<int> lower, upper;
      for (unsigned lane = 0; lane < count; ++lane) {
        unsigned from = lane / 2 + lane % 2 * count;
        lower.push_back(static_cast<int>(from));
        upper.push_back(static_cast<int>(from + count / 2));
      }
      low = b.CreateShuffleVector(value.real, value.imaginary, lower);
      high = b.CreateShuffleVector(value.real, value.imaginary, upper);
    }
    writeResult(even, count, {low, nullptr});
    writeResult(b.CreateAdd(even, number(count)), count, {high, nullptr});
  }

  void storeHalf(Value *position, unsigned count, Complex value) {
    passes.store(half, position, count, value);
  }
  Complex loadHalf(Value *position, unsigned count) { return passes.load(half, position, count); }
  // Mirrors the `count` positions from `position` on: position p becomes `sum` - p. Returns the
  // lowest mirrored position.
  Value *mirrored(int64_t sum, Value *position, unsigned count) {
    return b.CreateSub(number(sum + 1 - count), position);
  }

  void emitFromReal() {
    int64_t length = problem.passLength();
    auto store = [&](Value *position, unsigned count, Complex value) {
      storeHalf(position, count, value);
    };
    if (!problem.isHalved()) {
      emitTransform(
          [&](Value *position, unsigned count) {
            Value *real = readOperand(position, count).real;
            return Complex{real, Constant::getNullValue(real->getType())};
          },
          store);
      passes.forEach(problem.resultLength, [&](Value *position, unsigned count) {
        writeResult(position, count, loadHalf(position, count));
      });
      return;
    }
    emitTransform([&](Value *position, unsigned count) { return readPairs(position, count); },
                  store);
    // Z is periodic: Z(length) equals Z(0).
    storeHalf(number(length), 1, loadHalf(b.getInt64(0), 1));
    GlobalVariable *roots = tables.roots(problem.length, length + 1);
    // The transforms of the even and of the odd elements are computed from Z, the transform of the
    // pairs, with m = length and w = exp(-2 pi i / (2 m)): X(k) = (Z(k) + Z*(m - k)) / 2 - i w^k
    // (Z(k) - Z*(m - k)) / 2.
    passes.forEach(length + 1, [&](Value *position, unsigned count) {
      Complex z = loadHalf(position, count);
      Complex mirror =
          code.conjugate(passes.reversed(loadHalf(mirrored(length, position, count), count)));
      Complex even = code.scale(code.add(z, mirror), 0.5);
      Complex odd = code.scale(code.subtract(z, mirror), 0.5);
      Complex root = passes.loadTable(roots, length + 1, position, count);
      Complex turned = code.multiply({odd.imaginary, b.CreateFNeg(odd.real)}, root);
      writeResult(position, count, code.add(even, turned));
    });
  }

  void emitToReal() {
    int64_t length = problem.passLength();
    double scale = 1 / static_cast<double>(problem.length);
    Value *zero = b.getInt64(0);
    Complex start = readOperand(zero, 1);
    if (problem.isHalved()) {
      GlobalVariable *roots = tables.roots(problem.length, length + 1);
      // Computes 2 Z(k), with Z as in emitFromReal(), from X(k) and X*(m - k).
      passes.forEach(length, [&](Value *position, unsigned count) {
        Complex x = readOperand(position, count);
        Complex mirror =
            code.conjugate(passes.reversed(readOperand(mirrored(length, position, count), count)));
        Complex root = code.conjugate(passes.loadTable(roots, length + 1, position, count));
        Complex odd = code.multiply(code.subtract(x, mirror), root);
        storeHalf(position, count, code.add(code.add(x, mirror), code.timesI(odd)));
      });
      // The first and the last element are treated as real: their imaginary parts are ignored.
      Complex end = readOperand(number(length), 1);
      storeHalf(zero, 1, {b.CreateFAdd(start.real, end.real), b.CreateFSub(start.real, end.real)});
    } else {
      passes.forEach(length / 2, [&](Value *position, unsigned count) {
        Value *next = b.CreateAdd(position, number(1));
        Complex x = readOperand(next, count);
        storeHalf(next, count, x);
        storeHalf(mirrored(length, next, count), count, passes.reversed(code.conjugate(x)));
      });
      storeHalf(zero, 1, {start.real, Constant::getNullValue(start.real->getType())});
    }
    emitTransform(
        [&](Value *position, unsigned count) { return loadHalf(position, count).swapped(); },
        [&](Value *position, unsigned count, Complex value) {
          Complex scaled = code.scale(value.swapped(), scale);
          if (problem.isHalved()) {
            writePairs(position, count, scaled);
          } else {
            writeResult(position, count, {scaled.real, nullptr});
          }
        });
  }

  //===- blocks -----------------------------------------------------------------------===//

  // Emits the passes of one block. They read the operand and write the result in memory or in the
  // staging buffer.
  void emitLines() {
    switch (problem.kind) {
    case FftType::FFT:
    case FftType::IFFT:
      emitComplex();
      break;
    case FftType::RFFT:
      emitFromReal();
      break;
    case FftType::IRFFT:
      emitToReal();
      break;
    }
  }

  void emitBlocks(Value *begin, Value *end) {
    stagedBegin = b.getInt64(0);
    if (together > 1) {
      emitTogether(begin, end);
      return;
    }
    e.emitLoop(begin, end, 1, [&](Value *block) {
      locate(block);
      if (isAcross && problem.isOperandAlong) {
        stageOperand();
      }
      emitLines();
      if (isAcross && problem.isResultAlong) {
        unstageResult();
      }
    });
  }

  // Processes several blocks of one row: stages the operands of all blocks, transforms each block,
  // and stores the results of all.
  void emitTogether(Value *begin, Value *end) {
    auto least = [&](Value *x, Value *y) { return b.CreateBinaryIntrinsic(Intrinsic::smin, x, y); };
    auto rest = [&](ArrayRef<Value *> at) { return b.CreateICmpSLT(at[0], end); };
    emitWhile(e, {begin}, rest, [&](ArrayRef<Value *> at) -> Values {
      Value *perRow = e.extent(problem.blockColumns().ceilQuotient(registerLanes).expression());
      Value *inRow = b.CreateURem(at[0], perRow);
      Value *count =
          least(least(number(together), b.CreateSub(end, at[0])), b.CreateSub(perRow, inRow));
      auto forEachBlock = [&](function_ref<void()> body) {
        e.emitLoop(b.getInt64(0), count, 1, [&](Value *i) {
          stagedBegin = b.CreateMul(i, number(stagedLength));
          locate(b.CreateAdd(at[0], i));
          body();
        });
      };
      if (problem.isOperandAlong) {
        forEachBlock([&] { stageOperand(); });
      } else {
        e.emitLoop(b.getInt64(0), number(problem.operandLength), 1, [&](Value *position) {
          forEachBlock([&] { storeParts(staged, stagedAt(position), readAcross(position)); });
        });
      }
      forEachBlock([&] { emitLines(); });
      if (problem.isResultAlong) {
        forEachBlock([&] { unstageResult(); });
      } else {
        e.emitLoop(b.getInt64(0), number(problem.resultLength), 1, [&](Value *position) {
          forEachBlock([&] { writeAcross(position, passes.load(staged, stagedAt(position), 1)); });
        });
      }
      return {b.CreateAdd(at[0], count)};
    });
  }

  KernelFrame &frame;
  const FftProblem &problem;
  plan::FftScheduleAttr schedule;
  ElementEmitter &e;
  IRBuilder<> &b;
  stablehlo::FftOp op;
  Type *element;
  unsigned registerLanes;
  bool isAcross;
  unsigned perElement; // number of lanes that hold one element (FftPasses.h)
  ComplexCode code;
  FftTables tables;
  FftPasses passes;
  Epilogue epilogue;
  int64_t scratchUsed = 0;
  LineBuffer first, second;     // intermediate results between passes
  LineBuffer convolved;         // the line that Bluestein's algorithm convolves
  LineBuffer half;              // the complex line of a transform of real numbers
  LineBuffer staged;            // copies of operand and result in the passes' layout
  int64_t together = 1;         // number of blocks that are staged at once
  int64_t stagedLength = 0;     // length of the lines of a staged block
  Value *stagedBegin = nullptr; // position of the current block's first element
  Complex current;              // the element of the result that is being stored
  // `lineDims`: the index of each line of the block. `columnDims`: one index for all lines of the
  // block, whose lanes run along the last dimension. Both omit the transformed dimension.
  SmallVector<SmallVector<LaneIndex>> lineDims;
  SmallVector<LaneIndex> columnDims;
  Value *columnMask = nullptr; // lanes whose columns exist; null: all
};
} // namespace

KernelProperties emit(Emission<plan::FftOp> /*of*/, KernelFrame &frame) {
  FftProblem problem(frame.kernel.getBody().front());
  auto schedule = scheduleFor<plan::FftScheduleAttr>(frame, problem);
  if (!schedule) {
    return {};
  }
  return FftEmitter(frame, problem, schedule).run();
}

} // namespace drumlin::codegen
