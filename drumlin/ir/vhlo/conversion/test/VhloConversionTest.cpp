// Tests that programs are unchanged after conversion to `vhlo` and back, and that the table covers
// every operation.
#include "drumlin/ir/vhlo/conversion/VhloConversion.h"
#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/ir/stablehlo/test/ElementwiseUses.h"
#include "drumlin/ir/vhlo/conversion/ConvertAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"

#include <filesystem>
#include <gtest/gtest.h>

using namespace drumlin;
using namespace mlir;

namespace {
class VhloConversion : public testing::Test {
protected:
  VhloConversion() {
    context.loadDialect<vhlo::VhloDialect, stablehlo::StablehloDialect, chlo::ChloDialect,
                        func::FuncDialect>();
    context.allowUnregisteredDialects();
  }

  OwningOpRef<ModuleOp> parse(StringRef text) {
    return parseSourceString<ModuleOp>(text, ParserConfig(&context));
  }
  static std::string print(ModuleOp module) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream, OpPrintingFlags().printGenericOpForm());
    return text;
  }
  // Returns the obstacle to converting a program to `vhlo`; an empty text if there is none.
  std::string obstacleTo(StringRef text) {
    OwningOpRef<ModuleOp> module = parse(text);
    if (!module) {
      return "invalid";
    }
    auto obstacle = vhlo::convertFromStablehlo(*module);
    return obstacle ? obstacle->message : "";
  }
  // Returns the obstacle to converting a program from `vhlo`; an empty text if there is none.
  std::string obstacleFrom(StringRef text) {
    OwningOpRef<ModuleOp> module = parse(text);
    if (!module) {
      return "invalid";
    }
    auto obstacle = vhlo::convertToStablehlo(*module);
    return obstacle ? obstacle->message : "";
  }

  static void expectBack(ModuleOp module, const std::string &name);

  MLIRContext context;
};
} // namespace

TEST_F(VhloConversion, EveryOperationHasTheSameAttributesInBothDialects) {
  for (const vhlo::OperationVersion &row : vhlo::allOperations()) {
    if (vhlo::operationAt(row.base, vhlo::newestVersion) != &row || row.base == "func" ||
        row.base == "call") {
      continue;
    }
    auto name = RegisteredOperationName::lookup("stablehlo." + row.base, &context);
    ASSERT_TRUE(name.has_value()) << row.base;
    std::vector<std::string> expected;
    for (StringAttr attribute : name->getAttributeNames()) {
      expected.push_back(attribute.str());
    }
    std::sort(expected.begin(), expected.end());
    EXPECT_EQ(vhlo::stablehloAttributeNames(row), expected) << row.base;
  }
}

TEST_F(VhloConversion, EveryOperationOfStablehloIsThere) {
  for (RegisteredOperationName name : context.getRegisteredOperationsByDialect("stablehlo")) {
    EXPECT_TRUE(vhlo::operationAt(name.stripDialect(), vhlo::newestVersion))
        << name.getStringRef().str();
  }
}

// Converts the module to `vhlo`. Checks that converting the result to `stablehlo` and back gives an
// equal `vhlo` program. The `vhlo` programs are compared because they omit no attributes.
void VhloConversion::expectBack(ModuleOp module, const std::string &name) {
  auto obstacle = vhlo::convertFromStablehlo(module);
  ASSERT_FALSE(obstacle) << name << ": " << obstacle->message;
  ASSERT_TRUE(succeeded(verify(module)));
  std::string expected = print(module);
  EXPECT_EQ(expected.find("\"stablehlo."), std::string::npos) << name;
  obstacle = vhlo::convertToStablehlo(module);
  ASSERT_FALSE(obstacle) << name << ": " << obstacle->message;
  EXPECT_TRUE(succeeded(verify(module))) << name;
  EXPECT_EQ(print(module).find("\"vhlo."), std::string::npos) << name;
  obstacle = vhlo::convertFromStablehlo(module);
  ASSERT_FALSE(obstacle) << name << ": " << obstacle->message;
  EXPECT_EQ(print(module), expected) << name;
}

// Converts the programs that the tests of the `stablehlo` dialect use. They contain each operation
// in several forms.
TEST_F(VhloConversion, ProgramsComeBackAsTheyWere) {
  unsigned programs = 0;
  for (const auto &entry : std::filesystem::directory_iterator(STABLEHLO_PROGRAMS)) {
    std::string path = entry.path();
    if (!path.ends_with(".mlir") || path.ends_with("-invalid.mlir")) {
      continue;
    }
    auto buffer = llvm::MemoryBuffer::getFile(path);
    ASSERT_TRUE(bool(buffer)) << path;
    std::string text = (*buffer)->getBuffer().str();
    // Constants whose elements are stored outside of the program are not tested here.
    OwningOpRef<ModuleOp> module = parse(text);
    ASSERT_TRUE(module) << path;
    module->walk([](Operation *op) {
      if (op->getName().getStringRef() == "stablehlo.constant" &&
          !isa<DenseElementsAttr>(
              op->getPropertiesAsAttribute()
                  ? cast<DictionaryAttr>(op->getPropertiesAsAttribute()).get("value")
                  : Attribute())) {
        op->erase();
      }
    });
    expectBack(*module, path);
    ++programs;
  }
  EXPECT_GT(programs, 15u);
}

