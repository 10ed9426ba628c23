// Operations that call code outside of the program, and what they say of the call: StableHLO's
// custom calls and transfers with the host, and `plan.host_call`, which they become.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Layout.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>
#include <string>

namespace drumlin {

struct HostCallParts {
  plan::HostInterface interface = plan::HostInterface::original;
  std::string target = {}; // of a transfer the channel's number, or nothing
  // A dictionary, a text, or null: `backend_config`, `infeed_config`, `outfeed_config`.
  mlir::Attribute config = {};
  // The types that the code sees, tokens among them. A tuple as the only result stands for what is
  // in it.
  mlir::FunctionType signature = {};
  // By the signature's values; fewer, or empty ones: row-major.
  llvm::SmallVector<DimensionOrder> operandOrders = {}, resultOrders = {};
  llvm::SmallVector<int64_t> aliases = {}; // pairs of a result and an operand
  bool hasSideEffect = true;
};

// Nothing for other operations, and for transfers between processes where the program has one, or
// pairs don't fit its grid.
std::optional<HostCallParts> hostCallPartsOf(mlir::Operation *op);

// What of a custom call or an infeed no code can be called with: a configuration that is neither a
// text nor a dictionary, a layout that doesn't order a result's dimensions, a tuple as an operand
// of another interface than XLA's foreign function interface, which gives its parts. Located.
Status checkHostOperation(mlir::Operation *op);

// By `indices_of_shape_operands`: the operands, one for each result, that hold the result's sizes,
// as exported programs of symbolic shapes give them. The code doesn't see them. Empty for other
// calls, and where the attribute names no such operands.
llvm::SmallVector<unsigned> shapeOperandsOf(stablehlo::CustomCallOp call);
// The call without them.
void dropShapeOperands(stablehlo::CustomCallOp call);

// A mark for compilers that distribute programs: on one device its results are its operands.
bool isDeviceMark(stablehlo::CustomCallOp call);

// Whether a call only says that what its first operand is made by runs before what makes the others
// (JAX's control dependences): programs run in their own order.
bool isOrderMark(stablehlo::CustomCallOp call);

// The elements of n tensors that a function of the program puts first along a dimension, be they
// approximately those (`ApproxTopK`): operands are the tensors and n initial values.
struct FirstElements {
  int64_t dimension;
  mlir::FlatSymbolRefAttr comparator;
};
// Nothing for other calls; that the dimension is one of the tensors' isn't known.
std::optional<FirstElements> firstElementsOf(stablehlo::CustomCallOp call);

namespace plan {
// Whether the runtime has code for custom calls of this target, or they become operations
// (docs/custom-calls.md, "Calls that the runtime has code for").
bool isTargetOfRuntime(llvm::StringRef target);

// The operands, by their numbers among those in memory, and the results whose memory they have.
llvm::SmallVector<std::pair<unsigned, unsigned>> sharedMemory(HostCallOp call);

// An entry's calls, in the order in which it makes them: the image's table.
llvm::SmallVector<HostCallOp> hostCallsOf(mlir::func::FuncOp entry);
} // namespace plan

} // namespace drumlin
