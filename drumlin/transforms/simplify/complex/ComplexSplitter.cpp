#include "drumlin/transforms/simplify/complex/ComplexSplitter.h"

#include "drumlin/ir/plan/HostCallOp.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

bool isComplexType(Type type) { return isa<ComplexType>(getElementTypeOrSelf(type)); }

void ComplexSplitter::run() {
  splitEntry();
  splitBlock(function.front());
  for (Operation *op : replaced) {
    op->dropAllReferences();
  }
  for (Operation *op : llvm::reverse(replaced)) {
    op->dropAllUses();
    op->erase();
  }
  for (auto [block, arguments] : llvm::reverse(replacedArguments)) {
    for (BlockArgument argument : llvm::reverse(arguments)) {
      argument.dropAllUses();
      block->eraseArgument(argument.getArgNumber());
    }
  }
  function.setType(FunctionType::get(function.getContext(), function.front().getArgumentTypes(),
                                     function.front().getTerminator()->getOperandTypes()));
}

//===-- values ------------------------------------------------------------------------------===//

ComplexParts ComplexSplitter::partsOf(Value value) { return parts.at(value); }

SmallVector<Value> ComplexSplitter::expanded(ValueRange values) {
  SmallVector<Value> made;
  for (Value value : values) {
    if (isComplexType(value.getType())) {
      ComplexParts both = partsOf(value);
      made.append({both.real, both.imaginary});
    } else {
      made.push_back(value);
    }
  }
  return made;
}

SmallVector<Type> ComplexSplitter::expandedTypes(TypeRange types) {
  SmallVector<Type> made;
  for (Type type : types) {
    made.append(isComplexType(type) ? 2 : 1, isComplexType(type) ? partType(type) : type);
  }
  return made;
}

void ComplexSplitter::replace(Operation *op, ValueRange made) {
  size_t next = 0;
  for (OpResult result : op->getResults()) {
    if (isComplexType(result.getType())) {
      parts[result] = {made[next], made[next + 1]};
      next += 2;
    } else {
      result.replaceAllUsesWith(made[next++]);
    }
  }
  replaced.push_back(op);
}

//===-- the entry ---------------------------------------------------------------------------===//

void ComplexSplitter::splitEntry() {
  Block &block = function.front();
  OpBuilder builder = OpBuilder::atBlockBegin(&block);
  for (BlockArgument argument : block.getArguments()) {
    if (!isComplexType(argument.getType())) {
      continue;
    }
    unsigned number = argument.getArgNumber();
    Location loc = argument.getLoc();
    auto rank = cast<RankedTensorType>(argument.getType()).getRank();
    // A placeholder operation without operands replaces the complex argument until its remaining
    // uses are split. `parts` has its real and imaginary parts.
    auto pairs = pairType(argument.getType());
    auto holder = UnrealizedConversionCastOp::create(builder, loc, argument.getType(), argument);
    argument.replaceAllUsesExcept(holder.getResult(0), holder);
    argument.setType(pairs);
    holder->setOperands(ValueRange());
    parts[holder.getResult(0)] = {partOfPairs(builder, loc, argument, 0),
                                  partOfPairs(builder, loc, argument, 1)};
    replaced.push_back(holder);
    function.setArgAttr(number, complexAttribute, builder.getUnitAttr());
    function.setArgAttr(
        number, layoutModeAttribute,
        pairMode(function.getArgAttrOfType<StringAttr>(number, layoutModeAttribute), rank));
  }
}

StringAttr ComplexSplitter::pairMode(StringAttr mode, int64_t rank) {
  std::optional<DimensionOrder> order =
      mode ? parseLayout(mode.getValue(), static_cast<size_t>(rank)) : std::nullopt;
  if (!order) {
    return StringAttr::get(function.getContext(), "default");
  }
  order->push_back(rank);
  return StringAttr::get(function.getContext(), layoutText(*order));
}

void ComplexSplitter::splitReturn(Operation *op) {
  OpBuilder builder(op);
  for (OpOperand &operand : op->getOpOperands()) {
    Type type = operand.get().getType();
    if (!isComplexType(type)) {
      continue;
    }
    unsigned number = operand.getOperandNumber();
    operand.set(pairsOf(builder, op->getLoc(), partsOf(operand.get())));
    function.setResultAttr(number, complexAttribute, builder.getUnitAttr());
    function.setResultAttr(
        number, layoutModeAttribute,
        pairMode(function.getResultAttrOfType<StringAttr>(number, layoutModeAttribute),
                 cast<RankedTensorType>(type).getRank()));
  }
}

