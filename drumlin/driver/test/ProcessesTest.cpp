// Compiles programs of several processes, and compares each process's results with the
// interpreter's, bit for bit, for collectives, groups, element types and grids.
#include "TestProgram.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/interpreter/Grid.h"
#include "drumlin/interpreter/PlanOperations.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/diagnostics/CallErrors.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace drumlin {

using Tensors = std::vector<Tensor>;

//===-- running -------------------------------------------------------------------------------===//

// Returns a tensor of random small numbers, which narrow types can represent, too.
static Tensor randomTensor(ElementType type, const Shape &shape, std::mt19937_64 &random) {
  Tensor tensor(type, shape);
  size_t bytes = storageBytes(type);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    std::byte *place = tensor.data() + static_cast<size_t>(i) * bytes;
    double values[] = {static_cast<double>(random() % 64) / 16 - 2,
                       static_cast<double>(random() % 64) / 16 - 2};
    if (isComplex(type)) {
      ElementType part = type == ElementType::C64 ? ElementType::F32 : ElementType::F64;
      encodeRun(part, values, place, 2);
    } else if (isFloat(type)) {
      encodeRun(type, values, place, 1);
    } else {
      auto number = static_cast<int64_t>(random() % (type == ElementType::I1 ? 2 : 4));
      std::memcpy(place, &number, bytes);
    }
  }
  return tensor;
}

static std::vector<Tensors> randomArguments(mlir::func::FuncOp main, int64_t processes) {
  std::mt19937_64 random(7);
  std::vector<Tensors> all(static_cast<size_t>(processes));
  for (Tensors &arguments : all) {
    for (mlir::Type type : main.getArgumentTypes()) {
      auto tensor = mlir::cast<mlir::RankedTensorType>(type);
      arguments.push_back(
          randomTensor(elementTypeOf(tensor.getElementType()), Shape(tensor.getShape()), random));
    }
  }
  return all;
}

static std::string moduleOf(const GridShape &grid, const std::string &functions) {
  return "module attributes {mhlo.num_replicas = " + std::to_string(grid.replicas) +
         " : i32, mhlo.num_partitions = " + std::to_string(grid.partitions) + " : i32} {\n" +
         functions + "}\n";
}

static Result<std::unique_ptr<Executable>> load(const std::string &text) {
  TestProgram program(text);
  if (!program.module) {
    return diagnose(errors::SyntaxInvalid, "no program:\n" + text);
  }
  CompileOptions options;
  options.useCache = false;
  options.threads = 1;
  Result<Compilation> compiled = compile(*program.module, "processes", options);
  if (!compiled) {
    return compiled.error();
  }
  LoadOptions withThreads;
  withThreads.threads = 2;
  return compiled->load("processes", withThreads);
}

static Result<GridRun> interpretAll(const std::string &text, const GridShape &grid) {
  TestProgram program(text);
  if (!program.module) {
    return diagnose(errors::SyntaxInvalid, "no program");
  }
  mlir::func::FuncOp main = entryFunction(*program.module);
  std::vector<ProcessProgram> programs;
  for (Tensors &arguments : randomArguments(main, grid.processes())) {
    programs.push_back({main, std::move(arguments)});
  }
  InterpreterOptions options;
  options.table = &planOperations();
  return interpretGrid(programs, grid, options);
}

static Result<std::vector<Tensors>> runAll(const std::string &text, const GridShape &grid) {
  Result<std::unique_ptr<Executable>> executable = load(text);
  if (!executable) {
    return executable.error();
  }
  TestProgram program(text);
  return callProcesses(**executable,
                       randomArguments(entryFunction(*program.module), grid.processes()));
}

