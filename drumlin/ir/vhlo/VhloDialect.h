// The `vhlo` dialect: programs as stored in portable artifacts. It is used only between bytecode
// and the `stablehlo` dialect; no pass sees it.
#pragma once

#include "drumlin/ir/vhlo/OperationTable.h"
#include "drumlin/ir/vhlo/Version.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/Operation.h"

namespace drumlin::vhlo {

// The enumerators' values are the codes of the types in bytecode.
enum class ScalarKind : uint32_t {
#define VHLO_SCALAR_TYPE(Name, code, mnemonic, first, bits) Name = code,
#include "drumlin/ir/vhlo/VhloScalarTypes.def"
};

enum class EnumKind : uint32_t {
#define VHLO_ENUM(Name, code, mnemonic, first, cases) Name = code,
#include "drumlin/ir/vhlo/VhloEnums.def"
};

struct ScalarInfo {
  ScalarKind kind;
  llvm::StringRef mnemonic; // `f32_v1`
  Version first;
  unsigned integerBits; // width of an integer; 0 for other types
};
// Returns the scalar type with this code, or null.
const ScalarInfo *scalarInfo(uint64_t code);
inline const ScalarInfo &scalarInfo(ScalarKind kind) { return *scalarInfo(uint64_t(kind)); }
// Returns the scalar type with this text in MLIR, or null.
const ScalarInfo *scalarNamed(llvm::StringRef mnemonic);

struct EnumInfo {
  EnumKind kind;
  llvm::StringRef mnemonic; // `precision_v1`
  Version first;
  llvm::SmallVector<llvm::StringRef, 6> cases; // `-` if no case has this value
  bool hasCase(uint64_t value) const { return value < cases.size() && cases[value] != "-"; }
  std::optional<uint32_t> valueOf(llvm::StringRef name) const;
};
const EnumInfo *enumInfo(uint64_t code);
inline const EnumInfo &enumInfo(EnumKind kind) { return *enumInfo(uint64_t(kind)); }
const EnumInfo *enumNamed(llvm::StringRef mnemonic);

// Returns the table row of an operation of this dialect; null for other operations.
const OperationVersion *operationVersion(mlir::Operation *op);
// Returns the attributes that an operation's table row lists.
mlir::DictionaryAttr inherentAttributes(mlir::Operation *op);

// Convert between parameterless types of this dialect and MLIR's own types; null if there is no
// counterpart. Encodings of tensors are not converted.
mlir::Type scalarToBuiltin(ScalarKind kind, mlir::MLIRContext *context);
std::optional<ScalarKind> scalarFromBuiltin(mlir::Type type);
// Returns the MLIR type of a `vhlo` tensor of scalars or complex numbers; null for other types.
mlir::RankedTensorType tensorToBuiltin(mlir::Type type);

} // namespace drumlin::vhlo

#include "drumlin/ir/vhlo/VhloDialect.h.inc"

#define GET_TYPEDEF_CLASSES
#include "drumlin/ir/vhlo/VhloTypes.h.inc"

#define GET_ATTRDEF_CLASSES
#include "drumlin/ir/vhlo/VhloAttributes.h.inc"
