// Programs whose costs on a tensor engine must be the same in all equivalent forms, and must count
// nothing twice.
#include "../TestProgram.h"

#include "drumlin/driver/EngineReport.h"

#include "gtest/gtest.h"

namespace drumlin {

static EngineCost costOf(std::string_view text, std::vector<std::string> staticArguments = {},
                         bool asWritten = false) {
  TestProgram program(text);
  EXPECT_TRUE(program.module) << text;
  CompileOptions options;
  options.staticArguments = std::move(staticArguments);
  EngineOptions engineOptions;
  engineOptions.asWritten = asWritten;
  Result<EnginePlan> plan =
      planOnEngine(*program.module, *findTensorEngine("inf2"), options, engineOptions);
  EXPECT_TRUE(plan) << text;
  return plan ? plan->cost : EngineCost();
}

static constexpr int64_t unit = 2 * 128 * 128;

// The FLOPs of transposing x [8, 256] and w [512, 256].
static constexpr int64_t turnOfX = unit * 8 * 2, turnOfW = unit * 512 * 2;

TEST(ReportedCosts, ConversionsAreReadThrough) {
  const char *turnedFirst = R"(
func.func @main(%x: tensor<8x256xbf16>, %w: tensor<512x256xf8E4M3FN>) -> tensor<8x512xbf16> {
  %0 = stablehlo.transpose %w, dims = [1, 0] : (tensor<512x256xf8E4M3FN>) -> tensor<256x512xf8E4M3FN>
  %1 = stablehlo.convert %0 : (tensor<256x512xf8E4M3FN>) -> tensor<256x512xbf16>
  %2 = stablehlo.dot_general %x, %1, contracting_dims = [1] x [0] : (tensor<8x256xbf16>, tensor<256x512xbf16>) -> tensor<8x512xbf16>
  return %2 : tensor<8x512xbf16>
})";
  const char *convertedOnly = R"(
func.func @main(%x: tensor<8x256xbf16>, %w: tensor<512x256xf8E4M3FN>) -> tensor<8x512xbf16> {
  %1 = stablehlo.convert %w : (tensor<512x256xf8E4M3FN>) -> tensor<512x256xbf16>
  %2 = stablehlo.dot_general %x, %1, contracting_dims = [1] x [1] : (tensor<8x256xbf16>, tensor<512x256xbf16>) -> tensor<8x512xbf16>
  return %2 : tensor<8x512xbf16>
})";
  for (const char *text : {turnedFirst, convertedOnly}) {
    EXPECT_EQ(costOf(text).transposeFlops, turnOfX + turnOfW);
    EngineCost fixed = costOf(text, {"1"});
    EXPECT_EQ(fixed.transposeFlops, turnOfX);
    EXPECT_EQ(fixed.operations.front().rhs.layout, OperandLayout::Static);
  }
}

// The static weight is transposed once, since the scale, which differs at every call, is applied
// after the transpose.
TEST(ReportedCosts, StaticWeightsAreScaled) {
  EngineCost cost = costOf(R"(
func.func @main(%x: tensor<8x256xbf16>, %w: tensor<512x256xbf16>, %s: tensor<512xbf16>) -> tensor<8x512xbf16> {
  %0 = stablehlo.transpose %w, dims = [1, 0] : (tensor<512x256xbf16>) -> tensor<256x512xbf16>
  %1 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<512xbf16>) -> tensor<256x512xbf16>
  %2 = stablehlo.multiply %0, %1 : tensor<256x512xbf16>
  %3 = stablehlo.dot_general %x, %2, contracting_dims = [1] x [0] : (tensor<8x256xbf16>, tensor<256x512xbf16>) -> tensor<8x512xbf16>
  return %3 : tensor<8x512xbf16>
})",
                           {"1"});
  EXPECT_EQ(cost.transposeFlops, turnOfX);
  ASSERT_EQ(cost.operations.front().rhs.layout, OperandLayout::Static);
  EXPECT_EQ(
      cost.operations.front().rhs.reason,
      "the right operand is computed from argument 1, which is static: it is transposed once, "
      "before the first call");
}

// Stacked layers are one static argument, which the loop only slices.
TEST(ReportedCosts, StaticWeightsAreScannedOver) {
  const char *text = R"(
func.func @main(%x: tensor<16x256xbf16>, %w: tensor<6x256x256xbf16>) -> tensor<16x256xbf16> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%ws = %w, %i = %zero, %a = %x) : tensor<6x256x256xbf16>, tensor<i32>, tensor<16x256xbf16>
  cond {
    %six = stablehlo.constant dense<6> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %six : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.dynamic_slice %ws, %i, %zero, %zero, sizes = [1, 256, 256] : (tensor<6x256x256xbf16>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x256x256xbf16>
    %2 = stablehlo.reshape %1 : (tensor<1x256x256xbf16>) -> tensor<256x256xbf16>
    %3 = stablehlo.dot_general %a, %2, contracting_dims = [1] x [1] : (tensor<16x256xbf16>, tensor<256x256xbf16>) -> tensor<16x256xbf16>
    %4 = stablehlo.tanh %3 : tensor<16x256xbf16>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %5 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %ws, %5, %4 : tensor<6x256x256xbf16>, tensor<i32>, tensor<16x256xbf16>
  }
  return %0#2 : tensor<16x256xbf16>
})";
  // In each of the six iterations, the dot reads the result of the previous iteration.
  EXPECT_EQ(costOf(text, {"1"}).operations.front().rhs.layout, OperandLayout::Static);
  EXPECT_EQ(costOf(text, {}).transposeFlops - costOf(text, {"1"}).transposeFlops,
            6 * unit * 256 * 2);
  EXPECT_LE(costOf(text, {"1"}).transposeFlops, 6 * unit * 16 * 2);
}

