// What the C interface's handles are, for the libraries that offer it.
#pragma once

#include "drumlin/runtime/drumlin.h"
#include "drumlin/runtime/executable/Executable.h"

#include <memory>

// The names of element types end in a zero: they are literals of ElementType.def.
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

// An error for which there is always memory; to be freed like others.
drumlin_error *noMemory();

// The options of a caller that was compiled against this header or an older one.
LoadOptions loadOptionsFromC(const drumlin_load_options *options);

} // namespace drumlin
