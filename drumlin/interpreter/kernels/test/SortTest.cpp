#include "drumlin/interpreter/kernels/EvaluateSort.h"
#include "drumlin/interpreter/kernels/test/Tensors.h"

using namespace drumlin;
using namespace drumlin::interpreter;
using enum drumlin::ElementType;

static const KernelOptions options;

static ComparisonBody known(ComparisonDirection direction,
                            ComparisonType type = ComparisonType::Natural) {
  ComparisonBody body;
  body.simple = ComparisonBody::Simple{0, false, direction, type};
  return body;
}

static ComparisonBody called(ComparisonDirection direction) {
  ComparisonBody body;
  body.call = [=](std::span<const Tensor> a) -> Result<std::vector<Tensor>> {
    return std::vector<Tensor>{*compare(direction, ComparisonType::Natural, a[0], a[1])};
  };
  return body;
}

// The specification's example: both inputs are sorted together, descending by the first.
TEST(Sort, SpecificationExample) {
  std::vector<Tensor> inputs{make(SI64, {2, 3}, {1, 2, 3, 3, 2, 1}),
                             make(SI64, {2, 3}, {3, 2, 1, 1, 2, 3})};
  for (const ComparisonBody &comparator :
       {known(ComparisonDirection::GT), called(ComparisonDirection::GT)}) {
    Result<std::vector<Tensor>> results = sort(inputs, 0, comparator, options);
    ASSERT_TRUE(bool(results));
    expectElements((*results)[0], {3, 2, 3, 1, 2, 1});
    expectElements((*results)[1], {1, 2, 1, 3, 2, 3});
    results = sort(inputs, -1, comparator, options);
    expectElements((*results)[0], {3, 2, 1, 3, 2, 1});
  }
}

TEST(Sort, EqualKeysKeepTheirOrder) {
  std::vector<Tensor> inputs{make(SI8, {6}, {1, 0, 1, 0, 1, 0}),
                             make(SI32, {6}, {0, 1, 2, 3, 4, 5})};
  Result<std::vector<Tensor>> results = sort(inputs, 0, known(ComparisonDirection::LT), options);
  expectElements((*results)[1], {1, 3, 5, 0, 2, 4});
}

TEST(Sort, TotalOrderOfFloats) {
  std::vector<Tensor> inputs{make(F32, {6}, {quietNan, 0.0, -0.0, inf, -quietNan, -inf})};
  Result<std::vector<Tensor>> results =
      sort(inputs, 0, known(ComparisonDirection::LT, ComparisonType::TotalOrder), options);
  std::vector<double> sorted = elements(results->front());
  EXPECT_TRUE(std::isnan(sorted[0]) && std::signbit(sorted[0]));
  EXPECT_TRUE(std::isnan(sorted[5]) && !std::signbit(sorted[5]));
  expectElements(results->front(), {quietNan, -inf, -0.0, 0.0, inf, quietNan});
}

// The result is a permutation even for an inconsistent comparator.
TEST(Sort, InconsistentComparator) {
  ComparisonBody comparator;
  comparator.call = [](std::span<const Tensor>) -> Result<std::vector<Tensor>> {
    return std::vector<Tensor>{make(I1, {}, {1})};
  };
  std::vector<Tensor> inputs{make(SI32, {7}, {0, 1, 2, 3, 4, 5, 6})};
  Result<std::vector<Tensor>> results = sort(inputs, 0, comparator, options);
  std::vector<double> values = elements(results->front());
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values, (std::vector<double>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(Sort, EmptySlices) {
  std::vector<Tensor> inputs{make(SI32, {2, 0}, {})};
  EXPECT_TRUE(bool(sort(inputs, 1, known(ComparisonDirection::LT), options)));
  std::vector<Tensor> rows{make(SI32, {0, 2}, {})};
  EXPECT_TRUE(bool(sort(rows, 1, known(ComparisonDirection::LT), options)));
}

TEST(TopK, LargestFirstAndTiesByPosition) {
  Result<std::vector<Tensor>> results =
      topK(make(F32, {2, 4}, {1, 3, 3, 2, quietNan, -1, inf, 0}), 2, options);
  ASSERT_TRUE(bool(results));
  expectTensor((*results)[0], F32, {2, 2}, {3, 3, quietNan, inf});
  expectTensor((*results)[1], SI32, {2, 2}, {1, 2, 0, 2});
}