static void expectSame(const std::string &text, const GridShape &grid) {
  SCOPED_TRACE(text);
  Result<GridRun> expected = interpretAll(text, grid);
  ASSERT_TRUE(bool(expected)) << expected.error().str();
  Result<std::vector<Tensors>> got = runAll(text, grid);
  ASSERT_TRUE(bool(got)) << got.error().str();
  ASSERT_EQ(got->size(), expected->results.size());
  for (size_t process = 0; process < got->size(); ++process) {
    ASSERT_EQ((*got)[process].size(), expected->results[process].size());
    for (size_t k = 0; k < (*got)[process].size(); ++k) {
      const Tensor &mine = (*got)[process][k], &theirs = expected->results[process][k];
      ASSERT_EQ(mine.bytes(), theirs.bytes());
      EXPECT_EQ(std::memcmp(mine.data(), theirs.data(), static_cast<size_t>(mine.bytes())), 0)
          << "result " << k << " of process " << process;
    }
  }
}

//===-- the table -----------------------------------------------------------------------------===//

namespace {
// The text of operations on the tensor `%a`, with the names and types of their results.
struct Body {
  std::string type; // the element type
  std::string text = {}, names = {}, types = {};
  int count = 0;

  std::string tensor(const std::string &shape) const { return "tensor<" + shape + type + ">"; }
  std::string scalar() const { return "tensor<" + type + ">"; }
  void add(const std::string &operation, const std::string &from, const std::string &to,
           const std::string &region = "") {
    std::string name = "%r" + std::to_string(count++);
    text += "  " + name + " = " + operation + (region.empty() ? "" : " (" + region + ")") + " : (" +
            from + ") -> " + to + "\n";
    names += (names.empty() ? "" : ", ") + name;
    types += (types.empty() ? "" : ", ") + to;
  }
};
} // namespace

static std::string tableOf(const std::vector<std::vector<int64_t>> &groups) {
  std::string text;
  for (const std::vector<int64_t> &group : groups) {
    std::string row;
    for (int64_t id : group) {
      row += (row.empty() ? "" : ", ") + std::to_string(id);
    }
    text += (text.empty() ? "[" : ", [") + row + "]";
  }
  return "dense<[" + text + "]> : tensor<" + std::to_string(groups.size()) + "x" +
         std::to_string(groups.front().size()) + "xi64>";
}

static std::vector<int64_t> idsBelow(int64_t count, bool reversed = false) {
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < count; ++i) {
    ids.push_back(reversed ? count - 1 - i : i);
  }
  return ids;
}

static const char *channel = ", channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>";

namespace {
struct Grouping {
  std::string attributes;
  int64_t size; // processes per group
};
} // namespace

// Returns the ways to group processes for all_gather, all_reduce and reduce_scatter: by replicas,
// by replicas and partitions, by flattened ids.
static std::vector<Grouping> groupings(const GridShape &grid) {
  std::string groups = "replica_groups = ",
              global = std::string(channel) + ", use_global_device_ids";
  int64_t all = grid.processes();
  std::vector<Grouping> made = {
      {groups + tableOf({idsBelow(grid.replicas)}), grid.replicas},
      {groups + tableOf({idsBelow(grid.replicas)}) + channel, all},
      {groups + tableOf({idsBelow(all, /*reversed=*/true)}) + global, all}};
  if (all % 2 == 0) {
    std::vector<std::vector<int64_t>> halves(2);
    for (int64_t i = 0; i < all; ++i) {
      halves[static_cast<size_t>(i % 2)].push_back(all - 1 - i);
    }
    made.push_back({groups + tableOf(halves) + global, all / 2});
  }
  return made;
}

// Returns the ways to group processes for the other collectives: by replicas, by partitions.
static std::vector<Grouping> pairGroupings(const GridShape &grid) {
  return {{"replica_groups = " + tableOf({idsBelow(grid.replicas, true)}), grid.replicas},
          {"replica_groups = " + tableOf({idsBelow(grid.partitions, true)}) + channel,
           grid.partitions}};
}

static std::string regionOf(const Body &body, const std::string &operations) {
  return "{\n^bb0(%x: " + body.scalar() + ", %y: " + body.scalar() + "):\n" + operations +
         "  stablehlo.return %s : " + body.scalar() + "\n}";
}

