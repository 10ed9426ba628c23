// The machine's LAPACK and the BLAS below it. Found at the first use, loaded once and kept until
// the process ends.
//
// Search order: only the file that `DRUMLIN_LAPACK` names, if set; else OpenBLAS and then any
// LAPACK under the names that Linux distributions use, then the library that a framework offered.
// The first fast library is used, or else the first found. Its integers must have 32 bits; a
// library of 64-bit integers is refused. Its routines may have the prefix `scipy_`, as those in
// SciPy's package.
#pragma once

#include "drumlin/support/Diagnostics.h"

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace drumlin {

class LapackLibrary {
public:
  // Returns the library. Fails with HostLibraryMissing, which lists what was tried; the next call
  // tries again.
  static Result<const LapackLibrary *> get();

  // Makes get() try this file after all others. Has no effect once a library was found.
  static void offer(std::string file);

  // Returns the first fast library of these files, or else the first; null if none loads, with the
  // reasons in `tried`.
  static std::unique_ptr<LapackLibrary> find(std::span<const char *const> files,
                                             std::string &tried);

  // Returns the Fortran routine with this name, such as `spotrf`. Fails with HostLibraryMissing.
  Result<void *> routine(const std::string &name) const;

  const std::string &file() const { return fileName; }
  // Whether the library is OpenBLAS or was chosen by the user; the reference LAPACK is slow.
  bool isFast() const { return isChosen || setThreads; }

  // Makes the library compute on the calling thread only, during this object's lifetime: results
  // then don't depend on the number of processors, and the program's threads, each of which may
  // call the library, don't start further threads. OpenBLAS has a per-thread setting from 0.3.27
  // on; in earlier versions, the setting affects all threads of the process, and stays 1. Reference
  // LAPACK has no threads.
  class OneThread {
  public:
    explicit OneThread(const LapackLibrary &library);
    ~OneThread();
    OneThread(const OneThread &) = delete;
    OneThread &operator=(const OneThread &) = delete;

  private:
    const LapackLibrary &library;
    int before = 0;
  };

private:
  LapackLibrary(std::string file, void *handle, const char *prefix);
  static Result<LapackLibrary> load(const char *file);

  std::string fileName;
  void *handle;
  const char *prefix; // precedes the routines' names
  bool isChosen = false;
  int (*setOwnThreads)(int) = nullptr;
  void (*setThreads)(int) = nullptr;
};

} // namespace drumlin
