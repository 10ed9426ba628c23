// drumlin bench: measures a program's run time, and compares it with the machine's limit.
#include "commands/CommandOptions.h"
#include "commands/Commands.h"
#include "commands/CustomCalls.h"
#include "commands/Printing.h"
#include "commands/ThreadSimulation.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/ir/costs/CostText.h"
#include "drumlin/support/SystemLimits.h"
#include "drumlin/support/diagnostics/ImageErrors.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/json/JsonStream.h"
#include "drumlin/target/MachineLimits.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <optional>

namespace drumlin::cli {

// Sorted run times, in seconds.
struct Samples {
  std::vector<double> seconds;
  double at(double share) const {
    return seconds[static_cast<size_t>(share * static_cast<double>(seconds.size() - 1))];
  }
};

static LoadOptions withThreads(unsigned threads) {
  LoadOptions options;
  options.threads = threads;
  return options;
}

// A program and the buffers that it runs on.
struct Workbench {
  std::unique_ptr<Executable> executable;
  std::vector<Tensor> arguments, results;
  std::vector<const void *> inputs;
  std::vector<void *> outputs;
  std::vector<Shape> sizes; // the arguments' shapes, if the program has symbolic sizes

  static Result<Workbench> make(const std::string &program, const CompileOptions &options,
                                LoadOptions load, const std::vector<std::string> &inputs) {
    Workbench made;
    Result<std::unique_ptr<Executable>> loaded = loadExecutable(program, options, std::move(load));
    if (!loaded) {
      return loaded.error();
    }
    made.executable = std::move(*loaded);
    Result<std::vector<Tensor>> arguments = makeInputs(inputs, made.executable->arguments());
    if (!arguments) {
      return arguments.error();
    }
    made.arguments = std::move(*arguments);
    for (const Tensor &argument : made.arguments) {
      made.inputs.push_back(argument.data());
    }
    int64_t processes =
        made.executable->needsProcesses() ? made.executable->description().grid.processes() : 1;
    const std::vector<ValueDescription> &results = made.executable->results();
    std::vector<Shape> shapes;
    if (made.executable->description().symbols.empty()) {
      for (const ValueDescription &result : results) {
        shapes.push_back(result.shape);
      }
    } else {
      for (const Tensor &argument : made.arguments) {
        made.sizes.push_back(argument.shape());
      }
      Result<std::vector<Shape>> sized = made.executable->resultSizes(made.sizes);
      if (!sized) {
        return sized.error();
      }
      shapes = std::move(*sized);
    }
    for (int64_t process = 0; process < processes; ++process) {
      for (size_t i = 0; i < shapes.size(); ++i) {
        made.results.emplace_back(results[i].type, shapes[i]);
        made.outputs.push_back(made.results.back().data());
      }
    }
    return made;
  }

  // Runs all of the program's processes on the same arguments.
  Status run() {
    if (!executable->needsProcesses()) {
      return executable->run({.args = inputs, .results = outputs, .sizes = sizes});
    }
    size_t gives = executable->results().size();
    std::vector<ProcessValues> processes;
    for (int64_t i = 0; i < executable->description().grid.processes(); ++i) {
      processes.push_back(
          {inputs, std::span(outputs).subspan(static_cast<size_t>(i) * gives, gives)});
    }
    return executable->runProcesses(processes, sizes);
  }

  // Measures at least five runs, and calls `afterRun` after each. If `ofKernels` isn't null, it
  // receives the times of each kernel in all runs, with the kernels in the image's order.
  Result<Samples> measure(
      double seconds, std::vector<Samples> *ofKernels = nullptr,
      const std::function<void()> &afterRun = [] {}) {
    Samples samples;
    auto start = std::chrono::steady_clock::now();
    double total = 0;
    while (total < seconds || samples.seconds.size() < 5) {
      auto begin = std::chrono::steady_clock::now();
      if (Status status = run(); !status) {
        return status.error();
      }
      auto end = std::chrono::steady_clock::now();
      samples.seconds.push_back(std::chrono::duration<double>(end - begin).count());
      afterRun();
      if (ofKernels) {
        addKernels(*ofKernels);
      }
      total = std::chrono::duration<double>(end - start).count();
    }
    std::sort(samples.seconds.begin(), samples.seconds.end());
    for (size_t i = 0; ofKernels && i < ofKernels->size(); ++i) {
      std::sort((*ofKernels)[i].seconds.begin(), (*ofKernels)[i].seconds.end());
    }
    return samples;
  }

private:
  std::vector<double> before; // each kernel's total time in all runs but the last

