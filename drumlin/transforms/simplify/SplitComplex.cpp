// Complex numbers become pairs of real ones.
//
// A complex value is two tensors of floats from here on, its real and its imaginary parts, so that
// everything behind this pass (fusion, layouts, products, code) is about real numbers. What moves
// data is done to each part; what computes becomes formulas of the parts (ComplexFunctions.h);
// operations with regions take and give twice as many values. Operations that work on complex
// numbers as a whole (fft, cholesky, triangular_solve, calls) stay, between `complex` and `real`,
// `imag`.
//
// Callers pass and get complex numbers as they always lie: the entry's arguments and results have
// one more dimension, the last, of the two parts, and `plan.complex` says so
// (drumlin/ir/plan/Layouts.h).
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/transforms/simplify/ComplexPairs.h"
#include "drumlin/transforms/simplify/Passes.h"
#include "drumlin/transforms/simplify/RealFormula.h"
#include "drumlin/transforms/simplify/decompose/IndependentParts.h"
#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SPLITCOMPLEXPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

static bool isComplexType(Type type) { return isa<ComplexType>(getElementTypeOrSelf(type)); }

//===-- the pass ------------------------------------------------------------------------------===//

namespace {
class ComplexSplitter {
public:
  explicit ComplexSplitter(func::FuncOp function) : function(function) {}

