// The resources that the system gives this process: processors, memory, registers. Also reports
// limits of these resources that slow programs down or keep them from running.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/CpuTarget.h"
#include "drumlin/target/MachineLimits.h"

#include <cstdint>
#include <string>
#include <vector>

namespace drumlin {

struct MachineFacts {
  std::string processor;       // the processor's own name; empty: unknown
  bool listsTiles = false;     // the processor has tile registers
  bool givesTiles = false;     // the system lets this process use tile registers
  unsigned processors = 1;     // processors in this process's affinity mask
  unsigned threads = 1;        // threads that programs run on (usableProcessors())
  double processorQuota = 0;   // processors allowed by control groups; 0: no limit
  int64_t memoryBytes = 0;     // memory installed in the machine
  int64_t availableBytes = 0;  // memory available without swapping
  int64_t memoryQuota = 0;     // bytes allowed by control groups; 0: no limit
  std::string hugePages;       // `always`, `madvise` or `never`; empty: unknown
  bool mapsFilesAsCode = true; // in-memory files can be mapped executable, as images need
};

// Returns the facts of this machine. `root`: a prefix of `/proc` and `/sys`; for tests.
MachineFacts machineFacts(const std::string &root = "");

// Returns the largest number of bytes that this process may use. It is limited by the machine, its
// control groups, and its limits on address space and data (`ulimit -v`, `-d`); 0 if unknown.
int64_t usableMemory(const std::string &root = "");

struct Finding {
  std::string name; // `slow-unit`
  Diagnostic diagnostic;
};

// Returns the problems found, fatal problems first. `measured`: one thread's rates; `target`: the
// default target of compilations.
std::vector<Finding> findingsOf(const MachineFacts &facts, const MachineLimits &measured,
                                const CpuTarget &target);

} // namespace drumlin