  void addKernels(std::vector<Samples> &ofKernels) {
    std::vector<Executable::KernelTime> times = executable->kernelTimes();
    ofKernels.resize(times.size());
    before.resize(times.size());
    for (size_t i = 0; i < times.size(); ++i) {
      ofKernels[i].seconds.push_back(times[i].seconds - before[i]);
      before[i] = times[i].seconds;
    }
  }
};

// A kernel's share of a run's time.
struct KernelShare {
  const KernelDescription *kernel;
  int64_t calls;  // calls in one run
  double seconds; // median over all runs

  double flops() const { return static_cast<double>(kernel->modelFlops) * double(calls); }
  double bytes() const {
    return static_cast<double>(kernel->bytesRead + kernel->bytesWritten) * double(calls);
  }
  // Returns the shortest possible time on the machine as a share of the measured time.
  double limitShare(const MachineLimits &limits) const {
    double computing = limits.f32 > 0 ? flops() / limits.f32 : 0.0;
    return std::max(computing, bytes() / limits.read) / std::max(seconds, 1e-12);
  }
};

struct BenchCommand {
  std::string input;
  std::vector<std::string> inputs, customCalls;
  unsigned threads = 0, simulatedThreads = 0; // 0: one for each processor; no simulation
  double seconds = 1.0;
  bool kernels = false, json = false;
  ProgramOptions options;

  Status run() {
    if (Status status = registerCustomCalls(customCalls); !status) {
      return status;
    }
    if ((kernels || simulatedThreads) && isImage(input)) {
      return diagnose(errors::KernelsNotTimed,
                      "an image doesn't time its kernels, since that would slow it down",
                      kernels ? "--kernels" : "--simulate-threads");
    }
    unsigned used = threads ? threads : usableProcessors();
    Result<Workbench> bench = Workbench::make(input, options, withThreads(used), inputs);
    if (!bench) {
      const bool isOfOtherProcessor = bench.error().code == errors::CpuFeatureMissing;
      return simulatedThreads && isOfOtherProcessor ? predict() : Status(bench.error());
    }
    Result<Samples> samples = bench->measure(seconds);
    if (!samples) {
      return samples.error();
    }
    std::vector<KernelShare> shares;
    Workbench timed;
    if (kernels) {
      options.timeKernels = true;
      Result<Workbench> made = Workbench::make(input, options, withThreads(used), inputs);
      if (!made) {
        return made.error();
      }
      timed = std::move(*made);
      std::vector<Samples> ofKernels;
      Result<Samples> again = timed.measure(seconds, &ofKernels);
      if (!again) {
        return again.error();
      }
      shares = sharesOf(*timed.executable, ofKernels);
    }
    std::optional<SimulatedRun> simulated;
    Workbench simulation;
    if (simulatedThreads) {
      Result<SimulatedRun> made = simulate(simulation);
      if (!made) {
        return made.error();
      }
      simulated = std::move(*made);
    }
    MachineLimits limits = measureLimits(used);
    const Cost &cost = bench->executable->description().cost;
    if (json) {
      printJson(*samples, cost, limits, shares, simulated);
      return Done{};
    }
    print(*samples, cost, limits, shares);
    if (simulated) {
      printSimulation(*simulated, printed());
    }
    return Done{};
  }

private:
  // Prints the times of the simulated threads for a target that this machine can't execute.
  Status predict() {
    Result<Program> program = readProgram(input, options);
    if (!program) {
      return program.error();
    }
    Result<Compilation> plan =
        compile(*program->module, programName(input), optionsFor(input, options));
    if (!plan) {
      return plan.error();
    }
    Result<CpuTarget> target = cpuTargetFromName(plan->description.targetCpu);
    if (!target) {
      return target.error();
    }
    const SimulatedRun run = predictedRun(simulatedThreads, *plan, *target);
    if (json) {
      printJson([&](JsonStream &out) { writeSimulated(out, run); });
    } else {
      printSimulation(run, printed());
    }
    return Done{};
  }

