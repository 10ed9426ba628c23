// Textual forms and verifiers of custom calls, composites and tuples.
#include "drumlin/ir/stablehlo/CallOps.h"
#include "drumlin/ir/stablehlo/Constraints.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

// Parses `@name`: a call's target is written like a symbol, although the program does not define
// it.
static ParseResult parseCallTarget(OpAsmParser &parser, StringAttr &target) {
  return parser.parseSymbolName(target);
}
static void printCallTarget(OpAsmPrinter &printer, Operation *, StringAttr target) {
  printer.printSymbolName(target.getValue());
}

// Parses the tuple's type, which determines the operands' types.
static ParseResult parseTupleOpType(OpAsmParser &parser, SmallVectorImpl<Type> &operands,
                                    Type &result) {
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseType(result)) {
    return failure();
  }
  if (auto function = dyn_cast<FunctionType>(result)) {
    if (function.getNumResults() != 1) {
      return parser.emitError(loc) << "expected 1 result type, got " << function.getNumResults();
    }
    operands.assign(function.getInputs().begin(), function.getInputs().end());
    result = function.getResult(0);
    return success();
  }
  auto tuple = dyn_cast<TupleType>(result);
  if (!tuple) {
    return parser.emitError(loc) << "expected a tuple, got " << result;
  }
  operands.assign(tuple.begin(), tuple.end());
  return success();
}
static void printTupleOpType(OpAsmPrinter &printer, Operation *, TypeRange operands, Type result) {
  auto tuple = dyn_cast<TupleType>(result);
  if (tuple && TypeRange(tuple.getTypes()) == operands) {
    printer << result;
    return;
  }
  printer.printFunctionalType(operands, TypeRange(result));
}

#define GET_OP_CLASSES
#include "drumlin/ir/stablehlo/Call.cpp.inc"

