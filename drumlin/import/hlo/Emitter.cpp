#include "drumlin/import/hlo/Emitter.h"

#include "drumlin/hlo/ShapeInference.h"
#include "drumlin/import/hlo/ImportOpcodes.h"
#include "drumlin/ir/stablehlo/FrontendAttributes.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"

#include <map>

using namespace mlir;

namespace drumlin::hlo {

// Maximum nesting of computations that are copied into each other; each needs a few stack frames.
static constexpr unsigned maxDepth = 128;

// Attributes that don't affect the computed values. They describe where the code comes from, how a
// backend runs it, or which memory it uses. Some frontend attributes are kept for the compiler's
// decisions.
static constexpr llvm::StringRef withoutMeaning[] = {
    "async_execution_group",
    "async_execution_thread",
    "async_group_id", // in older texts
    "backend_config",
    "control-predecessors",
    "cross_program_prefetch_index",
    "frontend_attributes",
    "kind", // a fusion's kind
    "metadata",
    "origin",
    "original_value",
    "output_to_operand_aliasing",
    "sharding",
    "statistics",
};

void Emitter::fail(DiagnosticCode code, std::string message, std::string remedy) {
  conversion.fail(code, std::move(message), *current, std::move(remedy));
}

//===-- operands ------------------------------------------------------------------------------===//

llvm::ArrayRef<mlir::Value> Emitter::operand(size_t number) {
  if (number >= current->operands.size()) {
    fail(errors::ProgramInvalid, "`" + current->opcode + "` has " + std::to_string(operandCount()) +
                                     " operands, expected more");
    return {};
  }
  return mixedOperands.empty() ? values[current->operands[number].instruction]
                               : mixedOperands[number];
}

TypedValue<RankedTensorType> Emitter::array(size_t number) {
  llvm::ArrayRef<mlir::Value> leaves = operand(number);
  if (!failed() && leaves.size() == 1) {
    if (auto value = dyn_cast<TypedValue<RankedTensorType>>(leaves.front())) {
      return value;
    }
  }
  fail(errors::ProgramInvalid,
       "operand " + std::to_string(number) + " of `" + current->opcode + "` isn't an array");
  return {};
}

Leaves Emitter::leaves(size_t begin, size_t end) {
  Leaves all;
  for (size_t i = begin; i < end && !failed(); ++i) {
    llvm::append_range(all, operand(i));
  }
  return all;
}

//===-- attributes ----------------------------------------------------------------------------===//

const Value *Emitter::attribute(llvm::StringRef name) {
  asked.push_back(name);
  return current->find(name);
}

void Emitter::failAttribute(llvm::StringRef name, const std::string &expected) {
  const Value *value = current->find(name);
  fail(errors::ProgramInvalid, "attribute `" + name.str() + "` of `" + current->opcode + "` is " +
                                   (value ? "`" + value->str() + "`" : "missing") + ", expected " +
                                   expected);
}

SmallVector<int64_t> Emitter::integers(llvm::StringRef name) {
  const Value *value = attribute(name);
  if (!value) {
    return {};
  }
  std::optional<std::vector<int64_t>> numbers = value->integers();
  if (!numbers) {
    failAttribute(name, "a list of integers");
    return {};
  }
  return SmallVector<int64_t>(numbers->begin(), numbers->end());
}

int64_t Emitter::integer(llvm::StringRef name, int64_t otherwise) {
  const Value *value = attribute(name);
  if (!value) {
    return otherwise;
  }
  std::optional<int64_t> number = value->integer();
  if (!number) {
    failAttribute(name, "an integer");
  }
  return number.value_or(otherwise);
}

int64_t Emitter::integer(llvm::StringRef name) {
  if (!attribute(name)) {
    failAttribute(name, "an integer");
  }
  return integer(name, 0);
}

int64_t Emitter::headerInteger(llvm::StringRef name, int64_t otherwise) const {
  const Value *value = findAttribute(conversion.module.attributes, name);
  return value ? value->integer().value_or(otherwise) : otherwise;
}

bool Emitter::boolean(llvm::StringRef name, bool otherwise) {
  const Value *value = attribute(name);
  if (!value) {
    return otherwise;
  }
  if (!value->isWord("true") && !value->isWord("false")) {
    failAttribute(name, "`true` or `false`");
  }
  return value->isWord("true");
}

int64_t Emitter::oneDimension() {
  SmallVector<int64_t> dimensions = integers("dimensions");
  if (dimensions.size() != 1) {
    failAttribute("dimensions", "one dimension");
    return 0;
  }
  return dimensions.front();
}

std::string Emitter::word(llvm::StringRef name) {
  const Value *value = attribute(name);
  return value ? value->contents() : "";
}

SmallVector<const Computation *> Emitter::computations(llvm::StringRef name) {
  const Value *value = attribute(name);
  SmallVector<const Computation *> named;
  auto add = [&](const Value &item) {
    if (!item.computation()) {
      failAttribute(name, "names of computations");
      return;
    }
    named.push_back(item.computation());
  };
  if (!value) {
    failAttribute(name, "names of computations");
  } else if (value->kind != Value::Kind::List) {
    add(*value);
  } else {
    llvm::for_each(value->items, add);
  }
  return named;
}

const Computation *Emitter::computation(llvm::StringRef name) {
  SmallVector<const Computation *> named = computations(name);
  if (named.size() != 1) {
    failAttribute(name, "the name of one computation");
    return nullptr;
  }
  return named.front();
}

void Emitter::checkAttributes() {
  for (const Attribute &attribute : current->attributes) {
    llvm::StringRef name = attribute.name.view();
    if (!llvm::is_contained(asked, name) && !llvm::is_contained(withoutMeaning, name)) {
      fail(errors::UnsupportedAttribute,
           "attribute `" + name.str() + "` of `" + current->opcode + "` isn't supported");
    }
  }
}

//===-- results -------------------------------------------------------------------------------===//

Operation *Emitter::create(llvm::StringRef operation, ValueRange operands, TypeRange results,
                           llvm::ArrayRef<NamedAttribute> attributes, unsigned regions) {
  if (failed()) {
    return nullptr;
  }
  OperationState state(location, operation);
  state.addOperands(operands);
  state.addTypes(results);
  state.addAttributes(attributes);
  for (unsigned i = 0; i < regions; ++i) {
    state.addRegion();
  }
  return builder.create(state);
}

Operation *Emitter::finish(llvm::StringRef operation, ValueRange operands,
                           llvm::ArrayRef<NamedAttribute> attributes, unsigned regions) {
  SmallVector<Type> types = resultTypes();
  Operation *made = create(operation, operands, types, attributes, regions);
  if (made) {
    finish(made->getResults());
  }
  return made;
}

void Emitter::finish(ValueRange leaves) { result = llvm::to_vector<1>(leaves); }

mlir::Value Emitter::zero(Type type) {
  if (isa_and_nonnull<stablehlo::TokenType>(type)) {
    Operation *token = create("stablehlo.create_token", {}, type);
    return token ? token->getResult(0) : mlir::Value();
  }
  auto tensor = dyn_cast_if_present<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape()) {
    fail(errors::UnsupportedDynamicShape,
         "`" + current->opcode + "` has a result whose size is only known at run time");
    return {};
  }
  Type element = tensor.getElementType();
  auto complex = dyn_cast<ComplexType>(element);
  mlir::Attribute zero = builder.getZeroAttr(complex ? complex.getElementType() : element);
  if (complex) {
    zero = builder.getArrayAttr({zero, zero});
  }
  Operation *constant =
      create("stablehlo.constant", {}, type, named("value", DenseElementsAttr::get(tensor, zero)));
  return constant ? constant->getResult(0) : mlir::Value();
}

