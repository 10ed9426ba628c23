// Threads that share work with the thread that starts them.
#pragma once

#include <functional>
#include <memory>
#include <pthread.h>
#include <vector>

namespace drumlin {

// A stack for signal handlers: if a thread has overflowed its own stack, handlers can only run on
// another one. An object installs a signal stack for the calling thread during its lifetime, unless
// the thread already has one. It must be destroyed on the same thread.
class SignalStack {
public:
  SignalStack();
  ~SignalStack();
  SignalStack(const SignalStack &) = delete;
  SignalStack &operator=(const SignalStack &) = delete;

private:
  std::unique_ptr<std::byte[]> memory; // null: the thread already had a stack, or memory is short
};

// Helper threads. Each has a signal stack, and ends the process on a failed allocation if the
// thread that starts it does (OutOfMemory.h).
class HelperThreads {
public:
  // Starts threads that each run `body`, at most as many as the system allows; returns their
  // number.
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
