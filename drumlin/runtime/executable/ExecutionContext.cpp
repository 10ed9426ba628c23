#include "drumlin/runtime/executable/ExecutionContext.h"

#include "drumlin/support/OutOfMemory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

namespace drumlin {

ExecutionContext::ExecutionContext(const ImageDescription &image, ThreadPool &pool,
                                   const Observers &observers, const CallTable &calls)
    : image(image), pool(pool), observers(observers), calls(calls) {
  hostRun.pool = &pool;
  symbolValues = [this](std::string_view name) -> std::optional<int64_t> {
    const auto &symbols = this->image.symbols;
    auto found = std::ranges::find(symbols, name, &SizeSymbolDescription::name);
    return found == symbols.end() ? std::nullopt
                                  : std::optional(runtime.sizes[found - symbols.begin()]);
  };
  hostRun.sizes = image.symbols.empty() ? nullptr : &symbolValues;
  runtime.version = DRUMLIN_RUNTIME_VERSION;
  runtime.threads = pool.threads();
  runtime.context = this;
  runtime.launch = launch;
  runtime.launchSteps = launchSteps;
  runtime.launchBeside = launchBeside;
  runtime.call = callHost;
  runtime.copy = copy;
  runtime.read = read;
  args.resize(image.arguments.size());
  results.resize(image.results.size());
  times.resize(image.kernels.size());
}

bool ExecutionContext::allocate() {
  std::optional<AlignedMemory> forArena = AlignedMemory::allocate(image.arenaBytes);
  std::optional<AlignedMemory> forScratch = AlignedMemory::allocate(image.scratchBytes);
  if (!forArena || !forScratch) {
    return false;
  }
  arena = std::move(*forArena);
  scratch = std::move(*forScratch);
  runtime.scratch = scratch.data();
  return true;
}

void ExecutionContext::freeMemory() {
  arena = AlignedMemory();
  scratch = AlignedMemory();
  staging = AlignedMemory();
}

bool ExecutionContext::takeSizes(const CallSizes &sizes) {
  runtime.sizes = sizes.symbols.data();
  if (sizes.scratchBytes > scratch.size()) {
    std::optional<AlignedMemory> larger = AlignedMemory::allocate(sizes.scratchBytes);
    if (!larger) {
      return false;
    }
    scratch = std::move(*larger);
    runtime.scratch = scratch.data();
  }
  if (sizes.arenaBytes <= arena.size()) {
    return true;
  }
  std::optional<AlignedMemory> larger = AlignedMemory::allocate(sizes.arenaBytes);
  if (larger) {
    arena = std::move(*larger);
  }
  return larger.has_value();
}

size_t stagedBytes(size_t bytes) {
  return (bytes + DRUMLIN_ALIGNMENT - 1) / DRUMLIN_ALIGNMENT * DRUMLIN_ALIGNMENT;
}

bool ExecutionContext::reserveStaging(size_t bytes) {
  staged = 0;
  if (bytes <= staging.size()) {
    return true;
  }
  std::optional<AlignedMemory> larger = AlignedMemory::allocate(bytes);
  if (larger) {
    staging = std::move(*larger);
  }
  return larger.has_value();
}

void *ExecutionContext::stage(size_t bytes) {
  void *place = staging.data() + staged;
  staged += stagedBytes(bytes);
  return place;
}

void *ExecutionContext::stageResult(void *result, size_t bytes) {
  void *place = stage(bytes);
  stagedResults.push_back({result, place, bytes});
  return place;
}

int32_t ExecutionContext::run(const DrumlinImageV1 &code, void *const *weights) {
  kernels = code.kernels;
  if (!image.hostCalls.empty()) {
    hostRun.id = nextRunId();
    callFailure.reset();
  }
  DefaultFloatingPoint floatingPoint;
  int32_t status = code.entry(&runtime, args.data(), results.data(), arena.data(), weights);
  if (isCaller) {
    pool.leave();
    isCaller = false;
  }
  return status;
}

void ExecutionContext::end(bool isDone) {
  if (isDone) {
    for (const StagedResult &copy : stagedResults) {
      std::memcpy(copy.to, copy.from, copy.bytes);
    }
  }
  stagedResults.clear();
  laidOut.clear();
  hostRun.dataOfRun = {};
}

void ExecutionContext::takeTimes(std::vector<KernelTime> &total) {
  for (size_t i = 0; i < times.size(); ++i) {
    total[i].calls += times[i].calls;
    total[i].seconds += times[i].seconds;
    times[i] = {};
  }
}

// Calls code outside of the image. If the returned error code isn't 0, the entry returns it at
// once.
int32_t ExecutionContext::callHost(void *context, int64_t number, void *const *buffers) {
  ExecutionContext &self = *static_cast<ExecutionContext *>(context);
  // While this thread waits for other processes, workers may help those processes.
  bool mayWait = self.calls.mayWait(static_cast<size_t>(number));
  if (self.isCaller && mayWait) {
    self.pool.leave();
  } else if (!self.isCaller && !mayWait) {
    self.pool.enter();
  }
  self.isCaller = !mayWait;
  try {
    Status status = self.calls.call(static_cast<size_t>(number), buffers, self.hostRun);
    if (!status) {
      self.callFailure = status.error();
    }
    return status ? 0 : 1;
  } catch (const std::bad_alloc &) { // exceptions can't pass through the image's code
    self.callFailure = outOfMemory();
    return 1;
  }
}

void ExecutionContext::runObserved(void *const *buffers, const int64_t *dims, void *scratch,
                                   int64_t tileBegin, int64_t tileEnd) {
  const auto &observed = *reinterpret_cast<const ObservedKernel *>(dims);
  auto begin = std::chrono::steady_clock::now();
  observed.kernel(buffers, observed.dims, scratch, tileBegin, tileEnd);
  (*observed.observer)(observed.number, tileBegin, tileEnd, begin);
}

void ExecutionContext::runKernel(int64_t number, void *const *buffers, const int64_t *dims,
                                 int64_t tiles, int64_t steps, int64_t *step) {
  DrumlinKernel kernel = kernels[number].run;
  const int64_t *given = dims;
  bool isObserved = image.isTimed && !isOfProcess();
  if (isObserved && observers.launches) {
    observers.launches(LaunchMoment::Before, number, buffers);
  }
  ObservedKernel observed = {kernel, dims, number, &observers.tiles};
  if (isObserved && observers.tiles) {
    kernel = runObserved;
    given = reinterpret_cast<const int64_t *>(&observed);
  }
  auto begin =
      image.isTimed ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
  for (int64_t i = 0; i < steps; ++i) {
    if (step) {
      *step = i;
    }
    runTiles(number, kernel, buffers, given, tiles);
  }
  runFinish(number, buffers, dims, tiles);
  if (!image.isTimed) {
    return;
  }
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  KernelTime &time = times[static_cast<size_t>(number)];
  ++time.calls;
  time.seconds += taken.count();
  if (isObserved && observers.launches) {
    observers.launches(LaunchMoment::After, number, buffers);
  }
}

void ExecutionContext::runFinish(int64_t number, void *const *buffers, const int64_t *dims,
                                 int64_t tiles) {
  DrumlinKernel finish = kernels[number].finish;
  if (!finish) {
    return;
  }
  auto begin = observers.replayedThreads != 0 ? std::chrono::steady_clock::now()
                                              : std::chrono::steady_clock::time_point();
  finish(buffers, dims, scratch.data(), 0, tiles);
  if (observers.replayedThreads != 0 && observers.tiles) {
    observers.tiles(number, tiles, tiles, begin);
  }
}

// Runs a kernel's tiles on the pool; a single tile runs on this thread.
void ExecutionContext::runTiles(int64_t number, DrumlinKernel kernel, void *const *buffers,
                                const int64_t *dims, int64_t tiles) {
  const LaunchWork work = image.kernels[static_cast<size_t>(number)].work(tiles);
  if (observers.replayedThreads != 0 && tiles > 0) {
    const WorkSplit split = WorkSplit::of(work, observers.replayedThreads);
    split.forEachChunk(
        [&](int64_t begin, int64_t end) { kernel(buffers, dims, scratch.data(), begin, end); });
  } else if (tiles == 1) {
    kernel(buffers, dims, scratch.data(), 0, 1);
  } else if (tiles > 1) {
    if (!isCaller) {
      pool.enter();
      isCaller = true;
    }
    pool.parallel(kernel, buffers, dims, scratch.data(), work);
  }
}

void ExecutionContext::launch(void *context, int64_t number, void *const *buffers,
                              const int64_t *dims, int64_t tiles) {
  static_cast<ExecutionContext *>(context)->runKernel(number, buffers, dims, tiles, 1, nullptr);
}

void ExecutionContext::launchSteps(void *context, int64_t number, void *const *buffers,
                                   int64_t tiles, int64_t steps, int64_t *step) {
  static_cast<ExecutionContext *>(context)->runKernel(number, buffers, nullptr, tiles, steps, step);
}

// Launches of tasks that take longer come first: their tiles end last, if they have few.
void ExecutionContext::runBeside(std::span<const DrumlinLaunchV1> launches) {
  std::array<ThreadPool::Task, DRUMLIN_MOST_BESIDE> tasks;
  size_t count = 0;
  for (const DrumlinLaunchV1 &launch : launches) {
    if (launch.step) {
      *launch.step = 0;
    }
    const LaunchWork work = image.kernels[static_cast<size_t>(launch.number)].work(launch.tiles);
    tasks[count++] = {kernels[launch.number].run, launch.buffers, nullptr, work};
  }
  std::ranges::sort(std::span(tasks).first(count), std::greater<>(),
                    [](const ThreadPool::Task &task) { return task.work.secondsOfTile; });
  if (!isCaller) {
    pool.enter();
    isCaller = true;
  }
  pool.parallel(std::span(tasks).first(count), scratch.data());
  for (const DrumlinLaunchV1 &launch : launches) {
    for (int64_t step = 1; step < launch.steps; ++step) {
      *launch.step = step;
      runTiles(launch.number, kernels[launch.number].run, launch.buffers, nullptr, launch.tiles);
    }
    runFinish(launch.number, launch.buffers, nullptr, launch.tiles);
  }
}

void ExecutionContext::launchBeside(void *context, const DrumlinLaunchV1 *launches, int64_t count) {
  ExecutionContext &self = *static_cast<ExecutionContext *>(context);
  const std::span all(launches, static_cast<size_t>(count));
  if (!self.image.isTimed && all.size() <= DRUMLIN_MOST_BESIDE) {
    self.runBeside(all);
    return;
  }
  // Launches that are timed run one after another.
  if (self.observers.beside) {
    self.observers.beside(BesideMoment::Begin);
  }
  for (const DrumlinLaunchV1 &launch : all) {
    self.runKernel(launch.number, launch.buffers, nullptr, launch.tiles, launch.steps, launch.step);
  }
  if (self.observers.beside) {
    self.observers.beside(BesideMoment::End);
  }
}

void ExecutionContext::copy(void * /*context*/, void *to, const void *from, int64_t bytes) {
  std::memcpy(to, from, static_cast<size_t>(bytes));
}

uint64_t ExecutionContext::read(void * /*context*/, const void *from, int64_t bytes) {
  uint64_t value = 0;
  std::memcpy(&value, from, static_cast<size_t>(bytes));
  return value;
}

} // namespace drumlin
