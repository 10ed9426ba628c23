#include "drumlin/import/hlo/Literals.h"
#include "drumlin/import/hlo/Opcodes.h"
#include "drumlin/import/hlo/Windows.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/TensorAttribute.h"

#include <algorithm>
#include <numeric>

using namespace mlir;

namespace drumlin::hlo {

//===-- moves with attributes of their own ----------------------------------------------------===//

void emitBroadcast(Emitter &emitter, llvm::StringRef) {
  emitter.finish("stablehlo.broadcast_in_dim", {emitter.array(0)},
                 emitter.i64Array("broadcast_dimensions", emitter.integers("dimensions")));
}

void emitConcatenate(Emitter &emitter, llvm::StringRef) {
  emitter.finish("stablehlo.concatenate", emitter.allLeaves(),
                 emitter.i64("dimension", emitter.oneDimension()));
}

void emitConstant(Emitter &emitter, llvm::StringRef) {
  Leaves leaves;
  for (const Tensor &tensor : readLiteral(emitter)) {
    DenseElementsAttr value = attributeFromTensor(tensor, emitter.context());
    Operation *constant =
        emitter.create("stablehlo.constant", {}, value.getType(), emitter.named("value", value));
    if (!constant) {
      return;
    }
    leaves.push_back(constant->getResult(0));
  }
  emitter.finish(leaves);
}

// The sizes are scalars in HLO and one tensor in StableHLO.
void emitDynamicReshape(Emitter &emitter, llvm::StringRef) {
  SmallVector<mlir::Value> sizes;
  for (size_t i = 1; i < emitter.operandCount(); ++i) {
    auto size = emitter.array(i);
    if (!size) {
      return;
    }
    auto type = RankedTensorType::get({1}, size.getType().getElementType());
    Operation *reshaped = emitter.create("stablehlo.reshape", {size}, type);
    sizes.push_back(reshaped->getResult(0));
  }
  if (emitter.failed()) {
    return;
  }
  auto element = sizes.empty() ? emitter.ops().getI32Type()
                               : cast<RankedTensorType>(sizes[0].getType()).getElementType();
  auto type = RankedTensorType::get({static_cast<int64_t>(sizes.size())}, element);
  mlir::Value shape =
      sizes.empty()
          ? emitter.zero(type)
          : emitter.create("stablehlo.concatenate", sizes, type, emitter.i64("dimension", 0))
                ->getResult(0);
  emitter.finish("stablehlo.dynamic_reshape", {emitter.array(0), shape});
}

// The operands, of which those from `first` on are places in the array: a scalar for each
// dimension, or in older texts one vector of all.
static Leaves withScalarPlaces(Emitter &emitter, size_t first) {
  Leaves operands = emitter.allLeaves();
  auto places = operands.size() == first + 1 ? dyn_cast<RankedTensorType>(operands.back().getType())
                                             : RankedTensorType();
  if (!places || places.getRank() != 1 || !places.hasStaticShape()) {
    return operands;
  }
  mlir::Value vector = operands.pop_back_val();
  auto one = RankedTensorType::get({1}, places.getElementType());
  auto scalar = RankedTensorType::get({}, places.getElementType());
  // As many as the array has dimensions: others are refused.
  for (int64_t i = 0; i < std::min<int64_t>(places.getDimSize(0), 65) && !emitter.failed(); ++i) {
    Operation *part = emitter.create("stablehlo.slice", {vector}, one,
                                     {emitter.i64Array("start_indices", {i}),
                                      emitter.i64Array("limit_indices", {i + 1}),
                                      emitter.i64Array("strides", {1})});
    operands.push_back(
        emitter.create("stablehlo.reshape", part->getResults(), scalar)->getResult(0));
  }
  return operands;
}

void emitDynamicSlice(Emitter &emitter, llvm::StringRef) {
  emitter.finish("stablehlo.dynamic_slice", withScalarPlaces(emitter, 1),
                 emitter.i64Array("slice_sizes", emitter.integers("dynamic_slice_sizes")));
}

void emitDynamicUpdateSlice(Emitter &emitter, llvm::StringRef) {
  emitter.finish("stablehlo.dynamic_update_slice", withScalarPlaces(emitter, 2));
}

void emitDimensionSize(Emitter &emitter, llvm::StringRef operation) {
  emitter.finish(operation, emitter.allLeaves(), emitter.i64("dimension", emitter.oneDimension()));
}

void emitIota(Emitter &emitter, llvm::StringRef) {
  emitter.finish("stablehlo.iota", {},
                 emitter.i64("iota_dimension", emitter.integer("iota_dimension")));
}

void emitPad(Emitter &emitter, llvm::StringRef) {
  SmallVector<int64_t> low, high, interior;
  auto operand = emitter.array(0);
  const Value *padding = emitter.attribute("padding");
  if (padding && !padding->text.empty()) {
    auto list = parseCrossList(padding->text.view());
    for (const auto &numbers : list.value_or(std::vector<std::vector<int64_t>>(1))) {
      if (numbers.size() < 2 || numbers.size() > 3) {
        emitter.failAttribute("padding", "two or three numbers for each dimension");
        return;
      }
      low.push_back(numbers[0]);
      high.push_back(numbers[1]);
      interior.push_back(numbers.size() == 3 ? numbers[2] : 0);
    }
  }
  emitter.finish("stablehlo.pad", {operand, emitter.array(1)},
                 {emitter.i64Array("edge_padding_low", low),
                  emitter.i64Array("edge_padding_high", high),
                  emitter.i64Array("interior_padding", interior)});
}

// `inferred_dimension` was for sizes that only the run tells, and changes nothing here.
void emitReshape(Emitter &emitter, llvm::StringRef) {
  emitter.attribute("inferred_dimension");
  emitter.finish("stablehlo.reshape", {emitter.array(0)});
}

void emitReverse(Emitter &emitter, llvm::StringRef) {
  emitter.finish("stablehlo.reverse", {emitter.array(0)},
                 emitter.i64Array("dimensions", emitter.integers("dimensions")));
}

void emitSlice(Emitter &emitter, llvm::StringRef) {
  SmallVector<int64_t> start, limit, strides;
  const Value *slice = emitter.attribute("slice");
  for (const Value &dimension : slice ? slice->items : List<Value>()) {
    const Value *range = dimension.items.size() == 1 ? &dimension.items.front() : nullptr;
    SmallVector<int64_t, 3> numbers;
    for (const Value &item : range ? range->items : List<Value>()) {
      numbers.push_back(item.integer().value_or(-1));
    }
    if (numbers.size() < 2 || numbers.size() > 3 || llvm::is_contained(numbers, -1)) {
      emitter.failAttribute("slice", "`[start:limit:stride]` for each dimension");
      return;
    }
    start.push_back(numbers[0]);
    limit.push_back(numbers[1]);
    strides.push_back(numbers.size() == 3 ? numbers[2] : 1);
  }
  emitter.finish("stablehlo.slice", {emitter.array(0)},
                 {emitter.i64Array("start_indices", start),
                  emitter.i64Array("limit_indices", limit), emitter.i64Array("strides", strides)});
}

void emitTranspose(Emitter &emitter, llvm::StringRef) {
  emitter.finish("stablehlo.transpose", {emitter.array(0)},
                 emitter.i64Array("permutation", emitter.integers("dimensions")));
}

//===-- bitcasts ------------------------------------------------------------------------------===//

namespace {
// How an array lies in memory: its dimensions split into parts, and the order of the parts from the
// slowest to the fastest.
struct MemoryOrder {
  SmallVector<int64_t> sizes; // of the parts, dimension by dimension
  SmallVector<int64_t> order; // positions in `sizes`

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

// The dimensions from the slowest to the fastest; nothing where the layout isn't one of the shape.
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

// Each tile cuts the last dimensions of what is there into tiles and the places in one: sizes
// a, b with T(c,d) become a/c, b/d, c, d. Source: XLA's documentation, "Tiled layout". Nothing
// where a tile doesn't divide its dimension, or joins dimensions.
static std::optional<MemoryOrder> memoryOrder(const Shape &shape, const Tiles &tiles) {
  std::optional<SmallVector<size_t>> dimensions = majorToMinor(shape);
  if (!dimensions) {
    return std::nullopt;
  }
  struct Part {
    size_t dimension;
    int64_t size;
    int64_t weight; // elements of the dimension between neighbours; orders a dimension's parts
  };
  SmallVector<Part> parts;
  for (size_t dimension : *dimensions) {
    parts.push_back({dimension, shape.dimensions[dimension].size, 1});
  }
  for (const std::vector<int64_t> &tile : tiles) {
    if (tile.size() > parts.size()) {
      return std::nullopt;
    }
    SmallVector<Part> inner;
    for (size_t i = 0; i < tile.size(); ++i) {
      Part &part = parts[parts.size() - tile.size() + i];
      if (tile[i] < 1 || part.size % tile[i] != 0) {
        return std::nullopt;
      }
      inner.push_back({part.dimension, tile[i], part.weight});
      part.size /= tile[i];
      part.weight *= tile[i];
    }
    parts.append(inner);
  }
  // The parts of a dimension lie from the heaviest to the lightest; an outer part of equal weight
  // has one element only where the inner one has one, too.
  SmallVector<size_t> byDimension(parts.size());
  std::iota(byDimension.begin(), byDimension.end(), 0);
  llvm::sort(byDimension, [&](size_t a, size_t b) {
    return std::tuple(parts[a].dimension, -parts[a].weight, a) <
           std::tuple(parts[b].dimension, -parts[b].weight, b);
  });
  MemoryOrder result;
  result.order.resize(parts.size());
  for (auto [position, part] : llvm::enumerate(byDimension)) {
    result.sizes.push_back(parts[part].size);
    result.order[part] = static_cast<int64_t>(position);
  }
  return result;
}

// Both arrays' tiles, without those that cut equal sizes in equal ways at the end: these may pad.
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

// The operand's bytes under another shape: both arrays are taken apart into what lies in memory.
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
    emitter.fail(DiagnosticCode::UnsupportedOperation,
                 "`bitcast` from `" + from.str() + "` to `" + to.str() + "` " + why,
                 "write it as `reshape`, `transpose` and `bitcast-convert`");
  };
  if (!type || !type.hasStaticShape() || !operand.getType().hasStaticShape()) {
    return refuse("isn't one of arrays of known sizes");
  }
  if (type.getNumElements() != operand.getType().getNumElements() ||
      info(*from.elementType()).bits != info(*to.elementType()).bits) {
    return refuse("changes the number of elements");
  }
  auto [fromTiles, toTiles] = differingTiles(from, to);
  std::optional<MemoryOrder> source = memoryOrder(from, fromTiles);
  std::optional<MemoryOrder> target = memoryOrder(to, toTiles);
  if (!source || !target) {
    return refuse("has tiles that don't divide their dimensions");
  }
  mlir::Value value = operand;
  if (Type element = type.getElementType(); element != operand.getType().getElementType()) {
    value = emitter
                .create("stablehlo.bitcast_convert", {value},
                        RankedTensorType::get(operand.getType().getShape(), element))
                ->getResult(0);
  }
  SmallVector<int64_t> inverse(target->order.size());
  for (auto [position, part] : llvm::enumerate(target->order)) {
    inverse[static_cast<size_t>(part)] = static_cast<int64_t>(position);
  }
  if (!llvm::is_sorted(source->order)) {
    value = transpose(emitter, reshape(emitter, value, source->sizes), source->order);
  }
  if (!llvm::is_sorted(inverse)) {
    value = transpose(emitter, reshape(emitter, value, target->sizesInMemory()), inverse);
  }
  emitter.finish(reshape(emitter, value, type.getShape()));
}

} // namespace drumlin::hlo
