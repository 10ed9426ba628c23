// Calls of matrix product libraries, checked against what the libraries take (LibraryTable.h).
#pragma once

#include "drumlin/target/LibraryCall.h"

#include <optional>
#include <string>
#include <string_view>

namespace drumlin {

struct LibraryViolation {
  LibraryLimit limit;
  std::string detail;      // what was seen
  std::string_view source; // the manual's page and section; empty where none is needed
};

// The first thing about a call that the target's library doesn't take; nothing where it takes all.
std::optional<LibraryViolation> violationOf(const LibraryCall &call, const GpuTarget &target);

} // namespace drumlin
