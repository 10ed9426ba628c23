// Tests the tuner's rules one by one.
#include "drumlin/driver/tuner/Tuner.h"

#include "drumlin/driver/tuner/test/SimulatedClock.h"
#include "drumlin/support/diagnostics/CallErrors.h"

#include <algorithm>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>

namespace drumlin {

static std::vector<TunerCandidate> named(std::initializer_list<const char *> names) {
  std::vector<TunerCandidate> candidates;
  for (const char *name : names) {
    candidates.push_back({name, "cpu"});
  }
  return candidates;
}

// A clock whose samples the test specifies.
class ScriptedClock : public TunerClock {
public:
  using Script = std::function<TunerSample(size_t candidate, int64_t number)>;
  explicit ScriptedClock(Script script) : script(std::move(script)) {}
  Result<TunerSample> run(size_t candidate) override {
    if (candidate == failing) {
      return diagnose(errors::ProgramFailed, "broke", "there");
    }
    order.push_back(candidate);
    TunerSample sample = script(candidate, counts[candidate]++);
    time += sample.seconds;
    return sample;
  }
  double now() override { return time; }

  size_t failing = SIZE_MAX;
  std::vector<size_t> order; // the candidates of all runs in order, including the warm-up
  std::map<size_t, int64_t> counts;

private:
  Script script;
  double time = 0;
};

static TunerSample sampleOf(double seconds, bool disturbed = false) {
  TunerSample sample;
  sample.seconds = seconds;
  sample.disturbance.contextSwitches = disturbed;
  return sample;
}

// Returns a time that doesn't depend on the order of runs: the noise is a function of the candidate
// and of the run's number.
static double noisy(double seconds, size_t candidate, int64_t number) {
  auto mixed = (candidate * 977 + static_cast<size_t>(number) * 131) % 101;
  return seconds * (1 + 0.0001 * static_cast<double>(mixed));
}

static TunerOutcome tuned(const std::vector<TunerCandidate> &candidates, size_t preferred,
                          TunerClock &clock, const TunerOptions &options = {}) {
  Result<TunerOutcome> outcome = tune(candidates, preferred, clock, options);
  EXPECT_TRUE(outcome);
  return *outcome;
}

TEST(Tuner, RuleNamesRoundTrip) {
  for (TunerRule rule :
       {TunerRule::Only, TunerRule::Separated, TunerRule::CostModel, TunerRule::Name}) {
    EXPECT_EQ(tunerRuleFromName(name(rule)), rule);
  }
  EXPECT_FALSE(tunerRuleFromName("hand"));
}

TEST(Tuner, ASingleCandidateIsNotTimed) {
  ScriptedClock clock([](size_t, int64_t) { return sampleOf(1); });
  TunerOutcome outcome = tuned(named({"x"}), 0, clock);
  EXPECT_EQ(outcome.winner, 0u);
  EXPECT_EQ(outcome.rule, TunerRule::Only);
  EXPECT_TRUE(clock.order.empty());
}

TEST(Tuner, TheOnlyFastOneIsSeparated) {
  ScriptedClock clock([](size_t candidate, int64_t number) {
    return sampleOf(noisy(candidate == 2 ? 0.9e-3 : 1e-3, candidate, number));
  });
  TunerOutcome outcome = tuned(named({"x", "y", "z"}), 0, clock);
  EXPECT_EQ(outcome.winner, 2u);
  EXPECT_EQ(outcome.rule, TunerRule::Separated);
  EXPECT_TRUE(outcome.settled);
  EXPECT_TRUE(outcome.candidates[0].eliminated);
  EXPECT_TRUE(outcome.candidates[1].eliminated);
  EXPECT_FALSE(outcome.candidates[2].eliminated);
  EXPECT_LE(outcome.candidates[2].lower, outcome.candidates[2].median);
  EXPECT_LE(outcome.candidates[2].median, outcome.candidates[2].upper);
  EXPECT_LT(outcome.candidates[2].upper, outcome.candidates[0].lower);
}

// The cost model's choice is taken if the median of another candidate is lower by an insignificant
// amount.
TEST(Tuner, EqualsGoToTheCostModel) {
  ScriptedClock clock([](size_t candidate, int64_t number) {
    return sampleOf(noisy(candidate == 0 ? 0.997e-3 : 1e-3, candidate, number));
  });
  TunerOutcome outcome = tuned(named({"x", "y"}), 1, clock);
  EXPECT_LT(outcome.candidates[0].median, outcome.candidates[1].median);
  EXPECT_EQ(outcome.winner, 1u);
  EXPECT_EQ(outcome.rule, TunerRule::CostModel);
  EXPECT_TRUE(outcome.settled);
}

// If the cost model's choice is slower, the first of the equally fast candidates by name is taken,
// for any order of the list.
TEST(Tuner, OtherEqualsGoByName) {
  ScriptedClock clock([](size_t candidate, int64_t number) {
    return sampleOf(noisy(candidate == 1 ? 2e-3 : 1e-3, candidate, number));
  });
  TunerOutcome outcome = tuned(named({"y", "slow", "x", "z"}), 1, clock);
  EXPECT_EQ(outcome.winner, 2u);
  EXPECT_EQ(outcome.rule, TunerRule::Name);
}

// Permuting the candidates, or renaming their backends, doesn't change the winner.
TEST(Tuner, OrderAndBackendDecideNothing) {
  std::vector<double> seconds = {1.02e-3, 1e-3, 0.95e-3, 0.953e-3, 1.3e-3};
  std::vector<TunerCandidate> candidates = named({"e", "d", "c", "b", "a"});
  std::vector<CandidateOutcome> samples(5);
  for (size_t i = 0; i < 5; ++i) {
    for (int64_t round = 0; round < 40; ++round) {
      samples[i].seconds.push_back(noisy(seconds[i], i, round));
    }
  }
  std::vector<size_t> order = {0, 1, 2, 3, 4};
  std::set<std::string> winners;
  do {
    std::vector<TunerCandidate> permuted;
    std::vector<CandidateOutcome> permutedSamples;
    for (size_t i : order) {
      permuted.push_back({candidates[i].name, i % 2 == order[0] % 2 ? "a" : "b"});
      permutedSamples.push_back(samples[i]);
    }
    size_t preferred =
        static_cast<size_t>(std::find(order.begin(), order.end(), 1u) - order.begin());
    Standing standing = stand(permuted, preferred, {0, 1, 2, 3, 4}, permutedSamples, 1e-3, 0.01);
    winners.insert(permuted[standing.winner].name);
    EXPECT_EQ(standing.slower.size(), 3u);
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(winners, std::set<std::string>{"b"});
}

// The copies that a candidate needs outside its kernel count.
TEST(Tuner, CostsOutsideCount) {
  ScriptedClock clock([](size_t candidate, int64_t number) {
    TunerSample sample = sampleOf(noisy(candidate == 0 ? 0.8e-3 : 1e-3, candidate, number));
    sample.outsideSeconds = candidate == 0 ? 0.5e-3 : 0;
    return sample;
  });
  TunerOutcome outcome = tuned(named({"forces-transpose", "plain"}), 0, clock);
  EXPECT_EQ(outcome.winner, 1u);
  EXPECT_EQ(outcome.rule, TunerRule::Separated);
  EXPECT_DOUBLE_EQ(outcome.candidates[0].outsideSeconds, 0.5e-3);
  EXPECT_GT(outcome.candidates[0].median, 1.29e-3);
  EXPECT_EQ(outcome.candidates[1].outsideSeconds, 0);
}

// After one warm-up, each remaining candidate is timed once in every round. The orders of rounds
// differ, and are the same for the same seed.
TEST(Tuner, RoundsAreInterleavedInSeededOrders) {
  auto orders = [](uint64_t seed) {
    ScriptedClock clock(
        [](size_t candidate, int64_t number) { return sampleOf(noisy(1e-3, candidate, number)); });
    TunerOptions options;
    options.seed = seed;
    TunerOutcome outcome = tuned(named({"a", "b", "c", "d", "e", "f"}), 0, clock, options);
    EXPECT_EQ(clock.order.size(), 6 * static_cast<size_t>(outcome.rounds + 1));
    std::vector<std::vector<size_t>> rounds;
    for (size_t first = 6; first < clock.order.size(); first += 6) {
      auto begin = clock.order.begin() + static_cast<ptrdiff_t>(first);
      rounds.emplace_back(begin, begin + 6);
      EXPECT_EQ(std::set<size_t>(begin, begin + 6).size(), 6u);
    }
    return rounds;
  };
  std::vector<std::vector<size_t>> first = orders(1);
  EXPECT_EQ(first, orders(1));
  EXPECT_NE(first, orders(2));
  EXPECT_GT(std::set<std::vector<size_t>>(first.begin(), first.end()).size(), first.size() / 2);
}

// All remaining candidates have the same number of samples, whatever their backend is. An
// eliminated candidate has the samples up to the comparison in which it was eliminated.
TEST(Tuner, SamplesAreEquallyMany) {
  ScriptedClock clock([](size_t candidate, int64_t number) {
    double seconds = candidate == 3 ? 1.5e-3 : candidate == 4 ? 0.99e-3 : 1e-3;
    return sampleOf(noisy(seconds, candidate, number));
  });
  TunerOptions options;
  options.looks = {16, 24, 48};
  std::vector<TunerCandidate> candidates = {
      {"a", "x"}, {"b", "y"}, {"c", "y"}, {"d", "y"}, {"e", "y"}};
  TunerOutcome outcome = tuned(candidates, 0, clock, options);
  EXPECT_TRUE(outcome.candidates[3].eliminated);
  EXPECT_EQ(outcome.candidates[3].seconds.size(), 16u);
  for (size_t i : {0, 1, 2, 4}) {
    EXPECT_EQ(outcome.candidates[i].seconds.size(), static_cast<size_t>(outcome.rounds)) << i;
  }
}

// Fourteen samples can't separate 129 candidates at the error allowed per comparison (2^-14 > 0.01
// / (2 * 128)), so no candidate is eliminated by noise. Fifteen samples can separate them.
TEST(Tuner, FewSamplesSeparateNothing) {
  std::vector<TunerCandidate> candidates;
  for (int i = 0; i < 129; ++i) {
    candidates.push_back({"k" + std::to_string(i), "b"});
  }
  ScriptedClock clock([](size_t candidate, int64_t) { return sampleOf(candidate == 5 ? 1 : 2); });
  TunerOptions options;
  options.seconds = 1e9;
  options.looks = {14};
  TunerOutcome outcome = tuned(candidates, 0, clock, options);
  EXPECT_EQ(outcome.winner, 0u);
  EXPECT_EQ(outcome.rule, TunerRule::CostModel);
  EXPECT_FALSE(outcome.settled);
  options.looks = {15};
  ScriptedClock again([](size_t candidate, int64_t) { return sampleOf(candidate == 5 ? 1 : 2); });
  outcome = tuned(candidates, 0, again, options);
  EXPECT_EQ(outcome.winner, 5u);
}

// A disturbed sample is retaken, and only the undisturbed one is kept.
TEST(Tuner, DisturbedSamplesAreTakenAgain) {
  ScriptedClock clock([](size_t candidate, int64_t number) {
    bool disturbed = candidate == 1 && number % 2 == 1;
    return sampleOf(noisy(disturbed ? 9e-3 : 1e-3, candidate, number), disturbed);
  });
  TunerOutcome outcome = tuned(named({"x", "y"}), 0, clock);
  for (const CandidateOutcome &candidate : outcome.candidates) {
    for (size_t round = 0; round < candidate.seconds.size(); ++round) {
      EXPECT_LT(candidate.seconds[round], 1.1e-3);
      EXPECT_FALSE(candidate.disturbed[round]);
    }
  }
  EXPECT_EQ(outcome.retaken, outcome.rounds);
  EXPECT_EQ(outcome.taken, outcome.rounds * 3);
  EXPECT_EQ(outcome.winner, 0u);
}

// Each kind of evidence counts as a disturbance.
TEST(Tuner, EvidenceIsOfFourKinds) {
  Disturbance none;
  EXPECT_FALSE(none.any());
  Disturbance switched, stolen, migrated, unlocked;
  switched.contextSwitches = 1;
  stolen.stolenTicks = 1;
  migrated.migrated = true;
  unlocked.lockMissed = true;
  for (const Disturbance &each : {switched, stolen, migrated, unlocked}) {
    EXPECT_TRUE(each.any());
  }
}

// If every sample is disturbed, tuning still ends within the budget of retakes. All candidates have
// the same number of samples, which are marked as disturbed and still compared.
TEST(Tuner, ConstantDisturbanceEndsWithinTheBudget) {
  ScriptedClock clock([](size_t candidate, int64_t number) {
    return sampleOf(noisy(candidate == 1 ? 1e-3 : 1.2e-3, candidate, number), true);
  });
  TunerOutcome outcome = tuned(named({"x", "y", "z"}), 0, clock);
  EXPECT_EQ(outcome.winner, 1u);
  // On average at most one retake per sample.
  EXPECT_LE(outcome.retaken, outcome.taken - outcome.retaken);
  EXPECT_GT(outcome.retaken, 0);
  for (const CandidateOutcome &candidate : outcome.candidates) {
    EXPECT_EQ(candidate.seconds.size(), outcome.candidates[0].seconds.size());
    EXPECT_TRUE(std::all_of(candidate.disturbed.begin(), candidate.disturbed.end(),
                            [](bool disturbed) { return disturbed; }));
  }
}

TEST(Tuner, TimeIsABudget) {
  ScriptedClock clock(
      [](size_t candidate, int64_t number) { return sampleOf(noisy(0.1, candidate, number)); });
  TunerOptions options;
  options.seconds = 1.5;
  TunerOutcome outcome = tuned(named({"x", "y"}), 1, clock, options);
  // The limit includes the warm-up and the end of a round that has begun.
  EXPECT_LT(outcome.seconds, 1.8);
  EXPECT_GE(outcome.rounds, 5);
  EXPECT_LT(outcome.rounds, 10);
  EXPECT_EQ(outcome.candidates[0].seconds.size(), outcome.candidates[1].seconds.size());
  EXPECT_EQ(outcome.winner, 1u);
  EXPECT_FALSE(outcome.settled);
}

TEST(Tuner, SamplesAreABudget) {
  ScriptedClock clock(
      [](size_t candidate, int64_t number) { return sampleOf(noisy(1e-3, candidate, number)); });
  TunerOptions options;
  options.samples = 20;
  TunerOutcome outcome = tuned(named({"x", "y", "z"}), 1, clock, options);
  EXPECT_EQ(outcome.rounds, 6);
  EXPECT_EQ(outcome.taken, 18);
  EXPECT_EQ(outcome.winner, 1u);
}

TEST(Tuner, NoBudgetIsTheCostModelsChoice) {
  ScriptedClock clock([](size_t, int64_t) { return sampleOf(1e-3); });
  TunerOptions options;
  options.seconds = 0;
  TunerOutcome outcome = tuned(named({"x", "y"}), 1, clock, options);
  EXPECT_EQ(outcome.rounds, 0);
  EXPECT_EQ(outcome.winner, 1u);
  EXPECT_EQ(outcome.rule, TunerRule::CostModel);
}

TEST(Tuner, AFailedRunEndsTheTuning) {
  ScriptedClock clock([](size_t, int64_t) { return sampleOf(1e-3); });
  clock.failing = 1;
  Result<TunerOutcome> outcome = tune(named({"x", "y"}), 0, clock);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, errors::ProgramFailed);
}

// A clock that is too coarse makes all candidates equal; the outcome is still defined.
TEST(Tuner, TimesOfZeroAreEqual) {
  ScriptedClock clock([](size_t, int64_t) { return sampleOf(0); });
  TunerOutcome outcome = tuned(named({"x", "y"}), 1, clock);
  EXPECT_EQ(outcome.winner, 1u);
  EXPECT_EQ(outcome.rule, TunerRule::CostModel);
}

// Equal clocks give equal outcomes.
TEST(Tuner, IsAFunctionOfItsClock) {
  auto once = [] {
    SimulatedClock clock({1e-4, 1e-4, 0.97e-4}, heavyContention(), 3);
    return tuned(named({"x", "y", "z"}), 0, clock);
  };
  TunerOutcome first = once(), second = once();
  EXPECT_EQ(first.winner, second.winner);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(first.candidates[i].seconds, second.candidates[i].seconds);
  }
}

} // namespace drumlin
