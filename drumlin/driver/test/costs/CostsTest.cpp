// Compares the costs of programs, after each phase, with a count that evaluates every element.
#include "../TestProgram.h"
#include "BruteForce.h"
#include "drumlin/driver/Compiler.h"
#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"

#include "drumlin/ir/costs/ProgramCost.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <set>

#include <map>

using namespace mlir;

namespace drumlin {

struct Case {
  const char *name;
  const char *text;
};

// The body of each reduction has one operation, so that a combination of two elements is one FLOP.
static const Case cases[] = {
    {"Pointwise", R"(
func.func @main(%x: tensor<6x16xf32>, %y: tensor<6x16xf32>) -> tensor<6x16xf32> {
  %0 = stablehlo.add %x, %y : tensor<6x16xf32>
  %1 = stablehlo.tanh %0 : tensor<6x16xf32>
  return %1 : tensor<6x16xf32>
})"},
    // Both users of %0 read it at the same index.
    {"Diamond", R"(
func.func @main(%x: tensor<6x16xf32>) -> tensor<6x16xf32> {
  %0 = stablehlo.exponential %x : tensor<6x16xf32>
  %1 = stablehlo.negate %0 : tensor<6x16xf32>
  %2 = stablehlo.tanh %0 : tensor<6x16xf32>
  %3 = stablehlo.add %1, %2 : tensor<6x16xf32>
  %4 = stablehlo.multiply %3, %3 : tensor<6x16xf32>
  return %4 : tensor<6x16xf32>
})"},
    // The value is read at two indices.
    {"ReversedToo", R"(
func.func @main(%x: tensor<6x16xf32>) -> tensor<6x16xf32> {
  %0 = stablehlo.negate %x : tensor<6x16xf32>
  %1 = stablehlo.reverse %0, dims = [1] : tensor<6x16xf32>
  %2 = stablehlo.add %0, %1 : tensor<6x16xf32>
  return %2 : tensor<6x16xf32>
})"},
    {"TransposedToo", R"(
func.func @main(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = stablehlo.add %0, %x : tensor<16x16xf32>
  return %1 : tensor<16x16xf32>
})"},
    // The negation counts once per row.
    {"Rows", R"(
func.func @main(%x: tensor<6x16xf32>, %y: tensor<6xf32>) -> tensor<6x16xf32> {
  %0 = stablehlo.negate %y : tensor<6xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<6xf32>) -> tensor<6x16xf32>
  %2 = stablehlo.multiply %x, %1 : tensor<6x16xf32>
  return %2 : tensor<6x16xf32>
})"},
    // The negation counts once per element, since rows are too short for a traversal by rows.
    {"ShortRows", R"(
func.func @main(%x: tensor<6x8xf32>, %y: tensor<6xf32>) -> tensor<6x8xf32> {
  %0 = stablehlo.negate %y : tensor<6xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<6xf32>) -> tensor<6x8xf32>
  %2 = stablehlo.multiply %x, %1 : tensor<6x8xf32>
  return %2 : tensor<6x8xf32>
})"},
    {"Columns", R"(
func.func @main(%x: tensor<4x16xf32>, %y: tensor<16xf32>) -> tensor<4x16xf32> {
  %0 = stablehlo.negate %y : tensor<16xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [1] : (tensor<16xf32>) -> tensor<4x16xf32>
  %2 = stablehlo.multiply %x, %1 : tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
})"},
    // The scalar is computed once per kernel.
    {"Scalar", R"(
func.func @main(%x: tensor<4x16xf32>, %y: tensor<f32>) -> tensor<4x16xf32> {
  %0 = stablehlo.exponential %y : tensor<f32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<4x16xf32>
  %2 = stablehlo.multiply %x, %1 : tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
})"},
    {"Softmax", R"(
func.func @main(%x: tensor<6x16xf32>) -> tensor<6x16xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<6x16xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<6xf32>) -> tensor<6x16xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<6x16xf32>
  %3 = stablehlo.exponential %2 : tensor<6x16xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x16xf32>, tensor<f32>) -> tensor<6xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<6xf32>) -> tensor<6x16xf32>
  %6 = stablehlo.divide %3, %5 : tensor<6x16xf32>
  return %6 : tensor<6x16xf32>
})"},
    // The kernel stores the exponentials of each row.
    {"SoftmaxOfLongRows", R"(
func.func @main(%x: tensor<6x40xf32>) -> tensor<6x40xf32> {
  %low = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.reduce(%x init: %low) applies stablehlo.maximum across dimensions = [1] : (tensor<6x40xf32>, tensor<f32>) -> tensor<6xf32>
  %1 = stablehlo.broadcast_in_dim %0, dims = [0] : (tensor<6xf32>) -> tensor<6x40xf32>
  %2 = stablehlo.subtract %x, %1 : tensor<6x40xf32>
  %3 = stablehlo.exponential %2 : tensor<6x40xf32>
  %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x40xf32>, tensor<f32>) -> tensor<6xf32>
  %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<6xf32>) -> tensor<6x40xf32>
  %6 = stablehlo.divide %3, %5 : tensor<6x40xf32>
  return %6 : tensor<6x40xf32>
})"},
    // The kernel stores the rows of two values. The second value is computed from the first.
    {"RowsOfRows", R"(
func.func @main(%x: tensor<6x40xf32>) -> (tensor<6x40xf32>, tensor<6x40xf32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.tanh %x : tensor<6x40xf32>
  %1 = stablehlo.reduce(%0 init: %zero) applies stablehlo.maximum across dimensions = [1] : (tensor<6x40xf32>, tensor<f32>) -> tensor<6xf32>
  %2 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<6xf32>) -> tensor<6x40xf32>
  %3 = stablehlo.subtract %0, %2 : tensor<6x40xf32>
  %4 = stablehlo.exponential %3 : tensor<6x40xf32>
  %5 = stablehlo.reduce(%4 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x40xf32>, tensor<f32>) -> tensor<6xf32>
  %6 = stablehlo.broadcast_in_dim %5, dims = [0] : (tensor<6xf32>) -> tensor<6x40xf32>
  %7 = stablehlo.divide %4, %6 : tensor<6x40xf32>
  return %7, %4 : tensor<6x40xf32>, tensor<6x40xf32>
})"},
    // The kernel stores the polynomial's values, since computing them twice is too expensive.
    {"RowsOfPolynomials", R"(
func.func @main(%x: tensor<6x40xf32>) -> tensor<6x40xf32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.multiply %x, %x : tensor<6x40xf32>
  %1 = stablehlo.add %0, %x : tensor<6x40xf32>
  %2 = stablehlo.divide %1, %0 : tensor<6x40xf32>
  %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [1] : (tensor<6x40xf32>, tensor<f32>) -> tensor<6xf32>
  %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<6xf32>) -> tensor<6x40xf32>
  %5 = stablehlo.multiply %2, %4 : tensor<6x40xf32>
  return %5 : tensor<6x40xf32>
})"},
    {"SumOfSquares", R"(
func.func @main(%x: tensor<5x7xbf16>) -> tensor<f32> {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.convert %x : (tensor<5x7xbf16>) -> tensor<5x7xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<5x7xf32>
  %2 = stablehlo.reduce(%1 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x7xf32>, tensor<f32>) -> tensor<f32>
  return %2 : tensor<f32>
})"},
    {"SlicesOfOneValue", R"(
func.func @main(%x: tensor<6x16xf32>) -> (tensor<2x16xf32>, tensor<3x16xf32>) {
  %0 = stablehlo.negate %x : tensor<6x16xf32>
  %1 = stablehlo.slice %0 [0:2, 0:16] : (tensor<6x16xf32>) -> tensor<2x16xf32>
  %2 = stablehlo.slice %0 [3:6, 0:16] : (tensor<6x16xf32>) -> tensor<3x16xf32>
  %3 = stablehlo.tanh %1 : tensor<2x16xf32>
  %4 = stablehlo.tanh %2 : tensor<3x16xf32>
  return %3, %4 : tensor<2x16xf32>, tensor<3x16xf32>
})"},
    {"SliceOfAnArgument", R"(
func.func @main(%x: tensor<6x16xf32>) -> tensor<2x8xf32> {
  %0 = stablehlo.slice %x [1:5:2, 0:8] : (tensor<6x16xf32>) -> tensor<2x8xf32>
  %1 = stablehlo.negate %0 : tensor<2x8xf32>
  return %1 : tensor<2x8xf32>
})"},
    {"RootInMemoryToo", R"(
func.func @main(%x: tensor<6x16xf32>) -> (tensor<6x16xf32>, tensor<6x16xf32>) {
  %0 = stablehlo.negate %x : tensor<6x16xf32>
  %1 = stablehlo.tanh %0 : tensor<6x16xf32>
  return %0, %1 : tensor<6x16xf32>, tensor<6x16xf32>
})"},
    {"Upcasts", R"(
func.func @main(%x: tensor<6x16xf8E4M3FN>) -> tensor<6x16xbf16> {
  %0 = stablehlo.convert %x : (tensor<6x16xf8E4M3FN>) -> tensor<6x16xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<6x16xf32>
  %2 = stablehlo.convert %1 : (tensor<6x16xf32>) -> tensor<6x16xbf16>
  return %2 : tensor<6x16xbf16>
})"},
    {"Dot", R"(
func.func @main(%x: tensor<5x7xf32>, %y: tensor<7x9xf32>) -> tensor<5x9xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<5x7xf32>, tensor<7x9xf32>) -> tensor<5x9xf32>
  return %0 : tensor<5x9xf32>
})"},
    // A prologue of upcasts and a scale, an epilogue, and a sum of the result.
    {"ScaledDot", R"(
func.func @main(%x: tensor<5x7xbf16>, %s: tensor<f32>, %y: tensor<9x7xbf16>) -> (tensor<5x9xf32>, tensor<f32>) {
  %zero = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.convert %x : (tensor<5x7xbf16>) -> tensor<5x7xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [] : (tensor<f32>) -> tensor<5x7xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<5x7xf32>
  %3 = stablehlo.convert %y : (tensor<9x7xbf16>) -> tensor<9x7xf32>
  %4 = stablehlo.dot_general %2, %3, contracting_dims = [1] x [1] : (tensor<5x7xf32>, tensor<9x7xf32>) -> tensor<5x9xf32>
  %5 = stablehlo.tanh %4 : tensor<5x9xf32>
  %6 = stablehlo.reduce(%5 init: %zero) applies stablehlo.add across dimensions = [0, 1] : (tensor<5x9xf32>, tensor<f32>) -> tensor<f32>
  return %5, %6 : tensor<5x9xf32>, tensor<f32>
})"},
    {"BatchedDot", R"(
func.func @main(%x: tensor<3x5x7xf32>, %y: tensor<3x9x7xf32>) -> tensor<3x5x9xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<3x5x7xf32>, tensor<3x9x7xf32>) -> tensor<3x5x9xf32>
  %1 = stablehlo.negate %0 : tensor<3x5x9xf32>
  return %1 : tensor<3x5x9xf32>
})"},
    // Padding, strides and both dilations add multiplications by zeros.
    {"PaddedConvolution", R"(
func.func @main(%x: tensor<2x7x9x3xf32>, %y: tensor<3x3x3x4xf32>) -> tensor<2x4x9x4xf32> {
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 1], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<2x7x9x3xf32>, tensor<3x3x3x4xf32>) -> tensor<2x4x9x4xf32>
  return %0 : tensor<2x4x9x4xf32>
})"},
    {"DilatedConvolution", R"(
func.func @main(%x: tensor<1x5x6x4xf32>, %y: tensor<2x3x2x4xf32>) -> tensor<1x10x10x4xf32> {
  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[2, 3], [1, 2]], lhs_dilate = [2, 2], rhs_dilate = [4, 2]} {batch_group_count = 1 : i64, feature_group_count = 2 : i64} : (tensor<1x5x6x4xf32>, tensor<2x3x2x4xf32>) -> tensor<1x10x10x4xf32>
  return %0 : tensor<1x10x10x4xf32>
})"},
    // Two calls of one function, one of them through another function.
    {"Calls", R"(
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = call @f(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %1 = call @g(%0) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %2 = stablehlo.tanh %1 : tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}
func.func private @f(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = call @g(%x) : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}
func.func private @g(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = stablehlo.negate %x : tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
})"},
    // A loop of five iterations that swaps two values, which are copied.
    {"SwappingLoop", R"(
func.func @main(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:3 = stablehlo.while(%i = %zero, %a = %x, %b = %y) : tensor<i32>, tensor<4x16xf32>, tensor<4x16xf32>
    cond {
      %five = stablehlo.constant dense<5> : tensor<i32>
      %p = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %c = stablehlo.tanh %a : tensor<4x16xf32>
      stablehlo.return %j, %b, %c : tensor<i32>, tensor<4x16xf32>, tensor<4x16xf32>
    }
  return %0#1, %0#2 : tensor<4x16xf32>, tensor<4x16xf32>
})"},
    {"Loop", R"(
func.func @main(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<4x16xf32>
    cond {
      %five = stablehlo.constant dense<5> : tensor<i32>
      %p = stablehlo.compare LT, %i, %five : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %one = stablehlo.constant dense<1> : tensor<i32>
      %j = stablehlo.add %i, %one : tensor<i32>
      %b = stablehlo.tanh %a : tensor<4x16xf32>
      %c = stablehlo.add %b, %x : tensor<4x16xf32>
      stablehlo.return %j, %c : tensor<i32>, tensor<4x16xf32>
    }
  return %0#1 : tensor<4x16xf32>
})"},
};

