#include "drumlin/import/Import.h"
#include "drumlin/import/test/ImportContext.h"

#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/stablehlo/NegOp.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include "mlir/Bytecode/BytecodeWriter.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/thread.h"
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

using namespace drumlin;
using namespace mlir;

static void expectError(std::string_view text, DiagnosticCode code, std::string_view location,
                        std::string_view words = "") {
  auto context = makeContext();
  Result<OwningOpRef<ModuleOp>> result = importText(text, "p.mlir", *context);
  ASSERT_FALSE(result) << text;
  EXPECT_EQ(info(result.error().code).name, info(code).name) << result.error().str();
  EXPECT_EQ(result.error().location, location) << result.error().str();
  EXPECT_NE(result.error().message.find(words), std::string::npos) << result.error().str();
}

// Returns the text of a function whose body is one operation.
static std::string function(std::string_view body,
                            std::string_view arguments = "%a: tensor<2xf32>") {
  return "func.func @main(" + std::string(arguments) + ") {\n  " + std::string(body) +
         "\n  return\n}\n";
}

TEST(Import, ReadsAProgram) {
  auto context = makeContext();
  auto module = importText(R"(
    module @m attributes {mhlo.num_partitions = 1 : i32, sdy.x = #sdy.sharding<@mesh, [{"a"}, {}]>} {
      func.func public @main(%a: tensor<2xf32> {tf.aliasing_output = 0 : i32, mhlo.layout_mode = "default"})
          -> (tensor<2xf32> {jax.result_info = "result"}) {
        %0 = call @f(%a) : (tensor<2xf32>) -> tensor<2xf32>
        return %0 : tensor<2xf32>
      }
      func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {
        %0 = stablehlo.add %a, %a : tensor<2xf32>
        return %0 : tensor<2xf32>
      }
    })",
                           "p.mlir", *context);
  ASSERT_TRUE(module) << module.error().str();
  EXPECT_EQ(entryFunction(**module).getName(), "main");
}

// Older printers printed a mesh as a plain attribute.
TEST(Import, ReadsMeshesAsAttributes) {
  auto context = makeContext();
  auto module = importText(R"(
    sdy.mesh @grid = #sdy.mesh<["x"=2]>
    func.func @main(%x: tensor<4xf32> {sdy.sharding = #sdy.sharding<@grid, [{"x"}]>}) -> tensor<4xf32> {
      %0 = stablehlo.add %x, %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    })",
                           "p.mlir", *context);
  ASSERT_TRUE(module) << module.error().str();
  expectError("sdy.mesh @grid = #sdy.sharding<@mesh, []>", errors::SyntaxInvalid, "p.mlir:1:18",
              "#sdy.mesh");
}

// Tests calls of external code whose operands, results or attributes can't be passed.
TEST(Import, RefusesHostOperations) {
  expectError(function("%0 = stablehlo.custom_call @mine(%a) {api_version = 2 : i32, "
                       "mhlo.backend_config = 3} : (tensor<2xf32>) -> tensor<2xf32>"),
              errors::ProgramInvalid, "p.mlir:2:8", "neither a string nor a dictionary");
  expectError(function("%t = stablehlo.tuple %a, %a : tuple<tensor<2xf32>, tensor<2xf32>>\n  "
                       "%0 = stablehlo.custom_call @mine(%t) : (tuple<tensor<2xf32>, "
                       "tensor<2xf32>>) -> tensor<2xf32>"),
              errors::UnsupportedType, "p.mlir:3:8", "takes a tuple");
  for (std::string layout : {"[[0, 1], [0]]", "[[0, 0], []]", "[[0], []]", "[[2, 1], []]"}) {
    expectError(
        function("%0:3 = \"stablehlo.infeed\"(%a) {infeed_config = \"q\", layout = " + layout +
                     "} : (!stablehlo.token) -> (tensor<3x3xi32>, tensor<i1>, "
                     "!stablehlo.token)",
                 "%a: !stablehlo.token"),
        errors::ProgramInvalid, "p.mlir:2:10", "doesn't order the dimensions");
  }
}

