// Runs a program's native code launch by launch, on a thread of its own. The thread pauses before
// and after each launch while the caller inspects the launch's memory.
#pragma once

#include "drumlin/runtime/executable/Executable.h"
#include "drumlin/support/Threads.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

namespace drumlin {

class NativeSteps {
public:
  // A stop of the native code before or after a launch. Stops before and after launches alternate.
  // `buffers` are valid until the next step.
  struct Stop {
    int64_t kernel; // the kernel's index in the image's table
    void *const *buffers;
  };

  NativeSteps() = default;
  ~NativeSteps();
  NativeSteps(const NativeSteps &) = delete;
  NativeSteps &operator=(const NativeSteps &) = delete;

  // Returns the observer with which an executable must be loaded, so that its runs can be stepped.
  // The observer refers to `this`.
  LaunchObserver observer();
  // Starts a run of an executable that was loaded with the observer. The executable and the
  // arguments must stay alive until finish().
  void start(Executable &executable, std::span<const Tensor> arguments);
  // Runs to the next stop; returns nullopt once the program has ended.
  std::optional<Stop> next();
  // Runs to the end without stopping.
  Result<std::vector<Tensor>> finish();

private:
  enum class Turn { Native, Checker };
  void stopAt(Stop reached);

  HelperThreads thread;
  bool isRunning = false;
  std::mutex mutex;
  std::condition_variable changed;
  // The mutex guards the members below.
  Turn turn = Turn::Checker;
  bool isReleased = false, hasEnded = false;
  std::optional<Stop> stop;
  std::optional<Result<std::vector<Tensor>>> results;
};

} // namespace drumlin
