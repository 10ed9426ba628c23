#include "drumlin/transforms/requirements/CheckRequirements.h"

#include "drumlin/ir/costs/Work.h"
#include "drumlin/ir/plan/ArenaSlots.h"
#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/LibraryCallOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/FrontendAttributes.h"
#include "drumlin/ir/stablehlo/OptimizationBarrierOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/diagnostics/RequirementErrors.h"
#include "drumlin/transforms/requirements/KernelParts.h"
#include "drumlin/transforms/requirements/NearestDecisions.h"
#include "drumlin/transforms/requirements/OperationPattern.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/GlobPattern.h"

#include <map>

using namespace mlir;

namespace drumlin {

static constexpr const char *requireAttribute = "drumlin.require";

//===- kernels ------------------------------------------------------------===//

static Block &bodyOf(Operation *kernel) { return kernel->getRegion(0).front(); }

// Returns whether the kernel only moves and converts elements, and at least one of its operations
// satisfies `among`, e.g. is a transpose or a widening conversion.
static bool onlyMoves(Operation *kernel, llvm::function_ref<bool(Operation *)> among) {
  bool found = false;
  for (Operation &op : bodyOf(kernel).without_terminator()) {
    OperationClass kind = classify(&op);
    if (kind != OperationClass::Constant && kind != OperationClass::DataMovement &&
        !isa<stablehlo::ConvertOp>(op)) {
      return false;
    }
    found |= among(&op);
  }
  return found;
}

// Returns the kernel input with the most elements from which a hero's operand is computed.
static BlockArgument mainInput(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op) {
    return cast<BlockArgument>(value);
  }
  BlockArgument most;
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    if (auto argument = dyn_cast<BlockArgument>(values[i])) {
      bool isMore = !most || cast<RankedTensorType>(argument.getType()).getNumElements() >
                                 cast<RankedTensorType>(most.getType()).getNumElements();
      most = isMore ? argument : most;
    } else {
      auto operands = values[i].getDefiningOp()->getOperands();
      values.insert(operands.begin(), operands.end());
    }
  }
  return most;
}

static std::string kindOf(Operation *kernel) {
  return plan::stringifyKernelKind(*plan::kernelKindOf(kernel)).str();
}

//===- clauses ------------------------------------------------------------===//

namespace {
// A description of how a clause is violated; empty if the clause is satisfied.
using Problem = std::string;

// Checks that `found` is at most `limit` for all sizes that the program accepts.
static Problem atMost(const SizeExpression &found, const SizeExpression &limit,
                      ArrayRef<SizeSymbol> symbols, const char *what) {
  for (const std::string &name : limit.symbols()) {
    if (llvm::none_of(symbols, [&](const SizeSymbol &each) { return each.name == name; })) {
      return "`" + name + "` is no dynamic size of the program";
    }
  }
  SizeExpression::Ranges ranges = [&](std::string_view name) {
    const SizeSymbol *symbol =
        llvm::find_if(symbols, [&](const SizeSymbol &each) { return each.name == name; });
    return SizeExpression::Range(symbol->minimum, symbol->maximum);
  };
  SizeExpression left = limit - found;
  return left.isValid() && left.range(ranges).first >= 0 ? ""
                                                         : "there are " + found.str() + " " + what;
}

class KernelChecker {
public:
  explicit KernelChecker(ModuleOp module) : symbols(sizeSymbolsOf(entryFunction(module))) {
    module.walk([&](Operation *kernel) {
      if (!plan::kernelKindOf(kernel)) {
        return;
      }
      all.push_back(kernel);
      for (Operation &op : bodyOf(kernel)) {
        for (int64_t origin : plan::originsOf(&op)) {
          computed[origin].insert(kernel);
        }
      }
    });
  }

  const std::vector<Operation *> &kernels() const { return all; }
  ArrayRef<Operation *> kernelsOf(int64_t origin) {
    auto found = computed.find(origin);
    return found == computed.end() ? ArrayRef<Operation *>() : found->second.getArrayRef();
  }

