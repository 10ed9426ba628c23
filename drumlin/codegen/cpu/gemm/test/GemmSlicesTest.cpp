// Tests GEMMs whose operands are dynamic slices, which are read in place.
#include "drumlin/codegen/cpu/gemm/test/GemmCheck.h"
#include "gtest/gtest.h"

using namespace drumlin;

// The tensor from which a matrix is sliced: its outer dimensions are followed by the dimensions of
// the matrix.
struct Stack {
  std::vector<int64_t> shape, sizes; // sizes of the whole tensor; sizes of the slice
  std::string starts;                // names of the scalar values where the slice starts
};

static std::string list(const std::vector<int64_t> &numbers) {
  std::string text;
  for (int64_t number : numbers) {
    text += (text.empty() ? "" : ", ") + std::to_string(number);
  }
  return "[" + text + "]";
}

// Returns operations that slice an argument and define `name`, the slice as a matrix of shape
// `matrix`.
static std::string sliced(const std::string &name, const std::string &from, const Stack &stack,
                          const std::vector<int64_t> &matrix, const std::string &element) {
  std::string starts, part = tensorType(stack.sizes, element);
  for (size_t i = 0; i < stack.shape.size(); ++i) {
    starts += ", tensor<i32>";
  }
  return "  %" + name + "s = stablehlo.dynamic_slice " + from + ", " + stack.starts +
         ", sizes = " + list(stack.sizes) + " : (" + tensorType(stack.shape, element) + starts +
         ") -> " + part + "\n  %" + name + " = stablehlo.reshape %" + name + "s : (" + part +
         ") -> " + tensorType(matrix, element) + "\n";
}

// Returns a program that multiplies two slices, or an argument and a slice. The slices' starts are
// random: in bounds, too low, or too high.
static std::string product(const std::vector<int64_t> &lhs, const Stack &left,
                           const std::vector<int64_t> &rhs, const Stack &right,
                           const std::string &element, bool isTransposed = false) {
  std::string out = element == "i8" ? "i32" : "f32";
  int64_t m = lhs[0], n = rhs[isTransposed ? 0 : 1];
  std::string result = tensorType({m, n}, out);
  std::string body = "  %z = stablehlo.constant dense<0> : tensor<i32>\n"
                     "  %o = stablehlo.constant dense<1> : tensor<i32>\n" +
                     sliced("x", "%arg0", left, lhs, element) +
                     sliced("y", "%arg1", right, rhs, element) +
                     "  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [" +
                     std::to_string(isTransposed ? 1 : 0) + "] : (" + tensorType(lhs, element) +
                     ", " + tensorType(rhs, element) + ") -> " + result + "\n";
  return function({tensorType(left.shape, element), tensorType(right.shape, element), "tensor<i32>",
                   "tensor<i32>"},
                  result, body, "%d");
}

static void checkAll(const Checks &checks, const std::vector<std::array<int64_t, 3>> &sizes,
                     const std::vector<std::string> &elements) {
  for (const std::string &element : elements) {
    for (auto [m, n, k] : sizes) {
      Stack whole = {{m, k}, {m, k}, "%z, %z"};
      Stack layers = {{3, k, n}, {1, k, n}, "%arg2, %z, %z"};
      Stack transposed = {{5, n, k}, {1, n, k}, "%arg3, %z, %z"};
      Stack inside = {{k + 7, n + 19}, {k, n}, "%arg3, %arg2"};
      Stack inner = {{2, k, 4, n}, {1, k, 1, n}, "%o, %z, %arg3, %z"};
      Stack rows = {{4, m + 3, k}, {1, m, k}, "%arg2, %o, %z"};
      check(product({m, k}, whole, {k, n}, layers, element), checks);
      check(product({m, k}, rows, {n, k}, transposed, element, true), checks);
      check(product({m, k}, rows, {k, n}, inside, element), checks);
      check(product({m, k}, whole, {k, n}, inner, element), checks);
    }
  }
}

