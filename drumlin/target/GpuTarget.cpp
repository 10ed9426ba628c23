#include "drumlin/target/GpuTarget.h"

#include <algorithm>
#include <array>

namespace drumlin {

using namespace gpus;

// The sizes of workspaces are from the cuBLAS documentation, cublasSetWorkspace(), "Recommended
// workspace size". hipBLASLt, which has no default workspace, gets the same size.
std::span<const GpuTarget> gpuTargets() {
  static const std::array<GpuTarget, 5> targets = {{
      {"sm_89", GpuLibrary::CublasLt, Sm89, int64_t(4) << 20},
      {"sm_90", GpuLibrary::CublasLt, Sm90, int64_t(32) << 20},
      {"sm_100", GpuLibrary::CublasLt, Sm100, int64_t(32) << 20},
      {"gfx942", GpuLibrary::HipblasLt, Gfx942, int64_t(32) << 20},
      {"gfx950", GpuLibrary::HipblasLt, Gfx950, int64_t(32) << 20},
  }};
  return targets;
}

static const GpuRates &ratesOf(std::string_view target) {
  static constexpr double tera = 1e12;
  static constexpr GpuRates rows[] = {
#define GPU_RATES(target, card, fp4, fp8, half, tf32, f32, f64, int8, memory, launch, source)      \
  {target,       card,         (fp4) * tera,  (fp8) * tera,    (half) * tera,   (tf32) * tera,     \
   (f32) * tera, (f64) * tera, (int8) * tera, (memory) * tera, (launch) * 1e-6, source},
#include "drumlin/target/GpuRates.def"
  };
  return *std::find_if(std::begin(rows), std::end(rows),
                       [&](const GpuRates &row) { return row.target == target; });
}

GpuTarget::GpuTarget(std::string name, GpuLibrary library, unsigned set, int64_t workspaceBytes)
    : Target(Kind::Gpu, std::move(name)), library(library), set(set),
      workspaceBytes(workspaceBytes), rates(ratesOf(this->name)) {
  bytesPerSecond = rates.memory;
}

double GpuTarget::operationsPerSecond(ElementType type, bool roundsToTf32) const {
  unsigned bits = info(type).bits;
  if (!isFloat(type)) {
    return bits <= 8 ? rates.int8 : rates.f32;
  }
  if (bits <= 4 && rates.fp4 > 0) {
    return rates.fp4;
  }
  if (bits <= 8) {
    return rates.fp8;
  }
  if (bits == 32) {
    return roundsToTf32 && rates.tf32 > 0 ? rates.tf32 : rates.f32;
  }
  return bits == 16 ? rates.half : rates.f64;
}

const GpuTarget *findGpuTarget(std::string_view name) {
  std::span<const GpuTarget> targets = gpuTargets();
  auto found = std::find_if(targets.begin(), targets.end(),
                            [&](const GpuTarget &target) { return target.name == name; });
  return found == targets.end() ? nullptr : &*found;
}

std::string_view libraryName(GpuLibrary library) {
  return library == GpuLibrary::CublasLt ? "cublasLt" : "hipblasLt";
}

} // namespace drumlin
