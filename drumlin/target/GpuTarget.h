// GPUs, for which programs are planned as calls of their vendors' libraries.
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

// Sets of GPUs, by the names that the tables give them.
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

// What a card does at most (GpuRates.def): operations a second of products, by type, and bytes a
// second of its memory, and the seconds of a launch by itself. 0: it has no units for the type.
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
  // Of products whose wider operand is of that type; `roundsToTf32`: of f32 operands.
  double operationsPerSecond(ElementType type, bool roundsToTf32 = false) const;

  GpuLibrary library;
  unsigned set;           // the tables' sets of targets that it is in: one bit
  int64_t workspaceBytes; // what the library's manual recommends, or its samples take
  GpuRates rates;         // of a card that it stands for
};

// sm_89, sm_90, sm_100, gfx942, gfx950.
std::span<const GpuTarget> gpuTargets();
const GpuTarget *findGpuTarget(std::string_view name);
std::string_view libraryName(GpuLibrary library); // `cublasLt`

} // namespace drumlin
