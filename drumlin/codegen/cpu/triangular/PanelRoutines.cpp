#include "drumlin/codegen/cpu/triangular/PanelRoutines.h"

#include "drumlin/codegen/cpu/ControlFlow.h"
#include "drumlin/codegen/cpu/gemm/GemmBuilder.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace drumlin::codegen {

// How many registers hold the real (or imaginary) parts of one row of a group.
static constexpr int64_t groupVectors = 2;

int64_t PanelShape::groupRows(const CpuTarget &target) const {
  // With this many rows, the sums, a row of the panel and a coefficient fit into the registers.
  return (target.vectorRegisters() >= 32 ? 8 : 4) / parts();
}

int64_t PanelShape::registerLanes(const CpuTarget &target) const {
  return target.registerLanes(info(part).bits / 8);
}

int64_t PanelShape::groupLanes(const CpuTarget &target) const {
  return groupVectors * registerLanes(target);
}

std::string PanelShape::name(const CpuTarget &target) const {
  return std::string(drumlin::name(part)) + (isComplex ? "_complex_" : "_") +
         std::to_string(groupRows(target)) + "x" + std::to_string(groupVectors) + "x" +
         std::to_string(registerLanes(target)) + (target.hasFma() ? "_fma" : "");
}

namespace {
// The real part and, for complex numbers, the imaginary part.
using Parts = SmallVector<Value *, 2>;
// The registers of one row of a group: those of real parts, then those of imaginary parts.
using Row = SmallVector<Value *, 4>;

class PanelBuilder : public GemmBuilder {
public:
  PanelBuilder(const PanelShape &shape, Diagonal diagonal, bool backward, ElementEmitter &emitter,
               const CpuTarget &target)
      : GemmBuilder(emitter, target), shape(shape), diagonal(diagonal), backward(backward),
        type(e.computeType(shape.part)), rows(shape.groupRows(target)),
        width(shape.registerLanes(target)), groupLanes(shape.groupLanes(target)),
        bytes(info(shape.part).bits / 8) {}

  struct Coefficients {
    Value *panels, *stride;
  };

  // Returns the address of the coefficients of the group that begins at row `firstRow`, in row zero
  // of their panel.
  Value *coefficientsOf(const Coefficients &coefficients, Value *firstRow) {
    Value *panel = b.CreateLShr(firstRow, Log2_64(static_cast<uint64_t>(shape.lanes())));
    Value *column = b.CreateAnd(firstRow, constant(shape.lanes() - 1));
    return b.CreateGEP(type, coefficients.panels, plus(times(panel, coefficients.stride), column));
  }
  Value *rowAt(Value *panel, Value *row) {
    return b.CreateGEP(type, panel, times(row, shape.rowElements()));
  }

  SmallVector<Row> loadGroup(Value *place) {
    SmallVector<Row> group;
    for (int64_t r = 0; r < rows; ++r) {
      group.push_back(loadRow(rowAt(place, constant(r))));
    }
    return group;
  }
  void storeRow(Value *place, const Row &row) {
    forRegisters([&](int64_t part, int64_t vector, size_t number) {
      b.CreateAlignedStore(row[number], registerAt(place, part, vector), Align(16));
    });
  }
  void storeGroup(Value *place, ArrayRef<Row> group) {
    for (auto [r, row] : enumerate(group)) {
      storeRow(rowAt(place, constant(static_cast<int64_t>(r))), row);
    }
  }

  // Subtracts the products of the coefficients and the panel's rows [begin, end) from a group's
  // rows.
  SmallVector<Row> subtractProducts(SmallVector<Row> group, Value *coefficients, Value *panel,
                                    Value *begin, Value *end) {
    SmallVector<Value *> carried;
    for (const Row &row : group) {
      carried.append(row.begin(), row.end());
    }
    auto unflatten = [&](ArrayRef<Value *> flat) {
      SmallVector<Row> made;
      size_t each = group.front().size();
      for (size_t r = 0; r < group.size(); ++r) {
        made.emplace_back(flat.slice(r * each, each));
      }
      return made;
    };
    carried = e.emitLoop(begin, end, 1, carried,
                         [&](Value *k, ArrayRef<Value *> before) -> SmallVector<Value *> {
                           SmallVector<Row> sums = unflatten(before);
                           Row eliminated = loadRow(rowAt(panel, k));
                           Value *ofRow = rowAt(coefficients, k);
                           SmallVector<Value *> after;
                           for (auto [r, sum] : enumerate(sums)) {
                             Parts coefficient = loadScalar(ofRow, static_cast<int64_t>(r));
                             subtractProduct(coefficient, eliminated, sum);
                             after.append(sum.begin(), sum.end());
                           }
                           return after;
                         });
    return unflatten(carried);
  }

