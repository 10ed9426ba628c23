#include "drumlin/support/SystemLimits.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sched.h>
#include <string_view>
#include <thread>
#include <vector>

// The runtime library must stay small, and these functions run once.
#pragma clang attribute push([[clang::minsize]], apply_to = function)

namespace drumlin {

// The largest number of processors for which a mask is asked: Linux supports at most 8,192.
static constexpr size_t maxProcessors = 1 << 16;

std::string systemText(const std::string &path) {
  std::string text;
  if (std::FILE *file = std::fopen(path.c_str(), "re")) {
    text.resize(1 << 16);
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
  }
  return text;
}

// Returns the text before the first `separator`, and removes both from `text`.
static std::string_view takeUntil(std::string_view &text, char separator) {
  std::string_view taken = text.substr(0, text.find(separator));
  text.remove_prefix(std::min(taken.size() + 1, text.size()));
  return taken;
}

// Returns the number at the start of the text; 0 if there is none, as for `max`.
static int64_t numberOf(const std::string &text) { return std::strtoll(text.c_str(), nullptr, 10); }

// Visits the folders of the control group and its parents, up to the mount point. In a container,
// the group's folder is the mount point itself, and `path` is the path outside of the container.
using ReadFolder = void(ControlGroupLimits &limits, const std::string &folder);
static void visitGroups(ControlGroupLimits &limits, const std::string &mount, std::string path,
                        ReadFolder *read) {
  while (true) {
    path.erase(path.find_last_not_of('/') + 1);
    read(limits, mount + path + "/");
    if (path.empty()) {
      return;
    }
    path.erase(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
  }
}

static void tightenProcessors(ControlGroupLimits &limits, int64_t quota, int64_t period) {
  if (period > 0) {
    tighten(limits.processors, double(quota) / double(period));
  }
}

static void readVersion2(ControlGroupLimits &limits, const std::string &folder) {
  // `cpu.max` contains `MICROSECONDS PERIOD`, or `max PERIOD`.
  const std::string text = systemText(folder + "cpu.max");
  char *end = nullptr;
  const int64_t quota = std::strtoll(text.c_str(), &end, 10);
  tightenProcessors(limits, quota, std::strtoll(end, nullptr, 10));
  tighten(limits.memoryBytes, numberOf(systemText(folder + "memory.max")));
}

static void readProcessors(ControlGroupLimits &limits, const std::string &folder) {
  tightenProcessors(limits, numberOf(systemText(folder + "cpu.cfs_quota_us")),
                    numberOf(systemText(folder + "cpu.cfs_period_us")));
}

static void readMemory(ControlGroupLimits &limits, const std::string &folder) {
  tighten(limits.memoryBytes, numberOf(systemText(folder + "memory.limit_in_bytes")));
}

// Whether a list of controllers, separated by commas, contains `name`.
static bool hasController(std::string_view controllers, std::string_view name) {
  while (!controllers.empty()) {
    if (takeUntil(controllers, ',') == name) {
      return true;
    }
  }
  return false;
}

ControlGroupLimits controlGroupLimits(const std::string &root) {
  ControlGroupLimits limits;
  const std::string mount = root + "/sys/fs/cgroup";
  const std::string groups = systemText(root + "/proc/self/cgroup");
  for (std::string_view left = groups; !left.empty();) {
    // A line is `NUMBER:CONTROLLER,CONTROLLER:PATH`; in version 2, `0::PATH`.
    std::string_view line = takeUntil(left, '\n');
    const std::string_view number = takeUntil(line, ':'), controllers = takeUntil(line, ':');
    const std::string path(line);
    if (number == "0" && controllers.empty()) {
      visitGroups(limits, mount, path, readVersion2);
    }
    if (hasController(controllers, "cpu")) {
      visitGroups(limits, mount + "/cpu", path, readProcessors);
    }
    if (hasController(controllers, "memory")) {
      visitGroups(limits, mount + "/memory", path, readMemory);
    }
  }
  return limits;
}

unsigned processorsInMask() {
  // The call fails if the mask is smaller than the system's.
  for (size_t count = CPU_SETSIZE; count <= maxProcessors; count *= 2) {
    std::vector<cpu_set_t> mask(count / CPU_SETSIZE);
    const size_t bytes = mask.size() * sizeof(cpu_set_t);
    if (sched_getaffinity(0, bytes, mask.data()) == 0) {
      return static_cast<unsigned>(std::max(CPU_COUNT_S(bytes, mask.data()), 1));
    }
  }
  return std::max(std::thread::hardware_concurrency(), 1u);
}

unsigned usableProcessors(const std::string &root) {
  const unsigned processors = processorsInMask();
  const double allowed = controlGroupLimits(root).processors;
  return allowed > 0 && std::ceil(allowed) < processors ? static_cast<unsigned>(std::ceil(allowed))
                                                        : processors;
}

} // namespace drumlin

#pragma clang attribute pop
