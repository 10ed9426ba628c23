// Compiles the shared routines at build time: `EmbedRoutines OBJECTS TABLE` writes the concatenated
// objects to OBJECTS and, for EmbeddedRoutines.cpp, a table with one line per routine to TABLE.
#include "drumlin/codegen/cpu/ObjectEmitter.h"
#include "drumlin/codegen/cpu/gemm/MultiplyRoutine.h"
#include "drumlin/codegen/cpu/gemm/PackRoutine.h"
#include "drumlin/codegen/cpu/gemm/StoreRoutine.h"
#include "drumlin/codegen/cpu/gemm/StreamRoutine.h"
#include "drumlin/codegen/cpu/routines/RoutineLibrary.h"
#include "drumlin/codegen/cpu/triangular/PanelRoutines.h"
#include "drumlin/support/AtomicFile.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <map>

namespace drumlin {

struct CompiledRoutine {
  std::string level;
  std::string object;
};

static void orDie(const Diagnostic &diagnostic) {
  llvm::errs() << "EmbedRoutines: " << diagnostic.message << "\n";
  std::exit(1);
}

static std::string compile(const codegen::Routine &routine, const CpuTarget &target,
                           codegen::ObjectEmitter &emitter) {
  llvm::LLVMContext context;
  llvm::Module module("routine", context);
  routine.exported(module, target);
  Result<llvm::SmallVector<char, 0>> object = emitter.emit(module);
  if (!object) {
    orDie(object.error());
  }
  return std::string(object->begin(), object->end());
}

static void write(const char *path, const std::string &content) {
  if (Status status = writeFile(path, content); !status) {
    orDie(status.error());
  }
}

static int run(const char *objectsPath, const char *tablePath) {
  std::map<std::string, CompiledRoutine> routines;
  for (std::string_view level : routineLevels) {
    Result<CpuTarget> target = cpuTargetFromName(level);
    if (!target) {
      orDie(target.error());
    }
    codegen::ObjectEmitter emitter(*target);
    auto add = [&](const codegen::Routine &routine) {
      std::string name = routine.name(*target);
      if (!routines.contains(name)) {
        routines[name] = {std::string(level), compile(routine, *target, emitter)};
      }
    };
    llvm::for_each(codegen::sharedMultiplies(*target), add);
    llvm::for_each(codegen::sharedPackings(*target), add);
    llvm::for_each(codegen::sharedStreams(*target), add);
    llvm::for_each(codegen::sharedStores(), add);
    llvm::for_each(codegen::sharedEliminations(), add);
    llvm::for_each(codegen::sharedFactorizations(), add);
  }
  std::string objects, table;
  for (const auto &[name, routine] : routines) {
    objects.resize((objects.size() + 15) / 16 * 16);
    table += "routine(\"" + name + "\", \"" + routine.level + "\", " +
             std::to_string(objects.size()) + ", " + std::to_string(routine.object.size()) + "),\n";
    objects += routine.object;
  }
  write(objectsPath, objects);
  write(tablePath, table);
  return 0;
}

} // namespace drumlin

int main(int argc, char **argv) {
  if (argc != 3) {
    llvm::errs() << "usage: EmbedRoutines OBJECTS TABLE\n";
    return 2;
  }
  return drumlin::run(argv[1], argv[2]);
}
