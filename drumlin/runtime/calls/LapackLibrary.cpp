#include "drumlin/runtime/calls/LapackLibrary.h"

#include "drumlin/support/diagnostics/HostCallErrors.h"

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

namespace drumlin {

static void *symbol(void *handle, const char *prefix, const std::string &name) {
  return dlsym(handle, (prefix + name).c_str());
}

LapackLibrary::LapackLibrary(std::string file, void *handle, const char *prefix)
    : fileName(std::move(file)), handle(handle), prefix(prefix),
      // `openblas_set_num_threads_local` has no prefix in any build.
      setOwnThreads(
          reinterpret_cast<int (*)(int)>(dlsym(handle, "openblas_set_num_threads_local"))),
      setThreads(
          reinterpret_cast<void (*)(int)>(symbol(handle, prefix, "openblas_set_num_threads"))) {}

// Whether the library has 64-bit integers: ILAVER returns the version in three integers, and with
// 64 bits also writes their upper halves.
static bool has64BitIntegers(void *handle, const char *prefix) {
  void *ilaver = symbol(handle, prefix, "ilaver_");
  if (!ilaver) {
    return false;
  }
  int64_t version[3] = {-1, -1, -1};
  reinterpret_cast<void (*)(int64_t *, int64_t *, int64_t *)>(ilaver)(&version[0], &version[1],
                                                                      &version[2]);
  return version[0] >= 0;
}

Result<LapackLibrary> LapackLibrary::load(const char *file) {
  void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return diagnose(errors::HostLibraryMissing, reason ? reason : file);
  }
  const char *prefix = nullptr;
  for (const char *each : {"", "scipy_"}) {
    prefix = !prefix && symbol(handle, each, "dgetrf_") ? each : prefix;
  }
  const char *problem = !prefix                            ? "has no LAPACK routines"
                        : has64BitIntegers(handle, prefix) ? "has integers of 64 bits"
                                                           : nullptr;
  if (problem) {
    dlclose(handle);
    return diagnose(errors::HostLibraryMissing, std::string("`") + file + "` " + problem);
  }
  return LapackLibrary(file, handle, prefix);
}

std::unique_ptr<LapackLibrary> LapackLibrary::find(std::span<const char *const> files,
                                                   std::string &tried) {
  std::unique_ptr<LapackLibrary> best;
  for (const char *file : files) {
    Result<LapackLibrary> loaded = load(file);
    if (!loaded) {
      tried += (tried.empty() ? "" : "; ") + loaded.error().message;
    } else if (!best || loaded->isFast()) {
      best.reset(new LapackLibrary(std::move(*loaded)));
    }
    if (best && best->isFast()) {
      break;
    }
  }
  return best;
}

namespace {
struct Found {
  std::mutex mutex;
  std::string offered;
  const LapackLibrary *library = nullptr;
};
} // namespace

// Never destroyed: other threads may still compute when the process ends.
static Found &found() {
  static auto *made = new Found();
  return *made;
}

void LapackLibrary::offer(std::string file) {
  std::lock_guard<std::mutex> lock(found().mutex);
  found().offered = std::move(file);
}

Result<const LapackLibrary *> LapackLibrary::get() {
  std::lock_guard<std::mutex> lock(found().mutex);
  if (found().library) {
    return found().library;
  }
  const char *given = std::getenv("DRUMLIN_LAPACK");
  bool isGiven = given && *given;
  // File names with a version number come first, since the version fixes the binary interface.
  const char *files[] = {"libopenblas.so.0", "liblapack.so.3", "libopenblas.so", "liblapack.so",
                         found().offered.c_str()};
  size_t count = std::size(files) - (found().offered.empty() ? 1 : 0);
  if (isGiven) {
    files[0] = given;
    count = 1;
  }
  std::string tried;
  std::unique_ptr<LapackLibrary> best = find({files, count}, tried);
  if (!best) {
    return diagnose(errors::HostLibraryMissing,
                    "no LAPACK " +
                        std::string(isGiven ? "at the path in `DRUMLIN_LAPACK`" : "is installed") +
                        ": " + tried);
  }
  best->isChosen = isGiven;
  found().library = best.release();
  return found().library;
}

Result<void *> LapackLibrary::routine(const std::string &name) const {
  void *found = symbol(handle, prefix, name + "_");
  if (!found) {
    return diagnose(errors::HostLibraryMissing, "`" + fileName + "` has no routine `" + name + "`");
  }
  return found;
}

LapackLibrary::OneThread::OneThread(const LapackLibrary &library) : library(library) {
  if (library.setOwnThreads) {
    before = library.setOwnThreads(1);
  } else if (library.setThreads) {
    // In OpenMP builds the number of threads is a setting of the calling thread, so each call sets
    // it.
    library.setThreads(1);
  }
}

LapackLibrary::OneThread::~OneThread() {
  if (library.setOwnThreads) {
    library.setOwnThreads(before);
  }
}

} // namespace drumlin
