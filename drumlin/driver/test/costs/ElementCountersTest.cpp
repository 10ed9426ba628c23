// Compares the static counts of loop, sort, scatter and window kernels with counters in running
// kernels.
#include "../TestProgram.h"
#include "RunningCounts.h"

#include "drumlin/codegen/cpu/ObjectEmitter.h"
#include "drumlin/ir/costs/ProgramCost.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/support/CpuFeatures.h"
#include "drumlin/target/TargetNames.h"

#include <gtest/gtest.h>

namespace drumlin {

// The relation that must hold between the count in a running kernel and the static count.
enum class Holds {
  Equal,
  AtMost, // the static count is an upper bound; the actual count depends on the data
};

struct CounterCase {
  const char *name;
  std::string text;
  Holds flops = Holds::Equal, read = Holds::Equal, written = Holds::Equal;
  // For AtMost: the smallest allowed ratio of the running kernel's count to the static count, for
  // FLOPs and for bytes read.
  double leastFlops = 0, leastRead = 0;
};
static void PrintTo(const CounterCase &test, std::ostream *stream) { *stream << test.name; }

static void compare(const char *what, Holds holds, double least, int64_t running, int64_t counted) {
  if (holds == Holds::Equal) {
    EXPECT_EQ(running, counted) << what;
    return;
  }
  EXPECT_LE(running, counted) << what;
  EXPECT_GE(static_cast<double>(running), least * static_cast<double>(counted)) << what;
}

class ElementCountersTest : public testing::TestWithParam<CounterCase> {};

TEST_P(ElementCountersTest, RunningKernelsDoWhatIsCounted) {
  const CounterCase &test = GetParam();
  for (const char *name : {"native", "avx2", "baseline"}) {
    Result<CpuTarget> target = cpuTargetFromName(name);
    ASSERT_TRUE(target);
    if (!missingCpuFeatures(target->features).empty()) {
      continue;
    }
    TestProgram program(test.text);
    ASSERT_TRUE(program.module) << test.text;
    CompileOptions options;
    options.target = *targetFromName(name);
    Status status = program.run(options);
    ASSERT_TRUE(status) << status.error().str();
    int kernels = 0;
    for (plan::KernelOp kernel : program.module->getOps<plan::KernelOp>()) {
      ++kernels;
      std::string shown;
      llvm::raw_string_ostream(shown) << kernel;
      SCOPED_TRACE(std::string(name) + "\n" + shown);
      std::vector<Tensor> inputs = drawInputs(kernel);
      Result<RunningCounts> running = countWhileRunning(kernel, *target, inputs);
      ASSERT_TRUE(running) << running.error().str();
      KernelCost counted = kernelCost(kernel);
      int64_t flops = counted.cost.hardwareFlops();
      compare("flops", test.flops, test.leastFlops, flopsOf(kernel, *running), flops);
      for (size_t i = 0; i < inputs.size(); ++i) {
        compare("bytes read", test.read, test.leastRead, running->bytesRead[i],
                counted.bytesRead[i]);
      }
      for (size_t i = 0; i < running->bytesWritten.size(); ++i) {
        compare("bytes written", test.written, 0, running->bytesWritten[i],
                counted.bytesWritten[i]);
      }
    }
    EXPECT_GE(kernels, 1) << test.text;
  }
}

//===- programs ---------------------------------------------------------------===//

static std::string replaced(std::string text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

// Returns a chain of elementwise operations with conversions, for this shape and element type.
static std::string chain(const std::string &element, const std::string &shape) {
  return replaced(replaced(R"(
func.func @main(%x: tensor<NxT>, %y: tensor<NxT>) -> (tensor<NxT>, tensor<Nxi1>) {
  %a = stablehlo.add %x, %y : tensor<NxT>
  %m = stablehlo.multiply %a, %x : tensor<NxT>
  %s = stablehlo.maximum %m, %y : tensor<NxT>
  %p = stablehlo.compare LT, %s, %x : (tensor<NxT>, tensor<NxT>) -> tensor<Nxi1>
  return %s, %p : tensor<NxT>, tensor<Nxi1>
})",
                           "NxT", shape + "x" + element),
                  "Nx", shape + "x");
}

static std::string sum(const std::string &shape, const std::string &dimensions,
                       const std::string &result, const std::string &operation = "add") {
  return "func.func @main(%x: tensor<" + shape + ">) -> tensor<" + result +
         "> {\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "  %r = stablehlo.reduce(%x init: %z) applies stablehlo." +
         operation + " across dimensions = [" + dimensions + "] : (tensor<" + shape +
         ">, tensor<f32>) -> tensor<" + result + ">\n  return %r : tensor<" + result + ">\n}\n";
}

// Multiplies each element of the transposed result by the sum of all of `y`.
static std::string sumForEveryElement(const std::string &sum, const std::string &dims) {
  return "func.func @main(%x: tensor<128x20x9xf32>, %y: tensor<3x300xf32>) -> "
         "tensor<20x128x9xf32> {\n"
         "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
         "  %p = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0, 1] : "
         "(tensor<3x300xf32>, tensor<f32>) -> tensor<f32>\n"
         "  %q = stablehlo.reshape %p : (tensor<f32>) -> tensor<" +
         sum + "f32>\n  %b = stablehlo.broadcast_in_dim %q, dims = [" + dims + "] : (tensor<" +
         sum +
         "f32>) -> tensor<128x20x9xf32>\n"
         "  %r = stablehlo.multiply %x, %b : tensor<128x20x9xf32>\n"
         "  %s = stablehlo.transpose %r, dims = [1, 0, 2] : (tensor<128x20x9xf32>) -> "
         "tensor<20x128x9xf32>\n"
         "  return %s : tensor<20x128x9xf32>\n}\n";
}

// Returns a chain of sums. Two reductions read each sum; the next sum in the chain adds their
// results.
static std::string chainOfSums(int length) {
  const std::string link =
      "  %bN = stablehlo.broadcast_in_dim %sN, dims = [] : (tensor<f32>) -> tensor<7xf32>\n"
      "  %mN = stablehlo.multiply %x, %bN : tensor<7xf32>\n"
      "  %nN = stablehlo.add %y, %bN : tensor<7xf32>\n"
      "  %pN = stablehlo.reduce(%mN init: %z) applies stablehlo.maximum across dimensions = [0] : "
      "(tensor<7xf32>, tensor<f32>) -> tensor<f32>\n"
      "  %qN = stablehlo.reduce(%nN init: %z) applies stablehlo.minimum across dimensions = [0] : "
      "(tensor<7xf32>, tensor<f32>) -> tensor<f32>\n"
      "  %sNEXT = stablehlo.add %pN, %qN : tensor<f32>\n";
  std::string text = "func.func @main(%x: tensor<7xf32>, %y: tensor<7xf32>, %s0: tensor<f32>) -> "
                     "tensor<f32> {\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n";
  for (int k = 0; k < length; ++k) {
    text += replaced(replaced(link, "NEXT", std::to_string(k + 1)), "N", std::to_string(k));
  }
  return text + "  return %s" + std::to_string(length) + " : tensor<f32>\n}\n";
}

static std::string prefixSum(const std::string &name, const std::string &of,
                             const std::string &operation = "add") {
  return "  %" + name + " = \"stablehlo.reduce_window\"(%" + of +
         ", %z) <{padding = dense<[[0, 0], [299, 0]]> : tensor<2x2xi64>, window_dimensions = "
         "array<i64: 1, 300>}> ({\n"
         "  ^bb0(%a: tensor<f32>, %b: tensor<f32>):\n    %n = stablehlo." +
         operation +
         " %a, %b : tensor<f32>\n    stablehlo.return %n : tensor<f32>\n"
         "  }) : (tensor<4x300xf32>, tensor<f32>) -> tensor<4x300xf32>\n";
}
static std::string ofPrefixSums(const std::string &body, const std::string &results) {
  return "func.func @main(%x: tensor<4x300xf32>) -> (" + results +
         ") {\n  %z = stablehlo.constant dense<0.0> : tensor<f32>\n" + body + "}\n";
}

static std::string transposed(const std::string &from, const std::string &dims,
                              const std::string &to) {
  return "func.func @main(%x: tensor<" + from + ">, %y: tensor<" + to + ">) -> tensor<" + to +
         "> {\n  %n = stablehlo.negate %x : tensor<" + from +
         ">\n  %t = stablehlo.transpose %n, dims = [" + dims + "] : (tensor<" + from +
         ">) -> tensor<" + to + ">\n  %a = stablehlo.add %t, %y : tensor<" + to +
         ">\n  return %a : tensor<" + to + ">\n}\n";
}

static std::string sorted(const std::string &shape, const std::string &type, int dimension,
                          const std::string &comparator) {
  std::string keys = "tensor<" + shape + "x" + type + ">", places = "tensor<" + shape + "xi32>";
  return "func.func @main(%x: " + keys + ", %y: " + places + ") -> (" + keys + ", " + places +
         ") {\n  %r:2 = \"stablehlo.sort\"(%x, %y) <{dimension = " + std::to_string(dimension) +
         " : i64, is_stable = true}> ({\n  ^bb0(%a: tensor<" + type + ">, %b: tensor<" + type +
         ">, %c: tensor<i32>, %d: tensor<i32>):\n" + comparator + "  }) : (" + keys + ", " +
         places + ") -> (" + keys + ", " + places + ")\n  return %r#0, %r#1 : " + keys + ", " +
         places + "\n}\n";
}

static std::string lessThan(const std::string &type) {
  return "    %p = stablehlo.compare LT, %a, %b : (tensor<" + type + ">, tensor<" + type +
         ">) -> tensor<i1>\n    stablehlo.return %p : tensor<i1>\n";
}

// Compares two keys, so that the kernel must be a merge sort.
static std::string byBoth(const std::string &type) {
  return "    %p = stablehlo.compare LT, %a, %b : (tensor<" + type + ">, tensor<" + type +
         ">) -> tensor<i1>\n    %q = stablehlo.compare LT, %c, %d : (tensor<i32>, tensor<i32>) -> "
         "tensor<i1>\n    %o = stablehlo.xor %p, %q : tensor<i1>\n    stablehlo.return %o : "
         "tensor<i1>\n";
}

static std::string scattered(const std::string &body) {
  return R"(
func.func @main(%x: tensor<40x20xf32>, %i: tensor<12x1xi32>, %u: tensor<12x20xf32>) -> tensor<40x20xf32> {
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
)" + body +
         R"(
  }) : (tensor<40x20xf32>, tensor<12x1xi32>, tensor<12x20xf32>) -> tensor<40x20xf32>
  return %r : tensor<40x20xf32>
})";
}

