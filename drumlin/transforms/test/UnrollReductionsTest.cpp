// Tests that short reductions and dots give the same numbers after they become elementwise
// operations.
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/transforms/rewrite/Passes.h"
#include "drumlin/transforms/test/ExpectSame.h"

using namespace drumlin;

namespace {
struct Case {
  const char *name, *text;
  std::vector<Tensor> arguments;
  int64_t left; // reductions and dots that remain
};
} // namespace

static Tensor f32(const Shape &shape, uint64_t seed) {
  return wholeNumbers(ElementType::F32, shape, seed);
}

static std::vector<Case> cases() {
  return {
      {"sum",
       "func.func @main(%x: tensor<300x3xf32>) -> tensor<300xf32> {\n"
       "  %z = stablehlo.constant dense<1.0> : tensor<f32>\n"
       "  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : "
       "(tensor<300x3xf32>, tensor<f32>) -> tensor<300xf32>\n"
       "  return %r : tensor<300xf32>\n}\n",
       {f32({300, 3}, 1)},
       0},
      {"the innermost and the outermost dimension, in another order",
       "func.func @main(%x: tensor<2x300x4xf32>) -> tensor<300xf32> {\n"
       "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
       "  %r = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [2, 0] "
       ": "
       "(tensor<2x300x4xf32>, tensor<f32>) -> tensor<300xf32>\n"
       "  return %r : tensor<300xf32>\n}\n",
       {f32({2, 300, 4}, 1)},
       0},
      {"narrow sum, kept in f32",
       "func.func @main(%x: tensor<300x8xbf16>) -> tensor<300xbf16> {\n"
       "  %z = stablehlo.constant dense<256.0> : tensor<bf16>\n"
       "  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : "
       "(tensor<300x8xbf16>, tensor<bf16>) -> tensor<300xbf16>\n"
       "  return %r : tensor<300xbf16>\n}\n",
       {wholeNumbers(ElementType::BF16, {300, 8}, 1)},
       0},
      {"a body of several operations, in order",
       "func.func @main(%x: tensor<300x5xf32>) -> tensor<300xf32> {\n"
       "  %z = stablehlo.constant dense<1.0> : tensor<f32>\n"
       "  %r = stablehlo.reduce(%x init: %z) across dimensions = [1] : (tensor<300x5xf32>, "
       "tensor<f32>) -> tensor<300xf32>\n"
       "   reducer(%a: tensor<f32>, %b: tensor<f32>) {\n"
       "    %two = stablehlo.constant dense<2.0> : tensor<f32>\n"
       "    %m = stablehlo.multiply %a, %two : tensor<f32>\n"
       "    %s = stablehlo.subtract %m, %b : tensor<f32>\n"
       "    stablehlo.return %s : tensor<f32>\n  }\n"
       "  return %r : tensor<300xf32>\n}\n",
       {f32({300, 5}, 1)},
       0},
      {"argmax",
       "func.func @main(%x: tensor<300x6xf32>) -> (tensor<300xf32>, tensor<300xi32>) {\n"
       "  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
       "  %n = stablehlo.constant dense<0> : tensor<i32>\n"
       "  %i = stablehlo.iota dim = 1 : tensor<300x6xi32>\n"
       "  %r:2 = stablehlo.reduce(%x init: %z), (%i init: %n) across dimensions = [1] : "
       "(tensor<300x6xf32>, tensor<300x6xi32>, tensor<f32>, tensor<i32>) -> (tensor<300xf32>, "
       "tensor<300xi32>)\n"
       "   reducer(%a: tensor<f32>, %b: tensor<f32>) (%p: tensor<i32>, %q: tensor<i32>) {\n"
       "    %g = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>\n"
       "    %s = stablehlo.select %g, %a, %b : tensor<i1>, tensor<f32>\n"
       "    %t = stablehlo.select %g, %p, %q : tensor<i1>, tensor<i32>\n"
       "    stablehlo.return %s, %t : tensor<f32>, tensor<i32>\n  }\n"
       "  return %r#0, %r#1 : tensor<300xf32>, tensor<300xi32>\n}\n",
       {f32({300, 6}, 1)},
       0},
      {"a dot that is reduced",
       "func.func @main(%x: tensor<2x60x3xf32>, %y: tensor<3x2x70xf32>) -> tensor<2x60xf32> {\n"
       "  %z = stablehlo.constant dense<0x7F800000> : tensor<f32>\n"
       "  %d = stablehlo.dot_general %x, %y, batching_dims = [0] x [1], contracting_dims = [2] x "
       "[0] : (tensor<2x60x3xf32>, tensor<3x2x70xf32>) -> tensor<2x60x70xf32>\n"
       "  %n = stablehlo.negate %d : tensor<2x60x70xf32>\n"
       "  %r = stablehlo.reduce(%n init: %z) applies stablehlo.minimum across dimensions = [2] : "
       "(tensor<2x60x70xf32>, tensor<f32>) -> tensor<2x60xf32>\n"
       "  return %r : tensor<2x60xf32>\n}\n",
       {f32({2, 60, 3}, 1), f32({3, 2, 70}, 2)},
       1},
      {"a dot of more k elements, which are contiguous in the right operand",
       "func.func @main(%x: tensor<2x150x5xf32>, %y: tensor<2x170x5xf32>) -> tensor<2x170xf32> {\n"
       "  %z = stablehlo.constant dense<0x7F800000> : tensor<f32>\n"
       "  %d = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x "
       "[2] : (tensor<2x150x5xf32>, tensor<2x170x5xf32>) -> tensor<2x150x170xf32>\n"
       "  %r = stablehlo.reduce(%d init: %z) applies stablehlo.minimum across dimensions = [1] : "
       "(tensor<2x150x170xf32>, tensor<f32>) -> tensor<2x170xf32>\n"
       "  return %r : tensor<2x170xf32>\n}\n",
       {f32({2, 150, 5}, 1), f32({2, 170, 5}, 2)},
       1},
      {"a dot whose free dimensions precede batch and contracting dimensions",
       "func.func @main(%x: tensor<7x2x150xf32>, %y: tensor<20x9x2x7xf32>) -> tensor<2x150xf32> {\n"
       "  %z = stablehlo.constant dense<0x7F800000> : tensor<f32>\n"
       "  %d = stablehlo.dot_general %x, %y, batching_dims = [1] x [2], contracting_dims = [0] x "
       "[3] : (tensor<7x2x150xf32>, tensor<20x9x2x7xf32>) -> tensor<2x150x20x9xf32>\n"
       "  %r = stablehlo.reduce(%d init: %z) applies stablehlo.minimum across dimensions = [2, 3] "
       ": "
       "(tensor<2x150x20x9xf32>, tensor<f32>) -> tensor<2x150xf32>\n"
       "  return %r : tensor<2x150xf32>\n}\n",
       {f32({7, 2, 150}, 1), f32({20, 9, 2, 7}, 2)},
       1},
      {"squared distances of points with many coordinates",
       "func.func @main(%x: tensor<300x11xf32>, %y: tensor<200x11xf32>) -> tensor<300xf32> {\n"
       "  %n = stablehlo.constant dense<0.0> : tensor<f32>\n"
       "  %z = stablehlo.constant dense<0x7F800000> : tensor<f32>\n"
       "  %a = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<300x11xf32>) -> "
       "tensor<300x200x11xf32>\n"
       "  %b = stablehlo.broadcast_in_dim %y, dims = [1, 2] : (tensor<200x11xf32>) -> "
       "tensor<300x200x11xf32>\n"
       "  %c = stablehlo.subtract %a, %b : tensor<300x200x11xf32>\n"
       "  %d = stablehlo.multiply %c, %c : tensor<300x200x11xf32>\n"
       "  %e = stablehlo.reduce(%d init: %n) applies stablehlo.add across dimensions = [2] : "
       "(tensor<300x200x11xf32>, tensor<f32>) -> tensor<300x200xf32>\n"
       "  %r = stablehlo.reduce(%e init: %z) applies stablehlo.minimum across dimensions = [1] : "
       "(tensor<300x200xf32>, tensor<f32>) -> tensor<300xf32>\n"
       "  return %r : tensor<300xf32>\n}\n",
       {f32({300, 11}, 1), f32({200, 11}, 2)},
       1},
      // Not changed: distances that are stored, and a dot of more k elements whose result is read
      // again after its maximum.
      {"distances that are stored",
       "func.func @main(%x: tensor<300x11xf32>, %y: tensor<200x11xf32>) -> tensor<300x200xf32> {\n"
       "  %n = stablehlo.constant dense<0.0> : tensor<f32>\n"
       "  %a = stablehlo.broadcast_in_dim %x, dims = [0, 2] : (tensor<300x11xf32>) -> "
       "tensor<300x200x11xf32>\n"
       "  %b = stablehlo.broadcast_in_dim %y, dims = [1, 2] : (tensor<200x11xf32>) -> "
       "tensor<300x200x11xf32>\n"
       "  %c = stablehlo.subtract %a, %b : tensor<300x200x11xf32>\n"
       "  %e = stablehlo.reduce(%c init: %n) applies stablehlo.add across dimensions = [2] : "
       "(tensor<300x200x11xf32>, tensor<f32>) -> tensor<300x200xf32>\n"
       "  return %e : tensor<300x200xf32>\n}\n",
       {f32({300, 11}, 1), f32({200, 11}, 2)},
       1},
      {"a dot that is reduced to one number",
       "func.func @main(%x: tensor<300x5xf32>, %y: tensor<5x200xf32>) -> tensor<f32> {\n"
       "  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
       "  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<300x5xf32>, "
       "tensor<5x200xf32>) -> tensor<300x200xf32>\n"
       "  %m = stablehlo.reduce(%d init: %z) applies stablehlo.maximum across dimensions = [0, 1] "
       ": (tensor<300x200xf32>, tensor<f32>) -> tensor<f32>\n"
       "  return %m : tensor<f32>\n}\n",
       {f32({300, 5}, 1), f32({5, 200}, 2)},
       2},
      {"a dot that is reduced along each dimension",
       "func.func @main(%x: tensor<300x5xf32>, %y: tensor<5x200xf32>) -> (tensor<300xf32>, "
       "tensor<200xf32>) {\n"
       "  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
       "  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<300x5xf32>, "
       "tensor<5x200xf32>) -> tensor<300x200xf32>\n"
       "  %m = stablehlo.reduce(%d init: %z) applies stablehlo.maximum across dimensions = [1] "
       ": (tensor<300x200xf32>, tensor<f32>) -> tensor<300xf32>\n"
       "  %n = stablehlo.reduce(%d init: %z) applies stablehlo.maximum across dimensions = [0] "
       ": (tensor<300x200xf32>, tensor<f32>) -> tensor<200xf32>\n"
       "  return %m, %n : tensor<300xf32>, tensor<200xf32>\n}\n",
       {f32({300, 5}, 1), f32({5, 200}, 2)},
       3},
      {"a dot that is read again after a reduction",
       "func.func @main(%x: tensor<300x5xf32>, %y: tensor<5x200xf32>) -> tensor<300xf32> {\n"
       "  %n = stablehlo.constant dense<0.0> : tensor<f32>\n"
       "  %z = stablehlo.constant dense<0xFF800000> : tensor<f32>\n"
       "  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<300x5xf32>, "
       "tensor<5x200xf32>) -> tensor<300x200xf32>\n"
       "  %m = stablehlo.reduce(%d init: %z) applies stablehlo.maximum across dimensions = [1] : "
       "(tensor<300x200xf32>, tensor<f32>) -> tensor<300xf32>\n"
       "  %b = stablehlo.broadcast_in_dim %m, dims = [0] : (tensor<300xf32>) -> "
       "tensor<300x200xf32>\n"
       "  %c = stablehlo.subtract %d, %b : tensor<300x200xf32>\n"
       "  %r = stablehlo.reduce(%c init: %n) applies stablehlo.add across dimensions = [1] : "
       "(tensor<300x200xf32>, tensor<f32>) -> tensor<300xf32>\n"
       "  return %r : tensor<300xf32>\n}\n",
       {f32({300, 5}, 1), f32({5, 200}, 2)},
       3},
      // Not changed: a reduction of many elements, one along a dimension that isn't innermost, one
      // with few results, and a dot whose result is stored.
      {"many elements",
       "func.func @main(%x: tensor<300x9xf32>) -> tensor<300xf32> {\n"
       "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
       "  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : "
       "(tensor<300x9xf32>, tensor<f32>) -> tensor<300xf32>\n"
       "  return %r : tensor<300xf32>\n}\n",
       {f32({300, 9}, 1)},
       1},
      {"outer dimension",
       "func.func @main(%x: tensor<3x300xf32>) -> tensor<300xf32> {\n"
       "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
       "  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : "
       "(tensor<3x300xf32>, tensor<f32>) -> tensor<300xf32>\n"
       "  return %r : tensor<300xf32>\n}\n",
       {f32({3, 300}, 1)},
       1},
      {"few results",
       "func.func @main(%x: tensor<30x3xf32>) -> tensor<30xf32> {\n"
       "  %z = stablehlo.constant dense<0.0> : tensor<f32>\n"
       "  %r = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [1] : "
       "(tensor<30x3xf32>, tensor<f32>) -> tensor<30xf32>\n"
       "  return %r : tensor<30xf32>\n}\n",
       {f32({30, 3}, 1)},
       1},
      {"a dot that is stored",
       "func.func @main(%x: tensor<120x3xf32>, %y: tensor<3x70xf32>) -> (tensor<120x70xf32>, "
       "tensor<120xf32>) {\n"
       "  %z = stablehlo.constant dense<0x7F800000> : tensor<f32>\n"
       "  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<120x3xf32>, "
       "tensor<3x70xf32>) -> tensor<120x70xf32>\n"
       "  %r = stablehlo.reduce(%d init: %z) applies stablehlo.minimum across dimensions = [1] : "
       "(tensor<120x70xf32>, tensor<f32>) -> tensor<120xf32>\n"
       "  return %d, %r : tensor<120x70xf32>, tensor<120xf32>\n}\n",
       {f32({120, 3}, 1), f32({3, 70}, 2)},
       2},
  };
}

TEST(UnrollReductions, GiveTheSameNumbers) {
  for (const Case &each : cases()) {
    SCOPED_TRACE(each.name);
    Ledger ledger;
    expectSameAfter(
        each.text, each.arguments, [&] { return createUnrollReductionsPass(ledger); },
        [&](mlir::ModuleOp module) {
          int64_t left = 0;
          module.walk([&](mlir::Operation *op) {
            left += mlir::isa<stablehlo::ReduceOp, stablehlo::DotGeneralOp>(op) ? 1 : 0;
          });
          EXPECT_EQ(left, each.left);
        });
  }
}
