#include "drumlin/export/Export.h"

#include "drumlin/import/Import.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace drumlin;
using namespace mlir;

namespace {
class Export : public testing::Test {
protected:
  Export() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
    limits.nativeTypesOnly = false;
    limits.convertedOnly = true;
  }
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  // Converts a program from any format to bytes of `format`. Returns the error's text on failure.
  std::string convert(std::string_view program, ProgramFormat format,
                      vhlo::Version target = vhlo::newestVersion) {
    Result<OwningOpRef<ModuleOp>> module = importText(program, "p.mlir", context, limits);
    if (!module) {
      return module.error().str();
    }
    Result<std::string> bytes = exportProgram(**module, {format, target});
    return bytes ? *bytes : bytes.error().str();
  }
  DiagnosticCode errorOf(std::string_view program, vhlo::Version target) {
    Result<OwningOpRef<ModuleOp>> module = importText(program, "p.mlir", context, limits);
    EXPECT_TRUE(module) << module.error().str();
    Result<std::string> bytes = exportProgram(**module, {ProgramFormat::Artifact, target});
    EXPECT_FALSE(bytes);
    return bytes ? errors::InternalError : bytes.error().code;
  }
  static std::string read(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  }
  static std::vector<std::string> models() {
    std::vector<std::string> paths;
    for (const auto &entry : std::filesystem::recursive_directory_iterator(MODEL_PROGRAMS)) {
      if (entry.path().extension() == ".mlir") {
        paths.push_back(entry.path());
      }
    }
    std::sort(paths.begin(), paths.end());
    return paths;
  }

  MLIRContext context;
  ImportLimits limits;
};
} // namespace

static constexpr std::string_view small = R"(
  func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %0 = stablehlo.tanh %a : tensor<4xf32>
    return %0 : tensor<4xf32>
  })";

TEST_F(Export, ModelsComeBackInEveryFormat) {
  unsigned count = 0;
  for (const std::string &path : models()) {
    std::string program = read(path);
    std::string text = convert(program, ProgramFormat::Text);
    ASSERT_NE(text.find("func.func"), std::string::npos) << path << text;
    EXPECT_EQ(convert(text, ProgramFormat::Text), text) << path;
    std::string bytecode = convert(program, ProgramFormat::Bytecode);
    EXPECT_EQ(bytecode.substr(0, 4), "ML\xefR") << path;
    EXPECT_EQ(convert(bytecode, ProgramFormat::Text), text) << path;
    // Only the conversion of artifacts drops attributes with default values.
    if (text.find("chlo.") == std::string::npos) {
      std::string artifact = convert(program, ProgramFormat::Artifact);
      std::string normal = convert(artifact, ProgramFormat::Text);
      EXPECT_NE(normal.find("func.func"), std::string::npos) << path << normal;
      EXPECT_EQ(convert(normal, ProgramFormat::Artifact),
                convert(artifact, ProgramFormat::Artifact))
          << path;
    }
    ++count;
  }
  EXPECT_GE(count, 20u);
}

TEST_F(Export, AnArtifactNamesItsVersionAndHasItsOperations) {
  std::string newest = convert(small, ProgramFormat::Artifact);
  EXPECT_NE(newest.find("StableHLO_v" + vhlo::newestVersion.str()), std::string::npos);
  EXPECT_NE(newest.find("tanh_v2"), std::string::npos);
  std::string old = convert(small, ProgramFormat::Artifact, {0, 9, 0});
  EXPECT_NE(old.find("StableHLO_v0.9.0"), std::string::npos);
  EXPECT_NE(old.find("tanh_v1"), std::string::npos);
  EXPECT_EQ(old[4] >> 1, vhlo::bytecodeVersion({0, 9, 0}));
  EXPECT_EQ(convert(old, ProgramFormat::Text), convert(newest, ProgramFormat::Text));
}

TEST_F(Export, WhatAVersionLacksIsNamed) {
  EXPECT_EQ(
      errorOf(R"(func.func @main(%a: tensor<4xi2>) -> tensor<4xi2> { return %a : tensor<4xi2> })",
              {1, 0, 0}),
      errors::ArtifactUnsupported);
  EXPECT_EQ(errorOf(R"(func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
                         %0 = chlo.erf %a : tensor<4xf32> -> tensor<4xf32>
                         return %0 : tensor<4xf32> })",
                    vhlo::newestVersion),
            errors::ArtifactUnsupported);
}

