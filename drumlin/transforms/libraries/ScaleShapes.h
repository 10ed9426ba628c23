// Classifies a program's scales as one of the library's scale modes by how they vary along an
// operand.
#pragma once

#include "drumlin/transforms/libraries/GemmParts.h"

namespace drumlin {

// Sizes and scale strides (0: constant) along the free and the contracting dimension of an operand,
// in the library's traversal order.
struct ScalePattern {
  StridedDimension free, contracted;
};

enum class ScaleKind : uint8_t {
  Tensor, // one scale for the whole operand
  Row,    // one scale per free index
  Block,  // one scale per run of contracting indices, for one or several free indices
};

struct ScaleShape {
  ScaleKind kind = ScaleKind::Tensor;
  int64_t depth = 0, free = 0; // sizes of a block
  int64_t freeStride = 0, depthStride = 0;
};

// Returns the shape, or nothing if the scales vary with each contracting index.
std::optional<ScaleShape> scaleShapeOf(const ScalePattern &pattern);

} // namespace drumlin
