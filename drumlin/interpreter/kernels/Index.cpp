#include "drumlin/interpreter/kernels/Index.h"

#include <cstring>

namespace drumlin::interpreter {

namespace {
// A 16-byte element, for complex<f64>.
struct Pair {
  uint64_t low, high;
};
} // namespace

template <typename T>
static void copyRow(int64_t count, const std::byte *source, int64_t sourceStride, std::byte *target,
                    int64_t targetStride) {
  const T *from = reinterpret_cast<const T *>(source);
  T *to = reinterpret_cast<T *>(target);
  for (int64_t i = 0; i < count; ++i) {
    to[i * targetStride] = from[i * sourceStride];
  }
}

static void copyRow(unsigned elementBytes, int64_t count, const std::byte *source,
                    int64_t sourceStride, std::byte *target, int64_t targetStride) {
  if (sourceStride == 1 && targetStride == 1) {
    std::memcpy(target, source, static_cast<size_t>(count) * elementBytes);
    return;
  }
  switch (elementBytes) {
  case 1:
    return copyRow<uint8_t>(count, source, sourceStride, target, targetStride);
  case 2:
    return copyRow<uint16_t>(count, source, sourceStride, target, targetStride);
  case 4:
    return copyRow<uint32_t>(count, source, sourceStride, target, targetStride);
  case 8:
    return copyRow<uint64_t>(count, source, sourceStride, target, targetStride);
  default:
    return copyRow<Pair>(count, source, sourceStride, target, targetStride);
  }
}

void copyStrided(unsigned elementBytes, std::span<const int64_t> shape, const std::byte *source,
                 std::span<const int64_t> sourceStrides, std::byte *target,
                 std::span<const int64_t> targetStrides) {
  if (isEmpty(shape)) {
    return;
  }
  if (shape.empty()) {
    std::memcpy(target, source, elementBytes);
    return;
  }
  size_t inner = shape.size() - 1;
  std::span<const int64_t> outer = shape.first(inner);
  auto first = [&](std::span<const int64_t> strides) {
    return std::vector<int64_t>(strides.begin(),
                                strides.begin() + static_cast<std::ptrdiff_t>(inner));
  };
  int64_t bytes = elementBytes;
  for (StridedTraversal traversal(outer, {first(sourceStrides), first(targetStrides)});
       !traversal.done(); traversal.next()) {
    copyRow(elementBytes, shape[inner], source + traversal.position(0) * bytes,
            sourceStrides[inner], target + traversal.position(1) * bytes, targetStrides[inner]);
  }
}

void fill(unsigned elementBytes, std::byte *target, int64_t count, const std::byte *value) {
  if (count == 0) {
    return;
  }
  copyRow(elementBytes, count, value, 0, target, 1);
}

} // namespace drumlin::interpreter
