#include "drumlin/driver/backend/BackendChoice.h"

#include "drumlin/driver/backend/Backends.h"

namespace drumlin {

std::unique_ptr<const Backend> backendOf(const Target &target) {
  switch (target.kind()) {
  case Target::Kind::Cpu:
    return std::make_unique<CpuBackend>(llvm::cast<CpuTarget>(target));
  case Target::Kind::Gpu:
    return std::make_unique<GpuBackend>(llvm::cast<GpuTarget>(target));
  case Target::Kind::TensorEngine:
    return std::make_unique<EngineBackend>(target);
  }
  return nullptr;
}

} // namespace drumlin
