// Triangular kernels: `stablehlo.cholesky` and `stablehlo.triangular_solve`
// (drumlin/ir/plan/heroes/TriangularProblem.h). Operands are copied into panels, rows are
// eliminated in the panels by blocks, and the results are copied out. The elimination is the same
// for all types, orders and transpositions.
//
// The algorithm is right-looking: a block's rows are eliminated in a panel, then multiples of these
// rows are subtracted from the rows that follow, while the block's rows of the panel are in L1.
#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/codegen/cpu/triangular/PanelTransfer.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/TriangularOp.h"
#include "drumlin/ir/plan/heroes/TriangularProblem.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/ComplexOp.h"
#include "drumlin/ir/stablehlo/ImagOp.h"
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
        shape(shapeOfPanels(problem)), type(e.computeType(shape.part)), width(shape.lanes()),
        sizes(sizesOf(problem, shape, frame.target)), n(e.extent(sizes.n)),
        rows(e.extent(sizes.rows)), blocks(e.extent(sizes.n.ceilQuotient(block))),
        matrixPanels(e.extent(sizes.matrixPanels)), panelElements(e.extent(sizes.panelElements)),
        matrices(e.extent(sizes.matrices)),
        transfer(e, frame.target, shape, takeScratch(PanelTransfer::blockBytes())) {}

protected:
  // The sizes of the problem, which may be symbolic.
  struct ProblemSizes {
    SizeExpression n, lanes, matrices;
    SizeExpression rows;         // n, rounded up to full groups
    SizeExpression matrixPanels; // panels that cover the matrix's columns
    SizeExpression panels;       // panels that cover the lanes
    SizeExpression panelElements;
  };
  static std::vector<SizeExpression> sizesOf(mlir::Value value) {
    return symbolicSizesOf(cast<mlir::RankedTensorType>(value.getType()));
  }
  static ProblemSizes sizesOf(const TriangularProblem &problem, const PanelShape &shape,
                              const CpuTarget &target) {
    ProblemSizes made;
    std::vector<SizeExpression> a = sizesOf(problem.op->getOperand(0));
    std::vector<SizeExpression> b = sizesOf(problem.op->getOperands().back());
    made.n = a.back();
    made.lanes = problem.lanesAreRows ? b[b.size() - 2] : b.back();
    made.matrices = productOf(ArrayRef(a).drop_back(2));
    made.rows = made.n.roundedUpTo(shape.groupRows(target));
    made.matrixPanels = made.n.ceilQuotient(shape.lanes());
    made.panels = made.lanes.ceilQuotient(shape.lanes());
    made.panelElements = made.n.roundedUpTo(lanes) * shape.rowElements();
    return made;
  }

  Value *takeScratch(const SizeExpression &bytes) { return frame.takeScratch(bytes); }
  // Returns the size if it is static, else 0. Only problems of static sizes are computed in steps
  // whose work is divided among tiles.
  static int64_t known(const SizeExpression &size) { return size.constant().value_or(0); }
  Value *take(Value *memory, int64_t &used, int64_t bytes) {
    Value *pointer =
        b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), memory, static_cast<uint64_t>(used));
    used += roundUp(bytes, 64);
    return pointer;
  }
  Value *loadStep() {
    KernelFrame::SharedMemory memory = frame.loadSharedMemory();
    shared = memory.start;
    sharedBytes = KernelFrame::bytesOfStep;
    return memory.step;
  }
  SizeExpression elementBytes(const SizeExpression &elements) { return elements * bytesOf(type); }
  template <typename Elements> Value *offset(Value *memory, Value *number, Elements elements) {
    return at(type, memory, times(number, elements));
  }
  Value *smaller(Value *x, Value *y) { return b.CreateBinaryIntrinsic(Intrinsic::smin, x, y); }

  void forEach(Value *end, function_ref<void(Value *)> body) {
    e.emitLoop(constant(0), end, 1, body);
  }
  // Emits a step that tiles share. Items are assigned to the tiles round-robin, since adjacent
  // items take similar times.
  void forItemsOfTiles(int64_t items, function_ref<void(Value *)> body) {
    e.emitLoop(frame.tileBegin, frame.tileEnd, 1, [&](Value *tileNumber) {
      e.emitLoop(tileNumber, constant(items), tiles.nominal, body);
    });
  }
  // Return the begin and the end of a block's rows.
  Value *blockBegin(Value *number) { return times(number, block); }
  Value *blockEnd(Value *number) { return smaller(times(plus(number, 1), block), rows); }

  // Loads rows of an operand's row-major matrix into a panel.
  void loadPanel(mlir::Value operand, Value *matrix, bool lanesAreRows, bool negatesImaginary,
                 Value *panelNumber, Value *begin, Value *end, Value *panel) {
    PanelTransfer::Region region =
        regionOf(sizesOf(operand), matrix, lanesAreRows, panelNumber, begin, end);
    transfer.load(region, panel, [&](int64_t part, const LaneIndex &from) {
      Value *made = e.splat(elementAt(operand, part, from));
      return part == 1 && negatesImaginary ? b.CreateFNeg(made) : made;
    });
  }
  PanelTransfer::Region regionOf(ArrayRef<SizeExpression> dims, Value *matrix, bool lanesAreRows,
                                 Value *panelNumber, Value *begin, Value *end) {
    Value *matrixRows = e.extent(dims[dims.size() - 2]), *columns = e.extent(dims.back());
    return {times(matrix, e.extent(dims[dims.size() - 2] * dims.back())),
            columns,
            lanesAreRows,
            times(panelNumber, width),
            lanesAreRows ? matrixRows : columns,
            begin,
            end};
  }
  Value *elementAt(mlir::Value operand, int64_t part, const LaneIndex &from) {
    mlir::Value source = operand;
    if (auto complex = operand.getDefiningOp<stablehlo::ComplexOp>()) {
      source = complex->getOperand(static_cast<unsigned>(part));
    }
    return e.emit(source, index.tupleFromLinear(e.extentsOf(source), from)).value;
  }

  // Stores a panel to the result's matrix. For an element that is `loaded` from the panel,
  // `value(part, row, lane, loaded)` returns the value to store.
  void
  storePanel(Value *matrix, bool lanesAreRows, Value *panelNumber, Value *panel,
             function_ref<Value *(int64_t, const LaneIndex &, const LaneIndex &, Value *)> value) {
    std::vector<SizeExpression> dims = sizesOf(problem.op->getResult(0));
    PanelTransfer::Region region =
        regionOf(dims, matrix, lanesAreRows, panelNumber, constant(0), n);
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
  int64_t block, tile;
  Size tiles;
  PanelShape shape;
  Type *type;
  int64_t width;
  ProblemSizes sizes;
  Value *n, *rows, *blocks, *matrixPanels, *panelElements, *matrices;
  int64_t sharedBytes = 0;
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
      properties.partialBytes = before + each * problem.matrices.nominal;
      properties.steps = 2 * known(sizes.n.ceilQuotient(block));
      emitStep(each, step);
    } else {
      failed = takeScratch(64);
      inverses = takeScratch(elementBytes(sizes.matrixPanels * width));
      panels = takeScratch(elementBytes(sizes.matrixPanels * sizes.panelElements));
      emitWhole();
    }
    return properties;
  }

