// Assembly and verification of the plan's operations.
#include "drumlin/ir/plan/LibraryCalls.h"

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/plan/CodeEffort.h"
#include "drumlin/ir/plan/KernelKinds.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace drumlin::plan {

std::optional<KernelKind> kernelKindOf(Operation *op) {
  std::optional<KernelKind> kind;
  if (isa<LibraryCallOp>(op)) {
    return KernelKind::gemm;
  }
  forEachKernelKind([&]<typename Op>() { kind = isa<Op>(op) ? Op::kind : kind; });
  return kind;
}

std::optional<KernelKind> kernelKindOfHero(Operation *op) {
  std::optional<KernelKind> kind;
  forEachKernelKind([&]<typename Op>() { kind = Op::isHero(op) ? Op::kind : kind; });
  return kind;
}

bool hasSchedule(Operation *kernel) {
  Attribute schedule = kernel->getAttr(scheduleAttribute);
  auto outlined = dyn_cast<KernelOp>(kernel);
  return withKernelKind(outlined ? outlined.getKind() : *kernelKindOf(kernel), [&]<typename Op>() {
    return isa_and_nonnull<typename Op::Schedule>(schedule);
  });
}

Operation *createKernelForming(OpBuilder &builder, Location loc, KernelKind kind, TypeRange results,
                               ValueRange inputs) {
  return withKernelKind(kind, [&]<typename Op>() {
    return Op::create(builder, loc, results, inputs).getOperation();
  });
}

template <typename... Ops> static bool isAnyOf(Operation *op) { return (isa<Ops>(op) || ...); }

static void buildKernelForming(OperationState &state, TypeRange results, ValueRange inputs) {
  state.addOperands(inputs);
  state.addTypes(results);
  Block &block = state.addRegion()->emplaceBlock();
  for (Value input : inputs) {
    block.addArgument(input.getType(), input.getLoc());
  }
}

// plan.loop(%a = %x : tensor<4xf32>, …) -> (tensor<4xf32>) { … }
static void printKernelForming(OpAsmPrinter &printer, Operation *op) {
  Region &body = op->getRegion(0);
  printer << "(";
  llvm::interleaveComma(llvm::zip(body.getArguments(), op->getOperands()), printer, [&](auto pair) {
    auto [argument, operand] = pair;
    printer << argument << " = " << operand << " : " << operand.getType();
  });
  printer << ") -> (";
  llvm::interleaveComma(op->getResultTypes(), printer, [&](Type type) { printer << type; });
  printer << ")";
  printer.printOptionalAttrDictWithKeyword(op->getAttrs());
  printer << " ";
  printer.printRegion(body, /*printEntryBlockArgs=*/false);
}

static ParseResult parseKernelForming(OpAsmParser &parser, OperationState &state) {
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  auto parsePair = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    return failure(parser.parseArgument(argument) || parser.parseEqual() ||
                   parser.parseOperand(operands.emplace_back()) ||
                   parser.parseColonType(argument.type));
  };
  SmallVector<Type> results;
  if (parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren, parsePair) ||
      parser.parseArrow() ||
      parser.parseCommaSeparatedList(OpAsmParser::Delimiter::Paren,
                                     [&]() { return parser.parseType(results.emplace_back()); }) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes)) {
    return failure();
  }
  for (auto [operand, argument] : llvm::zip(operands, arguments)) {
    if (parser.resolveOperand(operand, argument.type, state.operands)) {
      return failure();
    }
  }
  state.addTypes(results);
  return parser.parseRegion(*state.addRegion(), arguments);
}

// The block's arguments are the inputs, and what it yields are the results.
static LogicalResult verifyKernelForming(Operation *op) {
  Block &block = op->getRegion(0).front();
  if (!llvm::equal(block.getArgumentTypes(), op->getOperandTypes())) {
    return op->emitOpError("has a region whose arguments differ from its inputs in number or type");
  }
  auto yield = dyn_cast_or_null<YieldOp>(block.empty() ? nullptr : &block.back());
  if (!yield) {
    return op->emitOpError("has a region that does not end with `plan.yield`");
  }
  if (!llvm::equal(yield.getOperandTypes(), op->getResultTypes())) {
    return op->emitOpError("yields values that differ from its results in number or type");
  }
  return success();
}

LogicalResult LibraryCallOp::verify() {
  const GpuTarget *gpu = findGpuTarget(getTarget());
  if (!gpu) {
    return emitOpError("names no target with a library: `") << getTarget() << "`";
  }
  std::optional<LibraryCall> call = libraryCallOf(*this, *gpu);
  if (!call) {
    return emitOpError("has a `call` that no call of the library has");
  }
  if (std::optional<LibraryViolation> violation = violationOf(*call, *gpu)) {
    return emitOpError("has a `call` that the library doesn't take: ")
           << llvm::StringRef(info(violation->limit).text) << " (" << violation->detail << ")";
  }
  return success();
}

LogicalResult KernelOp::verify() {
  Attribute effort = (*this)->getAttr(effortAttribute);
  auto name = dyn_cast_or_null<StringAttr>(effort);
  if (effort && !(name && codeEffortFromName(name.getValue()))) {
    return emitOpError() << "has `" << effortAttribute << "` " << effort
                         << ", expected \"lean\" or \"quick\"";
  }
  return success();
}

LogicalResult BitcastOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  if (from.getElementType() != to.getElementType() ||
      from.getNumElements() != to.getNumElements()) {
    return emitOpError("must keep the element type and the number of elements, but goes from ")
           << from << " to " << to;
  }
  return success();
}

// plan.kernel @name <loop> key "…" (%a: tensor<4xf32>) { … }
void KernelOp::print(OpAsmPrinter &printer) {
  printer << " ";
  printer.printSymbolName(getSymName());
  printer << " kind(" << stringifyKernelKind(getKind()) << ") key(\"" << getKey() << "\") (";
  llvm::interleaveComma(getBody().getArguments(), printer,
                        [&](BlockArgument argument) { printer.printRegionArgument(argument); });
  printer << ")";
  printer.printOptionalAttrDictWithKeyword((*this)->getAttrs(), {"sym_name", "kind", "key"});
  printer << " ";
  printer.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &state) {
  StringAttr name;
  StringRef kindName;
  std::string key;
  SmallVector<OpAsmParser::Argument> arguments;
  if (parser.parseSymbolName(name, "sym_name", state.attributes) || parser.parseKeyword("kind") ||
      parser.parseLParen() || parser.parseKeyword(&kindName) || parser.parseRParen() ||
      parser.parseKeyword("key") || parser.parseLParen() || parser.parseString(&key) ||
      parser.parseRParen() ||
      parser.parseArgumentList(arguments, OpAsmParser::Delimiter::Paren, /*allowType=*/true)) {
    return failure();
  }
  std::optional<KernelKind> kind = symbolizeKernelKind(kindName);
  if (!kind) {
    return parser.emitError(parser.getNameLoc(), "names no kind of kernel: `") << kindName << "`";
  }
  Builder &builder = parser.getBuilder();
  state.addAttribute("kind", KernelKindAttr::get(builder.getContext(), *kind));
  state.addAttribute("key", builder.getStringAttr(key));
  if (parser.parseOptionalAttrDictWithKeyword(state.attributes)) {
    return failure();
  }
  return parser.parseRegion(*state.addRegion(), arguments);
}

} // namespace drumlin::plan

#define GET_OP_CLASSES
#include "drumlin/ir/plan/PlanOps.cpp.inc"
