// A dense row-major tensor in memory, with its element type: the contents of array files, the
// interpreter's values, the arguments and results of compiled programs. Elements are stored as
// ElementType.h says (sub-byte types take one byte each, in the low bits; signed ones
// sign-extended, all others zero-extended; i1 is 0 or 1).
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

// Return the number of elements or of bytes; nothing if it overflows int64 or a dimension is
// negative.
std::optional<int64_t> elementCount(std::span<const int64_t> shape);
std::optional<int64_t> byteCount(ElementType type, std::span<const int64_t> shape);

// Returns row-major strides in elements; empty for rank 0.
Shape rowMajorStrides(std::span<const int64_t> shape);

// A tensor. Copies share the elements, as views do; clone() copies them.
class Tensor {
public:
  Tensor() = default;
  // Creates a tensor in zero-filled, 64-byte aligned memory. The shape's byteCount() must exist and
  // fit in memory: use allocate() for sizes from outside. Without memory it fails as `new` does.
  Tensor(ElementType type, Shape shape);
  // Creates a tensor as the constructor does; nothing if the size overflows or the system has too
  // little memory.
  static std::optional<Tensor> allocate(ElementType type, Shape shape);
  // Creates a tensor over memory that `data` owns.
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
  // Returns a tensor that shares the elements under another shape with the same number of elements.
  Tensor withShape(Shape shape) const;

private:
  ElementType elementType = ElementType::F32;
  Shape dimensions;
  int64_t count = 1;
  std::shared_ptr<std::byte> memory;
};

} // namespace drumlin
