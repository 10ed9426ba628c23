// Compares split kernels with the interpreter: operations around a dot become separate kernels if
// the library can't compute them as part of the call. The tests use programs with one such
// operation each, layers from Flax, and scaled dots written in different ways.
#include "../TestProgram.h"
#include "../scaled_dot/Spelling.h"
#include "CallEmulator.h"
#include "ProductProgram.h"

#include "drumlin/driver/LibraryReport.h"
#include "drumlin/target/LibraryTable.h"

#include <gtest/gtest.h>

namespace drumlin {

static constexpr const char *quantized = R"(
  %big = stablehlo.constant dense<448.0> : tensor<f32>
  %small = stablehlo.constant dense<-448.0> : tensor<f32>
)";

static std::string quantizeBoth(const char *steps) {
  std::string text = quantized;
  for (const auto &[from, to, shape] : {std::tuple("%x", "%a", "64x128"), {"%w", "%b", "128x96"}}) {
    std::string one = steps;
    for (auto [mark, by] : {std::pair("FROM", from), {"TO", to}, {"SHAPE", shape}}) {
      for (size_t at; (at = one.find(mark)) != std::string::npos;) {
        one.replace(at, std::strlen(mark), by);
      }
    }
    text += one;
  }
  return text;
}

static constexpr const char *clipped = R"(
  TO0 = stablehlo.broadcast_in_dim %small, dims = [] : (tensor<f32>) -> tensor<SHAPExf32>
  TO1 = stablehlo.broadcast_in_dim %big, dims = [] : (tensor<f32>) -> tensor<SHAPExf32>
  TO2 = stablehlo.maximum TO0, FROM : tensor<SHAPExf32>
  TO3 = stablehlo.minimum TO1, TO2 : tensor<SHAPExf32>
  TO = stablehlo.convert TO3 : (tensor<SHAPExf32>) -> tensor<SHAPExFP8>
)";
static constexpr const char *clamped = R"(
  TO0 = stablehlo.clamp %small, FROM, %big : (tensor<f32>, tensor<SHAPExf32>, tensor<f32>) -> tensor<SHAPExf32>
  TO = stablehlo.convert TO0 : (tensor<SHAPExf32>) -> tensor<SHAPExFP8>
)";
static constexpr const char *scaledAndClamped = R"(
  TO0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<SHAPExf32>
  TO1 = stablehlo.divide FROM, TO0 : tensor<SHAPExf32>
  TO2 = stablehlo.clamp %small, TO1, %big : (tensor<f32>, tensor<SHAPExf32>, tensor<f32>) -> tensor<SHAPExf32>
  TO = stablehlo.convert TO2 : (tensor<SHAPExf32>) -> tensor<SHAPExFP8>
)";
static constexpr const char *clampedAndScaled = R"(
  TO0 = stablehlo.clamp %small, FROM, %big : (tensor<f32>, tensor<SHAPExf32>, tensor<f32>) -> tensor<SHAPExf32>
  TO1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<SHAPExf32>
  TO2 = stablehlo.multiply TO0, TO1 : tensor<SHAPExf32>
  TO = stablehlo.convert TO2 : (tensor<SHAPExf32>) -> tensor<SHAPExFP8>
)";

static constexpr const char *scaledByItsLargest = R"(
  TO0 = stablehlo.constant dense<1.0> : tensor<f32>
  TO1 = stablehlo.abs FROM : tensor<SHAPExf32>
  TO2 = stablehlo.reduce(TO1 init: TO0) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<SHAPExf32>, tensor<f32>) -> tensor<f32>
  TO3 = stablehlo.broadcast_in_dim TO2, dims = [] : (tensor<f32>) -> tensor<SHAPExf32>
  TO4 = stablehlo.divide FROM, TO3 : tensor<SHAPExf32>
  TO5 = stablehlo.clamp %small, TO4, %big : (tensor<f32>, tensor<SHAPExf32>, tensor<f32>) -> tensor<SHAPExf32>
  TO = stablehlo.convert TO5 : (tensor<SHAPExf32>) -> tensor<SHAPExFP8>
)";