static bool widens(Operation *op) {
  auto convert = dyn_cast<stablehlo::ConvertOp>(op);
  return convert && getElementTypeOrSelf(convert.getOperand().getType()).getIntOrFloatBitWidth() <
                        getElementTypeOrSelf(convert.getResult().getType()).getIntOrFloatBitWidth();
}

// Adds the cost of an operation that was evaluated for this number of elements.
static void addEvaluations(Cost &cost, Operation *op, int64_t evaluations) {
  int64_t each = 0;
  if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
    each = elementsOf(reduce.getInputs().front()) / elementsOf(op->getResult(0));
  } else if (classify(op) == OperationClass::Pointwise) {
    each = 1;
  }
  if (widens(op)) {
    cost.upcastFlops += evaluations;
    return;
  }
  int64_t once = std::min(evaluations, elementsOf(op->getResult(0)));
  cost.elementFlops += once * each;
  cost.recomputeFlops += (evaluations - once) * each;
}

static void addContraction(Cost &cost, Operation *op, int64_t multiplyAdds) {
  int64_t terms = 1;
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(op)) {
    for (int64_t d : dot.getDotDimensionNumbers().getLhsContractingDimensions()) {
      terms *= shapeOf(dot.getLhs())[static_cast<size_t>(d)];
    }
  } else {
    // Each output feature sums over all input features and window positions.
    auto convolution = cast<stablehlo::ConvolutionOp>(op);
    int64_t features = shapeOf(convolution.getRhs())[static_cast<size_t>(
        convolution.getDimensionNumbers().getKernelOutputFeatureDimension())];
    terms = elementsOf(convolution.getRhs()) / features;
  }
  cost.matrixFlops += 2 * multiplyAdds;
  cost.padFlops += 2 * (elementsOf(op->getResult(0)) * terms - multiplyAdds);
}

