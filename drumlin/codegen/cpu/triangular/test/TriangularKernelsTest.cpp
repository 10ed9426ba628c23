// Tests native code of cholesky and triangular_solve. Results must satisfy their defining equation
// within the rounding error bounds of Higham, "Accuracy and Stability of Numerical Algorithms",
// theorems 8.5 and 10.3. These are backward error bounds, which are valid for any condition number.
// Elements that are exact (zeros, non-numbers, elements that are never read) must equal the
// interpreter's.
#include "drumlin/codegen/cpu/test/KernelCheck.h"

#include <complex>

using namespace drumlin;

using Number = std::complex<long double>;

namespace {
// A batch of matrices. Programs build complex numbers from two arguments and return their real and
// imaginary parts.
struct Matrices {
  int64_t count, rows, columns;
  std::vector<Number> values;

  Matrices(int64_t count, int64_t rows, int64_t columns)
      : count(count), rows(rows), columns(columns),
        values(static_cast<size_t>(count * rows * columns)) {}
  size_t place(int64_t matrix, int64_t row, int64_t column) const {
    return static_cast<size_t>((matrix * rows + row) * columns + column);
  }
  Number &at(int64_t matrix, int64_t row, int64_t column) {
    return values[place(matrix, row, column)];
  }
  // Returns the magnitudes of all numbers. They are computed once, because a magnitude takes longer
  // to compute than a product.
  std::vector<long double> magnitudes() const {
    std::vector<long double> made;
    for (const Number &number : values) {
      made.push_back(std::abs(number));
    }
    return made;
  }
};

struct Kind {
  ElementType part;
  bool isComplex = false;

  std::string name() const {
    std::string of(drumlin::name(part));
    return isComplex ? "complex<" + of + ">" : of;
  }
  // Return the unit roundoff of the type in which the program computes, and of the type in which
  // results are stored.
  long double computed() const { return part == ElementType::F64 ? 0x1p-53L : 0x1p-24L; }
  long double stored() const {
    return std::ldexp(0.5L, -static_cast<int>(info(part).mantissaBits));
  }
};
} // namespace

// Multiplies finite numbers; the complex operator* would also check for NaN and infinities.
static Number times(const Number &x, const Number &y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

static const std::vector<Kind> wideKinds = {
    {ElementType::F32}, {ElementType::F64}, {ElementType::F32, true}, {ElementType::F64, true}};

static Shape shapeOf(const Shape &batch, int64_t rows, int64_t columns) {
  Shape shape = batch;
  shape.push_back(rows);
  shape.push_back(columns);
  return shape;
}

// Returns the numbers as tensors. Also rounds `matrices` to the kind's type, so that the test
// computes with the inputs of the program.
static std::vector<Tensor> store(const Kind &kind, const Shape &shape, Matrices &matrices) {
  std::vector<Tensor> tensors;
  for (int part = 0; part < (kind.isComplex ? 2 : 1); ++part) {
    Tensor tensor(kind.part, shape);
    int64_t size = storageBytes(kind.part);
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      Number &number = matrices.values[static_cast<size_t>(i)];
      double value = static_cast<double>(part ? number.imag() : number.real());
      setElement(tensor, i, value);
      long double rounded = toDouble(kind.part, tensor.data() + i * size);
      part ? number.imag(rounded) : number.real(rounded);
    }
    tensors.push_back(std::move(tensor));
  }
  return tensors;
}

static Matrices load(const Kind &kind, const std::vector<Tensor> &tensors) {
  const Shape &shape = tensors.front().shape();
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  int64_t each = rows * columns, elements = tensors.front().elements();
  Matrices made(each == 0 ? 0 : elements / each, rows, columns);
  int64_t size = storageBytes(kind.part);
  for (int64_t i = 0; i < elements; ++i) {
    Number &number = made.values[static_cast<size_t>(i)];
    number.real(toDouble(kind.part, tensors[0].data() + i * size));
    if (kind.isComplex) {
      number.imag(toDouble(kind.part, tensors[1].data() + i * size));
    }
  }
  return made;
}