TEST(ReportedCosts, ReadersShareOneTranspose) {
  const char *text = R"(
func.func @main(%x: tensor<64x512xbf16>, %u: tensor<512x512xbf16>, %v: tensor<512x128xbf16>, %w: tensor<512x128xbf16>)
    -> (tensor<64x512xbf16>, tensor<64x128xbf16>, tensor<64x128xbf16>) {
  %0 = stablehlo.dot_general %x, %u, contracting_dims = [1] x [0] : (tensor<64x512xbf16>, tensor<512x512xbf16>) -> tensor<64x512xbf16>
  %1 = stablehlo.dot_general %x, %v, contracting_dims = [1] x [0] : (tensor<64x512xbf16>, tensor<512x128xbf16>) -> tensor<64x128xbf16>
  %2 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x512xbf16>, tensor<512x128xbf16>) -> tensor<64x128xbf16>
  return %0, %1, %2 : tensor<64x512xbf16>, tensor<64x128xbf16>, tensor<64x128xbf16>
})";
  EngineCost cost = costOf(text);
  EXPECT_EQ(cost.transposeFlops, unit * 64 * 4);
  ASSERT_EQ(cost.operations.size(), 3U);
  EXPECT_EQ(cost.operations[0].lhs.layout, OperandLayout::Transposed);
  EXPECT_EQ(cost.operations[1].lhs.layout, OperandLayout::Shared);
  EXPECT_EQ(cost.operations[2].lhs.layout, OperandLayout::Shared);
  EXPECT_EQ(costOf(text, {}, true).transposeFlops, 3 * unit * 64 * 4);
}

TEST(ReportedCosts, ReturnedTransposesArePaidOnce) {
  const char *text = R"(
func.func @main(%x: tensor<8x256xbf16>, %w: tensor<512x256xbf16>) -> (tensor<8x512xbf16>, tensor<256x512xbf16>) {
  %0 = stablehlo.transpose %w, dims = [1, 0] : (tensor<512x256xbf16>) -> tensor<256x512xbf16>
  %1 = stablehlo.dot_general %x, %0, contracting_dims = [1] x [0] : (tensor<8x256xbf16>, tensor<256x512xbf16>) -> tensor<8x512xbf16>
  return %1, %0 : tensor<8x512xbf16>, tensor<256x512xbf16>
})";
  EXPECT_EQ(costOf(text).transposeFlops, turnOfX + turnOfW);
  EXPECT_EQ(costOf(text).operations.size(), 1U);
}

TEST(ReportedCosts, InnermostBatchesLieAcross) {
  const char *text = R"(
func.func @main(%x: tensor<8x256x4xbf16>, %w: tensor<256x512x4xbf16>) -> tensor<4x8x512xbf16> {
  %0 = stablehlo.dot_general %x, %w, batching_dims = [2] x [2], contracting_dims = [1] x [0] : (tensor<8x256x4xbf16>, tensor<256x512x4xbf16>) -> tensor<4x8x512xbf16>
  return %0 : tensor<4x8x512xbf16>
})";
  int64_t both = 4 * unit * (8 * 2 + 512 * 2);
  EXPECT_EQ(costOf(text).transposeFlops, both);
  EXPECT_EQ(costOf(text, {}, true).transposeFlops, both);
  EXPECT_NE(costOf(text).operations.front().rhs.reason.find("rows run along a batch dimension"),
            std::string::npos);
}

// An argument that the caller passes in the order that the engine needs isn't transposed.
TEST(ReportedCosts, LayoutModesAreHeard) {
  auto text = [](const char *mode, const char *result) {
    return "func.func @main(%x: tensor<64x256xbf16> {mhlo.layout_mode = \"" + std::string(mode) +
           R"("}, %w: tensor<256x128xbf16>) -> (tensor<64x128xbf16> {mhlo.layout_mode = ")" +
           result + R"("}) {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x256xbf16>, tensor<256x128xbf16>) -> tensor<64x128xbf16>
  return %0 : tensor<64x128xbf16>
})";
  };
  for (bool asWritten : {false, true}) {
    EXPECT_EQ(costOf(text("default", "default"), {}, asWritten).transposeFlops, unit * 64 * 2);
    EXPECT_EQ(costOf(text("{0,1}", "default"), {}, asWritten).transposeFlops, 0);
  }
  EXPECT_EQ(costOf(text("auto", "default")).transposeFlops, 0);
  // The caller requests a layout of the result, too.
  EXPECT_EQ(costOf(text("{0,1}", "{0,1}")).transposeFlops, 0);
  EXPECT_EQ(costOf(text("{0,1}", "{0,1}"), {}, true).transposeFlops, unit * 64);
}

} // namespace drumlin
