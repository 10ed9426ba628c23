// Computes a run on many threads from the kernels' predicted times, for targets that this machine
// can't execute.
#include "commands/ThreadSimulation.h"

#include "drumlin/driver/Compiler.h"
#include "drumlin/ir/plan/SideBySide.h"

#include <numeric>

namespace drumlin::cli {

namespace {
// Adds up the simulated launches of a plan.
class Prediction {
public:
  Prediction(unsigned threads, const Compilation &plan, const CpuTarget &target)
      : threads(threads), plan(plan), target(target) {
    for (const CompiledKernel &kernel : plan.kernels) {
      const size_t number = made.size();
      numbers[kernel.name] = number;
      made.push_back({.kernel = &plan.description.kernels[number]});
    }
  }

  SimulatedRun run() {
    for (const LaunchCost &launch : plan.costs.launches) {
      auto op = mlir::dyn_cast<plan::LaunchOp>(launch.op);
      if (op && launch.isInTotal && !op->hasAttr(besideAttribute)) {
        addGroup(op, launch.calls);
      }
    }
    SimulatedRun result{.threads = threads, .isPredicted = true};
    for (SimulatedKernel &kernel : made) {
      if (kernel.launches == 0) {
        continue;
      }
      kernel.memory =
          memorySeconds(*kernel.kernel, target, threads) * static_cast<double>(kernel.launches);
      kernel.times.seconds = std::max(kernel.times.seconds, kernel.memory);
      result.alone += kernel.alone;
      result.seconds += kernel.times.seconds;
      result.kernels.push_back(kernel);
    }
    sortByTime(result.kernels);
    return result;
  }

private:
  RecordedLaunch predicted(plan::LaunchOp launch) const {
    const size_t number = numbers.lookup(launch.getKernel());
    const KernelDescription &kernel = plan.description.kernels[number];
    RecordedLaunch made{number, &kernel, WorkSplit::of(kernel.work(kernel.tiles), threads), {}};
    made.split.forEachChunk([&](int64_t begin, int64_t end) {
      made.chunks.push_back(static_cast<double>(end - begin) * kernel.secondsOfTile);
    });
    return made;
  }

  // Adds launches that run side by side, `calls` times.
  void add(std::vector<RecordedLaunch> launches, int64_t calls) {
    const std::vector<SimulatedTimes> times = simulateBeside(launches, threads, costs);
    const auto often = static_cast<double>(calls);
    for (size_t i = 0; i < launches.size(); ++i) {
      SimulatedKernel &kernel = made[launches[i].number];
      kernel.times += {.seconds = often * times[i].seconds,
                       .imbalance = often * times[i].imbalance,
                       .handOvers = often * times[i].handOvers};
      kernel.alone +=
          often * std::accumulate(launches[i].chunks.begin(), launches[i].chunks.end(), 0.0);
    }
  }

  // Adds launches that run side by side, and their further steps, which run alone.
  void addGroup(plan::LaunchOp first, int64_t calls) {
    std::vector<RecordedLaunch> group;
    for (plan::LaunchOp each : launchesBeside(first)) {
      RecordedLaunch launch = predicted(each);
      if (launch.kernel->tiles == 0) {
        continue;
      }
      made[launch.number].launches += calls;
      made[launch.number].tiles += calls * launch.kernel->tiles;
      add({launch}, calls * (plan.kernels[launch.number].properties.steps - 1));
      group.push_back(std::move(launch));
    }
    add(std::move(group), calls);
  }

  const unsigned threads;
  const Compilation &plan;
  const CpuTarget &target;
  const PoolCosts costs = assumedPoolCosts();
  llvm::StringMap<size_t> numbers; // each kernel's index in the image
  std::vector<SimulatedKernel> made;
};
} // namespace

SimulatedRun predictedRun(unsigned threads, const Compilation &plan, const CpuTarget &target) {
  return Prediction(threads, plan, target).run();
}

} // namespace drumlin::cli
