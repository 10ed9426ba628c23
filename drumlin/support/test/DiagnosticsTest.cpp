#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/InternalErrors.h"

#include <cctype>
#include <gtest/gtest.h>
#include <set>
#include <string>

using namespace drumlin;

// Every diagnostic has a unique code and a remedy.
TEST(Diagnostics, RegistryIsComplete) {
  std::set<std::string_view> ids;
  for (const DiagnosticInfo &entry : allDiagnostics()) {
    EXPECT_TRUE(ids.insert(entry.id).second) << entry.id << " is used twice";
    ASSERT_EQ(entry.id.size(), 5u) << entry.name;
    EXPECT_EQ(entry.id[0], 'D');
    for (char digit : entry.id.substr(1)) {
      EXPECT_TRUE(std::isdigit(static_cast<unsigned char>(digit))) << entry.id;
    }
    ASSERT_FALSE(entry.remedy.empty()) << entry.name;
    EXPECT_NE(entry.remedy.back(), '.') << entry.name;
    EXPECT_FALSE(std::isupper(static_cast<unsigned char>(entry.remedy[0]))) << entry.name;
    EXPECT_NE(entry.status, ExitStatus::Done) << entry.name;
    EXPECT_EQ(&info(entry.code), &entry);
  }
}

TEST(Diagnostics, TextHasLocationCodeAndHint) {
  Diagnostic error = diagnose(errors::FileNotReadable, "can't read the file", "a.mlir:1:2");
  EXPECT_EQ(
      error.str(),
      "a.mlir:1:2: error D1001: can't read the file\n  hint: check the path and its permissions\n");
  error = diagnose(errors::FileNotReadable, "can't read the file", "", "look again");
  EXPECT_EQ(error.str(), "error D1001: can't read the file\n  hint: look again\n");
}

TEST(Diagnostics, ResultHoldsAValueOrAnError) {
  Result<int> value = 3;
  ASSERT_TRUE(value);
  EXPECT_EQ(*value, 3);
  Status status = diagnose(errors::InternalError, "x");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, errors::InternalError);
}
