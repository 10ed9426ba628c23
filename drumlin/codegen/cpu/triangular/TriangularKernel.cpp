// Triangular kernels: `stablehlo.cholesky` and `stablehlo.triangular_solve`
// (drumlin/ir/plan/heroes/TriangularProblem.h). Operands are copied into panels, rows eliminated
// there by blocks, and the results copied out: what is between is the same for any type, order and
// transposition.
//
// Right-looking: a block's rows are eliminated in a panel, then their products are taken off the
// rows that follow, which reads the panel's block from the nearest cache.
#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/codegen/cpu/triangular/PanelTransfer.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/heroes/TriangularProblem.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace drumlin::codegen {

static int64_t roundUp(int64_t value, int64_t to) { return divideCeilSigned(value, to) * to; }

static PanelShape shapeOfPanels(const TriangularProblem &problem) {
  return {problem.part == ElementType::F64 ? ElementType::F64 : ElementType::F32,
          isComplex(problem.element)};
}

namespace {
class TriangularEmitter : public GemmBuilder {
public:
  TriangularEmitter(KernelFrame &frame, const TriangularProblem &problem,
                    plan::TriangularScheduleAttr schedule)
      : GemmBuilder(frame.emitter, frame.target), frame(frame), problem(problem),
        isStepped(schedule.getAlgorithm() == plan::TriangularAlgorithm::stepped),
        block(schedule.getBlock()), tile(schedule.getTile()), tiles(tasksOf(schedule, problem)),
        shape(shapeOfPanels(problem)), type(e.computeType(shape.part)), n(problem.size),
        rows(roundUp(n, shape.groupRows(frame.target))), rowsInMemory(roundUp(n, lanes)),
        blocks(divideCeilSigned(n, block)), width(shape.lanes()),
        matrixPanels(divideCeilSigned(n, width)), panelElements(rowsInMemory * shape.rowElements()),
        transfer(e, frame.target, shape, takeScratch(PanelTransfer::blockBytes())) {}

protected:
  Value *takeScratch(int64_t bytes) { return take(frame.scratch, scratchBytes, bytes); }
  Value *take(Value *memory, int64_t &used, int64_t bytes) {
    Value *pointer =
        b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory, static_cast<uint64_t>(used));
    used += roundUp(bytes, 64);
    return pointer;
  }
  // The memory that all tasks share begins with the number of the step.
  Value *loadStep() {
    shared = b.CreateAlignedLoad(b.getPtrTy(), frame.partials, Align(8));
    sharedBytes = 64;
    return b.CreateAlignedLoad(b.getInt64Ty(), shared, Align(8));
  }
  int64_t elementBytes(int64_t elements) { return elements * bytesOf(type); }
  Value *offset(Value *memory, Value *number, int64_t elements) {
    return at(type, memory, times(number, elements));
  }

  void forEach(int64_t begin, int64_t end, function_ref<void(Value *)> body) {
    e.emitLoop(constant(begin), constant(end), 1, body);
  }
  // Of those of a step that is shared, items are dealt out to the tiles one by one: neighbours take
  // similar times.
  void forItemsOfTiles(int64_t items, function_ref<void(Value *)> body) {
    e.emitLoop(frame.tileBegin, frame.tileEnd, 1,
               [&](Value *tileNumber) { e.emitLoop(tileNumber, constant(items), tiles, body); });
  }
  // The rows of a block.
  Value *blockBegin(Value *number) { return times(number, block); }
  Value *blockEnd(Value *number) {
    return b.CreateBinaryIntrinsic(Intrinsic::smin, times(plus(number, 1), block), constant(rows));
  }

