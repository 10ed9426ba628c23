#include "drumlin/import/hlo/Emitter.h"
#include "drumlin/import/hlo/ImportOpcodes.h"
#include "drumlin/import/hlo/ImportWindows.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"

using namespace mlir;

namespace drumlin::hlo {

// Finishes with an operation whose region is the computation named by `attribute`.
static void finishWithRegion(Emitter &emitter, llvm::StringRef operation, ValueRange operands,
                             llvm::ArrayRef<NamedAttribute> attributes,
                             llvm::StringRef attribute = "to_apply") {
  const Computation *computation = emitter.computation(attribute);
  if (Operation *made = emitter.finish(operation, operands, attributes, /*regions=*/1)) {
    emitter.fillScalarRegion(made->getRegion(0), *computation);
  }
}

//===-- gather and scatter --------------------------------------------------------------------===//

void emitGather(Emitter &emitter, llvm::StringRef) {
  auto dimensions = stablehlo::GatherDimensionNumbersAttr::get(
      emitter.context(), emitter.integers("offset_dims"), emitter.integers("collapsed_slice_dims"),
      emitter.integers("operand_batching_dims"), emitter.integers("start_indices_batching_dims"),
      emitter.integers("start_index_map"), emitter.integer("index_vector_dim"));
  emitter.finish("stablehlo.gather", {emitter.array(0), emitter.array(1)},
                 {emitter.named("dimension_numbers", dimensions),
                  emitter.i64Array("slice_sizes", emitter.integers("slice_sizes")),
                  emitter.flag("indices_are_sorted")});
}

void emitScatter(Emitter &emitter, llvm::StringRef) {
  auto dimensions = stablehlo::ScatterDimensionNumbersAttr::get(
      emitter.context(), emitter.integers("update_window_dims"),
      emitter.integers("inserted_window_dims"), emitter.integers("input_batching_dims"),
      emitter.integers("scatter_indices_batching_dims"),
      emitter.integers("scatter_dims_to_operand_dims"), emitter.integer("index_vector_dim"));
  finishWithRegion(emitter, "stablehlo.scatter", emitter.allLeaves(),
                   {emitter.named("scatter_dimension_numbers", dimensions),
                    emitter.flag("indices_are_sorted"), emitter.flag("unique_indices")});
}

//===-- reductions ----------------------------------------------------------------------------===//

// Converts `map`. Missing or empty `dimensions` mean all dimensions.
void emitMap(Emitter &emitter, llvm::StringRef) {
  SmallVector<int64_t> dimensions = emitter.integers("dimensions");
  if (dimensions.empty()) {
    llvm::append_range(dimensions,
                       llvm::seq<int64_t>(emitter.instruction().shape.dimensions.size()));
  }
  finishWithRegion(emitter, "stablehlo.map", emitter.allLeaves(),
                   emitter.i64Array("dimensions", dimensions));
}

// Returns the float types of a computation's parameters by number; null for other types.
static SmallVector<Type> floatParameters(Emitter &emitter, const Computation &computation) {
  SmallVector<Type> floats(computation.instructions.size());
  for (const auto &each : computation.instructions) {
    std::optional<int64_t> number = each->parameterNumber();
    std::optional<ElementType> type = each->shape.elementType();
    if (number && *number >= 0 && std::cmp_less(*number, floats.size()) && type && isFloat(*type)) {
      floats[static_cast<size_t>(*number)] = toMlirType(*type, emitter.context());
    }
  }
  return floats;
}

// Finishes with a reduction. If the operands' float types differ from the computation's, the
// operands are converted, as XLA reduces in the computation's types.
static void finishReduction(Emitter &emitter, StringRef operation,
                            ArrayRef<NamedAttribute> attributes) {
  const Computation *computation = emitter.computation("to_apply");
  Leaves operands = emitter.allLeaves();
  SmallVector<Type> types = emitter.resultTypes(), own(types);
  if (emitter.failed()) {
    return;
  }
  SmallVector<Type> floats = floatParameters(emitter, *computation);
  for (size_t i = 0; i < types.size() && operands.size() == 2 * types.size(); ++i) {
    auto type = dyn_cast<RankedTensorType>(types[i]);
    if (i >= floats.size() || !floats[i] || !type || !isa<FloatType>(type.getElementType())) {
      continue;
    }
    own[i] = type.clone(floats[i]);
    for (mlir::Value *each : {&operands[i], &operands[types.size() + i]}) {
      if (isa<FloatType>(getElementTypeOrSelf(*each))) {
        *each = emitter.converted(*each, floats[i]);
      }
    }
  }
  Operation *made = emitter.create(operation, operands, own, attributes, /*regions=*/1);
  if (!made) {
    return;
  }
  emitter.fillScalarRegion(made->getRegion(0), *computation);
  Leaves results;
  for (auto [result, type] : llvm::zip(made->getResults(), types)) {
    results.push_back(emitter.converted(result, getElementTypeOrSelf(type)));
  }
  emitter.finish(results);
}

void emitReduce(Emitter &emitter, llvm::StringRef) {
  finishReduction(emitter, "stablehlo.reduce",
                  emitter.i64Array("dimensions", emitter.integers("dimensions")));
}

void emitReduceWindow(Emitter &emitter, llvm::StringRef) {
  auto operand = emitter.array(0);
  Window window = readWindow(emitter, operand ? operand.getType().getShape().size() : 0);
  if (llvm::is_contained(window.reversal, true)) {
    emitter.failAttribute("window", "a window that isn't reversed");
  }
  finishReduction(emitter, "stablehlo.reduce_window",
                  {emitter.i64Array("window_dimensions", window.sizes),
                   emitter.i64Array("window_strides", window.strides),
                   emitter.i64Array("base_dilations", window.baseDilations),
                   emitter.i64Array("window_dilations", window.windowDilations),
                   emitter.named("padding", window.padding(emitter.ops()))});
}

void emitSelectAndScatter(Emitter &emitter, llvm::StringRef) {
  auto operand = emitter.array(0);
  Window window = readWindow(emitter, operand ? operand.getType().getShape().size() : 0);
  if (llvm::is_contained(window.reversal, true) ||
      llvm::any_of(window.baseDilations, [](int64_t dilation) { return dilation != 1; }) ||
      llvm::any_of(window.windowDilations, [](int64_t dilation) { return dilation != 1; })) {
    emitter.failAttribute("window", "a window without dilation that isn't reversed");
  }
  const Computation *select = emitter.computation("select");
  const Computation *scatter = emitter.computation("scatter");
  Operation *made = emitter.finish("stablehlo.select_and_scatter", emitter.allLeaves(),
                                   {emitter.i64Array("window_dimensions", window.sizes),
                                    emitter.i64Array("window_strides", window.strides),
                                    emitter.named("padding", window.padding(emitter.ops()))},
                                   /*regions=*/2);
  if (made) {
    emitter.fillScalarRegion(made->getRegion(0), *select);
    emitter.fillScalarRegion(made->getRegion(1), *scatter);
  }
}

// Converts `scan`. The operands are the inputs, then `num_carries` carries. The results are the
// outputs, then the carries.
void emitScan(Emitter &emitter, llvm::StringRef) {
  SmallVector<int64_t> dimensions = emitter.integers("dimensions");
  int64_t carries = emitter.integer("num_carries");
  Leaves operands = emitter.allLeaves();
  SmallVector<Type> types = emitter.resultTypes();
  if (dimensions.size() != 1 || carries < 0 || std::cmp_greater(carries, operands.size()) ||
      std::cmp_greater(carries, types.size())) {
    emitter.fail(errors::ProgramInvalid,
                 "`scan` needs one dimension, and carries that are both operands and results");
    return;
  }
  auto segments = [&](llvm::StringRef name, size_t count) {
    auto behind = static_cast<int32_t>(carries);
    return emitter.named(
        name, emitter.ops().getDenseI32ArrayAttr({static_cast<int32_t>(count) - behind, behind}));
  };
  SmallVector<NamedAttribute> attributes = {
      emitter.named("dimension", emitter.ops().getI64IntegerAttr(dimensions.front())),
      emitter.flag("is_reverse"), segments("operandSegmentSizes", operands.size()),
      segments("resultSegmentSizes", types.size())};
  if (emitter.attribute("is_associative")) {
    attributes.push_back(emitter.flag("is_associative"));
  }
  const Computation *computation = emitter.computation("to_apply");
  if (Operation *made = emitter.finish("chlo.scan", operands, attributes, /*regions=*/1)) {
    emitter.fillProgramRegion(made->getRegion(0), *computation);
  }
}

//===-- order ---------------------------------------------------------------------------------===//

void emitSort(Emitter &emitter, llvm::StringRef) {
  finishWithRegion(emitter, "stablehlo.sort", emitter.allLeaves(),
                   {emitter.i64("dimension", emitter.oneDimension()), emitter.flag("is_stable")});
}

// Fails unless `largest` is true, as neither StableHLO nor CHLO can select the smallest elements.
// `is_stable` needn't be read, since equal elements always keep their order. The comparison in
// older texts needn't be read either, since it repeats `largest`.
void emitTopK(Emitter &emitter, llvm::StringRef) {
  emitter.boolean("is_stable");
  emitter.attribute("to_apply");
  if (!emitter.boolean("largest", true)) {
    emitter.failAttribute("largest", "`true`");
  }
  emitter.finish("chlo.top_k", {emitter.array(0)},
                 emitter.named("k", emitter.ops().getI64IntegerAttr(emitter.integer("k"))));
}

} // namespace drumlin::hlo
