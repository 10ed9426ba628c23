// The CPUs of one architecture: their names, the features that others imply, and their assumed
// speed. CpuTarget.h makes targets of them.
#pragma once

#include "drumlin/support/Architecture.h"
#include "drumlin/target/ComputeUnit.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

// One core; X86Models.def describes the fields.
struct CpuModel {
  std::string_view name, base, added;
  int64_t l1, l2, ports;
  double gigahertz, readGigabytes;
};
struct CpuAlias {
  std::string_view name, model;
};
struct UnitRate {
  std::string_view model;
  ComputeUnit unit;
  double factor;
};

// A feature to turn on or off, with all features that this implies.
struct FeatureChange {
  std::string feature; // one of usableFeatures()
  bool isOn = true;
};

class CpuFamily {
public:
  virtual ~CpuFamily() = default;
  CpuFamily(const CpuFamily &) = delete;
  CpuFamily &operator=(const CpuFamily &) = delete;

  const Architecture architecture;
  // Levels come first, in ascending order.
  const std::span<const CpuModel> models, levels;
  const std::span<const CpuAlias> aliases;
  const std::span<const UnitRate> unitRates;
  // Features whose instructions LLVM may select in kernels, sorted. An image requires those of its
  // target. Excludes system features, which virtual machines hide.
  const std::span<const std::string_view> usableFeatures;

  // Returns the names of LLVM's CPUs.
  virtual std::vector<std::string> llvmNames() const = 0;
  // Returns the usable features of the LLVM CPU `base` after the changes, applied in order; sorted.
  // Returns nullopt if there is no such CPU.
  virtual std::optional<std::vector<std::string>>
  features(std::string_view base, std::span<const FeatureChange> changes) const = 0;

protected:
  // Returns the usable features for which `has` returns true, in their order.
  template <typename Has> std::vector<std::string> usableWhere(Has has) const {
    std::vector<std::string> kept;
    for (std::string_view feature : usableFeatures) {
      if (has(feature)) {
        kept.emplace_back(feature);
      }
    }
    return kept;
  }

  CpuFamily(Architecture architecture, std::span<const CpuModel> models, size_t levelCount,
            std::span<const CpuAlias> aliases, std::span<const UnitRate> unitRates,
            std::span<const std::string_view> usableFeatures)
      : architecture(architecture), models(models), levels(models.first(levelCount)),
        aliases(aliases), unitRates(unitRates), usableFeatures(usableFeatures) {}
};

const CpuFamily &x86Family();
const CpuFamily &aarch64Family();

} // namespace drumlin