  static void writeSimulated(JsonStream &out, const SimulatedRun &run) {
    out.attributeBegin("simulated");
    writeJson(out, run);
    out.attributeEnd();
  }

  // Prints an object with the attributes that `write` adds.
  static void printJson(llvm::function_ref<void(JsonStream &)> write) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    JsonStream out(stream, 1);
    out.object([&] { write(out); });
    std::fprintf(printed(), "%s\n", text.c_str());
  }

  // Measures the program on one thread as a whole, then the chunks of its tiles that one thread and
  // the simulated threads would take. `recorded` receives the program whose kernels the result
  // names.
  Result<SimulatedRun> simulate(Workbench &recorded) {
    options.timeKernels = false;
    Result<Workbench> whole = Workbench::make(input, options, withThreads(1), inputs);
    if (!whole) {
      return whole.error();
    }
    if (whole->executable->needsProcesses()) {
      return diagnose(errors::KernelsNotTimed,
                      "the launches of a program of several processes aren't simulated",
                      "--simulate-threads", "run it with `--threads`");
    }
    Result<Samples> samples = whole->measure(seconds);
    if (!samples) {
      return samples.error();
    }
    options.timeKernels = true;
    const PoolCosts costs = measurePoolCosts();
    double between = 0;
    Result<std::vector<SimulatedKernel>> alone = replay(1, costs, recorded, between);
    if (!alone) {
      return alone.error();
    }
    if (simulatedThreads == 1) {
      return simulatedRun(1, samples->at(0.5), between, *alone, *alone);
    }
    Result<std::vector<SimulatedKernel>> many = replay(simulatedThreads, costs, recorded, between);
    if (!many) {
      return many.error();
    }
    return simulatedRun(simulatedThreads, samples->at(0.5), between, *alone, std::move(*many));
  }

  Result<std::vector<SimulatedKernel>> replay(unsigned simulated, const PoolCosts &costs,
                                              Workbench &recorded, double &between) {
    ThreadSimulation simulation(simulated, costs);
    LoadOptions load = withThreads(1);
    simulation.observe(load);
    Result<Workbench> made = Workbench::make(input, options, load, inputs);
    if (!made) {
      return made.error();
    }
    recorded = std::move(*made);
    const ImageDescription &image = recorded.executable->description();
    Result<CpuTarget> target = cpuTargetFromName(image.targetCpu);
    if (!target) {
      return target.error();
    }
    simulation.begin(image);
    if (Status status = recorded.run(); !status) { // touches the memory
      return status.error();
    }
    simulation.dropRun();
    Result<Samples> again = recorded.measure(seconds, nullptr, [&] { simulation.endRun(); });
    if (!again) {
      return again.error();
    }
    between = simulation.betweenKernels();
    return simulation.kernels(*target);
  }

  // Returns the kernels by time, the slowest first. Kernels with equal times are in the image's
  // order.
  static std::vector<KernelShare> sharesOf(const Executable &executable,
                                           const std::vector<Samples> &ofKernels) {
    std::vector<KernelShare> shares;
    const std::vector<KernelDescription> &all = executable.description().kernels;
    std::vector<Executable::KernelTime> times = executable.kernelTimes();
    for (size_t i = 0; i < all.size(); ++i) {
      auto runs = static_cast<int64_t>(ofKernels[i].seconds.size());
      shares.push_back({&all[i], times[i].calls / runs, ofKernels[i].at(0.5)});
    }
    std::sort(shares.begin(), shares.end(), [](const KernelShare &a, const KernelShare &b) {
      return a.seconds != b.seconds ? a.seconds > b.seconds : a.kernel < b.kernel;
    });
    return shares;
  }

  // Returns the shortest time in which the machine could do the program's work: the model FLOPs at
  // the peak rate, or the bytes that must be moved at main memory's rate, whichever takes longer.
  static double limitSeconds(const Cost &cost, const MachineLimits &limits) {
    double computing = limits.f32 > 0 ? static_cast<double>(cost.modelFlops()) / limits.f32 : 0.0;
    return std::max(computing, static_cast<double>(cost.askedBytes()) / limits.read);
  }

