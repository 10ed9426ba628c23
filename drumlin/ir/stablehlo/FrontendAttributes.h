// What frameworks say of operations beside their meaning: texts by name in the discardable
// attribute `mhlo.frontend_attributes`, where JAX's `set_xla_metadata` puts them, and where HLO's
// `frontend_attributes` go.
#pragma once

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace drumlin::stablehlo {

inline constexpr const char *frontendAttributes = "mhlo.frontend_attributes";

// Names that XLA gives a meaning: operations with one text are computed by one kernel; no kernel
// joins operations that have the word `true` here with others; groups are computed in their order.
inline constexpr const char *mustFuse = "MUST_FUSE";
inline constexpr const char *fuseLimit = "FUSE_LIMIT";
inline constexpr const char *schedulingGroup = "scheduling_group";
// A requirement on the operation.
inline constexpr const char *requirement = "drumlin_require";

inline constexpr const char *keptFrontendAttributes[] = {mustFuse, fuseLimit, schedulingGroup,
                                                         requirement};

// Returns the text of that name among an operation's discardable attributes; empty where there is
// none.
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
