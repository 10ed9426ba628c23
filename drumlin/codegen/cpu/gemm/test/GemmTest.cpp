// Compares natively compiled dots and convolutions with the interpreter, on every target that this
// machine can run.
#include "drumlin/codegen/cpu/gemm/test/GemmCheck.h"
#include "drumlin/driver/Compiler.h"
#include "drumlin/import/Import.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/support/CpuFeatures.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/NumericCompare.h"
#include "drumlin/target/TargetNames.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <sstream>

using namespace drumlin;

TEST(Gemm, ShapesAndSpellings) {
  std::vector<std::array<int64_t, 3>> shapes = {
      {1, 1, 1},      {1, 5, 7},     {3, 1, 200},    {2, 2, 2},     {4, 16, 16},   {5, 17, 31},
      {8, 8, 8},      {1, 640, 100}, {640, 1, 100},  {3, 333, 65},  {333, 4, 129}, {16, 33, 64},
      {17, 31, 127},  {32, 32, 32},  {33, 33, 200},  {64, 127, 64}, {127, 64, 1},  {200, 200, 33},
      {200, 127, 64}, {31, 64, 600}, {300, 530, 700}};
  for (auto [m, n, k] : shapes) {
    for (int spelling = 0; spelling < 4; ++spelling) {
      check(matmul(m, n, k, spelling & 1, spelling & 2));
    }
  }
}

TEST(Gemm, EmptyDimensions) {
  check(matmul(3, 4, 0));
  check(matmul(200, 300, 0));
  check(matmul(0, 4, 5));
}

static const CpuTarget &nativeCpu() { return llvm::cast<CpuTarget>(*nativeTarget()); }

using Sizes = std::vector<std::array<int64_t, 3>>;

// Checks matrix products on every target, which covers every register width, and with every
// accumulator width.
static void checkTargets(const Sizes &sizes) {
  for (auto [m, n, k] : sizes) {
    for (const char *type : {"f32", "f64", "bf16", "f16", "i8", "i32", "i64"}) {
      for (int spelling = 0; spelling < 4; spelling += 3) {
        check(matmul(m, n, k, spelling & 1, spelling & 2, type), everyTarget);
      }
    }
  }
}

TEST(Gemm, Targets) { checkTargets({{7, 9, 11}}); }

TEST(SlowGemm, Targets) { checkTargets({{1, 200, 100}, {65, 70, 300}, {130, 33, 47}}); }

// Tests units whose k-groups have several k elements. The values of k include some that don't fill
// a k-group, a register of k-groups, or a block of k. Each operand is transposed or not.
TEST(Gemm, UnitsOfSeveralTerms) {
  Checks packed;
  packed.forced = {"dot=packed"};
  // Tiles are emulated if this processor has no tile unit.
  if (nativeCpu().registerBytes() == 64) {
    packed.targets.push_back("native,+emulated-tiles");
  }
  for (auto [type, sums] :
       {std::pair("i8", "i32"), {"ui8", "i32"}, {"i16", "i32"}, {"bf16", "f32"}, {"f16", "f32"}}) {
    for (int64_t k : {1, 3, 4, 6, 8, 33, 63, 65, 2051}) {
      for (int spelling = 0; spelling < 4; ++spelling) {
        check(matmul(k == 2051 ? 17 : 5, 20, k, spelling & 1, spelling & 2, type, sums), packed);
      }
    }
  }
}

