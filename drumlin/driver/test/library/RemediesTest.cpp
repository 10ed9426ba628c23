// Applies the remedy of each library limit. For each limit, there is a program whose dot isn't a
// call because of the limit. With the remedy, the dot is a call. Kernels aren't split.
#include "../TestProgram.h"
#include "CallEmulator.h"
#include "ProductProgram.h"

#include "drumlin/driver/LibraryReport.h"

#include <gtest/gtest.h>
#include <set>

namespace drumlin {

struct Remedy {
  LibraryLimit limit;
  const char *target;
  std::string refused, called;
};

static std::string text(const char *type, const char *arguments, const char *behind,
                        const char *results) {
  return textOf({"", arguments, "", behind, results, false}, type);
}

static constexpr const char *made = "%r : tensor<64x96xf32>";

// Returns the operations, preceded by a barrier after the dot, so that another kernel computes
// them.
static std::string behindBarrier(const char *operations) {
  return std::string("  %k = stablehlo.optimization_barrier %d : tensor<64x96xf32>\n") + operations;
}

static std::string withBias(const char *dimensions, const char *type, const char *size) {
  std::string bias = std::string(size) + "x" + type;
  return "func.func @main(%x: tensor<64x128xbf16>, %w: tensor<128x96xbf16>, %c: tensor<" + bias +
         ">) -> tensor<64x96xbf16> {\n  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] "
         "x "
         "[0] : (tensor<64x128xbf16>, tensor<128x96xbf16>) -> tensor<64x96xf32>\n  %0 = "
         "stablehlo.convert %c : (tensor<" +
         bias + ">) -> tensor<" + size +
         "xf32>\n  %1 = stablehlo.broadcast_in_dim %0, dims = " + dimensions + " : (tensor<" +
         size +
         "xf32>) -> tensor<64x96xf32>\n  %2 = stablehlo.add %d, %1 : tensor<64x96xf32>\n  %r = "
         "stablehlo.convert %2 : (tensor<64x96xf32>) -> tensor<64x96xbf16>\n  return %r : "
         "tensor<64x96xbf16>\n}\n";
}

// Returns a dot whose left operand has a scale of shape `size`, broadcast along `dimensions`.
static std::string scaled(const char *size, const char *dimensions) {
  std::string scale = std::string(size) + "f32";
  return "func.func @main(%x: tensor<64x128xf8E4M3FN>, %w: tensor<96x128xf8E4M3FN>, %c: tensor<" +
         scale +
         ">) -> tensor<64x96xf32> {\n  %0 = stablehlo.convert %x : (tensor<64x128xf8E4M3FN>) -> "
         "tensor<64x128xf32>\n  %1 = stablehlo.broadcast_in_dim %c, dims = " +
         dimensions + " : (tensor<" + scale +
         ">) -> tensor<64x128xf32>\n  %2 = stablehlo.multiply %0, %1 : tensor<64x128xf32>\n  %3 = "
         "stablehlo.convert %w : (tensor<96x128xf8E4M3FN>) -> tensor<96x128xf32>\n  %d = "
         "stablehlo.dot_general %2, %3, contracting_dims = [1] x [1] : (tensor<64x128xf32>, "
         "tensor<96x128xf32>) -> tensor<64x96xf32>\n  return %d : tensor<64x96xf32>\n}\n";
}

static std::string ofTypes(const char *lhs, const char *rhs, const char *result,
                           const char *depth = "128") {
  auto type = [](const std::string &rows, const std::string &columns, const char *element) {
    return "tensor<" + rows + "x" + columns + "x" + element + ">";
  };
  std::string x = type("64", depth, lhs), w = type("96", depth, rhs), r = type("64", "96", result);
  return "func.func @main(%x: " + x + ", %w: " + w + ") -> " + r +
         " {\n  %d = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (" + x + ", " +
         w + ") -> " + r + "\n  return %d : " + r + "\n}\n";
}

static const char *const relu = R"(
  %zero = stablehlo.constant dense<0.0> : tensor<64x96xf32>
  %1 = stablehlo.maximum %d, %zero : tensor<64x96xf32>
)";

static const char *const silu = R"(
  %0 = stablehlo.logistic %d : tensor<64x96xf32>
  %r = stablehlo.multiply %d, %0 : tensor<64x96xf32>
)";

