// The processors and the memory that the system lets this process use.
#pragma once

#include <cstdint>
#include <string>

namespace drumlin {

// The tightest limits of the process's control group and its parents, of version 1 or 2 (Linux
// kernel documentation, "Control Group v2", and "CFS Bandwidth Control" for version 1).
struct ControlGroupLimits {
  double processors = 0;   // processor time per time; 0: no limit
  int64_t memoryBytes = 0; // 0: no limit. Version 1 writes a number near 2^63 for no limit
};

// Returns the text of a file in `/proc` or `/sys`; empty if it can't be read. Reads no more than 64
// KiB.
std::string systemText(const std::string &path);

// Lowers `limit` to `other` if this is lower; 0 stands for no limit.
template <typename T> void tighten(T &limit, T other) {
  if (other > 0 && (limit == 0 || other < limit)) {
    limit = other;
  }
}

// Reads the limits. Files that can't be read set no limit. `root`: a prefix of `/proc` and `/sys`;
// for tests.
ControlGroupLimits controlGroupLimits(const std::string &root = "");

// Returns the number of processors in the calling thread's affinity mask; at least 1.
unsigned processorsInMask();

// Returns the number of threads that can compute at the same time: processorsInMask(), but no more
// than the control groups' limit, rounded up so that the whole limit can be used; at least 1.
unsigned usableProcessors(const std::string &root = "");

} // namespace drumlin