// Integers that the program widens first are multiplied in their original types. The type of each
// operand may be signed or unsigned.
TEST(Gemm, WidenedIntegers) {
  Checks packed = {{"native", "avx2"}};
  packed.forced = {"dot=packed"};
  if (nativeCpu().registerBytes() == 64) {
    packed.targets.push_back("native,+emulated-tiles");
  }
  for (auto [left, right] : {std::pair("i8", "ui8"),
                             {"ui8", "i8"},
                             {"i8", "i8"},
                             {"ui8", "ui8"},
                             {"i1", "i8"},
                             {"i8", "i16"},
                             {"ui8", "i16"},
                             {"ui16", "i8"}}) {
    for (bool isTransposed : {false, true}) {
      std::string x = tensorType({37, 75}, left), y = tensorType({75, 50}, right),
                  result = tensorType({37, 50}, "i32");
      std::string wideX = tensorType({37, 75}, "i32"), wideY = tensorType({75, 50}, "i32");
      std::string stored = isTransposed ? tensorType({50, 75}, right) : y;
      std::string body = isTransposed ? "  %t = stablehlo.transpose %arg1, dims = [1, 0] : (" +
                                            stored + ") -> " + y + "\n"
                                      : "";
      body += "  %a = stablehlo.convert %arg0 : (" + x + ") -> " + wideX +
              "\n  %b = stablehlo.convert " + (isTransposed ? "%t" : "%arg1") + " : (" + y +
              ") -> " + wideY +
              "\n  %r = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (" + wideX +
              ", " + wideY + ") -> " + result + "\n";
      check(function({x, stored}, result, body, "%r"), packed);
    }
  }
}

// Tests few rows and columns with a long contracting dimension, which is split.
TEST(Gemm, LongContractions) {
  Checks checks = {{"native", "avx2"}};
  for (auto [type, sums] :
       {std::pair("f32", "f32"), {"f64", "f64"}, {"bf16", "bf16"}, {"i8", "i32"}, {"i16", "i16"}}) {
    for (int spelling = 0; spelling < 4; ++spelling) {
      check(matmul(5, 7, 96 * 1024, spelling & 1, spelling & 2, type, sums), checks);
    }
  }
}

// Tiles are divided into items, which threads take in any number: whole tiles, columns of items and
// parts of columns. Sizes that items don't divide leave some items smaller, or empty.
TEST(Gemm, Items) {
  int divided = 0;
  Checks checks = everyTarget;
  checks.threads = {2, 3, 5, 7, 16, 64, 1};
  checks.said = "item = [";
  checks.count = &divided;
  check(matmul(300, 520, 200), checks);
  check(matmul(530, 270, 150, true, true), checks);
  check(matmul(257, 385, 190, false, true, "f64"), checks);
  check(matmul(333, 300, 260, false, false, "bf16", "f32"), checks);
  check(matmul(320, 257, 300, false, false, "i8", "i32"), checks);
  const std::string batches = tensorType({3, 200, 130}, "f32"),
                    weights = tensorType({3, 130, 300}, "f32"),
                    result = tensorType({3, 200, 300}, "f32");
  check(function({batches, weights}, result,
                 "%p = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], "
                 "contracting_dims = [2] x [1] : (" +
                     batches + ", " + weights + ") -> " + result +
                     "\n%t = stablehlo.tanh %p : " + result,
                 "%t"),
        checks);
  const std::string image = tensorType({2, 29, 31, 40}, "f32"),
                    kernel = tensorType({3, 3, 40, 150}, "f32"),
                    features = tensorType({2, 29, 31, 150}, "f32");
  check(function({image, kernel}, features,
                 "%c = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, "
                 "o]->[b, 0, 1, f], "
                 "window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, "
                 "feature_group_count = 1 : i64} : (" +
                     image + ", " + kernel + ") -> " + features,
                 "%c"),
        checks);
  const std::string planes = tensorType({2, 40, 29, 31}, "f32"),
                    filters = tensorType({150, 40, 3, 3}, "f32"),
                    channels = tensorType({2, 150, 29, 31}, "f32");
  check(function({planes, filters}, channels,
                 "%c = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, f, 0, 1]x[o, i, 0, "
                 "1]->[b, f, 0, 1], "
                 "window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, "
                 "feature_group_count = 1 : i64} : (" +
                     planes + ", " + filters + ") -> " + channels,
                 "%c"),
        checks);
  EXPECT_GE(divided, 12);
}

