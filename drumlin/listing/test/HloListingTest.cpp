// Tests the listing of HLO modules, constants and configurations.
#include "drumlin/listing/JsonText.h"
#include "drumlin/listing/MachinePrinters.h"
#include "drumlin/listing/TextPrinter.h"
#include "drumlin/listing/test/ListedProgram.h"

#include "llvm/Support/JSON.h"

#include <chrono>

namespace drumlin::listing {

static void expectContains(const std::string &text, std::string_view part) {
  EXPECT_NE(text.find(part), text.npos) << part << "\nin\n" << text;
}

TEST(HloListing, NamesTypesAndSources) {
  Module module = listed(scaledProduct);
  ASSERT_EQ(module.computations.size(), 3u);
  const Computation &entry = *module.entry();
  EXPECT_EQ(entry.name, "main.9");
  const Instruction &call = *entry.instructions[6];
  EXPECT_EQ(call.name, "cublas-gemm");
  EXPECT_EQ(call.fullName, "cublas-gemm.1.0");
  EXPECT_EQ(call.operands.size(), 5u);
  EXPECT_EQ(call.operands[0].instruction->name, "Arg_0");
  ASSERT_EQ(call.users.size(), 1u);
  EXPECT_EQ(call.users[0]->name, "get-tuple-element.1");
  ASSERT_NE(call.source, 0u);
  EXPECT_EQ(module.sources[call.source - 1].scope, "jit(dense)/dot_general");
  EXPECT_EQ(module.sources[call.source - 1].place, "dense.py:7");
  EXPECT_EQ(entry.instructions[7]->source, call.source);
  EXPECT_EQ(module.sources.size(), 3u);
}

TEST(HloListing, FullNamesWhereAskedFor) {
  Module module = listed(scaledProduct, {.shortNames = false});
  EXPECT_EQ(module.entry()->instructions[6]->name, "cublas-gemm.1.0");
}

TEST(HloListing, LargeConstantsAreSummarized) {
  Module module = listed(scaledProduct);
  EXPECT_EQ(module.entry()->instructions[3]->argument, "1");
  EXPECT_EQ(module.entry()->instructions[4]->argument, "5, 1, 2, 3, … 20 elements from -19 to 18");
  std::string many;
  for (int i = 0; i < 17; ++i) {
    many += (i == 0 ? "" : ", ") + std::string("(1, 2)");
  }
  EXPECT_EQ(listed("ENTRY %e {\n  %c = c64[17]{0} constant({" + many + "})\n}\n")
                .entry()
                ->instructions[0]
                ->argument,
            "(1, 2), (1, 2), (1, 2), (1, 2), … 17 elements");
}

TEST(HloListing, TextHasNoMetadataButATable) {
  std::string text = textOf(listed(scaledProduct));
  expectContains(text, "  %wrapped_transpose   = f8e4m3fn[32,64]{1,0}                "
                       "fusion(%Arg_1), kind=kInput, calls=%wrapped_transpose_computation\n");
  expectContains(text, "\n      backend_config = {\n        \"gemm_backend_config\": {\n");
  expectContains(text, "\nsources\n  @1  w\n  @2  x\n  @3  jit(dense)/dot_general  dense.py:7\n");
  EXPECT_EQ(text.find("metadata"), text.npos);
  EXPECT_EQ(text.find("FileNames"), text.npos);
}

TEST(HloListing, MetadataInline) {
  std::string text = textOf(listed(scaledProduct), {}, {.metadata = true});
  expectContains(text, "FileNames\n1 \"dense.py\"\n");
  expectContains(text, "parameter(0), metadata={op_name=\"x\"}\n");
  EXPECT_EQ(text.find("sources"), text.npos);
}

TEST(HloListing, JsonHasAllNames) {
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse(jsonOf(listed(scaledProduct, {.shortNames = false})));
  ASSERT_TRUE(bool(value));
  const llvm::json::Array &computations = *value->getAsObject()->getArray("computations");
  const llvm::json::Object &entry = *computations[2].getAsObject();
  EXPECT_EQ(entry.getString("name"), "main.9");
  const llvm::json::Object &call = *(*entry.getArray("instructions"))[6].getAsObject();
  EXPECT_EQ(call.getString("name"), "cublas-gemm.1.0");
  EXPECT_EQ((*call.getArray("operands"))[0].getAsString(), "Arg_0.1.0");
  EXPECT_EQ((*call.getArray("users"))[0].getAsString(), "get-tuple-element.1");
  const llvm::json::Object *config = call.getObject("attributes")->getObject("backend_config");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->getObject("gemm_backend_config")->getString("epilogue"), "BIAS");
  const llvm::json::Array &parts = *call.getObject("shape")->getArray("elements");
  EXPECT_EQ(parts[0].getAsObject()->getString("layout"), "{1,0}");
  EXPECT_EQ((*parts[1].getAsObject()->getArray("dimensions"))[0].getAsInteger(), 33554432);
}

TEST(HloListing, Graphviz) {
  Module module = listed(scaledProduct);
  std::string text = graphvizOf(*module.computations[1]);
  EXPECT_EQ(text, "digraph \"wrapped_transpose_computation\" {\n  node [shape=box];\n"
                  "  n0 [label=\"%param_0.3\\nparameter 0\\nf8e4m3fn[64,32]{1,0}\"];\n"
                  "  n1 [label=\"%transpose\\ntranspose\\nf8e4m3fn[32,64]{1,0}\", "
                  "peripheries=2];\n  n0 -> n1;\n}\n");
}

TEST(ListingJson, FitsOrBreaks) {
  EXPECT_TRUE(isJsonBlock("{\"a\":[1,{}]}"));
  EXPECT_FALSE(isJsonBlock("{a=1}"));
  EXPECT_FALSE(isJsonBlock("\"a\""));
  EXPECT_FALSE(isJsonBlock(std::string(100, '[') + std::string(100, ']')));
  EXPECT_EQ(indentedJson("{ \"b\" : [1.50,\n2], \"a\":\"x,\\\":\"}", 4),
            "{\"b\": [1.50, 2], \"a\": \"x,\\\":\"}");
  EXPECT_EQ(indentedJson("{\"b\":[1,2],\"a\":{\"c\":{}}}", 0, 16),
            "{\n  \"b\": [1, 2],\n  \"a\": {\"c\": {}}\n}");
  EXPECT_EQ(indentedJson("[[],[]]", 2, 3), "[\n    [],\n    []\n  ]");
}

// A module of 20,000 instructions is printed much faster than the two seconds that users accept.
TEST(HloListing, LargeModules) {
  static constexpr int count = 20000;
  std::string text = "HloModule large\n\nENTRY %main {\n  %p = f32[8,128]{1,0} parameter(0)\n";
  for (int i = 0; i < count; ++i) {
    std::string number = std::to_string(i), last = i == 0 ? "p" : "add." + std::to_string(i - 1);
    text += "  %add." + number + " = f32[8,128]{1,0} add(%" + last +
            ", %p), metadata={op_name=\"f/" + std::to_string(i % 500) +
            "\" source_file=\"f.py\" source_line=" + number + "}, backend_config={\"a\":{\"b\":[" +
            number + "]}}\n";
  }
  text += "}\n";
  auto begin = std::chrono::steady_clock::now();
  std::string printed = textOf(listed(text));
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(printed.size(), count * 50u);
  EXPECT_LT(taken.count(), 2);
  RecordProperty("milliseconds", static_cast<int>(taken.count() * 1000));
}

} // namespace drumlin::listing
