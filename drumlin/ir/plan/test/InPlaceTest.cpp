// Tests which kernels may write a result over an input. Also tests that kernels that read and write
// elements in order compute the same results in place.
#include "drumlin/ir/plan/InPlace.h"
#include "drumlin/ir/plan/KernelOp.h"

#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/sizes/SizesDialect.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

#include "mlir/Parser/Parser.h"

#include <cstring>
#include <gtest/gtest.h>

using namespace mlir;

namespace drumlin {

struct KernelCase {
  const char *name;
  const char *arguments; // of the kernel, and of the function that the interpreter runs
  const char *results;   // result types of this function
  const char *body;
  const char *returned; // the yielded values and their types
  const char *schedule = "flat, tile = 4096";
  unsigned output = 0;
};

static constexpr const char *nextPairs = "%a: tensor<4x6x16xf32>", *maxInit = R"(
  %i = stablehlo.constant dense<0xFF800000> : tensor<f32>)";

static std::string window(const char *sizes, const char *strides, const char *padding,
                          const char *from, const char *to) {
  return std::string(maxInit) + R"(
  %r = "stablehlo.reduce_window"(%a, %i) <{window_dimensions = array<i64: )" +
         sizes + ">, window_strides = array<i64: " + strides + ">, padding = dense<[" + padding +
         R"(]> : tensor<)" +
         std::to_string(std::count(sizes, sizes + std::strlen(sizes), ',') + 1) +
         R"(x2xi64>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %m = stablehlo.maximum %x, %y : tensor<f32>
    stablehlo.return %m : tensor<f32>
  }) : ()" +
         from + ", tensor<f32>) -> " + to;
}

static const std::string pooled = window("1, 2, 1", "1, 2, 1", "[0, 0], [0, 0], [0, 0]",
                                         "tensor<4x6x16xf32>", "tensor<4x3x16xf32>"),
                         overlapping =
                             window("3", "1", "[0, 0]", "tensor<20xf32>", "tensor<18xf32>"),
                         paddedBehind =
                             window("3", "2", "[0, 1]", "tensor<20xf32>", "tensor<10xf32>"),
                         paddedBefore =
                             window("3", "1", "[1, 0]", "tensor<20xf32>", "tensor<19xf32>"),
                         laterOnes =
                             window("20", "1", "[0, 19]", "tensor<20xf32>", "tensor<20xf32>");

