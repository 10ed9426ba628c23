// Compares views with brute force. After a random chain of data movement operations, each element
// must be at the position that the view specifies.
#include "drumlin/ir/indexing/StridedView.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

using namespace mlir;

namespace drumlin {

using Index = std::vector<int64_t>;

static int64_t elementCount(llvm::ArrayRef<int64_t> shape) {
  return std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
}

static Index indexAt(llvm::ArrayRef<int64_t> shape, int64_t position) {
  Index index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = position % shape[d];
    position /= shape[d];
  }
  return index;
}

static int64_t placeIn(const StridedView &view, llvm::ArrayRef<int64_t> index) {
  int64_t place = view.offset;
  for (auto [dimension, each] : llvm::zip_equal(view.dimensions, index)) {
    int64_t rest = each;
    for (const StridedFactor &factor : llvm::reverse(dimension)) {
      place += rest % factor.size * factor.stride;
      rest /= factor.size;
    }
    EXPECT_EQ(rest, 0) << "the dimension has more elements than its factors";
  }
  return place;
}

static Index readBy(const IndexingMap &map, llvm::ArrayRef<int64_t> index) {
  Index read;
  map.forEachRead(index, nullptr, [&](llvm::ArrayRef<int64_t> at) { read = Index(at); });
  return read;
}

namespace {
class StridedViewTest : public testing::Test {
protected:
  int64_t draw(int64_t below) {
    return std::uniform_int_distribution<int64_t>(0, below - 1)(random);
  }

  Index drawOrder(size_t rank) {
    Index order(rank);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    return order;
  }

  IndexingMap transpose(const Index &operand, const Index &permutation) {
    Index sizes;
    for (int64_t from : permutation) {
      sizes.push_back(operand[static_cast<size_t>(from)]);
    }
    IndexingBuilder made(sizes, operand, &context);
    for (auto [d, from] : llvm::enumerate(permutation)) {
      made.at(static_cast<size_t>(from)) = made.dim(d);
    }
    return made.finish();
  }

  IndexingMap slice(const Index &operand, const Index &starts, const Index &steps,
                    const Index &sizes) {
    IndexingBuilder made(sizes, operand, &context);
    for (size_t d = 0; d < sizes.size(); ++d) {
      made.at(d) = made.dim(d) * steps[d] + starts[d];
    }
    return made.finish();
  }

  IndexingMap reshape(const Index &operand) {
    Index sizes;
    int64_t left = elementCount(operand);
    while (left > 1 || draw(3) == 0) {
      int64_t size = 1 + draw(6);
      bool isLast = sizes.size() > 3;
      sizes.insert(sizes.begin(), isLast ? left : left % size == 0 ? size : 1);
      left /= sizes.front();
    }
    return IndexingMap::reshape(sizes, operand, &context);
  }

  // Returns a broadcast that adds dimensions and repeats dimensions of one element.
  IndexingMap broadcast(const Index &operand) {
    size_t rank = operand.size() + static_cast<size_t>(draw(2));
    Index order = drawOrder(rank), sizes(rank);
    for (int64_t &size : sizes) {
      size = 1 + draw(3);
    }
    for (size_t d = 0; d < operand.size(); ++d) {
      int64_t &size = sizes[static_cast<size_t>(order[d])];
      size = operand[d] == 1 ? size : operand[d];
    }
    IndexingBuilder made(sizes, operand, &context);
    for (size_t d = 0; d < operand.size(); ++d) {
      if (operand[d] != 1) {
        made.at(d) = made.dim(static_cast<size_t>(order[d]));
      }
    }
    return made.finish();
  }

  IndexingMap randomMove(const Index &operand) {
    switch (draw(4)) {
    case 0:
      return transpose(operand, drawOrder(operand.size()));
    case 1:
      return reshape(operand);
    case 2:
      return broadcast(operand);
    default: {
      Index starts, steps, sizes;
      for (int64_t size : operand) {
        starts.push_back(draw(3) == 0 ? draw(size) : 0);
        steps.push_back(draw(3) == 0 ? 2 : 1);
        sizes.push_back((size - starts.back() + steps.back() - 1) / steps.back());
      }
      return slice(operand, starts, steps, sizes);
    }
    }
  }

  void holds(const StridedView &view, const IndexingMap &map, const StridedView &operand) {
    for (int64_t i = 0; i < elementCount(map.sizes()); ++i) {
      Index index = indexAt(map.sizes(), i);
      EXPECT_EQ(placeIn(view, index), placeIn(operand, readBy(map, index))) << map.str();
    }
  }

  MLIRContext context;
  std::mt19937_64 random{5};
};
} // namespace

