// What one run of an executable has to itself: memory, pointers, timers. Runs at the same time have
// a context each.
#pragma once

#include "drumlin/runtime/Abi.h"
#include "drumlin/runtime/calls/CallTable.h"
#include "drumlin/runtime/cpu/AlignedMemory.h"
#include "drumlin/runtime/cpu/ThreadPool.h"
#include "drumlin/runtime/executable/CallSizes.h"
#include "drumlin/runtime/executable/ImageDescription.h"
#include "drumlin/runtime/executable/StaticArguments.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace drumlin {

// Told of each launch by an image that was compiled to time its kernels: before the kernel runs,
// and after. `kernel` counts as ImageDescription::kernels does; `buffers` are the launch's inputs,
// then its outputs. Called on the thread that runs the program, which waits for it.
enum class LaunchMoment { Before, After };
using LaunchObserver =
    std::function<void(LaunchMoment moment, int64_t kernel, void *const *buffers)>;

// Told, by an image of the same kind, of each range of tiles that a thread has computed, on that
// thread: several threads call it at once.
using TilesObserver = std::function<void(int64_t kernel, int64_t tileBegin, int64_t tileEnd,
                                         std::chrono::steady_clock::time_point begin)>;

struct Observers {
  LaunchObserver launches; // may be empty
  TilesObserver tiles;     // may be empty
  bool any() const { return launches || tiles; }
};

class ExecutionContext {
public:
  struct KernelTime {
    int64_t calls = 0;
    double seconds = 0;
  };

  // Without memory. What it is given must outlive its runs.
  ExecutionContext(const ImageDescription &image, ThreadPool &pool, const Observers &observers,
                   const CallTable &calls);
  ExecutionContext(const ExecutionContext &) = delete;
  ExecutionContext &operator=(const ExecutionContext &) = delete;

  // As much as the image asks for; nothing where it is there. False where memory is short.
  [[nodiscard]] bool takeMemory() { return arena.data() || allocate(); }
  void freeMemory();
  size_t bytes() const { return arena.size() + scratch.size() + staging.size(); }

  bool isOf(const ImageDescription &other) const { return &image == &other; }
  // One thread at a time uses a context: false where one does already.
  [[nodiscard]] bool acquire() { return !isInUse.exchange(true, std::memory_order_acquire); }
  void release() { isInUse.store(false, std::memory_order_release); }

  // What the program runs with where sizes are known when it runs: takes a larger arena where these
  // need one. False where memory is short.
  [[nodiscard]] bool takeSizes(const CallSizes &sizes);

  // ---- A run: its pointers are placed, then the program runs, then it ends.

  // Aligned memory for what the caller has elsewhere; false where memory is short. Ends what the
  // last call gave.
  [[nodiscard]] bool reserveStaging(size_t bytes);
  void *stage(size_t bytes);
  // A result that is computed in staging memory and copied out by end().
  void *stageResult(void *result, size_t bytes);
  // Where values without bytes lie: code may form addresses in them.
  void *emptyPlace() const { return arena.data(); }

  std::vector<void *> args, results;                              // as the program takes them
  std::vector<std::shared_ptr<StaticArguments::LaidOut>> laidOut; // those among `args`

  // From now on runs are those of one of several processes that meet there; null: no longer.
  void setProcess(Rendezvous *rendezvous, int64_t process) {
    hostRun.rendezvous = rendezvous;
    hostRun.process = process;
  }
  bool isOfProcess() const { return hostRun.rendezvous; }

  // What handlers of XLA's interface find under the number of its type, in all runs; null: nothing.
  void setUserData(int64_t type, void *data) {
    if (data) {
      hostRun.userData[type] = data;
    } else {
      hostRun.userData.erase(type);
    }
  }
  // The same in the next run.
  void setDataOfRun(std::span<const UserData> all) { hostRun.dataOfRun = all; }

  // `code` must outlive the run.
  int32_t run(const DrumlinImageV1 &code, void *const *weights);
  // Why the last run ended before its end, where code outside of the image failed.
  const std::optional<Diagnostic> &failure() const { return callFailure; }
  // Copies the results out where `isDone`, and lets go of what was the run's alone.
  void end(bool isDone);
  // Adds the kernels' times since the last call to these, and forgets them.
  void takeTimes(std::vector<KernelTime> &total);

private:
  bool allocate();
  // The functions of DrumlinRuntimeV1.
  static void launch(void *context, int64_t number, void *const *buffers, const int64_t *dims,
                     int64_t tiles);
  static void launchSteps(void *context, int64_t number, void *const *buffers, int64_t tiles,
                          int64_t steps, int64_t *step);
  static int32_t callHost(void *context, int64_t number, void *const *buffers);
  static void copy(void *context, void *to, const void *from, int64_t bytes);
  static uint64_t read(void *context, const void *from, int64_t bytes);
  // A kernel under observation, which stands for it in a launch. Its `dims` are this.
  struct ObservedKernel {
    DrumlinKernel kernel;
    const int64_t *dims; // the kernel's own
    int64_t number;
    const TilesObserver *observer;
  };
  static void runObserved(void *const *buffers, const int64_t *dims, void *scratch,
                          int64_t tileBegin, int64_t tileEnd);
  // Runs all tiles of the kernel of that number so many times, then what joins them; timed and
  // observed where the image was compiled for that. `step`: where the number of a step goes; null:
  // nowhere.
  void runKernel(int64_t number, void *const *buffers, const int64_t *dims, int64_t tiles,
                 int64_t steps, int64_t *step);
  void runTiles(DrumlinKernel kernel, void *const *buffers, const int64_t *dims, int64_t tiles);

  const ImageDescription &image;
  ThreadPool &pool;
  const Observers &observers;
  const CallTable &calls;
  std::atomic<bool> isInUse{false};
  bool isCaller = false; // whether the pool counts the run's thread among its own
  const DrumlinKernelV1 *kernels = nullptr; // of the run's code
  DrumlinRuntimeV1 runtime = {};            // its `context` is this
  AlignedMemory arena;
  AlignedMemory scratch; // the calling thread's
  AlignedMemory staging;
  size_t staged = 0; // bytes of it that are given
  struct StagedResult {
    void *to;
    const void *from;
    size_t bytes;
  };
  std::vector<StagedResult> stagedResults;
  std::vector<KernelTime> times; // by kernel
  HostRun hostRun;
  SizeExpression::Values symbolValues; // of the run's symbols
  std::optional<Diagnostic> callFailure;
};

// As many bytes as a value takes in staging memory.
size_t stagedBytes(size_t bytes);

} // namespace drumlin
