// Simulates a machine disturbed by other load, with both visible and hidden disturbances.
#pragma once

#include "drumlin/driver/tuner/Tuner.h"

#include <cmath>
#include <vector>

namespace drumlin {

// The disturbances of a simulated machine.
struct Contention {
  double noise = 0.01;     // relative noise of each sample
  double drift = 0;        // amplitude of slow changes in speed
  double driftSeconds = 2; // the period of these changes
  // Bursts of other load. During a burst, samples take several times as long.
  double burstShare = 0;      // share of the time in which there is a burst
  double burstSeconds = 0.01; // mean length
  double burstFactor = 1;     // mean additional time, divided by the sample's time
  // The share of single samples that take very much longer. Their times have a Pareto distribution
  // with exponent 1, which has no mean.
  double tailShare = 0;
  double seen = 0; // probability that the clock reports that a sample was disturbed
};

// Returns bursts, drift and tails, some of which the clock doesn't report.
inline Contention heavyContention() { return {0.03, 0.2, 0.5, 0.25, 0.005, 1.5, 0.05, 0.6}; }

class SimulatedClock : public TunerClock {
public:
  SimulatedClock(std::vector<double> seconds, Contention contention, uint64_t seed)
      : seconds(std::move(seconds)), contention(contention), state(seed * 2 + 1) {
    for (int i = 0; i < 4; ++i) {
      uniform();
    }
    phase = uniform() * 2 * M_PI;
    burstEnds = -1;
    nextBurst = exponential(quietSeconds());
  }

  Result<TunerSample> run(size_t candidate) override {
    TunerSample sample;
    ++runs;
    double base = seconds[candidate];
    // A sum of four uniform numbers is nearly normal, and fast.
    double normal = (uniform() + uniform() + uniform() + uniform() - 2) * std::sqrt(3.0);
    double taken = base * (1 + contention.noise * normal);
    taken *= 1 + contention.drift * std::sin(phase + 2 * M_PI * time / contention.driftSeconds);
    bool disturbed = false;
    while (contention.burstShare > 0 && time >= nextBurst) {
      burstEnds = nextBurst + exponential(contention.burstSeconds);
      nextBurst = burstEnds + exponential(quietSeconds());
    }
    if (time < burstEnds) {
      taken += base * exponential(contention.burstFactor);
      disturbed = true;
    }
    if (uniform() < contention.tailShare) {
      taken += base * (1 / uniform() - 1);
      disturbed = true;
    }
    if (disturbed && uniform() < contention.seen) {
      sample.disturbance.contextSwitches = 1;
    }
    time += taken;
    sample.seconds = taken;
    if (!outside.empty()) {
      sample.outsideSeconds = outside[candidate] * (1 + contention.noise * normal);
    }
    return sample;
  }
  double now() override { return time; }

  // Returns the next random number. Vigna's xorshift64* gives the same numbers on every machine.
  double uniform() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (static_cast<double>((state * 0x2545F4914F6CDD1D) >> 11) + 0.5) * 0x1p-53;
  }

  std::vector<double> outside; // `outsideSeconds` of each candidate; empty: 0 for all
  int64_t runs = 0;

private:
  double exponential(double mean) { return -mean * std::log(uniform()); }
  double quietSeconds() const {
    return contention.burstSeconds * (1 - contention.burstShare) /
           std::max(contention.burstShare, 1e-9);
  }

  std::vector<double> seconds;
  Contention contention;
  uint64_t state;
  double time = 0, phase = 0, burstEnds = -1, nextBurst = 0;
};

// Times each candidate once and takes the fastest: the common method, which is flawed.
inline size_t oneShot(TunerClock &clock, size_t candidates) {
  size_t best = 0;
  double least = 0;
  for (size_t i = 0; i < candidates; ++i) {
    Result<TunerSample> sample = clock.run(i);
    double taken = sample->seconds + sample->outsideSeconds;
    if (i == 0 || taken < least) {
      best = i;
      least = taken;
    }
  }
  return best;
}

} // namespace drumlin