// Returns a random number from -1 to 1; a few are zero.
static Number draw(std::mt19937_64 &generator, bool isComplex) {
  auto one = [&] {
    return static_cast<long double>(static_cast<int64_t>(generator() % 4001) - 2000) / 2000;
  };
  long double real = one();
  return {real, isComplex ? one() : 0};
}

static std::string complexProgram(const std::string &arguments, const std::string &result,
                                  const std::string &parts, const std::string &body) {
  return "func.func @main(" + arguments + ") -> (" + parts + ") {\n" + body +
         "  %p = stablehlo.real %r : (" + result + ") -> " + parts.substr(0, parts.find(", ")) +
         "\n  %q = stablehlo.imag %r : (" + result + ") -> " + parts.substr(0, parts.find(", ")) +
         "\n  return %p, %q : " + parts + "\n}\n";
}

// Returns a program with one operation `%r` on operands x and y of these shapes.
static std::string programOf(const Kind &kind, const std::vector<Shape> &operands,
                             const std::string &operation) {
  auto typeOf = [&](const Shape &shape, const std::string &element) {
    std::string type = "tensor<";
    for (int64_t size : shape) {
      type += std::to_string(size) + "x";
    }
    return type + element + ">";
  };
  std::string arguments, body, types;
  const char *names = "xy";
  std::string part(name(kind.part));
  for (size_t i = 0; i < operands.size(); ++i) {
    std::string operand(1, names[i]), type = typeOf(operands[i], part);
    std::string whole = typeOf(operands[i], kind.name());
    arguments += i ? ", " : "";
    types += (i ? ", " : "") + whole;
    if (kind.isComplex) {
      arguments += "%" + operand + "r: " + type + ", %" + operand + "i: " + type;
      body += "  %" + operand + " = stablehlo.complex %" + operand + "r, %" + operand +
              "i : " + whole + "\n";
    } else {
      arguments += "%" + operand + ": " + type;
    }
  }
  std::string result = typeOf(operands.back(), kind.name());
  body += "  %r = " + operation + " : (" + types + ") -> " + result + "\n";
  std::string parts = typeOf(operands.back(), part);
  return kind.isComplex ? complexProgram(arguments, result, parts + ", " + parts, body)
                        : "func.func @main(" + arguments + ") -> " + result + " {\n" + body +
                              "  return %r : " + result + "\n}\n";
}

static void expectSpecialsOf(const Kind &kind, const std::vector<Tensor> &got,
                             const std::vector<Tensor> &expected) {
  int64_t size = storageBytes(kind.part);
  for (size_t t = 0; t < got.size(); ++t) {
    for (int64_t i = 0; i < got[t].elements(); ++i) {
      double x = toDouble(kind.part, got[t].data() + i * size);
      double y = toDouble(kind.part, expected[t].data() + i * size);
      ASSERT_EQ(std::isnan(x), std::isnan(y)) << "element " << i << " of result " << t;
      if (std::isinf(y)) {
        ASSERT_EQ(x, y) << "element " << i << " of result " << t;
      }
    }
  }
}

//===-- cholesky ------------------------------------------------------------------------------===//

// Returns the value for elements of the triangle that isn't read.
static Number unread(const Kind &kind) {
  return info(kind.part).specials == FloatSpecials::None ? Number(1) : Number(NAN, 0);
}

static Matrices definiteMatrices(const Kind &kind, int64_t count, int64_t n, uint64_t seed) {
  std::mt19937_64 generator(seed);
  Matrices a(count, n, n);
  for (int64_t matrix = 0; matrix < count; ++matrix) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j <= i; ++j) {
        Number number =
            draw(generator, kind.isComplex) / std::sqrt(1.0L + static_cast<long double>(n));
        a.at(matrix, i, j) = number;
        a.at(matrix, j, i) = std::conj(number);
      }
      a.at(matrix, i, i) = 2.5L + 0.1L * static_cast<long double>(i % 7);
    }
  }
  return a;
}

