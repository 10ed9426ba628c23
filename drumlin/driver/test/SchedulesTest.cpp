// Tests that every schedule of a kernel gives the same results. Any schedule in a plan's text
// either runs, or is refused before it runs.
#include "CompileAndRun.h"
#include "drumlin/ir/plan/FftOp.h"
#include "drumlin/ir/plan/LoopOp.h"
#include "drumlin/ir/plan/ScatterOp.h"
#include "drumlin/ir/plan/SortOp.h"
#include "drumlin/ir/plan/TriangularOp.h"
#include "drumlin/ir/plan/WindowOp.h"
#include "drumlin/ir/plan/heroes/FftProblem.h"

#include "drumlin/ir/plan/heroes/ScatterProblem.h"
#include "drumlin/ir/plan/heroes/SortProblem.h"
#include "drumlin/ir/plan/heroes/TriangularProblem.h"
#include "drumlin/ir/plan/heroes/WindowProblem.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"

namespace drumlin {

using Schedules = std::vector<mlir::Attribute>;

namespace {
struct Counts {
  size_t taken = 0, refused = 0;
};
} // namespace

// Runs the program with each of the schedules in its only kernel of type `Kernel`.
template <typename Kernel>
static Counts runWithEach(const char *text,
                          llvm::function_ref<Schedules(mlir::Block &, mlir::MLIRContext *)> list,
                          llvm::function_ref<bool(mlir::Attribute, mlir::Block &)> fits) {
  SCOPED_TRACE(text);
  Counts counts;
  TestProgram program(text);
  if (!program.module) {
    ADD_FAILURE() << "isn't read";
    return counts;
  }
  std::vector<Tensor> arguments = randomArguments(*program.module, 5);
  Result<std::vector<Tensor>> expected = interpret(*program.module, arguments);
  CompileOptions untilSelect, fromSelect;
  untilSelect.stopAfter = fromSelect.startFrom = "select";
  Status status = program.run(untilSelect);
  if (!expected || !status) {
    ADD_FAILURE() << (expected ? status.error() : expected.error()).str();
    return counts;
  }
  auto kernelOf = [](mlir::ModuleOp module) {
    Kernel found;
    module.walk([&](Kernel kernel) { found = kernel; });
    return found;
  };
  Kernel kernel = kernelOf(*program.module);
  if (!kernel) {
    ADD_FAILURE() << "the program has no kernel of this kind";
    return counts;
  }
  mlir::Block &region = kernel.getBody().front();
  for (mlir::Attribute schedule : list(region, kernel.getContext())) {
    std::string name;
    llvm::raw_string_ostream(name) << schedule;
    SCOPED_TRACE(name);
    mlir::OwningOpRef<mlir::ModuleOp> copy = program.module->clone();
    kernelOf(*copy)->setAttr(plan::scheduleAttribute, schedule);
    if (!fits(schedule, region)) {
      CompileOptions options = fromSelect;
      options.useCache = false;
      Result<Compilation> compilation = compile(*copy, "schedules", options);
      EXPECT_TRUE(!compilation && compilation.error().code == errors::ScheduleUnfit);
      ++counts.refused;
      continue;
    }
    expectClose(compileAndRun(*copy, fromSelect, arguments), *expected, 2e-5);
    ++counts.taken;
    if (testing::Test::HasFailure()) {
      return counts;
    }
  }
  return counts;
}

//===- loops --------------------------------------------------------------------===//

static Schedules loopSchedules(mlir::Block &region, mlir::MLIRContext *context) {
  std::vector<LoopGroup> groups = groupRoots(region);
  Schedules made;
  for (int64_t vectorLanes : {16, 32, 128, 24}) {
    for (int64_t tile : {int64_t(1), int64_t(3), vectorLanes, int64_t(0), int64_t(16 * 1024)}) {
      LoopTraversal traversal;
      traversal.vectorLanes = vectorLanes;
      traversal.tile = tile;
      auto add = [&]() {
        LoopSchedule schedule{{groups.size(), traversal}};
        made.push_back(plan::LoopScheduleAttr::get(context, schedule));
      };
      for (plan::TraversalKind kind :
           {plan::TraversalKind::flat, plan::TraversalKind::rows, plan::TraversalKind::scan,
            plan::TraversalKind::single, plan::TraversalKind::interleaved}) {
        traversal.kind = kind;
        add();
        for (const std::vector<LoopCut> &cuts :
             {std::vector<LoopCut>{{0, 5}}, {{0, 3}, {1, 1}, {1, 9}}, {{1, 0}}, {{1, 5}, {1, 5}}}) {
          traversal.cuts = cuts;
          add();
        }
        traversal.cuts = {};
        for (int64_t period : {vectorLanes, 3 * vectorLanes, int64_t(20)}) {
          traversal.period = period;
          add();
        }
        traversal.period = 0;
      }
      traversal.kind = plan::TraversalKind::blocked;
      for (traversal.blockedDimension = -1; traversal.blockedDimension < 3;
           ++traversal.blockedDimension) {
        for (bool inRegisters : {false, true}) {
          traversal.inRegisters = inRegisters;
          add();
        }
      }
    }
  }
  return made;
}

static bool loopFits(mlir::Attribute schedule, mlir::Block &region) {
  return findScheduleFault(mlir::cast<plan::LoopScheduleAttr>(schedule).getSchedule(),
                           groupRoots(region))
      .empty();
}

static const std::vector<const char *> loops = {
    // Rows with shared reductions.
    R"(func.func @main(%x: tensor<5x40xf32>) -> tensor<5x40xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<5x40xf32>
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<5x40xf32>, tensor<f32>) -> tensor<5xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<5xf32>) -> tensor<5x40xf32>
  %r = stablehlo.divide %e, %b : tensor<5x40xf32>
  return %r : tensor<5x40xf32>
})",
    // Reductions of rows and of columns.
    R"(func.func @main(%x: tensor<33x40x6xf32>) -> tensor<33x40xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [2] : (tensor<33x40x6xf32>, tensor<f32>) -> tensor<33x40xf32>
  return %r : tensor<33x40xf32>
})",
    R"(func.func @main(%x: tensor<50x37xf32>) -> tensor<37xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<50x37xf32>, tensor<f32>) -> tensor<37xf32>
  return %r : tensor<37xf32>
})",
    // Transposed operands, in full blocks and with remainders.
    R"(func.func @main(%x: tensor<2x48x32xf32>, %y: tensor<2x32x48xf32>) -> tensor<2x48x32xf32> {
  %t = stablehlo.transpose %y, dims = [0, 2, 1] : (tensor<2x32x48xf32>) -> tensor<2x48x32xf32>
  %r = stablehlo.add %x, %t : tensor<2x48x32xf32>
  return %r : tensor<2x48x32xf32>
})",
    R"(func.func @main(%x: tensor<19x21x3xf32>) -> tensor<3x21x19xf32> {
  %t = stablehlo.transpose %x, dims = [2, 1, 0] : (tensor<19x21x3xf32>) -> tensor<3x21x19xf32>
  %r = stablehlo.negate %t : tensor<3x21x19xf32>
  return %r : tensor<3x21x19xf32>
})",
    // Real and imaginary parts, interleaved.
    R"(func.func @main(%x: tensor<7xcomplex<f32>>, %y: tensor<33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>> {
  %a = stablehlo.broadcast_in_dim %x, dims = [0] : (tensor<7xcomplex<f32>>) -> tensor<7x33xcomplex<f32>>
  %b = stablehlo.broadcast_in_dim %y, dims = [1] : (tensor<33xcomplex<f32>>) -> tensor<7x33xcomplex<f32>>
  %r = stablehlo.add %a, %b : tensor<7x33xcomplex<f32>>
  return %r : tensor<7x33xcomplex<f32>>
})",
    // A prefix sum.
    R"(func.func @main(%x: tensor<20x24xf32>) -> tensor<20x24xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %s = "stablehlo.reduce_window"(%x, %z) <{padding = dense<[[19, 0], [0, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 20, 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<20x24xf32>, tensor<f32>) -> tensor<20x24xf32>
  %r = stablehlo.multiply %s, %x : tensor<20x24xf32>
  return %r : tensor<20x24xf32>
})",
    // Concatenated operands, and a short last dimension.
    R"(func.func @main(%x: tensor<7x9xf32>, %y: tensor<7x4xf32>, %p: tensor<f32>) -> tensor<8x14xf32> {
  %c = stablehlo.concatenate %y, %x, dim = 1 : (tensor<7x4xf32>, tensor<7x9xf32>) -> tensor<7x13xf32>
  %r = stablehlo.pad %c, %p, low = [0, 1], high = [1, 0], interior = [0, 0] : (tensor<7x13xf32>, tensor<f32>) -> tensor<8x14xf32>
  return %r : tensor<8x14xf32>
})",
    R"(func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %r = stablehlo.negate %x : tensor<f32>
  return %r : tensor<f32>
})"};

