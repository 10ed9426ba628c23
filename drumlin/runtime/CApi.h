// The definitions of the C interface's handles, for the libraries that implement it.
#pragma once

#include "drumlin/runtime/drumlin.h"
#include "drumlin/runtime/executable/Executable.h"

#include <memory>

// Values need no copies of the names of their element types: these are literals of ElementType.def,
// which end with a zero.
struct drumlin_executable {
  std::shared_ptr<drumlin::Executable> executable;
};

struct drumlin_context {
  std::shared_ptr<drumlin::Executable> executable;
  std::shared_ptr<drumlin::ExecutionContext> context;
};

struct drumlin_event {
  std::shared_ptr<drumlin::Event> event;
};

struct drumlin_error {
  drumlin::Diagnostic diagnostic;
};

namespace drumlin {

// Returns an error that needs no allocation; freed like any other error.
drumlin_error *noMemory();

// Converts options of a caller compiled against this header or an older one.
LoadOptions loadOptionsFromC(const drumlin_load_options *options);

} // namespace drumlin
