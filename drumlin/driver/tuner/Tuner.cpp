#include "drumlin/driver/tuner/Tuner.h"

#include "drumlin/driver/tuner/OrderStatistics.h"

#include <algorithm>
#include <array>

namespace drumlin {

static constexpr std::array<std::string_view, 4> ruleNames = {"only", "separated", "cost-model",
                                                              "name"};

std::string_view name(TunerRule rule) { return ruleNames[static_cast<size_t>(rule)]; }

std::optional<TunerRule> tunerRuleFromName(std::string_view name) {
  const auto *found = std::find(ruleNames.begin(), ruleNames.end(), name);
  if (found == ruleNames.end()) {
    return std::nullopt;
  }
  return static_cast<TunerRule>(found - ruleNames.begin());
}

//===- ranking ----------------------------------------------------------------------===//

// Returns whether candidate x is chosen rather than candidate y if their times don't differ. The
// preferred candidate comes first; the other candidates follow in the order of their names.
static bool comesBefore(const std::vector<TunerCandidate> &candidates, size_t preferred, size_t x,
                        size_t y) {
  if ((x == preferred) != (y == preferred)) {
    return x == preferred;
  }
  return candidates[x].name < candidates[y].name;
}

// Returns bounds on the median of x's time divided by y's time in the same round.
static MedianBounds ratio(const std::vector<double> &x, const std::vector<double> &y,
                          double error) {
  std::vector<double> ratios(x.size());
  for (size_t round = 0; round < x.size(); ++round) {
    ratios[round] = x[round] / y[round];
  }
  return medianBounds(std::move(ratios), error);
}

// Returns the candidate with the lowest median time. Each time is first divided by the median of
// its round, so that slow rounds have no effect.
static size_t fastest(const std::vector<TunerCandidate> &candidates, size_t preferred,
                      const std::vector<size_t> &alive,
                      const std::vector<CandidateOutcome> &samples) {
  size_t rounds = samples[alive.front()].seconds.size();
  std::vector<double> ofRound(rounds), times(alive.size());
  for (size_t round = 0; round < rounds; ++round) {
    for (size_t i = 0; i < alive.size(); ++i) {
      times[i] = samples[alive[i]].seconds[round];
    }
    auto middle = times.begin() + static_cast<ptrdiff_t>(times.size() / 2);
    std::nth_element(times.begin(), middle, times.end());
    ofRound[round] = *middle;
  }
  size_t best = alive.front();
  double bestScore = 0;
  for (size_t candidate : alive) {
    double score = ratio(samples[candidate].seconds, ofRound, /*error=*/0).median;
    bool isFirst = candidate == alive.front();
    bool isTie = score == bestScore && comesBefore(candidates, preferred, candidate, best);
    if (isFirst || score < bestScore || isTie) {
      best = candidate;
      bestScore = score;
    }
  }
  return best;
}

Standing stand(const std::vector<TunerCandidate> &candidates, size_t preferred,
               const std::vector<size_t> &alive, const std::vector<CandidateOutcome> &samples,
               double error, double leastGain) {
  auto isFirst = [&](size_t x, size_t y) { return comesBefore(candidates, preferred, x, y); };
  Standing standing;
  size_t best = fastest(candidates, preferred, alive, samples);
  std::vector<size_t> equals;
  for (size_t candidate : alive) {
    bool isSlower =
        candidate != best &&
        ratio(samples[best].seconds, samples[candidate].seconds, error).upper < 1 - leastGain;
    (isSlower ? standing.slower : equals).push_back(candidate);
  }
  standing.winner = *std::min_element(equals.begin(), equals.end(), isFirst);
  standing.rule = equals.size() == 1             ? TunerRule::Separated
                  : standing.winner == preferred ? TunerRule::CostModel
                                                 : TunerRule::Name;
  standing.settled = std::all_of(equals.begin(), equals.end(), [&](size_t other) {
    const std::vector<double> &winner = samples[standing.winner].seconds;
    return other == standing.winner ||
           ratio(samples[other].seconds, winner, error).lower >= 1 - leastGain;
  });
  return standing;
}

//===- rounds -----------------------------------------------------------------------===//

namespace {
// Random numbers: Steele, Lea and Flood's SplitMix64, which gives the same numbers on every
// machine.
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    state += 0x9E3779B97F4A7C15;
    uint64_t mixed = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
  }
  void shuffle(std::vector<size_t> &values) {
    for (size_t i = values.size(); i > 1; --i) {
      std::swap(values[i - 1], values[next() % i]);
    }
  }

private:
  uint64_t state;
};

