// Compares long f32 sums with sums in f64: the errors must not grow with the number of addends.
#include "TestProgram.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/runtime/executable/TensorCall.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <span>

namespace drumlin {

using Numbers = std::vector<double>;

static constexpr int64_t terms = 300'000;

namespace {
// A program of long sums. Its argument %x has exact f32 numbers; `exact` computes its result in
// f64.
struct LongSum {
  const char *name;
  std::string text;
  Shape shape; // of %x
  Numbers (*draw)(const Numbers &uniform);
  Numbers (*exact)(const Numbers &x);
  double units; // largest error, in units of 2^-24 times the largest result
};
} // namespace

static Numbers same(const Numbers &uniform) { return uniform; }
static Numbers nearOne(const Numbers &uniform) {
  Numbers made = uniform;
  for (double &x : made) {
    x = static_cast<float>(1 + (x - 0.5) * 1e-3);
  }
  return made;
}

template <typename Combine> static Numbers scanned(const Numbers &x, Combine combine) {
  Numbers made = x;
  for (size_t i = 1; i < x.size(); ++i) {
    made[i] = combine(made[i - 1], x[i]);
  }
  return made;
}
static Numbers sums(const Numbers &x) { return scanned(x, std::plus<>()); }
static Numbers products(const Numbers &x) { return scanned(x, std::multiplies<>()); }
static Numbers sumsFromLast(const Numbers &x) {
  Numbers reversed(x.rbegin(), x.rend());
  reversed = sums(reversed);
  return {reversed.rbegin(), reversed.rend()};
}
static Numbers logSums(const Numbers &x) {
  return scanned(x, [](double a, double b) {
    return std::max(a, b) + std::log1p(std::exp(-std::abs(a - b)));
  });
}
static Numbers equal(const Numbers &uniform) { return Numbers(uniform.size(), 1000.125F); }
static Numbers sum(const Numbers &x) { return {std::accumulate(x.begin(), x.end(), 0.0)}; }
static Numbers squares(const Numbers &x) {
  return {std::inner_product(x.begin(), x.end(), x.begin(), 0.0)};
}
// Returns leftᵀ · right for two row-major matrices. `rows` is the number of columns of `left`,
// `columns` that of `right`.
static Numbers productOf(std::span<const double> left, size_t rows, std::span<const double> right,
                         size_t columns) {
  Numbers made(rows * columns, 0.0);
  for (size_t k = 0; k < left.size() / rows; ++k) {
    for (size_t i = 0; i < rows * columns; ++i) {
      made[i] += left[k * rows + i / columns] * right[k * columns + i % columns];
    }
  }
  return made;
}
static Numbers vectorTimesMatrix(const Numbers &x) {
  std::span<const double> all(x);
  return productOf(all.first(terms / 5), 1, all.subspan(terms / 5), 4);
}
static Numbers gramMatrix(const Numbers &x) { return productOf(x, 8, x, 8); }
// Sums windows of 30,000 elements, 10,000 apart.
static Numbers sumsOfWindows(const Numbers &x) {
  Numbers made;
  for (size_t first = 0; first + 30'000 <= x.size(); first += 10'000) {
    made.push_back(std::accumulate(x.begin() + static_cast<int64_t>(first),
                                   x.begin() + static_cast<int64_t>(first) + 30'000, 0.0));
  }
  return made;
}
// Returns three sums. Sum i adds every third number, starting at number i.
static Numbers sumsOfSegments(const Numbers &x) {
  Numbers made(3, 0.0);
  for (size_t i = 0; i < x.size(); ++i) {
    made[i % 3] += x[i];
  }
  return made;
}
// Returns 32 sums of squares. Sum i adds the squares of every 32nd number, starting at number i.
static Numbers squaresSideBySide(const Numbers &x) {
  Numbers made(32, 0.0);
  for (size_t i = 0; i < x.size(); ++i) {
    made[i % 32] += x[i] * x[i];
  }
  return made;
}
// Convolves an 8 × 8 input of 1,000 features with 3 × 3 windows, to 16 output features.
static Numbers convolution(const Numbers &x) {
  Numbers made(size_t{36} * 16, 0.0);
  for (size_t i = 0; i < made.size(); ++i) {
    size_t row = i / 16 / 6, column = i / 16 % 6;
    for (size_t k = 0; k < 9'000; ++k) {
      size_t at = (row + k / 3'000) * 8 + column + k / 1'000 % 3;
      made[i] += x[at * 1'000 + k % 1'000] * x[64'000 + k * 16 + i % 16];
    }
  }
  return made;
}
// Sums all elements of XᵀX for a matrix X of 300 columns.
static Numbers sumOfProduct(const Numbers &x) {
  double sum = 0;
  for (size_t row = 0; row < x.size() / 300; ++row) {
    auto first = x.begin() + static_cast<int64_t>(row) * 300;
    double ofRow = std::accumulate(first, first + 300, 0.0);
    sum += ofRow * ofRow;
  }
  return {sum};
}
// Returns the running sums of each of four columns.
static Numbers sumsOfColumns(const Numbers &x) {
  Numbers made = x;
  for (size_t i = 4; i < x.size(); ++i) {
    made[i] += made[i - 4];
  }
  return made;
}

static std::string scan(const std::string &type, const std::string &window,
                        const std::string &padding, const std::string &start,
                        const std::string &body) {
  return "func.func @main(%x: " + type + ") -> " + type + " {\n  %z = stablehlo.constant dense<" +
         start +
         "> : tensor<f32>\n  %r = \"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = "
         "array<i64: " +
         window + ">, padding = dense<" + padding + "> : tensor<" +
         (type == "tensor<300000xf32>" ? "1" : "2") +
         "x2xi64>}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" + body +
         "    stablehlo.return %c : tensor<f32>\n  }) : (" + type + ", tensor<f32>) -> " + type +
         "\n  return %r : " + type + "\n}\n";
}

static const std::string add = "    %c = stablehlo.add %a, %b : tensor<f32>\n",
                         multiply = "    %c = stablehlo.multiply %a, %b : tensor<f32>\n",
                         addLogarithms = "    %m = stablehlo.maximum %a, %b : tensor<f32>\n"
                                         "    %d = stablehlo.subtract %a, %b : tensor<f32>\n"
                                         "    %u = stablehlo.compare NE, %d, %d, FLOAT : "
                                         "(tensor<f32>, tensor<f32>) -> tensor<i1>\n"
                                         "    %s = stablehlo.add %a, %b : tensor<f32>\n"
                                         "    %p = stablehlo.abs %d : tensor<f32>\n"
                                         "    %n = stablehlo.negate %p : tensor<f32>\n"
                                         "    %e = stablehlo.exponential %n : tensor<f32>\n"
                                         "    %l = stablehlo.log_plus_one %e : tensor<f32>\n"
                                         "    %t = stablehlo.add %m, %l : tensor<f32>\n"
                                         "    %c = stablehlo.select %u, %s, %t : tensor<i1>, "
                                         "tensor<f32>\n";

static std::vector<LongSum> longSums() {
  const std::string line = "tensor<300000xf32>", columns = "tensor<300000x4xf32>";
  return {
      {"running sum", scan(line, "300000", "[[299999, 0]]", "0.0", add), {terms}, same, sums, 2},
      {"running sum from the last on",
       scan(line, "300000", "[[0, 299999]]", "0.0", add),
       {terms},
       same,
       sumsFromLast,
       2},
      {"running sums of columns",
       scan(columns, "300000, 1", "[[299999, 0], [0, 0]]", "0.0", add),
       {terms, 4},
       same,
       sumsOfColumns,
       2},
      {"running product",
       scan(line, "300000", "[[299999, 0]]", "1.0", multiply),
       {terms},
       nearOne,
       products,
       2},
      {"running sum of logarithms",
       scan(line, "300000", "[[299999, 0]]", "0xFF800000", addLogarithms),
       {terms},
       same,
       logSums,
       2},
      {"sum of equal numbers",
       "func.func @main(%x: tensor<300000xf32>) -> tensor<f32> {\n"
       "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
       "  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : "
       "(tensor<300000xf32>, tensor<f32>) -> tensor<f32>\n"
       "  return %r : tensor<f32>\n}\n",
       {terms},
       equal,
       sum,
       8},
      {"dot of vectors",
       "func.func @main(%x: tensor<300000xf32>) -> tensor<f32> {\n"
       "  %r = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : "
       "(tensor<300000xf32>, tensor<300000xf32>) -> tensor<f32>\n"
       "  return %r : tensor<f32>\n}\n",
       {terms},
       same,
       squares,
       4},
      {"vector times matrix",
       "func.func @main(%x: tensor<300000xf32>) -> tensor<4xf32> {\n"
       "  %v = stablehlo.slice %x [0:60000] : (tensor<300000xf32>) -> tensor<60000xf32>\n"
       "  %s = stablehlo.slice %x [60000:300000] : (tensor<300000xf32>) -> tensor<240000xf32>\n"
       "  %m = stablehlo.reshape %s : (tensor<240000xf32>) -> tensor<60000x4xf32>\n"
       "  %r = stablehlo.dot_general %v, %m, contracting_dims = [0] x [0] : "
       "(tensor<60000xf32>, tensor<60000x4xf32>) -> tensor<4xf32>\n"
       "  return %r : tensor<4xf32>\n}\n",
       {terms},
       same,
       vectorTimesMatrix,
       8},
      {"product of few columns",
       "func.func @main(%x: tensor<37500x8xf32>) -> tensor<8x8xf32> {\n"
       "  %r = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : "
       "(tensor<37500x8xf32>, tensor<37500x8xf32>) -> tensor<8x8xf32>\n"
       "  return %r : tensor<8x8xf32>\n}\n",
       {terms / 8, 8},
       same,
       gramMatrix,
       8},
      {"sum of a product",
       "func.func @main(%x: tensor<1000x300xf32>) -> tensor<f32> {\n"
       "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
       "  %p = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : "
       "(tensor<1000x300xf32>, tensor<1000x300xf32>) -> tensor<300x300xf32>\n"
       "  %r = stablehlo.reduce(%p init: %z) applies stablehlo.add across dimensions = [0, 1] : "
       "(tensor<300x300xf32>, tensor<f32>) -> tensor<f32>\n"
       "  return %r : tensor<f32>\n}\n",
       {terms / 300, 300},
       same,
       sumOfProduct,
       4},
      {"products side by side",
       "func.func @main(%x: tensor<9375x32xf32>) -> tensor<32xf32> {\n"
       "  %r = stablehlo.dot_general %x, %x, batching_dims = [1] x [1], contracting_dims = [0] x "
       "[0] : (tensor<9375x32xf32>, tensor<9375x32xf32>) -> tensor<32xf32>\n"
       "  return %r : tensor<32xf32>\n}\n",
       {terms / 32, 32},
       same,
       squaresSideBySide,
       8},
      {"convolution",
       "func.func @main(%x: tensor<208000xf32>) -> tensor<1x6x6x16xf32> {\n"
       "  %a = stablehlo.slice %x [0:64000] : (tensor<208000xf32>) -> tensor<64000xf32>\n"
       "  %i = stablehlo.reshape %a : (tensor<64000xf32>) -> tensor<1x8x8x1000xf32>\n"
       "  %b = stablehlo.slice %x [64000:208000] : (tensor<208000xf32>) -> tensor<144000xf32>\n"
       "  %k = stablehlo.reshape %b : (tensor<144000xf32>) -> tensor<3x3x1000x16xf32>\n"
       "  %r = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, "
       "f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
       "(tensor<1x8x8x1000xf32>, tensor<3x3x1000x16xf32>) -> tensor<1x6x6x16xf32>\n"
       "  return %r : tensor<1x6x6x16xf32>\n}\n",
       {208'000},
       same,
       convolution,
       20},
      {"sums of windows",
       "func.func @main(%x: tensor<300000xf32>) -> tensor<28xf32> {\n"
       "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
       "  %r = \"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = array<i64: 30000>, "
       "window_strides = array<i64: 10000>}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" +
           add +
           "    stablehlo.return %c : tensor<f32>\n  }) : (tensor<300000xf32>, tensor<f32>) -> "
           "tensor<28xf32>\n  return %r : tensor<28xf32>\n}\n",
       {terms},
       same,
       sumsOfWindows,
       2},
      {"sums of segments",
       "func.func @main(%x: tensor<300000xf32>) -> tensor<3xf32> {\n"
       "  %z = stablehlo.constant dense<0.0> : tensor<3xf32>\n"
       "  %n = stablehlo.iota dim = 0 : tensor<300000x1xi32>\n"
       "  %t = stablehlo.constant dense<3> : tensor<300000x1xi32>\n"
       "  %i = stablehlo.remainder %n, %t : tensor<300000x1xi32>\n"
       "  %r = \"stablehlo.scatter\"(%z, %i, %x) <{scatter_dimension_numbers = "
       "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
       "index_vector_dim = 1>}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n" +
           add +
           "    stablehlo.return %c : tensor<f32>\n  }) : (tensor<3xf32>, tensor<300000x1xi32>, "
           "tensor<300000xf32>) -> tensor<3xf32>\n  return %r : tensor<3xf32>\n}\n",
       {terms},
       same,
       sumsOfSegments,
       2},
  };
}

static Numbers run(const std::string &text, const Shape &shape, const Numbers &x) {
  TestProgram program(text);
  CompileOptions options;
  options.useCache = false;
  Result<Compilation> compiled = compile(*program.module, "test", options);
  EXPECT_TRUE(compiled) << compiled.error().str();
  auto executable = compiled->load("test");
  EXPECT_TRUE(executable) << executable.error().str();
  std::vector<Tensor> arguments = {Tensor(ElementType::F32, shape)};
  std::copy(x.begin(), x.end(), arguments.front().as<float>());
  auto results = call(**executable, arguments);
  EXPECT_TRUE(results) << results.error().str();
  const float *values = results->front().as<float>();
  return {values, values + results->front().elements()};
}

TEST(LongSums, HaveTheErrorsOfShortOnes) {
  for (const LongSum &sum : longSums()) {
    SCOPED_TRACE(sum.name);
    std::mt19937 engine(1);
    std::uniform_real_distribution<float> uniform(0, 1);
    Tensor shaped(ElementType::F32, sum.shape);
    Numbers drawn(static_cast<size_t>(shaped.elements()));
    std::generate(drawn.begin(), drawn.end(), [&] { return uniform(engine); });
    Numbers x = sum.draw(drawn), want = sum.exact(x), got = run(sum.text, sum.shape, x);
    ASSERT_EQ(got.size(), want.size());
    double largest = 0, error = 0;
    for (size_t i = 0; i < want.size(); ++i) {
      largest = std::max(largest, std::abs(want[i]));
      error = std::max(error, std::abs(got[i] - want[i]));
    }
    EXPECT_LE(error / largest * 0x1p24, sum.units);
  }
}

} // namespace drumlin
