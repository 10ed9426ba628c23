#include "drumlin/support/SystemLimits.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <string_view>
#include <thread>
#include <vector>

namespace drumlin {

// The largest number of processors for which a mask is asked: Linux supports at most 8,192.
static constexpr size_t maxProcessors = 1 << 16;

static std::string textOf(const std::string &path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

// Returns the number at the start of the text; 0 if there is none, as for `max`.
static int64_t numberOf(std::string_view text) {
  int64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// Lowers a limit if `other` is lower, since the limit of a control group also applies to the groups
// inside it. 0: no limit.
template <typename T> static void tighten(T &limit, T other) {
  if (other > 0 && (limit == 0 || other < limit)) {
    limit = other;
  }
}

// Visits the folders of the control group and its parents, up to the mount point. In a container,
// the group's folder is the mount point itself, and `path` is the path outside of the container.
template <typename Visit>
static void visitGroups(const std::string &mount, std::string path, Visit visit) {
  while (true) {
    path.erase(path.find_last_not_of('/') + 1);
    visit(mount + path + "/");
    if (path.empty()) {
      return;
    }
    path.erase(std::min(path.rfind('/'), path.size()));
  }
}

static void readVersion2(ControlGroupLimits &limits, const std::string &folder) {
  // `cpu.max` contains `MICROSECONDS PERIOD`, or `max PERIOD`.
  std::istringstream text(textOf(folder + "cpu.max"));
  std::string quota, period;
  if (text >> quota >> period && numberOf(period) > 0) {
    tighten(limits.processors, double(numberOf(quota)) / double(numberOf(period)));
  }
  tighten(limits.memoryBytes, numberOf(textOf(folder + "memory.max")));
}

static void readProcessors(ControlGroupLimits &limits, const std::string &folder) {
  if (int64_t period = numberOf(textOf(folder + "cpu.cfs_period_us")); period > 0) {
    tighten(limits.processors,
            double(numberOf(textOf(folder + "cpu.cfs_quota_us"))) / double(period));
  }
}

static bool hasController(std::string_view controllers, std::string_view name) {
  return ("," + std::string(controllers) + ",").find("," + std::string(name) + ",") !=
         std::string::npos;
}

ControlGroupLimits controlGroupLimits(const std::string &root) {
  ControlGroupLimits limits;
  const std::string mount = root + "/sys/fs/cgroup";
  // A line is `NUMBER:CONTROLLER,CONTROLLER:PATH`; in version 2, `0::PATH`.
  std::istringstream groups(textOf(root + "/proc/self/cgroup"));
  for (std::string number, controllers, path; std::getline(groups, number, ':') &&
                                              std::getline(groups, controllers, ':') &&
                                              std::getline(groups, path);) {
    if (number == "0" && controllers.empty()) {
      visitGroups(mount, path, [&](const std::string &folder) { readVersion2(limits, folder); });
    }
    if (hasController(controllers, "cpu")) {
      visitGroups(mount + "/cpu", path,
                  [&](const std::string &folder) { readProcessors(limits, folder); });
    }
    if (hasController(controllers, "memory")) {
      visitGroups(mount + "/memory", path, [&](const std::string &folder) {
        tighten(limits.memoryBytes, numberOf(textOf(folder + "memory.limit_in_bytes")));
      });
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
