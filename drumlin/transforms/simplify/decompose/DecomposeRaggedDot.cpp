// Decomposes ragged_dot into a loop over pieces of groups. Each piece is a dot of a fixed number of
// rows. The last piece of a group includes rows of neighbouring groups, which are masked. So the
// pieces have in total only a few more rows than the groups, for any number of groups.
#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/MaxOp.h"
#include "drumlin/ir/stablehlo/MinOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/RemOp.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"

#include "drumlin/ir/chlo/RaggedDot.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace drumlin {

using stablehlo::ComparisonDirection;

namespace {
// The first row of each group and the row after its last row, computed from the running sums of the
// group sizes. Both are i64 tensors of the same shape as the sizes.
struct Groups {
  Value starts, ends;
};
} // namespace

// Returns, for each element along the last dimension, the result of `Combine` over all elements up
// to that element.
template <typename Combine> static Value prefixes(TensorBuilder &b, Value x, uint64_t neutral) {
  TensorShape shape = TensorShape::of(x), window, padding;
  for (size_t d = 0; d < shape.size(); ++d) {
    bool isLast = d + 1 == shape.size();
    window.push_back(isLast ? shape[d] : Size(1));
    padding.push_back(isLast ? shape[d] - 1 : Size(0));
    padding.push_back(0);
  }
  OpBuilder &builder = b.operations();
  Value initial = b.integer(TensorBuilder::elementOf(x), neutral);
  auto paddingType =
      RankedTensorType::get({static_cast<int64_t>(shape.size()), 2}, builder.getI64Type());
  auto scan = stablehlo::ReduceWindowOp::create(
      builder, b.location(), TypeRange{x.getType()}, ValueRange{x}, ValueRange{initial},
      window.nominal(), DenseI64ArrayAttr(), DenseI64ArrayAttr(), DenseI64ArrayAttr(),
      DenseIntElementsAttr::get(paddingType, ArrayRef<int64_t>(padding.nominal())));
  setSymbolicSizes(scan, scan.getWindowDimensionsAttrName(), window.expressions());
  setSymbolicSizes(scan, scan.getPaddingAttrName(), padding.expressions());
  OpBuilder::InsertionGuard guard(builder);
  Type scalar = initial.getType();
  Block *block =
      builder.createBlock(&scan.getBody(), {}, {scalar, scalar}, {b.location(), b.location()});
  stablehlo::ReturnOp::create(builder, b.location(),
                              b.binary<Combine>(block->getArgument(0), block->getArgument(1)));
  return scan.getResult(0);
}

static Groups groupsOf(TensorBuilder &b, Value sizes, const Size &rows) {
  sizes = b.convert(sizes, b.signedType(64));
  // A group of negative size has no rows.
  Value ends = prefixes<stablehlo::MaxOp>(b, prefixes<stablehlo::AddOp>(b, sizes, 0), 0);
  ends = b.binary<stablehlo::MinOp>(ends, b.count(rows, TensorShape::of(ends)));
  auto last = static_cast<int64_t>(shapeOf(sizes).size()) - 1;
  return {b.pad(ends, last, 1, -1), ends};
}

static SmallVector<int64_t> range(int64_t count) {
  return llvm::to_vector(llvm::seq<int64_t>(0, count));
}

static Size sizeOf(const TensorShape &shape, ArrayRef<int64_t> dimensions) {
  Size size(1);
  for (int64_t d : dimensions) {
    size = size * shape[static_cast<size_t>(d)];
  }
  return size;
}

static SmallVector<int64_t> remaining(ArrayRef<int64_t> shape,
                                      std::initializer_list<ArrayRef<int64_t>> lists) {
  SmallVector<int64_t> left;
  for (int64_t d : range(static_cast<int64_t>(shape.size()))) {
    if (llvm::none_of(lists, [&](ArrayRef<int64_t> list) { return llvm::is_contained(list, d); })) {
      left.push_back(d);
    }
  }
  return left;
}

// Returns a size that can be a divisor: at least 1.
static Size divisorOf(const Size &size) { return Size::larger(size, 1); }

