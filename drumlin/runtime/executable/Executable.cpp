#include "drumlin/runtime/executable/Executable.h"

#include "drumlin/runtime/executable/AppendedConstants.h"
#include "drumlin/runtime/executable/ImmutableFile.h"
#include "drumlin/support/CpuFeatures.h"
#include "drumlin/support/OutOfMemory.h"
#include "drumlin/support/SystemError.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <new>
#include <sys/stat.h>
#include <unistd.h>

namespace drumlin {

// A path of this open file that no other load of the process has given to the system's loader. That
// knows libraries by the paths they were opened by, and answers one that it knows with the library
// it knows, whatever the path names by then: a descriptor's number alone comes again while the
// library that it once stood for may still be in use. So the number of the load is spelt into the
// path, bit by bit, as `/.` or `/`, which both lead nowhere. The runtime may be in a process
// several times; the counter's address tells the loads of each from those of the others.
static std::string uniquePath(int file) {
  static std::atomic<uint64_t> loads{0};
  std::string path = "/proc/self/fd";
  for (uint64_t number : {++loads, static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&loads))}) {
    for (unsigned bit = 0; bit < 64; ++bit) {
      path += number >> bit & 1 ? "/." : "/";
    }
  }
  return path + "/" + std::to_string(file);
}

static bool isAligned(const void *pointer, uint64_t alignment = DRUMLIN_ALIGNMENT) {
  return reinterpret_cast<uintptr_t>(pointer) % alignment == 0;
}

static size_t roundUp(size_t bytes) {
  return (bytes + DRUMLIN_ALIGNMENT - 1) / DRUMLIN_ALIGNMENT * DRUMLIN_ALIGNMENT;
}