static std::string pooled(const std::string &padding, const std::string &result,
                          const std::string &body) {
  std::string text = R"(
func.func @main(%x: tensor<2x9x9x20xf32>) -> tensor<RESULTxf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], PADDING, PADDING, [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
BODY
    stablehlo.return %n : tensor<f32>
  }) : (tensor<2x9x9x20xf32>, tensor<f32>) -> tensor<RESULTxf32>
  return %r : tensor<RESULTxf32>
})";
  text = replaced(text, "RESULT", result);
  text = replaced(text, "PADDING", padding);
  return replaced(text, "BODY", body);
}

static std::string selected(const std::string &padding, const std::string &source) {
  std::string text = R"(
func.func @main(%x: tensor<2x9x9x20xf32>, %s: tensor<SOURCExf32>) -> tensor<2x9x9x20xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.select_and_scatter"(%x, %s, %z) <{window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>, padding = dense<[[0, 0], PADDING, PADDING, [0, 0]]> : tensor<4x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %p = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %p : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %n = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }) : (tensor<2x9x9x20xf32>, tensor<SOURCExf32>, tensor<f32>) -> tensor<2x9x9x20xf32>
  return %r : tensor<2x9x9x20xf32>
})";
  return replaced(replaced(text, "SOURCE", source), "PADDING", padding);
}

