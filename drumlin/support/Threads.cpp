#include "drumlin/support/Threads.h"

#include "drumlin/support/OutOfMemory.h"

#include <csignal>
#include <new>

namespace drumlin {

static constexpr size_t signalStackBytes = size_t(64) << 10;

SignalStack::SignalStack() {
  stack_t present = {};
  if (sigaltstack(nullptr, &present) != 0 || !(present.ss_flags & SS_DISABLE)) {
    return;
  }
  memory.reset(new (std::nothrow) std::byte[signalStackBytes]);
  if (memory) {
    stack_t stack = {};
    stack.ss_sp = memory.get();
    stack.ss_size = signalStackBytes;
    sigaltstack(&stack, nullptr);
  }
}

SignalStack::~SignalStack() {
  if (memory) {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
  }
}

namespace {
struct Helper {
  std::function<void()> body;
  bool endsWithoutMemory;
};
} // namespace

static void *runHelper(void *helper) {
  std::unique_ptr<Helper> own(static_cast<Helper *>(helper));
  EndsWithoutMemory ends(own->endsWithoutMemory);
  SignalStack stack;
  own->body();
  own->body = nullptr; // frees its captures while `ends` still exists
  return nullptr;
}

size_t HelperThreads::start(size_t count, std::function<void()> body) {
  size_t started = 0;
  // Reserves memory for the list first: if adding a started thread failed, nobody would join it.
  threads.reserve(threads.size() + count);
  for (; started < count; ++started) {
    // Once the thread has started, it owns `given`.
    Helper *given = std::make_unique<Helper>(body, EndsWithoutMemory::isHere()).release();
    pthread_t thread = {};
    if (pthread_create(&thread, nullptr, runHelper, given) != 0) {
      delete given;
      break;
    }
    threads.push_back(thread);
  }
  return started;
}

void HelperThreads::join() {
  for (pthread_t thread : threads) {
    pthread_join(thread, nullptr);
  }
  threads.clear();
}

} // namespace drumlin
