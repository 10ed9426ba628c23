// How much work code generation puts into a kernel: `plan.effort` on a plan.kernel. Whatever it is,
// the kernel rounds and adds up alike.
#pragma once

#include "drumlin/ir/plan/PlanDialect.h"

#include <optional>
#include <string_view>

namespace drumlin::plan {

enum class CodeEffort : uint8_t {
  Full,  // no attribute: all passes; small products have their routines inlined
  Lean,  // `lean`: routines are called, fewer passes, the full code generator
  Quick, // `quick`: routines are called, fewer passes, the code generator that allocates registers
         // block by block
};

// Nothing for other words.
std::optional<CodeEffort> codeEffortFromName(std::string_view name);
std::string_view codeEffortName(CodeEffort effort);

// Of a kernel whose attribute names one.
CodeEffort codeEffort(KernelOp kernel);
// The kernel's key follows.
void setCodeEffort(KernelOp kernel, CodeEffort effort);

// How much code a kernel is, roughly: operations; the loops of a hero are as much as some dozen.
size_t codeSize(KernelOp kernel);

} // namespace drumlin::plan