  Problem check(const Clause &clause, ArrayRef<Operation *> kernels, bool isProgram) const {
    switch (clause.kind) {
    case ClauseKind::Fused:
      return anyKernel(kernels, [&](Operation *kernel) { return checkFused(clause, kernel); });
    case ClauseKind::Kernel:
      return anyKernel(kernels, [&](Operation *kernel) -> Problem {
        return llvm::is_contained(clause.names, kindOf(kernel))
                   ? ""
                   : "a kernel of kind `" + kindOf(kernel) + "` computes it";
      });
    case ClauseKind::Dtype:
      return anyKernel(kernels, [&](Operation *kernel) { return checkTypes(clause, kernel); });
    case ClauseKind::NoTranspose:
      return checkMovers(clause, kernels, isProgram, transposes, "is transposed");
    case ClauseKind::NoUpcast:
      return checkMovers(clause, kernels, isProgram, isUpcast, "is widened");
    case ClauseKind::MaxKernels:
      return atMost(static_cast<int64_t>(kernels.size()), clause.count, symbols, "kernels");
    case ClauseKind::MaxTempBytes:
      return isProgram
                 ? ""
                 : atMost(temporaryBytes(kernels), clause.count, symbols, "bytes of temporaries");
    case ClauseKind::MaxTransposeBytes:
      return atMost(transposeBytes(kernels, isProgram), clause.count, symbols, "transposed bytes");
    }
    return "";
  }

private:
  // Several kernels may repeat a cheap operation. It is enough if one of these kernels satisfies
  // the clause.
  static Problem anyKernel(ArrayRef<Operation *> kernels,
                           llvm::function_ref<Problem(Operation *)> check) {
    Problem first;
    for (Operation *kernel : kernels) {
      Problem problem = check(kernel);
      if (problem.empty()) {
        return "";
      }
      first = first.empty() ? problem : first;
    }
    return first;
  }

  static Problem checkFused(const Clause &clause, Operation *kernel) {
    std::vector<std::string> parts;
    for (const KernelPart &part : kernelParts(kernel)) {
      parts.push_back(part.name);
    }
    if (auto call = dyn_cast<plan::LibraryCallOp>(kernel)) {
      for (std::string &name : callParts(call)) {
        if (!llvm::is_contained(parts, name)) {
          parts.push_back(std::move(name));
        }
      }
    }
    for (const std::string &name : clause.names) {
      // `gelu` matches any of its forms, and `gelu_grad` the derivative of any.
      bool isThere = llvm::any_of(parts, [&](llvm::StringRef part) {
        bool isForm = part.consume_front("gelu_tanh") || part.consume_front("gelu_erf") ||
                      part.consume_front("gelu_sigmoid");
        return part == name || (isForm && "gelu" + part.str() == name);
      });
      isThere |= llvm::is_contained(parts, name);
      for (Operation &op : bodyOf(kernel)) {
        isThere |= op.getName().getStringRef().split('.').second == llvm::StringRef(name) ||
                   op.getName().getStringRef() == llvm::StringRef(name);
      }
      if (!isThere) {
        return "its kernel fuses " + (parts.empty() ? "nothing" : llvm::join(parts, ", ")) + "; `" +
               name + "` is required";
      }
    }
    return "";
  }

  // Returns the type of the kernel's largest result; if several results are equally large, the type
  // of the first.
  static Type outputType(Operation *kernel) {
    auto most = cast<RankedTensorType>(kernel->getResult(0).getType());
    for (Value result : kernel->getResults()) {
      auto type = cast<RankedTensorType>(result.getType());
      most = type.getNumElements() > most.getNumElements() ? type : most;
    }
    return most;
  }

  static Problem checkTypes(const Clause &clause, Operation *kernel) {
    Operation *hero = contractionOf(bodyOf(kernel));
    for (const std::string &pair : clause.names) {
      auto [place, wanted] = llvm::StringRef(pair).split('=');
      Type type;
      if (place == "out") {
        type = outputType(kernel);
      } else if (hero) {
        Value operand = plan::programOperand(hero, place == "lhs" ? 0 : 1);
        if (BlockArgument input = mainInput(operand)) {
          type = input.getType();
        }
      }
      if (!type) {
        return "it has no `" + place.str() + "`";
      }
      std::string_view name = drumlin::name(elementTypeOf(getElementTypeOrSelf(type)));
      if (name != std::string_view(wanted)) {
        return "its `" + place.str() + "` is of " + std::string(name);
      }
    }
    return "";
  }

