// Compares layouts of tensors in memory with their definition, element by element.
#include "drumlin/support/Layout.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <random>

using namespace drumlin;

// Returns an element's index after the tensor's dimensions are split into blocks.
static Shape cutIndex(const BlockedLayout &layout, const Shape &index) {
  Shape cut;
  for (size_t d = 0; d < index.size(); ++d) {
    cut.push_back(index[d] / layout.blocks[d]);
    if (layout.blocks[d] != 1) {
      cut.push_back(index[d] % layout.blocks[d]);
    }
  }
  return cut;
}

static int64_t positionOf(const Shape &index, const Shape &shape) {
  Shape strides = rowMajorStrides(shape);
  int64_t position = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    position += index[d] * strides[d];
  }
  return position;
}

static void forEachIndex(const Shape &shape, auto body) {
  int64_t count = elementCount(shape).value_or(0);
  for (int64_t number = 0; number < count; ++number) {
    Shape index(shape.size());
    int64_t rest = number;
    for (size_t d = shape.size(); d-- > 0;) {
      index[d] = rest % shape[d];
      rest /= shape[d];
    }
    body(index);
  }
}

static BlockedLayout randomLayout(std::mt19937_64 &random) {
  BlockedLayout layout;
  for (size_t rank = random() % 4 + 1; rank > 0; --rank) {
    layout.shape.push_back(static_cast<int64_t>(random() % 9));
    layout.blocks.push_back(random() % 2 ? 1 : static_cast<int64_t>(random() % 5 + 1));
  }
  layout.order = rowMajorOrder(layout.cutShape().size());
  std::shuffle(layout.order.begin(), layout.order.end(), random);
  return layout;
}

// Tests every order, for elements of every size, with planes of only full square blocks, of only
// partial ones, and of both.
TEST(Layout, PermutesElementsOfEverySize) {
  uint64_t seed = 1;
  std::mt19937_64 random(seed);
  for (int64_t bytes : {1, 2, 4, 8, 16}) {
    for (const Shape &shape :
         {Shape{64, 64}, Shape{7, 130}, Shape{130, 7}, Shape{65, 1, 33}, Shape{3, 70, 97}}) {
      std::vector<uint8_t> from(static_cast<size_t>(*elementCount(shape) * bytes));
      std::ranges::generate(from, [&] { return static_cast<uint8_t>(random()); });
      DimensionOrder order = rowMajorOrder(shape.size());
      do {
        std::vector<uint8_t> to(from.size(), 0);
        permute(reinterpret_cast<const std::byte *>(from.data()),
                reinterpret_cast<std::byte *>(to.data()), shape, order, bytes);
        Shape physical = physicalShape(shape, order);
        auto next = to.begin();
        forEachIndex(physical, [&](const Shape &written) {
          Shape index(shape.size());
          for (size_t d = 0; d < order.size(); ++d) {
            index[static_cast<size_t>(order[d])] = written[d];
          }
          ASSERT_TRUE(
              std::equal(next, next + bytes, from.begin() + positionOf(index, shape) * bytes))
              << layoutText(order) << ", elements of " << bytes << " bytes";
          next += bytes;
        });
      } while (std::ranges::next_permutation(order).found);
    }
  }
}

TEST(Layout, BlocksAreWhatTheirDefinitionSays) {
  uint64_t seed = 1;
  std::mt19937_64 random(seed);
  for (int trial = 0; trial < 500; ++trial) {
    BlockedLayout layout = randomLayout(random);
    SCOPED_TRACE(layout.str());
    ASSERT_TRUE(layout.isValid());
    Tensor tensor(ElementType::SI32, layout.shape);
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      tensor.as<int32_t>()[i] = static_cast<int32_t>(i + 1);
    }
    Tensor made = toPhysical(tensor, layout);
    Tensor expected(ElementType::SI32, layout.physicalShape());
    forEachIndex(layout.shape, [&](const Shape &index) {
      Shape cut = cutIndex(layout, index), place;
      for (int64_t dimension : layout.order) {
        place.push_back(cut[static_cast<size_t>(dimension)]);
      }
      expected.as<int32_t>()[positionOf(place, expected.shape())] =
          tensor.as<int32_t>()[positionOf(index, layout.shape)];
    });
    ASSERT_EQ(made.shape(), expected.shape());
    for (int64_t i = 0; i < made.elements(); ++i) {
      ASSERT_EQ(made.as<int32_t>()[i], expected.as<int32_t>()[i]) << "at " << i;
    }
  }
}

// A dimension order followed by a split into blocks equals a single blocked layout of the tensor.
TEST(Layout, BlocksOfAnOrderAreOneLayout) {
  uint64_t seed = 2;
  std::mt19937_64 random(seed);
  for (int trial = 0; trial < 500; ++trial) {
    BlockedLayout inner = randomLayout(random);
    DimensionOrder order = rowMajorOrder(inner.shape.size());
    std::shuffle(order.begin(), order.end(), random);
    BlockedLayout whole = inner.of(order);
    SCOPED_TRACE(inner.str() + " of " + layoutText(order) + " is " + whole.str());
    ASSERT_TRUE(whole.isValid());
    Tensor tensor(ElementType::SI32, whole.shape);
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      tensor.as<int32_t>()[i] = static_cast<int32_t>(i + 1);
    }
    Tensor inOne = toPhysical(tensor, whole), inTwo = toPhysical(toPhysical(tensor, order), inner);
    ASSERT_EQ(inOne.shape(), inTwo.shape());
    for (int64_t i = 0; i < inOne.elements(); ++i) {
      ASSERT_EQ(inOne.as<int32_t>()[i], inTwo.as<int32_t>()[i]) << "at " << i;
    }
  }
}

TEST(Layout, WhatIsNoLayoutIsFound) {
  EXPECT_TRUE((BlockedLayout{{6, 5}, {1, 4}, {1, 0, 2}}).isValid());
  EXPECT_TRUE((BlockedLayout{{6, 5}, {}, {1, 0}}).isValid());
  EXPECT_FALSE((BlockedLayout{{6, 5}, {1, 4}, {1, 0}}).isValid()) << "an order of too few";
  EXPECT_FALSE((BlockedLayout{{6, 5}, {1, 4}, {1, 1, 0}}).isValid()) << "one dimension twice";
  EXPECT_FALSE((BlockedLayout{{6, 5}, {1, 0}, {1, 0, 2}}).isValid()) << "blocks of nothing";
  EXPECT_FALSE((BlockedLayout{{6, 5}, {4}, {1, 0, 2}}).isValid()) << "too few blocks";
  EXPECT_FALSE((BlockedLayout{{6, 5}, {1, 1000}, {1, 0, 2}}).isValid()) << "too large a block";
}