  // An operand's matrix, row-major, as panels take it.
  void loadPanel(mlir::Value operand, Value *matrix, bool lanesAreRows, bool negatesImaginary,
                 Value *panelNumber, Value *begin, Value *end, Value *panel) {
    ArrayRef<int64_t> dims = shapeOf(operand);
    int64_t matrixRows = dims[dims.size() - 2], columns = dims.back();
    PanelTransfer::Region region = {times(matrix, matrixRows * columns),
                                    columns,
                                    lanesAreRows,
                                    times(panelNumber, width),
                                    constant(lanesAreRows ? matrixRows : columns),
                                    begin,
                                    end};
    transfer.load(region, panel, [&](int64_t part, const LaneIndex &from) {
      Value *made = e.splat(elementAt(operand, part, from));
      return part == 1 && negatesImaginary ? b.CreateFNeg(made) : made;
    });
  }
  Value *elementAt(mlir::Value operand, int64_t part, const LaneIndex &from) {
    mlir::Value source = operand;
    if (auto complex = operand.getDefiningOp<stablehlo::ComplexOp>()) {
      source = complex->getOperand(static_cast<unsigned>(part));
    }
    return e.emit(source, index.tupleFromLinear(Shape(shapeOf(source)), from)).value;
  }

  // `value(part, row, lane, loaded)` is what is stored.
  void
  storePanel(Value *matrix, bool lanesAreRows, Value *panelNumber, Value *panel,
             function_ref<Value *(int64_t, const LaneIndex &, const LaneIndex &, Value *)> value) {
    ArrayRef<int64_t> dims = shapeOf(problem.op->getResult(0));
    int64_t matrixRows = dims[dims.size() - 2], columns = dims.back();
    PanelTransfer::Region region = {times(matrix, matrixRows * columns),
                                    columns,
                                    lanesAreRows,
                                    times(panelNumber, width),
                                    constant(lanesAreRows ? matrixRows : columns),
                                    constant(0),
                                    constant(n)};
    transfer.store(region, panel,
                   [&](int64_t part, const LaneIndex &to, Value *loaded, const LaneIndex &row,
                       const LaneIndex &lane) {
                     Value *made = value(part, row, lane, loaded);
                     for (auto [number, output] : enumerate(frame.outputs)) {
                       if (partOf(number) == part) {
                         const IndexTuple *place = index.tupleFromLinear(output.shape, to);
                         e.store(output, place, {e.roundTo(made, output.type)});
                       }
                     }
                   });
  }
  int64_t partOf(size_t output) {
    mlir::Operation *yield = frame.kernel.getBody().front().getTerminator();
    return yield->getOperand(static_cast<unsigned>(output)).getDefiningOp<stablehlo::ImagOp>() ? 1
                                                                                               : 0;
  }

  EliminateRoutine::Arguments inBlock(Value *number) {
    EliminateRoutine::Arguments made = {};
    made.blockBegin = blockBegin(number);
    made.blockEnd = blockEnd(number);
    made.solveBegin = made.solveEnd = made.updateBegin = made.updateEnd = constant(0);
    return made;
  }

  KernelFrame &frame;
  const TriangularProblem &problem;
  bool isStepped;
  int64_t block, tile, tiles;
  PanelShape shape;
  Type *type;
  int64_t n, rows, rowsInMemory, blocks, width;
  int64_t matrixPanels; // as wide as the matrix
  int64_t panelElements;
  int64_t scratchBytes = 0, sharedBytes = 0;
  Value *shared = nullptr;
  PanelTransfer transfer;
};

//===- factorization ----------------------------------------------------------===//

class CholeskyEmitter : public TriangularEmitter {
public:
  using TriangularEmitter::TriangularEmitter;

