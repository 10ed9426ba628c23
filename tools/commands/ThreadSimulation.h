// Computes what a program would take on more threads than this machine has.
#pragma once

#include "drumlin/runtime/cpu/PoolSimulation.h"
#include "drumlin/runtime/executable/Executable.h"
#include "drumlin/support/json/JsonStream.h"
#include "drumlin/target/CpuTarget.h"

#include <map>
#include <vector>

namespace drumlin {
struct Compilation;
}

namespace drumlin::cli {

// The times in seconds of a kernel's launches in one run; also their sum over several kernels.
struct SimulatedTimes {
  double seconds = 0; // on the simulated threads
  // The parts of `seconds` in which threads wait: for too few or unequal shares, for calls and
  // hand-overs, and for `finish`, which runs on one thread.
  double imbalance = 0, handOvers = 0, finish = 0;

  SimulatedTimes &operator+=(const SimulatedTimes &other);
};

// A launch, or a step of one.
struct RecordedLaunch {
  size_t number = 0; // the kernel's index in the image
  const KernelDescription *kernel = nullptr;
  WorkSplit split;
  std::vector<double> chunks; // the seconds of each chunk of the split, range by range
};

// Simulates launches that run side by side, and sorts them in the order in which the runtime begins
// them. Returns each launch's part of the time, divided by the times that they take alone.
std::vector<SimulatedTimes> simulateBeside(std::vector<RecordedLaunch> &launches, unsigned threads,
                                           const PoolCosts &costs);

struct SimulatedKernel {
  const KernelDescription *kernel = nullptr;
  int64_t launches = 0;      // in one run
  int64_t tiles = 0;         // of all launches
  SimulatedTimes times = {}; // medians over all runs
  // The shortest time in which the simulated threads can move the kernel's bytes to and from main
  // memory; 0 if they fit in the threads' shared caches. `times.seconds` is at least this.
  double memory = 0;
  double alone = 0; // seconds on one thread
};

struct SimulatedRun {
  unsigned threads = 1;
  bool isPredicted = false;                  // whether no time was measured
  double alone = 0;                          // seconds of a run on one thread
  double seconds = 0;                        // of a run on the simulated threads
  double between = 0;                        // the part of both that isn't in kernels
  std::vector<SimulatedKernel> kernels = {}; // the slowest first
};

// Records the time of each chunk of tiles in a program's runs, and simulates each launch from its
// chunks' times.
class ThreadSimulation {
public:
  ThreadSimulation(unsigned threads, const PoolCosts &costs);

  // Makes an executable that is loaded with these options call this object, which must outlive it.
  // Its program must be compiled to time kernels.
  void observe(LoadOptions &options);
  // Begins the runs of the executable with this description, which must outlive this object.
  void begin(const ImageDescription &description) { image = &description; }
  // Ends a run, whose times are then one sample.
  void endRun();
  // Forgets the run that has ended, which only warmed caches up.
  void dropRun();
  // Returns the medians of all runs, for each of the image's kernels, in its order. Times on one
  // thread are missing.
  std::vector<SimulatedKernel> kernels(const CpuTarget &target) const;
  // Returns the median time from the start of a run's first launch to the end of its last that is
  // not in kernels.
  double betweenKernels() const;

private:
  struct OfKernel {
    int64_t launches = 0, tiles = 0;
    SimulatedTimes times;
  };
  void endStep(int64_t kernel);
  void endBeside();

  unsigned threads;
  PoolCosts costs;
  double secondsOfClock = 0; // that reading the clock adds to the time of a chunk
  const ImageDescription *image = nullptr;
  std::chrono::steady_clock::time_point first, last; // launches of the run begin and end
  double observed = 0;                             // seconds in kernels, with readings of the clock
  std::vector<double> between;                     // of all runs that have ended
  std::vector<double> chunks;                      // of the launch, or of its step, that runs
  int64_t tiles = 0;                               // of this launch so far
  int64_t steps = 0;                               // of this launch that have ended
  bool isBeside = false;                           // whether the launch runs beside others
  std::vector<RecordedLaunch> beside;              // the launches of its group that have ended
  std::map<int64_t, OfKernel> run;                 // of the run, by kernel
  std::map<int64_t, std::vector<OfKernel>> perRun; // of all runs that have ended
};

// Returns the run on `threads` threads, from a simulation of this number and one of one thread.
// `seconds`: the time of a run on one thread, without observers. `between`: the part of a run that
// isn't in kernels, as observers see it; an upper bound, since they take time themselves.
SimulatedRun simulatedRun(unsigned threads, double seconds, double between,
                          const std::vector<SimulatedKernel> &alone,
                          std::vector<SimulatedKernel> many);

// Returns the shortest time in which `threads` cores move a launch's bytes to and from main memory;
// 0 if they fit in the cores' shared caches.
double memorySeconds(const KernelDescription &kernel, const CpuTarget &target, unsigned threads);

// Returns the run on `threads` threads of a program whose work items take their predicted times,
// with assumed costs of the pool. The operations of the compiled program must still exist.
SimulatedRun predictedRun(unsigned threads, const Compilation &plan, const CpuTarget &target);

// Sorts kernels by time, the slowest first. Kernels with equal times are in the image's order.
void sortByTime(std::vector<SimulatedKernel> &kernels);

void printSimulation(const SimulatedRun &run, std::FILE *out);
void writeJson(JsonStream &out, const SimulatedRun &run);

} // namespace drumlin::cli
