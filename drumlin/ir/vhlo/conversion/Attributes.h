// Attributes of the `vhlo` dialect and their counterparts among MLIR's and StableHLO's.
#pragma once

#include "drumlin/ir/vhlo/conversion/Types.h"

namespace drumlin::vhlo {

// What an attribute itself says, whichever operation has it. Null: no counterpart. Attributes of
// dialects that neither MLIR, StableHLO nor `vhlo` has are their own counterparts.
mlir::Attribute attributeToStablehlo(mlir::Attribute attribute, TypeConverter &types);
mlir::Attribute attributeToVhlo(mlir::Attribute attribute, TypeConverter &types);

// The attributes that an operation of the newest release has for itself, in the other dialect.
// Nothing where all went well; otherwise a message that names the attribute.
// `base` is the operation's name without dialect and version.
std::optional<std::string> inherentToStablehlo(llvm::StringRef base,
                                               mlir::DictionaryAttr attributes,
                                               TypeConverter &types,
                                               mlir::NamedAttrList &converted);
std::optional<std::string> inherentToVhlo(const OperationVersion &row,
                                          mlir::DictionaryAttr attributes, TypeConverter &types,
                                          mlir::NamedAttrList &converted);

// The names of an operation's attributes in `stablehlo`, ascending.
std::vector<std::string> stablehloAttributeNames(const OperationVersion &row);

//===-- groups --------------------------------------------------------------------------------===//

// Several attributes of `vhlo` that are one in `stablehlo`, such as the roles of dimensions. Each
// of the parts is a number or, marked with `*`, a list.
struct AttributeGroup {
  llvm::StringRef base; // the operation's
  llvm::StringRef name; // in `stablehlo`
  llvm::ArrayRef<llvm::StringRef> parts;
  mlir::Attribute (*join)(mlir::MLIRContext *, llvm::ArrayRef<llvm::SmallVector<int64_t>> parts);
  // Empty where the attribute isn't of the kind that the group stands for.
  llvm::SmallVector<llvm::SmallVector<int64_t>> (*split)(mlir::Attribute);
};
// The group of an operation; null where it has none.
const AttributeGroup *attributeGroup(llvm::StringRef base);

} // namespace drumlin::vhlo
