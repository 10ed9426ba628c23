// Verifiers of non-tensor types and of the attributes of distribution.
#include "drumlin/ir/stablehlo/StablehloDialect.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

#define GET_TYPEDEF_CLASSES
#include "drumlin/ir/stablehlo/StablehloValueTypes.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "drumlin/ir/stablehlo/StablehloValueTypes.cpp.inc"
      >();
}

LogicalResult FutureType::verify(function_ref<InFlightDiagnostic()> emit, ArrayRef<Type> types) {
  for (Type type : types) {
    if (!isa<RankedTensorType>(type)) {
      return emit() << "expects a future of ranked tensors, got " << type;
    }
  }
  return success();
}

LogicalResult ReplicaGroupMeshAxesAttr::verify(function_ref<InFlightDiagnostic()> emit,
                                               Attribute mesh, ArrayAttr axes) {
  if (!isa<FlatSymbolRefAttr, MeshAttr>(mesh)) {
    return emit() << "expects a mesh or the name of one, got " << mesh;
  }
  auto known = dyn_cast<MeshAttr>(mesh);
  for (Attribute axis : axes) {
    auto ref = dyn_cast<AxisRefAttr>(axis);
    if (!known) {
      continue;
    }
    bool found = ref && llvm::any_of(known.getAxes(), [&](MeshAxisAttr each) {
                   return each.getName() == ref.getName();
                 });
    if (!found) {
      return emit() << "expects axes of the mesh, got " << axis;
    }
  }
  return success();
}

} // namespace drumlin::stablehlo
