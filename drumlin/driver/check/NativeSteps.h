// A program's native code, launch by launch: it runs on a thread of its own, which stands still
// before and after each launch while the launch's memory is looked at.
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
  // A launch before it runs, or after; the two take turns. `buffers` hold until the next step.
  struct Stop {
    int64_t kernel; // its number in the image's table
    void *const *buffers;
  };

  NativeSteps() = default;
  ~NativeSteps();
  NativeSteps(const NativeSteps &) = delete;
  NativeSteps &operator=(const NativeSteps &) = delete;

  // What an executable is loaded with so that it can be stepped. Holds a reference to this.
  LaunchObserver observer();
  // Starts a run of an executable that was loaded with the observer; it and the arguments must stay
  // until finish().
  void start(Executable &executable, std::span<const Tensor> arguments);
  // Runs on to the next stop; nothing once the program has ended.
  std::optional<Stop> next();
  // Runs on to the end without stopping.
  Result<std::vector<Tensor>> finish();

private:
  enum class Turn { Native, Checker };
  void stopAt(Stop reached);

  HelperThreads thread;
  bool isRunning = false;
  std::mutex mutex;
  std::condition_variable changed;
  // Under the mutex.
  Turn turn = Turn::Checker;
  bool isReleased = false, hasEnded = false;
  std::optional<Stop> stop;
  std::optional<Result<std::vector<Tensor>>> results;
};

} // namespace drumlin
