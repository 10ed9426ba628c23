// The routines that our build has compiled to objects (Routine.h). Kernels declare the routines
// that they call, and the linker adds these routines' objects to the kernels' objects.
#pragma once

#include "drumlin/target/CpuTarget.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace drumlin {

// The CPU levels that routines are compiled for, named as in cpuTargetFromName(). Routines of a
// lower level also run on CPUs of higher levels.
inline constexpr std::string_view routineLevels[] = {"x86-64-v3", "x86-64-v4", "x86-64-v4-dot"};

struct EmbeddedRoutine {
  std::string_view name;
  std::string_view level;          // the level that the routine requires, one of routineLevels
  std::span<const uint8_t> object; // ELF with only this function; static storage
};

class RoutineLibrary {
public:
  // Creates an empty library: kernels define everything that they call.
  RoutineLibrary() = default;
  // `routines` are sorted by name.
  explicit RoutineLibrary(std::span<const EmbeddedRoutine> routines) : routines(routines) {}

  // Returns null if no routine has this name or if the target can't run it.
  const EmbeddedRoutine *find(std::string_view name, const CpuTarget &target) const;

  std::span<const EmbeddedRoutine> all() const { return routines; }

private:
  std::span<const EmbeddedRoutine> routines;
};

// Returns the routines of our build. They are in a separate library, which needs no code generator.
RoutineLibrary embeddedRoutines();

} // namespace drumlin
