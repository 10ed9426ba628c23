// The layouts of operands and results that a target's kernels require: the constraints of layout
// assignment, as data (KernelLayouts.def).
#pragma once

#include "drumlin/support/ElementType.h"
#include "drumlin/target/Target.h"

#include <span>
#include <string_view>
#include <vector>

namespace drumlin {

enum class LayoutNeed : uint8_t { Any, RowMajor, Matrix };

struct KernelLayouts {
  std::string_view name; // empty: the target's default, if no kernel is forced
  LayoutNeed operands, result;
  std::string_view source;
};

// Returns the rows of the target's kernels: the kernels of a GPU's library, or the kernels of CPUs.
// The first row is the default.
std::vector<KernelLayouts> kernelLayouts(const Target &target);

// Returns whether a GPU's library requires the contracting dimension of operands of this type to be
// contiguous.
bool wantsDepthInRow(const Target &target, ElementType type, bool hasMxScales);

} // namespace drumlin
