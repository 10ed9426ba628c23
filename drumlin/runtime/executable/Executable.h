// A loaded image that can be run.
#pragma once

#include "drumlin/runtime/Abi.h"
#include "drumlin/runtime/calls/PreparedCall.h"
#include "drumlin/runtime/cpu/AlignedMemory.h"
#include "drumlin/runtime/cpu/ThreadPool.h"
#include "drumlin/runtime/executable/ImageDescription.h"
#include "drumlin/runtime/executable/ImageFile.h"
#include "drumlin/runtime/executable/WeightsFile.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace drumlin {

// Told of each launch by an image that was compiled to time its kernels: before the kernel runs,
// and after. `kernel` counts as description().kernels does; `buffers` are the launch's inputs, then
// its outputs. Called on the thread that runs the program, which waits for it.
enum class LaunchMoment { Before, After };
using LaunchObserver =
    std::function<void(LaunchMoment moment, int64_t kernel, void *const *buffers)>;

// Told, by an image of the same kind, of each range of tiles that a thread has computed, on that
// thread: several threads call it at once.
using TilesObserver = std::function<void(int64_t kernel, int64_t tileBegin, int64_t tileEnd,
                                         std::chrono::steady_clock::time_point begin)>;

struct LoadOptions {
  // The threads that run the program; shared with other executables. Null: a pool of the
  // executable's own with `threads` threads (0: one for each processor).
  std::shared_ptr<ThreadPool> pool;
  unsigned threads = 0;
  // Where the side file lies, or the file whose weights are used in place; empty: the image's path
  // with `.weights` added.
  std::string weightsPath;
  // Instead of a side file: one tensor for each weight that isn't embedded, in the table's order.
  std::vector<Tensor> weights;
  WeightsCheck weightsCheck = WeightsCheck::Header;
  LaunchObserver observer;     // may be empty
  TilesObserver tilesObserver; // may be empty
};

class Executable {
public:
  // Nothing of the file runs before the whole of it has been checked: the seal, the headers, the
  // description, the processor's features, the weights. What is checked and run is a copy that
  // nobody can change; the file itself may be replaced at any time. Fails with FileNotReadable,
  // OutOfMemory, TooManyThreads or a D6xxx code.
  static Result<std::unique_ptr<Executable>> load(const std::string &path,
                                                  const LoadOptions &options = {});

  // The same for an image in memory. `name` stands for the path in diagnostics.
  static Result<std::unique_ptr<Executable>> loadFromMemory(std::span<const std::byte> image,
                                                            const std::string &name,
                                                            const LoadOptions &options = {});
  ~Executable();
  Executable(const Executable &) = delete;
  Executable &operator=(const Executable &) = delete;

  // Without the plan and the ledger (readImageDescription() has them).
  const ImageDescription &description() const { return image; }
  const std::vector<ValueDescription> &arguments() const { return image.arguments; }
  const std::vector<ValueDescription> &results() const { return image.results; }

  // Since the image was loaded, by the number of the kernel in description().kernels. All zero
  // where the image wasn't compiled to time its kernels.
  struct KernelTime {
    int64_t calls = 0;
    double seconds = 0;
  };
  const std::vector<KernelTime> &kernelTimes() const { return times; }

  // Dense elements in the order that the signature says, as many bytes, one pointer for each value
  // (null is allowed where there are no bytes). Static arguments are row-major; one whose code
  // takes another order is read at the first call with its pointer, and not again with this one or
  // the one before. Results must not overlap each other or arguments, except that a donated
  // argument and its result may be the same pointer; where they aren't, the argument is copied and
  // stays as it was. Pointers that aren't multiples of 64 work at the price of a copy. Safe to call
  // from several threads: calls run one after another. Fails with ArgumentMismatch, OutOfMemory or
  // ProgramFailed.
  Status run(std::span<const void *const> args, std::span<void *const> results);

  // A static argument's elements are others, behind a pointer that was passed before: the next call
  // reads them again. Fails with ArgumentMismatch where there is no such argument.
  Status argumentChanged(size_t number);

  // What the program's transfers with the host are given to (infeed, outfeed, send, recv), on the
  // thread that runs the program. Not while it runs.
  void setTransfers(HostCaller caller) { transfers = std::move(caller); }

  // The same with row-major tensors, whose types and shapes are checked.
  Result<std::vector<Tensor>> call(std::span<const Tensor> args);

private:
  Executable() = default;
  Status loadFile(int file, const LoadOptions &options);
  Status loadWeights(const LoadOptions &options);
  Status takeMemory(const LoadOptions &options);
  Status openLibrary(int file, const ImageLayout &layout);
  Status prepareHostCalls();
  Diagnostic mismatch(std::string message) const;
  static void launch(void *context, DrumlinKernel kernel, void *const *buffers, const int64_t *dims,
                     int64_t tiles);
  // A kernel under observation, which stands for it in a launch. Timed launches have no sizes of
  // their own: `dims` is this.
  struct ObservedKernel {
    DrumlinKernel kernel;
    int64_t number;
    const TilesObserver *observer;
  };
  static void runObserved(void *const *buffers, const int64_t *dims, void *scratch,
                          int64_t tileBegin, int64_t tileEnd);
  static void launchTimed(void *context, int64_t number, DrumlinKernel kernel, DrumlinKernel finish,
                          void *const *buffers, int64_t tiles);
  static void launchTimedSteps(void *context, int64_t number, DrumlinKernel kernel,
                               void *const *buffers, int64_t tiles, int64_t steps, int64_t *step);
  static int32_t callHost(void *context, int64_t number, void *const *buffers);
  Status callHost(const HostCall &call, const PreparedCall *prepared, void *const *buffers);
  // Times what `run` does with the kernel and its `dims`.
  template <typename Run>
  void observe(int64_t number, DrumlinKernel kernel, void *const *buffers, Run run);
  void runTiles(DrumlinKernel kernel, void *const *buffers, const int64_t *dims, int64_t tiles);

  ImageDescription image;
  std::string location;
  void *library = nullptr;
  DrumlinEntry entry = nullptr;

  std::shared_ptr<ThreadPool> pool;
  AlignedMemory arena;
  AlignedMemory scratch; // the calling thread's
  AlignedMemory embeddedWeights;
  std::shared_ptr<MappedFile> weightsFile;
  std::vector<Tensor> weightTensors;
  std::vector<void *> weights;
  DrumlinRuntimeV1 runtime = {};
  std::vector<KernelTime> times;
  LaunchObserver observer;
  TilesObserver tilesObserver;

  // By the image's table; null for transfers.
  std::vector<std::unique_ptr<PreparedCall>> hostCalls;
  HostCaller transfers;
  std::optional<Diagnostic> hostFailure; // of this run
  int64_t runId = 0;

  // A static argument as the code takes it, and the pointer that it was made from.
  struct LaidOut {
    const void *from = nullptr;
    AlignedMemory memory;
  };
  // By argument, the one used last first; none of arguments that aren't static.
  std::vector<std::vector<LaidOut>> laidOut;
  Status layOut(size_t argument, const void *from);

  std::mutex running;
  std::vector<void *> argumentPointers, resultPointers;
};

} // namespace drumlin
