// Tests that tuning is fair: one candidate of one backend competes with 128 candidates of another
// backend, in thousands of simulated tunings under contention. Timing each candidate only once, on
// the same clocks, isn't fair.
//
// Fair means that only the documented rule decides among equal candidates: the cost model's choice
// wins, or else the first candidate by name. A backend wins in those tunings in which the rule
// prefers one of its candidates, for any number of candidates of other backends.
#include "drumlin/driver/tuner/test/SimulatedClock.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace drumlin {

static constexpr size_t many = 128;
static constexpr double usual = 100e-6; // seconds of a run

// Returns the candidates. Candidate 0 is the only one of backend `a`; all other candidates belong
// to `b`. Names are random, so that their order carries no information.
static std::vector<TunerCandidate> candidatesOf(uint64_t seed) {
  std::vector<size_t> numbers(many + 1);
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = i;
  }
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(seed));
  std::vector<TunerCandidate> candidates;
  for (size_t i = 0; i < numbers.size(); ++i) {
    candidates.push_back({"k" + std::to_string(1000 + numbers[i]), i == 0 ? "a" : "b"});
  }
  return candidates;
}

static TunerOptions withoutTimeLimit(uint64_t seed) {
  TunerOptions options;
  options.seed = seed;
  options.seconds = 1e9;
  return options;
}

static TunerOutcome tuned(const std::vector<double> &seconds, size_t preferred, uint64_t seed,
                          const TunerOptions &options) {
  SimulatedClock clock(seconds, heavyContention(), seed);
  Result<TunerOutcome> outcome = tune(candidatesOf(seed), preferred, clock, options);
  EXPECT_TRUE(outcome);
  return *outcome;
}

static size_t oneShotWinner(const std::vector<double> &seconds, uint64_t seed) {
  SimulatedClock clock(seconds, heavyContention(), seed);
  return oneShot(clock, seconds.size());
}

// Returns five standard deviations of the share of trials in which an event with probability
// `share` occurs.
static double spreadOf(double share, int trials) {
  return 5 * std::sqrt(share * (1 - share) / trials);
}

TEST(TunerFairness, AmongEqualsTheCostModelsChoiceWinsWhosesoeverItIs) {
  constexpr int trials = 200;
  std::vector<double> equal(many + 1, usual);
  for (size_t preferred : {size_t(0), size_t(1), size_t(77)}) {
    int wins = 0, otherBackend = 0;
    for (int trial = 0; trial < trials; ++trial) {
      auto seed = static_cast<uint64_t>(trial) * 3 + preferred;
      wins += tuned(equal, preferred, seed, withoutTimeLimit(seed)).winner == preferred;
      otherBackend += oneShotWinner(equal, seed) != 0;
    }
    RecordProperty("wins of " + std::to_string(preferred), wins);
    EXPECT_GE(wins, trials * 99 / 100) << preferred;
    // The minimum of 128 samples is usually below a single sample of another candidate. So the
    // backend with more candidates wins, although none of them is faster.
    EXPECT_GE(otherBackend, trials * 95 / 100);
  }
}

// If the cost model prefers each backend in half of the tunings, each backend wins half of the
// tunings. If it prefers each candidate equally often, backend `a` wins one of 129 tunings.
TEST(TunerFairness, ABackendWinsAsOftenAsTheRulePrefersIt) {
  constexpr int trials = 1000;
  std::vector<double> equal(many + 1, usual);
  for (double share : {0.5, 1.0 / (many + 1)}) {
    std::mt19937_64 generator(5);
    int preferences = 0, wins = 0;
    for (int trial = 0; trial < trials; ++trial) {
      auto seed = static_cast<uint64_t>(trial) + 10000;
      bool isFirst = static_cast<double>(generator() >> 11) * 0x1p-53 < share;
      size_t preferred = isFirst ? 0 : 1 + generator() % many;
      preferences += isFirst;
      TunerOptions options = withoutTimeLimit(seed);
      options.looks = {16, 32, 64};
      wins += tuned(equal, preferred, seed, options).winner == 0;
    }
    EXPECT_NEAR(static_cast<double>(preferences) / trials, share, spreadOf(share, trials));
    // Compares the number of wins with the number of preferences in these trials. Comparing with
    // the expected number of wins instead would accept a backend that is never chosen, since the
    // expected number is less than five standard deviations.
    EXPECT_GE(preferences, 5);
    EXPECT_NEAR(wins, preferences, std::max(1.0, preferences / 100.0));
  }
}

