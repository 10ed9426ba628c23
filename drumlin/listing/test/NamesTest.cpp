// Tests that short names are unambiguous and don't depend on what is printed.
#include "drumlin/listing/Names.h"

#include <gtest/gtest.h>

namespace drumlin::listing {

using Names = std::vector<std::string>;

TEST(ListingNames, OneNumberStays) {
  EXPECT_EQ(shortNames({"fusion.12", "add", "p.1"}), Names({"fusion.12", "add", "p.1"}));
}

TEST(ListingNames, SeveralNumbersGo) {
  EXPECT_EQ(shortNames({"Arg_0.1.0", "Arg_1.2.0", "cublas-gemm.1.0"}),
            Names({"Arg_0", "Arg_1", "cublas-gemm"}));
}

// If two names could be shortened to `add`, they keep the first number if it distinguishes them,
// else all numbers.
TEST(ListingNames, WhatIsAmbiguousKeepsNumbers) {
  EXPECT_EQ(shortNames({"add.1.0", "add.2.0"}), Names({"add.1", "add.2"}));
  EXPECT_EQ(shortNames({"add.1.0", "add.1.1"}), Names({"add.1.0", "add.1.1"}));
  EXPECT_EQ(shortNames({"add.1.0", "add"}), Names({"add.1", "add"}));
  EXPECT_EQ(shortNames({"add.1.0", "add.1"}), Names({"add.1.0", "add.1"}));
}

TEST(ListingNames, WhatOnlyLooksLikeANumberStays) {
  EXPECT_EQ(shortNames({"a.1.x", "1.2.3", ".5.6", "a..1", ""}),
            Names({"a.1.x", "1", ".5.6", "a..1", ""}));
}

} // namespace drumlin::listing
