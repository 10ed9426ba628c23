// The interface by which operations declare from which operand elements their results are computed, and at what cost.
#ifndef DRUMLIN_INDEXING_INTERFACE
#define DRUMLIN_INDEXING_INTERFACE

include "mlir/IR/OpBase.td"

// An operation's role in kernels (OperationClass.h), one of: Constant, DataMovement, Pointwise, Gather, Reduction, Hero, Control.
class OfClass<string name> : ParamNativeOpTrait<"OfClass", "::drumlin::OperationClass::"#name> {
  let cppNamespace = "::drumlin";
}

// Declares, in the C++ class of an operation, the number of arithmetic operations per element.
class ElementCost<int operations> {
  code declaration = "int64_t operationsPerElement() { return "#operations#"; }";
}

def IndexingInterface : OpInterface<"IndexingInterface"> {
  let cppNamespace = "::drumlin";
  let methods = [
    InterfaceMethod<[{
      Returns the operand elements that a result element may be computed from: no other operand
      element changes it. Called only for tensors of known shapes, by `indexing` in
      IndexingInterface.h.
    }], "::drumlin::IndexingMap", "indexingOf",
    (ins "::mlir::OpOperand &":$operand, "unsigned":$result), "", [{
      return ::drumlin::indexingByDefault(operand, result);
    }]>,
    InterfaceMethod<[{
      Whether the elements that are read depend on sizes that are known only at run time; the maps
      of `indexingOf` then hold at the nominal sizes only.
    }], "bool", "readsBySizes", (ins), "", [{
      return $_op.operationClass() != ::drumlin::OperationClass::Pointwise && ::drumlin::hasSymbolicShapes($_op);
    }]>,
    InterfaceMethod<"Returns the operation's role in kernels.", "::drumlin::OperationClass", "operationClass", (ins), "", [{
      return ::drumlin::classOfTraits<ConcreteOp>();
    }]>,
    InterfaceMethod<[{
      Returns arithmetic operations for one result element, as the cost model counts them; a transcendental function counts as the
      operations of one register in which the math library computes it (measured cycles, rounded).
    }], "int64_t", "operationsPerElement", (ins), "", [{
      return $_op.operationClass() == ::drumlin::OperationClass::Pointwise ? 1 : 0;
    }]>
  ];
}

#endif // DRUMLIN_INDEXING_INTERFACE