// If results are few and k is long, items divide k, and a second step joins the sums of its parts.
// The last part may be shorter than the others.
TEST(Gemm, PartsOfDepth) {
  int divided = 0;
  Checks checks = everyTarget;
  checks.threads = {2, 3, 5, 7, 16, 64, 1};
  checks.said = "item_depth";
  checks.count = &divided;
  check(matmul(100, 70, 5000), checks);
  check(matmul(61, 33, 9001, true, true), checks);
  check(matmul(64, 50, 4100, false, true, "f64"), checks);
  check(matmul(48, 90, 6000, true, false, "bf16", "f32"), checks);
  const std::string left = tensorType({2, 60, 3000}, "f32"),
                    right = tensorType({2, 3000, 40}, "f32"),
                    result = tensorType({2, 60, 40}, "f32");
  check(function({left, right}, result,
                 "%p = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], "
                 "contracting_dims = [2] x [1] : (" +
                     left + ", " + right + ") -> " + result +
                     "\n%t = stablehlo.tanh %p : " + result,
                 "%t"),
        checks);
  // The gradient of a convolution's filter, times a factor.
  const std::string image = tensorType({20, 16, 17, 3}, "f32"),
                    gradient = tensorType({20, 16, 17, 40}, "f32"),
                    filter = tensorType({3, 3, 3, 40}, "f32");
  check(function({image, gradient, filter}, filter,
                 "%c = stablehlo.convolution(%arg0, %arg1) dim_numbers = [f, 0, 1, b]x[i, 0, 1, "
                 "o]->[0, 1, b, f], "
                 "window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, "
                 "feature_group_count = 1 : i64} : (" +
                     image + ", " + gradient + ") -> " + filter +
                     "\n%m = stablehlo.multiply %c, %arg2 : " + filter,
                 "%m"),
        checks);
  EXPECT_GE(divided, 12);
}

// Tests products of few rows with row-major right operands that are multiplied in place. Covers
// every type for which this is possible, column counts that fill registers and one that doesn't,
// and single and batched products.
TEST(Gemm, ColumnsInPlace) {
  int count = 0;
  Checks checks = {{"native", "avx2", "baseline"}};
  checks.said = "columns_in_place";
  checks.count = &count;
  for (const std::string &type : {"f32", "f64", "i32", "bf16"}) {
    for (auto [m, n, k] : Sizes{{6, 256, 64}, {33, 48, 150}, {14, 32, 700}, {9, 50, 80}}) {
      check(matmul(m, n, k, false, false, type), checks);
      check(matmul(n, m, k, true, true, type), checks);
      std::string lhs = tensorType({3, m, k}, type), rhs = tensorType({k, 3, n}, type);
      std::string result = tensorType({3, m, n}, type);
      check(function({lhs, rhs}, result,
                     "  %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [1], "
                     "contracting_dims = [2] x [0] : (" +
                         lhs + ", " + rhs + ") -> " + result + "\n",
                     "%0"),
            checks);
    }
  }
  EXPECT_GE(count, 24);
}

// Tests results that are contiguous only along the rows of tiles, with an epilogue.
TEST(Gemm, TransposedResults) {
  int count = 0;
  Checks checks = {{"native", "avx2", "baseline"}};
  checks.forced = {"dot=packed"};
  checks.said = "swapped";
  checks.count = &count;
  for (const std::string &type : {"f32", "f64", "bf16", "i32"}) {
    for (auto [m, n, k] : Sizes{{40, 300, 64}, {17, 530, 33}, {64, 129, 300}}) {
      check(matmul(m, n, k, false, true, type), checks);
      std::string lhs = tensorType({m, k}, type), rhs = tensorType({n, k}, type);
      std::string bias = tensorType({n}, type), result = tensorType({m, n}, type);
      check(function({lhs, rhs, bias, result}, result,
                     "  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1] : (" +
                         lhs + ", " + rhs + ") -> " + result +
                         "\n  %1 = stablehlo.broadcast_in_dim %arg2, dims = [1] : (" + bias +
                         ") -> " + result + "\n  %2 = stablehlo.add %0, %1 : " + result +
                         "\n  %3 = stablehlo.maximum %2, %arg3 : " + result + "\n",
                     "%3"),
            checks);
    }
  }
  EXPECT_GE(count, 10);
}

