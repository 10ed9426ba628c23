// What a program costs on a tensor engine (drumlin/target/TensorEngine.h) with the layouts that are
// chosen for it, or with those that it spells: which operands have to be transposed so that their
// contracted dimension lies on partitions, and why.
#pragma once

#include "drumlin/support/Cost.h"
#include "drumlin/target/TensorEngine.h"
#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace drumlin {

struct EngineOptions {
  // Every value lies row-major, as the program has it, whatever its users need.
  bool asWritten = false;
};

enum class OperandLayout {
  Fits,       // the contracted dimension lies on partitions
  Static,     // transposed once, before the first call
  Transposed, // transposed at each call
  Shared,     // transposed at each call, for an operation that comes before
};

struct EngineOperand {
  OperandLayout layout = OperandLayout::Fits;
  int64_t transposeFlops = 0;       // of one transpose
  int64_t turns = 0;                // transposes in one run of the program
  std::string reason;               // why it is as it is, with the remedy; empty where it fits
  std::string remedy;               // what would avoid a transpose; empty: nothing that is known
  std::optional<unsigned> argument; // of the program that is transposed, if it is one

  bool isTransposed() const {
    return layout == OperandLayout::Transposed || layout == OperandLayout::Shared;
  }
};

// One dot, convolution, or transpose that no product takes over; of a transpose, `lhs` is what is
// transposed.
struct EngineOperation {
  mlir::Operation *op = nullptr; // of the module; null for a transpose of an argument
  std::string name, source;
  std::string shape; // `bf16 [1, 4096] x [4096, 4096]`: m and k by k and n, with a batch before
  int64_t calls = 1;
  int64_t modelFlops = 0, hardwareFlops = 0, transposeFlops = 0; // of all calls
  double adjustedFlops = 0;
  double typeFactor = 1;  // of a product: its time over that of one in bf16
  EngineOperand lhs, rhs; // of one call

  bool isProduct() const;
  // The operand that is the program's left (0) or right (1) one.
  const EngineOperand &programOperand(unsigned number) const;
};

struct EngineCost {
  std::vector<EngineOperation> operations; // most hardware FLOPs first; ties in program order
  int64_t modelFlops = 0, hardwareFlops = 0, transposeFlops = 0;
  double adjustedFlops = 0;
  int64_t bytes = 0; // arguments, constants and results, each once

  double intensity() const; // model FLOPs a byte
  // The share of the engine's peak rate that model FLOPs reach if nothing but the array and the
  // memory takes time.
  double highestUtilization(const TensorEngine &engine) const;
  // The time that this takes.
  double seconds(const TensorEngine &engine) const;
};

// Of a module without calls, in StableHLO. With chosen layouts, transposes take no more FLOPs than
// with those that the program spells, and spellings of one computation cost the same, as long as
// the choice is exact (ChoiceProblem.h, and at most six rows that are tried for one value).
EngineCost engineCost(mlir::ModuleOp module, const TensorEngine &engine,
                      const EngineOptions &options);

} // namespace drumlin
