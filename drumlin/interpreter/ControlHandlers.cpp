#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/OptimizationBarrierOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"

namespace drumlin::interpreter {

using Tensors = std::vector<Tensor>;

static bool isTrue(const Tensor &scalar) { return *scalar.data() != std::byte{0}; }

// results = operand; while cond(results): results = body(results).
static Result<Tensors> loop(stablehlo::WhileOp op, Tensors &operands, Frame &frame) {
  Tensors state = std::move(operands);
  while (true) {
    Result<Tensors> condition = frame.run(op.getCond(), state);
    if (!condition) {
      return condition;
    }
    if (!isTrue(condition->front())) {
      return state;
    }
    Result<Tensors> next = frame.run(op.getBody(), std::move(state));
    if (!next) {
      return next;
    }
    state = std::move(*next);
  }
}

// An out-of-range index runs the last branch.
static Result<Tensors> branch(stablehlo::CaseOp op, Tensors &operands, Frame &frame) {
  int64_t index = integerAt(operands[0], 0);
  int64_t last = static_cast<int64_t>(op.getBranches().size()) - 1;
  size_t chosen = static_cast<size_t>(index < 0 || index > last ? last : index);
  return frame.run(op.getBranches()[chosen], {});
}

void addControlHandlers(InterpreterTable &table) {
  add<stablehlo::WhileOp>(table, loop);
  add<stablehlo::CaseOp>(table, branch);
  add<stablehlo::IfOp>(table, [](stablehlo::IfOp op, Tensors &operands, Frame &frame) {
    return frame.run(isTrue(operands[0]) ? op.getTrueBranch() : op.getFalseBranch(), {});
  });
  add<stablehlo::OptimizationBarrierOp>(
      table, [](stablehlo::OptimizationBarrierOp, Tensors &operands, Frame &) -> Result<Tensors> {
        return std::move(operands);
      });
  add<mlir::func::CallOp>(table, [](mlir::func::CallOp op, Tensors &operands, Frame &frame) {
    return frame.call(op, op.getCalleeAttr(), std::move(operands));
  });
}

} // namespace drumlin::interpreter
