// Tests default and strict numerics: the results of the bf16 dot instruction, that code with strict
// numerics doesn't use this instruction, and that the ledger says where it is used.
#include "TestProgram.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/ScheduleAttributes.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/target/ComputeUnits.h"
#include "drumlin/target/TargetNames.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

namespace drumlin {

static constexpr int64_t rows = 64, columns = 48, depth = 256;

static std::string product(const std::string &left, const std::string &right,
                           const std::string &precision = "") {
  std::string x = "tensor<64x256x" + left + ">", y = "tensor<256x48x" + right + ">";
  return "func.func @main(%x: " + x + ", %y: " + y + ") -> tensor<64x48xf32> {\n" +
         "  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0]" + precision + " : (" +
         x + ", " + y + ") -> tensor<64x48xf32>\n  return %d : tensor<64x48xf32>\n}\n";
}

static std::vector<LedgerEntry> dotEntries(const Ledger &ledger) {
  std::vector<LedgerEntry> found = ledger.entries();
  std::erase_if(found, [](const LedgerEntry &entry) { return entry.rule != "gemm-bf16-dot"; });
  return found;
}

// Compiles the program for AVX-512 with the dot unit, even if this machine lacks it.
static Result<Compilation> compileFor(TestProgram &program, Numerics numerics) {
  CompileOptions options;
  options.useCache = false;
  options.target = *targetFromName("avx512");
  options.numerics = numerics;
  return compile(*program.module, "test", options);
}

static bool canRun() { return llvm::cast<CpuTarget>(*nativeTarget()).has(ComputeUnit::bf16_pairs); }

static std::vector<float> run(const std::string &text, Numerics numerics,
                              const std::vector<Tensor> &arguments) {
  TestProgram program(text);
  Result<Compilation> compiled = compileFor(program, numerics);
  EXPECT_TRUE(compiled) << compiled.error().str();
  auto executable = compiled->load("test");
  EXPECT_TRUE(executable) << executable.error().str();
  auto results = call(**executable, arguments);
  EXPECT_TRUE(results) << results.error().str();
  std::vector<float> values(rows * columns);
  std::memcpy(values.data(), results->front().data(), values.size() * sizeof(float));
  return values;
}

// Returns a tensor whose element i has the value valueAt(i).
static Tensor tensorOf(ElementType type, const Shape &shape, double (*valueAt)(int64_t)) {
  Tensor tensor(type, shape);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    double value = valueAt(i);
    encodeRun(type, &value, tensor.data() + i * storageBytes(type), 1);
  }
  return tensor;
}

TEST(Numerics, LedgerNamesDotsOfTheBf16Unit) {
  struct Case {
    const char *left, *right, *precision;
    bool isTaken;
  };
  for (const Case &test : {Case{"bf16", "bf16", "", true}, Case{"f8E4M3FN", "f8E5M2", "", true},
                           Case{"bf16", "f8E4M3FN", "", true},
                           Case{"bf16", "bf16", ", precision = [HIGHEST, DEFAULT]", false},
                           Case{"f32", "f32", "", false}, Case{"f16", "f16", "", false},
                           Case{"f8E8M0FNU", "f8E8M0FNU", "", false}}) {
    std::string text = product(test.left, test.right, test.precision);
    SCOPED_TRACE(text);
    for (Numerics numerics : {Numerics::Default, Numerics::Strict}) {
      TestProgram program(text);
      ASSERT_TRUE(program.module);
      Result<Compilation> compiled = compileFor(program, numerics);
      ASSERT_TRUE(compiled) << compiled.error().str();
      std::vector<LedgerEntry> entries = dotEntries(compiled->phases.ledger);
      ASSERT_EQ(entries.size(), test.isTaken && numerics == Numerics::Default ? 1u : 0u);
      if (!entries.empty()) {
        EXPECT_EQ(entries[0].operation, "stablehlo.dot_general");
        EXPECT_EQ(entries[0].phase, "select");
      }
      for (auto kernel : program.module->getOps<plan::KernelOp>()) {
        std::optional<GemmSchedule> schedule = gemmScheduleOf(kernel);
        ASSERT_TRUE(schedule);
        EXPECT_EQ(schedule->unit == ComputeUnit::bf16_pairs, !entries.empty());
        EXPECT_TRUE(info(schedule->unit).isAllowed(numerics));
      }
    }
  }
}

TEST(Numerics, OnlyTheDefaultFlushesSubnormalBf16) {
  if (!canRun()) {
    GTEST_SKIP() << "this processor has no bf16 dot instruction";
  }
  // Each operand is subnormal in bf16; the sum is a normal f32 number.
  std::vector<Tensor> arguments = {
      tensorOf(ElementType::BF16, {rows, depth}, [](int64_t) { return 0x1p-130; }),
      tensorOf(ElementType::BF16, {depth, columns}, [](int64_t) { return 1.0; })};
  for (float value : run(product("bf16", "bf16"), Numerics::Strict, arguments)) {
    ASSERT_EQ(value, 0x1p-122f);
  }
  for (float value : run(product("bf16", "bf16"), Numerics::Default, arguments)) {
    ASSERT_EQ(value, 0.0f);
  }
  std::string highest = product("bf16", "bf16", ", precision = [HIGHEST, HIGHEST]");
  for (float value : run(highest, Numerics::Default, arguments)) {
    ASSERT_EQ(value, 0x1p-122f);
  }
}

// The smallest 8-bit floats are normal numbers in bf16, and a sum of few of their products is exact
// in f32, in any order.
TEST(Numerics, NothingOfFp8IsFlushed) {
  if (!canRun()) {
    GTEST_SKIP() << "this processor has no bf16 dot instruction";
  }
  std::vector<std::pair<const char *, ElementType>> types = {
      {"f8E5M2", ElementType::F8E5M2},
      {"f8E4M3FN", ElementType::F8E4M3FN},
      {"f8E4M3B11FNUZ", ElementType::F8E4M3B11FNUZ},
      {"f8E5M2FNUZ", ElementType::F8E5M2FNUZ}};
  for (auto [name, type] : types) {
    SCOPED_TRACE(name);
    // Returns a tensor of the type's smallest numbers.
    auto patterns = [&, type = type](const Shape &shape) {
      Tensor tensor(type, shape);
      for (int64_t i = 0; i < tensor.elements(); ++i) {
        auto pattern = static_cast<uint8_t>(i % 8); // zero and subnormal numbers, too
        std::memcpy(tensor.data() + i, &pattern, 1);
      }
      return tensor;
    };
    std::vector<Tensor> arguments = {patterns({rows, depth}), patterns({depth, columns})};
    std::string text = product(name, name);
    TestProgram program(text);
    auto expected = interpret(*program.module, arguments);
    ASSERT_TRUE(expected) << expected.error().str();
    std::vector<float> wanted(rows * columns);
    std::memcpy(wanted.data(), expected->front().data(), wanted.size() * sizeof(float));
    EXPECT_GT(*std::max_element(wanted.begin(), wanted.end()), 0.0f);
    EXPECT_EQ(run(text, Numerics::Default, arguments), wanted);
    EXPECT_EQ(run(text, Numerics::Strict, arguments), wanted);
  }
}

} // namespace drumlin
