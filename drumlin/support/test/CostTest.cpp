#include "drumlin/support/Cost.h"

#include <gtest/gtest.h>
#include <limits>

namespace drumlin {

static constexpr int64_t largest = std::numeric_limits<int64_t>::max();

// Returns a cost whose fields are numbered from 1.
static Cost numbered() {
  Cost cost;
  int64_t number = 0;
  for (const CostField &field : costFields) {
    cost.*field.field = ++number;
  }
  return cost;
}

TEST(CostTest, EveryFieldIsListedOnce) {
  static_assert(sizeof(Cost) == std::size(costFields) * sizeof(int64_t));
  Cost cost = numbered();
  int64_t number = 0;
  for (const CostField &field : costFields) {
    EXPECT_EQ(cost.*field.field, ++number) << field.name;
  }
}

TEST(CostTest, SumsOfFields) {
  Cost cost = numbered();
  EXPECT_EQ(cost.modelFlops(), cost.matrixFlops + cost.elementFlops);
  EXPECT_EQ(cost.hardwareFlops(), cost.modelFlops() + cost.upcastFlops + cost.padFlops +
                                      cost.transposeFlops + cost.recomputeFlops);
  EXPECT_EQ(cost.bytes(), cost.askedBytesRead + cost.askedBytesWritten + cost.otherBytesRead +
                              cost.otherBytesWritten);
  Cost twice = cost;
  twice += cost;
  for (const CostField &field : costFields) {
    EXPECT_EQ(twice.*field.field, 2 * (cost.*field.field)) << field.name;
  }
}

// Required bytes count once; further calls count them as other bytes.
TEST(CostTest, RepetitionsReadAgain) {
  Cost cost = numbered();
  Cost three = cost.repeated(3);
  EXPECT_EQ(three.matrixFlops, 3 * cost.matrixFlops);
  EXPECT_EQ(three.askedBytesRead, cost.askedBytesRead);
  EXPECT_EQ(three.askedBytesWritten, cost.askedBytesWritten);
  EXPECT_EQ(three.otherBytesRead, 3 * cost.otherBytesRead + 2 * cost.askedBytesRead);
  EXPECT_EQ(three.otherBytesWritten, 3 * cost.otherBytesWritten + 2 * cost.askedBytesWritten);
  EXPECT_EQ(three.bytes(), 3 * cost.bytes());
  EXPECT_EQ(cost.repeated(1), cost);
  EXPECT_EQ(cost.repeated(0), Cost());
}

TEST(CostTest, CountsSaturate) {
  EXPECT_EQ(addSaturating(largest, 1), largest);
  EXPECT_EQ(addSaturating(largest - 1, 1), largest);
  EXPECT_EQ(multiplySaturating(largest / 2, 3), largest);
  EXPECT_EQ(multiplySaturating(3, 5), 15);
  Cost cost = numbered();
  EXPECT_EQ(cost.repeated(largest).padFlops, largest);
  cost.matrixFlops = largest;
  EXPECT_EQ(cost.hardwareFlops(), largest);
}

} // namespace drumlin
