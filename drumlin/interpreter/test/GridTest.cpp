#include "drumlin/interpreter/Grid.h"
#include "drumlin/import/Import.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace drumlin;

// A fixture that runs a grid whose processes may run different functions of one module.
class Grid : public testing::Test {
protected:
  Grid() : context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {}

  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  // Runs one function per process of the grid, all on the same arguments.
  Result<GridRun> run(std::string_view text, const std::vector<std::string> &functions,
                      GridShape shape, std::vector<Tensor> arguments = {},
                      std::vector<std::vector<Tensor>> infeed = {},
                      const InterpreterOptions &options = {}) {
    ImportLimits limits;
    limits.nativeTypesOnly = false;
    auto imported = importText(text, "test.mlir", context, limits);
    if (!imported) {
      return imported.error();
    }
    module = std::move(*imported);
    std::vector<ProcessProgram> programs;
    for (const std::string &name : functions) {
      programs.push_back({module->lookupSymbol<mlir::func::FuncOp>(name), arguments});
    }
    return interpretGrid(programs, shape, options, std::move(infeed));
  }

  void expectError(const Result<GridRun> &run, DiagnosticCode code, std::string_view part) {
    ASSERT_FALSE(bool(run));
    EXPECT_EQ(run.error().code, code) << run.error().str();
    EXPECT_NE(run.error().message.find(part), std::string::npos) << run.error().str();
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

static Tensor i32(int32_t value) {
  Tensor tensor(ElementType::SI32, {});
  *tensor.as<int32_t>() = value;
  return tensor;
}

static const char *streams = R"(
  func.func @main(%x: tensor<i32>) -> tensor<i32> {
    %t = stablehlo.create_token : !stablehlo.token
    %0:2 = "stablehlo.infeed"(%t) {infeed_config = ""} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
    %1 = stablehlo.add %0#0, %x : tensor<i32>
    %2 = "stablehlo.outfeed"(%1, %0#1) {outfeed_config = ""} : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
    return %1 : tensor<i32>
  })";

TEST_F(Grid, ReadsAndWritesStreamsInTurn) {
  Result<GridRun> made =
      run(streams, {"main", "main"}, {2, 1}, {i32(10)}, {{i32(1)}, {i32(2)}, {i32(3)}});
  ASSERT_TRUE(bool(made)) << made.error().str();
  EXPECT_EQ(*made->results[0][0].as<int32_t>(), 11);
  EXPECT_EQ(*made->results[1][0].as<int32_t>(), 12);
  ASSERT_EQ(made->outfeed.size(), 2u);
  EXPECT_EQ(*made->outfeed[0][0].as<int32_t>(), 11);
  EXPECT_EQ(*made->outfeed[1][0].as<int32_t>(), 12);
}

TEST_F(Grid, AnEmptyInfeedEndsTheRun) {
  expectError(run(streams, {"main", "main"}, {1, 2}, {i32(10)}, {{i32(1)}}), errors::InfeedEmpty,
              "infeed");
}

TEST_F(Grid, InfeedOfAnotherTypeIsRefused) {
  expectError(run(streams, {"main"}, {1, 1}, {i32(10)}, {{Tensor(ElementType::F32, {})}}),
              errors::RuntimeShapeMismatch, "tensor<f32>");
}

// One process sends; the other receives and answers.
static const char *pingPong = R"(
  func.func @main(%x: tensor<i32>) -> tensor<i32> {
    %t = stablehlo.create_token : !stablehlo.token
    %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true} : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
    %1:2 = "stablehlo.recv"(%0) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
    return %1#0 : tensor<i32>
  }
  func.func @answer(%x: tensor<i32>) -> tensor<i32> {
    %t = stablehlo.create_token : !stablehlo.token
    %0:2 = "stablehlo.recv"(%t) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<i32>, !stablehlo.token)
    %1 = stablehlo.multiply %0#0, %0#0 : tensor<i32>
    %2 = "stablehlo.send"(%1, %0#1) {channel_handle = #stablehlo.channel_handle<handle = 2, type = 2>, is_host_transfer = true} : (tensor<i32>, !stablehlo.token) -> !stablehlo.token
    return %x : tensor<i32>
  })";

