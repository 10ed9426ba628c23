// GPUs. Programs are planned for them as calls of the vendors' libraries.
#pragma once

#include "drumlin/support/ElementType.h"
#include "drumlin/target/Target.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

enum class GpuLibrary : uint8_t { CublasLt, HipblasLt };

// Sets of GPU targets, with the names that the tables use.
namespace gpus {
enum Set : unsigned {
  Sm89 = 1,
  Sm90 = 2,
  Sm100 = 4,
  Sm = 7,
  Gfx942 = 8,
  Gfx950 = 16,
  Gfx = 24,
};
} // namespace gpus

// A GPU's peak rates (GpuRates.def): the operations per second of matrix products for each type,
// the bytes per second of its memory, and the overhead of a launch in seconds. A rate of 0 means
// that the GPU has no units for the type.
struct GpuRates {
  std::string_view target, card;
  double fp4, fp8, half, tf32, f32, f64, int8, memory, launch;
  std::string_view source;
};

class GpuTarget : public Target {
public:
  GpuTarget(std::string name, GpuLibrary library, unsigned set, int64_t workspaceBytes);
  static bool classof(const Target *target) { return target->kind() == Kind::Gpu; }

  std::vector<TargetUnit> units() const override { return {}; }
  std::string_view use() const override { return "plans"; }
  // Returns the rate of matrix products. `type`: the type of the wider operand; `roundsToTf32`:
  // whether f32 operands are rounded to TF32.
  double operationsPerSecond(ElementType type, bool roundsToTf32 = false) const;

  GpuLibrary library;
  unsigned set;           // the target's own bit in the tables' sets of targets
  int64_t workspaceBytes; // size that the library's manual recommends or its samples use
  GpuRates rates;         // peak rates of a GPU that represents the target
};

// Returns sm_89, sm_90, sm_100, gfx942 and gfx950.
std::span<const GpuTarget> gpuTargets();
const GpuTarget *findGpuTarget(std::string_view name);
std::string_view libraryName(GpuLibrary library); // `cublasLt`

} // namespace drumlin