  KernelProperties run() {
    operand = problem.op->getOperand(0);
    factorize.shape = eliminate.shape = shape;
    eliminate.diagonal = Diagonal::Real;
    KernelProperties properties;
    properties.tiles = tiles;
    if (isStepped) {
      Value *step = loadStep();
      int64_t before = sharedBytes;
      layOut(shared, sharedBytes);
      int64_t each = sharedBytes - before;
      properties.partialBytes = before + each * problem.matrices;
      properties.steps = 2 * blocks;
      emitStep(each, step);
    } else {
      layOut(frame.scratch, scratchBytes);
      emitWhole();
    }
    properties.scratchBytes = scratchBytes;
    return properties;
  }

private:
  // What the factorization of a matrix keeps.
  void layOut(Value *memory, int64_t &used) {
    int64_t begin = used;
    used += 64;
    inversesAt = used - begin;
    used += roundUp(elementBytes(matrixPanels * width), 64);
    panelsAt = used - begin;
    used += roundUp(elementBytes(matrixPanels * panelElements), 64);
    base = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory, static_cast<uint64_t>(begin));
  }
  void setCurrent(Value *memory) {
    auto place = [&](int64_t bytes) {
      return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory, static_cast<uint64_t>(bytes));
    };
    failed = memory;
    inverses = place(inversesAt);
    panels = place(panelsAt);
  }

  void emitWhole() {
    Value *begin = times(frame.tileBegin, tile);
    Value *end = b.CreateBinaryIntrinsic(Intrinsic::smin, times(frame.tileEnd, tile),
                                         constant(problem.matrices));
    setCurrent(base);
    e.emitLoop(begin, end, 1, [&](Value *matrix) {
      b.CreateAlignedStore(constant(0), failed, Align(8));
      forEach(0, matrixPanels, [&](Value *panel) { load(matrix, panel); });
      forEach(0, blocks, [&](Value *number) {
        factor(number);
        Value *first = firstBehind(number);
        e.emitLoop(first, constant(matrixPanels), 1, [&](Value *panel) { solve(number, panel); });
        e.emitLoop(first, constant(matrixPanels), 1, [&](Value *panel) { update(number, panel); });
      });
      forEach(0, matrixPanels, [&](Value *panel) { store(matrix, panel); });
    });
  }

  // Steps: 0 loads and factorizes the first block; then for each block but the last, one eliminates
  // its rows, and one takes their products off what follows and factorizes the next block; the last
  // one stores.
  void emitStep(int64_t each, Value *step) {
    forItemsOfTiles(problem.matrices * matrixPanels, [&](Value *item) {
      Value *matrix = b.CreateUDiv(item, constant(matrixPanels));
      Value *panel = b.CreateURem(item, constant(matrixPanels));
      setCurrent(b.CreateInBoundsGEP(b.getInt8Ty(), base, times(matrix, each)));
      Value *isFirst = b.CreateICmpEQ(step, constant(0));
      Value *isLast = b.CreateICmpEQ(step, constant(2 * blocks - 1));
      Value *isSolve = b.CreateICmpNE(b.CreateAnd(step, constant(1)), constant(0));
      Value *number = b.CreateSub(b.CreateLShr(plus(step, 1), 1), constant(1));
      emitIf(e, isFirst, [&] { firstStep(matrix, panel); });
      emitIf(e, isLast, [&] { store(matrix, panel); });
      Value *isBehind = b.CreateICmpSGE(panel, firstBehind(number));
      Value *isInner = b.CreateAnd(b.CreateNot(b.CreateOr(isFirst, isLast)), isBehind);
      emitIf(e, b.CreateAnd(isInner, isSolve), [&] { solve(number, panel); });
      emitIf(e, b.CreateAnd(isInner, b.CreateNot(isSolve)), [&] {
        withNextBlock(plus(number, 1), panel, [&](Value *each) { update(number, each); });
      });
    });
  }
  void firstStep(Value *matrix, Value *panel) {
    emitIf(e, b.CreateICmpEQ(panel, constant(0)),
           [&] { b.CreateAlignedStore(constant(0), failed, Align(8)); });
    withNextBlock(constant(0), panel, [&](Value *each) { load(matrix, each); });
  }
  // A panel of the block that is factorized next is computed with all others of it, by the item of
  // the first one; any other by its own.
  void withNextBlock(Value *number, Value *panel, function_ref<void(Value *)> compute) {
    int64_t blockPanels = block / width;
    Value *first = times(number, blockPanels);
    Value *behind = plus(first, blockPanels);
    Value *isFirst = b.CreateICmpEQ(panel, first);
    Value *isOther = b.CreateICmpSGE(panel, behind);
    Value *end = b.CreateBinaryIntrinsic(Intrinsic::smin, behind, constant(matrixPanels));
    end = b.CreateSelect(isFirst, end, b.CreateSelect(isOther, plus(panel, 1), panel));
    e.emitLoop(panel, end, 1, compute);
    emitIf(e, isFirst, [&] { factor(number); });
  }

  Value *firstBehind(Value *number) { return times(plus(number, 1), block / width); }
  Value *panelAt(Value *number) { return offset(panels, number, panelElements); }

  // Rows of a panel down to the diagonal.
  Value *rowsOf(Value *panel, int64_t limit) {
    return b.CreateBinaryIntrinsic(Intrinsic::smin, times(plus(panel, 1), width), constant(limit));
  }

  void load(Value *matrix, Value *panel) {
    loadPanel(operand, matrix, problem.lower, problem.lower, panel, constant(0), rowsOf(panel, n),
              panelAt(panel));
    // Columns that fill up the last group are those of the identity.
    if (rows > n) {
      emitIf(e, b.CreateICmpEQ(panel, constant((rows - 1) / width)), [&] {
        Value *last = panelAt(panel);
        Value *bytes = constant(elementBytes((rows - n) * shape.rowElements()));
        b.CreateMemSet(transfer.rowAt(last, constant(n)), b.getInt8(0), bytes, Align(16));
        for (int64_t row = n; row < rows; ++row) {
          Value *place = at(type, transfer.rowAt(last, constant(row)), constant(row % width));
          b.CreateAlignedStore(ConstantFP::get(type, 1.0), place, Align(4));
        }
      });
    }
  }
  void factor(Value *number) {
    Function *function = factorize.in(frame.module, frame.target, frame.routines);
    factorize.call(
        b, function,
        {panels, constant(panelElements), inverses, failed, blockBegin(number), blockEnd(number)});
  }
  void call(EliminateRoutine::Arguments given, Value *panel) {
    given.coefficients = panels;
    given.coefficientStride = constant(panelElements);
    given.inverses = inverses;
    given.panel = panelAt(panel);
    eliminate.call(b, eliminate.in(frame.module, frame.target, frame.routines), given);
  }
  void solve(Value *number, Value *panel) {
    EliminateRoutine::Arguments given = inBlock(number);
    given.solveBegin = given.blockBegin;
    given.solveEnd = given.blockEnd;
    call(given, panel);
  }
  void update(Value *number, Value *panel) {
    EliminateRoutine::Arguments given = inBlock(number);
    given.updateBegin = given.blockEnd;
    given.updateEnd = rowsOf(panel, rows);
    call(given, panel);
  }
  void store(Value *matrix, Value *panel) {
    Value *isFailed =
        b.CreateICmpNE(b.CreateAlignedLoad(b.getInt64Ty(), failed, Align(8)), constant(0));
    storePanel(matrix, problem.lower, panel, panelAt(panel),
               [&](int64_t part, const LaneIndex &row, const LaneIndex &lane, Value *loaded) {
                 if (part == 1 && problem.lower) {
                   loaded = b.CreateFNeg(loaded);
                 }
                 Value *zero = Constant::getNullValue(loaded->getType());
                 auto vectorOfIndex = [&](const LaneIndex &i) { return e.splat(index.asValue(i)); };
                 Value *isOutside = b.CreateICmpSGT(vectorOfIndex(row), vectorOfIndex(lane));
                 Value *made = b.CreateSelect(isOutside, zero, loaded);
                 if (part == 1) {
                   // Not -0 on the diagonal.
                   Value *onDiagonal = b.CreateICmpEQ(vectorOfIndex(row), vectorOfIndex(lane));
                   made = b.CreateSelect(onDiagonal, zero, made);
                 }
                 // A complex NaN has one part that is none, as numbers that are converted have it.
                 Value *failure = part == 1 ? zero : ConstantFP::getNaN(loaded->getType());
                 return b.CreateSelect(isFailed, failure, made);
               });
  }

  mlir::Value operand;
  FactorRoutine factorize;
  EliminateRoutine eliminate;
  int64_t inversesAt = 0, panelsAt = 0;
  Value *base = nullptr;
  // Of the current matrix.
  Value *failed = nullptr, *inverses = nullptr, *panels = nullptr;
};

