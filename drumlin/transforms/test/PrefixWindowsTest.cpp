// Tests that cumulative windows become prefix scans for all kinds of data movement before them.
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/transforms/simplify/Passes.h"
#include "drumlin/transforms/test/ExpectSame.h"

#include <sstream>

using namespace drumlin;

namespace {
// Data movement from %x, a tensor<6x8xf32>, to %p, and windows along one dimension of %p. The
// windows are so long that all begin before the elements.
struct Movement {
  const char *name, *text;
  Shape shape; // of %p
  int64_t window;
  std::pair<int64_t, int64_t> padding = {0, 0};
};
} // namespace

static const std::vector<Movement> movements = {
    {"pad",
     "%p = stablehlo.pad %x, %z, low = [0, 7], high = [0, 0], interior = [0, 0] : "
     "(tensor<6x8xf32>, tensor<f32>) -> tensor<6x15xf32>",
     {6, 15},
     8},
    {"pad behind",
     "%p = stablehlo.pad %x, %z, low = [0, 0], high = [0, 7], interior = [0, 0] : "
     "(tensor<6x8xf32>, tensor<f32>) -> tensor<6x15xf32>",
     {6, 15},
     8},
    {"pad both",
     "%p = stablehlo.pad %x, %z, low = [0, 9], high = [0, 2], interior = [0, 0] : "
     "(tensor<6x8xf32>, tensor<f32>) -> tensor<6x19xf32>",
     {6, 19},
     10},
    {"pad of pad",
     "%q = stablehlo.pad %x, %z, low = [0, 3], high = [0, 0], interior = [0, 0] : "
     "(tensor<6x8xf32>, tensor<f32>) -> tensor<6x11xf32>\n"
     "  %p = stablehlo.pad %q, %z, low = [0, 4], high = [0, 0], interior = [0, 0] : "
     "(tensor<6x11xf32>, tensor<f32>) -> tensor<6x15xf32>",
     {6, 15},
     8},
    {"interior",
     "%p = stablehlo.pad %x, %z, low = [0, 15], high = [0, 0], interior = [0, 1] : "
     "(tensor<6x8xf32>, tensor<f32>) -> tensor<6x30xf32>",
     {6, 30},
     16},
    {"other dimension",
     "%p = stablehlo.pad %x, %z, low = [2, 7], high = [1, 0], interior = [0, 0] : "
     "(tensor<6x8xf32>, tensor<f32>) -> tensor<9x15xf32>",
     {9, 15},
     8},
    {"slice",
     "%q = stablehlo.pad %x, %z, low = [0, 10], high = [0, 0], interior = [0, 0] : "
     "(tensor<6x8xf32>, tensor<f32>) -> tensor<6x18xf32>\n"
     "  %p = stablehlo.slice %q [0:6, 4:17] : (tensor<6x18xf32>) -> tensor<6x13xf32>",
     {6, 13},
     7},
    {"strided slice",
     "%q = stablehlo.pad %x, %z, low = [0, 8], high = [0, 0], interior = [0, 0] : "
     "(tensor<6x8xf32>, tensor<f32>) -> tensor<6x16xf32>\n"
     "  %p = stablehlo.slice %q [0:6, 1:16:2] : (tensor<6x16xf32>) -> tensor<6x8xf32>",
     {6, 8},
     5},
    {"reverse",
     "%q = stablehlo.pad %x, %z, low = [0, 0], high = [0, 7], interior = [0, 0] : "
     "(tensor<6x8xf32>, tensor<f32>) -> tensor<6x15xf32>\n"
     "  %p = stablehlo.reverse %q, dims = [1] : tensor<6x15xf32>",
     {6, 15},
     8},
    {"reverse rows",
     "%q = stablehlo.pad %x, %z, low = [0, 7], high = [0, 0], interior = [0, 0] : "
     "(tensor<6x8xf32>, tensor<f32>) -> tensor<6x15xf32>\n"
     "  %p = stablehlo.reverse %q, dims = [0] : tensor<6x15xf32>",
     {6, 15},
     8},
    {"transpose",
     "%q = stablehlo.pad %x, %z, low = [5, 0], high = [0, 0], interior = [0, 0] : "
     "(tensor<6x8xf32>, tensor<f32>) -> tensor<11x8xf32>\n"
     "  %p = stablehlo.transpose %q, dims = [1, 0] : (tensor<11x8xf32>) -> tensor<8x11xf32>",
     {8, 11},
     6},
    {"broadcast",
     "%s = stablehlo.slice %x [0:1, 0:8] : (tensor<6x8xf32>) -> tensor<1x8xf32>\n"
     "  %q = stablehlo.pad %s, %z, low = [0, 7], high = [0, 0], interior = [0, 0] : "
     "(tensor<1x8xf32>, tensor<f32>) -> tensor<1x15xf32>\n"
     "  %p = stablehlo.broadcast_in_dim %q, dims = [0, 1] : (tensor<1x15xf32>) -> tensor<4x15xf32>",
     {4, 15},
     8},
    {"reshape",
     "%q = stablehlo.pad %x, %z, low = [0, 7], high = [0, 0], interior = [0, 0] : "
     "(tensor<6x8xf32>, tensor<f32>) -> tensor<6x15xf32>\n"
     "  %p = stablehlo.reshape %q : (tensor<6x15xf32>) -> tensor<6x15x1xf32>",
     {6, 15, 1},
     8},
    {"concatenate",
     "%q = stablehlo.constant dense<0.0> : tensor<6x7xf32>\n"
     "  %p = stablehlo.concatenate %q, %x, dim = 1 : (tensor<6x7xf32>, tensor<6x8xf32>) -> "
     "tensor<6x15xf32>",
     {6, 15},
     8},
    {"broadcast zeros",
     "%q = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<6x7xf32>\n"
     "  %p = stablehlo.concatenate %x, %q, dim = 1 : (tensor<6x8xf32>, tensor<6x7xf32>) -> "
     "tensor<6x15xf32>",
     {6, 15},
     8},
    {"some padding by the window",
     "%p = stablehlo.pad %x, %z, low = [0, 4], high = [0, 0], interior = [0, 0] : "
     "(tensor<6x8xf32>, tensor<f32>) -> tensor<6x12xf32>",
     {6, 12},
     8,
     {3, 0}},
    {"windows longer than the line",
     "%p = stablehlo.reshape %x : (tensor<6x8xf32>) -> tensor<6x8xf32>",
     {6, 8},
     12,
     {11, 2}},
    {"windows that all have an element",
     "%p = stablehlo.reshape %x : (tensor<6x8xf32>) -> tensor<6x8xf32>",
     {6, 8},
     11,
     {8, 0}},
};