// What tells a file from one that takes its place.
static std::array<int64_t, 4> identityOf(const std::string &path) {
  struct stat status = {};
  stat(path.c_str(), &status);
  return {static_cast<int64_t>(status.st_dev), static_cast<int64_t>(status.st_ino),
          status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

Executable::Executable(const LoadOptions &options)
    : observers{options.observer, options.tilesObserver},
      contexts(std::make_shared<ContextPool>(options.maxIdleBytes)) {}

Result<std::unique_ptr<Executable>> Executable::load(const std::string &path,
                                                     const LoadOptions &options) {
  LoadOptions withWeights = options;
  if (options.weightsPath.empty()) {
    withWeights.weightsPath = path + ".weights";
  }
  while (true) {
    std::array<int64_t, 4> identity = identityOf(path);
    Result<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
    if (!file) {
      return file.error();
    }
    Result<std::unique_ptr<Executable>> loaded =
        loadImage((*file)->bytes(), path, withWeights, file->get());
    // Where a new image took this one's place meanwhile, its weights did too.
    if (loaded || identityOf(path) == identity) {
      return loaded;
    }
  }
}

Result<std::unique_ptr<Executable>> Executable::loadFromMemory(std::span<const std::byte> image,
                                                               const std::string &name,
                                                               const LoadOptions &options) {
  return loadImage(image, name, options, nullptr);
}

Result<std::unique_ptr<Executable>> Executable::loadImage(std::span<const std::byte> image,
                                                          const std::string &name,
                                                          const LoadOptions &options,
                                                          const MappedFile *mapped) {
  std::unique_ptr<Executable> result(new Executable(options));
  result->location = name;
  ImageParts parts = partsOfImage(image);
  int file = immutableCopy({parts.object, parts.seal});
  if (file < 0) {
    return systemError(DiagnosticCode::OutOfMemory, "no memory for the image", errno, name);
  }
  Status status = result->loadFile(file, parts, options, mapped);
  // The library, if it was loaded, keeps what it needs.
  ::close(file);
  if (!status) {
    return status.error();
  }
  return result;
}

Status Executable::loadFile(int file, const ImageParts &parts, const LoadOptions &options,
                            const MappedFile *mapped) {
  Result<std::shared_ptr<MappedFile>> copy =
      MappedFile::open("/proc/self/fd/" + std::to_string(file));
  if (!copy) {
    return diagnose(copy.error().code, copy.error().message, location);
  }
  Result<ImageLayout> layout = inspectImage((*copy)->bytes(), location);
  if (!layout) {
    return layout.error();
  }
  Result<ImageDescription> description = parse(layout->metadata, location, ImageTexts::Skip);
  if (!description) {
    return description.error();
  }
  image = std::move(*description);
  // The copy has all but these.
  std::optional<std::span<const std::byte>> constants = constantsOf(parts);
  layout->appended = constants ? *constants : parts.appended;
  bool isGiven = layout->appended.empty() && !mapped; // or missing, which is then said
  if (Status status = isGiven ? Done() : checkAppended(*layout, image, location); !status) {
    return status;
  }
  if (std::vector<std::string> missing = missingCpuFeatures(image.cpuFeatures); !missing.empty()) {
    std::string list;
    for (const std::string &feature : missing) {
      list += (list.empty() ? "`" : ", `") + feature + "`";
    }
    return diagnose(DiagnosticCode::CpuFeatureMissing,
                    "the image was compiled for `" + image.targetCpu +
                        "`, and this processor lacks " + list,
                    location);
  }
  if (!image.elided.empty()) {
    return diagnose(DiagnosticCode::ConstantElided,
                    "the values of a constant were left out when the program was printed",
                    image.elided);
  }
  if (Status status = loadWeights(layout->appended, options, mapped); !status) {
    return status;
  }
  if (Status status = takeMemory(options); !status) {
    return status;
  }
  if (Status status = calls.prepare(image.hostCalls, image.grid, location); !status) {
    return status;
  }
  return openLibrary(file, *layout);
}

Status Executable::loadWeights(std::span<const std::byte> appended, const LoadOptions &options,
                               const MappedFile *mapped) {
  // A file has what its image says; an image in memory may be without its constants.
  auto isInImage = [&](const WeightDescription &weight) {
    return weight.isEmbedded() || (weight.isAppended && !appended.empty());
  };
  size_t ownBytes = 0;
  for (const WeightDescription &weight : image.weights) {
    ownBytes += isInImage(weight) ? roundUp(weight.value.storedBytes()) : 0;
  }
  std::optional<AlignedMemory> memory = AlignedMemory::allocate(ownBytes);
  if (!memory) {
    return diagnose(DiagnosticCode::OutOfMemory, "no memory for the weights", location);
  }
  ownWeights = std::move(*memory);
  bool fromFile = image.weightsFileBytes != 0 && options.weights.empty();
  if (fromFile) {
    Result<std::shared_ptr<MappedFile>> opened =
        openWeightsFile(options.weightsPath, image, options.weightsCheck);
    if (!opened) {
      return opened.error();
    }
    weightsFile = std::move(*opened);
  }
  size_t own = 0, given = 0;
  std::vector<std::byte *> appendedPlaces;
  for (WeightDescription &weight : image.weights) {
    size_t bytes = weight.value.storedBytes();
    if (isInImage(weight)) {
      std::byte *place = ownWeights.data() + own;
      own += roundUp(bytes);
      weights.push_back(place);
      if (weight.isAppended) {
        appendedPlaces.push_back(place);
        continue;
      }
      std::copy(weight.embedded.begin(), weight.embedded.end(), reinterpret_cast<uint8_t *>(place));
      std::vector<uint8_t>().swap(weight.embedded);
      continue;
    }
    if (fromFile && weight.isInFile()) {
      weights.push_back(const_cast<std::byte *>(weightsFile->bytes().data() + weight.offset));
      continue;
    }
    if (given == options.weights.size() ||
        static_cast<size_t>(options.weights[given].bytes()) != bytes) {
      return diagnose(DiagnosticCode::WeightsInvalid,
                      "the weight `" + weight.value.name + "` isn't given as a `" +
                          weight.value.typeText() + "`",
                      location);
    }
    Tensor tensor = options.weights[given++];
    bool isWhereItLay = image.hasWeightsInPlace() && weight.isInFile();
    uint64_t alignment = isWhereItLay ? alignmentInPlace(weight.value.type) : DRUMLIN_ALIGNMENT;
    weightTensors.push_back(isAligned(tensor.data(), alignment) ? tensor : tensor.clone());
    weights.push_back(weightTensors.back().data());
  }
  if (appended.empty()) {
    return Done();
  }
  auto release = [&](std::span<const std::byte> part) { mapped->release(part); };
  using Release = std::function<void(std::span<const std::byte>)>;
  return readAppended(appended, image, appendedPlaces, mapped ? Release(release) : Release(),
                      location);
}

Status Executable::takeMemory(const LoadOptions &options) {
  if (options.threads > maxThreads) {
    return diagnose(DiagnosticCode::TooManyThreads,
                    std::to_string(options.threads) + " threads are more than the " +
                        std::to_string(maxThreads) + " that there may be",
                    location);
  }
  pool = options.pool ? options.pool : std::make_shared<ThreadPool>(options.threads);
  // One context is there from the start: a program that has no memory isn't loaded.
  auto first = std::make_unique<ExecutionContext>(image, *pool, observers, calls);
  if (!first->takeMemory() || !pool->reserveScratch(image.scratchBytes)) {
    return noMemoryForContext();
  }
  contexts->setFirst(std::move(first));
  times.resize(image.kernels.size());
  return Done();
}

Diagnostic Executable::noMemoryForContext() const {
  return diagnose(DiagnosticCode::OutOfMemory,
                  "no memory for the program: it needs " + std::to_string(image.arenaBytes) +
                      " bytes, and " + std::to_string(image.scratchBytes) + " for each thread",
                  location);
}

static bool containedIn(std::span<const AddressRange> ranges, uint64_t address, uint64_t size) {
  return std::ranges::any_of(
      ranges, [&](const AddressRange &range) { return range.contains(address, size); });
}

// What glibc's loader says where it gets no memory; of a file that is there, it may say that it
// isn't.
static bool saysOutOfMemory(const char *message, int file) {
  struct stat status = {};
  bool isThere = fstat(file, &status) == 0 && stat(uniquePath(file).c_str(), &status) == 0;
  return strcasestr(message, "out of memory") || strcasestr(message, "cannot allocate memory") ||
         std::strstr(message, "cannot create shared object descriptor") ||
         (isThere && std::strstr(message, "No such file or directory"));
}

Status Executable::openLibrary(int file, const ImageLayout &layout) {
  auto notLoadable = [&](const std::string &what) {
    return diagnose(DiagnosticCode::ImageNotLoadable, "can't load the image: " + what, location);
  };
  library = dlopen(uniquePath(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *message = dlerror();
    if (message && saysOutOfMemory(message, file)) {
      return outOfMemory();
    }
    Diagnostic error = notLoadable(message ? message : "the system's loader refuses it");
    return areFilesExhausted() ? diagnose(DiagnosticCode::OpenFilesLimit, error.message, location)
                               : error;
  }
  auto *symbol = static_cast<const DrumlinImageV1 *>(dlsym(library, DRUMLIN_IMAGE_SYMBOL));
  link_map *map = nullptr;
  if (!symbol || dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || !map) {
    return notLoadable("it doesn't export `" DRUMLIN_IMAGE_SYMBOL "`");
  }
  auto address = [&](const void *pointer) {
    return reinterpret_cast<uint64_t>(pointer) - map->l_addr;
  };
  if (!containedIn(layout.loaded, address(symbol), sizeof(*symbol)) ||
      std::memcmp(symbol->magic, DRUMLIN_IMAGE_MAGIC, sizeof(symbol->magic)) != 0) {
    return notLoadable("its `" DRUMLIN_IMAGE_SYMBOL "` doesn't describe an image");
  }
  if (symbol->abi != DRUMLIN_IMAGE_ABI || symbol->flags != 0) {
    return diagnose(DiagnosticCode::ImageAbiMismatch,
                    "the image has binary interface " + std::to_string(symbol->abi) +
                        ", this runtime has " + std::to_string(DRUMLIN_IMAGE_ABI),
                    location);
  }
  uint64_t entryAddress = address(reinterpret_cast<const void *>(symbol->entry));
  if (address(symbol->metadata) != layout.metadataAddresses.begin ||
      symbol->metadataSize > layout.metadata.size() ||
      std::ranges::none_of(layout.code, [&](const CodeSegment &segment) {
        return segment.addresses.contains(entryAddress, 1);
      })) {
    return notLoadable("its `" DRUMLIN_IMAGE_SYMBOL "` points outside of it");
  }
  // What the system's loader gave must be what was checked, not another library that it knows.
  bool isSame =
      std::memcmp(symbol->metadata, layout.metadata.data(), layout.metadata.size()) == 0 &&
      std::ranges::all_of(layout.code, [&](const CodeSegment &segment) {
        return std::memcmp(reinterpret_cast<const void *>(map->l_addr + segment.addresses.begin),
                           segment.bytes.data(), segment.bytes.size()) == 0;
      });
  if (!isSame) {
    return notLoadable("the system's loader gave another library");
  }
  entry = symbol->entry;
  return Done();
}

Executable::~Executable() {
  if (library) {
    dlclose(library);
  }
}

std::vector<Executable::KernelTime> Executable::kernelTimes() const {
  std::lock_guard<std::mutex> lock(timing);
  return times;
}

size_t Executable::trim() {
  pool->trimScratch();
  return contexts->trim();
}

Diagnostic Executable::mismatch(std::string message) const {
  return diagnose(DiagnosticCode::ArgumentMismatch, std::move(message), location);
}

Status Executable::argumentChanged(size_t number) {
  if (number >= image.arguments.size()) {
    return mismatch("the program has no argument " + std::to_string(number) + ": it takes " +
                    std::to_string(image.arguments.size()));
  }
  staticArguments.forget(number);
  return Done();
}

size_t Executable::argumentBytes(size_t i, const CallSizes &sizes) const {
  return sizes.arguments.empty()
             ? image.arguments[i].bytes()
             : static_cast<size_t>(*byteCount(image.arguments[i].type, sizes.arguments[i]));
}

size_t Executable::resultBytes(size_t i, const CallSizes &sizes) const {
  return sizes.results.empty()
             ? image.results[i].bytes()
             : static_cast<size_t>(*byteCount(image.results[i].type, sizes.results[i]));
}

Result<CallSizes> Executable::callSizes(std::span<const Shape> sizes) const {
  if (sizes.size() != image.arguments.size()) {
    return mismatch("the program takes " + std::to_string(image.arguments.size()) +
                    " arguments, not " + std::to_string(sizes.size()));
  }
  return sizesOfCall(image, sizes, location);
}

// Those that schedules were chosen for; nothing where sizes are always the same.
Result<CallSizes> Executable::nominalSizes() const {
  if (image.symbols.empty()) {
    return CallSizes();
  }
  std::vector<Shape> shapes;
  for (const ValueDescription &argument : image.arguments) {
    shapes.push_back(argument.shape);
  }
  return callSizes(shapes);
}

Result<std::vector<Shape>> Executable::resultSizes(std::span<const Shape> sizes) const {
  Result<CallSizes> made = callSizes(sizes);
  return made ? Result<std::vector<Shape>>(std::move(made->results)) : made.error();
}

Status Executable::check(const Passed &passed) const {
  if (calls.needsProcesses()) {
    return diagnose(DiagnosticCode::ProcessesNeeded,
                    "the program runs as " + std::to_string(image.grid.replicas) + " replicas of " +
                        std::to_string(image.grid.partitions) +
                        " partitions, which need each other",
                    location);
  }
  return checkValues(passed);
}

Status Executable::checkValues(const Passed &passed) const {
  auto [args, results, sizes] = passed;
  if (args.size() != image.arguments.size() || results.size() != image.results.size()) {
    return mismatch("the program takes " + std::to_string(image.arguments.size()) +
                    " arguments and gives " + std::to_string(image.results.size()) +
                    " results, not " + std::to_string(args.size()) + " and " +
                    std::to_string(results.size()));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i] && argumentBytes(i, sizes) != 0) {
      return mismatch("argument " + std::to_string(i) + " `" + image.arguments[i].name +
                      "` is a null pointer");
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i] && resultBytes(i, sizes) != 0) {
      return mismatch("result " + std::to_string(i) + " `" + image.results[i].name +
                      "` is a null pointer");
    }
  }
  return Done();
}

