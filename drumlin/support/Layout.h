// The order in which a dense tensor's dimensions lie in memory.
//
// An order lists dimensions from the slowest to the fastest: a tensor with shape [4, 8] and order
// [1, 0] lies in memory as a row-major tensor of shape [8, 4] does. As text, orders are written the
// way HLO writes layouts, from the fastest dimension to the slowest: `{0,1}`.
#pragma once

#include "drumlin/support/Tensor.h"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace drumlin {

using DimensionOrder = std::vector<int64_t>;

DimensionOrder rowMajorOrder(size_t rank);
bool isRowMajor(std::span<const int64_t> order);
// Whether two orders of one shape put the same bytes in the same places: dimensions of one element
// may stand anywhere. Everything does so where there is no element.
bool haveSameBytes(std::span<const int64_t> shape, std::span<const int64_t> a,
                   std::span<const int64_t> b);
// The one order of those with the same bytes that stands for them: row-major where that is one,
// else the one with dimensions of one element in front.
DimensionOrder canonicalOrder(std::span<const int64_t> shape, std::span<const int64_t> order);

// The shape of the row-major tensor that lies in memory as one with this order does.
Shape physicalShape(std::span<const int64_t> shape, std::span<const int64_t> order);
// The reverse of it: order[inverseOrder(order)[i]] = i.
DimensionOrder inverseOrder(std::span<const int64_t> order);

// `{0,1}`
std::string layoutText(std::span<const int64_t> order);
// Nothing where the text is no layout of so many dimensions. Spaces are allowed; tiles are not.
std::optional<DimensionOrder> parseLayout(std::string_view text, size_t rank);

// Copies the elements of a row-major tensor into the order, or, by the inverse order and the
// physical shape, back. The two memories are as large as the tensor and don't overlap.
void permute(const std::byte *from, std::byte *to, std::span<const int64_t> shape,
             std::span<const int64_t> order, int64_t elementBytes);

// The row-major tensor that lies in memory as this one does with the order; and back, given the
// order that it has.
Tensor toPhysical(const Tensor &tensor, std::span<const int64_t> order);
Tensor fromPhysical(const Tensor &tensor, std::span<const int64_t> order);

// A layout that also cuts dimensions into blocks, as HLO's tiled layouts do. Each dimension of a
// block size above 1 becomes two, the blocks and the elements of one, the last block filled up with
// zeros; the order is of what that leaves. A matrix [k, n] with blocks [2, 16] and order [2, 0, 3,
// 1] lies in panels of 16 columns, in which pairs of neighbouring terms of k follow one another.
struct BlockedLayout {
  Shape shape;                 // of the tensor
  std::vector<int64_t> blocks; // a size for each dimension; empty: none is cut
  DimensionOrder order;        // slowest first

  // The dimensions after cutting, in the tensor's order and in that of memory.
  Shape cutShape() const;
  // Of each dimension of the tensor, the one that its blocks became; what is inside of one follows.
  std::vector<int64_t> cutPlaces() const;
  Shape physicalShape() const { return drumlin::physicalShape(cutShape(), order); }
  bool isBlocked() const { return !blocks.empty(); }
  // Whether blocks are filled up.
  bool hasPadding() const;
  // Whether sizes and order are ones of this shape; all else asks for that.
  bool isValid() const;
  // The same memory, of the tensor that lies as one of this shape does in an order.
  BlockedLayout of(std::span<const int64_t> order) const;
  // `{3,1,2,0}`, `{3,1,2,0} of blocks [2,16]`
  std::string str() const;
  bool operator==(const BlockedLayout &) const = default;
};

// Copies a row-major tensor's elements; false where the system has no memory for filling up blocks.
bool copyToLayout(const std::byte *from, std::byte *to, const BlockedLayout &layout,
                  int64_t elementBytes);
Tensor toPhysical(const Tensor &tensor, const BlockedLayout &layout);

} // namespace drumlin
