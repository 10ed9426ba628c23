// Types of the `vhlo` dialect and their counterparts among MLIR's and StableHLO's.
#pragma once

#include "drumlin/ir/vhlo/VhloDialect.h"

#include "llvm/ADT/DenseMap.h"

namespace drumlin::vhlo {

// Converts types in both directions, and caches the results. Null means that there is no
// counterpart.
class TypeConverter {
public:
  // Converts from `vhlo`. Types of other dialects are kept.
  mlir::Type toStablehlo(mlir::Type type);
  // Converts to `vhlo`. Types of `vhlo` are kept; types of dialects other than MLIR's, StableHLO's
  // and the quantized ones have no counterpart.
  mlir::Type toVhlo(mlir::Type type);

private:
  mlir::Type computeToStablehlo(mlir::Type type);
  mlir::Type computeToVhlo(mlir::Type type);
  bool toStablehlo(mlir::TypeRange from, llvm::SmallVectorImpl<mlir::Type> &to);
  bool toVhlo(mlir::TypeRange from, llvm::SmallVectorImpl<mlir::Type> &to);
  mlir::Type quantizedToStablehlo(QuantizedV1Type type);
  mlir::Type quantizedToVhlo(mlir::Type type);

  llvm::DenseMap<mlir::Type, mlir::Type> stablehloTypes, vhloTypes;
};

} // namespace drumlin::vhlo
