#include "BrokenPasses.h"

#include "drumlin/ir/plan/ArenaSlots.h"
#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/CopyOp.h"
#include "drumlin/ir/plan/GemmOp.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/LoopOp.h"
#include "drumlin/ir/plan/ScheduleAttributes.h"
#include "drumlin/ir/plan/SideBySide.h"
#include "drumlin/ir/plan/YieldOp.h"
#include "drumlin/ir/plan/loop/LoopSchedule.h"
#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/ClampOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/NegOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/ReverseOp.h"
#include "drumlin/ir/stablehlo/UniformQuantizeOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace drumlin {

template <typename Op> static Op first(ModuleOp module) {
  Op found;
  module.walk([&](Op op) {
    found = op;
    return WalkResult::interrupt();
  });
  return found;
}

// Inlines the first kernel's operations into the function.
static void takeApart(ModuleOp module) {
  Operation *kernel = nullptr;
  module.walk([&](Operation *op) { kernel = plan::kernelKindOf(op) && !kernel ? op : kernel; });
  OpBuilder builder(kernel);
  IRMapping mapping;
  Block &body = kernel->getRegion(0).front();
  mapping.map(body.getArguments(), kernel->getOperands());
  for (Operation &op : body.without_terminator()) {
    builder.clone(op, mapping);
  }
  for (auto [result, yielded] :
       llvm::zip(kernel->getResults(), body.getTerminator()->getOperands())) {
    result.replaceAllUsesWith(mapping.lookup(yielded));
  }
  kernel->erase();
}

static void setBuffers(Operation *op, ArrayRef<plan::BufferAttr> buffers) {
  SmallVector<Attribute> attributes(buffers.begin(), buffers.end());
  op->setAttr(buffersAttribute, ArrayAttr::get(op->getContext(), attributes));
}

static constexpr const char *negation = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
})";

static constexpr const char *gemmProgram = R"(
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = plan.gemm(%a = %x : tensor<4x4xf32>) -> (tensor<4x4xf32>) {
    %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    plan.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
})";

static constexpr const char *scheduledProgram = R"(
func.func @main(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = plan.gemm(%a = %x : tensor<4x4xf32>) -> (tensor<4x4xf32>) attributes {plan.schedule = #plan.gemm<gemv, unit = fma, tile = [4, 4, 0], side_by_side = 4>} {
    %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    plan.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
})";

static constexpr const char *loopProgram = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = plan.loop(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    %1 = stablehlo.negate %a : tensor<4xf32>
    plan.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
})";

