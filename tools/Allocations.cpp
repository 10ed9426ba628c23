// Wrappers of malloc(), calloc() and realloc() that end the process if memory runs out, since
// MLIR's headers (mlir/Support/InterfaceSupport.h) and other libraries use malloc()'s result
// unchecked. CMakeLists.txt installs them with `--wrap`.
#include "drumlin/support/OutOfMemory.h"

#include <cstddef>
#include <cstdlib>
#include <new>
#include <pthread.h>
#include <utility>

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

//===- destructors of threads' objects ------------------------------------------------===//

// Wraps glibc's function that registers the destructors of thread-local objects, since that
// function aborts if it has no memory for its list. The wrapper keeps its own list in a
// thread-specific key. If the list can't be extended, the wrapper fails: the destructor doesn't
// run, and its object leaks.

namespace {
struct Destructor {
  void (*destroy)(void *);
  void *object;
  Destructor *next;
};
} // namespace

static pthread_key_t destructors;

static void destroyAll(void *first) {
  for (auto *at = static_cast<Destructor *>(first); at;) {
    at->destroy(at->object);
    std::free(std::exchange(at, at->next));
  }
}

static bool hasKey() {
  static const bool has = pthread_key_create(&destructors, destroyAll) == 0;
  return has;
}

int __wrap___cxa_thread_atexit_impl(void (*destroy)(void *), void *object, void *library) {
  if (!hasKey()) {
    return __real___cxa_thread_atexit_impl(destroy, object, library);
  }
  void *memory = orEnd(__real_malloc(sizeof(Destructor)), sizeof(Destructor));
  if (!memory) {
    return -1;
  }
  auto *first = static_cast<Destructor *>(pthread_getspecific(destructors));
  if (pthread_setspecific(destructors, new (memory) Destructor{destroy, object, first}) != 0) {
    std::free(memory);
    orEnd(nullptr, sizeof(Destructor));
    return -1;
  }
  return 0;
}