// What the code takes in another order than callers pass it.
static bool isLaidOut(const ValueDescription &argument) {
  return argument.isStatic && !argument.layout.empty() && argument.bytes() != 0;
}

size_t Executable::bytesToStage(const Passed &passed) const {
  auto [args, results, sizes] = passed;
  size_t total = 0;
  for (size_t i = 0; i < results.size(); ++i) {
    total += isAligned(results[i]) ? 0 : stagedBytes(resultBytes(i, sizes));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const ValueDescription &argument = image.arguments[i];
    if (!isAligned(args[i]) && argument.donatedTo < 0 && !isLaidOut(argument)) {
      total += stagedBytes(argumentBytes(i, sizes));
    }
  }
  return total;
}

Status Executable::placeStatic(ExecutionContext &context, size_t number, const void *from,
                               Keep keep) {
  const ValueDescription &argument = image.arguments[number];
  std::shared_ptr<StaticArguments::LaidOut> laidOut =
      keep == Keep::StaticArguments ? staticArguments.get(number, argument, from)
                                    : StaticArguments::make(argument, from);
  if (!laidOut) {
    return diagnose(DiagnosticCode::OutOfMemory,
                    "no memory for the static argument `" + argument.name + "`", location);
  }
  context.args[number] = laidOut->memory.data();
  context.laidOut.push_back(std::move(laidOut));
  return Done();
}

