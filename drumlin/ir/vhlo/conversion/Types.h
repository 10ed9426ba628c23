// Types of the `vhlo` dialect and their counterparts among MLIR's and StableHLO's.
#pragma once

#include "drumlin/ir/vhlo/VhloDialect.h"

#include "llvm/ADT/DenseMap.h"

namespace drumlin::vhlo {

// Each asks the other for parts, and remembers the answers. Null: no counterpart.
class TypeConverter {
public:
  // From `vhlo`. Types of other dialects are their own counterparts.
  mlir::Type toStablehlo(mlir::Type type);
  // To `vhlo`. Types of `vhlo` are their own counterparts; types of dialects other than MLIR's,
  // StableHLO's and the quantized ones have none.
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
