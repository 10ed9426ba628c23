// Tests the listings of programs and plans.
#include "drumlin/listing/program/ProgramListing.h"

#include "drumlin/import/Import.h"
#include "drumlin/listing/TextPrinter.h"
#include "drumlin/listing/fold/Fold.h"
#include "drumlin/listing/program/AttributeText.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

namespace drumlin::listing {

static std::string textOfProgram(std::string_view text, bool folds = false) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  Result<mlir::OwningOpRef<mlir::ModuleOp>> module = importText(text, "some/f.mlir", context);
  EXPECT_TRUE(module) << module.error().str();
  if (!module) {
    return {};
  }
  Module listing = listProgram(**module, "some/f.mlir");
  if (folds) {
    fold(listing);
  }
  return textOf(listing);
}

// Named locations and lines of other files are listed as sources; lines of the program's own file
// aren't.
TEST(ProgramListing, OperationsAttributesAndSources) {
  EXPECT_EQ(textOfProgram(R"(module @jit_f attributes {mhlo.num_partitions = 1 : i32} {
  func.func public @main(%arg0: tensor<2x3xf32> loc("x"), %arg1: tensor<4x3xf32>) -> (tensor<2x4xf32> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32> loc("jit(f)/dot"("f.py":3:4))
    %1 = call @twice(%0) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    return %1 : tensor<2x4xf32>
  }
  func.func private @twice(%arg0: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = stablehlo.add %arg0, %arg0 : tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
})"),
            R"(module jit_f
  mhlo.num_partitions=1

func @main -> tensor<2x4xf32>, res_attrs=[{jax.result_info = "result"}] {
  %arg0 = tensor<2x3xf32>  parameter(0)  @1
  %arg1 = tensor<4x3xf32>  parameter(1)
  %0    = tensor<2x4xf32>  stablehlo.dot_general(%arg0, %arg1), dot_dimension_numbers=<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1]>, precision_config=[DEFAULT, HIGHEST]  @2
  %1    = tensor<2x4xf32>  func.call(%0), callee=@twice
  func.return(%1)
}

func private @twice -> tensor<2x4xf32> {
  %arg0 = tensor<2x4xf32>  parameter(0)
  %0    = tensor<2x4xf32>  stablehlo.add(%arg0, %arg0)
  func.return(%0)
}

sources
  @1  x
  @2  jit(f)/dot  f.py:3:4
)");
}

TEST(ProgramListing, RegionsAndConstants) {
  std::string text = textOfProgram(R"(
  func.func @main(%arg0: tensor<20xf32>, %arg1: tensor<i32>) -> (tensor<i32>, tensor<f32>) {
    %c = stablehlo.constant dense<[0.5, -1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 16.0, 17.0, 18.0, 19.5]> : tensor<20xf32>
    %s = stablehlo.constant dense<0.0> : tensor<f32>
    %n = stablehlo.constant dense<7> : tensor<i32>
    %0 = stablehlo.add %arg0, %c : tensor<20xf32>
    %1 = stablehlo.reduce(%0 init: %s) applies stablehlo.add across dimensions = [0] : (tensor<20xf32>, tensor<f32>) -> tensor<f32>
    %2:2 = stablehlo.while(%i = %arg1, %x = %1) : tensor<i32>, tensor<f32>
    cond {
      %3 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %3 : tensor<i1>
    } do {
      %4 = stablehlo.add %i, %n : tensor<i32>
      stablehlo.return %4, %x : tensor<i32>, tensor<f32>
    }
    return %2#0, %2#1 : tensor<i32>, tensor<f32>
  })");
  for (std::string_view part : {
           " stablehlo.constant(0.5, -1, 2, 3, … 20 elements from -1 to 19.5)\n",
           " stablehlo.constant(0)\n",
           "stablehlo.reduce(%0, %cst_0), dimensions=[0], applies=stablehlo.add\n",
           "  %2:2   = (tensor<i32>, tensor<f32>)  stablehlo.while(%arg1, %1)\n"
           "      condition {\n        %iterArg   = tensor<i32>  parameter(0)\n",
           "compare(%iterArg, %c), comparison_direction=LT\n",
           "      body {\n",
           "\n  func.return(%2#0, %2#1)\n",
       }) {
    EXPECT_NE(text.find(part), text.npos) << part << "\nin\n" << text;
  }
}