//===- solves -----------------------------------------------------------------===//

class SolveEmitter : public TriangularEmitter {
public:
  using TriangularEmitter::TriangularEmitter;

  KernelProperties run() {
    a = problem.op->getOperand(0);
    right = problem.op->getOperand(1);
    eliminate.shape = shape;
    eliminate.diagonal = problem.unitDiagonal ? Diagonal::Unit : Diagonal::General;
    eliminate.backward = !problem.lower;
    KernelProperties properties;
    properties.tiles = tiles;
    int64_t inverseBytes =
        elementBytes(matrixPanels * width * shape.inverseElements(eliminate.diagonal));
    if (isStepped) {
      // The matrices are packed in the first step.
      Value *step = loadStep();
      stride = panelElements;
      inverses = take(shared, sharedBytes, inverseBytes * problem.matrices);
      coefficients =
          take(shared, sharedBytes, elementBytes(matrixPanels * panelElements) * problem.matrices);
      takeRightSides();
      emitIf(e, b.CreateICmpEQ(step, constant(0)), [&] { packShared(); });
      emitIf(e, b.CreateICmpEQ(step, constant(1)), [&] { solveAll(); });
      properties.steps = 2;
      properties.partialBytes = sharedBytes;
    } else {
      stride = std::min(block, rowsInMemory) * shape.rowElements();
      inverses = takeScratch(inverseBytes);
      coefficients = takeScratch(elementBytes(matrixPanels * stride));
      takeRightSides();
      solveAll();
    }
    properties.scratchBytes = scratchBytes;
    return properties;
  }

private:
  void takeRightSides() {
    rightSides = takeScratch(elementBytes(std::min(tile, problem.panels()) * panelElements));
  }

