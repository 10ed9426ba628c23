// Tests what a program's requirements on sizes imply for its symbols.
#include "drumlin/transforms/simplify/sizes/SizeFacts.h"

#include "drumlin/ir/sizes/InstantiateSizes.h"

#include <gtest/gtest.h>

using namespace drumlin;
using Outcome = SizeFacts::Outcome;

namespace {
// Symbols `a`, `b`, `c`.
struct Facts : SizeFacts, testing::Test {
  Facts() {
    for (const char *name : {"a", "b", "c"}) {
      addSymbol(name);
    }
  }
  static SizeExpression of(std::string_view text) { return *SizeExpression::parse(text); }
  Outcome zero(std::string_view text) { return requireZero(of(text)); }
  Outcome atLeastZero(std::string_view text) { return requireAtLeastZero(of(text)); }
  std::string now(std::string_view text) { return simplified(of(text)).str(); }
  std::string all() {
    std::string text;
    for (const SizeSymbol &each : symbols()) {
      text += each.name + " " + std::to_string(each.minimum) + ".." +
              (each.maximum == maxSymbolValue ? "" : std::to_string(each.maximum)) + "; ";
    }
    for (const SizeConstraint &each : constraints()) {
      text += each.str() + "; ";
    }
    return text;
  }
};
using SizeFactsTest = Facts;
} // namespace

TEST_F(SizeFactsTest, DropTheLaterOfEqualSymbols) {
  EXPECT_EQ(zero("a - b"), Outcome::News);
  EXPECT_EQ(now("a + b"), "2 * a");
  EXPECT_EQ(zero("b - a"), Outcome::Known);
  EXPECT_EQ(all(), "a 0..; c 0..; ");
}

TEST_F(SizeFactsTest, SolveForASymbol) {
  zero("c - a * b - 1");
  EXPECT_EQ(now("c"), "a * b + 1");
  EXPECT_EQ(zero("2 * b - 6"), Outcome::News);
  EXPECT_EQ(now("c"), "3 * a + 1");
  EXPECT_EQ(zero("2 * a - 7"), Outcome::Contradiction);
}

// Bounds of a symbol also apply to the expression that replaces it.
TEST_F(SizeFactsTest, KeepBoundsOfDroppedSymbols) {
  atLeastZero("b - 4");
  atLeastZero("64 - b");
  zero("a - b");
  EXPECT_EQ(all(), "a 4..64; c 0..; ");
}

TEST_F(SizeFactsTest, TakeMultiplesApart) {
  EXPECT_EQ(zero("mod(b, 4)"), Outcome::News);
  EXPECT_EQ(now("b"), "4 * b_by_4");
  EXPECT_EQ(now("floordiv(b, 2) * 2 - b"), "0");
  EXPECT_EQ(zero("mod(a + 1, 2)"), Outcome::News);
  EXPECT_EQ(now("a"), "2 * a_by_2 - 1");
  EXPECT_EQ(all(), "a_by_2 1..1073741824; b_by_4 0..536870911; c 0..; ");
}

TEST_F(SizeFactsTest, NarrowBounds) {
  EXPECT_EQ(atLeastZero("2 * a - 5"), Outcome::News);
  EXPECT_EQ(atLeastZero("100 - 3 * a"), Outcome::News);
  EXPECT_EQ(atLeastZero("a - 2"), Outcome::Known);
  EXPECT_EQ(all(), "a 3..33; b 0..; c 0..; ");
  EXPECT_EQ(isAtLeastZero(of("a - 3")), true);
  EXPECT_EQ(isAtLeastZero(of("2 - a")), false);
  EXPECT_EQ(isAtLeastZero(of("a - b")), std::nullopt);
  EXPECT_EQ(larger(of("a"), of("1")).str(), "a");
  EXPECT_EQ(smaller(of("a"), of("b")).str(), "min(a, b)");
  EXPECT_EQ(atLeastZero("1 - a"), Outcome::Contradiction);
}

TEST_F(SizeFactsTest, KnowASizeThatIsLeft) {
  atLeastZero("a - 7");
  EXPECT_EQ(atLeastZero("7 - a"), Outcome::News);
  EXPECT_EQ(now("a * b"), "7 * b");
}

TEST_F(SizeFactsTest, KeepOtherConstraints) {
  EXPECT_EQ(atLeastZero("a - b"), Outcome::Known);
  EXPECT_EQ(atLeastZero("a - b"), Outcome::Known);
  EXPECT_EQ(zero("a * b - a * c"), Outcome::Known);
  EXPECT_EQ(all(), "a 0..; b 0..; c 0..; a - b >= 0; a * b - a * c == 0; ");
  EXPECT_EQ(isAtLeastZero(of("a - b + 1")), true);
  EXPECT_EQ(larger(of("b"), of("a")).str(), "a");
}

TEST_F(SizeFactsTest, NameSymbolsOnce) {
  EXPECT_EQ(addSymbol("a").str(), "a_1");
  EXPECT_EQ(addSymbol("0 x'").str(), "d0_x_");
  rename("b", "batch");
  EXPECT_EQ(now("b + batch"), "2 * batch");
  EXPECT_EQ(all(), "a 0..; batch 0..; c 0..; a_1 0..; d0_x_ 0..; ");
}

// To check that a kernel's code is the same at all sizes, code is also generated for other sizes. A
// size with a single block at its nominal value must have several blocks at these other sizes.
TEST(OtherValues, LeaveTheBlockOfANominalSize) {
  SizeExpression difference = *SizeExpression::parse("a - b");
  SizeConstraint atLeastOne{*SizeExpression::parse("a - b - 1")};
  SizeSymbol a{"a", 101}, b{"b", 97};
  for (const std::vector<SizeSymbol> &symbols : {std::vector{a, b}, std::vector{b, a}}) {
    SizeExpression::Values values =
        otherValues(symbols, {atLeastOne}, OtherSizes::Larger, {difference});
    EXPECT_GT(*difference.evaluate(values), 16);
  }
}