// Returns operations that compute the largest magnitude of %v, and that clamp %r and convert it to
// the narrow %o.
static std::string quantizedWithAmax(const char *before) {
  return std::string(before) + R"(
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %abs = stablehlo.abs %v : tensor<64x96xf32>
  %q = stablehlo.reduce(%abs init: %init) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<64x96xf32>, tensor<f32>) -> tensor<f32>
  %low = stablehlo.constant dense<-448.0> : tensor<f32>
  %high = stablehlo.constant dense<448.0> : tensor<f32>
  %c = stablehlo.clamp %low, %r, %high : (tensor<f32>, tensor<64x96xf32>, tensor<f32>) -> tensor<64x96xf32>
  %o = stablehlo.convert %c : (tensor<64x96xf32>) -> tensor<64x96xFP8>
)";
}

// Returns attention whose argument %q has the heads of each token contiguously. Several query heads
// share a key head.
static std::string attention(bool isTransposed) {
  std::string text = R"(
func.func @main(%q: tensor<2x64x8x32xbf16>, %k: tensor<2x2x64x32xbf16>) -> tensor<2x2x64x4x64xf32> {
  %0 = stablehlo.reshape %q : (tensor<2x64x8x32xbf16>) -> tensor<2x64x2x4x32xbf16>
)";
  if (isTransposed) {
    return text + R"(
  %1 = stablehlo.transpose %0, dims = [0, 2, 1, 3, 4] : (tensor<2x64x2x4x32xbf16>) -> tensor<2x2x64x4x32xbf16>
  %2 = stablehlo.optimization_barrier %1 : tensor<2x2x64x4x32xbf16>
  %3 = stablehlo.dot_general %2, %k, batching_dims = [0, 1] x [0, 1], contracting_dims = [4] x [3] : (tensor<2x2x64x4x32xbf16>, tensor<2x2x64x32xbf16>) -> tensor<2x2x64x4x64xf32>
  return %3 : tensor<2x2x64x4x64xf32>
}
)";
  }
  return text + R"(
  %3 = stablehlo.dot_general %0, %k, batching_dims = [0, 2] x [0, 1], contracting_dims = [4] x [3] : (tensor<2x64x2x4x32xbf16>, tensor<2x2x64x32xbf16>) -> tensor<2x2x64x4x64xf32>
  return %3 : tensor<2x2x64x4x64xf32>
}
)";
}

static std::string transposedResult(const char *between) {
  std::string name = *between ? "%b" : "%s";
  return "func.func @main(%x: tensor<4x32x16xbf16>, %w: tensor<4x16x24xbf16>) -> "
         "tensor<32x24x4xbf16> {\n  %s = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], "
         "contracting_dims = [2] x [1] : (tensor<4x32x16xbf16>, tensor<4x16x24xbf16>) -> "
         "tensor<4x32x24xbf16>\n" +
         std::string(between) + "  %r = stablehlo.transpose " + name +
         ", dims = [1, 2, 0] : (tensor<4x32x24xbf16>) -> tensor<32x24x4xbf16>\n  return %r : "
         "tensor<32x24x4xbf16>\n}\n";
}

static std::vector<Remedy> remedies() {
  using enum LibraryLimit;
  const std::string toResult = "  %r = stablehlo.add %1, %y : tensor<64x96xf32>\n";
  const std::string first = R"(
  %0 = stablehlo.add %d, %y : tensor<64x96xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<64x96xf32>
  %r = stablehlo.maximum %0, %zero : tensor<64x96xf32>
)";
  const std::string sumOf = R"(
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %q = stablehlo.reduce(%FROM init: %init) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x96xf32>, tensor<f32>) -> tensor<f32>
)";
  auto sum = [&](const char *from) {
    std::string made = sumOf;
    return made.replace(made.find("FROM"), 4, from);
  };
  const std::string scale = R"(
  %2 = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f32>) -> tensor<64x96xf32>
)";
  const char *transposed = "  %0 = stablehlo.transpose %y, dims = [1, 0] : (tensor<96x64xf32>) -> "
                           "tensor<64x96xf32>\n";
  std::string reduceBehind = behindBarrier(sum("k").c_str());
  return {
      {Convolution, "sm_90", R"(
func.func @main(%x: tensor<1x8x8x16xf32>, %w: tensor<1x1x16x32xf32>) -> tensor<1x8x8x32xf32> {
  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x16xf32>, tensor<1x1x16x32xf32>) -> tensor<1x8x8x32xf32>
  return %r : tensor<1x8x8x32xf32>
})",
       R"(
func.func @main(%x: tensor<1x8x8x16xf32>, %w: tensor<16x32xf32>) -> tensor<1x8x8x32xf32> {
  %r = stablehlo.dot_general %x, %w, contracting_dims = [3] x [0] : (tensor<1x8x8x16xf32>, tensor<16x32xf32>) -> tensor<1x8x8x32xf32>
  return %r : tensor<1x8x8x32xf32>
})"},
      {OperandComputed, "sm_90", R"(
func.func @main(%x: tensor<64x128xbf16>, %w: tensor<128x96xbf16>) -> tensor<64x96xf32> {
  %0 = stablehlo.negate %x : tensor<64x128xbf16>
  %d = stablehlo.dot_general %0, %w, contracting_dims = [1] x [0] : (tensor<64x128xbf16>, tensor<128x96xbf16>) -> tensor<64x96xf32>
  return %d : tensor<64x96xf32>
})",
       R"(