// Returns all collectives on `%a` of shape 12x4.
static std::string allCollectives(const GridShape &grid, const std::string &type) {
  Body body{.type = type};
  std::string operand = body.tensor("12x4x");
  std::string sum = regionOf(body, "  %s = stablehlo.add %x, %y : " + body.scalar() + "\n");
  auto rows = [&](int64_t count) { return body.tensor(std::to_string(count) + "x4x"); };
  for (const Grouping &each : groupings(grid)) {
    std::string size = std::to_string(each.size);
    body.add("\"stablehlo.all_gather\"(%a) <{all_gather_dim = 0 : i64, " + each.attributes + "}>",
             operand, rows(12 * each.size));
    body.add("\"stablehlo.all_gather\"(%a) <{all_gather_dim = 1 : i64, " + each.attributes + "}>",
             operand, body.tensor("12x" + std::to_string(4 * each.size) + "x"));
    body.add("\"stablehlo.all_reduce\"(%a) <{" + each.attributes + "}>", operand, operand, sum);
    body.add("\"stablehlo.reduce_scatter\"(%a) <{scatter_dimension = 0 : i64, " + each.attributes +
                 "}>",
             operand, rows(12 / each.size), sum);
  }
  for (const Grouping &each : pairGroupings(grid)) {
    std::string size = std::to_string(each.size);
    body.add(
        "\"stablehlo.all_to_all\"(%a) <{split_dimension = 0 : i64, concat_dimension = 1 : "
        "i64, split_count = " +
            size + " : i64, " + each.attributes + "}>",
        operand,
        body.tensor(std::to_string(12 / each.size) + "x" + std::to_string(4 * each.size) + "x"));
    body.add("\"stablehlo.collective_broadcast\"(%a) <{" + each.attributes + "}>", operand,
             operand);
    body.add("\"stablehlo.collective_reduce\"(%a) <{" + each.attributes + "}>", operand, operand,
             sum);
  }
  for (bool acrossPartitions : {false, true}) {
    int64_t bound = acrossPartitions ? grid.partitions : grid.replicas;
    std::vector<std::vector<int64_t>> pairs = {{0, bound - 1}};
    if (bound > 1) {
      pairs.push_back({bound - 1, 0});
    }
    body.add("\"stablehlo.collective_permute\"(%a) <{source_target_pairs = " + tableOf(pairs) +
                 (acrossPartitions ? channel : "") + "}>",
             operand, operand);
  }
  return moduleOf(grid, "func.func @main(%a: " + operand + ") -> (" + body.types + ") {\n" +
                            body.text + "  return " + body.names + " : " + body.types + "\n}\n");
}

TEST(Processes, AllTypesAgreeWithTheInterpreter) {
  for (const char *type :
       {"f32", "f64", "bf16", "f16", "f8E4M3FN", "f8E5M2", "i1", "i4", "ui4", "i8", "ui8", "i16",
        "i32", "ui32", "i64", "ui64", "complex<f32>", "complex<f64>"}) {
    expectSame(allCollectives({2, 2}, type), {2, 2});
  }
}

TEST(Processes, AllGridsAgreeWithTheInterpreter) {
  for (GridShape grid : {GridShape{2, 1}, GridShape{1, 2}, GridShape{3, 2}, GridShape{1, 4}}) {
    expectSame(allCollectives(grid, "f32"), grid);
    expectSame(allCollectives(grid, "i8"), grid);
  }
}

TEST(Processes, AnyBodyReducesInOrder) {
  Body body{.type = "f32"};
  std::string operand = body.tensor("3x5x");
  std::string groups = "replica_groups = dense<[[2, 0, 1]]> : tensor<1x3xi64>";
  body.add("\"stablehlo.all_reduce\"(%a) <{" + groups + "}>", operand, operand,
           regionOf(body, "  %t = stablehlo.multiply %x, %x : tensor<f32>\n"
                          "  %s = stablehlo.subtract %t, %y : tensor<f32>\n"));
  body.add(
      "\"stablehlo.all_reduce\"(%a) <{" + groups + "}>", operand, operand,
      regionOf(body,
               R"(  %p = stablehlo.compare LT, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %s = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<f32>
  }, {
    %n = stablehlo.negate %y : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }) : (tensor<i1>) -> tensor<f32>
)"));
  GridShape grid{3, 1};
  expectSame(moduleOf(grid, "func.func @main(%a: " + operand + ") -> (" + body.types + ") {\n" +
                                body.text + "  return " + body.names + " : " + body.types +
                                "\n}\n"),
             grid);
}