// The values in tuples become separate arguments and results; donating a tuple donates each value.
TEST(Import, FlattensTuplesOfFunctions) {
  auto context = makeContext();
  auto module = importText(R"(
    func.func private @f(%t: tuple<tensor<f32>, tuple<tensor<2xi32>>>) -> tuple<tensor<2xi32>, tensor<f32>> {
      %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<f32>, tuple<tensor<2xi32>>>) -> tensor<f32>
      %1 = stablehlo.get_tuple_element %t[1] : (tuple<tensor<f32>, tuple<tensor<2xi32>>>) -> tuple<tensor<2xi32>>
      %2 = stablehlo.get_tuple_element %1[0] : (tuple<tensor<2xi32>>) -> tensor<2xi32>
      %3 = stablehlo.tuple %2, %0 : tuple<tensor<2xi32>, tensor<f32>>
      return %3 : tuple<tensor<2xi32>, tensor<f32>>
    }
    func.func @main(%a: tensor<f32> {tf.aliasing_output = 0 : i32},
                    %t: tuple<tensor<2xi32>, tensor<f32>> {tf.aliasing_output = 1 : i32})
        -> (tensor<f32>, tuple<tensor<2xi32>, tensor<f32>>, tuple<>) {
      %0 = stablehlo.get_tuple_element %t[0] : (tuple<tensor<2xi32>, tensor<f32>>) -> tensor<2xi32>
      %1 = stablehlo.tuple %0 : tuple<tensor<2xi32>>
      %2 = stablehlo.tuple %a, %1 : tuple<tensor<f32>, tuple<tensor<2xi32>>>
      %3 = call @f(%2) : (tuple<tensor<f32>, tuple<tensor<2xi32>>>) -> tuple<tensor<2xi32>, tensor<f32>>
      %4 = stablehlo.tuple : tuple<>
      return %a, %3, %4 : tensor<f32>, tuple<tensor<2xi32>, tensor<f32>>, tuple<>
    })",
                           "p.mlir", *context);
  ASSERT_TRUE(module) << module.error().str();
  EXPECT_TRUE(succeeded(verify(**module)));
  func::FuncOp entry = entryFunction(**module);
  auto noTuples = [](TypeRange types) { return llvm::none_of(types, llvm::IsaPred<TupleType>); };
  (*module)->walk([&](func::FuncOp function) {
    EXPECT_TRUE(noTuples(function.getArgumentTypes()) && noTuples(function.getResultTypes()));
  });
  ASSERT_EQ(entry.getNumArguments(), 3u);
  EXPECT_EQ(entry.getNumResults(), 3u);
  for (unsigned i = 0; i < 3; ++i) {
    auto donation = entry.getArgAttrOfType<IntegerAttr>(i, "tf.aliasing_output");
    ASSERT_TRUE(donation) << i;
    EXPECT_EQ(donation.getInt(), i);
  }
}

// A short text can describe a tuple with more values than fit in memory.
TEST(Import, RefusesTuplesOfTooManyValues) {
  std::string text = "!t0 = tuple<tensor<f32>, tensor<f32>>\n";
  for (int i = 1; i < 17; ++i) {
    std::string inner = "!t" + std::to_string(i - 1);
    text += "!t" + std::to_string(i) + " = tuple<" + inner + ", " + inner + ">\n";
  }
  expectError(text + "func.func @main(%a: !t16) { return }", errors::UnsupportedType, "p.mlir:18:1",
              "more than 65536 values");
}

TEST(Import, TakesTheOnlyFunctionAsEntry) {
  auto context = makeContext();
  auto module = importText("func.func @f() { return }", "p.mlir", *context);
  ASSERT_TRUE(module) << module.error().str();
  EXPECT_EQ(entryFunction(**module).getName(), "f");
  expectError("func.func @f() { return }\nfunc.func @g() { return }", errors::EntryMissing,
              "p.mlir");
  for (std::string_view blank : {"", " ", "\n\t\r\n"}) {
    expectError(blank, errors::EntryMissing, "p.mlir", "the program is empty");
  }
  expectError("// nothing else\n", errors::EntryMissing, "p.mlir", "got no function");
}

// In the specification's grammar, functions end with `stablehlo.return`.
TEST(Import, TakesStablehloReturnAsTheEndOfAFunction) {
  auto context = makeContext();
  auto module = importText("func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> { "
                           "\"stablehlo.return\"(%a) : (tensor<2xf32>) -> () }",
                           "p.mlir", *context);
  ASSERT_TRUE(module) << module.error().str();
  EXPECT_TRUE(isa<func::ReturnOp>(entryFunction(**module).getBody().front().back()));
}

