// The state of one run of an executable: memory, pointers, timers. Concurrent runs have separate
// contexts.
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

// Called before and after each kernel launch of an image that was compiled to time its kernels.
// `kernel` is an index of ImageDescription::kernels; `buffers` are the launch's inputs, then its
// outputs. Called on the thread that runs the program, which waits for it.
enum class LaunchMoment { Before, After };
using LaunchObserver =
    std::function<void(LaunchMoment moment, int64_t kernel, void *const *buffers)>;

// Called after a thread has computed a range of tiles, if the image was compiled to time its
// kernels. The call is on that thread, so several threads may make calls at once.
using TilesObserver = std::function<void(int64_t kernel, int64_t tileBegin, int64_t tileEnd,
                                         std::chrono::steady_clock::time_point begin)>;

// Called before the first and after the last of several launches that run side by side where
// kernels aren't timed.
enum class BesideMoment { Begin, End };
using BesideObserver = std::function<void(BesideMoment moment)>;

struct Observers {
  LaunchObserver launches; // called around each launch; may be empty
  BesideObserver beside;   // called around launches that may run side by side; may be empty
  TilesObserver tiles;     // called after each range of tiles; may be empty
  // If not 0: the run's thread computes the chunks of tiles that this many threads would take, one
  // after another, so that `tiles` gets the time of each. `tiles` is then also called after the
  // kernel's `finish`, with an empty range.
  unsigned replayedThreads = 0;
  bool any() const { return launches || tiles; }
};

class ExecutionContext {
public:
  struct KernelTime {
    int64_t calls = 0;
    double seconds = 0;
  };

  // Creates a context without memory. The constructor's arguments must outlive the context's runs.
  ExecutionContext(const ImageDescription &image, ThreadPool &pool, const Observers &observers,
                   const CallTable &calls);
  ExecutionContext(const ExecutionContext &) = delete;
  ExecutionContext &operator=(const ExecutionContext &) = delete;

  // Allocates the memory that the image requires, unless already done. False if memory is short.
  [[nodiscard]] bool takeMemory() { return arena.data() || allocate(); }
  void freeMemory();
  size_t bytes() const { return arena.size() + scratch.size() + staging.size(); }

  bool isOf(const ImageDescription &other) const { return &image == &other; }
  // Acquires the context, which one thread uses at a time; false if another thread uses it.
  [[nodiscard]] bool acquire() { return !isInUse.exchange(true, std::memory_order_acquire); }
  void release() { isInUse.store(false, std::memory_order_release); }

  // Sets the dynamic sizes of the next run, and enlarges the arena if they need it. False if memory
  // is short.
  [[nodiscard]] bool takeSizes(const CallSizes &sizes);

  // ---- The steps of a run: its pointers are set, the program runs, the run ends.

  // Reserves aligned staging memory for the values whose pointers are unaligned; false if memory is
  // short. Invalidates the staging memory of earlier runs.
  [[nodiscard]] bool reserveStaging(size_t bytes);
  void *stage(size_t bytes);
  // Returns staging memory for a result, which end() copies to `result`.
  void *stageResult(void *result, size_t bytes);
  // Returns an address for values of 0 bytes. It isn't null, since code may compute addresses from
  // it.
  void *emptyPlace() const { return arena.data(); }

  std::vector<void *> args, results;                              // pointers passed to the program
  std::vector<std::shared_ptr<StaticArguments::LaidOut>> laidOut; // copies of static arguments

  // Sets the process that later runs execute, and the rendezvous through which it communicates with
  // the program's other processes. Null: later runs have a single process.
  void setProcess(Rendezvous *rendezvous, int64_t process) {
    hostRun.rendezvous = rendezvous;
    hostRun.process = process;
  }
  bool isOfProcess() const { return hostRun.rendezvous; }

  // Sets the user data of this type for handlers of XLA's interface in all runs; null: removes it.
  void setUserData(int64_t type, void *data) {
    if (data) {
      hostRun.userData[type] = data;
    } else {
      hostRun.userData.erase(type);
    }
  }
  // Sets the user data for the next run only.
  void setDataOfRun(std::span<const UserData> all) { hostRun.dataOfRun = all; }

  // Runs the program; `code` must outlive the run.
  int32_t run(const DrumlinImageV1 &code, void *const *weights);
  // The error with which code outside of the image ended the last run early, if any.
  const std::optional<Diagnostic> &failure() const { return callFailure; }
  // Ends a run: copies staged results out if `isDone`, and releases what only this run used.
  void end(bool isDone);
  // Adds the kernels' times since the last call to `total`, and resets them.
  void takeTimes(std::vector<KernelTime> &total);

private:
  bool allocate();
  // The functions of DrumlinRuntimeV1.
  static void launch(void *context, int64_t number, void *const *buffers, const int64_t *dims,
                     int64_t tiles);
  static void launchSteps(void *context, int64_t number, void *const *buffers, int64_t tiles,
                          int64_t steps, int64_t *step);
  static void launchBeside(void *context, const DrumlinLaunchV1 *launches, int64_t count);
  static int32_t callHost(void *context, int64_t number, void *const *buffers);
  static void copy(void *context, void *to, const void *from, int64_t bytes);
  static uint64_t read(void *context, const void *from, int64_t bytes);
  // An observed kernel, launched in place of the kernel itself. Passed to runObserved() as `dims`.
  struct ObservedKernel {
    DrumlinKernel kernel;
    const int64_t *dims; // passed to `kernel` as its `dims`
    int64_t number;
    const TilesObserver *observer;
  };
  static void runObserved(void *const *buffers, const int64_t *dims, void *scratch,
                          int64_t tileBegin, int64_t tileEnd);
  // Runs all tiles of the kernel `steps` times, then the kernel's `finish`. If the image was
  // compiled to time its kernels, measures the time and calls the observers. Before each step,
  // writes the step's number to `step` unless it is null.
  void runKernel(int64_t number, void *const *buffers, const int64_t *dims, int64_t tiles,
                 int64_t steps, int64_t *step);
  void runBeside(std::span<const DrumlinLaunchV1> launches);
  void runTiles(int64_t number, DrumlinKernel kernel, void *const *buffers, const int64_t *dims,
                int64_t tiles);
  void runFinish(int64_t number, void *const *buffers, const int64_t *dims, int64_t tiles);

  const ImageDescription &image;
  ThreadPool &pool;
  const Observers &observers;
  const CallTable &calls;
  std::atomic<bool> isInUse{false};
  bool isCaller = false;                    // whether the pool counts the run's thread as its own
  const DrumlinKernelV1 *kernels = nullptr; // the kernels of the image that runs
  DrumlinRuntimeV1 runtime = {};            // its field `context` is this object
  AlignedMemory arena;
  AlignedMemory scratch; // the scratch of the calling thread
  AlignedMemory staging;
  size_t staged = 0; // the number of bytes of `staging` in use
  struct StagedResult {
    void *to;
    const void *from;
    size_t bytes;
  };
  std::vector<StagedResult> stagedResults;
  std::vector<KernelTime> times; // indexed by kernel number
  HostRun hostRun;
  SizeExpression::Values symbolValues; // the values of the size symbols in this run
  std::optional<Diagnostic> callFailure;
};

// Returns the bytes that a value takes in staging memory.
size_t stagedBytes(size_t bytes);

} // namespace drumlin
