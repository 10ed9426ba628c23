// Index spaces: lexicographic traversals and strided copies, shared by the kernels that move
// elements.
#pragma once

#include "drumlin/support/Tensor.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace drumlin::interpreter {

using Index = std::vector<int64_t>;

// Moves to the next index in lexicographic order; returns false after the last one.
inline bool advance(Index &index, std::span<const int64_t> shape) {
  for (size_t d = shape.size(); d-- > 0;) {
    if (++index[d] < shape[d]) {
      return true;
    }
    index[d] = 0;
  }
  return false;
}

inline bool isEmpty(std::span<const int64_t> shape) {
  for (int64_t dimension : shape) {
    if (dimension == 0) {
      return true;
    }
  }
  return false;
}

// Calls fn(index) for each index of the space in lexicographic order.
template <typename Fn> void forEachIndex(std::span<const int64_t> shape, Fn fn) {
  if (isEmpty(shape)) {
    return;
  }
  Index index(shape.size(), 0);
  do {
    fn(static_cast<const Index &>(index));
  } while (advance(index, shape));
}

inline bool inBounds(std::span<const int64_t> index, std::span<const int64_t> shape) {
  for (size_t d = 0; d < shape.size(); ++d) {
    if (index[d] < 0 || index[d] >= shape[d]) {
      return false;
    }
  }
  return true;
}

inline int64_t linearIndex(std::span<const int64_t> index, std::span<const int64_t> strides) {
  int64_t position = 0;
  for (size_t d = 0; d < index.size(); ++d) {
    position += index[d] * strides[d];
  }
  return position;
}

inline bool contains(std::span<const int64_t> list, int64_t value) {
  for (int64_t element : list) {
    if (element == value) {
      return true;
    }
  }
  return false;
}

// Returns the numbers 0 ... rank - 1 that aren't in `excluded`, ascending.
inline std::vector<int64_t> remainingDimensions(int64_t rank, std::span<const int64_t> excluded) {
  std::vector<int64_t> rest;
  for (int64_t d = 0; d < rank; ++d) {
    if (!contains(excluded, d)) {
      rest.push_back(d);
    }
  }
  return rest;
}

inline std::vector<int64_t> pick(std::span<const int64_t> values,
                                 std::span<const int64_t> positions) {
  std::vector<int64_t> picked;
  for (int64_t position : positions) {
    picked.push_back(values[static_cast<size_t>(position)]);
  }
  return picked;
}

// Traverses an index space and keeps one linear position for each of several stride vectors.
class StridedTraversal {
public:
  StridedTraversal(std::span<const int64_t> shape, std::vector<std::vector<int64_t>> strides)
      : shape(shape.begin(), shape.end()), strides(std::move(strides)), index(shape.size(), 0),
        positions(this->strides.size(), 0), ended(isEmpty(shape)) {}

  bool done() const { return ended; }
  int64_t position(size_t operand) const { return positions[operand]; }
  void next() {
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) {
        for (size_t k = 0; k < positions.size(); ++k) {
          positions[k] += strides[k][d];
        }
        return;
      }
      for (size_t k = 0; k < positions.size(); ++k) {
        positions[k] -= strides[k][d] * (shape[d] - 1);
      }
      index[d] = 0;
    }
    ended = true;
  }

private:
  std::vector<int64_t> shape;
  std::vector<std::vector<int64_t>> strides;
  Index index;
  std::vector<int64_t> positions;
  bool ended;
};

// Copies target[sum(i * targetStrides)] = source[sum(i * sourceStrides)] for each index i of
// `shape`. Strides are in elements of `elementBytes` bytes and may be zero or negative.
void copyStrided(unsigned elementBytes, std::span<const int64_t> shape, const std::byte *source,
                 std::span<const int64_t> sourceStrides, std::byte *target,
                 std::span<const int64_t> targetStrides);

// Fills `count` elements with the element at `value`.
void fill(unsigned elementBytes, std::byte *target, int64_t count, const std::byte *value);

} // namespace drumlin::interpreter
