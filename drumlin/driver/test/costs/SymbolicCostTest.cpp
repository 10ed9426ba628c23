// Compares costs as expressions over symbolic sizes with the costs at many concrete sizes.
#include "../TestProgram.h"

#include "drumlin/ir/costs/CostText.h"
#include "drumlin/ir/costs/SymbolicCost.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/sizes/InstantiateSizes.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace drumlin {

// Attention over s positions of b sequences. Its costs have terms in b * s and in b * s * s.
static constexpr const char *attention = R"(
func.func @main(%q: tensor<?x?x16xf32>, %k: tensor<?x?x16xf32>) -> tensor<?x?x16xf32> {
  %0 = stablehlo.dot_general %q, %k, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<?x?x16xf32>, tensor<?x?x16xf32>) -> tensor<?x?x?xf32>
  %1 = stablehlo.tanh %0 : tensor<?x?x?xf32>
  %2 = stablehlo.dot_general %1, %k, batching_dims = [0] x [0], contracting_dims = [2] x [1] : (tensor<?x?x?xf32>, tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  %3 = stablehlo.transpose %2, dims = [1, 0, 2] : (tensor<?x?x16xf32>) -> tensor<?x?x16xf32>
  return %3 : tensor<?x?x16xf32>
})";

static SizeExpression::Values valuesOf(std::vector<SizeSymbol> symbols, int64_t first) {
  for (SizeSymbol &symbol : symbols) {
    symbol.nominal = first += 3;
  }
  return nominalValues(symbols);
}

TEST(SymbolicCostTest, IsTheCostAtEverySize) {
  TestProgram test(attention);
  ASSERT_TRUE(test.run());
  PlanCost costs = planCost(*test.module);
  addSymbolicCosts(*test.module, costs);
  std::vector<SizeSymbol> symbols = sizeSymbolsOf(entryFunction(*test.module));
  ASSERT_EQ(symbols.size(), 3u); // the two sizes of q, and the number of positions of k
  ASSERT_TRUE(costs.inSymbols && costs.inSymbols->modelFlops && costs.inSymbols->askedBytes);
  for (int64_t first : {7, 30, 150}) {
    SizeExpression::Values values = valuesOf(symbols, first);
    OwningOpRef<ModuleOp> other = test.module->clone();
    ASSERT_TRUE(changeNominalSizes(*other, values));
    PlanCost at = planCost(*other);
    auto expectSame = [&](const SymbolicCost &symbolic, const Cost &cost) {
      EXPECT_EQ(symbolic.modelFlops.value().evaluate(values), cost.modelFlops());
      EXPECT_EQ(symbolic.askedBytes.value().evaluate(values), cost.askedBytes());
      EXPECT_EQ(symbolic.otherBytes.value().evaluate(values), cost.otherBytes());
    };
    expectSame(*costs.inSymbols, at.total);
    for (size_t i = 0; i < costs.launches.size(); ++i) {
      expectSame(*costs.launches[i].inSymbols, at.launches[i].total());
    }
  }
}

// A sort makes about n log n comparisons, which isn't a polynomial of the sizes. The number of
// bytes is a polynomial.
TEST(SymbolicCostTest, SaysNothingOfWhatIsNoPolynomial) {
  TestProgram test(R"(
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = "stablehlo.sort"(%x) <{dimension = 0 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %1 = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
})");
  ASSERT_TRUE(test.run());
  PlanCost costs = planCost(*test.module);
  addSymbolicCosts(*test.module, costs);
  ASSERT_TRUE(costs.inSymbols);
  EXPECT_FALSE(costs.inSymbols->modelFlops);
  ASSERT_TRUE(costs.inSymbols->askedBytes);
  EXPECT_EQ(costs.inSymbols->askedBytes->str(), "8 * arg0_0");
  EXPECT_NE(planText(*test.module, costs).find("// symbolic sizes: costs are for arg0_0 = 97"),
            std::string::npos);
  EXPECT_NE(planJson(*test.module, costs).find("\"asked_bytes\": \"8 * arg0_0\""),
            std::string::npos);
}

TEST(SymbolicCostTest, OfStaticSizesThereIsNone) {
  TestProgram test("func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {\n"
                   "  %0 = stablehlo.tanh %x : tensor<8xf32>\n  return %0 : tensor<8xf32>\n}");
  ASSERT_TRUE(test.run());
  PlanCost costs = planCost(*test.module);
  addSymbolicCosts(*test.module, costs);
  EXPECT_FALSE(costs.inSymbols);
  EXPECT_EQ(symbolicText(costs), "");
}

} // namespace drumlin
