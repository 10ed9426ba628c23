#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/import/Import.h"
#include "drumlin/interpreter/PlanOperations.h"
#include "drumlin/interpreter/StandardOperations.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

using namespace drumlin;

// Parses and runs a program; tests look at the results or at the diagnostic.
class Interpreter : public testing::Test {
protected:
  Interpreter() : context(makeRegistry(), mlir::MLIRContext::Threading::DISABLED) {}

  static mlir::DialectRegistry makeRegistry() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    return registry;
  }

  void parse(std::string_view text) {
    auto imported = importText(text, "test.mlir", context);
    ASSERT_TRUE(bool(imported)) << imported.error().str();
    module = std::move(*imported);
  }

  Result<std::vector<Tensor>> run(std::string_view text, std::vector<Tensor> arguments,
                                  const InterpreterOptions &options = {}) {
    parse(text);
    return interpret(*module, arguments, options);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

template <typename T>
static Tensor make(ElementType type, Shape shape, const std::vector<T> &values) {
  Tensor tensor(type, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.as<T>());
  return tensor;
}
static Tensor floats(const std::vector<float> &values) {
  return make(ElementType::F32, {static_cast<int64_t>(values.size())}, values);
}
static Tensor i32(int32_t value) { return make<int32_t>(ElementType::SI32, {}, {value}); }

template <typename T>
static void expectElements(const Result<std::vector<Tensor>> &results,
                           const std::vector<T> &expected) {
  ASSERT_TRUE(bool(results)) << results.error().str();
  ASSERT_EQ(results->front().elements(), static_cast<int64_t>(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(results->front().as<T>()[i], expected[i]) << "element " << i;
  }
}

TEST_F(Interpreter, CallsAndConstants) {
  expectElements<float>(run(R"(
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %two = stablehlo.constant dense<2.0> : tensor<2xf32>
      %y = func.call @scale(%x, %two) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      %z = func.call @scale(%y, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      return %z : tensor<2xf32>
    }
    func.func private @scale(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
      %c = stablehlo.multiply %a, %b : tensor<2xf32>
      return %c : tensor<2xf32>
    })",
                            {floats({3, -1})}),
                        {18, 2});
}

// The body uses a value from outside of its region.
TEST_F(Interpreter, WhileWithACapturedValue) {
  expectElements<int32_t>(run(R"(
    func.func @main(%n: tensor<i32>) -> tensor<i32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %r:2 = stablehlo.while(%i = %zero, %sum = %zero) : tensor<i32>, tensor<i32>
      cond {
        %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %c : tensor<i1>
      } do {
        %next = stablehlo.add %i, %one : tensor<i32>
        %more = stablehlo.add %sum, %next : tensor<i32>
        stablehlo.return %next, %more : tensor<i32>, tensor<i32>
      }
      return %r#1 : tensor<i32>
    })",
                              {i32(100)}),
                          {5050});
}

TEST_F(Interpreter, Branches) {
  std::string_view text = R"(
    func.func @main(%index: tensor<i32>, %x: tensor<i32>) -> tensor<i32> {
      %r = "stablehlo.case"(%index) ({
        stablehlo.return %x : tensor<i32>
      }, {
        %y = stablehlo.negate %x : tensor<i32>
        stablehlo.return %y : tensor<i32>
      }) : (tensor<i32>) -> tensor<i32>
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %p = stablehlo.compare LT, %r, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %s = "stablehlo.if"(%p) ({
        %t = stablehlo.multiply %r, %r : tensor<i32>
        stablehlo.return %t : tensor<i32>
      }, {
        stablehlo.return %r : tensor<i32>
      }) : (tensor<i1>) -> tensor<i32>
      return %s : tensor<i32>
    })";
  expectElements<int32_t>(run(text, {i32(0), i32(5)}), {5});
  expectElements<int32_t>(run(text, {i32(1), i32(5)}), {25});
  // An out-of-range index takes the last branch.
  expectElements<int32_t>(run(text, {i32(-1), i32(5)}), {25});
  expectElements<int32_t>(run(text, {i32(7), i32(5)}), {25});
}

// A body of several operations that also uses a value from outside.
TEST_F(Interpreter, ReduceWithAGeneralBody) {
  expectElements<float>(run(R"(
    func.func @main(%x: tensor<3xf32>) -> tensor<f32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %two = stablehlo.constant dense<2.0> : tensor<f32>
      %r = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
       reducer(%a: tensor<f32>, %b: tensor<f32>) {
        %c = stablehlo.multiply %a, %two : tensor<f32>
        %d = stablehlo.add %c, %b : tensor<f32>
        stablehlo.return %d : tensor<f32>
      }
      return %r : tensor<f32>
    })",
                            {floats({1, 2, 3})}),
                        {11});
}

