// Tests that the error about a broken contract names the contract and the pass that broke it.
#include "drumlin/transforms/Contracts.h"

#include "BrokenPasses.h"
#include "drumlin/import/Import.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/NegOp.h"
#include "drumlin/transforms/buffers/Passes.h"
#include "drumlin/transforms/fusion/Passes.h"
#include "drumlin/transforms/layout/Passes.h"
#include "drumlin/transforms/rewrite/Passes.h"
#include "drumlin/transforms/schedule/Passes.h"
#include "drumlin/transforms/select/Passes.h"
#include "drumlin/transforms/simplify/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace drumlin {

class Broken : public PassWrapper<Broken, OperationPass<ModuleOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Broken)
  explicit Broken(const BrokenPass &broken) : broken(&broken) {}
  StringRef getArgument() const override { return broken->flag; }
  void runOnOperation() override { broken->breaks(getOperation()); }

private:
  const BrokenPass *broken;
};

class ContractsTest : public testing::Test {
protected:
  ContractsTest() {
    DialectRegistry registry;
    registerDialects(registry);
    registry.insert<plan::PlanDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.disableMultithreading();
  }

  // Returns the errors of the passes, or an empty text if they succeeded.
  std::string run(const BrokenPass &broken, bool breaks) {
    auto module = parseSourceString<ModuleOp>(broken.program, &context);
    EXPECT_TRUE(module) << broken.flag;
    std::string errors;
    ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      llvm::raw_string_ostream(errors) << diagnostic << "\n";
      return success();
    });
    PassManager passes(&context);
    // The verifier is off, since it would report some of these errors first.
    passes.enableVerifier(false);
    if (breaks) {
      passes.addPass(std::make_unique<Broken>(broken));
    }
    passes.addPass(createContractCheck({findContract(broken.contract)}, broken.flag));
    bool failedToRun = failed(passes.run(*module));
    EXPECT_EQ(failedToRun, !errors.empty());
    return errors;
  }

  MLIRContext context;
};

TEST_F(ContractsTest, KeptContractsSayNothing) {
  for (const BrokenPass &broken : brokenPasses()) {
    EXPECT_EQ(run(broken, /*breaks=*/false), "") << broken.flag;
  }
}

TEST_F(ContractsTest, BrokenOnesNameThemselvesAndThePass) {
  for (const BrokenPass &broken : brokenPasses()) {
    std::string message = run(broken, /*breaks=*/true);
    EXPECT_NE(message.find("pass `" + std::string(broken.flag) + "`"), std::string::npos)
        << message;
    EXPECT_NE(message.find("the contract `" + std::string(broken.contract) + "`"),
              std::string::npos)
        << message;
    EXPECT_NE(message.find(broken.seen), std::string::npos) << broken.flag << ": " << message;
    EXPECT_NE(message.find(findContract(broken.contract)->statement), std::string::npos) << message;
  }
}

// The body of a loop is checked once, however deeply the loop is nested.
TEST_F(ContractsTest, NestedLoopsAreLinear) {
  std::string text =
      "func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> attributes "
      "{plan.arena_bytes = 16384 : i64} {\n";
  constexpr int depth = 60;
  std::string outer = "%x", flag = "%p", ends;
  for (int i = 0; i < depth; ++i) {
    std::string n = std::to_string(i), at = std::to_string(128 * i);
    std::string buffers =
        i == 0 ? "#plan.buffer<result, 0, 0, 16>" : "#plan.buffer<arena, 0, " + at + ", 16>";
    text += "%w" + n + ":2 = stablehlo.while(%v" + n + " = " + outer + ", %q" + n + " = " + flag +
            ") : tensor<4xf32>, tensor<i1> attributes {buffers = [" + buffers +
            ", #plan.buffer<arena, 0, " + std::to_string(128 * i + 64) +
            ", 1>]}\ncond {\nstablehlo.return %q" + n + " : tensor<i1>\n} do {\n";
    outer = "%v" + n;
    flag = "%q" + n;
  }
  // Closes the loops in the text, from the innermost to the outermost.
  for (int i = depth - 1; i >= 0; --i) {
    std::string n = std::to_string(i + 1);
    std::string inner = i + 1 == depth ? "%v" + std::to_string(i) + ", %q" + std::to_string(i)
                                       : "%w" + n + "#0, %w" + n + "#1";
    ends += "stablehlo.return " + inner + " : tensor<4xf32>, tensor<i1>\n}\n";
  }
  text += ends + "return %w0#0 : tensor<4xf32>\n}\n";
  BrokenPass loops{"loops", "buffers-hold", text.c_str(), nullptr, nullptr};
  EXPECT_EQ(run(loops, /*breaks=*/false), "");
}

// A new contract needs a pass in BrokenPasses.cpp that breaks it.
TEST_F(ContractsTest, EachIsBrokenBySomePass) {
  for (const Contract &contract : allContracts()) {
    EXPECT_TRUE(llvm::any_of(brokenPasses(), [&](const BrokenPass &broken) {
      return broken.contract == contract.name;
    })) << contract.name;
  }
}

TEST_F(ContractsTest, EachIsGuaranteedByARegisteredPass) {
  registerDrumlin_simplify_Passes();
  registerDrumlin_rewrite_Passes();
  registerDrumlin_fusion_Passes();
  registerDrumlin_layout_Passes();
  registerDrumlin_select_Passes();
  registerDrumlin_schedule_Passes();
  registerDrumlin_buffers_Passes();
  for (const Contract &contract : allContracts()) {
    EXPECT_TRUE(PassInfo::lookup(contract.guaranteedBy))
        << contract.name << ": " << contract.guaranteedBy;
  }
}

TEST_F(ContractsTest, NamesAreDistinctAndFound) {
  for (const Contract &contract : allContracts()) {
    EXPECT_EQ(findContract(contract.name), &contract);
    EXPECT_FALSE(contract.statement.empty());
  }
  EXPECT_EQ(findContract("no-such-contract"), nullptr);
}

// The error is at the operation with the first violation.
TEST_F(ContractsTest, MessageStandsAtTheOperation) {
  auto good = parseSourceString<ModuleOp>(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32> loc("model.py":7:3)
  return %0 : tensor<4xf32>
})",
                                          &context);
  ASSERT_TRUE(good);
  std::optional<Violation> violation = findContract("all-in-kernels")->check(*good);
  ASSERT_TRUE(violation);
  EXPECT_TRUE(isa<stablehlo::NegOp>(violation->op));
}

} // namespace drumlin
