// Tests the choice of a GEMM's schedule over sizes, types, operand orders and targets.
#include "drumlin/transforms/gemm/GemmChoice.h"
#include "drumlin/target/ComputeUnits.h"

#include "drumlin/import/Import.h"
#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/transforms/gemm/GemmCandidates.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringSet.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace mlir;

namespace drumlin {

namespace {
struct Product {
  int64_t m, n, k;
  std::string type;
  bool lhsAlongK = true, rhsAlongK = false;
};

class GemmChoiceTest : public testing::Test {
protected:
  GemmChoiceTest() {
    DialectRegistry registry;
    registerDialects(registry);
    registry.insert<plan::PlanDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  // Parses a kernel. The returned operation is valid until the next call.
  Operation *kernelOf(const Product &product, const std::string &attributes = "") {
    auto tensor = [&](int64_t rows, int64_t columns, const std::string &type) {
      return "tensor<" + std::to_string(rows) + "x" + std::to_string(columns) + "x" + type + ">";
    };
    auto [m, n, k, type, lhsAlongK, rhsAlongK] = product;
    std::string lhs = lhsAlongK ? tensor(m, k, type) : tensor(k, m, type);
    std::string rhs = rhsAlongK ? tensor(n, k, type) : tensor(k, n, type);
    std::string result = tensor(m, n, type == "i8" ? "i32" : type);
    std::string text =
        "func.func @main(%x: " + lhs + ", %y: " + rhs + ") -> " + result + " {\n" +
        "%0 = plan.gemm(%a = %x : " + lhs + ", %b = %y : " + rhs + ") -> (" + result + ") " +
        (attributes.empty() ? "" : "attributes {" + attributes + "}") +
        " {\n%1 = stablehlo.dot_general %a, %b, contracting_dims = [" + (lhsAlongK ? "1" : "0") +
        "] x [" + (rhsAlongK ? "1" : "0") + "] : (" + lhs + ", " + rhs + ") -> " + result +
        "\nplan.yield %1 : " + result + "\n}\nreturn %0 : " + result + "\n}\n";
    module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    Operation *found = nullptr;
    module->walk([&](plan::GemmOp gemm) { found = gemm; });
    return found;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

std::vector<Product> products(std::initializer_list<int64_t> sizes) {
  std::vector<Product> all;
  for (int64_t m : sizes) {
    for (int64_t n : sizes) {
      for (int64_t k : sizes) {
        size_t turn = all.size();
        const char *types[] = {"f32", "bf16", "i8", "f64"};
        all.push_back({m, n, k, types[turn % 4], turn / 4 % 2 == 0, turn / 8 % 2 == 0});
      }
    }
  }
  return all;
}
} // namespace

TEST_F(GemmChoiceTest, EachAlternativeIsOneOfItsProblemsAndTheCheapestComesFirst) {
  llvm::StringSet<> names;
  for (const char *targetName : {"avx512", "avx2", "baseline"}) {
    CpuTarget target = *cpuTargetFromName(targetName);
    for (const Product &product : products({1, 3, 6, 12, 17, 33, 300, 10'000})) {
      Operation *kernel = kernelOf(product);
      std::vector<GemmAlternative> all =
          GemmChoice(kernel, target, Numerics::Default).alternatives();
      ASSERT_FALSE(all.empty());
      llvm::StringSet<> own;
      double before = 0;
      for (const GemmAlternative &each : all) {
        GemmProblem problem = scheduledProblem(
            GemmChoice(kernel, target, Numerics::Default).shape().hero, each.schedule);
        EXPECT_EQ(
            findScheduleFault(each.schedule, problem, target.registerLanes(problem.sumBytes())), "")
            << each.schedule.str();
        EXPECT_TRUE(own.insert(each.name()).second) << each.name();
        names.insert(each.name());
        EXPECT_GT(each.cost.total(), 0);
        EXPECT_TRUE(std::isfinite(each.cost.total()));
        EXPECT_GE(each.cost.total(), before);
        before = each.cost.total();
      }
      Result<ScheduleChoice> choice = chooseGemmSchedule(kernel, target, Numerics::Default);
      ASSERT_TRUE(choice);
      EXPECT_EQ(choice->schedule.str(), all.front().schedule.str());
      EXPECT_FALSE(choice->changesSums);
    }
  }
  // The other algorithms are for convolutions (select-schedules.mlir).
  for (const char *name : {"packed", "packed-swapped", "gemv", "gemv-swapped"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

// Micro-kernels are precompiled, so a packed kernel has the least code even for small GEMMs. For
// the fewest rows, other algorithms take less time.
TEST_F(GemmChoiceTest, SmallProductsHaveTheChoiceThatLargeOnesHave) {
  CpuTarget target = *cpuTargetFromName("avx512");
  auto nameOf = [&](const Product &product) {
    return GemmChoice(kernelOf(product), target, Numerics::Default).alternatives().front().name();
  };
  for (const char *type : {"f32", "bf16", "i8"}) {
    EXPECT_EQ(nameOf({17, 17, 17, type}), "packed") << type;
  }
  EXPECT_EQ(nameOf({1, 17, 17, "f32"}), "gemv");
}

// At the sizes that the turning point names, the runner-up is chosen.
TEST_F(GemmChoiceTest, ATurningPointTurns) {
  CpuTarget target = *cpuTargetFromName("avx512");
  int turned = 0;
  for (Product product : products({2, 7, 24, 200, 1'000})) {
    Result<ScheduleChoice> choice =
        chooseGemmSchedule(kernelOf(product), target, Numerics::Default);
    ASSERT_TRUE(choice);
    const std::string &point = choice->prediction.turningPoint;
    if (point.empty()) {
      continue;
    }
    // e.g. `from 8 rows of the lhs on`, `up to 4 columns of the rhs`
    bool isLhs = point.find("of the lhs") != std::string::npos;
    (isLhs ? product.m : product.n) = std::stoll(point.substr(point.find_first_of("123456789")));
    std::string taken =
        GemmChoice(kernelOf(product), target, Numerics::Default).alternatives().front().name();
    EXPECT_EQ(taken, choice->prediction.runnerUp) << point;
    ++turned;
  }
  EXPECT_GE(turned, 20);
}

TEST_F(GemmChoiceTest, WhatAUserNamesChangesSumsOnlyWhereTheirOrderDiffers) {
  CpuTarget target = *cpuTargetFromName("avx512");
  auto changesSums = [&](const Product &product, const std::string &attribute) {
    Result<ScheduleChoice> choice =
        chooseGemmSchedule(kernelOf(product, attribute), target, Numerics::Default);
    EXPECT_TRUE(choice);
    return choice && choice->changesSums;
  };
  std::string gemv = "plan.force_kernel = \"gemv\"";
  // If lanes run along k, each lane has a partial sum. If they run along the free dimension, each
  // result has one accumulator.
  EXPECT_TRUE(changesSums({64, 64, 64, "f32", true, true}, gemv));
  EXPECT_FALSE(changesSums({64, 64, 64, "f32", true, false}, gemv));
  EXPECT_FALSE(changesSums({64, 64, 64, "i8", true, true}, gemv));
  EXPECT_FALSE(changesSums({64, 64, 64, "f32", true, true}, "plan.force_kernel = \"packed\""));
  // For bf16, pairs of MACs are accumulated at once. A schedule in the program's text may request
  // single MACs.
  std::string single = "plan.schedule = #plan.gemm<packed, unit = fma, tile = [64, 64, 64], "
                       "kernel = [8, 16], rows_along_k>";
  EXPECT_TRUE(changesSums({64, 64, 64, "bf16"}, single));
  EXPECT_FALSE(changesSums({64, 64, 64, "f32"}, single));
}

// Integers that the region widens are multiplied in their narrow type if the wider type can
// represent all values of the narrow type.
TEST_F(GemmChoiceTest, UnitsTakeWidenedIntegers) {
  CpuTarget target = *cpuTargetFromName("avx512");
  auto unitOf = [&](const std::string &left, const std::string &right, const std::string &wide) {
    auto type = [](const std::string &element) { return "tensor<64x64x" + element + ">"; };
    module = parseSourceString<ModuleOp>(
        "func.func @main(%x: " + type(left) + ", %w: " + type(right) + ") -> " + type(wide) +
            " {\n  %0 = plan.gemm(%a = %x : " + type(left) + ", %b = %w : " + type(right) +
            ") -> (" + type(wide) + ") {\n    %1 = stablehlo.convert %a : (" + type(left) +
            ") -> " + type(wide) + "\n    %2 = stablehlo.convert %b : (" + type(right) + ") -> " +
            type(wide) +
            "\n    %3 = stablehlo.dot_general %1, %2, contracting_dims = [1] x [0] : (" +
            type(wide) + ", " + type(wide) + ") -> " + type(wide) +
            "\n    plan.yield %3 : " + type(wide) + "\n  }\n  return %0 : " + type(wide) + "\n}",
        &context);
    Operation *kernel = nullptr;
    module->walk([&](plan::GemmOp gemm) { kernel = gemm; });
    return chooseGemmSchedule(kernel, target, Numerics::Default)->schedule.unit;
  };
  EXPECT_EQ(unitOf("i8", "i8", "i32"), ComputeUnit::int8_quads);
  EXPECT_EQ(unitOf("ui8", "i8", "i32"), ComputeUnit::int8_quads);
  EXPECT_EQ(unitOf("i1", "ui8", "ui32"), ComputeUnit::int8_quads);
  EXPECT_EQ(unitOf("i8", "i16", "i32"), ComputeUnit::int16_pairs);
  // The following operands are multiplied in the wider type: ui32 can't represent negative 8-bit
  // numbers, a wide sum doesn't fit in 32 bits, and bits that are cut off could be anything.
  EXPECT_EQ(unitOf("i8", "i8", "ui32"), ComputeUnit::fma);
  EXPECT_EQ(unitOf("i8", "i8", "i64"), ComputeUnit::fma);
  EXPECT_EQ(unitOf("i64", "i64", "i32"), ComputeUnit::fma);
  EXPECT_EQ(unitOf("i8", "f32", "i32"), ComputeUnit::fma);
}

// Tiles of large dots are divided into items, which every target can compute. Items must be
// multiples of the lanes, and no larger than a tile; kernels that reduce their result compute whole
// tiles.
TEST_F(GemmChoiceTest, ItemsDivideTiles) {
  CpuTarget target = *cpuTargetFromName("avx2");
  Operation *kernel = kernelOf({512, 520, 300, "f32"});
  GemmChoice choice(kernel, target, Numerics::Default);
  const GemmSchedule chosen = choice.alternatives().front().schedule;
  ASSERT_EQ(chosen.algorithm, plan::GemmAlgorithm::packed);
  GemmTiles tiles = choice.tilesOf(chosen);
  EXPECT_GE(tiles.rowItems * tiles.columnItems, 2);
  EXPECT_TRUE(tiles.tasks.is(tiles.tiles.nominal * tiles.rowItems * tiles.columnItems));
  const GemmProblem problem = scheduledProblem(choice.shape().hero, chosen);
  auto faultOf = [&](auto change) {
    GemmSchedule changed = chosen;
    change(changed);
    return findScheduleFault(changed, problem, target.registerLanes(4));
  };
  auto withItems = [&](int64_t rows, int64_t columns) {
    return faultOf([&](GemmSchedule &schedule) {
      schedule.itemRows = rows;
      schedule.itemColumns = columns;
    });
  };
  EXPECT_EQ(withItems(0, 0), "");
  EXPECT_EQ(withItems(16, 16), "");
  EXPECT_EQ(withItems(chosen.tileRows, chosen.tileColumns), "");
  for (auto [rows, columns] : {std::pair<int64_t, int64_t>(8, 16),
                               {16, 8},
                               {0, 16},
                               {16, 0},
                               {-16, 16},
                               {chosen.tileRows + 16, 16},
                               {16, chosen.tileColumns + 16}}) {
    EXPECT_NE(withItems(rows, columns).find("multiples of 16 below the tile's"), std::string::npos);
  }
  std::string grouped = faultOf([](GemmSchedule &schedule) { schedule.tilesPerTask = 2; });
  EXPECT_NE(grouped.find("one tile per task"), std::string::npos) << grouped;
}

// Long contractions of few results are divided into items, in whole blocks of k, unless a result is
// so narrow that dots are split before. Integer sums aren't divided.
TEST_F(GemmChoiceTest, ItemsDivideDepth) {
  CpuTarget target = *cpuTargetFromName("avx2");
  auto chosenFor = [&](int64_t m, int64_t n, int64_t k, const char *type) {
    GemmChoice choice(kernelOf({m, n, k, type}), target, Numerics::Default);
    return choice.alternatives().front().schedule;
  };
  EXPECT_EQ(chosenFor(512, 520, 9000, "f32").itemDepth, 0); // enough results
  EXPECT_EQ(chosenFor(64, 40, 900, "f32").itemDepth, 0);    // too few k elements
  EXPECT_EQ(chosenFor(64, 8, 9000, "f32").itemDepth, 0);    // too narrow
  EXPECT_EQ(chosenFor(64, 40, 9000, "i32").itemDepth, 0);
  GemmChoice choice(kernelOf({64, 40, 9000, "f32"}), target, Numerics::Default);
  const GemmSchedule chosen = choice.alternatives().front().schedule;
  ASSERT_EQ(chosen.algorithm, plan::GemmAlgorithm::packed);
  GemmTiles tiles = choice.tilesOf(chosen);
  EXPECT_GT(tiles.depthItems, 8);
  EXPECT_EQ(tiles.depthItems, (9000 + chosen.itemDepth - 1) / chosen.itemDepth);
  EXPECT_TRUE(
      tiles.tasks.is(tiles.tiles.nominal * tiles.rowItems * tiles.columnItems * tiles.depthItems));
  const GemmProblem problem = scheduledProblem(choice.shape().hero, chosen);
  auto withDepth = [&](int64_t depth) {
    GemmSchedule changed = chosen;
    changed.itemDepth = depth;
    return findScheduleFault(changed, problem, target.registerLanes(4));
  };
  EXPECT_EQ(withDepth(0), "");
  EXPECT_EQ(withDepth(2 * chosen.tileDepth), "");
  for (int64_t depth : {-chosen.tileDepth, chosen.tileDepth + 1, 100 * chosen.tileDepth}) {
    EXPECT_NE(withDepth(depth).find("multiple of the tile's, below 9000"), std::string::npos);
  }
  // Other parts give other sums.
  GemmSchedule other = chosen;
  other.itemDepth *= 2;
  EXPECT_FALSE(SumOrder(other, problem) == SumOrder(chosen, problem));
}

// Lanes run along the padded width of an image. One tile may cover the complete width.
TEST_F(GemmChoiceTest, CandidatesOfAPaddedConvolutionAreItsOwn) {
  CpuTarget target = *cpuTargetFromName("avx512");
  module = parseSourceString<ModuleOp>(R"(
func.func @main(%x: tensor<1x16x30x30xf32>, %w: tensor<32x16x3x3xf32>) -> tensor<1x32x30x30xf32> {
  %0 = plan.gemm(%a = %x : tensor<1x16x30x30xf32>, %b = %w : tensor<32x16x3x3xf32>) -> (tensor<1x32x30x30xf32>) {
    %1 = stablehlo.convolution(%a, %b) dim_numbers = [b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x16x30x30xf32>, tensor<32x16x3x3xf32>) -> tensor<1x32x30x30xf32>
    plan.yield %1 : tensor<1x32x30x30xf32>
  }
  return %0 : tensor<1x32x30x30xf32>
})",
                                       &context);
  Operation *kernel = nullptr;
  module->walk([&](plan::GemmOp gemm) { kernel = gemm; });
  Result<std::vector<NamedSchedule>> all = gemmCandidates(kernel, target, Numerics::Default);
  ASSERT_TRUE(all);
  EXPECT_TRUE(all->front().schedule.padded);
  EXPECT_GE(all->size(), 8U);
  Operation *hero = GemmChoice(kernel, target, Numerics::Default).shape().hero;
  for (const NamedSchedule &each : *all) {
    GemmProblem problem = scheduledProblem(hero, each.schedule);
    EXPECT_EQ(findScheduleFault(each.schedule, problem, target.registerLanes(4)), "")
        << each.name << ": " << each.schedule.str();
  }
}

TEST_F(GemmChoiceTest, CandidatesKeepTheOrderOfSums) {
  CpuTarget target = *cpuTargetFromName("avx512");
  size_t most = 0;
  for (const Product &product : products({2, 9, 40, 300})) {
    Operation *kernel = kernelOf(product);
    Result<std::vector<NamedSchedule>> all = gemmCandidates(kernel, target, Numerics::Default);
    ASSERT_TRUE(all);
    GemmProblem problem = GemmChoice(kernel, target, Numerics::Default).shape();
    for (const NamedSchedule &each : *all) {
      EXPECT_TRUE(SumOrder(each.schedule, problem) == SumOrder(all->front().schedule, problem))
          << each.name;
    }
    most = std::max(most, all->size());
  }
  EXPECT_GE(most, 8U);
}

} // namespace drumlin
