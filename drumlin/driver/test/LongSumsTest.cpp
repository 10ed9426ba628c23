// The errors of long sums in f32, against f64: they don't grow with the number of terms.
#include "TestProgram.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/runtime/executable/Executable.h"

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
// A program of %x, whose numbers are f32 exactly, and what it computes in f64.
struct LongSum {
  const char *name;
  std::string text;
  Shape shape; // of %x
  Numbers (*draw)(const Numbers &uniform);
  Numbers (*exact)(const Numbers &x);
  double units; // of 2^-24 of the largest result, at most
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
// leftᵀ right of two matrices with these columns, row-major.
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
// Of `terms` rows of four.
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
  };
}

static Numbers run(const std::string &text, const Shape &shape, const Numbers &x) {
  TestProgram program(text);
  CompileOptions options;
  options.useCache = false;
  Result<Compilation> compiled = compile(*program.module, "test", options);
  EXPECT_TRUE(compiled) << compiled.error().str();
  auto executable =
      Executable::loadFromMemory(std::as_bytes(std::span<const char>(compiled->image)), "test", {});
  EXPECT_TRUE(executable) << executable.error().str();
  std::vector<Tensor> arguments = {Tensor(ElementType::F32, shape)};
  std::copy(x.begin(), x.end(), arguments.front().as<float>());
  auto results = (*executable)->call(arguments);
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
