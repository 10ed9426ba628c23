// Interprets every program of test/models and compares with the numbers recorded with it.
#include "drumlin/import/Import.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/ArrayFiles.h"
#include "drumlin/support/NumericCompare.h"

#include "mlir/IR/MLIRContext.h"

#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>

using namespace drumlin;

static std::filesystem::path programsFolder() {
  return std::filesystem::path(DRUMLIN_SOURCE_DIR) / "test" / "models";
}

static std::vector<std::string> programNames() {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto &entry : std::filesystem::directory_iterator(programsFolder(), error)) {
    if (std::filesystem::exists(entry.path() / "program.mlir")) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

// Reads the arrays `prefix0`, `prefix1`, ... with the given types.
static Result<std::vector<Tensor>> readTyped(const std::filesystem::path &path,
                                             const std::string &prefix, mlir::TypeRange types) {
  Result<std::vector<NamedTensor>> arrays = readArrays(path.string());
  if (!arrays) {
    return arrays.error();
  }
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < types.size(); ++i) {
    for (const NamedTensor &array : *arrays) {
      if (array.name == prefix + std::to_string(i)) {
        Result<Tensor> tensor = reinterpret(array.tensor, elementTypeOf(types[i]));
        if (!tensor) {
          return tensor.error();
        }
        tensors.push_back(*tensor);
      }
    }
  }
  return tensors;
}

// Returns the tolerance for the program's element types. Two kinds of recorded numbers are far from
// exact results and have wider tolerances. The numbers of the bf16 llama are 3.2e-2 from those of
// the f32 llama. The sums of the f32 dots cancel to 1/700 of the total magnitude of their addends;
// the recorded sums are 1.8e-4 from the sums without rounding.
static CompareOptions toleranceOf(const std::string &name, mlir::func::FuncOp function) {
  CompareOptions options;
  options.codeTolerance = 1;
  options.equalShare = 0.99;
  bool narrow = false;
  for (mlir::Type type :
       llvm::concat<const mlir::Type>(function.getArgumentTypes(), function.getResultTypes())) {
    ElementType element = elementTypeOf(type);
    narrow |= isFloat(element) && info(element).bits <= 16;
  }
  if (name == "llama_prefill_bf16") {
    options.relativeTolerance = 5e-2;
  } else if (name == "dot_canonical_f32" || name == "dot_checkpoint_f32") {
    options.relativeTolerance = 3e-4;
  } else if (name.find("train_step") != std::string::npos) {
    options.relativeTolerance = 1e-4;
  } else {
    options.relativeTolerance = narrow ? 2e-2 : 2e-5;
  }
  return options;
}

class Programs : public testing::TestWithParam<std::string> {};

TEST_P(Programs, GiveTheRecordedNumbers) {
  std::filesystem::path folder = programsFolder() / GetParam();
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  auto module = importFile((folder / "program.mlir").string(), context);
  ASSERT_TRUE(bool(module)) << module.error().str();
  mlir::func::FuncOp function = entryFunction(**module);
  auto inputs = readTyped(folder / "inputs.npz", "in", function.getArgumentTypes());
  auto expected = readTyped(folder / "expected.npz", "out", function.getResultTypes());
  ASSERT_TRUE(bool(inputs)) << inputs.error().str();
  ASSERT_TRUE(bool(expected)) << expected.error().str();

  Result<std::vector<Tensor>> results = interpret(function, *inputs);

  ASSERT_TRUE(bool(results)) << results.error().str();
  ASSERT_EQ(results->size(), expected->size());
  CompareOptions options = toleranceOf(GetParam(), function);
  for (size_t i = 0; i < results->size(); ++i) {
    Result<Comparison> comparison = compare((*results)[i], (*expected)[i], options);
    ASSERT_TRUE(bool(comparison)) << comparison.error().str();
    EXPECT_TRUE(comparison->matches) << "out" << i << ": " << comparison->str();
    RecordProperty("out" + std::to_string(i), comparison->str());
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Programs, testing::ValuesIn(programNames()),
                         [](const testing::TestParamInfo<std::string> &info) {
                           return info.param;
                         });
// The folder of programs is part of the repository, but the tests may run where it is missing.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Programs);