namespace {
// Computes a whole program's costs by evaluation.
class BruteForce {
public:
  explicit BruteForce(ModuleOp module) : module(module) {}

  Cost run() {
    func::FuncOp main = module.lookupSymbol<func::FuncOp>("main");
    for (Value value : main.getBody().front().getTerminator()->getOperands()) {
      returned.insert(memoryOf(value).getAsOpaquePointer());
    }
    walk(main.getBody().front());
    return cost;
  }

private:
  static Value memoryOf(Value value) {
    while (isa_and_nonnull<stablehlo::ReshapeOp, plan::BitcastOp>(value.getDefiningOp())) {
      value = value.getDefiningOp()->getOperand(0);
    }
    return value;
  }

  void walk(Block &block) {
    for (Operation &op : block.without_terminator()) {
      if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
        // The test case's loop runs five times, and its condition six times.
        copyValues(loop, loop->getOperands());
        for (unsigned i = 0; i < loop->getNumOperands(); ++i) {
          Block &body = loop.getBody().front();
          if (memoryOf(body.getTerminator()->getOperand(i)) == body.getArgument(i)) {
            handed[body.getArgument(i).getAsOpaquePointer()] = loop->getOperand(i);
            handed[loop.getCond().front().getArgument(i).getAsOpaquePointer()] =
                loop->getOperand(i);
          }
        }
        for (int trip = 0; trip < 6; ++trip) {
          walk(loop.getCond().front());
        }
        for (int trip = 0; trip < 5; ++trip) {
          walk(loop.getBody().front());
        }
        for (int trip = 0; trip < 5; ++trip) {
          copyValues(loop, loop.getBody().front().getTerminator()->getOperands());
        }
      } else if (auto call = dyn_cast<func::CallOp>(op)) {
        walk(module.lookupSymbol<func::FuncOp>(call.getCallee()).getBody().front());
      } else if (!isa<stablehlo::ConstantOp, stablehlo::ReshapeOp, plan::BitcastOp>(op)) {
        visit(op);
      }
    }
  }