// Checks products in which the left or the right operand is static. The sizes don't fill panels,
// k-groups or micro-kernels. Returns the number of plans that store the static operand in panels.
static int checkPanels(const Sizes &sizes) {
  int count = 0;
  Checks panels = {{"native", "avx2"}};
  panels.forced = {"dot=packed"};
  panels.count = &count;
  if (nativeCpu().registerBytes() == 64) {
    panels.targets.push_back("native,+emulated-tiles");
  }
  for (auto [type, sums] : {std::pair("f32", "f32"),
                            {"f64", "f64"},
                            {"f32", "bf16"},
                            {"i32", "i32"},
                            {"ui32", "ui64"},
                            {"bf16", "f32"},
                            {"i8", "i32"},
                            {"ui8", "i32"},
                            {"i16", "i32"}}) {
    for (auto [m, n, k] : sizes) {
      for (int spelling = 0; spelling < 4; ++spelling) {
        panels.statics = {spelling % 2};
        check(matmul(m, n, k, spelling & 1, spelling & 2, type, sums), panels);
      }
    }
  }
  return count;
}

// Returns how many plans with panels are expected on this processor: `wide` for registers of 64
// bytes, else `narrow`. With narrower registers, checkPanels() compiles for one target fewer, and
// fewer units read panels.
static int perRegister(int wide, int narrow) {
  return nativeCpu().registerBytes() == 64 ? wide : narrow;
}

TEST(Gemm, Panels) { EXPECT_GE(checkPanels({{37, 50, 75}, {40, 33, 128}}), perRegister(60, 30)); }

TEST(SlowGemm, Panels) {
  EXPECT_GE(checkPanels({{300, 530, 70}, {1, 100, 64}, {100, 3, 500}, {530, 48, 700}, {64, 64, 1}}),
            perRegister(150, 75));
}

// Tests panels of operands whose rows, columns and k consist of several dimensions, of batches, and
// of convolution kernels.
TEST(Gemm, PanelsOfSeveralDimensions) {
  int count = 0;
  Checks panels = {{"native", "avx2"}};
  panels.forced = {"dot=packed"};
  panels.statics = {1};
  panels.count = &count;
  auto dot = [](const std::string &x, const std::string &y, const std::string &result,
                const std::string &numbers) {
    return function({x, y}, result,
                    "  %0 = stablehlo.dot_general %arg0, %arg1, " + numbers + " : (" + x + ", " +
                        y + ") -> " + result + "\n",
                    "%0");
  };
  check(dot("tensor<40x6x20xf32>", "tensor<6x3x20x32xf32>", "tensor<40x3x32xf32>",
            "contracting_dims = [1, 2] x [0, 2]"),
        panels);
  EXPECT_EQ(count, 2);
  check(dot("tensor<5x40x70xf32>", "tensor<50x5x70xf32>", "tensor<5x40x50xf32>",
            "batching_dims = [0] x [1], contracting_dims = [2] x [2]"),
        panels);
  EXPECT_EQ(count, 4);
  // The number of columns isn't a multiple of a panel's columns.
  check(dot("tensor<40x120xf32>", "tensor<120x3x20xf32>", "tensor<40x3x20xf32>",
            "contracting_dims = [1] x [0]"),
        panels);
  EXPECT_EQ(count, 4);
  panels.forced = {"convolution=packed"};
  check(function({"tensor<2x9x10x16xf32>", "tensor<3x3x16x40xf32>"}, "tensor<2x7x8x40xf32>",
                 "  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, "
                 "o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count "
                 "= 1 : i64} : (tensor<2x9x10x16xf32>, tensor<3x3x16x40xf32>) -> "
                 "tensor<2x7x8x40xf32>\n",
                 "%0"),
        panels);
  EXPECT_EQ(count, 6);
}

