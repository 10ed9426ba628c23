// drumlin cost: prints the costs of a program's operations, the most expensive first.
#include "commands/CommandOptions.h"
#include "commands/Commands.h"

#include "commands/Printing.h"
#include "commands/PublishedOperators.h"

#include "drumlin/driver/backend/BackendChoice.h"
#include "drumlin/ir/costs/Roofline.h"
#include "drumlin/ir/costs/SymbolicCost.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/json/JsonStream.h"
#include "drumlin/target/LibraryCall.h"

#include <algorithm>
#include <cstdio>

namespace drumlin::cli {

Result<EngineProgram> planEngine(const std::string &path, const CompileOptions &options,
                                 const EngineFlags &flags) {
  EngineProgram made;
  made.engine = llvm::cast<TensorEngine>(options.target.get());
  if (flags.layout != "chosen" && flags.layout != "as-written") {
    return diagnose(errors::UnknownLayout, "`" + flags.layout + "` isn't a layout", "--layout");
  }
  Result<Program> program = readProgram(path, options);
  if (!program) {
    return program.error();
  }
  made.program = std::move(*program);
  made.layouts.asWritten = flags.layout == "as-written";
  Result<EnginePlan> plan =
      planOnEngine(*made.program.module, *made.engine, optionsFor(path, options), made.layouts);
  if (!plan) {
    return plan.error();
  }
  made.plan = std::move(*plan);
  return made;
}

Status printEngineCost(const std::string &input, const CompileOptions &options,
                       const EngineFlags &flags, bool json) {
  Result<EngineProgram> made = planEngine(input, options, flags);
  if (!made) {
    return made.error();
  }
  EngineNotes notes = publishedNotes(*made->program.module, *made->engine);
  std::string text = json ? engineJson(made->plan.cost, *made->engine, made->layouts, notes) + "\n"
                          : engineText(made->plan.cost, *made->engine, made->layouts, notes);
  std::fputs(text.c_str(), printed());
  return Done{};
}

void addEngineFlags(CLI::App &app, EngineFlags &flags) { addOption(app, "--layout", flags.layout); }

struct CostCommand {
  std::string input, limitsFile;
  bool json = false;
  EngineFlags flags;
  ProgramOptions options;

  Status run() {
    bool isCpu = llvm::isa<CpuTarget>(*options.target);
    if (!isCpu && !limitsFile.empty()) {
      return diagnose(errors::UnknownTarget,
                      "`" + options.target->name +
                          "` has fixed rates: files of limits are only for CPUs",
                      "--limits", "drop `--limits`");
    }
    if (backendOf(*options.target)->plansItself()) {
      return printEngineCost(input, options, flags, json);
    }
    Result<PlannedProgram> planned = planProgram(input, options);
    if (!planned) {
      return planned.error();
    }
    Result<Rates> rates = ratesFor(*planned->target);
    if (!rates) {
      return rates.error();
    }
    PlanCost costs = planned->costs();
    addSymbolicCosts(*planned->program.module, costs);
    ProgramEstimate estimate = rates->gpu
                                   ? estimateTimes(*rates->gpu, costs)
                                   : estimateTimes(*planned->program.module, rates->limits, costs);
    llvm::sort(costs.launches, [](const LaunchCost &a, const LaunchCost &b) {
      Cost left = a.total(), right = b.total();
      if (left.hardwareFlops() != right.hardwareFlops()) {
        return left.hardwareFlops() > right.hardwareFlops();
      }
      return std::make_tuple(right.bytes(), a.source, a.kernel) <
             std::make_tuple(left.bytes(), b.source, b.kernel);
    });
    json ? printJson(*planned->program.module, costs, estimate, *rates)
         : print(costs, estimate, *rates);
    return Done{};
  }

private:
  // The rates from which times are computed.
  struct Rates {
    MachineLimits limits;           // for a CPU
    const GpuTarget *gpu = nullptr; // for a GPU
    std::string origin;
  };

  // Returns the rates of the file, or else assumed rates. Measured rates would give different times
  // at each call.
  Result<Rates> ratesFor(const Target &target) const {
    Rates rates;
    rates.gpu = llvm::dyn_cast<GpuTarget>(&target);
    if (rates.gpu) {
      const GpuRates &card = rates.gpu->rates;
      rates.origin = std::string(card.card) + ": " + std::string(card.source);
      return rates;
    }
    if (limitsFile.empty()) {
      rates.limits = assumedLimits(llvm::cast<CpuTarget>(target));
      rates.origin = "assumed for " + target.name;
      return rates;
    }
    Result<std::shared_ptr<MappedFile>> file = MappedFile::open(limitsFile);
    if (!file) {
      return file.error();
    }
    Result<MachineLimits> limits = parseLimits((*file)->text(), limitsFile);
    if (!limits) {
      return limits.error();
    }
    rates.limits = *limits;
    rates.origin = limitsFile;
    return rates;
  }

