// Tests that each operand of each operation must have one of the types in the specification's
// tables. Takes valid programs: those of the operations' tests, and one use of each elementwise
// operation. In each program, replaces one operand at a time with a value of a type that no
// operation accepts.
#include "drumlin/import/Import.h"
#include "drumlin/ir/stablehlo/test/ElementwiseUses.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

using namespace drumlin;
using namespace mlir;

static DialectRegistry allDialects() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

// Returns the first error that the verifier reports for the operation itself.
static std::string errorOf(Operation *op) {
  std::string first;
  ScopedDiagnosticHandler handler(op->getContext(), [&](mlir::Diagnostic &diagnostic) {
    if (first.empty()) {
      first = diagnostic.str();
    }
    return success();
  });
  std::ignore = verify(op, /*verifyRecursively=*/false);
  return first;
}

// Checks that the verifier rejects each replaced operand. Adds the names of the checked operations
// to `seen`.
static void replaceOperands(ModuleOp module, std::set<std::string> &seen) {
  Block other;
  Value none = other.addArgument(NoneType::get(module.getContext()), module.getLoc());
  module.walk([&](Operation *op) {
    if (op->getName().getDialectNamespace() != "stablehlo" ||
        op->hasTrait<OpTrait::IsTerminator>()) {
      return;
    }
    for (OpOperand &operand : op->getOpOperands()) {
      Value kept = operand.get();
      operand.set(none);
      std::string expected = "operand #" + std::to_string(operand.getOperandNumber()) + " must be";
      EXPECT_NE(errorOf(op).find(expected), std::string::npos)
          << op->getName().getStringRef().str() << ": " << expected << ", got `" << errorOf(op)
          << "`";
      operand.set(kept);
      seen.insert(op->getName().getStringRef().str());
    }
  });
}

TEST(OperandTypes, AreCheckedForEachOperandOfEachOperation) {
  MLIRContext context(allDialects());
  context.loadAllAvailableDialects();
  std::set<std::string> seen;
  for (const auto &file : std::filesystem::directory_iterator(STABLEHLO_TESTS)) {
    std::string name = file.path().filename().string();
    if (!name.ends_with(".mlir") || name.ends_with("-invalid.mlir")) {
      continue;
    }
    OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(file.path().string(), &context);
    ASSERT_TRUE(module) << name;
    replaceOperands(*module, seen);
  }
  for (const stablehlo::ElementwiseUse &use : stablehlo::elementwiseUses(context)) {
    std::string error;
    auto module = stablehlo::parseProgram(context, use.program(use.elementTypes.at(0)), error);
    replaceOperands(*module, seen);
  }
  // The operations that have no operands.
  const std::set<std::string> none{"stablehlo.constant", "stablehlo.create_token", "stablehlo.iota",
                                   "stablehlo.partition_id", "stablehlo.replica_id"};
  // The operands of terminators are the results of their enclosing operations.
  const std::set<std::string> terminators{"stablehlo.return"};
  for (RegisteredOperationName name : context.getRegisteredOperationsByDialect("stablehlo")) {
    std::string text = name.getStringRef().str();
    if (!none.contains(text) && !terminators.contains(text)) {
      EXPECT_TRUE(seen.contains(text)) << text << " has no program";
    }
  }
}
