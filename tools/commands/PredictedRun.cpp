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
  struct Member {
    size_t number = 0;
    WorkSplit split;
    std::vector<double> chunks;

    ChunkTimes times() const { return {split, chunks}; }
    double alone() const { return std::accumulate(chunks.begin(), chunks.end(), 0.0); }
  };

  Member memberOf(plan::LaunchOp launch) const {
    Member member;
    member.number = numbers.lookup(launch.getKernel());
    const KernelDescription &kernel = plan.description.kernels[member.number];
    member.split = WorkSplit::of(kernel.work(kernel.tiles), threads);
    member.split.forEachChunk([&](int64_t begin, int64_t end) {
      member.chunks.push_back(static_cast<double>(end - begin) * kernel.secondsOfTile);
    });
    return member;
  }

  void add(const Member &member, const SimulatedLaunch &launch, double share, int64_t calls) {
    const auto times = share * static_cast<double>(calls);
    SimulatedKernel &kernel = made[member.number];
    kernel.times += {.seconds = times * launch.seconds,
                     .imbalance = times * launch.imbalance,
                     .handOvers = times * launch.handOvers};
    kernel.alone += static_cast<double>(calls) * member.alone();
  }

  // Adds launches that run side by side, and their further steps, which run alone.
  void addGroup(plan::LaunchOp first, int64_t calls) {
    std::vector<Member> members;
    for (plan::LaunchOp launch : launchesBeside(first)) {
      if (plan.description.kernels[numbers.lookup(launch.getKernel())].tiles > 0) {
        members.push_back(memberOf(launch));
      }
    }
    std::vector<ChunkTimes> launches;
    double alone = 0;
    for (const Member &member : members) {
      launches.push_back(member.times());
      alone += member.alone();
    }
    const SimulatedLaunch together = simulateLaunches(launches, threads, costs);
    for (const Member &member : members) {
      add(member, together, alone > 0 ? member.alone() / alone : 0, calls);
      const int64_t further = plan.kernels[member.number].properties.steps - 1;
      const ChunkTimes step = member.times();
      add(member, simulateLaunches(std::span(&step, 1), threads, costs), 1, further * calls);
      SimulatedKernel &kernel = made[member.number];
      kernel.launches += calls;
      kernel.tiles += calls * kernel.kernel->tiles;
    }
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