static void checkCholesky(const Kind &kind, const Shape &batch, int64_t n, bool lower,
                          const std::vector<std::string> &targets = nativeOnly) {
  SCOPED_TRACE(kind.name());
  int64_t count = 1;
  for (int64_t size : batch) {
    count *= size;
  }
  Matrices a = definiteMatrices(kind, count, n, 7);
  store(kind, shapeOf(batch, n, n), a); // rounds `a` to the type
  Matrices given = a;
  for (int64_t matrix = 0; matrix < count; ++matrix) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < i; ++j) {
        (lower ? given.at(matrix, j, i) : given.at(matrix, i, j)) = unread(kind);
      }
    }
  }
  std::vector<Tensor> arguments = store(kind, shapeOf(batch, n, n), given);
  std::string text = programOf(kind, {shapeOf(batch, n, n)},
                               std::string("\"stablehlo.cholesky\"(%x) <{lower = ") +
                                   (lower ? "true" : "false") + "}>");
  auto compare = [&](const std::vector<Tensor> &got, const std::vector<Tensor> &expected) {
    expectSpecialsOf(kind, got, expected);
    Matrices factor = load(kind, got), known = load(kind, expected);
    long double unit = static_cast<long double>(n + 3) * kind.computed() * (kind.isComplex ? 3 : 1);
    // For narrow types, each row of the factor is rounded to the stored type.
    unit += kind.stored() > kind.computed() ? 2.1L * kind.stored() : 0;
    // Below the smallest normal number, the spacing of numbers is constant.
    long double least = std::ldexp(1.0L, 1 - info(kind.part).exponentBias) * kind.stored();
    std::vector<long double> magnitudes = factor.magnitudes();
    for (int64_t matrix = 0; matrix < factor.count; ++matrix) {
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          if (lower ? j > i : j < i) {
            ASSERT_EQ(factor.at(matrix, i, j), known.at(matrix, i, j)) << i << ", " << j;
          }
        }
        for (int64_t j = 0; j <= i; ++j) {
          Number sum = 0;
          long double size = 0, absolute = 0;
          for (int64_t k = 0; k <= j; ++k) {
            size_t x = lower ? factor.place(matrix, i, k) : factor.place(matrix, k, i);
            size_t y = lower ? factor.place(matrix, j, k) : factor.place(matrix, k, j);
            sum += lower ? times(factor.values[x], std::conj(factor.values[y]))
                         : times(std::conj(factor.values[x]), factor.values[y]);
            size += magnitudes[x] * magnitudes[y];
            absolute += least * (magnitudes[x] + magnitudes[y]);
          }
          ASSERT_LE(std::abs(sum - a.at(matrix, i, j)), unit * size + absolute)
              << matrix << ": " << i << ", " << j;
        }
      }
    }
  };
  checkWith(text, arguments, targets, compare);
}

// Sizes near the sizes of groups, of sixteen lanes, of panels, and of blocks.
static const std::vector<int64_t> sizes = {0,  1,  2,  7,  8,  9,   15,  16,  17,  31, 32,
                                           33, 47, 63, 65, 96, 127, 128, 129, 160, 191};

TEST(TriangularKernels, CholeskyOfEachSize) {
  for (int64_t n : sizes) {
    SCOPED_TRACE(n);
    for (bool lower : {true, false}) {
      checkCholesky({ElementType::F32}, {}, n, lower);
      checkCholesky({ElementType::F64}, {2}, n, lower);
    }
    checkCholesky({ElementType::F32, true}, {}, n, n % 2 == 0);
    checkCholesky({ElementType::F64, true}, {}, n, n % 2 == 1);
  }
}

// Tests matrices that are so large that work items share them in steps.
TEST(TriangularKernels, CholeskyOfLargeMatrices) {
  for (int64_t n : {192, 193, 256, 257}) {
    SCOPED_TRACE(n);
    checkCholesky({ElementType::F32}, {}, n, true);
    checkCholesky({ElementType::F64}, {3}, n, false);
  }
  checkCholesky({ElementType::F32, true}, {2}, 201, true);
  checkCholesky({ElementType::F64, true}, {}, 321, false);
}

TEST(TriangularKernels, CholeskyOnEachTarget) {
  for (const Kind &kind : wideKinds) {
    checkCholesky(kind, {3}, 45, true, everyTarget);
    checkCholesky(kind, {}, 194, kind.isComplex, everyTarget);
  }
}

