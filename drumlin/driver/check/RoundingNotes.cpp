#include "drumlin/driver/check/RoundingNotes.h"

#include "drumlin/codegen/cpu/math/MathLibrary.h"
#include "drumlin/ir/costs/Work.h"
#include "drumlin/ir/plan/FusedMultiplyAdd.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/KernelSums.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/transforms/Reasons.h"

#include <cstdio>

namespace drumlin {

static ElementType elementOf(mlir::Value value) {
  return elementTypeOf(mlir::getElementTypeOrSelf(value.getType()));
}

static std::string textOfRule(const std::string &rule) {
  if (rule == "gemm-bf16-dot") {
    return "the bf16 dot instruction adds pairs of products, rounds each step to f32, and flushes "
           "subnormal operands and sums to zero";
  }
  if (rule == "factor-scales") {
    return "a scale of a dot's operand multiplies the dot's sums instead";
  }
  return "an operand is rounded to the type of the result before it is multiplied";
}

// Returns the text at the end of a note that states the bound of a sum's error under the kernel's
// schedule.
static std::string boundOf(mlir::Operation *op) {
  std::optional<SumBound> bound = sumBoundOf(op);
  return bound ? "; " + bound->str() : "";
}

static void noteContraction(mlir::Operation *op, std::vector<RoundingNote> &notes) {
  ElementType type = elementOf(op->getResult(0));
  int64_t terms = contractionShape(op).k;
  if (!isFloat(type) || terms < 2) {
    return;
  }
  std::string width = type == ElementType::F64 ? "f64" : "f32";
  notes.push_back({"dot-sum", op->getName().getStringRef().str(), plan::sourceOf(op->getLoc()),
                   "sums of " + std::to_string(terms) + " products are in " + width +
                       ", in the order of the target's blocks, and rounded to `" +
                       std::string(name(type)) + "` once" + boundOf(op)});
}

static void noteReduction(mlir::Operation *op, std::vector<RoundingNote> &notes) {
  std::optional<Reducer> reducer = knownReducer(op->getRegion(0));
  ElementType type = elementOf(op->getResult(0));
  if (!isFloat(type) || (reducer != Reducer::Add && reducer != Reducer::Multiply)) {
    return;
  }
  std::string operation = op->getName().getStringRef().str();
  std::string source = plan::sourceOf(op->getLoc());
  const char *word = reducer == Reducer::Add ? "sums" : "products";
  if (info(type).bits <= 16) {
    notes.push_back({"reduction-width", operation, source,
                     std::string(word) + " stay in f32 and are rounded to `" +
                         std::string(name(type)) + "` once, at their end"});
  }
  notes.push_back({"reduction-order", operation, source,
                   std::string("elements of ") + word + " are combined by lanes, not one by one" +
                       boundOf(op)});
}

// Adds a note if a scatter accumulates in a wider type than the type of its input. Updates are then
// added in order, and each result is rounded once.
static void noteScatter(stablehlo::ScatterOp scatter, std::vector<RoundingNote> &notes) {
  ElementType from = elementOf(scatter.getInputs().front()),
              type = elementOf(scatter->getResult(0));
  if (isFloat(type) && info(type).bits > info(from).bits) {
    notes.push_back({"reduction-width", scatter->getName().getStringRef().str(),
                     plan::sourceOf(scatter.getLoc()),
                     "updates of one element stay in " + std::string(name(type)) +
                         " and are rounded to `" + std::string(name(from)) +
                         "` once, at their end" + boundOf(scatter)});
  }
}

static void noteFunction(mlir::Operation *op, std::vector<RoundingNote> &notes) {
  if (op->getNumResults() != 1 || !isFloat(elementOf(op->getResult(0)))) {
    return;
  }
  ElementType type = elementOf(op->getResult(0));
  MathElement element = type == ElementType::F64 ? MathElement::F64 : MathElement::F32;
  llvm::StringRef operation = op->getName().stripDialect();
  const MathFunction *function = findMathFunction({operation.data(), operation.size()}, element);
  if (!function || function->maxUlp <= 0.5) {
    return;
  }
  char bound[16];
  std::snprintf(bound, sizeof(bound), "%g", function->maxUlp);
  const char *computed = element == MathElement::F64 ? "f64" : "f32";
  notes.push_back(
      {"function", op->getName().getStringRef().str(), plan::sourceOf(op->getLoc()),
       std::string("within ") + bound + " ULP of the exact value in " + computed +
           (info(type).bits < 32 ? ", then rounded to `" + std::string(name(type)) + "`" : "")});
}

Numerics unseenRelaxations(plan::KernelOp kernel) {
  plan::KernelSchedule schedule = plan::scheduleOf(kernel);
  bool flushes = schedule && !info(schedule.unit()).isExact;
  return flushes ? Numerics::Strict.with({Relaxation::FlushProducts}) : Numerics::Strict;
}

Numerics relaxationsOf(plan::KernelOp kernel, const Ledger &ledger) {
  Numerics used = unseenRelaxations(kernel);
  kernel.getBody().walk([&](mlir::Operation *op) {
    if (plan::fusedMultiplyAdd(op)) {
      used = used.with({Relaxation::Contract});
    }
  });
  llvm::SmallVector<int64_t> origins = plan::originsOf(kernel);
  for (const LedgerEntry &entry : ledger.entries()) {
    bool isHere = llvm::any_of(entry.origins,
                               [&](int64_t origin) { return llvm::is_contained(origins, origin); });
    if (entry.rule == "factor-scales" && entry.reason == Reason::Taken && isHere) {
      used = used.with({Relaxation::Reassociate});
    }
  }
  return used;
}

std::vector<RoundingNote> roundingNotes(mlir::ModuleOp module, const Ledger &ledger) {
  std::vector<RoundingNote> notes;
  for (const LedgerEntry &entry : ledger.entries()) {
    // Notes about the kernel's schedule are made below, from the schedule itself, so that plans
    // without a ledger get them, too.
    if (entry.reason != Reason::Taken) {
      continue;
    }
    if (entry.rule == "dot-round-operands" || entry.rule == "factor-scales") {
      notes.push_back({entry.rule, entry.operation, entry.source, textOfRule(entry.rule)});
    } else if (entry.rule == "auto-cast") {
      notes.push_back({entry.rule, entry.operation, entry.source, entry.remedy});
    }
  }
  for (plan::KernelOp kernel : module.getOps<plan::KernelOp>()) {
    plan::KernelSchedule schedule = plan::scheduleOf(kernel);
    if (schedule && !info(schedule.unit()).isExact) {
      mlir::Operation *hero = contractionOf(kernel.getBody().front());
      notes.push_back({"gemm-bf16-dot", hero->getName().getStringRef().str(),
                       plan::sourceOf(hero->getLoc()), textOfRule("gemm-bf16-dot")});
    }
    kernel.getBody().walk([&](mlir::Operation *op) {
      if (plan::fusedMultiplyAdd(op)) {
        notes.push_back({"contract", op->getName().getStringRef().str(),
                         plan::sourceOf(op->getLoc()),
                         "its product is added by a fused multiply-add, without being rounded"});
      }
    });
    for (mlir::Operation &op : kernel.getBody().front().without_terminator()) {
      if (llvm::isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op)) {
        noteContraction(&op, notes);
      } else if (auto scatter = llvm::dyn_cast<stablehlo::ScatterOp>(op)) {
        noteScatter(scatter, notes);
      } else if (classify(&op) == OperationClass::Reduction) {
        noteReduction(&op, notes);
      } else if (classify(&op) == OperationClass::Pointwise) {
        noteFunction(&op, notes);
      }
    }
  }
  std::vector<RoundingNote> once;
  for (RoundingNote &note : notes) {
    if (!llvm::is_contained(once, note)) {
      once.push_back(std::move(note));
    }
  }
  return once;
}

} // namespace drumlin
