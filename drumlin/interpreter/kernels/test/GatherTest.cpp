#include "drumlin/interpreter/kernels/EvaluateGather.h"
#include "drumlin/interpreter/kernels/test/Tensors.h"

using namespace drumlin;
using namespace drumlin::interpreter;
using enum drumlin::ElementType;

static const KernelOptions options;
using List = std::vector<int64_t>;

// The specification's example without batching dimensions: slices of rows of a 3x4x2 operand. One
// start index is clamped.
TEST(Gather, Slices) {
  Tensor operand = make(SI32, {3, 4, 2}, {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                                          13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24});
  Tensor starts = make(SI64, {2, 3, 2}, {0, 0, 1, 0, 2, 1, 0, 1, 1, 1, 0, 2});
  GatherDimensions dimensions{{2, 3}, {0}, {}, {}, {1, 0}, 2};
  expectTensor(
      gather(operand, starts, dimensions, List{1, 2, 2}, options), SI32, {2, 3, 2, 2},
      {1, 2, 3, 4, 3, 4, 5, 6, 13, 14, 15, 16, 9, 10, 11, 12, 11, 12, 13, 14, 17, 18, 19, 20});
}

// Without an index vector dimension each start index is a scalar. Start indices that are out of
// range are clamped.
TEST(Gather, ScalarIndicesAreClamped) {
  GatherDimensions dimensions{{}, {0}, {}, {}, {0}, 1};
  expectTensor(gather(make(F32, {4}, {1, 2, 3, 4}), make(SI32, {3}, {-5, 2, 100}), dimensions,
                      List{1}, options),
               F32, {3}, {1, 3, 4});
}

TEST(Gather, BatchingDimensions) {
  // operand[b, i], indices[b, 1]
  GatherDimensions dimensions{{}, {1}, {0}, {0}, {1}, 1};
  Tensor operand = make(SI32, {2, 3}, {1, 2, 3, 4, 5, 6});
  expectTensor(gather(operand, make(SI32, {2, 1}, {2, 0}), dimensions, List{1, 1}, options), SI32,
               {2}, {3, 4});
}

static ReductionBody adding(ElementType type) {
  ReductionBody body;
  body.types = {type};
  body.operation = BinaryOperation::Add;
  return body;
}

static Result<Tensor> scatterOne(const Tensor &input, const Tensor &indices, const Tensor &update,
                                 const ScatterDimensions &dimensions, const ReductionBody &body) {
  std::vector<Tensor> inputs{input};
  std::vector<Tensor> updates{update};
  Result<std::vector<Tensor>> results =
      scatter(inputs, indices, updates, dimensions, body, options);
  return results ? Result<Tensor>(results->front()) : results.error();
}

// Repeated indices accumulate, indices outside of the input are skipped, and the input is
// unchanged.
TEST(Scatter, AddsElements) {
  ScatterDimensions dimensions{{}, {0}, {}, {}, {0}, 1};
  Tensor input = make(SI32, {4}, {1, 1, 1, 1});
  Tensor indices = make(SI32, {5, 1}, {0, 2, 2, 4, -1});
  expectElements(
      scatterOne(input, indices, make(SI32, {5}, {1, 2, 3, 4, 5}), dimensions, adding(SI32)),
      {2, 1, 6, 1});
  expectElements(input, {1, 1, 1, 1});
  ReductionBody overwrite;
  overwrite.types = {SI32};
  overwrite.returnsValue = true;
  expectElements(
      scatterOne(input, indices, make(SI32, {5}, {1, 2, 3, 4, 5}), dimensions, overwrite),
      {1, 1, 3, 1});
}

// As in reductions, sums of short types stay wide until the last update.
TEST(Scatter, WidthOfSums) {
  ScatterDimensions dimensions{{}, {0}, {}, {}, {0}, 1};
  constexpr int64_t count = 1000;
  Tensor indices = make(SI32, {count, 1}, std::vector<double>(count, 1));
  for (ElementType type : {BF16, F16, F32}) {
    Tensor updates = make(type, {count}, std::vector<double>(count, 1));
    Tensor input = make(type, {2}, {3, type == F32 ? 0x1p24 : 24});
    expectTensor(scatterOne(input, indices, updates, dimensions, adding(type)), type, {2},
                 {3, type == F32 ? 0x1p24 + 1000 : 1024});
  }
  Tensor updates = make(C64, {count}, std::vector<double>(count, 1));
  Result<Tensor> sums =
      scatterOne(make(C64, {2}, {3, 0x1p24}), indices, updates, dimensions, adding(C64));
  ASSERT_TRUE(bool(sums));
  EXPECT_EQ(complexElements(*sums)[1], std::complex<double>(0x1p24 + 1000));
}

// A window that is partly outside of the input writes only its elements that are inside.
TEST(Scatter, WindowsPartlyOutside) {
  ScatterDimensions dimensions{{1}, {}, {}, {}, {0}, 1};
  Tensor input = make(SI32, {4}, {0, 0, 0, 0});
  expectElements(scatterOne(input, make(SI32, {2, 1}, {2, -1}),
                            make(SI32, {2, 3}, {1, 2, 3, 4, 5, 6}), dimensions, adding(SI32)),
                 {5, 6, 1, 2});
}

// An index near the end of int64 must not wrap around into the input.
TEST(Scatter, HugeIndicesAreOutside) {
  ScatterDimensions dimensions{{1}, {}, {}, {}, {0}, 1};
  Tensor input = make(SI32, {2}, {0, 0});
  Tensor indices(SI64, {1, 1});
  *indices.as<int64_t>() = std::numeric_limits<int64_t>::max();
  expectElements(scatterOne(input, indices, make(SI32, {1, 2}, {1, 2}), dimensions, adding(SI32)),
                 {0, 0});
}

TEST(Scatter, BatchingDimensions) {
  ScatterDimensions dimensions{{}, {1}, {0}, {0}, {1}, 1};
  Tensor input = make(SI32, {2, 3}, {0, 0, 0, 0, 0, 0});
  expectElements(scatterOne(input, make(SI32, {2, 1}, {2, 0}), make(SI32, {2}, {7, 8}), dimensions,
                            adding(SI32)),
                 {0, 0, 7, 8, 0, 0});
}

TEST(Scatter, SeveralInputsThroughACall) {
  ScatterDimensions dimensions{{}, {0}, {}, {}, {0}, 1};
  ReductionBody body;
  body.types = {SI32, F32};
  body.call = [](std::span<const Tensor> a) -> Result<std::vector<Tensor>> {
    return std::vector<Tensor>{*binary(BinaryOperation::Add, a[0], a[2]), a[3]};
  };
  std::vector<Tensor> inputs{make(SI32, {2}, {1, 2}), make(F32, {2}, {1, 2})};
  std::vector<Tensor> updates{make(SI32, {1}, {10}), make(F32, {1}, {20})};
  Result<std::vector<Tensor>> results =
      scatter(inputs, make(SI32, {1, 1}, {1}), updates, dimensions, body, options);
  ASSERT_TRUE(bool(results));
  expectElements((*results)[0], {1, 12});
  expectElements((*results)[1], {1, 20});
}
