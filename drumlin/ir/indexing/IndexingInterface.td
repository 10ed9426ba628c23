// The interface by which operations say what their results' elements are computed from.
#ifndef DRUMLIN_INDEXING_INTERFACE
#define DRUMLIN_INDEXING_INTERFACE

include "mlir/IR/OpBase.td"

def IndexingInterface : OpInterface<"IndexingInterface"> {
  let cppNamespace = "::drumlin";
  let methods = [
    InterfaceMethod<[{
      The elements of an operand that an element of a result may be computed from: no other element
      of it changes that one. Called for tensors of known shapes; `indexing` in IndexingInterface.h
      sees to it.
    }], "::drumlin::IndexingMap", "indexingOf",
    (ins "::mlir::OpOperand &":$operand, "unsigned":$result), "", [{
      return ::drumlin::indexingByDefault(operand, result);
    }]>
  ];
}

#endif // DRUMLIN_INDEXING_INTERFACE