static std::string summed(const char *dimensions, const char *from, const char *to) {
  return std::string(R"(
  %i = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [)") +
         dimensions + "] : (" + from + ", tensor<f32>) -> " + to;
}
static const std::string rowSums = summed("1", "tensor<6x16xf32>", "tensor<6xf32>"),
                         columnSums = summed("0", "tensor<6x16xf32>", "tensor<16xf32>"),
                         planeSums = summed("1", "tensor<4x6x16xf32>", "tensor<4x16xf32>");

// Kernels that may write an output over input 0. The output is number 0 unless specified otherwise.
static const KernelCase inOrder[] = {
    {"DisjointWindows", nextPairs, "tensor<4x3x16xf32>", pooled.c_str(), "%r : tensor<4x3x16xf32>",
     "rows, tile = 12"},
    {"DisjointWindowsByPositions", nextPairs, "tensor<4x3x16xf32>", pooled.c_str(),
     "%r : tensor<4x3x16xf32>"},
    {"OverlappingWindows", "%a: tensor<20xf32>", "tensor<18xf32>", overlapping.c_str(),
     "%r : tensor<18xf32>"},
    {"WindowsPaddedBehind", "%a: tensor<20xf32>", "tensor<10xf32>", paddedBehind.c_str(),
     "%r : tensor<10xf32>"},
    {"LaterOnes", "%a: tensor<20xf32>", "tensor<20xf32>", laterOnes.c_str(), "%r : tensor<20xf32>"},
    {"RowSums", "%a: tensor<6x16xf32>", "tensor<6xf32>", rowSums.c_str(), "%r : tensor<6xf32>",
     "single, tile = 6"},
    {"ColumnSums", "%a: tensor<6x16xf32>", "tensor<16xf32>", columnSums.c_str(),
     "%r : tensor<16xf32>"},
    {"PlaneSums", nextPairs, "tensor<4x16xf32>", planeSums.c_str(), "%r : tensor<4x16xf32>",
     "rows, lanes = 16, tile = 4"},
    {"Slice", "%a: tensor<40xf32>", "tensor<13xf32>",
     "%r = stablehlo.slice %a [1:40:3] : (tensor<40xf32>) -> tensor<13xf32>",
     "%r : tensor<13xf32>"},
    {"DynamicSlice", "%a: tensor<40xf32>, %s: tensor<i32>", "tensor<13xf32>",
     "%r = stablehlo.dynamic_slice %a, %s, sizes = [13] : (tensor<40xf32>, tensor<i32>) -> "
     "tensor<13xf32>",
     "%r : tensor<13xf32>"},
    {"FollowingElement", "%a: tensor<20xf32>", "tensor<20xf32>", R"(
  %z = stablehlo.constant dense<7.0> : tensor<f32>
  %s = stablehlo.slice %a [1:20] : (tensor<20xf32>) -> tensor<19xf32>
  %p = stablehlo.pad %s, %z, low = [0], high = [1], interior = [0] : (tensor<19xf32>, tensor<f32>) -> tensor<20xf32>
  %r = stablehlo.add %p, %a : tensor<20xf32>)",
     "%r : tensor<20xf32>"},
    {"Narrowing", "%a: tensor<20xf32>", "tensor<20xf16>",
     "%r = stablehlo.convert %a : (tensor<20xf32>) -> tensor<20xf16>", "%r : tensor<20xf16>"},
    // Each element is read as two bytes and written as four. The last write begins two bytes before
    // the position of the last read.
    {"WideningOfTheSecondHalf", "%a: tensor<40xf16>", "tensor<20xf32>", R"(
  %s = stablehlo.slice %a [20:40] : (tensor<40xf16>) -> tensor<20xf16>
  %r = stablehlo.convert %s : (tensor<20xf16>) -> tensor<20xf32>)",
     "%r : tensor<20xf32>"},
    {"Comparison", "%a: tensor<20xf32>, %b: tensor<20xf32>", "tensor<20xi1>",
     "%r = stablehlo.compare LT, %a, %b : (tensor<20xf32>, tensor<20xf32>) -> tensor<20xi1>",
     "%r : tensor<20xi1>"},
    {"BytesToWords", "%a: tensor<20x4xi8>", "tensor<20xi32>",
     "%r = stablehlo.bitcast_convert %a : (tensor<20x4xi8>) -> tensor<20xi32>",
     "%r : tensor<20xi32>"},
    {"OtherShape", "%a: tensor<6x16xf32>", "tensor<12x4xf32>", R"(
  %s = stablehlo.reshape %a : (tensor<6x16xf32>) -> tensor<12x8xf32>
  %r = stablehlo.slice %s [0:12, 4:8] : (tensor<12x8xf32>) -> tensor<12x4xf32>)",
     "%r : tensor<12x4xf32>"},
    // Only input 1 is read at positions other than the position of the result.
    {"OtherInputBehind", "%a: tensor<8xf32>, %b: tensor<8xf32>", "tensor<8xf32>", R"(
  %s = stablehlo.reverse %b, dims = [0] : tensor<8xf32>
  %c = stablehlo.bitcast_convert %a : (tensor<8xf32>) -> tensor<8xi32>
  %d = stablehlo.convert %c : (tensor<8xi32>) -> tensor<8xf32>
  %r = stablehlo.add %d, %s : tensor<8xf32>)",
     "%r : tensor<8xf32>"},
    // Both results are computed before either is written.
    {"FirstOfTwoResults", "%a: tensor<20xf32>", "tensor<20xf16>, tensor<20xf64>", R"(
  %r = stablehlo.convert %a : (tensor<20xf32>) -> tensor<20xf16>
  %t = stablehlo.convert %a : (tensor<20xf32>) -> tensor<20xf64>)",
     "%r, %t : tensor<20xf16>, tensor<20xf64>"},
    {"SecondOfTwoResults", "%a: tensor<20xf32>", "tensor<20xf64>, tensor<20xf16>", R"(
  %r = stablehlo.convert %a : (tensor<20xf32>) -> tensor<20xf16>
  %t = stablehlo.convert %a : (tensor<20xf32>) -> tensor<20xf64>)",
     "%t, %r : tensor<20xf64>, tensor<20xf16>", "flat, tile = 4096", 1},
};