  void copyValues(stablehlo::WhileOp loop, ValueRange values) {
    for (auto [from, to] : llvm::zip(values, loop->getResults())) {
      if (loop->hasAttr(buffersAttribute) && bufferOf(from) != bufferOf(to)) {
        addRead(from, bytesOf(to));
        addWritten(to, bytesOf(to));
      }
    }
  }

  void addRead(Value value, int64_t bytes) {
    Value memory = memoryOf(value);
    // A loop argument that the loop doesn't change is the value that was passed to the loop.
    while (handed.contains(memory.getAsOpaquePointer())) {
      memory = memoryOf(handed.at(memory.getAsOpaquePointer()));
    }
    func::FuncOp main = module.lookupSymbol<func::FuncOp>("main");
    bool isInput = isa_and_nonnull<stablehlo::ConstantOp>(memory.getDefiningOp()) ||
                   (isa<BlockArgument>(memory) && memory.getParentBlock() == &main.front());
    int64_t none = 0;
    int64_t &left =
        isInput ? unread.try_emplace(memory.getAsOpaquePointer(), bytesOf(memory)).first->second
                : none;
    int64_t asked = std::min(left, bytes);
    left -= asked;
    cost.askedBytesRead += asked;
    cost.otherBytesRead += bytes - asked;
  }

