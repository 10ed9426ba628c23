// The functions that convert HLO opcodes, as listed in OpcodeTable.def. Each family of opcodes has
// a source file with its functions.
#pragma once

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace drumlin::hlo {

class Emitter;

struct OpcodeRule {
  llvm::StringRef opcode;
  // Converts an instruction; ends with Emitter::finish() or Emitter::fail(). `operation`: the
  // member `operation` of the rule.
  void (*emit)(Emitter &, llvm::StringRef operation);
  llvm::StringRef operation; // empty if the function doesn't need it
};

// Returns the rule of an opcode. Opcodes that aren't in the table may be elementwise operations of
// StableHLO or CHLO with the same name (`is_finite` for `is-finite`), or asynchronous steps such as
// `call-start`. Returns nullopt for unknown opcodes.
std::optional<OpcodeRule> findOpcode(llvm::StringRef opcode, mlir::MLIRContext *context);
llvm::ArrayRef<OpcodeRule> allOpcodes();

// Converts the start of an asynchronous operation whose opcode names the wrapped operation, such as
// `custom-call-start`.
void emitWrappedStart(Emitter &, llvm::StringRef operation);

#define DRUMLIN_HLO_OPCODE(opcode, function, operation) void function(Emitter &, llvm::StringRef);
#include "drumlin/import/hlo/OpcodeTable.def"

} // namespace drumlin::hlo
