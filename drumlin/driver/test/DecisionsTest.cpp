// Tests the rules' decisions: for every reason, there is a program that provokes it, and every
// remedy in the ledger changes the decision.
#include "DecisionCases.h"
#include "TestProgram.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/driver/EngineReport.h"
#include "drumlin/driver/tuner/KernelTuning.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/target/TargetNames.h"
#include "drumlin/transforms/Reasons.h"

#include <gtest/gtest.h>
#include <set>

namespace drumlin {

static std::vector<LedgerEntry> decisionsOf(const std::string &text,
                                            const std::string &disabled = "",
                                            const std::string &target = "", AutoCast cast = {},
                                            ModelType type = ModelType::Generic,
                                            Numerics numerics = Numerics::Default) {
  TestProgram program(text);
  EXPECT_TRUE(program.module) << text;
  CompileOptions options;
  options.autoCast = cast;
  options.numerics = numerics;
  options.modelType = type;
  if (!disabled.empty()) {
    options.disabledPasses = {disabled};
  }
  if (const TensorEngine *engine = findTensorEngine(target)) {
    Result<EnginePlan> plan = planOnEngine(*program.module, *engine, options, {});
    EXPECT_TRUE(plan) << text;
    return plan ? plan->phases.ledger.entries() : std::vector<LedgerEntry>();
  }
  if (!target.empty()) {
    options.target = *targetFromName(target);
  }
  // Compilation may fail, since a program may be refused for a reason that the ledger states.
  if (program.module && !program.run(options)) {
    return program.result.ledger.entries();
  }
  return program.result.ledger.entries();
}

class DecisionsTest : public testing::TestWithParam<DecisionCase> {};

TEST_P(DecisionsTest, IsDeclinedWithItsReason) {
  const DecisionCase &test = GetParam();
  bool declined = llvm::any_of(
      decisionsOf(test.declined, test.disabled, test.target, test.cast, test.type, test.numerics),
      [&](const LedgerEntry &entry) {
        return entry.rule == test.rule && entry.reason == test.reason &&
               entry.remedy.empty() == test.remedied.empty();
      });
  EXPECT_TRUE(declined);
}

TEST_P(DecisionsTest, RemedyMakesTheRuleFire) {
  const DecisionCase &test = GetParam();
  if (test.remedied.empty()) {
    return;
  }
  bool taken = false;
  for (const LedgerEntry &entry :
       decisionsOf(test.remedied, "", test.target, test.cast, ModelType::Generic, test.numerics)) {
    taken |= entry.rule == test.rule && entry.operation == test.operation &&
             entry.reason == Reason::Taken;
    EXPECT_FALSE(entry.rule == test.rule && entry.operation == test.operation &&
                 entry.reason == test.reason)
        << Ledger::text(entry);
  }
  EXPECT_TRUE(taken);
}

INSTANTIATE_TEST_SUITE_P(Rules, DecisionsTest, testing::ValuesIn(decisionCases()),
                         [](const testing::TestParamInfo<DecisionCase> &info) {
                           return info.param.name;
                         });

// Returns the decisions on a kernel with a tuning record. If `isFaster`, a person has written
// another schedule than the cost model's into the record. Otherwise, the record says that no
// schedule is faster than the cost model's.
static std::vector<LedgerEntry> decisionsOfTuning(bool isFaster, const char *disabled = "") {
  const char *text = R"(
func.func @main(%x: tensor<96x128xf32>, %y: tensor<128x160xf32>) -> tensor<96x160xf32> {
  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<96x128xf32>, tensor<128x160xf32>) -> tensor<96x160xf32>
  return %d : tensor<96x160xf32>
})";
  TestProgram planned(text);
  CompileOptions options;
  options.target = *targetFromName("avx2");
  EXPECT_TRUE(planned.run(options));
  Result<CpuTarget> target = cpuTargetFromName("avx2");
  std::string winner; // the schedule's text in the plan
  TuningRecord record;
  for (plan::KernelOp kernel : planned.module->getOps<plan::KernelOp>()) {
    RecordedKernel recorded;
    recorded.key = tuningKey(kernel, operandsOf(kernel, *planned.module, *target));
    recorded.subject = subjectOf(kernel);
    recorded.target = target->name;
    recorded.version = tuningVersion();
    std::vector<NamedSchedule> schedules = *schedulesOf(kernel, *target, Numerics::Default);
    for (size_t i = 0; i < schedules.size(); ++i) {
      double time = 2000 + static_cast<double>(i);
      recorded.candidates.push_back(
          {schedules[i].name, 0, MedianBounds{time - 1, time, time + 1}, {{time, false}}});
    }
    recorded.winner = schedules[isFaster ? 1 : 0].name;
    winner = schedules[1].schedule.str();
    recorded.rule = isFaster ? "hand" : "cost-model";
    record.put(recorded);
  }
  std::string path = testing::TempDir() + "/decisions-of-tuning.txt";
  // The record may also contain times.
  std::string header = record.str().substr(0, record.str().find('\n')), times = record.timesText();
  EXPECT_TRUE(writeFile(path, header + times.substr(times.find('\n'))));
  TestProgram program(text);
  options.tuning = CompileOptions::Tuning::Require;
  options.tuningRecord = path;
  options.useCache = false;
  if (*disabled) {
    options.disabledPasses.emplace_back(disabled);
  }
  Result<Compilation> compiled = compile(*program.module, "test", options);
  EXPECT_TRUE(compiled) << compiled.error().str();
  std::vector<LedgerEntry> entries = compiled->phases.ledger.entries();
  std::erase_if(entries, [](const LedgerEntry &entry) { return entry.rule != "tune-schedule"; });
  EXPECT_EQ(entries.size(), 1u);
  bool isSet = compiled->planText.find(winner) != std::string::npos;
  EXPECT_EQ(isSet, isFaster && !*disabled);
  return entries;
}