namespace drumlin::stablehlo {

void StablehloDialect::addCallOperations() {
  addOperations<
#define GET_OP_LIST
#include "drumlin/ir/stablehlo/Call.cpp.inc"
      >();
}

//===-- custom_call: layouts ------------------------------------------------------------------===//

// Checks that there is a layout for each value. The layout of a tensor orders its dimensions; the
// layout of any other value is empty.
static LogicalResult checkLayouts(EmitError emit, StringRef name, TypeRange types,
                                  ArrayAttr layouts) {
  if (failed(checkSize(emit, "custom_call_layout", (name + " layouts").str(), layouts.size(),
                       types.size()))) {
    return failure();
  }
  for (auto [type, layout] : llvm::zip_equal(types, layouts.getAsRange<DenseIntElementsAttr>())) {
    if (isa<TupleType>(type)) {
      return emit() << "expects no tuples where layouts are given, got " << type
                    << " (custom_call_layout)";
    }
    auto shaped = dyn_cast<ShapedType>(type);
    if (shaped && !shaped.hasRank()) {
      continue;
    }
    SmallVector<int64_t> order;
    for (const APInt &dimension : layout.getValues<APInt>()) {
      order.push_back(dimension.getSExtValue());
    }
    size_t rank = shaped ? shaped.getRank() : 0;
    SmallVector<int64_t> sorted(order);
    llvm::sort(sorted);
    if (!llvm::equal(sorted, llvm::seq<int64_t>(0, rank))) {
      return emit() << "expects the " << rank << " dimensions of " << type
                    << " in some order as its layout, got " << str(order)
                    << " (custom_call_layout)";
    }
  }
  return success();
}

static LogicalResult checkLayouts(EmitError emit, CustomCallOp call) {
  std::optional<ArrayAttr> operands = call.getOperandLayouts(), results = call.getResultLayouts();
  if (!operands && !results) {
    return success();
  }
  if (!operands || !results) {
    return emit() << "expects layouts of both operands and results, or of neither "
                     "(custom_call_layout)";
  }
  // If the only result is a tuple, its elements count as the results.
  TypeRange resultTypes = call.getResultTypes();
  if (resultTypes.size() == 1) {
    if (auto tuple = dyn_cast<TupleType>(resultTypes.front())) {
      resultTypes = tuple.getTypes();
    }
  }
  return success(succeeded(checkLayouts(emit, "operand", call.getOperandTypes(), *operands)) &&
                 succeeded(checkLayouts(emit, "result", resultTypes, *results)));
}

//===-- custom_call: aliases ------------------------------------------------------------------===//

// Returns the type at a path of tuple indices; null if the path is invalid.
static Type partOf(Type type, ArrayRef<int64_t> path) {
  for (int64_t index : path) {
    auto tuple = dyn_cast<TupleType>(type);
    if (!tuple || index < 0 || index >= static_cast<int64_t>(tuple.size())) {
      return {};
    }
    type = tuple.getType(index);
  }
  return type;
}

// Returns the type to which the index paths of results apply. If there are several results, it is a
// tuple of their types.
static Type resultsOf(CustomCallOp call) {
  return call.getNumResults() == 1 ? call.getResultTypes().front()
                                   : Type(TupleType::get(call.getContext(), call.getResultTypes()));
}

static LogicalResult checkAliases(EmitError emit, CustomCallOp call) {
  for (auto alias : call.getOutputOperandAliases().getAsRange<OutputOperandAliasAttr>()) {
    int64_t operand = alias.getOperandIndex();
    if (failed(checkInRange(emit, "custom_call_alias", "operand_index", operand,
                            call.getInputs().size()))) {
      return failure();
    }
    Type from = partOf(call.getInputs()[operand].getType(), alias.getOperandTupleIndices());
    Type to = partOf(resultsOf(call), alias.getOutputTupleIndices());
    if (!from || !to) {
      return emit() << "expects tuple indices of the " << (from ? "results" : "operand") << ", got "
                    << str(from ? alias.getOutputTupleIndices() : alias.getOperandTupleIndices())
                    << " (custom_call_alias)";
    }
    if (from != to) {
      return emit() << "expects equal types of aliases, got " << from << " and " << to
                    << " (custom_call_alias)";
    }
  }
  return success();
}

//===-- custom_call: buffers ------------------------------------------------------------------===//

// Checks Pin, Unpin and CreateBuffer, which convert tensors to buffers and back.
static LogicalResult checkBufferCall(EmitError emit, CustomCallOp call, bool takesBuffer,
                                     bool givesBuffer, size_t inputs) {
  StringRef target = call.getCallTargetName();
  if (failed(checkSize(emit, "custom_call_buffer", "inputs", call.getInputs().size(), inputs)) ||
      failed(checkSize(emit, "custom_call_buffer", "results", call.getNumResults(), 1))) {
    return failure();
  }
  auto isKind = [](Type type, bool buffer) {
    return buffer ? isa<MemRefType>(type) : isa<TensorType>(type);
  };
  Type result = call.getResultTypes().front();
  if (!isKind(result, givesBuffer)) {
    return emit() << "expects a " << (givesBuffer ? "buffer" : "tensor") << " as the result of "
                  << target << ", got " << result << " (custom_call_buffer)";
  }
  if (inputs == 0) {
    return success();
  }
  Type input = call.getInputs().front().getType();
  if (!isKind(input, takesBuffer)) {
    return emit() << "expects a " << (takesBuffer ? "buffer" : "tensor") << " as the input of "
                  << target << ", got " << input << " (custom_call_buffer)";
  }
  auto from = cast<ShapedType>(input), to = cast<ShapedType>(result);
  if (from.getElementType() != to.getElementType() ||
      (from.hasRank() && to.hasRank() && !areCompatible(from.getShape(), to.getShape()))) {
    return emit() << "expects a result of the input's shape and element type, got " << from
                  << " and " << to << " (custom_call_buffer)";
  }
  return success();
}

// Calls a function with each buffer in a type and its path of tuple indices.
static LogicalResult forEachBuffer(Type type, SmallVectorImpl<int64_t> &path,
                                   llvm::function_ref<LogicalResult(ArrayRef<int64_t>)> function) {
  if (isa<MemRefType>(type)) {
    return function(path);
  }
  auto tuple = dyn_cast<TupleType>(type);
  for (size_t i = 0; tuple && i < tuple.size(); ++i) {
    path.push_back(static_cast<int64_t>(i));
    if (failed(forEachBuffer(tuple.getType(i), path, function))) {
      return failure();
    }
    path.pop_back();
  }
  return success();
}

// Checks that each buffer among the results is a buffer of the operands: each result that is a
// buffer has exactly one alias, and each operand that is a buffer has at most one.
static LogicalResult checkBufferAliases(EmitError emit, CustomCallOp call) {
  auto aliases = call.getOutputOperandAliases().getAsRange<OutputOperandAliasAttr>();
  SmallVector<int64_t> path;
  for (auto [i, input] : llvm::enumerate(call.getInputs())) {
    auto check = [&, i = static_cast<int64_t>(i)](ArrayRef<int64_t> part) -> LogicalResult {
      auto uses = llvm::count_if(aliases, [&](OutputOperandAliasAttr alias) {
        return alias.getOperandIndex() == i && alias.getOperandTupleIndices() == part;
      });
      if (uses > 1) {
        return emit() << "expects one alias at most for the buffer " << str(part) << " of operand "
                      << i << ", got " << uses << " (custom_call_buffer)";
      }
      return success();
    };
    if (failed(forEachBuffer(input.getType(), path, check))) {
      return failure();
    }
  }
  auto check = [&](ArrayRef<int64_t> part) -> LogicalResult {
    auto uses = llvm::count_if(aliases, [&](OutputOperandAliasAttr alias) {
      return alias.getOutputTupleIndices() == part;
    });
    if (uses != 1) {
      return emit() << "expects one alias for the buffer " << str(part) << " of the results, got "
                    << uses << " (custom_call_buffer)";
    }
    return success();
  };
  return forEachBuffer(resultsOf(call), path, check);
}

static LogicalResult checkBuffers(EmitError emit, CustomCallOp call) {
  StringRef target = call.getCallTargetName();
  if (target == "CreateBuffer") {
    return checkBufferCall(emit, call, false, true, 0);
  }
  if (target == "Pin") {
    return checkBufferCall(emit, call, false, true, 1);
  }
  if (target == "Unpin") {
    return checkBufferCall(emit, call, true, false, 1);
  }
  return checkBufferAliases(emit, call);
}

//===-- custom_call ---------------------------------------------------------------------------===//

LogicalResult CustomCallOp::verify() {
  auto emit = [&] { return emitOpError(); };
  if (failed(checkLayouts(emit, *this)) || failed(checkAliases(emit, *this))) {
    return failure();
  }
  // custom_call_i4
  if (std::optional<Attribute> config = getBackendConfig()) {
    bool typed = getApiVersion() == CustomCallApiVersion::API_VERSION_TYPED_FFI;
    if (typed != isa<DictionaryAttr>(*config)) {
      return emitOpError() << "expects a backend_config that is a "
                           << (typed ? "dictionary" : "string") << " with "
                           << stringifyCustomCallApiVersion(getApiVersion()) << ", got " << *config
                           << " (custom_call_i4)";
    }
  }
  return checkBuffers(emit, *this);
}

void CustomCallOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  if (!getHasSideEffect()) {
    return;
  }
  effects.emplace_back(MemoryEffects::Allocate::get());
  effects.emplace_back(MemoryEffects::Free::get());
  effects.emplace_back(MemoryEffects::Write::get());
  effects.emplace_back(MemoryEffects::Read::get());
}

