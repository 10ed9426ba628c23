// How each of HLO's instructions is written in StableHLO: the table OpcodeTable.def, whose
// functions lie in files by families.
#pragma once

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace drumlin::hlo {

class Emitter;

struct OpcodeRule {
  llvm::StringRef opcode;
  // Ends with Emitter::finish() or Emitter::fail(). `operation` is the rule's own.
  void (*emit)(Emitter &, llvm::StringRef operation);
  llvm::StringRef operation; // empty where the function knows it
};

// The table's rule; else `is-finite` is the elementwise operation `is_finite` of
// StableHLO or CHLO, and `call-start` begins what `call` computes. Nothing for other opcodes.
std::optional<OpcodeRule> findOpcode(llvm::StringRef opcode, mlir::MLIRContext *context);
llvm::ArrayRef<OpcodeRule> allOpcodes();

// Begins the operation, and is done with it at once.
void emitWrappedStart(Emitter &, llvm::StringRef operation);

#define DRUMLIN_HLO_OPCODE(opcode, function, operation) void function(Emitter &, llvm::StringRef);
#include "drumlin/import/hlo/OpcodeTable.def"

} // namespace drumlin::hlo