TEST(SchedulesTest, OfLoops) {
  for (const char *text : loops) {
    Counts counts = runWithEach<plan::LoopOp>(text, loopSchedules, loopFits);
    EXPECT_GE(counts.taken, 9u) << text;
    EXPECT_GE(counts.refused, 100u) << text;
  }
}

//===- sorts, scatters, windows ---------------------------------------------------===//

static Schedules sortSchedules(mlir::Block &, mlir::MLIRContext *context) {
  Schedules made;
  for (plan::SortAlgorithm algorithm : {plan::SortAlgorithm::radix, plan::SortAlgorithm::merge,
                                        plan::SortAlgorithm::select, plan::SortAlgorithm::minima}) {
    for (int64_t tile : {0, 1, 3, 1000}) {
      for (int64_t candidates : {0, 16, 32, 40, 64, 160}) {
        made.push_back(plan::SortScheduleAttr::get(context, algorithm, tile, candidates));
      }
    }
  }
  return made;
}

static bool sortFits(mlir::Attribute schedule, mlir::Block &region) {
  return findScheduleFault(mlir::cast<plan::SortScheduleAttr>(schedule), SortProblem(region))
      .empty();
}

TEST(SchedulesTest, OfSorts) {
  // Sorts by one key and by two keys, and takes the best elements of each row.
  Counts keyed = runWithEach<plan::SortOp>(
      R"(func.func @main(%x: tensor<11x50x3xf32>) -> tensor<11x50x3xf32> {
  %r = "stablehlo.sort"(%x) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<11x50x3xf32>) -> tensor<11x50x3xf32>
  return %r : tensor<11x50x3xf32>
})",
      sortSchedules, sortFits);
  Counts compared = runWithEach<plan::SortOp>(
      R"(func.func @main(%x: tensor<11x50xf32>, %y: tensor<11x50xf32>) -> (tensor<11x50xf32>, tensor<11x50xf32>) {
  %r:2 = "stablehlo.sort"(%x, %y) <{dimension = 1 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %e = stablehlo.add %a, %d : tensor<f32>
    %f = stablehlo.add %b, %c : tensor<f32>
    %g = stablehlo.compare LT, %e, %f : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %g : tensor<i1>
  }) : (tensor<11x50xf32>, tensor<11x50xf32>) -> (tensor<11x50xf32>, tensor<11x50xf32>)
  return %r#0, %r#1 : tensor<11x50xf32>, tensor<11x50xf32>
})",
      sortSchedules, sortFits);
  Counts best = runWithEach<plan::SortOp>(
      R"(func.func @main(%x: tensor<11x150xf32>) -> (tensor<11x7xf32>, tensor<11x7xi32>) {
  %r:2 = chlo.top_k(%x, k = 7) : tensor<11x150xf32> -> (tensor<11x7xf32>, tensor<11x7xi32>)
  return %r#0, %r#1 : tensor<11x7xf32>, tensor<11x7xi32>
})",
      sortSchedules, sortFits);
  // Schedules for one key: merge sort and radix sort. For two keys: merge sort only. For the best
  // elements: radix sort, minima, and select with 32 or 64 candidates. Each of these schedules has
  // three task sizes.
  EXPECT_EQ(keyed.taken, 2 * 3u);
  EXPECT_EQ(compared.taken, 3u);
  EXPECT_EQ(best.taken, 4 * 3u);
  EXPECT_EQ(keyed.refused + compared.refused + best.refused, 3 * 96u - 21u);
}

