// What a GEMM kernel of a target does, from its schedule alone: no code is made.
#pragma once

#include "drumlin/ir/plan/Cost.h"
#include "drumlin/target/CpuTarget.h"

namespace drumlin::codegen {

// Nothing for kernels of other kinds, and for those that have no native code.
std::optional<HeroCounts> gemmCounts(plan::KernelOp kernel, const CpuTarget &target);

// The dot or convolution of a GEMM kernel whose products the target's bf16 dot instruction takes;
// null where it takes none.
mlir::Operation *bf16DotHero(plan::KernelOp kernel, const CpuTarget &target);

// What multiplies and adds in a GEMM kernel; Single for kernels of other kinds.
enum class ProductUnit { Single, Bf16Pairs, Int16Pairs };
ProductUnit productUnitOf(plan::KernelOp kernel, const CpuTarget &target);

} // namespace drumlin::codegen
