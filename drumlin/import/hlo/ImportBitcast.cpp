// Converts bitcasts. A bitcast reinterprets an array's bytes in memory as another shape. Layouts
// and tiles determine the order of the bytes.
#include "drumlin/import/hlo/Emitter.h"
#include "drumlin/import/hlo/ImportOpcodes.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace drumlin::hlo {

//===-- bitcasts ------------------------------------------------------------------------------===//

namespace {
// An array's order in memory. Tiles may add dimensions, pad them and split them into parts; `order`
// has these parts from the slowest to the fastest.
struct MemoryOrder {
  SmallVector<int64_t> dimensions; // dimensions of size 1 that tiles add, then the array's own
  SmallVector<int64_t> padded;     // `dimensions`, padded to complete tiles
  SmallVector<int64_t> sizes;      // sizes of the parts, dimension by dimension
  SmallVector<int64_t> order;      // positions in `sizes`

  SmallVector<int64_t> sizesInMemory() const {
    SmallVector<int64_t> ordered;
    for (int64_t part : order) {
      ordered.push_back(sizes[static_cast<size_t>(part)]);
    }
    return ordered;
  }
};
} // namespace

using Tiles = std::vector<std::vector<int64_t>>;

// Returns the dimensions from the slowest to the fastest; nullopt if the layout doesn't match the
// shape.
static std::optional<SmallVector<size_t>> majorToMinor(const Shape &shape) {
  SmallVector<size_t> order(shape.dimensions.size());
  std::iota(order.begin(), order.end(), 0);
  if (shape.layout && (!shape.layout->minorToMajor.empty() || order.empty())) {
    const List<int64_t> &given = shape.layout->minorToMajor;
    if (!std::is_permutation(order.begin(), order.end(), given.begin(), given.end(),
                             [](auto a, auto b) { return std::cmp_equal(a, b); })) {
      return std::nullopt;
    }
    llvm::copy(llvm::reverse(given), order.begin());
  }
  return order;
}

// Returns an array's order in memory. Each tile splits each of the last parts into a tile index and
// a position in the tile: sizes a, b with T(c,d) become a/c, b/d, c, d. The first tile pads
// dimensions that it doesn't divide, and adds missing dimensions with size 1. Returns nullopt if a
// later tile doesn't divide its dimension, or a tile combines dimensions. Source: XLA's
// documentation, "Tiled layout".
static std::optional<MemoryOrder> memoryOrder(const Shape &shape, const Tiles &tiles) {
  std::optional<SmallVector<size_t>> dimensions = majorToMinor(shape);
  if (!dimensions) {
    return std::nullopt;
  }
  struct Part {
    size_t dimension;
    int64_t size;
    int64_t weight; // stride along the dimension; orders the dimension's parts
  };
  MemoryOrder result;
  size_t rank = dimensions->size();
  size_t added = tiles.empty() || tiles[0].size() <= rank ? 0 : tiles[0].size() - rank;
  result.dimensions.assign(added, 1);
  for (const Dimension &dimension : shape.dimensions) {
    result.dimensions.push_back(dimension.size);
  }
  result.padded = result.dimensions;
  SmallVector<Part> parts;
  for (size_t i = 0; i < added; ++i) {
    parts.push_back({i, 1, 1});
  }
  for (size_t dimension : *dimensions) {
    parts.push_back({added + dimension, shape.dimensions[dimension].size, 1});
  }
  for (const std::vector<int64_t> &tile : tiles) {
    if (tile.size() > parts.size()) {
      return std::nullopt;
    }
    SmallVector<Part> inner;
    for (size_t i = 0; i < tile.size(); ++i) {
      Part &part = parts[parts.size() - tile.size() + i];
      if (tile[i] < 1 || tile[i] > INT32_MAX || part.size > INT64_MAX - tile[i]) {
        return std::nullopt;
      }
      if (part.size % tile[i] != 0) {
        if (&tile != &tiles.front()) {
          return std::nullopt;
        }
        part.size += tile[i] - part.size % tile[i];
        result.padded[part.dimension] = part.size;
      }
      inner.push_back({part.dimension, tile[i], part.weight});
      part.size /= tile[i];
      part.weight *= tile[i];
    }
    parts.append(inner);
  }
  // Sorts the parts by dimension, and the parts of each dimension from the largest to the smallest
  // weight. Of two parts of a dimension with equal weights, the inner part has size 1.
  SmallVector<size_t> byDimension(parts.size());
  std::iota(byDimension.begin(), byDimension.end(), 0);
  llvm::sort(byDimension, [&](size_t a, size_t b) {
    return std::tuple(parts[a].dimension, -parts[a].weight, a) <
           std::tuple(parts[b].dimension, -parts[b].weight, b);
  });
  result.order.resize(parts.size());
  for (auto [position, part] : llvm::enumerate(byDimension)) {
    result.sizes.push_back(parts[part].size);
    result.order[part] = static_cast<int64_t>(position);
  }
  return result;
}