TEST(DecisionsOfTuning, SayWhatWasMeasured) {
  LedgerEntry kept = decisionsOfTuning(false).front();
  EXPECT_EQ(kept.reason, Reason::NotFaster);
  ASSERT_TRUE(kept.times);
  EXPECT_EQ(kept.times->before, 2000);
  EXPECT_EQ(kept.times->after, 2001);
  EXPECT_NE(Ledger::text(kept).find("2.00 us with the cost model's schedule, 2.00 us with"),
            std::string::npos)
      << Ledger::text(kept);
  EXPECT_NE(kept.source, "");
  LedgerEntry taken = decisionsOfTuning(true).front();
  EXPECT_EQ(taken.reason, Reason::Taken);
  ASSERT_TRUE(taken.times);
  EXPECT_EQ(taken.times->after, 2001);
  Ledger restored;
  ASSERT_TRUE(restored.restore(Ledger::json({taken})));
  ASSERT_TRUE(restored.entries().front().times);
  EXPECT_EQ(restored.entries().front().times->after, 2001);
  EXPECT_EQ(decisionsOfTuning(true, "tune-schedule").front().reason, Reason::TurnedOff);
}

// Returns the kernels' decisions at an optimization level, with almost no time for measurements.
static std::vector<LedgerEntry> decisionsOfLevel(unsigned level) {
  TestProgram program(R"(
func.func @main(%x: tensor<96x128xf32>, %y: tensor<128x160xf32>, %z: tensor<512x256xf32>) -> (tensor<96x160xf32>, tensor<256xf32>) {
  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<96x128xf32>, tensor<128x160xf32>) -> tensor<96x160xf32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%z init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x256xf32>, tensor<f32>) -> tensor<256xf32>
  return %d, %s : tensor<96x160xf32>, tensor<256xf32>
})");
  CompileOptions options;
  options.target = *targetFromName("avx2");
  options.useCache = false;
  options.level = level;
  options.timeBudget = 1e-9;
  Result<Compilation> compiled = compile(*program.module, "test", options);
  EXPECT_TRUE(compiled) << compiled.error().str();
  std::vector<LedgerEntry> entries = compiled->phases.ledger.entries();
  std::erase_if(entries, [](const LedgerEntry &entry) {
    return entry.rule != "tune-schedule" && entry.rule != "limit-effort";
  });
  return entries;
}

TEST(DecisionsOfLevels, SayHowCodeIsMade) {
  for (const LedgerEntry &entry : decisionsOfLevel(0)) {
    EXPECT_EQ(entry.reason, Reason::Taken) << Ledger::text(entry);
  }
  std::vector<LedgerEntry> some = decisionsOfLevel(1);
  ASSERT_EQ(some.size(), 2u);
  for (const LedgerEntry &entry : some) {
    // GEMMs call precompiled routines, so little of their code is generated.
    bool isProduct = entry.source.find(":3:") != std::string::npos;
    EXPECT_EQ(entry.reason, isProduct ? Reason::Taken : Reason::TimeSpentHere)
        << Ledger::text(entry);
    EXPECT_NE(entry.remedy.find("% of the predicted time"), std::string::npos) << entry.remedy;
  }
  EXPECT_TRUE(decisionsOfLevel(2).empty());
  std::vector<LedgerEntry> measured = decisionsOfLevel(3);
  ASSERT_EQ(measured.size(), 1u);
  EXPECT_EQ(measured.front().reason, Reason::TimeBudgetSpent);
}