static const char *const scatterOfRows =
    R"(func.func @main(%x: tensor<6x21xf32>, %u: tensor<4x21xf32>) -> tensor<6x21xf32> {
  %i = stablehlo.constant dense<[[3], [0], [3], [7]]> : tensor<4x1xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<6x21xf32>, tensor<4x1xi32>, tensor<4x21xf32>) -> tensor<6x21xf32>
  return %r : tensor<6x21xf32>
})";
static const char *const scatterOfElements =
    R"(func.func @main(%x: tensor<21xf32>, %u: tensor<4xf32>) -> tensor<21xf32> {
  %i = stablehlo.constant dense<[[3], [0], [3], [27]]> : tensor<4x1xi32>
  %r = "stablehlo.scatter"(%x, %i, %u) ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) {scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<21xf32>, tensor<4x1xi32>, tensor<4xf32>) -> tensor<21xf32>
  return %r : tensor<21xf32>
})";

TEST(SchedulesTest, OfScatters) {
  auto list = [](mlir::Block &, mlir::MLIRContext *context) {
    // Tiles that divide the result: all positions, less, or more than there are. The others don't.
    constexpr std::pair<int64_t, int64_t> tiles[] = {{0, 0},  {1, 0},  {4, 0},  {50, 0}, {3, 1},
                                                     {16, 1}, {-1, 0}, {1, -1}, {1, 2}};
    Schedules made;
    for (plan::LaneUse traversal : {plan::LaneUse::by_lanes, plan::LaneUse::one_by_one}) {
      for (auto [tile, divided] : tiles) {
        made.push_back(plan::ScatterScheduleAttr::get(context, traversal, tile, divided));
      }
    }
    return made;
  };
  auto fits = [](mlir::Attribute schedule, mlir::Block &region) {
    return findScheduleFault(mlir::cast<plan::ScatterScheduleAttr>(schedule),
                             ScatterProblem(region))
        .empty();
  };
  EXPECT_EQ(runWithEach<plan::ScatterOp>(scatterOfRows, list, fits).taken, 2 * 6u);
  EXPECT_EQ(runWithEach<plan::ScatterOp>(scatterOfElements, list, fits).taken, 4u);
}

