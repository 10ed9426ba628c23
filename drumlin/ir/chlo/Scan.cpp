// scan: textual form and verifier.
#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/stablehlo/Constraints.h"

using namespace mlir;

namespace drumlin::chlo {

//===-- textual form --------------------------------------------------------------------------===//

// `chlo.scan(%x) inits (%c) dimension=0 attributes {..} {body} : (operands) -> (results)`.
ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands, inits;
  int64_t dimension = 0;
  FunctionType type;
  Region *body = state.addRegion();
  if (parser.parseOperandList(operands, AsmParser::Delimiter::Paren) ||
      parser.parseKeyword("inits") || parser.parseOperandList(inits, AsmParser::Delimiter::Paren) ||
      parser.parseKeyword("dimension") || parser.parseEqual() || parser.parseInteger(dimension) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) || parser.parseRegion(*body)) {
    return failure();
  }
  auto inputCount = static_cast<int32_t>(operands.size());
  auto carryCount = static_cast<int32_t>(inits.size());
  operands.append(inits.begin(), inits.end());
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), loc, state.operands)) {
    return failure();
  }
  auto outputCount = static_cast<int32_t>(type.getNumResults()) - carryCount;
  if (outputCount < 0) {
    return parser.emitError(loc) << "expected " << carryCount << " carries among the results, got "
                                 << type.getNumResults() << " results";
  }
  Properties &properties = state.getOrAddProperties<Properties>();
  properties.operandSegmentSizes = {inputCount, carryCount};
  properties.resultSegmentSizes = {outputCount, carryCount};
  state.addAttribute("dimension", parser.getBuilder().getI64IntegerAttr(dimension));
  state.addTypes(type.getResults());
  return success();
}

void ScanOp::print(OpAsmPrinter &printer) {
  printer << '(' << getInputs() << ") inits (" << getInits() << ") dimension=" << getDimension()
          << ' ';
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"dimension", "operandSegmentSizes", "resultSegmentSizes"});
  printer << ' ';
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(*this);
}

void ScanOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments()) {
    setName(argument, argument.getArgNumber() < getInputs().size() ? "input" : "carry");
  }
}

//===-- verifier ------------------------------------------------------------------------------===//

// Returns the type without the scanned dimension.
static Type sliceOf(Type type, int64_t dimension) {
  auto tensor = cast<RankedTensorType>(type);
  SmallVector<int64_t> shape(tensor.getShape());
  shape.erase(shape.begin() + dimension);
  return tensor.clone(shape);
}

// Checks that all types have the scanned dimension, and that it has the same size in all of them.
// `size` is the size in the types that were checked so far.
static LogicalResult checkScanned(ScanOp op, StringRef name, TypeRange types, int64_t &size) {
  auto dimension = static_cast<int64_t>(op.getDimension());
  for (Type type : types) {
    ArrayRef<int64_t> shape = cast<RankedTensorType>(type).getShape();
    auto emit = [&] { return op.emitOpError(); };
    if (failed(stablehlo::checkInRange(emit, "scan", "dimension", dimension, shape.size()))) {
      return failure();
    }
    if (!stablehlo::areCompatible(shape[dimension], size)) {
      return emit() << "expects " << name << " of size " << size << " in dimension " << dimension
                    << ", got " << type << " (scan)";
    }
    size = ShapedType::isDynamic(size) ? shape[dimension] : size;
  }
  return success();
}

LogicalResult ScanOp::verify() {
  auto emit = [&] { return emitOpError(); };
  auto dimension = static_cast<int64_t>(getDimension());
  int64_t size =
      getScanDimSize() ? static_cast<int64_t>(*getScanDimSize()) : int64_t(ShapedType::kDynamic);
  if (failed(checkScanned(*this, "inputs", getInputs().getTypes(), size)) ||
      failed(checkScanned(*this, "outputs", getOutputs().getTypes(), size)) ||
      failed(stablehlo::checkTypes(emit, "scan", "carries", getCarries().getTypes(),
                                   getInits().getTypes()))) {
    return failure();
  }
  auto slice = [&](Type type) { return sliceOf(type, dimension); };
  SmallVector<Type> arguments = llvm::map_to_vector(getInputs().getTypes(), slice);
  llvm::append_range(arguments, getInits().getTypes());
  SmallVector<Type> results = llvm::map_to_vector(getOutputs().getTypes(), slice);
  llvm::append_range(results, getInits().getTypes());
  FailureOr<OperandRange> returned = stablehlo::returnedValues(emit, "scan", "the body", getBody());
  return success(succeeded(returned) &&
                 succeeded(stablehlo::checkTypes(emit, "scan", "the body's arguments",
                                                 getBody().getArgumentTypes(), arguments)) &&
                 succeeded(stablehlo::checkTypes(emit, "scan", "the body's results",
                                                 returned->getTypes(), results)));
}

} // namespace drumlin::chlo