static const KernelCase notInPlace[] = {
    // There is more than one task, and tasks run in any order.
    {"TwoTasks", nextPairs, "tensor<4x3x16xf32>", pooled.c_str(), "%r : tensor<4x3x16xf32>",
     "rows, tile = 11"},
    {"TwoTasksByPositions", nextPairs, "tensor<4x3x16xf32>", pooled.c_str(),
     "%r : tensor<4x3x16xf32>", "flat, tile = 96"},
    {"NoSchedule", nextPairs, "tensor<4x3x16xf32>", pooled.c_str(), "%r : tensor<4x3x16xf32>", ""},
    // The single task computes results in an order other than their order in memory.
    {"Blocks", "%a: tensor<20x20xf32>", "tensor<20x20xf32>", R"(
  %t = stablehlo.transpose %a, dims = [1, 0] : (tensor<20x20xf32>) -> tensor<20x20xf32>
  %r = stablehlo.transpose %t, dims = [1, 0] : (tensor<20x20xf32>) -> tensor<20x20xf32>)",
     "%r : tensor<20x20xf32>", "blocked, tile = 4096"},
    {"Scan", "%a: tensor<20xf32>", "tensor<20xf32>", laterOnes.c_str(), "%r : tensor<20xf32>",
     "scan, tile = 4096"},
    // Results read elements before their own position.
    {"WindowsPaddedBefore", "%a: tensor<20xf32>", "tensor<19xf32>", paddedBefore.c_str(),
     "%r : tensor<19xf32>"},
    {"Reversed", "%a: tensor<20xf32>", "tensor<20xf32>",
     "%r = stablehlo.reverse %a, dims = [0] : tensor<20xf32>", "%r : tensor<20xf32>"},
    {"Transposed", "%a: tensor<4x5xf32>", "tensor<5x4xf32>",
     "%r = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x5xf32>) -> tensor<5x4xf32>",
     "%r : tensor<5x4xf32>"},
    {"Broadcast", "%a: tensor<8xf32>", "tensor<2x4xf32>", R"(
  %s = stablehlo.slice %a [0:4] : (tensor<8xf32>) -> tensor<4xf32>
  %r = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<4xf32>) -> tensor<2x4xf32>)",
     "%r : tensor<2x4xf32>"},
    {"Concatenated", "%a: tensor<16xf32>, %b: tensor<8xf32>", "tensor<16xf32>", R"(
  %s = stablehlo.slice %a [0:8] : (tensor<16xf32>) -> tensor<8xf32>
  %r = stablehlo.concatenate %b, %s, dim = 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>)",
     "%r : tensor<16xf32>"},
    {"Gathered", "%a: tensor<20x3xf32>, %s: tensor<8x1xi32>", "tensor<8x3xf32>", R"(
  %r = "stablehlo.gather"(%a, %s) <{dimension_numbers = #stablehlo.gather<offset_dims = [1],
    collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>,
    slice_sizes = array<i64: 1, 3>}> : (tensor<20x3xf32>, tensor<8x1xi32>) -> tensor<8x3xf32>)",
     "%r : tensor<8x3xf32>"},
    {"WordsToBytes", "%a: tensor<20xi32>", "tensor<20x4xi8>",
     "%r = stablehlo.bitcast_convert %a : (tensor<20xi32>) -> tensor<20x4xi8>",
     "%r : tensor<20x4xi8>"},
    {"WideningOfTheFirstHalf", "%a: tensor<40xf16>", "tensor<20xf32>", R"(
  %s = stablehlo.slice %a [0:20] : (tensor<40xf16>) -> tensor<20xf16>
  %r = stablehlo.convert %s : (tensor<20xf16>) -> tensor<20xf32>)",
     "%r : tensor<20xf32>"},
    // One read is ahead of the result; the other read is not.
    {"ReadInTwoWays", "%a: tensor<20xf32>", "tensor<10xf32>", R"(
  %s = stablehlo.slice %a [0:20:2] : (tensor<20xf32>) -> tensor<10xf32>
  %t = stablehlo.slice %a [0:10] : (tensor<20xf32>) -> tensor<10xf32>
  %u = stablehlo.reverse %t, dims = [0] : tensor<10xf32>
  %r = stablehlo.add %s, %u : tensor<10xf32>)",
     "%r : tensor<10xf32>"},
    {"SharesOfRows", "%a: tensor<6x16xf32>", "tensor<6x16xf32>", R"(
  %i = stablehlo.constant dense<0.0> : tensor<f32>
  %s = stablehlo.reduce(%a init: %i) applies stablehlo.add across dimensions = [1] : (tensor<6x16xf32>, tensor<f32>) -> tensor<6xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<6xf32>) -> tensor<6x16xf32>
  %r = stablehlo.divide %a, %b : tensor<6x16xf32>)",
     "%r : tensor<6x16xf32>", "rows, tile = 4096"},
    {"ReadByTheOtherResult", "%a: tensor<20xf32>", "tensor<20xf16>, tensor<20xf32>", R"(
  %r = stablehlo.convert %a : (tensor<20xf32>) -> tensor<20xf16>
  %t = stablehlo.reverse %a, dims = [0] : tensor<20xf32>)",
     "%r, %t : tensor<20xf16>, tensor<20xf32>"},
    // The results of the second shape may be computed after the results of the first shape, or
    // before them.
    {"ResultsOfTwoShapes", "%a: tensor<20xf32>", "tensor<10xf32>, tensor<4xf32>", R"(
  %r = stablehlo.slice %a [0:20:2] : (tensor<20xf32>) -> tensor<10xf32>
  %t = stablehlo.slice %a [0:4] : (tensor<20xf32>) -> tensor<4xf32>)",
     "%r, %t : tensor<10xf32>, tensor<4xf32>"},
    // The results are larger than the input.
    {"Widening", "%a: tensor<20xf16>", "tensor<20xf32>",
     "%r = stablehlo.convert %a : (tensor<20xf16>) -> tensor<20xf32>", "%r : tensor<20xf32>"},
    {"Padded", "%a: tensor<20xf32>", "tensor<24xf32>", R"(
  %z = stablehlo.constant dense<7.0> : tensor<f32>
  %r = stablehlo.pad %a, %z, low = [0], high = [4], interior = [0] : (tensor<20xf32>, tensor<f32>) -> tensor<24xf32>)",
     "%r : tensor<24xf32>"},
    {"OneElementOfMoreBytes", "%a: tensor<1xf32>", "tensor<1xf64>",
     "%r = stablehlo.convert %a : (tensor<1xf32>) -> tensor<1xf64>", "%r : tensor<1xf64>"},
    // Sizes are known only at run time.
    {"SymbolicSizes", "%a: tensor<6x16xf32, #sizes.of<\"b, 16\">>", "tensor<6x4xf32>", R"(
  %r = stablehlo.slice %a [0:6, 0:4] : (tensor<6x16xf32, #sizes.of<"b, 16">>) -> tensor<6x4xf32, #sizes.of<"b, 4">>)",
     "%r : tensor<6x4xf32, #sizes.of<\"b, 4\">>"},
    {"UnreadOfSymbolicSizes", "%a: tensor<6x16xf32, #sizes.of<\"b, 16\">>, %b: tensor<4xf32>",
     "tensor<4xf32>", "%r = stablehlo.negate %b : tensor<4xf32>", "%r : tensor<4xf32>"},
};

