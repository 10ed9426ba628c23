// The CPUs of one architecture: their names, their assumed speed, and which features imply other
// features. CpuTarget.h makes targets from this data.
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

// One core, and what cores share; X86Models.def describes the fields.
struct CpuModel {
  std::string_view name, base, added;
  int64_t l1, l2, ports;
  double gigahertz, readGigabytes;
  int64_t sharingCores, l3;
  double socketGigabytes;
};
struct CpuAlias {
  std::string_view name, model;
};
struct UnitRate {
  std::string_view model;
  ComputeUnit unit;
  double factor;
};

// A feature that is turned on or off, together with all features that it implies.
struct FeatureChange {
  std::string feature; // one of usableFeatures
  bool isOn = true;
};

class CpuFamily {
public:
  virtual ~CpuFamily() = default;
  CpuFamily(const CpuFamily &) = delete;
  CpuFamily &operator=(const CpuFamily &) = delete;

  const Architecture architecture;
  // `models` begins with the levels, in ascending order.
  const std::span<const CpuModel> models, levels;
  const std::span<const CpuAlias> aliases;
  const std::span<const UnitRate> unitRates;
  // Features whose instructions LLVM may select in kernels, sorted. An image requires the usable
  // features of its target. Excludes system features, because virtual machines hide them.
  const std::span<const std::string_view> usableFeatures;

  // Returns the names of LLVM's CPUs.
  virtual std::vector<std::string> llvmNames() const = 0;
  // Applies the changes in order to the features of the LLVM CPU `base`, and returns the usable
  // features that result, sorted. Returns nullopt if there is no such CPU.
  virtual std::optional<std::vector<std::string>>
  features(std::string_view base, std::span<const FeatureChange> changes) const = 0;

protected:
  // Returns the usable features for which `has` returns true, in the order of usableFeatures.
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
