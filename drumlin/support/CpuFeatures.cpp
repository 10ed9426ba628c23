#include "drumlin/support/CpuFeatures.h"

#include <algorithm>
#include <cstdint>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__aarch64__)
#include <sys/auxv.h>
#endif

namespace drumlin {

#if defined(__x86_64__)

enum class CpuidRegister : uint8_t { Eax, Ebx, Ecx, Edx };
// The registers that the operating system must save for the feature to be usable.
enum class SavedState : uint8_t { None, Avx, Avx512, Amx };

struct FeatureBit {
  std::string_view name;
  uint32_t leaf, subleaf;
  CpuidRegister where;
  uint8_t bit;
  SavedState state;
};

// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, "CPUID"; AMD64
// Architecture Programmer's Manual, volume 3, appendix E.
using enum CpuidRegister;
using enum SavedState;
static constexpr FeatureBit featureBits[] = {
    {"x87", 1, 0, Edx, 0, None},
    {"cx8", 1, 0, Edx, 8, None},
    {"cmov", 1, 0, Edx, 15, None},
    {"mmx", 1, 0, Edx, 23, None},
    {"fxsr", 1, 0, Edx, 24, None},
    {"sse", 1, 0, Edx, 25, None},
    {"sse2", 1, 0, Edx, 26, None},
    {"sse3", 1, 0, Ecx, 0, None},
    {"pclmul", 1, 0, Ecx, 1, None},
    {"ssse3", 1, 0, Ecx, 9, None},
    {"fma", 1, 0, Ecx, 12, Avx},
    {"cx16", 1, 0, Ecx, 13, None},
    {"sse4.1", 1, 0, Ecx, 19, None},
    {"sse4.2", 1, 0, Ecx, 20, None},
    {"movbe", 1, 0, Ecx, 22, None},
    {"popcnt", 1, 0, Ecx, 23, None},
    {"crc32", 1, 0, Ecx, 20, None},
    {"aes", 1, 0, Ecx, 25, None},
    {"xsave", 1, 0, Ecx, 27, None},
    {"avx", 1, 0, Ecx, 28, Avx},
    {"f16c", 1, 0, Ecx, 29, Avx},
    {"rdrnd", 1, 0, Ecx, 30, None},
    {"fsgsbase", 7, 0, Ebx, 0, None},
    {"sgx", 7, 0, Ebx, 2, None},
    {"bmi", 7, 0, Ebx, 3, None},
    {"avx2", 7, 0, Ebx, 5, Avx},
    {"bmi2", 7, 0, Ebx, 8, None},
    {"invpcid", 7, 0, Ebx, 10, None},
    {"avx512f", 7, 0, Ebx, 16, Avx512},
    {"avx512dq", 7, 0, Ebx, 17, Avx512},
    {"rdseed", 7, 0, Ebx, 18, None},
    {"adx", 7, 0, Ebx, 19, None},
    {"avx512ifma", 7, 0, Ebx, 21, Avx512},
    {"clflushopt", 7, 0, Ebx, 23, None},
    {"clwb", 7, 0, Ebx, 24, None},
    {"avx512cd", 7, 0, Ebx, 28, Avx512},
    {"sha", 7, 0, Ebx, 29, None},
    {"avx512bw", 7, 0, Ebx, 30, Avx512},
    {"avx512vl", 7, 0, Ebx, 31, Avx512},
    {"avx512vbmi", 7, 0, Ecx, 1, Avx512},
    {"pku", 7, 0, Ecx, 4, None},
    {"waitpkg", 7, 0, Ecx, 5, None},
    {"avx512vbmi2", 7, 0, Ecx, 6, Avx512},
    {"shstk", 7, 0, Ecx, 7, None},
    {"gfni", 7, 0, Ecx, 8, None},
    {"vaes", 7, 0, Ecx, 9, Avx},
    {"vpclmulqdq", 7, 0, Ecx, 10, Avx},
    {"avx512vnni", 7, 0, Ecx, 11, Avx512},
    {"avx512bitalg", 7, 0, Ecx, 12, Avx512},
    {"avx512vpopcntdq", 7, 0, Ecx, 14, Avx512},
    {"rdpid", 7, 0, Ecx, 22, None},
    {"cldemote", 7, 0, Ecx, 25, None},
    {"movdiri", 7, 0, Ecx, 27, None},
    {"movdir64b", 7, 0, Ecx, 28, None},
    {"enqcmd", 7, 0, Ecx, 29, None},
    {"uintr", 7, 0, Edx, 5, None},
    {"avx512vp2intersect", 7, 0, Edx, 8, Avx512},
    {"serialize", 7, 0, Edx, 14, None},
    {"tsxldtrk", 7, 0, Edx, 16, None},
    {"pconfig", 7, 0, Edx, 18, None},
    {"amx-bf16", 7, 0, Edx, 22, Amx},
    {"avx512fp16", 7, 0, Edx, 23, Avx512},
    {"amx-tile", 7, 0, Edx, 24, Amx},
    {"amx-int8", 7, 0, Edx, 25, Amx},
    {"avxvnni", 7, 1, Eax, 4, Avx},
    {"avx512bf16", 7, 1, Eax, 5, Avx512},
    {"amx-fp16", 7, 1, Eax, 21, Amx},
    {"avxifma", 7, 1, Eax, 23, Avx},
    {"avxvnniint8", 7, 1, Edx, 4, Avx},
    {"avxneconvert", 7, 1, Edx, 5, Avx},
    {"avxvnniint16", 7, 1, Edx, 10, Avx},
    {"prefetchi", 7, 1, Edx, 14, None},
    {"xsaveopt", 13, 1, Eax, 0, None},
    {"xsavec", 13, 1, Eax, 1, None},
    {"xsaves", 13, 1, Eax, 3, None},
    {"ptwrite", 20, 0, Ebx, 4, None},
    {"sahf", 0x80000001, 0, Ecx, 0, None},
    {"lzcnt", 0x80000001, 0, Ecx, 5, None},
    {"sse4a", 0x80000001, 0, Ecx, 6, None},
    {"prfchw", 0x80000001, 0, Ecx, 8, None},
    {"mwaitx", 0x80000001, 0, Ecx, 29, None},
    {"64bit", 0x80000001, 0, Edx, 29, None},
    {"clzero", 0x80000008, 0, Ebx, 0, None},
    {"rdpru", 0x80000008, 0, Ebx, 4, None},
    {"wbnoinvd", 0x80000008, 0, Ebx, 9, None},
};

namespace {
// Caches the last CPUID leaf: in a virtual machine, every CPUID exits to the hypervisor, which
// takes microseconds.
class Cpuid {
public:
  bool has(const FeatureBit &feature) {
    if (feature.leaf != leaf || feature.subleaf != subleaf) {
      leaf = feature.leaf;
      subleaf = feature.subleaf;
      isKnown = __get_cpuid_count(leaf, subleaf, &registers[0], &registers[1], &registers[2],
                                  &registers[3]) != 0;
    }
    return isKnown && (registers[static_cast<size_t>(feature.where)] >> feature.bit & 1) != 0;
  }

private:
  uint32_t leaf = 0, subleaf = 0; // no feature uses leaf 0
  bool isKnown = false;
  uint32_t registers[4] = {};
};
} // namespace

static uint64_t savedRegisterSets(Cpuid &cpuid) {
  constexpr FeatureBit osxsave = {"osxsave", 1, 0, Ecx, 27, None};
  if (!cpuid.has(osxsave)) {
    return 0;
  }
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return static_cast<uint64_t>(high) << 32 | low;
}

// Requests access to the tile registers, which Linux grants a process only on request (arch_prctl
// ARCH_REQ_XCOMP_PERM for state 18).
static bool mayUseTiles() {
  constexpr long requestPermission = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
}

static std::vector<std::string> readHostFeatures() {
  Cpuid cpuid;
  uint64_t saved = savedRegisterSets(cpuid);
  constexpr uint64_t avxSets = 0x6, avx512Sets = 0xe6, amxSets = 0x60000;
  std::vector<std::string> features;
  for (const FeatureBit &feature : featureBits) {
    bool usable = true;
    switch (feature.state) {
    case None:
      break;
    case Avx:
      usable = (saved & avxSets) == avxSets;
      break;
    case Avx512:
      usable = (saved & avx512Sets) == avx512Sets;
      break;
    case Amx:
      usable = (saved & amxSets) == amxSets;
      break;
    }
    if (usable && cpuid.has(feature) && (feature.state != Amx || mayUseTiles())) {
      features.emplace_back(feature.name);
    }
  }
  std::sort(features.begin(), features.end());
  return features;
}

// Computed once: in a virtual machine, each CPUID takes as long as a small kernel.
std::vector<std::string> hostCpuFeatures() {
  static const std::vector<std::string> features = readHostFeatures();
  return features;
}

std::vector<std::string> knownCpuFeatures() {
  std::vector<std::string> names;
  for (const FeatureBit &feature : featureBits) {
    names.emplace_back(feature.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

#elif defined(__aarch64__)

struct FeatureBit {
  std::string_view name;
  unsigned long vector; // an entry of the kernel's auxiliary vector
  uint8_t bit;
};

// Sorted by name. Source: Linux, "ARM64 ELF hwcaps" (Documentation/arch/arm64/elf_hwcaps.rst).
static constexpr FeatureBit featureBits[] = {
    {"bf16", AT_HWCAP2, 14},   {"complxnum", AT_HWCAP, 14}, {"dotprod", AT_HWCAP, 20},
    {"fp-armv8", AT_HWCAP, 0}, {"fullfp16", AT_HWCAP, 10},  {"i8mm", AT_HWCAP2, 13},
    {"jsconv", AT_HWCAP, 13},  {"lse", AT_HWCAP, 8},        {"neon", AT_HWCAP, 1},
    {"rdm", AT_HWCAP, 12},
};

std::vector<std::string> hostCpuFeatures() {
  std::vector<std::string> features;
  for (const FeatureBit &feature : featureBits) {
    if (getauxval(feature.vector) >> feature.bit & 1) {
      features.emplace_back(feature.name);
    }
  }
  return features;
}

std::vector<std::string> knownCpuFeatures() {
  std::vector<std::string> names;
  for (const FeatureBit &feature : featureBits) {
    names.emplace_back(feature.name);
  }
  return names;
}

#else

std::vector<std::string> hostCpuFeatures() { return {}; }
std::vector<std::string> knownCpuFeatures() { return {}; }

#endif

std::vector<std::string> missingCpuFeatures(std::span<const std::string> required) {
  std::vector<std::string> host = hostCpuFeatures(), missing;
  for (const std::string &feature : required) {
    if (!std::binary_search(host.begin(), host.end(), feature)) {
      missing.push_back(feature);
    }
  }
  return missing;
}

} // namespace drumlin
