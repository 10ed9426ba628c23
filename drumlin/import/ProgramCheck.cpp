#include "drumlin/import/ProgramCheck.h"

#include "drumlin/import/Tuples.h"
#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/HostCalls.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/sdy/SdyDialect.h"
#include "drumlin/ir/sizes/SizesDialect.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace drumlin {

std::string str(Location loc) {
  std::string text;
  loc->walk([&](Location inner) {
    auto position = dyn_cast<FileLineColLoc>(inner);
    if (!position) {
      return WalkResult::advance();
    }
    // The module's location has line 0 if the text has no module operation.
    text = position.getLine() == 0 ? position.getFilename().str()
                                   : (position.getFilename().strref() + ":" +
                                      Twine(position.getLine()) + ":" + Twine(position.getColumn()))
                                         .str();
    return WalkResult::interrupt();
  });
  return text;
}

void mendNames(ModuleOp module) {
  AttrTypeReplacer replacer;
  auto mended = [](StringAttr text) {
    return llvm::json::isUTF8(text.getValue())
               ? text
               : StringAttr::get(text.getContext(), llvm::json::fixUTF8(text.getValue()));
  };
  replacer.addReplacement([&](FileLineColRange range) -> std::optional<Attribute> {
    return FileLineColRange::get(mended(range.getFilename()), range.getStartLine(),
                                 range.getStartColumn(), range.getEndLine(), range.getEndColumn());
  });
  replacer.addReplacement([&](NameLoc named) -> std::optional<std::pair<Attribute, WalkResult>> {
    auto inner = cast<LocationAttr>(replacer.replace(named.getChildLoc()));
    return std::pair<Attribute, WalkResult>(NameLoc::get(mended(named.getName()), inner),
                                            WalkResult::skip());
  });
  replacer.recursivelyReplaceElementsIn(module, /*replaceAttrs=*/false, /*replaceLocs=*/true,
                                        /*replaceTypes=*/false);
}

