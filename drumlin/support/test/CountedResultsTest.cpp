// Results in which only the first elements of some dimensions are valid.
#include "drumlin/support/CountedResults.h"

#include <gtest/gtest.h>
#include <numeric>

using namespace drumlin;

static Tensor countOf(int32_t value) {
  Tensor made(ElementType::SI32, {});
  *made.as<int32_t>() = value;
  return made;
}

static std::vector<int16_t> elementsOf(const Tensor &tensor) {
  return {tensor.as<int16_t>(), tensor.as<int16_t>() + tensor.elements()};
}

TEST(CountedResults, HaveTheElementsThatCount) {
  Tensor cube(ElementType::SI16, {2, 3, 4});
  std::iota(cube.as<int16_t>(), cube.as<int16_t>() + 24, 0);
  Tensor other(ElementType::SI16, {2});
  std::vector<CountedBy> by = {{-1, 2, 3}, {}, {}, {}};
  std::vector<Tensor> made = countedResults({cube, other, countOf(2), countOf(3)}, by);
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(made[0].shape(), (Shape{2, 2, 3}));
  EXPECT_EQ(elementsOf(made[0]), (std::vector<int16_t>{0, 1, 2, 4, 5, 6, 12, 13, 14, 16, 17, 18}));
  EXPECT_EQ(made[1].data(), other.data());
  // Counts of all elements and of none, and counts that are negative or exceed the array.
  EXPECT_EQ(countedResults({cube, other, countOf(3), countOf(4)}, by)[0].data(), cube.data());
  EXPECT_EQ(countedResults({cube, other, countOf(0), countOf(4)}, by)[0].shape(), (Shape{2, 0, 4}));
  EXPECT_EQ(countedResults({cube, other, countOf(-1), countOf(9)}, by)[0].shape(),
            (Shape{2, 0, 4}));
}
