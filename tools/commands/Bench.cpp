// drumlin bench: how long a program takes.
#include "commands/Commands.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace drumlin::cli {

struct BenchCommand {
  std::string input;
  std::vector<std::string> inputs = {"random:1"};
  unsigned threads = 0;
  double seconds = 1.0;
  CompileOptions options;

  Status run() {
    Result<std::unique_ptr<Executable>> loaded = loadExecutable(input, options, threads);
    if (!loaded) {
      return loaded.error();
    }
    std::unique_ptr<Executable> executable = std::move(*loaded);
    Result<std::vector<Tensor>> arguments = makeInputs(inputs, executable->arguments());
    if (!arguments) {
      return arguments.error();
    }
    std::vector<const void *> pointers;
    for (const Tensor &argument : *arguments) {
      pointers.push_back(argument.data());
    }
    std::vector<Tensor> results;
    std::vector<void *> outputs;
    for (const ValueDescription &result : executable->results()) {
      results.emplace_back(result.type, result.shape);
      outputs.push_back(results.back().data());
    }
    std::vector<double> samples;
    auto start = std::chrono::steady_clock::now();
    double total = 0;
    while (total < seconds || samples.size() < 5) {
      auto begin = std::chrono::steady_clock::now();
      if (Status status = executable->run(pointers, outputs); !status) {
        return status;
      }
      auto end = std::chrono::steady_clock::now();
      samples.push_back(std::chrono::duration<double, std::micro>(end - begin).count());
      total = std::chrono::duration<double>(end - start).count();
    }
    std::sort(samples.begin(), samples.end());
    auto at = [&](double share) {
      return samples[static_cast<size_t>(share * static_cast<double>(samples.size() - 1))];
    };
    std::printf("run: median %.1f us, 10 %% %.1f us, 90 %% %.1f us, %zu runs\n", at(0.5), at(0.1),
                at(0.9), samples.size());
    return Done{};
  }
};

Command addBench(CLI::App &app) {
  CLI::App *sub = app.add_subcommand("bench", "measure a program or an image");
  auto command = std::make_shared<BenchCommand>();
  sub->add_option("program", command->input, "a StableHLO program, or an image")->required();
  sub->add_option("--input", command->inputs, "as for `drumlin run`")->capture_default_str();
  sub->add_option("--threads", command->threads,
                  "threads that run the program (0: one for each processor)");
  sub->add_option("--seconds", command->seconds, "how long to measure")->capture_default_str();
  addCompileOptions(*sub, command->options);
  addTuningOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }};
}

} // namespace drumlin::cli
