// Checks calls of matrix product libraries against what the libraries accept (LibraryTable.h).
#pragma once

#include "drumlin/target/LibraryCall.h"

#include <optional>
#include <string>
#include <string_view>

namespace drumlin {

struct LibraryViolation {
  LibraryLimit limit;
  std::string detail;      // what was found in the call
  std::string_view source; // the manual's page and section; empty if none is needed
};

// Returns the first reason for which the target's library doesn't accept a call; nullopt if the
// library accepts the call.
std::optional<LibraryViolation> violationOf(const LibraryCall &call, const GpuTarget &target);

} // namespace drumlin