  // Eliminates a group's own rows. `coefficients` and `inverses` are the addresses for the group's
  // first row.
  void solve(SmallVectorImpl<Row> &group, Value *coefficients, Value *inverses) {
    for (int64_t step = 0; step < rows; ++step) {
      int64_t r = backward ? rows - 1 - step : step;
      Row &row = group[static_cast<size_t>(r)];
      divide(row, inverses, r);
      Value *ofRow = rowAt(coefficients, constant(r));
      for (int64_t next = 0; next < rows; ++next) {
        if (backward ? next < r : next > r) {
          subtractProduct(loadScalar(ofRow, next), row, group[static_cast<size_t>(next)]);
        }
      }
    }
  }

  // Factorizes the square block of a group. The group's own columns are in the lanes from `column`
  // on. Returns whether all pivots are positive. Each row is stored before it is processed, since
  // single elements of a row are read from memory.
  Value *factor(SmallVectorImpl<Row> &group, Value *place, Value *column, Value *inverses) {
    Value *definite = b.getTrue();
    for (int64_t r = 0; r < rows; ++r) {
      Row &row = group[static_cast<size_t>(r)];
      Value *ofRow = rowAt(place, constant(r));
      storeRow(ofRow, row);
      Value *onDiagonal = at(type, ofRow, plus(column, r));
      Value *square = b.CreateAlignedLoad(type, onDiagonal, Align(bytes));
      Value *zero = Constant::getNullValue(type);
      definite = b.CreateAnd(definite, b.CreateFCmpOGT(square, zero));
      Value *pivot = b.CreateUnaryIntrinsic(Intrinsic::sqrt, square);
      Value *inverse = b.CreateFDiv(ConstantFP::get(type, 1.0), pivot);
      b.CreateAlignedStore(inverse, at(type, inverses, constant(r)), Align(bytes));
      for (Value *&vector : row) {
        vector = b.CreateFMul(vector, splat(inverse));
      }
      storeRow(ofRow, row);
      b.CreateAlignedStore(pivot, onDiagonal, Align(bytes));
      if (shape.isComplex) {
        b.CreateAlignedStore(zero, at(type, onDiagonal, constant(shape.lanes())), Align(bytes));
      }
      Value *own = at(type, ofRow, column);
      for (int64_t next = r + 1; next < rows; ++next) {
        subtractProduct(loadScalar(own, next), row, group[static_cast<size_t>(next)]);
      }
    }
    return definite;
  }

protected:
  Value *splat(Value *scalar) { return b.CreateVectorSplat(static_cast<unsigned>(width), scalar); }
  Value *registerAt(Value *place, int64_t part, int64_t vector) {
    return at(type, place, constant(part * shape.lanes() + vector * width));
  }
  void forRegisters(function_ref<void(int64_t part, int64_t vector, size_t number)> body) {
    size_t number = 0;
    for (int64_t part = 0; part < shape.parts(); ++part) {
      for (int64_t vector = 0; vector < groupVectors; ++vector) {
        body(part, vector, number++);
      }
    }
  }
  Row loadRow(Value *place) {
    Row row;
    forRegisters([&](int64_t part, int64_t vector, size_t) {
      row.push_back(
          b.CreateAlignedLoad(vectorOf(type, width), registerAt(place, part, vector), Align(16)));
    });
    return row;
  }
  Parts loadScalar(Value *ofRow, int64_t column) {
    Parts parts;
    for (int64_t part = 0; part < shape.parts(); ++part) {
      Value *place = at(type, ofRow, constant(part * shape.lanes() + column));
      parts.push_back(b.CreateAlignedLoad(type, place, Align(bytes)));
    }
    return parts;
  }

  // Subtracts conjugate(x) y from `sum`.
  void subtractProduct(const Parts &x, const Row &y, Row &sum) {
    Value *real = splat(x[0]), *minusReal = b.CreateFNeg(real);
    for (int64_t vector = 0; vector < groupVectors; ++vector) {
      auto re = static_cast<size_t>(vector), im = static_cast<size_t>(groupVectors + vector);
      sum[re] = multiplyAdd(minusReal, y[re], sum[re]);
      if (shape.isComplex) {
        Value *imaginary = splat(x[1]);
        sum[re] = multiplyAdd(b.CreateFNeg(imaginary), y[im], sum[re]);
        sum[im] = multiplyAdd(minusReal, y[im], sum[im]);
        sum[im] = multiplyAdd(imaginary, y[re], sum[im]);
      }
    }
  }

