#include "drumlin/support/NearestName.h"

#include <gtest/gtest.h>

#include <vector>

namespace drumlin {
namespace {

TEST(NearestNameTest, CountsWhatDiffers) {
  EXPECT_EQ(editDistance("", ""), 0U);
  EXPECT_EQ(editDistance("abc", ""), 3U);
  EXPECT_EQ(editDistance("compil", "compile"), 1U);
  EXPECT_EQ(editDistance("kitten", "sitting"), 3U);
}

TEST(NearestNameTest, NamesWhatWasMeant) {
  std::vector<std::string> names = {"compile", "check", "cost", "sm_90", "sm_100"};
  EXPECT_EQ(nearestName("compil", names), "compile");
  EXPECT_EQ(nearestName("COMPILE", names), "compile");
  EXPECT_EQ(nearestName("sm91", names), "sm_90");
  EXPECT_EQ(nearestName("co", names), "compile"); // the first name with this prefix
  EXPECT_EQ(nearestName("something", names), "");
  EXPECT_EQ(nearestName("c", names), ""); // one letter is a prefix of too many words
  EXPECT_EQ(nearestName("z80", {{"k8"}}), "");
  EXPECT_EQ(nearestName("", names), "");
  EXPECT_EQ(nearestName("compile", {}), "");
}

} // namespace
} // namespace drumlin
