// Fourier transforms, decompositions, random numbers and process groups.
#include "drumlin/interpreter/kernels/EvaluateDot.h"
#include "drumlin/interpreter/kernels/EvaluateLinearAlgebra.h"
#include "drumlin/interpreter/kernels/EvaluateRandom.h"
#include "drumlin/interpreter/kernels/Fft.h"
#include "drumlin/interpreter/kernels/test/Tensors.h"
#include "drumlin/support/ProcessGroups.h"

#include <numbers>

namespace drumlin::interpreter {

static const KernelOptions options;

// Computes the transform by its definition, in long double.
static std::vector<std::complex<double>>
definition(const std::vector<std::complex<double>> &input) {
  size_t n = input.size();
  std::vector<std::complex<double>> result;
  for (size_t k = 0; k < n; ++k) {
    std::complex<long double> sum = 0;
    for (size_t j = 0; j < n; ++j) {
      long double angle = -2 * std::numbers::pi_v<long double> *
                          static_cast<long double>(j * k % n) / static_cast<long double>(n);
      sum += std::complex<long double>(input[j]) *
             std::complex<long double>(std::cos(angle), std::sin(angle));
    }
    result.push_back(std::complex<double>(sum));
  }
  return result;
}

// Lengths: powers of two, products of small primes, and primes below and above the algorithm's
// threshold.
TEST(Fft, AgreesWithTheDefinitionForAllLengths) {
  for (int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 12, 30, 31, 59, 61, 64, 67, 97, 128, 134, 210}) {
    std::vector<std::complex<double>> values;
    for (int64_t i = 0; i < n; ++i) {
      values.emplace_back(std::sin(1.0 + static_cast<double>(i)), static_cast<double>(i % 7) - 3);
    }
    Tensor input = makeComplex(ElementType::C128, values);
    Result<Tensor> forward = fourierTransform(FourierTransform::Forward, input, {{n}}, options);
    ASSERT_TRUE(bool(forward));
    std::vector<std::complex<double>> expected = definition(values);
    std::vector<std::complex<double>> got = complexElements(*forward);
    for (size_t k = 0; k < expected.size(); ++k) {
      EXPECT_NEAR(std::abs(got[k] - expected[k]), 0, 1e-13 * static_cast<double>(n))
          << n << " " << k;
    }
    Result<Tensor> back = fourierTransform(FourierTransform::Inverse, *forward, {{n}}, options);
    ASSERT_TRUE(bool(back));
    got = complexElements(*back);
    for (size_t k = 0; k < values.size(); ++k) {
      EXPECT_NEAR(std::abs(got[k] - values[k]), 0, 1e-14) << n << " " << k;
    }
  }
}

TEST(Fft, RefusesElementsThatHaveNoTransform) {
  EXPECT_FALSE(bool(
      fourierTransform(FourierTransform::Forward, make(ElementType::F32, {1, 2}), {{2}}, options)));
}

TEST(Cholesky, FactorsABatchOfMatrices) {
  Tensor a = make(ElementType::F64, {2, 2, 2}, {4, 2, 2, 10, 9, 3, 3, 2});
  Result<Tensor> lower = cholesky(a, true, options);
  expectTensor(lower, ElementType::F64, {2, 2, 2}, {2, 0, 1, 3, 3, 0, 1, 1});
  EXPECT_FALSE(bool(cholesky(make(ElementType::SI32, {1, 1}, {4}), true, options)));
}

// The known answers that Random123 publishes, for counters and keys of all zeros, all ones, and
// digits of pi.
TEST(Random, KnownAnswers) {
  EXPECT_EQ(threefry2x32({0, 0}, {0, 0}), (std::array<uint32_t, 2>{0x6b200159, 0x99ba4efe}));
  EXPECT_EQ(threefry2x32({0x243f6a88, 0x85a308d3}, {0x13198a2e, 0x03707344}),
            (std::array<uint32_t, 2>{0xc4923a9c, 0x483df7a0}));
  EXPECT_EQ(philox4x32({0, 0, 0, 0}, {0, 0}),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (std::array<uint32_t, 4>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
  constexpr uint32_t ones = 0xffffffff;
  EXPECT_EQ(threefry2x32({ones, ones}, {ones, ones}),
            (std::array<uint32_t, 2>{0x1cb996fc, 0xbb002be7}));
  EXPECT_EQ(philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(ProcessGroups, FollowTheStrategies) {
  GridShape grid{2, 2};
  auto groups = [&](GroupStrategy strategy, const std::vector<std::vector<int64_t>> &ids) {
    return *processGroups(strategy, ids, grid);
  };
  using Groups = std::vector<ProcessGroup>;
  EXPECT_EQ(groups(GroupStrategy::CrossReplica, {{1, 0}}),
            (Groups{{{1, 0}, {0, 0}}, {{1, 1}, {0, 1}}}));
  EXPECT_EQ(groups(GroupStrategy::CrossPartition, {{0, 1}}),
            (Groups{{{0, 0}, {0, 1}}, {{1, 0}, {1, 1}}}));
  EXPECT_EQ(groups(GroupStrategy::CrossReplicaAndPartition, {{0}, {1}}),
            (Groups{{{0, 0}, {0, 1}}, {{1, 0}, {1, 1}}}));
  EXPECT_EQ(groups(GroupStrategy::FlattenedIds, {{3, 0}, {1, 2}}),
            (Groups{{{1, 1}, {0, 0}}, {{0, 1}, {1, 0}}}));
  // An empty list of groups means one group of all processes.
  EXPECT_EQ(groups(GroupStrategy::CrossReplica, {}), groups(GroupStrategy::CrossReplica, {{0, 1}}));
  EXPECT_FALSE(bool(processGroups(GroupStrategy::CrossReplica, {{0, 2}}, grid)));
}

// Sums 1 + 2^-24 + 2^-24 in f32. Rounded partial sums lose both small addends; the exact sum keeps
// them.
TEST(Sums, ProductsAreRoundedOneByOneWhenAsked) {
  Tensor lhs = make(ElementType::F32, {1, 3}, {1, 0x1p-24, 0x1p-24});
  Tensor rhs = make(ElementType::F32, {3, 1}, {1, 1, 1});
  DotDimensions dimensions;
  dimensions.lhsContracting = {1};
  dimensions.rhsContracting = {0};
  KernelOptions each;
  each.wideAccumulation = false;
  expectElements(dotGeneral(lhs, rhs, dimensions, ElementType::F32, each), {1});
  expectElements(dotGeneral(lhs, rhs, dimensions, ElementType::F32, options), {1 + 0x1p-23});
}

} // namespace drumlin::interpreter
