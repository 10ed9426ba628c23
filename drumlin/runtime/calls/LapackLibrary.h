// LAPACK, and the BLAS below it, as the machine has them. Found when first called for, loaded once
// and kept until the process ends.
//
// Looked for: the file that `DRUMLIN_LAPACK` names and no other; else OpenBLAS and then any LAPACK
// by the names that Linux distributions give them, then the one that was offered, as a framework's.
// The first fast one is taken, or the first. Its integers have 32 bits; a library of 64-bit
// integers is refused. Its routines may have the prefix `scipy_`, as those in SciPy's package.
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
  // Fails with HostLibraryMissing, which says what was tried; then the next call tries again.
  static Result<const LapackLibrary *> get();

  // Has get() try this file after all others. Of no effect once one was found.
  static void offer(std::string file);

  // The first fast library of these files, or the first; null where none is one, with why in
  // `tried`.
  static std::unique_ptr<LapackLibrary> find(std::span<const char *const> files,
                                             std::string &tried);

  // The Fortran routine of a name, as `spotrf`. Fails with HostLibraryMissing.
  Result<void *> routine(const std::string &name) const;

  const std::string &file() const { return fileName; }
  // Whether it is OpenBLAS, or one that the user chose: the reference LAPACK is slow.
  bool isFast() const { return isChosen || setThreads; }

  // Has the library compute on the calling thread alone while it lives: a program's results then
  // don't depend on how many processors there are, and its threads, each of which may call, don't
  // start as many again. OpenBLAS offers that for a thread from 0.3.27 on; before, the number is
  // the process's, and stays 1. Reference LAPACK has no threads.
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
  const char *prefix; // of its routines' names
  bool isChosen = false;
  int (*setOwnThreads)(int) = nullptr;
  void (*setThreads)(int) = nullptr;
};

} // namespace drumlin