// Kernels that read each position of input 0 only to write the same position of the output. They
// may have any number of tasks in any order.
static const KernelCase positionwise[] = {
    {"OtherTypeOfTheSameSize", "%a: tensor<20xi32>", "tensor<20xf32>",
     "%r = stablehlo.convert %a : (tensor<20xi32>) -> tensor<20xf32>", "%r : tensor<20xf32>",
     "flat, tile = 16"},
    {"SymbolicSizes", "%a: tensor<6x16xi32, #sizes.of<\"b, 16\">>", "tensor<6x16xf32>",
     "%r = stablehlo.convert %a : (tensor<6x16xi32, #sizes.of<\"b, 16\">>) -> tensor<6x16xf32, "
     "#sizes.of<\"b, 16\">>",
     "%r : tensor<6x16xf32, #sizes.of<\"b, 16\">>", "flat, tile = 16"},
    {"NoSchedule", "%a: tensor<20xi32>", "tensor<20xf32>",
     "%r = stablehlo.convert %a : (tensor<20xi32>) -> tensor<20xf32>", "%r : tensor<20xf32>", ""},
};

namespace {
class InPlaceTest : public testing::Test {
protected:
  InPlaceTest() {
    context.loadDialect<func::FuncDialect, stablehlo::StablehloDialect, plan::PlanDialect,
                        sizes::SizesDialect>();
  }

