#include "drumlin/pjrt/PjrtTypes.h"

#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace drumlin::pjrt {

Result<ElementType> elementTypeOf(BufferType type) {
  switch (type) {
#define DRUMLIN_BUFFER_TYPE(bufferType, elementType)                                               \
  case BufferType::bufferType:                                                                     \
    return ElementType::elementType;
#include "drumlin/pjrt/PjrtTypes.def"
  case BufferType::Token: // has no elements
    return ElementType::I1;
  default:
    return diagnose(errors::UnsupportedType, "arrays with elements of the interface's type " +
                                                 std::to_string(static_cast<int>(type)) +
                                                 " aren't StableHLO's");
  }
}

Result<BufferType> bufferTypeOf(ElementType type) {
  switch (type) {
#define DRUMLIN_BUFFER_TYPE(bufferType, elementType)                                               \
  case ElementType::elementType:                                                                   \
    return BufferType::bufferType;
#include "drumlin/pjrt/PjrtTypes.def"
  default:
    return diagnose(errors::UnsupportedType,
                    "the interface has no type for elements of `" + std::string(name(type)) + "`");
  }
}

Result<ArrayType> ArrayType::make(BufferType type, const int64_t *dims, size_t rank,
                                  const BufferMemoryLayout *layout) {
  Result<ElementType> element = elementTypeOf(type);
  if (!element) {
    return element.error();
  }
  ArrayType array = {type, *element, Shape(dims, dims + rank)};
  if (!byteCount(*element, array.shape)) {
    return diagnose(errors::TensorTooLarge,
                    "a dimension of an array is negative, or the array has 2^63 bytes or more");
  }
  Result<DimensionOrder> order = orderOf(layout, array);
  if (!order) {
    return order.error();
  }
  array.order = std::move(*order);
  return array;
}

size_t ArrayType::bytes() const { return static_cast<size_t>(*byteCount(element, shape)); }

Shape ArrayType::strides() const { return denseStrides(shape, order, storageBytes(element)); }

Shape denseStrides(const Shape &shape, const DimensionOrder &order, size_t elementBytes) {
  Shape strides(shape.size());
  uint64_t stride = elementBytes; // unsigned, since strides of empty arrays may overflow
  for (size_t i = shape.size(); i-- > 0;) {
    auto dimension = order.empty() ? i : static_cast<size_t>(order[i]);
    strides[dimension] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(std::max<int64_t>(shape[dimension], 1));
  }
  return strides;
}

// Returns the dense order with these strides, if there is one. Dimensions of one element, and
// arrays without elements, may have any strides.
static std::optional<DimensionOrder> orderOfStrides(const Shape &shape, const int64_t *strides,
                                                    size_t elementBytes) {
  DimensionOrder order, units;
  for (size_t i = 0; i < shape.size(); ++i) {
    (shape[i] == 1 ? units : order).push_back(static_cast<int64_t>(i));
  }
  std::ranges::sort(order, [&](int64_t a, int64_t b) {
    return strides[a] != strides[b] ? strides[a] > strides[b] : a < b;
  });
  order.insert(order.begin(), units.begin(), units.end());
  Shape dense = denseStrides(shape, order, elementBytes);
  bool isEmpty = std::ranges::find(shape, 0) != shape.end();
  for (size_t i = 0; i < shape.size(); ++i) {
    if (!isEmpty && shape[i] > 1 && strides[i] != dense[i]) {
      return std::nullopt;
    }
  }
  return canonicalOrder(shape, order);
}

Result<DimensionOrder> orderOf(const BufferMemoryLayout *layout, const ArrayType &array) {
  if (!layout) {
    return DimensionOrder();
  }
  auto refuse = [](const char *what) {
    return diagnose(errors::UnsupportedAttribute, std::string("the memory layout ") + what, {},
                    "lay arrays out densely, without tiles");
  };
  size_t rank = array.shape.size();
  std::optional<DimensionOrder> order;
  if (layout->type == MemoryLayoutType::Strides) {
    if (layout->strides.numByteStrides == rank) {
      order = orderOfStrides(array.shape, layout->strides.byteStrides, storageBytes(array.element));
    }
    if (!order) {
      return refuse("has strides with gaps");
    }
  } else if (layout->type != MemoryLayoutType::Tiled) {
    return refuse("is of a kind that the interface doesn't have");
  } else {
    if (layout->tiled.numTiles != 0) {
      return refuse("has tiles");
    }
    const int64_t *fastestFirst = layout->tiled.minorToMajor;
    order = DimensionOrder(fastestFirst, fastestFirst + layout->tiled.minorToMajorSize);
    std::ranges::reverse(*order);
    DimensionOrder sorted = *order;
    std::ranges::sort(sorted);
    if (sorted != rowMajorOrder(rank)) {
      return refuse("names other dimensions than the array has");
    }
  }
  return isRowMajor(*order) ? DimensionOrder() : *order;
}

void copyElements(const std::byte *from, const Shape &fromStrides, std::byte *to,
                  const Shape &toStrides, const Shape &shape, size_t elementBytes) {
  if (std::ranges::find(shape, 0) != shape.end()) {
    return;
  }
  // Sorts the dimensions by the target's strides, largest first, and merges those that are
  // contiguous in both arrays.
  DimensionOrder order(shape.size());
  std::iota(order.begin(), order.end(), 0);
  std::erase_if(order, [&](int64_t i) { return shape[static_cast<size_t>(i)] == 1; });
  auto at = [](const Shape &values, int64_t i) { return values[static_cast<size_t>(i)]; };
  std::ranges::sort(order, [&](int64_t a, int64_t b) {
    return at(toStrides, a) != at(toStrides, b) ? at(toStrides, a) > at(toStrides, b) : a < b;
  });
  auto piece = static_cast<int64_t>(elementBytes);
  while (!order.empty() && at(toStrides, order.back()) == piece &&
         at(fromStrides, order.back()) == piece) {
    piece *= at(shape, order.back());
    order.pop_back();
  }
  Shape index(order.size());
  for (;;) {
    std::memcpy(to, from, static_cast<size_t>(piece));
    size_t i = order.size();
    for (; i-- > 0;) {
      int64_t dimension = order[i];
      from += at(fromStrides, dimension);
      to += at(toStrides, dimension);
      if (++index[i] < at(shape, dimension)) {
        break;
      }
      from -= at(fromStrides, dimension) * index[i];
      to -= at(toStrides, dimension) * index[i];
      index[i] = 0;
    }
    if (i == static_cast<size_t>(-1)) {
      return;
    }
  }
}

} // namespace drumlin::pjrt
