// Compares peak memory with the arena, byte by byte, and tests the trip counts of loops.
#include "../TestProgram.h"

#include "drumlin/ir/costs/CostText.h"
#include "drumlin/ir/costs/PeakMemory.h"
#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/TripCount.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

using namespace mlir;

namespace drumlin {

//===- memory -----------------------------------------------------------------===//

static void numberOperations(Block &block, std::vector<Operation *> &order) {
  for (Operation &op : block) {
    order.push_back(&op);
    if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
      numberOperations(loop.getCond().front(), order);
      numberOperations(loop.getBody().front(), order);
    }
  }
}

// Counts the arena bytes in use at each operation, and returns the maximum.
static int64_t maxBytesHeld(func::FuncOp main, int64_t arenaBytes) {
  std::vector<Operation *> order;
  numberOperations(main.getBody().front(), order);
  auto position = [&](Operation *op) {
    return static_cast<size_t>(std::find(order.begin(), order.end(), op) - order.begin());
  };
  auto endOf = [&](Operation *op) {
    size_t last = position(op);
    op->walk([&](Operation *inner) {
      size_t at = position(inner);
      last = at < order.size() ? std::max(last, at) : last;
    });
    return last;
  };
  std::vector<std::vector<bool>> held(order.size(),
                                      std::vector<bool>(static_cast<size_t>(arenaBytes), false));
  std::function<size_t(Value, Block *)> lastNeed = [&](Value value, Block *home) {
    size_t last = 0;
    for (Operation *user : value.getUsers()) {
      Operation *ancestor = home->findAncestorOpInBlock(*user);
      last = std::max(last, ancestor == user ? position(user) : endOf(ancestor));
      if (isa<plan::BitcastOp>(user)) {
        last = std::max(last, lastNeed(user->getResult(0), home));
      }
    }
    return last;
  };
  for (Operation *op : order) {
    if (isa<plan::BitcastOp, stablehlo::ConstantOp>(op)) {
      continue;
    }
    for (Value result : op->getResults()) {
      plan::BufferAttr buffer = bufferOf(result);
      if (buffer.getKind() != plan::BufferKind::arena) {
        continue;
      }
      size_t to = std::max(lastNeed(result, op->getBlock()), endOf(op));
      int64_t bytes = *byteSizeOf(cast<RankedTensorType>(result.getType()));
      for (size_t at = position(op); at <= to; ++at) {
        std::fill_n(held[at].begin() + buffer.getOffset(), bytes, true);
      }
    }
  }
  int64_t most = 0;
  for (const std::vector<bool> &bytes : held) {
    most = std::max(most, static_cast<int64_t>(std::count(bytes.begin(), bytes.end(), true)));
  }
  return most;
}

