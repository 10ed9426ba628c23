#include "drumlin/codegen/cpu/gemm/test/GemmCheck.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/import/Import.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/support/CpuFeatures.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/NumericCompare.h"
#include "drumlin/support/SystemLimits.h"
#include "drumlin/target/TargetNames.h"
#include "gtest/gtest.h"

#include <cmath>
#include <random>
#include <sstream>

namespace drumlin {

Tensor randomTensor(ElementType type, const Shape &shape, uint64_t seed) {
  Tensor tensor(type, shape);
  std::mt19937_64 generator(seed);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    double uniform = static_cast<double>(generator() >> 11) * 0x1p-53;
    double value = isFloat(type)     ? uniform * 2 - 1
                   : isBoolean(type) ? uniform < 0.3
                                     : std::floor(uniform * 200) - 100;
    if (isUnsigned(type)) {
      value = std::floor(uniform * 250);
    }
    if (isFloat(type)) {
      encodeRun(type, &value, tensor.data() + i * storageBytes(type), 1);
    } else {
      int64_t bits = static_cast<int64_t>(value);
      std::memcpy(tensor.data() + i * storageBytes(type), &bits, storageBytes(type));
    }
  }
  return tensor;
}

static double toleranceOf(ElementType type) {
  switch (type) {
  case ElementType::BF16:
    return 1e-2;
  case ElementType::F16:
    return 2e-3;
  case ElementType::F64:
    return 1e-12;
  default:
    return 2e-5;
  }
}

void check(const std::string &text, const Checks &checks) {
  SCOPED_TRACE(text);
  mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
  auto module = importText(text, "test.mlir", context);
  ASSERT_TRUE(module) << module.error().str();
  std::vector<Tensor> arguments;
  for (mlir::Type type : entryFunction(**module).getArgumentTypes()) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    arguments.push_back(randomTensor(elementTypeOf(tensor.getElementType()),
                                     Shape(tensor.getShape()), arguments.size() + 1));
  }
  auto expected = interpret(**module, arguments);
  ASSERT_TRUE(expected) << expected.error().str();
  for (const std::string &target : checks.targets) {
    SCOPED_TRACE(target);
    mlir::OwningOpRef<mlir::ModuleOp> copy = mlir::cast<mlir::ModuleOp>((*module)->clone());
    CompileOptions options;
    options.useCache = false;
    options.target = *targetFromName(target);
    // Code for a processor with features that this processor lacks is only compiled.
    if (!missingCpuFeatures(llvm::cast<CpuTarget>(options.target.get())->features).empty()) {
      continue;
    }
    options.forcedKernels = checks.forced;
    for (int64_t number : checks.statics) {
      options.staticArguments.push_back(std::to_string(number));
    }
    options.threads = 1;
    auto compiled = compile(*copy, "test", options);
    ASSERT_TRUE(compiled) << compiled.error().str();
    if (checks.count) {
      std::string plan;
      llvm::raw_string_ostream(plan) << *copy;
      *checks.count += plan.find(checks.said) != std::string::npos ? 1 : 0;
    }
    std::vector<Tensor> got;
    for (unsigned threads : checks.threads) {
      LoadOptions load;
      load.threads = threads;
      if (threads > processorsInMask()) { // the pool's launches wouldn't use so many
        load.replayedThreads = threads;
      }
      auto executable = compiled->load("test", load);
      ASSERT_TRUE(executable) << executable.error().str();
      auto results = call(**executable, arguments);
      ASSERT_TRUE(results) << results.error().str();
      // Results must be bitwise equal for every number of threads.
      for (size_t i = 0; i < got.size(); ++i) {
        EXPECT_EQ(
            std::memcmp(got[i].data(), (*results)[i].data(), static_cast<size_t>(got[i].bytes())),
            0);
      }
      got = *results;
    }
    for (size_t i = 0; i < expected->size(); ++i) {
      CompareOptions compareOptions;
      ElementType type = (*expected)[i].type();
      compareOptions.relativeTolerance =
          checks.tolerance != 0 ? checks.tolerance : toleranceOf(type);
      auto comparison = compare(got[i], (*expected)[i], compareOptions);
      ASSERT_TRUE(comparison) << comparison.error().str();
      EXPECT_TRUE(comparison->matches) << "result " << i << ": " << comparison->str();
    }
  }
}

std::string tensorType(const std::vector<int64_t> &shape, const std::string &element) {
  std::ostringstream out;
  out << "tensor<";
  for (int64_t size : shape) {
    out << size << "x";
  }
  out << element << ">";
  return out.str();
}

std::string function(const std::vector<std::string> &arguments, const std::string &results,
                     const std::string &body, const std::string &returned) {
  std::ostringstream out;
  out << "func.func @main(";
  for (size_t i = 0; i < arguments.size(); ++i) {
    out << (i == 0 ? "" : ", ") << "%arg" << i << ": " << arguments[i];
  }
  out << ") -> (" << results << ") {\n"
      << body << "  return " << returned << " : " << results << "\n}\n";
  return out.str();
}

std::string matmul(int64_t m, int64_t n, int64_t k, bool lhsTransposed, bool rhsTransposed,
                   const std::string &in, std::string out, const std::string &precision) {
  if (out.empty()) {
    out = in;
  }
  std::string lhs = tensorType(lhsTransposed ? std::vector{k, m} : std::vector{m, k}, in);
  std::string rhs = tensorType(rhsTransposed ? std::vector{n, k} : std::vector{k, n}, in);
  std::string result = tensorType({m, n}, out);
  std::ostringstream body;
  body << "  %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = ["
       << (lhsTransposed ? 0 : 1) << "] x [" << (rhsTransposed ? 1 : 0) << "]" << precision
       << " : (" << lhs << ", " << rhs << ") -> " << result << "\n";
  return function({lhs, rhs}, result, body.str(), "%0");
}

} // namespace drumlin
