// The interface by which operations say what their results' elements are computed from, and what that takes.
#ifndef DRUMLIN_INDEXING_INTERFACE
#define DRUMLIN_INDEXING_INTERFACE

include "mlir/IR/OpBase.td"

// How an operation takes part in kernels (OperationClass.h), one of: Constant, DataMovement, Pointwise, Gather, Reduction, Hero, Control.
class OfClass<string name> : ParamNativeOpTrait<"OfClass", "::drumlin::OperationClass::"#name> {
  let cppNamespace = "::drumlin";
}

// For an operation's class declaration: arithmetic operations for one element.
class ElementCost<int operations> {
  code declaration = "int64_t operationsPerElement() { return "#operations#"; }";
}

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
    }]>,
    InterfaceMethod<[{
      Whether which elements are read depends on sizes that only the run tells: the numbers of the
      maps of `indexingOf` are then those of the nominal sizes.
    }], "bool", "readsBySizes", (ins), "", [{
      return $_op.operationClass() != ::drumlin::OperationClass::Pointwise && ::drumlin::hasSymbolicShapes($_op);
    }]>,
    InterfaceMethod<"How the operation takes part in kernels.", "::drumlin::OperationClass", "operationClass", (ins), "", [{
      return ::drumlin::classOfTraits<ConcreteOp>();
    }]>,
    InterfaceMethod<[{
      Arithmetic operations for one result element, as the cost model counts them; a transcendental function counts as the
      operations of one register in which the math library computes it (measured cycles, rounded).
    }], "int64_t", "operationsPerElement", (ins), "", [{
      return $_op.operationClass() == ::drumlin::OperationClass::Pointwise ? 1 : 0;
    }]>
  ];
}

#endif // DRUMLIN_INDEXING_INTERFACE