static std::string readFile(const std::filesystem::path &path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

static std::vector<std::filesystem::path> models() {
  std::vector<std::filesystem::path> found;
  for (const auto &entry : std::filesystem::directory_iterator(DRUMLIN_MODELS)) {
    if (std::filesystem::exists(entry.path() / "program.mlir")) {
      found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

TEST(PeakMemoryTest, IsWhatTheArenaHolds) {
  size_t withTemporaries = 0;
  for (const std::filesystem::path &model : models()) {
    SCOPED_TRACE(model.filename().string());
    TestProgram test(readFile(model / "program.mlir"));
    ASSERT_TRUE(test.module);
    ASSERT_TRUE(test.run());
    func::FuncOp main = test.module->lookupSymbol<func::FuncOp>("main");
    PeakMemory memory = peakMemory(main);
    EXPECT_EQ(memory.arenaBytes, main->getAttrOfType<IntegerAttr>(arenaBytesAttribute).getInt());
    EXPECT_LE(memory.temporaryBytes, memory.arenaBytes);
    if (memory.arenaBytes <= 1 << 20) {
      EXPECT_EQ(memory.temporaryBytes, maxBytesHeld(main, memory.arenaBytes));
      withTemporaries += memory.temporaryBytes > 0 ? 1 : 0;
    }
    int64_t sum = 0;
    for (const MemoryHolder &holder : memory.holders) {
      sum += holder.bytes;
    }
    EXPECT_EQ(sum, memory.total());
    EXPECT_TRUE(llvm::is_sorted(memory.holders, [](const MemoryHolder &a, const MemoryHolder &b) {
      return a.bytes > b.bytes;
    }));
  }
  EXPECT_GE(withTemporaries, 10u);
}

static constexpr const char *holdersProgram = R"(
func.func @main(%x: tensor<64xf32>, %y: tensor<16xf32> {tf.aliasing_output = 1 : i32}) -> (tensor<64xf32>, tensor<16xf32>) {
  %c = stablehlo.constant dense<"0x0000803F0000004000004040000080400000A0400000C0400000E04000000041"> : tensor<8xf32>
  %0 = stablehlo.negate %x : tensor<64xf32>
  %1 = stablehlo.tanh %0 : tensor<64xf32>
  %2 = stablehlo.reshape %1 : (tensor<64xf32>) -> tensor<8x8xf32>
  %3 = stablehlo.dot_general %2, %c, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<8xf32>) -> tensor<8x8xf32>
  %5 = stablehlo.reshape %4 : (tensor<8x8xf32>) -> tensor<64xf32>
  return %5, %y : tensor<64xf32>, tensor<16xf32>
})";

// The program as written has two temporaries of 256 bytes at the same time. The second result is
// stored in the memory of the argument that is donated to it.
TEST(PeakMemoryTest, NamesItsHolders) {
  TestProgram test(holdersProgram);
  ASSERT_TRUE(test.module);
  PeakMemory memory = peakMemory(test.module->lookupSymbol<func::FuncOp>("main"));
  EXPECT_EQ(memory.argumentBytes, 256 + 64);
  EXPECT_EQ(memory.resultBytes, 256);
  EXPECT_EQ(memory.constantBytes, 32);
  EXPECT_EQ(memory.temporaryBytes, 512);
  EXPECT_EQ(memory.arenaBytes, 0);
  EXPECT_EQ(memory.total(), 320 + 256 + 32 + 512);
  EXPECT_EQ(memory.at.substr(0, 15), "stablehlo.tanh ");
  std::vector<std::string> names;
  for (const MemoryHolder &holder : memory.holders) {
    names.push_back(holder.kind + " " + holder.name);
  }
  EXPECT_EQ(names, (std::vector<std::string>{
                       "argument arg0", "result result 0", "temporary stablehlo.negate result 0",
                       "temporary stablehlo.tanh result 0", "argument arg1", "constant constant"}));
  std::string text = memoryText(memory, 2);
  EXPECT_EQ(
      text.substr(0, text.find(" (at")),
      "peak memory 1.12 kB: arguments 320 B, results 256 B, constants 32 B, temporaries 512 B");
  EXPECT_NE(text.find("\n  held by argument arg0: 256 B\n  held by result result 0: 256 B\n"),
            std::string::npos);
}

// A weight that was bound at compile time is no longer an argument.
TEST(PeakMemoryTest, NamesBoundWeights) {
  TestProgram test(R"(
func.func @main(%x: tensor<8xf32>, %w: tensor<16xf32>) -> tensor<8xf32> attributes {plan.weights = ["params.w"]} {
  return %x : tensor<8xf32>
})");
  ASSERT_TRUE(test.module);
  PeakMemory memory = peakMemory(test.module->lookupSymbol<func::FuncOp>("main"));
  EXPECT_EQ(memory.argumentBytes, 32);
  EXPECT_EQ(memory.constantBytes, 64);
  EXPECT_EQ(memory.holders.front().kind + " " + memory.holders.front().name, "weight params.w");
}

//===- loops ------------------------------------------------------------------===//

struct Counter {
  const char *type, *init, *step, *operation, *direction, *limit;
  std::optional<int64_t> trips;
};

static std::string loopText(const Counter &c) {
  std::string type = std::string("tensor<") + c.type + ">";
  auto constant = [&](const char *name, const char *value) {
    return std::string("  %") + name + " = stablehlo.constant dense<" + value + "> : " + type +
           "\n";
  };
  return "func.func @main(%x: tensor<4xf32>, %n: " + type + ") -> tensor<4xf32> {\n" +
         constant("zero", c.init) + "  %0:2 = stablehlo.while(%i = %zero, %a = %x) : " + type +
         ", tensor<4xf32>\n cond {\n" +
         (std::string(c.limit) == "n" ? "" : constant("limit", c.limit)) +
         "  %p = stablehlo.compare " + c.direction + ", %i, %" +
         (std::string(c.limit) == "n" ? "n" : "limit") + " : (" + type + ", " + type +
         ") -> tensor<i1>\n  stablehlo.return %p : tensor<i1>\n } do {\n" + constant("by", c.step) +
         "  %j = stablehlo." + c.operation + " %i, %by : " + type + "\n" +
         "  %b = stablehlo.tanh %a : tensor<4xf32>\n  stablehlo.return %j, %b : " + type +
         ", tensor<4xf32>\n }\n  return %0#1 : tensor<4xf32>\n}\n";
}

static const Counter counters[] = {
    {"i32", "0", "1", "add", "LT", "12", 12},
    {"i32", "0", "1", "add", "LE", "12", 13},
    {"i64", "3", "4", "add", "NE", "19", 4},
    {"i32", "9", "2", "subtract", "GT", "0", 5},
    {"ui32", "9", "2", "subtract", "GT", "1", 4},
    {"i32", "1", "2", "multiply", "LT", "1000", 10},
    {"i32", "5", "1", "add", "LT", "5", 0},
    {"ui8", "250", "1", "add", "GE", "250", 6}, // wraps
    {"i8", "120", "1", "add", "GT", "0", 8},    // wraps
    {"i32", "0", "1", "add", "LT", "n", std::nullopt},
    {"i32", "0", "0", "add", "LT", "5", std::nullopt}, // never ends
    {"f32", "0.0", "1.0", "add", "LT", "5.0", std::nullopt},
};

TEST(TripCountTest, FollowsCounters) {
  for (const Counter &counter : counters) {
    std::string text = loopText(counter);
    SCOPED_TRACE(text);
    for (bool isPlan : {false, true}) {
      TestProgram test(text);
      ASSERT_TRUE(test.module);
      CompileOptions options;
      options.disabledPasses = {"unroll-whiles"};
      ASSERT_TRUE(!isPlan || test.run(options));
      int loops = 0;
      test.module->walk([&](stablehlo::WhileOp loop) {
        ++loops;
        EXPECT_EQ(tripCount(loop), counter.trips) << "isPlan " << isPlan;
      });
      EXPECT_EQ(loops, 1);
    }
  }
}

// The trip count of an inner loop is multiplied by that of the outer loop. A loop with unknown trip
// count counts as one trip, and its name is reported.
TEST(TripCountTest, MultipliesNestedLoops) {
  TestProgram test(R"(
func.func @main(%x: tensor<4xf32>, %n: tensor<i32>) -> tensor<4xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<4xf32>
    cond {
      %three = stablehlo.constant dense<3> : tensor<i32>
      %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %1:2 = stablehlo.while(%k = %zero, %b = %a) : tensor<i32>, tensor<4xf32>
        cond {
          %seven = stablehlo.constant dense<7> : tensor<i32>
          %p = stablehlo.compare LT, %k, %seven : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %p : tensor<i1>
        } do {
          %l = stablehlo.add %k, %one : tensor<i32>
          %c = stablehlo.tanh %b : tensor<4xf32>
          stablehlo.return %l, %c : tensor<i32>, tensor<4xf32>
        }
      %j = stablehlo.add %i, %one : tensor<i32>
      stablehlo.return %j, %1#1 : tensor<i32>, tensor<4xf32>
    }
  %2:2 = stablehlo.while(%i = %n, %a = %0#1) : tensor<i32>, tensor<4xf32>
    cond {
      %p = stablehlo.compare LT, %i, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %b = stablehlo.tanh %a : tensor<4xf32>
      stablehlo.return %j, %b : tensor<i32>, tensor<4xf32>
    }
  return %2#1 : tensor<4xf32>
})");
  ASSERT_TRUE(test.module);
  PlanCost costs = planCost(*test.module);
  std::vector<int64_t> calls;
  for (const LaunchCost &launch : costs.launches) {
    if (launch.kernel == "stablehlo.tanh") {
      calls.push_back(launch.calls);
    }
  }
  EXPECT_EQ(calls, (std::vector<int64_t>{21, 1}));
  EXPECT_EQ(costs.unknownLoops.size(), 1u);
}

//===- text -------------------------------------------------------------------===//

TEST(CostTextTest, ShortensNumbers) {
  EXPECT_EQ(countText(0), "0");
  EXPECT_EQ(countText(999), "999");
  EXPECT_EQ(countText(1000), "1.00k");
  EXPECT_EQ(countText(34'603'008), "34.60M");
  EXPECT_EQ(countText(4'329'570'304), "4.33G");
  EXPECT_EQ(bytesText(33'554'432), "33.55 MB");
  EXPECT_EQ(bytesText(64), "64 B");
}

// Costs are comments: the text parses to the same program.
TEST(CostTextTest, ParsesAsBefore) {
  for (const std::string &phase : phaseNames()) {
    TestProgram test(holdersProgram);
    CompileOptions options;
    options.stopAfter = phase;
    ASSERT_TRUE(test.run(options));
    std::string text = planText(*test.module, planCost(*test.module));
    EXPECT_EQ(text.substr(0, 10), "// total: ") << text;
    TestProgram again(text);
    ASSERT_TRUE(again.module) << text;
    std::string before, after;
    llvm::raw_string_ostream(before) << *test.module;
    llvm::raw_string_ostream(after) << *again.module;
    EXPECT_EQ(before, after);
  }
}

// Each kernel and launch states its cost.
TEST(CostTextTest, MarksEveryLaunch) {
  TestProgram test(holdersProgram);
  ASSERT_TRUE(test.run());
  PlanCost costs = planCost(*test.module);
  SmallVector<StringRef> lines;
  std::string text = planText(*test.module, costs);
  StringRef(text).split(lines, '\n');
  size_t launches = 0;
  for (StringRef line : lines) {
    if (line.contains("plan.launch @")) {
      EXPECT_TRUE(line.contains(" // ") && line.contains(" asked for")) << line.str();
      ++launches;
    }
    if (line.ltrim().starts_with("plan.kernel @")) {
      EXPECT_TRUE(line.contains(" a call, 1 call")) << line.str();
    }
  }
  EXPECT_EQ(launches, costs.launches.size());
  EXPECT_GE(launches, 2u);
}

TEST(CostTextTest, JsonHoldsEveryField) {
  TestProgram test(holdersProgram);
  ASSERT_TRUE(test.run());
  PlanCost costs = planCost(*test.module);
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(planJson(*test.module, costs));
  ASSERT_TRUE(static_cast<bool>(parsed));
  const llvm::json::Object &plan = *parsed->getAsObject();
  const llvm::json::Object &total = *plan.getObject("total");
  for (const CostField &field : costFields) {
    EXPECT_EQ(total.getInteger(field.name), costs.total.*field.field) << field.name;
  }
  EXPECT_EQ(total.getInteger("hardware_flops"), costs.total.hardwareFlops());
  EXPECT_EQ(plan.getObject("memory")->getInteger("peak_bytes"), costs.memory.total());
  EXPECT_EQ(plan.getArray("launches")->size(), costs.launches.size());
  EXPECT_EQ(plan.getArray("kernels")->size(),
            static_cast<size_t>(llvm::range_size(test.module->getOps<plan::KernelOp>())));
}

// The runtime's transposed copy of a static weight counts in addition to the caller's argument.
TEST(PeakMemoryTest, CountsTransposedStaticArguments) {
  auto text = [](const char *attribute) {
    return "func.func @main(%x: tensor<8x64xf32>, %w: tensor<32x64xf32>" + std::string(attribute) +
           R"() -> tensor<8x32xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<8x64xf32>, tensor<32x64xf32>) -> tensor<8x32xf32>
  return %0 : tensor<8x32xf32>
})";
  };
  TestProgram fixed(text(" {drumlin.static}")), passed(text(""));
  ASSERT_TRUE(fixed.run());
  ASSERT_TRUE(passed.run());
  PeakMemory with = peakMemory(fixed.module->lookupSymbol<func::FuncOp>("main"));
  PeakMemory without = peakMemory(passed.module->lookupSymbol<func::FuncOp>("main"));
  EXPECT_EQ(with.laidOutBytes, 32 * 64 * 4);
  EXPECT_EQ(without.laidOutBytes, 0);
  EXPECT_EQ(with.total() - with.temporaryBytes,
            without.total() - without.temporaryBytes + with.laidOutBytes);
}

} // namespace drumlin
