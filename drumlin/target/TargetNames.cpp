#include "drumlin/target/TargetNames.h"

#include "drumlin/target/CpuTarget.h"
#include "drumlin/target/GpuTarget.h"
#include "drumlin/target/TensorEngine.h"

#include <algorithm>
#include <iterator>

namespace drumlin {

// Returns a pointer that doesn't own the target: targets in tables live until the process ends.
static TargetPtr borrow(const Target &target) { return {TargetPtr(), &target}; }

Result<TargetPtr> targetFromName(std::string_view name) {
  if (const TensorEngine *engine = findTensorEngine(name)) {
    return borrow(*engine);
  }
  if (const GpuTarget *gpu = findGpuTarget(name)) {
    return borrow(*gpu);
  }
  std::vector<std::string> others = targetNames(Target::Kind::TensorEngine);
  std::ranges::move(targetNames(Target::Kind::Gpu), std::back_inserter(others));
  Result<CpuTarget> cpu = cpuTargetFromName(name, others);
  return cpu ? Result<TargetPtr>(std::make_shared<CpuTarget>(std::move(*cpu)))
             : Result<TargetPtr>(cpu.error());
}

TargetPtr nativeTarget() {
  static const TargetPtr native = *targetFromName("native");
  return native;
}

template <typename Targets> static std::vector<std::string> namesOf(const Targets &targets) {
  std::vector<std::string> names;
  for (const Target &target : targets) {
    names.push_back(target.name);
  }
  return names;
}

std::vector<std::string> targetNames(Target::Kind kind) {
  switch (kind) {
  case Target::Kind::Cpu:
    return cpuNames();
  case Target::Kind::TensorEngine:
    return namesOf(tensorEngines());
  case Target::Kind::Gpu:
    return namesOf(gpuTargets());
  }
  return {};
}

} // namespace drumlin
