// The definitions of the C interface's handles, for the libraries that implement it.
#pragma once

#include "drumlin/runtime/drumlin.h"
#include "drumlin/runtime/executable/Executable.h"

#include <memory>

// The name of a value's element type needn't be copied into the handle: it is a zero-terminated
// literal of ElementType.def.
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