//===-- pieces --------------------------------------------------------------------------------===//

// Returns the number of rows of a piece. This number is about the average size of a group, so that
// few rows are masked. It is at most `most`, since a larger dot would not be faster.
static int64_t rowsOfPiece(int64_t rows, int64_t groups, int64_t most) {
  auto average = static_cast<uint64_t>(std::max<int64_t>(rows / std::max<int64_t>(groups, 1), 16));
  auto size = static_cast<int64_t>(llvm::PowerOf2Ceil(average));
  return std::min(rows, std::min(size, most));
}

namespace {
// The pieces of all groups, in order. There is one list of sizes for each leading index; the lists
// are concatenated.
class Pieces {
public:
  // `sizes` is [lists, groups]; pieces are read from a tensor of `room` rows.
  Pieces(TensorBuilder &b, Value sizes, const Size &rows, const Size &room, int64_t rowsOfPiece)
      : room(room), height(rowsOfPiece), groups(TensorShape::of(sizes)[1]) {
    Size lists = TensorShape::of(sizes)[0], pairs = lists * groups;
    Groups all = groupsOf(b, sizes, rows);
    Value starts = b.reshape(all.starts, {pairs}), ends = b.reshape(all.ends, {pairs});
    Value more = b.like(ends, static_cast<uint64_t>(height - 1));
    Value counts = b.divide(b.add(b.subtract(ends, starts), more),
                            b.like(ends, static_cast<uint64_t>(height)));
    Value before = b.subtract(prefixes<stablehlo::AddOp>(b, counts, 0), counts);
    // The group of each piece: the last group whose first piece isn't after this piece.
    Size most = lists * (rows + height - 1).quotient(height) + pairs;
    Type index = b.signedType(64);
    Value numbers = b.iota(index, {most, pairs}, 0);
    Value isBehind = b.compare(ComparisonDirection::LE,
                               b.broadcast(b.add(before, counts), {most, pairs}, {1}), numbers);
    Value owner = b.sum(b.convert(isBehind, index), {1});
    owner = b.binary<stablehlo::MinOp>(owner, b.count(pairs - 1, {most}));
    owners = owner;
    count = b.sum(counts, {0});
    table = b.concatenate(
        {b.reshape(starts, {1, pairs}), b.reshape(ends, {1, pairs}), b.reshape(before, {1, pairs})},
        0);
  }

  struct Piece {
    Value list, group;
    Value first;    // first row that the piece reads
    Value isInside; // per row: whether the row belongs to this group and to no other piece
  };

  Piece at(TensorBuilder &b, Value piece) const {
    auto number = [&](int64_t value) {
      return b.integer(b.signedType(64), static_cast<uint64_t>(value));
    };
    Value pair = b.sliceAt(owners, 0, piece);
    Value column = b.sliceAt(table, 1, pair);
    auto entry = [&](int64_t i) { return b.reshape(b.slice(column, 0, i, i + 1), {}); };
    Value begin = b.add(entry(0), b.multiply(b.subtract(piece, entry(2)), number(height)));
    Value end = b.binary<stablehlo::MinOp>(entry(1), b.add(begin, number(height)));
    // The last piece may begin earlier, so that it doesn't read beyond the last row.
    Value first = b.binary<stablehlo::MinOp>(begin, b.count(room - height));
    Value positions = b.add(b.iota(b.signedType(64), {height}, 0), b.broadcast(first, {height}));
    Value isInside =
        b.logicalAnd(b.compare(ComparisonDirection::GE, positions, b.broadcast(begin, {height})),
                     b.compare(ComparisonDirection::LT, positions, b.broadcast(end, {height})));
    Value groupCount = b.count(groups);
    return {b.divide(pair, groupCount), b.binary<stablehlo::RemOp>(pair, groupCount), first,
            isInside};
  }

