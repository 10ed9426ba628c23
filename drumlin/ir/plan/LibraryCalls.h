// Calls of GPU libraries as attributes of plan.library_call, and why a product is none.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/target/LibraryCall.h"

namespace drumlin::plan {

// The value of `call`, in the library's words (drumlin/target/LibraryCallText.h).
mlir::DictionaryAttr libraryCallAttr(mlir::MLIRContext *context, const LibraryCall &call,
                                     const GpuTarget &target);
// Nothing if the attribute is not a call of the target's library.
std::optional<LibraryCall> libraryCallOf(LibraryCallOp op, const GpuTarget &target);

// Why a plan.gemm of a GPU's plan has to be a kernel of our own.
struct OwnKernelReason {
  LibraryLimit limit = LibraryLimit::Layout;
  std::string detail; // what was seen
  std::string manual; // the manual's page and section; empty where none is needed
};
void setOwnKernel(GemmOp gemm, const OwnKernelReason &reason);
// Nothing where the attribute is missing or names no limit.
std::optional<OwnKernelReason> ownKernelOf(GemmOp gemm);

} // namespace drumlin::plan