Status Executable::place(ExecutionContext &context, const Passed &passed, Keep keep) {
  auto [args, results, sizes] = passed;
  if (!context.takeSizes(sizes) || !pool->reserveScratch(sizes.scratchBytes)) {
    return diagnose(DiagnosticCode::OutOfMemory,
                    "no memory for the program: it needs " + std::to_string(sizes.arenaBytes) +
                        " bytes, and " + std::to_string(sizes.scratchBytes) +
                        " for each thread, at these sizes",
                    location);
  }
  if (!context.reserveStaging(bytesToStage(passed))) {
    return diagnose(DiagnosticCode::OutOfMemory, "no memory for aligned copies of the arguments",
                    location);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    size_t bytes = resultBytes(i, sizes);
    context.results[i] = bytes == 0              ? context.emptyPlace()
                         : isAligned(results[i]) ? results[i]
                                                 : context.stageResult(results[i], bytes);
  }
  for (size_t i = 0; i < args.size(); ++i) {
    const ValueDescription &argument = image.arguments[i];
    size_t bytes = argumentBytes(i, sizes);
    void *&placed = context.args[i];
    placed = bytes == 0 ? context.emptyPlace() : const_cast<void *>(args[i]);
    if (isLaidOut(argument)) {
      if (Status status = placeStatic(context, i, args[i], keep); !status) {
        return status;
      }
    } else if (argument.donatedTo >= 0) {
      void *shared = context.results[static_cast<size_t>(argument.donatedTo)];
      if (shared != placed && bytes != 0) {
        std::memmove(shared, placed, bytes);
      }
      placed = shared;
    } else if (!isAligned(placed)) {
      placed = context.stage(bytes);
      std::memcpy(placed, args[i], bytes);
    }
  }
  return Done();
}