TEST(Gemm, ConstantsInPanels) {
  Tensor weights = randomTensor(ElementType::F32, {90, 50}, 7);
  std::string hex = "0x";
  for (int64_t i = 0; i < weights.bytes(); ++i) {
    static const char digits[] = "0123456789ABCDEF";
    auto byte = static_cast<unsigned>(weights.data()[i]);
    hex += {digits[byte / 16], digits[byte % 16]};
  }
  int count = 0;
  Checks panels = {{"native", "avx2"}};
  panels.forced = {"dot=packed"};
  panels.count = &count;
  check(function({"tensor<40x90xf32>", "tensor<30x90xf32>"}, "tensor<40x50xf32>, tensor<30x50xf32>",
                 "  %w = stablehlo.constant dense<\"" + hex +
                     "\"> : tensor<90x50xf32>\n"
                     "  %0 = stablehlo.dot_general %arg0, %w, contracting_dims = [1] x [0] : "
                     "(tensor<40x90xf32>, tensor<90x50xf32>) -> tensor<40x50xf32>\n"
                     "  %1 = stablehlo.dot_general %arg1, %w, contracting_dims = [1] x [0] : "
                     "(tensor<30x90xf32>, tensor<90x50xf32>) -> tensor<30x50xf32>\n",
                 "%0, %1"),
        panels);
  EXPECT_EQ(count, 2);
}

TEST(SlowGemm, Tiles) {
  if (nativeCpu().registerBytes() != 64) {
    GTEST_SKIP() << "tiles can't be emulated: this processor has no 64-byte registers";
  }
  Checks tiles = {{"native,+emulated-tiles"}};
  for (const char *type : {"bf16", "f16", "i8", "ui8", "f8E5M2"}) {
    for (auto [m, n, k] :
         Sizes{{16, 16, 64}, {33, 70, 130}, {1, 100, 64}, {100, 3, 500}, {300, 530, 70}}) {
      for (int spelling = 0; spelling < 4; ++spelling) {
        check(matmul(m, n, k, spelling & 1, spelling & 2, type,
                     type[0] == 'b' || type[0] == 'f' ? "f32" : "i32"),
              tiles);
      }
    }
  }
}

// Returns the sum that TDPBF16PS and TDPFP16PS are defined to compute. Of each 32 k elements, the
// even and the odd ones are accumulated separately in f32, one after another. The two sums are
// added, and the result is added to the previous value. Subnormal f32 numbers are flushed to zero.
static float tileSum(const std::vector<float> &x, const std::vector<float> &y) {
  auto flushed = [](float value) {
    return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value;
  };
  float sum = 0;
  for (size_t first = 0; first < x.size(); first += 32) {
    float apart[2] = {0, 0};
    for (size_t i = first; i < std::min(first + 32, x.size()); ++i) {
      apart[i % 2] = flushed(std::fma(flushed(x[i]), flushed(y[i]), apart[i % 2]));
    }
    sum = flushed(sum + flushed(apart[0] + apart[1]));
  }
  return sum;
}

