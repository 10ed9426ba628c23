// Checks the embedded bitcode and the table that describes it.
#include "drumlin/codegen/cpu/math/MathLibrary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace drumlin;

// Both variants start with LLVM's magic number and differ.
TEST(MathLibrary, EmbedsTwoVariants) {
  std::span<const uint8_t> fused = mathLibrary(true).bitcode, plain = mathLibrary(false).bitcode;
  for (std::span<const uint8_t> bitcode : {fused, plain}) {
    ASSERT_GT(bitcode.size(), 1000u);
    EXPECT_EQ(bitcode[0], 'B');
    EXPECT_EQ(bitcode[1], 'C');
    EXPECT_EQ(bitcode[2], 0xc0);
    EXPECT_EQ(bitcode[3], 0xde);
  }
  EXPECT_FALSE(std::ranges::equal(fused, plain));
}

// The bitcode's string table contains every symbol of the table.
TEST(MathLibrary, DefinesEveryFunctionOfTheTable) {
  for (bool fma : {false, true}) {
    std::span<const uint8_t> bitcode = mathLibrary(fma).bitcode;
    std::string_view text(reinterpret_cast<const char *>(bitcode.data()), bitcode.size());
    for (const MathFunction &function : mathFunctions()) {
      EXPECT_NE(text.find("drumlin_" + std::string(function.name)), std::string_view::npos)
          << function.name;
    }
#define DRUMLIN_MATH_CONVERSION(kind, type, bits)                                                  \
  EXPECT_NE(text.find("drumlin_" #kind "_from_f32"), std::string_view::npos);                      \
  EXPECT_NE(text.find("drumlin_f32_from_" #kind), std::string_view::npos);
#include "drumlin/codegen/cpu/math/MathConversions.def"
    EXPECT_NE(text.find("drumlin_f32_from_f64_odd"), std::string_view::npos);
  }
}

TEST(MathLibrary, FindsFunctionsByOperationAndElement) {
  const MathFunction *function = findMathFunction("exponential", MathElement::F32);
  ASSERT_NE(function, nullptr);
  EXPECT_EQ(function->name, "exp_f32");
  EXPECT_EQ(function->lanes, 16u);
  EXPECT_EQ(findMathFunction("sort", MathElement::F32), nullptr);
}

// All names are unique, and so are all pairs of operation and element type.
TEST(MathLibrary, ListsEachFunctionOnce) {
  std::set<std::string_view> names;
  std::set<std::pair<std::string_view, MathElement>> keys;
  for (const MathFunction &function : mathFunctions()) {
    EXPECT_TRUE(names.insert(function.name).second);
    EXPECT_TRUE(keys.insert({function.operation, function.element}).second);
    EXPECT_EQ(function.lanes, function.element == MathElement::F32 ? 16u : 8u);
  }
}