Status Executable::runIn(ExecutionContext &context, const Passed &passed, Keep keep) {
  Status status = Done();
  try {
    status = runPlaced(context, passed, keep);
  } catch (const std::bad_alloc &) { // on whichever thread: nobody else there would catch it
    status = outOfMemory();
  }
  context.end(bool(status));
  if (image.isTimed) {
    std::lock_guard<std::mutex> lock(timing);
    context.takeTimes(times);
  }
  return status;
}

Status Executable::runPlaced(ExecutionContext &context, const Passed &passed, Keep keep) {
  Status status = place(context, passed, keep);
  if (status) {
    std::unique_lock<std::mutex> lock(observed, std::defer_lock);
    if (observers.any() && !context.isOfProcess()) {
      lock.lock();
    }
    int32_t code = context.run(entry, weights.data());
    if (context.failure()) {
      status = diagnose(context.failure()->code, context.failure()->message, location,
                        context.failure()->remedy);
    } else if (code != 0) {
      status = diagnose(
          DiagnosticCode::ProgramFailed,
          "the program `" + image.program + "` failed with code " + std::to_string(code), location);
    }
  }
  return status;
}

Status Executable::runInOwnContext(const Passed &passed, Keep keep) {
  TakenContext context(*contexts);
  if (!context.get()) {
    context.set(new ExecutionContext(image, *pool, observers, calls));
  }
  return context->takeMemory() ? runIn(*context, passed, keep) : noMemoryForContext();
}