TEST_F(Grid, TwoProgramsAnswerEachOther) {
  Result<GridRun> made = run(pingPong, {"main", "answer"}, {1, 2}, {i32(7)});
  ASSERT_TRUE(bool(made)) << made.error().str();
  EXPECT_EQ(*made->results[0][0].as<int32_t>(), 49);
  EXPECT_EQ(*made->results[1][0].as<int32_t>(), 7);
}

TEST_F(Grid, ProcessesThatWaitInVainEndTheRun) {
  expectError(run(pingPong, {"main", "main"}, {1, 2}, {i32(7)}), errors::ProcessesBlocked,
              "(0, 0) waits in recv on channel 2");
}

static const char *sum = R"(
  func.func @main(%x: tensor<i32>) -> tensor<i32> {
    %0 = "stablehlo.all_reduce"(%x) ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %1 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<i32>) -> tensor<i32>
    return %0 : tensor<i32>
  }
  func.func @leave(%x: tensor<i32>) -> tensor<i32> {
    return %x : tensor<i32>
  })";

TEST_F(Grid, AProcessThatStaysAwayBlocksItsGroup) {
  expectError(run(sum, {"main", "leave"}, {2, 1}, {i32(7)}), errors::ProcessesBlocked,
              "(0, 0) waits in stablehlo.all_reduce");
}

TEST_F(Grid, GroupsNameProcessesOfTheGrid) {
  expectError(run(sum, {"main"}, {1, 1}, {i32(7)}), errors::ProcessGridMismatch, "names 1");
  expectError(run(sum, {"main", "main", "main"}, {3, 1}, {i32(7)}), errors::ProcessGridMismatch,
              "(2, 0) is in no group");
  expectError(run(sum, {"main", "main"}, {3, 1}, {i32(7)}), errors::ProcessGridMismatch,
              "2 programs");
}

// Valid group sizes depend on the grid, so they are checked once the grid is known.
TEST_F(Grid, EveryProcessIsInAGroup) {
  const std::pair<std::string, std::string> operations[] = {
      {"all_gather_c3", R"("stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, GROUPS}
          : (tensor<4xi32>) -> tensor<8xi32>)"},
      {"all_reduce_c2", R"("stablehlo.all_reduce"(%x) ({BODY}) {GROUPS}
          : (tensor<4xi32>) -> tensor<4xi32>)"},
      {"all_to_all_c6", R"("stablehlo.all_to_all"(%x) {split_dimension = 0 : i64,
          concat_dimension = 0 : i64, split_count = 2 : i64, GROUPS}
          : (tensor<4xi32>) -> tensor<4xi32>)"},
      {"reduce_scatter_c4", R"("stablehlo.reduce_scatter"(%x) ({BODY}) {scatter_dimension = 0 : i64,
          GROUPS} : (tensor<4xi32>) -> tensor<2xi32>)"}};
  for (auto [label, text] : operations) {
    SCOPED_TRACE(label);
    auto fill = [&](std::string_view place, std::string_view with) {
      size_t at = text.find(place);
      text = at == std::string::npos ? text : text.replace(at, place.size(), with);
    };
    fill("GROUPS", "replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>");
    fill("BODY",
         "^bb0(%a: tensor<i32>, %b: tensor<i32>):\n %1 = stablehlo.add %a, %b : tensor<i32>\n"
         "stablehlo.return %1 : tensor<i32>");
    std::string program = "func.func @main(%x: tensor<4xi32>) { %0 = " + text + "\n return }";
    Tensor x(ElementType::SI32, {4});
    EXPECT_TRUE(bool(run(program, {"main", "main"}, {2, 1}, {x})));
    expectError(run(program, {"main", "main", "main"}, {3, 1}, {x}), errors::ProcessGridMismatch,
                label);
  }
}

