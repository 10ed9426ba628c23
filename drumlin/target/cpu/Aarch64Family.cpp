#include "drumlin/target/cpu/CpuFamily.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/TargetParser/AArch64TargetParser.h"

#include <algorithm>

namespace drumlin {

#define CPU_IGNORE(...)
static constexpr CpuModel allModels[] = {
#define CPU_MODEL(name, base, added, l1, l2, ports, gigahertz, readGigabytes, sharingCores, l3,    \
                  socketGigabytes)                                                                 \
  {name, base, added, l1, l2, ports, gigahertz, readGigabytes, sharingCores, l3, socketGigabytes},
#define CPU_ALIAS CPU_IGNORE
#include "drumlin/target/cpu/Aarch64Models.def"
};
static constexpr CpuAlias allAliases[] = {
#define CPU_MODEL CPU_IGNORE
#define CPU_ALIAS(name, model) {name, model},
#include "drumlin/target/cpu/Aarch64Models.def"
};

// LLVM's names of the features that code may use. Excludes features with registers of variable
// length (SVE).
static constexpr std::string_view usable[] = {
    "bf16", "complxnum", "dotprod", "fp-armv8", "fullfp16", "i8mm", "jsconv", "lse", "neon", "rdm"};

static llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

namespace {
class Aarch64Family : public CpuFamily {
public:
  Aarch64Family()
      : CpuFamily(Architecture::Aarch64, allModels, CPU_LEVELS, allAliases, {}, usable) {}

  std::vector<std::string> llvmNames() const override {
    llvm::SmallVector<llvm::StringRef> names;
    llvm::AArch64::fillValidCPUArchList(names);
    llvm::erase_if(names, [&](llvm::StringRef name) {
      return name == "generic" || !features(std::string_view(name), {});
    });
    return {names.begin(), names.end()};
  }

  std::optional<std::vector<std::string>>
  features(std::string_view base, std::span<const FeatureChange> changes) const override {
    llvm::AArch64::ExtensionSet all;
    std::optional<llvm::AArch64::CpuInfo> cpu =
        llvm::AArch64::parseCpu(llvm::AArch64::resolveCPUAlias(ref(base)));
    if (!cpu || cpu->Arch.Profile != llvm::AArch64::AProfile) {
      return std::nullopt;
    }
    all.addCPUDefaults(*cpu);
    for (const FeatureChange &change : changes) {
      auto extension = llvm::AArch64::targetFeatureToExtension("+" + change.feature);
      change.isOn ? all.enable(extension->ID) : all.disable(extension->ID);
    }
    std::vector<llvm::StringRef> enabled;
    llvm::AArch64::getExtensionFeatures(all.Enabled, enabled);
    return usableWhere([&](std::string_view feature) {
      return llvm::is_contained(enabled, "+" + std::string(feature));
    });
  }
};
} // namespace

const CpuFamily &aarch64Family() {
  static const Aarch64Family family;
  return family;
}

} // namespace drumlin