private:
  // Lays out the memory that the work items of one factorization share.
  void layOut(Value *memory, int64_t &used) {
    int64_t begin = used;
    used += 64;
    inversesAt = used - begin;
    used += known(elementBytes(sizes.matrixPanels * width).roundedUpTo(64));
    panelsAt = used - begin;
    used += known(elementBytes(sizes.matrixPanels * sizes.panelElements).roundedUpTo(64));
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
    Value *end = smaller(times(frame.tileEnd, tile), matrices);
    e.emitLoop(begin, end, 1, [&](Value *matrix) {
      b.CreateAlignedStore(constant(0), failed, Align(8));
      forEach(matrixPanels, [&](Value *panel) { load(matrix, panel); });
      forEach(blocks, [&](Value *number) {
        factor(number);
        Value *first = firstBehind(number);
        e.emitLoop(first, matrixPanels, 1, [&](Value *panel) { solve(number, panel); });
        e.emitLoop(first, matrixPanels, 1, [&](Value *panel) { update(number, panel); });
      });
      forEach(matrixPanels, [&](Value *panel) { store(matrix, panel); });
    });
  }

  // Emits one step of a factorization that is shared by tiles. Step 0 loads the matrix and
  // factorizes the first block. Then each block but the last takes two steps. The first of these
  // eliminates the block's rows in the following panels. The second subtracts multiples of the
  // block's rows from the following rows and factorizes the next block. The last step stores the
  // result.
  void emitStep(int64_t each, Value *step) {
    forItemsOfTiles(known(sizes.matrices * sizes.matrixPanels), [&](Value *item) {
      Value *matrix = b.CreateUDiv(item, matrixPanels);
      Value *panel = b.CreateURem(item, matrixPanels);
      setCurrent(b.CreateInBoundsGEP(b.getInt8Ty(), base, times(matrix, each)));
      Value *isFirst = b.CreateICmpEQ(step, constant(0));
      Value *isLast = b.CreateICmpEQ(step, b.CreateSub(times(blocks, 2), constant(1)));
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
  // Emits the work of one item, which has one panel. Block `number` is factorized next. If the
  // item's panel is the first panel of this block, the item computes all panels of the block and
  // factorizes the block. If the item's panel is after this block, the item computes that panel.
  void withNextBlock(Value *number, Value *panel, function_ref<void(Value *)> compute) {
    int64_t blockPanels = block / width;
    Value *first = times(number, blockPanels);
    Value *behind = plus(first, blockPanels);
    Value *isFirst = b.CreateICmpEQ(panel, first);
    Value *isOther = b.CreateICmpSGE(panel, behind);
    Value *end = smaller(behind, matrixPanels);
    end = b.CreateSelect(isFirst, end, b.CreateSelect(isOther, plus(panel, 1), panel));
    e.emitLoop(panel, end, 1, compute);
    emitIf(e, isFirst, [&] { factor(number); });
  }

  Value *firstBehind(Value *number) { return times(plus(number, 1), block / width); }
  Value *panelAt(Value *number) { return offset(panels, number, panelElements); }

  // Returns the number of rows of a panel down to the diagonal, at most `limit`.
  Value *rowsOf(Value *panel, Value *limit) { return smaller(times(plus(panel, 1), width), limit); }

  void load(Value *matrix, Value *panel) {
    loadPanel(operand, matrix, problem.lower, problem.lower, panel, constant(0), rowsOf(panel, n),
              panelAt(panel));
    // The last group of rows is padded with rows of the identity matrix.
    SizeExpression more = sizes.rows - sizes.n;
    if (more == SizeExpression()) {
      return;
    }
    Value *isLast =
        b.CreateICmpEQ(panel, b.CreateUDiv(b.CreateSub(rows, constant(1)), constant(width)));
    emitIf(e, isLast, [&] {
      Value *last = panelAt(panel);
      Value *bytes = e.extent(elementBytes(more * shape.rowElements()));
      b.CreateMemSet(transfer.rowAt(last, n), b.getInt8(0), bytes, Align(16));
      e.emitLoop(n, rows, 1, [&](Value *row) {
        Value *column = b.CreateURem(row, constant(width));
        b.CreateAlignedStore(ConstantFP::get(type, 1.0),
                             at(type, transfer.rowAt(last, row), column), Align(4));
      });
    });
  }
  void factor(Value *number) {
    Function *function = factorize.in(frame.module, frame.target, frame.routines);
    factorize.call(b, function,
                   {panels, panelElements, inverses, failed, blockBegin(number), blockEnd(number)});
  }
  void call(EliminateRoutine::Arguments given, Value *panel) {
    given.coefficients = panels;
    given.coefficientStride = panelElements;
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
                   // The imaginary part of the diagonal must be +0, not -0.
                   Value *onDiagonal = b.CreateICmpEQ(vectorOfIndex(row), vectorOfIndex(lane));
                   made = b.CreateSelect(onDiagonal, zero, made);
                 }
                 // If the factorization failed, complex elements have a real part of NaN and an
                 // imaginary part of zero, as if a real NaN had been converted.
                 Value *failure = part == 1 ? zero : ConstantFP::getNaN(loaded->getType());
                 return b.CreateSelect(isFailed, failure, made);
               });
  }

  mlir::Value operand;
  FactorRoutine factorize;
  EliminateRoutine eliminate;
  int64_t inversesAt = 0, panelsAt = 0;
  Value *base = nullptr;
  // The memory for the current matrix.
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
    SizeExpression inverseBytes =
        elementBytes(sizes.matrixPanels * width * shape.inverseElements(eliminate.diagonal));
    if (isStepped) {
      // The first step packs the coefficients of all matrices; the second step solves.
      Value *step = loadStep();
      stride = panelElements;
      inverses = take(shared, sharedBytes, known(inverseBytes * sizes.matrices));
      coefficients =
          take(shared, sharedBytes,
               known(elementBytes(sizes.matrixPanels * sizes.panelElements) * sizes.matrices));
      takeRightSides();
      emitIf(e, b.CreateICmpEQ(step, constant(0)), [&] { packShared(); });
      emitIf(e, b.CreateICmpEQ(step, constant(1)), [&] { solveAll(); });
      properties.steps = 2;
      properties.partialBytes = sharedBytes;
    } else {
      SizeExpression strideSize =
          SizeExpression::smaller(block, sizes.n.roundedUpTo(lanes)) * shape.rowElements();
      stride = e.extent(strideSize);
      inverses = takeScratch(inverseBytes);
      coefficients = takeScratch(elementBytes(sizes.matrixPanels * strideSize));
      takeRightSides();
      solveAll();
    }
    return properties;
  }