// The cost model's choice is far slower, so names decide among the other candidates. Names are
// random, so each of these equal candidates wins equally often, even the only candidate of its
// backend.
TEST(TunerFairness, ByNameEachCandidateWinsAsOften) {
  constexpr int trials = 2000;
  constexpr size_t equals = 8; // one of `a`, seven of `b`
  std::vector<double> seconds(equals, usual);
  seconds.push_back(2 * usual);
  std::vector<int> wins(seconds.size());
  for (int trial = 0; trial < trials; ++trial) {
    auto seed = static_cast<uint64_t>(trial) + 20000;
    std::vector<TunerCandidate> candidates = candidatesOf(seed);
    candidates.resize(seconds.size());
    SimulatedClock clock(seconds, heavyContention(), seed);
    Result<TunerOutcome> outcome = tune(candidates, equals, clock, withoutTimeLimit(seed));
    ASSERT_TRUE(outcome);
    ++wins[outcome->winner];
  }
  EXPECT_EQ(wins[equals], 0);
  double share = 1.0 / equals;
  ASSERT_LT(spreadOf(share, trials), share / 2);
  for (size_t i = 0; i < equals; ++i) {
    EXPECT_NEAR(static_cast<double>(wins[i]) / trials, share, spreadOf(share, trials)) << i;
  }
}

// One candidate of `a` or of `b` is 5 % faster, and the cost model prefers a different candidate.
TEST(TunerFairness, ATrulyFasterCandidateWinsWhereOneShotTimingFails) {
  constexpr int trials = 500;
  for (size_t faster : {size_t(0), size_t(50)}) {
    std::vector<double> seconds(many + 1, usual);
    seconds[faster] = usual * 0.95;
    size_t preferred = faster == 0 ? 1 : 0;
    int wins = 0, oneShotWins = 0;
    int64_t rounds = 0;
    for (int trial = 0; trial < trials; ++trial) {
      auto seed = static_cast<uint64_t>(trial) + 30000 + faster;
      TunerOutcome outcome = tuned(seconds, preferred, seed, withoutTimeLimit(seed));
      wins += outcome.winner == faster;
      rounds += outcome.rounds;
      oneShotWins += oneShotWinner(seconds, seed) == faster;
    }
    // The numbers of wins are written to the test's XML report.
    RecordProperty("wins of " + std::to_string(faster), wins);
    RecordProperty("one-shot wins of " + std::to_string(faster), oneShotWins);
    RecordProperty("rounds of " + std::to_string(faster), static_cast<int>(rounds / trials));
    EXPECT_GE(wins, trials * 99 / 100) << faster;
    EXPECT_LE(oneShotWins, trials / 2) << faster;
  }
}

// In the usual case, two candidates of two backends, the result is the same in either order.
TEST(TunerFairness, OneAgainstOne) {
  constexpr int trials = 2000;
  for (size_t faster : {size_t(0), size_t(1)}) {
    std::vector<double> seconds(2, usual);
    seconds[faster] = usual * 0.95;
    int wins = 0, oneShotWins = 0;
    for (int trial = 0; trial < trials; ++trial) {
      auto seed = static_cast<uint64_t>(trial) + 40000;
      SimulatedClock clock(seconds, heavyContention(), seed);
      Result<TunerOutcome> outcome =
          tune({{"x", "a"}, {"y", "b"}}, 1 - faster, clock, withoutTimeLimit(seed));
      ASSERT_TRUE(outcome);
      wins += outcome->winner == faster;
      oneShotWins += oneShotWinner(seconds, seed) == faster;
    }
    EXPECT_GE(wins, trials * 99 / 100) << faster;
    EXPECT_LE(oneShotWins, trials * 9 / 10) << faster;
  }
}

// A slower candidate that the cost model prefers never wins for lack of samples, for any number of
// candidates. Equal candidates are separated in no more tunings than the error allows.
TEST(TunerFairness, EqualsAreToldApartAsSeldomAsTheErrorSays) {
  constexpr int trials = 2000;
  for (size_t count : {size_t(2), size_t(16)}) {
    int wrong = 0;
    for (int trial = 0; trial < trials; ++trial) {
      auto seed = static_cast<uint64_t>(trial) + 50000;
      std::vector<double> seconds(count, usual);
      std::vector<TunerCandidate> candidates = candidatesOf(seed);
      candidates.resize(count);
      SimulatedClock clock(seconds, heavyContention(), seed);
      TunerOptions options = withoutTimeLimit(seed);
      options.leastGain = 0; // any difference counts
      Result<TunerOutcome> outcome = tune(candidates, 0, clock, options);
      ASSERT_TRUE(outcome);
      wrong += outcome->winner != 0;
    }
    EXPECT_LE(wrong, trials / 100) << count;
  }
}

} // namespace drumlin