  static void printJson(mlir::ModuleOp module, const PlanCost &costs,
                        const ProgramEstimate &estimate, const Rates &rates) {
    auto more = [&](JsonStream &out) {
      out.attributeObject("estimate", [&] {
        out.attribute("seconds", estimate.seconds);
        out.attribute("memory_bound_seconds", estimate.memoryBoundSeconds);
        out.attribute("launch_seconds", estimate.launchSeconds);
        if (rates.gpu) {
          const GpuRates &card = rates.gpu->rates;
          for (auto [type, rate] : {std::pair("fp4", card.fp4),
                                    {"fp8", card.fp8},
                                    {"half", card.half},
                                    {"tf32", card.tf32},
                                    {"f32", card.f32},
                                    {"f64", card.f64},
                                    {"int8", card.int8},
                                    {"read", card.memory},
                                    {"seconds_of_a_launch", card.launch}}) {
            out.attribute(type, rate);
          }
        } else {
          out.attribute("threads", rates.limits.threads);
          out.attribute("f32", rates.limits.f32);
          out.attribute("bf16", rates.limits.bf16);
          out.attribute("int8", rates.limits.int8);
          out.attribute("read", rates.limits.read);
        }
        out.attribute("rates", rates.origin);
      });
    };
    std::fprintf(printed(), "%s\n", planJson(module, costs, more).c_str());
  }

  static std::string timeText(double seconds) {
    char text[32];
    seconds < 1e-3 ? std::snprintf(text, sizeof(text), "%.2f us", seconds * 1e6)
                   : std::snprintf(text, sizeof(text), "%.2f ms", seconds * 1e3);
    return text;
  }

  // Returns e.g. `on 1 thread (assumed for avx2: f32 108.8 GFLOP/s, memory 12.00 GB/s)`.
  static std::string ratesText(const Rates &rates) {
    char text[256];
    if (rates.gpu) {
      const GpuRates &card = rates.gpu->rates;
      std::snprintf(text, sizeof(text),
                    " (%s: fp8 %.0f, half %.0f, f32 %.0f TFLOP/s, memory %.2f TB/s, a launch %s)",
                    rates.origin.c_str(), card.fp8 / 1e12, card.half / 1e12, card.f32 / 1e12,
                    card.memory / 1e12, timeText(card.launch).c_str());
    } else {
      const MachineLimits &limits = rates.limits;
      std::snprintf(text, sizeof(text), " on %u thread%s (%s: f32 %.1f GFLOP/s, memory %.2f GB/s)",
                    limits.threads, limits.threads == 1 ? "" : "s", rates.origin.c_str(),
                    limits.f32 / 1e9, limits.read / 1e9);
    }
    return text;
  }

  static void print(const PlanCost &costs, const ProgramEstimate &estimate, const Rates &rates) {
    const Cost &total = costs.total;
    std::fprintf(printed(), "total: %s\n", costText(total).c_str());
    if (total.bytes() > 0) {
      std::fprintf(printed(), "%.2f FLOP a byte\n",
                   static_cast<double>(total.modelFlops()) / static_cast<double>(total.bytes()));
    }
    auto share = [&](double seconds) {
      return estimate.seconds > 0 ? 100 * seconds / estimate.seconds : 0;
    };
    std::fprintf(printed(), "at least %s%s, memory bounds %.0f %% of it",
                 timeText(estimate.seconds).c_str(), ratesText(rates).c_str(),
                 share(estimate.memoryBoundSeconds));
    if (estimate.launchSeconds > 0) {
      std::fprintf(printed(), ", launches are %.0f %%", share(estimate.launchSeconds));
    }
    std::fprintf(printed(), "\n");
    std::fputs(expectedText(costs).c_str(), printed());
    std::fputs(symbolicText(costs).c_str(), printed());
    std::fputs(transposeText(costs).c_str(), printed());
    std::fputs(memoryText(costs.memory, 10).c_str(), printed());
    for (const std::string &loop : costs.unknownLoops) {
      std::fprintf(printed(), "the loop at %s counts as one trip: how often it runs is not known\n",
                   loop.c_str());
    }
    for (const LaunchCost &launch : costs.launches) {
      std::fprintf(printed(), "  %s%s%s: %s", launch.source.c_str(),
                   launch.source.empty() ? "" : ": ", launch.kernel.c_str(),
                   costText(launch.total()).c_str());
      std::fprintf(printed(), "; %s, bound by %s",
                   timeText(launch.estimate->seconds() * double(launch.calls)).c_str(),
                   launch.estimate->boundBy());
      if (launch.calls != 1) {
        std::fprintf(printed(), "; %lld calls", static_cast<long long>(launch.calls));
      }
      std::fputs(launch.isInTotal ? "\n" : "; not in the total: another branch moves more\n",
                 printed());
      if (launch.inSymbols) {
        std::fprintf(printed(), "    %s\n", costText(*launch.inSymbols).c_str());
      }
    }
  }
};

Command addCost(CLI::App &app) {
  CLI::App *sub =
      addSubcommand(app, "cost", "print the cost of each operation, most expensive first");
  auto command = std::make_shared<CostCommand>();
  addOption(*sub, "program", command->input);
  addOption(*sub, "--json", command->json);
  addOption(*sub, "--limits", command->limitsFile);
  addEngineFlags(*sub, command->flags);
  addCompileOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }, &command->options};
}

} // namespace drumlin::cli