Status Executable::run(std::span<const void *const> args, std::span<void *const> results) {
  Result<CallSizes> sizes = nominalSizes();
  return sizes ? runSized({args, results, *sizes}) : Status(sizes.error());
}

Status Executable::run(std::span<const void *const> args, std::span<void *const> results,
                       std::span<const Shape> sizes) {
  Result<CallSizes> made = callSizes(sizes);
  return made ? runSized({args, results, *made}) : Status(made.error());
}

Status Executable::runSized(const Passed &passed) {
  Status status = check(passed);
  return status ? runInOwnContext(passed, Keep::StaticArguments) : status;
}

Result<std::unique_ptr<ExecutionContext>> Executable::makeContext() {
  auto context = std::make_unique<ExecutionContext>(image, *pool, observers, calls);
  if (!context->takeMemory()) {
    return noMemoryForContext();
  }
  return context;
}

Status Executable::acquire(ExecutionContext &context) const {
  if (!context.isOf(image)) {
    return diagnose(DiagnosticCode::ContextForeign, "the context is of another executable",
                    location);
  }
  if (!context.acquire()) {
    return diagnose(DiagnosticCode::ContextInUse, "the context has a run that hasn't ended",
                    location);
  }
  return Done();
}

Status Executable::setUserData(ExecutionContext &context, int64_t type, void *data) const {
  if (Status status = acquire(context); !status) {
    return status;
  }
  context.setUserData(type, data);
  context.release();
  return Done();
}

Status Executable::run(ExecutionContext &context, std::span<const void *const> args,
                       std::span<void *const> results, std::span<const Shape> sizes) {
  Result<CallSizes> made = sizes.empty() ? nominalSizes() : callSizes(sizes);
  if (!made) {
    return made.error();
  }
  Passed passed = {args, results, *made};
  if (Status status = check(passed); !status) {
    return status;
  }
  if (Status status = acquire(context); !status) {
    return status;
  }
  Status status = runIn(context, passed, Keep::StaticArguments);
  context.release();
  return status;
}

// A run that waits for others, or for a thread. Those it waits for have it until then.
struct Executable::LaterRun {
  std::shared_ptr<Executable> executable;
  RunRequest request;
  CallSizes sizes = {};
  std::shared_ptr<Event> event = std::make_shared<Event>();
  std::atomic<size_t> missing{1}; // events that aren't ready, and whoever starts it
  std::mutex failing;
  Status before = Done(); // how those before it ended

  void endedBefore(const Status &status) {
    if (!status) {
      std::lock_guard<std::mutex> lock(failing);
      if (before) {
        before = status;
      }
    }
  }
  // What throws here would end the thread.
  Status run() try {
    if (!before) {
      return before;
    }
    Passed passed = {request.args, request.results, sizes};
    return request.context ? executable->runIn(*request.context, passed, Keep::StaticArguments)
                           : executable->runInOwnContext(passed, Keep::StaticArguments);
  } catch (const std::bad_alloc &) {
    return outOfMemory();
  }
  void execute() {
    Status status = run();
    if (request.context) {
      request.context->release();
      request.context.reset();
    }
    event->setReady(std::move(status));
    // Whoever waits for the end frees the executable, unless it was freed in a callback.
    std::shared_ptr<ContextPool> contexts = executable->contexts;
    executable.reset();
    contexts->end();
  }
};

