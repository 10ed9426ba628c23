// Judges the operations of a program by the restrictions that a tensor engine's vendor publishes
// (drumlin/target/EngineOperators.def): each is taken, taken with a loss that is named, or refused.
#pragma once

#include "drumlin/target/EngineOperators.h"
#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <optional>
#include <string>

namespace drumlin {

enum class EngineAnswer {
  Loses,   // taken, computed with less than the program says
  MayFail, // taken; the run may fail, depending on data
  Refused,
};

struct EngineVerdict {
  EngineAnswer answer;
  std::string reason; // what is published, and where the operation doesn't hold to it
};

// Returns all that is said against an operation of this HLO instruction, refusals first; nothing
// for one that is taken as it is.
std::vector<EngineVerdict> engineVerdicts(mlir::Operation *op, std::string_view instruction,
                                          const TensorEngine &engine);

struct EngineNotes {
  struct Note {
    std::string operation, source; // `stablehlo.or`, where the first of them comes from
    std::string reason;            // `not listed`
    int64_t count = 1;
  };
  std::vector<Note> notTaken, loses, mayFail; // in program order
};

// Judges every operation that has an HLO instruction; equal reasons of one name are one note.
using InstructionOf = std::function<std::optional<std::string>(mlir::Operation *)>;
EngineNotes engineNotes(mlir::ModuleOp module, const TensorEngine &engine,
                        const InstructionOf &instructionOf);

} // namespace drumlin