// Fails unless the types of the result's leaves match the instruction's shape. Later code relies on
// this.
void Emitter::checkResult() {
  SmallVector<Type> expected = resultTypes();
  if (!failed() && (!result || TypeRange(ValueRange(*result)) != TypeRange(expected))) {
    fail(errors::ProgramInvalid, "`" + current->name + "` has the shape `" + current->shape.str() +
                                     "`, which differs from the shape that `" + current->opcode +
                                     "` computes");
  }
}

SmallVector<Type> Emitter::resultTypes() {
  SmallVector<Type> types = leafTypes(current->shape, conversion, *current);
  for (Type &type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (mixedElement && tensor && isa<FloatType>(tensor.getElementType())) {
      type = tensor.clone(mixedElement);
    }
  }
  return types;
}

mlir::Value Emitter::converted(mlir::Value value, Type element) {
  auto type = value ? dyn_cast<RankedTensorType>(value.getType()) : RankedTensorType();
  if (!type || type.getElementType() == element) {
    return value;
  }
  Operation *made = create("stablehlo.convert", {value}, type.clone(element));
  return made ? made->getResult(0) : mlir::Value();
}

//===-- mixed float types ---------------------------------------------------------------------===//

// Whether XLA requires an instruction's operands and result to have the same element type, except
// that floats may differ in precision.
static bool hasOneFloatType(llvm::StringRef opcode) {
  const OperandRule *rule = findOperandRule(opcode);
  switch (rule ? rule->shapes : ShapeRule::Free) {
  case ShapeRule::Whole:
  case ShapeRule::Elementwise:
  case ShapeRule::Predicate:
  case ShapeRule::Select:
  case ShapeRule::Clamp:
  case ShapeRule::Reshape:
  case ShapeRule::Broadcast:
  case ShapeRule::Transpose:
  case ShapeRule::Concatenate:
  case ShapeRule::Slice:
  case ShapeRule::DynamicSlice:
  case ShapeRule::DynamicUpdate:
    return true;
  default:
    return opcode == "pad";
  }
}