  // All panels of the tiles, by their matrix.
  void solveAll() {
    int64_t panels = problem.panels(), all = problem.matrices * panels;
    Value *begin = times(frame.tileBegin, tile);
    Value *end =
        b.CreateBinaryIntrinsic(Intrinsic::smin, times(frame.tileEnd, tile), constant(all));
    emitWhile(
        e, {begin}, [&](ArrayRef<Value *> at) { return b.CreateICmpSLT(at[0], end); },
        [&](ArrayRef<Value *> at) -> Values {
          Value *matrix = b.CreateUDiv(at[0], constant(panels));
          Value *first = b.CreateURem(at[0], constant(panels));
          Value *count = b.CreateBinaryIntrinsic(Intrinsic::smin, b.CreateSub(end, at[0]),
                                                 b.CreateSub(constant(panels), first));
          count = b.CreateBinaryIntrinsic(Intrinsic::smin, count, constant(std::min(tile, panels)));
          solve(matrix, first, count);
          return {plus(at[0], count)};
        });
  }
  void solve(Value *matrix, Value *first, Value *count) {
    auto forPanels = [&](function_ref<void(Value *, Value *)> body) {
      e.emitLoop(constant(0), count, 1,
                 [&](Value *i) { body(plus(first, i), offset(rightSides, i, panelElements)); });
    };
    forPanels([&](Value *number, Value *panel) { loadRight(matrix, number, panel); });
    forEach(0, blocks, [&](Value *order) {
      Value *number = eliminate.backward ? b.CreateSub(constant(blocks - 1), order) : order;
      Value *packed = isStepped ? coefficientsOf(matrix) : packBlock(matrix, number);
      EliminateRoutine::Arguments given = inBlock(number);
      given.coefficients = packed;
      given.coefficientStride = constant(stride);
      given.inverses = isStepped ? inversesOf(matrix) : inverses;
      auto run = [&](Value *panel) {
        given.panel = panel;
        eliminate.call(b, eliminate.in(frame.module, frame.target, frame.routines), given);
      };
      given.solveBegin = given.blockBegin;
      given.solveEnd = given.blockEnd;
      forPanels([&](Value *, Value *panel) { run(panel); });
      // A block's coefficients for as many rows stay in the second cache while all panels pass by.
      given.solveBegin = given.solveEnd = constant(0);
      Value *from = eliminate.backward ? constant(0) : given.blockEnd;
      Value *to = eliminate.backward ? given.blockBegin : constant(rows);
      e.emitLoop(from, to, block, [&](Value *row) {
        given.updateBegin = row;
        given.updateEnd = b.CreateBinaryIntrinsic(Intrinsic::smin, plus(row, block), to);
        forPanels([&](Value *, Value *panel) { run(panel); });
      });
    });
    forPanels([&](Value *number, Value *panel) { storeRight(matrix, number, panel); });
  }