// A body that subtracts is not mistaken for a commutative reduction.
TEST_F(Interpreter, SubtractionIsNoKnownReduction) {
  expectElements<float>(run(R"(
    func.func @main(%x: tensor<3xf32>) -> tensor<f32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %r = stablehlo.reduce(%x init: %zero) across dimensions = [0] : (tensor<3xf32>, tensor<f32>) -> tensor<f32>
       reducer(%a: tensor<f32>, %b: tensor<f32>) {
        %c = stablehlo.subtract %b, %a : tensor<f32>
        stablehlo.return %c : tensor<f32>
      }
      return %r : tensor<f32>
    })",
                            {floats({1, 2, 4})}),
                        {3});
}

TEST_F(Interpreter, SortByTheSecondOperandDescending) {
  auto results = run(R"(
    func.func @main(%x: tensor<3xi32>, %k: tensor<3xf32>) -> tensor<3xi32> {
      %r:2 = "stablehlo.sort"(%x, %k) ({
      ^bb0(%a: tensor<i32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<f32>):
        %p = stablehlo.compare LT, %d, %c : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      }) {dimension = 0 : i64, is_stable = true} : (tensor<3xi32>, tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32>)
      return %r#0 : tensor<3xi32>
    })",
                     {make<int32_t>(ElementType::SI32, {3}, {1, 2, 3}), floats({5, 9, 7})});
  expectElements<int32_t>(results, {2, 3, 1});
}

static const char *endlessLoop = R"(
    func.func @main(%x: tensor<i32>) -> tensor<i32> {
      %r = stablehlo.while(%i = %x) : tensor<i32>
      cond {
        %t = stablehlo.constant dense<true> : tensor<i1>
        stablehlo.return %t : tensor<i1>
      } do {
        stablehlo.return %i : tensor<i32>
      }
      return %r : tensor<i32>
    })";

TEST_F(Interpreter, StepLimit) {
  InterpreterOptions options;
  options.maxSteps = 1000;
  auto results = run(endlessLoop, {i32(0)}, options);
  ASSERT_FALSE(bool(results));
  EXPECT_EQ(results.error().code, errors::InterpreterStepLimit);
  EXPECT_EQ(results.error().location.substr(0, 10), "test.mlir:");
}

TEST_F(Interpreter, MemoryLimit) {
  InterpreterOptions options;
  options.maxMemory = 5000;
  std::string_view text = R"(
    func.func @main(%x: tensor<f32>) -> tensor<f32> {
      %b = stablehlo.broadcast_in_dim %x, dims = [] : (tensor<f32>) -> tensor<1000xf32>
      %c = stablehlo.add %b, %b : tensor<1000xf32>
      %d = stablehlo.reshape %c : (tensor<1000xf32>) -> tensor<1000xf32>
      %e = stablehlo.slice %d [0:1] : (tensor<1000xf32>) -> tensor<1xf32>
      %f = stablehlo.reshape %e : (tensor<1xf32>) -> tensor<f32>
      return %f : tensor<f32>
    })";
  Tensor one = make<float>(ElementType::F32, {}, {1});
  auto results = run(text, {one}, options);
  // Values are dropped after their last use, before the results of that operation are counted.
  expectElements<float>(results, {2});
  options.maxMemory = 3000;
  results = run(text, {one}, options);
  ASSERT_FALSE(bool(results));
  EXPECT_EQ(results.error().code, errors::InterpreterMemoryLimit);
}

TEST_F(Interpreter, ArgumentsMustFit) {
  auto results = run(endlessLoop, {});
  ASSERT_FALSE(bool(results));
  EXPECT_EQ(results.error().code, errors::InterpreterArgumentMismatch);
  results = run(endlessLoop, {floats({1})});
  ASSERT_FALSE(bool(results));
  EXPECT_EQ(results.error().message, "argument 0 is `tensor<1xf32>`, expected `tensor<i32>`");
}