  Value count; // number of pieces, an i64 scalar

private:
  Size room;
  int64_t height;
  Size groups;
  Value owners; // the group of each piece, for all lists in order
  Value table;  // per group: start, end, and number of pieces of earlier groups
};

// The dimensions of a ragged dot by role.
struct Dimensions {
  ArrayRef<int64_t> lhsBatch, rhsBatch, lhsContracting, rhsContracting;
  int64_t ragged;
  SmallVector<int64_t> lhsFree, rhsFree;

  explicit Dimensions(chlo::RaggedDotOp op) {
    auto numbers = op.getRaggedDotDimensionNumbers();
    lhsBatch = numbers.getLhsBatchingDimensions();
    rhsBatch = numbers.getRhsBatchingDimensions();
    lhsContracting = numbers.getLhsContractingDimensions();
    rhsContracting = numbers.getRhsContractingDimensions();
    ragged = numbers.getLhsRaggedDimensions().front();
    lhsFree = remaining(shapeOf(op.getLhs()), {lhsBatch, lhsContracting});
    rhsFree = remaining(shapeOf(op.getRhs()),
                        {rhsBatch, rhsContracting, numbers.getRhsGroupDimensions()});
  }
};
} // namespace

// Returns the operand with its dimensions reordered, and the dimensions of each list merged into
// one.
static Value arranged(TensorBuilder &b, Value x, ArrayRef<SmallVector<int64_t>> lists) {
  SmallVector<int64_t> order;
  TensorShape shape;
  for (ArrayRef<int64_t> list : lists) {
    llvm::append_range(order, list);
    shape.push_back(sizeOf(TensorShape::of(x), list));
  }
  return b.reshape(b.transpose(x, order), shape);
}

static SmallVector<Value> startsAt(TensorBuilder &b, int64_t rank,
                                   ArrayRef<std::pair<int64_t, Value>> at) {
  SmallVector<Value> starts(static_cast<size_t>(rank), b.integer(b.signedType(64), 0));
  for (auto [dimension, index] : at) {
    starts[dimension] = index;
  }
  return starts;
}

static stablehlo::DotDimensionNumbersAttr batchedProduct(OpBuilder &builder, int64_t lhsContracted,
                                                         int64_t rhsContracted) {
  return stablehlo::DotDimensionNumbersAttr::get(builder.getContext(), {0}, {0}, {lhsContracted},
                                                 {rhsContracted});
}

static ArrayAttr precisionOf(chlo::RaggedDotOp op) {
  if (!op.getPrecisionConfig()) {
    return {};
  }
  SmallVector<Attribute> precisions;
  for (auto precision : op.getPrecisionConfig()->getAsRange<chlo::PrecisionAttr>()) {
    auto same = stablehlo::symbolizePrecision(chlo::stringifyPrecision(precision.getValue()));
    precisions.push_back(stablehlo::PrecisionAttr::get(op.getContext(), *same));
  }
  return ArrayAttr::get(op.getContext(), precisions);
}

static Value productOf(TensorBuilder &b, chlo::RaggedDotOp op, Value lhs, Value rhs,
                       stablehlo::DotDimensionNumbersAttr numbers, const TensorShape &shape,
                       Type element) {
  return stablehlo::DotGeneralOp::create(b.operations(), b.location(), shape.typeOf(element), lhs,
                                         rhs, numbers, precisionOf(op),
                                         stablehlo::DotAlgorithmAttr());
}

// Ensures that the operand has at least as many rows as a piece: if its number of rows is dynamic,
// appends rows.
static Value withRoom(TensorBuilder &b, Value x, int64_t dimension, int64_t height) {
  bool isKnown = !TensorShape::of(x)[static_cast<size_t>(dimension)].symbolic;
  return isKnown ? x : b.pad(x, dimension, 0, height);
}

//===-- rows of the result --------------------------------------------------------------------===//