TEST(Import, KeepsLocations) {
  auto context = makeContext();
  auto module =
      importText(function("%0 = stablehlo.negate %a : tensor<2xf32> loc(\"model.py\":7:3)"),
                 "p.mlir", *context);
  ASSERT_TRUE(module) << module.error().str();
  auto op = *entryFunction(**module).getOps<stablehlo::NegOp>().begin();
  auto loc = dyn_cast<FileLineColLoc>(op.getLoc());
  ASSERT_TRUE(loc);
  EXPECT_EQ(loc.getFilename(), "model.py");
  EXPECT_EQ(loc.getLine(), 7u);
}

TEST(Import, LocatesSyntaxErrors) {
  expectError("func.func @main( {", errors::SyntaxInvalid, "p.mlir:1:17");
  expectError(function("%0 = stablehlo.add %a : tensor<2xf32>"), errors::SyntaxInvalid,
              "p.mlir:2:24", "','");
  expectError(function("%0 = stablehlo.negate %b : tensor<2xf32>"), errors::SyntaxInvalid,
              "p.mlir:2:25");
  // A syntax error precedes an unsupported name. The parser reports the position after the last
  // token that it took.
  expectError("func.func @main(%a: tensor<2xf32>) {\n  )\n  %0 = stablehlo.unheard_of %a : "
              "tensor<2xf32>\n}",
              errors::SyntaxInvalid, "p.mlir:1:37");
}

TEST(Import, ReportsBrokenConstraintsInOurWords) {
  expectError(
      function("%0 = stablehlo.transpose %a, dims = [1] : (tensor<2xf32>) -> tensor<2xf32>"),
      errors::ProgramInvalid, "p.mlir:2:8",
      "`stablehlo.transpose` expects the permutation in [0, 1), got 1 (transpose_c2)");
  expectError(function("%0 = call @g() : () -> tensor<2xf32>"), errors::ProgramInvalid,
              "p.mlir:2:8");
}

// Functions are verified in any order, possibly in parallel; the first error in the text is
// reported.
TEST(Import, ReportsTheFirstOfManyErrors) {
  std::string text = "func.func @main() { return }\n";
  for (int i = 0; i < 200; ++i) {
    text += "func.func @f" + std::to_string(i) +
            "(%a: tensor<2xf32>) {\n  %0 = stablehlo.reverse %a, dims = [1] : tensor<2xf32>\n  "
            "return\n}\n";
  }
  for (int round = 0; round < 5; ++round) {
    expectError(text, errors::ProgramInvalid, "p.mlir:3:8", "reverse_c3");
  }
}

TEST(Import, CallsWhatIsMissingUnsupported) {
  expectError(function("%0 = stablehlo.unheard_of %a : tensor<2xf32>"),
              errors::UnsupportedOperation, "p.mlir:2:8", "`stablehlo.unheard_of`");
  expectError(function("%0 = \"stablehlo.unheard_of\"(%a) : (tensor<2xf32>) -> tensor<2xf32>"),
              errors::UnsupportedOperation, "p.mlir:2:8", "`stablehlo.unheard_of`");
  expectError(function("%0 = \"foo.bar\"(%a) : (tensor<2xf32>) -> tensor<2xf32>"),
              errors::UnsupportedOperation, "p.mlir:2:8", "`foo.bar`");
  expectError("module { module {} }", errors::UnsupportedOperation, "p.mlir:1:10",
              "`builtin.module`");
  expectError("func.func private @main()", errors::UnsupportedOperation, "p.mlir:1:1", "no body");
  expectError("func.func @main() { ^bb0: return\n^bb1: return }", errors::UnsupportedOperation,
              "p.mlir:1:1", "several blocks");
  expectError("func.func @main(%a: tuple<tensor<f32>, tuple<tensor<2xindex>>>) { return }",
              errors::UnsupportedType, "p.mlir:1:1");
  expectError("func.func @main(%a: tensor<2xindex>) { return }", errors::UnsupportedType,
              "p.mlir:1:1");
  expectError("func.func @main(%a: tensor<*xf32>) { return }", errors::UnsupportedType,
              "p.mlir:1:1");
  expectError("func.func @main(%a: tensor<2xf32, 1 : i32>) { return }", errors::UnsupportedType,
              "p.mlir:1:1");
  expectError("module attributes {x.y = #foo.bar<1>} {}", errors::UnsupportedAttribute,
              "p.mlir:1:26");
}

