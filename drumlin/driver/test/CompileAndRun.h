// Compiles and runs programs on random arguments.
#pragma once

#include "TestProgram.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/NumericCompare.h"

#include <gtest/gtest.h>
#include <random>

namespace drumlin {

inline std::vector<Tensor> randomArguments(mlir::ModuleOp module, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<Tensor> arguments;
  for (mlir::Type type : entryFunction(module).getArgumentTypes()) {
    auto tensorType = mlir::cast<mlir::RankedTensorType>(type);
    ElementType element = elementTypeOf(tensorType.getElementType());
    Tensor tensor(element, Shape(tensorType.getShape()));
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      double value = number(random);
      encodeRun(element, &value, tensor.data() + i * storageBytes(element), 1);
    }
    arguments.push_back(std::move(tensor));
  }
  return arguments;
}

// Compiles and loads a module. If `options.startFrom` is set, the module is already a plan. If
// compiling or loading fails, fails the test and returns null.
inline std::unique_ptr<Executable> compileAndLoad(mlir::ModuleOp module, CompileOptions options) {
  options.useCache = false;
  Result<Compilation> compilation = compile(module, "reshapes", options);
  if (!compilation) {
    ADD_FAILURE() << compilation.error().str();
    return nullptr;
  }
  LoadOptions load;
  load.threads = 1;
  auto executable = compilation->load("reshapes", load);
  if (!executable) {
    ADD_FAILURE() << executable.error().str();
    return nullptr;
  }
  return std::move(*executable);
}

// Compiles a module and runs it.
inline std::vector<Tensor> compileAndRun(mlir::ModuleOp module, CompileOptions options,
                                         std::span<const Tensor> arguments) {
  std::unique_ptr<Executable> executable = compileAndLoad(module, std::move(options));
  if (!executable) {
    return {};
  }
  Result<std::vector<Tensor>> results = call(*executable, arguments);
  if (!results) {
    ADD_FAILURE() << results.error().str();
    return {};
  }
  return *results;
}

inline void expectClose(const std::vector<Tensor> &got, const std::vector<Tensor> &expected,
                        double tolerance) {
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    CompareOptions options;
    options.relativeTolerance = tolerance;
    Result<Comparison> comparison = compare(got[i], expected[i], options);
    ASSERT_TRUE(comparison) << comparison.error().str();
    EXPECT_TRUE(comparison->matches) << "result " << i << ": " << comparison->str();
  }
}

} // namespace drumlin
