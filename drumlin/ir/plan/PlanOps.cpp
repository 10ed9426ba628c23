// Assembly and verification of the plan's operations.
#include "drumlin/ir/plan/PlanOps.h"

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/plan/CodeEffort.h"
#include "drumlin/ir/plan/HostCalls.h"
#include "drumlin/ir/plan/KernelKinds.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/LibraryCalls.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/CholeskyOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/FftOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/SelectAndScatterOp.h"
#include "drumlin/ir/stablehlo/SortOp.h"
#include "drumlin/ir/stablehlo/TriangularSolveOp.h"
#include "drumlin/target/LibraryCheck.h"
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

KernelSchedule scheduleOf(Operation *kernel) {
  auto outlined = dyn_cast<KernelOp>(kernel);
  std::optional<KernelKind> kind = outlined ? outlined.getKind() : kernelKindOf(kernel);
  auto schedule = dyn_cast_if_present<KernelSchedule>(kernel->getAttr(scheduleAttribute));
  return schedule && schedule.kernelKind() == kind ? schedule : KernelSchedule();
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

// Verifies that the block's arguments match the inputs, and the yielded values the results.
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
    return emitOpError("names a target without a library: `") << getTarget() << "`";
  }
  std::optional<LibraryCall> call = libraryCallOf(*this, *gpu);
  if (!call) {
    return emitOpError("has a `call` that is not a call of the library");
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

SizeExpression SizeOp::getSize() {
  auto sized = (*this)->getAttrOfType<DictionaryAttr>(sizedAttributes);
  auto size = sized ? dyn_cast_or_null<sizes::SizesAttr>(sized.get(getValueAttrName()))
                    : sizes::SizesAttr();
  return size ? size.getSizes().front() : SizeExpression(getValue().front());
}

LogicalResult SizeOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  auto sized = (*this)->getAttrOfType<DictionaryAttr>(sizedAttributes);
  auto size = sized ? dyn_cast_or_null<sizes::SizesAttr>(sized.get(getValueAttrName()))
                    : sizes::SizesAttr();
  if (getValue().size() != 1 || (size && size.getSizes().size() != 1) || type.getRank() != 0 ||
      !(type.getElementType().isSignlessInteger(32) ||
        type.getElementType().isSignlessInteger(64))) {
    return emitOpError("must be a single size of type i32 or i64");
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

// Whether `type` is the type in memory of a value that the called code sees with type `seen` and
// dimension order `order`.
static bool isInMemory(Type type, Type seen, std::span<const int64_t> order) {
  auto tensor = dyn_cast<RankedTensorType>(seen);
  if (!tensor) {
    return false;
  }
  tensor = order.empty() ? tensor : physicalType(tensor, order);
  if (type == tensor) {
    return true;
  }
  auto complex = dyn_cast<ComplexType>(tensor.getElementType());
  SmallVector<int64_t> pairs(tensor.getShape());
  pairs.push_back(2);
  std::vector<SizeExpression> sizes = symbolicSizesOf(tensor);
  sizes.emplace_back(2);
  return complex && type == typeOfSizes(complex.getElementType(), pairs, sizes);
}

static bool isOrderOf(ArrayRef<int64_t> order, size_t rank) {
  SmallVector<int64_t> sorted(order);
  llvm::sort(sorted);
  return llvm::equal(sorted, rowMajorOrder(rank));
}

static bool areInMemory(TypeRange types, TypeRange seen, ArrayRef<DimensionOrder> orders) {
  unsigned next = 0;
  for (auto [i, type] : llvm::enumerate(seen)) {
    if (isa<stablehlo::TokenType>(type)) {
      continue;
    }
    DimensionOrder order = i < orders.size() ? orders[i] : DimensionOrder();
    auto tensor = dyn_cast<RankedTensorType>(type);
    bool isOrder = order.empty() || (tensor && isOrderOf(order, tensor.getShape().size()));
    if (next == types.size() || !isOrder || !isInMemory(types[next++], type, order)) {
      return false;
    }
  }
  return next == types.size();
}

LogicalResult HostCallOp::verify() {
  HostCallParts parts = *hostCallPartsOf(*this);
  if (!areInMemory(getInputs().getTypes(), parts.signature.getInputs(), parts.operandOrders) ||
      !areInMemory(getOutputs().getTypes(), parts.signature.getResults(), parts.resultOrders)) {
    return emitOpError() << "has operands or results whose types don't follow from its signature "
                         << parts.signature << " and layouts";
  }
  auto isTensor = [](TypeRange types, int64_t i) {
    return i >= 0 && static_cast<size_t>(i) < types.size() &&
           isa<RankedTensorType>(types[static_cast<size_t>(i)]);
  };
  for (size_t i = 0; i + 1 < parts.aliases.size(); i += 2) {
    int64_t result = parts.aliases[i], operand = parts.aliases[i + 1];
    if (!isTensor(parts.signature.getResults(), result) ||
        !isTensor(parts.signature.getInputs(), operand) ||
        parts.signature.getResult(static_cast<unsigned>(result)) !=
            parts.signature.getInput(static_cast<unsigned>(operand))) {
      return emitOpError() << "has a result " << result << " that can't alias operand " << operand;
    }
  }
  if (parts.aliases.size() % 2 != 0) {
    return emitOpError() << "has `aliases` of odd length, expected pairs";
  }
  return success();
}

void HostCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (getHasSideEffect()) {
    effects.emplace_back(MemoryEffects::Write::get());
    effects.emplace_back(MemoryEffects::Read::get());
  }
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
    return parser.emitError(parser.getNameLoc(), "unknown kind of kernel: `") << kindName << "`";
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