// Returns a select_and_scatter with windows along the second and third dimensions and, unless
// `isLastWhole`, also along the last dimension.
static std::string selectAndScatter(bool isLastWhole) {
  std::string text =
      R"(func.func @main(%x: tensor<3x8x9x10xf32>, %s: tensor<3x4x3xLASTxf32>) -> tensor<3x8x9x10xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 1, 2, 3, SIZE>, window_strides = array<i64: 1, 2, 3, SIZE>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }) : (tensor<3x8x9x10xf32>, tensor<3x4x3xLASTxf32>, tensor<f32>) -> tensor<3x8x9x10xf32>
  return %r : tensor<3x8x9x10xf32>
})";
  for (auto [word, number] :
       {std::pair("LAST", isLastWhole ? "10" : "5"), std::pair("SIZE", isLastWhole ? "1" : "2")}) {
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word)) {
      text.replace(at, 4, number);
    }
  }
  return text;
}

TEST(SchedulesTest, OfWindows) {
  auto list = [](mlir::Block &, mlir::MLIRContext *context) {
    Schedules made;
    for (plan::LaneUse traversal : {plan::LaneUse::by_lanes, plan::LaneUse::one_by_one}) {
      for (int64_t tile : {0, 1, 2, 100}) {
        for (int64_t unrolled : {-1, 0, 1, 2, 3, 4, 5}) {
          made.push_back(plan::WindowScheduleAttr::get(context, traversal, tile, unrolled));
        }
      }
    }
    return made;
  };
  auto fits = [](mlir::Attribute schedule, mlir::Block &region) {
    return findScheduleFault(mlir::cast<plan::WindowScheduleAttr>(schedule), WindowProblem(region))
        .empty();
  };
  // The schedule by_lanes loops over three dimensions, the schedule one_by_one over all four.
  std::string last = selectAndScatter(true), across = selectAndScatter(false);
  EXPECT_EQ(runWithEach<plan::WindowOp>(last.c_str(), list, fits).taken, 3u * 4 + 3u * 5);
  EXPECT_EQ(runWithEach<plan::WindowOp>(across.c_str(), list, fits).taken, 3u * 5);
}

