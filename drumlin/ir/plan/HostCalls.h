// Operations that call code outside of the program, and the properties of such a call. The
// operations are StableHLO's custom calls, its transfers to and from the host, and
// `plan.host_call`, to which all of these are lowered.
#pragma once

#include "drumlin/ir/plan/HostCallOp.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Layout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace drumlin::stablehlo {
class CustomCallOp;
}

namespace drumlin {

struct HostCallParts {
  plan::HostInterface interface = plan::HostInterface::original;
  std::string target = {}; // for a transfer, the channel's number; empty without one
  // A dictionary, a string, or null: `backend_config`, `infeed_config`, `outfeed_config`.
  mlir::Attribute config = {};
  // The types that the called code sees, including tokens. A tuple that is the only result is
  // replaced by its elements.
  mlir::FunctionType signature = {};
  // The dimension orders of the signature's operands and results; missing or empty orders mean
  // row-major.
  llvm::SmallVector<DimensionOrder> operandOrders = {}, resultOrders = {};
  llvm::SmallVector<int64_t> aliases = {}; // pairs of a result and the operand that it aliases
  bool hasSideEffect = true;
};

// Returns the properties of a call. Returns nothing for operations that are no calls, and for
// transfers between processes if the program has only one process or if the pairs of processes do
// not fit the program's grid.
std::optional<HostCallParts> hostCallPartsOf(mlir::Operation *op);

// Checks that a custom call or an infeed can be executed. Its configuration must be a string or a
// dictionary, and its layouts must list each dimension of the results once. Tuple operands require
// XLA's foreign function interface, which passes their elements. Errors have a source location.
Status checkHostOperation(mlir::Operation *op);

// Returns the numbers of the operands that hold the results' sizes, one per result.
// `indices_of_shape_operands` lists them in exported programs of symbolic shapes. The called code
// does not see these operands. Empty for other calls, and if the attribute is invalid.
llvm::SmallVector<unsigned> shapeOperandsOf(stablehlo::CustomCallOp call);
// Removes the call's shape operands.
void dropShapeOperands(stablehlo::CustomCallOp call);

// Whether the call is an annotation for compilers that distribute programs. On one device, such a
// call returns its operands.
bool isDeviceMark(stablehlo::CustomCallOp call);

// Whether a call only orders operations: the producer of its first operand must run before the
// producers of its other operands (JAX's control dependences). Programs run in program order
// anyway.
bool isOrderMark(stablehlo::CustomCallOp call);

// A call that selects, possibly approximately, the first elements of n tensors along a dimension,
// in the order of a comparator function (`ApproxTopK`). Its operands are the tensors and n initial
// values.
struct FirstElements {
  int64_t dimension;
  mlir::FlatSymbolRefAttr comparator;
};
// Returns nothing if the call has another target. Does not check that the dimension is in range.
std::optional<FirstElements> firstElementsOf(stablehlo::CustomCallOp call);

namespace plan {
// Whether the runtime implements custom calls of this target, or the compiler lowers them to
// operations (docs/custom-calls.md, "Calls that the runtime has code for").
bool isTargetOfRuntime(llvm::StringRef target);

// Returns pairs of an operand and the result that shares its memory. The numbers do not count
// tokens, which have no memory.
llvm::SmallVector<std::pair<unsigned, unsigned>> sharedMemory(HostCallOp call);

// Returns the host calls of an entry function in program order, which is also their order in the
// image's table.
llvm::SmallVector<HostCallOp> hostCallsOf(mlir::func::FuncOp entry);
} // namespace plan

} // namespace drumlin
