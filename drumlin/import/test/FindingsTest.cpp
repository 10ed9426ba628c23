// Tests the files that fuzzing found (`./dev fuzz`): each gives a program or an error without a
// crash. Reading a program's printed text gives the same program again.
#include "drumlin/import/Import.h"

#include "llvm/Support/raw_ostream.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace drumlin;
using namespace mlir;

static std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

static void readFinding(const std::filesystem::path &path) {
  SCOPED_TRACE(path.filename().string());
  DialectRegistry registry;
  registerDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  ImportLimits limits;
  limits.nativeTypesOnly = false;
  limits.convertedOnly = true;
  auto read = [&] {
    // The bytes are freed after reading; the program must not need them any more.
    std::stringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    return importText(bytes.str(), path.filename().string(), context, limits);
  };
  Result<OwningOpRef<ModuleOp>> module = read();
  if (!module) {
    EXPECT_NE(module.error().message, "");
    return;
  }
  std::string text = textOf(**module);
  MLIRContext other(registry, MLIRContext::Threading::DISABLED);
  Result<OwningOpRef<ModuleOp>> again = importText(text, "written.mlir", other, limits);
  ASSERT_TRUE(again) << again.error().str() << "\n" << text;
  EXPECT_EQ(textOf(**again), text);
}

TEST(Findings, AreReadWithoutFault) {
  unsigned count = 0;
  for (const auto &entry : std::filesystem::directory_iterator(FINDINGS)) {
    readFinding(entry.path());
    ++count;
  }
  EXPECT_GE(count, 4u);
}
