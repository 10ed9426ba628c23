// Tests the bounds of sums' errors (drumlin/ir/plan/KernelSums.h). Every kind of sum has a bound,
// no schedule's error exceeds its bound, and inputs with the worst rounding come close to the
// bound.
#include "CompileAndRun.h"

#include "drumlin/driver/check/PhaseProgram.h"
#include "drumlin/driver/check/RoundingAllowance.h"
#include "drumlin/interpreter/PlanOperations.h"
#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/plan/KernelSums.h"
#include "drumlin/ir/plan/LoopOp.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/plan/ScheduleAttributes.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/SelectAndScatterOp.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/target/TargetNames.h"
#include "drumlin/transforms/gemm/GemmCandidates.h"
#include "drumlin/transforms/gemm/GemmChoice.h"

#include <algorithm>
#include <cmath>

namespace drumlin {

using Numbers = std::vector<float>;

namespace {
// Exact sums, and sums of magnitudes. (Long doubles represent a product of two f32 numbers exactly,
// and sums of a million of them precisely enough for these tests.)
struct Exact {
  std::vector<long double> sums, magnitudes;
  explicit Exact(size_t count) : sums(count), magnitudes(count) {}
  void add(size_t result, long double term) {
    sums[result] += term;
    magnitudes[result] += std::fabs(term);
  }
};

// A program with one argument; each result is a sum of `n` addends.
struct Sum {
  const char *name;
  std::string (*text)(int64_t n);
  int64_t (*elements)(int64_t n); // the argument's number of elements, for n addends
  Exact (*exact)(const Numbers &x, int64_t n);
  bool ofProducts; // whether the addends are products x · x
  // `longest`: the largest number of addends that is tested. `reached`: the smallest share of the
  // bound that the worst inputs must reach; 0: any share.
  int64_t longest;
  double reached;
};
} // namespace

static std::string type(std::initializer_list<int64_t> shape, const char *element = "f32") {
  std::string text = "tensor<";
  for (int64_t size : shape) {
    text += std::to_string(size) + "x";
  }
  return text + element + ">";
}

static std::string program(const std::string &argument, const std::string &result,
                           const std::string &body) {
  return "func.func @main(%x: " + argument + ") -> " + result +
         " {\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n" + body +
         "  return %r : " + result + "\n}\n";
}

static const std::string addition = R"(({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %c : tensor<f32>
  }))";

static std::string reduction(const std::string &from, const std::string &to,
                             const std::string &dimensions) {
  return program(from, to,
                 "  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = " +
                     dimensions + " : (" + from + ", tensor<f32>) -> " + to + "\n");
}

static std::string window(int64_t elements, int64_t size, int64_t low, int64_t results) {
  std::string from = type({elements}), to = type({results});
  return program(from, to,
                 "  %r = \"stablehlo.reduce_window\"(%x, %z) <{window_dimensions = array<i64: " +
                     std::to_string(size) + ">, padding = dense<[[" + std::to_string(low) +
                     ", 0]]> : tensor<1x2xi64>}> " + addition + " : (" + from +
                     ", tensor<f32>) -> " + to + "\n");
}

static std::string dot(const std::string &operand, const std::string &result,
                       const std::string &dimensions) {
  return program(operand, result,
                 "  %r = stablehlo.dot_general %x, %x, " + dimensions + " : (" + operand + ", " +
                     operand + ") -> " + result + "\n");
}

