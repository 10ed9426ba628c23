#include "drumlin/target/CpuTarget.h"

#include "drumlin/support/CpuFeatures.h"
#include "drumlin/support/NearestName.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <algorithm>

namespace drumlin {

namespace {
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
using FeatureMap = llvm::StringMap<bool>;
} // namespace

#define CPU_IGNORE(...)
static constexpr CpuModel models[] = {
#define CPU_MODEL(name, base, added, l1, l2, ports, gigahertz, readGigabytes)                      \
  {name, base, added, l1, l2, ports, gigahertz, readGigabytes},
#define CPU_ALIAS CPU_IGNORE
#define CPU_UNIT_RATE CPU_IGNORE
#include "drumlin/target/CpuModels.def"
};
static constexpr CpuAlias aliases[] = {
#define CPU_MODEL CPU_IGNORE
#define CPU_ALIAS(name, model) {name, model},
#define CPU_UNIT_RATE CPU_IGNORE
#include "drumlin/target/CpuModels.def"
};
static constexpr UnitRate unitRates[] = {
#define CPU_MODEL CPU_IGNORE
#define CPU_ALIAS CPU_IGNORE
#define CPU_UNIT_RATE(model, unit, factor) {model, ComputeUnit::unit, factor},
#include "drumlin/target/CpuModels.def"
};
static constexpr std::span<const CpuModel> levels = {models, CPU_LEVELS};

// Features whose instructions LLVM may select in kernels. An image requires those of its target;
// system features, which virtual machines hide, are left out.
static constexpr std::string_view usableFeatures[] = {
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

std::vector<std::string_view> knownFeatures() {
  return {std::begin(usableFeatures), std::end(usableFeatures)};
}

//===- of a target ----------------------------------------------------------------===//

bool CpuTarget::has(std::string_view feature) const {
  return std::binary_search(features.begin(), features.end(), feature);
}

bool CpuTarget::has(ComputeUnit unit) const {
  const ComputeUnitInfo &asked = info(unit);
  bool hasFeature = asked.feature.empty() || has(asked.feature);
  // Tiles have the columns of a register of 64 bytes.
  return asked.hasTiles() ? (hasFeature || emulatesTiles) && registerBytes() == 64 : hasFeature;
}

int64_t CpuTarget::registerBytes() const { return has("avx512f") ? 64 : has("avx2") ? 32 : 16; }
int64_t CpuTarget::vectorRegisters() const { return has("avx512f") ? 32 : 16; }

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
  // Shorter vectors than the register have their uses, but kernels are shaped for whole ones.
  if (has("avx512f")) {
    parts.push_back("-prefer-256-bit");
  }
  return llvm::join(parts, ",");
}

//===- from a name ----------------------------------------------------------------===//

static llvm::StringRef ref(std::string_view text) { return {text.data(), text.size()}; }

static void set(FeatureMap &features, std::string_view feature, bool isOn) {
  features[ref(feature)] = isOn;
  llvm::X86::updateImpliedFeatures(ref(feature), isOn, features);
}

static FeatureMap featuresOf(std::string_view base, std::string_view added) {
  FeatureMap features;
  llvm::SmallVector<llvm::StringRef> listed;
  llvm::X86::getFeaturesForCPU(ref(base), listed);
  llvm::SmallVector<llvm::StringRef> more;
  ref(added).split(more, ',', -1, false);
  listed.append(more);
  listed.push_back("sse2"); // which every processor of 64 bits has
  for (llvm::StringRef feature : listed) {
    set(features, feature, true);
  }
  return features;
}

static std::vector<std::string> usable(const FeatureMap &features) {
  std::vector<std::string> kept;
  for (std::string_view feature : usableFeatures) {
    if (features.lookup(ref(feature))) {
      kept.emplace_back(feature);
    }
  }
  std::sort(kept.begin(), kept.end());
  return kept;
}

static bool hasAll(const std::vector<std::string> &features,
                   const std::vector<std::string> &wanted) {
  return std::includes(features.begin(), features.end(), wanted.begin(), wanted.end());
}

static const CpuModel &lastLevelIn(const std::vector<std::string> &features) {
  const CpuModel *found = levels.data();
  for (const CpuModel &level : levels) {
    found = hasAll(features, usable(featuresOf(level.base, level.added))) ? &level : found;
  }
  return *found;
}

static const CpuModel *findModel(std::string_view name) {
  for (const CpuAlias &alias : aliases) {
    name = alias.name == name ? alias.model : name;
  }
  const auto *found = std::find_if(std::begin(models), std::end(models),
                                   [&](const CpuModel &model) { return model.name == name; });
  return found == std::end(models) ? nullptr : found;
}

static bool isLevel(const CpuModel &model) {
  return std::any_of(levels.begin(), levels.end(),
                     [&](const CpuModel &level) { return &level == &model; });
}

std::vector<std::string> cpuNames() {
  std::vector<std::string> names = {"native"};
  for (const CpuAlias &alias : aliases) {
    names.emplace_back(alias.name);
  }
  for (const CpuModel &level : levels) {
    names.emplace_back(level.name);
  }
  llvm::SmallVector<llvm::StringRef> ofLlvm;
  llvm::X86::fillValidCPUArchList(ofLlvm, /*Only64Bit=*/true);
  for (llvm::StringRef name : ofLlvm) {
    if (!findModel(name) || !isLevel(*findModel(name))) {
      names.push_back(name.str());
    }
  }
  return names;
}

static void takeSizes(CpuTarget &target, const CpuModel &model) {
  target.l1Bytes = model.l1 * 1024;
  target.l2Bytes = model.l2 * 1024;
  target.ports = model.ports;
  target.gigahertz = model.gigahertz;
  target.bytesPerSecond = model.readGigabytes * 1e9;
  for (const UnitRate &rate : unitRates) {
    if (rate.model == model.name) {
      target.unitFactors[rate.unit] = rate.factor;
    }
  }
}

static constexpr llvm::StringRef emulation = "+emulated-tiles";

static Diagnostic unknown(std::string_view name, std::string_view what,
                          const std::string &remedy = "") {
  return diagnose(DiagnosticCode::UnknownTarget, "`" + std::string(name) + "` " + std::string(what),
                  "--target-cpu", remedy);
}

static std::string nearTarget(std::string_view name) {
  std::vector<std::string> names = {"native"};
  for (Target::Kind kind : {Target::Kind::Cpu, Target::Kind::TensorEngine, Target::Kind::Gpu}) {
    llvm::append_range(names, targetNames(kind));
  }
  std::string meant = didYouMean(name, names);
  return meant.empty() ? "" : meant + " `drumlin targets` lists them all";
}

// Sets name, caches and rates of the CPU with this name, and returns its features; nothing if no
// CPU has the name.
static std::optional<FeatureMap> findBase(std::string_view name, CpuTarget &target) {
  const CpuModel *model = name == "native" ? &lastLevelIn(hostCpuFeatures()) : findModel(name);
  if (model) {
    target.name = model->name;
    target.tunedFor = isLevel(*model) ? "" : std::string(model->base);
    takeSizes(target, *model);
    return featuresOf(model->base, model->added);
  }
  if (llvm::X86::parseArchX86(ref(name), /*Only64Bit=*/true) == llvm::X86::CK_None) {
    return std::nullopt;
  }
  target.name = target.tunedFor = name;
  FeatureMap features = featuresOf(name, "");
  takeSizes(target, lastLevelIn(usable(features)));
  return features;
}

Result<CpuTarget> cpuTargetFromName(std::string_view name) {
  llvm::SmallVector<llvm::StringRef> words;
  ref(name).split(words, ',');
  bool isNamed = !words.front().starts_with("+") && !words.front().starts_with("-");
  CpuTarget target;
  std::optional<FeatureMap> features =
      findBase(isNamed ? std::string_view(words.front()) : "native", target);
  if (!features) {
    return unknown(words.front(), "names no target", nearTarget(words.front()));
  }
  for (llvm::StringRef word : llvm::ArrayRef(words).drop_front(isNamed ? 1 : 0)) {
    if (word == emulation) {
      target.emulatesTiles = true;
      continue;
    }
    bool isOn = word.consume_front("+");
    if ((!isOn && !word.consume_front("-")) ||
        std::find(std::begin(usableFeatures), std::end(usableFeatures), std::string_view(word)) ==
            std::end(usableFeatures)) {
      return unknown(word, "names no feature of a CPU that code may use");
    }
    // Features imply others, so that their order matters: the name keeps it.
    target.name += (isOn ? ",+" : ",-") + word.str();
    set(*features, word, isOn);
  }
  target.features = usable(*features);
  if (target.emulatesTiles) {
    target.name += "," + emulation.str();
    // Tiles have a register of 16 columns.
    if (target.registerBytes() != 64) {
      return unknown(name, "has no registers of 64 bytes, in which tiles are emulated");
    }
  }
  return target;
}

} // namespace drumlin