  // Packs a block's coefficients for this task alone; gives where row zero of them would lie.
  Value *packBlock(Value *matrix, Value *number) {
    // Columns from the block's own on; or up to them, backward.
    Value *from = blockBegin(number), *to = blockEnd(number);
    Value *firstPanel = eliminate.backward ? constant(0) : times(number, block / width);
    Value *endPanel = eliminate.backward ? b.CreateUDiv(plus(to, width - 1), constant(width))
                                         : constant(matrixPanels);
    Value *shifted = b.CreateGEP(type, coefficients, b.CreateNeg(times(from, shape.rowElements())));
    e.emitLoop(firstPanel, endPanel, 1,
               [&](Value *panel) { packPanel(matrix, panel, from, to, panelOf(shifted, panel)); });
    packInverses(matrix, from, to, inverses);
    return shifted;
  }

  void packShared() {
    forItemsOfTiles(problem.matrices * matrixPanels, [&](Value *item) {
      Value *matrix = b.CreateUDiv(item, constant(matrixPanels));
      Value *panel = b.CreateURem(item, constant(matrixPanels));
      Value *first = times(panel, width);
      Value *end = b.CreateBinaryIntrinsic(Intrinsic::smin, plus(first, width), constant(rows));
      packPanel(matrix, panel, eliminate.backward ? first : constant(0),
                eliminate.backward ? constant(rows) : end, panelOf(coefficientsOf(matrix), panel));
      packInverses(matrix, first, end, inversesOf(matrix));
    });
  }

  Value *panelOf(Value *memory, Value *panel) {
    return b.CreateGEP(type, memory, times(panel, stride));
  }
  Value *coefficientsOf(Value *matrix) {
    return offset(coefficients, matrix, matrixPanels * panelElements);
  }
  Value *inversesOf(Value *matrix) {
    return offset(inverses, matrix,
                  matrixPanels * width * shape.inverseElements(eliminate.diagonal));
  }

  void loadRight(Value *matrix, Value *panelNumber, Value *panel) {
    loadPanel(right, matrix, problem.lanesAreRows, false, panelNumber, constant(0), constant(n),
              panel);
    clearRows(panel, constant(n), constant(rows));
  }
  void storeRight(Value *matrix, Value *panelNumber, Value *panel) {
    storePanel(matrix, problem.lanesAreRows, panelNumber, panel,
               [](int64_t, const LaneIndex &, const LaneIndex &, Value *loaded) { return loaded; });
  }
  void clearRows(Value *panel, Value *begin, Value *end) {
    Value *bytes = times(b.CreateSub(end, begin), elementBytes(shape.rowElements()));
    if (rows > n) {
      b.CreateMemSet(transfer.rowAt(panel, begin), b.getInt8(0), bytes, Align(16));
    }
  }

  // Rows [begin, end) of a panel of coefficients. Those behind the last one are zero.
  void packPanel(Value *matrix, Value *panelNumber, Value *begin, Value *end, Value *panel) {
    Value *known = b.CreateBinaryIntrinsic(Intrinsic::smin, end, constant(n));
    // The routine takes conjugates.
    loadPanel(a, matrix, !problem.transposed, !problem.conjugated, panelNumber, begin, known,
              panel);
    clearRows(panel, known, end);
  }

