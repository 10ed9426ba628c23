#include "drumlin/interpreter/kernels/EvaluateConvolution.h"
#include "drumlin/interpreter/kernels/EvaluateDot.h"
#include "drumlin/interpreter/kernels/test/Tensors.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

#include <cmath>
#include <limits>

using namespace drumlin;
using namespace drumlin::interpreter;
using enum drumlin::ElementType;

static const KernelOptions options;

TEST(Dot, MatrixProduct) {
  DotDimensions dimensions{{}, {}, {1}, {0}};
  expectTensor(dotGeneral(make(F32, {2, 3}, {1, 2, 3, 4, 5, 6}),
                          make(F32, {3, 2}, {1, 2, 3, 4, 5, 6}), dimensions, F32, options),
               F32, {2, 2}, {22, 28, 49, 64});
}

// The specification's example: the result's dimensions are batch, lhs's free, rhs's free.
TEST(Dot, Batching) {
  DotDimensions dimensions{{0}, {0}, {2}, {1}};
  expectTensor(dotGeneral(make(SI64, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                          make(SI64, {2, 2, 2}, {1, 0, 0, 1, 1, 0, 0, 1}), dimensions, SI64,
                          options),
               SI64, {2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
}

// The batch dimensions are in the middle, and lhs and rhs have their contracting dimensions in
// different orders.
TEST(Dot, PermutedDimensions) {
  DotDimensions dimensions{{1}, {2}, {2, 0}, {0, 1}};
  // lhs[c1, b, c0], rhs[c0, c1, b]
  Tensor lhs = make(SI32, {2, 1, 2}, {1, 2, 3, 4});
  Tensor rhs = make(SI32, {2, 2, 1}, {10, 20, 30, 40});
  // sum over c0, c1: 1*10 + 3*20 + 2*30 + 4*40
  expectTensor(dotGeneral(lhs, rhs, dimensions, SI32, options), SI32, {1}, {290});
}

TEST(Dot, AccumulatesWiderThanItsElements) {
  DotDimensions dimensions{{}, {}, {0}, {0}};
  // If each partial sum were rounded to bf16, the sum would stop at 256.
  expectElements(dotGeneral(make(BF16, {1024}, std::vector<double>(1024, 1)),
                            make(BF16, {1024}, std::vector<double>(1024, 1)), dimensions, BF16,
                            options),
                 {1024});
  expectElements(
      dotGeneral(make(SI8, {127, 127}), make(SI8, {127, 127}), dimensions, SI32, options), {32258});
  expectElements(dotGeneral(make(SI8, {127, 127}), make(SI8, {127, 127}), dimensions, SI8, options),
                 {2});
  expectElements(dotGeneral(make(UI8, {255}), make(UI8, {255}), dimensions, SI32, options),
                 {65025});
  expectElements(
      dotGeneral(make(F8E4M3FN, {448, 448}), make(F8E5M2, {2, 1}), dimensions, F32, options),
      {1344});
  expectElements(dotGeneral(make(I1, {0, 1}), make(I1, {1, 1}), dimensions, I1, options), {1});
}

// 1.125 has three fraction bits: f8E4M3FN holds it, f8E5M2 rounds it to 1.
TEST(Dot, MixedShortFloatsMultiplyInTheResultsType) {
  DotDimensions dimensions{{}, {}, {0}, {0}};
  Tensor lhs = make(F8E4M3FN, std::vector<double>(8, 1.125));
  Tensor rhs = make(F8E5M2, std::vector<double>(8, 1));
  expectElements(dotGeneral(lhs, rhs, dimensions, F8E5M2, options), {8});
  expectElements(dotGeneral(lhs, rhs, dimensions, BF16, options), {9});
}

TEST(Dot, EmptyContractionIsZero) {
  DotDimensions dimensions{{}, {}, {1}, {0}};
  expectTensor(dotGeneral(make(F32, {2, 0}, {}), make(F32, {0, 1}, {}), dimensions, F32, options),
               F32, {2, 1}, {0, 0});
}

TEST(Dot, OuterProductAndNaN) {
  DotDimensions dimensions;
  expectTensor(dotGeneral(make(F32, {0, quietNan}), make(F32, {inf, 1}), dimensions, F32, options),
               F32, {2, 2}, {quietNan, 0, quietNan, quietNan});
}

TEST(Dot, Complex) {
  using Z = std::complex<double>;
  DotDimensions dimensions{{}, {}, {0}, {0}};
  Result<Tensor> result =
      dotGeneral(makeComplex(C64, {Z(1, 1), Z(0, 2)}), makeComplex(C64, {Z(1, -1), Z(3, 0)}),
                 dimensions, C64, options);
  EXPECT_EQ(complexElements(*result), std::vector<Z>{Z(2, 6)});
}

TEST(Dot, MemoryLimit) {
  KernelOptions small;
  small.maxBytes = 100;
  DotDimensions dimensions;
  Result<Tensor> result =
      dotGeneral(make(F32, {10}, std::vector<double>(10)), make(F32, {10}, std::vector<double>(10)),
                 dimensions, F32, small);
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.error().code, errors::InterpreterMemoryLimit);
}

static ConvolutionDimensions channelsLast() {
  ConvolutionDimensions dimensions;
  dimensions.inputBatch = 0;
  dimensions.inputSpatial = {1, 2};
  dimensions.inputFeature = 3;
  dimensions.kernelSpatial = {0, 1};
  dimensions.kernelInputFeature = 2;
  dimensions.kernelOutputFeature = 3;
  dimensions.outputBatch = 0;
  dimensions.outputSpatial = {1, 2};
  dimensions.outputFeature = 3;
  return dimensions;
}

// Returns dimension numbers in the order batch, features, one spatial dimension.
static ConvolutionDimensions channelsFirst() {
  ConvolutionDimensions dimensions;
  dimensions.inputBatch = 0;
  dimensions.inputFeature = 1;
  dimensions.inputSpatial = {2};
  dimensions.kernelOutputFeature = 0;
  dimensions.kernelInputFeature = 1;
  dimensions.kernelSpatial = {2};
  dimensions.outputBatch = 0;
  dimensions.outputFeature = 1;
  dimensions.outputSpatial = {2};
  return dimensions;
}

static ConvolutionWindow plainWindow(size_t rank) {
  std::vector<int64_t> ones(rank, 1);
  std::vector<int64_t> zeros(rank, 0);
  return {ones, zeros, zeros, ones, ones, std::vector<bool>(rank, false)};
}

// The specification's example: a 4x4 image, windows of 3x3 with stride 4 over a dilated, padded
// input.
TEST(Convolution, SpecificationExample) {
  ConvolutionWindow window{{4, 4}, {0, 0}, {0, 0}, {2, 2}, {1, 1}, {false, false}};
  Tensor lhs = make(SI64, {1, 4, 4, 1}, {1, 2, 5, 6, 3, 4, 7, 8, 10, 11, 14, 15, 12, 13, 16, 17});
  Tensor rhs = make(SI64, {3, 3, 1, 1}, std::vector<double>(9, 1));
  expectTensor(convolution(lhs, rhs, channelsLast(), window, 1, 1, SI64, options), SI64,
               {1, 2, 2, 1}, {10, 26, 46, 62});
}

TEST(Convolution, PaddingNegativePaddingAndReversal) {
  ConvolutionDimensions line = channelsFirst();
  Tensor lhs = make(F32, {1, 1, 4}, {1, 2, 3, 4});
  Tensor rhs = make(F32, {1, 1, 2}, {1, 10});
  ConvolutionWindow window = plainWindow(1);
  window.paddingLow = {1};
  window.paddingHigh = {1};
  expectTensor(convolution(lhs, rhs, line, window, 1, 1, F32, options), F32, {1, 1, 5},
               {10, 21, 32, 43, 4});
  window.reversal = {true};
  expectElements(convolution(lhs, rhs, line, window, 1, 1, F32, options), {1, 12, 23, 34, 40});
  window.reversal = {false};
  window.paddingLow = {-1};
  window.paddingHigh = {0};
  expectElements(convolution(lhs, rhs, line, window, 1, 1, F32, options), {32, 43});
  window.paddingLow = {0};
  window.rhsDilation = {2};
  expectElements(convolution(lhs, rhs, line, window, 1, 1, F32, options), {31, 42});
}

// Padding consists of zeros, which are multiplied like other elements.
TEST(Convolution, PaddingTimesInfinityIsNotANumber) {
  ConvolutionDimensions line = channelsFirst();
  double infinity = std::numeric_limits<double>::infinity();
  ConvolutionWindow window = plainWindow(1);
  window.paddingLow = {1};
  Result<Tensor> result =
      convolution(make(F32, {1, 1, 2}, {1, 2}), make(F32, {1, 1, 2}, {infinity, 1}), line, window,
                  1, 1, F32, options);
  ASSERT_TRUE(result);
  EXPECT_TRUE(std::isnan(result->as<float>()[0]));
  EXPECT_EQ(result->as<float>()[1], infinity);
}

// Each group of output features reads only its own input features (feature groups) or its own
// images (batch groups).
TEST(Convolution, Groups) {
  Tensor lhs = make(F32, {1, 1, 1, 2}, {2, 3});
  Tensor rhs = make(F32, {1, 1, 1, 4}, {1, 10, 100, 1000});
  expectTensor(convolution(lhs, rhs, channelsLast(), plainWindow(2), 2, 1, F32, options), F32,
               {1, 1, 1, 4}, {2, 20, 300, 3000});
  Tensor images = make(F32, {2, 1, 1, 1}, {2, 3});
  expectTensor(convolution(images, rhs, channelsLast(), plainWindow(2), 1, 2, F32, options), F32,
               {1, 1, 1, 4}, {2, 20, 300, 3000});
}

TEST(Convolution, ChannelsFirstOutput) {
  ConvolutionDimensions dimensions = channelsLast();
  dimensions.outputFeature = 1;
  dimensions.outputSpatial = {2, 3};
  Tensor lhs = make(F32, {1, 1, 2, 1}, {1, 2});
  Tensor rhs = make(F32, {1, 1, 1, 2}, {1, 10});
  expectTensor(convolution(lhs, rhs, dimensions, plainWindow(2), 1, 1, F32, options), F32,
               {1, 2, 1, 2}, {1, 2, 10, 20});
}