  bool decide(const KernelCase &kernel) {
    std::string schedule =
        *kernel.schedule
            ? std::string("attributes {plan.schedule = #plan.loop<[") + kernel.schedule + "]>} "
            : "";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        std::string("plan.kernel @k kind(loop) key(\"k\") (") + kernel.arguments + ") " + schedule +
            "{\n" + kernel.body + "\nplan.yield " + kernel.returned + "\n}",
        &context);
    if (!module) {
      ADD_FAILURE() << "the kernel isn't valid";
      return false;
    }
    return mayComputeInPlace(*module->getOps<plan::KernelOp>().begin(), 0, kernel.output);
  }

  // Computes the elements of the result one by one. Writes each element over the first input before
  // computing the next element. Compares the elements with the result that is computed all at once.
  void expectTheSameOverwriting(const KernelCase &kernel) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        std::string("func.func @main(") + kernel.arguments + ") -> (" + kernel.results + ") {\n" +
            kernel.body + "\nreturn " + kernel.returned + "\n}",
        &context);
    ASSERT_TRUE(module);
    std::vector<Tensor> arguments;
    for (Type type : module->lookupSymbol<func::FuncOp>("main").getArgumentTypes()) {
      auto tensor = cast<RankedTensorType>(type);
      arguments.push_back(
          numbered(elementTypeOf(tensor.getElementType()), Shape(tensor.getShape())));
    }
    auto expected = interpret(*module, arguments);
    ASSERT_TRUE(expected) << expected.error().str();
    Tensor made = (*expected)[kernel.output].clone();
    size_t size = storageBytes(made.type());
    ASSERT_LE(made.bytes(), arguments[0].bytes());
    for (int64_t i = 0; i < made.elements(); ++i) {
      auto next = interpret(*module, arguments);
      ASSERT_TRUE(next) << next.error().str();
      size_t at = static_cast<size_t>(i) * size;
      std::memcpy(made.data() + at, (*next)[kernel.output].data() + at, size);
      std::memcpy(arguments[0].data() + at, (*next)[kernel.output].data() + at, size);
      ASSERT_EQ(std::memcmp(made.data() + at, (*expected)[kernel.output].data() + at, size), 0)
          << "element " << i;
    }
  }

  // Returns a tensor of distinct numbers. The bits of one number, shifted by full bytes, are never
  // the bits of another number.
  static Tensor numbered(ElementType type, const Shape &shape) {
    Tensor tensor(type, shape);
    for (int64_t i = 0; i < tensor.elements(); ++i) {
      int64_t number = 37 * (i + 1) % 101;
      if (type == ElementType::F32) {
        tensor.as<float>()[i] = static_cast<float>(number) / 4;
      } else {
        std::memcpy(tensor.data() + i * storageBytes(type), &number, storageBytes(type));
      }
    }
    return tensor;
  }

  MLIRContext context;
};
} // namespace

TEST_F(InPlaceTest, InOrder) {
  for (const KernelCase &kernel : inOrder) {
    SCOPED_TRACE(kernel.name);
    EXPECT_TRUE(decide(kernel));
    expectTheSameOverwriting(kernel);
  }
}

TEST_F(InPlaceTest, Positionwise) {
  for (const KernelCase &kernel : positionwise) {
    SCOPED_TRACE(kernel.name);
    EXPECT_TRUE(decide(kernel));
  }
}

TEST_F(InPlaceTest, NotInPlace) {
  for (const KernelCase &kernel : notInPlace) {
    SCOPED_TRACE(kernel.name);
    EXPECT_FALSE(decide(kernel));
  }
}

} // namespace drumlin