static std::string scanned(const std::string &window, const std::string &padding,
                           const std::string &shape) {
  return replaced(R"(
func.func @main(%x: tensor<SHAPExf32>) -> tensor<SHAPExf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: )" +
                      window + ">, padding = dense<" + padding + R"(> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %n = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }) : (tensor<SHAPExf32>, tensor<f32>) -> tensor<SHAPExf32>
  return %r : tensor<SHAPExf32>
})",
                  "SHAPE", shape);
}

static const char *softmax = R"(
func.func @main(%x: tensor<33x70xf32>) -> tensor<33x70xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %m = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<33x70xf32>, tensor<f32>) -> tensor<33xf32>
  %b = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<33xf32>) -> tensor<33x70xf32>
  %d = stablehlo.subtract %x, %b : tensor<33x70xf32>
  %e = stablehlo.exponential %d : tensor<33x70xf32>
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<33x70xf32>, tensor<f32>) -> tensor<33xf32>
  %c = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<33xf32>) -> tensor<33x70xf32>
  %q = stablehlo.divide %e, %c : tensor<33x70xf32>
  return %q : tensor<33x70xf32>
})";

static std::vector<CounterCase> cases() {
  std::vector<CounterCase> all;
  // Elementwise chains of every element width, with sizes around full registers.
  static std::vector<std::string> names;
  names.reserve(64);
  for (const char *element : {"f32", "f64", "bf16", "f16", "i8", "i32", "ui64", "f8E4M3FN"}) {
    for (const char *shape : {"1", "15", "16", "17", "1000", "7x33"}) {
      names.push_back("Chain_" + std::string(element) + "_" + shape);
      all.push_back({names.back().c_str(), chain(element, shape)});
    }
  }
  std::vector<CounterCase> others = {
      {"Conversions", R"(
func.func @main(%x: tensor<100xbf16>) -> (tensor<100xf32>, tensor<100xi8>) {
  %a = stablehlo.convert %x : (tensor<100xbf16>) -> tensor<100xf32>
  %b = stablehlo.multiply %a, %a : tensor<100xf32>
  %c = stablehlo.convert %b : (tensor<100xf32>) -> tensor<100xi8>
  return %b, %c : tensor<100xf32>, tensor<100xi8>
})"},
      {"ScalarOfAll", R"(
func.func @main(%x: tensor<50x40xf32>, %s: tensor<f32>) -> tensor<50x40xf32> {
  %e = stablehlo.exponential %s : tensor<f32>
  %b = stablehlo.broadcast_in_dim %e, dims = [] : (tensor<f32>) -> tensor<50x40xf32>
  %m = stablehlo.multiply %x, %b : tensor<50x40xf32>
  return %m : tensor<50x40xf32>
})"},
      {"OneOfEachRow", R"(
func.func @main(%x: tensor<50x40xf32>, %s: tensor<50xf32>) -> tensor<50x40xf32> {
  %e = stablehlo.exponential %s : tensor<50xf32>
  %b = stablehlo.broadcast_in_dim %e, dims = [0] : (tensor<50xf32>) -> tensor<50x40xf32>
  %m = stablehlo.multiply %x, %b : tensor<50x40xf32>
  return %m : tensor<50x40xf32>
})"},
      {"RootMeanSquareOfRows", R"(
func.func @main(%x: tensor<50x40xf32>, %g: tensor<40xf32>) -> tensor<50x40xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<4.0e1> : tensor<50xf32>
  %q = stablehlo.multiply %x, %x : tensor<50x40xf32>
  %s = stablehlo.reduce(%q init: %z) applies stablehlo.add across dimensions = [1] : (tensor<50x40xf32>, tensor<f32>) -> tensor<50xf32>
  %m = stablehlo.divide %s, %n : tensor<50xf32>
  %r = stablehlo.rsqrt %m : tensor<50xf32>
  %b = stablehlo.broadcast_in_dim %r, dims = [0] : (tensor<50xf32>) -> tensor<50x40xf32>
  %d = stablehlo.multiply %x, %b : tensor<50x40xf32>
  %c = stablehlo.broadcast_in_dim %g, dims = [1] : (tensor<40xf32>) -> tensor<50x40xf32>
  %o = stablehlo.multiply %d, %c : tensor<50x40xf32>
  return %o : tensor<50x40xf32>
})"},
      {"OneOfEachColumn", R"(
func.func @main(%x: tensor<50x40xf32>, %s: tensor<40xf32>) -> tensor<50x40xf32> {
  %e = stablehlo.negate %s : tensor<40xf32>
  %b = stablehlo.broadcast_in_dim %e, dims = [1] : (tensor<40xf32>) -> tensor<50x40xf32>
  %m = stablehlo.multiply %x, %b : tensor<50x40xf32>
  return %m : tensor<50x40xf32>
})"},
      {"Softmax", softmax},
      {"SumOfAll", sum("70x33xf32", "0, 1", "f32")},
      {"SumOfRows", sum("33x70xf32", "1", "33xf32")},
      {"SumOfColumns", sum("33x70xf32", "0", "70xf32")},
      {"SumInTheMiddle", sum("7x30x20xf32", "1", "7x20xf32")},
      {"SumOfShortRows", sum("50x5xf32", "1", "50xf32")},
      {"MaximumOfRows", sum("20x100xf32", "1", "20xf32", "maximum")},
      {"Transpose", transposed("48x64xf32", "1, 0", "64x48xf32")},
      {"TransposeOfOddSizes", transposed("37x53xf32", "1, 0", "53x37xf32")},
      {"TransposeOfHeads", transposed("4x20x32xf32", "1, 0, 2", "20x4x32xf32")},
      {"TransposeOfThree", transposed("5x18x33xf32", "2, 0, 1", "33x5x18xf32")},
      {"Slice", R"(
func.func @main(%x: tensor<60x70xf32>) -> tensor<20x30xf32> {
  %s = stablehlo.slice %x [10:50:2, 5:65:2] : (tensor<60x70xf32>) -> tensor<20x30xf32>
  %n = stablehlo.negate %s : tensor<20x30xf32>
  return %n : tensor<20x30xf32>
})"},
      {"Concatenation", R"(
func.func @main(%x: tensor<20x30xf32>, %y: tensor<20x17xf32>) -> tensor<20x47xf32> {
  %c = stablehlo.concatenate %x, %y, dim = 1 : (tensor<20x30xf32>, tensor<20x17xf32>) -> tensor<20x47xf32>
  %n = stablehlo.negate %c : tensor<20x47xf32>
  return %n : tensor<20x47xf32>
})"},
      {"Padding", R"(
func.func @main(%x: tensor<20x30xf32>, %z: tensor<f32>) -> tensor<26x37xf32> {
  %p = stablehlo.pad %x, %z, low = [1, 3], high = [5, 4], interior = [0, 0] : (tensor<20x30xf32>, tensor<f32>) -> tensor<26x37xf32>
  %n = stablehlo.negate %p : tensor<26x37xf32>
  return %n : tensor<26x37xf32>
})"},
      {"Reversal", R"(
func.func @main(%x: tensor<20x30xf32>) -> tensor<20x30xf32> {
  %r = stablehlo.reverse %x, dims = [0, 1] : tensor<20x30xf32>
  %n = stablehlo.negate %r : tensor<20x30xf32>
  return %n : tensor<20x30xf32>
})"},
      {"Reshape", R"(
func.func @main(%x: tensor<20x30xf32>) -> tensor<24x25xf32> {
  %n = stablehlo.negate %x : tensor<20x30xf32>
  %r = stablehlo.reshape %n : (tensor<20x30xf32>) -> tensor<24x25xf32>
  %i = stablehlo.iota dim = 1 : tensor<24x25xf32>
  %a = stablehlo.add %r, %i : tensor<24x25xf32>
  return %a : tensor<24x25xf32>
})"},
      {"SeveralResults", R"(
func.func @main(%x: tensor<33x70xf32>) -> (tensor<33x70xf32>, tensor<33xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %t = stablehlo.tanh %x : tensor<33x70xf32>
  %s = stablehlo.reduce(%t init: %z) applies stablehlo.add across dimensions = [1] : (tensor<33x70xf32>, tensor<f32>) -> tensor<33xf32>
  return %t, %s : tensor<33x70xf32>, tensor<33xf32>
})"},
      // Only rows whose indices occur are read, and rows whose indices occur twice are read only
      // once.
      {"Gather", R"(
func.func @main(%x: tensor<8x40xf32>, %i: tensor<16x1xi32>) -> tensor<16x40xf32> {
  %g = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 40>, indices_are_sorted = false}> : (tensor<8x40xf32>, tensor<16x1xi32>) -> tensor<16x40xf32>
  %n = stablehlo.negate %g : tensor<16x40xf32>
  return %n : tensor<16x40xf32>
})",
       Holds::Equal, Holds::AtMost, Holds::Equal, 0, 0.5},
      {"DynamicSlice", R"(
func.func @main(%x: tensor<60x70xf32>, %i: tensor<i32>, %j: tensor<i32>) -> tensor<20x30xf32> {
  %s = stablehlo.dynamic_slice %x, %i, %j, sizes = [20, 30] : (tensor<60x70xf32>, tensor<i32>, tensor<i32>) -> tensor<20x30xf32>
  %n = stablehlo.negate %s : tensor<20x30xf32>
  return %n : tensor<20x30xf32>
})"},
      {"SumAlongRows", scanned("1, 50", "[[0, 0], [49, 0]]", "20x50")},
      {"SumAlongColumns", scanned("20, 1", "[[19, 0], [0, 0]]", "20x50")},
      {"SumFromTheEnd", scanned("1, 50", "[[0, 0], [0, 49]]", "20x50")},
      {"Pooling", pooled("[0, 0]", "2x4x4x20", "    %n = stablehlo.maximum %a, %b : tensor<f32>")},
      {"PoolingWithPadding",
       pooled("[1, 1]", "2x5x5x20", "    %n = stablehlo.add %a, %b : tensor<f32>")},
      {"PoolingByAnyBody", pooled("[0, 0]", "2x4x4x20",
                                  "    %m = stablehlo.multiply %b, %b : tensor<f32>\n"
                                  "    %n = stablehlo.add %a, %m : tensor<f32>")},
      // Bodies of several operations. Operations on padding don't count.
      {"PoolingByAnyBodyWithPadding",
       pooled("[1, 1]", "2x5x5x20",
              "    %m = stablehlo.multiply %b, %b : tensor<f32>\n"
              "    %n = stablehlo.add %a, %m : tensor<f32>"),
       Holds::AtMost, Holds::Equal, Holds::Equal, 0.5},
      {"ArgMax", R"(
func.func @main(%x: tensor<20x100xf32>) -> (tensor<20xf32>, tensor<20xi32>) {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %i = stablehlo.iota dim = 1 : tensor<20x100xi32>
  %r:2 = stablehlo.reduce(%x init: %low), (%i init: %zero) across dimensions = [1] : (tensor<20x100xf32>, tensor<20x100xi32>, tensor<f32>, tensor<i32>) -> (tensor<20xf32>, tensor<20xi32>)
   reducer(%a: tensor<f32>, %b: tensor<f32>) (%c: tensor<i32>, %d: tensor<i32>) {
    %p = stablehlo.compare GT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %n = stablehlo.compare NE, %a, %a : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %o = stablehlo.or %p, %n : tensor<i1>
    %q = stablehlo.compare EQ, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %l = stablehlo.compare LT, %c, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %t = stablehlo.and %q, %l : tensor<i1>
    %u = stablehlo.or %o, %t : tensor<i1>
    %v = stablehlo.select %o, %a, %b : tensor<i1>, tensor<f32>
    %w = stablehlo.select %u, %c, %d : tensor<i1>, tensor<i32>
    stablehlo.return %v, %w : tensor<f32>, tensor<i32>
  }
  return %r#0, %r#1 : tensor<20xf32>, tensor<20xi32>
})"},
      {"SumForEveryElement", sumForEveryElement("", "")},
      {"SumWithDimensionsForEveryElement", sumForEveryElement("1x1x1x", "0, 1, 2")},
      {"ChainOfSums", chainOfSums(24)},
      {"ColumnSumsOfWhatIsTransposed", R"(
func.func @main(%x: tensor<60x40xf32>) -> tensor<40x60xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<60x40xf32>, tensor<f32>) -> tensor<40xf32>
  %b = stablehlo.broadcast_in_dim %p, dims = [1] : (tensor<40xf32>) -> tensor<60x40xf32>
  %r = stablehlo.divide %x, %b : tensor<60x40xf32>
  %s = stablehlo.transpose %r, dims = [1, 0] : (tensor<60x40xf32>) -> tensor<40x60xf32>
  return %s : tensor<40x60xf32>
})"},
      {"ColumnSumsForRows", R"(
func.func @main(%x: tensor<40x60xf32>, %y: tensor<70x40xf32>) -> tensor<40x60xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %p = stablehlo.reduce(%y init: %z) applies stablehlo.add across dimensions = [0] : (tensor<70x40xf32>, tensor<f32>) -> tensor<40xf32>
  %b = stablehlo.broadcast_in_dim %p, dims = [0] : (tensor<40xf32>) -> tensor<40x60xf32>
  %r = stablehlo.multiply %x, %b : tensor<40x60xf32>
  return %r : tensor<40x60xf32>
})"},
      {"PrefixSum", ofPrefixSums(prefixSum("p", "x") + "  return %p : tensor<4x300xf32>\n",
                                 "tensor<4x300xf32>")},
      {"PrefixesOfAnyBody", R"(
func.func @main(%x: tensor<4x300xf32>) -> tensor<4x300xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = "stablehlo.reduce_window"(%x, %z) <{padding = dense<[[0, 0], [299, 0]]> : tensor<2x2xi64>, window_dimensions = array<i64: 1, 300>}> ({
  ^bb0(%p: tensor<f32>, %q: tensor<f32>):
    %s = stablehlo.multiply %p, %p : tensor<f32>
    %t = stablehlo.add %s, %q : tensor<f32>
    stablehlo.return %t : tensor<f32>
  }) : (tensor<4x300xf32>, tensor<f32>) -> tensor<4x300xf32>
  return %r : tensor<4x300xf32>
})"},
      {"PrefixSumButForItsFirst",
       ofPrefixSums(prefixSum("p", "x") +
                        "  %s = stablehlo.slice %p [0:4, 1:300] : (tensor<4x300xf32>) -> "
                        "tensor<4x299xf32>\n"
                        "  %m = stablehlo.multiply %s, %s : tensor<4x299xf32>\n"
                        "  return %m : tensor<4x299xf32>\n",
                    "tensor<4x299xf32>")},
      {"TwoPrefixScansOfOneValue",
       ofPrefixSums("  %t = stablehlo.multiply %x, %x : tensor<4x300xf32>\n" + prefixSum("p", "t") +
                        prefixSum("q", "t", "maximum") +
                        "  return %p, %q : tensor<4x300xf32>, tensor<4x300xf32>\n",
                    "tensor<4x300xf32>, tensor<4x300xf32>")},
      {"PrefixSumOfWhatIsNeededToo",
       ofPrefixSums("  %t = stablehlo.multiply %x, %x : tensor<4x300xf32>\n" + prefixSum("p", "t") +
                        "  %u = stablehlo.add %t, %x : tensor<4x300xf32>\n"
                        "  return %p, %u : tensor<4x300xf32>, tensor<4x300xf32>\n",
                    "tensor<4x300xf32>, tensor<4x300xf32>")},
      {"AnyReducer", R"(
func.func @main(%x: tensor<20x100xf32>) -> tensor<20xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %r = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<20x100xf32>, tensor<f32>) -> tensor<20xf32>
   reducer(%a: tensor<f32>, %b: tensor<f32>) {
    %m = stablehlo.multiply %b, %b : tensor<f32>
    %n = stablehlo.add %a, %m : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }
  return %r : tensor<20xf32>
})"},
      // A radix sort compares nothing; the static count is an upper bound for any sort.
      {"SortByOneKey", sorted("5x300", "f32", 1, lessThan("f32")), Holds::AtMost},
      {"SortOfIntegers", sorted("1000", "i32", 0, lessThan("i32")), Holds::AtMost},
      {"SortOfColumns", sorted("100x20", "f32", 0, lessThan("f32")), Holds::AtMost},
      {"MergeSort", sorted("5x300", "f32", 1, byBoth("f32")), Holds::AtMost, Holds::Equal,
       Holds::Equal, 0.5},
      {"MergeSortOfPowersOfTwo", sorted("1024", "f32", 0, byBoth("f32")), Holds::AtMost,
       Holds::Equal, Holds::Equal, 0.5},
      {"ScatterAdd", scattered("    %n = stablehlo.add %a, %b : tensor<f32>\n"
                               "    stablehlo.return %n : tensor<f32>\n")},
      {"ScatterSet", scattered("    stablehlo.return %b : tensor<f32>\n")},
      {"ScatterByAnyBody", scattered("    %m = stablehlo.maximum %a, %b : tensor<f32>\n"
                                     "    %n = stablehlo.add %m, %b : tensor<f32>\n"
                                     "    stablehlo.return %n : tensor<f32>\n")},
      // If no window extends beyond the operand, a window's first element needs no comparison, so
      // the kernel makes fewer comparisons than the static count.
      {"SelectAndScatter", selected("[0, 0]", "2x4x4x20"), Holds::AtMost, Holds::Equal,
       Holds::Equal, 0.9},
      {"SelectAndScatterWithPadding", selected("[1, 1]", "2x5x5x20")}};
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

