// Runs a program in the interpreter before and after a pass, and compares the results.
#pragma once

#include "drumlin/import/Import.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/support/FloatFormats.h"
#include "mlir/Pass/PassManager.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace drumlin {

inline mlir::DialectRegistry testDialects() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registry.insert<plan::PlanDialect>();
  return registry;
}

// Returns small integers, whose sums and products are exact in any order.
inline Tensor wholeNumbers(ElementType type, const Shape &shape, uint64_t seed) {
  Tensor tensor(type, shape);
  std::mt19937_64 generator(seed);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    double number = static_cast<double>(generator() % 7) - 3;
    encodeRun(type, &number, tensor.data() + i * storageBytes(type), 1);
  }
  return tensor;
}

// Runs a function pass on the program, calls `look` with the rewritten program, and checks that the
// results stay bit-identical. `arguments` are floating-point tensors.
template <typename MakePass, typename Look>
void expectSameAfter(const std::string &text, const std::vector<Tensor> &arguments, MakePass make,
                     Look look) {
  SCOPED_TRACE(text);
  mlir::MLIRContext context(testDialects(), mlir::MLIRContext::Threading::DISABLED);
  auto module = importText(text, "test.mlir", context);
  ASSERT_TRUE(module) << module.error().str();
  auto expected = interpret(**module, arguments);
  ASSERT_TRUE(expected) << expected.error().str();
  mlir::PassManager passes(&context);
  passes.addNestedPass<mlir::func::FuncOp>(make());
  ASSERT_TRUE(mlir::succeeded(passes.run(**module)));
  auto got = interpret(**module, arguments);
  ASSERT_TRUE(got) << got.error().str();
  ASSERT_EQ(got->size(), expected->size());
  for (size_t i = 0; i < got->size(); ++i) {
    ASSERT_EQ((*got)[i].shape(), (*expected)[i].shape());
    ASSERT_EQ(std::memcmp((*got)[i].data(), (*expected)[i].data(),
                          static_cast<size_t>((*got)[i].bytes())),
              0);
  }
  look(**module);
}

} // namespace drumlin
