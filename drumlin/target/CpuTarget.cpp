#include "drumlin/target/CpuTarget.h"

#include "drumlin/support/CpuFeatures.h"
#include "drumlin/support/NearestName.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/target/cpu/CpuFamily.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <array>

namespace drumlin {

static std::array<const CpuFamily *, architectures.size()> families() {
  return {&x86Family(), &aarch64Family()};
}

static const CpuFamily &familyOf(Architecture architecture) {
  return *families()[static_cast<size_t>(architecture)];
}

std::vector<std::string_view> knownFeatures(Architecture architecture) {
  std::span<const std::string_view> all = familyOf(architecture).usableFeatures;
  return {all.begin(), all.end()};
}

//===- properties of a target -----------------------------------------------------===//

bool CpuTarget::has(std::string_view feature) const {
  return std::binary_search(features.begin(), features.end(), feature);
}

bool CpuTarget::has(ComputeUnit unit) const {
  const ComputeUnitInfo &asked = info(unit);
  bool hasFeature = asked.feature.empty() || has(asked.feature);
  // A tile has 16 columns: as many as a 64-byte register has 32-bit sums.
  return asked.hasTiles() ? (hasFeature || emulatesTiles) && registerBytes() == 64 : hasFeature;
}

int64_t CpuTarget::registerBytes() const { return has("avx512f") ? 64 : has("avx2") ? 32 : 16; }
int64_t CpuTarget::vectorRegisters() const { return has("avx512f") || has("neon") ? 32 : 16; }

double CpuTarget::operationsPerSecond(ComputeUnit unit) const {
  auto found = unitFactors.find(unit);
  double factor = found == unitFactors.end() ? info(unit).speed : found->second;
  return 2 * static_cast<double>(registerLanes(4) * ports) * gigahertz * 1e9 * factor;
}

std::vector<TargetUnit> CpuTarget::units() const {
  std::vector<TargetUnit> made;
  for (const ComputeUnitInfo &each : computeUnits()) {
    if (has(each.unit)) {
      std::string operands(each.operands ? drumlin::name(*each.operands) : "f32");
      made.push_back({std::string(each.name), std::move(operands), each.rows, registerLanes(4),
                      each.kGroup * each.kGroups, operationsPerSecond(each.unit)});
    }
  }
  return made;
}

std::string CpuTarget::featureString() const {
  std::vector<std::string> parts;
  for (const std::string &feature : features) {
    parts.push_back("+" + feature);
  }
  // Some code uses shorter vectors, but kernel shapes assume full-width registers.
  if (has("avx512f")) {
    parts.push_back("-prefer-256-bit");
  }
  return llvm::join(parts, ",");
}

//===- targets by name ------------------------------------------------------------===//

static llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

static std::vector<FeatureChange> addedTo(const CpuModel &model) {
  std::vector<FeatureChange> changes;
  llvm::SmallVector<llvm::StringRef> added;
  ref(model.added).split(added, ',', -1, false);
  for (llvm::StringRef feature : added) {
    changes.push_back({feature.str()});
  }
  return changes;
}

static const CpuModel &lastLevelIn(const CpuFamily &family,
                                   const std::vector<std::string> &features) {
  const CpuModel *found = family.levels.data();
  for (const CpuModel &level : family.levels) {
    std::vector<std::string> wanted = *family.features(level.base, addedTo(level));
    bool hasAll = std::ranges::includes(features, wanted);
    found = hasAll ? &level : found;
  }
  return *found;
}

static const CpuModel *findModel(const CpuFamily &family, std::string_view name) {
  for (const CpuAlias &alias : family.aliases) {
    name = alias.name == name ? alias.model : name;
  }
  auto found = std::ranges::find(family.models, name, &CpuModel::name);
  return found == family.models.end() ? nullptr : &*found;
}

static bool isLevel(const CpuFamily &family, const CpuModel &model) {
  return &model < family.levels.data() + family.levels.size();
}

std::vector<std::string> cpuNames() {
  std::vector<std::string> names = {"native"};
  for (const CpuFamily *family : families()) {
    for (const CpuAlias &alias : family->aliases) {
      names.emplace_back(alias.name);
    }
    for (const CpuModel &level : family->levels) {
      names.emplace_back(level.name);
    }
    for (std::string &name : family->llvmNames()) {
      const CpuModel *model = findModel(*family, name);
      if (!model || !isLevel(*family, *model)) {
        names.push_back(std::move(name));
      }
    }
  }
  return names;
}

static void takeSizes(CpuTarget &target, const CpuFamily &family, const CpuModel &model) {
  target.l1Bytes = model.l1 * 1024;
  target.l2Bytes = model.l2 * 1024;
  target.ports = model.ports;
  target.gigahertz = model.gigahertz;
  target.bytesPerSecond = model.readGigabytes * 1e9;
  target.l3Bytes = model.l3 * 1024;
  target.coresPerL3 = model.sharingCores;
  target.socketBytesPerSecond = model.socketGigabytes * 1e9;
  for (const UnitRate &rate : family.unitRates) {
    if (rate.model == model.name) {
      target.unitFactors[rate.unit] = rate.factor;
    }
  }
}

static constexpr llvm::StringRef emulation = "+emulated-tiles";

static Diagnostic unknown(std::string_view name, std::string_view what,
                          const std::string &remedy = "") {
  return diagnose(errors::UnknownTarget, "`" + std::string(name) + "` " + std::string(what),
                  "--target-cpu", remedy);
}

static std::string nearTarget(std::string_view name, std::span<const std::string> others) {
  std::vector<std::string> names = {"native"};
  llvm::append_range(names, cpuNames());
  llvm::append_range(names, others);
  std::string meant = didYouMean(name, names);
  return meant.empty() ? "" : meant + " `drumlin targets` lists them all";
}

namespace {
// The meaning of a target's name without its feature changes: one of LLVM's CPUs, and the features
// that a level adds to this CPU.
struct NamedCpu {
  const CpuFamily *family;
  std::string base;
  std::vector<FeatureChange> changes;
};
} // namespace

static NamedCpu takeModel(const CpuFamily &family, const CpuModel &model, CpuTarget &target) {
  target.name = model.name;
  target.tunedFor = isLevel(family, model) ? "" : std::string(model.base);
  takeSizes(target, family, model);
  return {&family, std::string(model.base), addedTo(model)};
}

// Sets the name, caches and rates of the CPU with this name; returns nullopt if there is none.
static std::optional<NamedCpu> findBase(std::string_view name, CpuTarget &target) {
  if (name == "native") {
    const CpuFamily &host = familyOf(hostArchitecture().value_or(Architecture::X86_64));
    return takeModel(host, lastLevelIn(host, hostCpuFeatures()), target);
  }
  for (const CpuFamily *family : families()) {
    if (const CpuModel *model = findModel(*family, name)) {
      return takeModel(*family, *model, target);
    }
    if (std::optional<std::vector<std::string>> features = family->features(name, {})) {
      target.name = target.tunedFor = name;
      takeSizes(target, *family, lastLevelIn(*family, *features));
      return NamedCpu{family, std::string(name), {}};
    }
  }
  return std::nullopt;
}

Result<CpuTarget> cpuTargetFromName(std::string_view name, std::span<const std::string> others) {
  llvm::SmallVector<llvm::StringRef> words;
  ref(name).split(words, ',');
  bool isNamed = !words.front().starts_with("+") && !words.front().starts_with("-");
  CpuTarget target;
  std::optional<NamedCpu> cpu =
      findBase(isNamed ? std::string_view(words.front()) : "native", target);
  if (!cpu && (words.front().contains("macos") || words.front().contains("darwin"))) {
    return unknown(words.front(), "is a macOS target, whose format (Mach-O) Drumlin can't write",
                   "for Linux on the same processors, pass `apple-m1`");
  }
  if (!cpu) {
    return unknown(words.front(), "names no target", nearTarget(words.front(), others));
  }
  for (llvm::StringRef word : llvm::ArrayRef(words).drop_front(isNamed ? 1 : 0)) {
    if (word == emulation) {
      target.emulatesTiles = true;
      continue;
    }
    bool isOn = word.consume_front("+");
    std::span<const std::string_view> usable = cpu->family->usableFeatures;
    if ((!isOn && !word.consume_front("-")) ||
        !llvm::is_contained(usable, std::string_view(word))) {
      std::string what = "is not a feature of " +
                         std::string(drumlin::name(cpu->family->architecture)) +
                         " CPUs that code may use";
      return unknown(word, what,
                     didYouMean(word, std::vector<std::string>(usable.begin(), usable.end())));
    }
    // A feature implies other features, so the order of the changes matters, and the target's name
    // keeps this order.
    target.name += (isOn ? ",+" : ",-") + word.str();
    cpu->changes.push_back({word.str(), isOn});
  }
  target.architecture = cpu->family->architecture;
  target.features = *cpu->family->features(cpu->base, cpu->changes);
  if (target.emulatesTiles) {
    target.name += "," + emulation.str();
    // Emulated tiles need registers of 16 columns.
    if (target.registerBytes() != 64) {
      return unknown(name, "has no registers of 64 bytes, in which tiles are emulated");
    }
  }
  return target;
}

} // namespace drumlin
