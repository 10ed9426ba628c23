// The textual form and verifiers of control flow.
#include "drumlin/ir/stablehlo/Assembly.h"
#include "drumlin/ir/stablehlo/Constraints.h"
#include "drumlin/ir/stablehlo/ControlOps.h"

using namespace mlir;

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Control.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addControlOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Control.cpp.inc"
      >();
}

//===-- while ---------------------------------------------------------------------------------===//

void WhileOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments()) {
    setName(argument, "iterArg");
  }
}

// Parses `(%x, …) ({ … }, { … }) {…} : (types) -> types`, starting after the operands.
static ParseResult parseTypedWhile(OpAsmParser &parser, OperationState &result,
                                   ArrayRef<OpAsmParser::Argument> names) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  for (const OpAsmParser::Argument &name : names) {
    operands.push_back(name.ssaName);
  }
  SMLoc begin = parser.getCurrentLocation();
  FunctionType type;
  if (parser.parseLParen() || parser.parseRegion(*result.addRegion(), {}) || parser.parseComma() ||
      parser.parseRegion(*result.addRegion(), {}) || parser.parseRParen() ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), begin, result.operands)) {
    return failure();
  }
  result.addTypes(type.getResults());
  return success();
}

// Parses `(%iterArg = %x, …) : types attributes {…} cond { … } do { … }`. Both regions refer to
// their arguments by these names. This form has one type for each carried value. If the types of an
// operand, argument and result differ in their dynamic dimensions, the functional form is printed
// instead, which has all types.
ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &result) {
  SMLoc begin = parser.getCurrentLocation();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto parseAssignment = [&]() -> ParseResult {
    if (parser.parseArgument(arguments.emplace_back())) {
      return failure();
    }
    bool isTyped = operands.empty() && arguments.size() > 1;
    if (isTyped || (arguments.size() == 1 && failed(parser.parseOptionalEqual()))) {
      return success();
    }
    return failure((arguments.size() > 1 && parser.parseEqual()) ||
                   parser.parseOperand(operands.emplace_back()));
  };
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parseAssignment)) {
    return failure();
  }
  if (operands.empty() && !arguments.empty()) {
    return parseTypedWhile(parser, result, arguments);
  }
  SmallVector<Type> types;
  if (succeeded(parser.parseOptionalColon()) && parser.parseTypeList(types)) {
    return failure();
  }
  if (types.size() != operands.size()) {
    return parser.emitError(begin)
           << "expected " << operands.size() << " types, got " << types.size();
  }
  if (parser.resolveOperands(operands, types, begin, result.operands) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes)) {
    return failure();
  }
  result.addTypes(types);
  for (auto [argument, type] : llvm::zip_equal(arguments, types)) {
    argument.type = type;
  }
  return failure(parser.parseKeyword("cond") ||
                 parser.parseRegion(*result.addRegion(), arguments) || parser.parseKeyword("do") ||
                 parser.parseRegion(*result.addRegion(), arguments));
}

void WhileOp::print(OpAsmPrinter &printer) {
  TypeRange types = getOperandTypes();
  if (types != getResultTypes() || types != TypeRange(getCond().getArgumentTypes()) ||
      types != TypeRange(getBody().getArgumentTypes())) {
    printer.printGenericOp(*this, /*printOpName=*/false);
    return;
  }
  // The printed names are those of the body's arguments. The printer uses the same names for the
  // condition's arguments, because their name hints are equal.
  printer << '(';
  llvm::interleaveComma(
      llvm::zip(getBody().getArguments(), getOperands()), printer,
      [&](auto pair) { printer << std::get<0>(pair) << " = " << std::get<1>(pair); });
  printer << ')';
  if (getNumOperands() != 0) {
    printer << " : ";
    llvm::interleaveComma(getOperandTypes(), printer);
  }
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  printer.printNewline();
  printer << "cond ";
  printer.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  printer << " do ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

LogicalResult WhileOp::verify() {
  auto emit = [&] { return emitOpError(); };
  TypeRange types = getOperandTypes();
  // while_c1
  Type pred = RankedTensorType::get({}, IntegerType::get(getContext(), 1));
  FailureOr<OperandRange> condition = returnedValues(emit, "while_c1", "cond", getCond());
  if (failed(condition) ||
      failed(checkTypes(emit, "while_c1", "cond arguments", getCond().getArgumentTypes(), types)) ||
      failed(checkTypes(emit, "while_c1", "cond results", condition->getTypes(), pred))) {
    return failure();
  }
  // while_c2
  FailureOr<OperandRange> next = returnedValues(emit, "while_c2", "body", getBody());
  if (failed(next) ||
      failed(checkTypes(emit, "while_c2", "body arguments", getBody().getArgumentTypes(), types)) ||
      failed(checkTypes(emit, "while_c2", "body results", next->getTypes(), types))) {
    return failure();
  }
  // while_c3
  return checkTypes(emit, "while_c3", "results", getResultTypes(), types);
}

//===-- if, case ------------------------------------------------------------------------------===//

// Checks that a branch has no arguments and returns the operation's results.
static LogicalResult checkBranch(EmitError emit, StringRef argumentLabel, StringRef resultLabel,
                                 StringRef name, Region &branch, TypeRange results) {
  FailureOr<OperandRange> returned = returnedValues(emit, resultLabel, name, branch);
  return success(succeeded(returned) &&
                 succeeded(checkSize(emit, argumentLabel, (name + " arguments").str(),
                                     branch.getNumArguments(), 0)) &&
                 succeeded(checkTypes(emit, resultLabel, (name + " results").str(),
                                      returned->getTypes(), results)));
}

LogicalResult IfOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // if_c1, if_c3, if_c2
  return success(succeeded(checkBranch(emit, "if_c1", "if_c3", "true_branch", getTrueBranch(),
                                       getResultTypes())) &&
                 succeeded(checkBranch(emit, "if_c1", "if_c2", "false_branch", getFalseBranch(),
                                       getResultTypes())));
}

LogicalResult CaseOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // case_c1
  if (getBranches().empty()) {
    return emitOpError() << "expects at least one branch (case_c1)";
  }
  for (auto [i, branch] : llvm::enumerate(getBranches())) {
    // case_c2, case_c3, case_c4
    std::string name = "branch " + std::to_string(i);
    if (failed(checkBranch(emit, "case_c2", i == 0 ? "case_c4" : "case_c3", name, branch,
                           getResultTypes()))) {
      return failure();
    }
  }
  return success();
}

//===-- optimization_barrier ------------------------------------------------------------------===//

LogicalResult OptimizationBarrierOp::verify() {
  // optimization_barrier_c1
  return checkTypes([&] { return emitOpError(); }, "optimization_barrier_c1", "results",
                    getResultTypes(), getOperandTypes());
}

// Each result is computed from the operand of the same number.
IndexingMap OptimizationBarrierOp::indexingOf(OpOperand &operand, unsigned result) {
  if (operand.getOperandNumber() == result) {
    return IndexingMap::identity(shapeOf(operand.get()), getContext());
  }
  return IndexingMap::nothing(shapeOf(getResult()[result]), shapeOf(operand.get()), getContext());
}

} // namespace drumlin::stablehlo