template <typename T> static std::string print(T value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

//===-- types and operations ------------------------------------------------------------------===//

static Status checkSupportedType(Type type, Location loc) {
  // Tokens are supported: they have no elements, and need no memory in compiled programs.
  if (isa<stablehlo::TokenType>(type)) {
    return Done{};
  }
  if (auto future = dyn_cast<stablehlo::FutureType>(type)) {
    Status status = Done{};
    for (Type each : future.getTypes()) {
      status = status ? checkSupportedType(each, loc) : status;
    }
    return status;
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  // Encodings may only be bounds or expressions of dynamic sizes.
  bool isKnown =
      tensor && (!tensor.getEncoding() ||
                 isa<stablehlo::TypeExtensionsAttr, sizes::SizesAttr>(tensor.getEncoding()));
  // The element type; for quantized types, the stored integer type.
  std::optional<ElementType> element = tensor ? tryStoredTypeOf(tensor) : std::nullopt;
  bool isBoolean = element == ElementType::I1 && stablehlo::isQuantized(tensor);
  if (!isKnown || !element || isBoolean) {
    return diagnose(errors::UnsupportedType, "type `" + print(type) + "` isn't supported",
                    str(loc));
  }
  return Done{};
}

// Checks each type in a tuple once, at any nesting.
static Status checkSupportedTuple(TupleType tuple, Location loc) {
  if (valueCountOf(tuple) > maxTupleValues) {
    return diagnose(errors::UnsupportedType,
                    "a tuple of more than " + std::to_string(maxTupleValues) +
                        " values isn't supported",
                    str(loc));
  }
  Status status = Done{};
  tuple.walk<WalkOrder::PreOrder>([&](Type type) {
    if (isa<TupleType>(type)) {
      return WalkResult::advance();
    }
    status = checkSupportedType(type, loc);
    return status ? WalkResult::skip() : WalkResult::interrupt();
  });
  return status;
}

static Status checkSupportedTypes(TypeRange types, Location loc) {
  for (Type type : types) {
    auto tuple = dyn_cast<TupleType>(type);
    Status status = tuple ? checkSupportedTuple(tuple, loc) : checkSupportedType(type, loc);
    if (!status) {
      return status;
    }
  }
  return Done{};
}

static Status unsupportedOperation(Operation *op) {
  return diagnose(errors::UnsupportedOperation,
                  "operation `" + op->getName().getStringRef().str() + "` isn't supported",
                  str(op->getLoc()));
}

static Status checkSupportedSignature(func::FuncOp function) {
  Status status = checkSupportedTypes(function.getArgumentTypes(), function.getLoc());
  return status ? checkSupportedTypes(function.getResultTypes(), function.getLoc()) : status;
}

static Status checkSupportedFunction(func::FuncOp function, bool nativeTypesOnly) {
  if (nativeTypesOnly) {
    if (Status status = checkSupportedSignature(function); !status) {
      return status;
    }
  }
  if (!function.getBody().hasOneBlock()) {
    return diagnose(errors::UnsupportedOperation,
                    "function `@" + function.getName().str() + "` has " +
                        (function.isExternal() ? "no body" : "several blocks") +
                        ", which isn't supported",
                    str(function.getLoc()));
  }
  return Done{};
}

// Whether an operation is allowed next to functions in a module.
static bool isDeclaration(Operation *op) {
  return isa<plan::KernelOp>(op) || isa<sdy::SdyDialect>(op->getDialect());
}

static Status checkSupportedOperation(Operation *op, const ImportLimits &limits) {
  bool nativeTypesOnly = limits.nativeTypesOnly;
  if (auto function = dyn_cast<func::FuncOp>(op)) {
    return checkSupportedFunction(function, nativeTypesOnly);
  }
  if (!op->isRegistered() || isa<ModuleOp, UnrealizedConversionCastOp>(op)) {
    return unsupportedOperation(op);
  }
  if (!limits.plans && isa<plan::PlanDialect>(op->getDialect())) {
    return diagnose(errors::UnsupportedOperation,
                    "operation `" + op->getName().getStringRef().str() + "` belongs to a plan",
                    str(op->getLoc()),
                    "pass `--start-from` with the phase that wrote the text, or pass the program");
  }
  if (isa<ModuleOp>(op->getParentOp()) && !isDeclaration(op)) {
    return diagnose(errors::ProgramInvalid,
                    "operation `" + op->getName().getStringRef().str() + "` is outside a function",
                    str(op->getLoc()), "move it into the function that uses it");
  }
  if (nativeTypesOnly) {
    if (Status status = checkHostOperation(op); !status) {
      return status;
    }
  }
  // Skips operations of all other dialects. These are Drumlin's own dialects: programs don't
  // contain their operations, and the operations may have types of these dialects.
  bool isInput =
      isa<stablehlo::StablehloDialect, chlo::ChloDialect, func::FuncDialect, plan::PlanDialect>(
          op->getDialect());
  if (!isInput || !nativeTypesOnly) {
    return Done{};
  }
  if (Status status = checkSupportedTypes(op->getResultTypes(), op->getLoc()); !status) {
    return status;
  }
  for (Region &region : op->getRegions()) {
    for (Block &block : region) {
      if (Status status = checkSupportedTypes(block.getArgumentTypes(), op->getLoc()); !status) {
        return status;
      }
    }
  }
  return Done{};
}

Status checkSupported(ModuleOp module, const ImportLimits &limits) {
  Status status = Done{};
  module->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op == module.getOperation()) {
      return WalkResult::advance();
    }
    status = checkSupportedOperation(op, limits);
    return status ? WalkResult::advance() : WalkResult::interrupt();
  });
  return status;
}

void endFunctionsInReturn(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>()) {
    if (function.isExternal()) {
      continue;
    }
    Block &block = function.getBody().front();
    if (auto terminator =
            block.empty() ? stablehlo::ReturnOp() : dyn_cast<stablehlo::ReturnOp>(block.back())) {
      OpBuilder builder(terminator);
      func::ReturnOp::create(builder, terminator.getLoc(), terminator.getResults());
      terminator.erase();
    }
  }
}

