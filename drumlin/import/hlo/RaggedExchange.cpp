// Converts exchanges of parts of arrays between processes. The parts' offsets and sizes are only
// known at run time.
#include "drumlin/import/hlo/Emitter.h"
#include "drumlin/import/hlo/ImportOpcodes.h"
#include "drumlin/import/hlo/ImportWindows.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"

using namespace mlir;

namespace drumlin::hlo {

namespace {
// Emits the StableHLO operations, on rows of arrays, that implement `ragged-all-to-all`.
class RaggedExchange {
public:
  RaggedExchange(Emitter &emitter, DenseIntElementsAttr groups)
      : emitter(emitter), groups(groups), processes(groups.getType().getShape()[1]) {
    if (emitter.attribute("channel_id")) {
      int64_t channel = std::max<int64_t>(emitter.integer("channel_id"), 1);
      handle = stablehlo::ChannelHandleAttr::get(emitter.context(), channel, /*type=*/1);
    }
  }

  // Exchanges rows: each process sends an equal part of its rows to each process.
  mlir::Value exchanged(mlir::Value rows) {
    SmallVector<NamedAttribute> attributes = {
        emitter.named("replica_groups", groups), emitter.i64("split_dimension", 0),
        emitter.i64("concat_dimension", 0), emitter.i64("split_count", processes)};
    if (handle) {
      attributes.push_back(emitter.named("channel_handle", handle));
    }
    return made(emitter.create("stablehlo.all_to_all", {rows}, rows.getType(), attributes));
  }

  // Returns the rows of all processes, concatenated.
  mlir::Value gathered(mlir::Value rows) {
    auto type = cast<RankedTensorType>(rows.getType());
    SmallVector<mlir::Value> copies(static_cast<size_t>(processes), rows);
    SmallVector<int64_t> sizes(type.getShape());
    sizes.front() *= processes;
    return exchanged(made(emitter.create("stablehlo.concatenate", copies,
                                         RankedTensorType::get(sizes, type.getElementType()),
                                         emitter.i64("dimension", 0))));
  }

  // Returns a vector of `count` copies of the element at index `at` of a vector.
  mlir::Value numberOf(mlir::Value vector, int64_t at, int64_t count) {
    Type element = getElementTypeOrSelf(vector);
    mlir::Value one = made(emitter.create(
        "stablehlo.slice", {vector}, RankedTensorType::get({1}, element),
        {emitter.i64Array("start_indices", {at}), emitter.i64Array("limit_indices", {at + 1}),
         emitter.i64Array("strides", {1})}));
    return broadcast(one, RankedTensorType::get({count}, element), {0});
  }

  mlir::Value all(int64_t number, RankedTensorType type) {
    auto value =
        DenseElementsAttr::get(type, emitter.ops().getIntegerAttr(type.getElementType(), number));
    return made(emitter.create("stablehlo.constant", {}, type, emitter.named("value", value)));
  }

  mlir::Value broadcast(mlir::Value value, RankedTensorType type, ArrayRef<int64_t> dimensions) {
    return made(emitter.create("stablehlo.broadcast_in_dim", {value}, type,
                               emitter.i64Array("broadcast_dimensions", dimensions)));
  }

  mlir::Value apply(StringRef operation, ValueRange operands) {
    return made(emitter.create(operation, operands, operands.back().getType()));
  }

  mlir::Value isLess(mlir::Value a, mlir::Value b) {
    auto direction = stablehlo::ComparisonDirectionAttr::get(emitter.context(),
                                                             stablehlo::ComparisonDirection::LT);
    auto type = cast<RankedTensorType>(a.getType()).clone(emitter.ops().getI1Type());
    return made(emitter.create("stablehlo.compare", {a, b}, type,
                               emitter.named("comparison_direction", direction)));
  }

  // Returns the rows whose indices are the elements of the vector `numbers`.
  mlir::Value rowsAt(mlir::Value rows, mlir::Value numbers, RankedTensorType type) {
    SmallVector<int64_t> offsets, sizes(type.getShape());
    for (int64_t i = 1; i < type.getRank(); ++i) {
      offsets.push_back(i);
    }
    sizes.front() = 1;
    auto dimensions =
        stablehlo::GatherDimensionNumbersAttr::get(emitter.context(), offsets, {0}, {}, {}, {0}, 1);
    return made(emitter.create(
        "stablehlo.gather", {rows, numbers}, type,
        {emitter.named("dimension_numbers", dimensions), emitter.i64Array("slice_sizes", sizes),
         emitter.named("indices_are_sorted", emitter.ops().getBoolAttr(false))}));
  }