  void addWritten(OpResult value, int64_t bytes) {
    bool isAsked = false;
    if (value.getOwner()->hasAttr(buffersAttribute)) {
      plan::BufferAttr buffer = bufferOf(value);
      isAsked = buffer.getKind() == plan::BufferKind::result &&
                written.insert("result " + std::to_string(buffer.getIndex())).second;
    } else {
      const void *memory = value.getAsOpaquePointer();
      isAsked = returned.count(memory) != 0 &&
                written.insert(std::to_string(reinterpret_cast<uintptr_t>(memory))).second;
    }
    (isAsked ? cost.askedBytesWritten : cost.otherBytesWritten) += bytes;
  }

  void visit(Operation &op) {
    std::vector<int64_t> reads;
    Block *region = nullptr;
    if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
      region = &module.lookupSymbol<plan::KernelOp>(launch.getKernel()).getBody().front();
    } else if (plan::kernelKindOf(&op)) {
      region = &op.getRegion(0).front();
    }
    if (region) {
      BruteCounts counts = countByEvaluation(*region);
      for (auto [evaluated, times] : counts.evaluations) {
        addEvaluations(cost, evaluated, times);
      }
      for (auto [hero, times] : counts.multiplyAdds) {
        addContraction(cost, hero, times);
      }
      for (BlockArgument argument : region->getArguments()) {
        reads.push_back(static_cast<int64_t>(counts.inputs[argument.getArgNumber()].size()) *
                        (bytesOf(argument) / elementsOf(argument)));
      }
      countTransposes(*region);
    } else {
      visitAlone(op, reads);
    }
    for (auto [operand, bytes] : llvm::zip(op.getOperands(), reads)) {
      addRead(operand, bytes);
    }
    for (OpResult result : op.getResults()) {
      addWritten(result, bytesOf(result));
    }
  }

  void visitAlone(Operation &op, std::vector<int64_t> &reads) {
    if (isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op)) {
      addContraction(cost, &op, countMultiplyAdds(&op));
    } else {
      addEvaluations(cost, &op, elementsOf(op.getResult(0)));
    }
    for (Value operand : op.getOperands()) {
      bool takesSome = isa<stablehlo::SliceOp>(op);
      reads.push_back(takesSome ? bytesOf(op.getResult(0)) : bytesOf(operand));
    }
    if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
      cost.transposedBytes += bytesOf(op.getResult(0));
    }
  }

  void countTransposes(Block &region) {
    for (Operation &op : region) {
      cost.transposedBytes += isa<stablehlo::TransposeOp>(op) ? bytesOf(op.getResult(0)) : 0;
    }
  }

  ModuleOp module;
  Cost cost;
  std::set<const void *> returned;
  std::map<const void *, int64_t> unread; // bytes of each input that haven't been read yet
  std::map<const void *, Value> handed;   // values passed to loop arguments
  std::set<std::string> written;
};
} // namespace

