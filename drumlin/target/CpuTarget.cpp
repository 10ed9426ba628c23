#include "drumlin/target/CpuTarget.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TargetParser/Host.h"

#include <algorithm>

namespace drumlin {

// The levels of the x86-64 psABI ("micro-architecture levels"), and the dot instructions that newer
// AVX-512 machines add.
static const std::vector<std::string> levelOne = {"cx8", "fxsr", "mmx", "sse", "sse2", "x87"};
static const std::vector<std::string> levelThree = {
    "avx",   "avx2",   "bmi",  "bmi2", "cx16",   "f16c",   "fma",   "lzcnt",
    "movbe", "popcnt", "sahf", "sse3", "sse4.1", "sse4.2", "ssse3", "xsave"};
static const std::vector<std::string> levelFour = {"avx512bw", "avx512cd", "avx512dq", "avx512f",
                                                   "avx512vl"};
static const std::vector<std::string> dotUnits = {"avx512bf16", "avx512vnni"};

static CpuTarget make(std::string name,
                      std::initializer_list<const std::vector<std::string> *> groups) {
  CpuTarget target;
  target.name = std::move(name);
  for (const auto *group : groups) {
    target.features.insert(target.features.end(), group->begin(), group->end());
  }
  std::sort(target.features.begin(), target.features.end());
  auto has = [&](const char *feature) {
    return std::find(target.features.begin(), target.features.end(), feature) !=
           target.features.end();
  };
  target.hasFma = has("fma");
  target.hasF16Conversion = has("f16c");
  target.hasAvx2 = has("avx2");
  target.hasAvx512 = has("avx512f");
  target.hasBf16Dot = has("avx512bf16");
  target.hasInt8Dot = has("avx512vnni");
  return target;
}

std::string CpuTarget::featureString() const {
  std::vector<std::string> parts;
  for (const std::string &feature : features) {
    parts.push_back("+" + feature);
  }
  // Shorter vectors than the register have their uses, but kernels are shaped for whole ones.
  if (hasAvx512) {
    parts.push_back("-prefer-256-bit");
  }
  return llvm::join(parts, ",");
}

static bool hostHas(const CpuTarget &target) {
  llvm::StringMap<bool> host = llvm::sys::getHostCPUFeatures();
  // The host's list leaves out what every x86-64 has.
  return std::all_of(
      target.features.begin(), target.features.end(), [&](const std::string &feature) {
        return std::find(levelOne.begin(), levelOne.end(), feature) != levelOne.end() ||
               feature == "sahf" || host.lookup(feature);
      });
}

static Result<CpuTarget> find(std::string_view name) {
  CpuTarget baseline = make("x86-64", {&levelOne});
  CpuTarget avx2 = make("x86-64-v3", {&levelOne, &levelThree});
  CpuTarget avx512 = make("x86-64-v4", {&levelOne, &levelThree, &levelFour});
  CpuTarget avx512Dot = make("x86-64-v4-dot", {&levelOne, &levelThree, &levelFour, &dotUnits});
  if (name == "native") {
    for (const CpuTarget *target : {&avx512Dot, &avx512, &avx2}) {
      if (hostHas(*target)) {
        return *target;
      }
    }
    return baseline;
  }
  if (name == "baseline" || name == baseline.name) {
    return baseline;
  }
  if (name == "avx2" || name == avx2.name) {
    return avx2;
  }
  if (name == avx512.name) {
    return avx512;
  }
  if (name == "avx512" || name == avx512Dot.name) {
    return avx512Dot;
  }
  return diagnose(DiagnosticCode::UnknownTarget, "`" + std::string(name) + "` names no target",
                  "--target-cpu");
}

Result<CpuTarget> cpuTargetFromName(std::string_view name, Numerics numerics) {
  Result<CpuTarget> target = find(name);
  if (target && numerics == Numerics::Strict) {
    target->numerics = numerics;
    target->hasBf16Dot = false;
    std::erase(target->features, "avx512bf16");
  }
  return target;
}

} // namespace drumlin
