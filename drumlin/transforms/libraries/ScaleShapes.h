// Which of a library's scales a program's scales are, by where they change along an operand.
#pragma once

#include "drumlin/transforms/libraries/GemmParts.h"

namespace drumlin {

// Along the free and the contracted dimension of an operand, in the order in which the library
// walks them: sizes, and the scale's strides (0: the same for all).
struct ScalePattern {
  StridedDimension free, contracted;
};

enum class ScaleKind : uint8_t {
  Tensor, // one for all
  Row,    // one for each free index
  Block,  // one for a run of contracted indices, of one or several free ones
};

struct ScaleShape {
  ScaleKind kind = ScaleKind::Tensor;
  int64_t depth = 0, free = 0; // a block's sizes
  int64_t freeStride = 0, depthStride = 0;
};

// Nothing where it has no such shape: it changes with each contracted index.
std::optional<ScaleShape> scaleShapeOf(const ScalePattern &pattern);

} // namespace drumlin