// Multiplies each group of rows by its own matrix. The operands become lhs[list, batch, row, free,
// contracting] and rhs[group, batch, contracting, free]. If there are several lists of sizes, each
// list belongs to one batch index and one index of the free dimensions before the ragged dimension.
static Value rowsByGroup(TensorBuilder &b, chlo::RaggedDotOp op) {
  Dimensions d(op);
  TensorShape lhsShape = TensorShape::of(op.getLhs()), rhsShape = TensorShape::of(op.getRhs());
  bool isShared = shapeOf(op.getGroupSizes()).size() == 1;
  SmallVector<int64_t> before, behind, lists, batch(d.lhsBatch);
  for (int64_t dimension : d.lhsFree) {
    if (dimension != d.ragged) {
      (dimension < d.ragged && !isShared ? before : behind).push_back(dimension);
    }
  }
  if (!isShared) {
    lists.swap(batch);
    llvm::append_range(lists, before);
  }
  Value lhs = arranged(b, op.getLhs(),
                       {lists, batch, {d.ragged}, behind, SmallVector<int64_t>(d.lhsContracting)});
  auto groupDimension = op.getRaggedDotDimensionNumbers().getRhsGroupDimensions()[0];
  Value rhs = arranged(b, op.getRhs(),
                       {{groupDimension},
                        SmallVector<int64_t>(d.rhsBatch),
                        SmallVector<int64_t>(d.rhsContracting),
                        d.rhsFree});
  TensorShape left = TensorShape::of(lhs), right = TensorShape::of(rhs);
  Size listCount = left[0], batches = left[1], rows = left[2], inner = left[3];
  Size depth = left[4], groups = right[0], columns = right[3];
  int64_t width = std::max<int64_t>(inner.nominal, 1);
  int64_t height = rowsOfPiece(rows.nominal * width, groups.nominal, 128);
  height = std::clamp<int64_t>(height / width, 1, rows.nominal);
  lhs = withRoom(b, lhs, 2, height);
  Size room = TensorShape::of(lhs)[2];
  Pieces pieces(b, b.reshape(op.getGroupSizes(), {listCount, groups}), rows, room, height);
  Type element = TensorBuilder::elementOf(op.getResult());
  Value result = b.zero(element, {listCount, batches, room, inner, columns});
  Size beforeCount = sizeOf(lhsShape, before);
  auto step = [&](TensorBuilder &, Value i, ValueRange carried) {
    Pieces::Piece piece = pieces.at(b, i);
    Value part = b.dynamicSlice(lhs, startsAt(b, 5, {{0, piece.list}, {2, piece.first}}),
                                {1, batches, height, inner, depth});
    Value batchIndex = b.integer(b.signedType(64), 0);
    if (!isShared) {
      batchIndex = b.divide(piece.list, b.count(divisorOf(beforeCount)));
    }
    Value matrix = b.dynamicSlice(rhs, startsAt(b, 4, {{0, piece.group}, {1, batchIndex}}),
                                  {1, batches, depth, columns});
    Size partRows = inner * height;
    Value product =
        productOf(b, op, b.reshape(part, {batches, partRows, depth}),
                  b.reshape(matrix, {batches, depth, columns}),
                  batchedProduct(b.operations(), 2, 1), {batches, partRows, columns}, element);
    TensorShape shape = {1, batches, height, inner, columns};
    SmallVector<Value> starts = startsAt(b, 5, {{0, piece.list}, {2, piece.first}});
    Value old = b.dynamicSlice(carried[0], starts, shape);
    Value made = b.select(b.broadcast(piece.isInside, shape, {2}), b.reshape(product, shape), old);
    return TensorBuilder::Carried{b.dynamicUpdate(carried[0], made, starts)};
  };
  result = b.countedLoop(pieces.count, result, step).front();
  if (!(room == rows)) {
    result = b.pad(result, 2, 0, -height);
  }
  // [batch.., before.., ragged, after.., columns..] in the order of the result's dimensions.
  TensorShape shape;
  SmallVector<int64_t> order;
  SmallVector<int64_t> made(isShared ? batch : SmallVector<int64_t>(d.lhsBatch));
  llvm::append_range(made, before);
  made.push_back(d.ragged);
  llvm::append_range(made, behind);
  for (int64_t dimension : made) {
    shape.push_back(lhsShape[static_cast<size_t>(dimension)]);
  }
  SmallVector<int64_t> wanted(d.lhsBatch);
  llvm::append_range(wanted, d.lhsFree);
  for (int64_t dimension : wanted) {
    order.push_back(llvm::find(made, dimension) - made.begin());
  }
  for (int64_t dimension : d.rhsFree) {
    order.push_back(static_cast<int64_t>(shape.size()));
    shape.push_back(rhsShape[static_cast<size_t>(dimension)]);
  }
  return b.transpose(b.reshape(result, shape), order);
}