  void divide(Row &row, Value *inverses, int64_t r) {
    if (diagonal == Diagonal::Unit) {
      return;
    }
    int64_t each = shape.inverseElements(diagonal);
    auto number = [&](int64_t i) {
      Value *place = at(type, inverses, constant(r * each + i));
      return splat(b.CreateAlignedLoad(type, place, Align(bytes)));
    };
    Value *real = number(0);
    if (diagonal == Diagonal::Real || !shape.isComplex) {
      for (Value *&vector : row) {
        vector = b.CreateFMul(vector, real);
      }
    } else {
      Value *imaginary = number(1);
      for (int64_t vector = 0; vector < groupVectors; ++vector) {
        Value *&re = row[static_cast<size_t>(vector)];
        Value *&im = row[static_cast<size_t>(groupVectors + vector)];
        Value *product = multiplyAdd(b.CreateFNeg(im), imaginary, b.CreateFMul(re, real));
        im = multiplyAdd(re, imaginary, b.CreateFMul(im, real));
        re = product;
      }
    }
    if (diagonal == Diagonal::General) {
      Value *power = number(each - 1);
      for (Value *&vector : row) {
        vector = b.CreateFMul(vector, power);
      }
    }
  }

  const PanelShape &shape;
  Diagonal diagonal;
  bool backward;
  Type *type;
  int64_t rows, width, groupLanes;
  unsigned bytes;
};

class Elimination : public PanelBuilder {
public:
  using PanelBuilder::PanelBuilder;

  void run(const EliminateRoutine::Arguments &given) {
    Coefficients coefficients = {given.coefficients, given.coefficientStride};
    e.emitLoop(constant(0), constant(shape.lanes()), groupLanes, [&](Value *lane) {
      Value *panel = at(type, given.panel, lane);
      Value *count = b.CreateSub(given.solveEnd, given.solveBegin);
      e.emitLoop(constant(0), count, rows, [&](Value *step) {
        Value *row = backward ? b.CreateSub(b.CreateSub(given.solveEnd, constant(rows)), step)
                              : plus(given.solveBegin, step);
        Value *own = coefficientsOf(coefficients, row), *place = rowAt(panel, row);
        Value *begin = backward ? plus(row, rows) : given.blockBegin;
        Value *end = backward ? given.blockEnd : row;
        SmallVector<Row> group = subtractProducts(loadGroup(place), own, panel, begin, end);
        Value *inverses = at(type, given.inverses, times(row, shape.inverseElements(diagonal)));
        solve(group, rowAt(own, row), inverses);
        storeGroup(place, group);
      });
      e.emitLoop(given.updateBegin, given.updateEnd, rows, [&](Value *row) {
        Value *place = rowAt(panel, row);
        SmallVector<Row> group =
            subtractProducts(loadGroup(place), coefficientsOf(coefficients, row), panel,
                             given.blockBegin, given.blockEnd);
        storeGroup(place, group);
      });
    });
    b.CreateRetVoid();
  }
};

class Factorization : public PanelBuilder {
public:
  using PanelBuilder::PanelBuilder;

  void run(const FactorRoutine::Arguments &given) {
    Coefficients own = {given.panels, given.panelStride};
    auto log2Lanes = Log2_64(static_cast<uint64_t>(shape.lanes()));
    // Iterates over the block's columns in chunks of groupLanes columns.
    Value *chunksPerPanel = constant(shape.lanes() / groupLanes);
    Value *panelsEnd = b.CreateLShr(plus(given.blockEnd, shape.lanes() - 1), log2Lanes);
    Value *chunksEnd = times(panelsEnd, chunksPerPanel);
    e.emitLoop(given.blockBegin, given.blockEnd, rows, [&](Value *row) {
      Value *ofGroup = coefficientsOf(own, row);
      Value *inverses = at(type, given.inverses, row);
      auto chunkAt = [&](Value *chunk) {
        Value *panel = b.CreateUDiv(chunk, chunksPerPanel);
        Value *lane = times(b.CreateURem(chunk, chunksPerPanel), groupLanes);
        return at(type, given.panels, plus(times(panel, given.panelStride), lane));
      };
      Value *first = b.CreateUDiv(row, constant(groupLanes));
      Value *panel = chunkAt(first), *place = rowAt(panel, row);
      SmallVector<Row> group =
          subtractProducts(loadGroup(place), ofGroup, panel, given.blockBegin, row);
      Value *column = b.CreateURem(row, constant(groupLanes));
      Value *definite = factor(group, place, column, inverses);
      emitIf(e, b.CreateNot(definite),
             [&] { b.CreateAlignedStore(constant(1), given.failed, Align(8)); });
      e.emitLoop(plus(first, 1), chunksEnd, 1, [&](Value *chunk) {
        Value *other = chunkAt(chunk), *inOther = rowAt(other, row);
        SmallVector<Row> rest =
            subtractProducts(loadGroup(inOther), ofGroup, other, given.blockBegin, row);
        solve(rest, rowAt(ofGroup, row), inverses);
        storeGroup(inOther, rest);
      });
    });
    b.CreateRetVoid();
  }
};
} // namespace