static void checkBitsOfTiles(ElementType type, const std::string &unit) {
  SCOPED_TRACE(unit);
  constexpr int64_t m = 20, n = 24, k = 200;
  // The numbers have many magnitudes: some inputs and some of their products are subnormal.
  uint64_t state = 7;
  auto next = [&] {
    state = state * 6364136223846793005u + 1442695040888963407u;
    auto bits = static_cast<uint32_t>(state >> 33);
    bool isBf16 = type == ElementType::BF16;
    uint32_t exponent = bits % 8 == 0 ? bits / 8 % 3 : isBf16 ? 100 + bits / 8 % 50 : bits / 8 % 31;
    uint32_t mantissa = bits >> 8 & (isBf16 ? 0x7f : 0x3ff);
    return static_cast<uint16_t>((bits & 1) << 15 | exponent << (isBf16 ? 7 : 10) | mantissa);
  };
  std::vector<float> x, y;
  std::vector<Tensor> arguments = {Tensor(type, Shape({m, k})), Tensor(type, Shape({k, n}))};
  for (auto [values, tensor] : {std::pair(&x, &arguments[0]), std::pair(&y, &arguments[1])}) {
    for (int64_t i = 0; i < tensor->bytes() / 2; ++i) {
      uint16_t half = next();
      std::memcpy(tensor->data() + 2 * i, &half, 2);
      values->push_back(static_cast<float>(decode(type, half)));
    }
  }
  mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
  auto module = importText(matmul(m, n, k, false, false, std::string(name(type)).c_str(), "f32"),
                           "test.mlir", context);
  ASSERT_TRUE(module) << module.error().str();
  CompileOptions options;
  options.useCache = false;
  options.target = *targetFromName("native,+emulated-tiles");
  options.forcedKernels = {"dot=packed"};
  auto compiled = compile(**module, "test", options);
  ASSERT_TRUE(compiled) << compiled.error().str();
  EXPECT_NE(compiled->planText.find("unit = " + unit), std::string::npos);
  auto executable = compiled->load("test");
  ASSERT_TRUE(executable) << executable.error().str();
  auto results = call(**executable, arguments);
  ASSERT_TRUE(results) << results.error().str();
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      std::vector<float> row(x.begin() + i * k, x.begin() + (i + 1) * k), column;
      for (int64_t t = 0; t < k; ++t) {
        column.push_back(y[static_cast<size_t>(t * n + j)]);
      }
      float got = 0;
      std::memcpy(&got, (*results)[0].data() + 4 * (i * n + j), 4);
      ASSERT_EQ(std::bit_cast<uint32_t>(got), std::bit_cast<uint32_t>(tileSum(row, column)))
          << i << " " << j;
    }
  }
}

TEST(Gemm, TilesGiveTheBitsOfTheirDefinition) {
  if (nativeCpu().registerBytes() != 64) {
    GTEST_SKIP() << "tiles can't be emulated: this processor has no 64-byte registers";
  }
  checkBitsOfTiles(ElementType::BF16, "bf16_tiles");
  checkBitsOfTiles(ElementType::F16, "f16_tiles");
}

static void checkElementTypes(const Sizes &sizes) {
  std::vector<std::pair<const char *, const char *>> types = {
      {"bf16", "f32"},       {"bf16", "bf16"}, {"f16", "f32"}, {"f16", "f16"}, {"f8E4M3FN", "f32"},
      {"f8E5M2", "bf16"},    {"i8", "i32"},    {"ui8", "i32"}, {"i16", "i32"}, {"i8", "i8"},
      {"ui16", "ui32"},      {"i1", "i1"},     {"i8", "i64"},  {"f32", "f64"}, {"ui32", "ui64"},
      {"f8E4M3FNUZ", "f16"}, {"i8", "f32"}};
  for (auto [in, out] : types) {
    for (auto [m, n, k] : sizes) {
      for (int spelling = 0; spelling < 4; ++spelling) {
        check(matmul(m, n, k, spelling & 1, spelling & 2, in, out));
      }
    }
  }
}

TEST(Gemm, ElementTypes) {
  checkElementTypes({{6, 6, 9}});
  check(matmul(66, 50, 333, false, false, "bf16", "f32", ", precision = [HIGHEST, HIGHEST]"));
}

TEST(SlowGemm, ElementTypes) { checkElementTypes({{2, 100, 90}, {66, 50, 333}, {40, 129, 64}}); }

