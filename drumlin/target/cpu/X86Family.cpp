#include "drumlin/target/ComputeUnits.h"
#include "drumlin/target/cpu/CpuFamily.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/X86TargetParser.h"

namespace drumlin {

#define CPU_IGNORE(...)
static constexpr CpuModel allModels[] = {
#define CPU_MODEL(name, base, added, l1, l2, ports, gigahertz, readGigabytes, sharingCores, l3,    \
                  socketGigabytes)                                                                 \
  {name, base, added, l1, l2, ports, gigahertz, readGigabytes, sharingCores, l3, socketGigabytes},
#define CPU_ALIAS CPU_IGNORE
#define CPU_UNIT_RATE CPU_IGNORE
#include "drumlin/target/cpu/X86Models.def"
};
static constexpr CpuAlias allAliases[] = {
#define CPU_MODEL CPU_IGNORE
#define CPU_ALIAS(name, model) {name, model},
#define CPU_UNIT_RATE CPU_IGNORE
#include "drumlin/target/cpu/X86Models.def"
};
static constexpr UnitRate allUnitRates[] = {
#define CPU_MODEL CPU_IGNORE
#define CPU_ALIAS CPU_IGNORE
#define CPU_UNIT_RATE(model, unit, factor) {model, ComputeUnit::unit, factor},
#include "drumlin/target/cpu/X86Models.def"
};

static constexpr std::string_view usable[] = {
    "adx",        "amx-bf16",     "amx-fp16",   "amx-int8",     "amx-tile",
    "avx",        "avx2",         "avx512bf16", "avx512bitalg", "avx512bw",
    "avx512cd",   "avx512dq",     "avx512f",    "avx512fp16",   "avx512ifma",
    "avx512vbmi", "avx512vbmi2",  "avx512vl",   "avx512vnni",   "avx512vpopcntdq",
    "avxifma",    "avxneconvert", "avxvnni",    "avxvnniint16", "avxvnniint8",
    "bmi",        "bmi2",         "cx16",       "cx8",          "f16c",
    "fma",        "fxsr",         "gfni",       "lzcnt",        "mmx",
    "movbe",      "popcnt",       "sahf",       "sse",          "sse2",
    "sse3",       "sse4.1",       "sse4.2",     "ssse3",        "x87",
    "xsave"};

static llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

namespace {
class X86Family : public CpuFamily {
public:
  X86Family()
      : CpuFamily(Architecture::X86_64, allModels, CPU_LEVELS, allAliases, allUnitRates, usable) {}

  std::vector<std::string> llvmNames() const override {
    llvm::SmallVector<llvm::StringRef> names;
    llvm::X86::fillValidCPUArchList(names, /*Only64Bit=*/true);
    return {names.begin(), names.end()};
  }

  std::optional<std::vector<std::string>>
  features(std::string_view base, std::span<const FeatureChange> changes) const override {
    if (llvm::X86::parseArchX86(ref(base), /*Only64Bit=*/true) == llvm::X86::CK_None) {
      return std::nullopt;
    }
    llvm::StringMap<bool> all;
    auto set = [&](llvm::StringRef feature, bool isOn) {
      all[feature] = isOn;
      llvm::X86::updateImpliedFeatures(feature, isOn, all);
    };
    llvm::SmallVector<llvm::StringRef> ofBase;
    llvm::X86::getFeaturesForCPU(ref(base), ofBase);
    for (llvm::StringRef feature : ofBase) {
      set(feature, true);
    }
    set("sse2", true); // every 64-bit processor has this feature
    for (const FeatureChange &change : changes) {
      set(change.feature, change.isOn);
    }
    return usableWhere([&](std::string_view feature) { return all.lookup(ref(feature)); });
  }
};
} // namespace

const CpuFamily &x86Family() {
  static const X86Family family;
  return family;
}

} // namespace drumlin
