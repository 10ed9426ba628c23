// Threads that share work with the one that starts them.
#pragma once

#include <functional>
#include <memory>
#include <pthread.h>
#include <vector>

namespace drumlin {

// A stack for signal handlers: a handler of a thread that has overflowed its own can only run on
// another one. Gives the calling thread one while it lives, unless it has one already; ends on the
// same thread.
class SignalStack {
public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;

private:
  std::unique_ptr<std::byte[]> memory; // null: the thread had one, or there is no memory
};

// Each has a signal stack, and ends the process without memory where the thread that starts it does
// (OutOfMemory.h).
class HelperThreads {
public:
  // Starts threads that each run `body`, as many as the system lets there be; gives their number.
  size_t start(size_t count, std::function<void()> body);
  void join();

  HelperThreads() = default;
  ~HelperThreads() { join(); }
  HelperThreads(const HelperThreads &) = delete;
  HelperThreads &operator=(const HelperThreads &) = delete;

private:
  std::vector<pthread_t> threads;
};

} // namespace drumlin