TEST(Import, RejectsRecursion) {
  expectError("func.func @main() {\n  call @main() : () -> ()\n  return\n}", errors::RecursiveCall,
              "p.mlir:2:3");
  expectError("func.func @main() {\n  call @f() : () -> ()\n  return\n}\nfunc.func private @f() "
              "{\n  call @main() : () -> ()\n"
              "  return\n}",
              errors::RecursiveCall, "p.mlir:6:3", "@main");
}

// An argument can only be donated to one result of its own type.
TEST(Import, RejectsDonationsThatCannotBe) {
  auto donated = [](const std::string &result, const std::string &second = "") {
    return "func.func @main(%a: tensor<4xf32> {tf.aliasing_output = " + result +
           "}, %b: tensor<4xf32>" + second +
           ") -> (tensor<4xf32>, tensor<8xf32>, tensor<4xi32>) {\n" +
           "  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4xf32>, tensor<4xf32>) -> "
           "tensor<8xf32>\n  %1 = stablehlo.constant dense<0> : tensor<4xi32>\n"
           "  return %a, %0, %1 : tensor<4xf32>, tensor<8xf32>, tensor<4xi32>\n}";
  };
  auto context = makeContext();
  auto module = importText(donated("0 : i32"), "p.mlir", *context);
  EXPECT_TRUE(module) << module.error().str();
  for (const char *result : {"3 : i32", "-1 : i32", "9223372036854775807 : i64",
                             "170141183460469231731687303715884105727 : i128"}) {
    expectError(donated(result), errors::ProgramInvalid, "p.mlir:1:17", "result");
  }
  for (const char *result : {"true", "\"0\"", "0.0 : f32", "0 : ui8", "[0]"}) {
    expectError(donated(result), errors::ProgramInvalid, "p.mlir:1:17", "not a result's number");
  }
  for (const char *result : {"1 : i32", "2 : i32"}) {
    expectError(donated(result), errors::ProgramInvalid, "p.mlir:1:17", "but it is");
  }
  expectError(donated("0 : i32", " {tf.aliasing_output = 0 : i32}"), errors::ProgramInvalid,
              "p.mlir:1:67", "and so does argument 0");
}

static std::string branchesInBranches(int depth) {
  std::string text = "func.func @main() {\n", end = "return\n}\n";
  for (int i = 0; i < depth; ++i) {
    text += "%p" + std::to_string(i) +
            " = stablehlo.constant dense<true> : tensor<i1>\n\"stablehlo.if\"(%p" +
            std::to_string(i) + ") ({\n";
    end = "stablehlo.return\n}, {\nstablehlo.return\n}) : (tensor<i1>) -> ()\n" + end;
  }
  return text + end;
}

static std::string attributeOfBrackets(size_t depth) {
  return "module attributes {x.y = " + std::string(depth, '[') + std::string(depth, ']') +
         "} { func.func @main() { return } }";
}

// Tests nesting up to the limit, in the form for which the parser recurses most.
TEST(Import, ReadsAsDeepAsTheLimit) {
  auto context = makeContext();
  for (const std::string &program : {branchesInBranches(120), attributeOfBrackets(250)}) {
    auto module = importText(program, "p.mlir", *context);
    EXPECT_TRUE(module) << module.error().str();
  }
}

// Programs with little nesting are read on the caller's stack, for which 512 KB suffice.
TEST(Import, ReadsShallowProgramsOnSmallStacks) {
  for (const std::string &program : {branchesInBranches(30), attributeOfBrackets(60)}) {
    auto context = makeContext();
    auto module = importText(program, "p.mlir", *context);
    ASSERT_TRUE(module) << module.error().str();
    std::string bytecode;
    llvm::raw_string_ostream stream(bytecode);
    ASSERT_TRUE(succeeded(writeBytecodeToFile(**module, stream)));
    for (const std::string &form : {program, bytecode}) {
      auto read = [&] { EXPECT_TRUE(importText(form, "p.mlir", *context)); };
      llvm::thread(std::optional<unsigned>(512 * 1024), read).join();
    }
  }
}

TEST(Import, ReadsFiles) {
  std::string path = testing::TempDir() + "import-test.mlir";
  std::ofstream(path) << "func.func @main() {\n  stablehlo.nothing\n  return\n}";
  auto context = makeContext();
  auto result = importFile(path, *context);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().location, path + ":2:3");
  EXPECT_EQ(info(result.error().code).status, ExitStatus::Unsupported);
  std::remove(path.c_str());
  result = importFile(path, *context);
  ASSERT_FALSE(result);
  EXPECT_EQ(info(result.error().code).status, ExitStatus::FileError);
}

