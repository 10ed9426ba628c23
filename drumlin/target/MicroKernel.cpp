#include "drumlin/target/MicroKernel.h"

#include "drumlin/target/ComputeUnits.h"

#include <algorithm>
#include <array>

namespace drumlin {

// Additional rows beyond this number don't pay off: they need more loads of row elements than they
// save loads of columns.
static constexpr int64_t maxRows = 14;

int64_t stepsAtOnce(const CpuTarget &target) { return target.multipliesByElement() ? 2 : 1; }

int64_t maxMicroKernelRows(const CpuTarget &target, int64_t vectors) {
  constexpr int64_t ofRow = 1, unused = 1;
  int64_t columns = vectors * stepsAtOnce(target);
  int64_t sums = target.vectorRegisters() - columns - ofRow - unused;
  return std::clamp<int64_t>(sums / vectors, 0, maxRows);
}

namespace {
// The cycles of micro-kernels that differ only in their number of rows.
struct CountedKernels {
  ComputeUnit unit;
  ElementType sums;
  int64_t width;
  PanelForm form;
  int64_t vectors;
  std::array<double, maxRows> cycles; // with 1 row, 2 rows, …; 0: no such micro-kernel
};
} // namespace

static constexpr CountedKernels counted[] = {
#define MICRO_KERNELS(unit, sums, width, form, vectors, ...)                                       \
  {ComputeUnit::unit, ElementType::sums, width, PanelForm::form, vectors, {__VA_ARGS__}},
#include "drumlin/target/MicroKernels.def"
};

std::optional<double> MicroKernel::countedCycles() const {
  const auto *at = std::ranges::find_if(counted, [&](const CountedKernels &each) {
    return each.unit == unit && each.sums == sums && each.width == width && each.form == form &&
           each.vectors == vectors;
  });
  if (at == std::end(counted) || rows < 1 || rows > maxRows) {
    return std::nullopt;
  }
  double cycles = at->cycles[static_cast<size_t>(rows - 1)];
  return cycles == 0 ? std::nullopt : std::optional(cycles);
}

double MicroKernel::cycles() const {
  if (std::optional<double> known = countedCycles()) {
    return *known;
  }
  // Each accumulator depends on the previous k step. Each row and each column register needs one
  // load per k step.
  constexpr double latency = 4;
  auto loads = static_cast<double>(rows + vectors), sums = static_cast<double>(rows * vectors);
  if (info(unit).multipliesPairs()) {
    // Per k step: one instruction makes two multiply-adds, one load fetches the elements of four
    // steps of a row, or of one step of a column register, and two instructions advance the loop. A
    // core that starts four of these multiplications per cycle dispatches six instructions per
    // cycle (Neoverse V2 in LLVM's model).
    constexpr double dispatched = 6, multiplied = 4, steppingOn = 2;
    double instructions =
        sums / 2 + static_cast<double>(rows) / 4 + static_cast<double>(vectors) + steppingOn;
    return std::max({sums / countedPorts, latency, instructions * multiplied / dispatched});
  }
  return std::max({sums / countedPorts, latency, loads / countedPorts});
}

} // namespace drumlin