static const std::vector<ProductProgram> &cases() {
  static const std::string clips = quantizeBoth(clipped), clamps = quantizeBoth(clamped),
                           divides = quantizeBoth(scaledAndClamped),
                           multiplies = quantizeBoth(clampedAndScaled),
                           largest = quantizeBoth(scaledByItsLargest);
  static constexpr const char *sum = "%d : tensor<64x96xf32>", *r = "%r : tensor<64x96xf32>";
  static const std::vector<ProductProgram> all = {
      {"Clipped", "", clips.c_str(), "", sum},
      {"Clamped", "", clamps.c_str(), "", sum},
      {"ScaledAndClamped", ", %s: tensor<f32>", divides.c_str(), "", sum},
      {"ClampedAndScaled", ", %s: tensor<f32>", multiplies.c_str(), "", sum},
      // An operand scaled by a value that depends on the whole operand.
      {"ScaledByItsLargest", "", largest.c_str(), "", sum, false},
      {"RowsScaledBehind", ", %s: tensor<64xf32>", "", R"(
  %0 = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x96xf32>
  %r = stablehlo.multiply %d, %0 : tensor<64x96xf32>
)",
       r},
      {"RowsAndColumnsScaledBehind", ", %s: tensor<64xf32>, %t: tensor<96xf32>", "", R"(
  %0 = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<64xf32>) -> tensor<64x96xf32>
  %1 = stablehlo.multiply %d, %0 : tensor<64x96xf32>
  %2 = stablehlo.broadcast_in_dim %t, dims = [1] : (tensor<96xf32>) -> tensor<64x96xf32>
  %r = stablehlo.multiply %1, %2 : tensor<64x96xf32>
)",
       r},
      {"ElementsScaledBehind", ", %s: tensor<64x96xf32>", "",
       "  %r = stablehlo.multiply %d, %s : tensor<64x96xf32>\n", r},
      {"Dropout", ", %m: tensor<64x96xi1>", "", R"(
  %0 = stablehlo.convert %m : (tensor<64x96xi1>) -> tensor<64x96xf32>
  %r = stablehlo.multiply %d, %0 : tensor<64x96xf32>
)",
       r},
      {"Masked", ", %m: tensor<64x96xi1>", "", R"(
  %0 = stablehlo.constant dense<-1.0e30> : tensor<64x96xf32>
  %r = stablehlo.select %m, %d, %0 : tensor<64x96xi1>, tensor<64x96xf32>
)",
       r},
      {"ReluSquared", "", "", R"(
  %0 = stablehlo.constant dense<0.0> : tensor<64x96xf32>
  %1 = stablehlo.maximum %d, %0 : tensor<64x96xf32>
  %r = stablehlo.multiply %1, %1 : tensor<64x96xf32>
)",
       r},
      {"GeluErf", "", "", R"(
  %0 = stablehlo.constant dense<0.707106769> : tensor<64x96xf32>
  %1 = stablehlo.multiply %d, %0 : tensor<64x96xf32>
  %2 = chlo.erf %1 : tensor<64x96xf32> -> tensor<64x96xf32>
  %3 = stablehlo.constant dense<1.0> : tensor<64x96xf32>
  %4 = stablehlo.add %2, %3 : tensor<64x96xf32>
  %5 = stablehlo.constant dense<0.5> : tensor<64x96xf32>
  %6 = stablehlo.multiply %d, %5 : tensor<64x96xf32>
  %r = stablehlo.multiply %6, %4 : tensor<64x96xf32>
)",
       r, false},
      {"Gate", ", %g: tensor<64x96xf32>", "", R"(
  %0 = stablehlo.constant dense<0.0> : tensor<64x96xf32>
  %1 = stablehlo.maximum %d, %0 : tensor<64x96xf32>
  %r = stablehlo.multiply %1, %g : tensor<64x96xf32>
)",
       r},
      {"NarrowWithoutBounds", "", "", R"(
  %r = stablehlo.convert %d : (tensor<64x96xf32>) -> tensor<64x96xFP8>
)",
       "%r : tensor<64x96xFP8>"},
      {"ClampedFromBelow", "", "", R"(
  %0 = stablehlo.constant dense<1.5> : tensor<64x96xf32>
  %r = stablehlo.maximum %d, %0 : tensor<64x96xf32>
)",
       r},
      {"ClampedFromZero", "", "", R"(
  %low = stablehlo.constant dense<0.0> : tensor<f32>
  %high = stablehlo.constant dense<224.0> : tensor<f32>
  %0 = stablehlo.clamp %low, %d, %high : (tensor<f32>, tensor<64x96xf32>, tensor<f32>) -> tensor<64x96xf32>
  %r = stablehlo.convert %0 : (tensor<64x96xf32>) -> tensor<64x96xFP8>
)",
       "%r : tensor<64x96xFP8>"},
      {"SumsBeside", "", "", R"(
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%d init: %0) applies stablehlo.add across dimensions = [1] : (tensor<64x96xf32>, tensor<f32>) -> tensor<64xf32>
)",
       "%d, %r : tensor<64x96xf32>, tensor<64xf32>"},
      {"LargestOfAnEarlierValue", "", "", R"(
  %0 = stablehlo.constant dense<0.0> : tensor<f32>
  %1 = stablehlo.abs %d : tensor<64x96xf32>
  %2 = stablehlo.reduce(%1 init: %0) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<64x96xf32>, tensor<f32>) -> tensor<f32>
  %3 = stablehlo.constant dense<0.0> : tensor<64x96xf32>
  %r = stablehlo.maximum %d, %3 : tensor<64x96xf32>
)",
       "%r, %2 : tensor<64x96xf32>, tensor<f32>"},
      {"ResidualTransposed", ", %c: tensor<96x64xf32>", "", R"(
  %0 = stablehlo.transpose %c, dims = [1, 0] : (tensor<96x64xf32>) -> tensor<64x96xf32>
  %r = stablehlo.add %d, %0 : tensor<64x96xf32>
)",
       r},
      {"BiasOfRows", ", %c: tensor<64xf32>", "", R"(
  %0 = stablehlo.broadcast_in_dim %c, dims = [0] : (tensor<64xf32>) -> tensor<64x96xf32>
  %r = stablehlo.add %d, %0 : tensor<64x96xf32>
)",
       r},
      {"ResidualScaled", ", %c: tensor<64x96xf32>", "", R"(
  %0 = stablehlo.constant dense<0.5> : tensor<64x96xf32>
  %1 = stablehlo.multiply %c, %0 : tensor<64x96xf32>
  %r = stablehlo.add %d, %1 : tensor<64x96xf32>
)",
       r},
      {"ResidualScaledByAnArgument", ", %c: tensor<64x96xf32>, %s: tensor<f32>", "", R"(
  %0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<64x96xf32>
  %1 = stablehlo.multiply %0, %c : tensor<64x96xf32>
  %r = stablehlo.subtract %d, %1 : tensor<64x96xf32>
)",
       r},
      {"SumScaled", ", %c: tensor<64x96xf32>, %s: tensor<f32>", "", R"(
  %0 = stablehlo.add %d, %c : tensor<64x96xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<64x96xf32>
  %r = stablehlo.multiply %0, %1 : tensor<64x96xf32>
)",
       r},
      {"ScaledBeforeAndBehindTheSum", ", %c: tensor<64x96xf32>, %s: tensor<f32>", "", R"(
  %0 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<64x96xf32>
  %1 = stablehlo.multiply %d, %0 : tensor<64x96xf32>
  %2 = stablehlo.constant dense<-2.0> : tensor<64x96xf32>
  %3 = stablehlo.multiply %c, %2 : tensor<64x96xf32>
  %4 = stablehlo.add %1, %3 : tensor<64x96xf32>
  %r = stablehlo.multiply %4, %0 : tensor<64x96xf32>
)",
       r},
  };
  return all;
}

