#include "drumlin/support/OutOfMemory.h"

#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

#include <atomic>
#include <cstring>
#include <mutex>
#include <new>
#include <type_traits>
#include <unistd.h>

namespace drumlin {

static thread_local int livingHere = 0;

namespace {
struct Handling {
  std::mutex mutex;
  int living = 0;
  // The handler for threads without an EndsWithoutMemory object; null: the allocation throws.
  std::atomic<std::new_handler> previous{nullptr};
};
} // namespace

// Initialized before any allocation, and never destroyed: threads may compile while the process
// ends.
static constinit Handling handling;
static_assert(std::is_trivially_destructible_v<Handling>);

static void handle() {
  if (livingHere > 0) {
    EndsWithoutMemory::endNow();
  }
  if (std::new_handler previous = handling.previous.load()) {
    previous();
    return;
  }
  std::__throw_bad_alloc(); // as `new` does without a handler
}

void allocationFailed() {
  handle();
  std::__throw_bad_alloc(); // reached if the previous handler returns
}

EndsWithoutMemory::EndsWithoutMemory(bool does) : does(does) {
  if (!does || ++livingHere > 1) {
    return;
  }
  std::lock_guard<std::mutex> lock(handling.mutex);
  if (++handling.living > 1) {
    return;
  }
  std::new_handler present = std::get_new_handler();
  if (present != handle) { // equal if the host installed `handle` again
    handling.previous = present;
    std::set_new_handler(handle);
  }
}

EndsWithoutMemory::~EndsWithoutMemory() {
  if (!does || --livingHere > 0) {
    return;
  }
  std::lock_guard<std::mutex> lock(handling.mutex);
  if (--handling.living == 0 && std::get_new_handler() == handle) {
    std::set_new_handler(handling.previous);
  }
}

Diagnostic outOfMemory() { return {errors::OutOfMemory, "out of memory", {}, {}}; }

bool EndsWithoutMemory::isHere() { return livingHere > 0; }

// Texts that are put together at compile time, since no memory is left when they are printed.
static constexpr const char *text[] = {
#define DRUMLIN_DIAGNOSTIC(Name, code, status, remedy)                                             \
  diagnosticCode(code) == errors::OutOfMemory                                                      \
      ? "error " code                                                                              \
        ": no memory is left for the compiler, which ends the process\n  hint: " remedy "\n"       \
      : "",
#include "drumlin/support/diagnostics/LimitErrors.def"
#undef DRUMLIN_DIAGNOSTIC
};

void EndsWithoutMemory::endNow() {
  for (const char *part : text) {
    if (*part) {
      [[maybe_unused]] ssize_t written = ::write(STDERR_FILENO, part, std::strlen(part));
    }
  }
  removeTemporaries();
  _exit(static_cast<int>(ExitStatus::ResourceLimit));
}

} // namespace drumlin