// Slices are multiplied on every target, with every algorithm, and are never copied first.
TEST(GemmSlices, AreReadWhereTheyLie) {
  int copies = 0;
  Checks checks;
  checks.said = "kind(loop)";
  checks.count = &copies;
  checkAll(checks, {{1, 70, 50}, {5, 64, 33}, {70, 48, 90}}, {"f32", "bf16", "i8"});
  for (std::string algorithm : {"gemv", "packed"}) {
    checks.forced = {"dot=" + algorithm};
    checkAll(checks, {{2, 64, 40}, {33, 130, 65}}, {"f32"});
  }
  checks.forced.clear();
  checks.targets = everyTarget.targets;
  checkAll(checks, {{3, 37, 65}, {20, 64, 40}}, {"f32", "f16"});
  EXPECT_EQ(copies, 0);
}

// A static stack is stored in panels if a single matrix would be stored in panels. Tests stacks as
// either operand, transposed or not, with padded blocks, and with one or two outer dimensions.
TEST(GemmSlices, StaticStacksLieInPanels) {
  int single = 0, stacked = 0;
  for (std::string element : {"f32", "bf16", "f16", "i8"}) {
    for (auto [m, n, k] : std::vector<std::array<int64_t, 3>>{{70, 48, 90}, {64, 90, 128}}) {
      Stack whole = {{m, k}, {m, k}, "%z, %z"};
      Checks checks;
      checks.targets = {"native", "avx2"};
      checks.forced = {"dot=packed"};
      checks.statics = {1};
      for (bool isTransposed : {false, true}) {
        int64_t rows = isTransposed ? n : k, columns = isTransposed ? k : n;
        checks.count = &single;
        check(matmul(m, n, k, false, isTransposed, element, element == "i8" ? "i32" : "f32"),
              checks);
        checks.count = &stacked;
        check(product({m, k}, whole, {rows, columns},
                      {{3, rows, columns}, {1, rows, columns}, "%arg2, %z, %z"}, element,
                      isTransposed),
              checks);
        check(product({m, k}, whole, {rows, columns},
                      {{2, 3, rows, columns}, {1, 1, rows, columns}, "%o, %arg3, %z, %z"}, element,
                      isTransposed),
              checks);
      }
      checks.statics = {0};
      checks.count = nullptr;
      check(product({m, k}, {{4, m, k}, {1, m, k}, "%arg2, %z, %z"}, {k, n},
                    {{k, n}, {k, n}, "%z, %z"}, element),
            checks);
    }
  }
  EXPECT_GT(single, 8);
  EXPECT_EQ(stacked, 2 * single);
  // A slice of some of a matrix's columns is read in place, too, but its stack isn't stored in
  // panels.
  int others = 0;
  Checks checks;
  checks.statics = {1};
  checks.count = &others;
  check(product({64, 40}, {{64, 40}, {64, 40}, "%z, %z"}, {40, 64},
                {{3, 40, 100}, {1, 40, 64}, "%arg2, %z, %arg3"}, "f32"),
        checks);
  EXPECT_EQ(others, 0);
}

