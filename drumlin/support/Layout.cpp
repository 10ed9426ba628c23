#include "drumlin/support/Layout.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <cstring>
#include <numeric>

namespace drumlin {

// The limit on a layout's block size; registers and tiles have fewer elements.
static constexpr int64_t maxBlock = 256;

DimensionOrder rowMajorOrder(size_t rank) {
  DimensionOrder order(rank);
  std::iota(order.begin(), order.end(), 0);
  return order;
}

bool isRowMajor(std::span<const int64_t> order) { return std::ranges::is_sorted(order); }

static DimensionOrder withoutSingles(std::span<const int64_t> shape,
                                     std::span<const int64_t> order) {
  DimensionOrder kept;
  std::ranges::copy_if(order, std::back_inserter(kept), [&](int64_t dimension) {
    return shape[static_cast<size_t>(dimension)] != 1;
  });
  return kept;
}

bool haveSameBytes(std::span<const int64_t> shape, std::span<const int64_t> a,
                   std::span<const int64_t> b) {
  return std::ranges::find(shape, 0) != shape.end() ||
         withoutSingles(shape, a) == withoutSingles(shape, b);
}

DimensionOrder canonicalOrder(std::span<const int64_t> shape, std::span<const int64_t> order) {
  if (haveSameBytes(shape, order, rowMajorOrder(shape.size()))) {
    return rowMajorOrder(shape.size());
  }
  DimensionOrder canonical;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) {
      canonical.push_back(static_cast<int64_t>(i));
    }
  }
  std::ranges::copy(withoutSingles(shape, order), std::back_inserter(canonical));
  return canonical;
}

Shape physicalShape(std::span<const int64_t> shape, std::span<const int64_t> order) {
  Shape physical;
  for (int64_t dimension : order) {
    physical.push_back(shape[static_cast<size_t>(dimension)]);
  }
  return physical;
}

DimensionOrder inverseOrder(std::span<const int64_t> order) {
  DimensionOrder inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  }
  return inverse;
}

std::string layoutText(std::span<const int64_t> order) {
  std::string text = "{";
  for (size_t i = order.size(); i-- > 0;) {
    text += std::to_string(order[i]) + (i == 0 ? "" : ",");
  }
  return text + "}";
}

std::optional<DimensionOrder> parseLayout(std::string_view text, size_t rank) {
  std::string dense;
  std::ranges::copy_if(text, std::back_inserter(dense), [](char c) { return c != ' '; });
  if (dense.size() < 2 || dense.front() != '{' || dense.back() != '}') {
    return std::nullopt;
  }
  DimensionOrder order;
  const char *at = dense.data() + 1;
  const char *end = dense.data() + dense.size() - 1;
  while (at != end) {
    int64_t dimension = -1;
    auto [next, error] = std::from_chars(at, end, dimension);
    bool ends = next == end, goesOn = !ends && *next == ',' && next + 1 != end;
    if (error != std::errc() || (!ends && !goesOn)) {
      return std::nullopt;
    }
    order.push_back(dimension);
    at = ends ? end : next + 1;
  }
  std::ranges::reverse(order);
  DimensionOrder sorted = order;
  std::ranges::sort(sorted);
  if (sorted != rowMajorOrder(rank)) {
    return std::nullopt;
  }
  return order;
}

// Transposes: copies from[column * readStride + row] to to[row * writeStride + column].
template <typename Element>
static void transposeElements(const std::byte *from, std::byte *to, int64_t rows, int64_t columns,
                              int64_t readStride, int64_t writeStride) {
  constexpr int64_t bytes = sizeof(Element);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t column = 0; column < columns; ++column) {
      Element element;
      std::memcpy(&element, from + (column * readStride + row) * bytes, sizeof(Element));
      std::memcpy(to + (row * writeStride + column) * bytes, &element, sizeof(Element));
    }
  }
}

// Transposes a square block whose rows have 64 bytes. Copies it through a local buffer, since rows
// at a power-of-two distance share few cache sets.
template <typename Element>
static void transposeSquare(const std::byte *from, std::byte *to, int64_t readStride,
                            int64_t writeStride) {
  constexpr int64_t bytes = sizeof(Element), square = 64 / bytes;
  alignas(64) Element read[square][square], written[square][square];
  for (int64_t column = 0; column < square; ++column) {
    std::memcpy(read[column], from + column * readStride * bytes, 64);
  }
  // Transposes 4 × 4 elements at a time, which stay in registers if elements have 32 bits.
  for (int64_t row0 = 0; row0 < square; row0 += 4) {
    for (int64_t column0 = 0; column0 < square; column0 += 4) {
      for (int64_t row = row0; row < row0 + 4; ++row) {
        for (int64_t column = column0; column < column0 + 4; ++column) {
          written[row][column] = read[column][row];
        }
      }
    }
  }
  for (int64_t row = 0; row < square; ++row) {
    std::memcpy(to + row * writeStride * bytes, written[row], 64);
  }
}