//===-- a matrix for each group ---------------------------------------------------------------===//

// Partial sums use a type with little rounding error.
static Type sumType(TensorBuilder &b, Type element) {
  bool isNarrow = isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  return isNarrow ? Type(b.operations().getF32Type()) : element;
}

static Value masked(TensorBuilder &b, Value x, Value isInside, int64_t dimension) {
  TensorShape shape = TensorShape::of(x);
  return b.select(b.broadcast(isInside, shape, {dimension}), x,
                  b.zero(TensorBuilder::elementOf(x), shape));
}

// Computes one matrix per group, contracting the ragged dimension. The operands become lhs[list,
// batch, row, contracting, free], and rhs likewise. If there are several lists of sizes, each list
// belongs to one batch index and one index of the contracting dimensions before the ragged
// dimension.
static Value matrixByGroup(TensorBuilder &b, chlo::RaggedDotOp op) {
  Dimensions d(op);
  bool isShared = shapeOf(op.getGroupSizes()).size() == 1;
  SmallVector<int64_t> lhsBefore, rhsBefore, lhsBehind, rhsBehind;
  int64_t rhsRagged = 0;
  bool isBefore = !isShared;
  for (auto [l, r] : llvm::zip_equal(d.lhsContracting, d.rhsContracting)) {
    if (l == d.ragged) {
      rhsRagged = r;
      isBefore = false;
      continue;
    }
    (isBefore ? lhsBefore : lhsBehind).push_back(l);
    (isBefore ? rhsBefore : rhsBehind).push_back(r);
  }
  SmallVector<int64_t> lhsBatch(d.lhsBatch), rhsBatch(d.rhsBatch), lhsLists, rhsLists;
  TensorShape lhsShape = TensorShape::of(op.getLhs());
  Size beforeCount = sizeOf(lhsShape, lhsBefore), batchCount = sizeOf(lhsShape, lhsBatch);
  if (!isShared) {
    lhsLists.swap(lhsBatch);
    rhsLists.swap(rhsBatch);
    llvm::append_range(lhsLists, lhsBefore);
    llvm::append_range(rhsLists, rhsBefore);
  }
  Value lhs = arranged(b, op.getLhs(), {lhsLists, lhsBatch, {d.ragged}, lhsBehind, d.lhsFree});
  Value rhs = arranged(b, op.getRhs(), {rhsLists, rhsBatch, {rhsRagged}, rhsBehind, d.rhsFree});
  TensorShape left = TensorShape::of(lhs), right = TensorShape::of(rhs);
  Size listCount = left[0], batches = left[1], rows = left[2], inner = left[3];
  Size lhsFree = left[4], rhsFree = right[4];
  TensorShape sizesShape = TensorShape::of(op.getGroupSizes());
  Size groups = sizesShape[sizesShape.size() - 1];
  int64_t height = rowsOfPiece(rows.nominal, groups.nominal, 512);
  lhs = withRoom(b, lhs, 2, height);
  rhs = withRoom(b, rhs, 2, height);
  Size room = TensorShape::of(lhs)[2];
  Pieces pieces(b, b.reshape(op.getGroupSizes(), {listCount, groups}), rows, room, height);
  Type element = TensorBuilder::elementOf(op.getResult());
  Type sums = sumType(b, element);
  Value result = b.zero(sums, {groups, batchCount, lhsFree, rhsFree});
  auto step = [&](TensorBuilder &, Value i, ValueRange carried) {
    Pieces::Piece piece = pieces.at(b, i);
    auto partOf = [&](Value x, const Size &free) {
      Value part = b.dynamicSlice(x, startsAt(b, 5, {{0, piece.list}, {2, piece.first}}),
                                  {1, batches, height, inner, free});
      part = masked(b, part, piece.isInside, 2);
      return b.reshape(part, {batches, inner * height, free});
    };
    Value product =
        productOf(b, op, partOf(lhs, lhsFree), partOf(rhs, rhsFree),
                  batchedProduct(b.operations(), 1, 1), {batches, lhsFree, rhsFree}, sums);
    Value batchIndex = b.integer(b.signedType(64), 0);
    if (!isShared) {
      batchIndex = b.divide(piece.list, b.count(divisorOf(beforeCount)));
    }
    TensorShape shape = {1, batches, lhsFree, rhsFree};
    SmallVector<Value> starts = startsAt(b, 4, {{0, piece.group}, {1, batchIndex}});
    Value sum = b.add(b.dynamicSlice(carried[0], starts, shape), b.reshape(product, shape));
    return TensorBuilder::Carried{b.dynamicUpdate(carried[0], sum, starts)};
  };
  result = b.countedLoop(pieces.count, result, step).front();
  return b.reshape(b.convert(result, element), TensorShape::of(op.getResult()));
}

