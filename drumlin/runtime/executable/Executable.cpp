#include "drumlin/runtime/executable/Executable.h"

#include "drumlin/support/CpuFeatures.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
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
      return diagnose(DiagnosticCode::FileNotReadable, file.error().message, path);
    }
    Result<std::unique_ptr<Executable>> loaded =
        loadFromMemory((*file)->bytes(), path, withWeights);
    // Where a new image took this one's place meanwhile, its weights did too.
    if (loaded || identityOf(path) == identity) {
      return loaded;
    }
  }
}

// A file in memory that holds these bytes, and that nobody can change. -1, with errno, where there
// is no memory for it.
static int sealedCopy(std::span<const std::byte> bytes) {
  int file = memfd_create("drumlin", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  while (file >= 0 && !bytes.empty()) {
    ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      ::close(file);
      return -1;
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  int seals = F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  if (file >= 0 && fcntl(file, F_ADD_SEALS, seals) != 0) {
    ::close(file);
    return -1;
  }
  return file;
}

Result<std::unique_ptr<Executable>> Executable::loadFromMemory(std::span<const std::byte> image,
                                                               const std::string &name,
                                                               const LoadOptions &options) {
  std::unique_ptr<Executable> result(new Executable());
  result->location = name;
  int file = sealedCopy(image);
  if (file < 0) {
    return diagnose(DiagnosticCode::OutOfMemory,
                    "no memory for the image: " + std::string(std::strerror(errno)), name);
  }
  Status status = result->loadFile(file, options);
  // The library, if it was loaded, keeps what it needs.
  ::close(file);
  if (!status) {
    return status.error();
  }
  return result;
}

Status Executable::loadFile(int file, const LoadOptions &options) {
  Result<std::shared_ptr<MappedFile>> mapped =
      MappedFile::open("/proc/self/fd/" + std::to_string(file));
  if (!mapped) {
    return diagnose(mapped.error().code, mapped.error().message, location);
  }
  Result<ImageLayout> layout = inspectImage((*mapped)->bytes(), location);
  if (!layout) {
    return layout.error();
  }
  Result<ImageDescription> description = parse(layout->metadata, location, ImageTexts::Skip);
  if (!description) {
    return description.error();
  }
  image = std::move(*description);
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
  if (Status status = loadWeights(options); !status) {
    return status;
  }
  if (Status status = takeMemory(options); !status) {
    return status;
  }
  if (Status status = prepareHostCalls(); !status) {
    return status;
  }
  return openLibrary(file, *layout);
}

Status Executable::prepareHostCalls() {
  for (const HostCall &call : image.hostCalls) {
    if (call.interface >= HostInterface::Infeed) {
      hostCalls.emplace_back();
      continue;
    }
    Result<std::unique_ptr<PreparedCall>> made = prepareCall(call, location);
    if (!made) {
      return made.error();
    }
    hostCalls.push_back(std::move(*made));
  }
  return Done();
}

Status Executable::loadWeights(const LoadOptions &options) {
  size_t embeddedBytes = 0;
  for (const WeightDescription &weight : image.weights) {
    embeddedBytes += weight.isEmbedded() ? roundUp(weight.value.storedBytes()) : 0;
  }
  std::optional<AlignedMemory> memory = AlignedMemory::allocate(embeddedBytes);
  if (!memory) {
    return diagnose(DiagnosticCode::OutOfMemory, "no memory for the weights", location);
  }
  embeddedWeights = std::move(*memory);
  bool fromFile = image.weightsFileBytes != 0 && options.weights.empty();
  if (fromFile) {
    Result<std::shared_ptr<MappedFile>> opened =
        openWeightsFile(options.weightsPath, image, options.weightsCheck);
    if (!opened) {
      return opened.error();
    }
    weightsFile = std::move(*opened);
  }
  size_t embedded = 0, given = 0;
  for (WeightDescription &weight : image.weights) {
    size_t bytes = weight.value.storedBytes();
    if (weight.isEmbedded()) {
      std::byte *place = embeddedWeights.data() + embedded;
      std::copy(weight.embedded.begin(), weight.embedded.end(), reinterpret_cast<uint8_t *>(place));
      embedded += roundUp(bytes);
      weights.push_back(place);
      std::vector<uint8_t>().swap(weight.embedded);
      continue;
    }
    if (fromFile) {
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
    uint64_t alignment =
        image.hasWeightsInPlace() ? alignmentInPlace(weight.value.type) : DRUMLIN_ALIGNMENT;
    weightTensors.push_back(isAligned(tensor.data(), alignment) ? tensor : tensor.clone());
    weights.push_back(weightTensors.back().data());
  }
  return Done();
}

Status Executable::takeMemory(const LoadOptions &options) {
  if (options.threads > maxThreads) {
    return diagnose(DiagnosticCode::TooManyThreads,
                    std::to_string(options.threads) + " threads are more than the " +
                        std::to_string(maxThreads) + " that there may be",
                    location);
  }
  std::optional<AlignedMemory> arenaMemory = AlignedMemory::allocate(image.arenaBytes);
  std::optional<AlignedMemory> scratchMemory = AlignedMemory::allocate(image.scratchBytes);
  pool = options.pool ? options.pool : std::make_shared<ThreadPool>(options.threads);
  if (!arenaMemory || !scratchMemory || !pool->reserveScratch(image.scratchBytes)) {
    return diagnose(DiagnosticCode::OutOfMemory,
                    "no memory for the program: it needs " + std::to_string(image.arenaBytes) +
                        " bytes, and " + std::to_string(image.scratchBytes) + " for each thread",
                    location);
  }
  arena = std::move(*arenaMemory);
  scratch = std::move(*scratchMemory);
  runtime.version = DRUMLIN_RUNTIME_VERSION;
  runtime.threads = pool->threads();
  runtime.context = this;
  runtime.scratch = scratch.data();
  runtime.parallel = launch;
  runtime.timed = launchTimed;
  runtime.timedSteps = launchTimedSteps;
  runtime.call = callHost;
  times.resize(image.kernels.size());
  observer = options.observer;
  tilesObserver = options.tilesObserver;
  return Done();
}

static bool containedIn(std::span<const AddressRange> ranges, uint64_t address, uint64_t size) {
  return std::ranges::any_of(
      ranges, [&](const AddressRange &range) { return range.contains(address, size); });
}

Status Executable::openLibrary(int file, const ImageLayout &layout) {
  auto notLoadable = [&](const std::string &what) {
    return diagnose(DiagnosticCode::ImageNotLoadable, "can't load the image: " + what, location);
  };
  library = dlopen(uniquePath(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *message = dlerror();
    return notLoadable(message ? message : "the system's loader refuses it");
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

void Executable::launch(void *context, DrumlinKernel kernel, void *const *buffers,
                        const int64_t *dims, int64_t tiles) {
  Executable &self = *static_cast<Executable *>(context);
  self.pool->parallel(kernel, buffers, dims, self.scratch.data(), tiles);
}

void Executable::runObserved(void *const *buffers, const int64_t *dims, void *scratch,
                             int64_t tileBegin, int64_t tileEnd) {
  const auto &observed = *reinterpret_cast<const ObservedKernel *>(dims);
  auto begin = std::chrono::steady_clock::now();
  observed.kernel(buffers, nullptr, scratch, tileBegin, tileEnd);
  (*observed.observer)(observed.number, tileBegin, tileEnd, begin);
}

template <typename Run>
void Executable::observe(int64_t number, DrumlinKernel kernel, void *const *buffers, Run run) {
  if (observer) {
    observer(LaunchMoment::Before, number, buffers);
  }
  ObservedKernel observed = {kernel, number, &tilesObserver};
  const int64_t *dims = nullptr;
  if (tilesObserver) {
    kernel = runObserved;
    dims = reinterpret_cast<const int64_t *>(&observed);
  }
  auto begin = std::chrono::steady_clock::now();
  run(kernel, dims);
  std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  KernelTime &time = times.at(static_cast<size_t>(number));
  ++time.calls;
  time.seconds += taken.count();
  if (observer) {
    observer(LaunchMoment::After, number, buffers);
  }
}

// As an entry without timers does it.
void Executable::runTiles(DrumlinKernel kernel, void *const *buffers, const int64_t *dims,
                          int64_t tiles) {
  if (tiles == 1) {
    kernel(buffers, dims, scratch.data(), 0, 1);
  } else if (tiles > 1) {
    launch(this, kernel, buffers, dims, tiles);
  }
}

void Executable::launchTimed(void *context, int64_t number, DrumlinKernel kernel,
                             DrumlinKernel finish, void *const *buffers, int64_t tiles) {
  Executable &self = *static_cast<Executable *>(context);
  self.observe(number, kernel, buffers, [&](DrumlinKernel observed, const int64_t *dims) {
    self.runTiles(observed, buffers, dims, tiles);
    if (finish) {
      finish(buffers, nullptr, self.scratch.data(), 0, tiles);
    }
  });
}

void Executable::launchTimedSteps(void *context, int64_t number, DrumlinKernel kernel,
                                  void *const *buffers, int64_t tiles, int64_t steps,
                                  int64_t *step) {
  Executable &self = *static_cast<Executable *>(context);
  self.observe(number, kernel, buffers, [&](DrumlinKernel observed, const int64_t *dims) {
    for (int64_t i = 0; i < steps; ++i) {
      *step = i;
      self.runTiles(observed, buffers, dims, tiles);
    }
  });
}

// The entry returns the code at once.
int32_t Executable::callHost(void *context, int64_t number, void *const *buffers) {
  Executable &self = *static_cast<Executable *>(context);
  auto place = static_cast<size_t>(number);
  Status status =
      self.callHost(self.image.hostCalls.at(place), self.hostCalls.at(place).get(), buffers);
  if (status) {
    return 0;
  }
  self.hostFailure = status.error();
  return 1;
}

Status Executable::callHost(const HostCall &call, const PreparedCall *prepared,
                            void *const *buffers) {
  std::vector<void *> operands, results;
  for (const HostValue &value : call.operands) {
    operands.push_back(value.isToken() ? nullptr : *buffers++);
  }
  for (const HostValue &value : call.results) {
    results.push_back(value.isToken() ? nullptr : *buffers++);
  }
  if (prepared) {
    return prepared->run(operands, results, {.id = runId});
  }
  if (!transfers) {
    return diagnose(DiagnosticCode::HostCodeMissing,
                    "the program transfers values from or to the host while it runs, and nothing "
                    "was registered for that",
                    location, "register a function for it with `drumlin_on_transfer` (drumlin.h)");
  }
  return transfers(call, operands, results);
}

Diagnostic Executable::mismatch(std::string message) const {
  return diagnose(DiagnosticCode::ArgumentMismatch, std::move(message), location);
}

// Aligned stand-ins for a call's misaligned buffers; most calls have none.
struct Bounce {
  AlignedMemory memory;
  void *original;
  size_t bytes;
};

// Callers with two sets of weights alternate between their pointers.
static constexpr size_t maxLaidOut = 2;

// Puts what is made from the pointer first.
Status Executable::layOut(size_t number, const void *from) {
  std::vector<LaidOut> &kept = laidOut[number];
  auto found = std::find_if(kept.begin(), kept.end(),
                            [&](const LaidOut &each) { return each.from == from; });
  if (found != kept.end()) {
    std::rotate(kept.begin(), found, found + 1);
    return Done();
  }
  const ValueDescription &argument = image.arguments[number];
  std::optional<AlignedMemory> memory = AlignedMemory::allocate(argument.storedBytes());
  if (!memory ||
      !copyToLayout(static_cast<const std::byte *>(from), static_cast<std::byte *>(memory->data()),
                    argument.memoryLayout(), storageBytes(argument.type))) {
    return diagnose(DiagnosticCode::OutOfMemory,
                    "no memory for the static argument `" + argument.name + "`", location);
  }
  if (kept.size() == maxLaidOut) {
    kept.pop_back();
  }
  kept.insert(kept.begin(), {from, std::move(*memory)});
  return Done();
}

Status Executable::argumentChanged(size_t number) {
  if (number >= image.arguments.size()) {
    return mismatch("the program has no argument " + std::to_string(number) + ": it takes " +
                    std::to_string(image.arguments.size()));
  }
  std::lock_guard<std::mutex> lock(running);
  if (number < laidOut.size()) {
    laidOut[number].clear();
  }
  return Done();
}

Status Executable::run(std::span<const void *const> args, std::span<void *const> results) {
  if (args.size() != image.arguments.size() || results.size() != image.results.size()) {
    return mismatch("the program takes " + std::to_string(image.arguments.size()) +
                    " arguments and gives " + std::to_string(image.results.size()) +
                    " results, not " + std::to_string(args.size()) + " and " +
                    std::to_string(results.size()));
  }
  for (size_t i = 0; i < args.size(); ++i) {
    if (!args[i] && image.arguments[i].bytes() != 0) {
      return mismatch("argument " + std::to_string(i) + " `" + image.arguments[i].name +
                      "` is a null pointer");
    }
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i] && image.results[i].bytes() != 0) {
      return mismatch("result " + std::to_string(i) + " `" + image.results[i].name +
                      "` is a null pointer");
    }
  }
  std::lock_guard<std::mutex> lock(running);
  std::vector<Bounce> bounces, resultBounces;
  auto bounce = [&](const void *original, size_t bytes, std::vector<Bounce> &list) -> void * {
    std::optional<AlignedMemory> memory = AlignedMemory::allocate(bytes);
    if (!memory) {
      return nullptr;
    }
    list.push_back({std::move(*memory), const_cast<void *>(original), bytes});
    return list.back().memory.data();
  };
  Diagnostic noMemory = {
      DiagnosticCode::OutOfMemory, "no memory for aligned copies of the arguments", location, {}};
  resultPointers.resize(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    size_t bytes = image.results[i].bytes();
    // Code may form addresses in buffers without bytes, so these get an address too.
    resultPointers[i] = bytes == 0 ? arena.data() : results[i];
    if (!isAligned(resultPointers[i]) &&
        !(resultPointers[i] = bounce(results[i], bytes, resultBounces))) {
      return noMemory;
    }
  }
  argumentPointers.resize(args.size());
  laidOut.resize(args.size());
  for (size_t i = 0; i < args.size(); ++i) {
    const ValueDescription &argument = image.arguments[i];
    size_t bytes = argument.bytes();
    argumentPointers[i] = bytes == 0 ? arena.data() : const_cast<void *>(args[i]);
    if (argument.isStatic && !argument.layout.empty() && bytes != 0) {
      if (Status status = layOut(i, args[i]); !status) {
        return status;
      }
      argumentPointers[i] = laidOut[i].front().memory.data();
      continue;
    }
    if (argument.donatedTo >= 0) {
      void *shared = resultPointers[static_cast<size_t>(argument.donatedTo)];
      if (shared != argumentPointers[i] && bytes != 0) {
        std::memmove(shared, argumentPointers[i], bytes);
      }
      argumentPointers[i] = shared;
    } else if (!isAligned(argumentPointers[i])) {
      void *copy = bounce(args[i], bytes, bounces);
      if (!copy) {
        return noMemory;
      }
      std::memcpy(copy, args[i], bytes);
      argumentPointers[i] = copy;
    }
  }
  runId = nextRunId();
  hostFailure.reset();
  int32_t code;
  {
    DefaultFloatingPoint floatingPoint;
    code = entry(&runtime, argumentPointers.data(), resultPointers.data(), arena.data(),
                 weights.data());
  }
  if (hostFailure) {
    return *hostFailure;
  }
  if (code != 0) {
    return diagnose(DiagnosticCode::ProgramFailed,
                    "the program `" + image.program + "` failed with code " + std::to_string(code),
                    location);
  }
  for (const Bounce &copy : resultBounces) {
    std::memcpy(copy.original, copy.memory.data(), copy.bytes);
  }
  return Done();
}

Result<std::vector<Tensor>> Executable::call(std::span<const Tensor> args) {
  if (args.size() != image.arguments.size()) {
    return mismatch("the program takes " + std::to_string(image.arguments.size()) +
                    " arguments, not " + std::to_string(args.size()));
  }
  std::vector<const void *> argPointers;
  std::vector<Tensor> inOrder; // those that aren't passed as they are
  for (size_t i = 0; i < args.size(); ++i) {
    const ValueDescription &expected = image.arguments[i];
    if (args[i].type() != expected.type || args[i].shape() != expected.shape) {
      ValueDescription got = {{}, args[i].type(), args[i].shape()};
      return mismatch("argument " + std::to_string(i) + " `" + expected.name + "` is a `" +
                      got.typeText() + "`, the program takes a `" + expected.typeText() + "`");
    }
    if (!expected.layout.empty() && !expected.isStatic) {
      inOrder.push_back(toPhysical(args[i], expected.layout));
      argPointers.push_back(inOrder.back().data());
    } else {
      argPointers.push_back(args[i].data());
    }
  }
  std::vector<Tensor> tensors;
  std::vector<void *> pointers;
  for (const ValueDescription &result : image.results) {
    bool isRowMajor = result.layout.empty();
    std::optional<Tensor> tensor = Tensor::allocate(
        result.type, isRowMajor ? result.shape : physicalShape(result.shape, result.layout));
    if (!tensor) {
      return diagnose(DiagnosticCode::OutOfMemory, "no memory for the result `" + result.name + "`",
                      location);
    }
    pointers.push_back(tensor->data());
    tensors.push_back(std::move(*tensor));
  }
  if (Status status = run(argPointers, pointers); !status) {
    return status.error();
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (const DimensionOrder &layout = image.results[i].layout; !layout.empty()) {
      tensors[i] = fromPhysical(tensors[i], layout);
    }
  }
  // Their pointers may come again with other elements.
  laidOut.clear();
  return tensors;
}

} // namespace drumlin
