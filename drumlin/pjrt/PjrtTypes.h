// Conversions between element types of the interface and of Drumlin.
#pragma once

#include "drumlin/pjrt/interface/Interface.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/ElementType.h"
#include "drumlin/support/Layout.h"

namespace drumlin::pjrt {

// Convert element types. Fail with UnsupportedType if the other side has no such type.
Result<ElementType> elementTypeOf(BufferType type);
Result<BufferType> bufferTypeOf(ElementType type);

// The type of a framework's array: element type, shape, and the order of its dimensions in memory,
// slowest first (empty: row-major); dense.
struct ArrayType {
  BufferType type = BufferType::Invalid;
  ElementType element = ElementType::F32;
  Shape shape;
  DimensionOrder order = {};

  // Creates a type. Fails with UnsupportedType, and with UnsupportedAttribute for a layout with
  // tiles or gaps. `layout` may be null.
  static Result<ArrayType> make(BufferType type, const int64_t *dims, size_t rank,
                                const BufferMemoryLayout *layout = nullptr);
  size_t bytes() const;
  // Returns the strides in bytes, by dimension.
  Shape strides() const;
};

// Returns the dimension order of a layout; row-major if `layout` is null.
Result<DimensionOrder> orderOf(const BufferMemoryLayout *layout, const ArrayType &array);

// Returns the strides in bytes of a dense array with this dimension order (empty: row-major).
Shape denseStrides(const Shape &shape, const DimensionOrder &order, size_t elementBytes);

// Copies elements between two arrays of this shape. Strides are in bytes, by dimension, and may be
// negative.
void copyElements(const std::byte *from, const Shape &fromStrides, std::byte *to,
                  const Shape &toStrides, const Shape &shape, size_t elementBytes);

} // namespace drumlin::pjrt