TEST(Processes, GroupsOfSeveralSizesAndRanks) {
  GridShape grid{2, 2};
  for (const char *shape : {"", "0x3x", "2x1x3x2x"}) {
    Body body{.type = "f32"};
    std::string operand = body.tensor(shape);
    std::string sum = regionOf(body, "  %s = stablehlo.add %x, %y : tensor<f32>\n");
    body.add("\"stablehlo.all_reduce\"(%a) <{replica_groups = dense<[[3, 0, 2], [1, -1, -1]]> : "
             "tensor<2x3xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, "
             "use_global_device_ids}>",
             operand, operand, sum);
    body.add("\"stablehlo.cross-replica-sum\"(%a) <{replica_groups = dense<[[1, 0]]> : "
             "tensor<1x2xi64>}>",
             operand, operand);
    expectSame(moduleOf(grid, "func.func @main(%a: " + operand + ") -> (" + body.types + ") {\n" +
                                  body.text + "  return " + body.names + " : " + body.types +
                                  "\n}\n"),
               grid);
  }
}

//===-- control flow, channels ----------------------------------------------------------------===//

static const char *inLoop = R"(
  func.func @main(%a: tensor<6xf32>) -> (tensor<6xf32>, tensor<ui32>, tensor<ui32>) {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %three = stablehlo.constant dense<3> : tensor<i32>
    %w:2 = stablehlo.while(%i = %zero, %x = %a) : tensor<i32>, tensor<6xf32>
    cond {
      %c = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    } do {
      %s = "stablehlo.all_reduce"(%x) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%l: tensor<f32>, %r: tensor<f32>):
        %t = stablehlo.add %l, %r : tensor<f32>
        stablehlo.return %t : tensor<f32>
      }) : (tensor<6xf32>) -> tensor<6xf32>
      %m = "stablehlo.collective_permute"(%s) <{source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>,
        channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>}> : (tensor<6xf32>) -> tensor<6xf32>
      %n = stablehlo.add %m, %x : tensor<6xf32>
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %n : tensor<i32>, tensor<6xf32>
    }
    %r = stablehlo.replica_id : tensor<ui32>
    %p = stablehlo.partition_id : tensor<ui32>
    return %w#1, %r, %p : tensor<6xf32>, tensor<ui32>, tensor<ui32>
  }
)";

TEST(Processes, MeetInLoopsAgainAndAgain) {
  GridShape grid{2, 2};
  expectSame(moduleOf(grid, inLoop), grid);
}

// Processes in different branches meet in the same collective.
static const char *inBranches = R"(
  func.func @main(%a: tensor<4xi32>) -> tensor<4xi32> {
    %r = stablehlo.replica_id : tensor<ui32>
    %zero = stablehlo.constant dense<0> : tensor<ui32>
    %c = stablehlo.compare EQ, %r, %zero : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %b = "stablehlo.if"(%c) ({
      %s = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %t = stablehlo.add %x, %y : tensor<i32>
        stablehlo.return %t : tensor<i32>
      }) : (tensor<4xi32>) -> tensor<4xi32>
      stablehlo.return %s : tensor<4xi32>
    }, {
      %n = stablehlo.negate %a : tensor<4xi32>
      %s = "stablehlo.all_reduce"(%n) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
      ^bb0(%x: tensor<i32>, %y: tensor<i32>):
        %t = stablehlo.maximum %x, %y : tensor<i32>
        stablehlo.return %t : tensor<i32>
      }) : (tensor<4xi32>) -> tensor<4xi32>
      stablehlo.return %s : tensor<4xi32>
    }) : (tensor<i1>) -> tensor<4xi32>
    return %b : tensor<4xi32>
  }
)";

TEST(Processes, MeetInOtherBranches) {
  GridShape grid{2, 1};
  expectSame(moduleOf(grid, inBranches), grid);
}

