// Reads the machine code of the routines that our build embeds. Tests check the routines' loops,
// and the table of cycles (MicroKernels.def) is computed from the loops' instructions.
#pragma once

#include "drumlin/codegen/cpu/routines/RoutineLibrary.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace drumlin {

// An innermost loop.
struct CodeLoop {
  size_t instructions = 0;
  size_t multiplyAdds = 0; // vector multiply-add instructions
  size_t stackAccesses = 0;
  size_t moves = 0;                  // register-to-register copies, vector or general
  std::vector<std::string> assembly; // AT&T syntax, one instruction each, without the final jump
};

class CodeReader {
public:
  CodeReader();
  ~CodeReader();

  // Returns a routine's innermost loops, ordered by start address. Aborts the process if the object
  // isn't x86-64 code, since these objects are our own.
  std::vector<CodeLoop> innermostLoops(const EmbeddedRoutine &routine) const;

private:
  struct Tools;
  std::unique_ptr<Tools> tools;
};

} // namespace drumlin
