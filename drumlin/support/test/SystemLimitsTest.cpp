// Reads control groups from files in Linux's formats, and compares the numbers of processors with
// the affinity mask.
#include "drumlin/support/SystemLimits.h"

#include "drumlin/support/test/SystemRoot.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <sched.h>
#include <thread>

namespace drumlin {

namespace {
class SystemLimitsTest : public SystemRoot {
protected:
  void allow(const std::string &quota) {
    write("/proc/self/cgroup", "0::/\n");
    write("/sys/fs/cgroup/cpu.max", quota);
  }
};
} // namespace

// The tightest limit of a group and its parents counts.
TEST_F(SystemLimitsTest, ReadsControlGroups) {
  write("/proc/self/cgroup", "0::/outer/inner\n");
  write("/sys/fs/cgroup/outer/cpu.max", "150000 100000\n");
  write("/sys/fs/cgroup/outer/inner/cpu.max", "max 100000\n");
  write("/sys/fs/cgroup/outer/inner/memory.max", "1073741824\n");
  write("/sys/fs/cgroup/memory.max", "2147483648\n");
  ControlGroupLimits limits = controlGroupLimits(root);
  EXPECT_DOUBLE_EQ(limits.processors, 1.5);
  EXPECT_EQ(limits.memoryBytes, int64_t(1) << 30);
}

TEST_F(SystemLimitsTest, ReadsControlGroupsOfVersion1) {
  write("/proc/self/cgroup", "5:memory:/job\n4:cpu,cpuacct:/job\n1:name=systemd:/\n");
  write("/sys/fs/cgroup/cpu/job/cpu.cfs_quota_us", "-1\n");
  write("/sys/fs/cgroup/cpu/job/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "200000\n");
  write("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  write("/sys/fs/cgroup/memory/job/memory.limit_in_bytes", "1073741824\n");
  ControlGroupLimits limits = controlGroupLimits(root);
  EXPECT_DOUBLE_EQ(limits.processors, 2);
  EXPECT_EQ(limits.memoryBytes, int64_t(1) << 30);
}

// In a container, the path in /proc is the one outside, and the limits are at the mount point.
TEST_F(SystemLimitsTest, ReadsTheLimitsOfAContainer) {
  write("/proc/self/cgroup", "0::/kubepods/pod1/container2\n");
  write("/sys/fs/cgroup/cpu.max", "200000 100000\n");
  EXPECT_DOUBLE_EQ(controlGroupLimits(root).processors, 2);
}

TEST_F(SystemLimitsTest, HasNoLimitWithoutFiles) {
  EXPECT_EQ(controlGroupLimits(root).processors, 0);
  EXPECT_EQ(controlGroupLimits(root).memoryBytes, 0);
  write("/proc/self/cgroup", "0::no/slash\n:\n1\n\n2:cpu\n");
  EXPECT_EQ(controlGroupLimits(root).processors, 0);
  for (const char *text : {"", "max", "max 0", "100000", "100000 0", "x y", "0 100000"}) {
    allow(text);
    EXPECT_EQ(controlGroupLimits(root).processors, 0) << text;
    EXPECT_EQ(usableProcessors(root), processorsInMask()) << text;
  }
}

// Threads use the whole quota, so a part of a processor counts as one.
TEST_F(SystemLimitsTest, QuotaLimitsThreads) {
  unsigned mask = processorsInMask();
  allow("10000 100000");
  EXPECT_EQ(usableProcessors(root), 1u);
  allow("100000 100000");
  EXPECT_EQ(usableProcessors(root), 1u);
  allow("150000 100000");
  EXPECT_EQ(usableProcessors(root), std::min(mask, 2u));
  allow("99900000 100000");
  EXPECT_EQ(usableProcessors(root), mask);
}

TEST_F(SystemLimitsTest, MaskLimitsThreads) {
  std::thread([&] {
    cpu_set_t allowed;
    ASSERT_EQ(sched_getaffinity(0, sizeof(allowed), &allowed), 0);
    ASSERT_EQ(processorsInMask(), unsigned(CPU_COUNT(&allowed)));
    int first = 0;
    while (!CPU_ISSET(first, &allowed)) {
      ++first;
    }
    CPU_ZERO(&allowed);
    CPU_SET(first, &allowed);
    ASSERT_EQ(sched_setaffinity(0, sizeof(allowed), &allowed), 0);
    EXPECT_EQ(processorsInMask(), 1u);
    allow("400000 100000");
    EXPECT_EQ(usableProcessors(root), 1u);
  }).join();
}

} // namespace drumlin
