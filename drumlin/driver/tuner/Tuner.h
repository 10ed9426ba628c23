// Chooses the fastest of several candidates by timing them on an abstract clock. docs/tuning.md has
// the equations and the rules. The rules treat all candidates alike: neither a candidate's backend
// nor the number of candidates of this backend matters.
//
// This code reads no real clock and keeps no state between calls: equal clocks give equal outcomes.
#pragma once

#include "drumlin/support/Diagnostics.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

struct TunerCandidate {
  std::string name;    // unique
  std::string backend; // for people; no rule uses it
};

// Signs that other load affected a sample.
struct Disturbance {
  int64_t contextSwitches = 0; // involuntary switches of the timed thread
  int64_t stolenTicks = 0;     // ticks that the hypervisor took from the thread's processor
  bool migrated = false;       // the thread moved to another processor
  bool lockMissed = false;     // the sample was taken without the lock, as another tuner held it
  bool any() const { return contextSwitches > 0 || stolenTicks > 0 || migrated || lockMissed; }
};

struct TunerSample {
  double seconds = 0;        // the candidate's own time
  double outsideSeconds = 0; // time of the copies and transposes that the candidate needs
  Disturbance disturbance;
};

class TunerClock {
public:
  virtual ~TunerClock() = default;
  // Times one run of a candidate. A failed run ends the tuning.
  virtual Result<TunerSample> run(size_t candidate) = 0;
  // Returns the seconds since some fixed moment. The time budget is measured with this clock.
  virtual double now() = 0;
};

struct TunerOptions {
  // Seed of the random order of candidates within a round.
  uint64_t seed = 1;
  // The largest probability that equally fast candidates are judged different.
  double error = 0.01;
  // The smallest difference between two candidates' times that counts, divided by the time.
  double leastGain = 0.01;
  // The round counts at which candidates are compared. Tuning ends after the last comparison.
  std::vector<int64_t> looks = {16, 24, 36, 54, 81, 120, 180, 270};
  // `retakes`: how often a disturbed sample is retaken before it is kept. `retakeShare`: the
  // maximum number of retakes of all samples, as a multiple of the number of regular samples.
  int64_t retakes = 3;
  double retakeShare = 1;
  // Budgets of time and of samples. A round that has begun is finished, so that all candidates have
  // the same number of samples.
  double seconds = 2;
  int64_t samples = 1'000'000;
};

enum class TunerRule {
  Only,      // there is one candidate
  Separated, // every other candidate is slower
  CostModel, // several don't differ measurably; of these, the cost model's choice wins
  Name,      // several don't differ measurably; of these, the first by name wins
};
std::string_view name(TunerRule rule);
std::optional<TunerRule> tunerRuleFromName(std::string_view name);

struct CandidateOutcome {
  // The candidate's time in each round that it took part in, including the copies and transposes
  // that the candidate needs.
  std::vector<double> seconds;
  std::vector<bool> disturbed;             // for each round: whether the kept sample was disturbed
  double outsideSeconds = 0;               // median of the samples' outsideSeconds
  double lower = 0, median = 0, upper = 0; // 99 % bounds, not corrected for multiple comparisons
  bool eliminated = false;
};

struct TunerOutcome {
  size_t winner = 0;
  TunerRule rule = TunerRule::Only;
  std::vector<CandidateOutcome> candidates;
  int64_t rounds = 0;
  int64_t taken = 0;    // all samples, with retakes
  int64_t retaken = 0;  // samples that were replaced
  bool settled = false; // the winner is final: more rounds wouldn't change it (within `error`)
  double seconds = 0;
};

// Chooses the fastest candidate. `preferred`: index of the cost model's choice. Requires at least
// one candidate; a single candidate isn't timed.
Result<TunerOutcome> tune(const std::vector<TunerCandidate> &candidates, size_t preferred,
                          TunerClock &clock, const TunerOptions &options = {});

// The ranking of candidates after some rounds; a pure function of the samples.
struct Standing {
  size_t winner = 0;
  TunerRule rule = TunerRule::Separated;
  std::vector<size_t> slower; // candidates that are certainly slower than the fastest
  bool settled = false;
};

// Ranks the candidates. `samples` has the times of each candidate, one per round. All candidates
// that are `alive` have the same number of times. Each comparison of two candidates is wrong with
// probability `error` at most.
Standing stand(const std::vector<TunerCandidate> &candidates, size_t preferred,
               const std::vector<size_t> &alive, const std::vector<CandidateOutcome> &samples,
               double error, double leastGain);

} // namespace drumlin