// Private functions that are called once are folded; one that is called twice isn't.
TEST(ProgramListing, FunctionsAreFolded) {
  std::string text = textOfProgram(R"(
  func.func @main(%arg0: tensor<4x8xf32>, %arg1: tensor<8x2xf32>) -> tensor<4x2xf32> {
    %0 = call @layer(%arg0, %arg1) : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    %1 = call @twice(%0) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %2 = call @twice(%1) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return %2 : tensor<4x2xf32>
  }
  func.func private @layer(%arg0: tensor<4x8xf32>, %arg1: tensor<8x2xf32>) -> tensor<4x2xf32> {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
    %1 = stablehlo.logistic %0 : tensor<4x2xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<4x2xf32>
    return %2 : tensor<4x2xf32>
  }
  func.func private @twice(%arg0: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %0 = stablehlo.slice %arg0 [0:4, 0:2] : (tensor<4x2xf32>) -> tensor<4x2xf32>
    %1 = stablehlo.add %0, %0 : tensor<4x2xf32>
    return %1 : tensor<4x2xf32>
  })",
                                   /*folds=*/true);
  EXPECT_NE(text.find("func.call: silu(arg0·arg1)\n"), text.npos) << text;
  EXPECT_NE(text.find("func.call(%0), callee=@twice\n"), text.npos) << text;
  EXPECT_NE(text.find("@twice ->"), text.npos) << text;
  EXPECT_EQ(text.find("@layer"), text.npos) << text;
}

// Returns the listed elements of a constant `dense<{elements}> : tensor<{type}>`.
static std::string elements(const std::string &elements, const std::string &type) {
  mlir::MLIRContext context;
  auto attribute = mlir::parseAttribute("dense<" + elements + "> : tensor<" + type + ">", &context);
  EXPECT_TRUE(attribute) << elements;
  return attribute ? elementsText(mlir::cast<mlir::ElementsAttr>(attribute)) : "";
}

// Returns 17 elements, one more than are shown; `last` isn't among the shown ones.
static std::string manyElements(const std::string &first, const std::string &last,
                                const std::string &type) {
  std::string all = "[" + first;
  for (int i = 0; i < 15; ++i) {
    all += ", " + first;
  }
  return elements(all + ", " + last + "]", "17x" + type);
}

TEST(ElementsText, OfFewAndOfMany) {
  EXPECT_EQ(elements("[1.5, -2.0, 0x7FC00000]", "3xf32"), "1.5, -2, nan");
  EXPECT_EQ(elements("0.25", "100xf64"), "0.25");
  EXPECT_EQ(manyElements("1.5", "-2.0", "f32"), "1.5, 1.5, 1.5, 1.5, … 17 elements from -2 to 1.5");
  EXPECT_EQ(manyElements("1.5", "0x7FC00000", "f32"), "1.5, 1.5, 1.5, 1.5, … 17 elements");
  EXPECT_EQ(manyElements("1.5", "2.0", "bf16"), "1.5, 1.5, 1.5, 1.5, … 17 elements from 1.5 to 2");
  EXPECT_EQ(manyElements("1.5", "0x7FF8000000000000", "f64"), "1.5, 1.5, 1.5, 1.5, … 17 elements");
  EXPECT_EQ(manyElements("1", "-128", "i8"), "1, 1, 1, 1, … 17 elements from -128 to 1");
  EXPECT_EQ(manyElements("1", "255", "ui8"), "1, 1, 1, 1, … 17 elements from 1 to 255");
  EXPECT_EQ(manyElements("9223372036854775806", "9223372036854775807", "i64"),
            "9223372036854775806, 9223372036854775806, 9223372036854775806, 9223372036854775806, "
            "… 17 elements from 9223372036854775806 to 9223372036854775807");
  EXPECT_EQ(manyElements("true", "false", "i1"), "true, true, true, true, … 17 elements");
  EXPECT_EQ(manyElements("(1.0, 2.0)", "(3.0, 4.0)", "complex<f32>"),
            "(1, 2), (1, 2), (1, 2), (1, 2), … 17 elements");
}

} // namespace drumlin::listing