static const std::vector<ElementType> narrowTypes = {
    ElementType::BF16,       ElementType::F16,        ElementType::F8E4M3FN,
    ElementType::F8E5M2,     ElementType::F8E4M3,     ElementType::F8E3M4,
    ElementType::F8E4M3FNUZ, ElementType::F8E5M2FNUZ, ElementType::F8E4M3B11FNUZ};

TEST(TriangularKernels, CholeskyOfNarrowTypes) {
  for (ElementType type : narrowTypes) {
    for (int64_t n : {1, 5, 37}) {
      checkCholesky({type}, {2}, n, n != 5);
    }
  }
}

TEST(TriangularKernels, CholeskyOfBatches) {
  checkCholesky({ElementType::F32}, {1, 2, 1, 3, 2, 1}, 5, true);
  checkCholesky({ElementType::F64}, {300}, 3, false);
  checkCholesky({ElementType::F32}, {0}, 3, true);
  checkCholesky({ElementType::F32}, {9}, 130, true);
  checkCholesky({ElementType::F32, true}, {2, 5}, 18, true);
}

// A matrix that isn't positive definite has no factor. Its result is all NaN; the results of other
// matrices aren't affected.
TEST(SlowTriangularKernels, CholeskyOfIndefiniteMatrices) {
  for (const Kind &kind : wideKinds) {
    for (int64_t n : {1, 9, 40, 130}) {
      for (bool lower : {true, false}) {
        SCOPED_TRACE(kind.name() + " of " + std::to_string(n) + (lower ? ", lower" : ""));
        Matrices a = definiteMatrices(kind, 7, n, 3);
        a.at(1, n / 2, n / 2) = -1;
        a.at(2, n - 1, n - 1) = 0;
        a.at(3, 0, 0) = NAN;
        a.at(4, n - 1, n - 1) = INFINITY;
        a.at(5, 0, 0) = Number(2, kind.isComplex ? 5 : 0); // its imaginary part isn't read
        std::vector<Tensor> arguments = store(kind, {7, n, n}, a);
        std::string text = programOf(kind, {{7, n, n}},
                                     std::string("\"stablehlo.cholesky\"(%x) <{lower = ") +
                                         (lower ? "true" : "false") + "}>");
        checkWith(text, arguments, everyTarget,
                  [&](const std::vector<Tensor> &got, const std::vector<Tensor> &expected) {
                    expectSpecialsOf(kind, got, expected);
                  });
      }
    }
  }
}

//===-- triangular_solve ----------------------------------------------------------------------===//

namespace {
struct Solve {
  Shape batch;
  int64_t n, others;
  bool leftSide = true, lower = true, unitDiagonal = false;
  int transpose = 0;

  std::string operation() const {
    static const char *const transposes[] = {"NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"};
    auto word = [](bool is) { return is ? "true" : "false"; };
    return std::string("\"stablehlo.triangular_solve\"(%x, %y) <{left_side = ") + word(leftSide) +
           ", lower = " + word(lower) + ", transpose_a = #stablehlo<transpose " +
           transposes[transpose] + ">, unit_diagonal = " + word(unitDiagonal) + "}>";
  }
};
} // namespace