// Tests batch, free and contracting dimensions in various orders.
TEST(Gemm, Dimensions) {
  struct Case {
    std::vector<int64_t> lhs, rhs, result;
    std::string numbers;
  };
  std::vector<Case> cases = {
      {{3, 20, 30},
       {3, 30, 40},
       {3, 20, 40},
       "batching_dims = [0] x [0], contracting_dims = [2] x [1]"},
      {{2, 17, 4, 24},
       {2, 33, 4, 24},
       {2, 4, 17, 33},
       "batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3]"},
      {{2, 4, 17, 33},
       {2, 33, 4, 24},
       {2, 4, 17, 24},
       "batching_dims = [0, 1] x [0, 2], contracting_dims = [3] x [1]"},
      {{2, 9, 16}, {16, 4, 32}, {2, 9, 4, 32}, "contracting_dims = [2] x [0]"},
      {{2, 9, 4, 32}, {4, 32, 48}, {2, 9, 48}, "contracting_dims = [2, 3] x [0, 1]"},
      {{2, 9, 4, 7}, {7, 48, 4}, {2, 9, 48}, "contracting_dims = [2, 3] x [2, 0]"},
      {{5, 6, 7}, {5, 6, 7}, {}, "contracting_dims = [0, 1, 2] x [0, 1, 2]"},
      {{40, 50}, {30, 20}, {40, 50, 30, 20}, ""},
      {{12, 1, 8, 64},
       {12, 100, 8, 64},
       {12, 8, 1, 100},
       "batching_dims = [0, 2] x [0, 2], contracting_dims = [3] x [3]"},
      {{60, 5, 6},
       {60, 6, 3},
       {60, 5, 3},
       "batching_dims = [0] x [0], contracting_dims = [2] x [1]"},
      {{40, 3, 50}, {3, 70, 50}, {40, 3, 3, 70}, "contracting_dims = [2] x [2]"},
      {{1, 40, 1, 50}, {50, 1, 70}, {1, 40, 1, 1, 70}, "contracting_dims = [3] x [0]"},
  };
  for (const Case &each : cases) {
    for (const char *type : {"f32", "bf16"}) {
      std::string lhs = tensorType(each.lhs, type), rhs = tensorType(each.rhs, type);
      std::string result = tensorType(each.result, "f32");
      std::string body = "  %0 = stablehlo.dot_general %arg0, %arg1" +
                         (each.numbers.empty() ? "" : ", " + each.numbers);
      if (each.numbers.empty()) {
        body += ", contracting_dims = [] x []";
      }
      check(function({lhs, rhs}, result, body + " : (" + lhs + ", " + rhs + ") -> " + result + "\n",
                     "%0"));
    }
  }
}

// Prologues are evaluated while operands are packed, or while a GEMV reads them.
TEST(Gemm, Prologues) {
  for (auto [m, n, k] : std::vector<std::array<int64_t, 3>>{{2, 96, 80}, {70, 90, 100}}) {
    std::string lhs = tensorType({m, k}, "f32"), rhs = tensorType({k, n}, "f32"),
                result = tensorType({m, n}, "f32");
    std::string dot = "  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (" +
                      lhs + ", " + rhs + ") -> " + result + "\n";
    // Quantized weights with a scale per column.
    std::string weights = tensorType({k, n}, "i8"), scales = tensorType({n}, "f32");
    check(function({lhs, weights, scales}, result,
                   "  %x = stablehlo.abs %arg0 : " + lhs + "\n  %c = stablehlo.convert %arg1 : (" +
                       weights + ") -> " + rhs +
                       "\n  %s = stablehlo.broadcast_in_dim %arg2, dims = [1] : (" + scales +
                       ") -> " + rhs + "\n  %y = stablehlo.multiply %c, %s : " + rhs + "\n" + dot,
                   "%d"));
    // Transposed, reversed, sliced and padded operands.
    std::string turned = tensorType({k, m}, "f32"), longer = tensorType({k + 3, 2 * n}, "f32");
    check(function({turned, longer}, result,
                   "  %x = stablehlo.transpose %arg0, dims = [1, 0] : (" + turned + ") -> " + lhs +
                       "\n  %y = stablehlo.slice %arg1 [3:" + std::to_string(k + 3) + ", 0:" +
                       std::to_string(2 * n) + ":2] : (" + longer + ") -> " + rhs + "\n" + dot,
                   "%d"));
    std::string shorter = tensorType({k - 5, n - 9}, "f32");
    check(function(
        {lhs, shorter}, result,
        "  %z = stablehlo.constant dense<0.5> : tensor<f32>\n  %x = stablehlo.reverse %arg0, dims "
        "= [1] : " +
            lhs +
            "\n  %y = stablehlo.pad %arg1, %z, low = [2, 4], high = [3, 5], interior = [0, 0] : (" +
            shorter + ", tensor<f32>) -> " + rhs + "\n" + dot,
        "%d"));
    std::string heads = tensorType({m, k / 20, 20}, "f32");
    check(function({heads, rhs}, result,
                   "  %x = stablehlo.reshape %arg0 : (" + heads + ") -> " + lhs +
                       "\n  %y = stablehlo.negate %arg1 : " + rhs + "\n" + dot,
                   "%d"),
          everyTarget);
  }
}

