#include "drumlin/codegen/cpu/routines/RoutineLibrary.h"

// Defined by the generated RoutineObjects.c, which the build makes from RoutineObjects.c.in.
extern "C" const uint8_t drumlinRoutineObjects[];

namespace drumlin {

// Of a line of the generated table: where its object begins, and its size.
static constexpr EmbeddedRoutine routine(std::string_view name, std::string_view level,
                                         size_t offset, size_t size) {
  return {name, level, {drumlinRoutineObjects + offset, size}};
}

static const EmbeddedRoutine routines[] = {
#include "RoutineTable.inc"
};

RoutineLibrary embeddedRoutines() { return RoutineLibrary(routines); }

} // namespace drumlin
