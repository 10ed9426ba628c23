#include "drumlin/runtime/calls/LapackLibrary.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <optional>

namespace drumlin {

// The ones whose numbers fix the interface first.
static constexpr const char *wellKnown[] = {"libopenblas.so.0", "liblapack.so.3", "libopenblas.so",
                                            "liblapack.so"};

static constexpr const char *prefixes[] = {"", "scipy_"};

static void *symbol(void *handle, const char *prefix, const std::string &name) {
  return dlsym(handle, (prefix + name).c_str());
}

LapackLibrary::LapackLibrary(std::string file, void *handle, const char *prefix)
    : fileName(std::move(file)), handle(handle), prefix(prefix),
      // Without the prefix in all builds.
      setOwnThreads(
          reinterpret_cast<int (*)(int)>(dlsym(handle, "openblas_set_num_threads_local"))),
      setThreads(
          reinterpret_cast<void (*)(int)>(symbol(handle, prefix, "openblas_set_num_threads"))) {}

// ILAVER gives the version in three integers. One of 64 bits also writes the upper half.
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

Result<LapackLibrary> LapackLibrary::load(const std::string &file) {
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char *reason = dlerror();
    return diagnose(DiagnosticCode::HostLibraryMissing, reason ? reason : file);
  }
  const auto *prefix =
      std::find_if(std::begin(prefixes), std::end(prefixes),
                   [&](const char *each) { return symbol(handle, each, "dgetrf_"); });
  const char *problem = prefix == std::end(prefixes)        ? "has no LAPACK routines"
                        : has64BitIntegers(handle, *prefix) ? "has integers of 64 bits"
                                                            : nullptr;
  if (problem) {
    dlclose(handle);
    return diagnose(DiagnosticCode::HostLibraryMissing, "`" + file + "` " + problem);
  }
  return LapackLibrary(file, handle, *prefix);
}

Result<LapackLibrary> LapackLibrary::find(std::span<const std::string> files) {
  std::optional<LapackLibrary> first;
  std::string tried;
  for (const std::string &file : files) {
    Result<LapackLibrary> loaded = load(file);
    if (!loaded) {
      tried += (tried.empty() ? "" : "; ") + loaded.error().message;
    } else if (loaded->isFast() || !first) {
      first = std::move(*loaded);
      if (first->isFast()) {
        break;
      }
    }
  }
  return first ? Result<LapackLibrary>(std::move(*first))
               : diagnose(DiagnosticCode::HostLibraryMissing, tried);
}

namespace {
struct Found {
  std::mutex mutex;
  std::vector<std::string> offered;
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
  found().offered.push_back(std::move(file));
}

Result<const LapackLibrary *> LapackLibrary::get() {
  std::lock_guard<std::mutex> lock(found().mutex);
  if (found().library) {
    return found().library;
  }
  const char *given = std::getenv("DRUMLIN_LAPACK");
  bool isGiven = given && *given;
  std::vector<std::string> files(std::begin(wellKnown), std::end(wellKnown));
  files.insert(files.end(), found().offered.begin(), found().offered.end());
  if (isGiven) {
    files = {given};
  }
  Result<LapackLibrary> loaded = find(files);
  if (!loaded) {
    return diagnose(DiagnosticCode::HostLibraryMissing,
                    "no LAPACK " +
                        std::string(isGiven ? "where `DRUMLIN_LAPACK` says" : "is installed") +
                        ": " + loaded.error().message);
  }
  loaded->isChosen = isGiven;
  found().library = new LapackLibrary(std::move(*loaded));
  return found().library;
}

Result<void *> LapackLibrary::routine(const std::string &name) const {
  void *found = symbol(handle, prefix, name + "_");
  if (!found) {
    return diagnose(DiagnosticCode::HostLibraryMissing,
                    "`" + fileName + "` has no routine `" + name + "`");
  }
  return found;
}

LapackLibrary::OneThread::OneThread(const LapackLibrary &library) : library(library) {
  if (library.setOwnThreads) {
    before = library.setOwnThreads(1);
  } else if (library.setThreads) {
    // Of builds on OpenMP the number is the calling thread's, so each call sets it.
    library.setThreads(1);
  }
}

LapackLibrary::OneThread::~OneThread() {
  if (library.setOwnThreads) {
    library.setOwnThreads(before);
  }
}

} // namespace drumlin