private:
  void takeRightSides() {
    atOnce = SizeExpression::smaller(tile, sizes.panels);
    rightSides = takeScratch(elementBytes(atOnce * sizes.panelElements));
  }

  // Solves all panels of this call's tiles, matrix by matrix.
  void solveAll() {
    Value *panels = e.extent(sizes.panels), *all = e.extent(sizes.matrices * sizes.panels);
    Value *begin = times(frame.tileBegin, tile);
    Value *end = smaller(times(frame.tileEnd, tile), all);
    emitWhile(
        e, {begin}, [&](ArrayRef<Value *> at) { return b.CreateICmpSLT(at[0], end); },
        [&](ArrayRef<Value *> at) -> Values {
          Value *matrix = b.CreateUDiv(at[0], panels);
          Value *first = b.CreateURem(at[0], panels);
          Value *count = smaller(b.CreateSub(end, at[0]), b.CreateSub(panels, first));
          count = smaller(count, e.extent(atOnce));
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
    forEach(blocks, [&](Value *order) {
      Value *number =
          eliminate.backward ? b.CreateSub(b.CreateSub(blocks, constant(1)), order) : order;
      Value *packed = isStepped ? coefficientsOf(matrix) : packBlock(matrix, number);
      EliminateRoutine::Arguments given = inBlock(number);
      given.coefficients = packed;
      given.coefficientStride = stride;
      given.inverses = isStepped ? inversesOf(matrix) : inverses;
      auto run = [&](Value *panel) {
        given.panel = panel;
        eliminate.call(b, eliminate.in(frame.module, frame.target, frame.routines), given);
      };
      given.solveBegin = given.blockBegin;
      given.solveEnd = given.blockEnd;
      forPanels([&](Value *, Value *panel) { run(panel); });
      // The block's coefficients for one block of the other rows stay in L2 while all panels are
      // processed.
      given.solveBegin = given.solveEnd = constant(0);
      Value *from = eliminate.backward ? constant(0) : given.blockEnd;
      Value *to = eliminate.backward ? given.blockBegin : rows;
      e.emitLoop(from, to, block, [&](Value *row) {
        given.updateBegin = row;
        given.updateEnd = b.CreateBinaryIntrinsic(Intrinsic::smin, plus(row, block), to);
        forPanels([&](Value *, Value *panel) { run(panel); });
      });
    });
    forPanels([&](Value *number, Value *panel) { storeRight(matrix, number, panel); });
  }

  // Packs the coefficients of a block of rows for this work item alone. Returns the address that
  // row 0 would have if all rows were packed.
  Value *packBlock(Value *matrix, Value *number) {
    // Packs the coefficients for all columns from the block's first column on or, if `backward`,
    // for all columns up to the block's last one.
    Value *from = blockBegin(number), *to = blockEnd(number);
    Value *firstPanel = eliminate.backward ? constant(0) : times(number, block / width);
    Value *endPanel =
        eliminate.backward ? b.CreateUDiv(plus(to, width - 1), constant(width)) : matrixPanels;
    Value *shifted = b.CreateGEP(type, coefficients, b.CreateNeg(times(from, shape.rowElements())));
    e.emitLoop(firstPanel, endPanel, 1,
               [&](Value *panel) { packPanel(matrix, panel, from, to, panelOf(shifted, panel)); });
    packInverses(matrix, from, to, inverses);
    return shifted;
  }

  void packShared() {
    forItemsOfTiles(known(sizes.matrices * sizes.matrixPanels), [&](Value *item) {
      Value *matrix = b.CreateUDiv(item, matrixPanels);
      Value *panel = b.CreateURem(item, matrixPanels);
      Value *first = times(panel, width);
      Value *end = smaller(plus(first, width), rows);
      packPanel(matrix, panel, eliminate.backward ? first : constant(0),
                eliminate.backward ? rows : end, panelOf(coefficientsOf(matrix), panel));
      packInverses(matrix, first, end, inversesOf(matrix));
    });
  }

  Value *panelOf(Value *memory, Value *panel) {
    return b.CreateGEP(type, memory, times(panel, stride));
  }
  Value *coefficientsOf(Value *matrix) {
    return offset(coefficients, matrix, e.extent(sizes.matrixPanels * sizes.panelElements));
  }
  Value *inversesOf(Value *matrix) {
    return offset(inverses, matrix,
                  e.extent(sizes.matrixPanels * width * shape.inverseElements(eliminate.diagonal)));
  }

  void loadRight(Value *matrix, Value *panelNumber, Value *panel) {
    loadPanel(right, matrix, problem.lanesAreRows, false, panelNumber, constant(0), n, panel);
    clearRows(panel, n, rows);
  }
  void storeRight(Value *matrix, Value *panelNumber, Value *panel) {
    storePanel(matrix, problem.lanesAreRows, panelNumber, panel,
               [](int64_t, const LaneIndex &, const LaneIndex &, Value *loaded) { return loaded; });
  }
  void clearRows(Value *panel, Value *begin, Value *end) {
    if (!(sizes.rows == sizes.n)) {
      Value *bytes = times(b.CreateSub(end, begin), shape.rowElements() * bytesOf(type));
      b.CreateMemSet(transfer.rowAt(panel, begin), b.getInt8(0), bytes, Align(16));
    }
  }

  // Packs rows [begin, end) of a panel of coefficients; rows beyond the matrix are zero.
  void packPanel(Value *matrix, Value *panelNumber, Value *begin, Value *end, Value *panel) {
    Value *known = smaller(end, n);
    // The imaginary parts are negated unless the problem is conjugated, because the routine
    // conjugates coefficients.
    loadPanel(a, matrix, !problem.transposed, !problem.conjugated, panelNumber, begin, known,
              panel);
    clearRows(panel, known, end);
  }

  void packInverses(Value *matrix, Value *begin, Value *end, Value *into) {
    if (problem.unitDiagonal) {
      return;
    }
    int64_t each = shape.inverseElements(eliminate.diagonal);
    Value *known = smaller(end, n);
    e.emitLoop(begin, known, 1, [&](Value *row) {
      Value *place = plus(times(matrix, times(n, n)), times(row, plus(n, 1)));
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

  // Scales an element by a power of two so that it is near one; returns the inverse of the scaled
  // element, and the power. The element's own inverse would overflow for subnormal elements and
  // lose digits for large ones.
  SmallVector<Value *> invert(ArrayRef<Value *> parts) {
    bool isDouble = type->isDoubleTy();
    Type *bits = isDouble ? b.getInt64Ty() : b.getInt32Ty();
    unsigned mantissa = isDouble ? 52 : 23;
    uint64_t largest = isDouble ? 2045 : 253; // 1 to `largest`: biased exponents of normal powers
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
  SizeExpression atOnce;   // number of panels that are solved together
  Value *stride = nullptr; // stride of coefficient panels
  Value *inverses = nullptr, *coefficients = nullptr;
  Value *rightSides = nullptr; // the panels that are solved together
};
} // namespace

KernelProperties emit(Emission<plan::TriangularOp> /*of*/, KernelFrame &frame) {
  TriangularProblem problem(frame.kernel.getBody().front());
  auto schedule = scheduleFor<plan::TriangularScheduleAttr>(frame, problem);
  KernelProperties nothing;
  nothing.tiles = 0;
  if (!schedule || tasksOf(schedule, problem).is(0)) {
    return nothing;
  }
  return problem.factorizes() ? CholeskyEmitter(frame, problem, schedule).run()
                              : SolveEmitter(frame, problem, schedule).run();
}

} // namespace drumlin::codegen
