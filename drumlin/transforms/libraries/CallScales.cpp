#include "drumlin/transforms/libraries/CallBuilder.h"

#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/target/LibraryTable.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace drumlin {

static ElementType typeOf(Value value) { return elementTypeOf(value.getType()); }

// Returns the text of the finite float to which all elements of a constant are equal, or an empty
// string if there is none.
static std::string numberText(Value value) {
  auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
  auto elements = constant ? dyn_cast<DenseElementsAttr>(constant.getValue()) : nullptr;
  bool isNumber = elements && elements.isSplat() && isa<FloatType>(elements.getElementType()) &&
                  elements.getSplatValue<APFloat>().isFinite();
  SmallString<16> number;
  if (isNumber) {
    elements.getSplatValue<APFloat>().toString(number);
  }
  return std::string(number);
}

// Returns a function of the kernel's inputs as text that can be parsed again.
static LibraryValue programOf(const ReadValue &read, Block &block) {
  Value value = read.value;
  llvm::SetVector<Operation *> needed;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return op->getBlock() == &block; };
  if (value.getDefiningOp()) {
    (void)getBackwardSlice(value, &needed, options);
  }
  LibraryValue made;
  SmallVector<BlockArgument> inputs;
  for (BlockArgument argument : block.getArguments()) {
    bool isRead = argument == value || llvm::any_of(argument.getUsers(), [&](Operation *user) {
                    return needed.contains(user);
                  });
    if (isRead) {
      inputs.push_back(argument);
      made.inputs.push_back(argument.getArgNumber());
    }
  }
  OpBuilder builder(value.getContext());
  Location loc = builder.getUnknownLoc();
  OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
  builder.setInsertionPointToEnd(module->getBody());
  auto shape = cast<RankedTensorType>(value.getType());
  Type type = shape.clone(toMlirType(read.type(), value.getContext()));
  auto function = func::FuncOp::create(
      builder, loc, "main",
      builder.getFunctionType(ValueRange(ArrayRef<BlockArgument>(inputs)).getTypes(), type));
  Block *body = function.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  IRMapping mapping;
  for (auto [input, argument] : llvm::zip(inputs, body->getArguments())) {
    mapping.map(input, argument);
  }
  for (Operation &op : block) {
    if (needed.contains(&op)) {
      builder.clone(op, mapping);
    }
  }
  Value result = mapping.lookup(value);
  for (ElementType to : read.conversions) {
    result = stablehlo::ConvertOp::create(builder, loc,
                                          shape.clone(toMlirType(to, value.getContext())), result);
  }
  func::ReturnOp::create(builder, loc, result);
  llvm::raw_string_ostream stream(made.program);
  function.print(stream);
  return made;
}

std::string CallBuilder::textOf(const ReadValue &read) {
  if (read.isInput()) {
    return "input " + std::to_string(cast<BlockArgument>(read.value).getArgNumber());
  }
  if (std::string number = numberText(read.value); !number.empty() && read.conversions.empty()) {
    return number;
  }
  std::pair key(read.value, read.conversions);
  auto found = llvm::find(computed, key);
  if (found == computed.end()) {
    call.values.push_back(programOf(read, gemm.getBody().front()));
    computed.push_back(std::move(key));
    found = std::prev(computed.end());
  }
  return "value " + std::to_string(found - computed.begin());
}

std::string CallBuilder::productText(ArrayRef<ScaleFactor> factors) {
  std::string text;
  for (const ScaleFactor &factor : factors) {
    text += text.empty() ? "" : " · ";
    text += (factor.divides ? "1 / " : "") + textOf(factor);
  }
  return text.empty() ? "1" : text;
}

// Registers a value that a small generated kernel prepares; equal values share one entry.
std::string CallBuilder::prepare(const std::string &what) {
  auto found = llvm::find(call.prepared, what);
  if (found == call.prepared.end()) {
    call.prepared.push_back(what);
    found = std::prev(call.prepared.end());
  }
  return "prepared " + std::to_string(found - call.prepared.begin());
}

std::string CallBuilder::scalarPointer(ArrayRef<ScaleFactor> factors) {
  bool isDirect = factors.size() == 1 && !factors.front().divides && factors.front().isInput() &&
                  factors.front().type() == ElementType::F32;
  return isDirect ? textOf(factors.front()) : prepare(productText(factors) + ", f32");
}

static std::optional<ScaleMode> modeOf(const ScaleShape &shape) {
  if (shape.kind == ScaleKind::Row) {
    return ScaleMode::OuterVector;
  }
  // An operand with at most 128 rows is one row of squares of 128x128 elements.
  if (shape.depth == 128) {
    return shape.free > 1 ? ScaleMode::Square128 : ScaleMode::Row128;
  }
  if (shape.free != 1) {
    return std::nullopt;
  }
  return shape.depth == 32   ? std::optional(ScaleMode::Mx)
         : shape.depth == 16 ? std::optional(ScaleMode::Nvfp4)
                             : std::nullopt;
}

