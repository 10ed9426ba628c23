// Checks the routines that our build embeds: all are present, each runs on processors of its level,
// and none needs other symbols.
#include "drumlin/codegen/cpu/gemm/MultiplyRoutine.h"
#include "drumlin/codegen/cpu/gemm/PackRoutine.h"
#include "drumlin/codegen/cpu/gemm/StoreRoutine.h"
#include "drumlin/codegen/cpu/gemm/StreamRoutine.h"
#include "drumlin/codegen/cpu/triangular/PanelRoutines.h"
#include "llvm/Object/ELFObjectFile.h"
#include "gtest/gtest.h"

#include <set>

namespace drumlin {

static CpuTarget level(const char *name) { return *cpuTargetFromName(name); }

// Returns the names of all routines that kernels for a target may call.
static std::vector<std::string> namesFor(const CpuTarget &target) {
  std::vector<std::string> names;
  for (const codegen::MultiplyRoutine &routine : codegen::sharedMultiplies(target)) {
    names.push_back(routine.name(target));
  }
  for (const codegen::PackRoutine &routine : codegen::sharedPackings(target)) {
    names.push_back(routine.name(target));
  }
  for (const codegen::StreamRoutine &routine : codegen::sharedStreams(target)) {
    names.push_back(routine.name(target));
  }
  for (const codegen::StoreRoutine &routine : codegen::sharedStores()) {
    names.push_back(routine.name(target));
  }
  for (const codegen::EliminateRoutine &routine : codegen::sharedEliminations()) {
    names.push_back(routine.name(target));
  }
  for (const codegen::FactorRoutine &routine : codegen::sharedFactorizations()) {
    names.push_back(routine.name(target));
  }
  return names;
}

TEST(RoutineLibrary, HasAllThatKernelsShare) {
  std::set<std::string> all;
  for (const char *name : {"x86-64-v3", "x86-64-v4", "avx512", "amx", "sapphirerapids", "znver4"}) {
    CpuTarget target = level(name);
    for (const std::string &routine : namesFor(target)) {
      EXPECT_NE(embeddedRoutines().find(routine, target), nullptr) << routine << " for " << name;
      all.insert(routine);
    }
  }
  EXPECT_EQ(all.size(), embeddedRoutines().all().size());
}

TEST(RoutineLibrary, NamesAreSortedAndUnlike) {
  std::span<const EmbeddedRoutine> routines = embeddedRoutines().all();
  for (size_t i = 1; i < routines.size(); ++i) {
    EXPECT_LT(routines[i - 1].name, routines[i].name);
  }
}

TEST(RoutineLibrary, GivesNothingThatTheProcessorCannotRun) {
  for (const EmbeddedRoutine &routine : embeddedRoutines().all()) {
    EXPECT_EQ(embeddedRoutines().find(routine.name, level("baseline")), nullptr);
    bool needsDots = routine.level == "x86-64-v4-dot";
    bool isFound = embeddedRoutines().find(routine.name, level("x86-64-v4"));
    EXPECT_EQ(isFound, !needsDots) << routine.name;
    CpuTarget less = level("x86-64-v4-dot,-fma");
    EXPECT_EQ(embeddedRoutines().find(routine.name, less), nullptr) << routine.name;
  }
}

TEST(RoutineLibrary, ObjectsDefineOneFunctionAndImportNothing) {
  for (const EmbeddedRoutine &routine : embeddedRoutines().all()) {
    llvm::StringRef bytes(reinterpret_cast<const char *>(routine.object.data()),
                          routine.object.size());
    auto object =
        llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(bytes, routine.name));
    ASSERT_TRUE(bool(object)) << routine.name;
    std::vector<std::string> global, undefined;
    for (const llvm::object::ELFSymbolRef symbol :
         llvm::cast<llvm::object::ELFObjectFileBase>(**object).symbols()) {
      std::string name = symbol.getName()->str();
      uint32_t flags = *symbol.getFlags();
      if ((flags & llvm::object::SymbolRef::SF_Undefined) != 0 && !name.empty()) {
        undefined.push_back(name);
      } else if ((flags & llvm::object::SymbolRef::SF_Global) != 0) {
        global.push_back(name);
      }
    }
    EXPECT_EQ(global, std::vector<std::string>{std::string(routine.name)});
    EXPECT_TRUE(undefined.empty()) << routine.name << " needs " << undefined.front();
  }
}

} // namespace drumlin