//===-- operations --------------------------------------------------------------------------===//

void ComplexSplitter::splitBlock(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(block)) {
    split(&op);
  }
}

void ComplexSplitter::split(Operation *op) {
  bool ofComplex = llvm::any_of(
      llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()), isComplexType);
  if (isa<func::ReturnOp>(op)) {
    splitReturn(op);
    return;
  }
  if (isa<stablehlo::ReturnOp>(op)) {
    op->setOperands(expanded(op->getOperands()));
    return;
  }
  if (op->getNumRegions() != 0) {
    splitRegions(op, ofComplex);
  } else if (ofComplex && !isa<UnrealizedConversionCastOp>(op)) {
    splitSimple(op);
  }
}

void ComplexSplitter::splitHostCall(plan::HostCallOp call) {
  OpBuilder builder(call);
  SmallVector<Value> operands;
  for (Value operand : call.getInputs()) {
    operands.push_back(isComplexType(operand.getType())
                           ? pairsOf(builder, call.getLoc(), partsOf(operand))
                           : operand);
  }
  SmallVector<Type> types;
  for (Type type : call->getResultTypes()) {
    types.push_back(isComplexType(type) ? Type(pairType(type)) : type);
  }
  auto made = plan::HostCallOp::create(builder, call.getLoc(), types, operands, call->getAttrs());
  SmallVector<Value> results;
  for (auto [result, type] : llvm::zip(made.getOutputs(), call->getResultTypes())) {
    if (isComplexType(type)) {
      results.append({partOfPairs(builder, call.getLoc(), result, 0),
                      partOfPairs(builder, call.getLoc(), result, 1)});
    } else {
      results.push_back(result);
    }
  }
  replace(call, results);
}

void ComplexSplitter::splitSimple(Operation *op) {
  if (auto call = dyn_cast<plan::HostCallOp>(op)) {
    splitHostCall(call);
    return;
  }
  OpBuilder builder(op);
  Location loc = op->getLoc();
  if (SmallVector<Value> made = simple(builder, op); !made.empty()) {
    replace(op, made);
    return;
  }
  // The operation stays, with complex operands and results.
  for (OpOperand &operand : op->getOpOperands()) {
    if (isComplexType(operand.get().getType())) {
      ComplexParts both = partsOf(operand.get());
      operand.set(stablehlo::ComplexOp::create(builder, loc, operand.get().getType(), both.real,
                                               both.imaginary));
    }
  }
  builder.setInsertionPointAfter(op);
  for (OpResult result : op->getResults()) {
    if (isComplexType(result.getType())) {
      Type type = partType(result.getType());
      parts[result] = {stablehlo::RealOp::create(builder, loc, type, result),
                       stablehlo::ImagOp::create(builder, loc, type, result)};
    }
  }
}

SmallVector<Value> ComplexSplitter::simple(OpBuilder &builder, Operation *op) {
  Location loc = op->getLoc();
  auto pair = [](ComplexParts made) { return SmallVector<Value>{made.real, made.imaginary}; };
  auto zeros = [&](Type type) -> Value {
    auto tensor = cast<RankedTensorType>(type);
    return stablehlo::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(tensor, builder.getFloatAttr(tensor.getElementType(), 0.0)));
  };
  return llvm::TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case<stablehlo::ComplexOp>(
          [&](auto made) { return SmallVector<Value>{made.getLhs(), made.getRhs()}; })
      .Case<stablehlo::RealOp>(
          [&](auto real) { return SmallVector<Value>{partsOf(real.getOperand()).real}; })
      .Case<stablehlo::ImagOp>(
          [&](auto imag) { return SmallVector<Value>{partsOf(imag.getOperand()).imaginary}; })
      .Case<stablehlo::AbsOp>([&](auto abs) {
        return SmallVector<Value>{complexLength(builder, loc, partsOf(abs.getOperand()))};
      })
      .Case<stablehlo::CompareOp>([&](auto compare) {
        return SmallVector<Value>{
            complexComparison(builder, op, partsOf(compare.getLhs()), partsOf(compare.getRhs()))};
      })
      .Case<stablehlo::ConstantOp>(
          [&](auto constant) { return pair(constantParts(builder, constant)); })
      .Case<stablehlo::IotaOp>([&](auto iota) {
        Type type = partType(iota.getType());
        return SmallVector<Value>{
            stablehlo::IotaOp::create(builder, loc, type, iota.getIotaDimensionAttr()),
            zeros(type)};
      })
      .Case<stablehlo::ConvertOp>(
          [&](auto convert) { return convertParts(builder, convert, zeros); })
      .Case<stablehlo::BitcastConvertOp>([&](auto cast) { return bitcastParts(builder, cast); })
      .Case<stablehlo::ClampOp>([&](auto clamp) { return pair(clampParts(builder, clamp)); })
      .Case<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(
          [&](auto product) { return productParts(builder, product); })
      .Case<stablehlo::OptimizationBarrierOp>([&](auto) {
        return SmallVector<Value>(rebuilt(builder, op, expanded(op->getOperands()))->getResults());
      })
      .Case<chlo::TopKOp>([&](auto top) { return topParts(builder, top); })
      .Default([&](Operation *) -> SmallVector<Value> {
        if (movesData(op)) {
          return eachPart(builder, op);
        }
        SmallVector<ComplexParts> operands;
        for (Value operand : op->getOperands()) {
          if (!isComplexType(operand.getType())) {
            return {};
          }
          operands.push_back(partsOf(operand));
        }
        if (operands.empty() || operands.size() > 2) {
          return {};
        }
        std::optional<ComplexParts> made = complexFunction(builder, op, operands);
        return made ? pair(*made) : SmallVector<Value>();
      });
}