static std::string typeOf(const Shape &shape) {
  std::string text = "tensor<";
  for (int64_t size : shape) {
    text += std::to_string(size) + "x";
  }
  return text + "f32>";
}

static std::string programOf(const Movement &movement, const std::string &body) {
  Shape result = movement.shape;
  result[1] += movement.padding.first + movement.padding.second - movement.window + 1;
  std::ostringstream out;
  out << "func.func @main(%x: tensor<6x8xf32>) -> " << typeOf(result)
      << " {\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n  " << movement.text
      << "\n  %r = \"stablehlo.reduce_window\"(%p, %z) <{window_dimensions = array<i64: 1, "
      << movement.window;
  for (size_t d = 2; d < result.size(); ++d) {
    out << ", 1";
  }
  out << ">, padding = dense<[[0, 0], [" << movement.padding.first << ", "
      << movement.padding.second << "]";
  for (size_t d = 2; d < result.size(); ++d) {
    out << ", [0, 0]";
  }
  out << "]> : tensor<" << result.size()
      << "x2xi64>}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n"
      << body << "    stablehlo.return %c : tensor<f32>\n  }) : (" << typeOf(movement.shape)
      << ", tensor<f32>) -> " << typeOf(result) << "\n  return %r : " << typeOf(result) << "\n}\n";
  return out.str();
}

static int64_t scansIn(mlir::ModuleOp module) {
  int64_t scans = 0, windows = 0;
  module.walk([&](stablehlo::ReduceWindowOp window) {
    ++windows;
    scans += prefixScan(window) ? 1 : 0;
  });
  EXPECT_EQ(windows, 1);
  return scans;
}

static const char *const sumBody = "    %c = stablehlo.add %a, %b : tensor<f32>\n";

TEST(PrefixWindows, StayScansBehindDataMovement) {
  for (const Movement &movement : movements) {
    SCOPED_TRACE(movement.name);
    expectSameAfter(
        programOf(movement, sumBody), {wholeNumbers(ElementType::F32, {6, 8}, 1)},
        [] { return createMarkPrefixScansPass(); },
        [](mlir::ModuleOp module) { EXPECT_EQ(scansIn(module), 1); });
  }
}

// With a non-commutative body, the initial value must precede the elements.
TEST(PrefixWindows, KeepTheOrderOfOtherBodies) {
  const char *body = "    %h = stablehlo.add %a, %a : tensor<f32>\n"
                     "    %c = stablehlo.add %h, %b : tensor<f32>\n";
  int64_t scans = 0;
  for (const Movement &movement : movements) {
    SCOPED_TRACE(movement.name);
    expectSameAfter(
        programOf(movement, body), {wholeNumbers(ElementType::F32, {6, 8}, 1)},
        [] { return createMarkPrefixScansPass(); },
        [&](mlir::ModuleOp module) { scans += scansIn(module); });
  }
  EXPECT_GE(scans, 8);
}

// Not changed: padding with a number other than the initial value, windows after which elements
// remain, and windows with few results.
TEST(PrefixWindows, LeaveOtherWindows) {
  const std::vector<Movement> others = {
      {"other number",
       "%o = stablehlo.constant dense<1.0> : tensor<f32>\n"
       "  %p = stablehlo.pad %x, %o, low = [0, 7], high = [0, 0], interior = [0, 0] : "
       "(tensor<6x8xf32>, tensor<f32>) -> tensor<6x15xf32>",
       {6, 15},
       8},
      {"short windows",
       "%p = stablehlo.pad %x, %z, low = [0, 7], high = [0, 0], interior = [0, 0] : "
       "(tensor<6x8xf32>, tensor<f32>) -> tensor<6x15xf32>",
       {6, 15},
       7},
      {"two results",
       "%p = stablehlo.reshape %x : (tensor<6x8xf32>) -> tensor<6x8xf32>",
       {6, 8},
       8,
       {1, 0}},
  };
  for (const Movement &movement : others) {
    SCOPED_TRACE(movement.name);
    expectSameAfter(
        programOf(movement, sumBody), {wholeNumbers(ElementType::F32, {6, 8}, 1)},
        [] { return createMarkPrefixScansPass(); },
        [](mlir::ModuleOp module) { EXPECT_EQ(scansIn(module), 0); });
  }
}
