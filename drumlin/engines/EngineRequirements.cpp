#include "drumlin/engines/EngineRequirements.h"

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/diagnostics/RequirementErrors.h"

using namespace mlir;

namespace drumlin {

// The difference between what a clause requires and what was found; empty if the clause is met.
using Problem = std::string;

static Problem checkTurns(const Clause &clause, const EngineOperation &operation) {
  if (!operation.isProduct()) {
    return operation.lhs.isTransposed() ? "a value is transposed: " + operation.lhs.reason : "";
  }
  for (unsigned number : {0U, 1U}) {
    const EngineOperand &operand = operation.programOperand(number);
    bool isAsked =
        clause.names.empty() || llvm::is_contained(clause.names, number == 0 ? "lhs" : "rhs");
    if (isAsked && operand.isTransposed()) {
      return operand.reason;
    }
  }
  return "";
}

static Problem checkTypes(const Clause &clause, Operation *op) {
  for (const std::string &pair : clause.names) {
    auto [place, wanted] = llvm::StringRef(pair).split('=');
    Value value = place == "out" ? op->getResult(0) : plan::programOperand(op, place == "rhs");
    std::string_view found = name(elementTypeOf(getElementTypeOrSelf(value.getType())));
    if (found != std::string_view(wanted)) {
      return "its `" + place.str() + "` has type " + std::string(found);
    }
  }
  return "";
}

static Problem check(const Clause &clause, const EngineOperation &operation) {
  return clause.kind == ClauseKind::Dtype ? checkTypes(clause, operation.op)
                                          : checkTurns(clause, operation);
}

static Status checkOne(const Requirement &requirement, const EngineCost &cost,
                       std::span<const plan::ProgramOperation> operations) {
  bool isMatched = false;
  for (const EngineOperation &operation : cost.operations) {
    llvm::SmallVector<int64_t> origins =
        operation.op ? plan::originsOf(operation.op) : llvm::SmallVector<int64_t>();
    bool isAbout = requirement.isForProgram() ||
                   (operation.isProduct() && llvm::any_of(origins, [&](int64_t origin) {
                      auto number = static_cast<size_t>(origin);
                      return requirement.origin >= 0
                                 ? requirement.origin == origin
                                 : number < operations.size() &&
                                       matches(requirement.pattern(), operations[number]);
                    }));
    if (!isAbout) {
      continue;
    }
    isMatched = true;
    for (const Clause &clause : requirement.clauses) {
      Problem problem = check(clause, operation);
      if (!problem.empty()) {
        return diagnose(
            errors::RequirementUnmet,
            "`" + clause.str() + "` of requirement `" + requirement.text + "` is not met: `" +
                operation.name + "`: " + problem,
            operation.source,
            "make a weight static, pass it in the other order, or drop the requirement");
      }
    }
  }
  return isMatched || requirement.isForProgram()
             ? Status(Done{})
             : diagnose(errors::RequirementUnused,
                        "requirement `" + requirement.text + "` matches no dot or convolution");
}

Status checkEngineRequirements(std::span<const Requirement> requirements, const EngineCost &cost,
                               std::span<const plan::ProgramOperation> operations) {
  for (const Requirement &requirement : requirements) {
    for (const Clause &clause : requirement.clauses) {
      bool isAnswered = clause.kind == ClauseKind::NoTranspose ||
                        (clause.kind == ClauseKind::Dtype && !requirement.isForProgram());
      if (!isAnswered) {
        return diagnose(errors::RequirementInvalid,
                        "`" + clause.str() + "` of requirement `" + requirement.text +
                            "` concerns kernels, which a plan for a tensor engine doesn't have",
                        "", "require `no_transpose` or `dtype` instead, or drop `--target`");
      }
    }
    if (Status status = checkOne(requirement, cost, operations); !status) {
      return status;
    }
  }
  return Done{};
}

} // namespace drumlin
