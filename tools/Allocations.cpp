// What is linked here asks for memory through these (`--wrap` in CMakeLists.txt): headers of MLIR
// use what malloc() gives without a look (mlir/Support/InterfaceSupport.h), and so do other
// libraries.
#include "drumlin/support/OutOfMemory.h"

#include <cstddef>
#include <cstdlib>

extern "C" {
void *__real_malloc(size_t bytes);
void *__real_calloc(size_t count, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t count, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
int __real___cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library);
int __wrap___cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library);
}

static void *orEnd(void *memory, size_t bytes) {
  if (!memory && bytes != 0 && drumlin::EndsWithoutMemory::isHere()) [[unlikely]] {
    drumlin::EndsWithoutMemory::endNow();
  }
  return memory;
}

void *__wrap_malloc(size_t bytes) { return orEnd(__real_malloc(bytes), bytes); }
void *__wrap_calloc(size_t count, size_t bytes) {
  return orEnd(__real_calloc(count, bytes), count != 0 ? bytes : 0);
}
void *__wrap_realloc(void *old, size_t bytes) { return orEnd(__real_realloc(old, bytes), bytes); }

// glibc aborts where it has no memory to list the destructor of a thread's object: a little more
// than what it asks for is seen to be there before.
int __wrap___cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library) {
  std::free(orEnd(__real_malloc(64), 64));
  return __real___cxa_thread_atexit_impl(destroy, object, library);
}