  void packInverses(Value *matrix, Value *begin, Value *end, Value *into) {
    if (problem.unitDiagonal) {
      return;
    }
    int64_t each = shape.inverseElements(eliminate.diagonal);
    Value *known = b.CreateBinaryIntrinsic(Intrinsic::smin, end, constant(n));
    e.emitLoop(begin, known, 1, [&](Value *row) {
      Value *place = plus(times(matrix, n * n), times(row, n + 1));
      SmallVector<Value *> parts;
      for (int64_t part = 0; part < shape.parts(); ++part) {
        parts.push_back(elementAt(a, part, index.scalar(place)));
      }
      if (shape.isComplex && problem.conjugated) {
        parts[1] = b.CreateFNeg(parts[1]);
      }
      storeNumbers(offset(into, row, each), invert(parts));
    });
    SmallVector<Value *> one(static_cast<size_t>(each), ConstantFP::get(type, 1.0));
    if (shape.isComplex) {
      one[1] = Constant::getNullValue(type);
    }
    e.emitLoop(known, end, 1, [&](Value *row) { storeNumbers(offset(into, row, each), one); });
  }
  void storeNumbers(Value *place, ArrayRef<Value *> numbers) {
    for (auto [i, number] : enumerate(numbers)) {
      b.CreateAlignedStore(number, at(type, place, constant(static_cast<int64_t>(i))), Align(4));
    }
  }

  // The inverse of an element that is brought near one by a power of two, and that power: the
  // inverse alone overflows where the element is subnormal, and loses digits where it is large.
  SmallVector<Value *> invert(ArrayRef<Value *> parts) {
    bool isDouble = type->isDoubleTy();
    Type *bits = isDouble ? b.getInt64Ty() : b.getInt32Ty();
    unsigned mantissa = isDouble ? 52 : 23;
    uint64_t largest = isDouble ? 2045 : 253; // biased exponents from 1 on, whose powers are normal
    Value *size = b.CreateUnaryIntrinsic(Intrinsic::fabs, parts[0]);
    if (parts.size() == 2) {
      Value *other = b.CreateUnaryIntrinsic(Intrinsic::fabs, parts[1]);
      size = b.CreateSelect(b.CreateFCmpOGT(other, size), other, size);
    }
    Value *exponent = b.CreateLShr(b.CreateBitCast(size, bits), mantissa);
    exponent = b.CreateBinaryIntrinsic(Intrinsic::umin, exponent, ConstantInt::get(bits, largest));
    exponent =
        b.CreateBinaryIntrinsic(Intrinsic::umax, exponent, ConstantInt::get(bits, uint64_t(1)));
    exponent = b.CreateSub(ConstantInt::get(bits, largest + 1), exponent);
    Value *power = b.CreateBitCast(b.CreateShl(exponent, mantissa), type);
    Value *one = ConstantFP::get(type, 1.0);
    Value *real = b.CreateFMul(parts[0], power);
    if (parts.size() == 1) {
      return {b.CreateFDiv(one, real), power};
    }
    Value *imaginary = b.CreateFMul(parts[1], power);
    Value *square = b.CreateFAdd(b.CreateFMul(real, real), b.CreateFMul(imaginary, imaginary));
    return {b.CreateFDiv(real, square), b.CreateFDiv(b.CreateFNeg(imaginary), square), power};
  }

  mlir::Value a, right;
  EliminateRoutine eliminate;
  int64_t stride = 0; // from panel to panel of coefficients
  Value *inverses = nullptr, *coefficients = nullptr;
  Value *rightSides = nullptr; // panels of a task
};
} // namespace

KernelProperties emit(Emission<plan::TriangularOp> /*of*/, KernelFrame &frame) {
  TriangularProblem problem(frame.kernel.getBody().front());
  auto schedule = scheduleFor<plan::TriangularScheduleAttr>(frame, problem);
  KernelProperties nothing;
  nothing.tiles = 0;
  if (!schedule || tasksOf(schedule, problem) == 0) {
    return nothing;
  }
  return problem.factorizes() ? CholeskyEmitter(frame, problem, schedule).run()
                              : SolveEmitter(frame, problem, schedule).run();
}

} // namespace drumlin::codegen
