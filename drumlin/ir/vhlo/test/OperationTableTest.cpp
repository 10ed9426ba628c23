#include "drumlin/ir/vhlo/OperationTable.h"

#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>

using namespace drumlin::vhlo;

TEST(OperationTable, IsInOrderOfNamesAndVersions) {
  llvm::ArrayRef<OperationVersion> all = allOperations();
  ASSERT_FALSE(all.empty());
  for (auto [before, after] : llvm::zip(all.drop_back(), all.drop_front())) {
    EXPECT_TRUE(std::tie(before.base, before.number) < std::tie(after.base, after.number))
        << after.name;
  }
}

TEST(OperationTable, VersionsFollowEachOtherWithoutGapUntilTheNewestRelease) {
  for (const OperationVersion &version : allOperations()) {
    llvm::ArrayRef<OperationVersion> versions = versionsOf(version.base);
    ASSERT_LE(version.number, versions.size());
    EXPECT_EQ(&versions[version.number - 1], &version);
    EXPECT_LE(version.releases.first, version.releases.last) << version.name;
    if (&version == &versions.back()) {
      EXPECT_EQ(version.releases.last, newestVersion) << version.name;
    } else {
      // The next release has the next minor number, except that 0.20 is followed by 1.0.
      Version last = version.releases.last;
      Version next =
          last == Version{0, 20, 0} ? Version{1, 0, 0} : Version{last.major, last.minor + 1, 0};
      EXPECT_EQ(versions[version.number].releases.first, next) << version.name;
    }
  }
}

TEST(OperationTable, AttributesAreInAlphabeticalOrder) {
  for (const OperationVersion &version : allOperations()) {
    EXPECT_TRUE(llvm::is_sorted(version.attributes)) << version.name;
  }
}

TEST(OperationTable, FindsTheVersionOfARelease) {
  EXPECT_EQ(operationAt("gather", {1, 0, 0})->name, "vhlo.gather_v1");
  EXPECT_EQ(operationAt("gather", {1, 1, 0})->name, "vhlo.gather_v2");
  EXPECT_EQ(operationAt("gather", {1, 0, 7})->name, "vhlo.gather_v1");
  EXPECT_EQ(operationAt("composite", {0, 18, 0}), nullptr);
  EXPECT_EQ(operationAt("nothing", newestVersion), nullptr);
}

TEST(Version, ReadsThreeNumbersOnly) {
  EXPECT_EQ(Version::parse("1.17.3"), (Version{1, 17, 3}));
  for (const char *text : {"", "1", "1.2", "1.2.", "1.2.3.4", "v1.2.3", "1.-2.3", "1.2.3 ",
                           "1.0x2.3", "1.2.99999999999"}) {
    EXPECT_EQ(Version::parse(text), std::nullopt) << text;
  }
  EXPECT_EQ((Version{0, 20, 1}.str()), "0.20.1");
}

TEST(Version, KnowsItsReleasesAndTheirBytecode) {
  EXPECT_TRUE(isKnown({0, 9, 0}));
  EXPECT_TRUE(isKnown({1, 20, 5}));
  EXPECT_FALSE(isKnown({0, 8, 9}));
  EXPECT_FALSE(isKnown({1, 21, 0}));
  EXPECT_EQ(bytecodeVersion({0, 9, 0}), 0);
  EXPECT_EQ(bytecodeVersion({0, 11, 0}), 1);
  EXPECT_EQ(bytecodeVersion({0, 13, 0}), 3);
  EXPECT_EQ(bytecodeVersion({0, 14, 0}), 4);
  EXPECT_EQ(bytecodeVersion({0, 15, 0}), 6);
}
