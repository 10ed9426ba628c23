#include "drumlin/driver/EngineReport.h"

#include "drumlin/driver/Phases.h"
#include "drumlin/driver/UserLayouts.h"
#include "drumlin/ir/plan/CostText.h"
#include "drumlin/ir/plan/Slots.h"
#include "drumlin/transforms/simplify/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Format.h"

namespace drumlin {

// The share of hardware FLOPs from which transposes are worth a line of their own.
static constexpr double notableShare = 0.1;

Result<EngineCost> costOnEngine(mlir::ModuleOp module, const TensorEngine &engine,
                                const CompileOptions &options, const EngineOptions &engineOptions) {
  if (Status status = markStatic(module, options.staticArguments); !status) {
    return status.error();
  }
  if (engineOptions.asWritten) {
    Ledger ledger;
    mlir::PassManager passes(module.getContext());
    passes.addPass(createInlineCallsPass(ledger));
    if (mlir::failed(passes.run(module))) {
      return diagnose(DiagnosticCode::PassFailed, "calls can't be inlined");
    }
  } else {
    CompileOptions untilSimplified = options;
    untilSimplified.stopAfter = "simplify";
    PhaseResult phases;
    if (Status status = runPhases(module, untilSimplified, phases); !status) {
      return status.error();
    }
  }
  return engineCost(module, engine, engineOptions);
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
  case OperandLayout::Turned:
    return "turned";
  case OperandLayout::Shared:
    return "shared";
  }
  return "";
}

std::string engineText(const EngineCost &cost, const TensorEngine &engine,
                       const EngineOptions &options) {
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
           << each.shape << ": model " << countText(each.modelFlops) << ", hardware "
           << countText(each.hardwareFlops) << ", transposes " << countText(each.transposeFlops);
    if (each.calls != 1) {
      stream << ", " << each.calls << " calls";
    }
    stream << "\n";
    for (const EngineOperand *operand : {&each.lhs, &each.rhs}) {
      if (operand->layout == OperandLayout::Turned) {
        stream << "    " << countText(operand->transposeFlops)
               << " a call for a transpose: " << operand->reason;
        if (operand->turns != each.calls) {
          stream << " (" << operand->turns << (operand->turns == 1 ? " call)" : " calls)");
        }
        stream << "\n";
      } else if (operand->layout != OperandLayout::Fits) {
        stream << "    no transpose: " << operand->reason << "\n";
      }
    }
  }
  return text;
}

std::string engineJson(const EngineCost &cost, const TensorEngine &engine,
                       const EngineOptions &options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  llvm::json::OStream json(stream, 1);
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
  });
  return text;
}

} // namespace drumlin
