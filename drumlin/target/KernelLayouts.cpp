#include "drumlin/target/KernelLayouts.h"

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

std::vector<KernelLayouts> kernelLayouts(const GpuTarget *gpu) {
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

} // namespace drumlin
