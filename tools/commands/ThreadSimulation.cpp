#include "commands/ThreadSimulation.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <numeric>

namespace drumlin::cli {

// A kernel that reaches this share of a linear speed-up has no limit worth naming.
static constexpr double wellShared = 0.9;

SimulatedTimes &SimulatedTimes::operator+=(const SimulatedTimes &other) {
  seconds += other.seconds;
  imbalance += other.imbalance;
  handOvers += other.handOvers;
  finish += other.finish;
  return *this;
}

std::vector<SimulatedTimes> simulateBeside(std::vector<RecordedLaunch> &launches, unsigned threads,
                                           const PoolCosts &costs) {
  std::ranges::sort(launches, std::greater<>(),
                    [](const RecordedLaunch &launch) { return launch.kernel->secondsOfTile; });
  std::vector<ChunkTimes> chunks;
  std::vector<double> alone;
  for (const RecordedLaunch &launch : launches) {
    chunks.push_back({launch.split, launch.chunks});
    alone.push_back(std::accumulate(launch.chunks.begin(), launch.chunks.end(), 0.0));
  }
  const SimulatedLaunch made = simulateLaunches(chunks, threads, costs);
  const double whole = std::accumulate(alone.begin(), alone.end(), 0.0);
  std::vector<SimulatedTimes> times;
  for (double each : alone) {
    const double share = whole > 0 ? each / whole : 0;
    times.push_back({.seconds = share * made.seconds,
                     .imbalance = share * made.imbalance,
                     .handOvers = share * made.handOvers});
  }
  return times;
}

//===- recording ----------------------------------------------------------------------===//

// Returns the median time between two readings of the clock with nothing between them.
static double measureClock() {
  std::array<double, 101> seconds = {};
  for (double &each : seconds) {
    const auto begin = std::chrono::steady_clock::now();
    each = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  std::ranges::nth_element(seconds, seconds.begin() + seconds.size() / 2);
  return seconds[seconds.size() / 2];
}

ThreadSimulation::ThreadSimulation(unsigned threads, const PoolCosts &costs)
    : threads(threads), costs(costs), secondsOfClock(measureClock()) {}

void ThreadSimulation::observe(LoadOptions &options) {
  options.replayedThreads = threads;
  options.observer = [this](LaunchMoment moment, int64_t kernel, void *const *) {
    if (moment == LaunchMoment::After) {
      endStep(kernel);
      ++run[kernel].launches;
      last = std::chrono::steady_clock::now();
      return;
    }
    steps = 0;
    if (run.empty()) {
      first = std::chrono::steady_clock::now();
    }
  };
  options.besideObserver = [this](BesideMoment moment) {
    isBeside = moment == BesideMoment::Begin;
    if (!isBeside) {
      endBeside();
    }
  };
  options.tilesObserver = [this](int64_t kernel, int64_t begin, int64_t end,
                                 std::chrono::steady_clock::time_point since) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - since;
    const double taken = std::max(passed.count() - secondsOfClock, 0.0);
    observed += passed.count();
    if (begin == end) {
      SimulatedTimes &times = run[kernel].times;
      times += {.seconds = taken, .finish = taken};
      return;
    }
    // A launch of several steps begins again at its first tile.
    if (begin == 0) {
      endStep(kernel);
    }
    chunks.push_back(taken);
    tiles = end;
  };
}

void ThreadSimulation::endStep(int64_t kernel) {
  if (chunks.empty()) {
    return;
  }
  OfKernel &record = run[kernel];
  const KernelDescription &description = image->kernels[static_cast<size_t>(kernel)];
  const WorkSplit split = WorkSplit::of(description.work(tiles), threads);
  if (isBeside && steps++ == 0) { // further steps run alone
    record.tiles += tiles;
    beside.push_back({static_cast<size_t>(kernel), &description, split, std::move(chunks)});
    chunks.clear();
    return;
  }
  const SimulatedLaunch launch = simulateLaunch(split, chunks, threads, costs);
  record.tiles += tiles;
  record.times +=
      {.seconds = launch.seconds, .imbalance = launch.imbalance, .handOvers = launch.handOvers};
  chunks.clear();
}

void ThreadSimulation::endBeside() {
  const std::vector<SimulatedTimes> times = simulateBeside(beside, threads, costs);
  for (size_t i = 0; i < beside.size(); ++i) {
    run[static_cast<int64_t>(beside[i].number)].times += times[i];
  }
  beside.clear();
}

void ThreadSimulation::endRun() {
  for (auto &[kernel, record] : run) {
    perRun[kernel].push_back(record);
  }
  between.push_back(std::chrono::duration<double>(last - first).count() - observed);
  dropRun();
}

void ThreadSimulation::dropRun() {
  run.clear();
  observed = 0;
}

//===- results -----------------------------------------------------------------------===//

static double medianOf(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

template <typename OfKernel>
static double medianOf(const std::vector<OfKernel> &runs, double SimulatedTimes::*field) {
  std::vector<double> values;
  for (const OfKernel &each : runs) {
    values.push_back(each.times.*field);
  }
  return medianOf(std::move(values));
}

double ThreadSimulation::betweenKernels() const {
  return between.empty() ? 0 : std::max(medianOf(between), 0.0);
}

double memorySeconds(const KernelDescription &kernel, const CpuTarget &target, unsigned threads) {
  const auto bytes = static_cast<double>(kernel.bytesRead + kernel.bytesWritten);
  const int64_t caches = (threads + target.coresPerL3 - 1) / target.coresPerL3;
  const double rate =
      std::min(target.socketBytesPerSecond, target.bytesPerSecond * static_cast<double>(threads));
  return bytes > static_cast<double>(caches * target.l3Bytes) ? bytes / rate : 0;
}

std::vector<SimulatedKernel> ThreadSimulation::kernels(const CpuTarget &target) const {
  std::vector<SimulatedKernel> made;
  for (const KernelDescription &description : image->kernels) {
    made.push_back({.kernel = &description});
  }
  for (const auto &[number, runs] : perRun) {
    SimulatedKernel &kernel = made[static_cast<size_t>(number)];
    kernel.launches = runs.back().launches;
    kernel.tiles = runs.back().tiles;
    for (double SimulatedTimes::*field : {&SimulatedTimes::seconds, &SimulatedTimes::imbalance,
                                          &SimulatedTimes::handOvers, &SimulatedTimes::finish}) {
      kernel.times.*field = medianOf(runs, field);
    }
    // One thread's time is measured, not simulated.
    if (threads > 1) {
      kernel.memory =
          memorySeconds(*kernel.kernel, target, threads) * static_cast<double>(kernel.launches);
      kernel.times.seconds = std::max(kernel.times.seconds, kernel.memory);
    }
  }
  return made;
}

void sortByTime(std::vector<SimulatedKernel> &kernels) {
  std::ranges::sort(kernels, [](const SimulatedKernel &a, const SimulatedKernel &b) {
    return a.times.seconds != b.times.seconds ? a.times.seconds > b.times.seconds
                                              : a.kernel < b.kernel;
  });
}

SimulatedRun simulatedRun(unsigned threads, double seconds, double between,
                          const std::vector<SimulatedKernel> &alone,
                          std::vector<SimulatedKernel> many) {
  SimulatedRun made{.threads = threads, .kernels = std::move(many)};
  double inKernels = 0, simulated = 0;
  for (size_t i = 0; i < made.kernels.size(); ++i) {
    made.kernels[i].alone = alone[i].times.seconds;
    inKernels += alone[i].times.seconds;
    simulated += made.kernels[i].times.seconds;
  }
  std::erase_if(made.kernels, [](const SimulatedKernel &kernel) { return kernel.launches == 0; });
  made.between = std::clamp(seconds - inKernels, 0.0, between);
  made.alone = inKernels + made.between;
  made.seconds = made.between + simulated;
  sortByTime(made.kernels);
  return made;
}

static double speedUp(double alone, double seconds) { return seconds > 0 ? alone / seconds : 1; }

// Returns what keeps the kernel from a linear speed-up most; empty if it nearly has one.
static const char *limitOf(const SimulatedKernel &kernel, unsigned threads) {
  const SimulatedTimes &times = kernel.times;
  if (speedUp(kernel.alone, times.seconds) >= wellShared * threads) {
    return "";
  }
  if (kernel.memory >= times.seconds) {
    return "memory";
  }
  if (kernel.tiles <= kernel.launches) {
    return "one item";
  }
  const double most = std::max({times.imbalance, times.handOvers, times.finish});
  if (times.finish == most) {
    return "serial part";
  }
  if (times.handOvers == most) {
    return "hand-overs";
  }
  return kernel.tiles < kernel.launches * int64_t{threads} ? "items" : "imbalance";
}

void printSimulation(const SimulatedRun &run, std::FILE *out) {
  const double gained = speedUp(run.alone, run.seconds);
  std::fprintf(out,
               "%s: %u threads %.1f us, one thread %.1f us: speed-up %.2f, efficiency "
               "%.0f %%; %.1f us between kernels\n",
               run.isPredicted ? "predicted" : "simulated", run.threads, run.seconds * 1e6,
               run.alone * 1e6, gained, 100 * gained / run.threads, run.between * 1e6);
  for (const SimulatedKernel &kernel : run.kernels) {
    const double ofKernel = speedUp(kernel.alone, kernel.times.seconds);
    std::fprintf(out,
                 "  %-12s %10.2f us, alone %10.2f us %6lld launches %8.1f items each: %6.2f times "
                 "as fast, efficiency %3.0f %%  %s\n",
                 kernel.kernel->name.c_str(), kernel.times.seconds * 1e6, kernel.alone * 1e6,
                 static_cast<long long>(kernel.launches),
                 static_cast<double>(kernel.tiles) / static_cast<double>(kernel.launches), ofKernel,
                 100 * ofKernel / run.threads, limitOf(kernel, run.threads));
  }
}

void writeJson(JsonStream &out, const SimulatedRun &run) {
  out.object([&] {
    out.attribute("threads", run.threads);
    out.attribute("predicted", run.isPredicted);
    out.attribute("seconds", run.seconds);
    out.attribute("seconds_on_one_thread", run.alone);
    out.attribute("seconds_between_kernels", run.between);
    out.attribute("speed_up", speedUp(run.alone, run.seconds));
    out.attributeArray("kernels", [&] {
      for (const SimulatedKernel &kernel : run.kernels) {
        out.object([&] {
          out.attribute("name", kernel.kernel->name);
          out.attribute("launches", kernel.launches);
          out.attribute("items", kernel.tiles);
          out.attribute("seconds", kernel.times.seconds);
          out.attribute("seconds_on_one_thread", kernel.alone);
          out.attribute("predicted_seconds_on_one_thread",
                        kernel.kernel->secondsOfTile * static_cast<double>(kernel.tiles));
          out.attribute("speed_up", speedUp(kernel.alone, kernel.times.seconds));
          out.attribute("imbalance_seconds", kernel.times.imbalance);
          out.attribute("hand_over_seconds", kernel.times.handOvers);
          out.attribute("serial_seconds", kernel.times.finish);
          out.attribute("memory_seconds", kernel.memory);
          out.attribute("limit", limitOf(kernel, run.threads));
        });
      }
    });
  });
}

} // namespace drumlin::cli
