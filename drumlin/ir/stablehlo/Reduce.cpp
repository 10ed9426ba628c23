// The textual form, verifier and builder of reductions.
#include "drumlin/ir/stablehlo/Assembly.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/ReduceOps.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Reduce.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addReduceOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Reduce.cpp.inc"
      >();
}

static SmallVector<int64_t> keptSizes(ArrayRef<int64_t> shape, ArrayRef<int64_t> reduced) {
  SmallVector<int64_t> kept;
  for (auto [dimension, size] : llvm::enumerate(shape)) {
    if (!llvm::is_contained(reduced, static_cast<int64_t>(dimension))) {
      kept.push_back(size);
    }
  }
  return kept;
}

void ReduceOp::build(OpBuilder &builder, OperationState &state, ValueRange inputs,
                     ValueRange initValues, ArrayRef<int64_t> dimensions) {
  SmallVector<Type> types;
  for (auto [input, init] : llvm::zip_equal(inputs, initValues)) {
    types.push_back(RankedTensorType::get(keptSizes(shapeOf(input), dimensions),
                                          getElementTypeOrSelf(init.getType())));
  }
  build(builder, state, types, inputs, initValues, builder.getDenseI64ArrayAttr(dimensions));
}

//===-- textual form --------------------------------------------------------------------------===//

// Returns the only operation of the body if the short form can represent it, else null. It must be
// a commutative binary operation without attributes whose operands are the two arguments, in order,
// and whose result the body returns.
static Operation *soleOperation(ReduceOp op) {
  Block &block = op.getBody().front();
  if (op.getInputs().size() != 1 || block.getNumArguments() != 2 || !llvm::hasNItems(block, 2)) {
    return nullptr;
  }
  Operation &first = block.front();
  auto terminator = dyn_cast<ReturnOp>(block.back());
  if (!terminator || first.getNumOperands() != 2 || first.getNumResults() != 1 ||
      first.getNumRegions() != 0 || !isa<StablehloDialect>(first.getDialect()) ||
      !first.hasTrait<OpTrait::IsCommutative>() || !first.hasTrait<SameType>() ||
      !first.getAttrDictionary().empty() || !terminator->getDiscardableAttrDictionary().empty()) {
    return nullptr;
  }
  bool inOrder =
      first.getOperand(0) == block.getArgument(0) && first.getOperand(1) == block.getArgument(1);
  bool returned =
      terminator.getResults().size() == 1 && terminator.getResults()[0] == first.getResult(0);
  // In the short form, the arguments have the type of the init value.
  bool sameTypes = block.getArgument(0).getType() == op.getInitValues()[0].getType();
  return inOrder && returned && sameTypes ? &first : nullptr;
}

