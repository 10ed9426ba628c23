// The state of a running program: for writers of operation handlers.
#pragma once

#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/interpreter/kernels/Body.h"

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
  };
  std::vector<Step> steps;
  llvm::SmallVector<mlir::Value> unused; // block arguments without uses
};

// What all frames of one run share.
struct Execution {
  explicit Execution(const InterpreterOptions &options)
      : options(options), table(options.table ? *options.table : standardOperations()) {}

  const InterpreterOptions &options;
  const InterpreterTable &table;
  int64_t steps = 0;
  int64_t liveBytes = 0;
  int64_t callDepth = 0;
  // Keyed by pointers for look-up only; nothing walks these maps.
  llvm::DenseMap<mlir::Block *, std::unique_ptr<BlockSchedule>> schedules;
  llvm::DenseMap<mlir::Attribute, Tensor> smallConstants;
  mlir::SymbolTableCollection symbols;
};

// The values of one call of a function, with all of its regions.
class Frame {
public:
  explicit Frame(Execution &execution) : execution(execution) {}
  ~Frame();
  Frame(const Frame &) = delete;
  Frame &operator=(const Frame &) = delete;

  const interpreter::KernelOptions &kernels() const { return execution.options.kernels; }

  // Runs a region of one block on the arguments; gives the operands of its terminator.
  Result<std::vector<Tensor>> run(mlir::Region &region, std::vector<Tensor> arguments);

  // Runs the function that a call operation names, in a frame of its own.
  Result<std::vector<Tensor>> call(mlir::Operation *caller, mlir::SymbolRefAttr callee,
                                   std::vector<Tensor> arguments);
  Result<std::vector<Tensor>> call(mlir::func::FuncOp function, std::vector<Tensor> arguments);

  // A constant's elements; small ones are converted once.
  Result<Tensor> constant(mlir::ElementsAttr attribute);

  // Runs one operation on operands that the caller has.
  Result<std::vector<Tensor>> execute(mlir::Operation *operation, const OperationHandler *handler,
                                      std::vector<Tensor> operands);

  // A region as the kernels take it; both hold references to the region and this frame.
  interpreter::ReductionBody reductionBody(mlir::Region &region);
  interpreter::ComparisonBody comparisonBody(mlir::Region &region);

private:
  Result<std::vector<Tensor>> gather(mlir::ValueRange values);
  void set(mlir::Value value, Tensor tensor);
  void drop(mlir::Value value);
  const BlockSchedule &scheduleOf(mlir::Block &block);
  interpreter::ScalarFunction scalarFunction(mlir::Region &region);

  Execution &execution;
  llvm::DenseMap<mlir::Value, Tensor> values;
};

// `file:line:column`, or nothing where the location names no file.
std::string locationText(mlir::Location location);

} // namespace drumlin
