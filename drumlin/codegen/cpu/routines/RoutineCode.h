// Reads the machine code of the routines that our build embeds: tests ask what their loops do, and
// the table of their cycles (MicroKernels.def) is counted from them.
#pragma once

#include "drumlin/codegen/cpu/routines/RoutineLibrary.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace drumlin {

// A loop without loops in it.
struct CodeLoop {
  size_t instructions = 0;
  size_t multiplyAdds = 0; // instructions that multiply and add vectors
  size_t stackAccesses = 0;
  size_t moves = 0;                  // from one vector register, or one general one, to another
  std::vector<std::string> assembly; // AT&T syntax, an instruction a line, without the last jump
};

class CodeReader {
public:
  CodeReader();
  ~CodeReader();

  // The innermost loops of a routine, in the order of their beginnings. Fails the process where the
  // object isn't one of code for x86-64: these are our own.
  std::vector<CodeLoop> innermostLoops(const EmbeddedRoutine &routine) const;

private:
  struct Tools;
  std::unique_ptr<Tools> tools;
};

} // namespace drumlin
