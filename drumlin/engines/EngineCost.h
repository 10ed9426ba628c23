// Computes a program's cost on a tensor engine (drumlin/target/TensorEngine.h) with optimized or
// with written layouts: which operands must be transposed so that their contracted dimension is on
// partitions, and why.
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
  Shared,     // transposed at each call, for an earlier operation
};

struct EngineOperand {
  OperandLayout layout = OperandLayout::Fits;
  int64_t transposeFlops = 0;       // of one transpose
  int64_t turns = 0;                // transposes in one run of the program
  std::string reason;               // why it has this layout, with the remedy; empty if it fits
  std::string remedy;               // how to avoid a transpose; empty if no way is known
  std::optional<unsigned> argument; // the program's argument that is transposed, if it is one

  bool isTransposed() const {
    return layout == OperandLayout::Transposed || layout == OperandLayout::Shared;
  }
};

// A dot, a convolution, or a transpose that no dot or convolution includes; `lhs` of a transpose is
// the transposed value.
struct EngineOperation {
  mlir::Operation *op = nullptr; // in the module; null for a transpose of an argument
  std::string name, source;
  std::string shape; // `bf16 [1, 4096] x [4096, 4096]`: [m, k] x [k, n], batch first
  int64_t calls = 1;
  int64_t modelFlops = 0, hardwareFlops = 0, transposeFlops = 0; // total of all calls
  double adjustedFlops = 0;
  double typeFactor = 1;  // for a dot or convolution: its time relative to bf16
  EngineOperand lhs, rhs; // for one call

  bool isProduct() const;
  // Returns the operand that is the program's left (0) or right (1) operand.
  const EngineOperand &programOperand(unsigned number) const;
};

struct EngineCost {
  std::vector<EngineOperation> operations; // most hardware FLOPs first; ties in program order
  int64_t modelFlops = 0, hardwareFlops = 0, transposeFlops = 0;
  double adjustedFlops = 0;
  int64_t bytes = 0; // arguments, constants and results, each once

  double intensity() const; // model FLOPs per byte
  // Returns the share of the engine's peak rate that model FLOPs reach if only the array's
  // computation and memory traffic take time.
  double highestUtilization(const TensorEngine &engine) const;
  // Returns the program's time under the same assumption.
  double seconds(const TensorEngine &engine) const;
};

// Computes the cost of a StableHLO module without calls. With optimized layouts, transposes take at
// most as many FLOPs as with written layouts, and equivalent programs cost the same however they
// order dimensions, as long as the choice is exact (ChoiceProblem.h, and at most six rows tried per
// value).
EngineCost engineCost(mlir::ModuleOp module, const TensorEngine &engine,
                      const EngineOptions &options);

} // namespace drumlin
