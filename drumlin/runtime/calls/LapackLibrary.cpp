#include "drumlin/runtime/calls/LapackLibrary.h"

#include <cstdint>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>

namespace drumlin {

// The ones whose numbers fix the interface first.
static constexpr const char *wellKnown[] = {"libopenblas.so.0", "liblapack.so.3", "libopenblas.so",
                                            "liblapack.so"};

LapackLibrary::LapackLibrary(std::string file, void *handle)
    : fileName(std::move(file)), handle(handle),
      setOwnThreads(
          reinterpret_cast<int (*)(int)>(dlsym(handle, "openblas_set_num_threads_local"))),
      setThreads(reinterpret_cast<void (*)(int)>(dlsym(handle, "openblas_set_num_threads"))) {}

// ILAVER gives the version in three integers. One of 64 bits also writes the upper half.
static bool has64BitIntegers(void *handle) {
  void *ilaver = dlsym(handle, "ilaver_");
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
  const char *problem = !dlsym(handle, "dgetrf_")  ? "has no LAPACK routines"
                        : has64BitIntegers(handle) ? "has integers of 64 bits"
                                                   : nullptr;
  if (problem) {
    dlclose(handle);
    return diagnose(DiagnosticCode::HostLibraryMissing, "`" + file + "` " + problem);
  }
  return LapackLibrary(file, handle);
}

Result<const LapackLibrary *> LapackLibrary::get() {
  static std::mutex mutex;
  // Never destroyed: other threads may still compute when the process ends.
  static const LapackLibrary *found = nullptr;
  std::lock_guard<std::mutex> lock(mutex);
  if (found) {
    return found;
  }
  const char *given = std::getenv("DRUMLIN_LAPACK");
  bool isGiven = given && *given;
  std::vector<std::string> files(std::begin(wellKnown), std::end(wellKnown));
  if (isGiven) {
    files = {given};
  }
  std::string tried;
  for (const std::string &file : files) {
    Result<LapackLibrary> loaded = load(file);
    if (loaded) {
      loaded->isChosen = isGiven;
      found = new LapackLibrary(std::move(*loaded));
      return found;
    }
    tried += (tried.empty() ? "" : "; ") + loaded.error().message;
  }
  return diagnose(DiagnosticCode::HostLibraryMissing,
                  "no LAPACK " +
                      std::string(isGiven ? "where `DRUMLIN_LAPACK` says" : "is installed") + ": " +
                      tried);
}

Result<void *> LapackLibrary::routine(const std::string &name) const {
  void *found = dlsym(handle, (name + "_").c_str());
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
