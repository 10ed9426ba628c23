// Compares maps with brute force. Simplified expressions must keep their values, and a composed map
// must read the same elements as its two maps when they are applied one after another.
#include "drumlin/ir/indexing/IndexingMap.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallVector.h"

#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <set>

using namespace mlir;

namespace drumlin {

using Index = std::vector<int64_t>;

static void forEachIndex(llvm::ArrayRef<int64_t> shape,
                         llvm::function_ref<void(const Index &)> visit) {
  int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  for (int64_t i = 0; i < count; ++i) {
    Index index(shape.size());
    int64_t rest = i;
    for (size_t d = shape.size(); d-- > 0;) {
      index[d] = rest % shape[d];
      rest /= shape[d];
    }
    visit(index);
  }
}

namespace {
class IndexingMapTest : public testing::Test {
protected:
  int64_t draw(int64_t below) {
    return std::uniform_int_distribution<int64_t>(0, below - 1)(random);
  }

  // Returns the element of a symbol's tensor at an index: an arbitrary number that is the same at
  // every call.
  static int64_t load(const IndexingMap::Symbol &symbol, llvm::ArrayRef<int64_t> index) {
    auto number = static_cast<int64_t>(cast<BlockArgument>(symbol.source).getArgNumber());
    int64_t value = 7 * number + 3;
    for (int64_t each : index) {
      value = (value * 31 + each * 17 + 5) % 101;
    }
    return value % 13 - 3;
  }

  static std::set<Index> reads(const IndexingMap &map, const Index &index) {
    std::set<Index> all;
    map.forEachRead(index, load, [&](llvm::ArrayRef<int64_t> at) {
      EXPECT_TRUE(all.insert(Index(at)).second || !map.symbols().empty());
    });
    return all;
  }

  Value source() {
    return block.addArgument(IntegerType::get(&context, 32), UnknownLoc::get(&context));
  }

  Index randomShape() {
    Index shape(static_cast<size_t>(draw(4)));
    for (int64_t &size : shape) {
      size = 1 + draw(5);
    }
    return shape;
  }

  // Returns a random map from a result of this shape, such as the map of a single operation.
  IndexingMap randomMap(const Index &shape);
  AffineExpr randomExpression(size_t dims, int depth);