static void checkSolve(const Kind &kind, const Solve &solve,
                       const std::vector<std::string> &targets = nativeOnly) {
  int64_t n = solve.n, count = 1;
  for (int64_t size : solve.batch) {
    count *= size;
  }
  std::mt19937_64 generator(11);
  Matrices a(count, n, n);
  int64_t rows = solve.leftSide ? n : solve.others, columns = solve.leftSide ? solve.others : n;
  Matrices right(count, rows, columns);
  auto shrink = std::sqrt(1.0L + static_cast<long double>(n));
  for (int64_t matrix = 0; matrix < count; ++matrix) {
    for (int64_t i = 0; i < n; ++i) {
      for (int64_t j = 0; j < n; ++j) {
        bool isRead = i == j ? !solve.unitDiagonal : (solve.lower ? j < i : j > i);
        Number number = draw(generator, kind.isComplex) / shrink;
        a.at(matrix, i, j) = !isRead  ? unread(kind)
                             : i != j ? number
                                      : Number(1.5L, kind.isComplex ? -0.5L : 0) + number;
      }
    }
  }
  for (Number &number : right.values) {
    number = draw(generator, kind.isComplex);
  }
  Shape aShape = shapeOf(solve.batch, n, n), bShape = shapeOf(solve.batch, rows, columns);
  std::vector<Tensor> arguments = store(kind, aShape, a);
  for (Tensor &tensor : store(kind, bShape, right)) {
    arguments.push_back(std::move(tensor));
  }
  auto compare = [&](const std::vector<Tensor> &got, const std::vector<Tensor> &expected) {
    expectSpecialsOf(kind, got, expected);
    Matrices x = load(kind, got);
    long double unit = static_cast<long double>(n + 4) * kind.computed() * (kind.isComplex ? 3 : 1);
    unit += kind.stored() > kind.computed() ? 1.1L * kind.stored() : 0;
    long double least = std::ldexp(1.0L, 1 - info(kind.part).exponentBias) * kind.stored();
    // Returns op(a)[i, j]. For right-side solves, op(a) is transposed, so that it is to the left of
    // x.
    auto coefficient = [&](int64_t matrix, int64_t i, int64_t j) -> Number {
      bool isTransposed = (solve.transpose != 0) == solve.leftSide;
      int64_t row = isTransposed ? j : i, column = isTransposed ? i : j;
      if (row == column ? solve.unitDiagonal : (solve.lower ? column > row : column < row)) {
        return row == column ? 1 : 0;
      }
      Number number = a.at(matrix, row, column);
      return solve.transpose == 2 ? std::conj(number) : number;
    };
    std::vector<long double> magnitudes = x.magnitudes();
    for (int64_t matrix = 0; matrix < x.count; ++matrix) {
      Matrices applied(1, n, n); // op(a)
      for (int64_t i = 0; i < n; ++i) {
        for (int64_t j = 0; j < n; ++j) {
          applied.at(0, i, j) = coefficient(matrix, i, j);
        }
      }
      std::vector<long double> weights = applied.magnitudes();
      auto place = [&](int64_t line, int64_t i) {
        return solve.leftSide ? x.place(matrix, i, line) : x.place(matrix, line, i);
      };
      for (int64_t line = 0; line < solve.others; ++line) {
        for (int64_t i = 0; i < n; ++i) {
          Number sum = 0;
          long double size = 0, absolute = 0;
          for (int64_t j = 0; j < n; ++j) {
            size_t each = applied.place(0, i, j), at = place(line, j);
            sum += times(applied.values[each], x.values[at]);
            size += weights[each] * magnitudes[at];
            absolute += least * weights[each];
          }
          ASSERT_LE(std::abs(sum - right.values[place(line, i)]), unit * size + absolute)
              << matrix << ": " << i << ", " << line;
        }
      }
    }
  };
  checkWith(programOf(kind, {aShape, bShape}, solve.operation()), arguments, targets, compare);
}

// Calls `body` with each combination of attributes.
static void forEachForm(Solve solve, const std::function<void(const Solve &)> &body) {
  for (bool leftSide : {true, false}) {
    for (bool lower : {true, false}) {
      for (bool unitDiagonal : {false, true}) {
        for (int transpose : {0, 1, 2}) {
          solve.leftSide = leftSide;
          solve.lower = lower;
          solve.unitDiagonal = unitDiagonal;
          solve.transpose = transpose;
          body(solve);
        }
      }
    }
  }
}

TEST(TriangularKernels, SolvesOfEachForm) {
  for (const Kind &kind : wideKinds) {
    forEachForm({{2}, 37, 19}, [&](const Solve &solve) { checkSolve(kind, solve); });
  }
}

TEST(SlowTriangularKernels, SolvesOfLargeMatrices) {
  for (const Kind &kind : {Kind{ElementType::F64}, Kind{ElementType::F32, true}}) {
    forEachForm({{}, 193, 40}, [&](const Solve &solve) { checkSolve(kind, solve); });
  }
}