  void run() {
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

private:
  //===-- values --===//

  ComplexParts partsOf(Value value) { return parts.at(value); }

  // The operands, each complex one as its two parts.
  SmallVector<Value> expanded(ValueRange values) {
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
  static SmallVector<Type> expandedTypes(TypeRange types) {
    SmallVector<Type> made;
    for (Type type : types) {
      made.append(isComplexType(type) ? 2 : 1, isComplexType(type) ? partType(type) : type);
    }
    return made;
  }

  // The operation's results are those of `made`, each complex one two of them.
  void replace(Operation *op, ValueRange made) {
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

  //===-- the entry --===//

  void splitEntry() {
    Block &block = function.front();
    OpBuilder builder = OpBuilder::atBlockBegin(&block);
    for (BlockArgument argument : block.getArguments()) {
      if (!isComplexType(argument.getType())) {
        continue;
      }
      unsigned number = argument.getArgNumber();
      Location loc = argument.getLoc();
      auto rank = cast<RankedTensorType>(argument.getType()).getRank();
      // The complex value is nothing's any more, but its uses are looked up by it.
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

  // The order that is asked for, of one dimension more, which is the innermost one.
  StringAttr pairMode(StringAttr mode, int64_t rank) {
    std::optional<DimensionOrder> order =
        mode ? parseLayout(mode.getValue(), static_cast<size_t>(rank)) : std::nullopt;
    if (!order) {
      return StringAttr::get(function.getContext(), "default");
    }
    order->push_back(rank);
    return StringAttr::get(function.getContext(), layoutText(*order));
  }

  void splitReturn(Operation *op) {
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

  //===-- operations --===//

  void splitBlock(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      split(&op);
    }
  }

  void split(Operation *op) {
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

  // Code outside of the program takes and gives complex numbers as callers do.
  void splitHostCall(plan::HostCallOp call) {
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

  void splitSimple(Operation *op) {
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
    // It stays, with whole numbers as operands and results.
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

  // The values that an operation without regions gives, complex ones as two; none if it stays.
  SmallVector<Value> simple(OpBuilder &builder, Operation *op) {
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
          return SmallVector<Value>(
              rebuilt(builder, op, expanded(op->getOperands()))->getResults());
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

  // Whether elements stay what they are.
  static bool movesData(Operation *op) {
    return isa<stablehlo::BroadcastInDimOp, stablehlo::BroadcastOp, stablehlo::ConcatenateOp,
               stablehlo::DynamicBroadcastInDimOp, stablehlo::DynamicGatherOp,
               stablehlo::DynamicPadOp, stablehlo::DynamicReshapeOp, stablehlo::DynamicSliceOp,
               stablehlo::DynamicUpdateSliceOp, stablehlo::GatherOp, stablehlo::GetDimensionSizeOp,
               stablehlo::PadOp, stablehlo::RealDynamicSliceOp, stablehlo::ReshapeOp,
               stablehlo::ReverseOp, stablehlo::SelectOp, stablehlo::SliceOp,
               stablehlo::TransposeOp>(op);
  }

  // The same operation on other operands.
  static Operation *rebuilt(OpBuilder &builder, Operation *op, ValueRange operands) {
    OperationState state(op->getLoc(), op->getName());
    state.addAttributes(op->getAttrs());
    state.addOperands(operands);
    state.addTypes(expandedTypes(op->getResultTypes()));
    for (unsigned i = 0; i < op->getNumRegions(); ++i) {
      state.addRegion();
    }
    return builder.create(state);
  }

  SmallVector<Value> eachPart(OpBuilder &builder, Operation *op) {
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

  static ComplexParts constantParts(OpBuilder &builder, stablehlo::ConstantOp constant) {
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

  // Between complex numbers each part; to one, with no imaginary part; from one, its real part.
  template <typename Zeros>
  SmallVector<Value> convertParts(OpBuilder &builder, stablehlo::ConvertOp convert, Zeros zeros) {
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

  // Of one width nothing changes; else the parts' bytes are those of two numbers, or half of one.
  SmallVector<Value> bitcastParts(OpBuilder &builder, stablehlo::BitcastConvertOp bitcast) {
    ComplexParts both = partsOf(bitcast.getOperand());
    RankedTensorType to = partType(bitcast.getType());
    if (both.real.getType() == to) {
      return {both.real, both.imaginary};
    }
    Location loc = bitcast.getLoc();
    Value pairs = pairsOf(builder, loc, both);
    // [..., numbers, parts] of one type is [..., parts] of the type of twice the width.
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

  ComplexParts clampParts(OpBuilder &builder, stablehlo::ClampOp clamp) {
    Location loc = clamp.getLoc();
    // min(max(x, least), most), whose definition is that of each.
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

  // (a + ib)(c + id) = (ac - bd) + i(ad + bc), each a product of real numbers.
  SmallVector<Value> productParts(OpBuilder &builder, Operation *op) {
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

  //===-- regions --===//

  void splitRegions(Operation *op, bool ofComplex) {
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

  static Value indexConstant(OpBuilder &builder, Location loc, int64_t value) {
    auto type = RankedTensorType::get({}, builder.getI64Type());
    return stablehlo::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(type, builder.getI64IntegerAttr(value)));
  }

  // Of two candidates, parts and position each, those of the one that is selected.
  void selectCandidate(stablehlo::SelectAndScatterOp op, Block &body) {
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

  // The position of each window's selected element in the flattened operand. A window reduction of
  // three operands: the parts and the positions, -1 outside.
  Value selectedPositions(OpBuilder &builder, stablehlo::SelectAndScatterOp op) {
    Location loc = op.getLoc();
    ComplexParts operand = partsOf(op.getOperand()), initial = partsOf(op.getInitValue());
    RankedTensorType part = partType(op.getType());
    RankedTensorType windows = partType(op.getSource().getType());
    Type element = part.getElementType(), index = builder.getI64Type();
    Value flat = stablehlo::IotaOp::create(builder, loc,
                                           RankedTensorType::get({part.getNumElements()}, index),
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

  // The operation itself takes one operand: the sources are scattered to the positions of the
  // selected elements, in one dimension.
  void splitSelection(OpBuilder &builder, stablehlo::SelectAndScatterOp op) {
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
    state.addAttribute(
        "scatter_dimension_numbers",
        stablehlo::ScatterDimensionNumbersAttr::get(builder.getContext(), /*updateWindowDims=*/{},
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

  // A stable sort from the largest down, of which the first k stay.
  SmallVector<Value> topParts(OpBuilder &builder, chlo::TopKOp op) {
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

  // Each complex argument as two; of a comparator, whose arguments come in pairs of one operand,
  // the pair of the real parts and that of the imaginary ones.
  void expandArguments(Block &block, bool inPairs) {
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

  func::FuncOp function;
  DenseMap<Value, ComplexParts> parts;
  SmallVector<Operation *> replaced; // in program order, without uses once all are split
  SmallVector<std::pair<Block *, SmallVector<BlockArgument>>> replacedArguments;

public:
  SmallVector<Operation *> independent; // that may be several
};
} // namespace

// Sizes that only the run tells are left alone, and what the pass can't split.
static bool hasComplex(func::FuncOp function, bool &canSplit) {
  bool found = false;
  auto look = [&](Type type) {
    found |= isComplexType(type);
    auto tensor = dyn_cast<RankedTensorType>(type);
    canSplit &= !isComplexType(type) || (tensor && tensor.hasStaticShape());
  };
  llvm::for_each(function.getArgumentTypes(), look);
  function.walk([&](Operation *op) {
    llvm::for_each(op->getResultTypes(), look);
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        llvm::for_each(block.getArgumentTypes(), look);
      }
    }
    bool touches = llvm::any_of(op->getOperandTypes(), isComplexType);
    canSplit &= !touches || !isa<stablehlo::MapOp>(op);
  });
  return found;
}

// Real numbers are their own real parts, without an imaginary one.
static void replacePartsOfReals(func::FuncOp function) {
  function.walk([](Operation *op) {
    if (!isa<stablehlo::RealOp, stablehlo::ImagOp>(op) ||
        isComplexType(op->getOperand(0).getType())) {
      return;
    }
    Value part = op->getOperand(0);
    auto type = cast<RankedTensorType>(part.getType());
    if (isa<stablehlo::ImagOp>(op)) {
      if (!type.hasStaticShape()) {
        return;
      }
      OpBuilder builder(op);
      part =
          TensorBuilder(builder, op->getLoc()).number(type.getElementType(), 0.0, type.getShape());
    }
    op->getResult(0).replaceAllUsesWith(part);
    op->erase();
  });
}

struct SplitComplexPass : impl::SplitComplexPassBase<SplitComplexPass> {
  void runOnOperation() override {
    replacePartsOfReals(getOperation());
    bool canSplit = true;
    if (!hasComplex(getOperation(), canSplit) || !canSplit) {
      return;
    }
    ComplexSplitter splitter(getOperation());
    splitter.run();
    for (Operation *op : splitter.independent) {
      if (IndependentParts parts(op); parts.areSeveral()) {
        op->replaceAllUsesWith(parts.separate());
        op->erase();
      }
    }
  }
};

} // namespace drumlin
