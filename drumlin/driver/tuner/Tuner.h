// Chooses the fastest of several candidates by timing them on an abstract clock. docs/tuning.md has
// the equations and the rules; they are the same for every candidate, whatever backend it is of and
// however many others that backend has.
//
// Nothing here reads a real clock or keeps state between calls: equal clocks give equal outcomes.
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
  std::string backend; // for people who read; no rule looks at it
};

// What shows that other work took part in a sample.
struct Disturbance {
  int64_t contextSwitches = 0; // involuntary ones of the timed thread
  int64_t stolenTicks = 0;     // of its processor, taken by the hypervisor
  bool migrated = false;       // to another processor
  bool lockMissed = false;     // another tuner was measuring on this machine
  bool any() const { return contextSwitches > 0 || stolenTicks > 0 || migrated || lockMissed; }
};

struct TunerSample {
  double seconds = 0;        // of the candidate itself
  double outsideSeconds = 0; // of the copies and transposes that it forces around itself
  Disturbance disturbance;
};

class TunerClock {
public:
  virtual ~TunerClock() = default;
  // Times one run of a candidate. A failed run ends the tuning.
  virtual Result<TunerSample> run(size_t candidate) = 0;
  // Seconds since any fixed moment; what the time budget is counted in.
  virtual double now() = 0;
};

struct TunerOptions {
  // Of the order within rounds.
  uint64_t seed = 1;
  // How probably, at most, candidates that are equal are told apart.
  double error = 0.01;
  // A difference below this share counts as none.
  double leastGain = 0.01;
  // After so many rounds the samples are looked at; the last one ends the tuning.
  std::vector<int64_t> looks = {16, 24, 36, 54, 81, 120, 180, 270};
  // How often a disturbed sample is taken again before it is kept, and all samples together as a
  // multiple of the rounds'.
  int64_t retakes = 3;
  double retakeShare = 1;
  // Budgets. A round that has begun is finished, so every candidate has as many samples.
  double seconds = 2;
  int64_t samples = 1'000'000;
};

enum class TunerRule {
  Only,      // there is one candidate
  Separated, // every other one is slower
  CostModel, // several can't be told apart; the cost model's choice is one of them
  Name,      // several can't be told apart; the first by name is taken
};
std::string_view name(TunerRule rule);
std::optional<TunerRule> tunerRuleFromName(std::string_view name);

struct CandidateOutcome {
  // One for each round that it took part in; seconds are those of the candidate and of what it
  // forces outside itself.
  std::vector<double> seconds;
  std::vector<bool> disturbed;             // kept although disturbed: the retakes were, too
  double outsideSeconds = 0;               // the median of the second part
  double lower = 0, median = 0, upper = 0; // 99 % bounds on the median, without correction
  bool eliminated = false;
};

struct TunerOutcome {
  size_t winner = 0;
  TunerRule rule = TunerRule::Only;
  std::vector<CandidateOutcome> candidates;
  int64_t rounds = 0;
  int64_t taken = 0;    // samples, retakes included
  int64_t retaken = 0;  // samples that were thrown away
  bool settled = false; // more rounds could not have changed the winner, within the error
  double seconds = 0;
};

// `preferred` is the cost model's choice. There is at least one candidate; a single one isn't
// timed.
Result<TunerOutcome> tune(const std::vector<TunerCandidate> &candidates, size_t preferred,
                          TunerClock &clock, const TunerOptions &options = {});

// Where candidates stand after some rounds; a pure function of the samples.
struct Standing {
  size_t winner = 0;
  TunerRule rule = TunerRule::Separated;
  std::vector<size_t> slower; // than the fastest one, beyond doubt
  bool settled = false;
};

// `samples` of those candidates that are `alive`, all equally many, round by round. Each comparison
// of two candidates errs with probability `error` at most.
Standing stand(const std::vector<TunerCandidate> &candidates, size_t preferred,
               const std::vector<size_t> &alive, const std::vector<CandidateOutcome> &samples,
               double error, double leastGain);

} // namespace drumlin
