#include "drumlin/import/hlo/Emitter.h"
#include "drumlin/import/hlo/ImportLiterals.h"
#include "drumlin/import/hlo/ImportOpcodes.h"
#include "drumlin/import/hlo/ImportWindows.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/ir/stablehlo/TensorAttribute.h"

#include <algorithm>

using namespace mlir;

namespace drumlin::hlo {

//===-- data movement -------------------------------------------------------------------------===//

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

// Converts a dynamic reshape. HLO has the sizes as scalar operands, StableHLO as a single tensor.
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

// Returns the operands. The operands from `first` on are start indices, one scalar per dimension.
// Older texts have a single vector instead, which is split into scalars.
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
  // The loop is bounded, since an invalid program may have too many indices. Verification rejects
  // such a program later.
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

// Ignores `inferred_dimension`, which was only used for dynamic sizes.
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

} // namespace drumlin::hlo