  // Returns the kernels that compute operands of `kernels`, only move or convert elements, and have
  // an operation that satisfies `among`. `operands` limits the search to `lhs` or `rhs`.
  static llvm::SetVector<Operation *> moversFor(ArrayRef<std::string> operands,
                                                ArrayRef<Operation *> kernels,
                                                bool (*among)(Operation *)) {
    llvm::SetVector<Operation *> movers;
    auto add = [&](Value value) {
      Operation *producer = value.getDefiningOp();
      while (isa_and_nonnull<plan::BitcastOp, stablehlo::OptimizationBarrierOp>(producer)) {
        value = producer->getOperand(cast<OpResult>(value).getResultNumber());
        producer = value.getDefiningOp();
      }
      if (producer && plan::kernelKindOf(producer) && onlyMoves(producer, among)) {
        movers.insert(producer);
      }
    };
    for (Operation *kernel : kernels) {
      Operation *hero = contractionOf(bodyOf(kernel));
      for (unsigned i : {0u, 1u}) {
        bool isAsked = operands.empty() || llvm::is_contained(operands, i == 0 ? "lhs" : "rhs");
        BlockArgument input =
            hero && isAsked ? mainInput(plan::programOperand(hero, i)) : BlockArgument();
        if (input) {
          add(kernel->getOperand(input.getArgNumber()));
        }
      }
      if (!hero && operands.empty()) {
        llvm::for_each(kernel->getOperands(), add);
      }
    }
    return movers;
  }

  Problem checkMovers(const Clause &clause, ArrayRef<Operation *> kernels, bool isProgram,
                      bool (*among)(Operation *), const char *what) const {
    llvm::SetVector<Operation *> movers;
    if (isProgram) {
      for (Operation *kernel : all) {
        if (onlyMoves(kernel, among)) {
          movers.insert(kernel);
        }
      }
    } else {
      movers = moversFor(clause.names, kernels, among);
    }
    if (movers.empty()) {
      return "";
    }
    Operation *mover = movers.front();
    return "a value of " + std::to_string(bytesOf(mover->getResult(0))) + " bytes " + what +
           " in memory (" + plan::sourceOf(mover->getLoc()) + ")";
  }

  SizeExpression transposeBytes(ArrayRef<Operation *> kernels, bool isProgram) const {
    SizeExpression bytes;
    llvm::SetVector<Operation *> movers =
        isProgram ? llvm::SetVector<Operation *>() : moversFor({}, kernels, transposes);
    for (Operation *kernel : all) {
      if (isProgram ? onlyMoves(kernel, transposes) : movers.contains(kernel)) {
        bytes = bytes + symbolicBytesOf(cast<RankedTensorType>(kernel->getResult(0).getType()));
      }
    }
    return bytes;
  }

  // Returns the bytes of the operands of `kernels` that are computed, and of the results of
  // `kernels` that the program doesn't return.
  static SizeExpression temporaryBytes(ArrayRef<Operation *> kernels) {
    llvm::SetVector<Value> temporaries;
    for (Operation *kernel : kernels) {
      for (Value operand : kernel->getOperands()) {
        if (Operation *producer = operand.getDefiningOp();
            producer && !isa<stablehlo::ConstantOp>(producer)) {
          temporaries.insert(operand);
        }
      }
      for (Value result : kernel->getResults()) {
        bool isReturned = llvm::any_of(result.getUsers(),
                                       [](Operation *user) { return isa<func::ReturnOp>(user); });
        if (!isReturned) {
          temporaries.insert(result);
        }
      }
    }
    SizeExpression bytes;
    for (Value value : temporaries) {
      bytes = bytes + symbolicBytesOf(cast<RankedTensorType>(value.getType()));
    }
    return bytes;
  }

  std::vector<SizeSymbol> symbols;
  std::vector<Operation *> all;
  std::map<int64_t, llvm::SetVector<Operation *>> computed; // key: number of the program operation
};
} // namespace

//===- reports ------------------------------------------------------------===//

static Diagnostic unmet(const Requirement &requirement, const Clause &clause,
                        const std::string &what, const std::string &source,
                        const std::string &decisions) {
  return diagnose(errors::RequirementUnmet,
                  "`" + clause.str() + "` of requirement `" + requirement.text +
                      "` is not met: " + what + decisions,
                  source);
}

