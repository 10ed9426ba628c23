// Judges a program's operations by the restrictions that a tensor engine's vendor publishes
// (drumlin/target/EngineOperators.def): each is taken, taken with a named loss, or refused.
#pragma once

#include "drumlin/target/EngineOperators.h"
#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <optional>
#include <string>

namespace drumlin {

enum class EngineAnswer {
  Loses,   // taken, computed less precisely than the program requires
  MayFail, // taken; may fail at run time, depending on data
  Refused,
};

struct EngineVerdict {
  EngineAnswer answer;
  std::string reason; // the published restriction, and how the operation violates it
};

// Returns all restrictions on an operation of this HLO instruction, refusals first; empty if the
// operation is taken unchanged.
std::vector<EngineVerdict> engineVerdicts(mlir::Operation *op, std::string_view instruction,
                                          const TensorEngine &engine);

struct EngineNotes {
  struct Note {
    std::string operation, source; // `stablehlo.or`; source: location of the first such operation
    std::string reason;            // `not listed`
    int64_t count = 1;
  };
  std::vector<Note> notTaken, loses, mayFail; // in program order
};

// Judges every operation that has an HLO instruction; merges equal reasons for one operation name.
using InstructionOf = std::function<std::optional<std::string>(mlir::Operation *)>;
EngineNotes engineNotes(mlir::ModuleOp module, const TensorEngine &engine,
                        const InstructionOf &instructionOf);

} // namespace drumlin