TEST_F(Grid, GatheredPartsFillTheResult) {
  std::string_view text = R"(func.func @main(%x: tensor<4xi32>) {
    %0 = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64,
        replica_groups = dense<[[0], [1]]> : tensor<2x1xi64>} : (tensor<4xi32>) -> tensor<8xi32>
    return
  })";
  expectError(run(text, {"main", "main"}, {2, 1}, {Tensor(ElementType::SI32, {4})}),
              errors::ProcessGridMismatch, "all_gather_c6");
}

TEST_F(Grid, LimitsCountAllProcesses) {
  InterpreterOptions options;
  options.maxSteps = 3;
  Result<GridRun> made = run(sum, {"main", "main"}, {2, 1}, {i32(7)}, {}, options);
  ASSERT_TRUE(bool(made)) << made.error().str();
  EXPECT_EQ(*made->results[1][0].as<int32_t>(), 14);
  options.maxSteps = 1;
  expectError(run(sum, {"main", "main"}, {2, 1}, {i32(7)}, {}, options),
              errors::InterpreterStepLimit, "1 operations");
}

// Checks sizes that turn out to be wrong when the program runs.
TEST_F(Grid, SizesThatTheRunTellsAreChecked) {
  Tensor shape(ElementType::SI64, {1});
  shape.as<int64_t>()[0] = 4;
  const char *text = R"(
    func.func @main(%s: tensor<1xi64>) -> tensor<?xf32> {
      %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
      %0 = stablehlo.dynamic_reshape %x, %s : (tensor<3xf32>, tensor<1xi64>) -> tensor<?xf32>
      return %0 : tensor<?xf32>
    })";
  expectError(run(text, {"main"}, {1, 1}, {shape}), errors::RuntimeShapeMismatch,
              "dynamic_reshape_c2");
  // A wrong size in the result type is also an error, for each operation whose operands give a
  // size.
  for (const char *operation :
       {"stablehlo.dynamic_iota %s, dim = 0 : (tensor<1xi64>) -> tensor<3xf32>",
        "stablehlo.dynamic_broadcast_in_dim %one, %s, dims = [0] : (tensor<1xf32>, tensor<1xi64>) "
        "-> tensor<3xf32>",
        "stablehlo.dynamic_pad %x, %zero, %s, %none, %none : (tensor<3xf32>, tensor<f32>, "
        "tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>",
        "stablehlo.real_dynamic_slice %many, %none, %s, %step : (tensor<8xf32>, tensor<1xi64>, "
        "tensor<1xi64>, tensor<1xi64>) -> tensor<3xf32>"}) {
    std::string promised = R"(
    func.func @main(%s: tensor<1xi64>) -> tensor<3xf32> {
      %x = stablehlo.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
      %many = stablehlo.constant dense<1.0> : tensor<8xf32>
      %one = stablehlo.constant dense<1.0> : tensor<1xf32>
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %none = stablehlo.constant dense<0> : tensor<1xi64>
      %step = stablehlo.constant dense<1> : tensor<1xi64>
      %0 = )" + std::string(operation) +
                           "\n      return %0 : tensor<3xf32>\n    }";
    expectError(run(promised, {"main"}, {1, 1}, {shape}), errors::RuntimeShapeMismatch, "gives");
  }
  shape.as<int64_t>()[0] = 3;
  Result<GridRun> made = run(text, {"main"}, {1, 1}, {shape});
  ASSERT_TRUE(bool(made)) << made.error().str();
  EXPECT_EQ(made->results[0][0].shape(), Shape{3});
}

TEST_F(Grid, ChecksOfTheProgramItselfAreMade) {
  const char *text = R"(
    func.func @main() {
      %x = stablehlo.constant dense<[1.0, 2.0]> : tensor<2xf32>
      %y = stablehlo.constant dense<[1.0, 2.00001]> : tensor<2xf32>
      stablehlo.custom_call @check.expect_almost_eq(%x, %y) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
      stablehlo.custom_call @check.expect_close(%x, %y) {has_side_effect = true} : (tensor<2xf32>, tensor<2xf32>) -> ()
      return
    })";
  expectError(run(text, {"main"}, {1, 1}), errors::CheckFailed, "element 1 is 2");
}
