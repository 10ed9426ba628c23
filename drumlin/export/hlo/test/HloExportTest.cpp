// Tests the conversion of regions, calls, constants and the entry's attributes to HLO. The tests in
// test/differential compare the results of each operation.
#include "drumlin/export/hlo/HloExport.h"

#include "drumlin/hlo/Parser.h"
#include "drumlin/import/Import.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include "llvm/ADT/StringRef.h"

#include <gtest/gtest.h>

using namespace drumlin;
using namespace mlir;

namespace {
struct HloExportTest : testing::Test {
  HloExportTest() {
    DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
  }

  Result<std::string> write(std::string_view program) {
    ImportLimits limits;
    limits.nativeTypesOnly = false;
    limits.convertedOnly = true;
    Result<OwningOpRef<ModuleOp>> module = importText(program, "p.mlir", context, limits);
    EXPECT_TRUE(module) << module.error().str();
    return exportHlo(**module);
  }

  // Checks that the exported text is valid HLO and contains these parts.
  void expectParts(std::string_view program, std::initializer_list<StringRef> parts) {
    Result<std::string> text = write(program);
    ASSERT_TRUE(text) << text.error().str();
    for (StringRef part : parts) {
      EXPECT_NE(text->find(part), std::string::npos) << part.str() << " is not in\n" << *text;
    }
    Result<hlo::Module> parsed = hlo::parse(*text, "p.hlo");
    EXPECT_TRUE(parsed) << parsed.error().str();
  }

  void expectError(std::string_view program, StringRef place, StringRef words) {
    Result<std::string> text = write(program);
    ASSERT_FALSE(text) << *text;
    EXPECT_EQ(info(text.error().code).name, info(errors::ArtifactUnsupported).name);
    EXPECT_EQ(text.error().location, place);
    EXPECT_NE(text.error().message.find(words), std::string::npos) << text.error().str();
  }

  MLIRContext context;
};
} // namespace

TEST_F(HloExportTest, EntryAttributes) {
  expectParts(
      R"(
module @m attributes {mhlo.num_partitions = 4 : i32, mhlo.num_replicas = 2 : i32} {
  func.func @main(%a: tensor<4x3xf32> {mhlo.layout_mode = "{0,1}", tf.aliasing_output = 1 : i32},
                  %b: tensor<2xbf16> {jax.buffer_donor = true, mhlo.sharding = "{replicated}"})
      -> (tensor<2xbf16>, tensor<4x3xf32> {mhlo.layout_mode = "{0,1}"}) {
    return %b, %a : tensor<2xbf16>, tensor<4x3xf32>
  }
})",
      {"HloModule m, input_output_alias={ {1}: (0, {}, may-alias) }, buffer_donor={ (1, {}) }, "
       "entry_computation_layout={(f32[4,3]{0,1}, bf16[2]{0})->(bf16[2]{0}, "
       "f32[4,3]{0,1})}, replica_count=2, num_partitions=4\n",
       "bf16[2]{0} parameter(1), sharding={replicated}\n"});
}

TEST_F(HloExportTest, WhatLoopsTakeFromOutsideGoesRound) {
  expectParts(R"(
func.func @main(%limit: tensor<i32>, %step: tensor<i32>) -> tensor<i32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %r = stablehlo.while(%i = %zero) : tensor<i32>
    cond { %go = stablehlo.compare LT, %i, %limit : (tensor<i32>, tensor<i32>) -> tensor<i1>
           stablehlo.return %go : tensor<i1> }
    do { %next = stablehlo.add %i, %step : tensor<i32>
         stablehlo.return %next : tensor<i32> }
  return %r : tensor<i32>
})",
              {"(s32[], s32[], s32[]) tuple(%constant.1, %Arg_0.1, %Arg_1.1)",
               "%while.1 = (s32[], s32[], s32[]) while(%tuple.2)", "condition=%condition.1",
               "body=%body.1"});
}

TEST_F(HloExportTest, BranchesTakeTuples) {
  expectParts(R"(
func.func @main(%p: tensor<i1>, %a: tensor<f32>) -> tensor<f32> {
  %r = "stablehlo.if"(%p) ({ stablehlo.return %a : tensor<f32> },
    { %one = stablehlo.constant dense<1.0> : tensor<f32>
      stablehlo.return %one : tensor<f32> }) : (tensor<i1>) -> tensor<f32>
  return %r : tensor<f32>
})",
              {"(f32[]) conditional(%Arg_0.1, %tuple.2, %tuple.4), true_computation=%branch.1, "
               "false_computation=%branch.2",
               " = () tuple()"});
}