// In forward and backward loops over the layers of a network, no slice is copied before the GEMM.
TEST(GemmSlices, LoopsOverLayers) {
  std::string text = R"(
func.func @main(%x: tensor<6x32xf32>, %w: tensor<5x32x32xf32>, %b: tensor<5x32xf32>) -> (tensor<6x32xf32>, tensor<6x32xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %four = stablehlo.constant dense<4> : tensor<i32>
  %f:2 = stablehlo.while(%i = %zero, %h = %x) : tensor<i32>, tensor<6x32xf32>
  cond {
    %c = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %s = stablehlo.dynamic_slice %w, %i, %zero, %zero, sizes = [1, 32, 32] : (tensor<5x32x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x32xf32>
    %m = stablehlo.reshape %s : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
    %t = stablehlo.dynamic_slice %b, %i, %zero, sizes = [1, 32] : (tensor<5x32xf32>, tensor<i32>, tensor<i32>) -> tensor<1x32xf32>
    %r = stablehlo.reshape %t : (tensor<1x32xf32>) -> tensor<32xf32>
    %bias = stablehlo.broadcast_in_dim %r, dims = [1] : (tensor<32xf32>) -> tensor<6x32xf32>
    %d = stablehlo.dot_general %h, %m, contracting_dims = [1] x [0] : (tensor<6x32xf32>, tensor<32x32xf32>) -> tensor<6x32xf32>
    %a = stablehlo.add %d, %bias : tensor<6x32xf32>
    %n = stablehlo.tanh %a : tensor<6x32xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %n : tensor<i32>, tensor<6x32xf32>
  }
  %g:2 = stablehlo.while(%i = %zero, %h = %f#1) : tensor<i32>, tensor<6x32xf32>
  cond {
    %c = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %k = stablehlo.subtract %four, %i : tensor<i32>
    %s = stablehlo.dynamic_slice %w, %k, %zero, %zero, sizes = [1, 32, 32] : (tensor<5x32x32xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x32x32xf32>
    %m = stablehlo.reshape %s : (tensor<1x32x32xf32>) -> tensor<32x32xf32>
    %d = stablehlo.dot_general %h, %m, contracting_dims = [1] x [1] : (tensor<6x32xf32>, tensor<32x32xf32>) -> tensor<6x32xf32>
    %n = stablehlo.tanh %d : tensor<6x32xf32>
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %n : tensor<i32>, tensor<6x32xf32>
  }
  return %f#1, %g#1 : tensor<6x32xf32>, tensor<6x32xf32>
})";
  int direct = 0;
  Checks checks = everyTarget;
  checks.count = &direct;
  checks.said = "kind(gemm)";
  check(text, checks);
  int copies = 0;
  checks.count = &copies;
  checks.said = "-> tensor<1x32x32xf32>\n    plan.yield";
  check(text, checks);
  EXPECT_GT(direct, 0);
  EXPECT_EQ(copies, 0);
}

// A loop also writes to the stack. The slice is copied first if a GEMM that reads the stack
// directly would keep the stack alive while one of the stack's layers is overwritten.
TEST(GemmSlices, StacksThatAreWrittenTo) {
  for (bool isWrittenFirst : {false, true}) {
    std::string read = "    %s = stablehlo.dynamic_slice %w, %i, %zero, %zero, sizes = [1, 8, 8] : "
                       "(tensor<5x8x8xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> "
                       "tensor<1x8x8xf32>\n    %m = stablehlo.reshape %s : (tensor<1x8x8xf32>) -> "
                       "tensor<8x8xf32>\n";
    std::string multiply = "    %d = stablehlo.dot_general %h, %m, contracting_dims = [1] x [0] : "
                           "(tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>\n";
    std::string write = "    %u = stablehlo.reshape %h : (tensor<8x8xf32>) -> tensor<1x8x8xf32>\n"
                        "    %v = stablehlo.dynamic_update_slice %w, %u, %i, %zero, %zero : "
                        "(tensor<5x8x8xf32>, tensor<1x8x8xf32>, tensor<i32>, tensor<i32>, "
                        "tensor<i32>) -> tensor<5x8x8xf32>\n";
    std::string body = isWrittenFirst ? read + write + multiply : read + multiply + write;
    check(R"(
func.func @main(%x: tensor<8x8xf32>, %ws: tensor<5x8x8xf32>) -> (tensor<8x8xf32>, tensor<5x8x8xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %five = stablehlo.constant dense<5> : tensor<i32>
  %f:3 = stablehlo.while(%i = %zero, %h = %x, %w = %ws) : tensor<i32>, tensor<8x8xf32>, tensor<5x8x8xf32>
  cond {
    %c = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
)" + body + R"(
    %j = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %j, %d, %v : tensor<i32>, tensor<8x8xf32>, tensor<5x8x8xf32>
  }
  return %f#1, %f#2 : tensor<8x8xf32>, tensor<5x8x8xf32>
})",
          everyTarget);
  }
}
