// A loaded image that can be run.
#pragma once

#include "drumlin/runtime/Abi.h"
#include "drumlin/runtime/cpu/AlignedMemory.h"
#include "drumlin/runtime/cpu/ThreadPool.h"
#include "drumlin/runtime/executable/CallSizes.h"
#include "drumlin/runtime/executable/ContextPool.h"
#include "drumlin/runtime/executable/Event.h"
#include "drumlin/runtime/executable/ExecutionContext.h"
#include "drumlin/runtime/executable/ImageDescription.h"
#include "drumlin/runtime/executable/ImageFile.h"
#include "drumlin/runtime/executable/StaticArguments.h"
#include "drumlin/runtime/executable/WeightsFile.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/Tensor.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace drumlin {

// Besides one context, which is kept whatever its size.
inline constexpr size_t defaultIdleBytes = size_t(256) << 20;

struct LoadOptions {
  // The threads that run the program; shared with other executables. Null: a pool of the
  // executable's own with `threads` threads (0: one for each processor).
  std::shared_ptr<ThreadPool> pool;
  unsigned threads = 0;
  // Where the side file lies, or the file whose weights are used in place; empty: the image's path
  // with `.weights` added.
  std::string weightsPath;
  // Instead of a side file, and of the constants behind an image in memory that is without them:
  // one tensor for each weight that is in neither the description nor the image, in the table's
  // order.
  std::vector<Tensor> weights;
  WeightsCheck weightsCheck = WeightsCheck::Header;
  // How much memory of contexts that no run uses is kept, besides one context's.
  size_t maxIdleBytes = defaultIdleBytes;
  // Where there is one, runs wait for each other. Not told of runs as several processes.
  LaunchObserver observer;     // may be empty
  TilesObserver tilesObserver; // may be empty
};

// A run whose caller waits for it. Dense elements in the order that the signature says, as many
// bytes, one pointer for each value (null is allowed where there are no bytes). Static arguments
// are row-major; one whose code takes another order is read at the first call with its pointer, and
// not again with this one or the one before. Results must not overlap each other or arguments,
// except that a donated argument and its result may be the same pointer; where they aren't, the
// argument is copied and stays as it was. Pointers that aren't multiples of 64 work at the price of
// a copy.
struct RunRequest {
  std::span<const void *const> args = {};
  std::span<void *const> results = {};
  std::span<const Shape> sizes = {}; // of the arguments; none: the nominal ones
  // Of this executable, without another run; null: one of the executable's own, which stays for
  // later runs.
  ExecutionContext *context = nullptr;
  // What handlers of XLA's interface find, before what the context has.
  std::span<const UserData> userData = {};
  // Whether what is made of a static argument stays for later runs with its pointer.
  bool keepsStaticArguments = true;
};

// A run without a caller that waits.
struct LaterRequest {
  std::vector<const void *> args = {};
  std::vector<void *> results = {};
  std::vector<Shape> sizes = {};
  std::shared_ptr<ExecutionContext> context = nullptr;
  // The run begins when all of these are ready, and ends with the first one's error that has one.
  std::vector<std::shared_ptr<Event>> after = {};
};

// What one process takes and gives.
struct ProcessValues {
  std::span<const void *const> args;
  std::span<void *const> results;
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

  // As diagnostics name the image.
  const std::string &imageName() const { return location; }
  // Without the plan and the ledger (readImageDescription() has them).
  const ImageDescription &description() const { return image; }
  const std::vector<ValueDescription> &arguments() const { return image.arguments; }
  const std::vector<ValueDescription> &results() const { return image.results; }

  using KernelTime = ExecutionContext::KernelTime;
  // Since the image was loaded, by the number of the kernel in description().kernels. All zero
  // where the image wasn't compiled to time its kernels.
  std::vector<KernelTime> kernelTimes() const;

  // May be called from several threads at once. Fails with ArgumentMismatch, OutOfMemory or
  // ProgramFailed; with ContextInUse while another run has the context, and with ContextForeign for
  // one of another executable.
  Status run(const RunRequest &request);

  // Runs on a thread of the pool's. The pointers' memory must stay until the event is ready, and so
  // does the executable. Fails at once as run() does where the request is at fault; what happens
  // later, the event says.
  static Result<std::shared_ptr<Event>> runLater(std::shared_ptr<Executable> executable,
                                                 LaterRequest request);

  // The sizes of the results that arguments of these sizes lead to.
  Result<std::vector<Shape>> resultSizes(std::span<const Shape> sizes) const;

  // Whether the program communicates with other processes of its grid, so that run() fails.
  bool needsProcesses() const { return calls.needsProcesses(); }

