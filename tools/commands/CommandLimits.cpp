// drumlin limits: measures this machine's peak rates.
#include "commands/CommandOptions.h"
#include "commands/Commands.h"

#include "commands/Printing.h"

#include "drumlin/target/MachineLimits.h"

#include <cstdio>

namespace drumlin::cli {

struct LimitsCommand {
  unsigned threads = 0;
  bool json = false;

  Status run() {
    MachineLimits limits = measureLimits(threads);
    if (json) {
      std::fprintf(printed(), "%s\n", limitsJson(limits).c_str());
      return Done{};
    }
    std::fprintf(printed(),
                 "%u threads: f32 %.1f GFLOP/s, bf16 %.1f GFLOP/s, int8 %.1f GOP/s, memory read "
                 "%.2f GB/s\n",
                 limits.threads, limits.f32 / 1e9, limits.bf16 / 1e9, limits.int8 / 1e9,
                 limits.read / 1e9);
    return Done{};
  }
};

Command addLimits(CLI::App &app) {
  CLI::App *sub = addSubcommand(app, "limits", "measure this machine's peak rates");
  auto command = std::make_shared<LimitsCommand>();
  addOption(*sub, "--threads", command->threads);
  addOption(*sub, "--json", command->json);
  return {sub, [command] { return command->run(); }};
}

} // namespace drumlin::cli
