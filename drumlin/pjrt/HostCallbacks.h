// Functions in a framework's language that programs call while they run. JAX's programs refer to
// them by number (`xla_ffi_python_cpu_callback`, from jaxlib 0.6 on): the run's user data begins
// with a pointer to an array of all of them. The package for that language registers the code that
// calls them.
#pragma once

#include "drumlin/runtime/drumlin.h"
#include "drumlin/support/Diagnostics.h"

// A call of a function: operands to read and results to fill, row-major, each described by its
// value; tokens have type "token" and no memory.
struct drumlin_callback {
  size_t size; // of this struct
  void *function;
  const drumlin_value *operands;
  const void *const *operand_buffers;
  size_t operand_count;
  const drumlin_value *results;
  void *const *result_buffers;
  size_t result_count;
  // Called once if the call fails, with the reason, which is copied.
  void (*fail)(const drumlin_callback *call, const char *message);
  void *context; // for `fail`
};

namespace drumlin::pjrt {

// Whether the code with this name is such a function.
bool isCallback(std::string_view target);

// Sets the function that calls callbacks; it runs on any thread, several at once. Must be called
// once, before the first program with such calls is loaded, else HostCodeInvalid.
Status setCallbackCaller(void (*caller)(const drumlin_callback *call));

} // namespace drumlin::pjrt
