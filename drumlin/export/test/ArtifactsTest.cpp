// Tests that artifacts written by JAX give the same program as their text.
#include "drumlin/export/Export.h"
#include "drumlin/import/Import.h"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>

using namespace drumlin;
using namespace mlir;

namespace {
class Artifacts : public testing::Test {
protected:
  Artifacts() {
    registerDialects(registry);
    limits.nativeTypesOnly = false;
    limits.convertedOnly = true;
  }
  // Returns the programs in a folder of pairs NAME.code.mlir and NAME.code.txt. The environment
  // variable DRUMLIN_ARTIFACTS may name a second folder.
  static std::vector<std::string> programs(const std::string &folder) {
    std::vector<std::string> names;
    for (const auto &entry : std::filesystem::directory_iterator(folder)) {
      std::string path = entry.path();
      if (path.ends_with(".code.mlir")) {
        names.push_back(path.substr(0, path.size() - 5));
      }
    }
    std::sort(names.begin(), names.end());
    return names;
  }
  std::string print(const std::string &path) {
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    Result<OwningOpRef<ModuleOp>> module = importFile(path, context, limits);
    if (!module) {
      return module.error().str();
    }
    Result<std::string> text = exportProgram(**module, {ProgramFormat::Text, {}});
    return text ? *text : text.error().str();
  }

  DialectRegistry registry;
  ImportLimits limits;
};
} // namespace

TEST_F(Artifacts, ReadAsTheirTextDoes) {
  const char *more = std::getenv("DRUMLIN_ARTIFACTS");
  unsigned count = 0;
  for (const std::string &folder : {std::string(ARTIFACTS), std::string(more ? more : "")}) {
    for (const std::string &name : folder.empty() ? std::vector<std::string>() : programs(folder)) {
      std::string text = print(name + ".txt");
      // A text with elided constants can't be compared with its artifact.
      if (text.find("__elided__") != std::string::npos) {
        continue;
      }
      EXPECT_NE(text.find("func.func"), std::string::npos) << name << "\n" << text;
      EXPECT_EQ(print(name + ".mlir"), text) << name;
      ++count;
    }
  }
  EXPECT_GE(count, 20u);
  std::printf("%u artifacts\n", count);
}
