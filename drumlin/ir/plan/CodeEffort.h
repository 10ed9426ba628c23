// How much work code generation spends on a kernel: the attribute `plan.effort` of a plan.kernel.
// The effort does not affect rounding or the order of additions.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"

#include <optional>
#include <string_view>

namespace drumlin::plan {
class KernelOp;
}

namespace drumlin::plan {

enum class CodeEffort : uint8_t {
  Full,  // no attribute: all passes; small GEMMs have their routines inlined
  Lean,  // `lean`: fewer passes, then the full code generator; GEMMs call their routines
  Quick, // `quick`: fewer passes, then the code generator that allocates registers block by block;
         // GEMMs call their routines
};

// Returns the effort with this name, or nothing if the name is unknown.
std::optional<CodeEffort> codeEffortFromName(std::string_view name);
std::string_view codeEffortName(CodeEffort effort);

// Returns the effort in the kernel's attribute, or Full if it has no such attribute.
CodeEffort codeEffort(KernelOp kernel);
// Sets the effort and updates the kernel's key.
void setCodeEffort(KernelOp kernel, CodeEffort effort);

// Returns the approximate code size of a kernel in operations; the loops of a hero count as a few
// dozen operations.
size_t codeSize(KernelOp kernel);

} // namespace drumlin::plan