static std::string fp8Of(const GpuTarget &target) {
  return target.name == "gfx942" ? "f8E4M3FNUZ" : "f8E4M3FN";
}

TEST(SplitProductsTest, WhatALibraryLacksNeverCostsTheCall) {
  for (const ProductProgram &each : cases()) {
    SCOPED_TRACE(each.name);
    for (const GpuTarget &target : gpuTargets()) {
      SCOPED_TRACE(target.name);
      std::string text = textOf(each, fp8Of(target));
      PlannedProgram planned(text, target);
      EXPECT_EQ(planned.reasons(), "") << text;
      // The call's operands are narrow, like the program's.
      for (const LibraryKernel &kernel : planned.kernels) {
        EXPECT_TRUE(kernel.call && isNarrow(kernel.call->a.type) && isNarrow(kernel.call->b.type));
      }
      EXPECT_TRUE(holdsToTheProgram(planned.program, target, text,
                                    {each.isExact ? 0 : 1e-4, /*withIntegers=*/true}));
    }
  }
}

// Both operands of a dot come from one value. If they need the same layout, one kernel makes both.
TEST(SplitProductsTest, OneValueOnBothSides) {
  const std::string text = R"(
func.func @main(%x: tensor<64x128xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = stablehlo.negate %x : tensor<64x128xf32>
  %1 = stablehlo.convert %0 : (tensor<64x128xf32>) -> tensor<64x128xbf16>
  %2 = stablehlo.dot_general %1, %1, contracting_dims = [1] x [1] : (tensor<64x128xbf16>, tensor<64x128xbf16>) -> tensor<64x64xf32>
  %3 = stablehlo.cosine %2 : tensor<64x64xf32>
  %4 = stablehlo.convert %0 : (tensor<64x128xf32>) -> tensor<64x128xf16>
  %5 = stablehlo.convert %4 : (tensor<64x128xf16>) -> tensor<64x128xf32>
  %6 = stablehlo.dot_general %5, %5, contracting_dims = [1] x [1] : (tensor<64x128xf32>, tensor<64x128xf32>) -> tensor<64x64xf32>
  return %3, %6 : tensor<64x64xf32>, tensor<64x64xf32>
})";
  for (const GpuTarget &target : gpuTargets()) {
    SCOPED_TRACE(target.name);
    PlannedProgram planned(text, target);
    EXPECT_EQ(planned.reasons(), "");
    EXPECT_TRUE(holdsToTheProgram(planned.program, target, text, {1e-5, /*withIntegers=*/true}));
  }
}

