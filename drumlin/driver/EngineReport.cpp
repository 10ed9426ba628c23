#include "drumlin/driver/EngineReport.h"

#include "drumlin/engines/EngineRequirements.h"
#include "drumlin/ir/costs/CostText.h"
#include "drumlin/ir/costs/Work.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/json/JsonStream.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"

namespace drumlin {

// The report has a line about transposes if their share of the hardware FLOPs is at least this.
static constexpr double notableShare = 0.1;

// Returns the decision that an operand is transposed at each call because its readers need
// different dimension orders.
static Decision declineTurn(const EngineOperation &operation, unsigned number) {
  const EngineOperand &operand = operation.programOperand(number);
  mlir::Operation *made = plan::programOperand(operation.op, number).getDefiningOp();
  return Decision::declined(
      Reason::TransposedAtEachCall, operand.argument ? nullptr : made,
      operand.remedy.empty() ? "let all of its readers keep the same dimension" : operand.remedy);
}

static void recordDecisions(const EngineCost &cost, Ledger &ledger) {
  ledger.beginPhase("layout");
  for (const EngineOperation &operation : cost.operations) {
    if (!operation.isProduct()) {
      if (operation.op) {
        ledger.record(Rule::TransposeValue, operation.op,
                      Decision::declined(Reason::TransposedAtEachCall, nullptr));
      }
      continue;
    }
    for (unsigned number : {0U, 1U}) {
      const EngineOperand &operand = operation.programOperand(number);
      ledger.record(number == 0 ? Rule::TransposeLhs : Rule::TransposeRhs, operation.op,
                    operand.isTransposed() ? declineTurn(operation, number) : Decision::taken());
    }
  }
}

Result<EnginePlan> planOnEngine(mlir::ModuleOp module, const TensorEngine &engine,
                                const CompileOptions &options, const EngineOptions &engineOptions) {
  EnginePlan made;
  CompileOptions untilSimplified = options;
  untilSimplified.stopAfter = "simplify";
  if (engineOptions.asWritten) {
    for (const std::string &pass : passNames("simplify")) {
      if (pass != "inline-calls") {
        untilSimplified.disabledPasses.push_back(pass);
      }
    }
  }
  if (Status status = runPhases(module, untilSimplified, made.phases); !status) {
    return status.error();
  }
  made.cost = engineCost(module, engine, engineOptions);
  recordDecisions(made.cost, made.phases.ledger);
  if (Status status =
          checkEngineRequirements(made.phases.requirements, made.cost, made.phases.operations);
      !status) {
    return status.error();
  }
  return made;
}

static double share(int64_t part, int64_t whole) {
  return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
}

static const char *layoutName(OperandLayout layout) {
  switch (layout) {
  case OperandLayout::Fits:
    return "fits";
  case OperandLayout::Static:
    return "static";
  case OperandLayout::Transposed:
    return "transposed";
  case OperandLayout::Shared:
    return "shared";
  }
  return "";
}

static void printNotes(llvm::raw_ostream &stream, std::string_view title,
                       const std::vector<EngineNotes::Note> &notes) {
  for (const EngineNotes::Note &each : notes) {
    stream << llvm::StringRef(title) << ": " << each.source << (each.source.empty() ? "" : ": ")
           << each.operation;
    if (each.count > 1) {
      stream << " and " << each.count - 1 << " more";
    }
    stream << ": " << each.reason << "\n";
  }
}

static void printNotes(llvm::raw_ostream &stream, const EngineNotes &notes) {
  printNotes(stream, "not taken by the vendor's documents", notes.notTaken);
  printNotes(stream, "taken with a loss", notes.loses);
  printNotes(stream, "taken, may fail while it runs", notes.mayFail);
}

std::string flopsText(const EngineOperation &operation) {
  return "model " + countText(operation.modelFlops) + ", hardware " +
         countText(operation.hardwareFlops) + ", transposes " +
         countText(operation.transposeFlops) +
         (operation.calls == 1 ? "" : ", " + std::to_string(operation.calls) + " calls");
}

std::vector<std::string> operandTexts(const EngineOperation &operation) {
  std::vector<std::string> texts;
  for (const EngineOperand *operand : {&operation.lhs, &operation.rhs}) {
    if (operand->layout == OperandLayout::Transposed) {
      std::string text =
          countText(operand->transposeFlops) + " a call for a transpose: " + operand->reason;
      if (operand->turns != operation.calls) {
        text +=
            " (" + std::to_string(operand->turns) + (operand->turns == 1 ? " call)" : " calls)");
      }
      texts.push_back(std::move(text));
    } else if (operand->layout != OperandLayout::Fits) {
      texts.push_back("no transpose: " + operand->reason);
    }
  }
  return texts;
}

std::string engineText(const EngineCost &cost, const TensorEngine &engine,
                       const EngineOptions &options, const EngineNotes &notes) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << llvm::StringRef(engine.name) << ": " << engine.rows << "x" << engine.columns
         << " tensor engine, layouts " << (options.asWritten ? "as written" : "chosen")
         << "; for planning only, no code is made for it\n";
  stream << "total: model " << countText(cost.modelFlops) << " FLOP, hardware "
         << countText(cost.hardwareFlops) << ", of them transposes "
         << countText(cost.transposeFlops) << ", adjusted by type "
         << countText(static_cast<int64_t>(std::min(cost.adjustedFlops, 0x1p62))) << "\n";
  stream << "memory: " << bytesText(cost.bytes)
         << llvm::format(", %.2f FLOP a byte; at least %.1f us, at most %.2f %% of the peak\n",
                         cost.intensity(), cost.seconds(engine) * 1e6,
                         100 * cost.highestUtilization(engine));
  if (share(cost.transposeFlops, cost.hardwareFlops) > notableShare) {
    stream << llvm::format("transposes are %.1f %% of the hardware FLOPs\n",
                           100 * share(cost.transposeFlops, cost.hardwareFlops));
  }
  for (const EngineOperation &each : cost.operations) {
    stream << "  " << each.source << (each.source.empty() ? "" : ": ") << each.name << " "
           << each.shape << ": " << flopsText(each) << "\n";
    for (const std::string &operand : operandTexts(each)) {
      stream << "    " << operand << "\n";
    }
  }
  printNotes(stream, notes);
  return text;
}

