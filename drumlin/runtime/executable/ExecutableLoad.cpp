// Turns an image into an executable that can run.
#include "drumlin/runtime/executable/Executable.h"

#include "drumlin/runtime/executable/Alignment.h"
#include "drumlin/runtime/executable/AppendedConstants.h"
#include "drumlin/runtime/executable/ImmutableFile.h"
#include "drumlin/support/CpuFeatures.h"
#include "drumlin/support/OutOfMemory.h"
#include "drumlin/support/SystemError.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/ImageErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

namespace drumlin {

// Returns a path of this open file that no earlier load of the process has passed to the system's
// loader. The loader identifies a library by the path that it was opened with: for a known path, it
// returns the library loaded earlier, even if the path names another file now. A path made from the
// descriptor's number alone may be known, since the number may be reused while the library of an
// earlier descriptor is still in use. So the path also encodes the number of the load, bit by bit,
// as `/.` or `/`, neither of which changes the file that it names. If a process contains several
// copies of the runtime, the address of the counter distinguishes their loads.
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

static size_t roundUp(size_t bytes) {
  return (bytes + DRUMLIN_ALIGNMENT - 1) / DRUMLIN_ALIGNMENT * DRUMLIN_ALIGNMENT;
}

// Identifies a file: a file that replaces it differs in at least one of these numbers.
static std::array<int64_t, 4> identityOf(const std::string &path) {
  struct stat status = {};
  stat(path.c_str(), &status);
  return {static_cast<int64_t>(status.st_dev), static_cast<int64_t>(status.st_ino),
          status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

Executable::Executable(const LoadOptions &options)
    : observers{options.observer, options.besideObserver, options.tilesObserver,
                options.replayedThreads},
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
    // If another image replaced this one during loading, the weights were replaced too: loads
    // again.
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
    return systemError(errors::OutOfMemory, "no memory for the image", errno, name);
  }
  Status status = result->loadFile(file, parts, options, mapped);
  // The library, if loaded, keeps the file's contents alive.
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
  // The copy contains everything except the appended constants.
  std::optional<std::span<const std::byte>> constants = constantsOf(parts);
  layout->appended = constants ? *constants : parts.appended;
  bool isGiven = layout->appended.empty() && !mapped; // whether the caller has the constants
  if (Status status = isGiven ? Done() : checkAppended(*layout, image, location); !status) {
    return status;
  }
  if (layout->architecture != hostArchitecture()) {
    std::string host = hostArchitecture() ? std::string(name(*hostArchitecture())) : "another";
    return diagnose(errors::CpuFeatureMissing,
                    "the image was compiled for `" + image.targetCpu + "`, a processor of " +
                        std::string(name(layout->architecture)) + ", and this one is of " + host,
                    location);
  }
  if (std::vector<std::string> missing = missingCpuFeatures(image.cpuFeatures); !missing.empty()) {
    std::string list;
    for (const std::string &feature : missing) {
      list += (list.empty() ? "`" : ", `") + feature + "`";
    }
    return diagnose(errors::CpuFeatureMissing,
                    "the image was compiled for `" + image.targetCpu +
                        "`, and this processor lacks " + list,
                    location);
  }
  if (!image.elided.empty()) {
    return diagnose(errors::ConstantElided,
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
  // A file contains all that its description lists; an image in memory may lack its constants.
  auto isInImage = [&](const WeightDescription &weight) {
    return weight.isEmbedded() || (weight.isAppended && !appended.empty());
  };
  size_t ownBytes = 0;
  for (const WeightDescription &weight : image.weights) {
    ownBytes += isInImage(weight) ? roundUp(weight.value.storedBytes()) : 0;
  }
  std::optional<AlignedMemory> memory = AlignedMemory::allocate(ownBytes);
  if (!memory) {
    return diagnose(errors::OutOfMemory, "no memory for the weights", location);
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
      return diagnose(errors::WeightsInvalid,
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
    return diagnose(errors::TooManyThreads,
                    std::to_string(options.threads) + " threads exceed the limit of " +
                        std::to_string(maxThreads),
                    location);
  }
  pool = options.pool ? options.pool : std::make_shared<ThreadPool>(options.threads);
  // Creates one context now, so that loading fails if there is no memory to run the program.
  auto first = std::make_unique<ExecutionContext>(image, *pool, observers, calls);
  if (!first->takeMemory() || !pool->reserveScratch(image.scratchBytes)) {
    return noMemoryForContext();
  }
  contexts->setFirst(std::move(first));
  times.resize(image.kernels.size());
  return Done();
}

Diagnostic Executable::noMemoryForContext() const {
  return diagnose(errors::OutOfMemory,
                  "no memory for the program: it needs " + std::to_string(image.arenaBytes) +
                      " bytes, and " + std::to_string(image.scratchBytes) + " for each thread",
                  location);
}

static bool containedIn(std::span<const AddressRange> ranges, uint64_t address, uint64_t size) {
  return std::ranges::any_of(
      ranges, [&](const AddressRange &range) { return range.contains(address, size); });
}

// Whether glibc's loader failed for lack of memory; it may then report that an existing file
// doesn't exist.
static bool saysOutOfMemory(const char *message, int file) {
  struct stat status = {};
  bool isThere = fstat(file, &status) == 0 && stat(uniquePath(file).c_str(), &status) == 0;
  return strcasestr(message, "out of memory") || strcasestr(message, "cannot allocate memory") ||
         std::strstr(message, "cannot create shared object descriptor") ||
         (isThere && std::strstr(message, "No such file or directory"));
}

Status Executable::openLibrary(int file, const ImageLayout &layout) {
  auto notLoadable = [&](const std::string &what) {
    return diagnose(errors::ImageNotLoadable, "can't load the image: " + what, location);
  };
  library = dlopen(uniquePath(file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *message = dlerror();
    if (message && saysOutOfMemory(message, file)) {
      return outOfMemory();
    }
    Diagnostic error = notLoadable(message ? message : "the system's loader refuses it");
    return areFilesExhausted() ? diagnose(errors::OpenFilesLimit, error.message, location) : error;
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
    return diagnose(errors::ImageAbiMismatch,
                    "the image has binary interface " + std::to_string(symbol->abi) +
                        ", this runtime has " + std::to_string(DRUMLIN_IMAGE_ABI),
                    location);
  }
  auto isCode = [&](auto *function) {
    return std::ranges::any_of(layout.code, [&](const CodeSegment &segment) {
      return segment.addresses.contains(address(reinterpret_cast<const void *>(function)), 1);
    });
  };
  auto areCode = [&](std::span<const DrumlinKernelV1> kernels) {
    return std::ranges::all_of(kernels, [&](const DrumlinKernelV1 &kernel) {
      return isCode(kernel.run) && (!kernel.finish || isCode(kernel.finish));
    });
  };
  size_t kernels = image.kernels.size();
  if (address(symbol->metadata) != layout.metadataAddresses.begin ||
      symbol->metadataSize > layout.metadata.size() || !isCode(symbol->entry) ||
      !containedIn(layout.loaded, address(symbol->kernels), kernels * sizeof(DrumlinKernelV1)) ||
      !areCode({symbol->kernels, kernels})) {
    return notLoadable("its `" DRUMLIN_IMAGE_SYMBOL "` points outside of it");
  }
  // Checks that the loader returned the library that was verified, not another one that it knows.
  bool isSame =
      std::memcmp(symbol->metadata, layout.metadata.data(), layout.metadata.size()) == 0 &&
      std::ranges::all_of(layout.code, [&](const CodeSegment &segment) {
        return std::memcmp(reinterpret_cast<const void *>(map->l_addr + segment.addresses.begin),
                           segment.bytes.data(), segment.bytes.size()) == 0;
      });
  if (!isSame) {
    return notLoadable("the system's loader returned another library");
  }
  code = symbol;
  return Done();
}

Executable::~Executable() {
  if (library) {
    dlclose(library);
  }
}

} // namespace drumlin