TEST_F(StridedViewTest, ElementsLieWhereMovesPutThem) {
  int moves = 0, described = 0, describedAtOnce = 0;
  for (int i = 0; i < 4'000; ++i) {
    Index shape(static_cast<size_t>(1 + draw(4)));
    for (int64_t &size : shape) {
      size = 1 + draw(6);
    }
    const StridedView memory = viewInOrder(shape, drawOrder(shape.size()));
    StridedView view = memory;
    IndexingMap chain = IndexingMap::identity(shape, &context);
    for (int64_t more = 1 + draw(5); more-- > 0 && elementCount(chain.sizes()) < 500;) {
      IndexingMap move = randomMove(Index(chain.sizes()));
      ++moves;
      std::optional<StridedView> after = viewThrough(move, view);
      if (!after) {
        break;
      }
      ++described;
      holds(*after, move, view);
      chain = move.followedBy(chain);
      holds(*after, chain, memory);
      std::optional<StridedView> atOnce = viewThrough(chain, memory);
      EXPECT_TRUE(!atOnce || *atOnce == *after) << chain.str();
      describedAtOnce += atOnce.has_value();
      if (move.inverse()) {
        std::optional<StridedView> back = viewBehind(move, *after);
        EXPECT_TRUE(back && *back == view) << move.str();
      }
      view = std::move(*after);
    }
    ASSERT_FALSE(HasFailure());
  }
  EXPECT_GE(described, moves * 9 / 10);
  EXPECT_GE(describedAtOnce, described * 9 / 10);
}

// Reshapes of row-major elements stay row-major, however dimensions are split.
TEST_F(StridedViewTest, ReshapesKeepRowMajorOrder) {
  for (int i = 0; i < 4'000; ++i) {
    Index shape(static_cast<size_t>(1 + draw(5)));
    for (int64_t &size : shape) {
      size = 1 + draw(12);
    }
    IndexingMap map = reshape(shape);
    EXPECT_EQ(viewThrough(map, rowMajorView(shape)), rowMajorView(map.sizes())) << map.str();
  }
}

// Columns of six elements cannot be split into groups of four elements, because a group would
// continue in the next column.
TEST_F(StridedViewTest, DimensionsAreCutEvenly) {
  StridedView columns = viewInOrder({6, 4}, {1, 0});
  EXPECT_TRUE(viewThrough(IndexingMap::reshape({3, 2, 4}, {6, 4}, &context), columns));
  EXPECT_TRUE(viewThrough(IndexingMap::reshape({3, 8}, {6, 4}, &context), columns));
  EXPECT_FALSE(viewThrough(IndexingMap::reshape({4, 6}, {6, 4}, &context), columns));
}

TEST_F(StridedViewTest, SlicesAreOffsetsAndSteps) {
  std::optional<StridedView> rows =
      viewThrough(slice({6, 4}, {1, 0}, {2, 1}, {3, 4}), rowMajorView({6, 4}));
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->offset, 4);
  EXPECT_EQ(rows->dimensions, (std::vector<StridedDimension>{{{3, 8}}, {{4, 1}}}));
  // A slice of a dimension with several factors must consist of complete inner factors.
  StridedView joined =
      *viewThrough(IndexingMap::reshape({24}, {6, 4}, &context), viewInOrder({6, 4}, {1, 0}));
  EXPECT_FALSE(viewThrough(slice({24}, {2}, {1}, {8}), joined));
  EXPECT_TRUE(viewThrough(slice({24}, {4}, {1}, {4}), joined));
}

TEST_F(StridedViewTest, OthersHaveNoView) {
  IndexingMap reversed = slice({4}, {3}, {-1}, {4});
  EXPECT_FALSE(viewThrough(reversed, rowMajorView({4})));
  IndexingBuilder padded({6}, {4}, &context);
  padded.at(0) = padded.undilated(padded.dim(0) - 1, 1, 4);
  EXPECT_FALSE(viewThrough(padded.finish(), rowMajorView({4})));
  EXPECT_FALSE(viewThrough(IndexingMap::whole({4}, {4}, &context), rowMajorView({4})));
  // A slice has no inverse: some operand elements are not in its result.
  EXPECT_FALSE(viewBehind(slice({4}, {1}, {1}, {3}), rowMajorView({3})));
}

// Any view describes a value without elements.
TEST_F(StridedViewTest, NoElementsLieAnywhere) {
  EXPECT_EQ(viewThrough(transpose({0, 3}, {1, 0}), rowMajorView({0, 3})), rowMajorView({3, 0}));
}

} // namespace drumlin
