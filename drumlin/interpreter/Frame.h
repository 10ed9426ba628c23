// The state of a running program: for writers of operation handlers.
#pragma once

#include "drumlin/interpreter/Buffers.h"
#include "drumlin/interpreter/InterpreterOptions.h"
#include "drumlin/interpreter/ProcessGrid.h"
#include "drumlin/interpreter/kernels/Body.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Region.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/DenseMap.h"

#include <memory>

namespace drumlin {

// What is decided once for a block and holds for each of its runs.
struct BlockSchedule {
  struct Step {
    mlir::Operation *operation;
    const OperationHandler *handler;     // null for the terminator and for unknown operations
    llvm::SmallVector<mlir::Value> dead; // values of the block that nothing uses afterwards
    // The operation has regions that may still read the dead values while it runs.
    bool keepsOperands;
    // Its elements are quantized, and it computes on the numbers that they stand for.
    bool isQuantized;
  };
  std::vector<Step> steps;
  llvm::SmallVector<mlir::Value> unused; // block arguments without uses
};

// What all frames of one process share.
struct Execution {
  Execution(const InterpreterOptions &options, ProcessGrid &grid, ProcessId process);

  const InterpreterOptions &options;
  const InterpreterTable &table;
  ProcessGrid &grid;
  const ProcessId process;
  int64_t callDepth = 0;
  uint64_t draws = 0; // of random numbers
  // Keyed by pointers for look-up only; nothing walks these maps.
  llvm::DenseMap<mlir::Block *, std::unique_ptr<BlockSchedule>> schedules;
  llvm::DenseMap<mlir::Attribute, Tensor> smallConstants;
  mlir::SymbolTableCollection symbols;
  Buffers buffers;
};

// The values of one call of a function, with all of its regions.
class Frame {
public:
  explicit Frame(Execution &execution) : execution(execution) {}
  ~Frame();
  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  const interpreter::KernelOptions &kernels() const { return execution.options.kernels; }
  // What calls code outside of the program; null where nothing does.
  const HostCaller *hostCaller() const { return execution.options.hostCaller; }
  // The processes that run together, and which of them this is. A program by itself is a grid of
  // one.
  ProcessGrid &grid() const { return execution.grid; }
  const ProcessId &process() const { return execution.process; }
  // A number that no other draw of random numbers of this run has.
  uint64_t nextDraw();

  // Runs a region of one block on the arguments; gives the operands of its terminator. Here and
  // everywhere in handlers, a tuple or a future is the tensors in it, and a token is none
  // (ValueTypes.h).
  Result<std::vector<Tensor>> run(mlir::Region &region, std::vector<Tensor> arguments);

  // Runs the function that a call operation names, in a frame of its own.
  Result<std::vector<Tensor>> call(mlir::Operation *caller, mlir::SymbolRefAttr callee,
                                   std::vector<Tensor> arguments);
  Result<std::vector<Tensor>> call(mlir::func::FuncOp function, std::vector<Tensor> arguments);

  // The operation that another one names; null where none of the kind has the name.
  template <typename Op> Op lookup(mlir::Operation *from, mlir::SymbolRefAttr name) {
    return execution.symbols.lookupNearestSymbolFrom<Op>(from, name);
  }

  // The first elements of a tensor in each dimension, which remember the others.
  Result<Tensor> beginningOf(const Tensor &buffer, const Shape &shape);
  // What tensors of bounded sizes are parts of.
  Buffers &buffers() { return execution.buffers; }

  // A constant's elements; small ones are converted once.
  Result<Tensor> constant(mlir::ElementsAttr attribute);

  // Runs one operation on operands that the caller has.
  Result<std::vector<Tensor>> execute(mlir::Operation *operation, const OperationHandler *handler,
                                      bool isQuantized, std::vector<Tensor> operands);

  // A region as the kernels take it; both hold references to the region and this frame.
  interpreter::ReductionBody reductionBody(mlir::Region &region);
  interpreter::ComparisonBody comparisonBody(mlir::Region &region);

private:
  using Held = llvm::SmallVector<Tensor, 1>;

  int64_t liveBytes() const { return execution.grid.liveBytes + execution.buffers.bytes(); }
  // On the numbers that quantized elements stand for.
  Result<std::vector<Tensor>> executeOnExpressedNumbers(mlir::Operation *operation,
                                                        const OperationHandler &handler,
                                                        std::vector<Tensor> operands);
  // Elementwise on what the operands are the beginning of.
  Result<std::vector<Tensor>> executeOnBuffers(mlir::Operation *operation,
                                               const OperationHandler &handler,
                                               const std::vector<Tensor> &operands,
                                               std::vector<Tensor> results);

  Result<std::vector<Tensor>> gather(mlir::ValueRange values);
  // Gives the values their tensors, in order; those without uses keep none.
  void setAll(mlir::ValueRange values, std::vector<Tensor> tensors);
  void set(mlir::Value value, Held tensors);
  void drop(mlir::Value value);
  const BlockSchedule &scheduleOf(mlir::Block &block);
  interpreter::ScalarFunction scalarFunction(mlir::Region &region);

  Execution &execution;
  llvm::DenseMap<mlir::Value, Held> values;
};

// `file:line:column`, or nothing where the location names no file.
std::string locationText(mlir::Location location);

} // namespace drumlin
