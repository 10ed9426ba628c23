// Judges a program's operations by the restrictions that a tensor engine's vendor publishes
// (drumlin/target/EngineOperators.def): the engine accepts each operation, accepts it with a named
// loss, or refuses it.
#pragma once

#include "drumlin/target/EngineOperators.h"
#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <optional>
#include <string>

namespace drumlin {

enum class EngineAnswer {
  Loses,   // accepted, but computed less precisely than the program requires
  MayFail, // accepted; may fail at run time, depending on data
  Refused,
};

struct EngineVerdict {
  EngineAnswer answer;
  std::string reason; // the published restriction, and how the operation violates it
};

// Returns all restrictions on an operation that maps to this HLO instruction, with refusals first;
// empty if the engine accepts the operation without a restriction.
std::vector<EngineVerdict> engineVerdicts(mlir::Operation *op, std::string_view instruction,
                                          const TensorEngine &engine);

struct EngineNotes {
  struct Note {
    std::string operation, source; // such as `stablehlo.or`, and the first operation's location
    std::string reason;            // such as `not listed`
    int64_t count = 1;
  };
  std::vector<Note> notTaken, loses, mayFail; // in program order
};

// Judges every operation that maps to an HLO instruction. Operations with the same name and the
// same reason share one note.
using InstructionOf = std::function<std::optional<std::string>(mlir::Operation *)>;
EngineNotes engineNotes(mlir::ModuleOp module, const TensorEngine &engine,
                        const InstructionOf &instructionOf);

} // namespace drumlin