std::string engineJson(const EngineCost &cost, const TensorEngine &engine,
                       const EngineOptions &options, const EngineNotes &notes) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  JsonStream json(stream, 1);
  auto operand = [&](const char *name, const EngineOperand &each) {
    json.attributeObject(name, [&] {
      json.attribute("layout", layoutName(each.layout));
      json.attribute("transpose_flops", each.transposeFlops);
      json.attribute("turns", each.turns);
      json.attribute("reason", each.reason);
    });
  };
  json.object([&] {
    json.attribute("target", llvm::StringRef(engine.name));
    json.attribute("layout", options.asWritten ? "as-written" : "chosen");
    json.attribute("model_flops", cost.modelFlops);
    json.attribute("hardware_flops", cost.hardwareFlops);
    json.attribute("transpose_flops", cost.transposeFlops);
    json.attribute("adjusted_flops", cost.adjustedFlops);
    json.attribute("bytes", cost.bytes);
    json.attribute("arithmetic_intensity", cost.intensity());
    json.attribute("highest_utilization", cost.highestUtilization(engine));
    json.attribute("seconds", cost.seconds(engine));
    json.attributeArray("operations", [&] {
      for (const EngineOperation &each : cost.operations) {
        json.object([&] {
          json.attribute("name", each.name);
          json.attribute("source", each.source);
          json.attribute("shape", each.shape);
          json.attribute("calls", each.calls);
          json.attribute("model_flops", each.modelFlops);
          json.attribute("hardware_flops", each.hardwareFlops);
          json.attribute("transpose_flops", each.transposeFlops);
          json.attribute("adjusted_flops", each.adjustedFlops);
          operand("lhs", each.lhs);
          operand("rhs", each.rhs);
        });
      }
    });
    auto writeNotes = [&](const char *key, const std::vector<EngineNotes::Note> &all) {
      json.attributeArray(key, [&] {
        for (const EngineNotes::Note &each : all) {
          json.object([&] {
            json.attribute("operation", each.operation);
            json.attribute("source", each.source);
            json.attribute("reason", each.reason);
            json.attribute("count", each.count);
          });
        }
      });
    };
    writeNotes("not_taken", notes.notTaken);
    writeNotes("loses", notes.loses);
    writeNotes("may_fail", notes.mayFail);
  });
  return text;
}

static int64_t allBytes(mlir::ValueRange values, int64_t calls) {
  int64_t bytes = 0;
  for (mlir::Value value : values) {
    bytes = addSaturating(bytes, multiplySaturating(bytesOf(value), calls));
  }
  return bytes;
}

PlanLock makeEngineLock(const EnginePlan &plan, const std::string &program,
                        const TensorEngine &engine) {
  PlanLock lock;
  lock.program = program;
  lock.target = engine.name;
  for (const EngineOperation &operation : plan.cost.operations) {
    LockedKernel made;
    made.kind = operation.isProduct() ? "product" : "transpose";
    made.calls = operation.calls;
    made.flops = operation.hardwareFlops;
    if (operation.op) {
      made.inputs = typeTexts(operation.op->getOperandTypes());
      made.outputs = typeTexts(operation.op->getResultTypes());
      made.bytesRead = allBytes(operation.op->getOperands(), operation.calls);
      made.bytesWritten = allBytes(operation.op->getResults(), operation.calls);
    }
    // A plan lock lists operations, so a transposed argument is listed as an operation.
    std::string name = operation.op ? operation.op->getName().getStringRef().str() : "argument";
    made.operations.push_back(name + " " + operation.source);
    for (const auto &[operand, part] :
         {std::pair(&operation.lhs, "lhs_fits"), std::pair(&operation.rhs, "rhs_fits")}) {
      if (operation.isProduct() && !operand->isTransposed()) {
        made.parts.emplace_back(part);
      }
    }
    lock.kernels.push_back(std::move(made));
  }
  return lock;
}

} // namespace drumlin
