#include "drumlin/interpreter/kernels/EvaluateCheck.h"
#include "drumlin/interpreter/kernels/test/Tensors.h"

namespace drumlin::interpreter {

constexpr int64_t farthest = std::numeric_limits<int64_t>::max();

TEST(Check, CountsStepsBetweenNumbers) {
  EXPECT_EQ(stepsBetween(ElementType::F32, 1.0, 1.0), 0);
  EXPECT_EQ(stepsBetween(ElementType::F32, 1.0, std::nextafterf(1.0f, 2.0f)), 1);
  EXPECT_EQ(stepsBetween(ElementType::F64, 1.0, std::nextafter(1.0, 0.0)), 1);
  EXPECT_EQ(stepsBetween(ElementType::F32, 0.0, -0.0), 0);
  // From the smallest negative number to the smallest positive one, across both zeros.
  EXPECT_EQ(stepsBetween(ElementType::F32, -0x1p-149, 0x1p-149), 2);
  EXPECT_EQ(stepsBetween(ElementType::BF16, 1.0, 1.0078125), 1);
  EXPECT_EQ(stepsBetween(ElementType::F32, inf, inf), 0);
  EXPECT_EQ(stepsBetween(ElementType::F32, inf, -inf), farthest);
  EXPECT_EQ(stepsBetween(ElementType::F32, quietNan, quietNan), 0);
  EXPECT_EQ(stepsBetween(ElementType::F32, quietNan, 1.0), farthest);
  // The two finite f64 numbers that are furthest apart: their distance exceeds int64_t.
  EXPECT_EQ(stepsBetween(ElementType::F64, -1e308, 1e308), farthest);
}

TEST(Check, HoldsElementsToTheirCriterion) {
  Tensor a = make(ElementType::F32, {1, 100});
  Tensor b = make(ElementType::F32, {1, 100.05});
  EXPECT_TRUE(bool(compareWith({}, a, a)));
  EXPECT_FALSE(bool(compareWith({}, a, b)));
  EXPECT_TRUE(bool(compareWith({.kind = Check::Kind::Near, .tolerance = 1e-3}, a, b)));
  EXPECT_FALSE(bool(compareWith({.kind = Check::Kind::Near, .tolerance = 1e-4}, a, b)));
  EXPECT_FALSE(bool(compareWith({.kind = Check::Kind::Steps, .steps = 3}, a, b)));
  EXPECT_TRUE(bool(compareWith({.kind = Check::Kind::Steps, .steps = 0}, a, a)));
  EXPECT_FALSE(bool(compareWith({.kind = Check::Kind::Steps, .steps = 9, .leastSteps = 1}, a, a)));
  EXPECT_FALSE(bool(compareWith({}, a, make(ElementType::F64, {1, 100}))));
  Tensor z = makeComplex(ElementType::C64, {{1, 2}}), w = makeComplex(ElementType::C64, {{1, 3}});
  EXPECT_TRUE(bool(compareWith({}, z, z)));
  EXPECT_FALSE(bool(compareWith({}, z, w)));
  EXPECT_FALSE(bool(compareWith({}, make(ElementType::SI8, {1}), make(ElementType::SI8, {2}))));
}

} // namespace drumlin::interpreter
