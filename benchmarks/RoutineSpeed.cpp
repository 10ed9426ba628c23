// Times the main loop of each micro-kernel that this processor supports, on one core, for
// comparison with the cycles in MicroKernels.def. `./dev bench routines` runs this program. Prints
// one line for each micro-kernel: its name, counted cycles and measured cycles. The argument
// selects micro-kernels whose names contain it.
#include "drumlin/codegen/cpu/gemm/MultiplyRoutine.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Memory.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <vector>

namespace drumlin {

using Function = void (*)(const void *rows, int64_t rowStride, const void *panels,
                          int64_t panelStride, int64_t panelsBehind, void *sums, int64_t sumStride,
                          void *columnSums, int64_t tileRows, int64_t tileColumns, int64_t units,
                          int64_t isFirst, int64_t unitStride, int64_t prefetched);

static constexpr int64_t calls = 200, passes = 40, maxUnits = 256;
static constexpr size_t lineBytes = 64;

// Returns the nanoseconds of one cycle, measured with additions that depend on each other.
static double nanosecondsOfCycle() {
  constexpr int64_t additions = 64 * 2000;
  uint64_t value = 1;
  auto begin = std::chrono::steady_clock::now();
  for (int64_t i = 0; i < additions; i += 64) {
#pragma clang loop unroll(full)
    for (int j = 0; j < 64; ++j) {
      asm volatile("add %0, %0" : "+r"(value));
    }
  }
  std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
  return taken.count() / static_cast<double>(additions);
}

namespace {
// A routine's code, made executable. The timed routines refer to nothing outside their code.
class LoadedRoutine {
public:
  explicit LoadedRoutine(const EmbeddedRoutine &routine) {
    llvm::StringRef bytes(reinterpret_cast<const char *>(routine.object.data()),
                          routine.object.size());
    auto object = llvm::cantFail(
        llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(bytes, routine.name)));
    for (const llvm::object::SectionRef &section : object->sections()) {
      if (section.isText() && section.getSize() != 0) {
        llvm::StringRef code = llvm::cantFail(section.getContents());
        std::error_code error;
        block = llvm::sys::Memory::allocateMappedMemory(
            code.size(), nullptr, llvm::sys::Memory::MF_READ | llvm::sys::Memory::MF_WRITE, error);
        std::memcpy(block.base(), code.data(), code.size());
        llvm::sys::Memory::protectMappedMemory(block, llvm::sys::Memory::MF_READ |
                                                          llvm::sys::Memory::MF_EXEC);
      }
    }
  }
  ~LoadedRoutine() { llvm::sys::Memory::releaseMappedMemory(block); }
  LoadedRoutine(const LoadedRoutine &) = delete;
  LoadedRoutine &operator=(const LoadedRoutine &) = delete;

  Function function() const { return reinterpret_cast<Function>(block.base()); }

private:
  llvm::sys::MemoryBlock block;
};
} // namespace

// Returns the cycles of one step. These are computed from calls with different numbers of steps, so
// that the time outside the steps cancels.
static double measure(const codegen::MultiplyRoutine &routine, Function function, int64_t width,
                      std::byte *memory) {
  std::byte *rows = memory, *panels = rows + (32 << 10), *sums = panels + (64 << 10);
  int64_t columns = routine.vectors * width;
  // Chooses the number of steps so that one call's data stays in L1.
  int64_t bytes = columns * 4 + routine.rows * 4;
  int64_t manyUnits = std::min((20 << 10) / bytes, maxUnits) / 16 * 16, fewUnits = manyUnits / 2;
  int64_t rowStride = manyUnits + 16;
  int64_t panelStride = routine.inPlace ? width : (manyUnits + 1) * width;
  int64_t unitStride = routine.inPlace ? columns + 16 : width;
  auto timeOf = [&](int64_t units) {
    auto begin = std::chrono::steady_clock::now();
    for (int64_t call = 0; call < calls; ++call) {
      function(rows, rowStride, panels, panelStride, routine.vectors - 1, sums, columns + 16,
               nullptr, routine.rows, columns, units, 1, unitStride, 1);
    }
    std::chrono::duration<double, std::nano> taken = std::chrono::steady_clock::now() - begin;
    return taken.count() / static_cast<double>(calls);
  };
  double few = 1e30, many = 1e30, cycle = 1e30;
  for (int64_t pass = 0; pass < passes; ++pass) {
    few = std::min(few, timeOf(fewUnits));
    many = std::min(many, timeOf(manyUnits));
    cycle = std::min(cycle, nanosecondsOfCycle());
  }
  return (many - few) / static_cast<double>(manyUnits - fewUnits) / cycle;
}

static int run(llvm::StringRef filter) {
  CpuTarget native = *cpuTargetFromName("native");
  std::vector<std::byte> unaligned(128 << 10);
  void *memory = unaligned.data();
  size_t space = unaligned.size();
  std::align(lineBytes, 112 << 10, memory, space);
  for (std::string_view level : routineLevels) {
    CpuTarget target = *cpuTargetFromName(level);
    for (const codegen::MultiplyRoutine &routine : codegen::sharedMultiplies(target)) {
      const EmbeddedRoutine *embedded = embeddedRoutines().find(routine.name(target), native);
      // Leaves out routines that add an offset of 128 to their rows: these refer to constants
      // outside their code, and have the same main loops as other routines.
      if (!embedded || embedded->level != level || routine.movesRows ||
          !llvm::StringRef(embedded->name).contains(filter)) {
        continue;
      }
      LoadedRoutine loaded(*embedded);
      MicroKernel kernel = routine.microKernel(target);
      double measured =
          measure(routine, loaded.function(), kernel.width, static_cast<std::byte *>(memory));
      llvm::outs() << embedded->name << " " << llvm::format("%.2f", kernel.cycles()) << " "
                   << llvm::format("%.2f", measured) << "\n";
    }
  }
  return 0;
}

} // namespace drumlin

int main(int argc, char **argv) { return drumlin::run(argc > 1 ? argv[1] : ""); }
