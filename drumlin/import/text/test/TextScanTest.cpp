#include "drumlin/import/text/TextScan.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include <gtest/gtest.h>

using namespace drumlin;

static KnownNames knownNames() {
  return {[](std::string_view operation) {
            return operation == "stablehlo.add" || operation == "func.func";
          },
          [](std::string_view dialect) { return dialect == "stablehlo" || dialect == "sdy"; }};
}

static Result<TextScan> scan(std::string_view text, const ImportLimits &limits = {}) {
  return scanText(text, "p.mlir", knownNames(), limits);
}

static void expectError(std::string_view text, DiagnosticCode code, std::string_view location,
                        const ImportLimits &limits = {}) {
  Result<TextScan> result = scan(text, limits);
  ASSERT_FALSE(result) << text;
  EXPECT_EQ(info(result.error().code).name, info(code).name) << text;
  EXPECT_EQ(result.error().location, location) << text;
}

// Returns the unsupported names as texts `offset code`.
static std::vector<std::string> placesOf(std::string_view text) {
  Result<TextScan> result = scan(text);
  EXPECT_TRUE(result) << text;
  std::vector<std::string> places;
  for (const UnsupportedPlace &place : result->unsupported) {
    places.push_back(std::to_string(place.offset) + " " + std::string(info(place.code).name));
  }
  return places;
}

using Places = std::vector<std::string>;

TEST(TextScan, RejectsBytesThatAreNoText) {
  expectError(std::string_view("a\n b\0c", 6), errors::InputNotText, "p.mlir:2:3");
  expectError("// caf\xe9\n", errors::InputNotText, "p.mlir:1:7");
  expectError("\n\xff", errors::InputNotText, "p.mlir:2:1");
  EXPECT_TRUE(scan("// caf\xc3\xa9 \"\xf0\x9f\x98\x80\"\n"));
}

TEST(TextScan, RejectsBytecodeAndTooMuchText) {
  expectError("ML\xefR\x01", errors::UnsupportedFormat, "p.mlir");
  expectError("module {}", errors::InputTooLarge, "p.mlir", {.bytes = 8});
}

// An alias has the nesting of its definition. A `loc(` around it or another alias for it adds no
// level. Tokens after the definition, on the same line or the next, don't belong to the alias.
TEST(TextScan, MeasuresAliases) {
  ImportLimits limits{.references = 3};
  EXPECT_EQ(scan("#a = [1]\n#b = [[#a]]\nmodule {}", limits)->depth, 3u);
  EXPECT_EQ(scan("#a = 1\n#b = #a\n#c = #b\n#d = #c\n#e = #d\n", limits)->depth, 0u);
  std::string located = "#a0 = loc(\"f\":1:1)\n#a1 = loc(callsite(#a0 at #a0))\n"
                        "#a2 = loc(callsite(#a1 at #a0))\n#a3 = loc(\"n\"(#a2))\n";
  EXPECT_TRUE(scan(located, limits));
  expectError(located + "#a4 = loc(fused[#a3])\n", errors::NestingTooDeep, "p.mlir:5:1", limits);
  EXPECT_TRUE(scan("!a = tuple<i1>\n!b = () -> (!a) module { \"x.y\"() : () -> ((((!b)))) }"));
  expectError("#a = [1]\n#b = [#a]\n#c = [[#b]]\n", errors::NestingTooDeep, "p.mlir:3:1", limits);
  expectError("!a-0 = tuple<>\n!a-1 // c\n = // d\n () ->\n ((!a-0))\n!a-2 = tuple<!a-1>\n",
              errors::NestingTooDeep, "p.mlir:6:1", limits);
  // A constant's type may be on a separate line.
  expectError("!t = tuple<tuple<>>\n#a = dense<1>\n// c\n : !t\n#b = [[#a]]\n",
              errors::NestingTooDeep, "p.mlir:5:1", limits);
  // Brackets of operations don't count for an alias.
  EXPECT_TRUE(scan("#a = [[[1]]]\nmodule {{{ #a }}}", limits));
}