func.func @main(%x: tensor<64x128xbf16>, %w: tensor<128x96xbf16>) -> tensor<64x96xf32> {
  %0 = stablehlo.negate %x : tensor<64x128xbf16>
  %1 = stablehlo.optimization_barrier %0 : tensor<64x128xbf16>
  %d = stablehlo.dot_general %1, %w, contracting_dims = [1] x [0] : (tensor<64x128xbf16>, tensor<128x96xbf16>) -> tensor<64x96xf32>
  return %d : tensor<64x96xf32>
})"},
      {Layout, "sm_90", attention(false), attention(true)},
      {ResultLayout, "sm_90", transposedResult(""),
       transposedResult("  %b = stablehlo.optimization_barrier %s : tensor<4x32x24xbf16>\n")},
      {ScaleShape, "sm_90", scaled("128x", "[1]"), scaled("64x", "[0]")},
      {EpilogueOrder, "sm_90",
       text("bf16", ", %y: tensor<64x96xf32>", (relu + toResult).c_str(), made),
       text("bf16", ", %y: tensor<64x96xf32>", first.c_str(), made)},
      {Pointwise, "sm_90",
       text("bf16", "", "  %r = stablehlo.cosine %d : tensor<64x96xf32>\n", made),
       text("bf16", "", behindBarrier("  %r = stablehlo.cosine %k : tensor<64x96xf32>\n").c_str(),
            made)},
      {BiasShape, "sm_90", withBias("[0]", "bf16", "64"), withBias("[1]", "bf16", "96")},
      {ResidualShape, "sm_90",
       text("bf16", ", %y: tensor<96x64xf32>",
            (std::string(transposed) + "  %r = stablehlo.add %d, %0 : tensor<64x96xf32>\n").c_str(),
            made),
       text("bf16", ", %y: tensor<96x64xf32>",
            (std::string(transposed) +
             "  %1 = stablehlo.optimization_barrier %0 : tensor<64x96xf32>\n"
             "  %r = stablehlo.add %d, %1 : tensor<64x96xf32>\n")
                .c_str(),
            made)},
      {Saturation, "sm_90",
       text("f8E4M3FN", "",
            "  %r = stablehlo.convert %d : (tensor<64x96xf32>) -> tensor<64x96xFP8>\n",
            "%r : tensor<64x96xFP8>"),
       text("f8E4M3FN", "", R"(
  %low = stablehlo.constant dense<-448.0> : tensor<f32>
  %high = stablehlo.constant dense<448.0> : tensor<f32>
  %c = stablehlo.clamp %low, %d, %high : (tensor<f32>, tensor<64x96xf32>, tensor<f32>) -> tensor<64x96xf32>
  %r = stablehlo.convert %c : (tensor<64x96xf32>) -> tensor<64x96xFP8>
)",
            "%r : tensor<64x96xFP8>")},
      {AmaxValue, "sm_90",
       text("f8E4M3FN", ", %y: tensor<f32>",
            (quantizedWithAmax((std::string(relu) + scale +
                                "  %r = stablehlo.multiply %1, %2 : tensor<64x96xf32>\n"
                                "  %v = stablehlo.convert %d : tensor<64x96xf32>\n")
                                   .c_str()))
                .c_str(),
            "%o, %q : tensor<64x96xFP8>, tensor<f32>"),
       text("f8E4M3FN", ", %y: tensor<f32>",
            (quantizedWithAmax((std::string(relu) + scale +
                                "  %r = stablehlo.multiply %1, %2 : tensor<64x96xf32>\n"
                                "  %v = stablehlo.convert %1 : tensor<64x96xf32>\n")
                                   .c_str()))
                .c_str(),
            "%o, %q : tensor<64x96xFP8>, tensor<f32>")},
      {Reduction, "sm_90",
       text("bf16", "", sum("d").c_str(), "%d, %q : tensor<64x96xf32>, tensor<f32>"),
       text("bf16", "", reduceBehind.c_str(), "%d, %q : tensor<64x96xf32>, tensor<f32>")},
      {ExtraResult, "sm_90",
       text("bf16", "", "  %q = stablehlo.convert %d : (tensor<64x96xf32>) -> tensor<64x96xbf16>\n",
            "%d, %q : tensor<64x96xf32>, tensor<64x96xbf16>"),
       text("bf16", "",
            behindBarrier(
                "  %q = stablehlo.convert %k : (tensor<64x96xf32>) -> tensor<64x96xbf16>\n")
                .c_str(),
            "%d, %q : tensor<64x96xf32>, tensor<64x96xbf16>")},
      {OperandType, "sm_90", ofTypes("f8E4M3FNUZ", "f8E4M3FNUZ", "f32"),
       ofTypes("f8E4M3FN", "f8E4M3FN", "f32")},
      {TypeCombination, "sm_90", ofTypes("f8E5M2", "f8E5M2", "f32"),
       ofTypes("f8E5M2", "f8E4M3FN", "f32")},
      {ResultType, "sm_90", ofTypes("bf16", "bf16", "f16"), ofTypes("bf16", "bf16", "bf16")},
      {BiasType, "sm_90", withBias("[1]", "f16", "96"), withBias("[1]", "bf16", "96")},
      {Alignment, "sm_90", ofTypes("f8E4M3FN", "f8E4M3FN", "f32", "120"),
       ofTypes("f8E4M3FN", "f8E4M3FN", "f32", "128")},
      {ScaleMode, "sm_89", scaled("64x", "[0]"), scaled("", "[]")},
      {Epilogue, "sm_90", text("bf16", "", silu, made),
       text("bf16", "", relu, "%1 : tensor<64x96xf32>")},
      {ResultScale, "sm_90",
       text("bf16", ", %y: tensor<f32>",
            (std::string(relu) + scale + "  %r = stablehlo.multiply %1, %2 : tensor<64x96xf32>\n")
                .c_str(),
            made),
       text("bf16", ", %y: tensor<f32>",
            (scale + "  %3 = stablehlo.multiply %d, %2 : tensor<64x96xf32>\n" +
             "  %zero = stablehlo.constant dense<0.0> : tensor<64x96xf32>\n"
             "  %r = stablehlo.maximum %3, %zero : tensor<64x96xf32>\n")
                .c_str(),
            made)},
      {AmaxType, "sm_90",
       text("f8E4M3FN", "",
            R"(
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %abs = stablehlo.abs %d : tensor<64x96xf32>
  %q = stablehlo.reduce(%abs init: %init) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<64x96xf32>, tensor<f32>) -> tensor<f32>
)",
            "%d, %q : tensor<64x96xf32>, tensor<f32>"),
       text("f8E4M3FN", "",
            quantizedWithAmax("  %v = stablehlo.convert %d : tensor<64x96xf32>\n  %r = "
                              "stablehlo.convert %d : tensor<64x96xf32>\n")
                .c_str(),
            "%o, %q : tensor<64x96xFP8>, tensor<f32>")},
  };
}

