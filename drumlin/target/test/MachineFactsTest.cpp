// Reads the system's facts from files in Linux's formats, and checks the findings.
#include "drumlin/target/MachineFacts.h"

#include "drumlin/support/CpuFeatures.h"
#include "drumlin/support/test/SystemRoot.h"
#include "llvm/ADT/STLExtras.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

namespace drumlin {

using MachineFactsTest = SystemRoot;

TEST_F(MachineFactsTest, ReadsWhatLinuxWrites) {
  write("/proc/cpuinfo",
        "processor\t: 0\nmodel name\t: A processor\nflags\t\t: fpu amx_tile sse\n");
  write("/proc/meminfo",
        "MemTotal:        4194304 kB\nMemFree: 1 kB\nMemAvailable:    2097152 kB\n");
  write("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
  MachineFacts facts = machineFacts(root);
  EXPECT_EQ(facts.processor, "A processor");
  EXPECT_TRUE(facts.listsTiles);
  EXPECT_EQ(facts.memoryBytes, int64_t(4) << 30);
  EXPECT_EQ(facts.availableBytes, int64_t(2) << 30);
  EXPECT_EQ(facts.hugePages, "never");
  EXPECT_EQ(facts.processorQuota, 0);
  EXPECT_EQ(facts.memoryQuota, 0);
}

// The process may use the memory that the lowest of all limits allows.
TEST_F(MachineFactsTest, TakesTheTightestLimitOfMemory) {
  EXPECT_EQ(usableMemory(root), 0);
  write("/proc/meminfo", "MemTotal: 4194304 kB\n");
  EXPECT_EQ(usableMemory(root), int64_t(4) << 30);
  write("/proc/self/cgroup", "0::/inner\n");
  write("/sys/fs/cgroup/inner/memory.max", "1073741824\n");
  EXPECT_EQ(usableMemory(root), int64_t(1) << 30);
  rlimit before = {};
  ASSERT_EQ(getrlimit(RLIMIT_DATA, &before), 0);
  rlimit limited = {rlim_t(1) << 29, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &limited), 0);
  int64_t usable = usableMemory(root);
  ASSERT_EQ(setrlimit(RLIMIT_DATA, &before), 0);
  EXPECT_EQ(usable, int64_t(1) << 29);
}

// A limit of version 1 that stands for no limit isn't shown as one.
TEST_F(MachineFactsTest, ShowsLimitsOfControlGroups) {
  write("/proc/meminfo", "MemTotal: 4194304 kB\n");
  write("/proc/self/cgroup", "5:memory:/job\n4:cpu,cpuacct:/job\n");
  write("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "50000\n");
  write("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "9223372036854771712\n");
  MachineFacts facts = machineFacts(root);
  EXPECT_DOUBLE_EQ(facts.processorQuota, 0.5);
  EXPECT_EQ(facts.threads, 1u);
  EXPECT_EQ(facts.memoryQuota, 0);
}

TEST_F(MachineFactsTest, NothingThatCanBeReadIsNothingKnown) {
  MachineFacts facts = machineFacts(root);
  EXPECT_EQ(facts.processor, "");
  EXPECT_EQ(facts.memoryBytes, 0);
  EXPECT_EQ(facts.hugePages, "");
  EXPECT_GE(facts.processors, 1u);
}

static std::vector<std::string> namesOf(const std::vector<Finding> &findings) {
  std::vector<std::string> names;
  for (const Finding &finding : findings) {
    names.push_back(finding.name);
    EXPECT_FALSE(finding.diagnostic.message.empty());
    EXPECT_FALSE(finding.diagnostic.remedy.empty());
  }
  return names;
}

// Each problem gives exactly one finding, and a machine that meets the assumptions has no finding.
TEST(FindingsTest, EachIsFound) {
  using Names = std::vector<std::string>;
  Result<CpuTarget> target = cpuTargetFromName("baseline");
  ASSERT_TRUE(target);
  MachineFacts good;
  good.processors = 4;
  good.memoryBytes = good.availableBytes = int64_t(8) << 30;
  good.hugePages = "madvise";
  MachineLimits limits = assumedLimits(*target);
  EXPECT_EQ(namesOf(findingsOf(good, limits, *target)), Names{});

  auto findings = [&](auto change) {
    MachineFacts facts = good;
    change(facts);
    return namesOf(findingsOf(facts, limits, *target));
  };
  EXPECT_EQ(findings([](MachineFacts &facts) { facts.mapsFilesAsCode = false; }),
            Names{"images-refused"});
  EXPECT_EQ(findings([](MachineFacts &facts) { facts.listsTiles = true; }), Names{"tiles-refused"});
  EXPECT_EQ(findings([](MachineFacts &facts) { facts.memoryQuota = 100 << 20; }),
            Names{"little-memory"});
  EXPECT_EQ(findings([](MachineFacts &facts) { facts.hugePages = "never"; }), Names{"small-pages"});

  MachineLimits slow = limits;
  slow.f32 *= 0.3;
  EXPECT_EQ(namesOf(findingsOf(good, slow, *target)), Names{"slow-unit"});
  slow = limits;
  slow.read *= 0.3;
  EXPECT_EQ(namesOf(findingsOf(good, slow, *target)), Names{"slow-memory"});

  CpuTarget other = *target;
  other.features.emplace_back("not-a-feature");
  EXPECT_EQ(namesOf(findingsOf(good, limits, other)), Names{"features-missing"});
}

} // namespace drumlin