bool ComplexSplitter::movesData(Operation *op) {
  return isa<stablehlo::BroadcastInDimOp, stablehlo::BroadcastOp, stablehlo::ConcatenateOp,
             stablehlo::DynamicBroadcastInDimOp, stablehlo::DynamicGatherOp,
             stablehlo::DynamicPadOp, stablehlo::DynamicReshapeOp, stablehlo::DynamicSliceOp,
             stablehlo::DynamicUpdateSliceOp, stablehlo::GatherOp, stablehlo::GetDimensionSizeOp,
             stablehlo::PadOp, stablehlo::RealDynamicSliceOp, stablehlo::ReshapeOp,
             stablehlo::ReverseOp, stablehlo::SelectOp, stablehlo::SliceOp, stablehlo::TransposeOp>(
      op);
}

Operation *ComplexSplitter::rebuilt(OpBuilder &builder, Operation *op, ValueRange operands) {
  OperationState state(op->getLoc(), op->getName());
  state.addAttributes(op->getAttrs());
  state.addOperands(operands);
  state.addTypes(expandedTypes(op->getResultTypes()));
  for (unsigned i = 0; i < op->getNumRegions(); ++i) {
    state.addRegion();
  }
  return builder.create(state);
}

SmallVector<Value> ComplexSplitter::eachPart(OpBuilder &builder, Operation *op) {
  SmallVector<Value> made;
  bool isComplexResult = isComplexType(op->getResult(0).getType());
  for (bool isReal : {true, false}) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands()) {
      if (isComplexType(operand.getType())) {
        ComplexParts both = partsOf(operand);
        operand = isReal ? both.real : both.imaginary;
      }
      operands.push_back(operand);
    }
    OperationState state(op->getLoc(), op->getName());
    state.addAttributes(op->getAttrs());
    state.addOperands(operands);
    Type type = op->getResult(0).getType();
    state.addTypes(isComplexResult ? Type(partType(type)) : type);
    made.push_back(builder.create(state)->getResult(0));
    if (!isComplexResult) {
      break;
    }
  }
  return made;
}

ComplexParts ComplexSplitter::constantParts(OpBuilder &builder, stablehlo::ConstantOp constant) {
  auto elements = cast<DenseElementsAttr>(constant.getValue());
  RankedTensorType type = partType(constant.getType());
  auto part = [&](bool isReal) -> Value {
    SmallVector<APFloat> numbers;
    auto add = [&](const std::complex<APFloat> &number) {
      numbers.push_back(isReal ? number.real() : number.imag());
    };
    if (elements.isSplat()) {
      add(elements.getSplatValue<std::complex<APFloat>>());
    } else {
      llvm::for_each(elements.getValues<std::complex<APFloat>>(), add);
    }
    return stablehlo::ConstantOp::create(builder, constant.getLoc(),
                                         DenseElementsAttr::get(type, numbers));
  };
  return {part(true), part(false)};
}

