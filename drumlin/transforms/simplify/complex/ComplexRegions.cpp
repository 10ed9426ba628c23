// Splits operations with regions that take complex numbers.
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/IotaOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/SelectAndScatterOp.h"
#include "drumlin/ir/stablehlo/SelectOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/SortOp.h"
#include "drumlin/transforms/simplify/complex/ComplexSplitter.h"

#include "drumlin/transforms/simplify/RealFormula.h"

using namespace mlir;

namespace drumlin {

void ComplexSplitter::splitRegions(Operation *op, bool ofComplex) {
  if (!ofComplex) {
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        expandArguments(block, /*inPairs=*/isa<stablehlo::SortOp>(op));
        splitBlock(block);
      }
    }
    return;
  }
  OpBuilder builder(op);
  if (auto select = dyn_cast<stablehlo::SelectAndScatterOp>(op)) {
    splitSelection(builder, select);
    return;
  }
  Operation *made = rebuilt(builder, op, expanded(op->getOperands()));
  for (unsigned i = 0; i < op->getNumRegions(); ++i) {
    made->getRegion(i).takeBody(op->getRegion(i));
    for (Block &block : made->getRegion(i)) {
      expandArguments(block, /*inPairs=*/isa<stablehlo::SortOp>(op));
      splitBlock(block);
    }
  }
  replace(op, made->getResults());
  if (isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp, stablehlo::ScatterOp>(made)) {
    independent.push_back(made);
  }
}

Value ComplexSplitter::indexConstant(OpBuilder &builder, Location loc, int64_t value) {
  auto type = RankedTensorType::get({}, builder.getI64Type());
  return stablehlo::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, builder.getI64IntegerAttr(value)));
}

void ComplexSplitter::selectCandidate(stablehlo::SelectAndScatterOp op, Block &body) {
  Location loc = op.getLoc();
  Block &select = op.getSelect().front();
  parts[select.getArgument(0)] = {body.getArgument(0), body.getArgument(1)};
  parts[select.getArgument(1)] = {body.getArgument(3), body.getArgument(4)};
  Operation *terminator = select.getTerminator();
  SmallVector<Operation *> moved;
  for (Operation &inside : select.without_terminator()) {
    moved.push_back(&inside);
  }
  for (Operation *inside : moved) {
    inside->moveBefore(&body, body.end());
    split(inside);
  }
  OpBuilder inBody = OpBuilder::atBlockEnd(&body);
  formula::Place place{inBody, loc};
  using formula::Truth;
  auto isOutside = [&](Value position) {
    return Truth(place, stablehlo::CompareOp::create(
                            inBody, loc, RankedTensorType::get({}, inBody.getI1Type()), position,
                            indexConstant(inBody, loc, 0),
                            stablehlo::ComparisonDirectionAttr::get(
                                inBody.getContext(), stablehlo::ComparisonDirection::LT),
                            stablehlo::ComparisonTypeAttr()));
  };
  Truth first = (Truth(place, terminator->getOperand(0)) || isOutside(body.getArgument(5))) &&
                !isOutside(body.getArgument(2));
  SmallVector<Value> chosen;
  for (unsigned i = 0; i < 3; ++i) {
    chosen.push_back(stablehlo::SelectOp::create(inBody, loc, body.getArgument(i).getType(),
                                                 first.value(), body.getArgument(i),
                                                 body.getArgument(i + 3)));
  }
  stablehlo::ReturnOp::create(inBody, loc, chosen);
}

Value ComplexSplitter::selectedPositions(OpBuilder &builder, stablehlo::SelectAndScatterOp op) {
  Location loc = op.getLoc();
  ComplexParts operand = partsOf(op.getOperand()), initial = partsOf(op.getInitValue());
  RankedTensorType part = partType(op.getType());
  RankedTensorType windows = partType(op.getSource().getType());
  Type element = part.getElementType(), index = builder.getI64Type();
  Value flat =
      stablehlo::IotaOp::create(builder, loc, RankedTensorType::get({part.getNumElements()}, index),
                                builder.getI64IntegerAttr(0));
  Value positions = stablehlo::ReshapeOp::create(builder, loc, part.clone(index), flat);
  OperationState state(loc, stablehlo::ReduceWindowOp::getOperationName());
  state.addOperands({operand.real, operand.imaginary, positions, initial.real, initial.imaginary,
                     indexConstant(builder, loc, -1)});
  state.addTypes({windows, windows, windows.clone(index)});
  auto sizes = [&](ArrayRef<int64_t> values) { return builder.getDenseI64ArrayAttr(values); };
  state.addAttribute("window_dimensions", sizes(op.windowDimensionsOrDefault()));
  state.addAttribute("window_strides", sizes(op.windowStridesOrDefault()));
  if (op.getPaddingAttr()) {
    state.addAttribute("padding", op.getPaddingAttr());
  }
  state.addRegion();
  Operation *reduced = builder.create(state);
  Block &body = reduced->getRegion(0).emplaceBlock();
  for (int side = 0; side < 2; ++side) {
    for (Type type : {element, element, index}) {
      body.addArgument(RankedTensorType::get({}, type), loc);
    }
  }
  selectCandidate(op, body);
  return reduced->getResult(2);
}

