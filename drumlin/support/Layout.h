// The order of a dense tensor's dimensions in memory.
//
// An order lists dimensions from the slowest to the fastest: a tensor with shape [4, 8] and order
// [1, 0] has the same memory as a row-major tensor of shape [8, 4]. As text, orders are written
// like HLO's layouts, from the fastest dimension to the slowest: `{0,1}`.
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
// Whether two orders of one shape give the same bytes: dimensions of one element may be anywhere in
// the order, and all orders of an empty tensor are equal.
bool haveSameBytes(std::span<const int64_t> shape, std::span<const int64_t> a,
                   std::span<const int64_t> b);
// Returns a canonical order that gives the same bytes as `order`: row-major if possible, else the
// order in which dimensions of one element come first.
DimensionOrder canonicalOrder(std::span<const int64_t> shape, std::span<const int64_t> order);

// Returns the shape of the row-major tensor with the same memory as a tensor with this shape and
// order.
Shape physicalShape(std::span<const int64_t> shape, std::span<const int64_t> order);
// Returns the inverse order: order[inverseOrder(order)[i]] = i.
DimensionOrder inverseOrder(std::span<const int64_t> order);

// Returns the order in HLO's syntax, such as `{0,1}`.
std::string layoutText(std::span<const int64_t> order);
// Parses a layout; nothing if the text isn't a layout of `rank` dimensions. Spaces are allowed;
// tiles are not.
std::optional<DimensionOrder> parseLayout(std::string_view text, size_t rank);

// Copies a row-major tensor's elements to memory in this order. Called with the inverse order and
// the physical shape, copies the elements back. `from` and `to` have the tensor's size and don't
// overlap.
void permute(const std::byte *from, std::byte *to, std::span<const int64_t> shape,
             std::span<const int64_t> order, int64_t elementBytes);

// toPhysical() returns the row-major tensor whose memory is that of `tensor` in this order.
// fromPhysical() is the inverse: it returns the tensor that such a physical tensor represents.
Tensor toPhysical(const Tensor &tensor, std::span<const int64_t> order);
Tensor fromPhysical(const Tensor &tensor, std::span<const int64_t> order);

// A layout that also splits dimensions into blocks, as HLO's tiled layouts do. Each dimension with
// a block size above 1 becomes two dimensions: the blocks, and the elements within a block. The
// last block is padded with zeros. `order` orders the resulting dimensions. A matrix [k, n] with
// blocks [2, 16] and order [2, 0, 3, 1] is stored in panels of 16 columns, in which pairs of
// adjacent k elements are contiguous.
struct BlockedLayout {
  Shape shape;                 // the tensor's shape
  std::vector<int64_t> blocks; // one block size per dimension; empty: no dimension is split
  DimensionOrder order;        // slowest first

  // Returns the dimensions after splitting, in the tensor's order.
  Shape cutShape() const;
  // Returns, for each dimension of the tensor, its index in cutShape(). A dimension that is split
  // has the index of the dimension of blocks; the dimension within a block comes next.
  std::vector<int64_t> cutPlaces() const;
  Shape physicalShape() const { return drumlin::physicalShape(cutShape(), order); }
  bool isBlocked() const { return !blocks.empty(); }
  // Whether some blocks are padded.
  bool hasPadding() const;
  // Whether block sizes and order fit the shape; all other functions require this.
  bool isValid() const;
  // Composes a dimension order with this layout: if a tensor's physical form in `order`
  // (toPhysical()) has this layout, returns the layout of the tensor itself.
  BlockedLayout of(std::span<const int64_t> order) const;
  // Returns a text such as `{3,1,2,0}` or `{3,1,2,0} of blocks [2,16]`.
  std::string str() const;
  bool operator==(const BlockedLayout &) const = default;
};

// Copies a row-major tensor's elements to memory in this layout. False if blocks must be padded and
// the system has no memory for that.
bool copyToLayout(const std::byte *from, std::byte *to, const BlockedLayout &layout,
                  int64_t elementBytes);
Tensor toPhysical(const Tensor &tensor, const BlockedLayout &layout);

} // namespace drumlin
