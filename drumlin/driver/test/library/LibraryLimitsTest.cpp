// Tests a program for each limit of the libraries.
#include "LayerProgram.h"

#include "drumlin/target/LibraryCall.h"

#include <set>

namespace drumlin {

// A program, and the limit that keeps it from being a call.
struct LimitCase {
  LibraryLimit limit;
  const char *target;
  std::string text;
};

static std::vector<LimitCase> limitCases() {
  const std::string keep = "%r = stablehlo.negate %s : tensor<64x128xf32>\n";
  Layer computed, column;
  computed.front = front("%a = stablehlo.negate %x0 : tensor<64x256xf32>\n");
  column.arguments = ", %c: tensor<256xf32>";
  column.front = front(
      R"(%c0 = stablehlo.broadcast_in_dim %c, dims = [1] : (tensor<256xf32>) -> tensor<64x256xf32>
  %a = stablehlo.multiply %x0, %c0 : tensor<64x256xf32>
)");
  const std::string amaxOf = R"(
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %abs = stablehlo.abs %v : tensor<64x128xf32>
  %q = stablehlo.reduce(%abs init: %init) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<f32>
)";
  const std::string scale = R"(
  %0 = stablehlo.broadcast_in_dim %y, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
  %r = stablehlo.multiply %s, %0 : tensor<64x128xf32>
)";
  const std::string sum = R"(
  %init = stablehlo.constant dense<0.0> : tensor<f32>
  %q = stablehlo.reduce(%s init: %init) applies stablehlo.add across dimensions = [0, 1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<f32>
  %r = stablehlo.convert %s : tensor<64x128xf32>
)";
  const std::string relu = R"(
  %zero = stablehlo.constant dense<0.0> : tensor<64x128xf32>
  %1 = stablehlo.maximum %s, %zero : tensor<64x128xf32>
)";
  return {
      {LibraryLimit::Convolution, "sm_90", R"(
func.func @main(%x: tensor<1x8x8x16xf32>, %w: tensor<3x3x16x32xf32>) -> tensor<1x6x6x32xf32> {
  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x16xf32>, tensor<3x3x16x32xf32>) -> tensor<1x6x6x32xf32>
  return %r : tensor<1x6x6x32xf32>
})"},
      {LibraryLimit::OperandComputed, "sm_90", computed.text()},
      {LibraryLimit::Layout, "sm_90", R"(
func.func @main(%x: tensor<4x64x8x16xbf16>, %w: tensor<128x4x32x16xbf16>) -> tensor<64x128xbf16> {
  %a = stablehlo.slice %w [0:128, 0:4, 0:8, 0:16] : (tensor<128x4x32x16xbf16>) -> tensor<128x4x8x16xbf16>
  %r = stablehlo.dot_general %x, %a, contracting_dims = [0, 2, 3] x [1, 2, 3] : (tensor<4x64x8x16xbf16>, tensor<128x4x8x16xbf16>) -> tensor<64x128xbf16>
  return %r : tensor<64x128xbf16>
})"},
      {LibraryLimit::ResultLayout, "sm_90", R"(
func.func @main(%x: tensor<4x32x16xbf16>, %w: tensor<4x16x24xbf16>) -> tensor<32x24x4xbf16> {
  %s = stablehlo.dot_general %x, %w, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<4x32x16xbf16>, tensor<4x16x24xbf16>) -> tensor<4x32x24xbf16>
  %r = stablehlo.transpose %s, dims = [1, 2, 0] : (tensor<4x32x24xbf16>) -> tensor<32x24x4xbf16>
  return %r : tensor<32x24x4xbf16>
})"},
      {LibraryLimit::ScaleShape, "sm_90", column.text()},
      {LibraryLimit::EpilogueOrder, "sm_90",
       behind(relu + "%r = stablehlo.add %1, %y : tensor<64x128xf32>\n",
              ", %y: tensor<64x128xf32>")},
      {LibraryLimit::Pointwise, "sm_90", behind(keep)},
      {LibraryLimit::BiasShape, "sm_90",
       behind(R"(
  %0 = stablehlo.broadcast_in_dim %bias, dims = [0] : (tensor<64xf32>) -> tensor<64x128xf32>
  %r = stablehlo.add %s, %0 : tensor<64x128xf32>
)",
              ", %bias: tensor<64xf32>")},
      {LibraryLimit::ResidualShape, "sm_90",
       behind(R"(
  %0 = stablehlo.transpose %y, dims = [1, 0] : (tensor<128x64xf32>) -> tensor<64x128xf32>
  %r = stablehlo.add %s, %0 : tensor<64x128xf32>
)",
              ", %y: tensor<128x64xf32>")},
      {LibraryLimit::Saturation, "sm_90",
       behind("%r = stablehlo.convert %s : (tensor<64x128xf32>) -> tensor<64x128xf8E4M3FN>\n", "",
              "f8E4M3FN")},
      {LibraryLimit::AmaxValue, "sm_90",
       twoResults(scale + "%v = stablehlo.convert %s : tensor<64x128xf32>\n" + amaxOf,
                  "tensor<f32>")},
      {LibraryLimit::Reduction, "sm_90", twoResults(sum, "tensor<f32>")},
      {LibraryLimit::ExtraResult, "sm_90",
       twoResults(R"(%r = stablehlo.convert %s : tensor<64x128xf32>
  %q = stablehlo.convert %s : (tensor<64x128xf32>) -> tensor<64x128xbf16>
)",
                  "tensor<64x128xbf16>")},
  };
}

// Steps that resemble a library's steps but compute something else: they read a different value,
// have a different initial value, or convert with a loss of precision.
TEST(LibraryLimitsTest, EachThingThatLibrariesDontDo) {
  std::set<LibraryLimit> seen;
  for (const LimitCase &each : limitCases()) {
    SCOPED_TRACE(info(each.limit).name);
    LibraryKernel kernel = planned(each.text, each.target);
    EXPECT_FALSE(kernel.call) << each.text;
    EXPECT_EQ(info(kernel.own.limit).name, info(each.limit).name) << kernel.own.detail << "\n"
                                                                  << each.text;
    seen.insert(each.limit);
  }
  TestProgram forced(limitCases().front().text);
  CompileOptions options;
  options.forcedKernels = {"*=own"};
  auto kernels = libraryPlan(*forced.module, *findGpuTarget("sm_90"), options);
  if (kernels && kernels->size() == 1) {
    seen.insert(kernels->front().own.limit);
  }
  // The remaining limits result from the tables' rows; drumlin/target/test/LibraryCallTest.cpp
  // tests them.
  for (const LibraryLimitInfo &limit : libraryLimits()) {
    if (limit.limit < LibraryLimit::OperandType) {
      EXPECT_TRUE(seen.contains(limit.limit)) << limit.name << " has no program";
    }
  }
}

} // namespace drumlin