// compare_c3: the element type determines the comparison, whatever compare_type the program gives.
TEST_F(Interpreter, IntegersHaveTheirOwnOrder) {
  auto results = run(R"(
    func.func @main(%x: tensor<2xi32>, %y: tensor<2xi32>) -> tensor<2xi32> {
      %z = stablehlo.compare LT, %x, %y, UNSIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
      %w = stablehlo.convert %z : (tensor<2xi1>) -> tensor<2xi32>
      return %w : tensor<2xi32>
    })",
                     {make<int32_t>(ElementType::SI32, {2}, {-1, 1}),
                      make<int32_t>(ElementType::SI32, {2}, {1, -1})});
  expectElements<int32_t>(results, {1, 0});
}

TEST_F(Interpreter, RandomBitsNeedAStateOfOneDimension) {
  auto results = run(R"(
    func.func @main(%x: tensor<f32>) -> tensor<2xf32> {
      %s, %r = stablehlo.rng_bit_generator %x, algorithm = DEFAULT : (tensor<f32>) -> (tensor<f32>, tensor<2xf32>)
      return %r : tensor<2xf32>
    })",
                     {make<float>(ElementType::F32, {}, {1})});
  ASSERT_FALSE(bool(results));
  EXPECT_NE(results.error().message.find("(rng_bit_generator_i2)"), std::string::npos);
}

TEST_F(Interpreter, EndlessRecursionIsRefused) {
  parse("func.func @main(%x: tensor<i32>) -> tensor<i32> { return %x : tensor<i32> }");
  // The importer refuses recursion, so the call is added afterwards.
  auto function = module->lookupSymbol<mlir::func::FuncOp>("main");
  mlir::OpBuilder builder(&function.getBody().front(), function.getBody().front().begin());
  mlir::func::CallOp::create(builder, function.getLoc(), function, function.getArguments());
  std::vector<Tensor> arguments{i32(0)};
  auto results = interpret(*module, arguments);
  ASSERT_FALSE(bool(results));
  EXPECT_EQ(results.error().code, errors::InterpreterUnsupported);
}

// Other dialects can add operations to a table. This test replaces the handler of an existing name.
TEST_F(Interpreter, TablesCanBeExtended) {
  InterpreterTable table = standardOperations();
  table.add("stablehlo.negate",
            [](mlir::Operation *, std::vector<Tensor> operands,
               Frame &) -> Result<std::vector<Tensor>> { return operands; });
  InterpreterOptions options;
  options.table = &table;
  std::string_view text = R"(
    func.func @main(%x: tensor<i32>) -> tensor<i32> {
      %y = stablehlo.negate %x : tensor<i32>
      return %y : tensor<i32>
    })";
  expectElements<int32_t>(run(text, {i32(3)}, options), {3});
  expectElements<int32_t>(run(text, {i32(3)}), {-3});
  InterpreterTable empty;
  options.table = &empty;
  auto results = run(text, {i32(3)}, options);
  ASSERT_FALSE(bool(results));
  EXPECT_EQ(results.error().code, errors::InterpreterUnsupported);
}

TEST_F(Interpreter, SingleOperations) {
  parse(R"(
    func.func @main(%x: tensor<2xf32>, %y: tensor<i32>) -> tensor<2xf32> {
      %z = stablehlo.add %x, %x : tensor<2xf32>
      %w = "stablehlo.case"(%y) ({ stablehlo.return %z : tensor<2xf32> }) : (tensor<i32>) -> tensor<2xf32>
      return %w : tensor<2xf32>
    })");
  mlir::Block &body = entryFunction(*module).getBody().front();
  std::vector<Tensor> operands{floats({1, 2}), floats({3, 4})};
  expectElements<float>(evaluate(&body.front(), operands), {4, 6});
  // This operation's region uses a value that evaluate() can't know.
  std::vector<Tensor> index{i32(0)};
  auto results = evaluate(body.front().getNextNode(), index);
  ASSERT_FALSE(bool(results));
  EXPECT_EQ(results.error().code, errors::InterpreterUnsupported);
}

// A program may be interpreted after any phase.
TEST(PlanOperations, EveryOperationOfPlansIsKnown) {
  mlir::DialectRegistry registry;
  registry.insert<plan::PlanDialect>();
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  int operations = 0;
  for (mlir::RegisteredOperationName name : context.getRegisteredOperations()) {
    if (name.getDialectNamespace() != "plan") {
      continue;
    }
    // Terminators aren't run by themselves, nor are kernels, which launches call by name.
    bool isRun = !name.hasTrait<mlir::OpTrait::IsTerminator>() &&
                 !name.hasInterface<mlir::SymbolOpInterface>();
    EXPECT_EQ(planOperations().find(name.getStringRef()) != nullptr, isRun)
        << name.getStringRef().str();
    ++operations;
  }
  EXPECT_GT(operations, 10);
}
