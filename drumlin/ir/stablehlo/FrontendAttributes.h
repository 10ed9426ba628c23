// Metadata that frameworks attach to operations: named texts in the discardable attribute
// `mhlo.frontend_attributes`. JAX's `set_xla_metadata` writes this attribute; HLO's
// `frontend_attributes` become this attribute.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace drumlin::stablehlo {

inline constexpr const char *frontendAttributes = "mhlo.frontend_attributes";

// Names with a meaning in XLA:
// MUST_FUSE: operations with the same text are computed by one kernel.
// FUSE_LIMIT: operations with the text `true` are not fused with other operations.
// scheduling_group: groups are computed in program order.
inline constexpr const char *mustFuse = "MUST_FUSE";
inline constexpr const char *fuseLimit = "FUSE_LIMIT";
inline constexpr const char *schedulingGroup = "scheduling_group";
// The name of a text that is a requirement on the operation (docs/requirements.md).
inline constexpr const char *requirement = "drumlin_require";

inline constexpr const char *keptFrontendAttributes[] = {mustFuse, fuseLimit, schedulingGroup,
                                                         requirement};

// Returns the text of the frontend attribute with this name, given an operation's discardable
// attributes. Returns an empty text if there is none.
inline llvm::StringRef frontendAttribute(mlir::DictionaryAttr attributes, llvm::StringRef name) {
  auto all = attributes ? attributes.getAs<mlir::DictionaryAttr>(frontendAttributes)
                        : mlir::DictionaryAttr();
  auto text = all ? all.getAs<mlir::StringAttr>(name) : mlir::StringAttr();
  return text ? text.getValue() : llvm::StringRef();
}
inline llvm::StringRef frontendAttribute(mlir::Operation *op, llvm::StringRef name) {
  auto all = op->getAttrOfType<mlir::DictionaryAttr>(frontendAttributes);
  auto text = all ? all.getAs<mlir::StringAttr>(name) : mlir::StringAttr();
  return text ? text.getValue() : llvm::StringRef();
}

} // namespace drumlin::stablehlo