  // Runs all processes of the image's grid at once, (0, 0), (0, 1), …, (1, 0), …, each on a thread
  // of its own, the first on this one. `sizes`: of the arguments of each; none: the nominal ones.
  // Where a process fails, the others end where they wait for it, and its error is the run's. Fails
  // also with ProcessesBlocked, where all that still run wait, and with ProcessGridMismatch. The
  // other functions fail with ProcessesNeeded where the program's processes need each other.
  Status runProcesses(std::span<const ProcessValues> processes, std::span<const Shape> sizes = {},
                      bool keepsStaticArguments = true);

  // For runs on one thread at a time that neither wait for a context nor take memory. It must not
  // outlive the executable.
  Result<std::unique_ptr<ExecutionContext>> makeContext();
  // What handlers of XLA's interface find in the context's runs. Fails as run() does.
  Status setUserData(ExecutionContext &context, int64_t type, void *data) const;

  // Waits for runs that have begun, in contexts of the executable's own or asynchronously; those in
  // makeContext()'s are their callers' to wait for.
  void waitForRuns() { contexts->waitForRuns(); }

  // Frees contexts that no run uses, and gives back pages of the workers' memory; says how many
  // bytes of contexts there were.
  size_t trim();
  size_t idleBytes() const { return contexts->idleBytes(); }

  // What the program's transfers with the host are given to. Not while it runs.
  void setTransfers(CallTable::TransferCaller caller) { calls.setTransfers(std::move(caller)); }

  // A static argument's elements are others, behind a pointer that was passed before: runs that
  // begin from now on read them again. Fails with ArgumentMismatch where there is no such argument.
  Status argumentChanged(size_t number);

private:
  struct LaterRun;
  // What a caller passes to a run.
  struct Passed {
    std::span<const void *const> args;
    std::span<void *const> results;
    const CallSizes &sizes;
    bool keepsStaticArguments = true;
    std::span<const UserData> userData = {};
  };

  explicit Executable(const LoadOptions &options);
  static Result<std::unique_ptr<Executable>> loadImage(std::span<const std::byte> image,
                                                       const std::string &name,
                                                       const LoadOptions &options,
                                                       const MappedFile *mapped);
  // `file` has all but the appended constants; `mapped`: what these are in, if it is a file.
  Status loadFile(int file, const ImageParts &parts, const LoadOptions &options,
                  const MappedFile *mapped);
  Status loadWeights(std::span<const std::byte> appended, const LoadOptions &options,
                     const MappedFile *mapped);
  Status takeMemory(const LoadOptions &options);
  Status openLibrary(int file, const ImageLayout &layout);
  Diagnostic mismatch(std::string message) const;
  Diagnostic noMemoryForContext() const;
  // Of the arguments; none: the nominal ones.
  Result<CallSizes> callSizes(std::span<const Shape> sizes) const;
  Result<CallSizes> nominalSizes() const;
  // At these sizes; at the image's own where there are none.
  size_t argumentBytes(size_t i, const CallSizes &sizes) const;
  size_t resultBytes(size_t i, const CallSizes &sizes) const;
  // A program that needs no other processes may run by itself.
  Status check(const Passed &passed) const;
  Status checkValues(const Passed &passed) const;
  struct ProcessOfRun;
  Status runProcesses(std::span<ProcessOfRun> processes);
  Status acquire(ExecutionContext &context) const;
  // The arguments were checked.
  Status runInOwnContext(const Passed &passed);
  // Nothing is thrown: OutOfMemory.
  Status runIn(ExecutionContext &context, const Passed &passed);
  Status runPlaced(ExecutionContext &context, const Passed &passed);
  Status place(ExecutionContext &context, const Passed &passed);
  size_t bytesToStage(const Passed &passed) const;
  Status placeStatic(ExecutionContext &context, size_t number, const void *from, bool keeps);

  ImageDescription image;
  std::string location;
  void *library = nullptr;
  const DrumlinImageV1 *code = nullptr; // in the library

  std::shared_ptr<ThreadPool> pool;
  AlignedMemory ownWeights; // the embedded and the appended ones
  std::shared_ptr<MappedFile> weightsFile;
  std::vector<Tensor> weightTensors;
  std::vector<void *> weights;
  Observers observers;
  CallTable calls;
  StaticArguments staticArguments;
  JobQueue processThreads{0}; // of processes that runs don't begin on their callers' threads
  std::mutex observed;        // held by a run under observation
  mutable std::mutex timing;
  std::vector<KernelTime> times;         // under `timing`
  std::shared_ptr<ContextPool> contexts; // a run's end is told when the executable may be gone
};

} // namespace drumlin