Result<std::shared_ptr<Event>> Executable::runLater(std::shared_ptr<Executable> executable,
                                                    RunRequest request) {
  Result<CallSizes> sizes =
      request.sizes.empty() ? executable->nominalSizes() : executable->callSizes(request.sizes);
  if (!sizes) {
    return sizes.error();
  }
  if (Status status = executable->check({request.args, request.results, *sizes}); !status) {
    return status.error();
  }
  auto later = std::make_shared<LaterRun>(); // before anything has to be undone
  if (request.context) {
    if (Status status = executable->acquire(*request.context); !status) {
      return status.error();
    }
  }
  executable->contexts->begin();
  std::vector<std::shared_ptr<Event>> after = std::move(request.after);
  later->executable = std::move(executable);
  later->request = std::move(request);
  later->sizes = std::move(*sizes);
  std::shared_ptr<Event> event = later->event;
  auto arrive = [later] {
    if (later->missing.fetch_sub(1) != 1) {
      return;
    }
    try {
      later->executable->pool->jobs().submit([later] { later->execute(); });
    } catch (const std::bad_alloc &) { // nobody else will run it
      later->endedBefore(outOfMemory());
      later->execute();
    }
  };
  for (const std::shared_ptr<Event> &each : after) {
    later->missing.fetch_add(1);
    try {
      each->whenReady([later, arrive](const Status &status) {
        later->endedBefore(status);
        arrive();
      });
    } catch (const std::bad_alloc &) { // it isn't waited for, and the run doesn't begin
      later->endedBefore(outOfMemory());
      later->missing.fetch_sub(1);
    }
  }
  arrive();
  return event;
}

Result<Executable::Marshalled> Executable::marshal(std::span<const Tensor> args) const {
  if (args.size() != image.arguments.size()) {
    return mismatch("the program takes " + std::to_string(image.arguments.size()) +
                    " arguments, not " + std::to_string(args.size()));
  }
  Marshalled made;
  for (size_t i = 0; i < args.size(); ++i) {
    const ValueDescription &expected = image.arguments[i];
    bool isSize = !image.symbols.empty() || args[i].shape() == expected.shape;
    if (args[i].type() != expected.type || !isSize) {
      ValueDescription got = {{}, args[i].type(), args[i].shape()};
      return mismatch("argument " + std::to_string(i) + " `" + expected.name + "` is a `" +
                      got.typeText() + "`, the program takes a `" + expected.typeText() + "`");
    }
    if (!expected.layout.empty() && !expected.isStatic) {
      made.inOrder.push_back(toPhysical(args[i], expected.layout));
      made.args.push_back(made.inOrder.back().data());
    } else {
      made.args.push_back(args[i].data());
    }
  }
  if (!image.symbols.empty()) {
    std::vector<Shape> shapes;
    for (const Tensor &arg : args) {
      shapes.push_back(arg.shape());
    }
    Result<CallSizes> sizes = callSizes(shapes);
    if (!sizes) {
      return sizes.error();
    }
    made.sizes = std::move(*sizes);
  }
  for (size_t i = 0; i < image.results.size(); ++i) {
    const ValueDescription &result = image.results[i];
    const Shape &shape = image.symbols.empty() ? result.shape : made.sizes.results[i];
    bool isRowMajor = result.layout.empty();
    std::optional<Tensor> tensor =
        Tensor::allocate(result.type, isRowMajor ? shape : physicalShape(shape, result.layout));
    if (!tensor) {
      return diagnose(DiagnosticCode::OutOfMemory, "no memory for the result `" + result.name + "`",
                      location);
    }
    made.results.push_back(tensor->data());
    made.tensors.push_back(std::move(*tensor));
  }
  return made;
}

std::vector<Tensor> Executable::resultsOf(Marshalled marshalled) const {
  for (size_t i = 0; i < marshalled.tensors.size(); ++i) {
    if (const DimensionOrder &layout = image.results[i].layout; !layout.empty()) {
      marshalled.tensors[i] = fromPhysical(marshalled.tensors[i], layout);
    }
  }
  std::vector<CountedBy> countedBy;
  bool isAny = false;
  for (const ValueDescription &result : image.results) {
    isAny |= !result.countedBy.empty();
    countedBy.push_back(result.countedBy);
  }
  return isAny ? countedResults(std::move(marshalled.tensors), countedBy)
               : std::move(marshalled.tensors);
}

Result<std::vector<Tensor>> Executable::call(std::span<const Tensor> args) {
  Result<Marshalled> marshalled = marshal(args);
  if (!marshalled) {
    return marshalled.error();
  }
  Status status = check(marshalled->passed());
  // Their pointers may come again with other elements.
  status = status ? runInOwnContext(marshalled->passed(), Keep::Nothing) : status;
  if (!status) {
    return status.error();
  }
  return resultsOf(std::move(*marshalled));
}

} // namespace drumlin
