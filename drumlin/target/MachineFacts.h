// What the system gives this process: processors, memory, registers; and what of that makes
// programs slower than they need to be, or keeps them from running.
#pragma once

#include "drumlin/support/Diagnostics.h"
#include "drumlin/target/CpuTarget.h"
#include "drumlin/target/MachineLimits.h"

#include <cstdint>
#include <string>
#include <vector>

namespace drumlin {

struct MachineFacts {
  std::string processor;       // as it calls itself; empty: unknown
  bool listsTiles = false;     // the processor has tile registers, whoever may use them
  bool givesTiles = false;     // the system gives them to this process
  unsigned processors = 1;     // that this process may run on
  double processorQuota = 0;   // processors' time that the control groups allow; 0: all of it
  int64_t memoryBytes = 0;     // of the machine
  int64_t availableBytes = 0;  // without swapping
  int64_t memoryQuota = 0;     // bytes that the control groups allow; 0: all
  std::string hugePages;       // `always`, `madvise` or `never`; empty: unknown
  bool mapsFilesAsCode = true; // a file in memory can be mapped to run, as images are
};

// Of this machine. `root` stands before `/proc` and `/sys`: for tests.
MachineFacts machineFacts(const std::string &root = "");

// The bytes that this process may take at most: of the machine, its control groups, and its limits
// on address space and data (`ulimit -v`, `-d`). 0: unknown.
int64_t usableMemory(const std::string &root = "");

struct Finding {
  std::string name; // `slow-unit`
  Diagnostic diagnostic;
};

// What is wrong, what stops programs first. `measured`: one thread's rates; `target`: what code is
// made for where no processor is named.
std::vector<Finding> findingsOf(const MachineFacts &facts, const MachineLimits &measured,
                                const CpuTarget &target);

} // namespace drumlin