template <typename Zeros>
SmallVector<Value> ComplexSplitter::convertParts(OpBuilder &builder, stablehlo::ConvertOp convert,
                                                 Zeros zeros) {
  Location loc = convert.getLoc();
  Value operand = convert.getOperand();
  Type type = convert.getType();
  auto to = [&](Value part, Type element) -> Value {
    auto from = cast<RankedTensorType>(part.getType());
    return stablehlo::ConvertOp::create(builder, loc, from.clone(element), part);
  };
  if (!isComplexType(type)) {
    return {to(partsOf(operand).real, getElementTypeOrSelf(type))};
  }
  Type element = partType(type).getElementType();
  if (!isComplexType(operand.getType())) {
    return {to(operand, element), zeros(partType(type))};
  }
  ComplexParts both = partsOf(operand);
  return {to(both.real, element), to(both.imaginary, element)};
}

SmallVector<Value> ComplexSplitter::bitcastParts(OpBuilder &builder,
                                                 stablehlo::BitcastConvertOp bitcast) {
  ComplexParts both = partsOf(bitcast.getOperand());
  RankedTensorType to = partType(bitcast.getType());
  if (both.real.getType() == to) {
    return {both.real, both.imaginary};
  }
  Location loc = bitcast.getLoc();
  Value pairs = pairsOf(builder, loc, both);
  // [..., numbers, parts] of one type equals [..., parts] of a type of twice the width.
  RankedTensorType pair = pairType(bitcast.getType());
  auto from = cast<RankedTensorType>(pairs.getType());
  if (pair.getRank() < from.getRank()) {
    SmallVector<int64_t> shape(pair.getShape());
    shape.push_back(2);
    Value words = stablehlo::ReshapeOp::create(builder, loc, from.clone(shape), pairs);
    pairs = stablehlo::BitcastConvertOp::create(builder, loc, pair, words);
  } else {
    SmallVector<int64_t> shape(from.getShape());
    shape.push_back(2);
    Value words = stablehlo::BitcastConvertOp::create(builder, loc, pair.clone(shape), pairs);
    pairs = stablehlo::ReshapeOp::create(builder, loc, pair, words);
  }
  return {partOfPairs(builder, loc, pairs, 0), partOfPairs(builder, loc, pairs, 1)};
}

ComplexParts ComplexSplitter::clampParts(OpBuilder &builder, stablehlo::ClampOp clamp) {
  Location loc = clamp.getLoc();
  // Computes min(max(x, least), most), both of which are defined for complex numbers.
  auto like = [&](Value bound) {
    ComplexParts both = partsOf(bound);
    RankedTensorType type = partType(clamp.getType());
    for (Value *part : {&both.real, &both.imaginary}) {
      if (part->getType() != type) {
        *part = stablehlo::BroadcastInDimOp::create(builder, loc, type, *part,
                                                    builder.getDenseI64ArrayAttr({}));
      }
    }
    return both;
  };
  auto apply = [&]<typename Op>(ComplexParts a, ComplexParts b) {
    Type type = clamp.getType();
    OperationState state(loc, Op::getOperationName());
    Value whole = stablehlo::ComplexOp::create(builder, loc, type, a.real, a.imaginary);
    auto made = Op::create(builder, loc, type, whole, whole);
    std::optional<ComplexParts> result = complexFunction(builder, made, {a, b});
    made->erase();
    whole.getDefiningOp()->erase();
    return *result;
  };
  ComplexParts raised = apply.template operator()<stablehlo::MaxOp>(partsOf(clamp.getOperand()),
                                                                    like(clamp.getMin()));
  return apply.template operator()<stablehlo::MinOp>(raised, like(clamp.getMax()));
}

SmallVector<Value> ComplexSplitter::productParts(OpBuilder &builder, Operation *op) {
  if (!llvm::all_of(op->getOperandTypes(), isComplexType) ||
      !isComplexType(op->getResult(0).getType())) {
    return {};
  }
  Location loc = op->getLoc();
  ComplexParts a = partsOf(op->getOperand(0)), b = partsOf(op->getOperand(1));
  Type type = partType(op->getResult(0).getType());
  auto product = [&](Value left, Value right) -> Value {
    OperationState state(loc, op->getName());
    state.addAttributes(op->getAttrs());
    state.addOperands({left, right});
    state.addTypes(type);
    return builder.create(state)->getResult(0);
  };
  Value real = stablehlo::SubtractOp::create(builder, loc, type, product(a.real, b.real),
                                             product(a.imaginary, b.imaginary));
  Value imaginary = stablehlo::AddOp::create(builder, loc, type, product(a.real, b.imaginary),
                                             product(a.imaginary, b.real));
  return {real, imaginary};
}

} // namespace drumlin