// Only words from other aliases count towards the expansion limit, once for each use.
TEST(TextScan, BoundsWhatAliasesStandFor) {
  ImportLimits limits{.expansion = 8};
  EXPECT_TRUE(scan("#a = [1, 2, 3, 4]\n#b = [#a, #a]\n", limits));
  EXPECT_TRUE(scan("#a = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\nmodule attributes {x = #a}", limits));
  expectError("#a = [1, 2, 3, 4]\n#b = [#a, #a, #a]\n", errors::InputTooLarge, "p.mlir:2:1",
              limits);
  std::string doubled = "#a0 = [1]\n";
  for (int i = 1; i < 200; ++i) {
    std::string before = "#a" + std::to_string(i - 1);
    doubled += "#a" + std::to_string(i) + " = [" + before + ", " + before + "]\n";
  }
  expectError(doubled, errors::InputTooLarge, "p.mlir:20:1");
  // The definition may precede or follow its uses.
  std::string wide = "#w = [1", uses;
  for (int i = 0; i < 1000; ++i) {
    wide += ", 1";
    uses += " loc(#x)";
  }
  wide += "]\n#x = [#w, #w, #w, #w, #w, #w, #w, #w, #w, #w]\n";
  EXPECT_TRUE(scan(wide + uses));
  std::string all;
  for (int i = 0; i < 3; ++i) {
    all += uses;
  }
  expectError(all + wide, errors::InputTooLarge, "p.mlir:1:1");
}

// Each bracket needs stack in the parser. Arrows, strings and comments don't count as brackets.
TEST(TextScan, BoundsNesting) {
  ImportLimits limits{.depth = 3};
  EXPECT_TRUE(scan("([{}])", limits));
  EXPECT_EQ(scan("([{}])", limits)->depth, 3u);
  EXPECT_EQ(scan("()()()()() -> () -> () -> ()", limits)->depth, 1u);
  EXPECT_TRUE(scan("\"((((((\" // (((((((", limits));
  EXPECT_TRUE(scan("\"\\\"((((((\"", limits));
  expectError("([\n{<", errors::NestingTooDeep, "p.mlir:2:2", limits);
  expectError(std::string(100000, '('), errors::NestingTooDeep, "p.mlir:1:257");
}

TEST(TextScan, BoundsTensors) {
  EXPECT_TRUE(
      scan("tensor<f32> tensor<0x3xf32> tensor<576460752303423487x0xi1> tensor<4xcomplex<f64>>"));
  // Tensors with too many bytes, with a dimension that exceeds 64 bits, and with a rank beyond the
  // limit.
  expectError(" tensor<4294967296x4294967296xf32>", errors::TensorTooLarge, "p.mlir:1:8");
  expectError("tensor<2x99999999999999999999xf32>", errors::TensorTooLarge, "p.mlir:1:10");
  expectError("tensor<2x2x2xf32>", errors::TensorTooLarge, "p.mlir:1:7", {.rank = 2});
  // The strides of an empty tensor are products of its other sizes.
  expectError("tensor<0x9223372036854775807xf32>", errors::TensorTooLarge, "p.mlir:1:7");
}

TEST(TextScan, RefusesAffineExpressions) {
  expectError("a = affine_map<(d0) -> (d0)>", errors::UnsupportedAttribute, "p.mlir:1:5");
  expectError("affine_set<() : (0 == 0)>", errors::UnsupportedAttribute, "p.mlir:1:1");
}

