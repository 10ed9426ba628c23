#include "drumlin/import/hlo/ImportOpcodes.h"

#include "mlir/IR/OpDefinition.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

namespace drumlin::hlo {

static constexpr OpcodeRule rules[] = {
#define DRUMLIN_HLO_OPCODE(opcode, function, operation) {opcode, function, operation},
#include "drumlin/import/hlo/OpcodeTable.def"
};

llvm::ArrayRef<OpcodeRule> allOpcodes() { return rules; }

static const OpcodeRule *findInTable(llvm::StringRef opcode) {
  static const llvm::StringMap<const OpcodeRule *> byName = [] {
    llvm::StringMap<const OpcodeRule *> map;
    for (const OpcodeRule &rule : rules) {
      map[rule.opcode] = &rule;
    }
    return map;
  }();
  return byName.lookup(opcode);
}

std::optional<OpcodeRule> findOpcode(llvm::StringRef opcode, mlir::MLIRContext *context) {
  if (const OpcodeRule *rule = findInTable(opcode)) {
    return *rule;
  }
  std::string name = opcode.str();
  llvm::replace(name, '-', '_');
  for (const char *dialect : {"stablehlo.", "chlo."}) {
    auto operation = mlir::RegisteredOperationName::lookup(dialect + name, context);
    if (operation && operation->hasTrait<mlir::OpTrait::Elementwise>()) {
      return OpcodeRule{opcode, emitElementwise, operation->getStringRef()};
    }
  }
  // Any operation may be asynchronous: its opcode then has the step as a suffix.
  static constexpr std::pair<llvm::StringLiteral, void (*)(Emitter &, llvm::StringRef)> steps[] = {
      {"-start", emitWrappedStart}, {"-update", emitAsyncUpdate}, {"-done", emitAsyncDone}};
  for (auto [suffix, emit] : steps) {
    llvm::StringRef operation = opcode;
    if (operation.consume_back(suffix) && findOpcode(operation, context)) {
      return OpcodeRule{opcode, emit, operation};
    }
  }
  return std::nullopt;
}

} // namespace drumlin::hlo