void ComplexSplitter::splitSelection(OpBuilder &builder, stablehlo::SelectAndScatterOp op) {
  Location loc = op.getLoc();
  ComplexParts source = partsOf(op.getSource()), initial = partsOf(op.getInitValue());
  RankedTensorType part = partType(op.getType());
  Type element = part.getElementType(), index = builder.getI64Type();
  Value positions = selectedPositions(builder, op);
  int64_t updates = partType(op.getSource().getType()).getNumElements();
  auto flatten = [&](Value value, Type type, ArrayRef<int64_t> shape) -> Value {
    return stablehlo::ReshapeOp::create(builder, loc, RankedTensorType::get(shape, type), value);
  };
  SmallVector<Value> operands;
  for (Value value : {initial.real, initial.imaginary}) {
    operands.push_back(stablehlo::BroadcastInDimOp::create(
        builder, loc, RankedTensorType::get({part.getNumElements()}, element), value,
        builder.getDenseI64ArrayAttr({})));
  }
  operands.push_back(flatten(positions, index, {updates, 1}));
  operands.push_back(flatten(source.real, element, {updates}));
  operands.push_back(flatten(source.imaginary, element, {updates}));
  OperationState state(loc, stablehlo::ScatterOp::getOperationName());
  state.addOperands(operands);
  state.addTypes({operands[0].getType(), operands[1].getType()});
  state.addAttribute("scatter_dimension_numbers", stablehlo::ScatterDimensionNumbersAttr::get(
                                                      builder.getContext(), /*updateWindowDims=*/{},
                                                      /*insertedWindowDims=*/{0}, {}, {},
                                                      /*scatterDimsToOperandDims=*/{0},
                                                      /*indexVectorDim=*/1));
  state.addRegion();
  Operation *scattered = builder.create(state);
  scattered->getRegion(0).takeBody(op.getScatter());
  Block &update = scattered->getRegion(0).front();
  expandArguments(update, /*inPairs=*/false);
  splitBlock(update);
  independent.push_back(scattered);
  SmallVector<Value> results;
  for (Value value : scattered->getResults()) {
    results.push_back(stablehlo::ReshapeOp::create(builder, loc, part, value));
  }
  replace(op, results);
}

SmallVector<Value> ComplexSplitter::topParts(OpBuilder &builder, chlo::TopKOp op) {
  Location loc = op.getLoc();
  ComplexParts operand = partsOf(op.getOperand());
  RankedTensorType part = partType(op.getOperand().getType());
  Type index = getElementTypeOrSelf(op.getIndices().getType());
  int64_t last = part.getRank() - 1;
  Value positions =
      stablehlo::IotaOp::create(builder, loc, part.clone(index), builder.getI64IntegerAttr(last));
  OperationState state(loc, stablehlo::SortOp::getOperationName());
  state.addOperands({operand.real, operand.imaginary, positions});
  state.addTypes({part, part, part.clone(index)});
  state.addAttribute("dimension", builder.getI64IntegerAttr(last));
  state.addAttribute("is_stable", builder.getBoolAttr(true));
  state.addRegion();
  Operation *sorted = builder.create(state);
  Block &body = sorted->getRegion(0).emplaceBlock();
  for (Type type : {part.getElementType(), part.getElementType(), index}) {
    auto scalar = RankedTensorType::get({}, type);
    body.addArguments({scalar, scalar}, {loc, loc});
  }
  OpBuilder inBody = OpBuilder::atBlockEnd(&body);
  formula::Place place{inBody, loc};
  auto argument = [&](unsigned i) { return formula::Real(place, body.getArgument(i)); };
  formula::Truth isLarger = (argument(0) == argument(1) && argument(2) > argument(3)) ||
                            (argument(0) != argument(1) && argument(0) > argument(1));
  stablehlo::ReturnOp::create(inBody, loc, isLarger.value());
  SmallVector<int64_t> starts(part.getShape().size(), 0), strides(starts.size(), 1),
      limits(part.getShape());
  limits.back() = static_cast<int64_t>(op.getK());
  SmallVector<Value> made;
  for (Value value : sorted->getResults()) {
    made.push_back(stablehlo::SliceOp::create(
        builder, loc, value, builder.getDenseI64ArrayAttr(starts),
        builder.getDenseI64ArrayAttr(limits), builder.getDenseI64ArrayAttr(strides)));
  }
  return made;
}

void ComplexSplitter::expandArguments(Block &block, bool inPairs) {
  if (llvm::none_of(block.getArgumentTypes(), isComplexType)) {
    return;
  }
  SmallVector<BlockArgument> old(block.getArguments());
  SmallVector<BlockArgument> gone;
  for (size_t i = 0; i < old.size(); ++i) {
    BlockArgument argument = old[i];
    Location loc = argument.getLoc();
    auto add = [&](Type type) { return block.addArgument(type, loc); };
    gone.push_back(argument);
    if (!isComplexType(argument.getType())) {
      argument.replaceAllUsesWith(add(argument.getType()));
      continue;
    }
    Type type = partType(argument.getType());
    if (inPairs) {
      Value real = add(type), otherReal = add(type), imaginary = add(type),
            otherImaginary = add(type);
      parts[argument] = {real, imaginary};
      parts[old[++i]] = {otherReal, otherImaginary};
      gone.push_back(old[i]);
    } else {
      Value real = add(type);
      parts[argument] = {real, add(type)};
    }
  }
  replacedArguments.emplace_back(&block, std::move(gone));
}

} // namespace drumlin
