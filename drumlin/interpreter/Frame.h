// The state of a running program, as operation handlers see it.
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

// The precomputed schedule of a block, shared by all of its runs.
struct BlockSchedule {
  struct Step {
    mlir::Operation *operation;
    const OperationHandler *handler;     // null for the terminator and for unknown operations
    llvm::SmallVector<mlir::Value> dead; // values of the block that this step uses last
    // Set if the operation has regions, which may read values of `dead` while the operation runs.
    bool keepsOperands;
    // Set if the operation has quantized operands or results and computes on the numbers that
    // quantized elements express.
    bool isQuantized;
  };
  std::vector<Step> steps;
  llvm::SmallVector<mlir::Value> unused; // block arguments without uses
};

// The state that all frames of one process share.
struct Execution {
  Execution(const InterpreterOptions &options, ProcessGrid &grid, ProcessId process);

  const InterpreterOptions &options;
  const InterpreterTable &table;
  ProcessGrid &grid;
  const ProcessId process;
  int64_t callDepth = 0;
  uint64_t draws = 0; // random draws so far
  // Maps keyed by pointers are for look-up only; nothing iterates over them.
  llvm::DenseMap<mlir::Block *, std::unique_ptr<BlockSchedule>> schedules;
  llvm::DenseMap<mlir::Attribute, Tensor> smallConstants;
  mlir::SymbolTableCollection symbols;
  Buffers buffers;
};

// The values of one call of a function, including all of its regions.
class Frame {
public:
  explicit Frame(Execution &execution) : execution(execution) {}
  ~Frame();
  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  const interpreter::KernelOptions &kernels() const { return execution.options.kernels; }
  // Returns the function that calls code outside of the program; null if such calls are
  // unsupported.
  const HostCaller *hostCaller() const { return execution.options.hostCaller; }
  // Return the grid of processes that run together, and this process's id. A program by itself is a
  // grid of one process.
  ProcessGrid &grid() const { return execution.grid; }
  const ProcessId &process() const { return execution.process; }
  // Returns a stream number that no other random draw of this run has.
  uint64_t nextDraw();

  // Runs a single-block region on the arguments and returns the operands of its terminator. In all
  // handlers, a tuple or a future is represented by the tensors in it, and a token by no tensor
  // (ValueTypes.h).
  Result<std::vector<Tensor>> run(mlir::Region &region, std::vector<Tensor> arguments);

  // Runs the function that a call operation names, in a new frame.
  Result<std::vector<Tensor>> call(mlir::Operation *caller, mlir::SymbolRefAttr callee,
                                   std::vector<Tensor> arguments);
  Result<std::vector<Tensor>> call(mlir::func::FuncOp function, std::vector<Tensor> arguments);

  // Returns the operation of kind `Op` with the given symbol name, or null if there is none.
  template <typename Op> Op lookup(mlir::Operation *from, mlir::SymbolRefAttr name) {
    return execution.symbols.lookupNearestSymbolFrom<Op>(from, name);
  }

  // Returns a tensor of the given shape that holds the leading elements of `buffer` in each
  // dimension. Records `buffer` as the tensor's full buffer.
  Result<Tensor> beginningOf(const Tensor &buffer, const Shape &shape);
  // The full buffers of tensors with bounded sizes.
  Buffers &buffers() { return execution.buffers; }

  // Returns a constant's elements; small constants are converted once per run.
  Result<Tensor> constant(mlir::ElementsAttr attribute);

  // Runs one operation on the given operands.
  Result<std::vector<Tensor>> execute(mlir::Operation *operation, const OperationHandler *handler,
                                      bool isQuantized, std::vector<Tensor> operands);

  // Wrap a region as a body that kernels can call. The body refers to the region and to this frame.
  interpreter::ReductionBody reductionBody(mlir::Region &region);
  interpreter::ComparisonBody comparisonBody(mlir::Region &region);

private:
  using Held = llvm::SmallVector<Tensor, 1>;

  int64_t liveBytes() const { return execution.grid.liveBytes + execution.buffers.bytes(); }
  // Runs the operation on the numbers that quantized elements express.
  Result<std::vector<Tensor>> executeOnExpressedNumbers(mlir::Operation *operation,
                                                        const OperationHandler &handler,
                                                        std::vector<Tensor> operands);
  // Runs an elementwise operation on the full buffers of its operands.
  Result<std::vector<Tensor>> executeOnBuffers(mlir::Operation *operation,
                                               const OperationHandler &handler,
                                               const std::vector<Tensor> &operands,
                                               std::vector<Tensor> results);

  Result<std::vector<Tensor>> gather(mlir::ValueRange values);
  // Assigns the tensors to the values, in order. Drops the tensors of values without uses.
  void setAll(mlir::ValueRange values, std::vector<Tensor> tensors);
  void set(mlir::Value value, Held tensors);
  void drop(mlir::Value value);
  const BlockSchedule &scheduleOf(mlir::Block &block);
  interpreter::ScalarFunction scalarFunction(mlir::Region &region);

  Execution &execution;
  llvm::DenseMap<mlir::Value, Held> values;
};

// Returns `file:line:column`, or an empty text if the location names no file.
std::string locationText(mlir::Location location);

} // namespace drumlin