static std::string text(const Cost &cost) {
  std::string made;
  for (const CostField &field : costFields) {
    made += std::string(field.name) + " " + std::to_string(cost.*field.field) + "\n";
  }
  return made;
}

class CostsTest : public testing::TestWithParam<std::tuple<Case, std::string>> {};

TEST_P(CostsTest, AreThoseOfAnEvaluation) {
  auto [each, phase] = GetParam();
  TestProgram test(each.text);
  ASSERT_TRUE(test.module);
  if (phase != "import") {
    CompileOptions options;
    options.stopAfter = phase;
    Status status = test.run(options);
    ASSERT_TRUE(status) << status.error().str();
  }
  // Additional data movement of tiles is counted while kernels run (CountersTest.cpp).
  test.module->walk([](Operation *op) { op->removeAttr(plan::scheduleAttribute); });
  PlanCost costs = planCost(*test.module);
  EXPECT_TRUE(costs.unknownLoops.empty());
  std::string program;
  llvm::raw_string_ostream(program) << *test.module;
  EXPECT_EQ(text(costs.total), text(BruteForce(*test.module).run())) << program;
}

// Each iteration of a scan reads a different layer of a stacked weight, in a function, as in JAX's
// programs. A table is read by rows, then completely.
TEST(Costs, EachByteOfAnArgumentIsAskedForOnce) {
  std::pair<const char *, int64_t> programs[] = {{R"(
    func.func @main(%x: tensor<1x64xf32>, %ws: tensor<8x64x64xf32>) -> tensor<1x64xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0:3 = stablehlo.while(%w = %ws, %i = %zero, %c = %x) : tensor<8x64x64xf32>, tensor<i32>, tensor<1x64xf32>
      cond {
        %n = stablehlo.constant dense<8> : tensor<i32>
        %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %1 = func.call @layer(%c, %w, %i) : (tensor<1x64xf32>, tensor<8x64x64xf32>, tensor<i32>) -> tensor<1x64xf32>
        %2 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %w, %2, %1 : tensor<8x64x64xf32>, tensor<i32>, tensor<1x64xf32>
      }
      return %0#2 : tensor<1x64xf32>
    }
    func.func private @layer(%x: tensor<1x64xf32>, %ws: tensor<8x64x64xf32>, %i: tensor<i32>) -> tensor<1x64xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.dynamic_slice %ws, %i, %zero, %zero, sizes = [1, 64, 64] : (tensor<8x64x64xf32>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x64x64xf32>
      %1 = stablehlo.reshape %0 : (tensor<1x64x64xf32>) -> tensor<64x64xf32>
      %2 = stablehlo.dot_general %x, %1, contracting_dims = [1] x [0] : (tensor<1x64xf32>, tensor<64x64xf32>) -> tensor<1x64xf32>
      %3 = stablehlo.tanh %2 : tensor<1x64xf32>
      return %3 : tensor<1x64xf32>
    })",
                                                  8 * 64 * 64 * 4},
                                                 {R"(
    func.func @main(%i: tensor<4xi32>, %w: tensor<100x64xf32>) -> tensor<4x100xf32> {
      %0 = "stablehlo.gather"(%w, %i) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
          index_vector_dim = 1>, slice_sizes = array<i64: 1, 64>} : (tensor<100x64xf32>, tensor<4xi32>) -> tensor<4x64xf32>
      %1 = stablehlo.dot_general %0, %w, contracting_dims = [1] x [1] : (tensor<4x64xf32>, tensor<100x64xf32>) -> tensor<4x100xf32>
      return %1 : tensor<4x100xf32>
    })",
                                                  (100 * 64 + 4) * 4}};
  for (const auto &[text, bytes] : programs) {
    for (const char *phase : {"import", "simplify", "fusion", "layout", ""}) {
      TestProgram test(text);
      ASSERT_TRUE(test.module);
      CompileOptions options;
      options.stopAfter = phase;
      if (std::string_view(phase) != "import") {
        Status status = test.run(options);
        ASSERT_TRUE(status) << status.error().str();
      }
      Cost total = planCost(*test.module).total;
      // Constants count, too. A loop's initial values count if they have memory.
      EXPECT_GE(total.askedBytesRead, bytes) << phase;
      EXPECT_LE(total.askedBytesRead, bytes + 512) << phase;
    }
  }
}

