#include "drumlin/target/MachineFacts.h"

#include "drumlin/support/CpuFeatures.h"
#include "drumlin/support/SystemLimits.h"
#include "drumlin/support/diagnostics/ImageErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"
#include "drumlin/support/diagnostics/RequirementErrors.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <sstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace drumlin {

// A rate below this share of the assumed rate is slow. Half of the assumed rate isn't slow, since
// processors with half-width units (AMD's Zen 4) process 64-byte registers in two steps.
static constexpr double slowShare = 0.4;
// If less memory than this, in bytes, is available, the finding `little-memory` is reported.
static constexpr int64_t leastMemory = int64_t(1) << 30;

// Returns the text after `key` and a colon, on the first line that has them.
static std::string valueOf(llvm::StringRef text, llvm::StringRef key) {
  for (llvm::StringRef line : llvm::split(text, '\n')) {
    auto [name, value] = line.split(':');
    if (name.trim() == key) {
      return value.trim().str();
    }
  }
  return {};
}

static int64_t numberOf(llvm::StringRef text) {
  int64_t number = 0;
  return text.trim().getAsInteger(10, number) ? 0 : number;
}

// Reads bytes from a line like `MemTotal: 1024 kB`.
static int64_t memoryOf(llvm::StringRef text, llvm::StringRef key) {
  return numberOf(llvm::StringRef(valueOf(text, key)).split(' ').first) * 1024;
}

// Returns whether in-memory files can be mapped executable. `vm.memfd_noexec` or security modules
// may forbid this.
static bool canMapAsCode() {
  int file = memfd_create("drumlin", MFD_CLOEXEC);
  auto bytes = static_cast<size_t>(getpagesize());
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0) {
    return false;
  }
  void *mapping = mmap(nullptr, bytes, PROT_READ | PROT_EXEC, MAP_PRIVATE, file, 0);
  close(file);
  return mapping != MAP_FAILED && munmap(mapping, bytes) == 0;
}

MachineFacts machineFacts(const std::string &root) {
  MachineFacts facts;
  std::string processors = systemText(root + "/proc/cpuinfo");
  facts.processor = valueOf(processors, "model name");
  std::string flags = valueOf(processors, "flags");
  facts.listsTiles = llvm::is_contained(llvm::split(flags, ' '), "amx_tile");
  facts.givesTiles = missingCpuFeatures(std::vector<std::string>{"amx-tile"}).empty();
  facts.processors = processorsInMask();
  facts.threads = usableProcessors(root);
  std::string memory = systemText(root + "/proc/meminfo");
  facts.memoryBytes = memoryOf(memory, "MemTotal");
  facts.availableBytes = memoryOf(memory, "MemAvailable");
  ControlGroupLimits groups = controlGroupLimits(root);
  facts.processorQuota = groups.processors;
  facts.memoryQuota = groups.memoryBytes < facts.memoryBytes ? groups.memoryBytes : 0;
  // The file contains `always [madvise] never`, for example.
  std::string pages = systemText(root + "/sys/kernel/mm/transparent_hugepage/enabled");
  facts.hugePages = llvm::StringRef(pages).split('[').second.split(']').first.str();
  facts.mapsFilesAsCode = canMapAsCode();
  return facts;
}

int64_t usableMemory(const std::string &root) {
  int64_t bytes = memoryOf(systemText(root + "/proc/meminfo"), "MemTotal");
  tighten(bytes, controlGroupLimits(root).memoryBytes);
  for (auto which : {RLIMIT_AS, RLIMIT_DATA}) {
    rlimit limit = {};
    if (getrlimit(which, &limit) == 0 && limit.rlim_cur < static_cast<rlim_t>(INT64_MAX)) {
      tighten(bytes, static_cast<int64_t>(limit.rlim_cur));
    }
  }
  return bytes;
}

//===- findings -------------------------------------------------------------------===//

static std::string fixed(double number, const char *unit) {
  std::ostringstream text;
  text.precision(1);
  text << std::fixed << number << unit;
  return text.str();
}

static void findSlowUnits(std::vector<Finding> &found, const MachineLimits &measured,
                          const CpuTarget &target) {
  std::string slow;
  for (const ComputeUnitInfo &unit : computeUnits()) {
    double assumed = target.operationsPerSecond(unit.unit), rate = measured.of(unit.unit);
    // MachineLimits has no measurement of tiles.
    if (target.has(unit.unit) && !unit.hasTiles() && rate < slowShare * assumed) {
      slow += (slow.empty() ? "`" : ", `") + std::string(unit.name) + "` " +
              fixed(rate / 1e9, " of ") + fixed(assumed / 1e9, " Gop/s");
    }
  }
  if (!slow.empty()) {
    found.push_back(
        {"slow-unit",
         diagnose(
             errors::RequirementUnmet,
             "one core is far slower than `" + target.name + "` is assumed to be: " + slow, "",
             "look for other load on the machine and for frequency limits; if the rate is normal, "
             "estimate with `drumlin cost --limits`")});
  }
  if (measured.read < slowShare * target.bytesPerSecond) {
    found.push_back(
        {"slow-memory", diagnose(errors::RequirementUnmet,
                                 "one core reads memory at " + fixed(measured.read / 1e9, " of ") +
                                     fixed(target.bytesPerSecond / 1e9, " GB/s"),
                                 "",
                                 "look for other load on the machine; if the rate is normal, "
                                 "estimate with `drumlin cost --limits`")});
  }
}

std::vector<Finding> findingsOf(const MachineFacts &facts, const MachineLimits &measured,
                                const CpuTarget &target) {
  std::vector<Finding> found;
  auto add = [&](const char *name, DiagnosticCode code, std::string what, const char *remedy) {
    found.push_back({name, diagnose(code, std::move(what), "", remedy)});
  };
  if (!facts.mapsFilesAsCode) {
    add("images-refused", errors::ImageNotLoadable,
        "the system doesn't map in-memory files as code, which loading images needs",
        "allow it with `sysctl vm.memfd_noexec=0`, or in the rules of the security module");
  }
  if (std::vector<std::string> missing = missingCpuFeatures(target.features); !missing.empty()) {
    add("features-missing", errors::CpuFeatureMissing,
        "code is generated for `" + target.name +
            "`, but the loader refuses it: this processor lacks `" + llvm::join(missing, "`, `") +
            "`",
        "pass `--target-cpu=baseline`, and report it");
  }
  if (facts.listsTiles && !facts.givesTiles) {
    add("tiles-refused", errors::CpuFeatureMissing,
        "the processor has tile registers, but the system doesn't let this process use them",
        "use Linux 5.16 or newer, and allow `arch_prctl` in the container's rules");
  }
  int64_t memory = facts.availableBytes;
  tighten(memory, facts.memoryQuota);
  if (memory > 0 && memory < leastMemory) {
    add("little-memory", errors::OutOfMemory,
        std::to_string(memory >> 20) + " MiB of memory are left to this process",
        "raise the control group's limit, or end other work");
  }
  if (facts.hugePages == "never") {
    add("small-pages", errors::RequirementUnmet,
        "the system provides no huge pages, which arrays of more than 2 MiB request",
        "write `madvise` to `/sys/kernel/mm/transparent_hugepage/enabled`");
  }
  findSlowUnits(found, measured, target);
  return found;
}

} // namespace drumlin
