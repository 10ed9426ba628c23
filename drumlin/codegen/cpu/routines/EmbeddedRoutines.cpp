#include "drumlin/codegen/cpu/routines/RoutineLibrary.h"

// Defined by the generated RoutineObjects.c, which the build creates from RoutineObjects.c.in.
extern "C" const uint8_t drumlinRoutineObjects[];

namespace drumlin {

// Returns the routine of one line of the generated table, which has the object's offset and size.
static constexpr EmbeddedRoutine routine(std::string_view name, std::string_view level,
                                         size_t offset, size_t size) {
  return {name, level, {drumlinRoutineObjects + offset, size}};
}

static const EmbeddedRoutine routines[] = {
#include "RoutineTable.inc"
};

RoutineLibrary embeddedRoutines() { return RoutineLibrary(routines); }

} // namespace drumlin
