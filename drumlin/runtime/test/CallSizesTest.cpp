// Tests the sizes of a call computed from its arguments' sizes.
#include "drumlin/runtime/executable/CallSizes.h"

#include <gtest/gtest.h>

using namespace drumlin;

static std::vector<SizeExpression> sizes(std::string_view text) {
  return *SizeExpression::parseList(text);
}

// Arguments (b, 4 * s) and (b + 1), result (b * s, 2); b is from 1 to 9, and at least s.
static ImageDescription image() {
  ImageDescription made;
  made.arguments.resize(2);
  made.arguments[0].name = "x";
  made.arguments[0].shape = {5, 12};
  made.arguments[0].sizes = sizes("b, 4 * s");
  made.arguments[1].name = "y";
  made.arguments[1].shape = {6};
  made.arguments[1].sizes = sizes("b + 1");
  made.results.resize(1);
  made.results[0].name = "z";
  made.results[0].shape = {15, 2};
  made.results[0].sizes = sizes("b * s, 2");
  made.symbols = {{"b", 1, 9}, {"s", 0, 1000}};
  made.constraints = {{sizes("b - s").front(), false}};
  made.arenaBytes = 64;
  made.slotBytes = sizes("64 * floordiv(4 * b * s + 63, 64)").front();
  made.scratchBytes = 128;
  made.scratchSizes = sizes("8 * b, 64 * s");
  return made;
}

static std::string messageFor(std::vector<Shape> shapes, ImageDescription of = image()) {
  Result<CallSizes> made = sizesOfCall(of, shapes, "p.so");
  EXPECT_FALSE(made);
  EXPECT_EQ(made.error().location, "p.so");
  return made ? "" : made.error().message;
}

TEST(CallSizes, SolvesArgumentsForSymbols) {
  EXPECT_EQ(findSizeFault(image()), "");
  std::vector<Shape> shapes = {{7, 20}, {8}};
  Result<CallSizes> made = sizesOfCall(image(), shapes, "p.so");
  ASSERT_TRUE(made) << made.error().str();
  EXPECT_EQ(made->symbols, (std::vector<int64_t>{7, 5}));
  EXPECT_EQ(made->results, (std::vector<Shape>{{35, 2}}));
  EXPECT_EQ(made->arenaBytes, 64u + 192u);
  EXPECT_EQ(made->scratchBytes, 320u);
}

TEST(CallSizes, TakesEmptyArguments) {
  std::vector<Shape> shapes = {{1, 0}, {2}};
  Result<CallSizes> made = sizesOfCall(image(), shapes, "p.so");
  ASSERT_TRUE(made) << made.error().str();
  EXPECT_EQ(made->results, (std::vector<Shape>{{0, 2}}));
  EXPECT_EQ(made->arenaBytes, 64u);
  EXPECT_EQ(made->scratchBytes, 128u);
}

TEST(CallSizes, NamesDimensionAndWhatWasExpected) {
  EXPECT_EQ(messageFor({{7, 21}, {8}}),
            "argument 0 `x`, dimension 1, is 21, and the program takes 4 * s");
  EXPECT_EQ(messageFor({{7, 20}, {9}}),
            "argument 1 `y`, dimension 0, is 9, and the program takes b + 1 = 8");
  EXPECT_EQ(messageFor({{10, 20}, {11}}),
            "argument 0 `x`, dimension 0, is 10: b = 10, and the program takes 9 at most");
  EXPECT_EQ(messageFor({{0, 0}, {1}}),
            "argument 0 `x`, dimension 0, is 0: b = 0, and the program takes 1 at least");
  EXPECT_EQ(messageFor({{2, 12}, {3}}),
            "the program takes sizes with b - s >= 0, not b = 2, s = 3");
  EXPECT_EQ(messageFor({{2}, {3}}), "argument 0 `x` has 1 dimensions, the program takes 2");
  EXPECT_EQ(messageFor({{2, -4}, {3}}), "argument 0 `x` has impossible sizes");
}

TEST(CallSizes, RefusesWhatNoMemoryHolds) {
  ImageDescription large = image();
  large.symbols = {{"b", 0, int64_t(1) << 40}, {"s", 0, int64_t(1) << 40}};
  large.constraints.clear();
  int64_t size = int64_t(1) << 22;
  EXPECT_EQ(messageFor({{size, 4 * size}, {size + 1}}, large),
            "argument 0 `x` has impossible sizes");
  large.arguments[0].sizes = sizes("b, 0 * s");
  large.arguments[0].shape = {5, 0};
  large.arguments[1].sizes = sizes("s");
  EXPECT_EQ(messageFor({{size, 0}, {size}}, large),
            "result `z`: no machine has memory for these sizes");
}

TEST(CallSizes, FindsSizesThatNoArgumentGives) {
  ImageDescription broken = image();
  broken.results[0].sizes = sizes("b, t");
  EXPECT_EQ(findSizeFault(broken), "`z` has impossible sizes");
  broken = image();
  broken.symbols.push_back({"t", 0, 5});
  EXPECT_EQ(findSizeFault(broken), "it has a size symbol that no argument determines");
  broken = image();
  broken.results[0].sizes = sizes("b");
  EXPECT_EQ(findSizeFault(broken), "`z` has impossible sizes");
  broken = image();
  broken.symbols[0].minimum = 10;
  EXPECT_EQ(findSizeFault(broken), "a size has no name, or impossible bounds");
  broken = image();
  broken.constraints[0].size = sizes("u").front();
  EXPECT_EQ(findSizeFault(broken), "it has a size symbol that no argument determines");
}
