// Calls of GPU libraries as attributes of plan.library_call, and the reasons why a GEMM is a kernel
// of our own instead.
#pragma once

#include "drumlin/ir/plan/LibraryCallOp.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/target/LibraryCall.h"

namespace drumlin::plan {
class GemmOp;
}

namespace drumlin::plan {

// Returns the value of the attribute `call`, with the library's names
// (drumlin/target/LibraryCallText.h).
mlir::DictionaryAttr libraryCallAttr(mlir::MLIRContext *context, const LibraryCall &call,
                                     const GpuTarget &target);
// Returns the call that the attribute `call` describes; nothing if it is not a call of the target's
// library.
std::optional<LibraryCall> libraryCallOf(LibraryCallOp op, const GpuTarget &target);

// The reason why a plan.gemm for a GPU must be a kernel of our own instead of a library call.
struct OwnKernelReason {
  LibraryLimit limit = LibraryLimit::Layout;
  std::string detail; // the value that violates `limit`; may be empty
  std::string manual; // the manual's page and section; empty if none applies
};
void setOwnKernel(GemmOp gemm, const OwnKernelReason &reason);
// Returns the reason that setOwnKernel() stored; nothing if the GEMM has none, or an unknown one.
std::optional<OwnKernelReason> ownKernelOf(GemmOp gemm);

} // namespace drumlin::plan