  MLIRContext context;
  Block block;
  std::mt19937_64 random{11};
};
} // namespace

AffineExpr IndexingMapTest::randomExpression(size_t dims, int depth) {
  if (depth == 0 || draw(5) == 0) {
    return dims == 0 || draw(4) == 0
               ? getAffineConstantExpr(draw(9) - 4, &context)
               : getAffineDimExpr(static_cast<unsigned>(draw(static_cast<int64_t>(dims))),
                                  &context);
  }
  AffineExpr left = randomExpression(dims, depth - 1);
  switch (draw(4)) {
  case 0:
    return left + randomExpression(dims, depth - 1);
  case 1:
    return left * (draw(13) - 4);
  case 2:
    return left.floorDiv(1 + draw(12));
  default:
    return left % (1 + draw(12));
  }
}

TEST_F(IndexingMapTest, SimplificationKeepsValues) {
  size_t shorter = 0;
  for (int i = 0; i < 20'000; ++i) {
    Index shape = randomShape();
    AffineExpr expression = randomExpression(shape.size(), 4);
    AffineMap original = AffineMap::get(static_cast<unsigned>(shape.size()), 0, expression);
    // The expression is tested as the index of a map whose operand is large enough for all values
    // of the expression.
    IndexingMap map(shape, {1 << 30}, original);
    auto [low, high] = map.range(map.map().getResult(0));
    forEachIndex(shape, [&](const Index &index) {
      SmallVector<Attribute> operands, results;
      for (int64_t each : index) {
        operands.push_back(IntegerAttr::get(IndexType::get(&context), each));
      }
      ASSERT_TRUE(succeeded(original.constantFold(operands, results)));
      int64_t wanted = cast<IntegerAttr>(results.front()).getInt();
      EXPECT_EQ(reads(map, index), std::set<Index>{{wanted}}) << map.str();
      EXPECT_LE(low, wanted);
      EXPECT_GE(high, wanted);
    });
    // A second simplification changes nothing.
    EXPECT_EQ(IndexingMap(shape, {1 << 30}, map.map()), map) << map.str();
    shorter += map.map().getResult(0) != expression;
    ASSERT_FALSE(HasFailure()) << "of " << AffineMap::get(4, 0, expression).getNumResults();
  }
  EXPECT_GE(shorter, 5'000u);
}

IndexingMap IndexingMapTest::randomMap(const Index &shape) {
  size_t rank = shape.size();
  auto number = [](size_t i) { return static_cast<int64_t>(i); };
  switch (draw(8)) {
  case 0: { // transpose
    std::vector<size_t> order(rank);
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    Index sizes;
    for (size_t d : order) {
      sizes.push_back(shape[d]);
    }
    IndexingBuilder made(shape, sizes, &context);
    for (size_t i = 0; i < rank; ++i) {
      made.at(i) = made.dim(order[i]);
    }
    return made.finish();
  }
  case 1: { // reshape
    int64_t left = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
    Index sizes;
    while (left > 1 || draw(3) == 0) {
      int64_t size = 1 + draw(6);
      if (left % size == 0) {
        sizes.push_back(size);
        left /= size;
      } else if (sizes.size() > 3) {
        sizes.push_back(left);
        left = 1;
      }
    }
    IndexingBuilder made(shape, sizes, &context);
    std::vector<AffineExpr> dims;
    for (size_t d = 0; d < rank; ++d) {
      dims.push_back(made.dim(d));
    }
    std::vector<AffineExpr> index = reshapedIndex(shape, dims, sizes, &context);
    for (size_t d = 0; d < sizes.size(); ++d) {
      made.at(d) = index[d];
    }
    return made.finish();
  }
  case 2: { // slice, possibly reversed
    Index sizes, steps, starts;
    for (size_t d = 0; d < rank; ++d) {
      steps.push_back(1 + draw(3));
      starts.push_back(draw(3));
      sizes.push_back(starts[d] + std::max<int64_t>(shape[d] - 1, 0) * steps[d] + 1 + draw(3));
    }
    IndexingBuilder made(shape, sizes, &context);
    for (size_t d = 0; d < rank; ++d) {
      AffineExpr dim = draw(2) ? made.dim(d) : shape[d] - 1 - made.dim(d);
      made.at(d) = dim * steps[d] + starts[d];
    }
    return made.finish();
  }
  case 3: { // pad
    Index sizes;
    for (size_t d = 0; d < rank; ++d) {
      sizes.push_back(draw(shape[d] + 2));
    }
    IndexingBuilder made(shape, sizes, &context);
    for (size_t d = 0; d < rank; ++d) {
      made.at(d) = made.undilated(made.dim(d) - (draw(5) - 1), 1 + draw(3), sizes[d]);
    }
    return made.finish();
  }
  case 4: { // broadcast
    Index sizes;
    std::vector<size_t> kept;
    for (size_t d = 0; d < rank; ++d) {
      if (draw(2)) {
        kept.push_back(d);
        sizes.push_back(draw(2) ? shape[d] : 1);
      }
    }
    IndexingBuilder made(shape, sizes, &context);
    for (size_t i = 0; i < kept.size(); ++i) {
      made.at(i) = sizes[i] == 1 ? made.constant(0) : made.dim(kept[i]);
    }
    return made.finish();
  }
  case 5: { // reduction
    Index sizes = shape;
    size_t at = static_cast<size_t>(draw(number(rank) + 1));
    sizes.insert(sizes.begin() + number(at), draw(4));
    IndexingBuilder made(shape, sizes, &context);
    for (size_t d = 0; d < sizes.size(); ++d) {
      made.at(d) = d == at ? made.all(sizes[d]) : made.dim(d < at ? d : d - 1);
    }
    return made.finish();
  }
  case 6: { // window
    Index sizes, windows;
    for (size_t d = 0; d < rank; ++d) {
      sizes.push_back(1 + draw(5));
      windows.push_back(1 + draw(3));
    }
    IndexingBuilder made(shape, sizes, &context);
    for (size_t d = 0; d < rank; ++d) {
      made.at(d) = made.undilated(made.dim(d) * (1 + draw(2)) + made.all(windows[d]) - draw(3),
                                  1 + draw(2), sizes[d]);
    }
    return made.finish();
  }
  default: { // gather
    Index sizes;
    for (size_t d = 0; d < rank; ++d) {
      sizes.push_back(shape[d] + draw(3));
    }
    IndexingBuilder made(shape, sizes, &context);
    for (size_t d = 0; d < rank; ++d) {
      std::vector<AffineExpr> at;
      if (draw(2)) {
        at = {made.dim(static_cast<size_t>(draw(number(rank))))};
      }
      made.at(d) = made.dim(d) + made.load(source(), at, sizes[d] - shape[d] + 1);
    }
    return made.finish();
  }
  }
}

TEST_F(IndexingMapTest, CompositionReadsWhatItsPartsRead) {
  size_t pure = 0, empty = 0, symbols = 0;
  for (int i = 0; i < 5'000; ++i) {
    Index shape = randomShape();
    std::vector<IndexingMap> maps = {randomMap(shape)};
    IndexingMap composed = maps.front();
    for (int64_t more = 1 + draw(3); more-- > 0;) {
      Index next(maps.back().operandSizes());
      if (next.size() > 5 ||
          std::accumulate(next.begin(), next.end(), int64_t{1}, std::multiplies<>()) > 400) {
        break;
      }
      maps.push_back(randomMap(next));
      composed = composed.followedBy(maps.back());
    }
    forEachIndex(shape, [&](const Index &index) {
      std::set<Index> wanted = {index};
      for (const IndexingMap &map : maps) {
        std::set<Index> read;
        for (const Index &each : wanted) {
          std::set<Index> more = reads(map, each);
          read.insert(more.begin(), more.end());
        }
        wanted = std::move(read);
      }
      EXPECT_EQ(reads(composed, index), wanted) << composed.str();
    });
    pure += composed.isPure();
    empty += composed.readsNothing();
    symbols += !composed.symbols().empty();
    ASSERT_FALSE(HasFailure()) << i;
  }
  EXPECT_GE(pure, 500u);
  EXPECT_GE(empty, 50u);
  EXPECT_GE(symbols, 1'000u);
}

// A reshape followed by its inverse is the identity.
TEST_F(IndexingMapTest, MovesAndTheirReversesAreTheIdentity) {
  auto reshape = [&](const Index &from, const Index &to) {
    IndexingBuilder made(from, to, &context);
    std::vector<AffineExpr> dims;
    for (size_t d = 0; d < from.size(); ++d) {
      dims.push_back(made.dim(d));
    }
    std::vector<AffineExpr> index = reshapedIndex(from, dims, to, &context);
    for (size_t d = 0; d < to.size(); ++d) {
      made.at(d) = index[d];
    }
    return made.finish();
  };
  for (auto [from, to] : std::initializer_list<std::pair<Index, Index>>{{{24}, {2, 3, 4}},
                                                                        {{4, 6}, {6, 4}},
                                                                        {{2, 1, 12}, {4, 6, 1}},
                                                                        {{5, 7, 2}, {70}},
                                                                        {{3, 8}, {2, 12}},
                                                                        {{}, {1, 1}},
                                                                        {{8, 9, 10}, {12, 60}}}) {
    IndexingMap back = reshape(from, to).followedBy(reshape(to, from));
    EXPECT_TRUE(back.isIdentity()) << back.str();
    IndexingMap forth = reshape(to, from).followedBy(reshape(from, to));
    EXPECT_TRUE(forth.isIdentity()) << forth.str();
  }
}

// Only maps that reorder elements have an inverse. The inverse leads back to each element.
TEST_F(IndexingMapTest, InversesLeadBack) {
  int found = 0;
  for (int i = 0; i < 5'000; ++i) {
    Index shape = randomShape();
    IndexingMap map = randomMap(shape);
    std::set<Index> all;
    bool isBijection = true;
    int64_t read = 0, elements = 1;
    forEachIndex(shape, [&](const Index &index) {
      std::set<Index> of = reads(map, index);
      isBijection &= of.size() == 1;
      read += 1;
      all.insert(of.begin(), of.end());
    });
    for (int64_t size : map.operandSizes()) {
      elements *= size;
    }
    isBijection &= static_cast<int64_t>(all.size()) == elements && read == elements;
    std::optional<IndexingMap> inverse = map.inverse();
    if (!inverse) {
      continue;
    }
    ++found;
    ASSERT_TRUE(isBijection) << map.str();
    EXPECT_EQ(map.keepsPositions(), inverse->keepsPositions()) << map.str();
    forEachIndex(shape, [&](const Index &index) {
      EXPECT_EQ(reads(*inverse, *reads(map, index).begin()), std::set<Index>{index})
          << map.str() << " and " << inverse->str();
    });
  }
  EXPECT_GE(found, 800);
}

TEST_F(IndexingMapTest, IdentityIsWhatTheBuilderMakes) {
  for (const Index &shape : std::initializer_list<Index>{{}, {1}, {4, 1, 3}, {2, 0}}) {
    IndexingBuilder made(shape, shape, &context);
    for (size_t d = 0; d < shape.size(); ++d) {
      made.at(d) = made.dim(d);
    }
    EXPECT_EQ(made.finish(), IndexingMap::identity(shape, &context));
  }
}

TEST_F(IndexingMapTest, Text) {
  IndexingBuilder made({4, 8}, {9, 16, 5}, &context);
  made.at(0) = made.dim(0) * 2 + made.all(3) - 1;
  made.constrain(made.at(0), 0, 8);
  made.at(1) = made.dim(1) + made.load(source(), {made.dim(0)}, 9);
  EXPECT_EQ(made.finish().str(),
            "(d0, d1)[s0 < 3, s1 loaded below 9] -> (d0 * 2 + s0 - 1, d1 + s1, "
            "0) where 0 <= d0 * 2 + s0 - 1 <= 7");
  EXPECT_EQ(IndexingMap::nothing({4}, {4}, &context).str(), "nothing");
}

// operandDimensions() finds the operand dimension of each result dimension even if some dimensions
// are sliced, repeated, or of size 1.
TEST_F(IndexingMapTest, DimensionsFollowTheOperands) {
  auto mapOf = [&](const Index &sizes, const Index &operand, auto write) {
    IndexingBuilder made(sizes, operand, &context);
    write(made);
    return made.finish();
  };
  using Dimensions = llvm::SmallVector<int64_t>;
  IndexingMap transpose = mapOf({6, 1, 4}, {4, 6, 1}, [](IndexingBuilder &made) {
    made.at(0) = made.dim(2);
    made.at(1) = made.dim(0);
  });
  EXPECT_EQ(transpose.operandDimensions(), (Dimensions{1, -1, 0}));
  EXPECT_TRUE(transpose.transposes());
  // Moving a dimension of size 1 does not change the order of the other dimensions.
  IndexingMap single =
      mapOf({1, 4}, {4, 1}, [](IndexingBuilder &made) { made.at(0) = made.dim(1); });
  EXPECT_EQ(single.operandDimensions(), (Dimensions{-1, 0}));
  EXPECT_FALSE(single.transposes());
  IndexingMap repeated = mapOf({3, 5, 4}, {4, 3, 2}, [](IndexingBuilder &made) {
    made.at(0) = made.dim(2);
    made.at(1) = made.constant(2) - made.dim(0);
    made.at(2) = made.all(2);
  });
  EXPECT_EQ(repeated.operandDimensions(), (Dimensions{1, -1, 0}));
  EXPECT_TRUE(repeated.transposes());
  IndexingMap diagonal =
      mapOf({4}, {4, 4}, [](IndexingBuilder &made) { made.at(0) = made.at(1) = made.dim(0); });
  EXPECT_FALSE(diagonal.operandDimensions());
  EXPECT_FALSE(IndexingMap::reshape({6}, {2, 3}, &context).operandDimensions());
  EXPECT_FALSE(IndexingMap::reshape({2, 3}, {6}, &context).operandDimensions());
  EXPECT_EQ(IndexingMap::reshape({6, 1}, {1, 6}, &context).operandDimensions(),
            (Dimensions{1, -1}));
}

} // namespace drumlin