//===-- entry and calls -----------------------------------------------------------------------===//

// Fails if a function calls itself, directly or indirectly. Traverses the calls depth first without
// recursion; a call to a function whose traversal hasn't finished closes a cycle.
static Status checkNoRecursion(ModuleOp module) {
  enum class State { New, Open, Finished };
  llvm::DenseMap<Operation *, State> states;
  SymbolTable symbols(module);
  struct Frame {
    func::FuncOp function;
    SmallVector<func::CallOp> calls;
    size_t next = 0;
  };
  auto open = [&](func::FuncOp function) {
    states[function] = State::Open;
    Frame frame{function, {}};
    function.walk([&](func::CallOp call) { frame.calls.push_back(call); });
    return frame;
  };
  for (auto root : module.getOps<func::FuncOp>()) {
    if (states.lookup(root) != State::New) {
      continue;
    }
    SmallVector<Frame> stack{open(root)};
    while (!stack.empty()) {
      Frame &frame = stack.back();
      if (frame.next == frame.calls.size()) {
        states[frame.function] = State::Finished;
        stack.pop_back();
        continue;
      }
      func::CallOp call = frame.calls[frame.next++];
      auto callee = symbols.lookup<func::FuncOp>(call.getCallee());
      if (!callee || states.lookup(callee) == State::Finished) {
        continue;
      }
      if (states.lookup(callee) == State::Open) {
        return diagnose(errors::RecursiveCall,
                        "function `@" + callee.getName().str() +
                            "` calls itself, directly or through others",
                        str(call.getLoc()));
      }
      stack.push_back(open(callee));
    }
  }
  return Done{};
}

//===-- donations -----------------------------------------------------------------------------===//

// The attribute of a donated argument: the number of the result that gets the argument's memory.
static constexpr llvm::StringLiteral donation = "tf.aliasing_output";

static Diagnostic badDonation(func::FuncOp entry, unsigned argument, const std::string &what) {
  BlockArgument value = entry.getArgument(argument);
  std::string where = str(value.getLoc());
  return diagnose(errors::ProgramInvalid,
                  "argument " + std::to_string(argument) + " of `@" + entry.getName().str() +
                      "` has `" + donation.str() + "`, " + what,
                  where.empty() ? str(entry.getLoc()) : where,
                  "let each donated argument name one result of its own type, as `donate_argnums` "
                  "of `jax.jit` does");
}

// Returns a type's sizes in sorted order and its element type, since types in the text of a phase
// have their dimensions in memory order.
static std::pair<SmallVector<int64_t>, Type> unordered(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor) {
    return {{}, type};
  }
  SmallVector<int64_t> sizes(tensor.getShape());
  llvm::sort(sizes);
  return {sizes, tensor.getElementType()};
}

static bool isLaidOut(func::FuncOp entry, unsigned argument, unsigned result) {
  return entry.getArgAttr(argument, layoutAttribute) ||
         entry.getResultAttr(result, layoutAttribute);
}

