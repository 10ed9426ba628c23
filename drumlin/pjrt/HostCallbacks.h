// Functions of a framework's language that programs call while they run. JAX's programs name them
// by number (`xla_ffi_python_cpu_callback`, from jaxlib 0.6 on): the run's user data begins with a
// pointer to all of them. How one is called, its language's package says.
#pragma once

#include "drumlin/runtime/drumlin.h"
#include "drumlin/support/Diagnostics.h"

// A call of a function: operands to read and results to fill, row-major, each as its value says;
// tokens are of type "token", and have no memory.
struct drumlin_callback {
  size_t size; // of this struct
  void *function;
  const drumlin_value *operands;
  const void *const *operand_buffers;
  size_t operand_count;
  const drumlin_value *results;
  void *const *result_buffers;
  size_t result_count;
  // Called once where the call fails, with why, which is copied.
  void (*fail)(const drumlin_callback *call, const char *message);
  void *context; // for `fail`
};

namespace drumlin::pjrt {

// Whether the code of this name is such a function.
bool isCallback(std::string_view target);

// Says what calls functions, on any thread, several at once. Once, before the first program that
// has such calls is loaded: else HostCodeInvalid.
Status setCallbackCaller(void (*caller)(const drumlin_callback *call));

} // namespace drumlin::pjrt
