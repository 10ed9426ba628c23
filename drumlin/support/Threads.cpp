#include "drumlin/support/Threads.h"

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

static void *runHelper(void *body) {
  std::unique_ptr<std::function<void()>> own(static_cast<std::function<void()> *>(body));
  SignalStack stack;
  (*own)();
  return nullptr;
}

size_t HelperThreads::start(size_t count, std::function<void()> body) {
  size_t started = 0;
  for (; started < count; ++started) {
    // The thread's own, once there is one.
    std::function<void()> *given = std::make_unique<std::function<void()>>(body).release();
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
