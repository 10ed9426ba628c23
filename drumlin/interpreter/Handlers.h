// The handlers of StableHLO's and CHLO's operations, by family.
#pragma once

#include "drumlin/interpreter/InterpreterTable.h"

namespace drumlin::interpreter {

void addElementwiseHandlers(InterpreterTable &table);
void addShapeHandlers(InterpreterTable &table);
void addContractionHandlers(InterpreterTable &table);
void addReductionHandlers(InterpreterTable &table);
void addControlHandlers(InterpreterTable &table);
void addDynamicHandlers(InterpreterTable &table);
void addLegacyHandlers(InterpreterTable &table);
void addMatrixHandlers(InterpreterTable &table);
void addRandomHandlers(InterpreterTable &table);
void addQuantizeHandlers(InterpreterTable &table);
void addCollectiveHandlers(InterpreterTable &table);
void addCommunicationHandlers(InterpreterTable &table);
void addCallHandlers(InterpreterTable &table);
void addChloHandlers(InterpreterTable &table);

// Wraps the result of a single-result operation.
inline Result<std::vector<Tensor>> single(Result<Tensor> tensor) {
  if (!tensor) {
    return tensor.error();
  }
  std::vector<Tensor> results;
  results.push_back(std::move(*tensor));
  return results;
}

// Adds a handler that receives the operation as its class `Op`: add<stablehlo::PadOp>(table,
// [](stablehlo::PadOp op, std::vector<Tensor> &operands, Frame &frame) { ... }).
template <typename Op, typename Fn> void add(InterpreterTable &table, Fn fn) {
  table.add(Op::getOperationName(),
            [fn](mlir::Operation *operation, std::vector<Tensor> operands, Frame &frame) {
              return fn(llvm::cast<Op>(operation), operands, frame);
            });
}

} // namespace drumlin::interpreter