class Tuning {
public:
  Tuning(const std::vector<TunerCandidate> &candidates, size_t preferred, TunerClock &clock,
         const TunerOptions &options)
      : candidates(candidates), preferred(preferred), clock(clock), options(options),
        random(options.seed), begin(clock.now()), outside(candidates.size()) {
    outcome.candidates.resize(candidates.size());
    for (size_t i = 0; i < candidates.size(); ++i) {
      alive.push_back(i);
    }
  }

  Result<TunerOutcome> run();

private:
  bool mayBegin() const;
  Status warmUp();
  Status round();
  void look();
  void finish();

  const std::vector<TunerCandidate> &candidates;
  size_t preferred;
  TunerClock &clock;
  const TunerOptions &options;
  Random random;
  double begin;
  std::vector<size_t> alive;
  std::vector<std::vector<double>> outside;
  TunerOutcome outcome;
};
} // namespace

// Runs each candidate once, untimed, to fill caches and map memory.
Status Tuning::warmUp() {
  for (size_t candidate : alive) {
    if (Result<TunerSample> sample = clock.run(candidate); !sample) {
      return sample.error();
    }
  }
  return Done{};
}

bool Tuning::mayBegin() const {
  auto wanted = static_cast<int64_t>(alive.size());
  return clock.now() - begin < options.seconds && outcome.taken + wanted <= options.samples;
}

// Takes one sample of each remaining candidate, in a new random order. Disturbed samples are
// retaken at the end, when the disturbance may be over.
Status Tuning::round() {
  std::vector<size_t> order = alive;
  std::vector<TunerSample> samples(candidates.size());
  for (int64_t pass = 0; pass <= options.retakes && !order.empty(); ++pass) {
    random.shuffle(order);
    std::vector<size_t> disturbed;
    for (size_t candidate : order) {
      double allowed = options.retakeShare * static_cast<double>(outcome.taken - outcome.retaken);
      if (pass > 0 &&
          (static_cast<double>(outcome.retaken) >= allowed || outcome.taken >= options.samples)) {
        continue;
      }
      Result<TunerSample> sample = clock.run(candidate);
      if (!sample) {
        return sample.error();
      }
      samples[candidate] = *sample;
      ++outcome.taken;
      outcome.retaken += pass > 0;
      if (sample->disturbance.any()) {
        disturbed.push_back(candidate);
      }
    }
    order = std::move(disturbed);
  }
  for (size_t candidate : alive) {
    const TunerSample &sample = samples[candidate];
    CandidateOutcome &of = outcome.candidates[candidate];
    // Times must be greater than 0, even with a coarse clock, since ratios are computed from them.
    of.seconds.push_back(std::max(sample.seconds + sample.outsideSeconds, 1e-12));
    of.disturbed.push_back(sample.disturbance.any());
    outside[candidate].push_back(sample.outsideSeconds);
  }
  ++outcome.rounds;
  return Done{};
}

void Tuning::look() {
  // Each look compares one candidate with all others. A budget may end tuning with one look in
  // addition to those of `options.looks`.
  auto comparisons =
      static_cast<double>((options.looks.size() + 1) * std::max<size_t>(candidates.size() - 1, 1));
  Standing standing = stand(candidates, preferred, alive, outcome.candidates,
                            options.error / comparisons, options.leastGain);
  outcome.winner = standing.winner;
  outcome.rule = standing.rule;
  outcome.settled = standing.settled;
  for (size_t candidate : standing.slower) {
    outcome.candidates[candidate].eliminated = true;
    alive.erase(std::find(alive.begin(), alive.end(), candidate));
  }
}

void Tuning::finish() {
  for (size_t i = 0; i < candidates.size(); ++i) {
    CandidateOutcome &of = outcome.candidates[i];
    of.outsideSeconds = median(outside[i]);
    MedianBounds bounds = medianBounds(of.seconds, 0.005);
    of.lower = bounds.lower;
    of.median = bounds.median;
    of.upper = bounds.upper;
  }
  outcome.seconds = clock.now() - begin;
}

Result<TunerOutcome> Tuning::run() {
  outcome.winner = preferred;
  if (candidates.size() == 1) {
    return outcome;
  }
  outcome.rule = TunerRule::CostModel;
  if (Status status = warmUp(); !status) {
    return status.error();
  }
  int64_t looked = 0;
  for (int64_t rounds : options.looks) {
    while (outcome.rounds < rounds && mayBegin()) {
      if (Status status = round(); !status) {
        return status.error();
      }
    }
    if (outcome.rounds > looked) {
      look();
      looked = outcome.rounds;
    }
    if (outcome.settled || outcome.rounds < rounds) {
      break;
    }
  }
  finish();
  return outcome;
}

Result<TunerOutcome> tune(const std::vector<TunerCandidate> &candidates, size_t preferred,
                          TunerClock &clock, const TunerOptions &options) {
  return Tuning(candidates, preferred, clock, options).run();
}

} // namespace drumlin