// Sums each column of n rows.
template <int64_t columns> static Exact columnSums(const Numbers &x, int64_t) {
  Exact made(columns);
  for (size_t i = 0; i < x.size(); ++i) {
    made.add(i % columns, x[i]);
  }
  return made;
}
template <int64_t rows> static Exact rowSums(const Numbers &x, int64_t n) {
  Exact made(rows);
  for (size_t i = 0; i < x.size(); ++i) {
    made.add(i / static_cast<size_t>(n), x[i]);
  }
  return made;
}
// Sums each of the ten windows of n elements in n + 9 elements.
static Exact windowSums(const Numbers &x, int64_t n) {
  Exact made(10);
  for (size_t i = 0; i < 10; ++i) {
    for (size_t j = 0; j < static_cast<size_t>(n); ++j) {
      made.add(i, x[i + j]);
    }
  }
  return made;
}
static Exact runningSums(const Numbers &x, int64_t n) {
  Exact made(static_cast<size_t>(n));
  for (size_t i = 0; i < x.size(); ++i) {
    if (i > 0) {
      made.sums[i] = made.sums[i - 1];
      made.magnitudes[i] = made.magnitudes[i - 1];
    }
    made.add(i, x[i]);
  }
  return made;
}
template <int64_t columns> static Exact gram(const Numbers &x, int64_t) {
  Exact made(columns * columns);
  for (size_t k = 0; k < x.size() / columns; ++k) {
    for (size_t i = 0; i < columns * columns; ++i) {
      made.add(i, static_cast<long double>(x[k * columns + i / columns]) *
                      x[k * columns + i % columns]);
    }
  }
  return made;
}
// Sums all elements of XᵀX for an n × 40 matrix X.
static Exact sumOfGram(const Numbers &x, int64_t n) {
  Exact made(1), products = gram<40>(x, n);
  for (size_t i = 0; i < products.sums.size(); ++i) {
    made.sums[0] += products.sums[i];
    made.magnitudes[0] += products.magnitudes[i];
  }
  return made;
}
// Sums n squares of each of 32 interleaved batches.
static Exact batchedSquares(const Numbers &x, int64_t) {
  Exact made(32);
  for (size_t i = 0; i < x.size(); ++i) {
    made.add(i % 32, static_cast<long double>(x[i]) * x[i]);
  }
  return made;
}
// Convolves an 8 × 8 input of n features with 3 × 3 windows, to 16 output features. Both the input
// and the convolution's kernel are in x.
static Exact convolved(const Numbers &x, int64_t n) {
  Exact made(size_t{6} * 6 * 16);
  auto count = static_cast<size_t>(n);
  const size_t inputs = size_t{64} * count;
  for (size_t row = 0; row < 6; ++row) {
    for (size_t column = 0; column < 6; ++column) {
      for (size_t k = 0; k < 9 * count; ++k) {
        size_t tap = k / count, feature = k % count;
        size_t at = ((row + tap / 3) * 8 + column + tap % 3) * count + feature;
        for (size_t o = 0; o < 16; ++o) {
          made.add((row * 6 + column) * 16 + o,
                   static_cast<long double>(x[at]) * x[inputs + k * 16 + o]);
        }
      }
    }
  }
  return made;
}
// Returns the sums of a scatter that adds the updates to three elements in turn.
static Exact scattered(const Numbers &x, int64_t) { return columnSums<3>(x, 0); }

static std::string convolution(int64_t n) {
  std::string argument = type({64 * n + 144 * n}), input = type({1, 8, 8, n}),
              kernel = type({3, 3, n, 16}), result = type({1, 6, 6, 16});
  std::string middle = std::to_string(64 * n), end = std::to_string(208 * n);
  return program(
      argument, result,
      "  %0 = stablehlo.slice %x [0:" + middle + "] : (" + argument + ") -> " + type({64 * n}) +
          "\n  %i = stablehlo.reshape %0 : (" + type({64 * n}) + ") -> " + input +
          "\n  %1 = stablehlo.slice %x [" + middle + ":" + end + "] : (" + argument + ") -> " +
          type({144 * n}) + "\n  %k = stablehlo.reshape %1 : (" + type({144 * n}) + ") -> " +
          kernel +
          "\n  %r = stablehlo.convolution(%i, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, "
          "1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (" +
          input + ", " + kernel + ") -> " + result + "\n");
}

static std::string scatter(int64_t n) {
  std::string updates = type({3 * n}), indices = type({3 * n, 1}, "i32"), result = type({3});
  return program(
      updates, result,
      "  %s = stablehlo.broadcast_in_dim %z, dims = [] : (tensor<f32>) -> tensor<3xf32>\n"
      "  %0 = stablehlo.iota dim = 0 : " +
          indices + "\n  %t = stablehlo.constant dense<3> : " + indices +
          "\n  %i = stablehlo.remainder %0, %t : " + indices +
          "\n  %r = \"stablehlo.scatter\"(%s, %i, %x) <{scatter_dimension_numbers = "
          "#stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], "
          "index_vector_dim = 1>}> " +
          addition + " : (tensor<3xf32>, " + indices + ", " + updates + ") -> tensor<3xf32>\n");
}

