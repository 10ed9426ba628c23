#include "drumlin/target/KernelLayouts.h"

#include "drumlin/target/LibraryTable.h"
#include "llvm/Support/Casting.h"

namespace drumlin {

namespace {
enum class Machine : uint8_t { Cpu, CublasLt, HipblasLt };
struct Row {
  Machine machine;
  KernelLayouts layouts;
};
} // namespace

static constexpr Row rows[] = {
#define KERNEL_LAYOUTS(name, machine, operands, result, source)                                    \
  {Machine::machine, {name, LayoutNeed::operands, LayoutNeed::result, source}},
#include "drumlin/target/KernelLayouts.def"
};

std::vector<KernelLayouts> kernelLayouts(const Target &target) {
  const auto *gpu = llvm::dyn_cast<GpuTarget>(&target);
  Machine machine = !gpu                                   ? Machine::Cpu
                    : gpu->library == GpuLibrary::CublasLt ? Machine::CublasLt
                                                           : Machine::HipblasLt;
  std::vector<KernelLayouts> found;
  for (const Row &row : rows) {
    if (row.machine == machine) {
      found.push_back(row.layouts);
    }
  }
  return found;
}

bool wantsDepthInRow(const Target &target, ElementType type, bool hasMxScales) {
  const auto *gpu = llvm::dyn_cast<GpuTarget>(&target);
  return gpu && depthInRowRule(*gpu, type, hasMxScales);
}

} // namespace drumlin