TEST_F(HloExportTest, ConstantsOfARegionAreCopied) {
  std::string_view program = R"(
func.func @main(%a: tensor<4xf32>, %scale: tensor<f32>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %half = stablehlo.constant dense<0.5> : tensor<f32>
  %r = "stablehlo.reduce"(%a, %zero) <{dimensions = array<i64: 0>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %z = stablehlo.multiply %y, OUTSIDE : tensor<f32>
      %s = stablehlo.add %x, %z : tensor<f32>
      stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
})";
  auto with = [&](std::string_view value) {
    std::string text(program);
    return text.replace(text.find("OUTSIDE"), 7, value);
  };
  expectParts(with("%half"), {"%region.1 {\n", "f32[] constant(0.5)", "to_apply=%region.1"});
  expectError(with("%scale"), "p.mlir:5:8", "no values from outside");
}

TEST_F(HloExportTest, Literals) {
  expectParts(R"(
func.func @main() -> (tensor<2x2xf8E4M3FN>, tensor<f16>, tensor<2xcomplex<f32>>, tensor<3xi1>, tensor<2x0xi4>, tensor<5xf64>) {
  %a = stablehlo.constant dense<[[1.0, 448.0], [-0.5, 0.0]]> : tensor<2x2xf8E4M3FN>
  %b = stablehlo.constant dense<0xFC2A> : tensor<f16>
  %c = stablehlo.constant dense<[(1.0, -2.0), (0x7F800000, 0x7FC00000)]> : tensor<2xcomplex<f32>>
  %d = stablehlo.constant dense<[true, false, true]> : tensor<3xi1>
  %e = stablehlo.constant dense<> : tensor<2x0xi4>
  %f = stablehlo.constant dense<0.1> : tensor<5xf64>
  return %a, %b, %c, %d, %e, %f : tensor<2x2xf8E4M3FN>, tensor<f16>, tensor<2xcomplex<f32>>, tensor<3xi1>, tensor<2x0xi4>, tensor<5xf64>
})",
              {"f8e4m3fn[2,2]{1,0} constant({ {1, 448}, {-0.5, 0} })", "f16[] constant(-nan(0x2a))",
               "c64[2]{0} constant({(1, -2), (inf, nan)})", "pred[3]{0} constant({1, 0, 1})",
               "s4[2,0]{1,0} constant({ {}, {} })", "f64[] constant(0.1)",
               "f64[5]{0} broadcast(%constant."});
}

TEST_F(HloExportTest, CallsAndMetadata) {
  expectParts(
      R"(
func.func private @twice(%x: tensor<f32>) -> tensor<f32> {
  %y = stablehlo.add %x, %x : tensor<f32> loc("jit(f)/add \"x\""("model.py":12:3))
  return %y : tensor<f32>
}
func.func @main(%a: tensor<f32>) -> tensor<f32> {
  %b = call @twice(%a) : (tensor<f32>) -> tensor<f32>
  %c = call @twice(%b) : (tensor<f32>) -> tensor<f32>
  return %c : tensor<f32>
})",
      {"metadata={op_name=\"jit(f)/add \\\"x\\\"\" source_file=\"model.py\" source_line=12}",
       "%call.1 = f32[] call(%Arg_0.1), to_apply=%twice.1",
       "ROOT %call.2 = f32[] call(%call.1), to_apply=%twice.1"});
}

TEST_F(HloExportTest, WhatHloHasNot) {
  expectError(
      "func.func @main(%a: tensor<f32>) -> tensor<f32> {\n  %b = chlo.lgamma %a : tensor<f32> "
      "-> tensor<f32>\n  return %b : tensor<f32>\n}",
      "p.mlir:2:8", "no instruction for `chlo.lgamma`");
  expectError(
      "func.func @main(%a: tensor<2x!quant.uniform<i8:f32, 0.5>>) -> "
      "tensor<2x!quant.uniform<i8:f32, 0.5>> {\n  return %a : tensor<2x!quant.uniform<i8:f32, "
      "0.5>>\n}",
      "p.mlir:1:1", "no type `tensor<2x!quant.uniform<i8:f32");
  expectError("func.func @f(%a: tensor<f32>) -> tensor<f32> {\n  return %a : tensor<f32>\n}", "",
              "no `main`");
  expectError(
      "func.func private @f(tensor<f32>) -> tensor<f32>\nfunc.func @main(%a: tensor<f32>) -> "
      "tensor<f32> {\n  %b = call @f(%a) : (tensor<f32>) -> tensor<f32>\n  return %b : "
      "tensor<f32>\n}",
      "p.mlir:3:8", "a function with a body");
}