TEST(TextScan, RemembersUnknownOperations) {
  EXPECT_EQ(placesOf("%0 = stablehlo.add %a, %b"), Places{});
  EXPECT_EQ(placesOf("%0 = stablehlo.cholesky %a"), Places{"5 UnsupportedOperation"});
  EXPECT_EQ(placesOf("%0 = \"stablehlo.cholesky\"(%a)"), Places{"5 UnsupportedOperation"});
  EXPECT_EQ(placesOf("%0 = \"stablehlo.add\"(%a)"), Places{});
  EXPECT_EQ(placesOf("stablehlo.create_token : i1"), Places{"0 UnsupportedOperation"});
}

// Names of attributes, values, symbols, files and weights aren't treated as operations.
TEST(TextScan, KnowsWhatIsNoOperation) {
  EXPECT_EQ(placesOf("{mhlo.n = 1 : i32, jax.unit, tf.last}"), Places{});
  EXPECT_EQ(placesOf("%0 = call @a.b(%c.d) {x = \"e.f\"} loc(\"g.py\":1:2)"), Places{});
  EXPECT_EQ(placesOf("dense_resource<w.x>"), Places{});
  EXPECT_EQ(placesOf("{-# dialect_resources: { builtin: { w.x: \"0x04\" } } #-}"), Places{});
  EXPECT_EQ(placesOf("dense<1.5e3> 0x1F 2.0"), Places{});
}

TEST(TextScan, RemembersUnknownTypesAndAttributes) {
  EXPECT_EQ(placesOf("!stablehlo.token"), Places{"0 UnsupportedType"});
  EXPECT_EQ(placesOf("tensor<2x!quant.uniform<i8:f32, 1.0>>"), Places{"9 UnsupportedType"});
  EXPECT_EQ(placesOf("tensor<2x?xf32>"), Places{});
  EXPECT_EQ(placesOf("#sdy.sharding<@mesh, [{}]> #stablehlo<precision HIGH> #loc3 #loc"), Places{});
  EXPECT_EQ(placesOf("#foo.bar<1>"), Places{"0 UnsupportedAttribute"});
  EXPECT_EQ(placesOf("!alias #alias"), Places{});
}

static std::string packed(std::string text) {
  Result<TextScan> result = scan(text);
  if (!result) {
    return result.error().str();
  }
  packBooleans(text.data(), result->booleans);
  return text;
}

// One byte per boolean becomes one bit, without changing offsets. Other types and lengths don't
// change.
TEST(TextScan, PacksBooleans) {
  EXPECT_EQ(packed("dense<\"0x0100FF00000000000102\"> : tensor<10xi1> x"),
            "dense<\"0x0503\"                > : tensor<10xi1> x");
  EXPECT_EQ(packed("dense<\"0x01000001\">: tensor<2x2xi1>"),
            "dense<\"0x09\"      >: tensor<2x2xi1>");
  for (std::string text : {"dense<\"0x0503\"> : tensor<10xi1>", "dense<\"0x0100\"> : tensor<2xi8>",
                           "dense<\"0x0100\"> : tensor<2xi16>", "dense<\"0x01\"> : tensor<1xi1>",
                           "dense<\"0x010\"> : tensor<2xi1>", "// dense<\"0x0100\"> : tensor<2xi1>",
                           "dense<\"0x0100\"> : tensor<2x?xi1>", "dense<\"0x0100\"> : tensor<"}) {
    EXPECT_EQ(packed(text), text);
  }
}

TEST(TextScan, CountsLinesAndColumnsFromOne) {
  EXPECT_EQ(locationOf("ab\ncd", "p.mlir", 0), "p.mlir:1:1");
  EXPECT_EQ(locationOf("ab\ncd", "p.mlir", 4), "p.mlir:2:2");
}

// The scan never reads beyond the end of a text, wherever the text ends.
TEST(TextScan, TakesTextsThatEndAnywhere) {
  std::string_view text =
      "func.func @f(%a: tensor<2x?xf32>) -> \"x\\\"y\" !a.b<#c.d> { // e\n } {-# f: \"0x\" #-}";
  for (size_t size = 0; size <= text.size(); ++size) {
    (void)scan(std::string(text.substr(0, size)));
  }
}
