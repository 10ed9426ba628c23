// Compares natively compiled convolutions with the interpreter.
#include "drumlin/codegen/cpu/gemm/test/GemmCheck.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <sstream>

using namespace drumlin;

struct ConvolutionCase {
  std::vector<int64_t> input, kernel, result;
  std::string numbers, window;
  int featureGroups = 1, batchGroups = 1;
};

static void checkConvolution(const ConvolutionCase &each, const std::string &type,
                             const Checks &checks = {}) {
  std::string lhs = tensorType(each.input, type), rhs = tensorType(each.kernel, type);
  std::string result = tensorType(each.result, type);
  std::ostringstream body;
  body << "  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = " << each.numbers
       << ", window = {" << each.window << "} {batch_group_count = " << each.batchGroups
       << " : i64, feature_group_count = " << each.featureGroups << " : i64} : (" << lhs << ", "
       << rhs << ") -> " << result << "\n";
  check(function({lhs, rhs}, result, body.str(), "%0"), checks);
}

// Returns the number of outputs of a convolution along one dimension.
static int64_t windowOutputs(int64_t input, int64_t low, int64_t high, int64_t window,
                             int64_t stride, int64_t dilation) {
  return (input + low + high - (window - 1) * dilation - 1) / stride + 1;
}

// Checks convolutions whose windows are contiguous runs of input rows: with widths near the
// micro-kernel's, strides, negative padding, padding wider than the window, and dilated outer
// dimensions. `kernel` is the dimension order of the convolution's kernel.
static void checkWindowRuns(const std::vector<int64_t> &widths, const std::string &type,
                            const Checks &checks, const std::string &kernel = "01io") {
  struct Window {
    int64_t size[2], stride[2], low[2], high[2], dilation;
  };
  const std::vector<Window> windows = {{{3, 3}, {1, 1}, {1, 1}, {1, 1}, 1},
                                       {{7, 5}, {2, 2}, {2, 3}, {3, 1}, 1},
                                       {{2, 4}, {1, 3}, {0, 0}, {0, 0}, 2},
                                       {{1, 3}, {3, 1}, {0, 5}, {1, 4}, 1},
                                       {{3, 2}, {1, 1}, {-1, -1}, {4, -2}, 3}};
  std::string numbers = "[b, 0, 1, f]x[";
  for (char dimension : kernel) {
    numbers += std::string(1, dimension) + (dimension == kernel.back() ? "" : ", ");
  }
  numbers += "]->[b, 0, 1, f]";
  for (const Window &w : windows) {
    for (int64_t width : widths) {
      for (auto [features, columns] : {std::pair<int64_t, int64_t>{3, 37}, {16, 9}, {1, 70}}) {
        int64_t high = windowOutputs(9, w.low[0], w.high[0], w.size[0], w.stride[0], w.dilation);
        int64_t wide = windowOutputs(width, w.low[1], w.high[1], w.size[1], w.stride[1], 1);
        std::ostringstream window;
        window << "stride = [" << w.stride[0] << ", " << w.stride[1] << "], pad = [[" << w.low[0]
               << ", " << w.high[0] << "], [" << w.low[1] << ", " << w.high[1]
               << "]], rhs_dilate = [" << w.dilation << ", 1]";
        std::vector<int64_t> shape;
        for (char dimension : kernel) {
          shape.push_back(dimension == 'i'   ? features
                          : dimension == 'o' ? columns
                                             : w.size[dimension - '0']);
        }
        checkConvolution(
            {{2, 9, width, features}, shape, {2, high, wide, columns}, numbers, window.str()}, type,
            checks);
      }
    }
  }
}

TEST(Gemm, WindowRuns) {
  checkWindowRuns({29}, "f32", {{"native", "avx2"}});
  checkWindowRuns({33}, "f64", {{"native"}});
}

// Tests convolution kernels that are packed along k, with k elements that don't fill registers:
// kernels with the dimension order that gradients of strided convolutions use, and kernels with
// output features outermost.
TEST(Gemm, WindowRunsOfATransposedKernel) {
  for (const char *kernel : {"01oi", "o01i"}) {
    checkWindowRuns({29}, "f32", {{"native", "avx2"}, 0, {"convolution=direct"}}, kernel);
  }
  checkWindowRuns({33}, "f64", {{"native"}, 0, {"convolution=direct"}}, "o01i");
}

TEST(SlowGemm, WindowRuns) {
  std::vector<int64_t> widths;
  for (int64_t width = 8; width < 34; ++width) {
    widths.push_back(width);
  }
  checkWindowRuns(widths, "f32", {{"native"}});
  checkWindowRuns({14, 28, 57}, "f32", everyTarget);
  checkWindowRuns({31}, "f16", {{"native"}});
  checkWindowRuns({31}, "i32", {{"native"}});
}

// The input is computed while rows are copied; the computation must not change the padding, which
// is zero.
TEST(Gemm, WindowRunsOfAnExpression) {
  std::string input = "tensor<2x15x22x5xf32>", kernel = "tensor<3x3x5x24xf32>",
              result = "tensor<2x15x22x24xf32>";
  check(function({input, kernel}, result,
                 "  %e = stablehlo.cosine %arg0 : " + input +
                     "\n  %0 = stablehlo.convolution(%e, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, "
                     "i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = "
                     "1 : i64, feature_group_count = 1 : i64} : (" +
                     input + ", " + kernel + ") -> " + result +
                     "\n  %1 = stablehlo.tanh %0 : " + result + "\n",
                 "%1"));
}

