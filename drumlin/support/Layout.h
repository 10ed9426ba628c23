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

} // namespace drumlin