// Prints `(%x init: %zero) applies stablehlo.add across dimensions = [1] {attributes} : types` if
// the short form can represent the body. Otherwise prints `(%x init: %zero), (%y init: %one) across
// dimensions = [1] {attributes} : types`, and then ` reducer(%a: type, %b: type) (…) { … }`.
void ReduceOp::print(OpAsmPrinter &printer) {
  llvm::interleaveComma(llvm::zip_equal(getInputs(), getInitValues()), printer, [&](auto pair) {
    printer << '(' << std::get<0>(pair) << " init: " << std::get<1>(pair) << ')';
  });
  Operation *sole = soleOperation(*this);
  if (sole) {
    printer << " applies " << sole->getName();
  }
  printer << " across dimensions = ";
  printNumbers(printer, getDimensions());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  printer << " : ";
  printer.printFunctionalType(*this);
  if (sole) {
    return;
  }
  printer.printNewline();
  printer << " reducer";
  Block &block = getBody().front();
  size_t pairs = block.getNumArguments() / 2;
  for (size_t i = 0; i < pairs; ++i) {
    printer << '(';
    printer.printRegionArgument(block.getArgument(i));
    printer << ", ";
    printer.printRegionArgument(block.getArgument(i + pairs));
    printer << ") ";
  }
  printer << ' ';
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

// Creates the body for `applies name`, with the reduction's location.
static ParseResult buildShortBody(OpAsmParser &parser, SMLoc nameLoc, StringRef name, Type type,
                                  Location loc, Region &body) {
  std::optional<RegisteredOperationName> operation =
      RegisteredOperationName::lookup(name, parser.getContext());
  if (!operation || !operation->hasTrait<OpTrait::IsCommutative>() ||
      !operation->hasTrait<SameType>()) {
    return parser.emitError(nameLoc)
           << "expected a commutative operation of two operands, got `" << name << "`";
  }
  Block &block = body.emplaceBlock();
  block.addArguments({type, type}, {loc, loc});
  OpBuilder builder(parser.getContext());
  builder.setInsertionPointToStart(&block);
  OperationState state(loc, *operation);
  state.addOperands(block.getArguments());
  state.addTypes(type);
  ReturnOp::create(builder, loc, builder.create(state)->getResults());
  return success();
}

// Parses `(%a: type, %b: type) (%c: type, %d: type) { … }`. Pair i has the arguments i and i + n of
// the body.
static ParseResult parseReducer(OpAsmParser &parser, size_t pairs, Region &body) {
  SmallVector<OpAsmParser::Argument> first, second;
  for (size_t i = 0; i < pairs; ++i) {
    if (parser.parseLParen() || parser.parseArgument(first.emplace_back(), /*allowType=*/true) ||
        parser.parseComma() || parser.parseArgument(second.emplace_back(), /*allowType=*/true) ||
        parser.parseRParen()) {
      return failure();
    }
  }
  first.append(second);
  return parser.parseRegion(body, first);
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc begin = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  do {
    if (parser.parseLParen() || parser.parseOperand(inputs.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen()) {
      return failure();
    }
  } while (succeeded(parser.parseOptionalComma()));

  SMLoc nameLoc;
  StringRef applied;
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    nameLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&applied)) {
      return failure();
    }
  }
  SmallVector<int64_t> dimensions;
  FunctionType type;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") || parser.parseEqual() ||
      parseNumbers(parser, dimensions) || parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseColon() || parser.parseType(type)) {
    return failure();
  }
  result.addAttribute("dimensions", parser.getBuilder().getDenseI64ArrayAttr(dimensions));
  SmallVector<OpAsmParser::UnresolvedOperand> operands(inputs);
  operands.append(inits);
  if (parser.resolveOperands(operands, type.getInputs(), begin, result.operands)) {
    return failure();
  }
  result.addTypes(type.getResults());

  Region &body = *result.addRegion();
  if (applied.empty()) {
    return failure(parser.parseKeyword("reducer") || parseReducer(parser, inputs.size(), body));
  }
  if (inputs.size() != 1) {
    return parser.emitError(nameLoc)
           << "expected one input before `applies`, got " << inputs.size();
  }
  // The location of the operation may follow in the text. The body gets the same location.
  Location loc = parser.getEncodedSourceLoc(begin);
  std::optional<Location> trailing;
  if (parser.parseOptionalLocationSpecifier(trailing)) {
    return failure();
  }
  if (trailing) {
    result.location = *trailing;
  }
  return buildShortBody(parser, nameLoc, applied, type.getInput(1), trailing.value_or(loc), body);
}

//===-- verifier ------------------------------------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  auto emit = [&] { return emitOpError(); };
  size_t n = getInputs().size();
  // reduce_c3
  if (n == 0) {
    return emitOpError() << "expects at least one input (reduce_c3)";
  }
  if (failed(checkSize(emit, "reduce_c3", "results", getNumResults(), n))) {
    return failure();
  }
  ArrayRef<int64_t> shape = shapeOf(getInputs()[0]);
  for (auto [input, init] : llvm::zip_equal(getInputs(), getInitValues())) {
    // reduce_c1
    if (failed(checkShape(emit, "reduce_c1", "each input", shapeOf(input), shape)) ||
        // reduce_c2
        failed(checkElementType(emit, "reduce_c2", "the init value", init.getType(),
                                input.getType()))) {
      return failure();
    }
  }
  // reduce_c4, reduce_c5
  if (failed(checkInRange(emit, "reduce_c4", "dimensions", getDimensions(), shape.size())) ||
      failed(checkUnique(emit, "reduce_c5", "dimensions", getDimensions()))) {
    return failure();
  }
  // reduce_c6
  FailureOr<SmallVector<Type>> elements =
      checkReducer(emit, "reduce_c6", "the body", getBody(), getInputs().getTypes());
  if (failed(elements)) {
    return failure();
  }
  SmallVector<int64_t> kept = keptSizes(shape, getDimensions());
  for (auto [result, element] : llvm::zip_equal(getResults(), *elements)) {
    // reduce_c7, reduce_c8
    if (failed(checkShape(emit, "reduce_c7", "each result", shapeOf(result), kept)) ||
        failed(checkElementType(emit, "reduce_c8", "the result", result.getType(), element))) {
      return failure();
    }
  }
  return success();
}

IndexingMap ReduceOp::indexingOf(OpOperand &operand, unsigned result) {
  if (operand.getOperandNumber() >= getInputs().size()) {
    return indexingByDefault(operand, result);
  }
  IndexingBuilder made = indexingBuilder(operand, result);
  size_t kept = 0;
  for (auto [d, size] : llvm::enumerate(shapeOf(operand.get()))) {
    bool isReduced = llvm::is_contained(getDimensions(), static_cast<int64_t>(d));
    made.at(d) = isReduced ? made.all(size) : made.dim(kept++);
  }
  return made.finish();
}

} // namespace drumlin::stablehlo
