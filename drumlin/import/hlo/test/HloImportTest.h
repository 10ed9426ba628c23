// Helpers for tests of the HLO import: programs for a single instruction, and the import itself.
#pragma once

#include "drumlin/import/Import.h"

#include "mlir/IR/BuiltinOps.h"

#include <gtest/gtest.h>

namespace drumlin {

// The computations that the tested instructions name.
inline constexpr const char *computations = R"(
add {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT sum = f32[] add(x, y)
}
ge {
  x = f32[] parameter(0)
  y = f32[] parameter(1)
  ROOT chosen = pred[] compare(x, y), direction=GE
}
less {
  x = s32[] parameter(0)
  limit = s32[] constant(3)
  ROOT go = pred[] compare(x, limit), direction=LT
}
next {
  x = s32[] parameter(0)
  one = s32[] constant(1)
  ROOT sum = s32[] add(x, one)
}
negated {
  x = f32[4]{0} parameter(0)
  ROOT minus = f32[4]{0} negate(x)
}
row {
  x = f32[4]{0} parameter(0)
  carry = f32[4]{0} parameter(1)
  sum = f32[4]{0} add(x, carry)
  ROOT both = (f32[4]{0}, f32[4]{0}) tuple(sum, sum)
}
)";

inline std::string moduleOf(const std::vector<const char *> &parameters, const std::string &root,
                            const std::string &before = {}) {
  std::string text = std::string("HloModule uses\n") + computations + "\nENTRY main {\n";
  for (size_t i = 0; i < parameters.size(); ++i) {
    std::string number = std::to_string(i);
    text += "  p" + number + " = " + parameters[i] + " parameter(" + number + ")\n";
  }
  return text + before + "  ROOT r = " + root + "\n}\n";
}

struct HloImportTest : testing::Test {
  HloImportTest() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    context.appendDialectRegistry(registry);
  }

  Result<mlir::OwningOpRef<mlir::ModuleOp>> import(const std::string &text) {
    ImportLimits limits;
    limits.nativeTypesOnly = false; // all types that the interpreter supports
    return importText(text, "uses.hlo", context, limits);
  }

  // Checks that a program imports and that `main` then has an operation of this name.
  void expectOperation(const char *opcode, const std::string &text, llvm::StringRef operation) {
    SCOPED_TRACE(opcode);
    Result<mlir::OwningOpRef<mlir::ModuleOp>> module = import(text);
    ASSERT_TRUE(module) << module.error().str();
    bool found = false;
    (*module)->walk(
        [&](mlir::Operation *op) { found |= op->getName().getStringRef() == operation; });
    EXPECT_TRUE(found) << opcode << " gives no " << operation.str();
  }

  mlir::MLIRContext context;
};

} // namespace drumlin