// Returns the tiles of both arrays; no tiles if both arrays have the same tiles and equal tiled
// dimensions. Such tiles cancel out, even if they pad dimensions.
static std::pair<Tiles, Tiles> differingTiles(const Shape &from, const Shape &to) {
  Tiles first = from.layout ? from.layout->tiles() : Tiles();
  Tiles second = to.layout ? to.layout->tiles() : Tiles();
  auto fromOrder = majorToMinor(from), toOrder = majorToMinor(to);
  if (first != second || !fromOrder || !toOrder) {
    return {first, second};
  }
  size_t rank = 0;
  for (const std::vector<int64_t> &tile : first) {
    rank = std::max(rank, tile.size());
  }
  if (rank > fromOrder->size() || rank > toOrder->size()) {
    return {first, second};
  }
  for (size_t i = 0; i < rank; ++i) {
    if (from.dimensions[fromOrder->end()[-1 - static_cast<int>(i)]].size !=
        to.dimensions[toOrder->end()[-1 - static_cast<int>(i)]].size) {
      return {first, second};
    }
  }
  return {};
}

static mlir::Value reshape(Emitter &emitter, mlir::Value value, llvm::ArrayRef<int64_t> sizes) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == sizes) {
    return value;
  }
  auto reshaped = RankedTensorType::get(sizes, type.getElementType());
  return emitter.create("stablehlo.reshape", {value}, reshaped)->getResult(0);
}

static mlir::Value transpose(Emitter &emitter, mlir::Value value, llvm::ArrayRef<int64_t> order) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> sizes;
  for (int64_t dimension : order) {
    sizes.push_back(type.getDimSize(static_cast<unsigned>(dimension)));
  }
  if (llvm::is_sorted(order)) {
    return value;
  }
  return emitter
      .create("stablehlo.transpose", {value}, RankedTensorType::get(sizes, type.getElementType()),
              emitter.i64Array("permutation", order))
      ->getResult(0);
}

// Adds or removes the padding of tiles: pads an array to `sizes` if `isPadded`, else slices the
// array to `sizes`.
static mlir::Value resized(Emitter &emitter, mlir::Value value, llvm::ArrayRef<int64_t> sizes,
                           bool isPadded) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == sizes) {
    return value;
  }
  auto other = RankedTensorType::get(sizes, type.getElementType());
  SmallVector<int64_t> none(sizes.size(), 0), ones(sizes.size(), 1), high;
  for (auto [from, to] : llvm::zip(type.getShape(), sizes)) {
    high.push_back(to - from);
  }
  if (!isPadded) {
    return emitter
        .create("stablehlo.slice", {value}, other,
                {emitter.i64Array("start_indices", none), emitter.i64Array("limit_indices", sizes),
                 emitter.i64Array("strides", ones)})
        ->getResult(0);
  }
  mlir::Value zero = emitter.zero(RankedTensorType::get({}, type.getElementType()));
  return emitter
      .create("stablehlo.pad", {value, zero}, other,
              {emitter.i64Array("edge_padding_low", none),
               emitter.i64Array("edge_padding_high", high),
               emitter.i64Array("interior_padding", none)})
      ->getResult(0);
}