static Status checkDonations(func::FuncOp entry) {
  llvm::DenseMap<int64_t, unsigned> donors; // argument numbers, keyed by result number
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    Attribute attribute = entry.getArgAttr(i, donation);
    if (!attribute) {
      continue;
    }
    auto number = dyn_cast<IntegerAttr>(attribute);
    if (!number || !number.getType().isSignlessInteger() || number.getValue().getBitWidth() == 1 ||
        number.getValue().getSignificantBits() > 64) {
      return badDonation(entry, i, "which is `" + print(attribute) + "` and not a result's number");
    }
    int64_t result = number.getValue().getSExtValue();
    if (result < 0 || result >= static_cast<int64_t>(entry.getNumResults())) {
      return badDonation(entry, i,
                         "which names result " + std::to_string(result) + " of " +
                             std::to_string(entry.getNumResults()));
    }
    auto [donor, isFirst] = donors.try_emplace(result, i);
    if (!isFirst) {
      return badDonation(entry, i,
                         "which names result " + std::to_string(result) +
                             ", and so does argument " + std::to_string(donor->second));
    }
    Type from = entry.getArgumentTypes()[i];
    Type to = entry.getResultTypes()[static_cast<unsigned>(result)];
    bool isSame = from == to || (isLaidOut(entry, i, static_cast<unsigned>(result)) &&
                                 unordered(from) == unordered(to));
    if (!isSame) {
      return badDonation(entry, i,
                         "which names result " + std::to_string(result) + ", but it is `" +
                             print(from) + "` and the result is `" + print(to) + "`");
    }
  }
  return Done{};
}

//===-- attributes of phases ------------------------------------------------------------------===//

static Diagnostic badAttribute(func::FuncOp entry, StringRef name, Attribute attribute) {
  return diagnose(errors::ProgramInvalid,
                  "`@" + entry.getName().str() + "` has `" + name.str() + "`, which is `" +
                      print(attribute) + "`",
                  str(entry.getLoc()), "pass the text that a phase wrote, unmodified");
}

// Whether an attribute is a valid layout of a type. `mayBeBlocked`: true for arguments that are
// laid out once, before the first call.
static bool isLayoutOf(Attribute attribute, Type type, bool mayBeBlocked) {
  auto layout = dyn_cast<plan::LayoutAttr>(attribute);
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!layout || !tensor) {
    return false;
  }
  bool isBlocked = !layout.getBlocks().empty();
  BlockedLayout made = {Shape(isBlocked ? layout.getOf() : tensor.getShape()),
                        Shape(layout.getBlocks()), orderOf(layout)};
  return made.isValid() &&
         (!isBlocked || (mayBeBlocked && llvm::equal(made.physicalShape(), tensor.getShape())));
}

// Checks the entry's attributes in the text of a phase. Later code reads these attributes without
// checks.
static Status checkPhaseAttributes(func::FuncOp entry) {
  if (Attribute weights = entry->getAttr(weightsAttribute)) {
    auto names = dyn_cast<ArrayAttr>(weights);
    if (!names || names.size() > entry.getNumArguments() ||
        !llvm::all_of(names, llvm::IsaPred<StringAttr>)) {
      return badAttribute(entry, weightsAttribute, weights);
    }
  }
  Attribute inPlace = entry->getAttr(weightsInPlaceAttribute);
  if (inPlace && !isa<UnitAttr>(inPlace)) {
    return badAttribute(entry, weightsInPlaceAttribute, inPlace);
  }
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    Attribute layout = entry.getArgAttr(i, layoutAttribute);
    if (layout && !isLayoutOf(layout, entry.getArgumentTypes()[i], isLaidOutOnce(entry, i))) {
      return badAttribute(entry, layoutAttribute, layout);
    }
  }
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    Attribute layout = entry.getResultAttr(i, layoutAttribute);
    if (layout && !isLayoutOf(layout, entry.getResultTypes()[i], /*mayBeBlocked=*/false)) {
      return badAttribute(entry, layoutAttribute, layout);
    }
  }
  return Done{};
}

Status checkProgram(ModuleOp module) {
  if (!entryFunction(module)) {
    auto functions = llvm::range_size(module.getOps<func::FuncOp>());
    return diagnose(errors::EntryMissing,
                    "expected a function `@main` or exactly one function, got " +
                        (functions == 0
                             ? "no function"
                             : std::to_string(functions) + " functions with other names"),
                    str(module.getLoc()));
  }
  if (Status status = checkPhaseAttributes(entryFunction(module)); !status) {
    return status;
  }
  Status status = checkDonations(entryFunction(module));
  return status ? checkNoRecursion(module) : status;
}

} // namespace drumlin