template <typename Builder, typename Run>
static void emitWith(const PanelShape &shape, Diagonal diagonal, bool backward, Function *function,
                     const CpuTarget &target, Run run) {
  IRBuilder<> builder(BasicBlock::Create(function->getContext(), "entry", function));
  ElementEmitter emitter(builder, *function->getParent(), target);
  run(Builder(shape, diagonal, backward, emitter, target));
}

//===- elimination ------------------------------------------------------------===//

std::string EliminateRoutine::name(const CpuTarget &target) const {
  std::string made = "routine_eliminate_" + shape.name(target);
  made += diagonal == Diagonal::Real ? "_real" : diagonal == Diagonal::Unit ? "_unit" : "";
  return made + (backward ? "_backward" : "");
}

SmallVector<Type *> EliminateRoutine::parameters(LLVMContext &context) const {
  Type *pointer = PointerType::getUnqual(context), *i64 = Type::getInt64Ty(context);
  return {pointer, i64, pointer, pointer, i64, i64, i64, i64, i64, i64};
}

void EliminateRoutine::emitBody(Function *function, const CpuTarget &target) const {
  auto argument = [&](unsigned i) { return function->getArg(i); };
  Arguments given = {argument(0), argument(1), argument(2), argument(3), argument(4),
                     argument(5), argument(6), argument(7), argument(8), argument(9)};
  emitWith<Elimination>(shape, diagonal, backward, function, target,
                        [&](Elimination builder) { builder.run(given); });
}

void EliminateRoutine::call(IRBuilder<> &builder, Function *function,
                            const Arguments &arguments) const {
  const Arguments &given = arguments;
  builder.CreateCall(function, {given.coefficients, given.coefficientStride, given.inverses,
                                given.panel, given.blockBegin, given.blockEnd, given.solveBegin,
                                given.solveEnd, given.updateBegin, given.updateEnd});
}

//===- factorization ----------------------------------------------------------===//

std::string FactorRoutine::name(const CpuTarget &target) const {
  return "routine_factorize_" + shape.name(target);
}

SmallVector<Type *> FactorRoutine::parameters(LLVMContext &context) const {
  Type *pointer = PointerType::getUnqual(context), *i64 = Type::getInt64Ty(context);
  return {pointer, i64, pointer, pointer, i64, i64};
}

void FactorRoutine::emitBody(Function *function, const CpuTarget &target) const {
  auto argument = [&](unsigned i) { return function->getArg(i); };
  Arguments given = {argument(0), argument(1), argument(2), argument(3), argument(4), argument(5)};
  emitWith<Factorization>(shape, Diagonal::Real, /*backward=*/false, function, target,
                          [&](Factorization builder) { builder.run(given); });
}

void FactorRoutine::call(IRBuilder<> &builder, Function *function,
                         const Arguments &arguments) const {
  const Arguments &given = arguments;
  builder.CreateCall(function, {given.panels, given.panelStride, given.inverses, given.failed,
                                given.blockBegin, given.blockEnd});
}

//===- embedded routines ------------------------------------------------------===//

static std::vector<PanelShape> allShapes() {
  using enum ElementType;
  return {{F32, false}, {F32, true}, {F64, false}, {F64, true}};
}

std::vector<EliminateRoutine> sharedEliminations() {
  std::vector<EliminateRoutine> made;
  for (const PanelShape &shape : allShapes()) {
    for (Diagonal diagonal : {Diagonal::Real, Diagonal::General, Diagonal::Unit}) {
      for (bool backward : {false, true}) {
        if (diagonal == Diagonal::Real && backward) {
          continue;
        }
        EliminateRoutine routine;
        routine.shape = shape;
        routine.diagonal = diagonal;
        routine.backward = backward;
        made.push_back(routine);
      }
    }
  }
  return made;
}

std::vector<FactorRoutine> sharedFactorizations() {
  std::vector<FactorRoutine> made;
  for (const PanelShape &shape : allShapes()) {
    made.emplace_back().shape = shape;
  }
  return made;
}

} // namespace drumlin::codegen
