// Writes the main loop of each micro-kernel in llvm-mca's input format; scripts/cycles.py counts
// the cycles.
#include "drumlin/codegen/cpu/routines/RoutineCode.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

int main() {
  drumlin::CodeReader reader;
  for (const drumlin::EmbeddedRoutine &routine : drumlin::embeddedRoutines().all()) {
    if (!routine.name.starts_with("routine_multiply_")) {
      continue;
    }
    std::vector<drumlin::CodeLoop> loops = reader.innermostLoops(routine);
    const auto &main =
        *llvm::max_element(loops, [](const drumlin::CodeLoop &x, const drumlin::CodeLoop &y) {
          return x.multiplyAdds < y.multiplyAdds;
        });
    llvm::outs() << "# LLVM-MCA-BEGIN " << routine.name << "\n";
    for (const std::string &line : main.assembly) {
      llvm::outs() << line << "\n";
    }
    llvm::outs() << "# LLVM-MCA-END\n";
  }
  return 0;
}