CallBuilder::Limit CallBuilder::readScales(Side &side, bool isLhs) {
  size_t before = isLhs ? 0 : parts.lhs.scales.size();
  bool isNarrowOperand = isNarrow(typeOf(side.parts->data));
  for (auto [i, scale] : llvm::enumerate(side.parts->scales)) {
    bool changesWithBatch = llvm::any_of(batch.scales[before + i],
                                         [](StridedFactor factor) { return factor.stride != 0; });
    if (changesWithBatch) {
      return fails(LibraryLimit::BatchScale, "scales that change with the batch");
    }
    std::optional<ScaleShape> shape = scaleShapeOf({side.free->scales[i], k.scales[before + i]});
    if (!shape) {
      return fails(LibraryLimit::ScaleShape,
                   isLhs ? "of the left operand" : "of the right operand");
    }
    if (shape->kind == ScaleKind::Tensor) {
      side.tensorScales.push_back(scale);
      continue;
    }
    if (side.blockScale || !isNarrowOperand) {
      return fails(LibraryLimit::ScaleShape,
                   isNarrowOperand ? "two scales that aren't of the whole operand"
                                   : "an operand that isn't narrow has scales by row or block");
    }
    side.blockScale = &scale;
    side.shape = *shape;
    side.mode = modeOf(*shape);
    if (!side.mode) {
      return fails(LibraryLimit::ScaleShape,
                   "blocks of " + std::to_string(shape->free) + "x" + std::to_string(shape->depth));
    }
  }
  return std::nullopt;
}

CallBuilder::Limit CallBuilder::chooseScales() {
  if (Limit limit = readScales(a, !rowsAreN)) {
    return limit;
  }
  if (Limit limit = readScales(b, rowsAreN)) {
    return limit;
  }
  llvm::append_range(alpha, parts.epilogue.alpha);
  bool areNarrow = isNarrow(typeOf(a.parts->data)) && isNarrow(typeOf(b.parts->data));
  if (!a.mode && !b.mode && areNarrow) {
    call.scaleA = scalarScale(a);
    call.scaleB = scalarScale(b);
    return std::nullopt;
  }
  if (!a.mode && !b.mode) {
    llvm::append_range(alpha, a.tensorScales);
    llvm::append_range(alpha, b.tensorScales);
    return std::nullopt;
  }
  for (auto [side, other, made] :
       {std::tuple(&a, &b, &call.scaleA), std::tuple(&b, &a, &call.scaleB)}) {
    *made = side->mode ? blockScale(*side) : filledScale(*side, *other->mode);
  }
  return std::nullopt;
}

std::optional<LibraryScale> CallBuilder::scalarScale(const Side &side) {
  if (side.tensorScales.empty()) {
    return std::nullopt;
  }
  return LibraryScale{ScaleMode::Scalar, scalarPointer(side.tensorScales), ElementType::F32};
}

// Returns a scale vector that repeats one number, since the library requires scales for both
// operands.
LibraryScale CallBuilder::filledScale(Side &side, ScaleMode mode) {
  if (mode == ScaleMode::Square128) {
    mode = ScaleMode::Row128;
  }
  ElementType type = scaleRowOf(target.library, mode).type;
  std::string value = "1";
  if (type == ElementType::F32) {
    value = productText(side.tensorScales);
  } else {
    llvm::append_range(alpha, side.tensorScales);
  }
  return {mode, prepare(value + " for each scale of " + (&side == &a ? "A" : "B")), type};
}

LibraryScale CallBuilder::blockScale(Side &side) {
  llvm::append_range(alpha, side.tensorScales);
  ScaleMode mode = *side.mode;
  ElementType wanted = scaleRowOf(target.library, mode).type;
  const ScaleFactor &scale = *side.blockScale;
  ElementType type = scale.type();
  // f32 scales may be converted from narrower types; block formats have a fixed type.
  ElementType given = isFloat(type) && wanted == ElementType::F32 ? ElementType::F32 : type;
  if (scale.divides && given != ElementType::F32 && given != ElementType::F8E8M0FNU) {
    given = ElementType::F32; // reciprocals don't fit the narrow type
  }
  std::string order = wantedOrder(side);
  bool isDirect = order.empty() && !scale.divides && scale.isInput() && type == given;
  if (isDirect) {
    return {mode, textOf(scale), given};
  }
  std::string what = (scale.divides ? "1 / " : "") + textOf(scale);
  return {mode, prepare(what + ", " + std::string(name(given)) + order), given};
}

// Returns the layout that scales must have, or an empty string if they already have it.
std::string CallBuilder::wantedOrder(const Side &side) const {
  const ScaleShape &shape = side.shape;
  int64_t blocks = k.size / std::max<int64_t>(shape.depth, 1);
  switch (*side.mode) {
  case ScaleMode::Scalar:
    return "";
  case ScaleMode::OuterVector:
    return shape.freeStride == 1 ? "" : ", contiguous";
  case ScaleMode::Row128:
    return shape.freeStride == 1 && (blocks == 1 || shape.depthStride == side.free->size)
               ? ""
               : ", with the operand's rows contiguous";
  case ScaleMode::Square128:
    return (blocks == 1 || shape.depthStride == 1) && shape.freeStride % 4 == 0
               ? ""
               : ", contiguous along k, rows padded to a multiple of four";
  case ScaleMode::Mx:
  case ScaleMode::Nvfp4:
    if (target.library == GpuLibrary::CublasLt) {
      return ", in tiles of 128x4";
    }
    return shape.depthStride == 1 && shape.freeStride == blocks ? "" : ", in the operand's order";
  }
  return "";
}

} // namespace drumlin