TEST_F(Export, VersionsAreChecked) {
  Result<vhlo::Version> version = targetVersion("1.17.0", "--target-version");
  ASSERT_TRUE(version);
  EXPECT_EQ(version->str(), "1.17.0");
  for (const char *text : {"", "1", "1.0", "0.8.0", "99.0.0", "1.0.x", "-1.0.0"}) {
    Result<vhlo::Version> wrong = targetVersion(text, "--target-version");
    ASSERT_FALSE(wrong) << text;
    EXPECT_EQ(wrong.error().code, errors::UnknownVersion) << text;
    EXPECT_EQ(wrong.error().location, "--target-version");
  }
}

// Changing any byte of a file or truncating it at any length never crashes.
TEST_F(Export, BrokenFilesAreRefused) {
  std::string artifact = convert(small, ProgramFormat::Artifact);
  unsigned refused = 0;
  for (size_t size = 0; size < artifact.size(); ++size) {
    auto module = importText(std::string_view(artifact).substr(0, size), "p.mlir", context, limits);
    if (size >= 4) {
      ASSERT_FALSE(module) << size;
      EXPECT_EQ(module.error().code, errors::BytecodeInvalid) << module.error().str();
      EXPECT_EQ(module.error().location, "p.mlir");
    }
  }
  for (size_t position = 4; position < artifact.size(); ++position) {
    for (uint8_t flip : {0x01, 0x02, 0x04, 0x10, 0x80, 0xff}) {
      std::string broken = artifact;
      broken[position] ^= flip;
      auto module = importText(broken, "p.mlir", context, limits);
      refused += !module;
    }
  }
  EXPECT_GT(refused, artifact.size());
}

// Operations and types of future releases aren't reported as broken files.
TEST_F(Export, ArtifactsOfNewerReleasesAreToldApart) {
  std::string artifact = convert(small, ProgramFormat::Artifact);
  size_t producer = artifact.find(vhlo::newestVersion.str()), operation = artifact.find("tanh_v2");
  ASSERT_NE(producer, std::string::npos);
  ASSERT_NE(operation, std::string::npos);
  artifact[operation + 6] = '9';
  auto broken = importText(artifact, "p.mlir", context, limits);
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, errors::ArtifactInvalid) << broken.error().str();
  artifact[producer] = '9';
  auto newer = importText(artifact, "p.mlir", context, limits);
  ASSERT_FALSE(newer);
  EXPECT_EQ(newer.error().code, errors::UnsupportedFormat) << newer.error().str();
  EXPECT_NE(newer.error().message.find("newer than 1.20.0"), std::string::npos);
}

TEST_F(Export, ShardingsAreCarriedInEveryFormat) {
  std::string_view program = R"(module {
  sdy.mesh @mesh = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
  func.func @main(%arg0: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x":(1)2, ?}p1, {}], replicated={"y"}>}) -> tensor<8x4xf32> {
    %0 = sdy.sharding_constraint %arg0 <@mesh, [{}, {"x"}]> : tensor<8x4xf32>
    %1 = sdy.manual_computation(%0) in_shardings=[<@mesh, [{"x"}, {}]>] out_shardings=[<@mesh, [{"x"}, {}]>] manual_axes={"x"} (%arg1: tensor<4x4xf32>) {
      %2 = stablehlo.abs %arg1 : tensor<4x4xf32>
      sdy.return %2 : tensor<4x4xf32>
    } : (tensor<8x4xf32>) -> tensor<8x4xf32>
    return %1 : tensor<8x4xf32>
  }
}

)";
  EXPECT_EQ(convert(program, ProgramFormat::Text), program);
  EXPECT_EQ(convert(convert(program, ProgramFormat::Bytecode), ProgramFormat::Text), program);
  EXPECT_EQ(convert(convert(program, ProgramFormat::Artifact), ProgramFormat::Text), program);
  ImportLimits running;
  auto module = importText(program, "p.mlir", context, running);
  ASSERT_FALSE(module);
  EXPECT_EQ(module.error().code, errors::UnsupportedOperation) << module.error().str();
}

TEST_F(Export, ConstantsWithoutElementsComeBack) {
  for (const char *type : {"0xf32", "3x0xi8", "0xi1"}) {
    std::string program = "func.func @main() -> tensor<" + std::string(type) +
                          "> {\n  %0 = stablehlo.constant dense<" +
                          (std::string(type).ends_with("f32")  ? "1.5"
                           : std::string(type).ends_with("i1") ? "true"
                                                               : "3") +
                          "> : tensor<" + type + ">\n  return %0 : tensor<" + type + ">\n}\n";
    std::string text = convert(program, ProgramFormat::Text);
    ASSERT_NE(text.find("func.func"), std::string::npos) << text;
    for (ProgramFormat format : {ProgramFormat::Bytecode, ProgramFormat::Artifact}) {
      EXPECT_EQ(convert(convert(program, format), ProgramFormat::Text), text);
    }
  }
}