// On a target that supports a layer's types, the layer's dots are calls. On other targets, the
// types rule out calls, unless the program itself multiplies wider types.
TEST(SplitProductsTest, FlaxsLayersAreCalls) {
  std::map<std::string, std::string> programs = programsIn(DRUMLIN_FLAX_FP8);
  for (const auto &[name, text] : programs) {
    SCOPED_TRACE(name);
    for (const GpuTarget &target : gpuTargets()) {
      SCOPED_TRACE(target.name);
      PlannedProgram planned(text, target);
      EXPECT_EQ(planned.kernels.size(), name.ends_with("gradient") ? 2u : 1u);
      bool isFnuz = name.starts_with("nanoo"), isOfTarget = isFnuz == (target.name == "gfx942");
      bool multipliesWide = name.starts_with("nanoo") || name.starts_with("qdq");
      for (const LibraryKernel &kernel : planned.kernels) {
        EXPECT_EQ(bool(kernel.call), isOfTarget || multipliesWide) << planned.reasons();
        if (!kernel.call) {
          EXPECT_EQ(info(kernel.own.limit).name, "operand-type");
          continue;
        }
        EXPECT_EQ(isNarrow(kernel.call->a.type), isOfTarget);
        EXPECT_EQ(isNarrow(kernel.call->b.type), isOfTarget);
      }
      if (target.name == "sm_90" || target.name == "gfx942") {
        EXPECT_TRUE(holdsToTheProgram(planned.program, target, text, {2e-2}) || !isOfTarget);
      }
    }
  }
  EXPECT_EQ(programs.size(), 12u);
}

// Returns whether a limit concerns the operands that libraries multiply. Computing other operations
// in separate kernels doesn't avoid such a limit; multiplying wider types may.
static bool isOfTypes(LibraryLimit limit) {
  using enum LibraryLimit;
  return limit == OperandType || limit == TypeCombination || limit == Alignment || limit == Shape ||
         limit == ScaleMode || limit == ScalePair || limit == ScaleType || limit == BlockSize ||
         limit == BatchScale;
}

// One instance per target, so that slow tests can be distributed.
class SplitSpellingsTest : public testing::TestWithParam<std::string_view> {};

TEST_P(SplitSpellingsTest, AreCallsWhereTheirTypesAre) {
  const GpuTarget &target = *findGpuTarget(GetParam());
  int calls = 0, computed = 0;
  std::map<std::string, int> reasons;
  for (const Spelling &spelling : coveringSpellings(400, 1)) {
    SCOPED_TRACE(spelling.name());
    std::string text = programOf(spelling);
    PlannedProgram planned(text, target);
    ASSERT_EQ(planned.kernels.size(), 1u);
    const LibraryKernel &kernel = planned.kernels.front();
    if (!kernel.call) {
      ++reasons[std::string(info(kernel.own.limit).name)];
      EXPECT_TRUE(isOfTypes(kernel.own.limit)) << planned.reasons() << "\n" << text;
      continue;
    }
    ++calls;
    computed += holdsToTheProgram(planned.program, target, text, {2e-2});
  }
  for (const auto &[reason, count] : reasons) {
    RecordProperty("reason_" + reason, count);
  }
  RecordProperty("calls", calls);
  EXPECT_GT(calls, 200);
  EXPECT_GT(computed, 150);
}

static std::vector<std::string_view> namesOfGpus() {
  std::vector<std::string_view> names;
  for (const GpuTarget &target : gpuTargets()) {
    names.push_back(target.name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Slow, SplitSpellingsTest, testing::ValuesIn(namesOfGpus()),
                         [](const auto &info) { return std::string(info.param); });

} // namespace drumlin
