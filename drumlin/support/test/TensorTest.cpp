#include "drumlin/support/Tensor.h"

#include <gtest/gtest.h>

using namespace drumlin;

TEST(Tensor, CountsRefuseNegativeAndOverflowingSizes) {
  EXPECT_EQ(elementCount(Shape{}), 1);
  EXPECT_EQ(elementCount(Shape{2, 3}), 6);
  EXPECT_EQ(elementCount(Shape{2, -1}), std::nullopt);
  EXPECT_EQ(elementCount(Shape{int64_t(1) << 40, int64_t(1) << 40}), std::nullopt);
  // One zero makes an array empty, whatever the other sizes.
  EXPECT_EQ(elementCount(Shape{int64_t(1) << 40, int64_t(1) << 40, 0}), 0);
  EXPECT_EQ(elementCount(Shape{0, -1}), std::nullopt);
  EXPECT_EQ(byteCount(ElementType::F64, Shape{int64_t(1) << 60}), std::nullopt);
  EXPECT_EQ(byteCount(ElementType::F64, Shape{3}), 24);
}

TEST(Tensor, StridesAreRowMajor) {
  EXPECT_EQ(rowMajorStrides(Shape{2, 3, 4}), (Shape{12, 4, 1}));
  EXPECT_EQ(rowMajorStrides(Shape{}), Shape{});
}

TEST(Tensor, MemoryIsZeroAndAligned) {
  for (int64_t size : {0, 1, 100, 3'000'000}) {
    Tensor tensor(ElementType::F32, {size});
    EXPECT_EQ(reinterpret_cast<uintptr_t>(tensor.data()) % 64, 0u);
    for (int64_t i = 0; i < size; ++i) {
      ASSERT_EQ(tensor.as<float>()[i], 0.0f);
    }
  }
}

TEST(Tensor, CopiesShareAndClonesDoNot) {
  Tensor tensor(ElementType::SI32, {2, 2});
  Tensor shared = tensor, own = tensor.clone(), flat = tensor.withShape({4});
  tensor.as<int32_t>()[3] = 7;
  EXPECT_EQ(shared.as<int32_t>()[3], 7);
  EXPECT_EQ(flat.as<int32_t>()[3], 7);
  EXPECT_EQ(flat.rank(), 1);
  EXPECT_EQ(own.as<int32_t>()[3], 0);
  EXPECT_EQ(own.bytes(), 16);
}

TEST(Tensor, AllocateRefusesWhatCannotBe) {
  EXPECT_FALSE(Tensor::allocate(ElementType::F32, {-1}).has_value());
  EXPECT_FALSE(Tensor::allocate(ElementType::F32, {int64_t(1) << 62}).has_value());
  EXPECT_FALSE(Tensor::allocate(ElementType::UI8, {INT64_MAX}).has_value());
  EXPECT_TRUE(Tensor::allocate(ElementType::F32, {int64_t(1) << 40, 0}).has_value());
}