static Status checkOperations(const Requirement &requirement, KernelChecker &checker,
                              std::span<const plan::ProgramOperation> operations,
                              const Ledger &ledger) {
  bool isMatched = false, isComputed = false;
  for (size_t i = 0; i < operations.size(); ++i) {
    auto origin = static_cast<int64_t>(i);
    bool isAbout = requirement.origin < 0 ? matches(requirement.pattern(), operations[i])
                                          : requirement.origin == origin;
    if (!isAbout) {
      continue;
    }
    isMatched = true;
    ArrayRef<Operation *> kernels = checker.kernelsOf(origin);
    // Operations that were simplified away, or that were merged with an equal operation, require
    // nothing.
    if (kernels.empty()) {
      continue;
    }
    isComputed = true;
    for (const Clause &clause : requirement.clauses) {
      Problem problem = checker.check(clause, kernels, /*isProgram=*/false);
      if (!problem.empty()) {
        return unmet(requirement, clause, "`" + operations[i].name + "`: " + problem,
                     operations[i].source, nearestDecisions(origin, operations, ledger));
      }
    }
  }
  if (isComputed) {
    return Done{};
  }
  return diagnose(errors::RequirementUnused,
                  "requirement `" + requirement.text + "` matches no operation: " +
                      (isMatched ? "all matches were simplified away" : "none matches"));
}

Status checkKernelRequirements(std::span<const Requirement> requirements, ModuleOp module,
                               std::span<const plan::ProgramOperation> operations,
                               const Ledger &ledger) {
  KernelChecker checker(module);
  for (const Requirement &requirement : requirements) {
    if (!requirement.isForProgram()) {
      Status status = checkOperations(requirement, checker, operations, ledger);
      if (!status) {
        return status;
      }
      continue;
    }
    for (const Clause &clause : requirement.clauses) {
      Problem problem = checker.check(clause, checker.kernels(), /*isProgram=*/true);
      if (!problem.empty()) {
        return unmet(requirement, clause, problem, "", "");
      }
    }
  }
  return Done{};
}

Status checkMemoryRequirements(std::span<const Requirement> requirements, ModuleOp module) {
  func::FuncOp entry = entryFunction(module);
  auto arenaBytes = entry->getAttrOfType<IntegerAttr>(arenaBytesAttribute);
  // The arena's bytes without the slots. The attribute's number includes the slots at their nominal
  // sizes.
  SizeExpression arena = (arenaBytes ? arenaBytes.getInt() : 0) - nominalSlotBytes(entry);
  for (const SizeExpression &slot : arenaSlotsOf(entry)) {
    arena = arena + slot;
  }
  for (const Requirement &requirement : requirements) {
    for (const Clause &clause : requirement.clauses) {
      bool isAbout = requirement.isForProgram() && clause.kind == ClauseKind::MaxTempBytes;
      Problem problem =
          isAbout ? atMost(arena, clause.count, sizeSymbolsOf(entry), "bytes in the arena") : "";
      if (!problem.empty()) {
        return unmet(requirement, clause, problem, "", "");
      }
    }
  }
  return Done{};
}

//===- attributes ---------------------------------------------------------===//

static Diagnostic notText(const std::string &source) {
  return diagnose(errors::RequirementInvalid,
                  "attribute `drumlin.require` holds a value that is no string", source);
}

static Attribute requirementOf(DictionaryAttr attributes) {
  if (Attribute own = attributes.get(requireAttribute)) {
    return own;
  }
  auto frontend = attributes.getAs<DictionaryAttr>(stablehlo::frontendAttributes);
  return frontend ? frontend.get(stablehlo::requirement) : Attribute();
}

Result<std::vector<Requirement>>
requirementsOf(ModuleOp module, std::span<const plan::ProgramOperation> operations) {
  std::vector<Requirement> requirements;
  SmallVector<Attribute> texts;
  if (auto list = module->getAttrOfType<ArrayAttr>(requireAttribute)) {
    texts.append(list.begin(), list.end());
  } else if (Attribute one = module->getAttr(requireAttribute)) {
    texts.push_back(one);
  }
  for (Attribute each : texts) {
    auto text = dyn_cast<StringAttr>(each);
    Result<Requirement> parsed =
        text ? parseRequirement(std::string_view(text.getValue())) : notText("");
    if (!parsed) {
      return parsed.error();
    }
    requirements.push_back(std::move(*parsed));
  }
  for (size_t i = 0; i < operations.size(); ++i) {
    Attribute own = operations[i].attributes ? requirementOf(operations[i].attributes) : nullptr;
    if (!own) {
      continue;
    }
    auto text = dyn_cast<StringAttr>(own);
    Result<Requirement> parsed =
        text ? parseClauses(std::string_view(text.getValue()), static_cast<int64_t>(i))
             : notText(operations[i].source);
    if (!parsed) {
      Diagnostic error = parsed.error();
      error.location = operations[i].source;
      return error;
    }
    requirements.push_back(std::move(*parsed));
  }
  return requirements;
}

} // namespace drumlin
