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

// The default limit in bytes on idle contexts, not counting one context, which is always kept.
inline constexpr size_t defaultIdleBytes = size_t(256) << 20;

struct LoadOptions {
  // The threads that run the program; may be shared with other executables. Null: the executable
  // owns a pool of `threads` threads (0: one for each processor).
  std::shared_ptr<ThreadPool> pool;
  unsigned threads = 0;
  // The path of the image's side file or, for an image with weights in place, of the caller's file.
  // Empty: the image's path with `.weights` added.
  std::string weightsPath;
  // The weights that the caller passes as tensors, one for each weight that is stored in neither
  // the description nor the image, in the order of the weight table: the weights of the side file,
  // and the appended constants if the image was loaded from memory without them.
  std::vector<Tensor> weights;
  WeightsCheck weightsCheck = WeightsCheck::Header;
  // The limit in bytes on idle contexts, not counting one context, which is always kept.
  size_t maxIdleBytes = defaultIdleBytes;
  // If an observer is set, runs execute one after another. Runs of several processes don't call
  // observers.
  LaunchObserver observer;       // called around each launch; may be empty
  BesideObserver besideObserver; // called around launches that may run side by side; may be empty
  TilesObserver tilesObserver;   // called after each range of tiles; may be empty
  unsigned replayedThreads = 0;  // as in Observers
};

// A run whose caller waits for it. Each argument and result has one pointer, to dense elements in
// the dimension order that the signature says; it may be null for a value of 0 bytes. Static
// arguments are row-major; if the code takes another layout, the argument is copied at the first
// run with its pointer, and the copies for the last two pointers are reused. Results must not
// overlap each other or arguments, except that a donated argument and its result may be the same
// pointer; if they differ, the argument is copied and stays unchanged. Pointers that aren't
// multiples of 64 work at the price of a copy.
struct RunRequest {
  std::span<const void *const> args = {};
  std::span<void *const> results = {};
  std::span<const Shape> sizes = {}; // the arguments' sizes; empty: the nominal sizes
  // A context of this executable that no other run uses; null: one that the executable owns and
  // keeps for later runs.
  ExecutionContext *context = nullptr;
  // User data for handlers of XLA's interface; takes precedence over the context's user data.
  std::span<const UserData> userData = {};
  // Whether copies of static arguments are kept for later runs with the same pointers.
  bool keepsStaticArguments = true;
};

// A run whose caller doesn't wait for it.
struct LaterRequest {
  std::vector<const void *> args = {};
  std::vector<void *> results = {};
  std::vector<Shape> sizes = {};
  std::shared_ptr<ExecutionContext> context = nullptr;
  // Events that must be ready before the run begins. If one fails, the program doesn't run, and the
  // run ends with the first error.
  std::vector<std::shared_ptr<Event>> after = {};
};

// The arguments and results of one process.
struct ProcessValues {
  std::span<const void *const> args;
  std::span<void *const> results;
};

class Executable {
public:
  // Loads an image. Nothing of the image runs before all of it is checked: the seal, the headers,
  // the description, the required processor features, the weights. The checks and runs use an
  // immutable copy; the file itself may be replaced at any time. Fails with FileNotReadable,
  // OutOfMemory, TooManyThreads or a D6xxx code.
  static Result<std::unique_ptr<Executable>> load(const std::string &path,
                                                  const LoadOptions &options = {});

  // Loads an image from memory. Diagnostics use `name` in place of the path.
  static Result<std::unique_ptr<Executable>> loadFromMemory(std::span<const std::byte> image,
                                                            const std::string &name,
                                                            const LoadOptions &options = {});
  ~Executable();
  Executable(const Executable &) = delete;
  Executable &operator=(const Executable &) = delete;

  // The name of the image in diagnostics.
  const std::string &imageName() const { return location; }
  // The description without the plan and the ledger (readImageDescription() includes them).
  const ImageDescription &description() const { return image; }
  const std::vector<ValueDescription> &arguments() const { return image.arguments; }
  const std::vector<ValueDescription> &results() const { return image.results; }

  using KernelTime = ExecutionContext::KernelTime;
  // Returns each kernel's time since the image was loaded, in the order of description().kernels.
  // All zero if the image wasn't compiled to time its kernels.
  std::vector<KernelTime> kernelTimes() const;

  // Runs the program. May be called from several threads at once. Fails with ArgumentMismatch,
  // OutOfMemory or ProgramFailed; with ContextInUse while another run uses the context, and with
  // ContextForeign if the context belongs to another executable.
  Status run(const RunRequest &request);

  // Starts a run on one of the pool's job threads. The pointers' memory must stay valid until the
  // event is ready; the executable is kept alive until then. Fails at once, as run() does, if the
  // request is invalid; later errors are in the event.
  static Result<std::shared_ptr<Event>> runLater(std::shared_ptr<Executable> executable,
                                                 LaterRequest request);