// Converts operands to the widest float type if an instruction mixes float types, which XLA allows
// and StableHLO doesn't.
void Emitter::beginMixed() {
  if (!hasOneFloatType(current->opcode)) {
    return;
  }
  llvm::StringRef widest;
  bool isMixed = false;
  auto take = [&](const Shape &shape) {
    std::optional<ElementType> type = shape.elementType();
    if (shape.kind == Shape::Kind::Array && type && isFloat(*type)) {
      isMixed |= !widest.empty() && widest != shape.element;
      widest = widest.empty() ? llvm::StringRef(shape.element)
                              : llvm::StringRef(widerElement(widest, shape.element));
    }
  };
  take(current->shape);
  for (const Operand &operand : current->operands) {
    take(operand.instruction->shape);
  }
  if (!isMixed) {
    return;
  }
  mlir::Type element = toMlirType(*elementTypeFromHloName(widest), context());
  for (size_t i = 0; i < operandCount(); ++i) {
    Leaves leaves(values[current->operands[i].instruction]);
    for (mlir::Value &leaf : leaves) {
      if (isa<FloatType>(getElementTypeOrSelf(leaf))) {
        leaf = converted(leaf, element);
      }
    }
    mixedOperands.push_back(std::move(leaves));
  }
  mixedElement = element;
}

void Emitter::endMixed() {
  mixedElement = {};
  mixedOperands.clear();
  SmallVector<Type> types = resultTypes();
  for (size_t i = 0; result && i < result->size() && i < types.size() && !failed(); ++i) {
    (*result)[i] = converted((*result)[i], getElementTypeOrSelf(types[i]));
  }
}

//===-- computations --------------------------------------------------------------------------===//

Leaves Emitter::copyOf(const Computation &computation, ValueRange arguments,
                       bool callsBecomeCalls) {
  if (depth == maxDepth) {
    fail(errors::NestingTooDeep,
         "more than " + std::to_string(maxDepth) + " computations are nested");
  }
  if (failed()) {
    return {};
  }
  Emitter inner(conversion, builder, callsBecomeCalls, depth + 1);
  return inner.emitComputation(computation, arguments);
}

Leaves Emitter::call(const Computation &computation, ValueRange arguments) {
  if (!callsBecomeCalls) {
    return copyOf(computation, arguments, callsBecomeCalls);
  }
  func::FuncOp function = functionOf(computation);
  if (failed()) {
    return {};
  }
  return llvm::to_vector<1>(
      ValueRange(func::CallOp::create(builder, location, function, arguments).getResults()));
}

void Emitter::fillRegion(Region &region, const Computation &computation, bool callsBecomeCalls) {
  SmallVector<Type> types = parameterTypes(computation, conversion);
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Location> locations(types.size(), location);
  Block *block = builder.createBlock(&region, region.end(), types, locations);
  Leaves results = copyOf(computation, block->getArguments(), callsBecomeCalls);
  if (!failed()) {
    stablehlo::ReturnOp::create(builder, location, results);
  }
}

void Emitter::fillBranch(Region &region, const Computation &computation, ValueRange values) {
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&region);
  Leaves results = copyOf(computation, values, callsBecomeCalls);
  if (!failed()) {
    stablehlo::ReturnOp::create(builder, location, results);
  }
}

//===-- a computation's instructions ----------------------------------------------------------===//