// Bitcasts a vector to another element type, which may have fewer or more bits.
static mlir::Value rowAs(Emitter &emitter, mlir::Value row, Type element) {
  auto type = cast<RankedTensorType>(row.getType());
  int64_t count = type.getNumElements();
  int64_t from = type.getElementTypeBitWidth(), to = element.getIntOrFloatBitWidth();
  int64_t whole = count * from / std::max(from, to),
          parts = std::max(from, to) / std::min(from, to);
  SmallVector<int64_t> one = {whole}, several = {whole, parts};
  mlir::Value value = reshape(emitter, row, from < to ? several : one);
  value = emitter
              .create("stablehlo.bitcast_convert", {value},
                      RankedTensorType::get(from > to ? several : one, element))
              ->getResult(0);
  return reshape(emitter, value, {count * from / to});
}

// Whether a number of this type takes a multiple of 8 bits.
static bool hasWholeBytes(Type element) {
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 == 0;
}

static int64_t productOf(llvm::ArrayRef<int64_t> sizes, int64_t bits) {
  __int128 product = bits;
  for (int64_t size : sizes) {
    product = std::min<__int128>(product * size, INT64_MAX); // saturates: exceeds any memory
  }
  return static_cast<int64_t>(product);
}

// Converts a bitcast: arranges the operand's elements in their order in memory, then arranges them
// in the result's shape according to the result's order in memory.
void emitBitcast(Emitter &emitter, llvm::StringRef) {
  auto operand = emitter.array(0);
  SmallVector<Type> types = emitter.resultTypes();
  emitter.attribute("result_layout");
  if (!operand || emitter.failed()) {
    return;
  }
  auto type = types.size() == 1 ? dyn_cast<RankedTensorType>(types.front()) : RankedTensorType();
  const Shape &from = emitter.instruction().operands[0].instruction->shape;
  const Shape &to = emitter.instruction().shape;
  auto refuse = [&](const std::string &why) {
    emitter.fail(errors::UnsupportedOperation,
                 "`bitcast` from `" + from.str() + "` to `" + to.str() + "` " + why,
                 "write it as `reshape`, `transpose` and `bitcast-convert`");
  };
  if (!type || !type.hasStaticShape() || !operand.getType().hasStaticShape()) {
    return refuse("needs arrays of static sizes");
  }
  Type element = type.getElementType(), given = operand.getType().getElementType();
  int64_t fromBits = info(*from.elementType()).bits, toBits = info(*to.elementType()).bits;
  bool areSplit = fromBits != toBits;
  if (productOf(operand.getType().getShape(), fromBits) != productOf(type.getShape(), toBits) ||
      (areSplit && !(hasWholeBytes(given) && hasWholeBytes(element)))) {
    return refuse("changes the number of elements or of their bytes");
  }
  auto [fromTiles, toTiles] = differingTiles(from, to);
  std::optional<MemoryOrder> source = memoryOrder(from, fromTiles);
  std::optional<MemoryOrder> target = memoryOrder(to, toTiles);
  if (!source || !target) {
    return refuse("has tiles that don't divide their dimensions");
  }
  int64_t bits = productOf(source->padded, fromBits);
  if (bits != productOf(target->padded, toBits) || bits == INT64_MAX) {
    return refuse("has tiles that pad the arrays to different sizes");
  }
  mlir::Value value = operand;
  if (!areSplit && element != given) {
    value = emitter
                .create("stablehlo.bitcast_convert", {value},
                        RankedTensorType::get(operand.getType().getShape(), element))
                ->getResult(0);
  }
  value = resized(emitter, reshape(emitter, value, source->dimensions), source->padded,
                  /*isPadded=*/true);
  SmallVector<int64_t> inverse(target->order.size());
  for (auto [position, part] : llvm::enumerate(target->order)) {
    inverse[static_cast<size_t>(part)] = static_cast<int64_t>(position);
  }
  if (!llvm::is_sorted(source->order)) {
    value = transpose(emitter, reshape(emitter, value, source->sizes), source->order);
  }
  if (areSplit) {
    value = rowAs(emitter, reshape(emitter, value, {bits / fromBits}), element);
  }
  if (!llvm::is_sorted(inverse)) {
    value = transpose(emitter, reshape(emitter, value, target->sizesInMemory()), inverse);
  }
  value = resized(emitter, reshape(emitter, value, target->padded), target->dimensions,
                  /*isPadded=*/false);
  emitter.finish(reshape(emitter, value, type.getShape()));
}

} // namespace drumlin::hlo