// A new reason needs a program above that provokes it.
TEST(DecisionCoverage, EveryReasonIsProvokedAndEveryRemedyTried) {
  std::set<Reason> provoked;
  std::vector<LedgerEntry> recorded;
  for (const DecisionCase &test : decisionCases()) {
    llvm::append_range(recorded, decisionsOf(test.declined, test.disabled, test.target, test.cast,
                                             test.type, test.numerics));
    if (!test.remedied.empty()) {
      llvm::append_range(recorded, decisionsOf(test.remedied, "", test.target, test.cast,
                                               ModelType::Generic, test.numerics));
    }
  }
  llvm::append_range(recorded, decisionsOfTuning(false));
  llvm::append_range(recorded, decisionsOfLevel(1));
  llvm::append_range(recorded, decisionsOfLevel(3));
  for (const LedgerEntry &entry : recorded) {
    provoked.insert(entry.reason);
  }
  for (const ReasonInfo &reason : allReasons()) {
    EXPECT_TRUE(provoked.contains(reason.reason))
        << "no program is declined as `" << reason.code << "`";
    bool tried = llvm::any_of(decisionCases(), [&](const DecisionCase &test) {
      return test.reason == reason.reason && !test.remedied.empty();
    });
    EXPECT_EQ(tried, !reason.remedy.empty()) << reason.code;
  }
  for (const LedgerEntry &entry : recorded) {
    bool isKnown =
        llvm::any_of(allRules(), [&](const RuleInfo &rule) { return rule.name == entry.rule; });
    EXPECT_TRUE(isKnown) << "Rules.def has no `" << entry.rule << "`";
  }
}

// Returns the decisions as text, without numbers that depend on the order of operations.
static std::multiset<std::string> linesOf(const std::string &text) {
  std::multiset<std::string> lines;
  for (const LedgerEntry &entry : decisionsOf(text)) {
    lines.insert(Ledger::text(entry));
  }
  return lines;
}

// Each operation has its own source location, as in a traced program, so that the lines of the text
// can be reordered.
TEST(DecisionOrder, DoesNotDependOnTheOrderOfIndependentOperations) {
  const char *head = "func.func @main(%x: tensor<8x16xf32>, %y: tensor<16x4xf32>, %z: "
                     "tensor<4xf32>) -> (tensor<8x4xf32>, "
                     "tensor<8x16xf32>) {\n";
  const char *bias = "  %b = stablehlo.broadcast_in_dim %z, dims = [1] : (tensor<4xf32>) -> "
                     "tensor<8x4xf32> loc(\"m.py\":1:1)\n";
  const char *negate = "  %n = stablehlo.negate %x : tensor<8x16xf32> loc(\"m.py\":2:1)\n";
  const char *exponential =
      "  %e = stablehlo.exponential %n : tensor<8x16xf32> loc(\"m.py\":3:1)\n";
  const char *product =
      "  %d = stablehlo.dot_general %n, %y, contracting_dims = [1] x [0] : (tensor<8x16xf32>, "
      "tensor<16x4xf32>) -> tensor<8x4xf32> loc(\"m.py\":4:1)\n";
  const char *sum = "  %s = stablehlo.add %d, %b : tensor<8x4xf32> loc(\"m.py\":5:1)\n";
  const char *end = "  return %s, %e : tensor<8x4xf32>, tensor<8x16xf32> loc(\"m.py\":6:1)\n}\n";
  std::vector<std::vector<const char *>> orders = {
      {bias, negate, exponential, product, sum},
      {negate, product, exponential, bias, sum},
      {negate, product, bias, sum, exponential},
      {negate, exponential, product, bias, sum},
  };
  std::multiset<std::string> expected;
  for (const auto &order : orders) {
    std::string text = head;
    for (const char *line : order) {
      text += line;
    }
    std::multiset<std::string> lines = linesOf(text + end);
    EXPECT_FALSE(lines.empty());
    if (expected.empty()) {
      expected = lines;
    }
    EXPECT_EQ(lines, expected) << text;
  }
}

TEST(DecisionOrder, IsTheSameEachTime) {
  for (const DecisionCase &test : decisionCases()) {
    EXPECT_EQ(linesOf(test.declined), linesOf(test.declined)) << test.name;
  }
}

} // namespace drumlin