//===-- batches -------------------------------------------------------------------------------===//

// Computes an ordinary dot in which rows after the last group are zero.
static Value batchesByGroup(TensorBuilder &b, chlo::RaggedDotOp op) {
  Dimensions d(op);
  TensorShape lhsShape = TensorShape::of(op.getLhs());
  Value sizes = op.getGroupSizes();
  auto last = static_cast<int64_t>(shapeOf(sizes).size()) - 1;
  Value ends = groupsOf(b, sizes, lhsShape[static_cast<size_t>(d.ragged)]).ends;
  Value end = b.largest(ends, {last});
  // The lists correspond to the batching dimensions before the ragged dimension.
  SmallVector<int64_t> places(d.lhsBatch.take_front(static_cast<size_t>(last)));
  Value isInside = b.compare(ComparisonDirection::LT, b.iota(b.signedType(64), lhsShape, d.ragged),
                             b.broadcast(end, lhsShape, places));
  Type lhsElement = TensorBuilder::elementOf(op.getLhs());
  Value lhs = b.select(isInside, op.getLhs(), b.zero(lhsElement, lhsShape));
  auto numbers = stablehlo::DotDimensionNumbersAttr::get(op.getContext(), d.lhsBatch, d.rhsBatch,
                                                         d.lhsContracting, d.rhsContracting);
  return productOf(b, op, lhs, op.getRhs(), numbers, TensorShape::of(op.getResult()),
                   TensorBuilder::elementOf(op.getResult()));
}

Replacements decomposeRaggedDot(Operation *op) {
  auto dot = dyn_cast<chlo::RaggedDotOp>(op);
  if (!dot) {
    return std::nullopt;
  }
  TensorBuilder b(op);
  chlo::RaggedDotDimensionNumbersAttr numbers = dot.getRaggedDotDimensionNumbers();
  bool isEmpty = llvm::is_contained(shapeOf(dot.getResult()), 0) ||
                 llvm::is_contained(shapeOf(dot.getLhs()), 0) ||
                 llvm::is_contained(shapeOf(dot.getRhs()), 0) ||
                 elementsOf(dot.getGroupSizes()) == 0;
  if (isEmpty) {
    return SmallVector<Value>{
        b.zero(TensorBuilder::elementOf(dot.getResult()), TensorShape::of(dot.getResult()))};
  }
  switch (chlo::raggedModeOf(numbers)) {
  case chlo::RaggedMode::NonContracting:
    return SmallVector<Value>{rowsByGroup(b, dot)};
  case chlo::RaggedMode::Contracting:
    return SmallVector<Value>{matrixByGroup(b, dot)};
  case chlo::RaggedMode::Batch:
    return SmallVector<Value>{batchesByGroup(b, dot)};
  }
  return std::nullopt;
}

} // namespace drumlin
