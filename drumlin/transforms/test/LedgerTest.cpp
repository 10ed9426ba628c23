// Tests the ledger itself. The decisions that passes record in it are tested with the phases
// (drumlin/driver/test).
#include "drumlin/transforms/Ledger.h"

#include "drumlin/import/Import.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/AbsOp.h"
#include "drumlin/ir/stablehlo/NegOp.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>
#include <set>

using namespace mlir;

namespace drumlin {

class LedgerTest : public testing::Test {
protected:
  LedgerTest() {
    DialectRegistry registry;
    registerDialects(registry);
    registry.insert<plan::PlanDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = parseSourceString<ModuleOp>(R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32> loc("model.py":7:3)
  %1 = stablehlo.abs %0 : tensor<4xf32> loc("model.py":8:3)
  return %1 : tensor<4xf32>
})",
                                         &context);
    plan::numberOrigins(*module);
    module->walk([&](Operation *op) {
      negate = isa<stablehlo::NegOp>(op) ? op : negate;
      abs = isa<stablehlo::AbsOp>(op) ? op : abs;
    });
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  Operation *negate = nullptr, *abs = nullptr;
  Ledger ledger;
};

TEST_F(LedgerTest, LastWordWins) {
  ledger.beginPhase("first");
  ledger.record(Rule::Cse, negate, Decision::declined(Reason::Repeated, abs));
  ledger.beginPhase("second");
  ledger.record(Rule::Cse, negate, Decision::taken());
  ASSERT_EQ(ledger.entries().size(), 1u);
  LedgerEntry entry = ledger.entries().front();
  EXPECT_EQ(entry.reason, Reason::Taken);
  EXPECT_EQ(entry.phase, "second");
  EXPECT_EQ(entry.blocker, "");
}

// Arguments have no origin. Their names distinguish their entries, also after the entries are read
// back.
TEST_F(LedgerTest, OneEntryForEachArgument) {
  BlockArgument argument = cast<func::FuncOp>(negate->getParentOp()).getArgument(0);
  ledger.record(Rule::BindWeight, argument, "w", Decision::taken());
  ledger.record(Rule::BindWeight, argument, "b", Decision::taken());
  ledger.record(Rule::BindWeight, argument, "w", Decision::taken());
  Ledger restored;
  ASSERT_TRUE(restored.restore(ledger.json()));
  for (const Ledger &each : {ledger, restored}) {
    ASSERT_EQ(each.entries().size(), 2u);
    EXPECT_EQ(each.entries()[0].operation, "argument `b`");
    EXPECT_EQ(each.entries()[1].operation, "argument `w`");
  }
}

TEST_F(LedgerTest, OneEntryForEachRuleAndOperation) {
  ledger.record(Rule::FoldConstant, negate, Decision::taken());
  ledger.record(Rule::InlineCall, negate, Decision::taken());
  ledger.record(Rule::FoldConstant, abs, Decision::taken());
  EXPECT_EQ(ledger.entries().size(), 3u);
}

TEST_F(LedgerTest, EntriesAreSortedWhateverTheOrderOfRecording) {
  ledger.record(Rule::InlineCall, abs, Decision::taken());
  ledger.record(Rule::FoldConstant, negate, Decision::taken());
  ledger.record(Rule::FoldConstant, abs, Decision::taken());
  Ledger other;
  other.record(Rule::FoldConstant, abs, Decision::taken());
  other.record(Rule::InlineCall, abs, Decision::taken());
  other.record(Rule::FoldConstant, negate, Decision::taken());
  EXPECT_EQ(ledger.json(), other.json());
  EXPECT_EQ(ledger.entries().front().operation, "stablehlo.negate");
}

TEST_F(LedgerTest, DeclinedSaysWhereWhatAndWhatToChange) {
  ledger.record(Rule::Cse, negate, Decision::declined(Reason::OtherUsers, abs));
  std::string text = Ledger::text(ledger.entries().front());
  EXPECT_EQ(text.find("model.py:7:3: stablehlo.negate: cse: other-users: "), 0u) << text;
  EXPECT_NE(text.find("stablehlo.abs at model.py:8:3"), std::string::npos) << text;
  EXPECT_NE(text.find(info(Reason::OtherUsers).remedy), std::string::npos) << text;
}

TEST_F(LedgerTest, RuleMayStateItsOwnRemedy) {
  ledger.record(Rule::Cse, negate, Decision::declined(Reason::OtherUsers, nullptr, "do this"));
  EXPECT_EQ(ledger.entries().front().remedy, "do this");
}

TEST_F(LedgerTest, JsonHoldsWhatTheTextHolds) {
  ledger.beginPhase("rewrite");
  ledger.record(Rule::Cse, negate, Decision::declined(Reason::OtherUsers, abs));
  ledger.record(Rule::Cse, abs, Decision::taken());
  auto json = llvm::json::parse(ledger.json());
  ASSERT_TRUE(static_cast<bool>(json));
  ASSERT_EQ(json->getAsArray()->size(), 2u);
  const llvm::json::Object &declined = *(*json->getAsArray())[0].getAsObject();
  EXPECT_EQ(declined.getString("phase"), "rewrite");
  EXPECT_EQ(declined.getString("rule"), "cse");
  EXPECT_EQ(declined.getString("operation"), "stablehlo.negate");
  EXPECT_EQ(declined.getString("source"), "model.py:7:3");
  EXPECT_EQ(declined.getString("decision"), "other-users");
  EXPECT_EQ(declined.getString("blocker"), "stablehlo.abs at model.py:8:3");
  EXPECT_TRUE(declined.getString("remedy"));
  EXPECT_EQ(declined.getArray("origins")->size(), 1u);
  const llvm::json::Object &taken = *(*json->getAsArray())[1].getAsObject();
  EXPECT_EQ(taken.getString("decision"), "taken");
  EXPECT_FALSE(taken.getString("remedy"));
}

TEST_F(LedgerTest, IsTakenUpFromItsJson) {
  ledger.beginPhase("rewrite");
  ledger.record(Rule::Cse, negate, Decision::declined(Reason::OtherUsers, abs));
  ledger.record(Rule::Cse, abs, Decision::taken());
  Ledger other;
  EXPECT_TRUE(other.restore(ledger.json()));
  EXPECT_EQ(other.json(), ledger.json());
}

TEST_F(LedgerTest, OtherTextIsNoLedger) {
  for (const char *text :
       {"", "[", "{}", "[1]", "[{}]", R"([{"rule": "cse", "decision": "no-such-reason"}])",
        R"([{"rule": "no-such-rule", "decision": "taken"}])", R"([{"decision": "taken"}])"}) {
    EXPECT_FALSE(Ledger().restore(text)) << text;
  }
}

TEST_F(LedgerTest, ReasonsHaveDistinctCodesAndMeanings) {
  std::set<std::string_view> codes;
  for (const ReasonInfo &reason : allReasons()) {
    EXPECT_TRUE(codes.insert(reason.code).second) << reason.code;
    EXPECT_FALSE(reason.meaning.empty()) << reason.code;
    EXPECT_EQ(&info(reason.reason), &reason);
  }
}

TEST_F(LedgerTest, OriginsOfMergedOperationsAreTheUnion) {
  Location merged = plan::mergeLocations(&context, {negate, abs});
  abs->setLoc(merged);
  SmallVector<int64_t> both = plan::originsOf(abs);
  EXPECT_EQ(both.size(), 2u);
  EXPECT_TRUE(llvm::is_sorted(both));
  EXPECT_EQ(plan::sourceOf(merged), "model.py:7:3");
}

} // namespace drumlin