TEST(Gemm, Convolutions) {
  std::string nhwc = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]",
              nchw = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]";
  std::vector<ConvolutionCase> cases = {
      {{2, 12, 13, 16}, {3, 3, 16, 24}, {2, 10, 11, 24}, nhwc, ""},
      {{2, 12, 13, 16}, {3, 3, 16, 24}, {2, 12, 13, 24}, nhwc, "pad = [[1, 1], [1, 1]]"},
      {{1, 24, 24, 3},
       {7, 7, 3, 20},
       {1, 12, 12, 20},
       nhwc,
       "stride = [2, 2], pad = [[3, 2], [2, 3]]"},
      {{2, 16, 14, 14}, {24, 16, 3, 3}, {2, 24, 14, 14}, nchw, "pad = [[1, 1], [1, 1]]"},
      {{2, 5, 16, 16}, {12, 5, 3, 3}, {2, 12, 16, 16}, nchw, "pad = [[1, 1], [1, 1]]"},
      {{1, 8, 9, 16},
       {3, 2, 16, 8},
       {1, 14, 18, 8},
       nhwc,
       "pad = [[1, 0], [1, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1]"},
      {{1, 15, 15, 8}, {3, 3, 8, 8}, {1, 11, 11, 8}, nhwc, "rhs_dilate = [2, 2]"},
      {{1, 10, 10, 8}, {3, 3, 8, 8}, {1, 8, 8, 8}, nhwc, "reverse = [true, false]"},
      {{1, 10, 10, 8}, {3, 3, 8, 8}, {1, 6, 6, 8}, nhwc, "pad = [[-1, -1], [-2, 0]]"},
      {{2, 9, 9, 32}, {3, 3, 8, 64}, {2, 9, 9, 64}, nhwc, "pad = [[1, 1], [1, 1]]", 4},
      {{2, 9, 9, 20}, {3, 3, 1, 20}, {2, 9, 9, 20}, nhwc, "pad = [[1, 1], [1, 1]]", 20},
      {{6, 9, 9, 5}, {3, 3, 5, 12}, {2, 7, 7, 12}, nhwc, "", 1, 3},
      {{2, 30, 16}, {5, 16, 32}, {2, 30, 32}, "[b, 0, f]x[0, i, o]->[b, 0, f]", "pad = [[4, 0]]"},
      {{2, 6, 7, 8, 4},
       {3, 3, 3, 4, 8},
       {2, 6, 7, 8, 8},
       "[b, 0, 1, 2, f]x[0, 1, 2, i, o]->[b, 0, 1, 2, f]",
       "pad = [[1, 1], [1, 1], [1, 1]]"},
      {{13, 12, 16, 4},
       {3, 16, 3, 24},
       {10, 4, 24, 11},
       "[1, 0, f, b]x[0, i, 1, o]->[0, b, f, 1]",
       ""},
      {{7, 33}, {33, 40}, {7, 40}, "[b, f]x[i, o]->[b, f]", ""},
      // Gradients of convolution kernels: in the m dimension, the image index varies faster than
      // the position. In some cases the images fill registers, in others they don't.
      {{2, 12, 13, 16},
       {2, 12, 13, 24},
       {3, 3, 16, 24},
       "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]",
       "pad = [[1, 1], [1, 1]]"},
      {{2, 12, 13, 5},
       {2, 6, 7, 24},
       {3, 3, 5, 24},
       "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]",
       "pad = [[0, 1], [1, 1]], rhs_dilate = [2, 2]"},
      {{3, 400, 33}, {3, 400, 8}, {5, 33, 8}, "[f, 0, b]x[i, 0, o]->[0, b, f]", "pad = [[2, 2]]"},
      {{5, 9, 48}, {3, 9, 6}, {3, 16, 6}, "[0, f, b]x[0, i, o]->[0, b, f]", "", 1, 3},
      {{2, 9, 20}, {2, 9, 6}, {20, 6, 3}, "[f, 0, b]x[i, 0, o]->[b, f, 0]", "pad = [[1, 1]]"},
  };
  for (const ConvolutionCase &each : cases) {
    checkConvolution(each, "f32", {{"native", "avx2"}});
    checkConvolution(each, "bf16");
  }
  checkConvolution(cases[1], "i32", everyTarget);
  // Depthwise convolutions in both layouts.
  checkConvolution(
      {{2, 20, 14, 13}, {20, 1, 3, 3}, {2, 20, 14, 13}, nchw, "pad = [[1, 1], [1, 1]]", 20}, "f32",
      everyTarget);
  checkConvolution(
      {{2, 14, 13, 150}, {3, 3, 1, 150}, {2, 14, 13, 150}, nhwc, "pad = [[1, 1], [1, 1]]", 150},
      "f32", everyTarget);
  // Positions that only pad m to full registers must not contribute to a reduction.
  std::string input = "tensor<2x5x14x14xf32>", kernel = "tensor<12x5x3x3xf32>",
              result = "tensor<2x12x14x14xf32>";
  check(function({input, kernel}, result + ", tensor<f32>",
                 "  %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = " + nchw +
                     ", window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, "
                     "feature_group_count = 1 : "
                     "i64} : (" +
                     input + ", " + kernel + ") -> " + result +
                     "\n  %i = stablehlo.constant dense<0.0> : tensor<f32>\n  %m = "
                     "stablehlo.reduce(%0 init: %i) "
                     "applies stablehlo.add across dimensions = [0, 1, 2, 3] : (" +
                     result + ", tensor<f32>) -> tensor<f32>\n",
                 "%0, %m"),
        {{"native", "avx2"}, 1e-3});
}
