// Reads a planned call back from its JSON.
#include "CallEmulator.h"

#include "drumlin/driver/LibraryReport.h"
#include "drumlin/target/LibraryCallText.h"

#include <gtest/gtest.h>

namespace drumlin {

LibraryCall printedCall(const LibraryKernel &kernel, const GpuTarget &target) {
  llvm::Expected<llvm::json::Value> json = llvm::json::parse(libraryJson({kernel}, target));
  EXPECT_TRUE(bool(json));
  const llvm::json::Array *kernels = json->getAsObject()->getArray("kernels");
  std::optional<LibraryCall> call =
      readLibraryCall(*kernels->front().getAsObject()->getObject("call"), target);
  EXPECT_TRUE(call);
  return call.value_or(LibraryCall());
}

} // namespace drumlin
