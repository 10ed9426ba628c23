#include "drumlin/import/hlo/Emitter.h"
#include "drumlin/import/hlo/ImportLibraryCalls.h"
#include "drumlin/import/hlo/ImportOpcodes.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"

#include "mlir/AsmParser/AsmParser.h"

using namespace mlir;

namespace drumlin::hlo {

//===-- forwarded values ----------------------------------------------------------------------===//

void emitFirstOperand(Emitter &emitter, llvm::StringRef) { emitter.finish(emitter.operand(0)); }

// Drops operands that aren't tokens. XLA allows such operands, but data dependences already order
// the instructions that compute them.
void emitAfterAll(Emitter &emitter, llvm::StringRef) {
  Leaves tokens = emitter.allLeaves();
  llvm::erase_if(tokens, [](mlir::Value value) {
    return value && !isa<stablehlo::TokenType>(value.getType());
  });
  emitter.finish("stablehlo.after_all", tokens);
}

// Converts a `domain` to its operand, since a `domain` only separates shardings.
void emitDomain(Emitter &emitter, llvm::StringRef) {
  emitter.attribute("domain");
  emitter.finish(emitter.operand(0));
}

void emitTuple(Emitter &emitter, llvm::StringRef) { emitter.finish(emitter.allLeaves()); }

// Makes element `index` of the first operand, a tuple, the instruction's result.
static void finishElement(Emitter &emitter, int64_t index) {
  llvm::ArrayRef<mlir::Value> leaves = emitter.operand(0);
  if (emitter.failed()) {
    return;
  }
  const Shape &tuple = emitter.instruction().operands[0].instruction->shape;
  if (index < 0 || std::cmp_greater_equal(index, tuple.elements.size())) {
    emitter.fail(errors::ProgramInvalid, "operand 0 of `" + emitter.instruction().opcode +
                                             "` has no element " + std::to_string(index));
    return;
  }
  size_t begin = 0;
  for (const Shape &element : llvm::ArrayRef(tuple.elements.data(), static_cast<size_t>(index))) {
    begin += leafCount(element);
  }
  emitter.finish(leaves.slice(begin, leafCount(tuple.elements[static_cast<size_t>(index)])));
}

void emitGetTupleElement(Emitter &emitter, llvm::StringRef) {
  finishElement(emitter, emitter.integer("index"));
}

//===-- starts and ends -----------------------------------------------------------------------===//

// Finishes a start with the tuple (operands, results, contexts). The start computes the results at
// once, so the contexts are unused and zero.
static void finishStart(Emitter &emitter, ValueRange first, ValueRange second) {
  Leaves all(first.begin(), first.end());
  llvm::append_range(all, second);
  SmallVector<Type> types = emitter.resultTypes();
  for (size_t i = all.size(); i < types.size() && !emitter.failed(); ++i) {
    all.push_back(emitter.zero(types[i]));
  }
  emitter.finish(all);
}

// Converts the start of a copy. The result is the tuple (copy, source, context), in which copy and
// source are the same value.
void emitCopyStart(Emitter &emitter, llvm::StringRef) {
  Leaves operands = emitter.allLeaves();
  finishStart(emitter, operands, operands);
}

void emitCopyDone(Emitter &emitter, llvm::StringRef) { finishElement(emitter, 0); }

//===-- computations --------------------------------------------------------------------------===//

void emitCall(Emitter &emitter, llvm::StringRef attribute) {
  emitter.attribute("is_composite");
  const Computation *computation = emitter.computation(attribute);
  Leaves operands = emitter.allLeaves();
  if (!emitter.failed()) {
    emitter.finish(emitter.call(*computation, operands));
  }
}

void emitWhile(Emitter &emitter, llvm::StringRef) {
  const Computation *condition = emitter.computation("condition");
  const Computation *body = emitter.computation("body");
  if (Operation *made = emitter.finish("stablehlo.while", emitter.allLeaves(), {}, /*regions=*/2)) {
    emitter.fillProgramRegion(made->getRegion(0), *condition);
    emitter.fillProgramRegion(made->getRegion(1), *body);
  }
}

// Returns the branches of a conditional. One attribute lists them, or, if a predicate selects the
// branch, two attributes name one branch each.
static SmallVector<const Computation *> branchesOf(Emitter &emitter) {
  if (emitter.attribute("branch_computations")) {
    return emitter.computations("branch_computations");
  }
  return {emitter.computation("true_computation"), emitter.computation("false_computation")};
}

void emitConditional(Emitter &emitter, llvm::StringRef) {
  auto choice = emitter.array(0);
  SmallVector<const Computation *> branches = branchesOf(emitter);
  if (emitter.failed()) {
    return;
  }
  bool isPredicate = choice.getType().getElementType().isInteger(1);
  if (branches.size() + 1 != emitter.operandCount() || (isPredicate && branches.size() != 2)) {
    emitter.fail(errors::ProgramInvalid,
                 "`conditional` has " + std::to_string(branches.size()) + " branches and " +
                     std::to_string(emitter.operandCount()) +
                     " operands, expected the selector and one for each branch");
    return;
  }
  Operation *made = emitter.finish(isPredicate ? "stablehlo.if" : "stablehlo.case", {choice}, {},
                                   static_cast<unsigned>(branches.size()));
  for (size_t i = 0; i < branches.size() && made; ++i) {
    emitter.fillBranch(made->getRegion(static_cast<unsigned>(i)), *branches[i],
                       emitter.operand(i + 1));
  }
}

//===-- custom calls --------------------------------------------------------------------------===//

// Attributes of library calls that StableHLO can't represent. Only the call's target reads them.
// They are accepted here; a call of an unknown target is rejected later, by the target's name.
static constexpr StringRef targetsOwn[] = {
    "api_version",
    "batch_group_count",
    "called_computations",
    "custom_call_schedule",
    "dim_labels",
    "feature_group_count",
    "literal",
    "operand_layout_constraints",
    "operand_precision",
    "padding_type",
    "schedule",
    "sparsity",
    "to_apply",
    "window",
};

// Returns the backend configuration of a custom call. The text quotes strings, but not JSON
// objects.
static mlir::Attribute readBackendConfig(Emitter &emitter,
                                         stablehlo::CustomCallApiVersion version) {
  const Value *value = emitter.attribute("backend_config");
  // XLA's GPU backend stores a typed call's attributes as text inside its own configuration.
  const Value *call = value ? value->find("custom_call_backend_config") : nullptr;
  const Value *attributes = call ? call->find("attributes") : nullptr;
  if (attributes && version == stablehlo::CustomCallApiVersion::API_VERSION_TYPED_FFI) {
    value = attributes;
  }
  std::string text = !value                               ? ""
                     : value->kind == Value::Kind::String ? value->contents()
                                                          : value->str();
  if (version != stablehlo::CustomCallApiVersion::API_VERSION_TYPED_FFI) {
    return emitter.ops().getStringAttr(text);
  }
  if (text.empty()) {
    return emitter.ops().getDictionaryAttr({});
  }
  ScopedDiagnosticHandler silent(emitter.context(), [](mlir::Diagnostic &) { return success(); });
  auto dictionary = dyn_cast_if_present<DictionaryAttr>(parseAttribute(text, emitter.context()));
  if (!dictionary) {
    emitter.failAttribute("backend_config", "a dictionary, as typed calls have");
  }
  return dictionary;
}

static void emitOtherCall(Emitter &emitter, const std::string &target) {
  OpBuilder &builder = emitter.ops();
  std::string word = emitter.word("api_version");
  auto version = stablehlo::symbolizeCustomCallApiVersion(
      word.empty() ? StringRef("API_VERSION_ORIGINAL") : StringRef(word));
  if (!version) {
    emitter.failAttribute("api_version", "a version such as `API_VERSION_TYPED_FFI`");
    return;
  }
  SmallVector<NamedAttribute> attributes = {
      emitter.named("call_target_name", builder.getStringAttr(target)),
      emitter.named("has_side_effect",
                    builder.getBoolAttr(emitter.boolean("custom_call_has_side_effect"))),
      emitter.named("api_version",
                    stablehlo::CustomCallApiVersionAttr::get(emitter.context(), *version))};
  if (mlir::Attribute config = readBackendConfig(emitter, *version)) {
    attributes.push_back(emitter.named("backend_config", config));
  }
  SmallVector<mlir::Attribute> called;
  for (StringRef name : {"called_computations", "to_apply"}) {
    if (!emitter.attribute(name)) {
      continue;
    }
    for (const Computation *computation : emitter.computations(name)) {
      called.push_back(FlatSymbolRefAttr::get(emitter.functionOf(*computation)));
    }
  }
  attributes.push_back(emitter.named("called_computations", builder.getArrayAttr(called)));
  emitter.finish("stablehlo.custom_call", emitter.allLeaves(), attributes);
}

// Converts a call of `TopK`, which XLA's sort rewriter emits. The call's computation only compares
// elements and puts larger elements first.
static void emitTopKCall(Emitter &emitter) {
  SmallVector<Type> types = emitter.resultTypes();
  auto values = types.empty() ? RankedTensorType() : dyn_cast<RankedTensorType>(types.front());
  if (!values || values.getRank() == 0) {
    emitter.fail(errors::ProgramInvalid, "the result of a `TopK` call has no arrays");
    return;
  }
  auto k = emitter.ops().getI64IntegerAttr(values.getShape().back());
  emitter.attribute("custom_call_has_side_effect");
  emitter.finish("chlo.top_k", {emitter.array(0)}, emitter.named("k", k));
}

// Whether a call creates, pins or unpins a buffer. Buffers are converted to values: pinning returns
// the array itself, and the content of a new buffer is arbitrary.
static bool isBufferCall(Emitter &emitter, StringRef target) {
  const Instruction &call = emitter.instruction();
  bool givesBuffer = call.shape.kind == Shape::Kind::Buffer;
  bool takesBuffer = emitter.operandCount() == 1 &&
                     call.operands[0].instruction->shape.kind == Shape::Kind::Buffer;
  return ((target == "Pin" || target == "CreateBuffer") && givesBuffer) ||
         (target == "Unpin" && takesBuffer);
}

static void emitBufferCall(Emitter &emitter) {
  emitter.attribute("custom_call_has_side_effect");
  if (emitter.operandCount() > 0) {
    return emitter.finish(emitter.operand(0));
  }
  Leaves values;
  for (Type type : emitter.resultTypes()) {
    values.push_back(emitter.zero(type));
  }
  emitter.finish(values);
}

void emitCustomCall(Emitter &emitter, llvm::StringRef) {
  std::string target = emitter.word("custom_call_target");
  for (StringRef name : targetsOwn) {
    emitter.attribute(name);
  }
  if (target.empty()) {
    emitter.failAttribute("custom_call_target", "the name of a call target");
  } else if (target == "TopK") {
    emitTopKCall(emitter);
  } else if (isBufferCall(emitter, target)) {
    emitBufferCall(emitter);
  } else if (!emitGemmCall(emitter, target)) {
    emitOtherCall(emitter, target);
  }
}

} // namespace drumlin::hlo
