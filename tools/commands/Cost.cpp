// drumlin cost: what a program costs, operation by operation, worst first.
#include "commands/Commands.h"

#include "drumlin/driver/EngineReport.h"
#include "drumlin/target/LibraryCall.h"

#include <algorithm>
#include <cstdio>

namespace drumlin::cli {

Status printEngineCost(const std::string &input, const CompileOptions &options,
                       const EngineFlags &flags, bool json) {
  const TensorEngine *engine = findTensorEngine(options.target);
  if (!engine && findGpuTarget(options.target)) {
    return diagnose(DiagnosticCode::UnknownTarget,
                    "`" + options.target + "` is a target for plans: it has no costs", "--target",
                    "use `drumlin plan`");
  }
  if (!engine) {
    return diagnose(DiagnosticCode::UnknownTarget, "`" + options.target + "` names no target",
                    "--target");
  }
  if (flags.layout != "chosen" && flags.layout != "as-written") {
    return diagnose(DiagnosticCode::UnknownLayout, "`" + flags.layout + "` names no layout",
                    "--layout");
  }
  Result<Program> program = readProgram(input);
  if (!program) {
    return program.error();
  }
  EngineOptions engineOptions;
  engineOptions.asWritten = flags.layout == "as-written";
  engineOptions.staticArguments = options.staticArguments;
  Result<EngineCost> cost =
      costOnEngine(*program->module, *engine, optionsFor(input, options), engineOptions);
  if (!cost) {
    return cost.error();
  }
  std::string text = json ? engineJson(*cost, *engine, engineOptions) + "\n"
                          : engineText(*cost, *engine, engineOptions);
  std::fputs(text.c_str(), stdout);
  return Done{};
}

void addEngineFlags(CLI::App &app, EngineFlags &flags) {
  app.add_option("--layout", flags.layout,
                 "with --target: `chosen` for it, or `as-written`: row-major everywhere")
      ->capture_default_str();
}

struct CostCommand {
  std::string input;
  bool json = false;
  EngineFlags flags;
  CompileOptions options;

  Status run() {
    if (!options.target.empty()) {
      return printEngineCost(input, options, flags, json);
    }
    Result<PlannedProgram> planned = planProgram(input, options);
    if (!planned) {
      return planned.error();
    }
    PlanCost costs = planned->costs();
    llvm::sort(costs.launches, [](const LaunchCost &a, const LaunchCost &b) {
      Cost left = a.total(), right = b.total();
      if (left.hardwareFlops() != right.hardwareFlops()) {
        return left.hardwareFlops() > right.hardwareFlops();
      }
      return std::make_tuple(right.bytes(), a.source, a.kernel) <
             std::make_tuple(left.bytes(), b.source, b.kernel);
    });
    json ? printJson(*planned->program.module, costs) : print(costs);
    return Done{};
  }

private:
  static void printJson(mlir::ModuleOp module, const PlanCost &costs) {
    std::printf("%s\n", planJson(module, costs).c_str());
  }

  static void print(const PlanCost &costs) {
    const Cost &total = costs.total;
    std::printf("total: %s\n", costText(total).c_str());
    if (total.bytes() > 0) {
      std::printf("%.2f FLOP a byte\n",
                  static_cast<double>(total.modelFlops()) / static_cast<double>(total.bytes()));
    }
    std::fputs(memoryText(costs.memory, 10).c_str(), stdout);
    for (const std::string &loop : costs.unknownLoops) {
      std::printf("the loop at %s counts as one trip: how often it runs is not known\n",
                  loop.c_str());
    }
    for (const LaunchCost &launch : costs.launches) {
      std::printf("  %s%s%s: %s", launch.source.c_str(), launch.source.empty() ? "" : ": ",
                  launch.kernel.c_str(), costText(launch.total()).c_str());
      std::printf(launch.calls == 1 ? "\n" : "; %lld calls\n",
                  static_cast<long long>(launch.calls));
    }
  }
};

Command addCost(CLI::App &app) {
  CLI::App *sub = app.add_subcommand("cost", "print what each operation costs, worst first");
  auto command = std::make_shared<CostCommand>();
  sub->add_option("program", command->input, "a StableHLO program")->required();
  sub->add_flag("--json", command->json, "as JSON");
  addEngineFlags(*sub, command->flags);
  addCompileOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }, &command->options};
}

} // namespace drumlin::cli