// An error names the file's folder. The module and the code compiled from it don't.
TEST(Import, LocationsNameNoFolder) {
  for (std::string_view text : {"func.func @main() {\n  stablehlo.nothing\n  return\n}",
                                "func.func @main() {\n  !\n  return\n}"}) {
    auto context = makeContext();
    auto failing = importText(text, "some/folder/p.mlir", *context);
    ASSERT_FALSE(failing);
    EXPECT_EQ(failing.error().location.rfind("some/folder/p.mlir:2:", 0), 0u)
        << failing.error().location;
  }
  auto context = makeContext();
  std::string text[2];
  for (size_t i = 0; i < 2; ++i) {
    auto module = importText(function("%0 = stablehlo.negate %a : tensor<2xf32>"),
                             i == 0 ? "some/folder/p.mlir" : "/other/p.mlir", *context);
    ASSERT_TRUE(module);
    llvm::raw_string_ostream(text[i])
        << "" << mlir::OpWithFlags(**module, OpPrintingFlags().enableDebugInfo());
  }
  EXPECT_EQ(text[0], text[1]);
  EXPECT_NE(text[0].find("\"p.mlir\":2:"), std::string::npos) << text[0];
}

static constexpr std::string_view sample =
    R"(#map = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>
module @m attributes {mhlo.num_partitions = 1 : i32} {
func.func @main(%a: tensor<2x3xf32>, %i: tensor<f32>, %k: tensor<5x1xi32>) -> tensor<2xf32> {
  %0 = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %1 = stablehlo.slice %a [0:2, 0:3:2] : (tensor<2x3xf32>) -> tensor<2x2xf32>
  %2 = stablehlo.while(%x = %0) : tensor<2xf32> cond { %p = stablehlo.constant dense<true> : tensor<i1> stablehlo.return %p : tensor<i1> } do { stablehlo.return %x : tensor<2xf32> }
  %3 = "stablehlo.gather"(%a, %k) <{dimension_numbers = #map, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, tensor<5x1xi32>) -> tensor<5x3xf32>
  %4 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [1], precision = [DEFAULT, HIGH] : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  %5 = stablehlo.constant dense<"0x0000803F00000040"> : tensor<2xf32>
  %6 = stablehlo.pad %a, %i, low = [1, -1], high = [0, 2], interior = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<3x6xf32>
  %7 = "stablehlo.reduce_window"(%a, %i) <{padding = dense<[[0, 1], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 2>}> ({
  ^bb0(%u: tensor<f32>, %v: tensor<f32>):
    stablehlo.return %v : tensor<f32>
  }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x2xf32>
  %8, %9 = chlo.top_k(%a, k = 2) : tensor<2x3xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
  return %2 : tensor<2xf32>
}
})";

// Every prefix of a program gives a module or an error.
TEST(Import, SurvivesTruncation) {
  auto context = makeContext();
  for (size_t size = 0; size < sample.size(); ++size) {
    auto result = importText(sample.substr(0, size), "p.mlir", *context);
    EXPECT_FALSE(result) << size;
  }
  auto whole = importText(sample, "p.mlir", *context);
  EXPECT_TRUE(whole) << whole.error().str();
}

// Changing bytes, doubling tokens or moving lines always gives a module or an error.
TEST(Import, SurvivesMutations) {
  auto context = makeContext();
  uint64_t state = 1;
  auto next = [&](size_t bound) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>(state >> 33) % bound;
  };
  constexpr std::string_view bytes = "0123456789x-<>[]{}()%,:.=\"?!#@ \nabf";
  for (int round = 0; round < 3000; ++round) {
    std::string text(sample);
    for (size_t change = 1 + next(3); change > 0; --change) {
      size_t at = next(text.size()), length = next(12), from = next(text.size());
      switch (next(4)) {
      case 0:
        text[at] = bytes[next(bytes.size())];
        break;
      case 1:
        text.erase(at, length);
        break;
      case 2:
        text.insert(at, text.substr(from, length));
        break;
      default:
        text.insert(at, 1, bytes[next(bytes.size())]);
      }
    }
    (void)importText(text, "p.mlir", *context);
  }
}