// Of several branches, only the one that moves the most data counts, even if the branches are in a
// loop or in another branch. Inputs that several branches read count once.
TEST(Costs, OfBranchesThatWhichMovesMostCounts) {
  auto sumOf = [](const char *value, int size) {
    return llvm::formatv(R"(
      %c = stablehlo.constant dense<0.0> : tensor<f32>
      %s = stablehlo.reduce({0} init: %c) applies stablehlo.add across dimensions = [0] : (tensor<{1}xf32>, tensor<f32>) -> tensor<f32>
      stablehlo.return %s : tensor<f32>)",
                         value, size)
        .str();
  };
  auto choice = [](const std::string &result, const std::string &first, const std::string &second) {
    return result + R"( = "stablehlo.case"(%i) ({)" + first + "\n}, {" + second +
           "\n}) : (tensor<i32>) -> tensor<f32>";
  };
  std::string inner =
      choice("%n", sumOf("%x", 1000), sumOf("%z", 2000)) + "\n stablehlo.return %n : tensor<f32>";
  std::string text = R"(
    func.func @main(%i: tensor<i32>, %x: tensor<1000xf32>, %y: tensor<4000xf32>, %z: tensor<2000xf32>) -> (tensor<f32>, tensor<f32>) {
      )" + choice("%r", inner, sumOf("%y", 4000)) +
                     choice("%t", sumOf("%x", 1000), sumOf("%y", 4000)) +
                     "\n return %r, %t : tensor<f32>, tensor<f32>\n}";
  for (const char *phase : {"simplify", "fusion", "layout", ""}) {
    SCOPED_TRACE(phase);
    TestProgram test(text);
    ASSERT_TRUE(test.module) << text;
    CompileOptions options;
    options.stopAfter = phase;
    Status status = test.run(options);
    ASSERT_TRUE(status) << status.error().str();
    PlanCost costs = planCost(*test.module);
    // In both `case` operations, only the larger branch counts. The second `case` reads the same
    // data again.
    EXPECT_EQ(costs.total.elementFlops, 2 * 4000);
    EXPECT_NEAR(static_cast<double>(costs.total.askedBytesRead), 4 * 4000, 64);
    EXPECT_NEAR(static_cast<double>(costs.total.bytes()), 2 * 4 * 4000, 128);
    EXPECT_NEAR(static_cast<double>(costs.expectedBytes),
                4 * ((1000 + 2000) / 4.0 + 4000 / 2.0 + (1000 + 4000) / 2.0), 128);
  }
}

