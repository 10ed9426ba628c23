// A machine that other work disturbs, simulated: what the tuner sees of it, and what it doesn't.
#pragma once

#include "drumlin/driver/tuner/Tuner.h"

#include <cmath>
#include <vector>

namespace drumlin {

// What disturbs a simulated machine.
struct Contention {
  double noise = 0.01;     // relative, of each sample
  double drift = 0;        // amplitude of a slow change of speed
  double driftSeconds = 2; // its period
  // Times in which other work runs, and the samples in them take several times as long.
  double burstShare = 0;      // of the time
  double burstSeconds = 0.01; // mean length
  double burstFactor = 1;     // mean of what is added, as a multiple of the sample
  // Single samples that take very much longer: Pareto's distribution with exponent 1, which has no
  // mean.
  double tailShare = 0;
  double seen = 0; // how probably a burst or a tail leaves evidence on a sample
};

// Bursts, drift and tails, of which a part leaves no evidence.
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
    // The sum of four uniform numbers is near enough to a normal one, and quick.
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

  // The same numbers on every machine; xorshift64* by Vigna.
  double uniform() {
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return (static_cast<double>((state * 0x2545F4914F6CDD1D) >> 11) + 0.5) * 0x1p-53;
  }

  std::vector<double> outside; // seconds of each candidate; empty: none
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

// What tuners did that people complained about: each candidate once, the least time wins.
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
