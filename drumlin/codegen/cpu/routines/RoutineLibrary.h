// Functions that kernels call and that depend on no program, as objects that our build has
// compiled: kernels declare them, and the linker gets them beside the kernels.
#pragma once

#include "drumlin/target/CpuTarget.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace drumlin {

// Levels of processors, as cpuTargetFromName() takes them, that routines are compiled for. What a
// lower level has runs on the higher ones as well.
inline constexpr std::string_view routineLevels[] = {"x86-64-v3", "x86-64-v4", "x86-64-v4-dot"};

struct EmbeddedRoutine {
  std::string_view name;
  std::string_view level;          // what it needs, one of routineLevels
  std::span<const uint8_t> object; // ELF, with this one function; static storage
};

class RoutineLibrary {
public:
  // Of nothing: kernels define all that they call.
  RoutineLibrary() = default;
  // Sorted by name.
  explicit RoutineLibrary(std::span<const EmbeddedRoutine> routines) : routines(routines) {}

  // Null where there is none of this name, or none that the target's processor can run.
  const EmbeddedRoutine *find(std::string_view name, const CpuTarget &target) const;

  std::span<const EmbeddedRoutine> all() const { return routines; }

private:
  std::span<const EmbeddedRoutine> routines;
};

// Those of our build (in a library of its own, which needs no code generator).
RoutineLibrary embeddedRoutines();

} // namespace drumlin