static const char *roots = R"(
  func.func @main(%a: tensor<3xf32>, %b: tensor<2xi32>) -> (tensor<3xf32>, tensor<2xi32>, tensor<3xf32>) {
    %root = stablehlo.constant dense<[1, 2]> : tensor<2xi32>
    %one = stablehlo.constant dense<1> : tensor<1xi32>
    %0:2 = "stablehlo.collective_broadcast"(%a, %b, %root) <{replica_groups = dense<[[2, 0, 1]]> : tensor<1x3xi64>, has_dynamic_root}>
      : (tensor<3xf32>, tensor<2xi32>, tensor<2xi32>) -> (tensor<3xf32>, tensor<2xi32>)
    %1 = "stablehlo.collective_reduce"(%a, %one) <{replica_groups = dense<[[2, 1, 0]]> : tensor<1x3xi64>, has_dynamic_root}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %t = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }) : (tensor<3xf32>, tensor<1xi32>) -> tensor<3xf32>
    return %0#0, %0#1, %1 : tensor<3xf32>, tensor<2xi32>, tensor<3xf32>
  }
)";

TEST(Processes, RootsThatTheProgramComputes) {
  GridShape grid{3, 1};
  expectSame(moduleOf(grid, roots), grid);
}

static const char *channels = R"(
  func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
    %t = stablehlo.create_token : !stablehlo.token
    %u = "stablehlo.send"(%a, %t) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>,
      source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (tensor<3xf32>, !stablehlo.token) -> !stablehlo.token
    %r:2 = "stablehlo.recv"(%u) <{channel_handle = #stablehlo.channel_handle<handle = 4, type = 1>,
      source_target_pairs = dense<[[0, 1], [1, 2]]> : tensor<2x2xi64>}> : (!stablehlo.token) -> (tensor<3xf32>, !stablehlo.token)
    return %r#0 : tensor<3xf32>
  }
)";

TEST(Processes, SendAndReceive) {
  GridShape grid{2, 3};
  expectSame(moduleOf(grid, channels), grid);
}

//===-- errors --------------------------------------------------------------------------------===//

// Only replica 0 reaches the collective.
static const char *alone = R"(
  func.func @main(%a: tensor<4xi32>) -> tensor<4xi32> {
    %r = stablehlo.replica_id : tensor<ui32>
    %zero = stablehlo.constant dense<0> : tensor<ui32>
    %c = stablehlo.compare EQ, %r, %zero : (tensor<ui32>, tensor<ui32>) -> tensor<i1>
    %b = "stablehlo.if"(%c) ({
      %s = "stablehlo.all_gather"(%a) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}>
        : (tensor<4xi32>) -> tensor<8xi32>
      %p = stablehlo.slice %s [2:6] : (tensor<8xi32>) -> tensor<4xi32>
      stablehlo.return %p : tensor<4xi32>
    }, {
      stablehlo.return %a : tensor<4xi32>
    }) : (tensor<i1>) -> tensor<4xi32>
    return %b : tensor<4xi32>
  }
)";

TEST(Processes, ThatWaitInVainAreAnError) {
  GridShape grid{2, 1};
  Result<GridRun> expected = interpretAll(moduleOf(grid, alone), grid);
  Result<std::vector<Tensors>> got = runAll(moduleOf(grid, alone), grid);
  ASSERT_FALSE(bool(got));
  ASSERT_FALSE(bool(expected));
  EXPECT_EQ(got.error().code, errors::ProcessesBlocked) << got.error().str();
  EXPECT_EQ(got.error().message, expected.error().message);
}

TEST(Processes, GroupsMustFitTheGrid) {
  Result<std::unique_ptr<Executable>> loaded = load(moduleOf({3, 1}, alone));
  ASSERT_FALSE(bool(loaded));
  EXPECT_EQ(loaded.error().code, errors::ProcessGridMismatch) << loaded.error().str();
  EXPECT_NE(loaded.error().message.find("process (2, 0) is in no group"), std::string::npos);
  loaded = load(moduleOf({300, 300}, alone));
  ASSERT_FALSE(bool(loaded));
  EXPECT_EQ(loaded.error().code, errors::ProcessGridMismatch) << loaded.error().str();
}