// For accesses at arbitrary indices, compares the expected number of distinct bytes with the
// average over random indices.
TEST(Costs, ExpectedBytesAreThoseOfRandomIndices) {
  std::mt19937 random(7);
  for (auto [places, parts] : {std::pair(64, 1), {64, 16}, {64, 64}, {64, 400}, {1, 3}}) {
    SCOPED_TRACE(std::to_string(parts) + " of " + std::to_string(places));
    const int runs = 2000;
    int64_t distinct = 0;
    std::uniform_int_distribution<int> anywhere(0, places - 1);
    for (int run = 0; run < runs; ++run) {
      std::set<int> named;
      for (int part = 0; part < parts; ++part) {
        named.insert(anywhere(random));
      }
      distinct += static_cast<int64_t>(named.size());
    }
    double rows = static_cast<double>(distinct) / runs * 32 * 4;
    double most = std::min(places, parts) * 32 * 4, all = parts * 32 * 4, indices = parts * 4;
    std::string gather = llvm::formatv(R"(
    func.func @main(%i: tensor<{1}xi32>, %w: tensor<{0}x32xf32>) -> tensor<{1}x32xf32> {{
      %0 = "stablehlo.gather"(%w, %i) {{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
          index_vector_dim = 1>, slice_sizes = array<i64: 1, 32>} : (tensor<{0}x32xf32>, tensor<{1}xi32>) -> tensor<{1}x32xf32>
      return %0 : tensor<{1}x32xf32>
    })",
                                       places, parts);
    std::string scatter = llvm::formatv(R"(
    func.func @main(%i: tensor<{1}x1xi32>, %u: tensor<{1}x32xf32>, %w: tensor<{0}x32xf32> {{tf.aliasing_output = 0 : i32}) -> tensor<{0}x32xf32> {{
      %0 = "stablehlo.scatter"(%w, %i, %u) ({{
        ^bb0(%a: tensor<f32>, %b: tensor<f32>):
          %s = stablehlo.add %a, %b : tensor<f32>
          stablehlo.return %s : tensor<f32>
      }) {{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0],
          scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<{0}x32xf32>, tensor<{1}x1xi32>, tensor<{1}x32xf32>) -> tensor<{0}x32xf32>
      return %0 : tensor<{0}x32xf32>
    })",
                                        places, parts);
    for (const auto &[text, moved, times] :
         {std::tuple(gather, all + indices, 1), {scatter, all + indices, 2}}) {
      TestProgram test(text);
      ASSERT_TRUE(test.module) << text;
      CompileOptions options;
      options.disabledPasses = {"widen-scatter"};
      Status status = test.run(options);
      ASSERT_TRUE(status) << status.error().str();
      PlanCost costs = planCost(*test.module);
      EXPECT_NEAR(static_cast<double>(costs.expectedBytes), moved + times * rows, 0.02 * rows + 1);
      EXPECT_NEAR(static_cast<double>(costs.total.bytes()), moved + times * most, 1);
    }
  }
}

// Below -O2, the costs of kernels are computed before buffers are assigned. Once buffers are
// assigned, a slice may be updated in place, which costs less.
TEST(Costs, OfKernelsThatWerePricedBeforeAreThoseOfThePlan) {
  TestProgram test(R"(
    func.func @main(%x: tensor<64x64xf32>, %u: tensor<1x64xf32>, %i: tensor<i32>) -> tensor<64x64xf32> {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %1 = stablehlo.dynamic_update_slice %0, %u, %i, %zero : (tensor<64x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<64x64xf32>
      return %1 : tensor<64x64xf32>
    })");
  ASSERT_TRUE(test.module);
  CompileOptions options;
  options.level = 1;
  Result<Compilation> made = compile(*test.module, "test", options);
  ASSERT_TRUE(made) << made.error().str();
  EXPECT_FALSE(made->phases.kernelCosts.empty());
  EXPECT_EQ(text(made->costs.total), text(planCost(*test.module).total));
}

static std::vector<std::string> forms() {
  std::vector<std::string> names = {"import"};
  names.insert(names.end(), phaseNames().begin(), phaseNames().end());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Programs, CostsTest,
                         testing::Combine(testing::ValuesIn(cases), testing::ValuesIn(forms())),
                         [](const auto &info) {
                           return std::string(std::get<0>(info.param).name) + "_" +
                                  std::get<1>(info.param);
                         });

} // namespace drumlin
