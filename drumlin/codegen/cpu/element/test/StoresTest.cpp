// Checks that no kernel writes beyond its results. In most shapes, the last elements don't fill a
// register, and the memory after them may belong to another value.
#include "drumlin/driver/Compiler.h"
#include "drumlin/import/Import.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/runtime/executable/Executable.h"
#include "drumlin/support/CpuFeatures.h"
#include "drumlin/target/TargetNames.h"
#include "gtest/gtest.h"

#include <algorithm>

using namespace drumlin;

// Runs the program on zeros with prefilled result memory; checks that no byte after the only
// result changes and that every element of the result is written.
static void expectNothingBehind(const std::string &text, const std::string &target) {
  SCOPED_TRACE(target + "\n" + text);
  constexpr size_t guard = 256;
  mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
  auto module = importText(text, "test.mlir", context);
  ASSERT_TRUE(module) << module.error().str();
  CompileOptions options;
  options.useCache = false;
  options.target = *targetFromName(target);
  options.threads = 1;
  // Code for a processor with features that this processor lacks isn't run.
  if (!missingCpuFeatures(llvm::cast<CpuTarget>(options.target.get())->features).empty()) {
    return;
  }
  auto compiled = compile(**module, "test", options);
  ASSERT_TRUE(compiled) << compiled.error().str();
  LoadOptions load;
  load.threads = 1;
  auto executable = compiled->load("test", load);
  ASSERT_TRUE(executable) << executable.error().str();
  std::vector<Tensor> arguments;
  std::vector<const void *> pointers;
  for (const ValueDescription &argument : (*executable)->arguments()) {
    arguments.emplace_back(argument.type, argument.shape);
    std::memset(arguments.back().data(), 0, static_cast<size_t>(arguments.back().bytes()));
  }
  for (const Tensor &argument : arguments) {
    pointers.push_back(argument.data());
  }
  const ValueDescription &result = (*executable)->results().front();
  auto bytes = static_cast<size_t>(Tensor(result.type, result.shape).bytes());
  std::vector<std::byte> memory(64 + bytes + guard, std::byte{0xa5});
  auto address = reinterpret_cast<uintptr_t>(memory.data());
  std::byte *start = memory.data() + (64 - address % 64) % 64;
  void *output = start;
  auto status = (*executable)->run({.args = pointers, .results = {&output, 1}});
  ASSERT_TRUE(status) << status.error().str();
  auto kept = [](std::byte each) { return each == std::byte{0xa5}; };
  EXPECT_TRUE(std::all_of(start + bytes, memory.data() + memory.size(), kept));
  EXPECT_TRUE(std::none_of(start, start + bytes, kept));
}

using Names = std::vector<std::string>;
static const Names everyTarget = {"native", "avx512", "avx2", "baseline"};
// Element counts that fill registers, and counts that leave one lane, two lanes, or all lanes but
// one in the last register.
static const std::vector<int64_t> everyCount = {1, 2, 15, 16, 17, 18, 31, 33, 65};

static void productsEndWithTheirLastColumn(const Names &targets, const Names &types,
                                           const std::vector<int64_t> &counts) {
  for (const std::string &target : targets) {
    for (const std::string &type : types) {
      for (int64_t n : counts) {
        std::string columns = std::to_string(n);
        std::string left = std::string("tensor<33x64x") + type + ">";
        std::string right = "tensor<64x" + columns + "x" + type + ">";
        std::string out = "tensor<33x" + columns + "x" + type + ">";
        expectNothingBehind("func.func @main(%a: " + left + ", %b: " + right + ") -> " + out +
                                " {\n  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x "
                                "[0] : (" +
                                left + ", " + right + ") -> " + out + "\n  return %0 : " + out +
                                "\n}\n",
                            target);
      }
    }
  }
}

TEST(Stores, ProductsEndWithTheirLastColumn) {
  productsEndWithTheirLastColumn({"native", "avx2"}, {"bf16", "i8", "f64"}, {2, 15, 17});
}

TEST(SlowStores, ProductsOfEveryTypeAndTarget) {
  productsEndWithTheirLastColumn(
      everyTarget, {"bf16", "f16", "f32", "f64", "i8", "i16", "i32", "i64", "f8E4M3FN"},
      everyCount);
}

using Conversions = std::vector<std::pair<const char *, const char *>>;
static void narrowingEndsWithTheLastElement(const Names &targets, const Conversions &conversions,
                                            const std::vector<int64_t> &counts) {
  for (const std::string &target : targets) {
    for (auto [from, to] : conversions) {
      for (int64_t n : counts) {
        // With several rows, the operand is reversed first, which changes the traversal that stores
        // the result.
        for (const std::string &rows : {std::string(), std::string("3x")}) {
          std::string in = "tensor<" + rows + std::to_string(n) + "x" + from + ">";
          std::string out = "tensor<" + rows + std::to_string(n) + "x" + to + ">";
          std::string reverse = rows.empty() ? "%a" : "%r";
          std::string first =
              rows.empty() ? "" : "  %r = stablehlo.reverse %a, dims = [0] : " + in + "\n";
          expectNothingBehind("func.func @main(%a: " + in + ") -> " + out + " {\n" + first +
                                  "  %0 = stablehlo.convert " + reverse + " : (" + in + ") -> " +
                                  out + "\n  return %0 : " + out + "\n}\n",
                              target);
        }
      }
    }
  }
}

TEST(Stores, NarrowingEndsWithTheLastElement) {
  narrowingEndsWithTheLastElement({"native", "avx2"},
                                  {{"f32", "bf16"}, {"i64", "i8"}, {"f32", "i1"}}, {2, 15, 17});
}

TEST(SlowStores, NarrowingOfEveryTypeAndTarget) {
  narrowingEndsWithTheLastElement(everyTarget,
                                  {{"f32", "bf16"},
                                   {"f32", "f16"},
                                   {"f64", "f32"},
                                   {"i64", "i32"},
                                   {"i64", "i16"},
                                   {"i64", "i8"},
                                   {"i32", "i16"},
                                   {"i32", "i8"},
                                   {"i16", "i8"},
                                   {"f32", "i8"},
                                   {"f32", "i1"},
                                   {"f32", "f8E4M3FN"}},
                                  everyCount);
}