  // Computes the sizes of the results from the sizes of the arguments.
  Result<std::vector<Shape>> resultSizes(std::span<const Shape> sizes) const;

  // Whether the program communicates with other processes of its grid, so that run() fails.
  bool needsProcesses() const { return calls.needsProcesses(); }

  // Runs all processes of the image's grid at once, in the order (0, 0), (0, 1), …, (1, 0), …: the
  // first on the calling thread, each other process on a thread of its own. `sizes`: the sizes of
  // each process's arguments; empty: the nominal ones. If a process fails, processes that wait for
  // it end, and its error is the run's. Also fails with ProcessesBlocked if all unfinished
  // processes wait, and with ProcessGridMismatch. If processes communicate, the other run functions
  // fail with ProcessesNeeded.
  Status runProcesses(std::span<const ProcessValues> processes, std::span<const Shape> sizes = {},
                      bool keepsStaticArguments = true);

  // Creates a context for runs on one thread at a time that neither wait for a context nor allocate
  // memory. It must not outlive the executable.
  Result<std::unique_ptr<ExecutionContext>> makeContext();
  // Sets the user data of a type for handlers of XLA's interface in the context's runs. Fails as
  // run() does.
  Status setUserData(ExecutionContext &context, int64_t type, void *data) const;

  // Waits for runs that have begun asynchronously or in the executable's own contexts; callers must
  // wait for runs in contexts from makeContext() themselves.
  void waitForRuns() { contexts->waitForRuns(); }

  // Frees contexts that no run uses, and returns pages of the workers' memory to the system.
  // Returns the bytes of the freed contexts.
  size_t trim();
  size_t idleBytes() const { return contexts->idleBytes(); }

  // Sets the function that performs the program's transfers with the host. Not allowed during a
  // run.
  void setTransfers(CallTable::TransferCaller caller) { calls.setTransfers(std::move(caller)); }

  // Announces that the elements behind a static argument's pointer have changed: runs that begin
  // from now on read them again. Fails with ArgumentMismatch if there is no such argument.
  Status argumentChanged(size_t number);

private:
  struct LaterRun;
  // The values and options that a caller passes to a run.
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
  // Loads an image from `file`, which contains all of it but the appended constants. `mapped` is
  // the file that contains these, or null if they are in memory.
  Status loadFile(int file, const ImageParts &parts, const LoadOptions &options,
                  const MappedFile *mapped);
  Status loadWeights(std::span<const std::byte> appended, const LoadOptions &options,
                     const MappedFile *mapped);
  Status takeMemory(const LoadOptions &options);
  Status openLibrary(int file, const ImageLayout &layout);
  Diagnostic mismatch(std::string message) const;
  Diagnostic noMemoryForContext() const;
  // Computes a call's sizes from the arguments' sizes; empty: the nominal ones.
  Result<CallSizes> callSizes(std::span<const Shape> sizes) const;
  Result<CallSizes> nominalSizes() const;
  // Returns an argument's bytes at these sizes, or at the image's own shape if sizes are fixed.
  size_t argumentBytes(size_t i, const CallSizes &sizes) const;
  size_t resultBytes(size_t i, const CallSizes &sizes) const;
  // Checks a run as a single process: its values, and that it needs no other processes.
  Status check(const Passed &passed) const;
  Status checkValues(const Passed &passed) const;
  struct ProcessOfRun;
  Status runProcesses(std::span<ProcessOfRun> processes);
  Status acquire(ExecutionContext &context) const;
  // Runs in a context that the executable owns; the arguments must have been checked.
  Status runInOwnContext(const Passed &passed);
  // Runs in a context. Turns std::bad_alloc into OutOfMemory.
  Status runIn(ExecutionContext &context, const Passed &passed);
  Status runPlaced(ExecutionContext &context, const Passed &passed);
  Status place(ExecutionContext &context, const Passed &passed);
  size_t bytesToStage(const Passed &passed) const;
  Status placeStatic(ExecutionContext &context, size_t number, const void *from, bool keeps);

  ImageDescription image;
  std::string location;
  void *library = nullptr;
  const DrumlinImageV1 *code = nullptr; // in `library`

  std::shared_ptr<ThreadPool> pool;
  AlignedMemory ownWeights; // contains the embedded and the appended weights
  std::shared_ptr<MappedFile> weightsFile;
  std::vector<Tensor> weightTensors;
  std::vector<void *> weights;
  Observers observers;
  CallTable calls;
  StaticArguments staticArguments;
  JobQueue processThreads{0}; // threads for processes that don't run on their caller's thread
  std::mutex observed;        // locked by each run if there are observers
  mutable std::mutex timing;
  std::vector<KernelTime> times;         // guarded by the mutex `timing`
  std::shared_ptr<ContextPool> contexts; // shared, since a run may end after this is destroyed
};

} // namespace drumlin
