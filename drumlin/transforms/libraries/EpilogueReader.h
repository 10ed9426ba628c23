// The steps of a plan.gemm's epilogue, in the order in which libraries do theirs.
#pragma once

#include "drumlin/transforms/libraries/GemmParts.h"

namespace drumlin {

// What says where elements lie by strides alone.
bool isStridedMovement(mlir::Operation *op);

// Fills in the steps; what libraries do otherwise, or not at all, is the limit.
std::optional<PartsLimit> readEpilogue(plan::GemmOp gemm, mlir::Operation *hero,
                                       EpilogueSteps &steps);

} // namespace drumlin