static constexpr const char *outlinedProgram = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = plan.launch @negate(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = plan.launch @abs(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
plan.kernel @negate kind(loop) key("1") (%a: tensor<4xf32>) {
  %0 = stablehlo.negate %a : tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}
plan.kernel @abs kind(loop) key("2") (%a: tensor<4xf32>) {
  %0 = stablehlo.abs %a : tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
})";

static constexpr const char *sortProgram = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = plan.sort(%a = %x : tensor<4xf32>) -> (tensor<4xf32>) {
    %1 = "stablehlo.sort"(%a) ({
    ^bb0(%l: tensor<f32>, %r: tensor<f32>):
      %2 = stablehlo.compare LT, %l, %r : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %2 : tensor<i1>
    }) {dimension = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    plan.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
})";

static constexpr const char *placedConstant = R"(
func.func @main() -> tensor<4xf32> attributes {plan.arena_bytes = 0 : i64} {
  %0 = stablehlo.constant {buffers = [#plan.buffer<weight, 0, 0, 16>]} dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = plan.copy %0 reason("output") {buffers = [#plan.buffer<result, 0, 0, 16>]} : tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
})";

// A kernel that only transposes x.
static constexpr const char *transposingProgram = R"(
plan.kernel @turn kind(loop) key("t") (%a: tensor<4x2xf32>) {
  %0 = stablehlo.transpose %a, dims = [1, 0] : (tensor<4x2xf32>) -> tensor<2x4xf32>
  plan.yield %0 : tensor<2x4xf32>
}
func.func @main(%x: tensor<4x2xf32>) -> tensor<2x4xf32> {
  %0 = plan.launch @turn(%x) : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
})";

// One kernel with two results.
static constexpr const char *placedResults = R"(
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {plan.arena_bytes = 0 : i64} {
  %0:2 = plan.launch @both(%x) {buffers = [#plan.buffer<result, 0, 0, 16>, #plan.buffer<result, 1, 0, 16>]} : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
plan.kernel @both kind(loop) key("b") (%a: tensor<4xf32>) {
  %0 = stablehlo.negate %a : tensor<4xf32>
  %1 = stablehlo.abs %a : tensor<4xf32>
  plan.yield %0, %1 : tensor<4xf32>, tensor<4xf32>
})";

// x · x, for a value x without later users.
static constexpr const char *placedProduct = R"(
func.func @main(%x: tensor<2x2xf32>) -> tensor<2x2xf32> attributes {plan.arena_bytes = 128 : i64} {
  %0 = plan.launch @negate(%x) {buffers = [#plan.buffer<arena, 0, 0, 16>]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %1 = plan.launch @multiply(%0) {buffers = [#plan.buffer<arena, 0, 64, 16>]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = plan.launch @negate(%1) {buffers = [#plan.buffer<result, 0, 0, 16>]} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}
plan.kernel @negate kind(loop) key("1") (%a: tensor<2x2xf32>) {
  %0 = stablehlo.negate %a : tensor<2x2xf32>
  plan.yield %0 : tensor<2x2xf32>
}
plan.kernel @multiply kind(gemm) key("2") (%a: tensor<2x2xf32>) {
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  plan.yield %0 : tensor<2x2xf32>
})";

// A kernel of one work item whose smaller result overwrites the beginning of its operand.
static constexpr const char *placedOverOperand = R"(
func.func @main(%x: tensor<64xf32>) -> tensor<32xf32> attributes {plan.arena_bytes = 384 : i64} {
  %0 = plan.launch @turn(%x) {buffers = [#plan.buffer<arena, 0, 0, 256>]} : (tensor<64xf32>) -> tensor<64xf32>
  %1 = plan.launch @halve(%0) {buffers = [#plan.buffer<arena, 0, 0, 128>]} : (tensor<64xf32>) -> tensor<32xf32>
  %2 = plan.launch @negate(%1) {buffers = [#plan.buffer<result, 0, 0, 128>]} : (tensor<32xf32>) -> tensor<32xf32>
  return %2 : tensor<32xf32>
}
plan.kernel @turn kind(loop) key("1") (%a: tensor<64xf32>) attributes {plan.schedule = #plan.loop<[flat, tile = 64]>} {
  %0 = stablehlo.reverse %a, dims = [0] : tensor<64xf32>
  plan.yield %0 : tensor<64xf32>
}
plan.kernel @halve kind(loop) key("2") (%a: tensor<64xf32>) attributes {plan.schedule = #plan.loop<[flat, tile = 32]>} {
  %0 = stablehlo.slice %a [0:64:2] : (tensor<64xf32>) -> tensor<32xf32>
  plan.yield %0 : tensor<32xf32>
}
plan.kernel @negate kind(loop) key("3") (%a: tensor<32xf32>) attributes {plan.schedule = #plan.loop<[flat, tile = 32]>} {
  %0 = stablehlo.negate %a : tensor<32xf32>
  plan.yield %0 : tensor<32xf32>
})";

static constexpr const char *placedProgram = R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> attributes {plan.arena_bytes = 128 : i64} {
  %0 = plan.launch @negate(%x) {buffers = [#plan.buffer<arena, 0, 0, 16>]} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = plan.launch @negate(%x) {buffers = [#plan.buffer<arena, 0, 64, 16>]} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = plan.launch @add(%0, %1) {buffers = [#plan.buffer<result, 0, 0, 16>]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
plan.kernel @negate kind(loop) key("1") (%a: tensor<4xf32>) {
  %0 = stablehlo.negate %a : tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}
plan.kernel @add kind(loop) key("2") (%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
})";

// A loop whose body reads, in each iteration, a value from before the loop.
static constexpr const char *placedLoop = R"(
func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> attributes {plan.arena_bytes = 256 : i64} {
  %0 = plan.launch @negate(%x) {buffers = [#plan.buffer<arena, 0, 0, 16>]} : (tensor<4xf32>) -> tensor<4xf32>
  %1:2 = stablehlo.while(%v = %x, %q = %p) : tensor<4xf32>, tensor<i1> attributes {buffers = [#plan.buffer<result, 0, 0, 16>, #plan.buffer<arena, 0, 64, 1>]}
  cond {
    stablehlo.return %q : tensor<i1>
  } do {
    %2 = plan.launch @add(%v, %0) {buffers = [#plan.buffer<arena, 0, 128, 16>]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %3 = plan.launch @negate(%2) {buffers = [#plan.buffer<arena, 0, 192, 16>]} : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %3, %q : tensor<4xf32>, tensor<i1>
  }
  return %1#0 : tensor<4xf32>
}
plan.kernel @negate kind(loop) key("1") (%a: tensor<4xf32>) {
  %0 = stablehlo.negate %a : tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}
plan.kernel @add kind(loop) key("2") (%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
})";

// A program that computes a value before a conditional and reads it after the conditional.
static constexpr const char *placedBranches = R"(
func.func @main(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> attributes {plan.arena_bytes = 192 : i64} {
  %0 = plan.launch @negate(%x) {buffers = [#plan.buffer<arena, 0, 0, 16>]} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "stablehlo.if"(%p) ({
    stablehlo.return %x : tensor<4xf32>
  }, {
    %2 = plan.launch @negate(%0) {buffers = [#plan.buffer<arena, 0, 64, 16>]} : (tensor<4xf32>) -> tensor<4xf32>
    stablehlo.return %2 : tensor<4xf32>
  }) {buffers = [#plan.buffer<arena, 0, 128, 16>]} : (tensor<i1>) -> tensor<4xf32>
  %3 = plan.launch @add(%0, %1) {buffers = [#plan.buffer<result, 0, 0, 16>]} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}
plan.kernel @negate kind(loop) key("1") (%a: tensor<4xf32>) {
  %0 = stablehlo.negate %a : tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
}
plan.kernel @add kind(loop) key("2") (%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %0 = stablehlo.add %a, %b : tensor<4xf32>
  plan.yield %0 : tensor<4xf32>
})";

static constexpr const char *epilogueProgram = R"(
func.func @main(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<f32>) {
  %0:2 = plan.gemm(%a = %x : tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<f32>) {
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.dot_general %a, %a, contracting_dims = [1] x [0] : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = stablehlo.transpose %1, dims = [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = stablehlo.add %2, %a : tensor<4x4xf32>
    %4 = stablehlo.reduce(%3 init: %zero) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<4x4xf32>, tensor<f32>) -> tensor<f32>
    plan.yield %3, %4 : tensor<4x4xf32>, tensor<f32>
  }
  return %0#0, %0#1 : tensor<4x4xf32>, tensor<f32>
})";

static plan::BufferAttr arena(ModuleOp module, int64_t offset, int64_t size) {
  return plan::BufferAttr::get(module.getContext(), plan::BufferKind::arena, 0, offset, size);
}

// Sets the buffer of the result of the first operation of type `Op`.
template <typename Op, plan::BufferKind kind, int64_t index, int64_t offset, int64_t size>
static void putFirst(ModuleOp module) {
  setBuffers(first<Op>(module),
             plan::BufferAttr::get(module.getContext(), kind, index, offset, size));
}

const std::vector<BrokenPass> &brokenPasses() {
  static const std::vector<BrokenPass> all = {
      {"put-a-call-back", "no-calls", R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
})",
       [](ModuleOp module) {
         auto negate = first<stablehlo::NegOp>(module);
         OpBuilder builder(negate);
         auto call = func::CallOp::create(builder, negate.getLoc(), "f", negate->getResultTypes(),
                                          negate->getOperands());
         negate->replaceAllUsesWith(call);
       },
       "a call remains"},
      {"forget-a-size", "sizes-known", negation,
       [](ModuleOp module) {
         auto negate = first<stablehlo::NegOp>(module);
         negate.getResult().setType(negate.getType().clone({ShapedType::kDynamic}));
         auto main = first<func::FuncOp>(module);
         main.setType(FunctionType::get(main.getContext(), main.getArgumentTypes(),
                                        negate->getResultTypes()));
       },
       "a value's type lacks a size"},
      {"forget-a-size-in-a-loop", "sizes-known", R"(
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = stablehlo.constant dense<true> : tensor<i1>
  %0 = stablehlo.while(%v = %x) : tensor<4xf32> cond {
    stablehlo.return %c : tensor<i1>
  } do {
    stablehlo.return %v : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
})",
       [](ModuleOp module) {
         auto loop = first<stablehlo::WhileOp>(module);
         BlockArgument carried = loop.getBody().getArgument(0);
         carried.setType(cast<RankedTensorType>(carried.getType()).clone({ShapedType::kDynamic}));
       },
       "a value's type lacks a size"},
      {"quantize-a-value", "nothing-quantized", negation,
       [](ModuleOp module) {
         auto negate = first<stablehlo::NegOp>(module);
         OpBuilder builder(negate);
         Type element = quant::UniformQuantizedType::get(
             quant::QuantizationFlags::Signed, builder.getI8Type(), builder.getF32Type(),
             /*scale=*/0.5, /*zeroPoint=*/0, /*storageTypeMin=*/-128, /*storageTypeMax=*/127);
         stablehlo::UniformQuantizeOp::create(builder, negate.getLoc(),
                                              negate.getType().clone(element), negate.getOperand());
       },
       "a value is quantized"},
      {"move-a-dot-out", "heroes-in-kernels", gemmProgram, takeApart,
       "`stablehlo.dot_general` is outside a kernel"},
      {"add-the-untransposed", "epilogues-in-order", epilogueProgram,
       [](ModuleOp module) {
         auto add = first<stablehlo::AddOp>(module);
         add->setOperand(1, first<stablehlo::DotGeneralOp>(module));
       },
       "`stablehlo.add` combines elements from different positions of the hero's result"},
      {"reverse-the-result", "epilogues-in-order", epilogueProgram,
       [](ModuleOp module) {
         auto add = first<stablehlo::AddOp>(module);
         OpBuilder builder(add);
         auto reverse =
             stablehlo::ReverseOp::create(builder, add.getLoc(), add.getType(), add->getOperand(0),
                                          builder.getDenseI64ArrayAttr({0}));
         add->setOperand(0, reverse);
       },
       "`stablehlo.reverse` isn't computed from one element of the hero's result"},
      {"clamp-to-the-largest", "epilogues-in-order", epilogueProgram,
       [](ModuleOp module) {
         Operation *yield = first<stablehlo::ReduceOp>(module)->getBlock()->getTerminator();
         OpBuilder builder(yield);
         Value elements = yield->getOperand(0), largest = yield->getOperand(1);
         yield->setOperand(0,
                           stablehlo::ClampOp::create(builder, yield->getLoc(), elements.getType(),
                                                      largest, elements, largest));
       },
       "combines a reduction of the hero's result with other values computed from it"},
      {"call-a-loop-a-gemm", "heroes-in-kernels", outlinedProgram,
       [](ModuleOp module) { first<plan::KernelOp>(module).setKind(plan::KernelKind::gemm); },
       "a kernel of kind `gemm` has no hero"},
      {"call-a-gemm-a-loop", "heroes-in-kernels", gemmProgram,
       [](ModuleOp module) {
         auto gemm = first<plan::GemmOp>(module);
         OpBuilder builder(gemm);
         auto loop =
             plan::LoopOp::create(builder, gemm.getLoc(), gemm.getResultTypes(), gemm.getInputs());
         loop.getBody().takeBody(gemm.getBody());
         gemm->replaceAllUsesWith(loop);
         gemm.erase();
       },
       "`stablehlo.dot_general` can't be in this kernel of kind `loop`"},
      {"compute-a-dot-twice", "heroes-in-kernels", gemmProgram,
       [](ModuleOp module) {
         auto dot = first<stablehlo::DotGeneralOp>(module);
         OpBuilder(dot).clone(*dot);
       },
       "`stablehlo.dot_general` can't be in this kernel of kind `gemm`"},
      {"forget-what-a-kernel-yields", "heroes-in-kernels", outlinedProgram,
       [](ModuleOp module) { first<plan::YieldOp>(module).erase(); },
       "a kernel doesn't end with `plan.yield`"},
      {"put-a-launch-into-a-kernel", "heroes-in-kernels", outlinedProgram,
       [](ModuleOp module) {
         auto negate = first<stablehlo::NegOp>(module);
         OpBuilder builder(negate);
         plan::LaunchOp::create(builder, negate.getLoc(), negate->getResultTypes(), "negate",
                                negate->getOperands());
       },
       "`plan.launch` can't be in this kernel of kind `loop`"},
      {"yield-what-is-sorted", "heroes-in-kernels", sortProgram,
       [](ModuleOp module) {
         auto yield = first<plan::YieldOp>(module);
         yield->setOperand(0, yield->getBlock()->getArgument(0));
       },
       "yields other values than its hero's"},
      {"grow-a-kernel", "heroes-in-kernels", outlinedProgram,
       [](ModuleOp module) {
         auto negate = first<stablehlo::NegOp>(module);
         OpBuilder builder(negate);
         for (int i = 0; i < 20'000; ++i) {
           builder.clone(*negate);
         }
       },
       "a kernel has more than"},
      {"move-a-negation-out", "all-in-kernels", loopProgram, takeApart,
       "`stablehlo.negate` is outside a kernel"},
      {"turn-a-bitcast-into-a-reshape", "reshapes-are-bitcasts", R"(
func.func @main(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = plan.bitcast %x : (tensor<4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
})",
       [](ModuleOp module) {
         auto bitcast = first<plan::BitcastOp>(module);
         OpBuilder builder(bitcast);
         auto reshape = stablehlo::ReshapeOp::create(builder, bitcast.getLoc(), bitcast.getType(),
                                                     bitcast.getOperand());
         bitcast->replaceAllUsesWith(reshape);
       },
       "a reshape between kernels is no bitcast"},
      {"forget-a-caller's-layout", "caller-layouts", R"(
func.func @main(%x: tensor<4x2xf32> {mhlo.layout_mode = "{0,1}", plan.layout = #plan.layout<[0, 1]>}) -> tensor<4x2xf32> {
  return %x : tensor<4x2xf32>
})",
       [](ModuleOp module) { first<func::FuncOp>(module).removeArgAttr(0, "plan.layout"); },
       "argument 0 doesn't have the requested layout"},
      {"take-a-transpose-for-a-bitcast", "bitcasts-move-nothing", transposingProgram,
       [](ModuleOp module) {
         auto launch = first<plan::LaunchOp>(module);
         OpBuilder builder(launch);
         launch->replaceAllUsesWith(plan::BitcastOp::create(builder, launch.getLoc(),
                                                            launch.getResult(0).getType(),
                                                            launch.getOperand(0), {}, {}, {}, {}));
         launch.erase();
       },
       "a bitcast lacks its shapes or orders"},
      {"reshape-across-an-order", "bitcasts-move-nothing", R"(
func.func @main(%x: tensor<4x2xf32>) -> tensor<8xf32> {
  %0 = plan.bitcast %x reshape [4, 2] in [0, 1] to [8] in [0] : (tensor<4x2xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
})",
       [](ModuleOp module) {
         auto bitcast = first<plan::BitcastOp>(module);
         Builder builder(module.getContext());
         bitcast.setFromShapeAttr(builder.getDenseI64ArrayAttr({2, 4}));
         bitcast.setFromOrderAttr(builder.getDenseI64ArrayAttr({1, 0}));
       },
       "a bitcast doesn't match its shapes and orders"},
      {"lay-out-once-more", "row-major", R"(
func.func @main(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %0 = plan.bitcast %x : (tensor<4xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
})",
       [](ModuleOp module) {
         Builder builder(module.getContext());
         first<plan::BitcastOp>(module)->setAttr("layouts", builder.getArrayAttr({}));
       },
       "a value has a layout attribute besides its type"},
      {"forget-a-schedule", "kernels-scheduled", scheduledProgram,
       [](ModuleOp module) { first<plan::GemmOp>(module)->removeAttr(plan::scheduleAttribute); },
       "a kernel has no schedule"},
      {"give-two-kernels-one-key", "kernels-outlined", outlinedProgram,
       [](ModuleOp module) {
         for (auto kernel : module.getOps<plan::KernelOp>()) {
           kernel.setKey("same");
         }
       },
       "two kernels have the same key"},
      {"forget-a-kernel", "kernels-outlined", outlinedProgram,
       [](ModuleOp module) { module.lookupSymbol<plan::KernelOp>("abs").erase(); },
       "a launch names no kernel"},
      {"launch-with-other-types", "kernels-outlined", outlinedProgram,
       [](ModuleOp module) {
         auto launch = first<plan::LaunchOp>(module);
         OpBuilder builder(launch);
         auto type = RankedTensorType::get({2, 2}, builder.getF32Type());
         launch->setOperand(0, plan::BitcastOp::create(builder, launch.getLoc(), type,
                                                       launch.getOperand(0), {}, {}, {}, {}));
       },
       "the types of a launch differ from those of its kernel"},
      {"leave-a-kernel-in-place", "kernels-outlined", outlinedProgram,
       [](ModuleOp module) {
         auto launch = first<plan::LaunchOp>(module);
         OpBuilder builder(launch);
         Operation *loop =
             plan::createKernelForming(builder, launch.getLoc(), plan::KernelKind::loop,
                                       launch.getResultTypes(), launch.getInputs());
         auto inside = OpBuilder::atBlockEnd(&loop->getRegion(0).front());
         plan::YieldOp::create(inside, launch.getLoc(), loop->getRegion(0).front().getArguments());
         launch->replaceAllUsesWith(loop);
       },
       "a kernel is not outlined"},
      {"give-two-values-one-buffer", "buffers-hold", placedProgram,
       [](ModuleOp module) {
         for (auto launch : first<func::FuncOp>(module).getOps<plan::LaunchOp>()) {
           if (launch.getKernel() == "negate") {
             setBuffers(launch, arena(module, 0, 16));
           }
         }
       },
       "reads a value whose memory was reused for another value"},
      {"let-two-buffers-overlap", "buffers-hold", placedProgram,
       putFirst<plan::LaunchOp, plan::BufferKind::arena, 0, 56, 16>,
       "reads a value whose memory was reused for another value"},
      {"run-all-launches-side-by-side", "buffers-hold", placedProgram,
       [](ModuleOp module) {
         for (auto launch : first<func::FuncOp>(module).getOps<plan::LaunchOp>()) {
           launch->setAttr(besideAttribute, UnitAttr::get(module.getContext()));
         }
         first<plan::LaunchOp>(module)->removeAttr(besideAttribute);
       },
       "runs beside a launch whose memory it uses"},
      {"swap-the-places-of-two-results", "buffers-hold", placedResults,
       [](ModuleOp module) {
         auto launch = first<plan::LaunchOp>(module);
         auto buffers = launch->getAttrOfType<ArrayAttr>(buffersAttribute);
         setBuffers(launch,
                    {cast<plan::BufferAttr>(buffers[1]), cast<plan::BufferAttr>(buffers[0])});
       },
       "result 0 is not in its own buffer"},
      {"put-two-results-into-one-place", "buffers-hold", placedResults,
       [](ModuleOp module) {
         auto launch = first<plan::LaunchOp>(module);
         auto buffers = launch->getAttrOfType<ArrayAttr>(buffersAttribute);
         setBuffers(launch,
                    {cast<plan::BufferAttr>(buffers[0]), cast<plan::BufferAttr>(buffers[0])});
       },
       "two results of a kernel share memory"},
      {"multiply-over-an-operand-that-dies", "buffers-hold", placedProduct,
       [](ModuleOp module) {
         for (auto launch : first<func::FuncOp>(module).getOps<plan::LaunchOp>()) {
           if (launch.getKernel() == "multiply") {
             setBuffers(launch, arena(module, 0, 16));
           }
         }
       },
       "a kernel overwrites elements that it still reads"},
      // The plan is valid as it is, but not with two work items, since these run in any order.
      {"overwrite-an-operand-in-two-tasks", "buffers-hold", placedOverOperand,
       [](ModuleOp module) {
         auto kernel = module.lookupSymbol<plan::KernelOp>("halve");
         LoopSchedule schedule = *loopScheduleOf(kernel);
         schedule.traversals.front().tile = 16;
         setSchedule(kernel, schedule);
       },
       "a kernel overwrites elements that it still reads"},
      // The kernel reads the last elements first.
      {"overwrite-an-operand-that-is-reversed", "buffers-hold", placedOverOperand,
       [](ModuleOp module) {
         auto kernel = module.lookupSymbol<plan::KernelOp>("halve");
         Operation &slice = kernel.getBody().front().front();
         OpBuilder builder(module.getContext());
         builder.setInsertionPointAfter(&slice);
         Value halved = slice.getResult(0);
         auto reversed = stablehlo::ReverseOp::create(builder, slice.getLoc(), halved.getType(),
                                                      halved, ArrayRef<int64_t>{0});
         kernel.getBody().front().getTerminator()->setOperand(0, reversed);
       },
       "a kernel overwrites elements that it still reads"},
      // The result isn't at the beginning of the operand.
      {"overwrite-the-end-of-an-operand", "buffers-hold", placedOverOperand,
       [](ModuleOp module) {
         for (auto launch : first<func::FuncOp>(module).getOps<plan::LaunchOp>()) {
           if (launch.getKernel() == "halve") {
             setBuffers(launch, arena(module, 128, 128));
           }
         }
       },
       "a kernel overwrites elements that it still reads"},
      {"drop-the-buffers", "buffers-hold", placedProgram,
       [](ModuleOp module) { first<plan::LaunchOp>(module)->removeAttr(buffersAttribute); },
       "a value has no memory"},
      {"forget-the-arena", "buffers-hold", placedProgram,
       [](ModuleOp module) { first<func::FuncOp>(module)->removeAttr(arenaBytesAttribute); },
       "the arena has no size"},
      {"say-the-arena's-size-in-words", "buffers-hold", placedProgram,
       [](ModuleOp module) {
         first<func::FuncOp>(module)->setAttr(
             arenaBytesAttribute, IntegerAttr::get(IntegerType::get(module.getContext(), 1), 1));
       },
       "the arena has no size"},
      {"move-a-constant-in-the-table", "buffers-hold", placedConstant,
       putFirst<stablehlo::ConstantOp, plan::BufferKind::weight, 7, 0, 16>,
       "a constant is out of order"},
      {"call-a-constant-an-argument", "buffers-hold", placedConstant,
       putFirst<stablehlo::ConstantOp, plan::BufferKind::argument, 0, 0, 16>,
       "outside the memory that its buffer names"},
      {"copy-more-than-there-is", "buffers-hold", placedConstant,
       [](ModuleOp module) {
         auto copy = first<plan::CopyOp>(module);
         copy.getOperand().setType(
             RankedTensorType::get({2}, Builder(module.getContext()).getF32Type()));
         setBuffers(first<stablehlo::ConstantOp>(module),
                    plan::BufferAttr::get(module.getContext(), plan::BufferKind::weight, 0, 0, 8));
       },
       "a copy and its operand differ in size"},
      {"shrink-the-arena", "buffers-hold", placedProgram,
       [](ModuleOp module) {
         auto small = IntegerAttr::get(IntegerType::get(module.getContext(), 64), 64);
         first<func::FuncOp>(module)->setAttr(arenaBytesAttribute, small);
       },
       "outside the memory that its buffer names"},
      {"shrink-a-buffer", "buffers-hold", placedProgram,
       putFirst<plan::LaunchOp, plan::BufferKind::arena, 0, 0, 8>, "differ in size"},
      {"name-a-slot-that-is-not-there", "buffers-hold", placedProgram,
       putFirst<plan::LaunchOp, plan::BufferKind::arena, 1, 0, 16>,
       "outside the memory that its buffer names"},
      {"name-a-slot-before-the-first", "buffers-hold", placedProgram,
       putFirst<plan::LaunchOp, plan::BufferKind::arena, -1, 0, 16>,
       "outside the memory that its buffer names"},
      {"make-slots-that-are-no-sizes", "buffers-hold", placedProgram,
       [](ModuleOp module) {
         first<func::FuncOp>(module)->setAttr(arenaSlotsAttribute,
                                              sizes::SizesAttr::get(module.getContext(), "-64"));
       },
       "outside the memory that its buffer names"},
      {"make-slots-larger-than-the-arena", "buffers-hold", placedProgram,
       [](ModuleOp module) {
         first<func::FuncOp>(module)->setAttr(arenaSlotsAttribute,
                                              sizes::SizesAttr::get(module.getContext(), "129"));
       },
       "outside the memory that its buffer names"},
      {"name-a-result-that-is-not-there", "buffers-hold", placedProgram,
       putFirst<plan::LaunchOp, plan::BufferKind::result, 1, 0, 16>,
       "outside the memory that its buffer names"},
      {"name-a-part-beyond-a-result", "buffers-hold", placedProgram,
       putFirst<plan::LaunchOp, plan::BufferKind::result, 0, 64, 16>,
       "outside the memory that its buffer names"},
      {"write-over-what-the-next-step-reads", "buffers-hold", placedLoop,
       [](ModuleOp module) {
         plan::LaunchOp last;
         module.walk([&](plan::LaunchOp launch) { last = launch; });
         setBuffers(last, arena(module, 0, 16));
       },
       "reads a value whose memory was reused for another value"},
      {"write-over-the-condition", "buffers-hold", placedLoop,
       [](ModuleOp module) {
         plan::LaunchOp last;
         module.walk([&](plan::LaunchOp launch) { last = launch; });
         setBuffers(last, arena(module, 64, 16));
       },
       "reads a value whose memory was reused for another value"},
      // One of the two branches overwrites the value that is read later.
      {"write-over-what-is-read-behind-branches", "buffers-hold", placedBranches,
       [](ModuleOp module) {
         module.walk([&](plan::LaunchOp launch) {
           if (isa<stablehlo::IfOp>(launch->getParentOp())) {
             setBuffers(launch, arena(module, 0, 16));
           }
         });
       },
       "reads a value whose memory was reused for another value"},
  };
  return all;
}

} // namespace drumlin