// Schedules of Fourier transforms of lines whose length has many factors. The factors are in any
// order, lanes are along the lines or across them, and transforms may be computed as convolutions.
TEST(SchedulesTest, OfTransforms) {
  const char *text =
      R"(func.func @main(%x: tensor<20x24xf32>, %y: tensor<20x24xf32>) -> (tensor<20x24xf32>, tensor<20x24xf32>) {
  %c = stablehlo.complex %x, %y : (tensor<20x24xf32>, tensor<20x24xf32>) -> tensor<20x24xcomplex<f32>>
  %f = stablehlo.fft %c, type = FFT, length = [24] : (tensor<20x24xcomplex<f32>>) -> tensor<20x24xcomplex<f32>>
  %r = stablehlo.real %f : (tensor<20x24xcomplex<f32>>) -> tensor<20x24xf32>
  %i = stablehlo.imag %f : (tensor<20x24xcomplex<f32>>) -> tensor<20x24xf32>
  return %r, %i : tensor<20x24xf32>, tensor<20x24xf32>
})";
  using Factors = std::vector<int64_t>;
  const std::pair<Factors, int64_t> ways[] = {{{24}, 0},
                                              {{3, 8}, 0},
                                              {{8, 3}, 0},
                                              {{2, 3, 4}, 0},
                                              {{6, 4}, 0},
                                              {{2, 2, 2, 3}, 0},
                                              {{12, 2}, 0},
                                              {{8, 8}, 64},
                                              {{3, 16}, 48},
                                              {{7, 7}, 49},
                                              // Factorizations that don't fit the length.
                                              {{8}, 0},
                                              {{5, 5}, 0},
                                              {{1, 24}, 0},
                                              {{}, 0},
                                              {{8, 4}, 32},
                                              {{8, 8}, 48}};
  auto list = [&](mlir::Block &, mlir::MLIRContext *context) {
    Schedules made;
    for (plan::LineLanes traversal : {plan::LineLanes::along, plan::LineLanes::across}) {
      for (int64_t tile : {0, 1, 3, 100}) {
        for (const auto &[factors, padded] : ways) {
          made.push_back(plan::FftScheduleAttr::get(context, traversal, factors, tile, padded));
        }
      }
    }
    return made;
  };
  auto fits = [](mlir::Attribute schedule, mlir::Block &region) {
    return findScheduleFault(mlir::cast<plan::FftScheduleAttr>(schedule), FftProblem(region))
        .empty();
  };
  EXPECT_EQ(runWithEach<plan::FftOp>(text, list, fits).taken, 2u * 3 * 10);
}

// Returns a program with a triangular solve, or a factorization, of a batch of three matrices with
// large diagonals.
static std::string triangular(const std::string &operation) {
  return R"(func.func @main(%x: tensor<3x140x140xf32>, %y: tensor<3x140x70xf32>) -> tensor<3x140x70xf32> {
  %small = stablehlo.constant dense<0.05> : tensor<3x140x140xf32>
  %large = stablehlo.constant dense<4.0> : tensor<3x140x140xf32>
  %0 = stablehlo.multiply %x, %small : tensor<3x140x140xf32>
  %1 = stablehlo.iota dim = 1 : tensor<3x140x140xi32>
  %2 = stablehlo.iota dim = 2 : tensor<3x140x140xi32>
  %3 = stablehlo.compare EQ, %1, %2 : (tensor<3x140x140xi32>, tensor<3x140x140xi32>) -> tensor<3x140x140xi1>
  %a = stablehlo.select %3, %large, %0 : tensor<3x140x140xi1>, tensor<3x140x140xf32>
)" + operation +
         "  return %r : tensor<3x140x70xf32>\n}\n";
}

TEST(SchedulesTest, OfTriangularMatrices) {
  auto list = [](mlir::Block &, mlir::MLIRContext *context) {
    Schedules made;
    for (plan::TriangularAlgorithm algorithm :
         {plan::TriangularAlgorithm::whole, plan::TriangularAlgorithm::stepped}) {
      for (int64_t block : {0, 16, 32, 64, 160}) {
        for (int64_t tile : {0, 1, 2, 5, 100}) {
          made.push_back(plan::TriangularScheduleAttr::get(context, algorithm, block, tile));
        }
      }
    }
    return made;
  };
  auto fits = [](mlir::Attribute schedule, mlir::Block &region) {
    return findScheduleFault(mlir::cast<plan::TriangularScheduleAttr>(schedule),
                             TriangularProblem(region))
        .empty();
  };
  std::string factor = triangular("  %f = stablehlo.cholesky %a, lower = true : "
                                  "tensor<3x140x140xf32>\n  %r = stablehlo.slice %f [0:3, 0:140, "
                                  "0:70] : (tensor<3x140x140xf32>) -> tensor<3x140x70xf32>\n");
  // There are two ways to share work, three block sizes that are multiples of a panel, and four
  // task sizes.
  EXPECT_EQ(runWithEach<plan::TriangularOp>(factor.c_str(), list, fits).taken, 2u * 3 * 4);
  for (std::string lower : {"true", "false"}) {
    std::string solve = triangular(
        "  %r = \"stablehlo.triangular_solve\"(%a, %y) <{left_side = true, lower = " + lower +
        ", transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : "
        "(tensor<3x140x140xf32>, tensor<3x140x70xf32>) -> tensor<3x140x70xf32>\n");
    EXPECT_EQ(runWithEach<plan::TriangularOp>(solve.c_str(), list, fits).taken, 2u * 3 * 4);
  }
}

} // namespace drumlin