TEST(Gemm, Epilogues) {
  for (auto [m, n, k] :
       std::vector<std::array<int64_t, 3>>{{2, 96, 80}, {6, 7, 8}, {70, 90, 100}, {300, 300, 64}}) {
    for (const char *type : {"f32", "bf16"}) {
      std::string lhs = tensorType({m, k}, type), rhs = tensorType({k, n}, type),
                  result = tensorType({m, n}, type);
      std::string bias = tensorType({n}, type), wide = tensorType({m, n}, "f32"),
                  narrow = tensorType({m, n}, "f8E4M3FN");
      std::string dot =
          "  %d = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (" + lhs +
          ", " + rhs + ") -> " + result + "\n";
      // A bias and the tanh form of gelu. The sum before gelu is returned, too.
      std::string gelu = dot + "  %b = stablehlo.broadcast_in_dim %arg2, dims = [1] : (" + bias +
                         ") -> " + result + "\n  %s = stablehlo.add %d, %b : " + result +
                         "\n  %t = stablehlo.tanh %s : " + result +
                         "\n  %g = stablehlo.multiply %s, %t : " + result + "\n";
      check(function({lhs, rhs, bias}, result + ", " + result, gelu, "%g, %s"),
            {{"native", "avx2"}, 3e-2});
      // A clamp, a conversion to fp8, and the largest magnitude before the clamp.
      std::string amax =
          dot + "  %w = stablehlo.convert %d : (" + result + ") -> " + wide +
          "\n  %a = stablehlo.abs %w : " + wide +
          "\n  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
          "  %m = stablehlo.reduce(%a init: %i) applies stablehlo.maximum across dimensions = [0, "
          "1] : (" +
          wide +
          ", tensor<f32>) -> tensor<f32>\n  %h = stablehlo.constant dense<2.0> : tensor<f32>\n"
          "  %l = stablehlo.constant dense<-2.0> : tensor<f32>\n  %c = stablehlo.clamp %l, %w, %h "
          ": (tensor<f32>, " +
          wide + ", tensor<f32>) -> " + wide + "\n  %q = stablehlo.convert %c : (" + wide +
          ") -> " + narrow + "\n";
      check(function({lhs, rhs}, narrow + ", tensor<f32>", amax, "%q, %m"),
            {{"native", "baseline"}, 1e-2});
      std::string total = dot + "  %w = stablehlo.convert %d : (" + result + ") -> " + wide +
                          "\n  %i = stablehlo.constant dense<1.5> : tensor<f32>\n"
                          "  %m = stablehlo.reduce(%w init: %i) applies stablehlo.add across "
                          "dimensions = [0, 1] : (" +
                          wide + ", tensor<f32>) -> tensor<f32>\n";
      check(function({lhs, rhs}, result + ", tensor<f32>", total, "%d, %m"), {{"native"}, 1e-2});
    }
  }
}

// Checks products of one row or a few rows with weights that have many columns. The weights are
// read one cache line at a time and prefetched.
static void checkFewRows(const Sizes &sizes) {
  for (const char *type : {"f32", "bf16", "i8", "f8E5M2"}) {
    for (auto [m, n, k] : sizes) {
      for (int spelling = 0; spelling < 4; ++spelling) {
        check(matmul(m, n, k, spelling & 1, spelling & 2, type,
                     std::string(type) == "i8" ? "i32" : "f32"));
        check(matmul(n, m, k, spelling & 1, spelling & 2, type,
                     std::string(type) == "i8" ? "i32" : "f32"));
      }
    }
  }
}

TEST(Gemm, FewRows) { checkFewRows({{3, 520, 515}}); }

TEST(SlowGemm, FewRows) { checkFewRows({{1, 1100, 1030}, {3, 2050, 515}, {7, 600, 1111}}); }
