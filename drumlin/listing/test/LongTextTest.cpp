// Tests tables of texts with thousands of characters.
#include "drumlin/listing/LongText.h"

#include <gtest/gtest.h>

namespace drumlin::listing {

TEST(ListingLongText, EqualItemsTogether) {
  EXPECT_EQ(tableOf("{true,true, true}", 2), "  0-2  true\n");
  EXPECT_EQ(tableOf("(f32[2,3]{1,0}, f32[], f32[2,3]{1,0}, f32[2,3]{1,0})", 4),
            "    0, 2-3  f32[2,3]{1,0}\n    1       f32[]\n");
}

TEST(ListingLongText, TypesOfFunctions) {
  EXPECT_EQ(tableOf("{(f32[2]{0}, f32[2]{0}, s32[])->(f32[<=8], f32[2]{0})}", 0),
            "parameters\n  0-1  f32[2]{0}\n  2    s32[]\nresults\n  f32[<=8], f32[2]{0}\n");
  EXPECT_EQ(tableOf("{(f32[2], f32[2])->f32[2]}", 0),
            "parameters\n  0-1  f32[2]\nresults\n  f32[2]\n");
  EXPECT_EQ(tableOf("{()->()}", 0), "parameters\nresults\n");
}

TEST(ListingLongText, DifferentItemsFillLines) {
  std::string text = "{ ";
  for (int i = 0; i < 40; ++i) {
    text += (i == 0 ? "{" : ", {") + std::to_string(i) + "}: (" + std::to_string(i) +
            ", {}, may-alias)";
  }
  std::string table = tableOf(text + " }", 4);
  EXPECT_TRUE(table.starts_with("    {0}: (0, {}, may-alias), {1}: (1, {}, may-alias), ")) << table;
  EXPECT_TRUE(table.ends_with(" {39}: (39, {}, may-alias)\n")) << table;
  for (size_t at = 0; at < table.size();) {
    size_t end = table.find('\n', at);
    EXPECT_LE(end - at, 120u) << table;
    at = end + 1;
  }
}

TEST(ListingLongText, QuotesAndOtherTexts) {
  EXPECT_EQ(tableOf("[{a = \"x, ]\"}, {a = \"x, ]\"}]", 0), "0-1  {a = \"x, ]\"}\n");
  for (const char *text : {"", "abc", "{", "}", "{a", "{a}, {b}", "\"{a}\"", "(a))", "{\"a}"}) {
    EXPECT_EQ(tableOf(text, 0), "") << text;
  }
  // Terminates for malformed texts too.
  for (std::string text : {"{a, (b, c}", "{\"a, b}", "{a,,b}", "{,}", "{a, }"}) {
    std::string table = tableOf(text, 0);
    EXPECT_TRUE(table.empty() || table.back() == '\n') << text;
  }
}

TEST(ListingLongText, Types) {
  std::string type = "(";
  for (int i = 0; i < 30; ++i) {
    type += (i == 0 ? "" : ", ") + std::string("f32[256,64]{1,0}");
  }
  EXPECT_EQ(cutType(type + ")"),
            "(f32[256,64]{1,0}, f32[256,64]{1,0}, f32[256,64]{1,0}, … 30 elements)");
  EXPECT_EQ(cutType("(f32[], s32[])"), "(f32[], s32[])");
  EXPECT_EQ(cutType(type), type);
}

} // namespace drumlin::listing