TEST(SlowTriangularKernels, SolvesOfEachSize) {
  for (int64_t n : sizes) {
    for (int64_t others : {0, 1, 16, 33}) {
      bool odd = n % 2 == 1;
      checkSolve({ElementType::F32}, {{}, n, others, odd, others != 33});
      checkSolve({ElementType::F64}, {{}, n, others, !odd, others == 33});
    }
  }
  for (int64_t others : {1, 2, 15, 17, 31, 32, 64, 65, 250}) {
    for (bool leftSide : {true, false}) {
      checkSolve({ElementType::F32}, {{2}, 130, others, leftSide});
      checkSolve({ElementType::F64}, {{}, 300, others, leftSide, false});
    }
  }
}

TEST(SlowTriangularKernels, SolvesOnEachTarget) {
  for (const Kind &kind : wideKinds) {
    for (bool lower : {true, false}) {
      checkSolve(kind, {{3}, 45, 18, lower, lower}, everyTarget);
      checkSolve(kind, {{}, 200, 40, !lower, lower, true, 2}, everyTarget);
    }
  }
}

TEST(TriangularKernels, SolvesOfNarrowTypes) {
  for (ElementType type : narrowTypes) {
    checkSolve({type}, {{2}, 1, 3});
    checkSolve({type}, {{2}, 21, 5, true, false});
    checkSolve({type}, {{}, 34, 17, false, true, true, 1});
  }
}

TEST(TriangularKernels, SolvesOfBatches) {
  checkSolve({ElementType::F32}, {{1, 2, 1, 3, 2, 1}, 5, 3});
  checkSolve({ElementType::F64}, {{300}, 3, 2, false});
  checkSolve({ElementType::F32}, {{9}, 130, 70});
  checkSolve({ElementType::F32}, {{0}, 3, 2});
  checkSolve({ElementType::F64, true}, {{2, 5}, 18, 1});
}

// Tests division by zeros, by subnormal numbers, and by the largest numbers.
TEST(TriangularKernels, SolvesWithExtremeDiagonals) {
  for (ElementType type : {ElementType::F32, ElementType::F64}) {
    bool isDouble = type == ElementType::F64;
    double tiny = isDouble ? 0x1.8p-1070 : 0x1.8p-147, large = isDouble ? 0x1.8p1023 : 0x1.8p127;
    double small = isDouble ? 0x1.8p-1022 : 0x1.8p-126;
    std::vector<double> diagonal = {tiny, -tiny,    small, large, -large, 0.0,
                                    -0.0, INFINITY, NAN,   3,     -7};
    // Each value has its own matrix, because a result may overflow here but not in the interpreter,
    // which computes with wider numbers. Such a result would turn other rows of its matrix into
    // NaN.
    auto count = static_cast<int64_t>(diagonal.size());
    Tensor a(type, {count, 1, 1}), right(type, {count, 1, 6});
    for (int64_t i = 0; i < count; ++i) {
      setElement(a, i, diagonal[static_cast<size_t>(i)]);
      double values[] = {0, 1, -small, large, INFINITY, tiny};
      for (int64_t j = 0; j < 6; ++j) {
        setElement(right, i * 6 + j, values[j]);
      }
    }
    Kind kind{type};
    for (bool unitDiagonal : {false, true}) {
      Solve solve{{count}, 1, 6, true, true, unitDiagonal};
      checkWith(programOf(kind, {{count, 1, 1}, {count, 1, 6}}, solve.operation()), {a, right},
                everyTarget,
                [&](const std::vector<Tensor> &got, const std::vector<Tensor> &expected) {
                  expectSpecialsOf(kind, got, expected);
                  int64_t size = storageBytes(type);
                  for (int64_t i = 0; i < count * 6; ++i) {
                    double x = toDouble(type, got[0].data() + i * size);
                    double y = toDouble(type, expected[0].data() + i * size);
                    if (std::isfinite(y)) {
                      double least = isDouble ? 0x1p-1074 : 0x1p-149;
                      double unit = isDouble ? 0x1p-52 : 0x1p-23;
                      ASSERT_LE(std::abs(x - y), 2 * unit * std::abs(y) + least) << i;
                    }
                  }
                });
    }
  }
}
