// Callbacks: functions in a framework's language, such as Python, that programs call while they
// run. JAX's programs refer to a callback by its index (`xla_ffi_python_cpu_callback`, from jaxlib
// 0.6 on): the run's user data begins with a pointer to the array of all callbacks. Drumlin's
// package for the language registers the code that calls them.
#pragma once

#include "drumlin/runtime/drumlin.h"
#include "drumlin/support/Diagnostics.h"

// A call of a callback. The operands are read and the results are filled; both are row-major. Each
// is described by a drumlin_value; tokens have the type "token" and no memory.
struct drumlin_callback {
  size_t size; // the size of this struct
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

// Whether a custom call with this target calls a callback.
bool isCallback(std::string_view target);

// Sets the function that calls callbacks; threads may run it concurrently. Must be called once,
// before the first program with callbacks is loaded. A second call fails with HostCodeInvalid.
Status setCallbackCaller(void (*caller)(const drumlin_callback *call));

} // namespace drumlin::pjrt
