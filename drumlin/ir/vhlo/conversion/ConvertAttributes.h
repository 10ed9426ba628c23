// Attributes of the `vhlo` dialect and their counterparts among MLIR's and StableHLO's.
#pragma once

#include "drumlin/ir/vhlo/conversion/ConvertTypes.h"

namespace drumlin::vhlo {

// Convert an attribute without regard to its operation; null if the attribute has no counterpart.
// Attributes of dialects other than MLIR's, StableHLO and `vhlo` are kept.
mlir::Attribute attributeToStablehlo(mlir::Attribute attribute, TypeConverter &types);
mlir::Attribute attributeToVhlo(mlir::Attribute attribute, TypeConverter &types);

// Convert the inherent attributes of an operation of the newest release to the other dialect.
// `base` is the operation's name without dialect and version. Return nothing on success; otherwise
// a message that names the attribute.
std::optional<std::string> inherentToStablehlo(llvm::StringRef base,
                                               mlir::DictionaryAttr attributes,
                                               TypeConverter &types,
                                               mlir::NamedAttrList &converted);
std::optional<std::string> inherentToVhlo(const OperationVersion &row,
                                          mlir::DictionaryAttr attributes, TypeConverter &types,
                                          mlir::NamedAttrList &converted);

// Returns the names of an operation's attributes in `stablehlo`, in ascending order.
std::vector<std::string> stablehloAttributeNames(const OperationVersion &row);

//===-- groups --------------------------------------------------------------------------------===//

// Several attributes of an operation in `vhlo` that are a single attribute in `stablehlo`, such as
// the roles of dimensions. `parts` lists the names in `vhlo`. If a name begins with `*`, the
// attribute is a list of numbers, else a single number.
struct AttributeGroup {
  llvm::StringRef base; // base name of the operation
  llvm::StringRef name; // name of the attribute in `stablehlo`
  llvm::ArrayRef<llvm::StringRef> parts;
  mlir::Attribute (*join)(mlir::MLIRContext *, llvm::ArrayRef<llvm::SmallVector<int64_t>> parts);
  // Returns the values of the `vhlo` attributes, given the `stablehlo` attribute; an empty list if
  // this attribute does not belong to the group.
  llvm::SmallVector<llvm::SmallVector<int64_t>> (*split)(mlir::Attribute);
};
// Returns the group of an operation, or null.
const AttributeGroup *attributeGroup(llvm::StringRef base);

} // namespace drumlin::vhlo
