// A dense row-major tensor in memory, with its element type: what array files hold, what the
// interpreter computes on, what a compiled program takes and gives. Elements lie as ElementType.h
// says (sub-byte types take one byte each, in the low bits; signed ones sign-extended, all others
// zero-extended; i1 is 0 or 1).
#pragma once

#include "drumlin/support/ElementType.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace drumlin {

using Shape = std::vector<int64_t>;

// The number of elements, or nothing where it or its size in bytes overflows int64 or a dimension
// is negative.
std::optional<int64_t> elementCount(std::span<const int64_t> shape);
std::optional<int64_t> byteCount(ElementType type, std::span<const int64_t> shape);

// Row-major strides in elements; empty for rank 0.
Shape rowMajorStrides(std::span<const int64_t> shape);

// Copies share the elements (as a view would); clone() makes them one's own.
class Tensor {
public:
  Tensor() = default;
  // Zero-filled, 64-byte aligned memory. The shape's byteCount() must exist and fit in memory:
  // sizes that come from outside go through allocate(). Without memory it fails as `new` does.
  Tensor(ElementType type, Shape shape);
  // The same, or nothing where the size overflows or the system has no such memory.
  static std::optional<Tensor> allocate(ElementType type, Shape shape);
  // A tensor over memory that `owner` keeps alive.
  Tensor(ElementType type, Shape shape, std::shared_ptr<std::byte> data);

  ElementType type() const { return elementType; }
  const Shape &shape() const { return dimensions; }
  int64_t rank() const { return static_cast<int64_t>(dimensions.size()); }
  int64_t dim(int64_t i) const { return dimensions[static_cast<size_t>(i)]; }
  int64_t elements() const { return count; }
  int64_t bytes() const { return count * storageBytes(elementType); }

  std::byte *data() { return memory.get(); }
  const std::byte *data() const { return memory.get(); }
  template <typename T> T *as() { return reinterpret_cast<T *>(memory.get()); }
  template <typename T> const T *as() const { return reinterpret_cast<const T *>(memory.get()); }

  Tensor clone() const;
  // The same elements under another shape with as many of them.
  Tensor withShape(Shape shape) const;

private:
  ElementType elementType = ElementType::F32;
  Shape dimensions;
  int64_t count = 1;
  std::shared_ptr<std::byte> memory;
};

} // namespace drumlin
