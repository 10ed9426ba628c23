// What the kernels of a target ask of the layouts of operands and results: the constraints of
// layout assignment, as data (KernelLayouts.def).
#pragma once

#include "drumlin/support/ElementType.h"
#include "drumlin/target/Target.h"

#include <span>
#include <string_view>
#include <vector>

namespace drumlin {

enum class LayoutNeed : uint8_t { Any, RowMajor, Matrix };

struct KernelLayouts {
  std::string_view name; // empty: what the target takes where nothing is forced
  LayoutNeed operands, result;
  std::string_view source;
};

// The kernels of a GPU's library, or of CPUs for every other target; the first one is the default.
std::vector<KernelLayouts> kernelLayouts(const Target &target);

// Whether a GPU's library takes an operand of the type only with its contracting dimension
// contiguous.
bool wantsDepthInRow(const Target &target, ElementType type, bool hasMxScales);

} // namespace drumlin
