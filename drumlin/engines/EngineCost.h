// Computes a program's cost on a tensor engine (drumlin/target/TensorEngine.h), with optimized
// layouts or with the layouts as written. Reports which operands must be transposed so that their
// contracted dimension is on partitions, and why.
#pragma once

#include "drumlin/support/Cost.h"
#include "drumlin/target/TensorEngine.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace drumlin {

struct EngineOptions {
  // Keeps every value row-major, as written in the program, regardless of its users.
  bool asWritten = false;
};

enum class OperandLayout {
  Fits,       // the contracted dimension is on partitions
  Static,     // transposed once, before the first call
  Transposed, // transposed at each call
  Shared,     // transposed at each call; the transpose is counted at an earlier operation
};

struct EngineOperand {
  OperandLayout layout = OperandLayout::Fits;
  int64_t transposeFlops = 0;       // FLOPs of one transpose
  int64_t turns = 0;                // number of transposes in one run of the program
  std::string reason;               // reason for the layout, with the remedy; empty if it fits
  std::string remedy;               // how to avoid a transpose; empty if no way is known
  std::optional<unsigned> argument; // index of the transposed argument; nullopt: not an argument

  bool isTransposed() const {
    return layout == OperandLayout::Transposed || layout == OperandLayout::Shared;
  }
};

// A dot, a convolution, or a transpose that isn't counted at a dot or convolution. For a transpose,
// `lhs` is the transposed value.
struct EngineOperation {
  mlir::Operation *op = nullptr; // the operation; null for a transpose of an argument
  std::string name, source;
  std::string shape; // `bf16 [1, 4096] x [4096, 4096]`: [m, k] x [k, n], after batch dimensions
  int64_t calls = 1;
  int64_t modelFlops = 0, hardwareFlops = 0, transposeFlops = 0; // totals of all calls
  double adjustedFlops = 0;
  double typeFactor = 1;  // for a dot or convolution: its time relative to bf16
  EngineOperand lhs, rhs; // costs of one call

  bool isProduct() const;
  // Returns the operand that is the program's left (0) or right (1) operand.
  const EngineOperand &programOperand(unsigned number) const;
};

struct EngineCost {
  std::vector<EngineOperation> operations; // most hardware FLOPs first; ties in program order
  int64_t modelFlops = 0, hardwareFlops = 0, transposeFlops = 0;
  double adjustedFlops = 0;
  int64_t bytes = 0; // bytes of arguments, constants and results, each counted once

  double intensity() const; // model FLOPs per byte
  // Returns the share of the engine's peak rate that model FLOPs reach if only the array's
  // computation and memory traffic take time.
  double highestUtilization(const TensorEngine &engine) const;
  // Returns the program's time if only the array's computation and memory traffic take time.
  double seconds(const TensorEngine &engine) const;
};

// Computes the cost of a StableHLO module without calls. With optimized layouts, transposes never
// take more FLOPs than with layouts as written, and programs that differ only in the order of
// dimensions cost the same. Both hold if the solution is exact (ChoiceProblem.h) and no value has
// more than six candidate rows.
EngineCost engineCost(mlir::ModuleOp module, const TensorEngine &engine,
                      const EngineOptions &options);

} // namespace drumlin