INSTANTIATE_TEST_SUITE_P(Kernels, ElementCountersTest, testing::ValuesIn(cases()),
                         [](const auto &info) {
                           std::string name = info.param.name;
                           std::erase_if(name, [](char c) { return !std::isalnum(c) && c != '_'; });
                           return name;
                         });

//===- products ---------------------------------------------------------------===//

// Returns a dot whose kernel does other work in addition to MACs: operands are scaled when they are
// read, and the result gets a bias and an activation. CountersTest.cpp counts the MACs.
static std::string scaledProduct(int64_t m, int64_t k, int64_t n, bool isCheckpoint,
                                 const std::string &element) {
  std::string text = R"(
func.func @main(%x: tensor<MxKxT>, %y: tensor<RHSxT>, %s: tensor<f32>, %b: tensor<Nxf32>) -> tensor<MxNxf32> {
  %a = stablehlo.convert %x : (tensor<MxKxT>) -> tensor<MxKxf32>
  %c = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<MxKxf32>
  %l = stablehlo.multiply %a, %c : tensor<MxKxf32>
  %r = stablehlo.convert %y : (tensor<RHSxT>) -> tensor<RHSxf32>
  %d = stablehlo.dot_general %l, %r, contracting_dims = [1] x [CONTRACTED] : (tensor<MxKxf32>, tensor<RHSxf32>) -> tensor<MxNxf32>
  %e = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<Nxf32>) -> tensor<MxNxf32>
  %f = stablehlo.add %d, %e : tensor<MxNxf32>
  %g = stablehlo.tanh %f : tensor<MxNxf32>
  return %g : tensor<MxNxf32>
})";
  text = replaced(text, "RHS", isCheckpoint ? "NxK" : "KxN");
  text = replaced(text, "CONTRACTED", isCheckpoint ? "1" : "0");
  text = replaced(text, "MxKxT", std::to_string(m) + "x" + std::to_string(k) + "x" + element);
  text = replaced(text, "MxKx", std::to_string(m) + "x" + std::to_string(k) + "x");
  text = replaced(text, "MxNx", std::to_string(m) + "x" + std::to_string(n) + "x");
  text = replaced(text, "NxKx", std::to_string(n) + "x" + std::to_string(k) + "x");
  text = replaced(text, "KxNx", std::to_string(k) + "x" + std::to_string(n) + "x");
  text = replaced(text, "<Nx", "<" + std::to_string(n) + "x");
  return replaced(text, "xT>", "x" + element + ">");
}