  static void print(const Samples &samples, const Cost &cost, const MachineLimits &limits,
                    const std::vector<KernelShare> &shares) {
    double median = samples.at(0.5), limit = limitSeconds(cost, limits);
    std::fprintf(printed(),
                 "run: median %.1f us, 10 %% %.1f us, 90 %% %.1f us, %zu runs, %u threads\n",
                 median * 1e6, samples.at(0.1) * 1e6, samples.at(0.9) * 1e6, samples.seconds.size(),
                 limits.threads);
    std::fprintf(printed(), "work: %s FLOP, %s: %.2f GFLOP/s, %.2f GB/s\n",
                 countText(cost.modelFlops()).c_str(), bytesText(cost.askedBytes()).c_str(),
                 static_cast<double>(cost.modelFlops()) / median / 1e9,
                 static_cast<double>(cost.askedBytes()) / median / 1e9);
    std::fprintf(printed(),
                 "limit: %.1f us (f32 %.1f GFLOP/s, memory read %.2f GB/s), %.1f %% reached%s\n",
                 limit * 1e6, limits.f32 / 1e9, limits.read / 1e9, 100 * limit / median,
                 limit > median ? ": its data stay in a cache" : "");
    double total = 0;
    for (const KernelShare &share : shares) {
      total += share.seconds;
    }
    for (const KernelShare &share : shares) {
      double time = std::max(share.seconds, 1e-12);
      std::fprintf(
          printed(),
          "  %-12s %10.2f us %5.1f %% %6lld calls %9.2f GFLOP/s %8.2f GB/s %6.1f %% of limit\n",
          share.kernel->name.c_str(), share.seconds * 1e6,
          100 * share.seconds / std::max(total, 1e-12), static_cast<long long>(share.calls),
          share.flops() / time / 1e9, share.bytes() / time / 1e9, 100 * share.limitShare(limits));
    }
  }

  static void printJson(const Samples &samples, const Cost &cost, const MachineLimits &limits,
                        const std::vector<KernelShare> &shares,
                        const std::optional<SimulatedRun> &simulated) {
    double median = samples.at(0.5);
    printJson([&](JsonStream &out) {
      out.attribute("runs", static_cast<int64_t>(samples.seconds.size()));
      out.attribute("threads", limits.threads);
      out.attribute("median_seconds", median);
      out.attribute("low_seconds", samples.at(0.1));
      out.attribute("high_seconds", samples.at(0.9));
      out.attribute("flops_per_second", static_cast<double>(cost.modelFlops()) / median);
      out.attribute("bytes_per_second", static_cast<double>(cost.askedBytes()) / median);
      out.attribute("limit_flops_per_second", limits.f32);
      out.attribute("limit_bytes_per_second", limits.read);
      out.attribute("limit_seconds", limitSeconds(cost, limits));
      out.attribute("limit_share", limitSeconds(cost, limits) / median);
      out.attributeBegin("cost");
      writeJson(out, cost);
      out.attributeEnd();
      out.attributeArray("kernels", [&] {
        for (const KernelShare &share : shares) {
          out.object([&] {
            out.attribute("name", share.kernel->name);
            out.attribute("calls", share.calls);
            out.attribute("seconds", share.seconds);
            out.attribute("flops", static_cast<int64_t>(share.kernel->modelFlops));
            out.attribute("bytes", static_cast<int64_t>(share.kernel->bytesRead +
                                                        share.kernel->bytesWritten));
            out.attribute("limit_share", share.limitShare(limits));
          });
        }
      });
      if (simulated) {
        writeSimulated(out, *simulated);
      }
    });
  }
};

Command addBench(CLI::App &app) {
  CLI::App *sub = addSubcommand(app, "bench", "measure a program or an image");
  auto command = std::make_shared<BenchCommand>();
  addOption(*sub, "program", command->input);
  addOption(*sub, "--input", command->inputs);
  addOption(*sub, "--custom-call", command->customCalls);
  addOption(*sub, "--threads", command->threads);
  addOption(*sub, "--seconds", command->seconds);
  addOption(*sub, "--kernels", command->kernels);
  addOption(*sub, "--simulate-threads", command->simulatedThreads);
  addOption(*sub, "--json", command->json);
  addCompileOptions(*sub, command->options);
  addTuningOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }, &command->options};
}

} // namespace drumlin::cli