// Transposes a plane of rows × columns elements: rows are contiguous in the target, columns in the
// source. Processes square blocks of 64-byte rows, in groups whose pages fit in the TLB.
template <typename Element>
static void transposePlane(const std::byte *from, std::byte *to, int64_t rows, int64_t columns,
                           int64_t readStride, int64_t writeStride) {
  constexpr int64_t bytes = sizeof(Element), square = 64 / bytes, block = 8 * square;
  auto transposeAt = [&](int64_t row, int64_t column) {
    const std::byte *source = from + (column * readStride + row) * bytes;
    std::byte *target = to + (row * writeStride + column) * bytes;
    int64_t rowsHere = std::min(rows - row, square);
    int64_t columnsHere = std::min(columns - column, square);
    if (rowsHere == square && columnsHere == square) {
      transposeSquare<Element>(source, target, readStride, writeStride);
    } else {
      transposeElements<Element>(source, target, rowsHere, columnsHere, readStride, writeStride);
    }
  };
  for (int64_t row0 = 0; row0 < rows; row0 += block) {
    for (int64_t column0 = 0; column0 < columns; column0 += block) {
      for (int64_t row = row0; row < std::min(rows, row0 + block); row += square) {
        for (int64_t column = column0; column < std::min(columns, column0 + block);
             column += square) {
          transposeAt(row, column);
        }
      }
    }
  }
}

static void transposePlane(const std::byte *from, std::byte *to, int64_t rows, int64_t columns,
                           int64_t readStride, int64_t writeStride, int64_t elementBytes) {
  struct Complex128 {
    uint64_t parts[2];
  };
  switch (elementBytes) {
  case 1:
    return transposePlane<uint8_t>(from, to, rows, columns, readStride, writeStride);
  case 2:
    return transposePlane<uint16_t>(from, to, rows, columns, readStride, writeStride);
  case 4:
    return transposePlane<uint32_t>(from, to, rows, columns, readStride, writeStride);
  case 8:
    return transposePlane<uint64_t>(from, to, rows, columns, readStride, writeStride);
  default:
    assert(elementBytes == 16 && "elements have 1, 2, 4, 8 or 16 bytes");
    return transposePlane<Complex128>(from, to, rows, columns, readStride, writeStride);
  }
}

void permute(const std::byte *from, std::byte *to, std::span<const int64_t> shape,
             std::span<const int64_t> order, int64_t elementBytes) {
  Shape physical = physicalShape(shape, order);
  int64_t count = std::accumulate(shape.begin(), shape.end(), int64_t{1}, std::multiplies<>());
  if (count == 0) {
    return;
  }
  if (haveSameBytes(shape, order, rowMajorOrder(shape.size()))) {
    std::memcpy(to, from, static_cast<size_t>(count * elementBytes));
    return;
  }
  // The axes in the target's order: each axis has a size, and a stride in the source and in the
  // target.
  Shape readStrides = rowMajorStrides(shape), writeStrides = rowMajorStrides(physical);
  struct Axis {
    int64_t size, read, write;
  };
  std::vector<Axis> axes;
  for (size_t i = 0; i < order.size(); ++i) {
    if (physical[i] != 1) {
      axes.push_back({physical[i], readStrides[static_cast<size_t>(order[i])], writeStrides[i]});
    }
  }
  // The plane's columns are the target's fastest axis, its rows the source's fastest axis. If these
  // are the same axis, contiguous runs are copied instead.
  auto fastestRead = std::ranges::find(axes, int64_t{1}, &Axis::read);
  bool copiesRuns = fastestRead == axes.end() - 1;
  Axis columns = axes.back(), rows = *fastestRead;
  std::erase_if(axes, [&](const Axis &axis) {
    return axis.write == columns.write || axis.write == rows.write;
  });
  Shape at(axes.size(), 0);
  int64_t read = 0, write = 0;
  while (true) {
    const std::byte *source = from + read * elementBytes;
    std::byte *target = to + write * elementBytes;
    if (copiesRuns) {
      std::memcpy(target, source, static_cast<size_t>(columns.size * elementBytes));
    } else {
      transposePlane(source, target, rows.size, columns.size, columns.read, rows.write,
                     elementBytes);
    }
    size_t i = axes.size();
    while (i > 0) {
      --i;
      read += axes[i].read;
      write += axes[i].write;
      if (++at[i] < axes[i].size) {
        break;
      }
      read -= axes[i].size * axes[i].read;
      write -= axes[i].size * axes[i].write;
      at[i] = 0;
      if (i == 0) {
        return;
      }
    }
    if (axes.empty()) {
      return;
    }
  }
}

Tensor toPhysical(const Tensor &tensor, std::span<const int64_t> order) {
  Tensor made(tensor.type(), physicalShape(tensor.shape(), order));
  permute(tensor.data(), made.data(), tensor.shape(), order, storageBytes(tensor.type()));
  return made;
}

Tensor fromPhysical(const Tensor &tensor, std::span<const int64_t> order) {
  return toPhysical(tensor, inverseOrder(order));
}

static int64_t blocksOf(int64_t size, int64_t block) {
  return size / block + (size % block == 0 ? 0 : 1);
}