//===-- composite -----------------------------------------------------------------------------===//

// Whether the name is namespaced (is_namespaced_op_name of the specification): a name of letters,
// digits, `_`, `$` and dots that starts with a letter, and whose first dot is not the last
// character.
static bool isNamespacedName(StringRef name) {
  auto isFirst = [](char c) { return llvm::isAlpha(c); };
  auto isPart = [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; };
  auto [space, rest] = name.split('.');
  return !space.empty() && isFirst(space.front()) && llvm::all_of(space, isPart) && !rest.empty() &&
         llvm::all_of(rest, [&](char c) { return isPart(c) || c == '.'; });
}

LogicalResult CompositeOp::verifySymbolUses(SymbolTableCollection &symbols) {
  auto emit = [&] { return emitOpError(); };
  // composite_c1
  if (!isNamespacedName(getName())) {
    return emitOpError() << "expects a name such as `space.operation`, got `" << getName()
                         << "` (composite_c1)";
  }
  // composite_c2
  auto function = symbols.lookupNearestSymbolFrom<func::FuncOp>(*this, getDecompositionAttr());
  if (!function) {
    return emitOpError() << "expects a function of the program as decomposition, got @"
                         << getDecomposition() << " (composite_c2)";
  }
  // composite_c3, composite_c4
  return success(succeeded(checkTypes(emit, "composite_c3", "inputs", getOperandTypes(),
                                      function.getArgumentTypes())) &&
                 succeeded(checkTypes(emit, "composite_c4", "results", getResultTypes(),
                                      function.getResultTypes())));
}

//===-- tuple, get_tuple_element --------------------------------------------------------------===//

LogicalResult TupleOp::verify() {
  // tuple_c1
  return checkTypes([&] { return emitOpError(); }, "tuple_c1", "elements of the result",
                    cast<TupleType>(getType()).getTypes(), getOperandTypes());
}

LogicalResult GetTupleElementOp::verify() {
  auto emit = [&] { return emitOpError(); };
  auto tuple = cast<TupleType>(getOperand().getType());
  // get_tuple_element_c1
  auto index = static_cast<int32_t>(getIndex());
  if (failed(checkInRange(emit, "get_tuple_element_c1", "index", int64_t(index), tuple.size()))) {
    return failure();
  }
  // get_tuple_element_c2
  return checkType(emit, "get_tuple_element_c2", "the result", getType(), tuple.getType(index));
}

} // namespace drumlin::stablehlo
