// Element types of the interface and of Drumlin.
#pragma once

#include "drumlin/pjrt/interface/Interface.h"
#include "drumlin/support/Diagnostics.h"
#include "drumlin/support/ElementType.h"
#include "drumlin/support/Layout.h"

namespace drumlin::pjrt {

// UnsupportedType where one side has no such type.
Result<ElementType> elementTypeOf(BufferType type);
Result<BufferType> bufferTypeOf(ElementType type);

// What an array of a framework is: of these sizes, dense, and with its dimensions in this order in
// memory, the slowest first; empty: row-major.
struct ArrayType {
  BufferType type = BufferType::Invalid;
  ElementType element = ElementType::F32;
  Shape shape;
  DimensionOrder order = {};

  // UnsupportedType; UnsupportedAttribute for a layout with tiles or gaps. `layout` may be null.
  static Result<ArrayType> make(BufferType type, const int64_t *dims, size_t rank,
                                const BufferMemoryLayout *layout = nullptr);
  size_t bytes() const;
  // In bytes, by dimension.
  Shape strides() const;
};

// The order that a layout says; row-major where there is none.
Result<DimensionOrder> orderOf(const BufferMemoryLayout *layout, const ArrayType &array);

// Strides in bytes of a dense array whose dimensions lie in this order (empty: row-major).
Shape denseStrides(const Shape &shape, const DimensionOrder &order, size_t elementBytes);

// Copies elements between two arrays of these sizes, in bytes from one to the next of each
// dimension, which may be negative.
void copyElements(const std::byte *from, const Shape &fromStrides, std::byte *to,
                  const Shape &toStrides, const Shape &shape, size_t elementBytes);

} // namespace drumlin::pjrt
