// Functions that kernels call and that depend on no program, as objects that our build has
// compiled: kernels declare them, and the linker adds them to the kernels' objects.
#pragma once

#include "drumlin/target/CpuTarget.h"

#include <cstdint>
#include <span>
#include <string_view>

namespace drumlin {

// CPU levels, named as in cpuTargetFromName(), that routines are compiled for. Routines of a lower
// level also run on the higher ones.
inline constexpr std::string_view routineLevels[] = {"x86-64-v3", "x86-64-v4", "x86-64-v4-dot"};

struct EmbeddedRoutine {
  std::string_view name;
  std::string_view level;          // the level it requires, one of routineLevels
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

// Returns the routines of our build (in a separate library, which needs no code generator).
RoutineLibrary embeddedRoutines();

} // namespace drumlin