static LibraryKernel kernelOf(const std::string &text, const char *target) {
  TestProgram program(text);
  EXPECT_TRUE(program.module) << text;
  CompileOptions options;
  options.disabledPasses = {"split-product"};
  Result<std::vector<LibraryKernel>> kernels =
      libraryPlan(*program.module, *findGpuTarget(target), options);
  if (!kernels || kernels->size() != 1) {
    ADD_FAILURE() << (kernels ? "not one product" : kernels.error().str()) << "\n" << text;
    return {};
  }
  return kernels->front();
}

TEST(RemediesTest, EachGivesTheCall) {
  std::set<LibraryLimit> tried;
  for (const Remedy &each : remedies()) {
    SCOPED_TRACE(info(each.limit).name);
    LibraryKernel refused = kernelOf(each.refused, each.target);
    EXPECT_FALSE(refused.call) << each.refused;
    EXPECT_EQ(info(refused.own.limit).name, info(each.limit).name) << refused.own.detail << "\n"
                                                                   << each.refused;
    LibraryKernel called = kernelOf(each.called, each.target);
    EXPECT_TRUE(called.call) << info(called.own.limit).name << ": " << called.own.detail << "\n"
                             << each.called;
    tried.insert(each.limit);
  }
  // The remaining limits are tested on calls (LibraryCallTest.cpp), since layouts avoid them in
  // programs, or since they concern block scales. The remedy of `forced` is to drop an option;
  // test_layouts.py tests it.
  using enum LibraryLimit;
  for (LibraryLimit elsewhere :
       {Forced, Shape, OperandOrder, ScalePair, ScaleType, BatchScale, BlockSize, AuxType}) {
    tried.insert(elsewhere);
  }
  for (const LibraryLimitInfo &limit : libraryLimits()) {
    EXPECT_TRUE(tried.contains(limit.limit)) << limit.name;
    EXPECT_FALSE(limit.remedy.empty()) << limit.name;
  }
}

} // namespace drumlin