TEST_F(VhloConversion, ElementwiseOperationsComeBackAsTheyWere) {
  for (const stablehlo::ElementwiseUse &use : stablehlo::elementwiseUses(context)) {
    if (use.operation.starts_with("stablehlo.")) {
      for (const std::string &type : use.elementTypes) {
        OwningOpRef<ModuleOp> module = parse(use.program(type));
        ASSERT_TRUE(module) << use.operation;
        expectBack(*module, use.operation + " of " + type);
      }
    }
  }
}

TEST_F(VhloConversion, DefaultsAreLeftOut) {
  OwningOpRef<ModuleOp> module = parse(R"(
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = "stablehlo.sort"(%a) <{dimension = -1 : i64, is_stable = false}> ({
        ^bb0(%x: tensor<f32>, %y: tensor<f32>):
          %c = stablehlo.compare LT, %x, %y, NOTYPE : (tensor<f32>, tensor<f32>) -> tensor<i1>
          stablehlo.return %c : tensor<i1>
      }) : (tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    })");
  ASSERT_TRUE(module);
  ASSERT_FALSE(vhlo::convertFromStablehlo(*module));
  ASSERT_FALSE(vhlo::convertToStablehlo(*module));
  std::string text = print(*module);
  EXPECT_EQ(text.find("is_stable"), std::string::npos) << text;
  EXPECT_EQ(text.find("compare_type"), std::string::npos) << text;
  EXPECT_NE(text.find("comparison_direction"), std::string::npos) << text;
}

// Operations of other dialects keep their types. Casts connect these operations to converted
// operations.
TEST_F(VhloConversion, OtherDialectsStayAsTheyAre) {
  StringRef text = R"(
    func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> {
      %0 = stablehlo.negate %a : tensor<4xf32>
      %1 = "other.region"(%0) ({
        ^bb0(%x: tensor<4xf32>):
          %2 = stablehlo.abs %x : tensor<4xf32>
          "other.end"(%2) : (tensor<4xf32>) -> ()
      }) {value = #other.thing<1>} : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    })";
  OwningOpRef<ModuleOp> module = parse(text);
  ASSERT_TRUE(module);
  std::string expected = print(*module);
  ASSERT_FALSE(vhlo::convertFromStablehlo(*module));
  ASSERT_TRUE(succeeded(verify(*module)));
  std::string converted = print(*module);
  EXPECT_NE(converted.find("unrealized_conversion_cast"), std::string::npos) << converted;
  EXPECT_NE(converted.find("vhlo.abs_v1"), std::string::npos) << converted;
  ASSERT_FALSE(vhlo::convertToStablehlo(*module));
  EXPECT_EQ(print(*module), expected);
}

TEST_F(VhloConversion, WhatArtifactsCannotSayIsNamed) {
  EXPECT_EQ(
      obstacleTo("func.func @main(%a: tensor<4xf32>) -> tensor<4xf32> { %0 = stablehlo.negate %a "
                 "{x = unit} : tensor<4xf32> return %0 : tensor<4xf32> }"),
      "`stablehlo.negate`: attribute `x` has a value that has no counterpart");
  EXPECT_EQ(obstacleTo("func.func @main(%a: vector<4xf32>) { return }"),
            "`func.func`: attribute `function_type` has a value that has no counterpart");
  EXPECT_EQ(obstacleTo("func.func @main(%a: tensor<4xi3>) { return }"),
            "`func.func`: attribute `function_type` has a value that has no counterpart");
}

TEST_F(VhloConversion, WhatStablehloCannotSayIsNamed) {
  EXPECT_EQ(obstacleFrom(R"("vhlo.iota_v1"() <{iota_dimension = #vhlo.string_v1<"x">}>
                            : () -> !vhlo.tensor_v1<4x!vhlo.tensor_v1<4x!vhlo.f32_v1>>)"),
            "`vhlo.iota_v1`: type `!vhlo.tensor_v1<4x!vhlo.tensor_v1<4x!vhlo.f32_v1>>` has no "
            "counterpart");
  EXPECT_EQ(obstacleFrom(R"("vhlo.reverse_v1"(%0) <{dimensions = #vhlo.string_v1<"x">}>
                            : (!vhlo.f32_v1) -> !vhlo.f32_v1)"),
            "invalid");
  EXPECT_EQ(obstacleFrom(R"(%0 = "vhlo.create_token_v1"() : () -> !vhlo.token_v1
                            "vhlo.reverse_v1"(%0) <{dimensions = #vhlo.string_v1<"x">}>
                            : (!vhlo.token_v1) -> !vhlo.token_v1)"),
            "`vhlo.reverse_v1`: attribute `dimensions` has a value that has no counterpart");
  EXPECT_EQ(obstacleFrom(
                R"(%0 = "vhlo.constant_v1"() <{value = #vhlo.witness}> : () -> !vhlo.witness_v1)"),
            "invalid");
  // A dictionary with a duplicate name.
  EXPECT_EQ(
      obstacleFrom(
          R"("vhlo.create_token_v1"() {x = #vhlo.dict_v1<{#vhlo.string_v1<"a"> = #vhlo.bool_v1<true>,
                            #vhlo.string_v1<"a"> = #vhlo.bool_v1<true>}>} : () -> !vhlo.token_v1)"),
      "`vhlo.create_token_v1`: attribute `x` has a value that has no counterpart");
}