Shape BlockedLayout::cutShape() const {
  if (blocks.empty()) {
    return shape;
  }
  Shape cut;
  for (size_t i = 0; i < shape.size(); ++i) {
    cut.push_back(blocksOf(shape[i], blocks[i]));
    if (blocks[i] != 1) {
      cut.push_back(blocks[i]);
    }
  }
  return cut;
}

bool BlockedLayout::hasPadding() const {
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (shape[i] % blocks[i] != 0) {
      return true;
    }
  }
  return false;
}

bool BlockedLayout::isValid() const {
  if (!blocks.empty() && blocks.size() != shape.size()) {
    return false;
  }
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (blocks[i] < 1 || blocks[i] > maxBlock) {
      return false;
    }
  }
  DimensionOrder sorted = order;
  std::ranges::sort(sorted);
  return sorted == rowMajorOrder(cutShape().size());
}

std::vector<int64_t> BlockedLayout::cutPlaces() const {
  std::vector<int64_t> places;
  int64_t next = 0;
  for (int64_t block : blocks) {
    places.push_back(next);
    next += block == 1 ? 1 : 2;
  }
  return places;
}

BlockedLayout BlockedLayout::of(std::span<const int64_t> outer) const {
  BlockedLayout made = *this;
  for (size_t i = 0; i < outer.size(); ++i) {
    made.shape[static_cast<size_t>(outer[i])] = shape[i];
    made.blocks[static_cast<size_t>(outer[i])] = blocks[i];
  }
  std::vector<int64_t> places = cutPlaces(), ofMade = made.cutPlaces();
  DimensionOrder renumbered(order.size());
  for (size_t i = 0; i < outer.size(); ++i) {
    int64_t parts = blocks[i] == 1 ? 1 : 2;
    for (int64_t part = 0; part < parts; ++part) {
      renumbered[static_cast<size_t>(places[i] + part)] =
          ofMade[static_cast<size_t>(outer[i])] + part;
    }
  }
  for (int64_t &dimension : made.order) {
    dimension = renumbered[static_cast<size_t>(dimension)];
  }
  return made;
}

std::string BlockedLayout::str() const {
  std::string text = layoutText(order);
  for (size_t i = 0; i < blocks.size(); ++i) {
    text += (i == 0 ? " of blocks [" : ",") + std::to_string(blocks[i]);
  }
  return text + (blocks.empty() ? "" : "]");
}

// Copies a row-major tensor into the corner of a larger one, whose other elements stay unchanged.
static void copyIntoCorner(const std::byte *from, std::byte *to, const Shape &shape,
                           const Shape &larger, int64_t elementBytes) {
  Shape strides = rowMajorStrides(larger);
  int64_t rows = 1, row = shape.back();
  for (size_t i = 0; i + 1 < shape.size(); ++i) {
    rows *= shape[i];
  }
  for (int64_t number = 0; number < rows; ++number) {
    int64_t rest = number, place = 0;
    for (size_t i = shape.size() - 1; i-- > 0;) {
      place += rest % shape[i] * strides[i];
      rest /= shape[i];
    }
    std::memcpy(to + place * elementBytes, from + number * row * elementBytes,
                static_cast<size_t>(row * elementBytes));
  }
}

static Shape filledShape(const BlockedLayout &layout) {
  Shape filled = layout.shape;
  for (size_t i = 0; i < filled.size(); ++i) {
    filled[i] = blocksOf(filled[i], layout.blocks[i]) * layout.blocks[i];
  }
  return filled;
}

// Copies to a layout. `filled`: zeroed memory of the padded shape, used if the layout has padding.
static void copyToLayout(const std::byte *from, std::byte *to, const BlockedLayout &layout,
                         int64_t elementBytes, std::byte *filled) {
  if (layout.hasPadding()) {
    if (std::ranges::find(layout.shape, 0) == layout.shape.end()) {
      copyIntoCorner(from, filled, layout.shape, filledShape(layout), elementBytes);
    }
    from = filled;
  }
  permute(from, to, layout.cutShape(), layout.order, elementBytes);
}

bool copyToLayout(const std::byte *from, std::byte *to, const BlockedLayout &layout,
                  int64_t elementBytes) {
  std::optional<Tensor> filled;
  if (layout.hasPadding()) {
    Shape bytes = filledShape(layout);
    bytes.push_back(elementBytes);
    filled = Tensor::allocate(ElementType::UI8, std::move(bytes));
    if (!filled) {
      return false;
    }
  }
  copyToLayout(from, to, layout, elementBytes, filled ? filled->data() : nullptr);
  return true;
}

Tensor toPhysical(const Tensor &tensor, const BlockedLayout &layout) {
  Tensor made(tensor.type(), layout.physicalShape());
  Tensor filled(tensor.type(), layout.hasPadding() ? filledShape(layout) : Shape{0});
  copyToLayout(tensor.data(), made.data(), layout, storageBytes(tensor.type()), filled.data());
  return made;
}

} // namespace drumlin
