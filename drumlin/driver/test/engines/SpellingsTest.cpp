// Random computations on a tensor engine. All spellings of a computation must have the same cost:
// the lowest cost over all orders of its values. The spelling with row-major values as written must
// not cost less.
#include "Computation.h"

#include "drumlin/driver/EngineReport.h"
#include "drumlin/driver/Phases.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

namespace drumlin::testing {

static constexpr uint64_t computations = 1500;
static constexpr int spellings = 5;

static EngineCost costOf(mlir::MLIRContext &context, const std::string &text, bool asWritten) {
  mlir::OwningOpRef<mlir::ModuleOp> module =
      mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  EXPECT_TRUE(module) << text;
  EngineOptions options;
  options.asWritten = asWritten;
  Result<EnginePlan> plan =
      planOnEngine(*module, *findTensorEngine("trn1"), CompileOptions(), options);
  EXPECT_TRUE(plan) << text;
  return plan ? plan->cost : EngineCost();
}

TEST(SlowEngineSpellings, CostTheLeastAndTheSame) {
  mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  int64_t withTransposes = 0, cheaper = 0;
  for (uint64_t seed = 0; seed < computations; ++seed) {
    std::mt19937_64 random(seed);
    Computation computation = randomComputation(random);
    Flops least = leastFlops(computation);
    for (int i = 0; i < spellings; ++i) {
      Spelling spelling = spell(computation, random);
      EngineCost written = costOf(context, spelling.text, true);
      EngineCost chosen = costOf(context, spelling.text, false);
      ASSERT_EQ(written.transposeFlops, spelling.asWritten.transposes) << seed << "\n"
                                                                       << spelling.text;
      ASSERT_EQ(written.hardwareFlops, spelling.asWritten.hardware) << seed << "\n"
                                                                    << spelling.text;
      ASSERT_EQ(chosen.transposeFlops, least.transposes) << seed << "\n" << spelling.text;
      ASSERT_EQ(chosen.hardwareFlops, least.hardware) << seed << "\n" << spelling.text;
      ASSERT_LE(chosen.hardwareFlops, written.hardwareFlops) << seed << "\n" << spelling.text;
      withTransposes += chosen.transposeFlops > 0 ? 1 : 0;
      cheaper += chosen.hardwareFlops < written.hardwareFlops ? 1 : 0;
    }
  }
  // At least a quarter of the spellings need transposes, and the choice of layouts makes at least a
  // quarter of them cheaper.
  EXPECT_GT(withTransposes, int64_t(computations) * spellings / 4);
  EXPECT_GT(cheaper, int64_t(computations) * spellings / 4);
}

} // namespace drumlin::testing
