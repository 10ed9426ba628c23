#include "fuzz/Finding.h"

#include <cstdio>
#include <cstdlib>

// The installed MLIR isn't instrumented: its allocators don't unpoison memory that this code's
// allocators have poisoned.
extern "C" const char *__asan_default_options();
extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0:detect_container_overflow=0:detect_stack_use_after_return=0";
}

void drumlin::fuzz::fail(const char *what, const std::string &details) {
  std::fprintf(stderr, "%s:\n%s\n", what, details.c_str());
  std::abort();
}