// Copies an instruction's frontend attributes, if Drumlin uses them, to the operations that were
// created for the instruction. These operations follow `before`. Operations that already have such
// attributes keep them.
void Emitter::keepFrontendAttributes(Operation *before) {
  const Value *given = current->find("frontend_attributes");
  NamedAttrList kept;
  for (const char *name : stablehlo::keptFrontendAttributes) {
    const Value *text = given ? given->find(name) : nullptr;
    if (text) {
      kept.append(name, builder.getStringAttr(text->contents()));
    }
  }
  if (kept.empty()) {
    return;
  }
  Block &block = *builder.getInsertionBlock();
  for (auto op = before ? std::next(before->getIterator()) : block.begin(); op != block.end();
       ++op) {
    if (!op->hasAttr(stablehlo::frontendAttributes)) {
      op->setAttr(stablehlo::frontendAttributes, kept.getDictionary(builder.getContext()));
    }
  }
}

void Emitter::emitInstruction() {
  asked.clear();
  result.reset();
  location = conversion.locationOf(*current);
  if (!conversion.spendOne()) {
    fail(errors::InputTooLarge,
         "too many copies of computations that are nested in one "
         "another",
         "call computations instead of using them in several loops or reductions");
    return;
  }
  std::optional<OpcodeRule> rule = findOpcode(current->opcode, context());
  if (!rule) {
    fail(errors::UnsupportedOperation, "HLO's operation `" + current->opcode + "` isn't supported",
         "express it with operations that StableHLO has");
    return;
  }
  emitRule(*rule);
}

void Emitter::emitRule(const OpcodeRule &rule) {
  Block &block = *builder.getInsertionBlock();
  Operation *before = block.empty() ? nullptr : &block.back();
  beginMixed();
  rule.emit(*this, rule.operation);
  if (!failed()) {
    checkAttributes();
    checkResult();
    keepFrontendAttributes(before);
  }
  if (mixedElement) {
    endMixed();
  }
}

Leaves Emitter::emitAs(const Instruction &other) {
  std::optional<OpcodeRule> rule = findOpcode(other.opcode, context());
  if (!rule) {
    fail(errors::UnsupportedOperation, "HLO's operation `" + other.opcode + "` isn't supported");
  }
  if (failed()) {
    return {};
  }
  const Instruction *outer = std::exchange(current, &other);
  SmallVector<llvm::StringRef> outerAsked = std::exchange(asked, {});
  result.reset();
  emitRule(*rule);
  Leaves made = result ? std::move(*result) : Leaves();
  result.reset();
  current = outer;
  asked = std::move(outerAsked);
  return made;
}

// Emits an instruction after its operands, which may follow it in the text.
void Emitter::emitWithOperands(const Instruction &instruction) {
  SmallVector<const Instruction *> pending = {&instruction};
  while (!pending.empty() && !conversion.failed()) {
    const Instruction *next = pending.back();
    size_t before = pending.size();
    for (const Operand &operand : next->operands) {
      if (!values.count(operand.instruction)) {
        pending.push_back(operand.instruction);
      }
    }
    if (pending.size() != before) {
      continue;
    }
    pending.pop_back();
    if (!values.count(next)) {
      current = next;
      emitInstruction();
      values[next] = result ? std::move(*result) : Leaves();
    }
  }
}

Leaves Emitter::emitComputation(const Computation &computation, ValueRange arguments) {
  SmallVector<Type> types = parameterTypes(computation, conversion);
  const Instruction &root = *computation.root();
  if (!conversion.failed() && TypeRange(types) != TypeRange(arguments)) {
    conversion.fail(errors::ProgramInvalid,
                    "computation `" + computation.name +
                        "` is used with arguments that don't have its parameters' shapes",
                    root);
  }
  // Arguments are in the order of the parameters' numbers; the text may list the parameters in
  // another order.
  std::map<int64_t, const Instruction *> parameters;
  for (const auto &instruction : computation.instructions) {
    if (instruction->opcode == "parameter") {
      parameters[instruction->parameterNumber().value_or(0)] = instruction.get();
    }
  }
  for (const auto &[number, parameter] : parameters) {
    if (conversion.failed()) {
      return {};
    }
    size_t count = leafCount(parameter->shape);
    values[parameter] = llvm::to_vector<1>(arguments.take_front(count));
    arguments = arguments.drop_front(count);
  }
  for (const auto &instruction : computation.instructions) {
    emitWithOperands(*instruction);
  }
  return conversion.failed() ? Leaves() : values[&root];
}

} // namespace drumlin::hlo