TEST(SlowProductCountersTest, OperandsAndResultsAreComputedAndReadAsCounted) {
  const int64_t sizes[][3] = {{1, 64, 64},  {1, 300, 77},    {3, 100, 50}, {17, 33, 65},
                              {64, 64, 64}, {100, 129, 200}, {33, 700, 1}};
  for (const char *name : {"native", "avx2", "baseline"}) {
    Result<CpuTarget> target = cpuTargetFromName(name);
    ASSERT_TRUE(target);
    if (!missingCpuFeatures(target->features).empty()) {
      continue;
    }
    for (auto [m, k, n] : sizes) {
      for (bool isCheckpoint : {false, true}) {
        for (const char *element : {"f8E4M3FN", "bf16", "f16"}) {
          std::string text = scaledProduct(m, k, n, isCheckpoint, element);
          SCOPED_TRACE(std::string(name) + "\n" + text);
          TestProgram program(text);
          ASSERT_TRUE(program.module);
          CompileOptions options;
          options.target = *targetFromName(target->name);
          ASSERT_TRUE(program.run(options));
          auto kernels = program.module->getOps<plan::KernelOp>();
          ASSERT_TRUE(llvm::hasSingleElement(kernels));
          plan::KernelOp kernel = *kernels.begin();
          std::vector<Tensor> inputs = drawInputs(kernel);
          Result<RunningCounts> running = countWhileRunning(kernel, *target, inputs);
          ASSERT_TRUE(running) << running.error().str();
          KernelCost counted = kernelCost(kernel);
          const Cost &cost = counted.cost;
          EXPECT_EQ(flopsOf(kernel, *running),
                    cost.elementFlops + cost.upcastFlops + cost.recomputeFlops);
          for (size_t i = 0; i < inputs.size(); ++i) {
            EXPECT_EQ(running->bytesRead[i], counted.bytesRead[i]) << "input " << i;
          }
          EXPECT_EQ(running->bytesWritten[0], counted.bytesWritten[0]);
        }
      }
    }
  }
}

} // namespace drumlin
