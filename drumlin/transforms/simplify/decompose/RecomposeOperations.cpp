// Restores operations that exporters wrap because portable artifacts have no CHLO. JAX and XLA
// write them as composites with the operation's name (`chlo.erf`), or formerly as custom calls
// (`mhlo.erf`).
#include "drumlin/ir/stablehlo/CompositeOp.h"
#include "drumlin/ir/stablehlo/CustomCallOp.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/plan/HostCalls.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/transforms/Ledger.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace drumlin {

namespace {
// The operation that a call names, and the attributes of that operation.
struct Named {
  StringRef operation; // name in MLIR
  NamedAttrList attributes;
};
} // namespace

// Returns the full name of a CHLO operation, e.g. `chlo.erf`, or nothing if CHLO has no such
// operation.
static StringRef chloOperation(MLIRContext *context, StringRef mnemonic) {
  auto name = RegisteredOperationName::lookup(("chlo." + mnemonic).str(), context);
  return name ? name->getStringRef() : StringRef();
}

static std::optional<Named> namedBy(stablehlo::CompositeOp op) {
  StringRef mnemonic = op.getName();
  DictionaryAttr attributes = op.getCompositeAttributesAttr();
  Named named;
  if (mnemonic.consume_front("chlo.")) {
    bool isFirst = op.getVersion() <= 1;
    named.operation = isFirst ? chloOperation(op.getContext(), mnemonic) : StringRef();
    named.attributes = attributes ? NamedAttrList(attributes) : NamedAttrList();
  } else if (mnemonic.consume_front("xla.") && plan::isTargetOfRuntime(mnemonic)) {
    Builder b(op.getContext());
    named.operation = stablehlo::CustomCallOp::getOperationName();
    named.attributes.set("call_target_name", b.getStringAttr(mnemonic));
    named.attributes.set("api_version", b.getI32IntegerAttr(4));
    named.attributes.set("backend_config", attributes ? attributes : b.getDictionaryAttr({}));
  }
  return named.operation.empty() ? std::nullopt : std::optional(named);
}

// XLA's custom calls store the operation's attributes in `mhlo.attributes`.
static std::optional<Named> namedBy(stablehlo::CustomCallOp op) {
  StringRef mnemonic = op.getCallTargetName();
  auto attributes = op->getAttrOfType<DictionaryAttr>("mhlo.attributes");
  if (!mnemonic.consume_front("mhlo.")) {
    return std::nullopt;
  }
  Named named;
  named.operation = chloOperation(op.getContext(), mnemonic == "topk" ? "top_k" : mnemonic);
  named.attributes = attributes ? NamedAttrList(attributes) : NamedAttrList();
  // CHLO has no operation for the smallest elements.
  auto largest = dyn_cast_or_null<BoolAttr>(named.attributes.get("largest"));
  if (largest && largest.getValue()) {
    named.attributes.erase("largest");
  }
  return named.operation.empty() ? std::nullopt : std::optional(named);
}

// Creates the named operation with the call's operands and results. Returns null if the operation
// doesn't support them.
static Operation *make(Operation *call, const Named &named) {
  ScopedDiagnosticHandler silent(call->getContext(), [](mlir::Diagnostic &) { return success(); });
  OpBuilder builder(call);
  OperationState state(call->getLoc(), named.operation);
  state.addOperands(call->getOperands());
  state.addTypes(call->getResultTypes());
  bool areKnown = llvm::all_of(named.attributes, [&](NamedAttribute attribute) {
    return llvm::is_contained(state.name.getAttributeNames(), attribute.getName());
  });
  if (!areKnown) {
    return nullptr;
  }
  state.addAttributes(named.attributes);
  IRMapping mapping;
  for (Region &region : call->getRegions()) {
    region.cloneInto(state.addRegion(), mapping);
  }
  Operation *made = builder.create(state);
  // Dynamic sizes are supported by elementwise operations, top_k, and operations that have a
  // decomposition.
  bool isStatic = llvm::all_of(
      llvm::concat<const Type>(made->getOperandTypes(), made->getResultTypes()), [](Type type) {
        auto tensor = dyn_cast<ShapedType>(type);
        return !tensor || tensor.hasStaticShape();
      });
  bool isFollowed =
      isStatic || classify(made) == OperationClass::Pointwise || isa<chlo::TopKOp>(made);
  if (isFollowed && succeeded(verify(made))) {
    return made;
  }
  made->erase();
  return nullptr;
}

void recomposeOperations(ModuleOp module, Ledger &ledger) {
  SmallVector<std::pair<Operation *, Named>> calls;
  module.walk([&](Operation *op) {
    std::optional<Named> named;
    if (auto composite = dyn_cast<stablehlo::CompositeOp>(op)) {
      named = namedBy(composite);
    } else if (auto call = dyn_cast<stablehlo::CustomCallOp>(op)) {
      named = namedBy(call);
    }
    if (named) {
      calls.push_back({op, *named});
    }
  });
  for (auto &[call, named] : calls) {
    Operation *made = make(call, named);
    Decision decision = made ? Decision::taken() : Decision::declined(Reason::NotAsNamed, call);
    if (!ledger.recordUnlessOff(Rule::RecomposeOperation, call, decision).isTaken()) {
      if (made) {
        made->erase();
      }
      continue;
    }
    call->replaceAllUsesWith(made->getResults());
    call->erase();
  }
}

} // namespace drumlin
