// Tests sizes as polynomials: that equal sizes have one form, and the values, ranges and texts of
// sizes.
#include "drumlin/support/SizeExpression.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

using namespace drumlin;

static SizeExpression of(std::string_view text) {
  auto made = SizeExpression::parse(text);
  EXPECT_TRUE(made) << text;
  return made.value_or(SizeExpression(-12345));
}

TEST(SizeExpression, WritesEqualSizesAlike) {
  EXPECT_EQ(of("s*b + 1 + b*s").str(), "2 * b * s + 1");
  EXPECT_EQ(of("b - b").str(), "0");
  EXPECT_EQ(of("1024 - b").str(), "-b + 1024");
  EXPECT_EQ(of("max(b, a)"), of("max(a, b)"));
  EXPECT_EQ((of("b + 1") * of("b - 1")).str(), "b * b - 1");
}

TEST(SizeExpression, DividesWhatDivides) {
  EXPECT_EQ(of("floordiv(6 * b + 3, 3)").str(), "2 * b + 1");
  EXPECT_EQ(of("floordiv(4 * b + 5, 4)").str(), "b + 1");
  EXPECT_EQ(of("floordiv(4 * b + 6, 8)").str(), "floordiv(b + 1, 2)");
  EXPECT_EQ(of("floordiv(-b, 2)").str(), "-b + floordiv(b, 2)");
  EXPECT_EQ(of("floordiv(b * s * 6, 2 * s)").str(), "3 * b");
  EXPECT_EQ(of("floordiv(b + s, b + s)").str(), "1");
  EXPECT_EQ(of("floordiv(b, s)").str(), "floordiv(b, s)");
  EXPECT_EQ(of("floordiv(7, -2)").str(), "-4");
  EXPECT_EQ(of("mod(b, 4) + 4 * floordiv(b, 4)").str(), "b");
  EXPECT_FALSE(of("b").quotient(0).isValid());
}

TEST(SizeExpression, SubstitutesInFunctionsToo) {
  EXPECT_EQ(of("4 * floordiv(s, 4) - s").substitute("s", of("4 * h")).str(), "0");
  EXPECT_EQ(of("max(s, 3) + s").substitute("s", 5).str(), "10");
  EXPECT_EQ(of("min(s, t)").substitute("t", of("s + 1")).str(), "s");
}

TEST(SizeExpression, HasRanges) {
  auto between = [](int64_t low, int64_t high) {
    return [=](std::string_view) { return SizeExpression::Range(low, high); };
  };
  constexpr int64_t endless = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(of("2 * b - 3").range(between(1, 5)), SizeExpression::Range(-1, 7));
  EXPECT_EQ(of("b * s").range(between(0, endless)), SizeExpression::Range(0, endless));
  EXPECT_EQ(of("floordiv(b, 4)").range(between(0, 9)), SizeExpression::Range(0, 2));
  EXPECT_EQ(of("mod(b, 4)").range(between(0, endless)), SizeExpression::Range(0, 3));
  EXPECT_EQ(of("5 - 2 * mod(b + 1, 4)").range(between(0, 9)), SizeExpression::Range(-1, 5));
  EXPECT_EQ(of("b - floordiv(b, 2)").range(between(0, 9)), SizeExpression::Range(0, 5));
  EXPECT_EQ(of("b - floordiv(b + 1, 2)").range(between(1, endless)).first, 0);
  EXPECT_EQ(of("floordiv(3 * b, 4) - b").range(between(0, endless)).second, 0);
  EXPECT_EQ(of("max(b, 3)").range(between(0, 9)), SizeExpression::Range(3, 9));
  EXPECT_EQ(of("5 - b").range(between(1, endless)).second, 4);
}

TEST(SizeExpression, RefusesOtherTexts) {
  for (std::string_view text : {"", "b +", "(b)", "b b", "1x", "floordiv(b)", "f(a, b)", "b,", ",b",
                                "99999999999999999999", "max(a, b", "floordiv(a, 0)", "b ^ 2"}) {
    EXPECT_FALSE(SizeExpression::parse(text)) << text;
  }
  EXPECT_EQ(SizeExpression::parseList("")->size(), 0u);
  EXPECT_EQ(str(*SizeExpression::parseList("b, 2*b, 16")), "b, 2 * b, 16");
  std::string deep;
  for (int i = 0; i < 10000; ++i) {
    deep += "max(";
  }
  EXPECT_FALSE(SizeExpression::parse(deep));
}

TEST(SizeExpression, BreaksBeyond64Bits) {
  SizeExpression large(std::numeric_limits<int64_t>::max());
  EXPECT_FALSE((large + 1).isValid());
  EXPECT_FALSE((large * 2).isValid());
  EXPECT_FALSE((large + 1 - 1).isValid());
  EXPECT_FALSE(large + 1 == large + 1);
  EXPECT_FALSE((of("b") * large).evaluate([](auto) { return 2; }));
  EXPECT_FALSE(of("floordiv(b, s)").evaluate([](auto) { return 0; }));
}

// Checks that expressions, simplified or not, have the values of plain arithmetic.
static void checkValues(uint32_t seed) {
  std::mt19937 random(seed);
  auto next = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int round = 0; round < 500; ++round) {
    int64_t b = next(0, 40), s = next(1, 9);
    auto values = [&](std::string_view name) { return std::optional(name == "b" ? b : s); };
    std::vector<std::pair<SizeExpression, int64_t>> known = {
        {SizeExpression::symbol("b"), b}, {SizeExpression::symbol("s"), s}, {next(-9, 9), 0}};
    known[2].second = *known[2].first.constant();
    for (int step = 0; step < 6; ++step) {
      auto [x, xValue] =
          known[static_cast<size_t>(next(0, static_cast<int64_t>(known.size()) - 1))];
      auto [y, yValue] =
          known[static_cast<size_t>(next(0, static_cast<int64_t>(known.size()) - 1))];
      int64_t by = next(1, 6);
      int64_t above = (by - ((xValue % by) + by) % by) % by; // distance to the next multiple
      switch (next(0, 7)) {
      case 0:
        known.emplace_back(x + y, xValue + yValue);
        break;
      case 1:
        known.emplace_back(x * y, xValue * yValue);
        break;
      case 2:
        known.emplace_back(x.quotient(by), (xValue - ((xValue % by) + by) % by) / by);
        break;
      case 3:
        known.emplace_back(x.remainder(by), ((xValue % by) + by) % by);
        break;
      case 4:
        known.emplace_back(x.ceilQuotient(by), (xValue + above) / by);
        break;
      case 5:
        known.emplace_back(x.roundedUpTo(by), xValue + above);
        break;
      case 6:
        known.emplace_back(SizeExpression::larger(x, y), std::max(xValue, yValue));
        break;
      default:
        known.emplace_back(SizeExpression::smaller(x, y), std::min(xValue, yValue));
        break;
      }
      auto &[made, value] = known.back();
      if (!made.isValid()) {
        break;
      }
      ASSERT_EQ(made.evaluate(values), value) << made.str() << " at " << b << ", " << s;
      ASSERT_EQ(of(made.str()), made) << made.str();
      auto [low, high] = made.range([&](std::string_view name) {
        return name == "b" ? SizeExpression::Range(0, 40) : SizeExpression::Range(1, 9);
      });
      ASSERT_TRUE(low <= value && value <= high) << made.str();
    }
  }
}

TEST(SizeExpression, KeepsValues) {
  for (uint32_t seed = 0; seed < 4; ++seed) {
    checkValues(seed);
  }
}