TEST(Processes, OneAloneIsAnError) {
  Result<std::unique_ptr<Executable>> loaded = load(moduleOf({2, 2}, inLoop));
  ASSERT_TRUE(bool(loaded)) << loaded.error().str();
  Result<Tensors> results = call(**loaded, Tensors{Tensor(ElementType::F32, {6})});
  ASSERT_FALSE(bool(results));
  EXPECT_EQ(results.error().code, errors::ProcessesNeeded);
  auto run = callProcesses(**loaded, std::vector<Tensors>(3, {Tensor(ElementType::F32, {6})}));
  ASSERT_FALSE(bool(run));
  EXPECT_EQ(run.error().code, errors::ArgumentMismatch);
}

// Host transfers carry the number of the process that makes them.
TEST(Processes, TransferWithTheHost) {
  GridShape grid{2, 3};
  Result<std::unique_ptr<Executable>> loaded = load(moduleOf(grid, R"(
  func.func @main(%x: tensor<4xi32>, %t: !stablehlo.token) -> (tensor<4xi32>, !stablehlo.token) {
    %o = "stablehlo.outfeed"(%x, %t) <{outfeed_config = ""}> : (tensor<4xi32>, !stablehlo.token) -> !stablehlo.token
    %i:2 = "stablehlo.infeed"(%o) <{infeed_config = ""}> : (!stablehlo.token) -> (tensor<4xi32>, !stablehlo.token)
    %s = "stablehlo.all_reduce"(%i#0) <{replica_groups = dense<[[0, 1, 2, 3, 4, 5]]> : tensor<1x6xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> ({
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %c = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %c : tensor<i32>
    }) : (tensor<4xi32>) -> tensor<4xi32>
    return %s, %i#1 : tensor<4xi32>, !stablehlo.token
  }
)"));
  ASSERT_TRUE(bool(loaded)) << loaded.error().str();
  std::mutex mutex;
  std::vector<int32_t> out(6);
  (*loaded)->setTransfers([&](const HostCall &call, int64_t process, HostBuffers operands,
                              HostBuffers results) -> Status {
    std::lock_guard lock(mutex);
    if (call.interface == HostInterface::Outfeed) {
      out[static_cast<size_t>(process)] = *static_cast<const int32_t *>(operands[0]);
    } else {
      std::fill_n(static_cast<int32_t *>(results[0]), 4, 1 << process);
    }
    return Done();
  });
  std::vector<Tensors> arguments;
  for (int32_t process = 0; process < 6; ++process) {
    Tensor argument(ElementType::SI32, {4});
    std::fill_n(argument.as<int32_t>(), 4, 10 + process);
    arguments.push_back({argument});
  }
  auto run = callProcesses(**loaded, arguments);
  ASSERT_TRUE(bool(run)) << run.error().str();
  EXPECT_EQ(out, (std::vector<int32_t>{10, 11, 12, 13, 14, 15}));
  for (const Tensors &results : *run) {
    EXPECT_EQ(results[0].as<int32_t>()[3], 63);
  }
}

TEST(Processes, RunThousandsOfTimes) {
  GridShape grid{2, 2};
  std::string text = moduleOf(grid, inLoop);
  Result<std::unique_ptr<Executable>> loaded = load(text);
  ASSERT_TRUE(bool(loaded)) << loaded.error().str();
  TestProgram program(text);
  std::vector<Tensors> arguments = randomArguments(entryFunction(*program.module), 4);
  auto first = callProcesses(**loaded, arguments);
  ASSERT_TRUE(bool(first)) << first.error().str();
  for (int i = 0; i < 3000; ++i) {
    auto again = callProcesses(**loaded, arguments);
    ASSERT_TRUE(bool(again)) << again.error().str();
    for (size_t process = 0; process < 4; ++process) {
      ASSERT_EQ(std::memcmp((*again)[process][0].data(), (*first)[process][0].data(), 24), 0);
    }
  }
}

} // namespace drumlin