  int64_t processCount() const { return processes; }

private:
  static mlir::Value made(Operation *operation) { return operation->getResult(0); }

  Emitter &emitter;
  DenseIntElementsAttr groups;
  int64_t processes;
  stablehlo::ChannelHandleAttr handle;
};
} // namespace

// Maximum number of received parts. The update of the output is unrolled for each part.
static constexpr int64_t maxUpdates = 4096;

// Converts `ragged-all-to-all`. The operands are the input, the output, and four vectors with one
// number per part: the input offsets, the sizes sent, the offsets in the receivers' outputs, and
// the sizes received. Row i of the result comes from the last received part that covers it, or from
// the output if none does.
void emitRaggedAllToAll(Emitter &emitter, llvm::StringRef) {
  auto input = emitter.array(0), output = emitter.array(1);
  DenseIntElementsAttr groups = readGroups(emitter, OfAll::Listed);
  SmallVector<RankedTensorType> vectors;
  for (size_t i = 2; i < 6; ++i) {
    auto vector = emitter.array(i);
    vectors.push_back(vector ? vector.getType() : RankedTensorType());
  }
  if (emitter.failed()) {
    return;
  }
  RankedTensorType type = output.getType(), given = input.getType(), vector = vectors.front();
  int64_t processes = groups.getType().getShape()[1];
  bool isRight = type.getRank() > 0 && given.getRank() == type.getRank() && type.hasStaticShape() &&
                 given.hasStaticShape() && given.getDimSize(0) > 0 &&
                 given.getElementType() == type.getElementType() &&
                 given.getShape().drop_front() == type.getShape().drop_front() &&
                 llvm::all_equal(vectors) && vector.hasStaticShape() && vector.getRank() == 1 &&
                 vector.getElementType().isSignlessInteger() && processes > 0 &&
                 vector.getDimSize(0) % processes == 0 && vector.getDimSize(0) <= maxUpdates;
  if (!isRight) {
    emitter.fail(
        errors::ProgramInvalid,
        "`ragged-all-to-all` needs arrays that differ only in their first size, and vectors "
        "of integers, with the same number for each process of a group, of a size of at most " +
            std::to_string(maxUpdates));
    return;
  }
  RaggedExchange exchange(emitter, groups);
  int64_t rows = type.getDimSize(0), inputRows = given.getDimSize(0);
  int64_t parts = vector.getDimSize(0) / processes;
  mlir::Value begins = exchange.exchanged(emitter.array(2)),
              lengths = exchange.exchanged(emitter.array(3)),
              places = exchange.exchanged(emitter.array(4));
  auto numbers = RankedTensorType::get({rows}, vector.getElementType());
  mlir::Value row =
      emitter.create("stablehlo.iota", {}, numbers, emitter.i64("iota_dimension", 0))->getResult(0);
  mlir::Value none = exchange.all(-1, numbers), from = none;
  for (int64_t i = 0; i < vector.getDimSize(0); ++i) {
    mlir::Value inside =
        exchange.apply("stablehlo.subtract", {row, exchange.numberOf(places, i, rows)});
    mlir::Value isInside = exchange.apply(
        "stablehlo.and", {exchange.isLess(none, inside),
                          exchange.isLess(inside, exchange.numberOf(lengths, i, rows))});
    mlir::Value source =
        exchange.apply("stablehlo.add", {inside, exchange.numberOf(begins, i, rows)});
    source =
        exchange.apply("stablehlo.add", {source, exchange.all((i / parts) * inputRows, numbers)});
    from = exchange.apply("stablehlo.select", {isInside, source, from});
  }
  mlir::Value sent = exchange.rowsAt(exchange.gathered(input), from, type);
  mlir::Value isSent =
      exchange.broadcast(exchange.isLess(none, from), type.clone(emitter.ops().getI1Type()), {0});
  emitter.finish(exchange.apply("stablehlo.select", {isSent, sent, output}));
}

} // namespace drumlin::hlo