// Returns a select_and_scatter with windows of n elements and stride 1. All windows select the same
// element of the operand: the only element that all of them contain.
static std::string selection(int64_t n) {
  std::string sources = type({n}), operand = type({2 * n - 1}), result = type({1});
  return program(
      sources, result,
      "  %o = stablehlo.iota dim = 0 : " + operand + "\n  %h = stablehlo.constant dense<" +
          std::to_string(n - 1) + ".0> : " + operand +
          "\n  %d = stablehlo.subtract %o, %h : " + operand +
          "\n  %e = stablehlo.abs %d : " + operand + "\n  %f = stablehlo.negate %e : " + operand +
          "\n  %s = \"stablehlo.select_and_scatter\"(%f, %x, %z) <{window_dimensions = "
          "array<i64: " +
          std::to_string(n) +
          ">}> ({\n  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %c = "
          "stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> "
          "tensor<i1>\n    stablehlo.return %c : tensor<i1>\n  }, " +
          addition.substr(1, addition.size() - 2) + ") : (" + operand + ", " + sources +
          ", tensor<f32>) -> " + operand + "\n  %r = stablehlo.slice %s [" + std::to_string(n - 1) +
          ":" + std::to_string(n) + "] : (" + operand + ") -> " + result + "\n");
}

static std::vector<Sum> sums() {
  return {
      {"reduction", [](int64_t n) { return reduction(type({n}), type({}), "[0]"); },
       [](int64_t n) { return n; }, columnSums<1>, false, 1'000'001, 0.3},
      {"rows", [](int64_t n) { return reduction(type({5, n}), type({5}), "[1]"); },
       [](int64_t n) { return 5 * n; }, rowSums<5>, false, 100'000, 0.3},
      {"columns", [](int64_t n) { return reduction(type({n, 7}), type({7}), "[0]"); },
       [](int64_t n) { return 7 * n; }, columnSums<7>, false, 1'000'001, 0.3},
      {"middle", [](int64_t n) { return reduction(type({n, 3, 5}), type({3}), "[0, 2]"); },
       [](int64_t n) { return 15 * n; },
       [](const Numbers &x, int64_t) {
         Exact made(3);
         for (size_t i = 0; i < x.size(); ++i) {
           made.add(i / 5 % 3, x[i]);
         }
         return made;
       },
       false, 100'000, 0.1},
      {"window", [](int64_t n) { return window(n + 9, n, 0, 10); }, [](int64_t n) { return n + 9; },
       windowSums, false, 5'000, 0},
      {"scan", [](int64_t n) { return window(n, n, n - 1, n); }, [](int64_t n) { return n; },
       runningSums, false, 1'000'001, 0},
      {"scatter", scatter, [](int64_t n) { return 3 * n; }, scattered, false, 100'000, 0},
      {"selection", selection, [](int64_t n) { return n; }, columnSums<1>, false, 257, 0.4},
      {"dot", [](int64_t n) { return dot(type({n}), type({}), "contracting_dims = [0] x [0]"); },
       [](int64_t n) { return n; }, gram<1>, true, 1'000'001, 0.5},
      {"product",
       [](int64_t n) { return dot(type({n, 24}), type({24, 24}), "contracting_dims = [0] x [0]"); },
       [](int64_t n) { return 24 * n; }, gram<24>, true, 10'000, 0.4},
      {"sum of a product",
       [](int64_t n) {
         return program(type({n, 40}), type({}),
                        "  %0 = stablehlo.dot_general %x, %x, contracting_dims = [0] x [0] : (" +
                            type({n, 40}) + ", " + type({n, 40}) + ") -> " + type({40, 40}) +
                            "\n  %r = stablehlo.reduce(%0 init: %z) applies stablehlo.add across "
                            "dimensions = [0, 1] : (" +
                            type({40, 40}) + ", tensor<f32>) -> tensor<f32>\n");
       },
       [](int64_t n) { return 40 * n; }, sumOfGram, true, 1'000, 0},
      {"products side by side",
       [](int64_t n) {
         return dot(type({n, 32}), type({32}),
                    "batching_dims = [1] x [1], contracting_dims = [0] x [0]");
       },
       [](int64_t n) { return 32 * n; }, batchedSquares, true, 10'000, 0.4},
      {"convolution", convolution, [](int64_t n) { return 208 * n; }, convolved, true, 1'000, 0},
  };
}

// Returns random numbers, either all positive or of both signs.
static Numbers drawn(bool bothSigns, size_t count) {
  std::mt19937 random(bothSigns ? 1 : 2);
  std::uniform_real_distribution<float> uniform(bothSigns ? -1 : 0, 1);
  Numbers x(count);
  std::generate(x.begin(), x.end(), [&] { return uniform(random); });
  return x;
}

// Returns inputs whose sums lose small addends. The first addend of each result is 1, and the other
// addends are 2^-24. Rounding loses such an addend if it is added to 1.
static Numbers losing(size_t count, size_t first, bool ofProducts) {
  Numbers x(count, ofProducts ? 0x1p-12F : 0x1p-24F);
  std::fill_n(x.begin(), std::min(first, count), 1.0F);
  return x;
}

// Returns the total of the bounds of all sums in the plan, plus the bound of rounding the result to
// f32.
static double unitsOf(mlir::ModuleOp module) {
  double units = 1;
  module.walk([&](mlir::Operation *op) {
    if (std::optional<SumBound> bound = sumBoundOf(op)) {
      units += bound->units();
    }
  });
  return units;
}

// Returns the largest error, in units of 2^-24 of the sum of the addends' magnitudes.
static double errorOf(const std::vector<Tensor> &results, const Exact &exact) {
  if (results.empty() || results.front().elements() != static_cast<int64_t>(exact.sums.size())) {
    ADD_FAILURE() << "there are other results";
    return 0;
  }
  long double error = 0;
  for (size_t i = 0; i < exact.sums.size(); ++i) {
    long double apart = std::fabs(results.front().as<float>()[i] - exact.sums[i]);
    error = std::max(error, apart == 0 ? 0 : apart / exact.magnitudes[i]);
  }
  return static_cast<double>(error * 0x1p24L);
}

namespace {
struct Draw {
  Numbers x;
  Exact exact;
};
} // namespace

static std::vector<Draw> drawsOf(const Sum &sum, int64_t n) {
  auto count = static_cast<size_t>(sum.elements(n));
  std::vector<Draw> made;
  for (const Numbers &x :
       {drawn(false, count), drawn(true, count),
        losing(count, std::max<size_t>(count / static_cast<size_t>(n), 1), sum.ofProducts)}) {
    made.push_back({x, sum.exact(x, n)});
  }
  return made;
}

// Expects errors within the plan's bound. Returns the largest error as a share of the bound.
static double expectWithinBound(mlir::ModuleOp plan, const std::vector<Draw> &draws,
                                CompileOptions options) {
  mlir::OwningOpRef<mlir::ModuleOp> copy = plan.clone();
  options.startFrom = "select";
  Result<Compilation> compiled = compile(*copy, "sums", options);
  if (!compiled) {
    ADD_FAILURE() << compiled.error().str();
    return 0;
  }
  LoadOptions load;
  load.threads = 1;
  auto executable = compiled->load("sums", load);
  if (!executable) {
    ADD_FAILURE() << executable.error().str();
    return 0;
  }
  auto type = mlir::cast<mlir::RankedTensorType>(entryFunction(plan).getArgumentTypes()[0]);
  double units = unitsOf(plan), reached = 0;
  for (const Draw &draw : draws) {
    std::vector<Tensor> arguments = {Tensor(ElementType::F32, Shape(type.getShape()))};
    std::copy(draw.x.begin(), draw.x.end(), arguments.front().as<float>());
    Result<std::vector<Tensor>> results = call(**executable, arguments);
    if (!results) {
      ADD_FAILURE() << results.error().str();
      return 0;
    }
    double error = errorOf(*results, draw.exact);
    EXPECT_LE(error, units);
    reached = std::max(reached, error / units);
  }
  return reached;
}

static CompileOptions optionsFor(const char *target) {
  CompileOptions options;
  options.useCache = false;
  options.target = *targetFromName(target);
  return options;
}

static mlir::OwningOpRef<mlir::ModuleOp> planOf(TestProgram &program, CompileOptions options) {
  options.stopAfter = "select";
  Status status = program.run(options);
  EXPECT_TRUE(status) << status.error().str();
  return status ? program.module->clone() : mlir::OwningOpRef<mlir::ModuleOp>();
}

// Tests sums of different lengths: around block sizes, and up to a million addends.
TEST(SumBounds, HoldForEachKindAndLength) {
  for (const Sum &sum : sums()) {
    double reached = 0;
    for (int64_t n : {1, 2, 3, 15, 17, 100, 255, 257, 1'000, 4'099, 65'537, 1'000'001}) {
      if (n > sum.longest) {
        continue;
      }
      SCOPED_TRACE(std::string(sum.name) + " of " + std::to_string(n));
      std::vector<Draw> draws = drawsOf(sum, n);
      for (const char *target : {"native", "x86-64"}) {
        if (target != std::string_view("native") && n != 100 && n != 4'099) {
          continue;
        }
        TestProgram program(sum.text(n));
        ASSERT_TRUE(program.module);
        CompileOptions options = optionsFor(target);
        mlir::OwningOpRef<mlir::ModuleOp> plan = planOf(program, options);
        ASSERT_TRUE(plan);
        reached = std::max(reached, expectWithinBound(*plan, draws, options));
      }
    }
    EXPECT_GE(reached, sum.reached) << sum.name;
    std::printf("%-24s at most %.2f of the bound\n", sum.name, reached);
  }
}

// Tests all GEMM schedules that the tuner would measure, and each traversal of reductions.
TEST(SumBounds, HoldForEachSchedule) {
  const CpuTarget target = *cpuTargetFromName("native");
  size_t products = 0, loops = 0;
  for (const Sum &sum : sums()) {
    for (int64_t n : {17, 500}) {
      if (n > sum.longest) {
        continue;
      }
      SCOPED_TRACE(std::string(sum.name) + " of " + std::to_string(n));
      TestProgram program(sum.text(n));
      CompileOptions options = optionsFor("native");
      mlir::OwningOpRef<mlir::ModuleOp> plan = planOf(program, options);
      ASSERT_TRUE(plan);
      std::vector<Draw> draws = drawsOf(sum, n);
      std::vector<mlir::Operation *> kernels;
      plan->walk([&](mlir::Operation *op) {
        if (llvm::isa<plan::GemmOp, plan::LoopOp>(op)) {
          kernels.push_back(op);
        }
      });
      for (mlir::Operation *kernel : kernels) {
        mlir::Attribute chosen = kernel->getAttr(plan::scheduleAttribute);
        if (auto gemm = llvm::dyn_cast<plan::GemmOp>(kernel)) {
          GemmChoice choice(gemm, target, options.numerics);
          for (const GemmAlternative &each : choice.alternatives()) {
            setSchedule(gemm, each.schedule);
            SCOPED_TRACE(each.schedule.str());
            expectWithinBound(*plan, draws, options);
            ++products;
          }
        } else if (auto loop = llvm::dyn_cast<plan::LoopOp>(kernel)) {
          std::vector<LoopGroup> groups = groupRoots(loop.getBody().front());
          for (plan::TraversalKind kind : {plan::TraversalKind::flat, plan::TraversalKind::rows,
                                           plan::TraversalKind::single}) {
            for (int64_t vectorLanes : {16, 64}) {
              LoopTraversal traversal;
              traversal.kind = kind;
              traversal.vectorLanes = vectorLanes;
              traversal.tile = kind == plan::TraversalKind::flat ? 16'384 : 3;
              LoopSchedule schedule{{groups.size(), traversal}};
              if (!findScheduleFault(schedule, groups).empty()) {
                continue;
              }
              setSchedule(loop, schedule);
              SCOPED_TRACE(schedule.str());
              expectWithinBound(*plan, draws, options);
              ++loops;
            }
          }
        }
        kernel->setAttr(plan::scheduleAttribute, chosen);
      }
    }
  }
  EXPECT_GE(products, 20u);
  EXPECT_GE(loops, 40u);
}

// If a reduction combines its operands with each other, the bound in units equals the number of
// addends.
TEST(SumBounds, OfSeveralOperandsGrowWithTheirTerms) {
  TestProgram program(R"(
func.func @main(%x: tensor<1000xf32>, %y: tensor<1000xf32>) -> (tensor<f32>, tensor<f32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r:2 = "stablehlo.reduce"(%x, %y, %z, %z) <{dimensions = array<i64: 0>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %e = stablehlo.add %a, %c : tensor<f32>
    %g = stablehlo.multiply %d, %e : tensor<f32>
    %f = stablehlo.add %b, %g : tensor<f32>
    stablehlo.return %e, %f : tensor<f32>, tensor<f32>
  }) : (tensor<1000xf32>, tensor<1000xf32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>)
  return %r#0, %r#1 : tensor<f32>, tensor<f32>
})");
  mlir::OwningOpRef<mlir::ModuleOp> plan = planOf(program, optionsFor("native"));
  ASSERT_TRUE(plan);
  EXPECT_NEAR(unitsOf(*plan) - 1, 1'000, 1);
}

// If a sum cancels, `drumlin check` allows differences up to the bound of the kernel's sum, both
// for the kernel and for the program as written.
TEST(SumBounds, AreWhatCheckAllows) {
  for (int64_t n : {500, 5'000}) {
    std::string text = reduction(type({n}), type({}), "[0]");
    TestProgram written(text), planned(text);
    Numbers x = drawn(true, static_cast<size_t>(n));
    x[0] -= static_cast<float>(rowSums<1>(x, n).sums[0]);
    mlir::OwningOpRef<mlir::ModuleOp> plan = planOf(planned, optionsFor("native"));
    ASSERT_TRUE(plan && written.module);
    CompileOptions none = optionsFor("native");
    none.stopAfter = "simplify";
    ASSERT_TRUE(written.run(none));
    std::vector<Tensor> arguments = {Tensor(ElementType::F32, {n})};
    std::copy(x.begin(), x.end(), arguments.front().as<float>());
    double bound = unitsOf(*plan) - 1;
    auto want = static_cast<double>(rowSums<1>(x, n).magnitudes[0]) * bound * 0x1p-24;
    for (mlir::ModuleOp module : {*plan, *written.module}) {
      auto run = [&](const InterpreterTable &table) {
        return interpret(entryFunction(module), arguments, interpreterFor(table, {}));
      };
      Result<std::vector<Tensor>> exact = run(planOperations());
      ASSERT_TRUE(exact) << exact.error().str();
      auto allowed = roundingAllowances(run, *exact, planOperations(), Numerics::Strict,
                                        fewRoundingEvaluations, sumUnitsOf(*plan));
      ASSERT_EQ(allowed.size(), 1u);
      EXPECT_NEAR(allowed.front().front(), want, want / 100);
    }
  }
}

// Returns whether native code may reorder the operation's addends.
static bool isSum(mlir::Operation *op) {
  bool adds = llvm::isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op);
  if (llvm::isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::ScatterOp,
                stablehlo::SelectAndScatterOp>(op)) {
    adds = knownReducer(op->getRegions().back()) == Reducer::Add;
  }
  return adds && llvm::isa<mlir::FloatType>(mlir::getElementTypeOrSelf(op->getResult(0).getType()));
}

// Every sum has a bound, and the plan states the bounds that result from its schedules.
TEST(SumBounds, StandInThePlan) {
  size_t stated = 0;
  for (const Sum &sum : sums()) {
    SCOPED_TRACE(sum.name);
    TestProgram program(sum.text(100));
    mlir::OwningOpRef<mlir::ModuleOp> plan = planOf(program, optionsFor("native"));
    ASSERT_TRUE(plan);
    size_t before = stated;
    plan->walk([&](mlir::Operation *kernel) {
      if (!plan::kernelKindOf(kernel)) {
        return;
      }
      std::vector<double> units;
      for (mlir::Operation &op : kernel->getRegion(0).front()) {
        std::optional<SumBound> bound = sumBoundOf(&op);
        EXPECT_EQ(bound.has_value(), isSum(&op)) << op.getName().getStringRef().str();
        if (bound) {
          units.push_back(bound->units());
        }
      }
      auto attribute = kernel->getAttrOfType<mlir::DenseF64ArrayAttr>(plan::sumUnitsAttribute);
      EXPECT_EQ(attribute != nullptr, !units.empty());
      if (attribute) {
        EXPECT_EQ(attribute.asArrayRef().vec(), units);
        stated += units.size();
      }
    });
    EXPECT_GT(stated, before);
    size_t entries = 0;
    for (const LedgerEntry &entry : program.result.ledger.entries()) {
      if (entry.rule == "reduction-order") {
        EXPECT_NE(entry.remedy.find("2^-24"), std::string::npos);
        ++entries;
      }
    }
    EXPECT_EQ(entries, stated - before);
  }
}

} // namespace drumlin
