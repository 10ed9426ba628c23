#include "drumlin/transforms/libraries/ScaleShapes.h"

namespace drumlin {

static bool isUniform(const StridedDimension &dimension) {
  return llvm::all_of(dimension, [](StridedFactor factor) { return factor.stride == 0; });
}

// Reads a dimension of the form [blocks][elements that share a scale]: sets the size of a block and
// the stride between blocks.
static bool readBlocks(const StridedDimension &dimension, int64_t &block, int64_t &stride) {
  bool isShared = !dimension.empty() && dimension.back().stride == 0;
  block = isShared ? dimension.back().size : 1;
  size_t changing = dimension.size() - (isShared ? 1 : 0);
  stride = changing == 1 ? dimension.front().stride : 0;
  return changing <= 1;
}

std::optional<ScaleShape> scaleShapeOf(const ScalePattern &pattern) {
  ScaleShape shape;
  if (isUniform(pattern.free) && isUniform(pattern.contracted)) {
    return shape;
  }
  if (!readBlocks(pattern.free, shape.free, shape.freeStride) ||
      !readBlocks(pattern.contracted, shape.depth, shape.depthStride)) {
    return std::nullopt;
  }
  if (isUniform(pattern.contracted)) {
    shape.kind = ScaleKind::Row;
    return shape.free == 1 ? std::optional(shape) : std::nullopt;
  }
  // Scales that vary with each contracting index are not block scales.
  shape.kind = ScaleKind::Block;
  return shape.depth > 1 ? std::optional(shape) : std::nullopt;
}

} // namespace drumlin
